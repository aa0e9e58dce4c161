use proptest::{collection::vec, prelude::*};

use super::*;
use crate::Interval;

fn compare_quickly(pairs: &[(f64, f64)]) -> PairedComparison {
    compare_pairs(pairs, &BootstrapPlan { resamples: 60, ..BootstrapPlan::default() })
}

#[test]
fn a_pair_without_a_number_is_left_out() {
    let found = compare_quickly(&[
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
    let d = |pairs: &[(f64, f64)]| compare_quickly(pairs).cohen_d.value;

    assert_eq!(d(&[]), Err(Undefined::NoPairs));
    assert_eq!(d(&[(2.0, 1.0)]), Err(Undefined::FewerThanTwoPairs));
    assert_eq!(d(&[(2.0, 1.0), (3.0, 2.0)]), Err(Undefined::EqualDifferences));
    assert_eq!(compare_quickly(&[(1.0, 1.0), (2.0, 2.0)]).wilcoxon, Err(Undefined::OnlyZeros));
    assert_eq!(compare_quickly(&[]).wilcoxon, Err(Undefined::NoPairs));
    assert_eq!(compare_quickly(&[(2.0, 1.0)]).mean_gap.value, Ok(1.0));
}

#[test]
fn the_test_is_exact_up_to_25_differences_with_ties_and_without() {
    let distinct = |count: i32| -> Vec<(f64, f64)> {
        (1..=count).map(|size| (f64::from(size), 0.0)).collect()
    };
    let method = |pairs: &[(f64, f64)]| compare_quickly(pairs).wilcoxon.unwrap().method;

    assert_eq!(method(&distinct(25)), PValueMethod::Exact);
    assert_eq!(method(&distinct(26)), PValueMethod::Normal);
    assert_eq!(method(&[(1.0, 0.0), (0.0, 1.0), (3.0, 0.0)]), PValueMethod::Exact);
    assert_eq!(method(&[(1.0, 0.0); 25]), PValueMethod::Exact);
    assert_eq!(method(&[(1.0, 0.0); 26]), PValueMethod::Normal);
    assert_eq!(compare_quickly(&distinct(25)).wilcoxon.unwrap().p, 2.0 / f64::from(1 << 25));
}

/// Pairs of means over so many components; the signs are those of the differences, each of one component by one level.
fn means_over(components: u32, signs: &str) -> Vec<(f64, f64)> {
    let of = f64::from(components);
    let pair = |(at, sign): (u32, char)| {
        let (low, high) = (f64::from(at % 4) / of, f64::from(at % 4 + 1) / of);
        if sign == '+' { (high, low) } else { (low, high) }
    };
    (0..).zip(signs.chars()).map(pair).collect()
}

#[test]
fn equal_gaps_of_thirds_tie_and_have_the_exact_p_of_their_signs() {
    // The five gaps are three different floats; W used to be 2.0 and p .129.
    let found = compare_quickly(&means_over(3, "++-++"));

    let test = found.wilcoxon.unwrap();
    assert_eq!((test.w, test.w_plus, test.p), (3.0, 12.0, 12.0 / 32.0));
    assert_eq!(test.method_text(), "Wilcoxon signed-rank, exact permutation, n 5");
    assert_eq!((found.higher, found.ties, found.lower), (4, 0, 1));
}

#[test]
fn three_tasks_cannot_have_a_p_below_a_quarter() {
    let found = compare_quickly(&[(1.0, 0.0), (2.0, 1.0), (5.0, 4.0), (2.0, 2.0)]);

    let test = found.wilcoxon.unwrap();
    assert_eq!((test.p, test.zeros), (0.25, 1));
    assert_eq!(test.method_text(), "Wilcoxon signed-rank, exact permutation, n 3, 1 zero dropped");
    assert!((test.p_normal - 0.0833).abs() < 1e-4, "{}", test.p_normal);
}

#[test]
fn an_effect_is_not_defined_where_the_spread_is_rounding_alone() {
    // It used to be 3.9e14.
    assert_eq!(
        compare_quickly(&means_over(3, "+++++")).cohen_d.value,
        Err(Undefined::EqualDifferences)
    );
    assert!(compare_quickly(&means_over(3, "+++-+")).cohen_d.value.is_ok());
}

#[test]
fn what_differs_by_rounding_alone_is_a_tie() {
    let found = compare_quickly(&[(0.1 + 0.2, 0.3), (0.5, 0.25)]);

    assert_eq!((found.higher, found.ties), (1, 1));
    assert_eq!(found.wilcoxon.map(|test| test.zeros), Ok(1));
}

#[test]
fn whole_numbers_are_compared_exactly_however_large() {
    let tokens = |more: f64| (1e12 + more, 1e12);

    assert_eq!(pair_differences(&[tokens(1.0), tokens(-2.0)]), [1.0, -2.0]);
}

#[test]
fn holm_multiplies_the_smallest_by_their_number_and_never_falls_back() {
    let adjusted: Vec<f64> =
        holm_adjust(&[0.04, 0.01, 0.03, 0.9]).iter().map(|it| (it.p * 1e6).round() / 1e6).collect();

    assert_eq!(adjusted, [0.09, 0.04, 0.09, 0.9]);
    assert_eq!(holm_adjust(&[0.6, 0.6])[0], HolmAdjusted { p: 1.0, tests: 2 });
    assert_eq!(holm_adjust(&[]), []);
}

#[test]
fn the_metrics_of_a_table_that_can_be_better_are_one_family() {
    let all_up = vec![(1.0, 0.0); 5];
    let sides = [
        ("mcf", all_up.clone()),
        ("dir", all_up.clone()),
        ("turns", all_up),
        ("tests", vec![(1.0, 1.0)]),
    ];
    let better =
        |metric| if metric == "turns" { BetterDirection::Neither } else { BetterDirection::Higher };

    let table =
        test_metrics(&sides, better, &BootstrapPlan { resamples: 0, ..BootstrapPlan::default() });

    let adjusted: Vec<Option<HolmAdjusted>> = table.iter().map(|row| row.holm).collect();
    let twice = Some(HolmAdjusted { p: 0.125, tests: 2 });
    assert_eq!(adjusted, [twice, twice, None, None]);
}

/// W of whole differences in halves, and how many of the 2^n ways to give their signs have a smaller sum of ranks at
/// most as large: by going through all of them.
fn enumerate_signs(whole: &[i64]) -> (u64, u64) {
    let halves = |size: i64| {
        let count =
            |is_so: &dyn Fn(i64) -> bool| whole.iter().filter(|it| is_so(it.abs())).count() as u64;
        2 * count(&|other| other < size) + count(&|other| other == size) + 1
    };
    let ranks: Vec<u64> = whole.iter().map(|gap| halves(gap.abs())).collect();
    let all: u64 = ranks.iter().sum();
    let smaller = |is_up: &dyn Fn(usize) -> bool| {
        let up = (0..ranks.len()).filter(|at| is_up(*at)).map(|at| ranks[at]).sum::<u64>();
        up.min(all - up)
    };
    let w = smaller(&|at| whole[at] > 0);
    let ways = (0_u32..1 << ranks.len()).filter(|signs| smaller(&|at| signs >> at & 1 == 1) <= w);
    (w, ways.count() as u64)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Differences as whole numbers, and as thirds, sevenths, shares of any number of components.
    #[test]
    fn the_exact_test_counts_the_signs_whatever_ties(
        whole in vec((-6i64..7, 0i64..5), 1..12),
        components in 1u32..30,
    ) {
        let gaps: Vec<i64> = whole.iter().map(|(gap, _)| *gap).filter(|gap| *gap != 0).collect();
        let shares = |of: f64| -> Vec<(f64, f64)> {
            whole.iter().map(|&(gap, base)| ((base + gap) as f64 / of, base as f64 / of)).collect()
        };
        for pairs in [shares(1.0), shares(f64::from(components))] {
            match compare_pairs(&pairs, &BootstrapPlan { resamples: 0, ..BootstrapPlan::default() }).wilcoxon {
                Err(why) => prop_assert_eq!((why, gaps.len()), (Undefined::OnlyZeros, 0)),
                Ok(test) => {
                    let (w, ways) = enumerate_signs(&gaps);
                    prop_assert_eq!(2.0 * test.w, w as f64);
                    prop_assert_eq!(test.p * 2f64.powi(gaps.len() as i32), ways as f64);
                    prop_assert_eq!(test.zeros, whole.len() - gaps.len());
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_numbers_make_it_panic_or_leave_its_bounds(
        wild in vec((any::<f64>(), any::<f64>()), 0..8),
        tame in vec((-3i8..4, -3i8..4), 0..8),
    ) {
        let tame = tame.iter().map(|&(a, b)| (f64::from(a), f64::from(b)));
        let found = compare_quickly(&wild.into_iter().chain(tame).collect::<Vec<_>>());

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
        let (there, back) = (compare_quickly(&there), compare_quickly(&back));

        prop_assert_eq!((there.higher, there.lower), (back.lower, back.higher));
        prop_assert_eq!(there.mean_gap.value, back.mean_gap.value.map(|gap| 0.0 - gap));
        prop_assert_eq!(there.cohen_d.value, back.cohen_d.value.map(|d| 0.0 - d));
        prop_assert_eq!(there.wilcoxon.map(|test| (test.w, test.p)), back.wilcoxon.map(|test| (test.w, test.p)));
    }

    #[test]
    fn the_ranks_of_the_differences_sum_up(pairs in vec((-50i8..50, -50i8..50), 1..40)) {
        let pairs: Vec<(f64, f64)> = pairs.iter().map(|&(a, b)| (f64::from(a), f64::from(b))).collect();
        if let Ok(test) = compare_quickly(&pairs).wilcoxon {
            let n = test.n as f64;
            prop_assert_eq!(test.w_plus + test.w_minus, n * (n + 1.0) / 2.0);
            prop_assert_eq!(test.n + test.zeros, pairs.len());
        }
    }
}
