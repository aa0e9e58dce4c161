//! The JSON of `corpus`: field names are fixed by the contract, adding some is fine. Absent values are null, never 0.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Serialize, Serializer};

use crate::cli::{
    component_comparison::{self, ComponentsRow},
    harness_records::TestCounts,
    score::RulerFacts,
};
use trajview_metrics::{
    BetterDirection, Number,
    numbers::{CORPUS, NumberInput, NumberValues, TRENDS, facts::TestScores},
    quality::Ruler,
};
use trajview_run::{Tokens, Warning, checkpoint_record::RecordedTests};
use trajview_study::{
    BootstrapPlan, Estimate, Interval, Undefined,
    corpus::{CorpusComparison, MeasuredRun, PairedNumber, compare_corpus, correlate_numbers},
    correlation::Correlation,
    fairness::{ConductDifference, conduct_differences},
    paired::{HolmAdjusted, Wilcoxon},
    pairing::{ConditionPair, PairNumbers, PairingKey, RunPair},
    recovery::{ConditionMeans, RecoveryOfMeans, TreatmentRecovery, treatment_recoveries},
    trend::{CheckpointSeries, series_slope, trend_over_runs},
    undefined_reasons,
};

use super::{
    cost_per_solved::{self, CostPerSolvedRow, SpentRow},
    run_facts::{CorpusRunFacts, CorpusRuns},
};

#[derive(Serialize)]
pub struct CorpusDocument {
    schema: &'static str,
    #[serde(flatten)]
    pub ruler: RulerFacts,
    pub rules: CorpusRulesFacts,
    /// Gaps are `a` less `b`.
    pub conditions: ConditionPair,
    #[serde(flatten)]
    pub drawn: CorpusResamplingFacts,
    pub runs: Vec<CorpusRunRow>,
    pub paired: Vec<PairedTestRow>,
    /// Component by component, with tasks as clusters. Empty if no component has a score under both conditions.
    pub components: Vec<ComponentsRow>,
    pub per_task: Vec<PerTaskRow>,
    /// The gap that treatments of the emergent condition recover; empty without runs of a third condition.
    pub gap_recovery: Vec<TaskRecoveryRow>,
    pub correlations: Vec<CorrelationRow>,
    /// Trends of all runs, and of each agent where there are several.
    pub trends: Vec<TrendRow>,
    #[serde(flatten)]
    pub doubts: CorpusDoubts,
    /// The cost of a solved checkpoint, by agent and condition.
    pub cost_per_solved: Vec<CostPerSolvedRow>,
}

/// Warnings about the numbers.
#[derive(Serialize)]
pub struct CorpusDoubts {
    /// Runs in no pair.
    pub alone: Vec<Warning>,
    pub problems: Vec<Warning>,
    /// Pairs whose runs differ in more than their condition.
    pub unfair: Vec<UnfairRow>,
}

/// The settings by which intervals are drawn.
#[derive(Serialize)]
pub struct CorpusResamplingFacts {
    pub seed: u64,
    pub resamples: usize,
}

#[derive(Serialize)]
pub struct CorpusRulesFacts {
    source: String,
    pub count: usize,
    sha256: String,
}

#[derive(Serialize)]
pub struct CorpusRunRow {
    pub run: String,
    /// The path below the folder.
    pub path: String,
    pub format: &'static str,
    #[serde(flatten)]
    pub who: RunIdentityRow,
    /// Numbers of judgements and of reuse.
    #[serde(flatten)]
    pub faithful: NumberValues,
    #[serde(flatten)]
    pub judging: JudgingFacts,
    #[serde(flatten)]
    pub code: NumberValues,
    /// Tests after the last checkpoint that has some.
    pub tests: Option<LastTestsRow>,
    pub tokens: Tokens,
    /// The numbers that have no fields of their own.
    #[serde(flatten)]
    pub others: NumberValues,
    #[serde(flatten)]
    pub state: RunStateFacts,
    /// Least-squares slopes, a checkpoint; null with fewer than two measured ones.
    #[serde(flatten)]
    pub slopes: NumberSlopes,
    pub warnings: usize,
    #[serde(flatten)]
    pub spent: SpentRow,
    #[serde(skip)]
    measured: MeasuredRun,
}

/// The task, agent, model and condition of a run.
#[derive(Serialize)]
pub struct RunIdentityRow {
    pub task: Option<String>,
    /// The agent, with the model where an agent was run with several.
    pub agent: Option<String>,
    pub model: Option<String>,
    pub condition: Option<String>,
}

