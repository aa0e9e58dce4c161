//! `trajview clusters` and `trajview sample`: runs that are alike, and runs to look at.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::Value;

use crate::common::{cli_json, cli_text, run_cli};

/// A log of Claude Code of one turn whose commands fail with these words.
fn write_log(folder: &Path, name: &str, failures: &[&str]) {
    let line = |value: Value| format!("{value}\n");
    let mut text = line(
        serde_json::json!({"type": "user", "uuid": "u0", "sessionId": name, "cwd": "/ws",
        "timestamp": "2026-11-26T05:00:00Z", "message": {"role": "user", "content": "make the tests pass"}}),
    );
    for (at, said) in failures.iter().enumerate() {
        let id = format!("toolu_{name}_{at}");
        text += &line(
            serde_json::json!({"type": "assistant", "uuid": format!("a{at}"), "sessionId": name,
            "timestamp": "2026-11-26T05:00:01Z", "message": {"role": "assistant", "content": [
                {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": format!("pytest -q part{at}")}}]}}),
        );
        text +=
            &line(serde_json::json!({"type": "user", "uuid": format!("r{at}"), "sessionId": name,
            "timestamp": "2026-11-26T05:00:02Z", "message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": id, "is_error": true, "content": said}]}}));
    }
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join(format!("{name}.jsonl")), text).unwrap();
}

/// Two kinds of failures that differ in numbers and places, a run that fails otherwise, and one that does not fail.
fn failing_runs() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for at in 0..4 {
        let said = format!(
            "tests/test_a.py:{at}: in test_rows\nE   AssertionError: expected {at} rows in /tmp/pytest-{at}/rows.csv\nFAILED in 0.{at}2s"
        );
        write_log(
            folder.path(),
            &format!("rows-{at}"),
            &[&said, "ModuleNotFoundError: No module named 'yaml'"],
        );
    }
    for at in 0..2 {
        let said =
            format!("error[E0308]: mismatched types at 0x7ffd{at}abc12\nerror: could not compile");
        write_log(folder.path(), &format!("types-{at}"), &[&said]);
    }
    write_log(folder.path(), "other", &["fatal: not a git repository"]);
    write_log(folder.path(), "fine", &[]);
    folder
}

fn member_names(cluster: &Value) -> BTreeSet<String> {
    let members = cluster["members"].as_array().unwrap().iter();
    let stem = |path: &str| Path::new(path).file_stem().unwrap().to_string_lossy().into_owned();
    members.map(|it| stem(it["path"].as_str().unwrap())).collect()
}

#[test]
fn runs_that_fail_alike_are_together_whatever_the_numbers_in_what_they_say() {
    let folder = failing_runs();
    let path = folder.path().display().to_string();

    let found = cli_json(&["clusters", &path, "--json"]);

    assert_eq!(found["schema"], "trajview.clusters/1");
    let counts = ["runs", "alone", "without"].map(|name| found[name].as_u64().unwrap());
    assert_eq!(counts, [8, 1, 1]);
    let clusters = found["clusters"].as_array().unwrap();
    let sizes: Vec<&Value> = clusters.iter().map(|it| &it["size"]).collect();
    assert_eq!(sizes, [4, 2]);
    let expected: BTreeSet<String> = (0..4).map(|at| format!("rows-{at}")).collect();
    assert_eq!(member_names(&clusters[0]), expected);
    let shared: Vec<&str> = clusters[0]["shared"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["line"].as_str().unwrap())
        .collect();
    assert!(shared.contains(&"AssertionError: expected <n> rows in <temp>/rows.csv"), "{shared:?}");
    assert_eq!(clusters[0]["members"][1]["similarity"], 1.0);
    assert_eq!(
        found,
        cli_json(&["clusters", &path, "--json"]),
        "the same runs and seed, the same clusters"
    );
}

