use proptest::{collection::vec, prelude::*};

use super::*;
use crate::Interval;
use trajview_metrics::numbers::{Number, NumberInput};

/// Computes the agreement without intervals.
fn agreement_without_intervals(scale: RatingScale, scores: &[(f64, f64)]) -> Agreement {
    Ratings::new(scale, scores)
        .agreement(&BootstrapPlan { resamples: 0, ..BootstrapPlan::default() })
}

fn float_pairs(pairs: &[(u8, u8)]) -> Vec<(f64, f64)> {
    pairs.iter().map(|&(a, b)| (f64::from(a), f64::from(b))).collect()
}

fn agreement_on_slump_scale(pairs: &[(u8, u8)]) -> Agreement {
    agreement_without_intervals(RatingScale::default(), &float_pairs(pairs))
}

#[test]
fn a_score_off_the_scale_is_named_and_the_rest_counts() {
    let ratings = Ratings::new(
        RatingScale::default(),
        &[(1.0, 1.0), (5.0, 2.0), (3.0, f64::NAN), (2.5, 2.0), (4.0, 3.0)],
    );

    assert_eq!((ratings.len(), ratings.off_scale.as_slice()), (2, &[1, 2, 3][..]));
}

#[test]
fn what_cannot_be_told_says_why() {
    let why =
        |pairs: &[(u8, u8)], coefficient| agreement_on_slump_scale(pairs).value_for(coefficient);

    assert_eq!(why(&[], Coefficient::Exact), Err(Undefined::NoPairs));
    assert_eq!(why(&[(3, 3)], Coefficient::Exact), Ok(1.0));
    assert_eq!(why(&[(3, 2)], Coefficient::Kappa), Err(Undefined::FewerThanTwoPairs));
    assert_eq!(why(&[(3, 3); 4], Coefficient::Alpha), Err(Undefined::OneLevel));
    assert_eq!(why(&[(3, 3); 4], Coefficient::KappaQuadratic), Err(Undefined::OneLevel));
    assert_eq!(why(&[(3, 2), (3, 4)], Coefficient::Spearman), Err(Undefined::NoVariance));
    assert_eq!(why(&[(3, 2), (3, 4)], Coefficient::Kappa), Ok(0.0));
}

#[test]
fn gwets_coefficients_are_1_where_both_raters_give_one_level_throughout() {
    // They used to be not defined, as kappa is.
    let observed = RatingScale::from_scores([3.0]).unwrap();
    for agreement in [
        agreement_on_slump_scale(&[(3, 3); 4]),
        agreement_without_intervals(observed, &float_pairs(&[(3, 3); 4])),
    ] {
        let gwet = [Coefficient::Ac1, Coefficient::Ac2].map(|it| agreement.value_for(it));
        assert_eq!(gwet, [Ok(1.0), Ok(1.0)]);
    }
    assert_eq!(
        agreement_on_slump_scale(&[(3, 3)]).value_for(Coefficient::Ac1),
        Err(Undefined::FewerThanTwoPairs)
    );
}

#[test]
fn an_interval_that_hangs_on_a_few_pairs_is_not_given() {
    let hangs = [vec![(4, 4); 18], vec![(3, 4), (4, 3)]].concat();
    let agreement = Ratings::new(RatingScale::default(), &float_pairs(&hangs))
        .agreement(&BootstrapPlan::default());

    let spearman = agreement.estimate_for(Coefficient::Spearman);
    assert!(spearman.value.is_ok() && spearman.undefined_resamples > 500, "{spearman:?}");
    assert_eq!(spearman.interval, Err(Undefined::UnstableResamples));
    assert!(agreement.estimate_for(Coefficient::Exact).interval.is_ok());
}

#[test]
fn full_agreement_has_no_interval() {
    let agreement = Ratings::new(RatingScale::default(), &float_pairs(&[(1, 1), (3, 3), (4, 4)]))
        .agreement(&BootstrapPlan::default());

    assert_eq!(agreement.value_for(Coefficient::Kappa), Ok(1.0));
    assert_eq!(agreement.estimate_for(Coefficient::Exact).interval, Err(Undefined::NoSpread));
}

#[test]
fn two_pairs_that_are_alike_without_each_other_have_no_interval() {
    let scale = RatingScale::whole_numbers(0, 4).unwrap();

    let agreement =
        Ratings::new(scale, &[(4.0, 1.0), (1.0, 4.0)]).agreement(&BootstrapPlan::default());

    // Without either of them kappa is 0, so that its skewness is nothing over nothing: SciPy has no interval here.
    assert!(agreement.estimate_for(Coefficient::Kappa).interval.is_err());
}

