//! Whether two numbers go together: Pearson's and Spearman's correlation with their p-values.

#[cfg(test)]
mod tests;

use serde::Serialize;

use super::{
    maths::{mean, ranks, student_two_sided},
    undefined::{Undefined, Value, finite, or_null},
};

/// A correlation, -1 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Correlation {
    pub r: f64,
    /// Two-sided, by Student's t with n - 2 degrees of freedom, as `scipy.stats` does.
    #[serde(serialize_with = "or_null")]
    pub p: Value,
}

/// Both correlations of the same pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct Correlations {
    /// Pairs of two finite numbers; others are left out.
    pub n: usize,
    /// As `scipy.stats.pearsonr`.
    pub pearson: Result<Correlation, Undefined>,
    /// As `scipy.stats.spearmanr`: equals share the mean rank.
    pub spearman: Result<Correlation, Undefined>,
}

/// Of pairs of numbers; any order.
pub fn correlations(pairs: &[(f64, f64)]) -> Correlations {
    let known = pairs.iter().filter(|(a, b)| a.is_finite() && b.is_finite());
    let (a, b): (Vec<f64>, Vec<f64>) = known.copied().unzip();
    Correlations {
        n: a.len(),
        pearson: correlation(&a, &b),
        spearman: correlation(&ranks(&a).of, &ranks(&b).of),
    }
}

fn correlation(a: &[f64], b: &[f64]) -> Result<Correlation, Undefined> {
    match a.len() {
        0 => return Err(Undefined::NoPairs),
        1 => return Err(Undefined::FewerThanTwoPairs),
        _ => {}
    }
    let (a, b) = (deviations(a)?, deviations(b)?);
    let products = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    // The root of a square is exact, so that a straight line gives 1 and not a little less.
    let r =
        finite(products(&a, &b) / (products(&a, &a) * products(&b, &b)).sqrt())?.clamp(-1.0, 1.0);
    Ok(Correlation { r, p: p_value(r, a.len()) })
}

/// How far each is from the mean, in units of a power of two: the largest is between 1 and 2, so that squares of
/// neither huge nor tiny numbers leave the range.
fn deviations(numbers: &[f64]) -> Result<Vec<f64>, Undefined> {
    if numbers.iter().all(|number| *number == numbers[0]) {
        return Err(Undefined::NoVariance);
    }
    let centre = finite(mean(numbers))?;
    let off: Vec<f64> = numbers.iter().map(|number| number - centre).collect();
    let largest = finite(off.iter().fold(0.0, |most: f64, off| most.max(off.abs())))?;
    if largest < f64::MIN_POSITIVE {
        return Err(Undefined::NoVariance);
    }
    let unit = largest.log2().floor().exp2();
    Ok(off.into_iter().map(|off| off / unit).collect())
}

fn p_value(r: f64, n: usize) -> Value {
    if n < 3 {
        return Err(Undefined::FewerThanThreePairs);
    }
    let freedom = (n - 2) as f64;
    let rest = (1.0 - r) * (1.0 + r);
    if rest <= 0.0 {
        return Ok(0.0);
    }
    finite(student_two_sided(r * (freedom / rest).sqrt(), freedom))
}
