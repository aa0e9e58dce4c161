//! The JSON of `score`: field names are fixed by the contract, adding some is fine. Absent values are null, never 0.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    path::Path,
};

use serde::Serialize;

use crate::cli::{
    memory, process,
    recorded::{self, RecordedRow, TestsRow},
};
use trajview_code::patch::LineCounts;
use trajview_metrics::{
    Number,
    numbers::{Values, facts::Reused},
    phase::{self, Phase},
    quality::{Detail, Ruler, Scored, Totals},
    reuse::Reuse,
    rules::Problem,
};
use trajview_run::{Run, Step, files};
use trajview_store::{Archive, Scorer};

use super::{
    faithful::{ExposureRow, FaithfulnessRow},
    lifelines::LifelineRow,
    rubric_tree::TreeRow,
};

/// A moment that is scored.
#[derive(Debug, Clone)]
pub struct Moment {
    pub label: String,
    pub at: files::Moment,
    /// Of the step that it lies after, in its turn; counts from 1.
    step: Option<usize>,
}

impl Moment {
    /// After so many turns.
    pub fn after(label: String, done: usize) -> Self {
        Self { label, at: files::Moment::after(done), step: None }
    }

    /// After a step, of which the number in its turn is given, or at the end of a turn.
    pub fn of_edit((at, step): (files::Moment, Option<usize>)) -> Self {
        let label = match step {
            Some(step) => format!("step {}.{step}", at.turns + 1),
            None => format!("turn {}", at.turns),
        };
        Self { label, at, step }
    }
}

/// Everything that is said of one run or folder.
#[derive(Default)]
pub struct Document {
    pub run: RunName,
    pub points: Vec<(PointFacts, Scored)>,
    pub faithfulness: Option<FaithfulnessRow>,
    pub exposure: Option<ExposureRow>,
    pub lifelines: Option<Vec<LifelineRow>>,
    pub tests: Option<TestsRow>,
    pub rubric_tree: Option<TreeRow>,
    pub process: Option<process::ScoreRow>,
    pub memory: Option<memory::ScoreRow>,
    pub recorded: Option<RecordedRow>,
}

#[derive(Serialize, Clone, Default)]
pub struct RunName {
    pub id: String,
    pub path: String,
    /// Of a folder that is no run: null.
    pub format: Option<&'static str>,
    /// commits, recorded edits, recorded edits and snapshots, or a folder
    pub files_from: &'static str,
}

/// Where a point stands in its run.
#[derive(Serialize, Clone, Default)]
pub struct PointFacts {
    pub label: String,
    pub checkpoint: Option<String>,
    /// That ends here, or that the step is of. Counts from 1; 0 is before the first.
    pub turn: Option<usize>,
    /// Number of the step in its turn, from 1; null at the end of a turn.
    pub step: Option<usize>,
    pub commit: Option<String>,
    pub phase: Option<Phase>,
    pub bin: Option<f64>,
    /// Lines added and removed by every turn since the previous point, or by the step.
    pub churn: Option<u64>,
    #[serde(flatten)]
    pub reuse: Reused,
    /// What the recording says of the same moment, by the name of our metric; null where it says nothing.
    pub recorded: Option<BTreeMap<&'static str, f64>>,
    /// By the same names, why a recorded value is not to be relied on.
    pub recorded_doubts: BTreeMap<&'static str, &'static str>,
}

#[derive(Serialize)]
pub struct Shown<'a> {
    schema: &'static str,
    #[serde(flatten)]
    ruler: RulerRow,
    rules: RulesFacts<'a>,
    run: &'a RunName,
    points: Vec<Point<'a>>,
    faithfulness: Option<&'a FaithfulnessRow>,
    exposure: Option<&'a ExposureRow>,
    lifelines: Option<&'a [LifelineRow]>,
    tests: Option<&'a TestsRow>,
    process: Option<&'a process::ScoreRow>,
    /// Null where no memory events are recorded.
    memory: Option<&'a memory::ScoreRow>,
    rubric_tree: Option<&'a TreeRow>,
    /// What the recording says itself, never mixed with what is worked out here.
    recorded: Option<&'a RecordedRow>,
}

/// What measured the code.
#[derive(Serialize)]
pub struct RulerRow {
    /// The profile, or the rules where they are not the profile's.
    pub profile: String,
    /// The profile whose formulas these are.
    pub formulas: &'static str,
    /// Whether the rules are the profile's own: else verbosity may not be set beside that of its reference.
    pub comparable: bool,
}

