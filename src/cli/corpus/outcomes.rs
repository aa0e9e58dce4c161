//! The outcomes of trials in the JSON and the tables of `corpus`: pass rates, repeats, the cost of a pass, groups paired by
//! task.

use clap::ValueEnum;
use rayon::prelude::*;

use crate::cli::output::{
    FieldName, Json, OutputTable, TableColumn, cell_or_dash, cell_or_empty, record,
};
use trajview_run::{
    Outcome,
    format_number::{duration_text, with_thousands},
};
use trajview_study::{
    BootstrapPlan,
    outcomes::{
        ErrorRule, GroupKey, GroupOutcomes, OutcomeCounts, OutcomePlan, PairedOutcomes, PassAtK,
        PassRate, RewardFacts, SpendingMeasure, SpentPerPass, TaskOutcomes, TrialRecord,
        TrialSpending, default_ks, group_outcomes, paired_outcomes, task_outcomes, trials_by_group,
    },
    paired::{PairedComparison, holm_adjust},
    undefined_reasons,
};

use super::run_facts::CorpusRunFacts;

/// Groups of which every two are compared; of more only the first.
const MOST_PAIRED_GROUPS: usize = 12;

#[derive(Debug, clap::Args)]
pub struct OutcomeArgs {
    /// Group the trials by these
    #[arg(
        long,
        value_enum,
        value_name = "WHAT,…",
        value_delimiter = ',',
        default_value = "agent,model,condition"
    )]
    by: Vec<OutcomeGrouping>,
    /// How trials count that ended with an error, a timeout or a limit
    #[arg(long, value_enum, value_name = "RULE", default_value_t = ErrorChoice::Failures)]
    errors: ErrorChoice,
    /// The numbers of trials k of pass@k and pass^k. Default: 1, 2, 4, 8 and so on up to the number of trials that at least half
    /// of the tasks have, and that number
    #[arg(long = "k", value_name = "K,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=10_000))]
    ks: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OutcomeGrouping {
    Agent,
    Model,
    Condition,
    Task,
}

