//! Whether two numbers go together: Pearson's and Spearman's correlation with their p-values.

#[cfg(test)]
mod tests;

use serde::Serialize;

use super::{
    maths::{mean, rank_numbers, student_two_sided},
    undefined::{NumberOrReason, Undefined, finite_number, or_null},
};

/// A correlation, -1 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Correlation {
    pub r: f64,
    /// Two-sided, by Student's t with n - 2 degrees of freedom, as `scipy.stats` does.
    #[serde(serialize_with = "or_null")]
    pub p: NumberOrReason,
}

/// Both correlations of the same pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct Correlations {
    /// Pairs of two finite numbers; others are left out.
    pub n: usize,
    /// Pearson's correlation, equal to `scipy.stats.pearsonr`.
    pub pearson: Result<Correlation, Undefined>,
    /// Spearman's correlation, equal to `scipy.stats.spearmanr`: ties share the mean rank.
    pub spearman: Result<Correlation, Undefined>,
}

/// Correlates pairs of numbers; their order does not matter.
pub fn correlate_pairs(pairs: &[(f64, f64)]) -> Correlations {
    let known = pairs.iter().filter(|(a, b)| a.is_finite() && b.is_finite());
    let (a, b): (Vec<f64>, Vec<f64>) = known.copied().unzip();
    Correlations {
        n: a.len(),
        pearson: pearson_correlation(&a, &b),
        spearman: pearson_correlation(&rank_numbers(&a).ranks, &rank_numbers(&b).ranks),
    }
}

fn pearson_correlation(a: &[f64], b: &[f64]) -> Result<Correlation, Undefined> {
    match a.len() {
        0 => return Err(Undefined::NoPairs),
        1 => return Err(Undefined::FewerThanTwoPairs),
        _ => {}
    }
    let (a, b) = (scaled_deviations(a)?, scaled_deviations(b)?);
    let products = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    // The root of a square is exact, so that a straight line gives 1 and not a little less.
    let r = finite_number(products(&a, &b) / (products(&a, &a) * products(&b, &b)).sqrt())?
        .clamp(-1.0, 1.0);
    Ok(Correlation { r, p: p_value(r, a.len()) })
}

/// Returns the deviations from the mean, in units of a power of two: the largest is between 1 and 2, so that squares
/// of neither huge nor tiny numbers leave the range.
fn scaled_deviations(numbers: &[f64]) -> Result<Vec<f64>, Undefined> {
    if numbers.iter().all(|number| *number == numbers[0]) {
        return Err(Undefined::NoVariance);
    }
    let centre = finite_number(mean(numbers))?;
    let off: Vec<f64> = numbers.iter().map(|number| number - centre).collect();
    let largest = finite_number(off.iter().fold(0.0, |most: f64, off| most.max(off.abs())))?;
    if largest < f64::MIN_POSITIVE {
        return Err(Undefined::NoVariance);
    }
    let unit = largest.log2().floor().exp2();
    Ok(off.into_iter().map(|off| off / unit).collect())
}

fn p_value(r: f64, n: usize) -> NumberOrReason {
    if n < 3 {
        return Err(Undefined::FewerThanThreePairs);
    }
    let freedom = (n - 2) as f64;
    let rest = (1.0 - r) * (1.0 + r);
    if rest <= 0.0 {
        return Ok(0.0);
    }
    finite_number(student_two_sided(r * (freedom / rest).sqrt(), freedom))
}
