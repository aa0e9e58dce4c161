//! The JSON of `corpus`: field names are fixed by the contract, adding some is fine. Absent values are null, never 0.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Serialize, Serializer};

use crate::cli::{
    components::{self, ComponentsRow},
    recorded::TestCounts,
    score::RulerRow,
};
use trajview_metrics::{
    Better, Number,
    numbers::{CORPUS, Of, Values, facts::Tested, ranked},
    quality::Ruler,
};
use trajview_run::{Tokens, Warning, recorded::Tests};
use trajview_study::{
    Estimate, Interval, Plan, Undefined,
    corpus::{Corpus, Measured, PairedNumber, corpus, together},
    correlation::Correlation,
    fairness::{Difference, differences},
    paired::{Holm, Wilcoxon},
    pairing::{Conditions, Key, Pair, PairRow},
    reasons,
    recovery::{OfMeans, Recovered, Sides, recovered},
    trend::{Series, slope_of, trend},
};

use super::{
    measure::{RunFacts, Runs},
    solved::{self, SolvedRow, SpentRow},
};

#[derive(Serialize)]
pub struct Document {
    schema: &'static str,
    #[serde(flatten)]
    pub ruler: RulerRow,
    pub rules: RulesRow,
    /// Gaps are `a` less `b`.
    pub conditions: Conditions,
    #[serde(flatten)]
    pub drawn: DrawnRow,
    pub runs: Vec<RunRow>,
    pub paired: Vec<PairedRow>,
    /// Component by component, with tasks as clusters; empty where no component has a score under both conditions.
    pub components: Vec<ComponentsRow>,
    pub per_task: Vec<PerTaskRow>,
    /// What treatments of the emergent condition give back; empty without runs of a third condition.
    pub gap_recovery: Vec<RecoveryRow>,
    pub correlations: Vec<CorrelationRow>,
    /// Of all runs, and of each agent where there are several.
    pub trends: Vec<TrendRow>,
    #[serde(flatten)]
    pub doubts: Doubts,
    /// What a solved checkpoint costs, by agent and condition.
    pub cost_per_solved: Vec<SolvedRow>,
}

/// What to know before believing the numbers.
#[derive(Serialize)]
pub struct Doubts {
    /// Runs in no pair.
    pub alone: Vec<Warning>,
    pub problems: Vec<Warning>,
    /// Pairs whose runs differ in more than their condition.
    pub unfair: Vec<UnfairRow>,
}

/// How intervals are drawn.
#[derive(Serialize)]
pub struct DrawnRow {
    pub seed: u64,
    pub resamples: usize,
}

#[derive(Serialize)]
pub struct RulesRow {
    source: String,
    pub count: usize,
    sha256: String,
}

#[derive(Serialize)]
pub struct RunRow {
    pub run: String,
    /// Below the folder.
    pub path: String,
    pub format: &'static str,
    #[serde(flatten)]
    pub who: Who,
    /// Of what was judged, and of reuse.
    #[serde(flatten)]
    pub faithful: Values,
    #[serde(flatten)]
    pub judging: JudgingRow,
    #[serde(flatten)]
    pub code: Values,
    /// After the last checkpoint that has tests.
    pub tests: Option<TestsRow>,
    pub tokens: Tokens,
    /// The numbers that have no fields of their own.
    #[serde(flatten)]
    pub others: Values,
    #[serde(flatten)]
    pub state: StateRow,
    /// Least-squares slopes, a checkpoint; null with fewer than two measured ones.
    #[serde(flatten)]
    pub slopes: Slopes,
    pub warnings: usize,
    #[serde(flatten)]
    pub spent: SpentRow,
    #[serde(skip)]
    measured: Measured,
}

/// Which task was done by whom, under which condition.
#[derive(Serialize)]
pub struct Who {
    pub task: Option<String>,
    /// With the model, where an agent was run with several.
    pub agent: Option<String>,
    pub model: Option<String>,
    pub condition: Option<String>,
}

/// Who judged it, and how much of it.
#[derive(Serialize)]
pub struct JudgingRow {
    pub judge: Option<String>,
    /// The file of the judgement.
    pub judgement: Option<String>,
    /// When it was made.
    pub judged_at: Option<String>,
    /// Other judgements of the whole checklist, which do not count; empty where `--judge` or the checklist names one.
    pub other_judgements: Vec<String>,
    pub judged: Option<usize>,
    pub components: Option<usize>,
}

