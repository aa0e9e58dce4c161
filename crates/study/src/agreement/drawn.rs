//! Intervals of statistics of sums: things are drawn one by one, or in clusters that are drawn whole.

use crate::{
    bootstrap::{Estimate, Interval, Plan, estimate},
    undefined::{Undefined, Value},
};

/// What statistics are computed of: a sum over things.
pub trait Sum: Clone {
    fn add(&mut self, other: &Self);
}

/// A statistic with its two intervals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Twice {
    /// With the interval that is drawn over things.
    pub by_item: Estimate,
    /// That drawn over clusters (runs), each whole: things of one run are not independent.
    pub by_run: Result<Interval, Undefined>,
}

impl Twice {
    /// Of nothing.
    pub fn none() -> Self {
        let why = Undefined::NoPairs;
        Self { by_item: Estimate::undefined(why), by_run: Err(why) }
    }
}

/// A part of a sum, and the cluster it is of.
pub struct Part<S> {
    pub sum: S,
    /// Any number; parts of one number are drawn together.
    pub cluster: usize,
}

/// Each statistic of all parts, with intervals over parts and over clusters. `of` is the formula, `whole` says what the
/// whole is where the formula alone would not do.
pub fn twice<S: Sum, C: Copy>(
    parts: &[Part<S>],
    statistics: &[C],
    of: impl Fn(C, &S) -> Value,
    whole: impl Fn(C, &S) -> Value,
    plan: &Plan,
) -> Vec<(C, Twice)> {
    let sums: Vec<S> = parts.iter().map(|part| part.sum.clone()).collect();
    let by_item = over(&sums, statistics, &of, &whole, plan, Undefined::FewerThanTwoPairs);
    let by_run = over(&clusters(parts), statistics, &of, &whole, plan, Undefined::FewerThanTwoRuns);
    let both = by_item.into_iter().zip(by_run).zip(statistics);
    both.map(|((by_item, by_run), it)| (*it, Twice { by_item, by_run: by_run.interval })).collect()
}

/// Each statistic of all parts, with an interval over clusters alone.
pub fn over_clusters<S: Sum, C: Copy>(
    parts: &[Part<S>],
    statistics: &[C],
    of: impl Fn(C, &S) -> Value,
    whole: impl Fn(C, &S) -> Value,
    plan: &Plan,
) -> Vec<(C, Estimate)> {
    let found = over(&clusters(parts), statistics, &of, &whole, plan, Undefined::FewerThanTwoRuns);
    statistics.iter().copied().zip(found).collect()
}

/// The sum of each cluster, in the order of their numbers.
fn clusters<S: Sum>(parts: &[Part<S>]) -> Vec<S> {
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

/// An estimate a statistic, drawn over these; `few` is said where there are not two.
fn over<S: Sum, C: Copy>(
    sums: &[S],
    statistics: &[C],
    of: &impl Fn(C, &S) -> Value,
    whole: &impl Fn(C, &S) -> Value,
    plan: &Plan,
    few: Undefined,
) -> Vec<Estimate> {
    let all: Vec<usize> = (0..sums.len()).collect();
    let Some(total) = added(sums, all.iter().copied()) else {
        return statistics.iter().map(|_| Estimate::undefined(Undefined::NoPairs)).collect();
    };
    let values = statistics.iter().map(|it| whole(*it, &total));
    if sums.len() < 2 {
        return values.map(|value| Estimate { value, ..Estimate::undefined(few) }).collect();
    }
    let each = |sum: Option<S>| -> Vec<Value> {
        let none = || Err(Undefined::NoPairs);
        statistics.iter().map(|it| sum.as_ref().map_or_else(none, |sum| of(*it, sum))).collect()
    };
    let drawn: Vec<Vec<Value>> =
        plan.draws(sums.len()).map(|sample| each(added(sums, sample.into_iter()))).collect();
    let without: Vec<Vec<Value>> = match plan.resamples {
        0 => vec![],
        _ => without_one(sums).into_iter().map(each).collect(),
    };
    let column = |rows: &[Vec<Value>], at: usize| -> Vec<Value> {
        rows.iter().filter_map(|row| row.get(at).copied()).collect()
    };
    let estimates = values.enumerate().map(|(at, value)| {
        estimate(value, &column(&drawn, at), &column(&without, at), plan.confidence)
    });
    estimates.collect()
}

/// What is left without each in turn: those before it and those after it.
fn without_one<S: Sum>(sums: &[S]) -> Vec<Option<S>> {
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

fn added<S: Sum>(sums: &[S], sample: impl Iterator<Item = usize>) -> Option<S> {
    let mut parts = sample.filter_map(|at| sums.get(at));
    let mut total = parts.next()?.clone();
    parts.for_each(|part| total.add(part));
    Some(total)
}
