//! A session of one request: the way leads from edit to edit and from failure to failure.

use std::{fs, path::Path};

use ratatui::layout::Size;
use serde_json::{Value as Json, json};
use trajview::{
    runtime::{self, ScreenOptions},
    session::start_place::{NamedMoment, StartPlace},
    widgets::export,
};

const EDITS: usize = 6;

/// A session of Claude Code: a request, then a file is written, edited again and again, and tested in between.
fn write_session(folder: &Path) -> std::path::PathBuf {
    let mut lines = vec![];
    let mut clock = 0;
    let mut add = |kind: &str, content: Json, result: Option<Json>| {
        clock += 1;
        let role = if kind == "user" { "user" } else { "assistant" };
        let mut line = json!({
            "type": kind, "uuid": format!("u{clock}"), "parentUuid": null, "isSidechain": false, "cwd": "/w",
            "sessionId": "s1", "version": "2.0.14", "timestamp": format!("2026-11-20T10:00:{clock:02}.000Z"),
            "message": {"role": role, "model": "made-up", "id": format!("m{clock}"), "content": content},
        });
        if let Some(result) = result {
            line["toolUseResult"] = result;
        }
        lines.push(line.to_string());
    };
    let call = |id: String, name: &str, input: Json| json!([{"type": "tool_use", "id": id, "name": name, "input": input}]);
    let told = |id: String, text: &str, is_error: bool| json!([{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error}]);
    add("user", json!("Make the counter right"), None);
    let first = "count = 0\n";
    let input = json!({"file_path": "/w/counter.py", "content": first});
    add("assistant", call("w0".into(), "Write", input), None);
    let made = json!({"type": "create", "filePath": "/w/counter.py", "content": first, "structuredPatch": []});
    add("user", told("w0".into(), "File created", false), Some(made));
    for edit in 1..EDITS {
        let (old, new) = (format!("count = {}\n", edit - 1), format!("count = {edit}\n"));
        let id = format!("e{edit}");
        let input = json!({"file_path": "/w/counter.py", "old_string": old, "new_string": new});
        add("assistant", call(id.clone(), "Edit", input), None);
        let patch = json!([{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1,
            "lines": [format!("-count = {}", edit - 1), format!("+count = {edit}")]}]);
        let done = json!({"filePath": "/w/counter.py", "oldString": old, "newString": new,
            "originalFile": old, "structuredPatch": patch});
        add("user", told(id, "The file has been updated", false), Some(done));
        if edit % 2 == 0 {
            let id = format!("t{edit}");
            add("assistant", call(id.clone(), "Bash", json!({"command": "pytest -q"})), None);
            let said =
                format!("Exit code 1\nE       assert count == {}\nFAILED counter.py", edit + 1);
            add("user", told(id, &said, true), None);
        }
    }
    add("assistant", json!([{"type": "text", "text": "The counter is right."}]), None);
    let path = folder.join("s1.jsonl");
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    path
}

fn session_frame(size: (u16, u16), keys: &str, place: StartPlace) -> String {
    let folder = tempfile::tempdir().unwrap();
    let paths = [write_session(folder.path())];
    let size = Size { width: size.0, height: size.1 };
    let frame = runtime::headless_frame(&paths, size, keys, place, ScreenOptions::default());
    export::frame_text(&frame.unwrap_or_else(|why| panic!("{why}")))
}

fn draw_frame(size: (u16, u16), keys: &str) -> String {
    session_frame(size, keys, StartPlace::default())
}

#[test]
fn what_the_agent_did_stands_in_the_place_of_the_turns() {
    insta::assert_snapshot!(draw_frame((120, 40), "l l"));
    insta::assert_snapshot!(draw_frame((80, 24), "l l <s-tab><s-tab>"));
}