#[test]
fn the_same_seed_gives_the_same_interval_and_another_seed_another() {
    let ratings = Ratings::new(
        RatingScale::default(),
        &float_pairs(&[(0, 1), (1, 1), (3, 2), (4, 4), (2, 2), (3, 4), (4, 3)]),
    );
    let exact = |seed| {
        ratings
            .agreement(&BootstrapPlan { seed, resamples: 500, ..BootstrapPlan::default() })
            .estimate_for(Coefficient::Kappa)
    };

    assert_eq!(exact(1), exact(1));
    assert_ne!(exact(1).interval, exact(2).interval);
}

#[test]
fn the_boundaries_count_pairs_whoever_gave_which_of_those_in_which_a_rater_gave_one_of_the_levels()
{
    let agreement = agreement_on_slump_scale(&[
        (2, 3),
        (3, 2),
        (3, 4),
        (2, 4),
        (3, 3),
        (0, 1),
        (1, 1),
        (4, 4),
        (0, 3),
    ]);

    let boundary = |low, high| agreement.table.boundary_between(low, high).to_string();
    assert_eq!((boundary(2.0, 3.0), boundary(3.0, 4.0)), ("2/6".into(), "1/7".into()));
    assert_eq!(agreement.value_for(Coefficient::Boundary23), Ok(2.0 / 6.0));
}

#[test]
fn a_boundary_that_nobody_came_near_has_no_share() {
    let agreement = agreement_on_slump_scale(&[(0, 1), (1, 1), (4, 4)]);

    assert_eq!(agreement.value_for(Coefficient::Boundary23), Err(Undefined::NeitherLevel));
    assert_eq!(agreement.value_for(Coefficient::Boundary34), Ok(0.0));
}

#[test]
fn base_rates_are_shares_of_each_level() {
    let (a, b) = agreement_on_slump_scale(&[(0, 1), (1, 1), (4, 1), (4, 2)]).table.base_rates();

    assert_eq!((a, b), (vec![0.25, 0.25, 0.0, 0.0, 0.5], vec![0.0, 0.75, 0.25, 0.0, 0.0]));
}

#[test]
fn levels_nobody_gave_are_no_steps_between_observed_ones() {
    let pairs = float_pairs(&[(1, 1), (4, 1), (4, 4), (0, 0), (0, 4), (1, 4)]);
    let observed = RatingScale::from_scores(pairs.iter().flat_map(|(a, b)| [*a, *b])).unwrap();

    assert_eq!(observed.levels(), [0.0, 1.0, 4.0]);
    let kappas = [RatingScale::default(), observed].map(|scale| {
        agreement_without_intervals(scale, &pairs).value_for(Coefficient::KappaLinear).unwrap()
    });
    assert_ne!(kappas[0], kappas[1]);
}

#[test]
fn a_scale_is_written_with_both_ends() {
    assert_eq!(RatingScale::parse("0..4"), Ok(RatingScale::default()));
    assert_eq!(RatingScale::parse("4..0"), Err(ScaleError::Backwards));
    assert_eq!(RatingScale::parse("-2147483648..2147483647"), Err(ScaleError::TooMany(1 << 32)));
    assert!(
        ["", "4", "a..b", "0...4"]
            .iter()
            .all(|words| matches!(RatingScale::parse(words), Err(ScaleError::NotARange(_))))
    );
}

#[test]
fn every_coefficient_is_in_the_list_of_metrics() {
    let is_of_raters = |number: Number| matches!(number.row().input, NumberInput::Raters);
    let is_listed = |it: &Coefficient| Number::find_by_id(it.name()).is_some_and(is_of_raters);
    assert!(Coefficient::ALL.iter().all(is_listed));
}

