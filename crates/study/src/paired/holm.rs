//! Several tests of one table: Holm's correction (Scandinavian Journal of Statistics 6, 1979).

/// A p-value among others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HolmAdjusted {
    /// The adjusted p-value, never below the raw one.
    pub p: f64,
    /// The number of tests that it is adjusted for.
    pub tests: usize,
}

impl HolmAdjusted {
    /// Returns `Holm over 6 metrics`.
    pub fn method_text(tests: usize) -> String {
        format!("Holm over {tests} {}", if tests == 1 { "metric" } else { "metrics" })
    }
}

/// Returns the adjusted p-values in the order of the raw ones, which are no NaN: the smallest times their number, the
/// next times one less and so on, none below the one before and none above 1.
pub fn holm_adjust(raw: &[f64]) -> Vec<HolmAdjusted> {
    let tests = raw.len();
    let mut order: Vec<usize> = (0..tests).collect();
    order.sort_by(|&a, &b| raw[a].total_cmp(&raw[b]));
    let mut adjusted = vec![HolmAdjusted { p: 1.0, tests }; tests];
    let mut least: f64 = 0.0;
    for (before, at) in order.into_iter().enumerate() {
        least = least.max((raw[at] * (tests - before) as f64).min(1.0));
        adjusted[at].p = least;
    }
    adjusted
}
