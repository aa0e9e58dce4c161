//! Every format by its sample: what is read of it, what a record of an unknown kind does to it, and that whatever becomes of
//! its bytes it is read so far or not at all, and never taken for another tool's.

use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;
use trajview::{
    formats::{self, FileHead, HEAD_BYTES, RecordedEdits, SourceBytes},
    run::{Run, StepKind},
    store,
};

use crate::common::{cli_json, project_path, run_cli};

fn run_of(path: &Path) -> Run {
    let opened = store::open(path).unwrap_or_else(|why| panic!("{why}"));
    Run::clone(&opened.run)
}

/// The made logs, one of each tool.
fn log_paths(folder: &str) -> Vec<PathBuf> {
    store::runs_below(&project_path(folder))
}

/// Turns with their requests, steps with their kinds, results and edits, and all that is counted.
fn run_text(run: &Run) -> String {
    let mut text = String::new();
    let origin = &run.origin;
    let _ = writeln!(
        text,
        "{} · {} {} · {} · below {}",
        origin.format,
        run.agent.name,
        run.agent.version.as_deref().unwrap_or("-"),
        run.model.as_deref().unwrap_or("-"),
        origin.root.as_deref().unwrap_or("-")
    );
    for turn in &run.turns {
        let tokens = turn.tokens;
        let number = |count: Option<u64>| count.map_or("-".to_owned(), |count| count.to_string());
        let cost = turn.cost_usd.map_or("-".to_owned(), |cost| format!("{cost:.3}"));
        let (input, cached) = (number(tokens.input), number(tokens.cached_input));
        let _ = writeln!(
            text,
            "{:?} in {input} (cached {cached}) out {} ${cost}",
            turn.title,
            number(tokens.output)
        );
        for step in &turn.steps {
            let name = step.tool.as_ref().map(|tool| tool.name.to_string()).unwrap_or_default();
            let seen = step.tool_result().map_or(String::new(), |result| {
                let code = result.exit_code.map(|code| format!(" exit {code}")).unwrap_or_default();
                format!(
                    " -> {} bytes{code}{}",
                    result.bytes,
                    if result.has_failed() { " failed" } else { "" }
                )
            });
            let _ = writeln!(text, "  {} {name} {:?}{seen}", step.kind.word(), step.label);
            for edit in &step.edits {
                let (added, removed) = (edit.added.map(u64::from), edit.removed.map(u64::from));
                let _ = writeln!(
                    text,
                    "    {:?} {} +{} -{}",
                    edit.kind,
                    edit.path,
                    number(added),
                    number(removed)
                );
            }
        }
    }
    text
}

#[test]
fn the_sample_of_each_tool_reads_as_before() {
    let mut all = String::new();
    for path in log_paths("sample-runs/logs") {
        let run = run_of(&path);
        let name =
            path.strip_prefix(project_path("sample-runs/logs")).unwrap().display().to_string();
        let _ = writeln!(all, "{name}\n{}", run_text(&run));
        for warning in &run.warnings {
            let _ = writeln!(all, "  ! {}", warning.what);
        }
    }
    insta::assert_snapshot!("logs_of_each_tool", all);
}

#[test]
fn files_after_each_turn_are_those_of_the_story_where_edits_are_told() {
    let first_request = "Create a package tinycalc with add.";
    let written = "def add(a, b):\n    return a + b\n";
    let mut seen = 0;
    for path in log_paths("sample-runs/logs") {
        let run = run_of(&path);
        let format = formats::format_by_name(run.origin.format).unwrap();
        let is_the_story = run.turns.len() >= 2 && &*run.turns[0].title == first_request;
        if format.capabilities().edits != RecordedEdits::Text || !is_the_story {
            continue;
        }
        let path = path.to_str().unwrap();
        let at = |turn: &str| crate::common::cli_text(&["cat", path, "calc.py", "--at", turn]);
        assert_eq!(at("1"), written, "{path}");
        assert!(at("2").contains("def div(a, b):"), "{path}");
        seen += 1;
    }
    assert!(seen > 15, "{seen}");
}

fn unknown_steps(run: &Run) -> usize {
    let own = run.turns.iter().flat_map(|turn| &turn.steps);
    let all = own.chain(run.subagents.iter().flat_map(|agent| &agent.steps));
    all.filter(|step| step.kind == StepKind::Unknown).count()
}

#[test]
fn a_record_of_an_unknown_kind_is_one_unknown_step() {
    let drifted = log_paths("tests/vectors/drift");
    assert!(drifted.len() > 20, "{drifted:?}");
    for path in drifted {
        let run = run_of(&path);
        assert_eq!(unknown_steps(&run), 1, "{}", path.display());
        assert!(!run.turns.is_empty(), "{}", path.display());
    }
    for path in log_paths("sample-runs/logs") {
        assert_eq!(unknown_steps(&run_of(&path)), 0, "{}", path.display());
    }
}

