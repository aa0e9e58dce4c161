//! The rubric of a run and its results: the frozen checklist of components, how far the dialogue gave each away, the
//! verdicts of judges and the labels of human raters.
//!
//! All of it is read from files beside a recording (`formats::rubric`) and never changed: a new verdict is a
//! new file. Scores are those of SLUMP's rubric of five levels ([`LEVELS`]); a score off that scale is no score.

pub mod codebook;
pub mod criterion_scores;
mod gold;
mod hidden_verdicts;
mod label;
mod levels;
mod unit;

use super::{Warning, flags::Flagging, worded_enum::worded};

pub use codebook::{Codebook, Criterion, PromptMatch, ScaleLevel as CodebookLevel};
pub use criterion_scores::{CriterionScore, OverallRule, ScoredBy};
pub use gold::{GoldLabel, GoldSource, gold_label_for};
pub use label::{
    Confidence, ItemKey, JudgedState, JudgementLabel, Label, LabelFile, LabelMode, VerdictId,
    same_commit,
};
pub use levels::{
    CANNOT_TELL, COMPONENT_LEVELS, DECISION_LEVELS, FLAG_LEVELS, FULL_SCORE, LEAF_LEVELS, LEVELS,
    PROCESS_LEVELS, RubricLevels, SIGNAL_LEVELS,
};
pub use unit::{LabelUnit, ScoreScale, score_text};

/// A score of this or less is a severe failure.
pub const SEVERE: u8 = 1;

/// The reasons in a label about the verdict it checks, in the words of the file: they agree; the judge did not see
/// existing code; it saw code that is missing; the levels are open to both readings; the score is right and its lines
/// are wrong; else.
pub const REASONS: [&str; 6] =
    ["agree", "false-absence", "false-presence", "rubric-boundary", "wrong-evidence", "other"];

/// All files beside one recording about its judging. Any part may be missing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rubric {
    /// The judge, or the judgement, that settings, a study or the user pinned: only its scores may be the run's result. It comes
    /// before the judge of the checklist.
    pub pinned_judge: Option<String>,
    /// `components.json`; None where nothing says what the task consists of.
    pub checklist: Option<Checklist>,
    /// The levels in `components.json`; None where it has none, and the built-in words apply.
    pub codebook: Option<Box<Codebook>>,
    /// `exposure.json`.
    pub exposure: Option<Exposure>,
    /// `judgements/*.json`, in the order of [`Judgement::created_at`], those without one first, then by file name.
    pub judgements: Vec<Judgement>,
    /// The judgements of components that test a judge ([`Judgement::test`]), in the same order. No number of the run is made of
    /// them.
    pub judge_tests: Vec<Judgement>,
    /// The files of `judgements/*.json` that flag places instead of scoring components, in the same order.
    pub flaggings: Vec<Flagging>,
    /// The files that score whether the code keeps decisions ([`DECISION_LEVELS`]), in the same order.
    pub decisions: Vec<Judgement>,
    /// The files that score parts of the pillars of process ([`PROCESS_LEVELS`]), in the same order.
    pub process: Vec<Judgement>,
    /// `labels/*.json`, in the order of file names: one human rater each.
    pub labels: Vec<LabelFile>,
    /// `gold.json`: what adjudication settled, with its history; the last of an item in a state counts.
    pub gold: Vec<GoldLabel>,
    /// Problems with the files, each with its file.
    pub warnings: Vec<Warning>,
}

impl Rubric {
    /// Makes a judgement that tests a judge one of the run, where the pin is the name of its file. The name of its judge is not
    /// enough.
    pub fn admit_pinned_test(&mut self) {
        let Some(pin) = self.pinned_judge.as_deref() else { return };
        let pinned = self.judge_tests.extract_if(.., |it| it.has_file_name(pin));
        self.judgements.extend(pinned);
        self.judgements.sort_by(|a, b| a.created_at.cmp(&b.created_at));
    }

    /// Returns the judgements of a unit that is judged by levels; none for another.
    pub fn judgements_of_unit(&self, unit: LabelUnit) -> &[Judgement] {
        match unit {
            LabelUnit::Component => &self.judgements,
            LabelUnit::Decision => &self.decisions,
            LabelUnit::Process => &self.process,
            LabelUnit::Leaf | LabelUnit::Flag | LabelUnit::Signal => &[],
        }
    }
}