/// How many turns it has, and what became of it and of them.
#[derive(Serialize)]
pub struct StateRow {
    /// Those that count; null for a rubric tree alone.
    pub turns: Option<usize>,
    /// As its recorder says: `running`, `finished`, `stopped` and why.
    pub state: Option<String>,
    /// Of each turn that does not count, or was kept though it failed, what became of it.
    pub turn_states: Vec<String>,
}

/// Numbers that stand together in the JSON and the CSV of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Block {
    /// What was judged, and what modules use of each other.
    Faithful,
    Code,
    Others,
}

/// A slope of each number that goes from checkpoint to checkpoint.
pub struct Slopes(pub Vec<(Number, Option<f64>)>);

impl Slopes {
    /// The name in JSON and CSV.
    pub fn head(number: Number) -> String {
        format!("{}_slope", number.id())
    }
}

impl Serialize for Slopes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(number, slope)| (Self::head(*number), slope)))
    }
}

#[derive(Serialize)]
pub struct TestsRow {
    /// The checkpoint's id.
    label: String,
    #[serde(flatten)]
    pub counts: TestCounts,
    /// Of `strict`: the number that is paired and correlated.
    pub pass_rate: Option<f64>,
    infrastructure_failure: bool,
}

#[derive(Serialize)]
pub struct PairedRow {
    /// Null where the agents are pooled.
    pub agent: Option<String>,
    /// Whether the pairs of all agents are taken together, each pair once.
    pub pooled: bool,
    pub metric: &'static str,
    /// Which way is a win.
    pub better: Better,
    /// The conditions.
    pub a: String,
    pub b: String,
    #[serde(flatten)]
    pub outcomes: Outcomes,
    /// Mean over tasks under each condition.
    pub mean_a: SideRow,
    pub mean_b: SideRow,
    pub mean_gap: Option<f64>,
    pub wilcoxon: Option<WilcoxonRow>,
    pub cohen_d: Option<f64>,
    /// Of the mean gap.
    pub ci95: Option<Interval>,
    pub cohen_d_ci95: Option<Interval>,
    /// By field, why it is null.
    pub not_defined: BTreeMap<&'static str, Undefined>,
}

/// A pair whose runs differ in more than their condition.
#[derive(Serialize)]
pub struct UnfairRow {
    pub task: String,
    pub agent: String,
    pub differences: Vec<Difference>,
}

/// A mean over tasks.
#[derive(Serialize)]
pub struct SideRow {
    pub mean: Option<f64>,
    /// BCa over tasks.
    pub ci95: Option<Interval>,
}

impl SideRow {
    fn of(estimate: &Estimate) -> Self {
        Self { mean: estimate.value.ok(), ci95: estimate.interval.ok() }
    }
}

/// Tasks, and how many of them each side has won.
#[derive(Serialize)]
pub struct Outcomes {
    /// Tasks.
    pub n: usize,
    pub wins: usize,
    pub ties: usize,
    pub losses: usize,
}

/// How a number goes from checkpoint to checkpoint.
#[derive(Serialize)]
pub struct TrendRow {
    pub metric: &'static str,
    /// Null: of all runs.
    pub agent: Option<String>,
    /// With two measured checkpoints or more.
    pub runs: usize,
    /// By the last measured checkpoint against the first.
    pub rises: usize,
    pub level: usize,
    pub falls: usize,
    pub share_rising: Option<f64>,
    pub rising_slopes: usize,
    /// Mean of the runs' least-squares slopes, a checkpoint.
    pub slope: Option<f64>,
    /// Of the mean slope over runs, BCa.
    pub slope_ci95: Option<Interval>,
    /// Runs with fewer than two measured checkpoints.
    pub left_out: usize,
    pub unmeasured_checkpoints: usize,
    pub not_defined: BTreeMap<&'static str, Undefined>,
}

#[derive(Serialize)]
pub struct WilcoxonRow {
    pub w: f64,
    pub p: f64,
    /// Adjusted for the metrics of the same agent; null where neither side can be the better.
    pub p_holm: Option<f64>,
    /// How, as `Holm over 6 metrics`.
    pub adjusted: Option<String>,
    /// The test that was made, as `Wilcoxon signed-rank, exact permutation, n 5, 1 zero dropped`.
    pub test: String,
    pub method: &'static str,
    /// By the normal approximation, whatever the method.
    pub p_normal: f64,
    /// Differences of 0, which are dropped.
    pub zeros: usize,
    /// Differences that count.
    pub n: usize,
}

