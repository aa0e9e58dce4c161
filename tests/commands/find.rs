//! `trajview find`: words in many runs.

use std::{fs, path::Path, process::Command};

use serde_json::Value;

use crate::common::{Ran, cli_text, project_path, run_cli};

/// Runs the program with a cache folder and a home folder of its own.
fn at_home(home: &Path, arguments: &[&str]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_trajview"))
        .args(arguments)
        .current_dir(project_path("."))
        .env("HOME", home)
        .env("XDG_CACHE_HOME", home.join("cache"))
        .env("TRAJVIEW_CONFIG", "")
        .envs(["CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME"].map(|name| (name, "")))
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

fn json_rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn what_is_found_is_told_by_run_with_turn_and_step() {
    let found = cli_text(&[
        "find",
        "\"def add\" file:ppdiff",
        "sample-runs/codex-p12",
        "--no-index",
        "--max-count",
        "3",
    ]);
    insta::assert_snapshot!(found);
}

#[test]
fn each_hit_is_a_line_of_json() {
    let found = cli_text(&[
        "find",
        "tool:bash unittest",
        "sample-runs/claude-code",
        "--no-index",
        "--json",
    ]);
    let rows = json_rows(&found);

    assert!(!rows.is_empty());
    for row in &rows {
        assert_eq!(row["schema"], "trajview.find/1");
        let path = row["path"].as_str().unwrap();
        assert!(path.starts_with("sample-runs/claude-code/") && path.ends_with(".jsonl"), "{path}");
        let (start, end) =
            (row["start"].as_u64().unwrap() as usize, row["end"].as_u64().unwrap() as usize);
        assert_eq!(row["text"].as_str().unwrap()[start..end].to_lowercase(), "unittest");
        assert!(row["turn"].as_u64() >= Some(1) && row["step"].as_u64() >= Some(1));
    }
}

#[test]
fn the_exit_code_says_whether_something_was_found() {
    let code = |arguments: &[&str]| run_cli(&[&["find"], arguments].concat()).code;

    assert_eq!(code(&["nowhereatall", "sample-runs/claude-code", "--no-index"]), Some(1));
    assert_eq!(code(&["x", "no/such/folder"]), Some(3));
    assert_eq!(code(&["x", "Cargo.toml", "--no-index"]), Some(4));
    assert_eq!(code(&["\"open", "sample-runs/claude-code"]), Some(2));
    assert_eq!(code(&["(", "sample-runs/claude-code", "--regex"]), Some(2));
    assert_eq!(code(&[]), Some(2));
}

#[test]
fn without_a_path_the_usual_places_are_looked_through() {
    let home = tempfile::tempdir().unwrap();
    let ran = at_home(home.path(), &["find", "x"]);
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(ran.err.contains("name a recording or a folder"), "{}", ran.err);

    let place = home.path().join(".claude/projects/shop");
    fs::create_dir_all(&place).unwrap();
    let log = "{\"type\":\"user\",\"uuid\":\"u\",\"sessionId\":\"s\",\"cwd\":\"/home/me/shop\",\"message\":{\"role\":\"user\",\
               \"content\":\"mend find_user in the shop\"}}\n";
    fs::write(place.join("s.jsonl"), log).unwrap();

    let rows = json_rows(&at_home(home.path(), &["find", "find_user project:shop", "--json"]).out);
    assert_eq!(rows.len(), 1);
    assert_eq!(
        (&rows[0]["turn"], &rows[0]["step"], &rows[0]["field"]),
        (&1.into(), &Value::Null, &"request".into())
    );
    assert_eq!(rows[0]["text"], "mend find_user in the shop");
}

#[test]
fn the_index_changes_nothing_but_the_time_and_can_be_deleted() {
    let home = tempfile::tempdir().unwrap();
    let said = |arguments: &[&str]| at_home(home.path(), arguments);
    let samples = "sample-runs/logs";
    let lookups = [
        "the",
        "tinycalc",
        "add file:calc*",
        "error:",
        "edited:py",
        "\"def add\"",
        "/ret.rn a/ tool:edit*",
    ];
    let sorted = |ran: &Ran| {
        let mut lines: Vec<String> = ran.out.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };

    let built = said(&["find", "--index", "", samples]);
    assert_eq!(built.code, Some(2), "{}", built.err); // nothing to look for
    assert!(built.err.contains("were read into the index"), "{}", built.err);
    for lookup in lookups {
        let with = said(&["find", lookup, samples, "--json", "--max-count", "1000"]);
        let without =
            said(&["find", lookup, samples, "--json", "--max-count", "1000", "--no-index"]);
        assert_eq!((with.code, sorted(&with)), (without.code, sorted(&without)), "{lookup}");
    }
    let told = said(&["find", "the", samples]).out;
    assert!(told.lines().last().unwrap().contains("by the index"), "{told}");
    assert!(said(&["find", "--forget"]).out.starts_with("deleted the index "));
    assert!(said(&["find", "--forget"]).out.starts_with("no index "));
}

#[test]
fn recorded_words_cannot_drive_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let log = "{\"type\":\"user\",\"uuid\":\"u\",\"sessionId\":\"s\",\"message\":{\"role\":\"user\",\"content\":\
               \"needle \\u001b]0;title\\u0007 \\u202e\"}}\n";
    fs::write(folder.path().join("s.jsonl"), log).unwrap();
    let path = folder.path().to_str().unwrap();

    for arguments in [
        vec!["find", "needle", path, "--no-index"],
        vec!["find", "needle", path, "--no-index", "--json"],
    ] {
        let found = cli_text(&arguments);
        assert!(
            !found.chars().any(|c| c == '\u{1b}' || c == '\u{202e}' || c == '\u{7}'),
            "{found:?}"
        );
    }
}
