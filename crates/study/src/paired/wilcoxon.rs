//! Wilcoxon's signed-rank test (Biometrics Bulletin 1, 1945): exact by permutation of the signs, ties included, as
//! `scipy.stats.permutation_test` of paired samples enumerates it; of more differences the normal approximation of
//! `scipy.stats.wilcoxon` with `zero_method="wilcox"` and no continuity correction.

use crate::{
    maths::{normal_two_sided, rank_numbers},
    undefined::{Undefined, finite_number},
};

/// The number of differences up to which the p-value is exact.
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
    pub method: PValueMethod,
    /// The p-value of the normal approximation, for comparison with programs that use it for a few tied differences.
    pub p_normal: f64,
    /// Differences that count.
    pub n: usize,
    /// Differences of 0, which are dropped.
    pub zeros: usize,
}

/// The method of the p-value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PValueMethod {
    /// All assignments of signs to the ranks are counted.
    Exact,
    /// The normal distribution is used, its variance corrected for ties.
    Normal,
}

impl PValueMethod {
    /// Returns `exact` or `normal approximation`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Normal => "normal approximation",
        }
    }
}

impl Wilcoxon {
    /// Returns `Wilcoxon signed-rank, exact permutation, n 5, 1 zero dropped`.
    pub fn method_text(&self) -> String {
        format!("Wilcoxon signed-rank, {}", self.method_details())
    }

    /// Returns `exact permutation, n 5, 1 zero dropped`.
    pub fn method_details(&self) -> String {
        let method = match self.method {
            PValueMethod::Exact => "exact permutation",
            PValueMethod::Normal => "normal approximation corrected for ties",
        };
        let dropped = match self.zeros {
            0 => String::new(),
            1 => ", 1 zero dropped".into(),
            zeros => format!(", {zeros} zeros dropped"),
        };
        format!("{method}, n {}{dropped}", self.n)
    }
}

/// Runs the test on differences in which equal ones are the same float already.
pub(super) fn signed_rank_test(differences: &[f64]) -> Result<Wilcoxon, Undefined> {
    if differences.is_empty() {
        return Err(Undefined::NoPairs);
    }
    let kept: Vec<f64> =
        differences.iter().copied().filter(|difference| *difference != 0.0).collect();
    if kept.is_empty() {
        return Err(Undefined::OnlyZeros);
    }
    let sizes: Vec<f64> = kept.iter().map(|difference| difference.abs()).collect();
    let ranks = rank_numbers(&sizes);
    let signed = || kept.iter().zip(&ranks.ranks);
    // From 0 and not by `sum`, whose nothing is -0.
    let w_plus = signed().filter(|(gap, _)| **gap > 0.0).fold(0.0, |sum, (_, rank)| sum + rank);
    let w_minus = signed().filter(|(gap, _)| **gap < 0.0).fold(0.0, |sum, (_, rank)| sum + rank);
    let w = f64::min(w_plus, w_minus);
    let n = kept.len();
    let p_normal = finite_number(normal_p_value(w, n, &ranks.ties))?;
    let (method, p) = match n <= EXACT_UP_TO {
        true => (PValueMethod::Exact, exact_p_value(w, &ranks.ranks)),
        false => (PValueMethod::Normal, p_normal),
    };
    Ok(Wilcoxon { w, w_plus, w_minus, p, method, p_normal, n, zeros: differences.len() - n })
}

/// Computes twice the share of the ways to pick some of the ranks whose sum is at most `w`, counted in halves: ranks of
/// ties are whole or half numbers.
fn exact_p_value(w: f64, ranks: &[f64]) -> f64 {
    let halves = |rank: f64| (2.0 * rank) as usize;
    let most = halves(w);
    let mut ways = vec![0_u64; most + 1];
    ways[0] = 1;
    for rank in ranks.iter().map(|rank| halves(*rank)) {
        for sum in (rank..=most).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    (2.0 * ways.iter().sum::<u64>() as f64 / 2f64.powi(ranks.len() as i32)).min(1.0)
}

fn normal_p_value(w: f64, n: usize, ties: &[usize]) -> f64 {
    let n = n as f64;
    let tied: f64 =
        ties.iter().map(|size| *size as f64).map(|size| size * (size * size - 1.0)).sum();
    let variance = (n * (n + 1.0) * (2.0 * n + 1.0) - tied / 2.0) / 24.0;
    normal_two_sided((w - n * (n + 1.0) / 4.0) / variance.sqrt())
}
