//! What holds whatever the scores, and the coverage of prediction sets by simulation.

use proptest::{collection::vec, prelude::*};

use super::{
    abstention::{LabelledLevel, LevelUse, fewest_calibrated, fewest_labelled, prediction_sets},
    alternative_test::{AlignmentScore, FEWEST_ITEMS, alternative_test},
    dawid_skene::{likeliest_level, panel_consensus},
    reliability::{BinBorders, ConfidentAnswer, reliability_diagram},
};
use crate::{Undefined, bootstrap::Resamples};

#[test]
fn a_rater_who_knows_outweighs_two_who_guess() {
    let mut draws = Resamples::new(3, 3);
    let items: Vec<Vec<Option<usize>>> = (0..120)
        .map(|at| {
            let (truth, guess) = (at % 3, draws.draw());
            vec![Some(truth), Some(truth), Some(truth), Some(guess)]
        })
        .collect();
    let consensus = panel_consensus(&items, 4, 3);

    assert!(consensus.is_converged);
    assert!(consensus.raters[0].accuracy().unwrap() > 0.99);
    assert!(consensus.raters[3].accuracy().unwrap() < 0.5);
    let levels: Vec<usize> =
        consensus.posteriors.iter().map(|it| likeliest_level(it).unwrap().0).collect();
    assert_eq!(levels, (0..120).map(|at| at % 3).collect::<Vec<_>>());
}

#[test]
fn an_item_that_nobody_scored_has_no_consensus() {
    let consensus = panel_consensus(&[vec![None, None], vec![Some(1), Some(1)]], 2, 2);

    assert_eq!(likeliest_level(&consensus.posteriors[0]), None);
    assert_eq!(likeliest_level(&consensus.posteriors[1]).map(|it| it.0), Some(1));
    assert_eq!(consensus.raters[0].given_level(0), None);
}

#[test]
fn few_items_and_few_annotators_give_no_winning_rate() {
    let scores: Vec<Option<f64>> = (0..FEWEST_ITEMS).map(|at| Some((at % 5) as f64)).collect();
    let test = |annotators: usize, items: usize| {
        let all = vec![scores[..items].to_vec(); annotators];
        alternative_test(&scores[..items], &all, AlignmentScore::NegativeRmse, 0.2)
    };

    assert_eq!(test(3, FEWEST_ITEMS).is_passed(), Some(true), "all give the same levels");
    assert_eq!(test(3, FEWEST_ITEMS - 1).winning_rate, Err(Undefined::TooFewItems));
    assert_eq!(test(1, FEWEST_ITEMS).winning_rate, Err(Undefined::FewerThanTwoAnnotators));
}

#[test]
fn a_promise_needs_as_many_labels_as_the_error_is_small() {
    assert_eq!([0.5, 0.2, 0.1, 0.05].map(fewest_calibrated), [1, 4, 9, 19]);
    assert_eq!([0.5, 0.2, 0.1, 0.05].map(fewest_labelled), [1, 7, 17, 37]);
    let agreed = |count: usize| -> Vec<LabelledLevel> {
        (0..count).map(|at| LabelledLevel { judged: at % 5, labelled: at % 5 }).collect()
    };

    let (few, enough) =
        (prediction_sets(&agreed(16), 5, 0.1, 1), prediction_sets(&agreed(60), 5, 0.1, 1));
    assert_eq!((few.calibration.len(), few.threshold), (8, Err(Undefined::SmallCalibration)));
    assert!((0..5).all(|level| few.level_use(level) == LevelUse::Abstains));
    assert!(few.sets.iter().all(|set| *set == (0, 4)));
    assert!(prediction_sets(&agreed(fewest_labelled(0.1)), 5, 0.1, 1).threshold.is_ok());
    assert_eq!((enough.fitted, enough.calibration.len()), (30, 30));
    assert!((0..5).all(|level| enough.level_use(level) == LevelUse::Stands), "{enough:?}");
    assert_eq!(enough.one_level_errors(), (30, 0));
}

#[test]
fn a_scale_of_one_level_without_a_threshold_abstains() {
    let found = prediction_sets(&[LabelledLevel { judged: 0, labelled: 0 }; 4], 1, 0.1, 1);

    assert_eq!((found.sets[0], found.level_use(0)), ((0, 0), LevelUse::Abstains));
}

#[test]
fn a_level_that_people_always_correct_does_not_stand() {
    // Every 4 of the judge is a person's 3; a 0 is a 0.
    let items: Vec<LabelledLevel> = (0..80)
        .map(|at| match at % 2 {
            0 => LabelledLevel { judged: 4, labelled: 3 },
            _ => LabelledLevel { judged: 0, labelled: 0 },
        })
        .collect();
    let found = prediction_sets(&items, 5, 0.1, 5);

    assert_eq!(found.level_use(4), LevelUse::Corrected(3));
    assert_eq!(found.level_use(0), LevelUse::Stands);
    assert_eq!(
        found.one_level_errors(),
        (40, 0),
        "the corrected level is compared, not the judge's"
    );
}

