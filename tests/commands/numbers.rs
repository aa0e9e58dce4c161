//! The list of numbers, held against everything that the commands print.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use trajview::metrics::{
    Number,
    numbers::{COMPARED, CORPUS, SCORE_TABLE},
};

use crate::common::{cli_json, cli_text};

const RUN: &str = "sample-runs/codex-p12";
const OTHER: &str = "sample-runs/codex-p12-single-shot";
const TESTED: &str = "sample-runs/slopcodebench/tally";

/// Fields that hold a number and are none of the list: where something is, the parts and sides of a number that is named
/// beside them, and settings.
#[rustfmt::skip]
const NO_NUMBERS: [&str; 92] = [
    "turn", "fraction", "bin", "line", "start", "end", "first", "last_used", "unused_since", "vanished", "committed",
    "lost_at", "judged_turn",
    "a", "b", "delta", "gap", "r", "value", "values", "scores", "by_score", "transitions", "recorded", "passed", "total",
    "added", "removed", "confidence", "share", "weight", "count", "collected", "cc",
    "exit_code", "seconds", "weight_used", "seed", "resamples",
    "mean", "tasks", // of the number that the row names, and what it is over
    "differences", "same", "changed", "only_base", "only_run", "equal_before", // of a comparison with a base
    "usd", "solved", "without_cost", "without_tests", // the parts of usd_per_solved, and who is left out
    "attempt", "error", "failed", "limit", "partial", "timeout", "unscored", "not_recorded", "reward", "trials", // of trials
    "k", "pass_at_k", "pass_at_k_ci95", "pass_hat_k", "pass_hat_k_ci95", "most_trials_of_a_task", "tasks_left_out",
    "tasks_with_repeats", "flaky_tasks", "spread_within_task", "rate", "per_pass", "per_pass_ci95", "mean_of_passed",
    "mean_of_passed_ci95", "without_value",
    "both", "neither", "only_a", "only_b", "discordant", "higher", "lower", "unpaired_groups", // of outcomes in pairs
    "requests", "steps", "edits", "edited_files", "changed_lines", "failures", "started_at", // what was done in a session
];

/// Fields that are named after a number: its slope, its interval, its parts.
fn is_made_of_a_number(field: &str) -> bool {
    let is_number = |id: &str| Number::find_by_id(id).is_some();
    let ends = ["_slope", "_ci95", "_ci95_low", "_ci95_high"];
    let of_tokens =
        ["input", "cached_input", "output", "reasoning", "cache_write", "cache_write_1h"];
    ends.iter().any(|end| field.strip_suffix(end).is_some_and(is_number))
        || of_tokens.contains(&field.trim_end_matches("_tokens"))
        || ["ci95", "ci95_low", "ci95_high"].contains(&field) // of the mean gap
        || ["tests_passed", "tests_total", "pass_rate"].contains(&field)
}

fn is_in_the_list(field: &str) -> bool {
    let of_tree = |field: &str| Number::find_by_id(&format!("rubric_tree.{field}")).is_some();
    Number::find_by_id(field).is_some()
        || of_tree(field)
        || field.strip_prefix("rubric_").is_some_and(of_tree)
        || is_made_of_a_number(field)
}