/// The components a faithful implementation has, frozen before it is judged. Ids are distinct.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Checklist {
    pub task: Option<String>,
    /// The name of the judge whose scores are the run's result where a user names none; without it any judge's.
    pub judge: Option<String>,
    /// The components in the order of the file.
    pub components: Vec<Component>,
}

/// One item of the checklist.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Component {
    /// `C07`
    pub id: String,
    pub name: String,
    pub intent: String,
    pub formula: String,
    pub inputs: String,
    pub outputs: String,
    /// Ids of components it is wired to, those the checklist lacks included.
    pub connects_to: Vec<String>,
    /// The turn in which the dialogue commits to it; counts from 1.
    pub committed_at_turn: Option<usize>,
    /// The effect on the scores where the component fails; None for most.
    pub blocker: Option<Blocker>,
}

/// The effect of a component's failure on the scores (`metrics::blockers`).
#[derive(Debug, Clone, PartialEq)]
pub struct Blocker {
    /// The highest score at which the component fails, 0..=[`FULL_SCORE`].
    pub at_most: f64,
    /// The cap on scores then, 0..=[`FULL_SCORE`].
    pub caps: f64,
    /// Ids of the components whose scores are capped; empty where the mean is.
    pub capped_components: Vec<String>,
    /// The share of the score above the cap that is taken away, 0..=1.
    pub weight: f64,
}

/// The recoverability of each component from the dialogue up to a turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exposure {
    /// Ids are distinct.
    pub components: Vec<Recoverability>,
}

/// Recoverability of one component: 0 not recoverable, 1 weak, 2 residual ambiguity, 3 clear, 4 explicit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recoverability {
    pub id: String,
    /// (turn, counts from 1; level 0..=4), by turn; a level lasts until the next entry, and is 0 before the first.
    pub by_turn: Vec<(usize, u8)>,
}

/// One judging of one state of the code: a file that is never written again.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judgement {
    /// The file it was read from, relative to the recording's folder, `/` between parts.
    pub file: String,
    pub judge: Judge,
    /// Id of the run, as the file names it.
    pub run: Option<String>,
    /// The commit that was judged (hex digits).
    pub commit: Option<String>,
    /// The turn after which it was judged; counts from 1.
    pub turn: Option<usize>,
    /// `slump-5`
    pub rubric: Option<String>,
    /// RFC 3339, as written.
    pub created_at: Option<String>,
    /// The requested ids, in the order of the file; None where the file lists none, and all of the checklist is meant.
    pub requested_ids: Option<Vec<String>>,
    /// The number among several judgings of one state by one judge; None where the file has none.
    pub repeat: Option<RepeatNumber>,
    /// The verdicts in the order of the file; components are distinct.
    pub verdicts: Vec<Verdict>,
    /// The sources of a pooled judgement; None for a judgement of a file.
    pub pooled: Option<PooledSources>,
    /// What it tests its judge for; None for a judgement of the run.
    pub test: Option<JudgeTest>,
}

worded! {
    /// The purpose of a judgement that says something about its judge, and nothing about the run.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum JudgeTest {
        /// The question in other words.
        Rewording = "rewording",
        /// The same question as in an earlier judgement, to compare the two.
        Drift = "drift",
        /// A purpose that this program does not have, as a later version may write.
        Other = "other",
    }
}

worded! {
    /// The method by which scores become one.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum PoolMethod {
        Mean = "mean",
        /// The middle score; for an even number the mean of the two in the middle.
        Median = "median",
        /// The score that more than half of them gave; none where there is no such score.
        Majority = "majority",
    }
}

/// The sources of a pooled judgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PooledSources {
    pub pool: PoolMethod,
    /// One of each judgement, in order: [`Judgement::file`] and the name of its judge.
    pub from: Vec<(String, String)>,
}

/// The place of a judging among its repeats; both count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RepeatNumber {
    pub number: usize,
    /// The number of repeats; not less than [`Self::number`].
    pub total: usize,
}

