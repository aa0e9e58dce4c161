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
fn icc_is_of_the_items_that_every_rater_scored_and_counts_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("scores.csv");
    fs::write(&table, "component,a,b,c\nC1,1,1,1\nC2,2,2,\nC3,4,3,4\nC4,0,1,0\n").unwrap();
    let panel = &agree_json(&[table.to_str().unwrap()])["panel"][0];

    let (available, complete) = (&panel["available"], &panel["complete"]);
    assert_eq!((&available["n"], &complete["n"]), (&json!(4), &json!(3)));
    assert_eq!((&available["icc_items"], &available["icc_left_out"]), (&json!(3), &json!(1)));
    assert!(complete["icc_2_1"].is_number() && complete["icc_left_out"] == 0);
    for measure in ["icc_2_1", "icc_3_1"] {
        assert_eq!(available[measure], complete[measure]);
        assert_eq!(available["ci95"][measure], complete["ci95"][measure]);
    }
    let text = agree_text(&[table.to_str().unwrap()]);
    let note = "ICC of the 3 items that every rater scored, without 1 item";
    assert!(text.contains(note), "{text}");
    let csv = run_cli(&["agree", table.to_str().unwrap(), "--csv", "--resamples", "50"]).out;
    assert!(
        csv.contains("panel,available,3,icc_2_1") && csv.contains("panel,available,4,alpha,"),
        "{csv}"
    );

    fs::write(&table, "component,a,b,c\nC1,1,1,\nC2,2,,2\nC3,,3,4\n").unwrap();
    let panel = &agree_json(&[table.to_str().unwrap()])["panel"][0];
    let why = "no item has a score of every rater";
    assert_eq!(panel["available"]["not_defined"]["icc_2_1"], why);
}

/// A table of 70 items with the columns judge, other, a, b and c; c scored the first 20.
fn judged_table(folder: &std::path::Path) -> String {
    let row = |at: usize| {
        let level = at % 5;
        let few = if at < 20 { level.to_string() } else { String::new() };
        format!("C{at},{level},{},{level},{level},{few}\n", 4 - level)
    };
    let rows: String = (0..70).map(row).collect();
    let table = folder.join("scores.csv");
    fs::write(&table, format!("component,judge,other,ana,ben,cem\n{rows}")).unwrap();
    table.to_str().unwrap().to_owned()
}

#[test]
fn annotators_are_named_and_those_with_few_items_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let table = judged_table(folder.path());

    let chosen = ["--alt-test", "--annotators", "ana,ben,cem"];
    let document = agree_json(&[&[table.as_str()][..], &chosen].concat());
    let test = &document["alternative_test"][0];
    assert_eq!(test["annotators"].as_array().unwrap().len(), 3);
    assert_eq!(
        (&test["annotators_with_enough_items"], &test["annotators_with_few_items"]),
        (&json!(2), &json!(1))
    );
    assert_eq!((&test["passes"], &test["winning_rate"]), (&json!(true), &json!(1.0)));
    let text = agree_text(&[&[table.as_str()][..], &chosen].concat());
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence =
        "beside ana, ben, cem: it wins against 2 of 2 with enough items (1 of 3 has fewer than 30)";
    assert!(text.contains(sentence), "{text}");

    let all = agree_json(&[&table, "--alt-test"]);
    let sentence = all["alternative_test"][0]["sentence"].as_str().unwrap();
    assert!(sentence.contains("beside other, ana, ben, cem"), "{sentence}");
    let text = agree_text(&[&table, "--alt-test", "--annotators", "ana,judge"]);
    assert!(text.contains("judge is the judge, and not an annotator"), "{text}");
    let text = agree_text(&[&table, "--alt-test", "--annotators", "dee"]);
    assert!(text.contains("no one rater \"dee\""), "{text}");
}

#[test]
fn a_margin_needs_the_alternative_test_and_may_be_0() {
    let failed = run_cli(&["agree", PAIRS, "--epsilon", "0.1"]);
    assert!(failed.out.is_empty() && failed.err.contains("--alt-test"), "{}", failed.err);

    let document = agree_json(&[PAIRS, "--alt-test", "--epsilon", "0"]);
    assert_eq!(document["alternative_test"][0]["epsilon"], 0.0);
    let failed = run_cli(&["agree", PAIRS, "--alt-test", "--epsilon", "1"]);
    assert!(failed.err.contains("expected a number from 0 to below 1"), "{}", failed.err);
}

