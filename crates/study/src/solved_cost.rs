//! What a solved checkpoint costs, over the runs of many tasks: all dollars by all solved checkpoints, with an interval over
//! tasks.

use std::collections::BTreeMap;

use super::{
    bootstrap::{BootstrapPlan, Estimate, bca_estimate},
    pairing::PairingKey,
    undefined::{NumberOrReason, Undefined, finite_number},
};

/// A run with what it cost and what it solved; None is not known, which is not 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunSpending {
    pub key: PairingKey,
    /// US dollars, 0 or more.
    pub usd: Option<f64>,
    /// Checkpoints of which every test passed; None where none has tests.
    pub solved: Option<u64>,
}

/// The cost of a solved checkpoint in the runs of one agent under one condition.
#[derive(Debug, Clone, PartialEq)]
pub struct CostOfSolved {
    pub agent: Option<String>,
    pub condition: Option<String>,
    /// Runs that have both a cost and tests, and their tasks. A run without a task is a task by itself.
    pub runs: usize,
    pub tasks: usize,
    /// The dollars of those runs together; None without such a run.
    pub usd: Option<f64>,
    pub solved: Option<u64>,
    /// Runs left out.
    pub without_cost: usize,
    pub without_tests: usize,
    /// US dollars a solved checkpoint: a ratio of sums, so that a run that solves nothing still costs. Tasks are drawn whole.
    pub estimate: Estimate,
}

/// Computes the costs by agent, then condition.
pub fn costs_of_solved(runs: &[RunSpending], plan: &BootstrapPlan) -> Vec<CostOfSolved> {
    let mut groups: BTreeMap<(Option<&String>, Option<&String>), Vec<&RunSpending>> =
        BTreeMap::new();
    for run in runs {
        let key = (run.key.agent.as_ref(), run.key.condition.as_ref());
        groups.entry(key).or_default().push(run);
    }
    let cost = |((agent, condition), runs): (_, Vec<&RunSpending>)| {
        group_cost(agent, condition, &runs, plan)
    };
    groups.into_iter().map(cost).collect()
}

fn group_cost(
    agent: Option<&String>,
    condition: Option<&String>,
    runs: &[&RunSpending],
    plan: &BootstrapPlan,
) -> CostOfSolved {
    let mut tasks = BTreeMap::<_, (f64, u64)>::new();
    let mut counted = 0;
    for (at, run) in runs.iter().enumerate() {
        if let (Some(usd), Some(solved)) = (run.usd, run.solved) {
            let set = run.key.task_set.as_ref();
            let task = run.key.task.as_ref().map(|task| (task, set));
            let sums = tasks.entry((task, if task.is_some() { 0 } else { at })).or_default();
            *sums = (sums.0 + usd, sums.1 + solved);
            counted += 1;
        }
    }
    let tasks: Vec<(f64, u64)> = tasks.into_values().collect();
    CostOfSolved {
        agent: agent.cloned(),
        condition: condition.cloned(),
        runs: counted,
        tasks: tasks.len(),
        usd: (counted > 0).then(|| tasks.iter().map(|(usd, _)| usd).sum()),
        solved: (counted > 0).then(|| tasks.iter().map(|(_, solved)| solved).sum()),
        without_cost: runs.iter().filter(|run| run.usd.is_none()).count(),
        without_tests: runs.iter().filter(|run| run.solved.is_none()).count(),
        estimate: ratio_over_tasks(
            &tasks,
            Undefined::NoCostWithTests,
            Undefined::NothingSolved,
            plan,
        ),
    }
}

