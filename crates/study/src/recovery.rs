//! How much of what the emergent condition loses each treatment of it gives back, over the tasks of many runs: SLUMP's gap
//! recovery, (treated - emergent) / (single-shot - emergent). Over tasks there are two: the mean of the tasks' ratios, to
//! which a task without a gap cannot contribute and one with a small gap contributes much; and the ratio of the means over
//! all tasks, which is what the paper states (90 %). Both have their interval.

use std::collections::{BTreeMap, BTreeSet};

use trajview_metrics::{Number, faithfulness::gap_recovery, numbers::SLUMP};

use super::{
    bootstrap::{BootstrapPlan, Estimate, bca_estimate},
    corpus::MeasuredRun,
    maths,
    paired::compare_pairs,
    undefined::{NumberOrReason, Undefined, finite_number},
};

/// The condition that is treated, and the one that has nothing to lose.
const EMERGENT: &str = "emergent";
const SINGLE_SHOT: &str = "single-shot";

/// The recovery of one number by a treatment, for one agent.
#[derive(Debug, Clone, PartialEq)]
pub struct TreatmentRecovery {
    pub agent: String,
    /// The treatment: any condition that is neither emergent nor single-shot, such as `emergent+projectguard`.
    pub condition: String,
    pub number: Number,
    /// The share of the gap that was closed, by task, for tasks run under all three conditions: 1 for all of it, less
    /// than 0 where it got wider. None where single-shot is not better, so that there is no gap to close.
    pub tasks: Vec<(String, Option<f64>)>,
    /// Mean of ratios, over the tasks that have a share.
    pub mean: Estimate,
    /// Ratio of means, over all tasks here.
    pub of_means: RecoveryOfMeans,
}

/// The recovery of the gap between means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecoveryOfMeans {
    /// Means over the tasks.
    pub means: ConditionMeans,
    /// Drawn over tasks.
    pub ratio: Estimate,
}

/// A number under the three conditions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConditionMeans {
    pub treated: f64,
    pub emergent: f64,
    pub single_shot: f64,
}

impl ConditionMeans {
    /// Returns the mean of each condition; NaN for an empty list.
    fn mean_over<'s>(all: impl Iterator<Item = &'s Self> + Clone) -> Self {
        let mean_of_side =
            |side: fn(&Self) -> f64| maths::mean(&all.clone().map(side).collect::<Vec<_>>());
        Self {
            treated: mean_of_side(|it| it.treated),
            emergent: mean_of_side(|it| it.emergent),
            single_shot: mean_of_side(|it| it.single_shot),
        }
    }

    fn gap_share(&self) -> Option<f64> {
        gap_recovery(self.treated, self.emergent, self.single_shot)
    }
}

impl RecoveryOfMeans {
    fn over_tasks(tasks: &[ConditionMeans], plan: &BootstrapPlan) -> Self {
        let ratio = |means: ConditionMeans| -> NumberOrReason {
            means.gap_share().ok_or(Undefined::NoGap).and_then(finite_number)
        };
        let means = ConditionMeans::mean_over(tasks.iter());
        let value = ratio(means);
        if tasks.len() < 2 {
            let few = Estimate::undefined(Undefined::FewerThanTwoTasks);
            return Self { means, ratio: Estimate { value, ..few } };
        }
        let drawn =
            |draw: Vec<usize>| ratio(ConditionMeans::mean_over(draw.iter().map(|at| &tasks[*at])));
        let resampled: Vec<NumberOrReason> = plan.draws_among(tasks.len()).map(drawn).collect();
        let without = |one: usize| {
            let others = tasks.iter().enumerate().filter(move |(at, _)| *at != one);
            ratio(ConditionMeans::mean_over(others.map(|(_, task)| task)))
        };
        let without: Vec<NumberOrReason> = (0..tasks.len()).map(without).collect();
        Self { means, ratio: bca_estimate(value, &resampled, &without, plan.confidence) }
    }
}

/// Computes the recoveries by agent, condition and number of SLUMP; numbers that no task has are left out. Several
/// runs of one condition are averaged.
pub fn treatment_recoveries(runs: &[MeasuredRun], plan: &BootstrapPlan) -> Vec<TreatmentRecovery> {
    type Cell<'a> = (&'a str, (&'a str, Option<&'a str>));
    let mut cells: BTreeMap<Cell<'_>, BTreeMap<&str, Vec<&MeasuredRun>>> = BTreeMap::new();
    for run in runs {
        let key = &run.key;
        let named = key.agent.as_deref().zip(key.task.as_deref()).zip(key.condition.as_deref());
        if let Some(((agent, task), condition)) = named {
            let task = (task, key.task_set.as_deref());
            cells.entry((agent, task)).or_default().entry(condition).or_default().push(run);
        }
    }
    let is_treatment = |it: &&str| *it != EMERGENT && *it != SINGLE_SHOT;
    let treatments: BTreeSet<(&str, &str)> = cells
        .iter()
        .flat_map(|((agent, _), all)| {
            all.keys().copied().filter(is_treatment).map(move |condition| (*agent, condition))
        })
        .collect();
    let rows = treatments.into_iter().flat_map(|(agent, condition)| {
        let cells = &cells;
        SLUMP.into_iter().filter_map(move |number| {
            let agent_cells = cells.iter().filter(|((cell_agent, _), _)| *cell_agent == agent);
            let sides: Vec<(String, ConditionMeans)> = agent_cells
                .filter_map(|((_, (task, _)), all)| {
                    let value = |condition: &str| mean_number(all.get(condition)?, number);
                    let sides = ConditionMeans {
                        treated: value(condition)?,
                        emergent: value(EMERGENT)?,
                        single_shot: value(SINGLE_SHOT)?,
                    };
                    Some(((*task).to_owned(), sides))
                })
                .collect();
            let all: Vec<ConditionMeans> = sides.iter().map(|(_, it)| *it).collect();
            let tasks: Vec<(String, Option<f64>)> =
                sides.into_iter().map(|(task, it)| (task, it.gap_share())).collect();
            let shares: Vec<(f64, f64)> =
                tasks.iter().filter_map(|(_, share)| Some(((*share)?, 0.0))).collect();
            (!tasks.is_empty()).then(|| TreatmentRecovery {
                agent: agent.to_owned(),
                condition: condition.to_owned(),
                number,
                mean: compare_pairs(&shares, plan).mean_gap,
                of_means: RecoveryOfMeans::over_tasks(&all, plan),
                tasks,
            })
        })
    });
    rows.collect()
}

