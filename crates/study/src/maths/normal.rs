//! The normal distribution.

use std::f64::consts::{PI, SQRT_2};

/// The limit up to which the series is used: below it the series converges fast and exactly, above it the continued
/// fraction does.
const SERIES_UP_TO: f64 = 2.5;

/// Computes the share of a standard normal below `z`.
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * upper_error(-z / SQRT_2)
}

/// Computes the probability of a value at least as far from 0 as `z`, on either side.
pub fn normal_two_sided(z: f64) -> f64 {
    upper_error(z.abs() / SQRT_2)
}

/// Computes `1 - erf(x)`, with small relative error far out too. 0 and 2 at the infinities, NaN of NaN.
fn upper_error(x: f64) -> f64 {
    let distance = x.abs();
    let upper =
        if distance < SERIES_UP_TO { 1.0 - erf_series(distance) } else { erfc_fraction(distance) };
    if x < 0.0 { 2.0 - upper } else { upper }
}

/// Computes erf as `2/sqrt(pi) e^(-x^2) (x + 2x^3/3 + 4x^5/15 + ...)`, whose terms all have one sign.
fn erf_series(x: f64) -> f64 {
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    while term > sum * f64::EPSILON / 8.0 {
        odd += 2.0;
        term *= 2.0 * x * x / odd;
        sum += term;
    }
    2.0 / PI.sqrt() * (-x * x).exp() * sum
}

/// Computes erfc as Laplace's continued fraction, from the inside out.
fn erfc_fraction(x: f64) -> f64 {
    if x == f64::INFINITY {
        return 0.0;
    }
    let tail = (1..=120).rev().fold(0.0, |tail, k| f64::from(k) / 2.0 / (x + tail));
    (-x * x).exp() / PI.sqrt() / (x + tail)
}

/// Returns the value below which the share `p` of a standard normal lies; the infinities at 0 and 1, NaN outside that
/// range.
pub fn normal_quantile(p: f64) -> f64 {
    match p {
        p if p.is_nan() || !(0.0..=1.0).contains(&p) => f64::NAN,
        0.0 => f64::NEG_INFINITY,
        1.0 => f64::INFINITY,
        0.5 => 0.0,
        // The lower half keeps the digits of a small share.
        p if p > 0.5 => -lower_quantile(1.0 - p),
        p => lower_quantile(p),
    }
}

/// Finds the quantile by Newton's method for the logarithm of the share, which is close to a parabola, kept between
/// two bounds that close in.
fn lower_quantile(p: f64) -> f64 {
    let (mut low, mut high) = (-39.0, 0.0);
    let mut z: f64 = -1.0;
    for _ in 0..200 {
        let share = normal_cdf(z);
        let off = (share / p).ln();
        if off > 0.0 {
            high = z;
        } else {
            low = z;
        }
        let density = (-0.5 * z * z).exp() / (2.0 * PI).sqrt();
        let step = z - off * share / density;
        let next = if step > low && step < high { step } else { 0.5 * (low + high) };
        if (next - z).abs() <= f64::EPSILON * z.abs() {
            return next;
        }
        z = next;
    }
    z
}
