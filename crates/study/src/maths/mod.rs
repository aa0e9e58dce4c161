//! The few functions of mathematics that the tests of significance need.

mod beta;
mod normal;
mod ranks;

pub use beta::{fisher_quantile, student_cdf, student_two_sided};
pub use normal::{normal_cdf, normal_quantile, normal_two_sided};
pub use ranks::rank_numbers;

/// Returns the mean; NaN of nothing.
pub fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (argument, value) from `scipy.special.ndtr`.
    const CDF: [(f64, f64); 6] = [
        (-30.0, 4.906713927147908e-198),
        (-5.0, 2.866515718791933e-07),
        (-1.0, 0.15865525393145707),
        (0.3, 0.6179114221889526),
        (2.0, 0.9772498680518208),
        (3.6, 0.9998408914098424),
    ];

    /// (argument, value) from `scipy.special.ndtri`.
    const QUANTILE: [(f64, f64); 6] = [
        (1e-300, -37.0470962993612),
        (1e-10, -6.361340902404056),
        (0.025, -1.9599639845400545),
        (0.3, -0.5244005127080409),
        (0.9, 1.2815515655446004),
        (0.999, 3.090232306167813),
    ];

    /// (t, degrees of freedom, value) from `2 * scipy.stats.t.sf(t, freedom)`.
    const STUDENT: [(f64, f64, f64); 5] = [
        (0.1, 1.0, 0.9365489651388929),
        (2.0, 3.0, 0.1393259685588431),
        (12.0, 18.0, 5.046511102563651e-10),
        (40.0, 500.0, 6.290642918257955e-158),
        (1e-3, 1e6, 0.9992021157716491),
    ];

    /// (p, degrees of freedom, value) from `scipy.stats.f.ppf`.
    const FISHER: [(f64, f64, f64, f64); 5] = [
        (0.975, 23.0, 23.0, 2.3116405936026374),
        (0.975, 3.7, 11.0, 4.3645999263976645),
        (0.025, 40.0, 5.5, 0.3548536538231992),
        (0.975, 1.0, 1.2, 239.27278286381986),
        (0.975, 400.0, 1200.0, 1.1699483193594395),
    ];

    fn assert_near(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-11, "{found} is not {expected}");
    }

    #[test]
    fn the_normal_distribution_is_scipys_far_out_too() {
        CDF.iter().for_each(|(z, expected)| assert_near(normal_cdf(*z), *expected));
        QUANTILE.iter().for_each(|(p, expected)| assert_near(normal_quantile(*p), *expected));
        assert_near(normal_two_sided(-5.0), 2.0 * CDF[1].1);
        assert_eq!([0.0, 0.5, 1.0].map(normal_quantile), [f64::NEG_INFINITY, 0.0, f64::INFINITY]);
        assert!(normal_quantile(1.5).is_nan() && normal_quantile(f64::NAN).is_nan());
    }

    #[test]
    fn students_distribution_is_scipys_far_out_too() {
        STUDENT.iter().for_each(|(t, freedom, expected)| {
            assert_near(student_two_sided(*t, *freedom), *expected)
        });
    }

    #[test]
    fn quantiles_of_f_are_scipys() {
        FISHER.iter().for_each(|(p, numerator, denominator, expected)| {
            assert_near(fisher_quantile(*p, *numerator, *denominator), *expected)
        });
        assert_near(student_cdf(-2.0, 3.0), STUDENT[1].2 / 2.0);
        assert_near(student_cdf(2.0, 3.0), 1.0 - STUDENT[1].2 / 2.0);
    }

    #[test]
    fn equals_share_the_mean_of_their_places() {
        let found = rank_numbers(&[3.0, -0.0, 3.0, 0.0, 9.0, 3.0]);

        assert_eq!((found.ranks, found.ties), (vec![4.0, 1.5, 4.0, 1.5, 6.0, 4.0], vec![2, 3]));
    }
}
