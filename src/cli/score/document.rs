//! The JSON of `score`: field names are fixed by the contract, adding some is fine. Absent values are null, never 0.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    path::Path,
};

use serde::Serialize;

use crate::cli::{
    harness_records,
    output::{Json, record},
};
use trajview_analysis::Scorer;
use trajview_code::patch::LineCounts;
use trajview_metrics::{
    Number,
    exposure::ExposureShares,
    numbers::{NumberValues, facts::ReuseCounts},
    phase::{self, TaskPhase},
    quality::{Ruler, ScoredSnapshot},
    reuse::Reuse,
};
use trajview_run::{Run, Step, files};
use trajview_store::Archive;

use super::faithfulness::{FaithfulnessRow, exposure_record};

/// A moment that is scored.
#[derive(Debug, Clone)]
pub struct ScoredMoment {
    pub label: String,
    pub moment: files::RunMoment,
    /// Number of the step before the moment, in its turn; counts from 1.
    step: Option<usize>,
}

impl ScoredMoment {
    /// Makes the moment after `done` turns.
    pub fn after_turns(label: String, done: usize) -> Self {
        Self { label, moment: files::RunMoment::after_turns(done), step: None }
    }

    /// Makes the moment after a step, given with its number in the turn, or at the end of a turn.
    pub(crate) fn for_edit((at, step): (files::RunMoment, Option<usize>)) -> Self {
        let label = match step {
            Some(step) => format!("step {}.{step}", at.turns + 1),
            None => format!("turn {}", at.turns),
        };
        Self { label, moment: at, step }
    }
}

/// All scores of one run or folder.
#[derive(Default)]
pub struct ScoreDocument {
    pub run: ScoredRunFacts,
    pub points: Vec<(PointFacts, ScoredSnapshot)>,
    pub faithfulness: Option<FaithfulnessRow>,
    pub exposure: Option<ExposureShares>,
    pub lifelines: Option<Vec<Json>>,
    pub tests: Option<Json>,
    pub rubric_tree: Option<Json>,
    pub process: Option<Json>,
    pub memory: Option<Json>,
    pub recorded: Option<Json>,
}

#[derive(Serialize, Clone, Default)]
pub struct ScoredRunFacts {
    pub id: String,
    pub path: String,
    /// Null for a folder that is no run.
    pub format: Option<&'static str>,
    /// commits, recorded edits, recorded edits and snapshots, or a folder
    pub files_from: &'static str,
}

/// The position of a point in its run.
#[derive(Serialize, Clone, Default)]
pub struct PointFacts {
    pub label: String,
    pub checkpoint: Option<String>,
    /// The turn that ends here, or that the step belongs to. Counts from 1; 0 is before the first.
    pub turn: Option<usize>,
    /// Number of the step in its turn, from 1; null at the end of a turn.
    pub step: Option<usize>,
    pub commit: Option<String>,
    pub phase: Option<TaskPhase>,
    pub bin: Option<f64>,
    /// Lines added and removed by every turn since the previous point, or by the step.
    pub churn: Option<u64>,
    #[serde(flatten)]
    pub reuse: ReuseCounts,
    /// Recorded values of the same moment, by the name of our metric. Null if there are none.
    pub recorded: Option<BTreeMap<&'static str, f64>>,
    /// By the same names, the reason why a recorded value is not reliable.
    pub recorded_doubts: BTreeMap<&'static str, &'static str>,
}

/// The ruler that measured the code.
#[derive(Serialize)]
pub struct RulerFacts {
    /// The profile, or the rules where they are not the profile's.
    pub profile: String,
    /// The profile whose formulas these are.
    pub formulas: &'static str,
    /// True if the rules are the profile's own; otherwise verbosity cannot be compared with that of its reference.
    pub comparable: bool,
}

impl RulerFacts {
    pub fn new(ruler: &Ruler) -> Self {
        Self {
            profile: ruler.display_name(),
            formulas: ruler.profile().name(),
            comparable: ruler.is_comparable(),
        }
    }
}

/// The reason why a file without recorded content has no numbers.
pub(crate) const NOT_RECORDED: &str = "content not recorded";

