//! A recording that would drive the terminal, in the real program: every place that shows recorded words is gone to,
//! and not one byte of what it would do arrives there.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::pty::Tui;

/// What somebody would write who wants to own the terminal, with the name of its place in it: a title, a clipboard, a
/// colour, the C1 twin of an escape, directions, nothing, a joiner, an invisible letter.
fn hostile_text(place: &str) -> String {
    format!(
        "\u{1b}]0;{place}\u{7}\u{1b}]52;c;ZXZpbA==\u{1b}\\\u{1b}[77;77;77m\u{9b}2J\u{202e}\u{2066}\u{200b}\u{200d}\u{feff}\u{ad}\u{e0041}\u{61c}"
    )
}

/// How the beginning of that must look. Of what a tool printed whole sequences are left out; the rest is seen.
fn harmless_text(place: &str) -> String {
    if ["output", "found"].contains(&place) {
        return "⟨U+009B⟩2J".to_owned();
    }
    format!("␛]0;{place}␇")
}

struct Hostile {
    folder: tempfile::TempDir,
    records: Vec<Value>,
}

impl Hostile {
    fn hostile_log() -> Self {
        let mut log = Self { folder: tempfile::tempdir().unwrap(), records: vec![] };
        log.records
            .push(json!({"type": "summary", "summary": hostile_text("name"), "leafUuid": "u1"}));
        // A path is cut at its beginning where there is no room for all of it.
        let file = format!("/w/{}\u{1b}]0;file\u{7}.py", hostile_text("path"));
        let (old, new) =
            (format!("{} old\n", hostile_text("gone")), format!("{} new\n", hostile_text("line")));
        log.push("user", json!(format!("{} words", hostile_text("asked"))), Value::Null);
        log.push(
            "assistant",
            json!([{"type": "thinking", "thinking": hostile_text("thought"), "signature": ""}]),
            Value::Null,
        );
        log.call(
            "1",
            "Bash",
            json!({"command": hostile_text("command")}),
            &format!("{}\nneedle {}\n", hostile_text("output"), hostile_text("found")),
            Value::Null,
        );
        let created =
            json!({"type": "create", "filePath": file, "content": old, "structuredPatch": []});
        log.call("2", "Write", json!({"file_path": file, "content": old}), "ok", created);
        log.push("user", json!(format!("{} more words", hostile_text("second"))), Value::Null);
        let updated = json!({"filePath": file, "oldString": old, "newString": new, "originalFile": old, "structuredPatch": [], "userModified": false, "replaceAll": false});
        log.call(
            "3",
            "Edit",
            json!({"file_path": file, "old_string": old, "new_string": new}),
            "ok",
            updated,
        );
        log.push(
            "assistant",
            json!([{"type": "text", "text": hostile_text("answer")}]),
            Value::Null,
        );
        log.records.push(json!({"type": hostile_text("kind"), "sessionId": "s"}));
        log
    }

    fn call(&mut self, id: &str, tool: &str, input: Value, told: &str, result: Value) {
        self.push(
            "assistant",
            json!([{"type": "tool_use", "id": id, "name": tool, "input": input}]),
            Value::Null,
        );
        self.push(
            "user",
            json!([{"type": "tool_result", "tool_use_id": id, "content": told, "is_error": false}]),
            result,
        );
    }

    fn push(&mut self, role: &str, content: Value, result: Value) {
        let number = self.records.len();
        let mut record = json!({
            "type": role, "uuid": format!("u{number}"), "parentUuid": Value::Null, "sessionId": "s",
            "timestamp": format!("2026-01-01T00:00:{number:02}.000Z"), "cwd": "/w",
            "version": hostile_text("version"), "gitBranch": hostile_text("branch"), "isSidechain": false, "userType": "external",
            "message": {"role": role, "content": content, "model": hostile_text("model"), "id": format!("m{number}")},
        });
        if number > 1 {
            record["parentUuid"] = json!(format!("u{}", number - 1));
        }
        if !result.is_null() {
            record["toolUseResult"] = result;
        }
        self.records.push(record);
    }