/// The judgement that counts for a run, and how many components it covers.
#[derive(Serialize)]
pub struct JudgingFacts {
    pub judge: Option<String>,
    /// The file of the judgement.
    pub judgement: Option<String>,
    /// The time when the judgement was made.
    pub judged_at: Option<String>,
    /// Other judgements of the whole checklist, which do not count. Empty if `--judge` or the checklist names one.
    pub other_judgements: Vec<String>,
    pub judged: Option<usize>,
    pub components: Option<usize>,
}

/// The number of turns of a run, and its state and theirs.
#[derive(Serialize)]
pub struct RunStateFacts {
    /// Turns that count; null for a rubric tree alone.
    pub turns: Option<usize>,
    /// The recorder's state of the run: `running`, `finished`, `stopped` with the reason.
    pub state: Option<String>,
    /// The state of each turn that does not count, or was kept though it failed.
    pub turn_states: Vec<String>,
}

/// Numbers that are next to each other in the JSON and the CSV of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberBlock {
    /// Numbers of judgements, and of reuse between modules.
    Faithful,
    Code,
    Others,
}

/// A slope for each number that has a trend over checkpoints.
pub struct NumberSlopes(pub Vec<(Number, Option<f64>)>);

impl NumberSlopes {
    /// Returns the name in JSON and CSV.
    pub fn column_name(number: Number) -> String {
        format!("{}_slope", number.id())
    }
}

impl Serialize for NumberSlopes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer
            .collect_map(self.0.iter().map(|(number, slope)| (Self::column_name(*number), slope)))
    }
}

#[derive(Serialize)]
pub struct LastTestsRow {
    /// The checkpoint's id.
    label: String,
    #[serde(flatten)]
    pub counts: TestCounts,
    /// The share of `strict` that passed: the number that is paired and correlated.
    pub pass_rate: Option<f64>,
    infrastructure_failure: bool,
}

#[derive(Serialize)]
pub struct PairedTestRow {
    /// Null if the agents are pooled.
    pub agent: Option<String>,
    /// True if the pairs of all agents are taken together, each pair once.
    pub pooled: bool,
    pub metric: &'static str,
    /// The direction that counts as a win.
    pub better: BetterDirection,
    /// The conditions.
    pub a: String,
    pub b: String,
    #[serde(flatten)]
    pub outcomes: OutcomeCounts,
    /// Mean over tasks under each condition.
    pub mean_a: TaskMeanRow,
    pub mean_b: TaskMeanRow,
    pub mean_gap: Option<f64>,
    pub wilcoxon: Option<WilcoxonRow>,
    pub cohen_d: Option<f64>,
    /// The interval of the mean gap.
    pub ci95: Option<Interval>,
    pub cohen_d_ci95: Option<Interval>,
    /// By field, the reason why it is null.
    pub not_defined: BTreeMap<&'static str, Undefined>,
}

/// A pair whose runs differ in more than their condition.
#[derive(Serialize)]
pub struct UnfairRow {
    pub task: String,
    pub agent: String,
    pub differences: Vec<ConductDifference>,
}

/// A mean over tasks.
#[derive(Serialize)]
pub struct TaskMeanRow {
    pub mean: Option<f64>,
    /// BCa over tasks.
    pub ci95: Option<Interval>,
}

impl TaskMeanRow {
    fn new(estimate: &Estimate) -> Self {
        Self { mean: estimate.value.ok(), ci95: estimate.interval.ok() }
    }
}

/// Tasks, and how many of them each side has won.
#[derive(Serialize)]
pub struct OutcomeCounts {
    /// Tasks.
    pub n: usize,
    pub wins: usize,
    pub ties: usize,
    pub losses: usize,
}

/// The trend of a number over checkpoints.
#[derive(Serialize)]
pub struct TrendRow {
    pub metric: &'static str,
    /// Null: of all runs.
    pub agent: Option<String>,
    /// Runs with two measured checkpoints or more.
    pub runs: usize,
    /// Runs whose last measured checkpoint is above the first.
    pub rises: usize,
    pub level: usize,
    pub falls: usize,
    pub share_rising: Option<f64>,
    pub rising_slopes: usize,
    /// Mean of the runs' least-squares slopes, a checkpoint.
    pub slope: Option<f64>,
    /// The interval of the mean slope over runs, BCa.
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
    /// Adjusted for the metrics of the same agent. Null if neither side can be the better.
    pub p_holm: Option<f64>,
    /// The adjustment, as `Holm over 6 metrics`.
    pub adjusted: Option<String>,
    /// The test that was made, as `Wilcoxon signed-rank, exact permutation, n 5, 1 zero dropped`.
    pub test: String,
    pub method: &'static str,
    /// The p-value of the normal approximation, whatever the method.
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
    /// Gaps by metric, of those that both sides have.
    pub metrics: BTreeMap<&'static str, MetricGapRow>,
}

