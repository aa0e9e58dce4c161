//! `trajview losses` from the outside: which components, which turns, which lines, whose scores.

use std::{collections::BTreeMap, path::Path, process::Command};

use crate::common::{cli_json, cli_text, project_path, real_data, run_cli};
use serde_json::{Value, json};

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
    assert!(ran.err.contains("no component or test to follow"), "{}", ran.err);
}

#[test]
fn lines_that_changed_are_printed_below_each_loss() {
    let text = cli_text(&["losses", RUN, "--diff"]);

    assert_eq!(text.matches(", lost at turn ").count(), 4);
    assert!(text.lines().any(|line| line.starts_with("-def interface_weights")), "{text}");
}

/// Returns the rounds and losses of EvoCodeBench's results as a script counts them, by model.
fn counted_by_script(file: &Path) -> BTreeMap<String, Value> {
    let script = project_path("tests/vectors/evocodebench_losses.py");
    let ran = Command::new("python3").arg(script).arg(file).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let all: BTreeMap<String, BTreeMap<String, Value>> =
        serde_json::from_slice(&ran.stdout).unwrap();
    all.into_values().next().unwrap()
}

/// Compares rounds, solved rounds and losses of each model with those of the script; returns the number of losses.
fn compare_with_script(file: &Path) -> usize {
    let mut count = 0;
    for (model, counted) in counted_by_script(file) {
        let path = file.join(&model).to_string_lossy().into_owned();
        let shown = cli_json(&["show", &path, "--json"]);
        let rounds = shown["turns"].as_array().unwrap().len();
        let ran = run_cli(&["losses", &path, "--json"]);
        // A model whose tests are known in one round at most has none to follow.
        let losses = match ran.code {
            Some(0) => serde_json::from_str::<Value>(&ran.out).unwrap()["losses"].clone(),
            _ => json!([]),
        };
        let round = |name: &Value| -> u64 {
            name.as_str().and_then(|name| name.strip_prefix("round-")?.parse().ok()).unwrap()
        };
        let mut lost: Vec<Value> = losses
            .as_array()
            .unwrap()
            .iter()
            .map(|it| {
                assert_eq!(it["kind"], "test");
                let test = &it["test"];
                json!([it["name"], round(&test["passed_at"]), round(&test["failed_at"])])
            })
            .collect();
        lost.sort_by_key(Value::to_string);
        let mut expected = counted["lost"].as_array().unwrap().clone();
        expected.sort_by_key(Value::to_string);
        assert_eq!((json!(rounds), &lost), (counted["rounds"].clone(), &expected), "{path}");
        count += lost.len();
    }
    count
}

#[test]
fn a_test_that_passed_in_an_earlier_round_and_failed_in_a_later_one_is_lost() {
    let file = project_path("sample-runs/evocodebench/tinycalc.json");
    if Command::new("python3").arg("--version").output().is_ok() {
        assert_eq!(compare_with_script(&file), 3);
    }

    let text = cli_text(&["losses", "sample-runs/evocodebench/tinycalc.json/made-a"]);
    let row = text.lines().find(|line| line.contains("div: div: by zero")).unwrap();
    let words = ["test", " 4 ", "passed at round-2", "failed at round-4", "expected another"];
    assert!(words.iter().all(|word| row.contains(word)), "{text}");
    assert!(text.contains("3 of 4 tests lost"), "{text}");
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA and python3"]
fn the_losses_of_real_tasks_are_those_that_a_script_counts() {
    let tasks = real_data().join("evocodebench/tasks");
    let mut files: Vec<_> =
        std::fs::read_dir(tasks).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();

    let losses: usize = files.iter().map(|file| compare_with_script(file)).sum();

    assert!(files.len() >= 3 && losses > 0);
}

#[test]
fn lost_tests_are_in_the_report_of_a_run_and_in_markdown_and_latex() {
    let run = "sample-runs/evocodebench/tinycalc.json/made-a";

    for arguments in [["report", "--md", run], ["losses", "--md", run], ["losses", "--tex", run]] {
        let text = cli_text(&arguments);
        let words = ["by zero", "test", "passed at round-2", "failed at round-4"];
        let has_all = |line: &str| words.iter().all(|word| line.contains(word));
        assert!(text.lines().any(has_all), "{arguments:?}: {text}");
    }
    let compared =
        cli_text(&["report", "--md", run, "sample-runs/evocodebench/tinycalc.json/made-b"]);
    assert!(compared.contains("by zero"), "{compared}");
    assert!(!cli_text(&["report", "--md", "sample-runs/logs/pi.jsonl"]).contains("Losses"));
}
