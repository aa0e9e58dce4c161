//! The JSON of `corpus`: field names are fixed by the contract, adding some is fine. Absent values are null, never 0.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::cli::{
    component_comparison,
    corrected_fields::fields_of_mean,
    harness_records::test_counts,
    output::{Json, record},
    score::RulerFacts,
};
use trajview_metrics::{
    Number,
    numbers::{CORPUS, NumberInput, NumberValues, TRENDS, facts::TestScores},
    quality::Ruler,
};
use trajview_run::{Warning, checkpoint_record::RecordedTests};
use trajview_study::{
    BootstrapPlan, Estimate,
    corpus::{
        CorpusComparison, MeasuredRun, PairedNumber, TestFamily, adjust_family, compare_corpus,
        correlate_numbers,
    },
    fairness::{ConductDifference, conduct_differences},
    paired::{HolmAdjusted, Wilcoxon},
    pairing::{ConditionPair, PairNumbers, RunPair},
    recovery::{TreatmentRecovery, treatment_recoveries},
    trend::{series_slope, trend_over_runs},
    undefined_reasons,
};

use super::{
    corrected_differences::corrected_difference_rows,
    cost_per_solved,
    outcomes::{OutcomeArgs, TrialOfRun, outcomes_record},
    run_facts::{CorpusRunFacts, CorpusRuns},
};

/// The JSON, with what its tables need beside it.
pub struct CorpusDocument {
    pub json: Json,
    pub runs: Vec<CorpusRunFacts>,
    pub problems: Vec<Warning>,
    /// Pairs whose runs differ in more than their condition.
    pub unfair: Vec<UnfairPair>,
    /// The numbers that tables and tests have; empty for all. The JSON of a run has all of them.
    metrics: Vec<Number>,
}

/// What is tested, and what p-values are adjusted for.
#[derive(Debug, Clone, Copy)]
pub struct TestTerms<'a> {
    pub family: TestFamily,
    /// The numbers that are tested; empty for all.
    pub metrics: &'a [Number],
}

fn is_chosen(metrics: &[Number], number: Number) -> bool {
    metrics.is_empty() || metrics.contains(&number)
}

/// A pair whose runs differ in more than their condition.
#[derive(Serialize)]
pub struct UnfairPair {
    pub task: String,
    pub agent: String,
    pub differences: Vec<ConductDifference>,
}

/// Numbers that are next to each other in the JSON and the CSV of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberBlock {
    /// Numbers of judgements, and of reuse between modules.
    Faithful,
    Code,
    Others,
}

/// Returns the name of a number's slope in JSON and CSV.
pub(crate) fn slope_name(number: Number) -> String {
    format!("{}_slope", number.id())
}

impl CorpusDocument {
    /// Returns whether tables have the number.
    pub(crate) fn has_column(&self, number: Number) -> bool {
        is_chosen(&self.metrics, number)
    }

    pub fn new(
        CorpusRuns { measured: runs, problems }: CorpusRuns,
        conditions: &ConditionPair,
        outcomes: &OutcomeArgs,
        plan: &BootstrapPlan,
        TestTerms { family, metrics }: TestTerms<'_>,
        ruler: &Ruler,
    ) -> Self {
        let tested = |run: &CorpusRunFacts| {
            let mut measured = run.measured.clone();
            measured.values.retain(|(number, _)| is_chosen(metrics, *number));
            measured
        };
        let measured: Vec<MeasuredRun> = runs.iter().map(tested).collect();
        let CorpusComparison { mut paired, per_task, alone } =
            compare_corpus(&measured, conditions, plan);
        adjust_family(&mut paired, family);
        let unfair: Vec<UnfairPair> =
            per_task.iter().filter_map(|row| unfair_row(&row.pair, &runs)).collect();
        let spent: Vec<_> = runs.iter().map(|run| (run.measured.key.clone(), run.spent)).collect();
        let trials: Vec<TrialOfRun> = runs.iter().map(TrialOfRun::for_run).collect();
        let scores = |at: usize| &runs[at].judged.scores;
        let json = record! {
            schema: "trajview.corpus/1",
            ..RulerFacts::new(ruler),
            rules: record! {
                source: ruler.rules().source(),
                count: ruler.rules().rule_count(),
                sha256: ruler.rules().sha256()
            },
            conditions: conditions,
            seed: plan.seed,
            resamples: plan.resamples,
            runs: Json::list(&runs, run_row),
            family: family.word(),
            paired: Json::list(&paired, |row| paired_row(row, conditions, family)),
            components: component_comparison::rows_by_agent(&per_task, scores, plan),
            // Differences of the MCF that blind labels correct; empty if labels correct none.
            corrected: corrected_difference_rows(&per_task, &runs),
            per_task: Json::list(&per_task, |row| per_task_row(row, &runs)),
            gap_recovery: Json::list(&treatment_recoveries(&measured, plan), recovery_row),
            correlations: correlation_rows(&measured),
            trends: trend_rows(&runs, plan),
            alone: Json::list(&alone, |(at, why)| {
                record! { where: runs[*at].path, what: why.why() }
            }),
            problems: problems,
            unfair: unfair,
            cost_per_solved: cost_per_solved::cost_per_solved_rows(&spent, plan),
            outcomes: outcomes_record(&trials, outcomes, plan),
        };
        Self { json, runs, problems, unfair, metrics: metrics.to_vec() }
    }
}

