//! The list of numbers, held against everything that the commands print.

use std::collections::BTreeSet;

use serde_json::Value;
use trajview::metrics::{
    Number,
    numbers::{COMPARED, CORPUS, ranked},
};

use crate::common::{json, printed};

const RUN: &str = "sample-runs/codex-p12";
const OTHER: &str = "sample-runs/codex-p12-single-shot";
const TESTED: &str = "sample-runs/slopcodebench/tally";

/// Fields that hold a number and are none of the list: where something is, the parts and sides of a number that is named
/// beside them, and settings.
#[rustfmt::skip]
const NO_NUMBERS: [&str; 51] = [
    "turn", "fraction", "bin", "line", "start", "end", "first", "last_used", "unused_since", "vanished", "committed",
    "lost_at",
    "a", "b", "delta", "gap", "r", "value", "values", "scores", "by_score", "transitions", "recorded", "passed", "total",
    "added", "removed", "confidence", "share", "weight", "count", "collected", "cc",
    "exit_code", "seconds", "weight_used", "seed", "resamples",
    "mean", "tasks", // of the number that the row names, and what it is over
    "usd", "solved", "without_cost", "without_tests", // the parts of usd_per_solved, and who is left out
    "requests", "steps", "edits", "edited_files", "changed_lines", "failures", "started_at", // what was done in a session
];

/// Fields that are named after a number: its slope, its interval, its parts.
fn is_made_of_a_number(field: &str) -> bool {
    let is_number = |id: &str| Number::find(id).is_some();
    let ends = ["_slope", "_ci95", "_ci95_low", "_ci95_high"];
    let of_tokens =
        ["input", "cached_input", "output", "reasoning", "cache_write", "cache_write_1h"];
    ends.iter().any(|end| field.strip_suffix(end).is_some_and(is_number))
        || of_tokens.contains(&field.trim_end_matches("_tokens"))
        || ["ci95", "ci95_low", "ci95_high"].contains(&field) // of the mean gap
        || ["tests_passed", "tests_total", "pass_rate"].contains(&field)
}

fn is_in_the_list(field: &str) -> bool {
    let of_tree = |field: &str| Number::find(&format!("rubric_tree.{field}")).is_some();
    Number::find(field).is_some()
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
        json(&["score", RUN, "--each", "checkpoint", "--detail", "--json"]),
        json(&["score", TESTED, "--each", "checkpoint", "--json"]),
        json(&["score", "sample-runs/paperbench", "--json"]),
        json(&["compare", RUN, OTHER, TESTED, "--each", "turn", "--json"]),
        json(&["corpus", "sample-runs", "--resamples", "20", "--json"]),
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
        "pooled", "better", "a", "b", "adjusted", "test", "why", "rubric_score_recorded",
        "mean_a", "a_ci95_low", "a_ci95_high", "mean_b", "b_ci95_low", "b_ci95_high",
    ];
    let tables = [
        printed(&["score", TESTED, "--csv"]),
        printed(&["corpus", "sample-runs/slopcodebench", "--resamples", "0", "--csv"]),
        printed(&[
            "corpus",
            "sample-runs/slopcodebench",
            "--resamples",
            "0",
            "--csv",
            "--table",
            "paired",
        ]),
        printed(&[
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
    let csv = printed(&["compare", RUN, OTHER, "--csv"]);
    let named: Vec<Vec<&str>> = csv
        .lines()
        .filter(|line| line.starts_with("number,"))
        .map(|line| line.split(',').skip(1).take(2).collect())
        .collect();
    let text = printed(&["score", RUN]);
    let corpus = printed(&["corpus", "sample-runs/slopcodebench", "--resamples", "0"]);

    // No run here has blockers.
    let usual = |number: &&Number| !number.is_rare();
    let rows = COMPARED.iter().filter(usual).map(|number| vec![number.id(), number.label()]);
    let rows: Vec<Vec<&str>> = rows.collect();
    assert_eq!(named, rows);
    for number in ranked(|shown| shown.score) {
        assert!(text.contains(number.short()), "{number:?}");
    }
    for number in CORPUS.iter().filter(usual) {
        assert!(corpus.contains(number.id()), "{number:?}");
    }
}

#[test]
fn the_metrics_command_lists_every_row_with_its_direction_and_its_source() {
    let listed = json(&["metrics", "--json"]);
    let listed = listed["metrics"].as_array().unwrap();

    let said: Vec<(&str, &str)> = listed
        .iter()
        .map(|it| (it["name"].as_str().unwrap(), it["better"].as_str().unwrap()))
        .collect();
    let rows = Number::ALL.map(|number| (number.id(), number.better().word()));
    assert_eq!(said, rows);
    assert!(listed.iter().all(|it| it["source"].as_str().is_some_and(|source| !source.is_empty())));
}
