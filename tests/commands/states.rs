//! `process --build` and `--test`: what commands on the files of each turn come to, what is kept of them, and what counts.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::common::{Ran, project_path, run_cli};

/// A bundle whose turns leave these words in `a.txt`; a turn without words edits nothing, `a/b` edits twice.
struct Bundle {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

fn make_bundle(turns: &[&str]) -> Bundle {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    fs::create_dir_all(path.join("session")).unwrap();
    let (mut lines, mut told): (Vec<String>, Vec<Value>) = (vec![], vec![]);
    for (turn, words) in (1..).zip(turns) {
        let first = lines.len() + 1;
        let mut add = |who: &str, content: Value, result: Option<Value>| {
            let number = lines.len();
            let time = format!("2026-01-01T10:{turn:02}:{:02}.000Z", number % 60);
            let mut line = json!({
                "type": who, "sessionId": "s", "uuid": format!("u{number}"), "cwd": "/w", "version": "2.1.42",
                "parentUuid": number.checked_sub(1).map(|before| format!("u{before}")), "timestamp": time,
                "message": {"role": who, "content": content}
            });
            if who == "assistant" {
                line["message"]["id"] = json!(format!("m{number}"));
            }
            if let Some(result) = result {
                line["toolUseResult"] = result;
            }
            lines.push(line.to_string());
        };
        add("user", json!("go on"), None);
        for (edit, text) in words.split('/').filter(|text| !text.is_empty()).enumerate() {
            let id = format!("t{turn}-{edit}");
            let input = json!({"file_path": "/w/a.txt", "content": text});
            add(
                "assistant",
                json!([{"type": "tool_use", "id": id, "name": "Write", "input": input}]),
                None,
            );
            add(
                "user",
                json!([{"type": "tool_result", "tool_use_id": id, "content": "File written"}]),
                Some(
                    json!({"type": "create", "filePath": "/w/a.txt", "content": text, "structuredPatch": []}),
                ),
            );
        }
        add("assistant", json!([{"type": "text", "text": "done"}]), None);
        told.push(json!({
            "turn": turn, "commit": null, "session": "session.jsonl", "first_line": first, "last_line": lines.len()
        }));
    }
    fs::write(path.join("session/session.jsonl"), lines.join("\n") + "\n").unwrap();
    let run =
        json!({"schema": "trajview.run/1", "id": "made", "platform": "claude-code", "turns": told});
    fs::write(path.join("run.json"), run.to_string()).unwrap();
    Bundle { _folder: folder, path }
}

impl Bundle {
    fn process(&self, options: &[&str]) -> Ran {
        run_cli(&[&["process", self.path.to_str().unwrap()], options].concat())
    }