#[test]
fn a_judge_abstains_at_the_levels_that_people_do_not_confirm() {
    // At 0 and 4 people agree; at 2 they give 1, 2 and 3 alike.
    let items: Vec<LabelledLevel> = (0..180)
        .map(|at| match at % 6 {
            0 | 1 => LabelledLevel { judged: 0, labelled: 0 },
            2 | 3 => LabelledLevel { judged: 4, labelled: 4 },
            _ => LabelledLevel { judged: 2, labelled: 1 + at / 6 % 3 },
        })
        .collect();
    let found = prediction_sets(&items, 5, 0.1, 7);

    assert_eq!((found.sets[0], found.sets[4]), ((0, 0), (4, 4)));
    assert_eq!((found.level_use(2), found.level_use(0)), (LevelUse::Abstains, LevelUse::Stands));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn whatever_the_scores_probabilities_sum_to_one(
        items in vec(vec(proptest::option::of(0usize..4), 3), 0..30),
    ) {
        let found = panel_consensus(&items, 3, 4);

        for (item, posterior) in items.iter().zip(&found.posteriors) {
            let whole: f64 = posterior.iter().sum();
            prop_assert!(item.iter().all(Option::is_none) == posterior.is_empty());
            prop_assert!(posterior.is_empty() || (whole - 1.0).abs() < 1e-9, "{whole}");
        }
    }

    #[test]
    fn whatever_the_labels_each_set_is_a_range_with_a_level_of_the_scale(
        items in vec((0usize..5, 0usize..5), 0..60), error in 0.01f64..0.99, seed: u64,
    ) {
        let items: Vec<LabelledLevel> = items
            .into_iter()
            .map(|(judged, labelled)| LabelledLevel { judged, labelled })
            .collect();
        let found = prediction_sets(&items, 5, error, seed);

        prop_assert_eq!((found.sets.len(), found.fitted + found.calibration.len()), (5, items.len()));
        prop_assert!(found.sets.iter().all(|(low, high)| low <= high && *high < 5));
    }

    #[test]
    fn whatever_the_confidences_every_answer_is_in_one_bin(
        answers in vec((0.0f64..=1.0, any::<bool>()), 0..50),
    ) {
        let answers: Vec<ConfidentAnswer> = answers
            .into_iter()
            .map(|(confidence, is_right)| ConfidentAnswer { confidence, is_right })
            .collect();
        for borders in BinBorders::ALL {
            let found = reliability_diagram(&answers, borders);
            prop_assert_eq!(found.bins.iter().map(|it| it.answers).sum::<usize>(), answers.len());
            prop_assert!(found.calibration_error.is_none_or(|it| (0.0..=1.0).contains(&it)));
        }
    }
}

/// What a person gives where the judge gives a level: a judge of the table in docs/auditing.md.
fn simulated_item(draws: &mut Resamples, judge: &str) -> LabelledLevel {
    let labelled = draws.draw_below(5);
    let mut near = |errs: usize, level: usize| match draws.draw_below(100) < errs {
        true if draws.draw_below(2) == 0 => level.saturating_sub(1),
        true => (level + 1).min(4),
        false => level,
    };
    let judged = match judge {
        "weak" => {
            let once = near(60, labelled);
            near(60, once)
        }
        "strong" => near(8, labelled),
        _ => near(20, (labelled + 1).min(4)),
    };
    LabelledLevel { judged, labelled }
}

/// Prints the table of docs/auditing.md.
#[test]
#[ignore = "a simulation of 18,000 samples"]
fn prediction_sets_hold_the_label_as_often_as_promised() {
    const DRAWS: u64 = 2_000;
    const NEW_ITEMS: usize = 50;
    println!("| labels | judge | error | held | one level |\n| --- | --- | --- | --- | --- |");
    for labels in [20, 40, 80] {
        for judge in ["weak", "strong", "biased"] {
            let error = 0.1;
            let (mut inside, mut single) = (0usize, 0usize);
            for seed in 0..DRAWS {
                let mut draws = Resamples::new(seed * 31 + labels, 5);
                let items: Vec<LabelledLevel> =
                    (0..labels).map(|_| simulated_item(&mut draws, judge)).collect();
                let found = prediction_sets(&items, 5, error, seed);
                for _ in 0..NEW_ITEMS {
                    let new = simulated_item(&mut draws, judge);
                    let (low, high) = found.sets[new.judged];
                    inside += usize::from((low..=high).contains(&new.labelled));
                    single += usize::from(found.level_use(new.judged) != LevelUse::Abstains);
                }
            }
            let share = |count: usize| 100.0 * count as f64 / (DRAWS as usize * NEW_ITEMS) as f64;
            println!(
                "| {labels} | {judge} | {error} | {:.1} % | {:.0} % |",
                share(inside),
                share(single)
            );
            assert!(share(inside) >= 89.5, "{labels} labels, {judge}: {}", share(inside));
        }
    }
}
