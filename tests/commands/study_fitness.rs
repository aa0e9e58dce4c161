//! The fitness of judges, number by number against pingouin, crowd-kit, SciPy, scikit-learn and netcal:
//! `tests/vectors/fitness.py` made them.

use serde_json::Value as Json;
use trajview::study::{
    BootstrapPlan, Coefficient, Interval, RatingScale, Ratings,
    agreement::several_raters::{
        CaseSelection, MultiRaterMeasure, RatedUnit, multi_rater_agreement,
    },
    fitness::{
        alternative_test::{AlignmentScore, alternative_test},
        dawid_skene::panel_consensus,
        reliability::{BinBorders, ConfidentAnswer, reliability_diagram},
    },
};

const NEAR: f64 = 1e-9;

/// Both programs stop before expectation maximisation has converged to the last digit.
const NEAR_AFTER_ROUNDS: f64 = 1e-5;

fn read_vectors(name: &str) -> Vec<Json> {
    let all: Json = serde_json::from_str(include_str!("../vectors/fitness.json")).unwrap();
    all[name].as_array().unwrap().clone()
}

fn assert_near(found: Option<f64>, expected: &Json, near: f64, what: &str) {
    match (found, expected.as_f64()) {
        (Some(found), Some(expected)) => {
            assert!((found - expected).abs() <= near, "{what}: {found} is not {expected}");
        }
        (found, expected) => assert_eq!(found, expected, "{what}"),
    }
}

fn score_rows(case: &Json) -> Vec<Vec<Option<f64>>> {
    let row = |row: &Json| row.as_array().unwrap().iter().map(Json::as_f64).collect();
    case["rows"].as_array().unwrap().iter().map(row).collect()
}

fn assert_estimate(value: Option<f64>, interval: Option<Interval>, expected: &Json, what: &str) {
    assert_near(value, &expected["value"], NEAR, what);
    assert_near(interval.map(|it| it.low), &expected["ci95"][0], NEAR, &format!("{what}, low"));
    assert_near(interval.map(|it| it.high), &expected["ci95"][1], NEAR, &format!("{what}, high"));
}

#[test]
fn intraclass_correlations_and_their_intervals_are_pingouins() {
    let plan = BootstrapPlan { resamples: 20, ..BootstrapPlan::default() };
    for case in read_vectors("intraclass") {
        let levels = case["levels"].as_array().unwrap().iter().map(|it| it.as_f64().unwrap());
        let scale = RatingScale::from_scores(levels).unwrap();
        let rows = score_rows(&case);
        let unit = |row: &Vec<Option<f64>>| RatedUnit {
            run: 0,
            positions: row.iter().map(|score| scale.position((*score)?)).collect(),
        };
        let units: Vec<RatedUnit> = rows.iter().map(unit).collect();
        let raters: Vec<usize> = (0..rows[0].len()).collect();
        for cases in [CaseSelection::Available, CaseSelection::Complete] {
            let panel = multi_rater_agreement(&units, &raters, &scale, cases, &plan);
            let what = format!("{}, {} cases", case["name"], cases.words());
            assert_eq!(panel.complete as u64, case["complete"].as_u64().unwrap(), "{what}");
            for measure in [MultiRaterMeasure::Icc21, MultiRaterMeasure::Icc31] {
                let what = format!("{what}: {}", measure.name());
                let (_, it) = panel.estimates.iter().find(|(it, _)| *it == measure).unwrap();
                let it = it.by_item;
                assert_estimate(it.value.ok(), it.interval.ok(), &case[measure.name()], &what);
            }
        }
        // Two raters have a computation of their own: of every pair, also where there are gaps.
        for (a, b) in raters.iter().flat_map(|a| (0..*a).map(move |b| (b, *a))) {
            let pairs: Vec<(f64, f64)> =
                rows.iter().filter_map(|row| Some((row[a]?, row[b]?))).collect();
            let agreement = Ratings::new(scale.clone(), &pairs).agreement(&plan);
            let panel =
                multi_rater_agreement(&units, &[a, b], &scale, CaseSelection::Available, &plan);
            for (coefficient, measure) in [
                (Coefficient::Icc21, MultiRaterMeasure::Icc21),
                (Coefficient::Icc31, MultiRaterMeasure::Icc31),
            ] {
                let what = format!("{}: {} of {a} and {b}", case["name"], measure.name());
                let it = agreement.estimate_for(coefficient);
                if raters.len() == 2 {
                    let expected = &case[measure.name()];
                    assert_estimate(it.value.ok(), it.interval.ok(), expected, &what);
                }
                let (_, of_panel) = panel.estimates.iter().find(|(it, _)| *it == measure).unwrap();
                let of_panel = of_panel.by_item;
                assert_near(it.value.ok(), &of_panel.value.ok().into(), NEAR, &what);
                let ends = |it: Interval| [it.low, it.high];
                let (pair, panel) = (it.interval.ok().map(ends), of_panel.interval.ok().map(ends));
                assert_eq!(pair.is_some(), panel.is_some(), "{what}");
                for (of_pair, of_panel) in pair.iter().flatten().zip(panel.iter().flatten()) {
                    assert!((of_pair - of_panel).abs() <= NEAR, "{what}: {pair:?} {panel:?}");
                }
            }
        }
    }
}

