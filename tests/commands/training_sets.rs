//! `trajview export --sft` and `--dpo`: the lines have the form of chat messages, the runs are chosen by their recorded outcome.

use std::collections::HashSet;

use serde_json::Value;

use crate::common::{judge_desk::copy_folder, project_path, run_cli};

const JOBS: &str = "sample-runs/jobs/harbor";

fn parse_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What is wrong with messages by the rules of OpenAI's API: roles, texts, and that each result is of a call before it.
fn message_problems(messages: &Value) -> Vec<String> {
    let mut calls: HashSet<String> = HashSet::new();
    let mut found = vec![];
    for message in messages.as_array().unwrap() {
        let role = message["role"].as_str().unwrap_or_default();
        if !["system", "user", "assistant", "tool"].contains(&role) {
            found.push(format!("role {role}"));
        }
        if !message["content"].is_string() {
            found.push(format!("content of {role}"));
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            calls.insert(call["id"].as_str().unwrap().to_owned());
            let arguments = call["function"]["arguments"].as_str().unwrap();
            if !serde_json::from_str::<Value>(arguments).unwrap().is_object() {
                found.push(format!("arguments {arguments}"));
            }
        }
        if role == "tool" && !calls.contains(message["tool_call_id"].as_str().unwrap()) {
            found.push(format!("a result of no call: {}", message["tool_call_id"]));
        }
    }
    found
}

#[test]
fn passed_runs_are_conversations_and_the_others_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("set.jsonl").display().to_string();

    let ran = run_cli(&["export", JOBS, "--sft", "--out", &out]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let rows = parse_lines(&std::fs::read_to_string(&out).unwrap());
    let beside = folder.path().join("set.provenance.jsonl");
    let beside = parse_lines(&std::fs::read_to_string(beside).unwrap());
    assert!(!rows.is_empty(), "{}", ran.err);
    assert_eq!(rows.len(), beside.len());
    for (row, named) in rows.iter().zip(&beside) {
        assert_eq!(message_problems(&row["messages"]), Vec::<String>::new());
        assert_eq!(row["messages"][0]["role"], "user");
        assert_eq!(named["outcome"], "passed");
        assert!(named["outcome_from"].is_string() && named["run"].is_string(), "{named}");
    }
    assert!(ran.err.contains("left out: "), "{}", ran.err);
    assert!(ran.err.contains("outcome failed"), "{}", ran.err);
    let again = run_cli(&["export", JOBS, "--sft"]);
    assert_eq!(parse_lines(&again.out), rows, "the same runs give the same lines");
}

#[test]
fn a_run_without_a_recorded_outcome_is_never_in_a_training_set() {
    let ran =
        run_cli(&["export", "sample-runs/logs/pi.jsonl", "--sft", "--outcome", "failed,passed"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""));
    assert!(ran.err.contains("left out: 1 run: no outcome was measured"), "{}", ran.err);

    let ran = run_cli(&["export", "sample-runs/logs/pi.jsonl", "--outcome", "passed"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("--sft or --dpo"), "{}", ran.err);
}

#[test]
fn a_line_for_each_turn_has_everything_before_it() {
    let whole = parse_lines(&run_cli(&["export", JOBS, "--sft"]).out);
    let turns = parse_lines(&run_cli(&["export", JOBS, "--sft", "--per-turn"]).out);
    assert!(turns.len() >= whole.len());
    let is_end_of_run = |turn: &&Value| whole.contains(turn);
    assert_eq!(turns.iter().filter(is_end_of_run).count(), whole.len());
}

#[test]
fn a_pair_has_the_shared_start_as_its_prompt() {
    let same = run_cli(&["export", JOBS, "--dpo"]);
    assert_eq!(same.out, "", "two runs with the same messages are no preference");
    assert!(
        same.err.contains("2 runs: the other run of the pair has the same messages"),
        "{}",
        same.err
    );
    let folder = tempfile::tempdir().unwrap();
    let jobs = folder.path().join("jobs");
    copy_folder(&project_path(JOBS), &jobs);
    let failed = jobs.join("sum-column__Zx9cRtM/agent/trajectory.json");
    let text = std::fs::read_to_string(&failed).unwrap();
    assert!(text.contains("I run it."), "{text}");
    std::fs::write(&failed, text.replace("I run it.", "I guess.")).unwrap();
    let out = folder.path().join("pairs.jsonl").display().to_string();

    let ran = run_cli(&["export", &jobs.display().to_string(), "--dpo", "--out", &out]);

    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let pairs = parse_lines(&std::fs::read_to_string(&out).unwrap());
    assert!(!pairs.is_empty(), "{}", ran.err);
    let beside = folder.path().join("pairs.provenance.jsonl");
    let beside = parse_lines(&std::fs::read_to_string(beside).unwrap());
    for (pair, named) in pairs.iter().zip(&beside) {
        let last = pair["prompt"].as_array().unwrap().last().unwrap();
        assert_ne!(last["role"], "assistant");
        for side in ["chosen", "rejected"] {
            assert_eq!(pair[side][0]["role"], "assistant");
            assert_eq!(message_problems(&pair[side]), Vec::<String>::new());
        }
        assert_eq!(named["chosen"]["task"], named["rejected"]["task"]);
        assert_eq!(named["chosen"]["outcome"], "passed");
        assert_ne!(named["rejected"]["outcome"], "passed");
    }
}
