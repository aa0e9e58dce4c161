//! Tests of reading the stream of `codex exec --json`.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)] // tests may read the disk

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::format_for_head;
use trajview_testing::real_data;

fn index_log(log: &str) -> Run {
    CodexExec.index_run(&[SourceBytes { name: "stdout.jsonl", bytes: log.as_bytes() }]).unwrap()
}

fn lines_of_events(events: &[Value]) -> String {
    events.iter().map(|event| format!("{event}\n")).collect()
}

fn thread_started(thread: &str) -> Value {
    json!({ "type": "thread.started", "thread_id": thread })
}

fn turn_started() -> Value {
    json!({ "type": "turn.started" })
}

fn item_event(state: &str, item: Value) -> Value {
    json!({ "type": format!("item.{state}"), "item": item })
}

fn message_event(id: &str, text: &str) -> Value {
    item_event("completed", json!({ "id": id, "type": "agent_message", "text": text }))
}

fn turn_completed(output: u64) -> Value {
    json!({ "type": "turn.completed", "usage": { "input_tokens": output * 10, "cached_input_tokens": 0, "output_tokens": output } })
}

fn kinds_and_labels(run: &Run) -> Vec<Vec<(StepKind, &str)>> {
    let of_turn = |turn: &'_ Turn| turn.steps.iter().map(|step| step.kind).collect::<Vec<_>>();
    let labels = |turn: usize| run.turns[turn].steps.iter().map(|step| &*step.label);
    run.turns
        .iter()
        .enumerate()
        .map(|(n, turn)| of_turn(turn).into_iter().zip(labels(n)).collect())
        .collect()
}

#[test]
fn every_process_of_a_thread_is_a_turn_and_its_item_ids_start_over() {
    let run = index_log(&lines_of_events(&[
        thread_started("t"),
        turn_started(),
        message_event("item_0", "One"),
        turn_completed(5),
        thread_started("t"),
        turn_started(),
        message_event("item_0", "Two"),
        turn_completed(8),
    ]));

    assert_eq!(
        kinds_and_labels(&run),
        [vec![(StepKind::Message, "One")], vec![(StepKind::Message, "Two")]]
    );
    assert_eq!((run.id.as_str(), run.title.as_str()), ("t", "One"));
    assert!(run.turns.iter().all(|turn| turn.request.is_none() && turn.title.is_empty()));
}

#[test]
fn usage_is_a_total_of_the_thread_told_by_its_growth() {
    let run = index_log(&lines_of_events(&[
        thread_started("t"),
        turn_started(),
        turn_completed(5),
        thread_started("t"),
        turn_started(),
        turn_completed(8),
        thread_started("other"),
        turn_started(),
        turn_completed(9),
    ]));

    let outputs: Vec<_> = run.turns.iter().map(|turn| turn.tokens.output).collect();
    assert_eq!(outputs, [Some(5), Some(3), Some(9)]);
}

#[test]
fn an_item_told_three_times_is_one_step() {
    let command = |status: &str, output: &str, code: Value| {
        json!({ "id": "item_0", "item_type": "command_execution", "command": "/bin/bash -lc 'make'",
                "aggregated_output": output, "exit_code": code, "status": status })
    };
    let log = lines_of_events(&[
        thread_started("t"),
        turn_started(),
        item_event("started", command("in_progress", "", Value::Null)),
        item_event("updated", command("in_progress", "no", Value::Null)),
        item_event("completed", command("failed", "no way", json!(2))),
    ]);
    let run = index_log(&log);

    assert_eq!(kinds_and_labels(&run), [vec![(StepKind::Tool, "make")]]);
    let step = &run.turns[0].steps[0];
    let result = step.tool_result().unwrap();
    assert_eq!((result.exit_code, result.is_error, result.bytes), (Some(2), false, 6));
    assert_eq!(CodexExec.result_text(result.place.bytes_in(log.as_bytes()), result), "no way");
    assert_eq!(
        CodexExec.step_text(step.place.bytes_in(log.as_bytes()), step).arguments.as_deref(),
        Some("make")
    );
}