/// Computes the ratio of sums over tasks, with its interval from draws of whole tasks; `none` is the reason for no
/// task, `zero` for a sum of 0 below the line.
pub(crate) fn ratio_over_tasks(
    tasks: &[(f64, u64)],
    none: Undefined,
    zero: Undefined,
    plan: &BootstrapPlan,
) -> Estimate {
    let ratio_of = |sums: Option<(f64, u64)>| match sums {
        None => Err(none),
        Some((_, 0)) => Err(zero),
        Some((above, below)) => finite_number(above / below as f64),
    };
    let whole = sum_of_tasks(tasks.iter());
    let value = ratio_of(whole);
    if let Err(why) = value {
        return Estimate::undefined(why);
    }
    if tasks.len() < 2 {
        let interval = Err(Undefined::FewerThanTwoTasks);
        return Estimate { value, interval, undefined_resamples: 0 };
    }
    let of_draw = |draw: Vec<usize>| ratio_of(sum_of_tasks(draw.iter().map(|at| &tasks[*at])));
    let resampled: Vec<NumberOrReason> = plan.draws_among(tasks.len()).map(of_draw).collect();
    let without = |(above, below): &(f64, u64)| {
        ratio_of(whole.map(|(all, count)| (all - above, count - below)))
    };
    let without_one: Vec<NumberOrReason> = tasks.iter().map(without).collect();
    bca_estimate(value, &resampled, &without_one, plan.confidence)
}

fn sum_of_tasks<'a>(tasks: impl Iterator<Item = &'a (f64, u64)>) -> Option<(f64, u64)> {
    tasks.copied().reduce(|(all, count), (above, below)| (all + above, count + below))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spending_run(task: &str, usd: Option<f64>, solved: Option<u64>) -> RunSpending {
        let key = PairingKey {
            agent: Some("a".into()),
            task: Some(task.into()),
            ..PairingKey::default()
        };
        RunSpending { key, usd, solved }
    }

    fn only_cost(runs: &[RunSpending]) -> CostOfSolved {
        let mut rows =
            costs_of_solved(runs, &BootstrapPlan { resamples: 999, ..BootstrapPlan::default() });
        assert_eq!(rows.len(), 1);
        rows.remove(0)
    }

    #[test]
    fn it_is_all_dollars_by_all_solved_checkpoints_and_tasks_are_drawn_whole() {
        let row = only_cost(&[
            spending_run("t1", Some(1.0), Some(2)),
            spending_run("t1", Some(3.0), Some(0)),
            spending_run("t2", Some(2.0), Some(1)),
            spending_run("t3", Some(2.0), Some(1)),
            spending_run("t4", Some(1.5), Some(2)),
            spending_run("t4", None, Some(9)),
            spending_run("t5", Some(7.0), None),
        ]);

        assert_eq!((row.runs, row.tasks, row.usd, row.solved), (5, 4, Some(9.5), Some(6)));
        assert_eq!((row.without_cost, row.without_tests), (1, 1));
        assert_eq!(row.estimate.value, Ok(9.5 / 6.0));
        let interval = row.estimate.interval.unwrap();
        assert!(0.75 <= interval.low && interval.low < 9.5 / 6.0, "{interval:?}");
        assert!(9.5 / 6.0 < interval.high && interval.high <= 2.0, "{interval:?}");
    }

    #[test]
    fn where_nothing_can_be_said_it_says_why() {
        let unsolved = only_cost(&[
            spending_run("t1", Some(1.0), Some(0)),
            spending_run("t2", Some(1.0), Some(0)),
        ]);
        assert_eq!(unsolved.estimate.value, Err(Undefined::NothingSolved));

        let unknown =
            only_cost(&[spending_run("t1", None, Some(1)), spending_run("t2", Some(1.0), None)]);
        assert_eq!(unknown.estimate.value, Err(Undefined::NoCostWithTests));
        assert_eq!((unknown.usd, unknown.solved), (None, None));

        let alone = only_cost(&[spending_run("t1", Some(1.0), Some(2))]);
        assert_eq!(alone.estimate.value, Ok(0.5));
        assert_eq!(alone.estimate.interval, Err(Undefined::FewerThanTwoTasks));
    }
}