impl ScoredRunFacts {
    fn new(path: &Path, run: &Run, files_from: &'static str) -> Self {
        let path = path.display().to_string();
        Self { id: run.id.clone(), path, format: Some(run.origin.format), files_from }
    }
}

impl ScoreDocument {
    pub(crate) fn for_folder(folder: &Path, scored: ScoredSnapshot, reuse: Reuse) -> Self {
        let path = folder.display().to_string();
        let (label, reused) = ("tree".into(), ReuseCounts::from_reuse(&reuse));
        let facts = PointFacts { label, reuse: reused, ..PointFacts::default() };
        let run = ScoredRunFacts { id: path.clone(), path, format: None, files_from: "a folder" };
        Self {
            run,
            points: vec![(facts, scored)],
            faithfulness: Some(FaithfulnessRow::for_folder(&reuse)),
            ..Self::default()
        }
    }

    /// Makes the document of a file that holds a rubric tree and no run: there is no code to score.
    pub(crate) fn for_rubric_tree(path: &Path, run: &Run, tree: Json) -> Self {
        let run = ScoredRunFacts::new(path, run, "nothing: it has no run");
        Self { run, rubric_tree: Some(tree), ..Self::default() }
    }

    /// Returns `lines` has the line counts of every change of every turn.
    pub fn for_run(
        path: &Path,
        (run, archive): (&Run, &Archive),
        files_from: &'static str,
        moments: Vec<ScoredMoment>,
        scored: Vec<ScoredSnapshot>,
        lines: &[Vec<Option<LineCounts>>],
    ) -> Self {
        let is_by_step = moments.iter().any(|moment| moment.step.is_some());
        let befores = std::iter::once(0).chain(moments.iter().map(|moment| moment.moment.turns));
        let befores: Vec<usize> = befores.take(moments.len()).collect();
        let facts =
            moments.into_iter().zip(befores).zip(&scored).map(|((moment, before), scored)| {
                let churn = match moment.moment.step {
                    Some(step) => run.step(step).and_then(Step::lines_changed),
                    None if is_by_step => None, // what is not the steps' is not counted
                    None => total_churn(lines.get(before..moment.moment.turns).unwrap_or_default()),
                };
                let churn = churn.filter(|lines| *lines > 0 || !scored.are_files_unknown);
                point_facts(run, moment, churn)
            });
        Self {
            run: ScoredRunFacts::new(path, run, files_from),
            points: facts.collect::<Vec<_>>().into_iter().zip(scored).collect(),
            tests: harness_records::recorded_tests(run),
            recorded: harness_records::recorded_facts(run, archive),
            ..Self::default()
        }
    }

    /// Sets DIR at each point that is the end of a turn, in order.
    pub(crate) fn with_reuse(mut self, reuse: &[Option<ReuseCounts>]) -> Self {
        let ends = self.points.iter_mut().filter(|(facts, _)| facts.step.is_none());
        for ((facts, _), reuse) in ends.zip(reuse) {
            facts.reuse = reuse.unwrap_or_default();
        }
        self
    }

    pub fn to_json(&self, scorer: &Scorer, with_detail: bool) -> Json {
        let ruler = scorer.ruler();
        record! {
            schema: "trajview.score/1",
            ..RulerFacts::new(ruler),
            rules: rules_facts(ruler),
            run: self.run,
            points: Json::list(&self.points, |(facts, scored)| {
                point_row(facts, scored, ruler, with_detail)
            }),
            faithfulness: self.faithfulness.as_ref().map(|row| &row.json),
            exposure: self.exposure.as_ref().map(exposure_record),
            lifelines: self.lifelines,
            tests: self.tests,
            process: self.process,
            // Null if no memory events are recorded.
            memory: self.memory,
            rubric_tree: self.rubric_tree,
            // Recorded facts, never mixed with computed values.
            recorded: self.recorded,
        }
    }
}

