//! The blocks `faithfulness` and `exposure` of a score: of the end of a run, or of a folder.

use std::path::Path;

use serde::Serialize;

use crate::cli::{CommandFailure, Exit};
use trajview_formats as formats;
use trajview_formats::SourceBytes;
use trajview_metrics::{
    blockers::{CappedMean, FailedBlocker},
    exposure::{ExposureAtTurn, ExposureShares},
    faithfulness::{Faithfulness, UnscoredComponent, if50},
    reuse::{ModuleFile, Reuse, ReuseSymbol, UnreadFile},
};
use trajview_run::{
    Run, Warning,
    find_by_name::{JudgeSelection, NameError},
    pooled_judgements::PoolRequest,
    rubric::{Judgement, PooledSources, Rubric},
};

/// The rubric the scores are on where a judgement names none.
const DEFAULT_RUBRIC: &str = "slump-5";

/// Faithfulness of the final tree. Absent values are null, never 0.
#[derive(Serialize, Default)]
pub struct FaithfulnessRow {
    /// `slump`: the formulas are those of the SLUMP paper, DIR's rules are ours.
    pub profile: &'static str,
    /// The commit of the tree that DIR is computed for.
    pub commit: Option<String>,
    /// Turns done; null for a folder.
    pub turn: Option<usize>,
    /// Components of the checklist, or those the judgement names; null without either.
    pub components: Option<usize>,
    /// The number of those with a score: the denominator of `mcf` and of the shares. Null without a judgement.
    pub judged: Option<usize>,
    #[serde(flatten)]
    pub values: FaithfulnessValues,
    /// The name of who judged.
    pub judge: Option<String>,
    pub judgement: Option<ScoreJudgementRow>,
    /// Names of all judgements that could have been chosen, in the order they were made.
    pub judges: Vec<String>,
    /// Blockers of the checklist that fail. Null if it has none.
    pub blocked_by: Option<Vec<FailedBlocker>>,
    #[serde(skip)]
    pub blocked: String,
    #[serde(flatten)]
    pub missing: MissingFacts,
    pub dir_detail: DirDetailRow,
}

/// The numbers of faithfulness, and the counts that they are made of.
#[derive(Serialize, Default)]
pub struct FaithfulnessValues {
    pub mcf: Option<f64>,
    /// The mean with blockers taken into account. Null if the checklist has none.
    pub mcf_capped: Option<f64>,
    pub dir: Option<f64>,
    pub if50: Option<f64>,
    /// Judged components with a score of 0 or 1.
    pub severe: Option<usize>,
    pub severe_share: Option<f64>,
    /// Judged components with a score of 4.
    pub full: Option<usize>,
    pub full_share: Option<f64>,
    pub by_score: Option<[usize; 5]>,
}

/// Components without a verdict, a score or a result.
#[derive(Serialize, Default)]
pub struct MissingFacts {
    /// The reasons why there is no result where there are judgements: `2 of 24 by quick (judgements/quick.json)` for
    /// each.
    pub partial: Vec<String>,
    pub without_verdict: Vec<String>,
    pub without_score: Vec<UnscoredComponent>,
    pub without_component: Vec<String>,
    /// Components without a score for a reason that is no failure.
    pub without_need: Vec<UnscoredComponent>,
}

/// The judgement that the component scores come from.
#[derive(Serialize)]
pub struct ScoreJudgementRow {
    pub file: String,
    pub name: String,
    pub kind: String,
    pub model: Option<String>,
    pub rubric: String,
    pub created_at: Option<String>,
    pub commit: Option<String>,
    pub turn: Option<usize>,
    /// True if it judges the tree that DIR is computed for. Null if it names neither commit nor turn.
    pub is_of_this_tree: Option<bool>,
    /// The judgements it is pooled from. Null if it is one judgement.
    pub pooled: Option<PooledJudgementsRow>,
}

/// Judgements that are pooled.
#[derive(Serialize)]
pub struct PooledJudgementsRow {
    /// `mean`, `median` or `majority`.
    pub how: &'static str,
    pub count: usize,
    pub judges: Vec<String>,
    pub files: Vec<String>,
    #[serde(skip)]
    pub words: String,
}

impl PooledJudgementsRow {
    fn new(pooled: &PooledSources) -> Self {
        let (files, judges): (Vec<_>, Vec<_>) = pooled.from.iter().cloned().unzip();
        let (how, words) = (pooled.pool.word(), pooled.summary_text());
        Self { how, count: files.len(), judges, files, words }
    }
}

