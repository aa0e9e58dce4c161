use proptest::{collection::vec, prelude::*};

use super::*;
use crate::study::Interval;

fn quick(pairs: &[(f64, f64)]) -> Paired {
    paired(pairs, &Plan { resamples: 60, ..Plan::default() })
}

#[test]
fn a_pair_without_a_number_is_left_out() {
    let found = quick(&[
        (1.0, 0.0),
        (f64::NAN, 0.0),
        (f64::INFINITY, 1.0),
        (2.0, 2.0),
        (f64::MAX, f64::MIN),
    ]);

    assert_eq!((found.n, found.higher, found.ties, found.lower), (2, 1, 1, 0));
    assert_eq!(found.wilcoxon.map(|test| (test.n, test.zeros, test.p)), Ok((1, 1, 1.0)));
}

#[test]
fn what_cannot_be_told_says_why() {
    let d = |pairs: &[(f64, f64)]| quick(pairs).cohen_d.value;

    assert_eq!(d(&[]), Err(Undefined::NoPairs));
    assert_eq!(d(&[(2.0, 1.0)]), Err(Undefined::FewerThanTwoPairs));
    assert_eq!(d(&[(2.0, 1.0), (3.0, 2.0)]), Err(Undefined::EqualDifferences));
    assert_eq!(quick(&[(1.0, 1.0), (2.0, 2.0)]).wilcoxon, Err(Undefined::OnlyZeros));
    assert_eq!(quick(&[]).wilcoxon, Err(Undefined::NoPairs));
    assert_eq!(quick(&[(2.0, 1.0)]).mean_gap.value, Ok(1.0));
}

#[test]
fn the_test_is_exact_up_to_25_differences_without_ties() {
    let distinct = |count: i32| -> Vec<(f64, f64)> {
        (1..=count).map(|size| (f64::from(size), 0.0)).collect()
    };
    let method = |pairs: &[(f64, f64)]| quick(pairs).wilcoxon.unwrap().method;

    assert_eq!(method(&distinct(25)), Method::Exact);
    assert_eq!(method(&distinct(26)), Method::Normal);
    assert_eq!(method(&[(1.0, 0.0), (0.0, 1.0), (3.0, 0.0)]), Method::Normal);
    assert_eq!(quick(&distinct(25)).wilcoxon.unwrap().p, 2.0 / f64::from(1 << 25));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_numbers_make_it_panic_or_leave_its_bounds(
        wild in vec((any::<f64>(), any::<f64>()), 0..8),
        tame in vec((-3i8..4, -3i8..4), 0..8),
    ) {
        let tame = tame.iter().map(|&(a, b)| (f64::from(a), f64::from(b)));
        let found = quick(&wild.into_iter().chain(tame).collect::<Vec<_>>());

        prop_assert_eq!(found.n, found.higher + found.ties + found.lower);
        for estimate in [found.mean_gap, found.cohen_d] {
            prop_assert!(estimate.value.is_err() || estimate.value.is_ok_and(f64::is_finite));
            if let Ok(Interval { low, high }) = estimate.interval {
                prop_assert!(low.is_finite() && high.is_finite() && low <= high, "{} {}", low, high);
            }
        }
        if let Ok(test) = found.wilcoxon {
            prop_assert!((0.0..=1.0).contains(&test.p) && test.w >= 0.0, "{:?}", test);
        }
    }

    #[test]
    fn swapping_the_sides_turns_the_signs(pairs in vec((-50i8..50, -50i8..50), 0..30)) {
        let there: Vec<(f64, f64)> = pairs.iter().map(|&(a, b)| (f64::from(a), f64::from(b))).collect();
        let back: Vec<(f64, f64)> = there.iter().map(|&(a, b)| (b, a)).collect();
        let (there, back) = (quick(&there), quick(&back));

        prop_assert_eq!((there.higher, there.lower), (back.lower, back.higher));
        prop_assert_eq!(there.mean_gap.value, back.mean_gap.value.map(|gap| 0.0 - gap));
        prop_assert_eq!(there.cohen_d.value, back.cohen_d.value.map(|d| 0.0 - d));
        prop_assert_eq!(there.wilcoxon.map(|test| (test.w, test.p)), back.wilcoxon.map(|test| (test.w, test.p)));
    }

    #[test]
    fn the_ranks_of_the_differences_sum_up(pairs in vec((-50i8..50, -50i8..50), 1..40)) {
        let pairs: Vec<(f64, f64)> = pairs.iter().map(|&(a, b)| (f64::from(a), f64::from(b))).collect();
        if let Ok(test) = quick(&pairs).wilcoxon {
            let n = test.n as f64;
            prop_assert_eq!(test.w_plus + test.w_minus, n * (n + 1.0) / 2.0);
            prop_assert_eq!(test.n + test.zeros, pairs.len());
        }
    }
}