/// Returns the mean over the runs that have the number.
fn mean_number(runs: &[&MeasuredRun], number: Number) -> Option<f64> {
    let known: Vec<f64> = runs.iter().filter_map(|run| run.number_value(number)).collect();
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Undefined, pairing::PairingKey};

    fn measured_run(task: &str, condition: &str, mcf: f64) -> MeasuredRun {
        let known = |word: &str| Some(word.to_owned());
        let key = PairingKey {
            agent: known("codex"),
            task: known(task),
            task_set: None,
            condition: known(condition),
        };
        MeasuredRun { key, values: vec![(Number::Mcf, mcf)] }
    }

    #[test]
    fn the_share_of_the_gap_that_a_treatment_closes_is_told_by_task_and_on_average() {
        let runs = [
            measured_run("t1", "single-shot", 3.0),
            measured_run("t1", "emergent", 2.0),
            measured_run("t1", "emergent+projectguard", 2.5),
            measured_run("t2", "single-shot", 3.0),
            measured_run("t2", "emergent", 2.5),
            measured_run("t2", "emergent+projectguard", 2.0),
            measured_run("t2", "emergent+projectguard", 2.25),
            // No gap to close, and one that was not run under all three.
            measured_run("t3", "single-shot", 2.0),
            measured_run("t3", "emergent", 2.0),
            measured_run("t3", "emergent+projectguard", 3.0),
            measured_run("t4", "emergent+projectguard", 3.0),
        ];

        let found = treatment_recoveries(
            &runs,
            &BootstrapPlan { resamples: 99, ..BootstrapPlan::default() },
        );

        let [row] = found.as_slice() else { panic!("{found:?}") };
        let shares = [("t1", Some(0.5)), ("t2", Some(-0.75)), ("t3", None)];
        assert_eq!(row.tasks, shares.map(|(task, share)| (task.to_owned(), share)));
        assert_eq!(row.mean.value, Ok(-0.125));
        // Over t1, t2 and t3, the one without a gap included: (2.5 + 2.125 + 3) - 6.5 of 8 - 6.5.
        assert!((row.of_means.ratio.value.unwrap() - 0.75).abs() < 1e-12);
        assert_eq!((row.condition.as_str(), row.number), ("emergent+projectguard", Number::Mcf));
    }

    #[test]
    fn the_ratio_of_means_is_not_the_mean_of_ratios_and_needs_a_gap() {
        let runs = |single_shot: [f64; 2]| {
            [("t1", single_shot[0], 2.0, 2.9), ("t2", single_shot[1], 2.0, 2.1)].map(
                |(task, single_shot, emergent, treated)| {
                    [
                        measured_run(task, "single-shot", single_shot),
                        measured_run(task, "emergent", emergent),
                        measured_run(task, "emergent+projectguard", treated),
                    ]
                },
            )
        };
        let plan = BootstrapPlan { resamples: 99, ..BootstrapPlan::default() };

        let found = treatment_recoveries(&runs([3.0, 2.1]).concat(), &plan);
        let [ratio, mean] =
            [found[0].of_means.ratio.value, found[0].mean.value].map(Result::unwrap);
        assert!((ratio - 1.0 / 1.1).abs() < 1e-12 && (mean - 0.95).abs() < 1e-12, "{ratio} {mean}");
        let means = found[0].of_means.means;
        assert_eq!((means.treated, means.emergent), (2.5, 2.0));

        let none = treatment_recoveries(&runs([2.0, 2.0]).concat(), &plan);
        assert_eq!(none[0].of_means.ratio.value, Err(Undefined::NoGap));
    }

    #[test]
    fn without_a_treatment_there_is_nothing_and_of_one_task_no_interval() {
        let plan = BootstrapPlan { resamples: 99, ..BootstrapPlan::default() };
        let pair = [measured_run("t1", "single-shot", 3.0), measured_run("t1", "emergent", 2.0)];
        assert_eq!(treatment_recoveries(&pair, &plan), []);

        let one = [&pair[..], &[measured_run("t1", "emergent+memory", 3.0)]].concat();
        let found = treatment_recoveries(&one, &plan);

        assert_eq!(found[0].mean.value, Ok(1.0));
        assert_eq!(found[0].mean.interval, Err(Undefined::FewerThanTwoPairs));
    }
}