#[test]
fn a_panel_without_a_shared_item_has_no_consensus() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("judgements")).unwrap();
    let write = |name: &str, document: Value| {
        fs::write(folder.path().join(name), document.to_string()).unwrap();
    };
    // Each judge shares an item with gold, which is no rater of the panel, and none with another judge.
    for (judge, component) in [("one", "C1"), ("two", "C2"), ("three", "C3")] {
        let scores = json!([{"component": component, "score": 3, "rationale": "x"}]);
        let document = json!({"schema": "trajview.judgement/1", "judge": {"name": judge, "kind": "http"},
            "run": "r", "turn": 1, "rubric": "slump-5", "scores": scores});
        write(&format!("judgements/{judge}.json"), document);
    }
    let outcome = |component| json!({"component": component, "turn": 1, "score": 4, "by": "dee"});
    let gold = ["C1", "C2", "C3"].map(outcome);
    write("gold.json", json!({"schema": "trajview.gold/1", "gold": gold}));
    write("run.json", json!({"schema": "trajview.run/1", "id": "r", "turns": [{"turn": 1}]}));
    let bundle = folder.path().to_str().unwrap();

    let consensus = &agree_json(&[bundle, "--dawid-skene"])["consensus"];
    assert_eq!((&consensus["shares"], &consensus["items"]), (&Value::Null, &Value::Null));
    assert_eq!(consensus["not_defined"], "no item was scored by two raters");
    let text = agree_text(&[bundle, "--dawid-skene"]);
    assert!(text.contains("consensus: no item was scored by two raters"), "{text}");
    assert!(!text.contains("consensus of the panel"), "{text}");
    let csv = run_cli(&["agree", bundle, "--dawid-skene", "--csv", "--resamples", "50"]).out;
    assert!(!csv.contains("consensus"), "{csv}");
}

#[test]
fn a_level_that_the_reference_always_corrects_stands_for_another() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("scores.csv");
    let row = |at: usize| match at % 2 {
        0 => format!("C{at},3,4\n"),
        _ => format!("C{at},0,0\n"),
    };
    let rows: String = (0..80).map(row).collect();
    fs::write(&table, format!("component,ana,judge\n{rows}")).unwrap();
    let table = table.to_str().unwrap();
    let asked = [table, "--against", "ana", "--abstain", "0.1"];

    let judge = &agree_json(&asked)["abstention"][0];
    let counts = ["stands", "corrected", "abstains"].map(|it| judge[it].as_u64().unwrap());
    assert_eq!(counts, [40, 40, 0]);
    assert_eq!(
        (&judge["one_level_calibrated"], &judge["one_level_error"]),
        (&json!(40), &json!(0.0))
    );
    let four = &judge["levels"][4];
    assert_eq!((&four["verdict"], &four["lowest"]), (&json!("corrected"), &json!(3)));
    let text = agree_text(&asked);
    assert!(text.contains("stands for 3"), "{text}");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let measured = "of the 40 calibration items with one level, ana gave another to 0 (0 %)";
    assert!(text.contains(measured), "{text}");
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
    let sentence =
        "judge does not pass the alternative annotator test at epsilon 0.1 beside A1, A2";
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
    assert!(
        text.contains("needs 17 labelled items, 9 of them for calibration; there are 10"),
        "{text}"
    );
    let text = agree_text(&[PAIRS, "--reliability"]);
    assert!(text.contains("reliability: needs a reference"), "{text}");
}

#[test]
fn a_judge_stands_for_a_person_or_abstains() {
    let document = agree_json(&[PAIRS, "--against", "A1", "--abstain", "0.2"]);

    let judge = &document["abstention"][1];
    assert_eq!((&judge["judge"], &judge["fitted"]), (&json!("judge"), &json!(60)));
    let counts = ["stands", "corrected", "abstains"].map(|it| judge[it].as_u64().unwrap());
    assert_eq!(counts.iter().sum::<u64>(), 120);
    let text = agree_text(&[PAIRS, "--against", "A1", "--abstain", "0.2"]);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = "judge: the level of A1 is among the levels for at least 80 % of all items, on average over draws of the labels.";
    assert!(
        text.contains(sentence) && text.contains("Measured: no calibration item has one level"),
        "{text}"
    );
}
