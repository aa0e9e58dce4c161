//! The outcomes of many trials: pass rates, repeats of a task, what a passed trial costs, and two groups paired by task.
//!
//! The outcome of a trial is *recorded* by a harness; everything here is computed from it. A trial that nobody scored, and
//! one whose outcome is not recorded, is never a failure: it is in no rate and counted apart. A `partial` trial was
//! scored and did not pass. What an `error`, a `timeout` and a `limit` are is the choice of [`ErrorRule`].

mod at_k;
mod count_texts;
mod paired_outcomes;
mod rates;
mod spending;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use trajview_run::Outcome;

pub use at_k::{PassAtK, RepeatFacts, default_ks, pass_at_k, pass_hat_k};
pub use paired_outcomes::{McNemar, PairedOutcomes, mcnemar_test, paired_outcomes};
pub use rates::{ErrorRule, OutcomeCounts, PassRate, wilson_interval};
pub use spending::{SpendingMeasure, SpentPerPass, TrialSpending};

use super::{
    bootstrap::{BootstrapPlan, Estimate, bca_estimate},
    maths::mean,
    undefined::{NumberOrReason, Undefined, finite_number},
};

/// What groups are made of: the values of the things that one groups by, in their order; None is not recorded.
pub type GroupKey = Vec<Option<String>>;

/// A trial: where it belongs, and what was recorded of it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TrialRecord {
    pub group: GroupKey,
    /// None is not recorded; such a trial is a task by itself.
    pub task: Option<String>,
    /// The benchmark that the task is from: the same id in two benchmarks is not the same task.
    pub task_set: Option<String>,
    /// The number of the repeat; counts from 1.
    pub attempt: Option<u32>,
    pub outcome: Option<Outcome>,
    pub reward: Option<f64>,
    pub reward_name: Option<String>,
    pub spent: TrialSpending,
}

/// A task, and the benchmark that it is from.
pub(crate) type TaskKey<'a> = (&'a str, Option<&'a str>);

impl TrialRecord {
    pub(crate) fn task_key(&self) -> Option<TaskKey<'_>> {
        Some((self.task.as_deref()?, self.task_set.as_deref()))
    }
}

/// How trials are evaluated.
#[derive(Debug, Clone, PartialEq)]
pub struct OutcomePlan {
    /// The rule of everything but the three pass rates.
    pub errors: ErrorRule,
    /// The numbers of trials of pass@k and pass^k, from 1.
    pub ks: Vec<usize>,
    pub bootstrap: BootstrapPlan,
}

/// The outcomes of one group of trials.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupOutcomes {
    pub group: GroupKey,
    pub tasks: usize,
    pub counts: OutcomeCounts,
    /// The pass rate by each rule, in the order of [`ErrorRule::ALL`].
    pub rates: [PassRate; 3],
    pub at_k: Vec<PassAtK>,
    pub repeats: RepeatFacts,
    pub rewards: RewardFacts,
    /// What a passed trial costs, by each measure, in the order of [`SpendingMeasure::ALL`].
    pub spent: [SpentPerPass; 4],
}

/// The outcomes of one task in one group.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskOutcomes {
    pub group: GroupKey,
    pub task: Option<String>,
    pub counts: OutcomeCounts,
    pub rates: [PassRate; 3],
    /// Whether the counted trials differ; None for fewer than two.
    pub flaky: Option<bool>,
    pub rewards: RewardFacts,
}

/// The rewards of the trials that have one, whatever their outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct RewardFacts {
    pub name: Option<String>,
    pub trials: usize,
    /// The mean over tasks of the mean of each; tasks are resampled.
    pub mean: Estimate,
    /// The pooled standard deviation within tasks: the root of the squared distances from each task's mean, by the sum of
    /// `n - 1` over the tasks with two rewards or more.
    pub spread: NumberOrReason,
    /// The tasks that the spread is of.
    pub spread_tasks: usize,
}

/// Returns the trials by group, in the order of the keys.
pub fn trials_by_group(trials: &[TrialRecord]) -> BTreeMap<&GroupKey, Vec<&TrialRecord>> {
    let mut groups: BTreeMap<&GroupKey, Vec<&TrialRecord>> = BTreeMap::new();
    trials.iter().for_each(|trial| groups.entry(&trial.group).or_default().push(trial));
    groups
}

/// Evaluates the trials of one group.
pub fn group_outcomes(
    group: &GroupKey,
    trials: &[&TrialRecord],
    plan: &OutcomePlan,
) -> GroupOutcomes {
    let tasks = trials_by_task(trials);
    let counts = OutcomeCounts::of_trials(trials);
    let tallies: Vec<TaskTally> =
        tasks.iter().map(|trials| TaskTally::of_trials(trials, plan.errors)).collect();
    let at_k = plan.ks.iter().map(|k| PassAtK::over_tasks(&tallies, *k, &plan.bootstrap)).collect();
    GroupOutcomes {
        group: group.clone(),
        tasks: tasks.len(),
        rates: counts.pass_rates(plan.bootstrap.confidence),
        counts,
        at_k,
        repeats: RepeatFacts::of_tasks(&tallies),
        rewards: reward_facts(&tasks, &plan.bootstrap),
        spent: SpendingMeasure::ALL
            .map(|measure| SpentPerPass::over_tasks(&tasks, measure, &plan.bootstrap)),
    }
}