#[test]
fn a_run_of_messages_alone_opens_at_its_steps() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("messages.json");
    let messages = json!([
        {"role": "user", "content": "What is the capital of France?"},
        {"role": "assistant", "content": "It is Paris."},
    ]);
    fs::write(&path, messages.to_string()).unwrap();
    let size = Size { width: 80, height: 24 };
    let place = StartPlace::default();
    let frame = runtime::headless_frame(&[path], size, "", place, ScreenOptions::default());
    let frame = export::frame_text(&frame.unwrap_or_else(|why| panic!("{why}")));

    assert!(frame.contains("It is Paris."), "{frame}");
    assert!(!frame.contains("no edits or commands"), "{frame}");
}

#[test]
fn right_and_left_lead_from_edit_to_edit() {
    let head =
        |keys: &str| draw_frame((120, 40), keys).lines().next().unwrap_or_default().to_owned();

    assert!(head("l").contains("step 1 of "), "{}", head("l"));
    assert!(head("l l").contains("step 2 of "), "{}", head("l l"));
    assert!(head("3l h").contains("step 2 of "), "{}", head("3l h"));
    // By the numbers that the list has.
    assert!(head("4G").contains("step 4 of "), "{}", head("4G"));
    assert!(draw_frame((120, 40), "9l").contains("no recorded edit after this one"));
}

#[test]
fn failures_are_gone_to_and_listed_with_the_line_that_tells() {
    let first = draw_frame((120, 40), "x");
    assert!(first.lines().next().is_some_and(|head| head.contains("step 4 of ")), "{first}");
    assert!(draw_frame((120, 40), "x x x").contains("no failure or loss after this"));
    assert!(draw_frame((120, 40), "x <c-x>").contains("no failure or loss before this"));

    insta::assert_snapshot!(draw_frame((120, 40), "!"));
    insta::assert_snapshot!(draw_frame((80, 24), "!"));
    assert!(draw_frame((120, 40), "! j <enter>").lines().next().unwrap().contains("step 7 of "));
}

#[test]
fn a_step_is_a_place_to_open_at_and_to_go_to() {
    let place = StartPlace { turn: Some(NamedMoment::Step(1, 4)), ..StartPlace::default() };
    let opened = session_frame((120, 40), "", place);
    assert!(opened.lines().next().unwrap().contains("step 4 of "), "{opened}");

    let went = draw_frame((120, 40), ":1.3<enter>");
    assert!(went.lines().next().unwrap().contains("step 3 of "), "{went}");
    assert!(
        draw_frame((120, 40), "x yy").contains("--at 1.4"),
        "{}",
        draw_frame((120, 40), "x yy")
    );
}

#[test]
fn a_file_that_is_read_whole_is_as_the_step_left_it() {
    let read = draw_frame((120, 40), ":1.3<enter> <s-tab> a");
    assert!(read.contains("counter.py  after step 1.3"), "{read}");
    assert!(read.contains("1.3  1   count = 2"), "{read}");

    // What edits nothing leaves the file as the last edit did, and the end of the turn is no step's.
    let tested = draw_frame((120, 40), ":1.4<enter> <s-tab> a");
    assert!(tested.contains("after step 1.4") && tested.contains("1.3  1   count = 2"), "{tested}");
    let ended = draw_frame((120, 40), ":1.9<enter> <s-tab> a");
    assert!(ended.contains("counter.py  after turn 1"), "{ended}");
    assert!(ended.contains("1.8  1   count = 5"), "{ended}");

    // From edit to edit, and from a line to the step that wrote it.
    let next = draw_frame((120, 40), ":1.3<enter> <s-tab> a . .");
    assert!(next.contains("after step 1.5") && next.contains("1.5  1   count = 3"), "{next}");
    let there = draw_frame((120, 40), ":1.4<enter> <s-tab> a <enter>");
    assert!(there.contains("turn 1, step 3 wrote it; backspace returns"), "{there}");
}