impl OutcomeGrouping {
    fn value_of_trial(self, trial: &TrialOfRun) -> Option<String> {
        match self {
            Self::Agent => trial.agent.clone(),
            Self::Model => trial.model.clone(),
            Self::Condition => trial.condition.clone(),
            Self::Task => trial.record.task.clone(),
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Model => "model",
            Self::Condition => "condition",
            Self::Task => "task",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ErrorChoice {
    /// All three are failures
    Failures,
    /// None of the three counts
    LeftOut,
    /// Timeouts and limits are failures, errors do not count
    Apart,
}

impl ErrorChoice {
    const fn rule(self) -> ErrorRule {
        match self {
            Self::Failures => ErrorRule::Failures,
            Self::LeftOut => ErrorRule::LeftOut,
            Self::Apart => ErrorRule::Apart,
        }
    }
}

/// The trial of a run, and what groups can have in common.
#[derive(Debug, Clone, Default)]
pub(crate) struct TrialOfRun {
    pub agent: Option<String>,
    pub model: Option<String>,
    pub condition: Option<String>,
    /// Without its group.
    pub record: TrialRecord,
}

impl TrialOfRun {
    /// Returns the trial of a run; its task is that of the harness, otherwise that of the recording.
    pub fn for_run(run: &CorpusRunFacts) -> Self {
        let (key, trial) = (&run.identity.key, &run.trial);
        Self {
            agent: key.agent.clone(),
            model: run.model.clone(),
            condition: key.condition.clone(),
            record: TrialRecord {
                group: vec![],
                task: trial.task.clone(),
                task_set: key.task_set.clone(),
                attempt: trial.attempt,
                outcome: trial.outcome,
                reward: trial.reward,
                reward_name: trial.reward_name.clone(),
                spent: TrialSpending {
                    recorded_usd: run.spent.recorded_usd,
                    computed_usd: run.spent.cost_computed_usd,
                    tokens: run.tokens.total().map(|tokens| tokens as f64),
                    seconds: run.seconds,
                },
            },
        }
    }

    fn record_in_group(&self, by: &[OutcomeGrouping]) -> TrialRecord {
        let group = by.iter().map(|grouping| grouping.value_of_trial(self)).collect();
        TrialRecord { group, ..self.record.clone() }
    }
}

/// Makes the section of the outcomes; null if no trial has one.
pub(crate) fn outcomes_record(
    trials: &[TrialOfRun],
    args: &OutcomeArgs,
    bootstrap: &BootstrapPlan,
) -> Json {
    if trials.iter().all(|trial| trial.record.outcome.is_none()) {
        return Json::Null;
    }
    let trials: Vec<TrialRecord> =
        trials.iter().map(|trial| trial.record_in_group(&args.by)).collect();
    let groups: Vec<(&GroupKey, Vec<&TrialRecord>)> =
        trials_by_group(&trials).into_iter().collect();
    let rule = args.errors.rule();
    let mut plan = OutcomePlan { errors: rule, ks: vec![], bootstrap: *bootstrap };
    let tasks: Vec<TaskOutcomes> =
        groups.iter().flat_map(|(group, trials)| task_outcomes(group, trials, &plan)).collect();
    plan.ks = match args.ks.as_slice() {
        [] => default_ks(tasks.iter().map(|task| task.rates[rule as usize].counted).collect()),
        ks => ks.iter().map(|k| *k as usize).collect(),
    };
    plan.ks.sort_unstable();
    plan.ks.dedup();
    let evaluate =
        |(group, trials): &(&GroupKey, Vec<&TrialRecord>)| group_outcomes(group, trials, &plan);
    let evaluated: Vec<GroupOutcomes> = groups.par_iter().map(evaluate).collect();
    let group_names = |group: &GroupKey| group_fields(&args.by, group);
    // The names of a group, and the rule by which its trials count.
    let names = |group: &GroupKey| record! { ..group_fields(&args.by, group), errors: rule.word() };
    let paired = pair_groups(&groups, rule, bootstrap);
    record! {
        by: Json::list(&args.by, |it| Json::new(it.word())),
        errors: rule.word(),
        k: plan.ks,
        groups: Json::list(&evaluated, |it| group_row(it, names(&it.group))),
        at_k: evaluated
            .iter()
            .flat_map(|it| it.at_k.iter().map(|at_k| at_k_row(at_k, names(&it.group))))
            .collect::<Vec<_>>(),
        per_pass: evaluated
            .iter()
            .flat_map(|it| it.spent.iter().map(|spent| spent_row(spent, group_names(&it.group))))
            .collect::<Vec<_>>(),
        tasks: Json::list(&tasks, |it| task_row(it, names(&it.group))),
        outcome_pairs: Json::list(&paired, |it| paired_row(it, &args.by, rule)),
        // Groups that are in no pair, since there are too many.
        unpaired_groups: groups.len().saturating_sub(MOST_PAIRED_GROUPS),
    }
}

/// Returns the four names of a group; null where it is not grouped by one, and where it is not recorded.
fn group_fields(by: &[OutcomeGrouping], group: &GroupKey) -> Json {
    let field = |grouping: &OutcomeGrouping| -> (FieldName, Json) {
        let at = by.iter().position(|it| it == grouping);
        let value = at.and_then(|at| group.get(at)).cloned().flatten();
        (grouping.word().into(), Json::new(&value))
    };
    Json::Record(OutcomeGrouping::value_variants().iter().map(field).collect())
}

/// Compares every two groups that have tasks in common; p of McNemar's tests is adjusted for all of them.
fn pair_groups(
    groups: &[(&GroupKey, Vec<&TrialRecord>)],
    rule: ErrorRule,
    bootstrap: &BootstrapPlan,
) -> Vec<PairedOutcomes> {
    let groups = &groups[..groups.len().min(MOST_PAIRED_GROUPS)];
    let two_of_them = groups
        .iter()
        .enumerate()
        .flat_map(|(at, a)| groups.iter().skip(at + 1).map(move |b| (a, b)));
    let two_of_them: Vec<_> = two_of_them.collect();
    let compare =
        |((a, a_trials), (b, b_trials)): &(&(&GroupKey, Vec<_>), &(&GroupKey, Vec<_>))| {
            paired_outcomes((a, a_trials), (b, b_trials), rule, bootstrap)
        };
    let mut pairs: Vec<PairedOutcomes> = two_of_them.par_iter().map(compare).collect();
    pairs.retain(|pair| pair.tasks > 0);
    let p_of = |pair: &PairedOutcomes| pair.mcnemar.ok().map(|test| test.p);
    let raw: Vec<f64> = pairs.iter().filter_map(p_of).collect();
    let tested = pairs.iter_mut().filter(|pair| p_of(pair).is_some());
    tested.zip(holm_adjust(&raw)).for_each(|(pair, holm)| pair.holm = Some(holm));
    pairs
}

fn counts_record(counts: &OutcomeCounts) -> Json {
    let count = |outcome: Outcome| -> (FieldName, Json) {
        (outcome.word().into(), Json::new(&counts.with_outcome(outcome)))
    };
    let all = Outcome::ALL.map(count).into_iter();
    Json::Record(all.chain([("not_recorded".into(), Json::new(&counts.not_recorded))]).collect())
}

fn rates_record(rates: &[PassRate; 3]) -> Json {
    let rate = |(rule, rate): (ErrorRule, &PassRate)| -> (FieldName, Json) {
        let row = record! {
            passed: rate.passed,
            counted: rate.counted,
            rate: rate.rate.ok(),
            ci95: rate.interval.ok(),
        };
        (rate_field(rule).into(), row)
    };
    Json::Record(ErrorRule::ALL.into_iter().zip(rates).map(rate).collect())
}

fn reward_record(rewards: &RewardFacts) -> Json {
    record! {
        name: rewards.name,
        trials: rewards.trials,
        mean: rewards.mean.value.ok(),
        ci95: rewards.mean.interval.ok(),
        spread_within_task: rewards.spread.ok(),
        tasks_with_repeats: rewards.spread_tasks,
        not_defined: undefined_reasons([
            ("mean", rewards.mean.value.err()),
            ("ci95", rewards.mean.interval.err()),
            ("spread_within_task", rewards.spread.err()),
        ]),
    }
}

/// Returns the JSON of a group: `pass_rate` has one rate for each rule for errors; `flaky_tasks` are tasks of which
/// some counted trials pass and some do not, among `tasks_with_repeats`.
fn group_row(it: &GroupOutcomes, names: Json) -> Json {
    record! {
        ..names,
        trials: it.counts.all_trials(),
        tasks: it.tasks,
        ..counts_record(&it.counts),
        pass_rate: rates_record(&it.rates),
        tasks_with_repeats: it.repeats.tasks,
        flaky_tasks: it.repeats.flaky,
        most_trials_of_a_task: it.repeats.most_trials,
        reward: reward_record(&it.rewards),
    }
}

fn task_row(it: &TaskOutcomes, names: Json) -> Json {
    // A group by task has the same name.
    let names = names.into_fields().into_iter().filter(|(name, _)| name != "task").collect();
    record! {
        ..Json::Record(names),
        task: it.task,
        trials: it.counts.all_trials(),
        ..counts_record(&it.counts),
        pass_rate: rates_record(&it.rates),
        flaky: it.flaky,
        reward: reward_record(&it.rewards),
    }
}

/// Returns the JSON for one k: `pass_at_k` is the chance that one of k trials passes, `pass_hat_k` (pass^k) that all
/// do.
fn at_k_row(it: &PassAtK, names: Json) -> Json {
    record! {
        ..names,
        k: it.k,
        tasks: it.tasks,
        tasks_left_out: it.tasks_left_out,
        pass_at_k: it.any.value.ok(),
        pass_at_k_ci95: it.any.interval.ok(),
        pass_hat_k: it.all.value.ok(),
        pass_hat_k_ci95: it.all.interval.ok(),
        not_defined: undefined_reasons([
            ("pass_at_k", it.any.value.err()),
            ("pass_at_k_ci95", it.any.interval.err()),
            ("pass_hat_k", it.all.value.err()),
            ("pass_hat_k_ci95", it.all.interval.err()),
        ]),
    }
}

/// Returns the JSON of what was spent: `per_pass` is all that the trials spent by the number of passes,
/// `mean_of_passed` the mean over the passed trials.
fn spent_row(it: &SpentPerPass, names: Json) -> Json {
    record! {
        ..names,
        measure: it.measure.word(),
        trials: it.trials,
        passed: it.passed,
        without_value: it.without_value,
        per_pass: it.per_pass.value.ok(),
        per_pass_ci95: it.per_pass.interval.ok(),
        mean_of_passed: it.mean_of_passed.value.ok(),
        mean_of_passed_ci95: it.mean_of_passed.interval.ok(),
        not_defined: undefined_reasons([
            ("per_pass", it.per_pass.value.err()),
            ("per_pass_ci95", it.per_pass.interval.err()),
            ("mean_of_passed", it.mean_of_passed.value.err()),
            ("mean_of_passed_ci95", it.mean_of_passed.interval.err()),
        ]),
    }
}

/// Returns the JSON of two groups. McNemar's test takes the first counted trial of each task, `pass_share` and `reward`
/// the mean of all of them.
fn paired_row(it: &PairedOutcomes, by: &[OutcomeGrouping], rule: ErrorRule) -> Json {
    let test = it.mcnemar.ok().map(|test| {
        record! {
            both: test.both,
            only_a: test.only_a,
            only_b: test.only_b,
            neither: test.neither,
            discordant: test.discordant(),
            p: test.p,
            p_holm: it.holm.map(|holm| holm.p),
            tests: it.holm.map(|holm| holm.tests),
            method: "exact",
        }
    });
    record! {
        a: group_fields(by, &it.a),
        b: group_fields(by, &it.b),
        errors: rule.word(),
        tasks: it.tasks,
        tasks_with_repeats: it.repeated_tasks,
        mcnemar: test,
        pass_share: comparison_record(&it.pass_share),
        reward: it.reward.as_ref().ok().map(comparison_record),
        not_defined: undefined_reasons([("mcnemar", it.mcnemar.err()), ("reward", it.reward.as_ref().err().copied())]),
    }
}

fn comparison_record(it: &PairedComparison) -> Json {
    record! {
        n: it.n,
        higher: it.higher,
        ties: it.ties,
        lower: it.lower,
        mean_gap: it.mean_gap.value.ok(),
        ci95: it.mean_gap.interval.ok(),
        w: it.wilcoxon.ok().map(|test| test.w),
        p: it.wilcoxon.ok().map(|test| test.p),
        test: it.wilcoxon.ok().map(|test| test.method_text()),
        not_defined: undefined_reasons([
            ("mean_gap", it.mean_gap.value.err()),
            ("ci95", it.mean_gap.interval.err()),
            ("wilcoxon", it.wilcoxon.err()),
        ]),
    }
}

/// The columns of the three pass rates of a row.
macro_rules! rate_columns {
    () => {
        "pass_rate_errors_failures=pass_rate.failures.rate failures_ci95_low=pass_rate.failures.ci95.0 \
         failures_ci95_high=pass_rate.failures.ci95.1 failures_counted=pass_rate.failures.counted \
         pass_rate_errors_left_out=pass_rate.left_out.rate left_out_ci95_low=pass_rate.left_out.ci95.0 \
         left_out_ci95_high=pass_rate.left_out.ci95.1 left_out_counted=pass_rate.left_out.counted \
         pass_rate_errors_apart=pass_rate.apart.rate apart_ci95_low=pass_rate.apart.ci95.0 \
         apart_ci95_high=pass_rate.apart.ci95.1 apart_counted=pass_rate.apart.counted "
    };
}

/// The columns of the rewards of a row.
macro_rules! reward_columns {
    () => {
        "reward_name=reward.name reward_mean=reward.mean reward_ci95_low=reward.ci95.0 reward_ci95_high=reward.ci95.1 \
         reward_spread_within_task=reward.spread_within_task"
    };
}

pub(crate) const GROUP_CSV_COLUMNS: &str = concat!(
    "agent model condition task errors trials tasks passed failed partial error timeout limit unscored not_recorded ",
    rate_columns!(),
    "tasks_with_repeats flaky_tasks most_trials_of_a_task ",
    reward_columns!()
);

pub(crate) const TASK_CSV_COLUMNS: &str = concat!(
    "agent model condition task errors trials passed failed partial error timeout limit unscored not_recorded ",
    rate_columns!(),
    "flaky ",
    reward_columns!()
);

pub(crate) const AT_K_CSV_COLUMNS: &str = "agent model condition task errors k tasks tasks_left_out pass_at_k \
    pass_at_k_ci95_low=pass_at_k_ci95.0 pass_at_k_ci95_high=pass_at_k_ci95.1 pass_hat_k \
    pass_hat_k_ci95_low=pass_hat_k_ci95.0 pass_hat_k_ci95_high=pass_hat_k_ci95.1 why=not_defined";

pub(crate) const SPENT_CSV_COLUMNS: &str = "agent model condition task measure trials passed without_value per_pass \
    per_pass_ci95_low=per_pass_ci95.0 per_pass_ci95_high=per_pass_ci95.1 mean_of_passed \
    mean_of_passed_ci95_low=mean_of_passed_ci95.0 mean_of_passed_ci95_high=mean_of_passed_ci95.1 why=not_defined";

pub(crate) const PAIRED_CSV_COLUMNS: &str = "agent_a=a.agent model_a=a.model condition_a=a.condition task_a=a.task \
    agent_b=b.agent model_b=b.model condition_b=b.condition task_b=b.task errors tasks tasks_with_repeats both=mcnemar.both \
    only_a=mcnemar.only_a only_b=mcnemar.only_b neither=mcnemar.neither p=mcnemar.p p_holm=mcnemar.p_holm \
    tests=mcnemar.tests pass_share_n=pass_share.n pass_share_gap=pass_share.mean_gap pass_share_ci95_low=pass_share.ci95.0 \
    pass_share_ci95_high=pass_share.ci95.1 pass_share_w=pass_share.w pass_share_p=pass_share.p reward_n=reward.n reward_gap=reward.mean_gap \
    reward_ci95_low=reward.ci95.0 reward_ci95_high=reward.ci95.1 reward_w=reward.w reward_p=reward.p";

/// A table with the sentence above it.
pub(crate) type TitledTable = (String, OutputTable);

/// Makes the tables of the section; none if it is null.
pub(crate) fn outcome_tables(outcomes: &Json) -> Vec<TitledTable> {
    if outcomes.is_null() {
        return vec![];
    }
    let chosen = outcomes.text("errors").and_then(ErrorRule::by_word).unwrap_or_default();
    let rule = match chosen {
        ErrorRule::Failures => "errors, timeouts and limits are failures",
        ErrorRule::LeftOut => "errors, timeouts and limits do not count",
        ErrorRule::Apart => "timeouts and limits are failures, errors do not count",
    };
    let mut tables = vec![(
        format!(
            "outcomes of trials: pass rate [95 % Wilson], {rule}; trials that are not scored or have no outcome are in no rate"
        ),
        group_table(outcomes, chosen),
    )];
    let mut add = |title: String, table: OutputTable, is_shown: bool| {
        tables.extend(is_shown.then_some((title, table)));
    };
    let has_value =
        |rows: &str, field: &str| outcomes.rows(rows).iter().any(|it| !it.field(field).is_null());
    add(
        format!(
            "chance that one of k trials of a task passes (pass@k), and that all k do (pass^k): means over tasks with k trials [95 % BCa over tasks]; {rule}"
        ),
        at_k_table(outcomes),
        has_value("at_k", "pass_at_k"),
    );
    add(
        "cost of a passed trial: all that the trials spent divided by the passes, and the mean of the passed ones alone [95 % BCa over tasks]".into(),
        spent_table(outcomes),
        has_value("per_pass", "per_pass"),
    );
    add(
        format!("flaky tasks: some trials pass and some do not; {rule}"),
        flaky_table(outcomes),
        outcomes.rows("tasks").iter().any(|it| it.flag("flaky")),
    );
    add(
        format!(
            "groups paired by task: McNemar's exact test on the first trial of each task, Wilcoxon's on shares of passes and on rewards; gaps are the first minus the second [95 % BCa over tasks]; {rule}"
        ),
        paired_table(outcomes),
        !outcomes.rows("outcome_pairs").is_empty(),
    );
    tables
}

/// Returns sentences on what the tables leave out.
pub(crate) fn outcome_notes(outcomes: &Json) -> Vec<String> {
    let unpaired = if outcomes.is_null() { 0 } else { outcomes.count("unpaired_groups") };
    let note = format!(
        "only the first {MOST_PAIRED_GROUPS} groups are paired, {unpaired} are not; --by with fewer words makes fewer groups"
    );
    (unpaired > 0).then_some(note).into_iter().collect()
}

/// Returns the columns that name a group, each with whether it is shown; one of which no row has a value is hidden.
fn name_columns<'a>(rows: &[Json]) -> Vec<(bool, TableColumn<'a, Json>)> {
    let has = |field: &str| rows.iter().any(|it| !it.field(field).is_null());
    vec![
        (has("agent"), ("agent", &|it: &Json| it.cell("agent"))),
        (has("model"), ("model", &|it: &Json| it.cell("model"))),
        (has("condition"), ("condition", &|it: &Json| it.cell("condition"))),
        (has("task"), ("task", &|it: &Json| it.cell("task"))),
    ]
}

/// Makes a table of the names of the groups and further columns; the names are its keys.
fn named_table<'a>(
    rows: &'a [Json],
    columns: impl IntoIterator<Item = (bool, TableColumn<'a, Json>)>,
) -> OutputTable {
    let names = name_columns(rows);
    let keys = names.iter().filter(|(is_shown, _)| *is_shown).count().max(1);
    OutputTable::from_shown(names.into_iter().chain(columns), rows).with_keys(keys)
}

/// Returns the table of groups. The pass rate by the chosen rule comes before those by the other two, which are hidden
/// where they count the same trials.
fn group_table(outcomes: &Json, chosen: ErrorRule) -> OutputTable {
    let rows = outcomes.rows("groups");
    let any = |field: &str| rows.iter().any(|it| it.count(field) > 0);
    let counted =
        |it: &Json, rule: ErrorRule| it.field("pass_rate").field(rate_field(rule)).count("counted");
    let shown_rate = |rule: ErrorRule| {
        let differs = |it: &Json| counted(it, rule) != counted(it, chosen);
        let (head, cell) = rate_column(rule);
        let head = if rule == chosen { "pass rate" } else { head };
        (rule == chosen || rows.iter().any(differs), (head, cell))
    };
    let other_rules = ErrorRule::ALL.into_iter().filter(|rule| *rule != chosen);
    let rates = [chosen].into_iter().chain(other_rules).map(shown_rate);
    let has_reward = |field: &str| rows.iter().any(|it| !it.field("reward").field(field).is_null());
    let counts: [(bool, TableColumn<'_, Json>); 10] = [
        (true, (">trials", &|it| it.cell("trials"))),
        (true, (">tasks", &|it| it.cell("tasks"))),
        (true, (">passed", &|it| it.cell("passed"))),
        (any("failed"), (">failed", &|it| it.cell("failed"))),
        (any("partial"), (">partial", &|it| it.cell("partial"))),
        (any("error"), (">error", &|it| it.cell("error"))),
        (any("timeout"), (">timeout", &|it| it.cell("timeout"))),
        (any("limit"), (">limit", &|it| it.cell("limit"))),
        (any("unscored"), (">unscored", &|it| it.cell("unscored"))),
        (any("not_recorded"), (">no outcome", &|it| it.cell("not_recorded"))),
    ];
    let repeats_and_rewards: [(bool, TableColumn<'_, Json>); 4] = [
        (any("tasks_with_repeats"), (">flaky tasks", &flaky_cell)),
        (has_reward("name"), ("reward", &|it| it.cell("reward.name"))),
        (has_reward("mean"), ("mean reward", &|it| it.interval_cell("reward.mean", "reward.ci95"))),
        (
            has_reward("spread_within_task"),
            (">spread", &|it| it.share_cell("reward.spread_within_task")),
        ),
    ];
    named_table(rows, counts.into_iter().chain(rates).chain(repeats_and_rewards))
}

/// Returns the name of a rule in the pass rates of a row.
const fn rate_field(rule: ErrorRule) -> &'static str {
    match rule {
        ErrorRule::Failures => "failures",
        ErrorRule::LeftOut => "left_out",
        ErrorRule::Apart => "apart",
    }
}

fn rate_column<'a>(rule: ErrorRule) -> TableColumn<'a, Json> {
    match rule {
        ErrorRule::Failures => ("errors as failures", &|it| rate_cell(it, ErrorRule::Failures)),
        ErrorRule::LeftOut => ("errors left out", &|it| rate_cell(it, ErrorRule::LeftOut)),
        ErrorRule::Apart => ("errors apart", &|it| rate_cell(it, ErrorRule::Apart)),
    }
}

/// Returns `0.667 [0.300, 0.903] of 6`.
fn rate_cell(row: &Json, rule: ErrorRule) -> String {
    let rate = row.field("pass_rate").field(rate_field(rule));
    match rate.count("counted") {
        0 => "-".into(),
        counted => format!("{} of {counted}", rate.interval_cell("rate", "ci95")),
    }
}

/// Returns `3 of 12`: flaky tasks among those with repeats; `-` where they are not known.
fn flaky_cell(row: &Json) -> String {
    match row.number("flaky_tasks") {
        Some(flaky) => format!("{flaky} of {}", row.cell("tasks_with_repeats")),
        None => "-".into(),
    }
}

fn at_k_table(outcomes: &Json) -> OutputTable {
    let rows = outcomes.rows("at_k");
    let has_fewer = rows.iter().any(|it| it.count("tasks_left_out") > 0);
    let columns: [(bool, TableColumn<'_, Json>); 5] = [
        (true, (">k", &|it| it.cell("k"))),
        (true, (">tasks", &|it| it.cell("tasks"))),
        (has_fewer, (">with fewer trials", &|it| it.cell("tasks_left_out"))),
        (true, ("pass@k", &|it| it.interval_cell("pass_at_k", "pass_at_k_ci95"))),
        (true, ("pass^k", &|it| it.interval_cell("pass_hat_k", "pass_hat_k_ci95"))),
    ];
    named_table(rows, columns)
}

fn spent_table(outcomes: &Json) -> OutputTable {
    let rows = outcomes.rows("per_pass").iter().filter(|it| it.count("trials") > 0);
    let names = name_columns(outcomes.rows("per_pass"));
    let keys = names.iter().filter(|(is_shown, _)| *is_shown).count() + 1;
    let columns: [(bool, TableColumn<'_, Json>); 6] = [
        (true, ("measure", &|it| it.cell("measure").replace('_', " "))),
        (true, (">trials", &|it| it.cell("trials"))),
        (true, (">passed", &|it| it.cell("passed"))),
        (true, (">no value", &|it| it.cell("without_value"))),
        (true, ("per pass", &|it| spent_cell(it, "per_pass"))),
        (true, ("mean of passed", &|it| spent_cell(it, "mean_of_passed"))),
    ];
    OutputTable::from_shown(names.into_iter().chain(columns), rows).with_keys(keys)
}

/// Returns a value with its interval in the form of its measure: `1,111,652 [258,713, 2,435,182]`, `12m 0s`; the reason where
/// there is none.
fn spent_cell(row: &Json, field: &str) -> String {
    if let Some(why) = row.text(&format!("not_defined.{field}?")) {
        return why.to_owned();
    }
    let in_form = |value: f64| match row.text("measure").and_then(SpendingMeasure::by_word) {
        Some(SpendingMeasure::Tokens) => with_thousands(value.round().max(0.0) as u64),
        Some(SpendingMeasure::Seconds) => duration_text(value),
        _ => format!("{value:.4}"),
    };
    let ends = row.interval(&format!("{field}_ci95"));
    let ends = ends.map(|it| format!(" [{}, {}]", in_form(it.low), in_form(it.high)));
    cell_or_dash(row.number(field).map(in_form)) + &cell_or_empty(ends)
}

fn flaky_table(outcomes: &Json) -> OutputTable {
    let rows = outcomes.rows("tasks");
    let names = name_columns(rows);
    let keys = names.iter().filter(|(is_shown, _)| *is_shown).count();
    let columns: [(bool, TableColumn<'_, Json>); 4] = [
        (true, (">trials", &|it| it.cell("trials"))),
        (true, (">passed", &|it| it.cell("passed"))),
        (true, (">mean reward", &|it| it.share_cell("reward.mean"))),
        (true, (">spread", &|it| it.share_cell("reward.spread_within_task"))),
    ];
    let flaky = rows.iter().filter(|it| it.flag("flaky"));
    OutputTable::from_shown(names.into_iter().chain(columns), flaky).with_keys(keys)
}

fn paired_table(outcomes: &Json) -> OutputTable {
    let rows = outcomes.rows("outcome_pairs");
    let has_reward = rows.iter().any(|it| it.count("reward.n") > 0);
    let group = |it: &Json, side: &str| {
        let names = it.fields(side).iter().filter(|(_, value)| !value.is_null());
        let names: Vec<String> = names.map(|(_, value)| value.csv_cell()).collect();
        if names.is_empty() { "-".into() } else { names.join(" · ") }
    };
    let columns: [(bool, TableColumn<'_, Json>); 12] = [
        (true, ("first", &|it| group(it, "a"))),
        (true, ("second", &|it| group(it, "b"))),
        (true, (">tasks", &|it| it.cell("tasks"))),
        (true, (">both pass", &|it| it.cell("mcnemar.both"))),
        (true, (">only first", &|it| it.cell("mcnemar.only_a"))),
        (true, (">only second", &|it| it.cell("mcnemar.only_b"))),
        (true, (">neither", &|it| it.cell("mcnemar.neither"))),
        (true, (">p McNemar", &|it| it.p_cell("mcnemar.p"))),
        (rows.len() > 1, (">p Holm", &|it| it.p_cell("mcnemar.p_holm"))),
        (true, ("gap of shares", &|it| it.interval_cell("pass_share.mean_gap", "pass_share.ci95"))),
        (has_reward, ("gap of rewards", &|it| it.interval_cell("reward.mean_gap", "reward.ci95"))),
        (has_reward, (">p Wilcoxon", &|it| it.p_cell("reward.p"))),
    ];
    OutputTable::from_shown(columns, rows).with_keys(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(agent: &str, task: &str, attempt: u32, outcome: Option<Outcome>) -> TrialOfRun {
        let reward = outcome
            .filter(|it| it.is_scored())
            .map(|it| f64::from(u8::from(it == Outcome::Passed)));
        TrialOfRun {
            agent: Some(agent.into()),
            record: TrialRecord {
                task: Some(task.into()),
                attempt: Some(attempt),
                outcome,
                reward,
                spent: TrialSpending { recorded_usd: Some(0.5), ..TrialSpending::default() },
                ..TrialRecord::default()
            },
            ..TrialOfRun::default()
        }
    }

    fn section(trials: &[TrialOfRun], errors: ErrorChoice, ks: &[u32]) -> Json {
        let args = OutcomeArgs { by: vec![OutcomeGrouping::Agent], errors, ks: ks.to_vec() };
        let plan = BootstrapPlan { resamples: 99, ..BootstrapPlan::default() };
        outcomes_record(trials, &args, &plan)
    }

    fn two_agents() -> Vec<TrialOfRun> {
        use Outcome::{Error, Failed, Passed, Timeout, Unscored};
        vec![
            trial("a", "t1", 1, Some(Passed)),
            trial("a", "t1", 2, Some(Failed)),
            trial("a", "t2", 1, Some(Passed)),
            trial("a", "t2", 2, Some(Passed)),
            trial("a", "t3", 1, Some(Error)),
            trial("a", "t3", 2, Some(Timeout)),
            trial("b", "t1", 1, Some(Failed)),
            trial("b", "t2", 1, Some(Passed)),
            trial("b", "t3", 1, Some(Unscored)),
            trial("b", "t4", 1, None),
        ]
    }

    #[test]
    fn each_group_has_three_pass_rates_and_counts_apart_what_nobody_scored() {
        let found = section(&two_agents(), ErrorChoice::Failures, &[]);

        let [a, b] = found.rows("groups") else { panic!("two groups") };
        let rates = ["failures", "left_out", "apart"].map(|rule| {
            let rate = a.field("pass_rate").field(rule);
            (rate.number("rate").unwrap(), rate.count("counted"))
        });
        assert_eq!(rates, [(0.5, 6), (0.75, 4), (0.6, 5)]);
        assert_eq!((a.count("flaky_tasks"), a.count("tasks_with_repeats")), (1, 3));
        assert_eq!((b.count("unscored"), b.count("not_recorded"), b.count("trials")), (1, 1, 4));
        assert_eq!(b.field("pass_rate").field("failures").count("counted"), 2);
        assert!(b.field("flaky_tasks").is_null());
        assert!(b.field("model").is_null());
    }

    #[test]
    fn repeats_cost_and_pairs_have_a_row_each() {
        let found = section(&two_agents(), ErrorChoice::Failures, &[2, 1]);

        let at_k: Vec<_> = found
            .rows("at_k")
            .iter()
            .map(|it| {
                (it.cell("agent"), it.count("k"), it.number("pass_at_k"), it.number("pass_hat_k"))
            })
            .collect();
        let third = Some(1.0 / 3.0);
        assert_eq!(at_k[0], ("a".into(), 1, Some(0.5), Some(0.5)));
        assert_eq!(at_k[1], ("a".into(), 2, Some(2.0 / 3.0), third));
        assert_eq!(at_k[3], ("b".into(), 2, None, None));
        let cost = &found.rows("per_pass")[0];
        assert_eq!(
            (cost.cell("measure"), cost.number("per_pass")),
            ("recorded_usd".into(), Some(1.0))
        );
        let [pair] = found.rows("outcome_pairs") else { panic!("one pair") };
        assert_eq!(
            (pair.count("tasks"), pair.count("mcnemar.only_a"), pair.number("mcnemar.p")),
            (2, 1, Some(1.0))
        );
    }

    #[test]
    fn the_tables_say_by_which_rule_they_count_and_hide_what_no_row_has() {
        let all = section(&two_agents(), ErrorChoice::Apart, &[]);

        let titles: Vec<String> =
            outcome_tables(&all).into_iter().map(|(title, _)| title).collect();
        assert_eq!(titles.len(), 5);
        let rule = "timeouts and limits are failures, errors do not count";
        assert!(titles[0].contains(rule) && titles[1].ends_with(rule), "{titles:?}");

        let one = section(&[trial("a", "t", 1, Some(Outcome::Passed))], ErrorChoice::Failures, &[]);
        assert_eq!(outcome_tables(&one).len(), 3);
    }

    #[test]
    fn the_rate_by_the_chosen_rule_comes_first_and_each_row_names_the_rule() {
        let by = |errors| {
            let found = section(&two_agents(), errors, &[]);
            let chosen = errors.rule();
            for rows in ["groups", "tasks", "at_k", "outcome_pairs"] {
                assert_eq!(found.rows(rows)[0].text("errors"), Some(chosen.word()), "{rows}");
            }
            format!("{:?}", group_table(&found, chosen))
        };

        let apart = by(ErrorChoice::Apart);
        let heads_and_rates =
            ["pass rate", "errors as failures", "errors left out", "0.600 [", "0.500 [", "0.750 ["];
        let places = heads_and_rates
            .map(|text| apart.find(text).unwrap_or_else(|| panic!("no {text}: {apart}")));
        assert!(places.is_sorted(), "{apart}");
        let failures = by(ErrorChoice::Failures);
        assert!(failures.contains("errors apart") && !failures.contains("errors as failures"));
    }

    #[test]
    fn runs_without_a_harness_have_no_section() {
        let found = section(&[trial("a", "t", 1, None)], ErrorChoice::Failures, &[]);

        assert!(found.is_null());
        assert!(outcome_tables(&found).is_empty() && outcome_notes(&found).is_empty());
    }

    #[test]
    fn every_column_of_a_csv_is_a_field_of_its_rows() {
        let found = section(&two_agents(), ErrorChoice::Failures, &[]);

        for (rows, columns) in [
            ("groups", GROUP_CSV_COLUMNS),
            ("tasks", TASK_CSV_COLUMNS),
            ("at_k", AT_K_CSV_COLUMNS),
            ("per_pass", SPENT_CSV_COLUMNS),
            ("outcome_pairs", PAIRED_CSV_COLUMNS),
        ] {
            let row = &found.rows(rows)[0];
            for column in columns.split_whitespace() {
                row.field(column.split_once('=').map_or(column, |(_, field)| field));
            }
        }
    }
}