#[test]
fn a_table_of_clusters_is_printed_with_what_most_share() {
    let folder = failing_runs();
    let path = folder.path().display().to_string();

    let printed = cli_text(&["clusters", &path, "--detail"]).replace(&path, "RUNS");

    assert!(
        printed.contains("6 of 8 runs in 2 clusters, 1 in no cluster, 1 without errors to compare"),
        "{printed}"
    );
    assert!(printed.contains("cluster 1: 4 runs like rows-0 (RUNS/rows-0.jsonl)"), "{printed}");
    assert!(printed.contains("4 of 4: ModuleNotFoundError: No module named 'yaml'"), "{printed}");
}

#[test]
fn calls_and_edits_put_together_other_runs() {
    let folder = failing_runs();
    let path = folder.path().display().to_string();

    let calls = cli_json(&["clusters", &path, "--by", "calls", "--json"]);
    let edits = cli_json(&["clusters", "sample-runs", "--by", "edits", "--json"]);

    // The three of one call, those of two.
    let sizes: Vec<&Value> =
        calls["clusters"].as_array().unwrap().iter().map(|it| &it["size"]).collect();
    assert_eq!(sizes, [7]);
    assert!(edits["clusters"].as_array().unwrap().iter().any(|it| it["size"].as_u64() > Some(2)));
}

#[test]
fn a_threshold_is_a_share_above_nothing() {
    for threshold in ["0", "1.1", "half"] {
        let ran = run_cli(&["clusters", "sample-runs", "--threshold", threshold]);
        assert_eq!(ran.code, Some(2));
        assert!(ran.err.contains("expected a number above 0 and at most 1"), "{}", ran.err);
    }
}

#[test]
fn a_sample_has_its_strata_and_weights_and_does_not_depend_on_how_paths_are_named() {
    let sample =
        cli_json(&["sample", "sample-runs", "--by", "format", "--per-stratum", "1", "--json"]);

    assert_eq!(sample["schema"], "trajview.sample/1");
    let strata = sample["strata"].as_array().unwrap();
    let runs: u64 = strata.iter().map(|it| it["runs"].as_u64().unwrap()).sum();
    assert_eq!(Some(runs), sample["runs"].as_u64());
    assert_eq!(sample["drawn"].as_u64(), Some(strata.len() as u64));
    let weights: f64 =
        sample["sample"].as_array().unwrap().iter().map(|it| it["weight"].as_f64().unwrap()).sum();
    assert!((weights - runs as f64).abs() < 1e-9);
    let drawn = |paths: &[&str]| {
        let mut arguments = vec!["sample", "--by", "agent", "--size", "3", "--json"];
        arguments.extend(paths);
        let sample = cli_json(&arguments);
        let ids = sample["sample"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["run"].as_str().unwrap().to_owned());
        ids.collect::<Vec<_>>()
    };
    let (a, b, c) = ("sample-runs/codex-p12", "sample-runs/claude-code", "sample-runs/logs");
    assert_eq!(drawn(&[a, b, c]), drawn(&[c, a, b]));
}

#[test]
fn the_paths_of_a_sample_are_what_other_commands_take() {
    let paths = cli_text(&["sample", "sample-runs", "--by", "agent", "--size", "4", "--paths"]);
    let study = cli_text(&["sample", "sample-runs", "--by", "agent", "--size", "4", "--study"]);

    let mut arguments = vec!["sql", "select count(*) as runs from runs", "--json"];
    arguments.extend(paths.lines());
    assert_eq!(cli_json(&arguments)["rows"][0]["runs"], 4);
    let quoted: Vec<String> = paths.lines().map(|path| format!("\"{path}\"")).collect();
    assert_eq!(study.trim(), format!("runs = [{}]", quoted.join(", ")));
}

#[test]
fn a_column_that_is_none_is_told_with_those_that_there_are() {
    let ran = run_cli(&["sample", "sample-runs", "--by", "warp", "--size", "1"]);

    assert_eq!(ran.code, Some(2));
    assert!(
        ran.err.contains("expected a column of the table runs: transcript_id, "),
        "{}",
        ran.err
    );
}
