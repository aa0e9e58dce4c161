//! Krippendorff's alpha (Computing Krippendorff's Alpha-Reliability, 2011), for any table of pairs of scores.

use crate::undefined::{NumberOrReason, Undefined};

/// Computes `1 - observed / expected` disagreement. `counts` are the scores of each level; `observed` sums the distances
/// of all pairs of scores of one thing, both orders of a pair, a thing weighing as many as it has scores. At most 1; 0
/// is the level of chance. It is undefined without a pair, and where all scores are one level.
pub(crate) fn krippendorff_alpha(
    counts: &[f64],
    distance: &dyn Fn(usize, usize) -> f64,
    observed: impl FnOnce(&dyn Fn(usize, usize) -> f64) -> f64,
) -> NumberOrReason {
    let total: f64 = counts.iter().sum();
    if total == 0.0 {
        return Err(Undefined::NoPairs);
    }
    let levels = 0..counts.len();
    let row =
        |a: usize| levels.clone().map(|b| counts[a] * counts[b] * distance(a, b)).sum::<f64>();
    let expected: f64 = levels.clone().map(row).sum();
    if expected == 0.0 {
        return Err(Undefined::OneLevel);
    }
    Ok(1.0 - (total - 1.0) * observed(distance) / expected)
}

/// Computes alpha from coincidences: how often two scores of one thing have this level and that, a row a level.
pub(crate) fn alpha_of_coincidences(
    coincidences: &[f64],
    level_count: usize,
    distance: &dyn Fn(usize, usize) -> f64,
) -> NumberOrReason {
    let observed = |distance: &dyn Fn(usize, usize) -> f64| -> f64 {
        let rows = coincidences.chunks(level_count.max(1)).enumerate();
        let row = |(a, row): (usize, &[f64])| -> f64 {
            row.iter().enumerate().map(|(b, count)| count * distance(a, b)).sum()
        };
        rows.map(row).sum()
    };
    krippendorff_alpha(&level_counts(coincidences, level_count), distance, observed)
}

/// Returns the scores of each level.
pub(crate) fn level_counts(coincidences: &[f64], level_count: usize) -> Vec<f64> {
    coincidences.chunks(level_count.max(1)).map(|row| row.iter().sum()).collect()
}

/// Returns the coincidences of one thing that was given at least two scores, by the number of its scores at each level.
pub(crate) fn thing_coincidences(counts: &[f64]) -> Vec<f64> {
    let others = counts.iter().sum::<f64>() - 1.0;
    let mut coincidences = Vec::with_capacity(counts.len() * counts.len());
    for (a, of_a) in counts.iter().enumerate() {
        for (b, of_b) in counts.iter().enumerate() {
            coincidences.push(of_a * (of_b - if a == b { 1.0 } else { 0.0 }) / others);
        }
    }
    coincidences
}

/// Returns the distance of two levels by the ordinal metric: the square of the scores between their middles.
pub(crate) fn ordinal_distance(counts: &[f64]) -> impl Fn(usize, usize) -> f64 + use<> {
    let mut before = 0.0;
    let middle = |count: &f64| {
        let middle = before + count / 2.0;
        before += count;
        middle
    };
    let middles: Vec<f64> = counts.iter().map(middle).collect();
    move |a, b| (middles[a] - middles[b]).powi(2)
}