#[test]
fn the_tree_has_the_files_that_are_there_after_the_step() {
    let sample = std::path::PathBuf::from("sample-runs/claude-code");
    let at = |keys: &str, size: (u16, u16)| {
        let size = Size { width: size.0, height: size.1 };
        let paths = [sample.clone()];
        let seen = runtime::headless_frame(
            &paths,
            size,
            keys,
            StartPlace::default(),
            ScreenOptions::default(),
        )
        .unwrap();
        export::frame_text(&seen)
    };

    let before = at(":1.4<enter> <tab> O", (120, 40));
    assert!(before.contains("0 files after step 1.4"), "{before}");
    assert!(before.contains("no files known at this"), "{before}");
    let after = at(":1.6<enter> <tab> O", (120, 40));
    assert!(after.contains("2 files after step 1.6"), "{after}");
    let small = at(":1.6<enter> <tab> O", (80, 24));
    assert!(small.contains("2 files after step 1.6"), "{small}");
    let turn = at("<s-tab> O", (120, 40));
    assert!(turn.contains("3 files after turn 1"), "{turn}");
}

#[test]
fn the_curves_of_a_run_of_one_request_go_by_step() {
    let head = |seen: &str| seen.lines().next().unwrap_or_default().to_owned();
    let chart = |keys: &str, size| draw_frame(size, &format!("2w {keys}"));

    let first = chart("gg", (120, 40));
    assert!(first.contains("after step 1.1") && first.contains("since the start"), "{first}");
    assert!(first.contains("step 1.1"), "{first}");
    let second = chart("gg l", (120, 40));
    assert!(second.contains("after step 1.2  since step 1.1"), "{second}");
    assert!(second.contains("from step 1.1 to step 1.2"), "{second}");
    // By the numbers that steps have, and to the end.
    assert!(chart("5G", (80, 24)).contains("after step 1.5"), "{}", chart("5G", (80, 24)));
    assert!(chart("G", (80, 24)).contains("after step 1.8"), "{}", chart("G", (80, 24)));

    let there = chart("gg l l <enter>", (120, 40));
    assert!(head(&there).contains("step 3 of 9"), "{there}");
    assert!(there.contains("backspace returns to the curves"), "{there}");
    assert!(chart("gg l l <enter> <bs>", (120, 40)).contains("after step 1.3"), "and back");
    // The playhead is one: what is looked at in the replay is looked at here.
    let here = draw_frame((120, 40), ":1.6<enter> 2w");
    assert!(here.contains("after step 1.6"), "{here}");

    let by_turn = chart("v", (120, 40));
    assert!(by_turn.contains("after turn 1") && by_turn.contains("v has steps"), "{by_turn}");
    assert!(
        chart("a", (120, 40)).contains("the points are its steps"),
        "{}",
        chart("a", (120, 40))
    );
}

#[test]
fn the_timeline_of_a_run_of_one_request_goes_by_step() {
    let row = |seen: &str, start: &str| {
        let found = seen.lines().find(|line| line.starts_with(start));
        found.unwrap_or_else(|| panic!("{start}: {seen}")).to_owned()
    };
    let failures = |seen: &str| row(seen, " events ").matches('✗').count();

    let whole = draw_frame((120, 40), "");
    assert!(row(&whole, "─ timeline").contains("turn 1 of 1 · 9 steps"), "{whole}");
    assert_eq!(failures(&whole), 3, "the total, and both failed steps: {whole}");

    let here = draw_frame((120, 40), "x");
    assert!(row(&here, "─ timeline").contains("turn 1 of 1 · step 4 of 9"), "{here}");
    let column = |line: &str, sign: char| line.chars().position(|it| it == sign);
    let events = row(&here, " events ");
    assert_eq!(column(&events, '▼'), Some(20 + 3 * 99 / 9), "{here}");
    assert!(events.starts_with(" events          ✗1 "), "{here}");

    // The process has the signals of these steps, and its keys go from step to step.
    let process = draw_frame((120, 40), "8w l l");
    assert!(row(&process, "─ timeline").contains("step 3 of 9"), "{process}");
}
