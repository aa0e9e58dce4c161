//! How far raters agree who scored the same things on one ordinal scale.
//!
//! Of two raters everything follows from how often each pair of levels was given ([`Table`]), so the order of the pairs is
//! of no consequence. [`Coefficient`] has the formulas and where they are from. [`many`] is of any number of raters,
//! [`classes`] of one against a reference.

mod chance;
pub mod classes;
mod coefficient;
pub mod drawn;
pub mod many;
mod rank;
mod scale;
mod table;
#[cfg(test)]
mod tests;
pub mod trust;

pub use coefficient::{AC2_WEIGHTS, Coefficient};
pub use scale::{MOST_LEVELS, Measurement, Scale, ScaleError};
pub use table::{Boundary, Table};

use super::{
    bootstrap::{Estimate, Interval, Plan, estimate},
    undefined::{Undefined, Value},
};
use classes::{Against, ZeroDivision};
use drawn::{Part, Twice, twice};

/// The scores of two raters, in pairs, as positions on a scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    scale: Scale,
    /// Positions on the scale, from 0.
    pairs: Vec<(usize, usize)>,
    /// Which of the given pairs have a score that is not on the scale; counts from 0.
    pub off_scale: Vec<usize>,
}

/// How far two raters agree.
#[derive(Debug, Clone, PartialEq)]
pub struct Agreement {
    /// Pairs.
    pub n: usize,
    /// One for each of [`Coefficient::ALL`], in that order.
    pub estimates: Vec<(Coefficient, Estimate)>,
    pub table: Table,
}

impl Ratings {
    /// Pairs of scores; those off the scale are left out and named.
    pub fn new(scale: Scale, scores: &[(f64, f64)]) -> Self {
        let (mut pairs, mut off_scale) = (vec![], vec![]);
        for (at, (a, b)) in scores.iter().enumerate() {
            match (scale.position(*a), scale.position(*b)) {
                (Some(a), Some(b)) => pairs.push((a, b)),
                _ => off_scale.push(at),
            }
        }
        Self { scale, pairs, off_scale }
    }

