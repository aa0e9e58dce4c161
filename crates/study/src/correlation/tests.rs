use proptest::{collection::vec, prelude::*};

use super::*;

#[test]
fn what_cannot_be_told_says_why() {
    let pearson = |pairs: &[(f64, f64)]| correlate_pairs(pairs).pearson.map(|found| found.r);

    assert_eq!(pearson(&[]), Err(Undefined::NoPairs));
    assert_eq!(pearson(&[(1.0, f64::NAN), (1.0, 2.0)]), Err(Undefined::FewerThanTwoPairs));
    assert_eq!(pearson(&[(1.0, 2.0), (1.0, 3.0)]), Err(Undefined::NoVariance));
    let two = correlate_pairs(&[(1.0, 2.0), (2.0, 1.0)]).spearman.unwrap();
    assert_eq!(two, Correlation { r: -1.0, p: Err(Undefined::FewerThanThreePairs) });
}

#[test]
fn a_straight_line_is_a_correlation_of_one_whatever_its_unit() {
    for unit in [1.0, 1e-300, 1e300, 3.7] {
        let pairs: Vec<(f64, f64)> = (1..6).map(|x| (f64::from(x), f64::from(x) * unit)).collect();
        let found = correlate_pairs(&pairs).pearson.unwrap();
        assert!((found.r - 1.0).abs() < 1e-15 && found.p.unwrap() < 1e-9, "{unit}: {found:?}");
    }
}

proptest! {
    #[test]
    fn no_numbers_make_it_panic_or_leave_its_bounds(
        wild in vec((any::<f64>(), any::<f64>()), 0..8),
        tame in vec((-3i8..4, -3i8..4), 0..12),
    ) {
        let tame = tame.iter().map(|&(a, b)| (f64::from(a), f64::from(b)));
        let found = correlate_pairs(&wild.into_iter().chain(tame).collect::<Vec<_>>());

        for correlation in [found.pearson, found.spearman].into_iter().flatten() {
            prop_assert!((-1.0..=1.0).contains(&correlation.r), "{:?}", correlation);
            prop_assert!(correlation.p.is_err() || (0.0..=1.0).contains(&correlation.p.unwrap()), "{:?}", correlation);
        }
    }

    #[test]
    fn a_correlation_does_not_ask_which_is_first(pairs in vec((-9i8..9, -9i8..9), 0..20)) {
        let there: Vec<(f64, f64)> = pairs.iter().map(|&(a, b)| (f64::from(a), f64::from(b))).collect();
        let back: Vec<(f64, f64)> = there.iter().map(|&(a, b)| (b, a)).collect();
        prop_assert_eq!(correlate_pairs(&there), correlate_pairs(&back));
    }
}
