//! `trajview export`: what is written is valid by the rules of its form, and read again it is the same run but for what was
//! said to be left out.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::common::{cli_json, cli_text, project_path, run_cli};

/// What is wrong with a trajectory by the rules of RFC 0001; nothing where it is valid.
fn schema_problems(trajectory: &Value) -> Vec<String> {
    let mut found = vec![];
    let mut say = |is_wrong: bool, what: String| {
        if is_wrong {
            found.push(what);
        }
    };
    let keys = |value: &Value| -> BTreeSet<String> {
        value.as_object().into_iter().flat_map(|fields| fields.keys().cloned()).collect()
    };
    let known = |value: &Value, all: &[&str]| -> Vec<String> {
        keys(value).into_iter().filter(|key| !all.contains(&key.as_str())).collect()
    };
    let root = [
        "schema_version",
        "session_id",
        "trajectory_id",
        "agent",
        "steps",
        "notes",
        "final_metrics",
        "continued_trajectory_ref",
        "subagent_trajectories",
        "extra",
    ];
    let strange = known(trajectory, &root);
    say(!strange.is_empty(), format!("unknown fields {strange:?}"));
    say(trajectory["schema_version"] != "ATIF-v1.7", "no schema version".into());
    for key in ["name", "version"] {
        say(!trajectory["agent"][key].is_string(), format!("the agent has no {key}"));
    }
    let strange = known(
        &trajectory["agent"],
        &["name", "version", "model_name", "tool_definitions", "extra"],
    );
    say(!strange.is_empty(), format!("unknown fields of the agent {strange:?}"));
    let steps = trajectory["steps"].as_array().cloned().unwrap_or_default();
    say(steps.is_empty(), "no steps".into());
    let fields = [
        "step_id",
        "timestamp",
        "source",
        "model_name",
        "reasoning_effort",
        "message",
        "reasoning_content",
        "tool_calls",
        "observation",
        "metrics",
        "is_copied_context",
        "llm_call_count",
        "extra",
    ];
    for (at, step) in steps.iter().enumerate() {
        let strange = known(step, &fields);
        say(!strange.is_empty(), format!("step {at}: unknown fields {strange:?}"));
        say(step["step_id"] != at + 1, format!("step {at}: its number is {}", step["step_id"]));
        let source = step["source"].as_str().unwrap_or_default();
        say(!["system", "user", "agent"].contains(&source), format!("step {at}: source {source}"));
        say(!step["message"].is_string(), format!("step {at}: no message"));
        if source != "agent" {
            for key in ["model_name", "reasoning_content", "tool_calls", "metrics"] {
                say(step.get(key).is_some(), format!("step {at}: {key} of a step of the {source}"));
            }
        }
        let calls: BTreeSet<&str> = step["tool_calls"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|call| call["tool_call_id"].as_str())
            .collect();
        for call in step["tool_calls"].as_array().into_iter().flatten() {
            say(!call["arguments"].is_object(), format!("step {at}: arguments are no object"));
            let strange = known(call, &["tool_call_id", "function_name", "arguments", "extra"]);
            say(!strange.is_empty(), format!("step {at}: unknown fields of a call {strange:?}"));
        }
        for result in step["observation"]["results"].as_array().into_iter().flatten() {
            // One without an id is of a step that calls nothing.
            if let Some(id) = result["source_call_id"].as_str() {
                say(!calls.contains(id), format!("step {at}: a result of no call: {id}"));
            }
            let strange =
                known(result, &["source_call_id", "content", "subagent_trajectory_ref", "extra"]);
            say(!strange.is_empty(), format!("step {at}: unknown fields of a result {strange:?}"));
        }
        let strange = known(
            &step["metrics"],
            &[
                "prompt_tokens",
                "completion_tokens",
                "cached_tokens",
                "cost_usd",
                "prompt_token_ids",
                "completion_token_ids",
                "logprobs",
                "extra",
            ],
        );
        say(!strange.is_empty(), format!("step {at}: unknown metrics {strange:?}"));
    }
    for agent in trajectory["subagent_trajectories"].as_array().into_iter().flatten() {
        found.extend(schema_problems(agent));
    }
    found
}

/// What must be the same: requests, steps and their numbers, edits, tokens.
fn run_gist(path: &str) -> Value {
    let shown = cli_json(&["show", path, "--json"]);
    let turns = shown["turns"].as_array().unwrap().iter().map(|turn| {
        let mut told = serde_json::Map::new();
        for key in [
            "request",
            "steps",
            "tool_calls",
            "errors",
            "subagent_steps",
            "compactions",
            "started_at",
        ] {
            told.insert(key.into(), turn[key].clone());
        }
        told.insert("tokens".into(), turn["tokens"].clone());
        Value::Object(told)
    });
    turns.collect()
}

/// Without the files of the turns, where commits tell what no log can.
fn run_edits(path: &str) -> Value {
    let shown = cli_json(&["show", path, "--json"]);
    shown["turns"].as_array().unwrap().iter().map(|turn| turn["edits"].clone()).collect()
}

fn export_both(run: &str, folder: &tempfile::TempDir) -> (String, String) {
    let out = folder.path().join("trajectory.json").display().to_string();
    let ran = run_cli(&["export", "--atif", run, "--redact", "off", "--out", &out]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    (out, ran.err)
}

#[test]
fn a_run_written_as_atif_is_valid_and_reads_as_the_same_run() {
    let runs = [
        "sample-runs/codex-p12",
        "sample-runs/claude-code",
        "sample-runs/codex-rollout",
        "sample-runs/logs/opencode.export.json",
        "sample-runs/logs/gemini.jsonl",
        "sample-runs/logs/pi.jsonl",
        "sample-runs/logs/kimi.jsonl",
        "sample-runs/logs/atif",
    ];
    for run in runs {
        let folder = tempfile::tempdir().unwrap();
        let (out, said) = export_both(run, &folder);
        let document: Value =
            serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
        assert_eq!(schema_problems(&document), Vec::<String>::new(), "{run}");

        let (before, mut after) = (run_gist(run), run_gist(&out));
        // Tokens that no step has are said to be left out.
        if said.contains("that no step has") {
            for (old, new) in before.as_array().unwrap().iter().zip(after.as_array_mut().unwrap()) {
                new["tokens"] = old["tokens"].clone();
            }
        }
        for (number, (old, new)) in
            before.as_array().unwrap().iter().zip(after.as_array().unwrap()).enumerate()
        {
            assert_eq!(old, new, "turn {} of {run}; {said}", number + 1);
        }
        assert_eq!(before, after, "{run}");
        if run.contains("logs/") {
            assert_eq!(run_edits(run), run_edits(&out), "{run}");
        }
    }
}

#[test]
fn what_atif_cannot_carry_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let (_, said) = export_both("sample-runs/codex-p12", &folder);
    assert!(said.contains("not exported: "), "{said}");
    assert!(said.contains("commits of 56 turns"), "{said}");
}

#[test]
fn messages_read_as_the_same_requests_and_calls() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("messages.json").display().to_string();
    let run = "sample-runs/logs/qwen-code.jsonl";
    cli_text(&["export", "--messages", run, "--out", &out]);

    let (before, after) = (cli_json(&["show", run, "--json"]), cli_json(&["show", &out, "--json"]));
    assert_eq!(after["run"]["format"], "messages");
    for key in ["request", "tool_calls"] {
        let of = |shown: &Value| {
            shown["turns"]
                .as_array()
                .unwrap()
                .iter()
                .map(|turn| turn[key].clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(of(&before), of(&after), "{key}");
    }
    assert!(project_path(run).exists());
}
