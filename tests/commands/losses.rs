//! `trajview losses` from the outside: which components, which turns, which lines, whose scores.

use crate::common::{cli_json, cli_text, run_cli};

const RUN: &str = "sample-runs/codex-p12";

#[test]
fn each_loss_has_its_turn_its_request_and_the_lines_that_lost_it() {
    let document = cli_json(&["losses", RUN, "--json"]);

    let losses = document["losses"].as_array().unwrap();
    let places: Vec<(&str, u64)> = losses
        .iter()
        .map(|loss| (loss["component"].as_str().unwrap(), loss["turn"].as_u64().unwrap()))
        .collect();
    assert_eq!(places, [("C10", 42), ("C17", 46), ("C18", 46), ("C20", 49)]);
    for loss in losses {
        assert!(!loss["request"].as_str().unwrap().is_empty());
        let symbol = loss["symbols"][0]["name"].as_str().unwrap();
        let name = symbol.rsplit('.').next().unwrap();
        let hunks: Vec<&str> =
            loss["hunks"].as_array().unwrap().iter().filter_map(|it| it["text"].as_str()).collect();
        let removes = |line: &str| line.starts_with('-') && line.contains(name);
        assert!(hunks.iter().any(|hunk| hunk.lines().any(removes)), "{symbol}: {hunks:?}");
    }
}

#[test]
fn the_same_losses_are_those_of_the_score() {
    let score = cli_json(&["score", RUN, "--json"]);
    let mut of_score: Vec<(u64, String)> = score["lifelines"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|row| Some((row["lost_at"].as_u64()?, row["component"].to_string())))
        .collect();
    of_score.sort();
    let losses = cli_json(&["losses", RUN, "--json"]);
    let losses = losses["losses"].as_array().unwrap();
    let of_losses: Vec<(u64, String)> = losses
        .iter()
        .map(|loss| (loss["turn"].as_u64().unwrap(), loss["component"].to_string()))
        .collect();

    assert_eq!(of_losses, of_score);
}

#[test]
fn scores_are_of_one_judge_before_and_after_the_loss() {
    let document = cli_json(&["losses", RUN, "--json"]);
    for loss in document["losses"].as_array().unwrap() {
        let turn = loss["turn"].as_u64().unwrap();
        if let Some(before) = loss["before"]["turn"].as_u64() {
            assert!(before < turn);
        }
        assert!(loss["after"]["turn"].as_u64().unwrap() >= turn);
    }
}

#[test]
fn a_run_that_lost_nothing_says_so_and_one_without_components_is_no_run_to_follow() {
    let text = cli_text(&["losses", "sample-runs/codex-p12-single-shot"]);
    assert!(text.contains(": 0 of "), "{text}");

    let ran = run_cli(&["losses", "sample-runs/logs/pi.jsonl"]);
    assert_eq!(ran.code, Some(4));
    assert!(ran.err.contains("no components.json and no judgement"), "{}", ran.err);
}

#[test]
fn lines_that_changed_are_printed_below_each_loss() {
    let text = cli_text(&["losses", RUN, "--diff"]);

    assert_eq!(text.matches(", lost at turn ").count(), 4);
    assert!(text.lines().any(|line| line.starts_with("-def interface_weights")), "{text}");
}
