//! The start view in a real terminal: the sessions of a home folder, narrowed by typing, opened and left again.

use std::{fs, path::Path};

use portable_pty::CommandBuilder;

use crate::{common::project_path, pty::Tui};

/// A session of Claude Code: a request and its answer.
fn write_session(home: &Path, name: &str, asked: &str) {
    let folder = home.join(format!(".claude/projects/-work-{name}"));
    fs::create_dir_all(&folder).unwrap();
    let request = serde_json::json!({
        "parentUuid": null, "sessionId": name, "uuid": "u1", "type": "user", "cwd": format!("/work/{name}"),
        "gitBranch": "main", "version": "2.1.0", "timestamp": "2026-09-21T14:13:20.000Z",
        "message": {"role": "user", "content": asked},
    });
    let answer = serde_json::json!({
        "parentUuid": "u1", "sessionId": name, "uuid": "u2", "type": "assistant", "cwd": format!("/work/{name}"),
        "timestamp": "2026-09-21T14:13:25.000Z",
        "message": {"id": "m1", "role": "assistant", "model": "made-up", "content": [{"type": "text", "text": "It is done."}]},
    });
    fs::write(folder.join("s.jsonl"), format!("{request}\n{answer}\n")).unwrap();
}

#[test]
fn without_a_path_sessions_are_listed_narrowed_by_typing_and_opened() {
    let home = tempfile::tempdir().unwrap();
    write_session(home.path(), "shop", "Rename Account to Customer");
    write_session(home.path(), "ledger", "Why is the list of orders slow");
    let pi = home.path().join(".pi/agent/sessions/tinycalc");
    fs::create_dir_all(&pi).unwrap();
    fs::copy(project_path("sample-runs/logs/pi.jsonl"), pi.join("s.jsonl")).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_trajview"));
    command.env_clear();
    command.env("HOME", home.path());
    command.env("TRAJVIEW_CONFIG", "");
    command.env("LANG", "C.UTF-8");
    let cache = home.path().join("cache");
    let mut tui = Tui::spawn_with_cache(120, 30, command, &cache);

    let listed = tui.wait_for("3 sessions");
    assert!(listed.contains("Rename Account to Customer"), "{listed}");
    tui.press("orders");
    tui.wait_for("1 match `orders`");
    tui.press("\r");
    tui.wait_for("turn 1/1");
    let opened = tui.wait_for("It is done.");
    assert!(opened.contains("Why is the list of orders slow"), "{opened}");
    tui.press("q");

    assert!(tui.wait_for_end().success());
    assert!(tui.is_given_back());
}

#[test]
fn what_is_written_meanwhile_is_listed_and_said_of_the_run_that_is_open() {
    let home = tempfile::tempdir().unwrap();
    write_session(home.path(), "shop", "Rename Account to Customer");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_trajview"));
    command.env_clear();
    command.env("HOME", home.path());
    command.env("TRAJVIEW_CONFIG", "");
    command.env("LANG", "C.UTF-8");
    let mut tui = Tui::spawn_with_cache(120, 30, command, &home.path().join("cache"));
    tui.wait_for("1 session");

    write_session(home.path(), "ledger", "Why is the list of orders slow");
    tui.wait_for("Why is the list of orders slow");
    tui.press("Rename\r");
    tui.wait_for("turn 1/1");
    let log = home.path().join(".claude/projects/-work-shop/s.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    let more = text.lines().next().unwrap().replace("\"u1\"", "\"u3\"").replace("Rename", "Undo");
    fs::write(&log, format!("{text}{more}\n")).unwrap();
    tui.wait_for("new data: & follows");
    tui.press("&");
    tui.wait_for("turn 2/2");
    tui.press("q");

    assert!(tui.wait_for_end().success());
}
