//! What a run is judged by, and what was said of it: the frozen checklist of components, how far the dialogue gave
//! each away, the verdicts of judges and the labels of human raters.
//!
//! All of it is read from files beside a recording (`formats::rubric`) and never changed: a new verdict is a
//! new file. Scores are those of SLUMP's rubric of five levels ([`LEVELS`]); a score off that scale is no score.

pub mod codebook;
pub mod given;
mod gold;
mod label;
mod levels;
mod unit;

use super::{Warning, flags::Flagging, values::worded};

pub use codebook::{Codebook, Criterion, GivenTo, Level as CodebookLevel};
pub use given::{Given, Overall, ScoredBy};
pub use gold::{Gold, GoldSource, gold_of};
pub use label::{
    Acts, Confidence, ItemKey, JudgedState, Label, LabelOn, Labels, VerdictId, same_commit,
};
pub use levels::{
    CANNOT_TELL, COMPONENTS, DECISIONS, FLAGS, FULL, LEAVES, LEVELS, Levels, PROCESS, SIGNALS,
};
pub use unit::{Scale, Unit, written};

/// A score of this or less is a severe failure.
pub const SEVERE: u8 = 1;

/// What a label says of the verdict it checks, in the words of the file: they agree; the judge did not see what is
/// there; it saw what is not; the levels are open to both readings; the score is right and its lines are wrong; else.
pub const REASONS: [&str; 6] =
    ["agree", "false-absence", "false-presence", "rubric-boundary", "wrong-evidence", "other"];

/// Everything beside one recording that has to do with judging it. Any part may be missing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rubric {
    /// `components.json`; None where nothing says what the task consists of.
    pub checklist: Option<Checklist>,
    /// What `components.json` says of the levels; None where it says nothing, and the built-in words hold.
    pub codebook: Option<Box<Codebook>>,
    /// `exposure.json`.
    pub exposure: Option<Exposure>,
    /// `judgements/*.json`, in the order of [`Judgement::created_at`], those without one first, then by file name.
    pub judgements: Vec<Judgement>,
    /// Those of `judgements/*.json` that flag places in the place of scoring components, in the same order.
    pub flaggings: Vec<Flagging>,
    /// Those that say of decisions whether the code keeps them ([`DECISIONS`]), in the same order.
    pub decisions: Vec<Judgement>,
    /// Those that score parts of the pillars of process ([`PROCESS`]), in the same order.
    pub process: Vec<Judgement>,
    /// `labels/*.json`, in the order of file names: one human rater each.
    pub labels: Vec<Labels>,
    /// `gold.json`: what adjudication settled, with its history; the last of an item in a state counts.
    pub gold: Vec<Gold>,
    /// What could not be used, each with its file.
    pub warnings: Vec<Warning>,
}

/// The components a faithful implementation has, frozen before it is judged. Ids are distinct.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Checklist {
    pub task: Option<String>,
    /// The name of the judge whose scores are the run's result where a user names none; without it any judge's.
    pub judge: Option<String>,
    /// In the order of the file.
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
    /// What follows for the scores where it fails; None for most.
    pub blocker: Option<Blocker>,
}

/// What the failure of a component does to the scores (`metrics::blockers`).
#[derive(Debug, Clone, PartialEq)]
pub struct Blocker {
    /// It fails with this score or less, 0..=[`FULL`].
    pub at_most: f64,
    /// What scores count at most then, 0..=[`FULL`].
    pub caps: f64,
    /// Ids of the components whose scores are capped; empty where the mean is.
    pub of: Vec<String>,
    /// How much of what lies above the cap is taken, 0..=1.
    pub weight: f64,
}

/// How far each component can be recovered from what was said up to a turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exposure {
    /// Ids are distinct.
    pub components: Vec<Recoverability>,
}

/// Recoverability of one component: 0 not recoverable, 1 weak, 2 residual ambiguity, 3 clear, 4 explicit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recoverability {
    pub id: String,
    /// (turn, counts from 1; level 0..=4), by turn; a level holds until the next entry, and 0 before the first.
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
    /// Ids that were asked about, in the order of the file; None where it does not say, and all of the checklist is
    /// meant.
    pub asked: Option<Vec<String>>,
    /// Which of several judgings of one state by one judge; None where the file does not say.
    pub repeat: Option<Repeat>,
    /// In the order of the file; components are distinct.
    pub verdicts: Vec<Verdict>,
    /// What it is made of, where it is several judgements as one; None of what a file holds.
    pub pooled: Option<Pooled>,
}

worded! {
    /// How scores become one.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Pool {
        Mean = "mean",
        /// Of an even number the mean of the two in the middle.
        Median = "median",
        /// The score that more than half of them gave; none where there is no such score.
        Majority = "majority",
    }
}