/// The parts of DIR.
#[derive(Serialize, Default)]
pub struct DirDetailRow {
    /// Symbols in use without being reused: by a decorator, an entry point or a string. In no other count.
    pub registered: Option<usize>,
    /// The reason why there is no DIR. Null if there is one, and where no file could be read.
    pub not_defined: Option<&'static str>,
    /// Null if no file could be read, or the files are not recorded.
    pub exported: Option<usize>,
    pub reused: Option<usize>,
    pub symbols: Vec<ReuseSymbol>,
    pub modules: Vec<ModuleFile>,
    pub skipped: Vec<UnreadFile>,
    /// True if some names were not followed to their end.
    pub gave_up: bool,
}

/// The part of the checklist that the dialogue exposed.
#[derive(Serialize)]
pub struct ExposureRow {
    /// The share at the end of the last turn.
    pub rcr: Option<f64>,
    pub esr: Option<f64>,
    /// Components of the checklist: the denominator of both.
    pub components: usize,
    /// Components that the audit has no entry for; they are in the denominator only.
    pub not_recorded: Vec<String>,
    pub without_component: Vec<String>,
    pub by_turn: Vec<ExposureAtTurn>,
}

impl DirDetailRow {
    /// Makes the row; `reuse` is None if the files are not recorded.
    fn new(reuse: Option<Reuse>) -> Self {
        let read = reuse.as_ref().filter(|reuse| reuse.is_read());
        let (exported, reused) = (read.map(Reuse::exported_count), read.map(Reuse::reused_count));
        let registered = read.map(Reuse::registered_count);
        let not_defined = read.and_then(Reuse::not_defined);
        let reuse = reuse.unwrap_or_default();
        Self {
            exported,
            reused,
            symbols: reuse.symbols,
            modules: reuse.modules,
            skipped: reuse.skipped,
            gave_up: reuse.gave_up,
            registered,
            not_defined,
        }
    }
}

impl FaithfulnessRow {
    /// Makes the row of a folder; `reuse` is None if the files are not recorded.
    pub(crate) fn for_folder(reuse: Option<Reuse>) -> Self {
        let dir = reuse.as_ref().and_then(Reuse::dir);
        let values = FaithfulnessValues { dir, ..FaithfulnessValues::default() };
        Self { profile: "slump", values, dir_detail: DirDetailRow::new(reuse), ..Self::default() }
    }

    /// Makes the row of the tree after the last turn.
    pub fn for_run(
        run: &Run,
        rubric: &Rubric,
        chosen: Option<&Judgement>,
        reuse: Option<Reuse>,
    ) -> Self {
        let checklist = rubric.checklist.as_ref();
        let end = Self {
            commit: run.turns[..run.end_in_turns()]
                .last()
                .and_then(|turn| Some(turn.commit.as_deref()?.to_owned())),
            turn: Some(run.end_in_turns()),
            components: checklist.map(|checklist| checklist.components.len()),
            judges: rubric.judgements.iter().map(|it| it.judge.name.clone()).collect(),
            missing: MissingFacts {
                partial: if chosen.is_none() { rubric.partial_coverages() } else { vec![] },
                without_verdict: match (chosen, checklist) {
                    (None, Some(checklist)) => {
                        checklist.components.iter().map(|it| it.id.clone()).collect()
                    }
                    _ => vec![],
                },
                ..MissingFacts::default()
            },
            ..Self::for_folder(reuse)
        };
        let Some(judgement) = chosen else { return end };
        let scores = Faithfulness::from_judgement(judgement, checklist);
        let is_any = scores.judged > 0;
        Self {
            components: Some(scores.components),
            judged: Some(scores.judged),
            values: FaithfulnessValues {
                mcf: scores.mcf(),
                mcf_capped: scores.capped.as_ref().map(|it| it.mcf),
                dir: end.values.dir,
                if50: scores.mcf().zip(end.values.dir).map(|(mcf, dir)| if50(mcf, dir)),
                severe: is_any.then(|| scores.severe_count()),
                severe_share: scores.share_of_judged(scores.severe_count()),
                full: is_any.then(|| scores.full_count()),
                full_share: scores.share_of_judged(scores.full_count()),
                by_score: is_any.then_some(scores.by_score),
            },
            blocked: scores.capped.as_ref().map(CappedMean::summary_text).unwrap_or_default(),
            blocked_by: scores.capped.map(|it| it.by),
            judge: Some(judgement.judge.name.clone()),
            judgement: Some(ScoreJudgementRow::new(
                judgement,
                end.commit.as_deref(),
                run.end_in_turns(),
            )),
            missing: MissingFacts {
                partial: end.missing.partial,
                without_verdict: scores.without_verdict,
                without_score: scores.without_score,
                without_component: scores.without_component,
                without_need: scores.without_need,
            },
            ..end
        }
    }
}