#[test]
fn the_consensus_of_a_panel_is_crowd_kits() {
    for case in read_vectors("consensus") {
        let levels = case["levels"].as_u64().unwrap() as usize;
        let position = |score: &Option<f64>| score.map(|it| it as usize);
        let items: Vec<Vec<Option<usize>>> =
            score_rows(&case).iter().map(|row| row.iter().map(position).collect()).collect();
        let found = panel_consensus(&items, items[0].len(), levels);

        let what = case["name"].to_string();
        for (at, posterior) in found.posteriors.iter().enumerate() {
            for (level, share) in posterior.iter().enumerate() {
                let what = format!("{what}: item {at}, level {level}");
                let expected = &case["posteriors"][at][level];
                assert_near(Some(*share), expected, NEAR_AFTER_ROUNDS, &what);
            }
        }
        for (rater, confusion) in found.raters.iter().enumerate() {
            for (level, share) in found.shares.iter().enumerate() {
                assert_near(Some(*share), &case["shares"][level], NEAR_AFTER_ROUNDS, &what);
                let row = confusion.given_level(level);
                for (given, chance) in row.iter().flatten().enumerate() {
                    let what = format!("{what}: rater {rater}, {level} as {given}");
                    let expected = &case["raters"][rater][level][given];
                    assert_near(Some(*chance), expected, NEAR_AFTER_ROUNDS, &what);
                }
            }
        }
    }
}

#[test]
fn the_alternative_annotator_test_is_that_of_the_paper() {
    let mut rates = vec![];
    for case in read_vectors("alternative") {
        let rows = score_rows(&case);
        let judge: Vec<Option<f64>> =
            case["judge"].as_array().unwrap().iter().map(Json::as_f64).collect();
        let annotators: Vec<Vec<Option<f64>>> =
            (0..rows[0].len()).map(|at| rows.iter().map(|row| row[at]).collect()).collect();
        let scoring = AlignmentScore::ALL.into_iter().find(|it| case["scoring"] == it.words());
        let epsilon = case["epsilon"].as_f64().unwrap();
        let found = alternative_test(&judge, &annotators, scoring.unwrap(), epsilon);

        let what = case["name"].to_string();
        assert_near(found.winning_rate.ok(), &case["winning_rate"], NEAR, &what);
        assert_near(found.advantage.ok(), &case["advantage"], NEAR, &what);
        for (at, it) in found.annotators.iter().enumerate() {
            let (expected, what) = (&case["annotators"][at], format!("{what}: annotator {at}"));
            assert_eq!(it.items as u64, expected["items"].as_u64().unwrap(), "{what}");
            assert_near(it.judge_advantage.ok(), &expected["judge"], NEAR, &what);
            assert_near(it.annotator_advantage.ok(), &expected["annotator"], NEAR, &what);
            assert_near(it.p.ok(), &expected["p"], NEAR, &what);
            assert_near(it.p_adjusted.ok(), &expected["p_adjusted"], NEAR, &what);
        }
        rates.push(found.is_passed());
    }
    assert!(rates.contains(&Some(true)) && rates.contains(&Some(false)), "{rates:?}");
}

#[test]
fn reliability_diagrams_are_those_of_scikit_learn_and_netcal() {
    for case in read_vectors("reliability") {
        let answer = |it: &Json| ConfidentAnswer {
            confidence: it[0].as_f64().unwrap(),
            is_right: it[1].as_bool().unwrap(),
        };
        let answers: Vec<ConfidentAnswer> =
            case["answers"].as_array().unwrap().iter().map(answer).collect();
        for borders in BinBorders::ALL {
            let found = reliability_diagram(&answers, borders);
            let (expected, what) =
                (&case[borders.words()], format!("{}: {borders:?}", case["name"]));
            assert_eq!(found.bins.len(), expected["right"].as_array().unwrap().len(), "{what}");
            for (at, bin) in found.bins.iter().enumerate() {
                assert_near(Some(bin.right), &expected["right"][at], NEAR, &what);
                let mean = Some(bin.mean_confidence);
                assert_near(mean, &expected["mean_confidence"][at], NEAR, &what);
            }
            if borders == BinBorders::EqualWidth {
                assert_near(found.calibration_error, &case["ece"], NEAR, &what);
            }
        }
    }
}
