//! The fitness of judges on the command line: ICC, consensus, alternative annotator test, reliability, abstention.

use std::fs;

use serde_json::{Value, json};

use crate::common::run_cli;

const PAIRS: &str = "tests/vectors/calibration.csv";

fn agree_json(arguments: &[&str]) -> Value {
    let ran = run_cli(&[&["agree", "--json", "--resamples", "50"][..], arguments].concat());
    serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}{}", ran.out, ran.err))
}

fn agree_text(arguments: &[&str]) -> String {
    run_cli(&[&["agree", "--resamples", "50"][..], arguments].concat()).out
}

fn rounded(number: &Value) -> f64 {
    (number.as_f64().unwrap() * 1000.0).round() / 1000.0
}

#[test]
fn icc_stands_beside_kappa_and_alpha_of_two_raters_and_of_all() {
    let document = agree_json(&[PAIRS]);

    let pair = &document["pairs"][0];
    assert!(pair["icc_2_1"].is_number() && pair["ci95"]["icc_3_1"][0].is_number(), "{pair}");
    let all = &document["panel"][0]["complete"];
    assert_eq!((rounded(&all["icc_2_1"]), rounded(&all["icc_3_1"])), (0.826, 0.83));
    let text = agree_text(&[PAIRS]);
    assert!(text.contains("ICC(2,1)") && text.contains("ICC(3,1)"), "{text}");
}

#[test]
fn where_a_rater_left_items_out_icc_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("scores.csv");
    fs::write(&table, "component,a,b,c\nC1,1,1,1\nC2,2,2,\nC3,4,3,4\nC4,0,1,0\n").unwrap();
    let panel = &agree_json(&[table.to_str().unwrap()])["panel"][0];

    assert_eq!(panel["available"]["icc_2_1"], Value::Null);
    let why = "not every rater scored every item";
    assert_eq!(panel["available"]["not_defined"]["icc_2_1"], why);
    assert!(panel["complete"]["icc_2_1"].is_number() && panel["complete"]["n"] == 3);
}

#[test]
fn the_alternative_annotator_test_is_one_sentence_and_a_row_an_annotator() {
    let document = agree_json(&[PAIRS, "--alt-test"]);

    let test = &document["alternative_test"][0];
    assert_eq!((&test["judge"], &test["epsilon"]), (&json!("judge"), &json!(0.2)));
    assert_eq!(
        (rounded(&test["winning_rate"]), rounded(&test["advantage_probability"])),
        (0.5, 0.8)
    );
    assert_eq!((&test["passes"], &test["annotators"][0]["wins"]), (&json!(true), &json!(false)));
    let text = agree_text(&[PAIRS, "--alt-test", "--epsilon", "0.1"]);
    let sentence = "judge does not pass the alternative annotator test at epsilon 0.1";
    assert!(text.contains(sentence) && text.contains("3 annotators are recommended"), "{text}");
    let csv = run_cli(&["agree", PAIRS, "--alt-test", "--csv", "--resamples", "50"]).out;
    assert!(csv.contains("alternative test,epsilon 0.2,,winning_rate,0.5"), "{csv}");
}

#[test]
fn a_panel_of_three_has_a_consensus_and_a_confusion_for_each_rater() {
    let consensus = &agree_json(&[PAIRS, "--dawid-skene"])["consensus"];

    assert_eq!(consensus["converged"], true);
    assert_eq!(consensus["items"].as_array().unwrap().len(), 120);
    assert!(consensus["items"][2]["probability"].as_f64().unwrap() > 0.9, "all three gave 0");
    assert_eq!(consensus["raters"].as_array().unwrap().len(), 3);
    let text = agree_text(&[PAIRS, "--dawid-skene"]);
    assert!(text.contains("consensus of the panel (Dawid and Skene)"), "{text}");
}

#[test]
fn a_stated_confidence_of_a_verdict_is_compared_with_gold() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("judgements")).unwrap();
    let verdict = |at: u64| json!({"component": format!("C{at}"), "score": at % 5, "rationale": "x", "confidence": 1 + at % 5});
    let judge = json!({"name": "sure", "kind": "http", "confidence_scale": "1..5"});
    let judgement = json!({"schema": "trajview.judgement/1", "judge": judge, "run": "r", "turn": 1,
        "rubric": "slump-5", "scores": (0..10).map(verdict).collect::<Vec<_>>()});
    let outcome =
        |at: u64| json!({"component": format!("C{at}"), "turn": 1, "score": 4, "by": "dee"});
    let gold =
        json!({"schema": "trajview.gold/1", "gold": (0..10).map(outcome).collect::<Vec<_>>()});
    let run = json!({"schema": "trajview.run/1", "id": "r", "turns": [{"turn": 1}]});
    for (name, document) in
        [("judgements/sure.json", judgement), ("gold.json", gold), ("run.json", run)]
    {
        fs::write(folder.path().join(name), document.to_string()).unwrap();
    }
    let bundle = folder.path().to_str().unwrap();
    let reliability = &agree_json(&[bundle, "--reliability"])["reliability"][0];

    // Confidence 1 of 5 is 0 and 5 of 5 is 1; the two verdicts with 4 are right.
    assert_eq!(
        (rounded(&reliability["mean_confidence"]), rounded(&reliability["right"])),
        (0.5, 0.2)
    );
    assert_eq!(rounded(&reliability["ece"]), 0.3);
    let text = agree_text(&[bundle, "--abstain", "0.1"]);
    assert!(text.contains("needs 9 labelled items for calibration, there are 5"), "{text}");
    let text = agree_text(&[PAIRS, "--reliability"]);
    assert!(text.contains("reliability: needs a reference"), "{text}");
}

#[test]
fn a_judge_stands_for_a_person_or_abstains() {
    let document = agree_json(&[PAIRS, "--against", "A1", "--abstain", "0.2"]);

    let judge = &document["abstention"][1];
    assert_eq!((&judge["judge"], &judge["fitted"]), (&json!("judge"), &json!(60)));
    assert_eq!(judge["stands"].as_u64().unwrap() + judge["abstains"].as_u64().unwrap(), 120);
    let text = agree_text(&[PAIRS, "--against", "A1", "--abstain", "0.2"]);
    assert!(text.contains("judge may stand for A1 on "), "{text}");
}