fn value_bounds(coefficient: Coefficient) -> (f64, f64) {
    if coefficient.is_share() { (0.0, 1.0) } else { (f64::NEG_INFINITY, 1.0) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Whatever the scores, NaN and infinities included.
    #[test]
    fn no_scores_make_it_panic_or_leave_its_bounds(
        pairs in vec((any::<f64>(), any::<f64>()), 0..12),
        whole in vec((0u8..7, 0u8..7), 0..12),
        seed: u64,
    ) {
        let plan = BootstrapPlan { seed, resamples: 40, ..BootstrapPlan::default() };
        let all: Vec<(f64, f64)> = pairs.iter().copied().chain(float_pairs(&whole)).collect();
        for scale in [Ok(RatingScale::default()), RatingScale::from_scores(all.iter().flat_map(|(a, b)| [*a, *b]))].into_iter().flatten() {
            let agreement = Ratings::new(scale, &all).agreement(&plan);
            for (coefficient, estimate) in &agreement.estimates {
                let (low, high) = value_bounds(*coefficient);
                if let Ok(value) = estimate.value {
                    prop_assert!(value.is_finite() && (low - 1e-9..=high + 1e-9).contains(&value), "{coefficient:?} {value}");
                }
                if let Ok(Interval { low, high }) = estimate.interval {
                    prop_assert!(low.is_finite() && high.is_finite() && low <= high, "{coefficient:?} {low} {high}");
                }
            }
        }
    }

    #[test]
    fn agreement_does_not_ask_who_is_first(pairs in vec((0u8..5, 0u8..5), 0..40)) {
        let swapped: Vec<(u8, u8)> = pairs.iter().map(|&(a, b)| (b, a)).collect();
        let (there, back) = (agreement_on_slump_scale(&pairs), agreement_on_slump_scale(&swapped));
        for coefficient in Coefficient::ALL {
            match (there.value_for(coefficient), back.value_for(coefficient)) {
                (Ok(there), Ok(back)) => prop_assert!((there - back).abs() < 1e-12, "{coefficient:?}"),
                (there, back) => prop_assert_eq!(there, back),
            }
        }
    }

    #[test]
    fn the_order_of_the_pairs_is_of_no_consequence(pairs in vec((0u8..5, 0u8..5), 0..40), turn in 0usize..40) {
        let mut turned = pairs.clone();
        turned.rotate_left(turn.min(pairs.len()));
        turned.reverse();

        prop_assert_eq!(agreement_on_slump_scale(&pairs).estimates, agreement_on_slump_scale(&turned).estimates);
    }

    #[test]
    fn raters_of_one_mind_agree_fully(given in vec(0u8..5, 2..40)) {
        let pairs: Vec<(u8, u8)> = given.iter().map(|score| (*score, *score)).collect();
        let agreement = agreement_on_slump_scale(&pairs);
        for coefficient in Coefficient::ALL.into_iter().filter(|it| !it.name().starts_with("boundary")) {
            if let Ok(value) = agreement.value_for(coefficient) {
                prop_assert!((value - 1.0).abs() < 1e-12, "{coefficient:?} {value}");
            }
        }
    }

    #[test]
    fn order_alone_counts_for_the_ranks(pairs in vec((0u8..5, 0u8..5), 2..40)) {
        let stretched: Vec<(f64, f64)> =
            float_pairs(&pairs).iter().map(|(a, b)| (a * a * a - 7.0, (b * 2.0).exp2())).collect();
        let scale = RatingScale::from_scores(stretched.iter().flat_map(|(a, b)| [*a, *b])).unwrap();
        let (plain_scale, stretched) = (agreement_on_slump_scale(&pairs), agreement_without_intervals(scale, &stretched));
        for coefficient in [Coefficient::Spearman, Coefficient::Kendall] {
            match (plain_scale.value_for(coefficient), stretched.value_for(coefficient)) {
                (Ok(a), Ok(b)) => prop_assert!((a - b).abs() < 1e-12),
                (a, b) => prop_assert_eq!(a.is_ok(), b.is_ok()),
            }
        }
    }
}

#[test]
fn where_any_number_may_be_given_nothing_that_counts_levels_is_defined() {
    let scores = [(0.1, 0.2), (0.5, 0.5), (0.9, 0.7), (0.3, 0.4)];
    let given = scores.iter().flat_map(|(a, b)| [*a, *b]);
    let scale =
        RatingScale::from_scores(given).unwrap().with_measurement(MeasurementLevel::Interval);
    let found = Ratings::new(scale, &scores)
        .agreement(&BootstrapPlan { resamples: 99, ..BootstrapPlan::default() });

    for coefficient in Coefficient::ALL {
        let value = found.estimate_for(coefficient).value;
        assert_eq!(
            value == Err(Undefined::AnyNumber),
            coefficient.needs_levels(),
            "{coefficient:?}"
        );
    }
    assert!(
        found.value_for(Coefficient::Alpha).is_ok() && found.value_for(Coefficient::Exact).is_ok()
    );
}
