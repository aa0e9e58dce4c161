//! Components under two conditions with tasks as clusters, number by number against statsmodels and SciPy, and the numbers
//! of two runs with their intervals: `tests/vectors/mixed.py` and `intervals.py` made them.

use serde_json::Value as Json;
use trajview::{
    metrics::numbers::facts::ReuseCounts,
    run::rubric::{Judgement, Rubric, Verdict},
    study::{
        BootstrapPlan,
        agreement::cluster_bootstrap::ClusteredEstimate,
        compare::{ComparedRun, IntervalParts, Subtraction},
        components::{PairedComponent, compare_components},
    },
};

fn assert_near(found: Option<f64>, expected: &Json, by: f64, what: &str) {
    match (found, expected.as_f64()) {
        (Some(found), Some(expected)) => {
            assert!((found - expected).abs() <= by, "{what}: {found} is not {expected}");
        }
        (found, expected) => assert_eq!(found, expected, "{what}"),
    }
}

fn assert_same(found: &ClusteredEstimate, expected: &Json, what: &str) {
    assert_near(found.by_item.value.ok(), &expected["value"], 1e-9, what);
    for (name, interval) in [("ci95", found.by_item.interval), ("ci95_by_run", found.by_run)] {
        let what = format!("{what}: {name}");
        assert_near(interval.ok().map(|it| it.low), &expected[name][0], 1e-9, &what);
        assert_near(interval.ok().map(|it| it.high), &expected[name][1], 1e-9, &what);
    }
}

#[test]
fn components_of_tasks_are_compared_as_statsmodels_does() {
    let all: Json = serde_json::from_str(include_str!("../vectors/mixed.json")).unwrap();
    let mut fitted = 0;
    for case in all["cases"].as_array().unwrap() {
        let rows: Vec<(usize, f64, f64)> = serde_json::from_value(case["rows"].clone()).unwrap();
        let component =
            |&(task, a, b): &(usize, f64, f64)| PairedComponent { task, a: vec![a], b: vec![b] };
        let components: Vec<PairedComponent> = rows.iter().map(component).collect();
        let resamples = case["resamples"].as_u64().unwrap() as usize;
        let plan = BootstrapPlan {
            seed: case["seed"].as_u64().unwrap(),
            resamples,
            ..BootstrapPlan::default()
        };
        for found in compare_components(&components, &plan) {
            let expected = &case["measures"][found.measure.name()];
            let what = format!("{}: {}", case["name"], found.measure.name());
            assert_same(&found.a, &expected["a"], &format!("{what}: a"));
            assert_same(&found.b, &expected["b"], &format!("{what}: b"));
            assert_same(&found.difference, &expected["difference"], &format!("{what}: difference"));
            let (model, mixed) = (&expected["mixed"], found.mixed.ok());
            assert_eq!(mixed.is_some(), model.is_object(), "{what}: {:?}", found.mixed);
            // statsmodels stops where the likelihood hardly changes any more.
            assert_near(mixed.map(|it| it.mean), &model["mean"], 1e-5, &format!("{what}: mean"));
            assert_near(mixed.map(|it| it.se), &model["se"], 1e-5, &format!("{what}: se"));
            assert_near(mixed.map(|it| it.p), &model["p"], 1e-4, &format!("{what}: p"));
            assert_near(
                mixed.map(|it| it.within),
                &model["within"],
                1e-3,
                &format!("{what}: within"),
            );
            assert_near(
                mixed.map(|it| it.between),
                &model["between"],
                1e-3,
                &format!("{what}: between"),
            );
            assert_near(mixed.map(|it| it.interval.low), &model["interval"][0], 1e-4, &what);
            assert_near(mixed.map(|it| it.interval.high), &model["interval"][1], 1e-4, &what);
            assert_near(
                found.holm.map(|it| it.p),
                &expected["p_holm"],
                1e-4,
                &format!("{what}: Holm"),
            );
            fitted += usize::from(mixed.is_some());
        }
    }
    assert!(fitted >= 12, "{fitted}");
}

/// A run that was judged as it ended, with so many exported symbols and so many of them in use.
fn compared_run(scores: &[Option<f64>], symbols: Option<[usize; 2]>) -> ComparedRun {
    let verdict = |(at, score): (usize, &Option<f64>)| Verdict {
        component: format!("C{at:02}"),
        score: score.map(|score| score as u8),
        ..Verdict::default()
    };
    let verdicts = scores.iter().enumerate().map(verdict).collect();
    let judgements = vec![Judgement { verdicts, ..Judgement::default() }];
    let mut party =
        ComparedRun::new(Default::default(), Rubric { judgements, ..Rubric::default() });
    party.judgement = Some(0);
    let reused = symbols.map(|[exported, reused]| ReuseCounts {
        dir: Some(reused as f64 / exported as f64),
        exported: Some(exported),
        reused: Some(reused),
        registered: None,
    });
    party.reuse.insert(0, reused);
    party
}

#[test]
fn the_numbers_of_two_runs_have_the_intervals_of_scipy() {
    let all: Json = serde_json::from_str(include_str!("../vectors/intervals.json")).unwrap();
    let by = Subtraction { from: 0, subtracted: 1, is_slump: false };
    for case in all["cases"].as_array().unwrap() {
        let scores: Vec<[Option<f64>; 2]> = serde_json::from_value(case["scores"].clone()).unwrap();
        let symbols: [Option<[usize; 2]>; 2] =
            serde_json::from_value(case["symbols"].clone()).unwrap();
        let side = |side: usize| {
            compared_run(&scores.iter().map(|row| row[side]).collect::<Vec<_>>(), symbols[side])
        };
        let resamples = case["resamples"].as_u64().unwrap() as usize;
        let plan = BootstrapPlan {
            seed: case["seed"].as_u64().unwrap(),
            resamples,
            ..BootstrapPlan::default()
        };

        let parts = IntervalParts::for_pair([&side(0), &side(1)]);

        for found in parts.number_intervals(by, &plan) {
            let expected = &case["numbers"][found.number.id()];
            for (name, it) in [("a", found.a), ("b", found.b), ("difference", found.difference)] {
                let what = format!("{}: {} {name}", case["name"], found.number.id());
                assert_near(it.value.ok(), &expected[name]["value"], 1e-9, &what);
                assert_near(
                    it.interval.ok().map(|it| it.low),
                    &expected[name]["ci95"][0],
                    1e-9,
                    &what,
                );
                assert_near(
                    it.interval.ok().map(|it| it.high),
                    &expected[name]["ci95"][1],
                    1e-9,
                    &what,
                );
            }
        }
        let turned =
            parts.number_intervals(Subtraction { from: 1, subtracted: 0, is_slump: true }, &plan);
        for (turned, found) in turned.iter().zip(parts.number_intervals(by, &plan)) {
            assert_eq!(turned.difference.value, found.difference.value.map(|value| -value));
        }
    }
}