impl RulerRow {
    pub fn of(ruler: &Ruler) -> Self {
        Self {
            profile: ruler.name(),
            formulas: ruler.profile().name(),
            comparable: ruler.is_comparable(),
        }
    }
}

/// The rules that gave the numbers, and those that could not be used.
#[derive(Serialize)]
pub struct RulesFacts<'a> {
    source: &'a str,
    count: usize,
    sha256: &'a str,
    problems: &'a [Problem],
}

#[derive(Serialize)]
struct Point<'a> {
    #[serde(flatten)]
    facts: &'a PointFacts,
    /// Why every number is null; null where a file was measured.
    unmeasured: Option<String>,
    skipped: Vec<SkippedRow<'a>>,
    /// The numbers of the code.
    #[serde(flatten)]
    code: Values,
    /// The numbers here that may not be set beside those of the profile's reference: the rules are others.
    not_comparable: &'static [&'static str],
    by_language: Option<&'a BTreeMap<String, Totals>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<DetailRows<'a>>,
}

#[derive(Serialize)]
struct SkippedRow<'a> {
    path: &'a str,
    why: &'static str,
}

#[derive(Serialize)]
struct DetailRows<'a> {
    callables: &'a [trajview_metrics::quality::CallableAt],
    clones: Vec<&'a [trajview_metrics::quality::Place]>,
    hits: &'a [trajview_metrics::quality::HitAt],
    wrappers: &'a [trajview_metrics::quality::Place],
}

/// Why a file has no numbers whose content the recording does not have.
pub const NOT_RECORDED: &str = "content not recorded";

impl RunName {
    fn of(path: &Path, run: &Run, files_from: &'static str) -> Self {
        let path = path.display().to_string();
        Self { id: run.id.clone(), path, format: Some(run.origin.format), files_from }
    }
}

impl Document {
    pub fn of_folder(folder: &Path, scored: Scored, reuse: Reuse) -> Self {
        let path = folder.display().to_string();
        let (label, reused) = ("tree".into(), Reused::of(&reuse));
        let facts = PointFacts { label, reuse: reused, ..PointFacts::default() };
        let run = RunName { id: path.clone(), path, format: None, files_from: "a folder" };
        Self {
            run,
            points: vec![(facts, scored)],
            faithfulness: Some(FaithfulnessRow::of_folder(Some(reuse))),
            ..Self::default()
        }
    }

    /// Of a file that holds a rubric tree and no run: there is no code to score.
    pub fn of_tree(path: &Path, run: &Run, tree: TreeRow) -> Self {
        let run = RunName::of(path, run, "nothing: it holds no run");
        Self { run, rubric_tree: Some(tree), ..Self::default() }
    }

    /// `lines` has the line counts of every change of every turn.
    pub fn of_run(
        path: &Path,
        (run, archive): (&Run, &Archive),
        files_from: &'static str,
        moments: Vec<Moment>,
        scored: Vec<Scored>,
        lines: &[Vec<Option<LineCounts>>],
    ) -> Self {
        let is_by_step = moments.iter().any(|moment| moment.step.is_some());
        let befores = std::iter::once(0).chain(moments.iter().map(|moment| moment.at.turns));
        let befores: Vec<usize> = befores.take(moments.len()).collect();
        let facts =
            moments.into_iter().zip(befores).zip(&scored).map(|((moment, before), scored)| {
                let churn = match moment.at.step {
                    Some(step) => run.step(step).and_then(Step::churn),
                    None if is_by_step => None, // what is not the steps' is not counted
                    None => churn(lines.get(before..moment.at.turns).unwrap_or_default()),
                };
                let churn = churn.filter(|lines| *lines > 0 || !scored.is_untold);
                facts_of(run, moment, churn)
            });
        Self {
            run: RunName::of(path, run, files_from),
            points: facts.collect::<Vec<_>>().into_iter().zip(scored).collect(),
            tests: recorded::tests(run),
            recorded: recorded::recorded(run, archive),
            ..Self::default()
        }
    }

    /// With DIR at each point that is the end of a turn, in order.
    pub fn with_reuse(mut self, reuse: &[Option<Reused>]) -> Self {
        let ends = self.points.iter_mut().filter(|(facts, _)| facts.step.is_none());
        for ((facts, _), reuse) in ends.zip(reuse) {
            facts.reuse = reuse.unwrap_or_default();
        }
        self
    }