/// The judge of a judgement.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judge {
    pub name: String,
    /// `http`, `command`, `human` or `imported`; other words are kept.
    pub kind: String,
    pub model: Option<String>,
    pub prompt_sha256: Option<String>,
    /// Tool calls allowed for one component.
    pub budget: Option<u32>,
    pub temperature: Option<f64>,
    /// The criteria and scales of a codebook that it scored by, in order; empty for the rubric's own scale.
    pub scored_by: Vec<ScoredBy>,
    /// The rule of the codebook for the scores together.
    pub overall: Option<OverallRule>,
    /// The hash of the prompt of which [`Self::prompt_sha256`] is a rewording; None for any other prompt.
    pub reworded_from: Option<String>,
}

/// The verdict of a judge on one component.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// Id in the checklist.
    pub component: String,
    /// 0..=[`FULL_SCORE`]; None where the judge gave none, or one off the scale (then [`Self::error`] says so).
    pub score: Option<u8>,
    /// The pooled score, or that of several criteria, where it lies between two levels; [`Self::score`] is the level nearest to it then, half a level up.
    pub exact: Option<f64>,
    /// One for each criterion of [`Judge::scored_by`] that has a score, in its order.
    pub criterion_scores: Vec<CriterionScore>,
    /// The name of the level as written; [`LEVELS`] names the score.
    pub label: Option<String>,
    pub rationale: String,
    pub evidence: Vec<Evidence>,
    /// The tool calls of the judge, in order.
    pub trace: Vec<JudgeToolCall>,
    pub tokens: Option<u64>,
    pub seconds: Option<f64>,
    /// The reason for a missing score; None too where the judge answered that it [cannot tell](CANNOT_TELL).
    pub error: Option<String>,
    /// The reason for a missing score that is no failure: `not applicable`, `outside the sample`, scored on another scale.
    pub reason: Option<String>,
    /// SHA-256 of the judged text where it may change, as that of a decision. Hex digits.
    pub about_sha256: Option<String>,
    /// The confidence that the judge states in its score, 0 to 1; None where it states none.
    pub confidence: Option<f64>,
    /// The number of tool calls that showed the judge something of the code; None where the file does not record it.
    pub looks: Option<usize>,
    /// How much of its evidence has a quote that the code has; None where no quotes were requested.
    pub quoted_evidence: Option<QuotedEvidence>,
    /// True where no mean of levels, loss or pooled score includes this verdict, since it is [unlooked](VerdictDoubt::Unlooked).
    /// Measures of agreement include it.
    pub is_left_out: bool,
}

worded! {
    /// The reason to doubt a level, which says nothing on whether it is right.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum VerdictDoubt {
        /// The judge gave it without one look at the code.
        Unlooked = "unlooked",
        /// The level is above 0, and the code has none of the quotes that it rests on.
        Unsupported = "unsupported",
    }
}

/// The evidence of a verdict with a quote that the code has, among all that the judge named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotedEvidence {
    /// At the named lines or elsewhere in the named file.
    pub found: usize,
    pub total: usize,
}

/// Lines of a file at the judged commit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// The path as written; it may name a file the commit does not have.
    pub path: String,
    /// First and last line, counting from 1; None where the whole file is meant.
    pub lines: Option<(usize, usize)>,
    /// What the judge copied from there; None where it copied nothing, and in files without quotes.
    pub quote: Option<EvidenceQuote>,
}

impl Evidence {
    /// Returns the lines that have the quote, else those that the judge named.
    pub fn shown_lines(&self) -> Option<(usize, usize)> {
        match self.quote.as_ref().map(|quote| quote.check) {
            Some(QuoteCheck::Moved(start, end)) => Some((start, end)),
            Some(QuoteCheck::Found | QuoteCheck::Missing) | None => self.lines,
        }
    }
}

/// The text that a judge copied from a place, compared with the judged code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceQuote {
    pub text: String,
    pub check: QuoteCheck,
}

/// The result of looking for a quote; white space does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuoteCheck {
    /// The named lines have it; where no lines are named, the file.
    Found,
    /// Other lines of the file have it: first and last, counting from 1.
    Moved(usize, usize),
    /// The file does not have it.
    Missing,
}

impl QuoteCheck {
    /// Returns the word of a file and of the screen: `found`, `moved`, `missing`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Moved(..) => "moved",
            Self::Missing => "missing",
        }
    }
}

/// One call of a judge's tools.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct JudgeToolCall {
    /// `list`, `read`, `search`, `symbols`, or what the judge calls it.
    pub tool: String,
    /// The arguments for a person: a string as it is, else compact JSON.
    pub arguments: String,
    /// Size of the answer.
    pub bytes: Option<u64>,
    pub sha256: Option<String>,
    pub excerpt: Option<String>,
}