    fn process_json(&self, options: &[&str]) -> Value {
        let ran = self.process(&[options, &["--json"]].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        serde_json::from_str(&ran.out).unwrap()
    }

    fn saved_checks(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path.join("checks.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Turn, build and test of each state.
fn state_rows(told: &Value) -> Vec<String> {
    let word = |check: &Value| check["outcome"].as_str().unwrap_or("-").to_owned();
    let state = |state: &Value| {
        let at = state["step"].as_str().map_or_else(|| state["turn"].to_string(), str::to_owned);
        format!("{at} {} {}", word(&state["build"]), word(&state["test"]))
    };
    told["states"].as_array().unwrap().iter().map(state).collect()
}

fn pillar_part<'v>(told: &'v Value, id: &str) -> &'v Value {
    let pillars = told["profiles"][0]["pillars"].as_array().unwrap();
    let ati = pillars.iter().find(|it| it["id"] == "ati").unwrap();
    ati["parts"].as_array().unwrap().iter().find(|it| it["id"] == id).unwrap()
}

const BUILDS: &str = "! grep -q broken a.txt";

#[test]
fn a_turn_that_breaks_the_build_and_one_that_mends_it_are_states() {
    let bundle = make_bundle(&["good", "broken", "", "good again"]);
    assert_eq!(state_rows(&bundle.process_json(&[])), [""; 0]);

    let told = bundle.process_json(&["--build", BUILDS, "--test", "echo said; cat a.txt; exit 3"]);

    assert_eq!(state_rows(&told), ["1 ok failed", "2 failed failed", "4 ok failed"]);
    let test = &told["states"][1]["test"];
    assert_eq!((&test["exit_code"], &test["output"]), (&json!(3), &json!("said\nbroken")));
    assert!(test["seconds"].as_f64().unwrap() >= 0.0);
    let builds = pillar_part(&told, "BH");
    assert_eq!(builds["value"], json!(2.0 / 3.0));
    let why = builds["why"].as_str().unwrap();
    assert_eq!(
        why,
        format!("of 3 states built on request with `{BUILDS}`; the agent ran no build")
    );
    assert_eq!(pillar_part(&told, "TS")["value"], json!(1.0));
    // Each of them opens at the step that made it.
    let ati =
        told["profiles"][0]["pillars"].as_array().unwrap().iter().find(|it| it["id"] == "ati");
    let counted = ati.unwrap()["counted"].as_array().unwrap();
    let broken = counted.iter().find(|it| it["what"] == "states that do not build").unwrap();
    assert_eq!(broken["steps"], json!(["2.1"]));
    // What is kept counts from then on, and is shown without being run.
    assert_eq!(state_rows(&bundle.process_json(&[])), state_rows(&told));
    let shown = bundle.process(&[]).out;
    assert!(shown.contains("states built and tested on request (3)"), "{shown}");
    assert!(shown.contains("failed (exit code 3)"), "{shown}");
}

#[test]
fn what_has_a_result_is_not_run_again_unless_that_is_asked_for() {
    let bundle = make_bundle(&["one", "two", "one"]);
    let options = ["--build", "date +%N"];

    let first = bundle.process(&options);
    let second = bundle.process(&options);

    // The third turn has the files of the first.
    assert!(
        first.err.contains("2 run and saved") && first.err.contains("1 already existed"),
        "{}",
        first.err
    );
    assert!(second.err.contains("0 run and saved, 3 already existed"), "{}", second.err);
    assert_eq!(bundle.saved_checks().len(), 2);
    bundle.process(&["--build", "date +%N", "--rerun"]);
    assert_eq!(bundle.saved_checks().len(), 4);
    bundle.process(&["--build", "true"]);
    assert_eq!(bundle.saved_checks().len(), 6);
}

#[test]
fn each_edit_is_a_state_where_the_steps_tell_all() {
    let bundle = make_bundle(&["good", "broken/mended"]);

    let told = bundle.process_json(&["--build", BUILDS, "--each", "edit"]);

    assert_eq!(state_rows(&told), ["1 ok -", "2.1 failed -", "2 ok -"]);
    assert_eq!(bundle.saved_checks()[1]["step"], "2.1");
}

#[test]
fn a_command_that_takes_too_long_is_ended_and_so_counted() {
    let bundle = make_bundle(&["good", "slow"]);

    let told = bundle.process_json(&[
        "--test",
        "if grep -q slow a.txt; then echo begins; sleep 600; fi",
        "--timeout",
        "1",
    ]);

    assert_eq!(state_rows(&told), ["1 - ok", "2 - timed out"]);
    assert_eq!(told["states"][1]["test"]["output"], "begins");
    assert_eq!(pillar_part(&told, "TS")["value"], json!(0.5));
}

#[test]
fn a_command_works_on_a_copy_and_does_not_reach_the_recording() {
    let bundle = make_bundle(&["good"]);
    let before = fs::read(bundle.path.join("run.json")).unwrap();
    let run = bundle.path.display();
    let command = format!(
        "echo more >> a.txt; echo x > {run}/run.json; echo x > {run}/evil; echo \"$XDG_CACHE_HOME\" entries $(ls -A {run} 2>/dev/null | wc -l)"
    );

    let ran = bundle.process(&["--build", &command]);

    let reached = ran.err.contains("can read and change the recording");
    if !reached {
        assert_eq!(fs::read(bundle.path.join("run.json")).unwrap(), before);
        assert!(!bundle.path.join("evil").exists());
        assert!(bundle.saved_checks()[0]["output"].as_str().unwrap().contains(" entries 0"));
    }
}

#[test]
fn a_recording_that_is_no_bundle_has_its_results_beside_the_cache() {
    let bundle = make_bundle(&["good", "broken"]);
    let log = bundle.path.join("session/session.jsonl");
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("log.jsonl");
    fs::copy(log, &copy).unwrap();
    let cache = folder.path().join("cache");
    let process = |options: &[&str]| {
        let ran = Command::new(env!("CARGO_BIN_EXE_trajview"))
            .args(["process", copy.to_str().unwrap(), "--json"])
            .args(options)
            .env("TRAJVIEW_CONFIG", "")
            .env("XDG_CACHE_HOME", &cache)
            .output()
            .unwrap();
        serde_json::from_slice::<Value>(&ran.stdout).unwrap()
    };

    let told = process(&["--build", BUILDS]);

    assert_eq!(state_rows(&told), ["1 ok -", "2 failed -"]);
    assert_eq!(state_rows(&process(&[])), state_rows(&told));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2); // nothing beside the log
}

#[cfg(unix)]
#[test]
fn what_was_done_before_it_was_stopped_is_kept_and_the_rest_follows() {
    let bundle = make_bundle(&["one", "two", "three"]);
    let command = "if grep -q two a.txt; then sleep 600; fi";
    let mut stopped = Command::new(env!("CARGO_BIN_EXE_trajview"))
        .args(["process", bundle.path.to_str().unwrap(), "--build", command])
        .env("TRAJVIEW_CONFIG", "")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let end = Instant::now() + Duration::from_secs(60);
    while bundle.saved_checks().is_empty() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    let id = stopped.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());

    assert_eq!(stopped.wait().unwrap().code(), Some(130));
    assert_eq!(bundle.saved_checks().len(), 1);
    let told = bundle.process_json(&["--build", command, "--timeout", "1"]);
    assert_eq!(state_rows(&told), ["1 ok -", "2 timed out -", "3 ok -"]);
    assert_eq!(bundle.saved_checks().len(), 3);
}

#[test]
fn a_line_that_is_none_is_a_warning_with_its_place_and_is_kept() {
    let bundle = make_bundle(&["good"]);
    fs::write(bundle.path.join("checks.jsonl"), "{\"kind\":\"bu").unwrap();

    let told = bundle.process_json(&["--build", BUILDS]);

    assert_eq!(state_rows(&told), ["1 ok -"]);
    let checked = run_cli(&["check", bundle.path.to_str().unwrap()]);
    assert!(checked.out.contains("checks.jsonl:1: "), "{}", checked.out);
    let text = fs::read_to_string(bundle.path.join("checks.jsonl")).unwrap();
    assert_eq!(text.lines().count(), 2);
}

#[test]
fn options_without_a_command_and_commands_for_several_runs_are_refused() {
    let wrong = run_cli(&["process", "sample-runs/codex-p12", "--rerun"]);
    assert_eq!(wrong.code, Some(2), "{}", wrong.err);
    let two = ["process", "sample-runs/codex-p12", "sample-runs/codex-p12", "--build", "true"];
    assert_eq!(run_cli(&two).code, Some(2));
    assert!(!Path::new(&project_path("sample-runs/codex-p12/checks.jsonl")).exists());
}