/// What a pooled judgement is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pooled {
    pub pool: Pool,
    /// One of each judgement, in order: [`Judgement::file`] and the name of its judge.
    pub from: Vec<(String, String)>,
}

/// The place of a judging among its repeats; both count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Repeat {
    pub number: usize,
    /// How many were wanted; not less than [`Self::number`].
    pub of: usize,
}

/// Who judged.
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
    /// What it scored by, in order, where that is a codebook's scales and not the rubric's own; else empty.
    pub scored_by: Vec<ScoredBy>,
    /// What those scores make together, as the codebook says.
    pub overall: Option<Overall>,
}

/// What a judge said of one component.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// Id in the checklist.
    pub component: String,
    /// 0..=[`FULL`]; None where the judge gave none, or one off the scale (then [`Self::error`] says so).
    pub score: Option<u8>,
    /// The pooled score, or that of several criteria, where it lies between two levels; [`Self::score`] is the level nearest to it then, half a level up.
    pub exact: Option<f64>,
    /// One for each criterion of [`Judge::scored_by`] that has a score, in its order.
    pub given: Vec<Given>,
    /// As written; [`LEVELS`] names the score.
    pub label: Option<String>,
    pub rationale: String,
    pub evidence: Vec<Evidence>,
    /// What the judge looked at, in order.
    pub trace: Vec<Look>,
    pub tokens: Option<u64>,
    pub seconds: Option<f64>,
    /// Why there is no score; None too where the judge answered that it [cannot tell](CANNOT_TELL).
    pub error: Option<String>,
    /// Why there is no score where that is no failure: `not applicable`, `outside the sample`, scored on another scale.
    pub reason: Option<String>,
    /// Of the words that were judged, where they may change: of a decision. Hex digits.
    pub about_sha256: Option<String>,
}

/// Lines of a file at the judged commit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// As written; it may name a file the commit does not have.
    pub path: String,
    /// First and last line, counting from 1; None where the whole file is meant.
    pub lines: Option<(usize, usize)>,
}

/// One call of a judge's tools.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Look {
    /// `list`, `read`, `search`, `symbols`, or what the judge calls it.
    pub tool: String,
    /// As a person reads them: a string as it stands, else compact JSON.
    pub arguments: String,
    /// Size of the answer.
    pub bytes: Option<u64>,
    pub sha256: Option<String>,
    pub excerpt: Option<String>,
}

/// One score of a verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored<'a> {
    /// As the codebook names it.
    pub criterion: Option<&'a str>,
    /// None where it is the rubric's own.
    pub scale: Option<Scale>,
    pub score: f64,
    /// Of the level.
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
    /// The verdict on a component.
    pub fn of(&self, component: &str) -> Option<&Verdict> {
        self.verdicts.iter().find(|verdict| verdict.component == component)
    }

    /// Whether it has scores on the scales of a codebook: one for each of its criteria.
    pub fn is_by(&self, book: &Codebook) -> bool {
        !self.judge.scored_by.is_empty()
            && self.judge.scored_by == book.scored_by()
            && self.verdicts.iter().any(|it| !it.given.is_empty())
    }

    /// Whether it was to say something of a component.
    pub fn asks_about(&self, component: &str) -> bool {
        self.asked.as_ref().is_none_or(|ids| ids.iter().any(|id| id == component))
    }
}

impl Verdict {
    /// The score as a number, 0..=[`FULL`]: the pooled one where it is of several; None where there is none.
    pub fn value(&self) -> Option<f64> {
        self.exact.or(self.score.map(f64::from))
    }

    /// Whether a judge gave a score, on whatever scale.
    pub const fn is_scored(&self) -> bool {
        self.score.is_some() || !self.given.is_empty()
    }

    /// What the judge gave: a score for each criterion of its codebook, else the one on the rubric's own scale. What a rule
    /// makes of several criteria is none of them.
    pub fn scores(&self) -> Vec<Scored<'_>> {
        let own = self.score.filter(|_| self.given.is_empty()).map(|score| Scored {
            criterion: None,
            scale: None,
            score: score.into(),
            name: self.label.as_deref(),
        });
        let given = self.given.iter().map(|it| Scored {
            criterion: it.criterion.as_deref(),
            scale: Some(it.scale),
            score: it.score,
            name: Some(it.name.as_str()).filter(|name| !name.is_empty()),
        });
        own.into_iter().chain(given).collect()
    }
}

impl Recoverability {
    /// The level after a turn (counts from 1).
    pub fn at(&self, turn: usize) -> u8 {
        self.by_turn.iter().rfind(|(from, _)| *from <= turn).map_or(0, |&(_, level)| level)
    }
}
