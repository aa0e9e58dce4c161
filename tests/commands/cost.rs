//! What runs cost: computed at list prices beside what is recorded, by turn, step, agent and model.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::common::{cli_json, cli_text, run_cli};

/// A session of two turns: a response told by two lines, and one of a model that no table has.
const SESSION: [&str; 5] = [
    r#"{"type":"user","sessionId":"S","uuid":"u1","cwd":"/w","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"begin"}}"#,
    r#"{"type":"assistant","sessionId":"S","uuid":"a1","parentUuid":"u1","timestamp":"2026-01-01T00:00:01Z","message":{"id":"msg_1","role":"assistant","model":"claude-opus-4-5-20251101","content":[{"type":"text","text":"one"}],"usage":{"input_tokens":10,"cache_creation_input_tokens":1000,"cache_read_input_tokens":2000,"output_tokens":100,"cache_creation":{"ephemeral_5m_input_tokens":600,"ephemeral_1h_input_tokens":400}}}}"#,
    r#"{"type":"assistant","sessionId":"S","uuid":"a2","parentUuid":"a1","timestamp":"2026-01-01T00:00:01Z","message":{"id":"msg_1","role":"assistant","model":"claude-opus-4-5-20251101","content":[{"type":"text","text":"two"}],"usage":{"input_tokens":10,"cache_creation_input_tokens":1000,"cache_read_input_tokens":2000,"output_tokens":100,"cache_creation":{"ephemeral_5m_input_tokens":600,"ephemeral_1h_input_tokens":400}}}}"#,
    r#"{"type":"user","sessionId":"S","uuid":"u2","parentUuid":"a2","cwd":"/w","timestamp":"2026-01-01T00:01:00Z","message":{"role":"user","content":"go on"}}"#,
    r#"{"type":"assistant","sessionId":"S","uuid":"a3","parentUuid":"u2","timestamp":"2026-01-01T00:01:01Z","message":{"id":"msg_2","role":"assistant","model":"some-model","content":[{"type":"text","text":"three"}],"usage":{"input_tokens":30,"cache_read_input_tokens":0,"output_tokens":20}}}"#,
];

/// 10 plain, 2,000 cached, 600 and 400 written for five minutes and an hour, 100 out, at the prices of Claude Opus 4.5.
const FIRST: f64 = (10.0 * 5.0 + 2000.0 * 0.5 + 600.0 * 6.25 + 400.0 * 10.0 + 100.0 * 25.0) / 1e6;

fn write_session(folder: &Path, id: &str, more: &[&str]) -> PathBuf {
    let path = folder.join(format!("{id}.jsonl"));
    let lines: Vec<String> = SESSION
        .iter()
        .chain(more)
        .map(|line| line.replace("\"S\"", &format!("\"{id}\"")))
        .collect();
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    path
}

fn cost_json(arguments: &[&str]) -> Value {
    cli_json(&[&["cost"][..], arguments, &["--json"]].concat())
}

#[test]
fn a_response_counts_once_and_an_unknown_model_leaves_no_total() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_session(folder.path(), "one", &[]);
    let told = cost_json(&[path.to_str().unwrap()]);
    let run = &told["runs"][0];

    assert_eq!(told["schema"], "trajview.cost/1");
    assert_eq!(run["rows"][0]["computed_usd"], json!(FIRST));
    assert_eq!(run["rows"][0]["tokens"]["input"], json!(3010));
    assert_eq!(run["rows"][0]["tokens"]["cache_write_1h"], json!(400));
    assert_eq!(run["rows"][1]["computed_usd"], Value::Null);
    assert_eq!(run["computed_usd"], Value::Null);
    assert_eq!(run["computed_at_least_usd"], json!(FIRST));
    assert_eq!(run["not_priced"], json!([{ "why": "no price for some-model", "tokens": 50 }]));
    assert_eq!(run["recorded_usd"], Value::Null);
    assert_eq!(told["prices"][0]["model"], "claude-opus-4-5");

    let text = cli_text(&["cost", path.to_str().unwrap()]);
    assert!(text.contains("0.0113"), "{text}");
    assert!(
        text.contains("cost not recorded, computed at least 0.0113 USD (50 tokens not priced)")
    );
    assert!(text.contains("not priced: 50 tokens: no price for some-model"), "{text}");

    let shown = cli_json(&["show", path.to_str().unwrap(), "--json"]);
    assert_eq!(shown["totals"]["cost_computed_usd"], Value::Null);
    assert_eq!(shown["totals"]["not_priced_tokens"], json!(50));
}