#[test]
fn what_a_format_offers_stands_in_its_row() {
    let rows = cli_json(&["formats", "--json"]);
    for row in rows["formats"].as_array().unwrap() {
        let format = formats::format_by_name(row["name"].as_str().unwrap()).unwrap();
        let offers = format.capabilities();
        for (key, value) in [
            ("tokens", offers.tokens),
            ("cost", offers.cost),
            ("times", offers.times),
            ("subagents", offers.subagents),
        ] {
            assert_eq!(row[key], Value::Bool(value), "{} {key}", format.name());
        }
    }
}

/// What its sample has is no less than what the format says.
#[test]
fn a_sample_has_what_its_format_offers() {
    for path in log_paths("sample-runs/logs") {
        let run = run_of(&path);
        let offers = formats::format_by_name(run.origin.format).unwrap().capabilities();
        let steps = || run.turns.iter().flat_map(|turn| &turn.steps);
        let has_tokens = run.turns.iter().any(|turn| turn.tokens.is_recorded());
        let has_cost = run.turns.iter().any(|turn| turn.cost_usd.is_some());
        let has_times = steps().any(|step| step.started_at.is_some());
        assert_eq!(has_tokens, offers.tokens, "tokens of {}", path.display());
        assert_eq!(has_cost, offers.cost, "cost of {}", path.display());
        assert_eq!(has_times, offers.times, "times of {}", path.display());
    }
}

/// A small generator: the tests are the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides.max(1)
    }
}

/// Reads bytes as their format does, and everything a screen would ask of them.
fn read_all(format: &dyn formats::Format, name: &str, bytes: &[u8]) {
    let head = FileHead { name, bytes: &bytes[..bytes.len().min(HEAD_BYTES)], is_whole: true };
    let prepared = format.preparation_for(&head).and_then(|prepare| prepare(bytes));
    let bytes = prepared.as_deref().unwrap_or(bytes);
    let Ok(run) = format.index_run(&[SourceBytes { name, bytes }]) else { return };
    for step in run.turns.iter().flat_map(|turn| &turn.steps) {
        let _ = format.step_text(step.place.bytes_in(bytes), step);
        if let Some(result) = step.tool_result() {
            let _ = format.result_text(result.place.bytes_in(bytes), result);
        }
        for edit in &step.edits {
            let _ = format.recorded_edit(edit.place.bytes_in(bytes), edit);
        }
    }
    for request in run.turns.iter().filter_map(|turn| turn.request) {
        let _ = format.request_text(request.bytes_in(bytes));
    }
}

fn claimed_format(name: &str, bytes: &[u8]) -> Option<&'static str> {
    let some = &bytes[..bytes.len().min(HEAD_BYTES)];
    let head = FileHead { name, bytes: some, is_whole: bytes.len() <= HEAD_BYTES };
    formats::format_for_head(&head).map(|format| format.name())
}

/// Cut anywhere, with fields of other types and bytes of other values: read so far or refused, never taken for another
/// tool's.
fn assert_survives(path: &Path, cuts: usize, also: &[&str]) {
    let Ok(bytes) = fs::read(path) else { return };
    let name = path.file_name().unwrap().to_str().unwrap();
    let Some(own) = claimed_format(name, &bytes) else { return };
    let format = formats::format_by_name(own).unwrap();
    let mut dice = Dice(bytes.len() as u64);
    // Big files are cut as often, and read less often: reading them again takes its time.
    let is_big = bytes.len() > 100_000;
    for number in 0..cuts {
        let at = dice.roll(bytes.len());
        let cut = &bytes[..at];
        // What is left of the beginning may be too little to be told by, and tells of no other.
        let taken = claimed_format(name, cut);
        let is_fine =
            taken.is_none_or(|taken| taken == own || taken == "messages" || also.contains(&taken));
        assert!(is_fine, "{} cut at {at} is taken for {taken:?}", path.display());
        if is_big && number % 10 > 0 {
            continue;
        }
        read_all(format, name, cut);

        let mut changed = bytes.clone();
        for _ in 0..1 + dice.roll(4) {
            let at = dice.roll(changed.len());
            changed[at] = b"{}[]\",:0n\\\n\xff"[dice.roll(12)];
        }
        read_all(format, name, &changed);
    }
    let values = ["7", "[]", "{}", "null", "\"x\"", "1e999", "[[[[1]]]]"];
    for wrong in values.into_iter().take(if is_big { 1 } else { values.len() }) {
        let text = String::from_utf8_lossy(&bytes);
        // Each value of one kind becomes another one.
        for mark in [
            "\"content\": ",
            "\"parts\": ",
            "\"data\": ",
            "\"message\": ",
            "\"event\": ",
            "\"role\": ",
            "\"arguments\": ",
            "\"id\": ",
        ] {
            let drifted = text.replacen(mark, &format!("{mark}{wrong}, \"was\": "), 3);
            read_all(format, name, drifted.as_bytes());
        }
    }
}