/// Evaluates each task of one group, in the order of the tasks. A trial without a task is a row by itself.
pub fn task_outcomes(
    group: &GroupKey,
    trials: &[&TrialRecord],
    plan: &OutcomePlan,
) -> Vec<TaskOutcomes> {
    let row = |trials: Vec<&TrialRecord>| {
        let counts = OutcomeCounts::of_trials(&trials);
        let tally = TaskTally::of_trials(&trials, plan.errors);
        TaskOutcomes {
            group: group.clone(),
            task: trials.first().and_then(|trial| trial.task.clone()),
            rates: counts.pass_rates(plan.bootstrap.confidence),
            counts,
            flaky: (tally.counted > 1).then(|| tally.is_flaky()),
            rewards: reward_facts(&[trials], &plan.bootstrap),
        }
    };
    trials_by_task(trials).into_iter().map(row).collect()
}

/// The counted trials of a task, by one rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct TaskTally {
    counted: usize,
    passed: usize,
}

impl TaskTally {
    fn of_trials(trials: &[&TrialRecord], rule: ErrorRule) -> Self {
        let passes = trials.iter().filter_map(|trial| rule.counts_as_pass(trial.outcome));
        passes.fold(Self::default(), |tally, passes| Self {
            counted: tally.counted + 1,
            passed: tally.passed + usize::from(passes),
        })
    }

    const fn is_flaky(self) -> bool {
        0 < self.passed && self.passed < self.counted
    }
}

/// Returns the trials of each task, tasks in order; in a task by attempt, then as they came.
fn trials_by_task<'a>(trials: &[&'a TrialRecord]) -> Vec<Vec<&'a TrialRecord>> {
    let mut tasks: BTreeMap<(Option<TaskKey<'_>>, usize), Vec<&TrialRecord>> = BTreeMap::new();
    for (at, trial) in trials.iter().enumerate() {
        let task = trial.task_key();
        tasks.entry((task, if task.is_some() { 0 } else { at })).or_default().push(trial);
    }
    let mut tasks: Vec<Vec<&TrialRecord>> = tasks.into_values().collect();
    tasks.iter_mut().for_each(|trials| trials.sort_by_key(|it| it.attempt.unwrap_or(u32::MAX)));
    tasks
}

fn reward_facts(tasks: &[Vec<&TrialRecord>], plan: &BootstrapPlan) -> RewardFacts {
    let with_reward = || tasks.iter().flatten().filter(|trial| known_reward(trial).is_some());
    let name = match common_reward_name(with_reward().copied()) {
        Ok(name) => name,
        Err(why) => {
            return RewardFacts {
                name: None,
                trials: with_reward().count(),
                mean: Estimate::undefined(why),
                spread: Err(why),
                spread_tasks: 0,
            };
        }
    };
    let rewards: Vec<Vec<f64>> = tasks
        .iter()
        .map(|trials| trials.iter().filter_map(|trial| known_reward(trial)).collect())
        .filter(|rewards: &Vec<f64>| !rewards.is_empty())
        .collect();
    let means: Vec<f64> = rewards.iter().map(|rewards| mean(rewards)).collect();
    let repeated: Vec<&Vec<f64>> = rewards.iter().filter(|rewards| rewards.len() > 1).collect();
    RewardFacts {
        name,
        trials: with_reward().count(),
        mean: mean_over_tasks(&means, Undefined::NoReward, plan),
        spread: spread_within(&repeated),
        spread_tasks: repeated.len(),
    }
}

fn known_reward(trial: &TrialRecord) -> Option<f64> {
    trial.reward.filter(|reward| reward.is_finite())
}

/// Returns the name of all the rewards. Rewards of several names have no mean.
fn common_reward_name<'a>(
    mut trials: impl Iterator<Item = &'a TrialRecord>,
) -> Result<Option<String>, Undefined> {
    let name = trials.next().and_then(|trial| trial.reward_name.clone());
    let is_same = trials.all(|trial| trial.reward_name == name);
    if is_same { Ok(name) } else { Err(Undefined::SeveralRewards) }
}

fn spread_within(tasks: &[&Vec<f64>]) -> NumberOrReason {
    let freedom: usize = tasks.iter().map(|rewards| rewards.len() - 1).sum();
    if freedom == 0 {
        return Err(Undefined::NoRepeats);
    }
    let squares = |rewards: &&Vec<f64>| {
        let centre = mean(rewards);
        rewards.iter().map(|reward| (reward - centre).powi(2)).sum::<f64>()
    };
    finite_number((tasks.iter().map(squares).sum::<f64>() / freedom as f64).sqrt())
}

/// The mean of one number a task, with its interval from draws of whole tasks; `none` is the reason for no task.
fn mean_over_tasks(numbers: &[f64], none: Undefined, plan: &BootstrapPlan) -> Estimate {
    let count = numbers.len();
    let value = if count == 0 { Err(none) } else { finite_number(mean(numbers)) };
    let too_few = match value {
        Err(why) => Some(why),
        Ok(_) if count < 2 => Some(Undefined::FewerThanTwoTasks),
        Ok(_) if numbers.iter().all(|number| *number == numbers[0]) => Some(Undefined::NoSpread),
        Ok(_) => None,
    };
    if let Some(why) = too_few {
        return Estimate { value, ..Estimate::undefined(why) };
    }
    let mean_of_draw = |draw: Vec<usize>| {
        finite_number(draw.iter().map(|at| numbers[*at]).sum::<f64>() / count as f64)
    };
    let resampled: Vec<NumberOrReason> = plan.draws_among(count).map(mean_of_draw).collect();
    let sum: f64 = numbers.iter().sum();
    let without = |left: &f64| finite_number((sum - left) / (count - 1) as f64);
    let without_one: Vec<NumberOrReason> = numbers.iter().map(without).collect();
    bca_estimate(value, &resampled, &without_one, plan.confidence)
}
