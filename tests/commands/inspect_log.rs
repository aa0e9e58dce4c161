//! `trajview export --inspect`: logs of Inspect, which trajview reads again as the same runs. Inspect itself is asked by hand:
//! `inspect log dump FILE.eval`.

use std::{fs, io::Read, path::Path};

use serde_json::{Value, json};

use crate::common::{cli_json, run_cli};

/// A member of a log.
fn member(log: &Path, name: &str) -> Value {
    let mut archive = zip::ZipArchive::new(fs::File::open(log).unwrap()).unwrap();
    let mut text = String::new();
    archive.by_name(name).unwrap().read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Exports runs into a file or folder and gives the messages of the program.
fn export(runs: &[&str], out: &Path, more: &[&str]) -> String {
    let out = out.to_str().unwrap();
    let ran = run_cli(&[&["export", "--inspect", "--out", out], runs, more].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.err
}

fn logs_in(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut logs: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    logs.sort();
    logs
}

/// What must be the same of each turn.
fn gist(run: &str, keys: &[&str]) -> Vec<Value> {
    let shown = cli_json(&["show", run, "--json"]);
    let turns = shown["turns"].as_array().unwrap().iter();
    turns.map(|turn| keys.iter().map(|key| turn[*key].clone()).collect()).collect()
}

#[test]
fn a_run_is_read_again_with_its_requests_steps_calls_and_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let all: &[&str] = &["request", "steps", "tool_calls", "errors", "tokens"];
    // Its exit codes are in words that only Codex writes, and a compaction has tokens of its own.
    let most = &all[..3];
    let runs = [
        ("sample-runs/codex-p12", most),
        ("sample-runs/logs/opencode.export.json", all),
        ("sample-runs/logs/gemini-stream.jsonl", all),
        ("sample-runs/logs/pi.jsonl", all),
    ];
    for (run, keys) in runs {
        let log = folder.path().join("out.eval");
        export(&[run], &log, &["--redact", "off"]);
        assert_eq!(gist(run, keys), gist(log.to_str().unwrap(), keys), "{run}");
    }
}

#[test]
fn recorded_results_are_scores_with_their_source_and_nothing_else_is() {
    let folder = tempfile::tempdir().unwrap();
    export(&["sample-runs/jobs/harbor", "sample-runs/codex-p12"], folder.path(), &[]);
    let mut scored = 0;
    for log in logs_in(folder.path()) {
        for summary in member(&log, "summaries.json").as_array().unwrap() {
            let name = format!(
                "samples/{}_epoch_{}.json",
                summary["id"].as_str().unwrap(),
                summary["epoch"]
            );
            let sample = member(&log, &name);
            assert_eq!(sample["scores"], summary["scores"]);
            for score in sample["scores"].as_object().into_iter().flatten().map(|(_, it)| it) {
                assert!(
                    score["metadata"]["source"].is_string() && !score["value"].is_null(),
                    "{score}"
                );
                scored += 1;
            }
            let read = cli_json(&[
                "show",
                &format!("{}/{}", log.display(), &name["samples/".len()..]),
                "--json",
            ]);
            let before = &sample["metadata"];
            let reward = sample["scores"]
                .as_object()
                .and_then(|all| all.values().next())
                .map(|it| &it["value"]);
            match before["outcome"].as_str() {
                Some("passed" | "failed" | "partial") => {
                    assert_eq!(read["trial"]["outcome"], before["outcome"]);
                    assert_eq!(Some(&read["trial"]["reward"]), reward);
                }
                _ => assert!(read["trial"]["reward"].is_null(), "{sample}"),
            }
        }
        assert_eq!(member(&log, "header.json")["results"]["scores"], json!([]));
    }
    assert!(scored > 2, "{scored} scores");
}

#[test]
fn the_same_runs_give_the_same_files_one_for_each_task_and_model() {
    let [one, two] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    for folder in [&one, &two] {
        export(&["sample-runs/logs", "sample-runs/paperbench"], folder.path(), &[]);
    }
    let (first, second) = (logs_in(one.path()), logs_in(two.path()));
    assert!(first.len() > 3, "{first:?}");
    assert_eq!(first.len(), second.len());
    let mut keys = vec![];
    for (one, two) in first.iter().zip(&second) {
        assert_eq!(one.file_name(), two.file_name());
        assert!(fs::read(one).unwrap() == fs::read(two).unwrap(), "{}", one.display());
        let eval = member(one, "header.json")["eval"].clone();
        assert_eq!(eval, member(one, "_journal/start.json")["eval"]);
        keys.push((eval["task"].to_string(), eval["model"].to_string()));
    }
    let count = keys.len();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), count);
}

#[test]
fn one_file_takes_one_task_and_one_model() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("all.eval");
    let runs = ["sample-runs/logs/pi.jsonl", "sample-runs/codex-p12"];
    let arguments = [&["export", "--inspect", "--out", out.to_str().unwrap()], &runs[..]].concat();
    let ran = run_cli(&arguments);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("a log has one task and one model"), "{}", ran.err);
    assert!(logs_in(folder.path()).is_empty());
    let ran = run_cli(&["export", "--inspect", runs[0]]);
    assert!(ran.err.contains("--inspect needs --out"), "{}", ran.err);
}

/// A session with an image and a key in the result of a call.
fn session_with_image() -> String {
    const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}});
    let call = json!({"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"file_path": "/w/a.png"}});
    let text = json!({"type": "text", "text": "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYzq8Hv3kT5nLs"});
    let result = json!({"type": "tool_result", "tool_use_id": "toolu_1", "content": [text, image]});
    let line = |kind: &str, id: &str, content: Value| {
        json!({"type": kind, "uuid": id, "sessionId": "s", "cwd": "/w", "timestamp": "2026-03-01T10:00:00.000Z",
            "message": {"id": id, "role": kind, "content": content}})
    };
    let lines = [
        line("user", "a", json!("Look at the picture.")),
        line("assistant", "b", json!([call])),
        line("user", "c", json!([result])),
    ];
    lines.map(|line| format!("{line}\n")).concat()
}

#[test]
fn secrets_are_taken_out_and_images_written_only_where_nothing_is() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("s.jsonl");
    fs::write(&run, session_with_image()).unwrap();
    let out = folder.path().join("out.eval");
    let sample = || {
        member(
            &out,
            &format!(
                "samples/{}_epoch_1.json",
                member(&out, "summaries.json")[0]["id"].as_str().unwrap()
            ),
        )
        .to_string()
    };

    let said = export(&[run.to_str().unwrap()], &out, &[]);
    assert!(said.contains("1 image, in which nothing can be redacted"), "{said}");
    assert!(!sample().contains("wJalrXUtn") && !sample().contains("data:image"), "{}", sample());

    export(&[run.to_str().unwrap()], &out, &["--redact", "off"]);
    assert!(sample().contains("wJalrXUtn") && sample().contains("data:image/png;base64,iVBOR"));
    let listed = run_cli(&["export", "--inspect", run.to_str().unwrap(), "--redact", "list"]);
    assert!(listed.code == Some(0) && listed.out.contains("key"), "{}{}", listed.out, listed.err);
}