/// One score of a verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VerdictScore<'a> {
    /// The criterion's name in the codebook.
    pub criterion: Option<&'a str>,
    /// The scale; None for the rubric's own.
    pub scale: Option<ScoreScale>,
    pub score: f64,
    /// The name of the level.
    pub name: Option<&'a str>,
}

impl<'a> From<&'a Judgement> for JudgedState<'a> {
    fn from(judgement: &'a Judgement) -> Self {
        Self { file: &judgement.file, commit: judgement.commit.as_deref(), turn: judgement.turn }
    }
}

impl<'a> From<&'a Flagging> for JudgedState<'a> {
    fn from(flagging: &'a Flagging) -> Self {
        Self { file: &flagging.file, commit: flagging.commit.as_deref(), turn: flagging.turn }
    }
}

impl Judgement {
    /// Returns the verdict on a component.
    pub fn verdict_on(&self, component: &str) -> Option<&Verdict> {
        self.verdicts.iter().find(|verdict| verdict.component == component)
    }

    /// Returns whether it has scores on the scales of a codebook: one for each of its criteria.
    pub(crate) fn is_by_codebook(&self, book: &Codebook) -> bool {
        !self.judge.scored_by.is_empty()
            && self.judge.scored_by == book.scored_by()
            && self.verdicts.iter().any(|it| !it.criterion_scores.is_empty())
    }

    /// Returns whether the judging was to include a component.
    pub fn asks_about(&self, component: &str) -> bool {
        self.requested_ids.as_ref().is_none_or(|ids| ids.iter().any(|id| id == component))
    }
}

impl Verdict {
    /// Returns the score as a number, 0..=[`FULL_SCORE`]: the pooled one where it is of several; None where there is none.
    pub fn score_value(&self) -> Option<f64> {
        self.exact.or(self.score.map(f64::from))
    }

    /// Returns the score that means include: [`Self::score_value`], None where the verdict [is left out](Self::is_left_out).
    pub fn counted_value(&self) -> Option<f64> {
        self.score_value().filter(|_| !self.is_left_out)
    }

    /// Returns the level that means include; None where there is none, or the verdict [is left out](Self::is_left_out).
    pub fn counted_level(&self) -> Option<u8> {
        self.score.filter(|_| !self.is_left_out)
    }

    /// Returns the reason to doubt the level; None where there is no level, and where the file does not record what it takes.
    pub fn doubt(&self) -> Option<VerdictDoubt> {
        if !self.is_scored() {
            return None;
        }
        let is_above_zero = self.score.is_none_or(|score| score > 0);
        // A decision may be kept by what is not there.
        let is_decision = self.about_sha256.is_some();
        let has_no_quote =
            self.quoted_evidence.is_some_and(|it| it.found == 0 && (it.total > 0 || !is_decision));
        match self.looks {
            Some(0) => Some(VerdictDoubt::Unlooked),
            _ => (is_above_zero && has_no_quote).then_some(VerdictDoubt::Unsupported),
        }
    }

    /// Returns whether a judge gave a score, on whatever scale.
    pub const fn is_scored(&self) -> bool {
        self.score.is_some() || !self.criterion_scores.is_empty()
    }

    /// Returns the scores that the judge gave: one for each criterion of its codebook, else the one on the rubric's own
    /// scale. The result of a rule over several criteria is not among them.
    pub fn given_scores(&self) -> Vec<VerdictScore<'_>> {
        let own_score =
            self.score.filter(|_| self.criterion_scores.is_empty()).map(|score| VerdictScore {
                criterion: None,
                scale: None,
                score: score.into(),
                name: self.label.as_deref(),
            });
        let by_criteria = self.criterion_scores.iter().map(|it| VerdictScore {
            criterion: it.criterion.as_deref(),
            scale: Some(it.scale),
            score: it.score,
            name: Some(it.name.as_str()).filter(|name| !name.is_empty()),
        });
        own_score.into_iter().chain(by_criteria).collect()
    }
}

impl Recoverability {
    /// Returns the level after a turn (counts from 1).
    pub fn level_at(&self, turn: usize) -> u8 {
        self.by_turn.iter().rfind(|(from, _)| *from <= turn).map_or(0, |&(_, level)| level)
    }
}