#[derive(Serialize, Clone, Copy)]
pub struct MetricGapRow {
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

/// The share of one number's gap that a treatment recovers, for one agent: (treated - emergent) / (single-shot -
/// emergent).
#[derive(Serialize)]
pub struct TaskRecoveryRow {
    pub agent: String,
    pub condition: String,
    pub metric: &'static str,
    /// Tasks that were run under all three conditions. Null if single-shot is not the better one.
    pub tasks: BTreeMap<String, Option<f64>>,
    /// Tasks with a share.
    pub n: usize,
    /// Mean of ratios: over those tasks.
    pub mean: Option<f64>,
    pub ci95: Option<Interval>,
    /// Ratio of means: over all those tasks.
    pub ratio_of_means: RatioOfMeansRow,
    pub not_defined: BTreeMap<&'static str, Undefined>,
}

/// `(treated - emergent) / (single_shot - emergent)` of means over tasks.
#[derive(Serialize)]
pub struct RatioOfMeansRow {
    pub value: Option<f64>,
    pub ci95: Option<Interval>,
    /// All tasks that were run under all three conditions, those without a gap included.
    pub n: usize,
    pub treated: f64,
    pub emergent: f64,
    pub single_shot: f64,
}

impl RatioOfMeansRow {
    fn new(RecoveryOfMeans { means, ratio }: RecoveryOfMeans, n: usize) -> Self {
        let ConditionMeans { treated, emergent, single_shot } = means;
        let (value, ci95) = (ratio.value.ok(), ratio.interval.ok());
        Self { value, ci95, n, treated, emergent, single_shot }
    }
}

impl TaskRecoveryRow {
    fn new(row: TreatmentRecovery) -> Self {
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
            ratio_of_means: RatioOfMeansRow::new(row.of_means, row.tasks.len()),
            not_defined: why.into_iter().filter_map(|(name, why)| Some((name, why?))).collect(),
            tasks: row.tasks.into_iter().collect(),
            agent: row.agent,
            condition: row.condition,
        }
    }
}

impl LastTestsRow {
    /// Returns `3/4`.
    pub(crate) fn passed_text(&self) -> String {
        format!("{}/{}", self.counts.strict.passed, self.counts.strict.total)
    }
}

impl CorpusDocument {
    pub fn new(
        runs: CorpusRuns,
        conditions: &ConditionPair,
        plan: &BootstrapPlan,
        ruler: &Ruler,
    ) -> Self {
        let measured: Vec<MeasuredRun> =
            runs.measured.iter().map(|run| run.measured.clone()).collect();
        let CorpusComparison { paired, per_task, alone } =
            compare_corpus(&measured, conditions, plan);
        let rules = ruler.rules();
        let name = |at: &usize| runs.measured.get(*at).map(|run| run.id.clone());
        let names = |side: &[usize]| side.iter().filter_map(name).collect();
        let alone = alone
            .into_iter()
            .filter_map(|(at, why)| Some((runs.measured.get(at)?.path.clone(), why.why().into())));
        Self {
            schema: "trajview.corpus/1",
            ruler: RulerFacts::new(ruler),
            rules: CorpusRulesFacts {
                source: rules.source().into(),
                count: rules.rule_count(),
                sha256: rules.sha256().into(),
            },
            conditions: conditions.clone(),
            drawn: CorpusResamplingFacts { seed: plan.seed, resamples: plan.resamples },
            cost_per_solved: cost_per_solved::cost_per_solved_rows(&spent_by_run(&runs), plan),
            paired: paired.iter().map(|row| paired_test_row(row, conditions)).collect(),
            components: component_comparison::rows_by_agent(
                &per_task,
                |at| &runs.measured[at].judged.scores,
                plan,
            ),
            per_task: per_task
                .iter()
                .map(|row| per_task_row(row, names(&row.pair.a), names(&row.pair.b)))
                .collect(),
            gap_recovery: treatment_recoveries(&measured, plan)
                .into_iter()
                .map(TaskRecoveryRow::new)
                .collect(),
            correlations: correlation_rows(&measured),
            trends: trend_rows(&runs.measured, plan),
            doubts: CorpusDoubts {
                unfair: per_task
                    .iter()
                    .filter_map(|it| unfair_row(&it.pair, &runs.measured))
                    .collect(),
                alone: alone.map(problem_warning).collect(),
                problems: runs.problems.into_iter().map(problem_warning).collect(),
            },
            runs: runs.measured.into_iter().map(run_row).collect(),
        }
    }
}