/// The fields that hold a number, wherever they stand.
fn fields_of(value: &Value, field: &str, found: &mut BTreeSet<String>) {
    match value {
        // What was counted for a pillar is named in words.
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| *name != "counted")
            .for_each(|(name, it)| fields_of(it, name, found)),
        Value::Array(items) => items.iter().for_each(|item| fields_of(item, field, found)),
        Value::Number(_) => {
            found.insert(field.to_owned());
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

fn heads_of(csv: &str) -> Vec<&str> {
    csv.lines().next().unwrap_or_default().split(',').collect()
}

#[test]
fn every_number_in_the_json_of_score_compare_and_corpus_is_a_row_of_the_list() {
    let documents = [
        cli_json(&["score", RUN, "--each", "checkpoint", "--detail", "--json"]),
        cli_json(&["score", TESTED, "--each", "checkpoint", "--json"]),
        cli_json(&["score", "sample-runs/paperbench", "--json"]),
        cli_json(&["compare", RUN, OTHER, TESTED, "--each", "turn", "--json"]),
        cli_json(&["corpus", "sample-runs", "--resamples", "20", "--json"]),
    ];
    let mut found = BTreeSet::new();
    documents.iter().for_each(|document| fields_of(document, "", &mut found));

    let is_known = |field: &&String| is_in_the_list(field) || NO_NUMBERS.contains(&field.as_str());
    let strangers: Vec<&String> = found.iter().filter(|field| !is_known(field)).collect();
    assert!(found.contains("erosion") && found.contains("wins"), "{found:?}");
    assert_eq!(strangers, [""; 0], "neither rows of the list nor known to be no numbers");
}

#[test]
fn every_head_of_a_csv_is_a_row_of_the_list_or_says_which_row_it_is() {
    #[rustfmt::skip]
    let words = [
        "run", "path", "profile", "rules", "label", "checkpoint", "turn", "commit", "phase", "bin", "skipped", "unmeasured",
        "not_comparable", "judge", "format", "task", "agent", "model", "condition", "state", "turn_states", "metric",
        "judgement", "judged_turn", "judged_at", "pooled", "better", "a", "b", "adjusted", "test", "why", "rubric_score_recorded",
        "mean_a", "a_ci95_low", "a_ci95_high", "mean_b", "b_ci95_low", "b_ci95_high",
        "attempt", "outcome", "reward", "reward_name", "error", "seconds",
        "corrected_mcf", "corrected_low", "corrected_high", "corrected_labels", "corrected_worth",
    ];
    let tables = [
        cli_text(&["score", TESTED, "--csv"]),
        cli_text(&["corpus", "sample-runs/slopcodebench", "--resamples", "0", "--csv"]),
        cli_text(&[
            "corpus",
            "sample-runs/slopcodebench",
            "--resamples",
            "0",
            "--csv",
            "--table",
            "paired",
        ]),
        cli_text(&[
            "corpus",
            "sample-runs/slopcodebench",
            "--resamples",
            "0",
            "--csv",
            "--table",
            "trends",
        ]),
    ];

    for table in &tables {
        let is_known = |head: &&str| is_in_the_list(head) || words.contains(head);
        let strangers: Vec<&str> =
            heads_of(table).into_iter().filter(|head| !is_known(head)).collect();
        assert_eq!(strangers, [""; 0]);
    }
}

#[test]
fn a_number_is_called_the_same_wherever_it_is_printed() {
    let csv = cli_text(&["compare", RUN, OTHER, "--csv"]);
    let named: Vec<Vec<&str>> = csv
        .lines()
        .filter(|line| line.starts_with("number,"))
        .map(|line| line.split(',').skip(1).take(2).collect())
        .collect();
    let text = cli_text(&["score", RUN]);
    let corpus = cli_text(&["corpus", "sample-runs/slopcodebench", "--resamples", "0"]);

    // No run here has blockers.
    let usual = |number: &&Number| !number.is_rare();
    let rows = COMPARED.iter().filter(usual).map(|number| vec![number.id(), number.label()]);
    let rows: Vec<Vec<&str>> = rows.collect();
    assert_eq!(named, rows);
    for number in SCORE_TABLE {
        assert!(text.contains(number.short()), "{number:?}");
    }
    for number in CORPUS.iter().filter(usual) {
        assert!(corpus.contains(number.id()), "{number:?}");
    }
}

#[test]
fn the_metrics_command_lists_every_row_with_its_direction_and_its_source() {
    let listed = cli_json(&["metrics", "--json"]);
    let listed = listed["metrics"].as_array().unwrap();

    let said: Vec<(&str, &str)> = listed
        .iter()
        .map(|it| (it["name"].as_str().unwrap(), it["better"].as_str().unwrap()))
        .collect();
    let rows = Number::ALL.map(|number| (number.id(), number.better().word()));
    assert_eq!(said, rows);
    assert!(listed.iter().all(|it| it["source"].as_str().is_some_and(|source| !source.is_empty())));
}

/// The numbers of a run that a table of runs, an export, a comparison and the run itself print.
fn values_everywhere(run: &str) -> BTreeMap<&'static str, [Value; 3]> {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().to_str().unwrap();
    cli_text(&["export", run, "--jsonl", into, "--tables", "runs", "--redact", "off"]);
    let part = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    let row: Value = serde_json::from_str(&std::fs::read_to_string(part).unwrap()).unwrap();
    let corpus = cli_json(&["corpus", run, "--json"])["runs"][0].clone();
    let compared = cli_json(&["compare", run, run, "--json"]);
    let number = |name: &str| {
        let rows = compared["numbers"].as_array().unwrap();
        rows.iter().find(|row| row["name"] == name).map_or(Value::Null, |row| row["a"].clone())
    };
    let tokens = |document: &Value| {
        let sides = ["input", "output"].map(|side| document["tokens"][side].as_u64());
        sides[0].zip(sides[1]).map_or(Value::Null, |(input, output)| (input + output).into())
    };
    let shown = cli_json(&["show", run, "--json"])["totals"].clone();
    assert_eq!(shown["turns"], row["turns"], "{run}");
    assert_eq!(compared["a"]["turns"], row["turns"], "{run}");
    assert_eq!(compared["a"]["session"]["steps"], row["steps"], "{run}");
    assert_eq!(compared["a"]["session"]["tokens"], row["total_tokens"], "{run}");
    assert_eq!(compared["a"]["session"]["seconds"], row["total_time"], "{run}");
    assert_eq!(compared["a"]["session"]["changed_lines"][0], row["lines_added"], "{run}");
    BTreeMap::from([
        ("turns", [corpus["turns"].clone(), row["turns"].clone(), number("turns")]),
        ("signals", [corpus["signals"].clone(), row["signals"].clone(), number("signals")]),
        ("tokens", [tokens(&corpus), row["total_tokens"].clone(), number("tokens")]),
        ("cost", [corpus["cost_usd"].clone(), row["cost_usd"].clone(), number("cost_usd")]),
    ])
}

#[test]
fn a_table_of_runs_an_export_and_a_comparison_have_the_same_numbers_and_the_same_that_are_not_known()
 {
    for run in [
        "sample-runs/paperbench/grader_output.json",
        "sample-runs/logs/copilot-cli.jsonl",
        "sample-runs/logs/aider.chat.history.md",
        "sample-runs/logs/gemini.jsonl",
        "sample-runs/claude-code/054395ac-4290-4fcf-ab21-925712a16d08.jsonl",
        "sample-runs/codex-p12",
    ] {
        for (name, values) in values_everywhere(run) {
            let [corpus, export, compare] = values.each_ref().map(Value::as_f64);
            assert_eq!(corpus, export, "{name} of {run}");
            // What a comparison does not print is not known to differ.
            assert!(
                compare == export || name == "cost" && compare.is_none(),
                "{name} of {run}: {values:?}"
            );
        }
    }
    let tree = values_everywhere("sample-runs/paperbench/grader_output.json");
    assert!(tree.values().flatten().all(Value::is_null), "{tree:?}");
}

#[test]
fn zero_has_no_sign_wherever_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().to_str().unwrap();
    cli_text(&["export", "sample-runs", "--jsonl", into, "--csv", into, "--redact", "off"]);
    let mut written = vec![
        cli_text(&["corpus", "sample-runs", "--json"]),
        cli_text(&[
            "compare",
            "sample-runs/paperbench/grader_output.json",
            "sample-runs/codex-p12",
            "--json",
        ]),
    ];
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if !path.file_name().unwrap().to_str().unwrap().starts_with("texts") {
            written.push(std::fs::read_to_string(path).unwrap());
        }
    }

    for text in written {
        for sign in [":-0.0", ": -0.0,", ": -0.0\n", ",-0,", ",-0.0,"] {
            assert!(
                !text.contains(sign),
                "{}",
                &text[text.find(sign).unwrap().saturating_sub(80)..][..160]
            );
        }
    }
}