#[test]
fn a_command_that_never_ended_has_no_observation() {
    let command = json!({ "id": "item_0", "type": "command_execution", "command": "ls", "status": "in_progress" });

    assert_eq!(
        index_log(&lines_of_events(&[turn_started(), item_event("started", command)])).turns[0]
            .steps[0]
            .tool_result(),
        None
    );
}

#[test]
fn changed_files_are_known_by_their_paths_only() {
    let change = |status: &str| {
        json!({ "id": "item_0", "type": "file_change", "status": status, "changes": [
            { "path": "/w/p/a.py", "kind": "add" }, { "path": "/w/b.py", "kind": "update" }, { "path": "/w/c.py", "kind": "delete" },
        ] })
    };
    let log = lines_of_events(&[
        thread_started("t"),
        turn_started(),
        item_event("completed", change("completed")),
    ]);
    let run = index_log(&log);

    let edits = &run.turns[0].steps[0].edits;
    let labels_and_errors: Vec<_> =
        edits.iter().map(|edit| (edit.path.as_str(), edit.kind, edit.added)).collect();
    assert_eq!(
        labels_and_errors,
        [
            ("p/a.py", EditKind::Create, None),
            ("b.py", EditKind::Modify, None),
            ("c.py", EditKind::Delete, None)
        ]
    );
    assert_eq!(run.origin.root.as_deref(), Some("/w"));
    let body = CodexExec.recorded_edit(edits[0].place.bytes_in(log.as_bytes()), &edits[0]).unwrap();
    assert_eq!(body.change, RecordedChange::NotRecorded);
    assert_eq!(
        index_log(&lines_of_events(&[turn_started(), item_event("completed", change("failed"))]))
            .turns[0]
            .steps[0]
            .edits,
        []
    );
}

#[test]
fn errors_are_steps_and_a_failed_turn_does_not_repeat_its_last() {
    let run = index_log(&lines_of_events(&[
        turn_started(),
        item_event(
            "completed",
            json!({ "id": "item_0", "type": "error", "message": "unknown model" }),
        ),
        json!({ "type": "error", "message": "no network" }),
        json!({ "type": "turn.failed", "error": { "message": "no network" } }),
    ]));

    let labels_and_errors: Vec<_> =
        run.turns[0].steps.iter().map(|step| (&*step.label, step.is_error)).collect();
    assert_eq!(labels_and_errors, [("unknown model", true), ("no network", true)]);
}

#[test]
fn what_is_told_before_a_turn_starts_belongs_to_it() {
    let warning = item_event(
        "completed",
        json!({ "id": "item_0", "type": "error", "message": "unknown model" }),
    );
    let run = index_log(&lines_of_events(&[
        thread_started("t"),
        warning,
        turn_started(),
        message_event("item_1", "Hi"),
        turn_completed(5),
        thread_started("t"),
        turn_started(),
    ]));

    assert_eq!(run.turns.iter().map(|turn| turn.steps.len()).collect::<Vec<_>>(), [2, 0]);
}

#[test]
fn plans_searches_and_other_agents_are_tool_calls() {
    let run = index_log(&lines_of_events(&[
        turn_started(),
        item_event(
            "completed",
            json!({ "id": "a", "type": "todo_list", "items": [{ "text": "x", "completed": true }, { "text": "y", "completed": false }] }),
        ),
        item_event("completed", json!({ "id": "b", "type": "web_search", "query": "rust" })),
        item_event(
            "completed",
            json!({ "id": "c", "type": "mcp_tool_call", "server": "s", "tool": "t", "arguments": { "path": "z" } }),
        ),
        item_event(
            "completed",
            json!({ "id": "d", "type": "collab_tool_call", "tool": "spawn_agent", "prompt": "help" }),
        ),
        item_event("completed", json!({ "id": "e", "type": "brand_new" })),
    ]));

    assert_eq!(
        kinds_and_labels(&run)[0],
        [
            (StepKind::Tool, "y"),
            (StepKind::Tool, "rust"),
            (StepKind::Tool, "z"),
            (StepKind::SubAgent, "help"),
            (StepKind::Unknown, "brand_new"),
        ]
    );
}