fn unfair_row(pair: &RunPair, runs: &[CorpusRunFacts]) -> Option<UnfairRow> {
    let all = pair.a.iter().chain(&pair.b).filter_map(|at| runs.get(*at));
    let named: Vec<_> = all.map(|run| (run.path.clone(), &run.states.conduct)).collect();
    let differences = conduct_differences(&named);
    let (task, agent) = (pair.task.clone(), pair.agent.clone());
    (!differences.is_empty()).then_some(UnfairRow { task, agent, differences })
}

fn spent_by_run(runs: &CorpusRuns) -> Vec<(PairingKey, SpentRow)> {
    runs.measured.iter().map(|run| (run.measured.key.clone(), run.spent)).collect()
}

fn problem_warning((place, what): (String, String)) -> Warning {
    Warning { place, what }
}

fn run_row(run: CorpusRunFacts) -> CorpusRunRow {
    let values = |block: NumberBlock| {
        NumberValues::new(&block.numbers(), |number| run.measured.number_value(number))
    };
    let slope = |(number, series): &(Number, CheckpointSeries)| (*number, series_slope(series));
    let key = &run.measured.key;
    CorpusRunRow {
        faithful: values(NumberBlock::Faithful),
        code: values(NumberBlock::Code),
        others: values(NumberBlock::Others),
        slopes: NumberSlopes(run.series.iter().map(slope).collect()),
        tests: run.tests.map(|(label, tests)| last_tests_row(label, &tests)),
        run: run.id,
        path: run.path,
        format: run.format,
        tokens: run.tokens,
        warnings: run.warnings,
        spent: run.spent,
        who: RunIdentityRow {
            task: key.task.clone(),
            agent: key.agent.clone(),
            condition: key.condition.clone(),
            model: run.model,
        },
        judging: JudgingFacts {
            judged: run.judged.counts.map(|(judged, _)| judged),
            components: run.judged.counts.map(|(_, components)| components),
            judge: run.judged.judge,
            judgement: run.judged.file,
            judged_at: run.judged.judged_at,
            other_judgements: run.judged.other_judgements,
        },
        state: RunStateFacts {
            turns: run.turns,
            state: run.states.of_run,
            turn_states: run.states.of_turns,
        },
        measured: run.measured,
    }
}

impl NumberBlock {
    /// Returns the numbers of all blocks. Every number of a corpus is in one block, except those that have fields of
    /// their own.
    pub fn numbers(self) -> Vec<Number> {
        let is_here = |number: &&Number| Self::block_of(**number) == Some(self);
        CORPUS.iter().filter(is_here).copied().collect()
    }

    fn block_of(number: Number) -> Option<Self> {
        match number.row().input {
            _ if matches!(number, Number::Tests | Number::Tokens | Number::Turns) => None,
            NumberInput::Judgement(_) | NumberInput::Reuse(_) => Some(Self::Faithful),
            NumberInput::Code(_) => Some(Self::Code),
            NumberInput::Exposure(_)
            | NumberInput::Tests(_)
            | NumberInput::Counted(_)
            | NumberInput::Spent(_)
            | NumberInput::Process(_)
            | NumberInput::RubricTree(_)
            | NumberInput::Raters
            | NumberInput::Runs => Some(Self::Others),
        }
    }
}

impl CorpusRunRow {
    /// Returns the value of a number. None if the run does not have it.
    pub fn number_value(&self, number: Number) -> Option<f64> {
        self.measured.number_value(number)
    }
}

fn last_tests_row(label: String, tests: &RecordedTests) -> LastTestsRow {
    LastTestsRow {
        label,
        counts: TestCounts::new(tests),
        pass_rate: TestScores::from_tests(tests).and_then(|tests| tests.strict.passed_share()),
        infrastructure_failure: tests.infrastructure_failure,
    }
}