#[derive(Serialize)]
pub struct PerTaskRow {
    pub task: String,
    pub agent: String,
    /// Ids of the runs under each condition; several are averaged.
    pub runs_a: Vec<String>,
    pub runs_b: Vec<String>,
    /// By metric; those that both sides have.
    pub metrics: BTreeMap<&'static str, GapRow>,
}

#[derive(Serialize, Clone, Copy)]
pub struct GapRow {
    pub a: f64,
    pub b: f64,
    pub gap: f64,
}

#[derive(Serialize)]
pub struct CorrelationRow {
    pub x: &'static str,
    pub y: &'static str,
    /// Null: runs of every condition together.
    pub condition: Option<String>,
    /// Runs that have both.
    pub n: usize,
    pub pearson: Option<Correlation>,
    pub spearman: Option<Correlation>,
    pub not_defined: BTreeMap<&'static str, Undefined>,
}

/// What a treatment gives back of one number, for one agent: (treated - emergent) / (single-shot - emergent).
#[derive(Serialize)]
pub struct RecoveryRow {
    pub agent: String,
    pub condition: String,
    pub metric: &'static str,
    /// Tasks that were run under all three conditions; null where single-shot is not the better one.
    pub tasks: BTreeMap<String, Option<f64>>,
    /// Tasks with a share.
    pub n: usize,
    /// Mean of ratios: over those tasks.
    pub mean: Option<f64>,
    pub ci95: Option<Interval>,
    /// Ratio of means: over all those tasks.
    pub ratio_of_means: RatioRow,
    pub not_defined: BTreeMap<&'static str, Undefined>,
}

/// `(treated - emergent) / (single_shot - emergent)` of means over tasks.
#[derive(Serialize)]
pub struct RatioRow {
    pub value: Option<f64>,
    pub ci95: Option<Interval>,
    /// All tasks that were run under all three conditions, those without a gap included.
    pub n: usize,
    pub treated: f64,
    pub emergent: f64,
    pub single_shot: f64,
}

impl RatioRow {
    fn of(OfMeans { means, ratio }: OfMeans, n: usize) -> Self {
        let Sides { treated, emergent, single_shot } = means;
        let (value, ci95) = (ratio.value.ok(), ratio.interval.ok());
        Self { value, ci95, n, treated, emergent, single_shot }
    }
}

impl RecoveryRow {
    fn of(row: Recovered) -> Self {
        let ratio = row.of_means.ratio;
        let why = [
            ("mean", row.mean.value.err()),
            ("ci95", row.mean.interval.err()),
            ("ratio_of_means", ratio.value.err()),
            ("ratio_of_means.ci95", ratio.interval.err()),
        ];
        Self {
            metric: row.number.id(),
            n: row.tasks.iter().filter(|(_, share)| share.is_some()).count(),
            mean: row.mean.value.ok(),
            ci95: row.mean.interval.ok(),
            ratio_of_means: RatioRow::of(row.of_means, row.tasks.len()),
            not_defined: why.into_iter().filter_map(|(name, why)| Some((name, why?))).collect(),
            tasks: row.tasks.into_iter().collect(),
            agent: row.agent,
            condition: row.condition,
        }
    }
}

impl TestsRow {
    /// `3/4`
    pub fn passed(&self) -> String {
        format!("{}/{}", self.counts.strict.passed, self.counts.strict.total)
    }
}

impl Document {
    pub fn of(runs: Runs, conditions: &Conditions, plan: &Plan, ruler: &Ruler) -> Self {
        let measured: Vec<Measured> =
            runs.measured.iter().map(|run| run.measured.clone()).collect();
        let Corpus { paired, per_task, alone } = corpus(&measured, conditions, plan);
        let rules = ruler.rules();
        let name = |at: &usize| runs.measured.get(*at).map(|run| run.id.clone());
        let names = |side: &[usize]| side.iter().filter_map(name).collect();
        let alone = alone
            .into_iter()
            .filter_map(|(at, why)| Some((runs.measured.get(at)?.path.clone(), why.why().into())));
        Self {
            schema: "trajview.corpus/1",
            ruler: RulerRow::of(ruler),
            rules: RulesRow {
                source: rules.source().into(),
                count: rules.count(),
                sha256: rules.sha256().into(),
            },
            conditions: conditions.clone(),
            drawn: DrawnRow { seed: plan.seed, resamples: plan.resamples },
            cost_per_solved: solved::rows(&spent(&runs), plan),
            paired: paired.iter().map(|row| paired_row(row, conditions)).collect(),
            components: components::rows(&per_task, |at| &runs.measured[at].judged.scores, plan),
            per_task: per_task
                .iter()
                .map(|row| per_task_row(row, names(&row.pair.a), names(&row.pair.b)))
                .collect(),
            gap_recovery: recovered(&measured, plan).into_iter().map(RecoveryRow::of).collect(),
            correlations: correlations(&measured),
            trends: trends(&runs.measured, plan),
            doubts: Doubts {
                unfair: per_task.iter().filter_map(|it| unfair(&it.pair, &runs.measured)).collect(),
                alone: alone.map(problem).collect(),
                problems: runs.problems.into_iter().map(problem).collect(),
            },
            runs: runs.measured.into_iter().map(run_row).collect(),
        }
    }
}