    pub fn shown<'a>(&'a self, scorer: &'a Scorer, with_detail: bool) -> Shown<'a> {
        let point = |(facts, scored): &'a (PointFacts, Scored)| Point {
            facts,
            unmeasured: scored.unmeasured().map(|why| why.to_string()),
            skipped: skipped(scored).map(|(path, why)| SkippedRow { path, why }).collect(),
            code: Values::of(&code_numbers(), |number| number.of_code(scored.code()?)),
            not_comparable: scorer.ruler().not_comparable(),
            by_language: scored.is_measured().then_some(&scored.snapshot.by_language),
            detail: with_detail.then(|| rows(&scored.detail)),
        };
        Shown {
            schema: "trajview.score/1",
            ruler: RulerRow::of(scorer.ruler()),
            rules: rules_of(scorer.ruler()),
            run: &self.run,
            points: self.points.iter().map(point).collect(),
            faithfulness: self.faithfulness.as_ref(),
            exposure: self.exposure.as_ref(),
            lifelines: self.lifelines.as_deref(),
            tests: self.tests.as_ref(),
            process: self.process.as_ref(),
            memory: self.memory.as_ref(),
            rubric_tree: self.rubric_tree.as_ref(),
            recorded: self.recorded.as_ref(),
        }
    }
}

fn facts_of(run: &Run, moment: Moment, churn: Option<u64>) -> PointFacts {
    let is_end = moment.step.is_none();
    let (recorded, recorded_doubts) =
        if is_end { recorded_at(run, moment.at.turns) } else { Default::default() };
    let number = moment.at.turns + usize::from(!is_end);
    let turn = number.checked_sub(1).and_then(|turn| run.turns.get(turn));
    let checkpoint = turn.and_then(|turn| turn.checkpoint);
    let count = run.checkpoints.len();
    PointFacts {
        label: moment.label,
        checkpoint: checkpoint.and_then(|index| Some(run.checkpoints.get(index)?.id.clone())),
        turn: Some(number),
        step: moment.step,
        commit: turn.filter(|_| is_end).and_then(|turn| turn.commit.as_deref().map(str::to_owned)),
        phase: checkpoint.and_then(|index| Phase::of(index, count)),
        bin: checkpoint.and_then(|index| phase::bin(index, count)),
        churn,
        reuse: Reused::default(),
        recorded,
        recorded_doubts,
    }
}

type ByMetric<T> = BTreeMap<&'static str, T>;

/// The recorded values of the state after so many turns, and what speaks against them. The first file
/// to name one has it.
fn recorded_at(run: &Run, done: usize) -> (Option<ByMetric<f64>>, ByMetric<&'static str>) {
    let record = run.record_at(done);
    let (mut by_metric, mut doubts) = (BTreeMap::new(), BTreeMap::new());
    for value in record.iter().flat_map(|record| &record.values) {
        let (Some(metric), Some(number)) = (value.metric, value.value.number()) else { continue };
        if let Entry::Vacant(free) = by_metric.entry(metric) {
            free.insert(number);
            doubts.extend(value.doubt.map(|doubt| (metric, doubt)));
        }
    }
    ((!by_metric.is_empty()).then_some(by_metric), doubts)
}

/// None where the lines of one of the changes are not known.
fn churn(turns: &[Vec<Option<LineCounts>>]) -> Option<u64> {
    turns.iter().flatten().map(|lines| lines.map(|it| it.added as u64 + it.removed as u64)).sum()
}

/// Every file that counts by its name and has no numbers, with why.
pub fn skipped(scored: &Scored) -> impl Iterator<Item = (&str, &'static str)> {
    let skipped = scored.snapshot.skipped.iter().map(|file| (file.path.as_str(), file.why.why()));
    skipped.chain(scored.not_recorded.iter().map(|path| (path.as_str(), NOT_RECORDED)))
}

fn code_numbers() -> Vec<Number> {
    Number::ALL.into_iter().filter(|number| number.is_of_profile()).collect()
}

fn rows(detail: &Detail) -> DetailRows<'_> {
    DetailRows {
        callables: &detail.callables,
        clones: detail.clones.iter().map(|group| group.places.as_slice()).collect(),
        hits: &detail.hits,
        wrappers: &detail.wrappers,
    }
}

pub fn rules_of(ruler: &Ruler) -> RulesFacts<'_> {
    let rules = ruler.rules();
    RulesFacts {
        source: rules.source(),
        count: rules.count(),
        sha256: rules.sha256(),
        problems: rules.problems(),
    }
}