fn paired_test_row(row: &PairedNumber, conditions: &ConditionPair) -> PairedTestRow {
    let found = &row.paired;
    PairedTestRow {
        agent: row.agent.clone(),
        pooled: row.agent.is_none(),
        metric: row.number.id(),
        better: row.number.better(),
        a: conditions.a.clone(),
        b: conditions.b.clone(),
        mean_a: TaskMeanRow::new(&row.a),
        mean_b: TaskMeanRow::new(&row.b),
        mean_gap: found.mean_gap.value.ok(),
        wilcoxon: found.wilcoxon.ok().map(|test| wilcoxon_row(test, row.holm)),
        cohen_d: found.cohen_d.value.ok(),
        ci95: found.mean_gap.interval.ok(),
        cohen_d_ci95: found.cohen_d.interval.ok(),
        not_defined: undefined_reasons([
            ("mean_gap", found.mean_gap.value.err()),
            ("wilcoxon", found.wilcoxon.err()),
            ("cohen_d", found.cohen_d.value.err()),
            ("ci95", found.mean_gap.interval.err()),
            ("cohen_d_ci95", found.cohen_d.interval.err()),
        ]),
        outcomes: OutcomeCounts {
            n: found.n,
            wins: row.tasks_won(),
            ties: found.ties,
            losses: row.tasks_lost(),
        },
    }
}

fn wilcoxon_row(test: Wilcoxon, holm: Option<HolmAdjusted>) -> WilcoxonRow {
    WilcoxonRow {
        w: test.w,
        p: test.p,
        p_holm: holm.map(|holm| holm.p),
        adjusted: holm.map(|holm| HolmAdjusted::method_text(holm.tests)),
        test: test.method_text(),
        method: test.method.name(),
        p_normal: test.p_normal,
        zeros: test.zeros,
        n: test.n,
    }
}

fn per_task_row(row: &PairNumbers<Number>, runs_a: Vec<String>, runs_b: Vec<String>) -> PerTaskRow {
    let gap =
        |&(number, (a, b)): &(Number, (f64, f64))| (number.id(), MetricGapRow { a, b, gap: a - b });
    PerTaskRow {
        task: row.pair.task.clone(),
        agent: row.pair.agent.clone(),
        runs_a,
        runs_b,
        metrics: row.values.iter().map(gap).collect(),
    }
}

fn trend_rows(runs: &[CorpusRunFacts], plan: &BootstrapPlan) -> Vec<TrendRow> {
    let agents: BTreeSet<&String> =
        runs.iter().filter_map(|run| run.measured.key.agent.as_ref()).collect();
    let each = Some(agents).filter(|agents| agents.len() > 1).into_iter().flatten().map(Some);
    let groups: Vec<Option<&String>> = std::iter::once(None).chain(each).collect();
    let rows_of_number =
        |number: Number| groups.iter().map(move |agent| trend_row(runs, *agent, number, plan));
    TRENDS.iter().copied().flat_map(rows_of_number).collect()
}

fn trend_row(
    runs: &[CorpusRunFacts],
    agent: Option<&String>,
    number: Number,
    plan: &BootstrapPlan,
) -> TrendRow {
    let is_meant =
        |run: &&CorpusRunFacts| agent.is_none() || run.measured.key.agent.as_ref() == agent;
    let series = runs.iter().filter(is_meant).flat_map(|run| &run.series);
    let series = series.filter(|(other, _)| *other == number).map(|(_, series)| series);
    let found = trend_over_runs(series, plan);
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
        not_defined: undefined_reasons([
            ("slope", found.slope.value.err()),
            ("slope_ci95", found.slope.interval.err()),
        ]),
    }
}

/// Correlates the share of passing tests with IF50: over all runs, then over those of each condition.
fn correlation_rows(runs: &[MeasuredRun]) -> Vec<CorrelationRow> {
    let conditions: BTreeSet<&String> =
        runs.iter().filter_map(|run| run.key.condition.as_ref()).collect();
    let each = conditions.into_iter().map(Some);
    std::iter::once(None).chain(each).map(|condition| correlation_row(runs, condition)).collect()
}

fn correlation_row(runs: &[MeasuredRun], condition: Option<&String>) -> CorrelationRow {
    let (x, y) = (Number::Tests, Number::If50);
    let is_meant =
        |run: &&MeasuredRun| condition.is_none() || run.key.condition.as_ref() == condition;
    let found = correlate_numbers(runs.iter().filter(is_meant), x, y);
    CorrelationRow {
        x: x.id(),
        y: y.id(),
        condition: condition.cloned(),
        n: found.n,
        pearson: found.pearson.ok(),
        spearman: found.spearman.ok(),
        not_defined: undefined_reasons([
            ("pearson", found.pearson.err()),
            ("spearman", found.spearman.err()),
        ]),
    }
}
