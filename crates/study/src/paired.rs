//! Two measurements of the same things: which is higher, by how much, and whether that could be chance.

mod differences;
mod holm;
#[cfg(test)]
mod tests;
mod wilcoxon;

pub use differences::{SAME, pair_differences};
pub use holm::{HolmAdjusted, holm_adjust};
pub use wilcoxon::{EXACT_UP_TO, PValueMethod, Wilcoxon};

use trajview_metrics::BetterDirection;

use super::{
    bootstrap::{BootstrapPlan, Estimate, bca_estimate},
    maths::mean,
    undefined::{NumberOrReason, Undefined, finite_number},
};

/// A metric of a table of paired tests.
#[derive(Debug, Clone, PartialEq)]
pub struct TestedMetric<M> {
    pub metric: M,
    pub paired: PairedComparison,
    /// The adjusted p-value among the metrics of the table that have one and for which a direction is better; None
    /// for the others.
    pub holm: Option<HolmAdjusted>,
}

/// Tests every metric of one table; `better` gives the better direction of each.
pub fn test_metrics<M: Copy>(
    sides: &[(M, Vec<(f64, f64)>)],
    better: impl Fn(M) -> BetterDirection,
    plan: &BootstrapPlan,
) -> Vec<TestedMetric<M>> {
    let row = |(metric, pairs): &(M, Vec<(f64, f64)>)| TestedMetric {
        metric: *metric,
        paired: compare_pairs(pairs, plan),
        holm: None,
    };
    let mut table: Vec<TestedMetric<M>> = sides.iter().map(row).collect();
    let is_meant = |row: &&mut TestedMetric<M>| better(row.metric) != BetterDirection::Neither;
    let p_of = |row: &TestedMetric<M>| Some(row.paired.wilcoxon.ok()?.p);
    let tested = table.iter_mut().filter(is_meant).filter(|row| p_of(row).is_some());
    let tested: Vec<&mut TestedMetric<M>> = tested.collect();
    let raw: Vec<f64> = tested.iter().filter_map(|row| p_of(row)).collect();
    tested.into_iter().zip(holm_adjust(&raw)).for_each(|(row, adjusted)| row.holm = Some(adjusted));
    table
}

/// The result of comparing two measurements of the same things.
#[derive(Debug, Clone, PartialEq)]
pub struct PairedComparison {
    /// Pairs of two numbers with a finite difference; others are left out.
    pub n: usize,
    /// Pairs whose first number is higher, equal to [`SAME`], and lower.
    pub higher: usize,
    pub ties: usize,
    pub lower: usize,
    /// Mean of first less second.
    pub mean_gap: Estimate,
    pub wilcoxon: Result<Wilcoxon, Undefined>,
    /// The mean gap over the standard deviation (n - 1) of the gaps.
    pub cohen_d: Estimate,
}

/// Compares the first numbers with the second, with intervals from resamples that follow the plan.
pub fn compare_pairs(pairs: &[(f64, f64)], plan: &BootstrapPlan) -> PairedComparison {
    let gaps = pair_differences(pairs);
    let draws = plan.draws_among(gaps.len());
    compare_gaps(&gaps, draws, plan.confidence)
}

/// Compares with given resamples: each a list of differences by number, from 0, of the pairs with a finite one.
pub fn compare_pairs_from(
    pairs: &[(f64, f64)],
    resamples: impl Iterator<Item = Vec<usize>>,
    confidence: f64,
) -> PairedComparison {
    compare_gaps(&pair_differences(pairs), resamples, confidence)
}

fn compare_gaps(
    gaps: &[f64],
    resamples: impl Iterator<Item = Vec<usize>>,
    confidence: f64,
) -> PairedComparison {
    let count = |is_so: fn(&f64) -> bool| gaps.iter().filter(|gap| is_so(gap)).count();
    let [mean_gap, cohen_d] = gap_estimates(gaps, resamples, confidence);
    PairedComparison {
        n: gaps.len(),
        higher: count(|gap| *gap > 0.0),
        ties: count(|gap| *gap == 0.0),
        lower: count(|gap| *gap < 0.0),
        mean_gap,
        wilcoxon: wilcoxon::signed_rank_test(gaps),
        cohen_d,
    }
}

/// Estimates the mean gap and Cohen's d.
fn gap_estimates(
    gaps: &[f64],
    resamples: impl Iterator<Item = Vec<usize>>,
    confidence: f64,
) -> [Estimate; 2] {
    const STATISTICS: [fn(&[f64]) -> NumberOrReason; 2] = [gap_mean, cohen_d];
    if gaps.len() < 2 {
        let why = if gaps.is_empty() { Undefined::NoPairs } else { Undefined::FewerThanTwoPairs };
        return STATISTICS
            .map(|statistic| Estimate { value: statistic(gaps), ..Estimate::undefined(why) });
    }
    let mut resampled = [vec![], vec![]];
    for resample in resamples {
        let drawn: Vec<f64> = resample.iter().filter_map(|&at| gaps.get(at).copied()).collect();
        resampled
            .iter_mut()
            .zip(STATISTICS)
            .for_each(|(values, statistic)| values.push(statistic(&drawn)));
    }
    let without_one = |statistic: fn(&[f64]) -> NumberOrReason| -> Vec<NumberOrReason> {
        let rest = |at: usize| [&gaps[..at], &gaps[at + 1..]].concat();
        (0..gaps.len()).map(|at| statistic(&rest(at))).collect()
    };
    let [means, ds] = resampled;
    [(gap_mean as fn(&[f64]) -> NumberOrReason, means), (cohen_d, ds)].map(|(statistic, values)| {
        bca_estimate(statistic(gaps), &values, &without_one(statistic), confidence)
    })
}

fn gap_mean(gaps: &[f64]) -> NumberOrReason {
    if gaps.is_empty() { Err(Undefined::NoPairs) } else { finite_number(mean(gaps)) }
}

/// Paired Cohen's d: the mean over the standard deviation (n - 1).
fn cohen_d(gaps: &[f64]) -> NumberOrReason {
    match gaps {
        [] => return Err(Undefined::NoPairs),
        [_] => return Err(Undefined::FewerThanTwoPairs),
        // Equal ones are the same float, so that what is left of a spread is no rounding error.
        [first, rest @ ..] if rest.iter().all(|gap| gap == first) => {
            return Err(Undefined::EqualDifferences);
        }
        _ => {}
    }
    let centre = mean(gaps);
    let squares: f64 = gaps.iter().map(|gap| (gap - centre).powi(2)).sum();
    let deviation = finite_number((squares / (gaps.len() - 1) as f64).sqrt())?;
    if deviation == 0.0 {
        Err(Undefined::EqualDifferences)
    } else {
        finite_number(centre / deviation)
    }
}
