//! How much of what the emergent condition loses each treatment of it gives back, over the tasks of many runs: SLUMP's gap
//! recovery, (treated - emergent) / (single-shot - emergent), with the mean over tasks and its interval.

use std::collections::{BTreeMap, BTreeSet};

use crate::metrics::{Number, faithfulness::gap_recovery, numbers::SLUMP};

use super::{
    bootstrap::{Estimate, Plan},
    corpus::Measured,
    paired::paired,
};

/// The condition that is treated, and the one that has nothing to lose.
const EMERGENT: &str = "emergent";
const SINGLE_SHOT: &str = "single-shot";

/// What a treatment gives back of one number, for one agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Recovered {
    pub agent: String,
    /// The treatment: any condition that is neither emergent nor single-shot, such as `emergent+projectguard`.
    pub condition: String,
    pub number: Number,
    /// By task, those that were run under all three conditions: the share of the gap that was closed, 1 for all of it, less
    /// than 0 where it got wider. None where single-shot is not the better one: there is no gap to close.
    pub tasks: Vec<(String, Option<f64>)>,
    /// Over the tasks that have a share.
    pub mean: Estimate,
}

/// By agent, condition and number of SLUMP; what no task has is left out. Several runs of one condition are averaged.
pub fn recovered(runs: &[Measured], plan: &Plan) -> Vec<Recovered> {
    let mut cells: BTreeMap<(&str, &str), BTreeMap<&str, Vec<&Measured>>> = BTreeMap::new();
    for run in runs {
        let key = &run.key;
        let named = key.agent.as_deref().zip(key.task.as_deref()).zip(key.condition.as_deref());
        if let Some(((agent, task), condition)) = named {
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
            let own = cells.iter().filter(|((of, _), _)| *of == agent);
            let tasks: Vec<(String, Option<f64>)> = own
                .filter_map(|((_, task), all)| {
                    let value = |condition: &str| mean(all.get(condition)?, number);
                    let sides = (value(condition)?, value(EMERGENT)?, value(SINGLE_SHOT)?);
                    Some(((*task).to_owned(), gap_recovery(sides.0, sides.1, sides.2)))
                })
                .collect();
            let shares: Vec<(f64, f64)> =
                tasks.iter().filter_map(|(_, share)| Some(((*share)?, 0.0))).collect();
            let mean = paired(&shares, plan).mean_gap;
            let (agent, condition) = (agent.to_owned(), condition.to_owned());
            (!tasks.is_empty()).then_some(Recovered { agent, condition, number, tasks, mean })
        })
    });
    rows.collect()
}

/// Of those that have the number.
fn mean(runs: &[&Measured], number: Number) -> Option<f64> {
    let known: Vec<f64> = runs.iter().filter_map(|run| run.value(number)).collect();
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::{Undefined, pairing::Key};

    fn run(task: &str, condition: &str, mcf: f64) -> Measured {
        let known = |word: &str| Some(word.to_owned());
        let key = Key { agent: known("codex"), task: known(task), condition: known(condition) };
        Measured { key, values: vec![(Number::Mcf, mcf)] }
    }

    #[test]
    fn the_share_of_the_gap_that_a_treatment_closes_is_told_by_task_and_on_average() {
        let runs = [
            run("t1", "single-shot", 3.0),
            run("t1", "emergent", 2.0),
            run("t1", "emergent+projectguard", 2.5),
            run("t2", "single-shot", 3.0),
            run("t2", "emergent", 2.5),
            run("t2", "emergent+projectguard", 2.0),
            run("t2", "emergent+projectguard", 2.25),
            // No gap to close, and one that was not run under all three.
            run("t3", "single-shot", 2.0),
            run("t3", "emergent", 2.0),
            run("t3", "emergent+projectguard", 3.0),
            run("t4", "emergent+projectguard", 3.0),
        ];

        let found = recovered(&runs, &Plan { resamples: 99, ..Plan::default() });

        let [row] = found.as_slice() else { panic!("{found:?}") };
        let shares = [("t1", Some(0.5)), ("t2", Some(-0.75)), ("t3", None)];
        assert_eq!(row.tasks, shares.map(|(task, share)| (task.to_owned(), share)));
        assert_eq!(row.mean.value, Ok(-0.125));
        assert_eq!((row.condition.as_str(), row.number), ("emergent+projectguard", Number::Mcf));
    }

    #[test]
    fn without_a_treatment_there_is_nothing_and_of_one_task_no_interval() {
        let plan = Plan { resamples: 99, ..Plan::default() };
        let pair = [run("t1", "single-shot", 3.0), run("t1", "emergent", 2.0)];
        assert_eq!(recovered(&pair, &plan), []);

        let one = [&pair[..], &[run("t1", "emergent+memory", 3.0)]].concat();
        let found = recovered(&one, &plan);

        assert_eq!(found[0].mean.value, Ok(1.0));
        assert_eq!(found[0].mean.interval, Err(Undefined::FewerThanTwoPairs));
    }
}