    fn write(&self) -> PathBuf {
        let path = self.folder.path().join("session.jsonl");
        let lines: Vec<String> = self.records.iter().map(Value::to_string).collect();
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        path
    }
}

/// Characters that no program of ours sends: what is not seen, and what moves something else.
fn is_raw(c: char) -> bool {
    let own = matches!(c, '\u{1b}' | '\r' | '\n');
    let unseen = matches!(
        u32::from(c),
        0xad | 0x34f | 0x61c | 0x180e | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff
            | 0xfff9..=0xfffb | 0xe_0000..=0xe_0fff
    );
    (c.is_control() && !own) || unseen
}

fn assert_harmless(tui: &Tui) {
    let written = String::from_utf8(tui.written.lock().unwrap().clone()).unwrap();
    let raw: Vec<char> = written.chars().filter(|c| is_raw(*c)).collect();
    assert!(raw.is_empty(), "{raw:?} reached the terminal");
    let after: Vec<&str> = written.split('\u{1b}').skip(1).collect();
    let others: Vec<&&str> = after.iter().filter(|rest| !rest.starts_with('[')).collect();
    assert!(others.is_empty(), "sequences of ours begin with [: {others:?}");
    assert!(!after.iter().any(|rest| rest.starts_with("[77;")), "a recorded colour was obeyed");
}

/// Keys, and the places whose words must then be seen.
type Visit = (&'static str, &'static [&'static str]);

const ON_A_WIDE_SCREEN: &[Visit] = &[
    ("", &["asked", "gone", "thought", "command", "file"]),
    ("\t\t\tZ", &["output", "found"]), // every step, unfolded
    ("zl", &["second", "line", "answer", "kind"]),
    ("d", &["gone", "line"]),
    ("d\x1b[Za", &["file", "line"]), // blame
    ("a\t\tO", &["file"]),           // the tree
    ("O/needle\r", &["found"]),
    ("L", &["found"]),
    ("qR", &["asked", "second"]),
    ("\x03:file ]0;path", &["path"]),
    ("\x151", &["asked"]),
    ("\x03i", &["name", "version", "model"]),
    ("qe", &[]),
    ("q/\x1b[200~\u{202e}pasted\x1b[201~", &[]),
    ("\r", &[]),
];

const ON_A_SMALL_SCREEN: &[Visit] = &[
    ("", &["asked", "second"]),
    ("\t", &["asked"]),
    ("\t", &["gone"]),
    ("a", &["gone"]),
    ("\t", &["thought", "command"]),
    ("\t", &["file"]),
    ("/needle\r", &["found"]),
    ("L", &["found"]),
    ("qR", &["asked", "second"]),
    ("\x03:1", &["asked"]),
    ("\x03i", &["name", "version", "model"]),
    ("qe", &[]),
    ("q", &[]),
];

#[test]
fn what_would_do_harm_is_known_by_sight() {
    let raw = hostile_text("x").chars().filter(|c| is_raw(*c)).count();
    assert_eq!(raw, 10, "a bell, a C1 control, eight that are not seen");
}

fn visit_views(visits: &[Visit], columns: u16, rows: u16) {
    let log = Hostile::hostile_log();
    let path = log.write();
    let mut tui = Tui::open_path(path.to_str().unwrap(), columns, rows, &[]);
    for (keys, places) in visits {
        tui.press(keys);
        places.iter().for_each(|place| drop(tui.wait_for(&harmless_text(place))));
    }
    tui.press("q");
    assert_eq!(tui.wait_for_end().exit_code(), 0);

    assert_harmless(&tui);
}

#[test]
fn nothing_recorded_reaches_a_wide_terminal_raw_wherever_it_is_shown() {
    visit_views(ON_A_WIDE_SCREEN, 200, 50);
}

#[test]
fn nothing_recorded_reaches_a_small_terminal_raw_wherever_it_is_shown() {
    visit_views(ON_A_SMALL_SCREEN, 80, 24);
}