fn point_row(
    facts: &PointFacts,
    scored: &ScoredSnapshot,
    ruler: &Ruler,
    with_detail: bool,
) -> Json {
    let detail = || {
        let detail = &scored.detail;
        record! {
            callables: detail.callables,
            clones: Json::list(&detail.clones, |group| Json::new(&group.places)),
            hits: detail.hits,
            wrappers: detail.wrappers,
        }
    };
    record! {
        ..facts,
        // The reason why every number is null. Null if a file was measured.
        unmeasured: scored.unmeasured_reason().map(|why| why.to_string()),
        skipped: Json::list(skipped_files(scored), |(path, why)| record! { path: path, why: why }),
        // The numbers of the code.
        ..NumberValues::new(&code_numbers(), |number| {
            number.value_of_code(scored.measured_snapshot()?)
        }),
        // Numbers that cannot be compared with those of the profile's reference, because the rules differ.
        not_comparable: ruler.not_comparable(),
        by_language: scored.is_measured().then_some(&scored.snapshot.by_language),
        ..with_detail.then(|| record! { detail: detail() }),
    }
}

fn point_facts(run: &Run, moment: ScoredMoment, churn: Option<u64>) -> PointFacts {
    let is_end = moment.step.is_none();
    let (recorded, recorded_doubts) =
        if is_end { recorded_values_at(run, moment.moment.turns) } else { Default::default() };
    let number = moment.moment.turns + usize::from(!is_end);
    let turn = number.checked_sub(1).and_then(|turn| run.turns.get(turn));
    let checkpoint = turn.and_then(|turn| turn.checkpoint);
    let count = run.checkpoints.len();
    PointFacts {
        label: moment.label,
        checkpoint: checkpoint.and_then(|index| Some(run.checkpoints.get(index)?.id.clone())),
        turn: Some(number),
        step: moment.step,
        commit: turn.filter(|_| is_end).and_then(|turn| turn.commit.as_deref().map(str::to_owned)),
        phase: checkpoint.and_then(|index| TaskPhase::for_checkpoint(index, count)),
        bin: checkpoint.and_then(|index| phase::progress_bin(index, count)),
        churn,
        reuse: ReuseCounts::default(),
        recorded,
        recorded_doubts,
    }
}

type ByMetric<T> = BTreeMap<&'static str, T>;

/// Returns the recorded values of the state after `done` turns, and reasons to doubt them. The first file that has a
/// value counts.
fn recorded_values_at(run: &Run, done: usize) -> (Option<ByMetric<f64>>, ByMetric<&'static str>) {
    let record = run.record_at(done);
    let (mut by_metric, mut doubts) = (BTreeMap::new(), BTreeMap::new());
    for value in record.iter().flat_map(|record| &record.values) {
        let (Some(metric), Some(number)) = (value.metric, value.value.as_number()) else {
            continue;
        };
        if let Entry::Vacant(free) = by_metric.entry(metric) {
            free.insert(number);
            doubts.extend(value.doubt.map(|doubt| (metric, doubt)));
        }
    }
    ((!by_metric.is_empty()).then_some(by_metric), doubts)
}

/// Returns the total churn. None if the lines of a change are unknown.
fn total_churn(turns: &[Vec<Option<LineCounts>>]) -> Option<u64> {
    turns.iter().flatten().map(|lines| lines.map(|it| it.added as u64 + it.removed as u64)).sum()
}

/// Returns every file that counts by its name and has no numbers, with why.
pub fn skipped_files(scored: &ScoredSnapshot) -> impl Iterator<Item = (&str, &'static str)> {
    let skipped = scored.snapshot.skipped.iter().map(|file| (file.path.as_str(), file.why.why()));
    skipped.chain(scored.not_recorded.iter().map(|path| (path.as_str(), NOT_RECORDED)))
}

pub(super) fn code_numbers() -> Vec<Number> {
    Number::ALL.into_iter().filter(|number| number.is_of_profile()).collect()
}

/// Makes the record of the rules that gave the numbers, and of those that could not be used.
pub fn rules_facts(ruler: &Ruler) -> Json {
    let rules = ruler.rules();
    record! {
        source: rules.source(),
        count: rules.rule_count(),
        sha256: rules.sha256(),
        problems: rules.problems(),
    }
}