fn unfair(pair: &Pair, runs: &[RunFacts]) -> Option<UnfairRow> {
    let all = pair.a.iter().chain(&pair.b).filter_map(|at| runs.get(*at));
    let named: Vec<_> = all.map(|run| (run.path.clone(), &run.states.conduct)).collect();
    let differences = differences(&named);
    let (task, agent) = (pair.task.clone(), pair.agent.clone());
    (!differences.is_empty()).then_some(UnfairRow { task, agent, differences })
}

fn spent(runs: &Runs) -> Vec<(Key, SpentRow)> {
    runs.measured.iter().map(|run| (run.measured.key.clone(), run.spent)).collect()
}

fn problem((place, what): (String, String)) -> Warning {
    Warning { place, what }
}

fn run_row(run: RunFacts) -> RunRow {
    let values = |block: Block| Values::of(&block.numbers(), |number| run.measured.value(number));
    let slope = |(number, series): &(Number, Series)| (*number, slope_of(series));
    let key = &run.measured.key;
    RunRow {
        faithful: values(Block::Faithful),
        code: values(Block::Code),
        others: values(Block::Others),
        slopes: Slopes(run.series.iter().map(slope).collect()),
        tests: run.tests.map(|(label, tests)| tests_row(label, &tests)),
        run: run.id,
        path: run.path,
        format: run.format,
        tokens: run.tokens,
        warnings: run.warnings,
        spent: run.spent,
        who: Who {
            task: key.task.clone(),
            agent: key.agent.clone(),
            condition: key.condition.clone(),
            model: run.model,
        },
        judging: JudgingRow {
            judged: run.judged.counts.map(|(judged, _)| judged),
            components: run.judged.counts.map(|(_, components)| components),
            judge: run.judged.judge,
            judgement: run.judged.file,
            judged_at: run.judged.at,
            other_judgements: run.judged.others,
        },
        state: StateRow {
            turns: run.turns,
            state: run.states.of_run,
            turn_states: run.states.of_turns,
        },
        measured: run.measured,
    }
}

impl Block {
    /// Every number of a corpus is in one block, but for those that have fields of their own.
    pub fn numbers(self) -> Vec<Number> {
        let is_here = |number: &&Number| Self::of(**number) == Some(self);
        CORPUS.iter().filter(is_here).copied().collect()
    }

    fn of(number: Number) -> Option<Self> {
        match number.row().of {
            _ if matches!(number, Number::Tests | Number::Tokens | Number::Turns) => None,
            Of::Judgement(_) | Of::Reuse(_) => Some(Self::Faithful),
            Of::Code(_) => Some(Self::Code),
            Of::Exposure(_)
            | Of::Tests(_)
            | Of::Counted(_)
            | Of::Spent(_)
            | Of::Process(_)
            | Of::RubricTree(_)
            | Of::Raters
            | Of::Runs => Some(Self::Others),
        }
    }
}

impl RunRow {
    /// None where the run does not have it.
    pub fn value(&self, number: Number) -> Option<f64> {
        self.measured.value(number)
    }
}

fn tests_row(label: String, tests: &Tests) -> TestsRow {
    TestsRow {
        label,
        counts: TestCounts::of(tests),
        pass_rate: Tested::of(tests).and_then(|tests| tests.strict.share()),
        infrastructure_failure: tests.infrastructure_failure,
    }
}

