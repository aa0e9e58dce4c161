//! Quantiles of Student's distribution, for intervals from few labels.

use crate::maths::{fisher_quantile, normal_quantile};

/// From this number of degrees of freedom on an interval uses the normal distribution.
const NORMAL_FROM: f64 = 99.0;

/// Returns how many standard errors an interval of this confidence extends to either side.
///
/// It is the quantile of Student's distribution, from 99 degrees of freedom on that of the normal one.
pub(crate) fn interval_factor(confidence: f64, freedom: f64) -> f64 {
    if freedom >= NORMAL_FROM {
        return normal_quantile(f64::midpoint(1.0, confidence));
    }
    // The square of Student's variable is Fisher's with one degree of freedom above.
    fisher_quantile(confidence, 1.0, freedom).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_scipys_quantiles() {
        // scipy.stats.t.ppf(0.975, freedom), scipy.stats.norm.ppf(0.975)
        let expected =
            [(1.0, 12.706204736174705), (4.0, 2.7764451051977987), (38.0, 2.0243941639119702)];

        for (freedom, factor) in expected {
            assert!((interval_factor(0.95, freedom) - factor).abs() < 1e-9, "{freedom}");
        }
        assert!((interval_factor(0.95, 99.0) - 1.959963984540054).abs() < 1e-9);
    }
}
