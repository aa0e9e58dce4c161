//! Two groups on the same tasks: McNemar's test for outcomes, Wilcoxon's for the share of passes and for rewards.

use std::collections::BTreeMap;

use super::{
    ErrorRule, GroupKey, TaskKey, TaskTally, TrialRecord, common_reward_name, known_reward,
    trials_by_task,
};
use crate::{
    bootstrap::BootstrapPlan,
    maths::mean,
    paired::{HolmAdjusted, PairedComparison, compare_pairs},
    undefined::Undefined,
};

/// Outcomes of the same tasks in two groups.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedOutcomes {
    pub a: GroupKey,
    pub b: GroupKey,
    /// Tasks with a counted trial in both.
    pub tasks: usize,
    /// Those of them with several counted trials in one: McNemar's test takes the first of each.
    pub repeated_tasks: usize,
    pub mcnemar: Result<McNemar, Undefined>,
    /// The adjusted p-value of McNemar's test among all pairs of groups of a table; the caller fills it.
    pub holm: Option<HolmAdjusted>,
    /// The share of counted trials that pass, of each task.
    pub pass_share: PairedComparison,
    /// The mean reward of each task with one in both groups; the reason where the rewards have several names.
    pub reward: Result<PairedComparison, Undefined>,
}

/// McNemar's exact test of whether two groups pass the same tasks equally often.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct McNemar {
    /// Tasks that both pass, only the first, only the second, and neither.
    pub both: usize,
    pub only_a: usize,
    pub only_b: usize,
    pub neither: usize,
    /// Two-sided.
    pub p: f64,
}

impl McNemar {
    /// Returns the number of tasks that decide the test: those that only one side passed.
    pub const fn discordant(&self) -> usize {
        self.only_a + self.only_b
    }
}

/// Computes McNemar's test (Psychometrika 12, 1947), exact: discordant tasks fall to either side with a chance of one half, so that p
/// is twice the binomial probability of at most the smaller of the two counts, 1 at most. As `scipy.stats.binomtest` and
/// `statsmodels.stats.contingency_tables.mcnemar(exact=True)`. Without a discordant task p is 1.
///
/// # Errors
///
/// If there is no task.
pub fn mcnemar_test(outcomes: &[(bool, bool)]) -> Result<McNemar, Undefined> {
    if outcomes.is_empty() {
        return Err(Undefined::NoPairs);
    }
    let count = |pair: (bool, bool)| outcomes.iter().filter(|it| **it == pair).count();
    let (only_a, only_b) = (count((true, false)), count((false, true)));
    Ok(McNemar {
        both: count((true, true)),
        only_a,
        only_b,
        neither: count((false, false)),
        p: (2.0 * lower_binomial(only_a.min(only_b), only_a + only_b)).min(1.0),
    })
}

/// Computes the probability of at most `most` heads of `count` fair coins, `most` at most half of them.
fn lower_binomial(most: usize, count: usize) -> f64 {
    // The largest term as a logarithm, since a power of 1/2 leaves the range of numbers above 1,000 coins; the others by
    // their ratio to the one above.
    let log_term: f64 = (1..=most).map(|i| ((count - most + i) as f64 / i as f64).ln()).sum();
    let log_term = log_term - count as f64 * std::f64::consts::LN_2;
    let (mut term, mut sum) = (1.0, 1.0);
    for i in (1..=most).rev() {
        term *= i as f64 / (count - i + 1) as f64;
        sum += term;
    }
    log_term.exp() * sum
}

/// Compares two groups over the tasks that both have. Trials without a task are in no pair.
pub fn paired_outcomes(
    (a, a_trials): (&GroupKey, &[&TrialRecord]),
    (b, b_trials): (&GroupKey, &[&TrialRecord]),
    rule: ErrorRule,
    plan: &BootstrapPlan,
) -> PairedOutcomes {
    let (a_tasks, b_tasks) = (named_tasks(a_trials), named_tasks(b_trials));
    let both: Vec<_> =
        a_tasks.iter().filter_map(|(task, a)| Some((a, b_tasks.get(task)?))).collect();
    let first = |trials: &[&TrialRecord]| {
        trials.iter().find_map(|trial| rule.counts_as_pass(trial.outcome))
    };
    let firsts: Vec<(bool, bool)> =
        both.iter().filter_map(|(a, b)| first(a).zip(first(b))).collect();
    let tallies =
        both.iter().map(|(a, b)| (TaskTally::of_trials(a, rule), TaskTally::of_trials(b, rule)));
    let tallies: Vec<_> = tallies.filter(|(a, b)| a.counted > 0 && b.counted > 0).collect();
    let share = |tally: &TaskTally| tally.passed as f64 / tally.counted as f64;
    let shares: Vec<(f64, f64)> = tallies.iter().map(|(a, b)| (share(a), share(b))).collect();
    PairedOutcomes {
        a: a.clone(),
        b: b.clone(),
        tasks: tallies.len(),
        repeated_tasks: tallies.iter().filter(|(a, b)| a.counted > 1 || b.counted > 1).count(),
        mcnemar: mcnemar_test(&firsts),
        holm: None,
        pass_share: compare_pairs(&shares, plan),
        reward: reward_pairs(&both).map(|pairs| compare_pairs(&pairs, plan)),
    }
}

type TaskTrials<'a> = Vec<&'a TrialRecord>;

fn named_tasks<'a>(trials: &[&'a TrialRecord]) -> BTreeMap<TaskKey<'a>, TaskTrials<'a>> {
    let tasks = trials_by_task(trials).into_iter();
    tasks.filter_map(|trials| Some((trials.first()?.task_key()?, trials))).collect()
}

/// Returns the mean rewards of each task in both groups.
fn reward_pairs(
    tasks: &[(&TaskTrials<'_>, &TaskTrials<'_>)],
) -> Result<Vec<(f64, f64)>, Undefined> {
    let rewards = |trials: &TaskTrials<'_>| -> Vec<f64> {
        trials.iter().filter_map(|trial| known_reward(trial)).collect()
    };
    let known: Vec<_> =
        tasks.iter().filter(|(a, b)| !rewards(a).is_empty() && !rewards(b).is_empty()).collect();
    let trials = known.iter().flat_map(|(a, b)| a.iter().chain(b.iter())).copied();
    common_reward_name(trials.filter(|trial| known_reward(trial).is_some()))?;
    Ok(known.iter().map(|(a, b)| (mean(&rewards(a)), mean(&rewards(b)))).collect())
}
