//! The five judges of trajectory-judge, whose trajectories have a planted fault or none.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{coverage::coverage_of, *};

#[derive(Deserialize)]
struct RecordedVerdict {
    trajectory_id: String,
    judge_id: String,
    faulty: Option<bool>,
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
#[expect(clippy::disallowed_methods, reason = "a test reads a file that is no part of the project")]
fn five_public_judges_are_corrected_to_the_true_rate() {
    let file = trajview_testing::real_data().join("trajectory-judge/raw/verdicts.jsonl");
    let text = std::fs::read_to_string(file).unwrap();
    let mut judges: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    for line in text.lines() {
        let verdict: RecordedVerdict = serde_json::from_str(line).unwrap();
        let is_faulty = !verdict.trajectory_id.ends_with("-clean");
        let Some(judged) = verdict.faulty else { continue };
        let pair = (f64::from(u8::from(judged)), f64::from(u8::from(is_faulty)));
        judges.entry(verdict.judge_id).or_default().push(pair);
    }

    let share = ValueRange { low: 0.0, high: 1.0, step: 1.0 };
    assert_eq!(judges.len(), 5);
    println!("| judge | its rate | interval of the judge alone | corrected | width | worth |");
    for (judge, pairs) in judges {
        let judged = pairs.iter().map(|it| it.0).sum::<f64>() / pairs.len() as f64;
        let coverage = coverage_of(&pairs, 60, share, 2_000);
        println!(
            "| {judge} | {judged:.3} of {} | {:.1} % | {:.1} % | {:.2} | {:.0} |",
            pairs.len(),
            100.0 * coverage.judge_alone,
            100.0 * coverage.corrected,
            coverage.width,
            coverage.worth
        );
        assert!((0.92..=0.97).contains(&coverage.corrected), "{judge}: {coverage:?}");
    }
}