fn paired_row(row: &PairedNumber, conditions: &Conditions) -> PairedRow {
    let found = &row.paired;
    PairedRow {
        agent: row.agent.clone(),
        pooled: row.agent.is_none(),
        metric: row.number.id(),
        better: row.number.better(),
        a: conditions.a.clone(),
        b: conditions.b.clone(),
        mean_a: SideRow::of(&row.a),
        mean_b: SideRow::of(&row.b),
        mean_gap: found.mean_gap.value.ok(),
        wilcoxon: found.wilcoxon.ok().map(|test| wilcoxon_row(test, row.holm)),
        cohen_d: found.cohen_d.value.ok(),
        ci95: found.mean_gap.interval.ok(),
        cohen_d_ci95: found.cohen_d.interval.ok(),
        not_defined: reasons([
            ("mean_gap", found.mean_gap.value.err()),
            ("wilcoxon", found.wilcoxon.err()),
            ("cohen_d", found.cohen_d.value.err()),
            ("ci95", found.mean_gap.interval.err()),
            ("cohen_d_ci95", found.cohen_d.interval.err()),
        ]),
        outcomes: Outcomes { n: found.n, wins: row.wins(), ties: found.ties, losses: row.losses() },
    }
}

fn wilcoxon_row(test: Wilcoxon, holm: Option<Holm>) -> WilcoxonRow {
    WilcoxonRow {
        w: test.w,
        p: test.p,
        p_holm: holm.map(|holm| holm.p),
        adjusted: holm.map(|holm| Holm::words(holm.of)),
        test: test.words(),
        method: test.method.name(),
        p_normal: test.p_normal,
        zeros: test.zeros,
        n: test.n,
    }
}

fn per_task_row(row: &PairRow<Number>, runs_a: Vec<String>, runs_b: Vec<String>) -> PerTaskRow {
    let gap = |&(number, (a, b)): &(Number, (f64, f64))| (number.id(), GapRow { a, b, gap: a - b });
    PerTaskRow {
        task: row.pair.task.clone(),
        agent: row.pair.agent.clone(),
        runs_a,
        runs_b,
        metrics: row.values.iter().map(gap).collect(),
    }
}

fn trends(runs: &[RunFacts], plan: &Plan) -> Vec<TrendRow> {
    let agents: BTreeSet<&String> =
        runs.iter().filter_map(|run| run.measured.key.agent.as_ref()).collect();
    let each = Some(agents).filter(|agents| agents.len() > 1).into_iter().flatten().map(Some);
    let groups: Vec<Option<&String>> = std::iter::once(None).chain(each).collect();
    let of = |number: Number| groups.iter().map(move |agent| trend_row(runs, *agent, number, plan));
    ranked(|shown| shown.trend).into_iter().flat_map(of).collect()
}

fn trend_row(runs: &[RunFacts], agent: Option<&String>, number: Number, plan: &Plan) -> TrendRow {
    let is_meant = |run: &&RunFacts| agent.is_none() || run.measured.key.agent.as_ref() == agent;
    let series = runs.iter().filter(is_meant).flat_map(|run| &run.series);
    let series = series.filter(|(other, _)| *other == number).map(|(_, series)| series);
    let found = trend(series, plan);
    TrendRow {
        metric: number.id(),
        agent: agent.cloned(),
        runs: found.runs,
        rises: found.rises,
        level: found.level,
        falls: found.falls,
        share_rising: found.share_rising(),
        rising_slopes: found.rising_slopes,
        slope: found.slope.value.ok(),
        slope_ci95: found.slope.interval.ok(),
        left_out: found.left_out,
        unmeasured_checkpoints: found.unmeasured,
        not_defined: reasons([
            ("slope", found.slope.value.err()),
            ("slope_ci95", found.slope.interval.err()),
        ]),
    }
}

/// Of the share of tests that pass with IF50: all runs together, then those of each condition.
fn correlations(runs: &[Measured]) -> Vec<CorrelationRow> {
    let conditions: BTreeSet<&String> =
        runs.iter().filter_map(|run| run.key.condition.as_ref()).collect();
    let each = conditions.into_iter().map(Some);
    std::iter::once(None).chain(each).map(|condition| correlation_row(runs, condition)).collect()
}

fn correlation_row(runs: &[Measured], condition: Option<&String>) -> CorrelationRow {
    let (x, y) = (Number::Tests, Number::If50);
    let is_meant = |run: &&Measured| condition.is_none() || run.key.condition.as_ref() == condition;
    let found = together(runs.iter().filter(is_meant), x, y);
    CorrelationRow {
        x: x.id(),
        y: y.id(),
        condition: condition.cloned(),
        n: found.n,
        pearson: found.pearson.ok(),
        spearman: found.spearman.ok(),
        not_defined: reasons([
            ("pearson", found.pearson.err()),
            ("spearman", found.spearman.err()),
        ]),
    }
}
