//! Several raters with gaps, and raters against a reference, number by number against krippendorff, statsmodels, irrCAC,
//! scikit-learn and SciPy: `tests/vectors/panel.py` made them.

use serde_json::Value as Json;
use trajview::study::{
    BootstrapPlan, RatingScale, Ratings,
    agreement::{
        classes::{
            ClassScores, PositiveRule, ZeroDivision, binary_classification,
            classify_against_reference,
        },
        cluster_bootstrap::ClusteredEstimate,
        several_raters::{CaseSelection, MultiRaterAgreement, RatedUnit, multi_rater_agreement},
    },
};

const NEAR: f64 = 1e-9;

fn read_vectors(name: &str) -> Vec<Json> {
    let all: Json = serde_json::from_str(include_str!("../vectors/panel.json")).unwrap();
    all[name].as_array().unwrap().clone()
}

fn assert_near(found: Option<f64>, expected: &Json, what: &str) {
    match (found, expected.as_f64()) {
        (Some(found), Some(expected)) => {
            assert!((found - expected).abs() <= NEAR, "{what}: {found} is not {expected}");
        }
        (found, expected) => assert_eq!(found, expected, "{what}"),
    }
}

fn rating_scale(case: &Json) -> RatingScale {
    let levels = case["levels"].as_array().unwrap().iter().map(|it| it.as_f64().unwrap());
    RatingScale::from_scores(levels).unwrap()
}

fn bootstrap_plan(case: &Json) -> BootstrapPlan {
    let is_drawn = case["with_intervals"].as_bool().unwrap();
    let resamples = if is_drawn { case["resamples"].as_u64().unwrap() as usize } else { 0 };
    BootstrapPlan { seed: case["seed"].as_u64().unwrap(), resamples, ..BootstrapPlan::default() }
}

fn assert_twice(found: &ClusteredEstimate, expected: &Json, is_drawn: bool, what: &str) -> usize {
    assert_near(found.by_item.value.ok(), &expected["value"], what);
    if !is_drawn {
        return 0;
    }
    let intervals = [("ci95", found.by_item.interval), ("ci95_by_run", found.by_run)];
    for (name, interval) in intervals {
        assert_near(
            interval.ok().map(|it| it.low),
            &expected[name][0],
            &format!("{what}: {name} low"),
        );
        assert_near(
            interval.ok().map(|it| it.high),
            &expected[name][1],
            &format!("{what}: {name} high"),
        );
    }
    intervals.iter().filter(|(_, interval)| interval.is_ok()).count()
}

#[test]
fn several_raters_with_gaps_agree_as_other_programs_say() {
    let mut intervals = 0;
    for case in read_vectors("panels") {
        let scale = rating_scale(&case);
        let given = |row: &Json| -> Vec<Option<usize>> {
            let scores = row.as_array().unwrap().iter();
            scores.map(|score| scale.position(score.as_f64()?)).collect()
        };
        let rows = case["rows"].as_array().unwrap().iter().map(given);
        let runs =
            case["runs"].as_array().unwrap().iter().map(|run| run.as_u64().unwrap() as usize);
        let units: Vec<RatedUnit> =
            rows.zip(runs).map(|(given, run)| RatedUnit { run, positions: given }).collect();
        let raters: Vec<usize> = (0..units[0].positions.len()).collect();
        for cases in [CaseSelection::Available, CaseSelection::Complete] {
            let MultiRaterAgreement { n, runs, estimates, .. } =
                multi_rater_agreement(&units, &raters, &scale, cases, &bootstrap_plan(&case));
            let expected = &case[cases.words()];
            let what = format!("{}, {}", case["name"], cases.words());
            assert_eq!(
                (Json::from(n), Json::from(runs)),
                (expected["n"].clone(), expected["runs"].clone()),
                "{what}"
            );
            // `study_fitness` has the vectors of intraclass correlation.
            for (it, found) in estimates.iter().filter(|(it, _)| !it.name().starts_with("icc_")) {
                let is_drawn = case["with_intervals"].as_bool().unwrap();
                let what = format!("{what}: {}", it.name());
                intervals += assert_twice(found, &expected[it.name()], is_drawn, &what);
            }
        }
    }
    assert!(intervals > 60, "{intervals}");
}

#[test]
fn a_rater_against_a_reference_is_measured_as_scikit_learn_does() {
    let mut intervals = 0;
    for case in read_vectors("references") {
        let (scale, name) = (rating_scale(&case), case["name"].as_str().unwrap());
        let pairs: Vec<(f64, f64)> = serde_json::from_value(case["pairs"].clone()).unwrap();
        let runs: Vec<usize> = serde_json::from_value(case["runs"].clone()).unwrap();
        let ratings = Ratings::new(scale, &pairs);
        let table = ratings.confusion_table();
        for zero in ZeroDivision::ALL {
            let found = classify_against_reference(&table, zero);
            for (average, found) in [("macro", found.macro_average), ("weighted", found.weighted)] {
                let ClassScores { precision, recall, f1 } = found;
                for (at, value) in [precision, recall, f1].into_iter().enumerate() {
                    let expected = &case["averages"][zero.word()][average][at];
                    assert_near(
                        value.ok(),
                        expected,
                        &format!("{name}: {average} {at} {}", zero.word()),
                    );
                }
            }
        }
        let classes = classify_against_reference(&table, ZeroDivision::Undefined).classes;
        assert_eq!(classes.len(), case["classes"].as_array().unwrap().len());
        for (class, expected) in classes.iter().zip(case["classes"].as_array().unwrap()) {
            let what = format!("{name}: class {}", class.level);
            assert_near(Some(class.level), &expected["class"], &what);
            assert_near(Some(class.support as f64), &expected["support"], &what);
            assert_near(class.scores.precision.ok(), &expected["precision"], &what);
            assert_near(class.scores.recall.ok(), &expected["recall"], &what);
            assert_near(class.scores.f1.ok(), &expected["f1"], &what);
        }
        for (it, found) in
            ratings.compare_to_reference(&runs, ZeroDivision::Undefined, &bootstrap_plan(&case))
        {
            let is_drawn = case["with_intervals"].as_bool().unwrap();
            let what = format!("{name}: {}", it.name());
            intervals += assert_twice(&found, &case["measures"][it.name()], is_drawn, &what);
        }
        for (words, expected) in case["binary"].as_object().unwrap() {
            let found = binary_classification(&table, PositiveRule::parse(words).unwrap());
            let what = format!("{name}: {words}");
            assert_near(found.accuracy.ok(), &expected["accuracy"], &what);
            assert_near(found.scores.precision.ok(), &expected["precision"], &what);
            assert_near(found.scores.recall.ok(), &expected["recall"], &what);
            assert_near(found.scores.f1.ok(), &expected["f1"], &what);
            assert_near(found.specificity.ok(), &expected["specificity"], &what);
            let counts = [
                found.true_positive,
                found.false_positive,
                found.false_negative,
                found.true_negative,
            ];
            let expected = ["tp", "fp", "fn", "tn"].map(|it| expected[it].as_u64().unwrap());
            assert_eq!(counts, expected, "{what}");
        }
    }
    assert!(intervals > 30, "{intervals}");
}