fn unfair_row(pair: &RunPair, runs: &[CorpusRunFacts]) -> Option<UnfairPair> {
    let all = pair.a.iter().chain(&pair.b).filter_map(|at| runs.get(*at));
    let named: Vec<_> = all.map(|run| (run.path.clone(), &run.states.conduct)).collect();
    let differences = conduct_differences(&named);
    let (task, agent) = (pair.task.clone(), pair.agent.clone());
    (!differences.is_empty()).then_some(UnfairPair { task, agent, differences })
}

/// Returns the JSON of a run. The values of numbers that have fields of their own are not among those of the blocks.
fn run_row(run: &CorpusRunFacts) -> Json {
    let values = |block: NumberBlock| {
        NumberValues::new(&block.numbers(), |number| run.measured.number_value(number))
    };
    let key = &run.measured.key;
    let slopes = run.series.iter();
    let slopes =
        slopes.map(|(it, series)| (slope_name(*it).into(), Json::new(&series_slope(series))));
    record! {
        run: run.id,
        path: run.path,
        format: run.format,
        ..run.trial,
        agent: key.agent,
        model: run.model,
        condition: key.condition,
        ..values(NumberBlock::Faithful),
        judge: run.judged.judge,
        judgement: run.judged.file,
        // The state that was judged, in turns done.
        judged_turn: run.judged.turn,
        judged_at: run.judged.judged_at,
        other_judgements: run.judged.other_judgements,
        judged: run.judged.counts.map(|(judged, _)| judged),
        components: run.judged.counts.map(|(_, components)| components),
        ..fields_of_mean(run.judged.corrected.clone()),
        ..values(NumberBlock::Code),
        tests: run.tests.as_ref().map(|(label, tests)| last_tests_row(label, tests)),
        tokens: run.tokens,
        ..values(NumberBlock::Others),
        seconds: run.seconds,
        turns: run.turns,
        state: run.states.of_run,
        turn_states: run.states.of_turns,
        ..Json::Record(slopes.collect()),
        warnings: run.warnings,
        ..run.spent
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

/// Returns the JSON of test results; `pass_rate` is the share of `strict`: the number that is paired and correlated.
fn last_tests_row(label: &str, tests: &RecordedTests) -> Json {
    record! {
        label: label,
        ..test_counts(tests),
        pass_rate: TestScores::from_tests(tests).and_then(|tests| tests.strict.passed_share()),
        infrastructure_failure: tests.infrastructure_failure
    }
}

/// Returns the JSON of a number of one agent, or of all pooled, over the tasks of both conditions.
fn paired_row(row: &PairedNumber, conditions: &ConditionPair, family: TestFamily) -> Json {
    let paired = &row.paired;
    record! {
        agent: row.agent,
        pooled: row.agent.is_none(),
        metric: row.number.id(),
        better: row.number.better(),
        ..conditions,
        n: paired.n,
        wins: row.tasks_won(),
        ties: paired.ties,
        losses: row.tasks_lost(),
        mean_a: mean_record(&row.a),
        mean_b: mean_record(&row.b),
        mean_gap: paired.mean_gap.value.ok(),
        wilcoxon: paired.wilcoxon.as_ref().ok().map(|test| wilcoxon_record(test, row.holm, family)),
        cohen_d: paired.cohen_d.value.ok(),
        ci95: paired.mean_gap.interval.ok(),
        cohen_d_ci95: paired.cohen_d.interval.ok(),
        not_defined: undefined_reasons([
            ("mean_gap", paired.mean_gap.value.err()),
            ("wilcoxon", paired.wilcoxon.err()),
            ("cohen_d", paired.cohen_d.value.err()),
            ("ci95", paired.mean_gap.interval.err()),
            ("cohen_d_ci95", paired.cohen_d.interval.err()),
        ]),
    }
}

fn mean_record(estimate: &Estimate) -> Json {
    record! { mean: estimate.value.ok(), ci95: estimate.interval.ok() }
}

/// Returns the JSON of a Wilcoxon test: `p_holm` is adjusted for the tests of the family, and null if neither side can
/// be the better; `p_normal` is the p-value of the normal approximation, whatever the method; `n` counts the
/// differences that are not dropped as zeros.
fn wilcoxon_record(test: &Wilcoxon, holm: Option<HolmAdjusted>, family: TestFamily) -> Json {
    record! {
        w: test.w,
        p: test.p,
        p_holm: holm.map(|holm| holm.p),
        adjusted: holm.map(|holm| family.method_text(holm.tests)),
        test: test.method_text(),
        method: test.method.name(),
        p_normal: test.p_normal,
        zeros: test.zeros,
        n: test.n,
    }
}

/// Returns the JSON of the gaps of one task and agent, by the metrics that both sides have; several runs of a side are
/// averaged.
fn per_task_row(row: &PairNumbers<Number>, runs: &[CorpusRunFacts]) -> Json {
    let ids = |side: &[usize]| Json::list(side, |at| Json::new(&runs[*at].id));
    let gap =
        |(number, (a, b)): &(Number, (f64, f64))| (number.id(), record! { a: a, b: b, gap: a - b });
    record! {
        task: row.pair.task,
        agent: row.pair.agent,
        runs_a: ids(&row.pair.a),
        runs_b: ids(&row.pair.b),
        metrics: row.values.iter().map(gap).collect::<BTreeMap<_, _>>(),
    }
}

/// Returns the JSON of the share of one number's gap that a treatment recovers, for one agent. `tasks` were run under
/// all three conditions, null where single-shot is not the better one; `n` counts those with a share, and that of the
/// ratio of means all.
fn recovery_row(row: &TreatmentRecovery) -> Json {
    let (ratio, means) = (row.of_means.ratio, row.of_means.means);
    record! {
        agent: row.agent,
        condition: row.condition,
        metric: row.number.id(),
        tasks: row.tasks.iter().cloned().collect::<BTreeMap<_, _>>(),
        n: row.tasks.iter().filter(|(_, share)| share.is_some()).count(),
        mean: row.mean.value.ok(),
        ci95: row.mean.interval.ok(),
        ratio_of_means: record! {
            value: ratio.value.ok(),
            ci95: ratio.interval.ok(),
            n: row.tasks.len(),
            treated: means.treated,
            emergent: means.emergent,
            single_shot: means.single_shot,
        },
        not_defined: undefined_reasons([
            ("mean", row.mean.value.err()),
            ("ci95", row.mean.interval.err()),
            ("ratio_of_means", ratio.value.err()),
            ("ratio_of_means.ci95", ratio.interval.err()),
        ]),
    }
}

/// Makes the rows of all runs, and those of each agent where there are several.
fn trend_rows(runs: &[CorpusRunFacts], plan: &BootstrapPlan) -> Vec<Json> {
    let agents: BTreeSet<&String> =
        runs.iter().filter_map(|run| run.measured.key.agent.as_ref()).collect();
    let each = Some(agents).filter(|agents| agents.len() > 1).into_iter().flatten().map(Some);
    let groups: Vec<Option<&String>> = std::iter::once(None).chain(each).collect();
    let rows_of_number =
        |number: Number| groups.iter().map(move |agent| trend_row(runs, *agent, number, plan));
    TRENDS.iter().copied().flat_map(rows_of_number).collect()
}

/// Returns the JSON of the trend of a number over checkpoints: `runs` have two measured ones or more, `left_out` have
/// fewer.
fn trend_row(
    runs: &[CorpusRunFacts],
    agent: Option<&String>,
    number: Number,
    plan: &BootstrapPlan,
) -> Json {
    let is_meant =
        |run: &&CorpusRunFacts| agent.is_none() || run.measured.key.agent.as_ref() == agent;
    let series = runs.iter().filter(is_meant).flat_map(|run| &run.series);
    let series = series.filter(|(other, _)| *other == number).map(|(_, series)| series);
    let trend = trend_over_runs(series, plan);
    record! {
        metric: number.id(),
        agent: agent,
        runs: trend.runs,
        rises: trend.rises,
        level: trend.level,
        falls: trend.falls,
        share_rising: trend.share_rising(),
        rising_slopes: trend.rising_slopes,
        slope: trend.slope.value.ok(),
        slope_ci95: trend.slope.interval.ok(),
        left_out: trend.left_out,
        unmeasured_checkpoints: trend.unmeasured,
        not_defined: undefined_reasons([
            ("slope", trend.slope.value.err()),
            ("slope_ci95", trend.slope.interval.err()),
        ]),
    }
}

/// Correlates the share of passing tests with IF50: over all runs, then over those of each condition.
fn correlation_rows(runs: &[MeasuredRun]) -> Vec<Json> {
    let conditions: BTreeSet<&String> =
        runs.iter().filter_map(|run| run.key.condition.as_ref()).collect();
    let each = conditions.into_iter().map(Some);
    std::iter::once(None).chain(each).map(|condition| correlation_row(runs, condition)).collect()
}

fn correlation_row(runs: &[MeasuredRun], condition: Option<&String>) -> Json {
    let (x, y) = (Number::Tests, Number::If50);
    let is_meant =
        |run: &&MeasuredRun| condition.is_none() || run.key.condition.as_ref() == condition;
    let found = correlate_numbers(runs.iter().filter(is_meant), x, y);
    record! {
        x: x.id(),
        y: y.id(),
        condition: condition,
        n: found.n,
        pearson: found.pearson.ok(),
        spearman: found.spearman.ok(),
        not_defined: undefined_reasons([
            ("pearson", found.pearson.err()),
            ("spearman", found.spearman.err()),
        ]),
    }
}