#[test]
fn whatever_becomes_of_a_sample_it_is_read_so_far_or_refused() {
    for path in log_paths("sample-runs/logs").into_iter().chain(log_paths("tests/vectors/drift")) {
        assert_survives(&path, 50, &[]);
    }
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn whatever_becomes_of_a_real_log_it_is_read_so_far_or_refused() {
    let data = crate::common::real_data();
    let folders = [
        "agentrx",
        "amp",
        "antigravity",
        "atif",
        "copilot-cli",
        "cursor",
        "droid",
        "gemini",
        "grok",
        "kimi",
        "mini-swe-agent",
        "openhands",
        "openhands-v1",
        "pi",
        "qwen",
        "swe-agent",
        "claude-code",
        "codex",
    ];
    for folder in folders {
        for path in store::runs_below(&data.join(folder)) {
            assert_survives(&path, 50, &[]);
        }
    }
}

#[test]
fn messages_are_known_by_a_text_that_is_longer_than_what_is_looked_at() {
    let long = serde_json::to_string(&"two \\ words \u{4e2d}\n".repeat(HEAD_BYTES / 8)).unwrap();
    let list = format!(
        r#"[{{"role": "user", "content": {long}}}, {{"role": "assistant", "content": "done"}}]"#
    );
    assert_eq!(claimed_format("a.json", list.as_bytes()), Some("messages"));
    let row = format!(r#"{{"id": "a", "messages": {list}}}"#);
    assert_eq!(claimed_format("a.json", row.as_bytes()), Some("messages"));
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn every_real_file_is_read_under_its_own_format() {
    let data = crate::common::real_data();
    let formats = [
        ("agentrx", "messages"),
        ("amp", "amp"),
        ("antigravity", "antigravity"),
        ("atif", "atif"),
        ("claude-code", "claude-code"),
        ("codex", "codex-rollout"),
        ("copilot-cli", "copilot-cli"),
        ("cursor", "cursor"),
        ("droid", "droid"),
        ("gemini", "gemini"),
        ("grok", "grok"),
        ("inspect", "inspect"),
        ("kimi", "kimi"),
        ("mini-swe-agent", "mini-swe-agent"),
        ("opencode", "opencode"),
        ("openhands", "openhands"),
        ("openhands-v1", "openhands-v1"),
        ("otel", "otel"),
        ("paperbench", "paperbench"),
        ("pi", "pi"),
        ("qwen", "qwen-code"),
        ("swe-agent", "swe-agent"),
    ];
    for (folder, format) in formats {
        let runs = store::runs_below(&data.join(folder));
        assert!(!runs.is_empty(), "{folder}");
        for path in runs {
            let run = run_of(&path);
            assert_eq!(run.origin.format, format, "{}", path.display());
            let words = run.rubric_tree.is_some()
                || run.turns.iter().any(|turn| !turn.steps.is_empty() || turn.request.is_some());
            assert!(words, "{} is empty", path.display());
        }
    }
}

#[test]
fn an_image_that_gemini_was_given_is_a_line_with_its_kind_and_size() {
    let log = fs::read_to_string(project_path("sample-runs/logs/gemini.jsonl")).unwrap();
    let image =
        r#"{"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}, {"text": "Create"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gemini.jsonl");
    fs::write(&path, log.replacen(r#"{"text": "Create"#, image, 1)).unwrap();
    let shown = run_cli(&["show", &path.display().to_string(), "--turn", "1"]);
    assert!(
        shown.out.contains("[image: image/png, 8 bytes]\n  > Create a package"),
        "{}",
        shown.out
    );
}

/// The first line and the messages of <https://huggingface.co/docs/hub/session-traces-format>.
#[test]
fn a_session_trace_of_the_hub_is_read_whatever_its_harness() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.jsonl");
    let lines = [
        r#"{"type":"session","harness":"my-agent","id":"b1","name":"Add","cwd":"/work"}"#,
        r#"{"type":"message","message":{"role":"user","content":"Write calc.py.","timestamp":1790000000000}}"#,
        r#"{"type":"message","message":{"role":"assistant","content":"","model":"m-1","reasoningContent":"It is short.","toolCalls":[{"id":"c1","function":{"name":"bash","arguments":"{\"command\": \"ls\"}"}}]}}"#,
        r#"{"type":"message","message":{"role":"tool","toolCallId":"c1","content":"calc.py"}}"#,
        r#"{"type":"message","message":{"role":"assistant","content":"Done."}}"#,
    ];
    fs::write(&path, lines.join("\n")).unwrap();

    let run = run_of(&path);

    let facts = (run.origin.format, run.agent.name.as_str(), run.id.as_str(), run.model.as_deref());
    assert_eq!(facts, ("messages", "my-agent", "b1", Some("m-1")));
    let text = run_text(&run);
    assert_eq!(run.turns.len(), 1, "{text}");
    let kinds: Vec<StepKind> = run.turns[0].steps.iter().map(|step| step.kind).collect();
    assert_eq!(kinds, [StepKind::Thinking, StepKind::Tool, StepKind::Message], "{text}");
    assert!(text.contains("bash") && text.contains("-> 7 bytes"), "{text}");
    assert_eq!(run.warnings, []);
}
