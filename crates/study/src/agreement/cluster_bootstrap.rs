//! Intervals of statistics of sums: things are drawn one by one, or in clusters that are drawn whole.

use crate::{
    bootstrap::{BootstrapPlan, Estimate, Interval, bca_estimate},
    undefined::{NumberOrReason, Undefined},
};

/// The input of a statistic: a sum over things.
pub trait SampleSum: Clone {
    fn add(&mut self, other: &Self);
}

/// A statistic with its two intervals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClusteredEstimate {
    /// The statistic with the interval from draws of single things.
    pub by_item: Estimate,
    /// The interval from draws of whole clusters (runs), since things of one run are not independent.
    pub by_run: Result<Interval, Undefined>,
}

impl ClusteredEstimate {
    /// Returns the undefined estimate of an empty sample.
    pub(crate) fn without_pairs() -> Self {
        let why = Undefined::NoPairs;
        Self { by_item: Estimate::undefined(why), by_run: Err(why) }
    }
}

/// A part of a sum, and the cluster it is of.
pub struct ClusterPart<S> {
    pub sum: S,
    /// Any number; parts of one number are drawn together.
    pub cluster: usize,
}

/// Estimates each statistic over all parts, with intervals over parts and over clusters. `sample_formula` gives the
/// value of the sample itself, where the plain `formula` would not do.
pub(crate) fn estimate_by_item_and_cluster<S: SampleSum, C: Copy>(
    parts: &[ClusterPart<S>],
    statistics: &[C],
    formula: impl Fn(C, &S) -> NumberOrReason,
    sample_formula: impl Fn(C, &S) -> NumberOrReason,
    plan: &BootstrapPlan,
) -> Vec<(C, ClusteredEstimate)> {
    let sums: Vec<S> = parts.iter().map(|part| part.sum.clone()).collect();
    let by_item = bootstrap_estimates(
        &sums,
        statistics,
        &formula,
        &sample_formula,
        plan,
        Undefined::FewerThanTwoPairs,
    );
    let by_run = estimate_over_clusters(parts, statistics, formula, sample_formula, plan);
    let both = by_item.into_iter().zip(by_run);
    both.map(|(by_item, (it, by_run))| (it, ClusteredEstimate { by_item, by_run: by_run.interval }))
        .collect()
}

/// Estimates each statistic over all parts, with an interval over clusters alone.
pub(crate) fn estimate_over_clusters<S: SampleSum, C: Copy>(
    parts: &[ClusterPart<S>],
    statistics: &[C],
    formula: impl Fn(C, &S) -> NumberOrReason,
    sample_formula: impl Fn(C, &S) -> NumberOrReason,
    plan: &BootstrapPlan,
) -> Vec<(C, Estimate)> {
    let found = bootstrap_estimates(
        &sums_by_cluster(parts),
        statistics,
        &formula,
        &sample_formula,
        plan,
        Undefined::FewerThanTwoRuns,
    );
    statistics.iter().copied().zip(found).collect()
}

/// Returns the sum of each cluster, in the order of their numbers.
fn sums_by_cluster<S: SampleSum>(parts: &[ClusterPart<S>]) -> Vec<S> {
    let mut sums = std::collections::BTreeMap::<usize, S>::new();
    for part in parts {
        match sums.get_mut(&part.cluster) {
            Some(sum) => sum.add(&part.sum),
            None => {
                sums.insert(part.cluster, part.sum.clone());
            }
        }
    }
    sums.into_values().collect()
}

/// Estimates each statistic, with an interval drawn over these sums; `few` is the reason where there are fewer than
/// two.
fn bootstrap_estimates<S: SampleSum, C: Copy>(
    sums: &[S],
    statistics: &[C],
    formula: &impl Fn(C, &S) -> NumberOrReason,
    sample_formula: &impl Fn(C, &S) -> NumberOrReason,
    plan: &BootstrapPlan,
    few: Undefined,
) -> Vec<Estimate> {
    let all: Vec<usize> = (0..sums.len()).collect();
    let Some(total) = sum_of_sample(sums, all.iter().copied()) else {
        return statistics.iter().map(|_| Estimate::undefined(Undefined::NoPairs)).collect();
    };
    let values = statistics.iter().map(|it| sample_formula(*it, &total));
    if sums.len() < 2 {
        return values.map(|value| Estimate { value, ..Estimate::undefined(few) }).collect();
    }
    let each = |sum: Option<S>| -> Vec<NumberOrReason> {
        let none = || Err(Undefined::NoPairs);
        statistics
            .iter()
            .map(|it| sum.as_ref().map_or_else(none, |sum| formula(*it, sum)))
            .collect()
    };
    let drawn: Vec<Vec<NumberOrReason>> = plan
        .draws_among(sums.len())
        .map(|sample| each(sum_of_sample(sums, sample.into_iter())))
        .collect();
    let without: Vec<Vec<NumberOrReason>> = match plan.resamples {
        0 => vec![],
        _ => leave_one_out(sums).into_iter().map(each).collect(),
    };
    let column = |rows: &[Vec<NumberOrReason>], at: usize| -> Vec<NumberOrReason> {
        rows.iter().filter_map(|row| row.get(at).copied()).collect()
    };
    let estimates = values.enumerate().map(|(at, value)| {
        bca_estimate(value, &column(&drawn, at), &column(&without, at), plan.confidence)
    });
    estimates.collect()
}

/// Returns the sums that leave out each part in turn: the part before it and the part after it, added up.
fn leave_one_out<S: SampleSum>(sums: &[S]) -> Vec<Option<S>> {
    let and = |sum: &Option<S>, more: &S| {
        let mut sum = sum.clone();
        match &mut sum {
            Some(sum) => sum.add(more),
            None => sum = Some(more.clone()),
        }
        sum
    };
    let mut after = vec![None];
    for sum in sums.iter().skip(1).rev() {
        after.push(after.last().map_or_else(|| Some(sum.clone()), |rest| and(rest, sum)));
    }
    let mut before: Option<S> = None;
    let mut left = vec![];
    for (sum, after) in sums.iter().zip(after.into_iter().rev()) {
        left.push(match &after {
            Some(after) => and(&before, after),
            None => before.clone(),
        });
        before = and(&before, sum);
    }
    left
}

fn sum_of_sample<S: SampleSum>(sums: &[S], sample: impl Iterator<Item = usize>) -> Option<S> {
    let mut parts = sample.filter_map(|at| sums.get(at));
    let mut total = parts.next()?.clone();
    parts.for_each(|part| total.add(part));
    Some(total)
}