    /// How many pairs count.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    pub fn table(&self) -> Table {
        let mut table = Table::empty(&self.scale);
        self.pairs.iter().for_each(|&(a, b)| table.add(a, b, 1.0));
        table
    }

    /// Every coefficient with its interval, from resamples drawn as the plan says.
    pub fn agreement(&self, plan: &Plan) -> Agreement {
        self.agreement_from(plan.draws(self.len()), plan.confidence)
    }

    /// One coefficient with its interval, as [`Self::agreement`] gives it among the others.
    pub fn estimate(&self, coefficient: Coefficient, plan: &Plan) -> Estimate {
        let table = self.table();
        if let Some(why) = self.nothing_to_say() {
            return of_few(coefficient, &table, why);
        }
        let resamples = plan.draws(self.len());
        let resampled: Vec<Value> =
            resamples.map(|resample| coefficient.of(&self.table_of(&resample))).collect();
        let without_one = without_one(coefficient, &table);
        estimate(coefficient.of_whole(&table), &resampled, &without_one, plan.confidence)
    }

    /// The same from given resamples: each a list of pairs by number, from 0. Numbers of no pair are passed over.
    pub fn agreement_from(
        &self,
        resamples: impl Iterator<Item = Vec<usize>>,
        confidence: f64,
    ) -> Agreement {
        let estimates = self.estimates_from(&Coefficient::ALL, resamples, confidence);
        Agreement { n: self.len(), estimates, table: self.table() }
    }

    /// Some coefficients with their intervals, in the order in which they are named; from the same draws as
    /// [`Self::agreement`].
    pub fn estimates(
        &self,
        coefficients: &[Coefficient],
        plan: &Plan,
    ) -> Vec<(Coefficient, Estimate)> {
        self.estimates_from(coefficients, plan.draws(self.len()), plan.confidence)
    }

    fn estimates_from(
        &self,
        coefficients: &[Coefficient],
        resamples: impl Iterator<Item = Vec<usize>>,
        confidence: f64,
    ) -> Vec<(Coefficient, Estimate)> {
        let table = self.table();
        if let Some(why) = self.nothing_to_say() {
            return coefficients.iter().map(|it| (*it, of_few(*it, &table, why))).collect();
        }
        let mut resampled: Vec<Vec<Value>> = vec![vec![]; coefficients.len()];
        for resample in resamples {
            let table = self.table_of(&resample);
            for (values, coefficient) in resampled.iter_mut().zip(coefficients) {
                values.push(coefficient.of(&table));
            }
        }
        let whole = |(coefficient, resampled): (&Coefficient, Vec<Value>)| {
            let without_one = without_one(*coefficient, &table);
            let value = coefficient.of_whole(&table);
            (*coefficient, estimate(value, &resampled, &without_one, confidence))
        };
        coefficients.iter().zip(resampled).map(whole).collect()
    }

    /// The interval of every coefficient drawn over clusters, each whole: `clusters` says of which each pair is, in the
    /// order of the pairs given to [`Self::new`] that are on the scale.
    pub fn by_cluster(
        &self,
        clusters: &[usize],
        plan: &Plan,
    ) -> Vec<(Coefficient, Result<Interval, Undefined>)> {
        let parts = self.parts(clusters);
        let of = |it: Coefficient, table: &Table| it.of(table);
        let whole = |it: Coefficient, table: &Table| it.of_whole(table);
        let found = drawn::over_clusters(&parts, &Coefficient::ALL, of, whole, plan);
        found.into_iter().map(|(it, estimate)| (it, estimate.interval)).collect()
    }

    /// How well the second of each pair does against the first, with both intervals.
    pub fn against(
        &self,
        clusters: &[usize],
        zero: ZeroDivision,
        plan: &Plan,
    ) -> Vec<(Against, Twice)> {
        let of = |it: Against, table: &Table| it.of(table, zero);
        twice(&self.parts(clusters), &Against::ALL, of, of, plan)
    }

    fn parts(&self, clusters: &[usize]) -> Vec<Part<Table>> {
        let part = |(at, &(a, b)): (usize, &(usize, usize))| {
            let mut sum = Table::empty(&self.scale);
            sum.add(a, b, 1.0);
            Part { sum, cluster: clusters.get(at).copied().unwrap_or_default() }
        };
        self.pairs.iter().enumerate().map(part).collect()
    }

    fn table_of(&self, resample: &[usize]) -> Table {
        let mut table = Table::empty(&self.scale);
        let pairs = resample.iter().filter_map(|&at| self.pairs.get(at));
        pairs.for_each(|&(a, b)| table.add(a, b, 1.0));
        table
    }

    fn nothing_to_say(&self) -> Option<Undefined> {
        match self.len() {
            0 => Some(Undefined::NoPairs),
            1 => Some(Undefined::FewerThanTwoPairs),
            _ => None,
        }
    }
}

impl Agreement {
    pub fn estimate(&self, coefficient: Coefficient) -> Estimate {
        let mut found = self.estimates.iter().filter(|(other, _)| *other == coefficient);
        found.next().map_or(Estimate::undefined(Undefined::NoPairs), |(_, estimate)| *estimate)
    }

    pub fn value(&self, coefficient: Coefficient) -> Value {
        self.estimate(coefficient).value
    }
}

/// Of one pair only its shares can be told, and no interval.
fn of_few(coefficient: Coefficient, table: &Table, why: Undefined) -> Estimate {
    Estimate { value: coefficient.of_whole(table), ..Estimate::undefined(why) }
}

/// The coefficient without each pair in turn; pairs of the same two levels give the same value.
fn without_one(coefficient: Coefficient, table: &Table) -> Vec<Value> {
    let mut values = vec![];
    let mut table = table.clone();
    for (a, b, count) in table.cells().collect::<Vec<_>>() {
        table.add(a, b, -1.0);
        values.extend(std::iter::repeat_n(coefficient.of(&table), count as usize));
        table.add(a, b, 1.0);
    }
    values
}
