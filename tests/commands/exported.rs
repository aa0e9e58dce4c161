//! `trajview export`: what is written is valid by the rules of its form, and read again it is the same run but for what was
//! said to be left out.

use serde_json::Value;

use crate::common::{cli_json, cli_text, project_path, run_cli};

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
    let logs = std::fs::read_dir(project_path("sample-runs/logs")).unwrap();
    let logs = logs.map(|log| format!("sample-runs/logs/{}", log.unwrap().file_name().display()));
    // An empty message of the model, as Cline's log has one, is read as no step. A folder of several runs is no run.
    let others = [".py", ".txt", ".specstory", "cline", "otel-shapes"];
    let is_log = |log: &String| !others.iter().any(|it| log.ends_with(it));
    let mut runs: Vec<String> = logs.filter(is_log).collect();
    assert!(runs.len() > 25, "{runs:?}");
    let others = ["codex-p12", "claude-code", "codex-rollout", "slopcodebench"];
    runs.extend(others.map(|run| format!("sample-runs/{run}")));
    for run in runs {
        let folder = tempfile::tempdir().unwrap();
        let run = run.as_str();
        let (out, said) = export_both(run, &folder);
        assert!(std::fs::read_to_string(&out).unwrap().contains("\"ATIF-v1.8\""), "{run}");
        let checked = run_cli(&["check", &out]).out;
        assert!(!checked.contains("ATIF 1.8"), "{run}: {checked}");

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
        let has_edits =
            !["steps that call nothing", "commits of"].iter().any(|it| said.contains(it));
        if run.contains("logs/") && has_edits {
            assert_eq!(run_edits(run), run_edits(&out), "{run}");
        }
    }
}

#[test]
fn a_check_of_a_trajectory_names_the_place_of_each_fault() {
    let folder = tempfile::tempdir().unwrap();
    let (out, _) = export_both("sample-runs/logs/pi.jsonl", &folder);
    let text = std::fs::read_to_string(&out).unwrap();
    let line = 1 + text.lines().position(|line| line.contains("\"step_id\": 2")).unwrap();
    std::fs::write(&out, text.replacen("\"step_id\": 2", "\"step_id\": 7", 1)).unwrap();

    let ran = run_cli(&["check", &out]);

    assert_eq!(ran.code, Some(1));
    let fault = format!("{out}:{line}: ATIF 1.8: steps[1].step_id: expected 2, found 7");
    assert!(ran.out.contains(&fault), "{}", ran.out);
}

#[test]
fn a_recording_without_a_step_is_no_trajectory() {
    let ran = run_cli(&["export", "--atif", "sample-runs/paperbench"]);
    assert_eq!(ran.code, Some(4));
    assert!(ran.err.contains("ATIF needs at least one"), "{}", ran.err);
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
