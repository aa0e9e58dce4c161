//! How far raters agree who scored the same things on one ordinal scale.
//!
//! Of two raters everything follows from how often each pair of levels was given ([`ConfusionTable`]), so the order of the pairs is
//! of no consequence. [`Coefficient`] has the formulas and where they are from. [`several_raters`] is of any number of raters,
//! [`classes`] of one against a reference.

mod chance;
pub mod classes;
pub mod cluster_bootstrap;
mod coefficient;
pub mod interval_doubt;
mod intraclass;
mod rank;
mod scale;
pub mod several_raters;
mod table;
#[cfg(test)]
mod tests;

pub use coefficient::{AC2_WEIGHTS, Coefficient};
pub use scale::{MOST_LEVELS, MeasurementLevel, RatingScale, ScaleError};
pub use table::{ConfusionTable, LevelBoundary};

use super::{
    bootstrap::{BootstrapPlan, Estimate, Interval, bca_estimate},
    undefined::{NumberOrReason, Undefined},
};
use classes::{ReferenceMeasure, ZeroDivision};
use cluster_bootstrap::{ClusterPart, ClusteredEstimate, estimate_by_item_and_cluster};
pub(crate) use intraclass::{IccForm, VarianceSums};

/// The scores of two raters, in pairs, as positions on a scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    scale: RatingScale,
    /// Positions on the scale, from 0.
    pairs: Vec<(usize, usize)>,
    /// The pairs with a score off the scale, by their place among the given pairs, counted from 0.
    pub off_scale: Vec<usize>,
}

/// The agreement of two raters.
#[derive(Debug, Clone, PartialEq)]
pub struct Agreement {
    /// Pairs.
    pub n: usize,
    /// An estimate for each of [`Coefficient::ALL`], in that order.
    pub estimates: Vec<(Coefficient, Estimate)>,
    pub table: ConfusionTable,
}

impl Ratings {
    /// Pairs of scores; those off the scale are left out and named.
    pub fn new(scale: RatingScale, scores: &[(f64, f64)]) -> Self {
        let (mut pairs, mut off_scale) = (vec![], vec![]);
        for (at, (a, b)) in scores.iter().enumerate() {
            match (scale.position(*a), scale.position(*b)) {
                (Some(a), Some(b)) => pairs.push((a, b)),
                _ => off_scale.push(at),
            }
        }
        Self { scale, pairs, off_scale }
    }