impl ScoreJudgementRow {
    fn new(judgement: &Judgement, commit: Option<&str>, turn: usize) -> Self {
        let same_commit =
            judgement.commit.as_deref().zip(commit).map(|(a, b)| is_same_commit(a, b));
        Self {
            file: judgement.file.clone(),
            name: judgement.judge.name.clone(),
            kind: judgement.judge.kind.clone(),
            model: judgement.judge.model.clone(),
            rubric: judgement.rubric.clone().unwrap_or_else(|| DEFAULT_RUBRIC.into()),
            created_at: judgement.created_at.clone(),
            commit: judgement.commit.clone(),
            turn: judgement.turn,
            pooled: judgement.pooled.as_ref().map(PooledJudgementsRow::new),
            is_of_this_tree: same_commit.or(judgement.turn.map(|judged| judged == turn)),
        }
    }
}

/// Returns whether the commits are equal, or one is the beginning of the other.
fn is_same_commit(a: &str, b: &str) -> bool {
    let (a, b) = (a.to_ascii_lowercase(), b.to_ascii_lowercase());
    a.len().min(b.len()) >= SHORTEST_COMMIT && (a.starts_with(&b) || b.starts_with(&a))
}

const SHORTEST_COMMIT: usize = 7;

impl ExposureRow {
    /// Returns the faithfulness of a run. None if nothing is recorded.
    pub fn for_run(run: &Run, rubric: &Rubric) -> Option<Self> {
        let checklist = rubric.checklist.as_ref();
        let exposed =
            ExposureShares::from_audit(rubric.exposure.as_ref()?, checklist, run.end_in_turns())?;
        Some(Self {
            rcr: exposed.last_turn().map(|at| at.rcr),
            esr: exposed.last_turn().map(|at| at.esr),
            components: exposed.components,
            not_recorded: exposed.not_recorded,
            without_component: exposed.without_component,
            by_turn: exposed.by_turn,
        })
    }

    /// Returns the exposure up to a turn (counts from 1).
    pub fn exposure_at(&self, turn: usize) -> Option<ExposureAtTurn> {
        self.by_turn.iter().find(|at| at.turn == turn).copied()
    }
}

/// Returns the judgement that is named ([`JudgeSelection`]), or the one in a file from elsewhere, which joins the
/// others; without a wish [`Rubric::result_judgement`].
pub(crate) fn choose_judgement(
    rubric: &mut Rubric,
    word: Option<&str>,
) -> Result<Option<usize>, CommandFailure> {
    if let Some(word) = word {
        pool_by_word(rubric, word)?;
    }
    let Some(word) = word else {
        return Ok(rubric.result_judgement().and_then(|chosen| judgement_index(rubric, chosen)));
    };
    match JudgeSelection::find_in(word, &[rubric]) {
        Ok(named) => Ok(named.position_in_run(rubric)),
        Err(NameError::Nothing { .. }) if Path::new(word).is_file() => {
            let read = read_judgement_file(Path::new(word), &mut rubric.warnings)?;
            rubric.judgements.push(read);
            Ok(Some(rubric.judgements.len() - 1))
        }
        Err(why @ NameError::Nothing { .. }) => {
            Err(CommandFailure::wrong_arguments(format!("{why}; and no such file")))
        }
        Err(why) => Err(CommandFailure::wrong_arguments(why.to_string())),
    }
}

/// Adds what is to be pooled, where the word asks for that.
pub(crate) fn pool_by_word(rubric: &mut Rubric, word: &str) -> Result<(), CommandFailure> {
    let Some(pooling) = PoolRequest::from_word(word) else { return Ok(()) };
    let pooled = pooling.and_then(|pooling| rubric.add_pooled(&pooling));
    pooled.map_err(CommandFailure::wrong_arguments)
}

/// Returns the index of the judgement in the rubric.
pub(crate) fn judgement_index(rubric: &Rubric, judgement: &Judgement) -> Option<usize> {
    rubric.judgements.iter().position(|it| std::ptr::eq(it, judgement))
}

/// Reads a judgement from a file at any place.
fn read_judgement_file(
    path: &Path,
    warnings: &mut Vec<Warning>,
) -> Result<Judgement, CommandFailure> {
    let failure = |exit, why: &str| CommandFailure::new(exit, format!("{}: {why}", path.display()));
    let bytes = std::fs::read(path).map_err(|why| failure(Exit::CannotRead, &why.to_string()))?;
    let name = path.display().to_string();
    let source = SourceBytes { name: "judgements/given.json", bytes: &bytes };
    let mut read = formats::rubric::read_rubric(&[source]);
    let judgement = read.judgements.pop();
    let problems = read.warnings.into_iter();
    warnings.extend(problems.map(|it| Warning { place: name.clone(), what: it.what }));
    let judgement = judgement.ok_or_else(|| {
        failure(Exit::CannotUnderstand, "is not a judgement (trajview.judgement/1)")
    })?;
    Ok(Judgement { file: name, ..judgement })
}