#[test]
fn every_way_of_dividing_it_adds_up_to_the_same() {
    let at_least = |by: &str| -> f64 {
        let told = cost_json(&["sample-runs/claude-code", "--by", by]);
        let rows = told["runs"][0]["rows"].as_array().unwrap().clone();
        rows.iter().filter_map(|row| row["computed_at_least_usd"].as_f64()).sum()
    };
    let all = at_least("run");
    for by in ["turn", "step", "agent", "model"] {
        assert!((at_least(by) - all).abs() < 1e-9, "{by}");
    }
}

#[test]
fn prices_of_ones_own_take_the_place_of_the_built_in_ones() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_session(folder.path(), "own", &[]);
    let table = folder.path().join("prices.json");
    let rows = r#"{"rows":[{"model":"some-model","usd_per_million":{"input":100,"output":1000,"cached_input":1}}]}"#;
    fs::write(&table, rows).unwrap();
    let (path, table) = (path.to_str().unwrap(), table.to_str().unwrap());

    let told = cost_json(&[path, "--prices", table, "--by", "model"]);
    let models: Vec<(&str, f64)> = told["runs"][0]["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["model"].as_str().unwrap(), row["computed_usd"].as_f64().unwrap()))
        .collect();
    assert_eq!(models, [("claude-opus-4-5-20251101", FIRST), ("some-model", 0.023)]);

    fs::write(table, r#"{"rows":[{"model":"m"}]}"#).unwrap();
    let ran = run_cli(&["cost", path, "--prices", table]);
    assert_eq!(ran.code, Some(3));
    assert!(ran.err.contains("prices.json: missing field `usd_per_million`"), "{}", ran.err);
}

#[test]
fn what_a_resumed_session_copied_into_another_file_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let new = r#"{"type":"assistant","sessionId":"S","uuid":"a4","parentUuid":"a3","timestamp":"2026-01-02T00:00:00Z","message":{"id":"msg_3","role":"assistant","model":"claude-opus-4-5-20251101","content":[{"type":"text","text":"four"}],"usage":{"input_tokens":1000,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}}}"#;
    let first = write_session(folder.path(), "first", &[]);
    let second = write_session(folder.path(), "second", &[new]);
    let told = cost_json(&[first.to_str().unwrap(), second.to_str().unwrap()]);

    assert_eq!(told["by"], "run");
    assert_eq!(told["repeated"]["responses"], json!(2));
    assert_eq!(told["runs"][1]["computed_usd"], json!(0.005));
    assert_eq!(told["total"]["computed_at_least_usd"], json!(FIRST + 0.005));
    assert_eq!(told["total"]["tokens"]["input"], json!(3010 + 30 + 1000));

    let csv = cli_text(&["cost", first.to_str().unwrap(), second.to_str().unwrap(), "--csv"]);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[0].starts_with("run,turn,step,agent,agent_id,model,counts,responses,input"));
}

#[test]
fn a_corpus_says_what_a_solved_checkpoint_costs_by_recorded_and_by_computed_cost_apart() {
    let arguments = ["corpus", "sample-runs/slopcodebench", "--no-cache"];
    let told = cli_json(&[&arguments[..], &["--json"]].concat());
    let row = &told["cost_per_solved"][0];

    assert_eq!(told["runs"][0]["cost_usd"], json!(1.5));
    assert_eq!(told["runs"][0]["solved_checkpoints"], json!(2));
    assert_eq!(row["recorded"]["usd_per_solved"], json!(0.75));
    assert_eq!(row["recorded"]["not_defined"], json!({ "ci95": "fewer than two tasks" }));
    assert_eq!(row["computed"]["usd_per_solved"], Value::Null);
    assert_eq!(row["computed"]["usd"], Value::Null);
    assert_eq!(
        row["computed"]["not_defined"]["usd_per_solved"],
        "no run has both a cost and tests"
    );
    let csv = cli_text(&[&arguments[..], &["--csv", "--table", "solved"]].concat());
    assert!(csv.lines().nth(1).is_some_and(|line| line.contains(",0.75,")), "{csv}");
}