#[test]
fn broken_lines_are_warnings_and_the_rest_is_read() {
    let log = format!(
        "Reading prompt from stdin...\n{}{{\"type\":",
        lines_of_events(&[thread_started("t"), turn_started(), message_event("a", "Hi")])
    );
    let run = index_log(&log);

    assert_eq!(kinds_and_labels(&run), [vec![(StepKind::Message, "Hi")]]);
    let places: Vec<_> = run.warnings.iter().map(|warning| warning.place.as_str()).collect();
    assert_eq!(places, ["stdout.jsonl:1", "stdout.jsonl:5"]);
    assert!(run.warnings[1].what.contains("cut off"));
}

#[test]
fn what_is_no_stream_is_not_understood() {
    for text in ["", "hello\n", "{\"type\":\"session_meta\",\"payload\":{}}\n"] {
        assert!(
            CodexExec.index_run(&[SourceBytes { name: "x", bytes: text.as_bytes() }]).is_err(),
            "{text}"
        );
    }
}

#[test]
#[ignore = "needs TRAJVIEW_REAL_DATA"]
fn a_real_stream_tells_the_same_files_and_tokens_as_the_sessions_log() {
    let path = real_data().join("recorded");
    let stream = std::fs::read_to_string(path.join("codex-0.169.0.exec-json.jsonl")).unwrap();
    let session = std::fs::read(path.join("codex-0.169.0-12turn-gpt-5.5.rollout0.jsonl")).unwrap();

    let head = FileHead { name: "stdout.jsonl", bytes: stream.as_bytes(), is_whole: true };
    assert_eq!(format_for_head(&head).map(Format::name), Some("codex-exec"));
    let run = index_log(&stream);
    let other = crate::format_by_name("codex-rollout").unwrap();
    let other = other.index_run(&[SourceBytes { name: "rollout", bytes: &session }]).unwrap();
    let files = |run: &Run| -> Vec<Vec<(EditKind, String)>> {
        let of_turn = |turn: &Turn| {
            let edits = turn.steps.iter().flat_map(|step| &step.edits);
            edits.map(|edit| (edit.kind, edit.path.to_string())).collect()
        };
        run.turns.iter().map(of_turn).collect()
    };
    assert_eq!(run.warnings, []);
    assert_eq!(files(&run), files(&other));
    let tokens = |run: &Run| run.turns.iter().map(|turn| turn.tokens).collect::<Vec<_>>();
    assert_eq!(tokens(&run), tokens(&other));
    let commands = |run: &Run| -> Vec<Option<i32>> {
        let steps = run.turns.iter().flat_map(|turn| &turn.steps);
        steps
            .filter_map(|step| step.tool_result()?.exit_code)
            .filter(|code| *code != 0)
            .map(Some)
            .collect()
    };
    assert_eq!(commands(&run), commands(&other));
    println!(
        "{} turns, {} steps",
        run.turns.len(),
        run.turns.iter().map(|turn| turn.steps.len()).sum::<usize>()
    );
}

fn read_everything(log: &[u8]) {
    let Ok(run) = CodexExec.index_run(&[SourceBytes { name: "a", bytes: log }]) else { return };
    for step in run.turns.iter().flat_map(|turn| &turn.steps) {
        let _ = CodexExec.step_text(step.place.bytes_in(log), step);
        if let Some(result) = step.tool_result() {
            let _ = CodexExec.result_text(result.place.bytes_in(log), result);
        }
    }
}

proptest! {
    #[test]
    fn whatever_becomes_of_a_stream_every_reading_returns(
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>(), 0usize..3), 0..12),
    ) {
        let change = json!({ "id": "c", "type": "file_change", "status": "completed", "changes": [{ "path": "/w/a", "kind": "add" }] });
        let log = lines_of_events(&[
            thread_started("t"), turn_started(), message_event("a", "Hi"), item_event("completed", change), turn_completed(5), thread_started("t"), turn_started(), turn_completed(8),
        ]);
        let mut bytes = log.into_bytes();
        for (at, byte, how) in changes {
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => { bytes.remove(at); }
            }
        }
        read_everything(&bytes);
    }
}
