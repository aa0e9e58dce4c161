//! Two measurements of the same things: which is higher, by how much, and whether that could be chance.

mod differences;
mod holm;
#[cfg(test)]
mod tests;
mod wilcoxon;

pub use differences::{SAME, differences};
pub use holm::{Holm, holm};
pub use wilcoxon::{EXACT_UP_TO, Method, Wilcoxon};

use trajview_metrics::Better;

use super::{
    bootstrap::{Estimate, Plan, estimate},
    maths::mean,
    undefined::{Undefined, Value, finite},
};

/// One metric of a table of paired tests.
#[derive(Debug, Clone, PartialEq)]
pub struct Tested<M> {
    pub metric: M,
    pub paired: Paired,
    /// Among the metrics of the table that have a p-value and of which one side can be the better; None for the others.
    pub holm: Option<Holm>,
}

/// Tests every metric of one table; `better` says which way each is better.
pub fn tested<M: Copy>(
    sides: &[(M, Vec<(f64, f64)>)],
    better: impl Fn(M) -> Better,
    plan: &Plan,
) -> Vec<Tested<M>> {
    let row = |(metric, pairs): &(M, Vec<(f64, f64)>)| Tested {
        metric: *metric,
        paired: paired(pairs, plan),
        holm: None,
    };
    let mut table: Vec<Tested<M>> = sides.iter().map(row).collect();
    let is_meant = |row: &&mut Tested<M>| better(row.metric) != Better::Neither;
    let p_of = |row: &Tested<M>| Some(row.paired.wilcoxon.ok()?.p);
    let meant = table.iter_mut().filter(is_meant).filter(|row| p_of(row).is_some());
    let meant: Vec<&mut Tested<M>> = meant.collect();
    let raw: Vec<f64> = meant.iter().filter_map(|row| p_of(row)).collect();
    meant.into_iter().zip(holm(&raw)).for_each(|(row, adjusted)| row.holm = Some(adjusted));
    table
}

/// What two measurements of the same things say.
#[derive(Debug, Clone, PartialEq)]
pub struct Paired {
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

/// Compares the first numbers with the second; intervals from resamples drawn as the plan says.
pub fn paired(pairs: &[(f64, f64)], plan: &Plan) -> Paired {
    let gaps = differences(pairs);
    let draws = plan.draws(gaps.len());
    compare(&gaps, draws, plan.confidence)
}

/// The same from given resamples: each a list of differences by number, from 0, of the pairs with a finite one.
pub fn paired_from(
    pairs: &[(f64, f64)],
    resamples: impl Iterator<Item = Vec<usize>>,
    confidence: f64,
) -> Paired {
    compare(&differences(pairs), resamples, confidence)
}

fn compare(gaps: &[f64], resamples: impl Iterator<Item = Vec<usize>>, confidence: f64) -> Paired {
    let count = |is_so: fn(&f64) -> bool| gaps.iter().filter(|gap| is_so(gap)).count();
    let [mean_gap, cohen_d] = estimates(gaps, resamples, confidence);
    Paired {
        n: gaps.len(),
        higher: count(|gap| *gap > 0.0),
        ties: count(|gap| *gap == 0.0),
        lower: count(|gap| *gap < 0.0),
        mean_gap,
        wilcoxon: wilcoxon::of_even(gaps),
        cohen_d,
    }
}

/// Of the mean and of Cohen's d.
fn estimates(
    gaps: &[f64],
    resamples: impl Iterator<Item = Vec<usize>>,
    confidence: f64,
) -> [Estimate; 2] {
    const STATISTICS: [fn(&[f64]) -> Value; 2] = [mean_of, cohen_d];
    if gaps.len() < 2 {
        let why = if gaps.is_empty() { Undefined::NoPairs } else { Undefined::FewerThanTwoPairs };
        return STATISTICS.map(|of| Estimate { value: of(gaps), ..Estimate::undefined(why) });
    }
    let mut resampled = [vec![], vec![]];
    for resample in resamples {
        let drawn: Vec<f64> = resample.iter().filter_map(|&at| gaps.get(at).copied()).collect();
        resampled.iter_mut().zip(STATISTICS).for_each(|(values, of)| values.push(of(&drawn)));
    }
    let without_one = |of: fn(&[f64]) -> Value| -> Vec<Value> {
        let rest = |at: usize| [&gaps[..at], &gaps[at + 1..]].concat();
        (0..gaps.len()).map(|at| of(&rest(at))).collect()
    };
    let [means, ds] = resampled;
    [(mean_of as fn(&[f64]) -> Value, means), (cohen_d, ds)]
        .map(|(of, values)| estimate(of(gaps), &values, &without_one(of), confidence))
}

fn mean_of(gaps: &[f64]) -> Value {
    if gaps.is_empty() { Err(Undefined::NoPairs) } else { finite(mean(gaps)) }
}

/// Paired Cohen's d: the mean over the standard deviation (n - 1).
fn cohen_d(gaps: &[f64]) -> Value {
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
    let deviation = finite((squares / (gaps.len() - 1) as f64).sqrt())?;
    if deviation == 0.0 { Err(Undefined::EqualDifferences) } else { finite(centre / deviation) }
}