    /// Returns the number of pairs that count.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    pub fn confusion_table(&self) -> ConfusionTable {
        let mut table = ConfusionTable::empty(&self.scale);
        self.pairs.iter().for_each(|&(a, b)| table.add_pairs(a, b, 1.0));
        table
    }

    /// Estimates every coefficient, with intervals from resamples that follow the plan.
    pub fn agreement(&self, plan: &BootstrapPlan) -> Agreement {
        self.agreement_from(plan.draws_among(self.len()), plan.confidence)
    }

    /// Estimates one coefficient, with the same result as [`Self::agreement`].
    pub fn estimate_coefficient(&self, coefficient: Coefficient, plan: &BootstrapPlan) -> Estimate {
        let estimates = self.estimate_coefficients(&[coefficient], plan);
        estimates.first().map_or(Estimate::undefined(Undefined::NoPairs), |(_, it)| *it)
    }

    /// Estimates every coefficient from given resamples: each a list of pairs by number, from 0. Numbers without a
    /// pair are skipped.
    pub(crate) fn agreement_from(
        &self,
        resamples: impl Iterator<Item = Vec<usize>>,
        confidence: f64,
    ) -> Agreement {
        let estimate_coefficients = self.estimates_from(&Coefficient::ALL, resamples, confidence);
        Agreement { n: self.len(), estimates: estimate_coefficients, table: self.confusion_table() }
    }

    /// Estimates some coefficients, in the given order, from the same draws as [`Self::agreement`].
    pub fn estimate_coefficients(
        &self,
        coefficients: &[Coefficient],
        plan: &BootstrapPlan,
    ) -> Vec<(Coefficient, Estimate)> {
        self.estimates_from(coefficients, plan.draws_among(self.len()), plan.confidence)
    }

    fn estimates_from(
        &self,
        coefficients: &[Coefficient],
        resamples: impl Iterator<Item = Vec<usize>>,
        confidence: f64,
    ) -> Vec<(Coefficient, Estimate)> {
        let table = self.confusion_table();
        if let Some(why) = self.too_few_pairs() {
            return coefficients
                .iter()
                .map(|it| (*it, estimate_of_few(*it, &table, why)))
                .collect();
        }
        let mut resampled: Vec<Vec<NumberOrReason>> = vec![vec![]; coefficients.len()];
        let mut has_draws = false;
        for resample in resamples {
            has_draws = true;
            let table = self.table_of(&resample);
            for (values, coefficient) in resampled.iter_mut().zip(coefficients) {
                if coefficient.icc_form().is_none() {
                    values.push(coefficient.formula_value(&table));
                }
            }
        }
        let estimate = |(coefficient, resampled): (&Coefficient, Vec<NumberOrReason>)| {
            let value = coefficient.value_of_sample(&table);
            let estimate = match coefficient.icc_form().filter(|_| has_draws) {
                Some(form) => VarianceSums::for_table(&table).estimate(form, confidence),
                None => {
                    let without_one = leave_one_out(*coefficient, &table);
                    bca_estimate(value, &resampled, &without_one, confidence)
                }
            };
            (*coefficient, Estimate { value, ..estimate })
        };
        coefficients.iter().zip(resampled).map(estimate).collect()
    }

    /// Computes the interval of every coefficient from draws of whole clusters. `clusters` names the cluster of each
    /// pair that is on the scale, in the order of [`Self::new`].
    pub fn intervals_by_cluster(
        &self,
        clusters: &[usize],
        plan: &BootstrapPlan,
    ) -> Vec<(Coefficient, Result<Interval, Undefined>)> {
        let parts = self.cluster_parts(clusters);
        let formula = |it: Coefficient, table: &ConfusionTable| it.formula_value(table);
        let value_of_sample = |it: Coefficient, table: &ConfusionTable| it.value_of_sample(table);
        let found = cluster_bootstrap::estimate_over_clusters(
            &parts,
            &Coefficient::ALL,
            formula,
            value_of_sample,
            plan,
        );
        found.into_iter().map(|(it, estimate)| (it, estimate.interval)).collect()
    }

    /// Measures the second score of each pair against the first, with both intervals.
    pub fn compare_to_reference(
        &self,
        clusters: &[usize],
        zero: ZeroDivision,
        plan: &BootstrapPlan,
    ) -> Vec<(ReferenceMeasure, ClusteredEstimate)> {
        let value = |it: ReferenceMeasure, table: &ConfusionTable| it.value_in(table, zero);
        estimate_by_item_and_cluster(
            &self.cluster_parts(clusters),
            &ReferenceMeasure::ALL,
            value,
            value,
            plan,
        )
    }

    fn cluster_parts(&self, clusters: &[usize]) -> Vec<ClusterPart<ConfusionTable>> {
        let part = |(at, &(a, b)): (usize, &(usize, usize))| {
            let mut sum = ConfusionTable::empty(&self.scale);
            sum.add_pairs(a, b, 1.0);
            ClusterPart { sum, cluster: clusters.get(at).copied().unwrap_or_default() }
        };
        self.pairs.iter().enumerate().map(part).collect()
    }

    fn table_of(&self, resample: &[usize]) -> ConfusionTable {
        let mut table = ConfusionTable::empty(&self.scale);
        let pairs = resample.iter().filter_map(|&at| self.pairs.get(at));
        pairs.for_each(|&(a, b)| table.add_pairs(a, b, 1.0));
        table
    }

    fn too_few_pairs(&self) -> Option<Undefined> {
        match self.len() {
            0 => Some(Undefined::NoPairs),
            1 => Some(Undefined::FewerThanTwoPairs),
            _ => None,
        }
    }
}

impl Agreement {
    pub fn estimate_for(&self, coefficient: Coefficient) -> Estimate {
        let mut found = self.estimates.iter().filter(|(other, _)| *other == coefficient);
        found.next().map_or(Estimate::undefined(Undefined::NoPairs), |(_, estimate)| *estimate)
    }

    pub fn value_for(&self, coefficient: Coefficient) -> NumberOrReason {
        self.estimate_for(coefficient).value
    }
}

/// Estimates a coefficient of one pair at most: only shares are defined, and there is no interval.
fn estimate_of_few(coefficient: Coefficient, table: &ConfusionTable, why: Undefined) -> Estimate {
    Estimate { value: coefficient.value_of_sample(table), ..Estimate::undefined(why) }
}

/// The coefficient without each pair in turn; pairs of the same two levels give the same value.
fn leave_one_out(coefficient: Coefficient, table: &ConfusionTable) -> Vec<NumberOrReason> {
    let mut values = vec![];
    let mut table = table.clone();
    for (a, b, count) in table.filled_cells().collect::<Vec<_>>() {
        table.add_pairs(a, b, -1.0);
        values.extend(std::iter::repeat_n(coefficient.formula_value(&table), count as usize));
        table.add_pairs(a, b, 1.0);
    }
    values
}
