//! Wilcoxon's signed-rank test (Biometrics Bulletin 1, 1945), as `scipy.stats.wilcoxon` with `zero_method="wilcox"` and
//! no continuity correction.

use crate::study::{
    maths::{ranks, two_sided},
    undefined::{Undefined, finite},
};

/// Up to so many differences without ties the p-value is exact.
pub const EXACT_UP_TO: usize = 25;

/// The test of whether differences lie around 0, two-sided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wilcoxon {
    /// The smaller of the two sums of ranks.
    pub w: f64,
    /// Sum of the ranks of the differences above 0.
    pub w_plus: f64,
    /// Sum of the ranks of those below.
    pub w_minus: f64,
    pub p: f64,
    pub method: Method,
    /// Differences that count.
    pub n: usize,
    /// Differences of 0, which are dropped.
    pub zeros: usize,
}

/// How the p-value is had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// From all ways to give the ranks their signs.
    Exact,
    /// From a normal distribution, its variance corrected for ties.
    Normal,
}

impl Method {
    /// `exact` or `normal approximation`
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Normal => "normal approximation",
        }
    }
}

/// Of finite differences, in any order.
pub fn wilcoxon(differences: &[f64]) -> Result<Wilcoxon, Undefined> {
    if differences.is_empty() {
        return Err(Undefined::NoPairs);
    }
    let kept: Vec<f64> =
        differences.iter().copied().filter(|difference| *difference != 0.0).collect();
    if kept.is_empty() {
        return Err(Undefined::OnlyZeros);
    }
    let sizes: Vec<f64> = kept.iter().map(|difference| difference.abs()).collect();
    let ranks = ranks(&sizes);
    let signed = || kept.iter().zip(&ranks.of);
    // From 0 and not by `sum`, whose nothing is -0.
    let w_plus = signed().filter(|(gap, _)| **gap > 0.0).fold(0.0, |sum, (_, rank)| sum + rank);
    let w_minus = signed().filter(|(gap, _)| **gap < 0.0).fold(0.0, |sum, (_, rank)| sum + rank);
    let w = f64::min(w_plus, w_minus);
    let n = kept.len();
    let is_exact = n <= EXACT_UP_TO && ranks.ties.is_empty();
    let method = if is_exact { Method::Exact } else { Method::Normal };
    let p = match method {
        Method::Exact => exact(w as usize, n),
        Method::Normal => approximate(w, n, &ranks.ties),
    };
    Ok(Wilcoxon { w, w_plus, w_minus, p: finite(p)?, method, n, zeros: differences.len() - n })
}

/// Twice the share of the ways to pick ranks out of 1..=n whose sum is at most `w`.
fn exact(w: usize, n: usize) -> f64 {
    let mut ways = vec![0.0; w + 1];
    ways[0] = 1.0;
    for rank in 1..=n {
        for sum in (rank..=w).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    (2.0 * ways.iter().sum::<f64>() / 2f64.powi(n as i32)).min(1.0)
}

fn approximate(w: f64, n: usize, ties: &[usize]) -> f64 {
    let n = n as f64;
    let tied: f64 =
        ties.iter().map(|size| *size as f64).map(|size| size * (size * size - 1.0)).sum();
    let variance = (n * (n + 1.0) * (2.0 * n + 1.0) - tied / 2.0) / 24.0;
    two_sided((w - n * (n + 1.0) / 4.0) / variance.sqrt())
}
