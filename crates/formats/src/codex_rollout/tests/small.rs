//! One promise a test, on logs of a few lines.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{head_of_log, index_log, read_once, run_text};
use crate::{Format, SourceBytes, codex_rollout::CodexRollout, format_for_head};
use trajview_code::patch::LineKind;
use trajview_run::{
    EditKind, Run, Step, StepKind, Tokens,
    files::{RecordedChange, RecordedEdit},
};

const NOW: &str = "2026-01-01T00:00:00.000Z";

fn record_line(kind: &str, payload: &Value) -> String {
    json!({ "timestamp": NOW, "type": kind, "payload": payload }).to_string() + "\n"
}

fn meta_line(id: &str) -> String {
    record_line(
        "session_meta",
        &json!({ "id": id, "cwd": "/w", "cli_version": "0.1.0", "source": "cli" }),
    )
}

fn event_line(payload: Value) -> String {
    record_line("event_msg", &payload)
}

fn item_line(item: Value) -> String {
    event_line(json!({ "type": "item_completed", "item": item }))
}

fn response_line(payload: Value) -> String {
    record_line("response_item", &payload)
}

fn user_line(text: &str) -> String {
    event_line(json!({ "type": "user_message", "message": text, "images": [] }))
}

fn message_line(role: &str, text: &str) -> String {
    response_line(
        json!({ "type": "message", "role": role, "content": [{ "type": "input_text", "text": text }] }),
    )
}

fn call_line(id: &str, name: &str, arguments: Value) -> String {
    response_line(
        json!({ "type": "function_call", "name": name, "arguments": arguments.to_string(), "call_id": id }),
    )
}

fn custom_call_line(id: &str, name: &str, input: &str) -> String {
    response_line(
        json!({ "type": "custom_tool_call", "name": name, "input": input, "call_id": id }),
    )
}

fn output_line(id: &str, text: &str) -> String {
    response_line(json!({ "type": "function_call_output", "call_id": id, "output": text }))
}

fn usage_line(total: u64, last: u64) -> String {
    let tokens = |n: u64| json!({ "input_tokens": n * 10, "cached_input_tokens": n, "output_tokens": n, "reasoning_output_tokens": 0 });
    event_line(
        json!({ "type": "token_count", "info": { "total_token_usage": tokens(total), "last_token_usage": tokens(last) } }),
    )
}

fn log_of(lines: &[String]) -> String {
    meta_line("thread-1") + &lines.concat()
}

fn steps_of(lines: &[String]) -> Vec<Step> {
    index_log(&log_of(lines)).turns.into_iter().flat_map(|turn| turn.steps).collect()
}

fn kinds_and_labels(steps: &[Step]) -> Vec<(StepKind, &str)> {
    steps.iter().map(|step| (step.kind, &*step.label)).collect()
}

fn edit_body(log: &str, run: &Run, turn: usize, step: usize, edit: usize) -> RecordedEdit {
    let edit = &run.turns[turn].steps[step].edits[edit];
    CodexRollout.recorded_edit(edit.place.bytes_in(log.as_bytes()), edit).unwrap()
}

const PATCH: &str = "*** Begin Patch\n*** Update File: a.py\n@@ def f\n-x\n+y\n+z\n*** Add File: /w/sub/b.py\n+new\n*** Delete File: /etc/c\n*** End Patch\n";

#[test]
fn an_image_that_was_made_is_a_line_of_its_own() {
    let made = |kind: &str| json!({ "type": kind, "id": "ig", "revised_prompt": "a cat", "result": "iVBORw0KGgo=" });
    for record in
        [response_line(made("image_generation_call")), event_line(made("image_generation_end"))]
    {
        let said = crate::codex_rollout::record_text::result_text(record.as_bytes());
        assert_eq!(said, "[image: image/png, 8 bytes]", "{record}");
    }
}

#[test]
fn a_session_names_its_agent_model_and_folder() {
    let run = index_log(&log_of(&[
        record_line("turn_context", &json!({ "model": "gpt-5", "cwd": "/w" })),
        user_line("Hello"),
    ]));

    assert_eq!((run.id.as_str(), run.title.as_str()), ("thread-1", "Hello"));
    assert_eq!((run.agent.name.as_str(), run.agent.version.as_deref()), ("codex", Some("0.1.0")));
    assert_eq!((run.model.as_deref(), run.origin.root.as_deref()), (Some("gpt-5"), Some("/w")));
}

#[test]
fn one_thing_told_by_two_families_is_one_step_whichever_comes_first() {
    let said = json!({ "type": "agent_message", "message": "Hi \u{e9}\n" });
    let steps = steps_of(&[
        user_line("Go"),
        event_line(said.clone()),
        message_line("assistant", "Hi \u{e9}\n"),
        message_line("assistant", "Bye"),
        item_line(
            json!({ "type": "AgentMessage", "content": [{ "type": "Text", "text": "Bye" }] }),
        ),
    ]);

    assert_eq!(
        kinds_and_labels(&steps),
        [(StepKind::Message, "Hi \u{e9}"), (StepKind::Message, "Bye")]
    );
}

#[test]
fn response_items_within_events_are_told_once() {
    let raw = |item: Value| event_line(json!({ "type": "codex/event/raw_item", "item": item }));
    let said = json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "Hi" }] });
    let asked = json!({ "type": "function_call", "name": "shell", "arguments": "{\"cmd\":\"ls\"}", "call_id": "c" });
    let lines = [
        user_line("Go"),
        raw(said.clone()),
        response_line(said),
        raw(asked.clone()),
        response_line(asked),
    ];

    assert_eq!(
        kinds_and_labels(&steps_of(&lines)),
        [(StepKind::Message, "Hi"), (StepKind::Tool, "ls")]
    );
}

#[test]
fn a_request_with_an_image_is_told_once() {
    let text = |text: &str| json!({ "type": "input_text", "text": text });
    let conversation = json!({ "type": "message", "role": "user", "content": [text("<image name=a>"), text("Go")] });

    assert_eq!(steps_of(&[response_line(conversation), user_line("Go")]), []);
}

#[test]
fn the_same_words_said_twice_are_two_steps() {
    let said = || {
        [
            event_line(json!({ "type": "agent_message", "message": "Ok" })),
            message_line("assistant", "Ok"),
        ]
    };
    let [a, b] = said();
    let [c, d] = said();

    assert_eq!(steps_of(&[user_line("Go"), a, b, c, d]).len(), 2);
}

#[test]
fn reasoning_told_part_by_part_is_one_step() {
    let part = |text: &str| event_line(json!({ "type": "agent_reasoning", "text": text }));
    let summary = |text: &str| json!({ "type": "summary_text", "text": text });
    let whole =
        response_line(json!({ "type": "reasoning", "summary": [summary("one"), summary("two")] }));

    for lines in [
        [user_line("Go"), part("one"), part("two"), whole.clone()],
        [user_line("Go"), whole, part("one"), part("two")],
    ] {
        let text = log_of(&lines);
        let run = index_log(&text);
        let steps = &run.turns[0].steps;
        assert_eq!(kinds_and_labels(steps), [(StepKind::Thinking, "one")]);
        let words = CodexRollout.step_text(steps[0].place.bytes_in(text.as_bytes()), &steps[0]);
        assert_eq!(words.text, "one\n\ntwo");
    }
}

#[test]
fn sealed_reasoning_is_no_step() {
    let sealed =
        response_line(json!({ "type": "reasoning", "summary": [], "encrypted_content": "xyz" }));

    assert_eq!(steps_of(&[user_line("Go"), sealed]), []);
}

#[test]
fn turns_are_counted_by_what_the_user_said_not_by_what_codex_put_there() {
    let run = index_log(&log_of(&[
        message_line("user", "# AGENTS.md instructions for /w\n\nBe nice"),
        message_line("user", "<environment_context>\n<cwd>/w</cwd></environment_context>"),
        message_line("user", "First"),
        user_line("First"),
        message_line("user", "<turn_aborted>\nstopped</turn_aborted>"),
        item_line(
            json!({ "type": "UserMessage", "content": [{ "type": "text", "text": "Second" }] }),
        ),
        message_line("user", "Second"),
    ]));

    let titles: Vec<_> = run.turns.iter().map(|turn| &*turn.title).collect();
    assert_eq!(titles, ["First", "Second"]);
    assert!(run.turns.iter().all(|turn| turn.steps.is_empty()));
}

#[test]
fn a_log_without_events_counts_turns_by_its_conversation() {
    let run = index_log(&log_of(&[
        message_line("user", "<user_instructions>\nBe nice</user_instructions>"),
        message_line("user", "First"),
        message_line("assistant", "Done"),
        message_line("user", "Second"),
    ]));

    assert_eq!(run.turns.iter().map(|turn| &*turn.title).collect::<Vec<_>>(), ["First", "Second"]);
}

/// A log that is read once is folded as its lines come, with the requests that it has shown so far.
#[test]
fn a_request_that_only_the_model_was_told_of_after_others_has_the_log_read_again() {
    let shown =
        [message_line("user", "First"), user_line("First"), message_line("assistant", "Done")];
    let is_read_again = |lines: &[String]| {
        let log = log_of(lines);
        let (run, is_read_again) = read_once(&[SourceBytes { name: "a", bytes: log.as_bytes() }]);
        (run.unwrap().turns.len(), is_read_again)
    };

    assert_eq!(is_read_again(&shown), (1, false));
    let later = [&shown[..], &[message_line("user", "Second"), user_line("Second")]].concat();
    assert_eq!(is_read_again(&later), (2, false));
    let hidden = [&shown[..], &[message_line("user", "Not shown")]].concat();
    assert_eq!(is_read_again(&hidden), (1, true));
    let never = [message_line("user", "First"), message_line("assistant", "Done")];
    assert_eq!(is_read_again(&never), (1, false), "all lines are still there");
}

#[test]
fn what_an_editor_puts_before_a_request_is_not_its_title() {
    let run = index_log(&log_of(&[user_line(
        "# Context from my IDE setup:\n\n## Open tabs\n- a.py\n\n## My request for Codex:\nFix it\n",
    )]));

    assert_eq!(&*run.turns[0].title, "Fix it");
}

#[test]
fn a_request_told_by_two_families_is_one_turn() {
    let labels =
        item_line(json!({ "type": "UserMessage", "content": [{ "type": "text", "text": "Go" }] }));

    assert_eq!(index_log(&log_of(&[user_line("Go"), labels])).turns.len(), 1);
    assert_eq!(index_log(&log_of(&[user_line("Go"), user_line("Go")])).turns.len(), 2);
}

#[test]
fn what_happens_between_the_start_of_a_task_and_its_request_belongs_to_the_request() {
    let run = index_log(&log_of(&[
        user_line("First"),
        event_line(json!({ "type": "task_complete" })),
        event_line(json!({ "type": "task_started", "turn_id": "2" })),
        record_line("compacted", &json!({ "message": "So far" })),
        event_line(json!({ "type": "context_compacted" })),
        user_line("Second"),
    ]));

    assert_eq!(run.turns[0].steps, []);
    assert_eq!(kinds_and_labels(&run.turns[1].steps), [(StepKind::Compaction, "So far")]);
}

#[test]
fn a_task_nobody_asked_for_belongs_to_the_turn_before() {
    let run = index_log(&log_of(&[
        user_line("First"),
        event_line(json!({ "type": "task_started", "turn_id": "2" })),
        record_line("compacted", &json!({ "message": "By hand" })),
        event_line(json!({ "type": "task_complete" })),
        user_line("Second"),
    ]));

    assert_eq!(run.turns.iter().map(|turn| turn.steps.len()).collect::<Vec<_>>(), [1, 0]);
}

#[test]
fn a_compaction_is_one_step_whoever_tells_it() {
    let item = item_line(json!({ "type": "ContextCompaction", "id": "c" }));
    let compacted = record_line("compacted", &json!({ "message": "Sum" }));
    let again = record_line("compacted", &json!({ "message": "Again" }));
    let steps = steps_of(&[
        user_line("Go"),
        item,
        compacted,
        event_line(json!({ "type": "context_compacted" })),
        again,
    ]);

    assert_eq!(
        kinds_and_labels(&steps),
        [(StepKind::Compaction, "Sum"), (StepKind::Compaction, "Again")]
    );
}

#[test]
fn a_failed_command_says_so() {
    let steps = steps_of(&[
        user_line("Go"),
        call_line("c", "shell", json!({ "command": ["bash", "-lc", "make"] })),
        output_line("c", "Exit code: 2\nWall time: 0 seconds\nOutput:\nno"),
    ]);

    let result = steps[0].tool_result().unwrap();
    assert_eq!((&*steps[0].label, result.exit_code, result.is_error), ("make", Some(2), false));
    assert!(steps[0].has_failed());
}

#[test]
fn a_command_and_the_record_of_its_end_are_one_step() {
    let end = item_line(json!({
        "type": "CommandExecution", "id": "c", "command": ["/bin/bash", "-lc", "make"],
        "aggregated_output": "all of it", "exit_code": 1, "status": "failed"
    }));
    let text = log_of(&[
        user_line("Go"),
        call_line("c", "exec_command", json!({ "cmd": "make" })),
        end,
        output_line("c", "cut"),
    ]);
    let run = index_log(&text);

    let steps = &run.turns[0].steps;
    let result = steps[0].tool_result().unwrap();
    assert_eq!((steps.len(), result.exit_code, result.is_error), (1, Some(1), false));
    assert_eq!(
        CodexRollout.result_text(result.place.bytes_in(text.as_bytes()), result),
        "all of it"
    );
}

#[test]
fn a_command_nobody_called_is_a_step_of_its_own() {
    let end = event_line(
        json!({ "type": "exec_command_end", "call_id": "u", "command": ["ls"], "aggregated_output": "a", "exit_code": 0 }),
    );
    let steps = steps_of(&[user_line("Go"), end]);

    assert_eq!(kinds_and_labels(&steps), [(StepKind::Tool, "ls")]);
    assert_eq!(steps[0].tool_result().unwrap().exit_code, Some(0));
}

#[test]
fn a_patch_that_is_told_only_by_its_call_gives_its_edits() {
    let text = log_of(&[
        user_line("Go"),
        custom_call_line("c", "apply_patch", PATCH),
        output_line("c", "Exit code: 0\nOutput:\nSuccess."),
    ]);
    let run = index_log(&text);

    let edits = &run.turns[0].steps[0].edits;
    let labels: Vec<_> =
        edits.iter().map(|e| (e.path.as_str(), e.kind, e.added, e.removed)).collect();
    assert_eq!(
        labels,
        [
            ("a.py", EditKind::Modify, Some(2), Some(1)),
            ("sub/b.py", EditKind::Create, Some(1), Some(0)),
            ("/etc/c", EditKind::Delete, None, None),
        ]
    );
    assert!(edits[2].path.repo_path().is_none());
    assert_eq!(edit_body(&text, &run, 0, 0, 1).change, RecordedChange::Write("new\n".into()));
    let RecordedChange::Patch(hunks) = edit_body(&text, &run, 0, 0, 0).change else { panic!() };
    assert_eq!(hunks[0].lines[0].kind, LineKind::Removed);
}

#[test]
fn the_record_of_a_patch_is_better_than_its_call() {
    let end = event_line(json!({
        "type": "patch_apply_end", "call_id": "c", "success": true, "stdout": "Success.", "stderr": "",
        "changes": {
            "/w/a.py": { "type": "update", "unified_diff": "@@ -1 +1 @@\n-x\n+y\n", "move_path": "/w/b.py" },
            "/w/c.py": { "type": "delete", "content": "gone\n" },
            "/w/d.py": { "update": { "unified_diff": "", "move_path": null } },
        }
    }));
    let text = log_of(&[
        user_line("Go"),
        custom_call_line("c", "apply_patch", PATCH),
        end,
        output_line("c", "Exit code: 0"),
    ]);
    let run = index_log(&text);

    let edits = &run.turns[0].steps[0].edits;
    let labels: Vec<_> =
        edits.iter().map(|e| (e.path.as_str(), e.kind, e.added, e.removed)).collect();
    assert_eq!(
        labels,
        [
            ("b.py", EditKind::Rename, Some(1), Some(1)),
            ("c.py", EditKind::Delete, Some(0), Some(1)),
            ("d.py", EditKind::Modify, Some(0), Some(0)),
        ]
    );
    assert_eq!(edits[0].from.as_ref().unwrap().as_str(), "a.py");
    let deleted = RecordedEdit { before: Some("gone\n".into()), change: RecordedChange::Delete };
    assert_eq!(edit_body(&text, &run, 0, 0, 1), deleted);
}

#[test]
fn a_patch_that_failed_or_was_never_answered_changes_nothing() {
    let failed = |output: String| {
        steps_of(&[user_line("Go"), custom_call_line("c", "apply_patch", PATCH), output])
    };
    let refused = item_line(
        json!({ "type": "FileChange", "id": "c", "status": "failed", "changes": { "/w/a": { "type": "add", "content": "x" } } }),
    );

    for lines in [output_line("c", "apply_patch verification failed: no"), refused, String::new()] {
        assert_eq!(failed(lines)[0].edits, []);
    }
}

#[test]
fn a_shell_command_that_applies_a_patch_gives_its_edits_where_it_worked() {
    let script = format!("cd sub && apply_patch <<'EOF'\n{PATCH}EOF");
    let steps = |code: &str| {
        let call = call_line("c", "shell", json!({ "command": ["bash", "-lc", script] }));
        steps_of(&[
            user_line("Go"),
            call,
            output_line("c", &format!("Exit code: {code}\nOutput:\n")),
        ])
    };

    assert_eq!(steps("0")[0].edits[0].path.as_str(), "sub/a.py");
    assert_eq!(steps("1")[0].edits, []);
}

#[test]
fn in_code_mode_what_a_script_did_is_told_on_the_script() {
    let script = |tool: &str| {
        custom_call_line(
            tool,
            "exec",
            &format!("text(await tools.exec_command({{cmd: \"{tool}\"}}))"),
        )
    };
    let end = |id: &str, command: &str, code: i32| {
        item_line(
            json!({ "type": "CommandExecution", "id": id, "command": ["bash", "-lc", command], "aggregated_output": "", "exit_code": code }),
        )
    };
    let steps = steps_of(&[
        user_line("Go"),
        script("ls"),
        script("make"),
        end("exec-1", "make", 2),
        end("exec-2", "ls", 0),
        output_line("ls", "Script completed"),
        output_line("make", "Script completed"),
    ]);

    let labels: Vec<_> =
        steps.iter().map(|step| (&*step.label, step.tool_result().unwrap().exit_code)).collect();
    assert_eq!(labels, [("ls", Some(0)), ("make", Some(2))]);
}

#[test]
fn a_web_search_is_one_step() {
    let action = json!({ "type": "search", "query": "rust" });
    let steps = steps_of(&[
        user_line("Go"),
        response_line(
            json!({ "type": "web_search_call", "id": "ws", "status": "completed", "action": action }),
        ),
        event_line(
            json!({ "type": "web_search_end", "call_id": "other", "query": "rust", "action": action }),
        ),
    ]);

    assert_eq!(kinds_and_labels(&steps), [(StepKind::Tool, "rust")]);
}

#[test]
fn a_refused_mcp_call_is_an_error() {
    let end = event_line(json!({
        "type": "mcp_tool_call_end", "call_id": "m",
        "invocation": { "server": "files", "tool": "read", "arguments": { "path": "x" } }, "result": { "Err": "no" }
    }));
    let steps = steps_of(&[user_line("Go"), end]);

    assert_eq!(&*steps[0].tool.as_ref().unwrap().name, "files.read");
    assert!(steps[0].has_failed());
}

#[test]
fn an_error_is_a_step_and_not_told_twice() {
    let steps = steps_of(&[
        user_line("Go"),
        event_line(json!({ "type": "error", "message": "limit reached" })),
        event_line(json!({ "type": "task_complete", "error": { "message": "limit reached" } })),
        event_line(json!({ "type": "turn_aborted", "reason": "interrupted" })),
    ]);

    let labels: Vec<_> = steps.iter().map(|step| (&*step.label, step.is_error)).collect();
    assert_eq!(labels, [("limit reached", true), ("turn aborted: interrupted", true)]);
}

#[test]
fn an_unknown_record_is_kept_as_a_step() {
    let text = log_of(&[
        user_line("Go"),
        record_line("brand_new", &json!({ "x": 1 })),
        event_line(json!({ "type": "newer" })),
    ]);
    let run = index_log(&text);

    let steps = &run.turns[0].steps;
    assert_eq!(
        kinds_and_labels(steps),
        [(StepKind::Unknown, "brand_new"), (StepKind::Unknown, "newer")]
    );
    let words = CodexRollout.step_text(steps[0].place.bytes_in(text.as_bytes()), &steps[0]);
    assert!(words.text.contains("\"x\":1"), "{}", words.text);
}

#[test]
fn tokens_are_counted_once_and_belong_to_the_first_step_of_their_response() {
    let run = index_log(&log_of(&[
        user_line("Go"),
        message_line("assistant", "Looking"),
        call_line("c", "shell", json!({ "cmd": "ls" })),
        usage_line(3, 3),
        output_line("c", "a"),
        usage_line(3, 3),
        message_line("assistant", "Done"),
        usage_line(8, 5),
    ]));

    let tokens = |n: u64| Tokens {
        input: Some(n * 10),
        cached_input: Some(n),
        output: Some(n),
        reasoning: Some(0),
        ..Tokens::default()
    };
    let steps: Vec<_> = run.turns[0].steps.iter().map(|step| step.tokens).collect();
    assert_eq!(steps, [tokens(3), Tokens::default(), tokens(5)]);
    assert_eq!(run.turns[0].tokens, tokens(8));
}

#[test]
fn a_bare_log_of_the_first_versions_is_read() {
    let text = [
        json!({ "id": "old", "timestamp": NOW, "instructions": null }),
        json!({ "record_type": "state" }),
        json!({ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "Go" }] }),
        json!({ "type": "function_call", "name": "shell", "arguments": "{\"command\":[\"ls\"]}", "call_id": "c" }),
        json!({ "type": "function_call_output", "call_id": "c", "output": "{\"output\":\"a\",\"metadata\":{\"exit_code\":0}}" }),
    ];
    let text = text.iter().map(|line| format!("{line}\n")).collect::<String>();
    let run = index_log(&text);

    assert_eq!(
        format_for_head(&head_of_log("x.jsonl", &text)).map(Format::name),
        Some("codex-rollout")
    );
    assert_eq!((run.id.as_str(), &*run.turns[0].title), ("old", "Go"));
    assert_eq!(run.turns[0].steps[0].tool_result().unwrap().exit_code, Some(0));
}

#[test]
fn the_spellings_of_forks_are_read() {
    let text = log_of(&[
        event_line(
            json!({ "type": "codex/event/raw_item", "item": { "type": "message", "role": "user", "content": "Go" } }),
        ),
        response_line(
            json!({ "type": "tool_call", "name": "shell", "arguments": { "cmd": "ls" }, "id": "c" }),
        ),
        response_line(json!({ "type": "tool_result", "id": "c", "content": "a" })),
        event_line(json!({ "type": "token_count", "input_tokens": 5, "output_tokens": 2 })),
        json!({ "type": "turn.completed", "usage": { "output_tokens": 2 } }).to_string() + "\n",
        json!({ "timestamp": NOW, "role": "assistant", "content": "Done", "model": "m" })
            .to_string()
            + "\n",
    ]);
    let run = index_log(&text);

    assert_eq!(run.model.as_deref(), Some("m"));
    assert_eq!(
        kinds_and_labels(&run.turns[0].steps),
        [(StepKind::Tool, "ls"), (StepKind::Message, "Done")]
    );
    assert_eq!(run.tokens().output, Some(2));
}

fn child_meta_line(id: &str, extra: &Value) -> String {
    let mut payload = json!({
        "id": id, "cwd": "/w", "thread_source": "subagent", "parent_thread_id": "thread-1",
        "timestamp": NOW, "agent_path": "/root/helper",
    });
    payload.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    record_line("session_meta", &payload)
}

fn index_family(main: &str, child: &str) -> Run {
    let sources = [main, child].map(|text| SourceBytes { name: "log", bytes: text.as_bytes() });
    CodexRollout.index_run(&sources).unwrap()
}

#[test]
fn a_sub_agent_no_step_names_is_still_listed() {
    let run = index_family(
        &log_of(&[user_line("Go"), message_line("assistant", "Hm")]),
        &(child_meta_line("kid", &json!({})) + &user_line("Help")),
    );

    let parent = run.subagents[0].parent.unwrap();
    let step = &run.turns[0].steps[parent.step];
    assert_eq!((run.subagents[0].name.as_str(), &*run.subagents[0].title), ("helper", "Help"));
    assert_eq!((step.kind, step.subagent), (StepKind::SubAgent, Some(0)));
}

#[test]
fn a_child_of_a_child_hangs_on_its_parent() {
    let spawn = |thread: &str| {
        call_line(thread, "spawn_agent", json!({ "message": "help" }))
            + &output_line(thread, &json!({ "agent_id": thread }).to_string())
    };
    let texts = [
        log_of(&[user_line("Go"), spawn("kid")]),
        child_meta_line(
            "grandkid",
            &json!({ "parent_thread_id": "kid", "session_id": "thread-1" }),
        ) + &user_line("B"),
        child_meta_line("kid", &json!({})) + &user_line("A") + &spawn("grandkid"),
    ];
    let sources: Vec<_> =
        texts.iter().map(|text| SourceBytes { name: "log", bytes: text.as_bytes() }).collect();
    let run = CodexRollout.index_run(&sources).unwrap();

    assert!(CodexRollout.is_companion(&head_of_log("a", &texts[0]), &head_of_log("b", &texts[1])));
    assert_eq!(run.subagents[1].parent.unwrap().subagent, None);
    assert_eq!(run.subagents[0].parent.unwrap().subagent, Some(1));
}

#[test]
fn an_older_childs_copy_of_its_parents_history_is_left_out() {
    let old = "01900000-0000-7000-8000-000000000001";
    let born = "01900000-0100-7000-8000-000000000001";
    let own = "01900000-0101-7000-8000-000000000001";
    let started = |turn: &str| event_line(json!({ "type": "task_started", "turn_id": turn }));
    let text = [
        child_meta_line(born, &json!({ "forked_from_id": old })),
        meta_line(old),
        started(old),
        user_line("Inherited"),
        started(own),
        user_line("Help"),
    ];
    let run = index_log(&text.concat());

    assert_eq!(run.turns.iter().map(|turn| &*turn.title).collect::<Vec<_>>(), ["Help"]);
}

#[test]
fn a_users_fork_is_a_run_of_its_own() {
    let fork = record_line(
        "session_meta",
        &json!({ "id": "fork", "forked_from_id": "thread-1", "source": "cli" }),
    );

    assert!(!CodexRollout.is_companion(&head_of_log("a", &log_of(&[])), &head_of_log("b", &fork)));
}

/// Returns a record that was written at a second of the day.
fn at_second(second: u32, line: &str) -> String {
    line.replace(NOW, &format!("2026-01-01T00:00:{second:02}.000Z"))
}

#[test]
fn a_users_fork_does_not_count_what_it_copied() {
    let fork = record_line(
        "session_meta",
        &json!({ "id": "fork", "forked_from_id": "thread-1", "cwd": "/w", "source": "cli" }),
    );
    let text = [
        fork,
        meta_line("thread-1"),
        user_line("Copied"),
        usage_line(5, 5),
        user_line("Copied too"),
        usage_line(9, 4),
        at_second(30, &usage_line(9, 4)),
        at_second(31, &user_line("Mine")),
        at_second(32, &usage_line(12, 3)),
    ];

    let run = index_log(&text.concat());

    assert_eq!(run.turns.iter().map(|turn| &*turn.title).collect::<Vec<_>>(), ["Mine"]);
    assert_eq!(run.tokens().output, Some(3));
    assert!(run.warnings[0].what.contains("is a fork of thread-1"), "{:?}", run.warnings);
}

#[test]
fn the_turns_of_a_users_fork_begin_with_the_first_that_is_younger_than_it() {
    let old = "01900000-0000-7000-8000-000000000001";
    let born = "01900000-0100-7000-8000-000000000001";
    let own = "01900000-0101-7000-8000-000000000001";
    let started = |turn: &str| event_line(json!({ "type": "task_started", "turn_id": turn }));
    let fork =
        record_line("session_meta", &json!({ "id": born, "forked_from_id": old, "source": "cli" }));
    let text = [
        fork,
        meta_line(old),
        started(old),
        user_line("Copied"),
        started(own),
        user_line("Mine"),
        usage_line(2, 2),
    ];

    let run = index_log(&text.concat());

    assert_eq!(run.turns.iter().map(|turn| &*turn.title).collect::<Vec<_>>(), ["Mine"]);
}

#[test]
fn the_words_of_a_person_are_the_request_whatever_an_editor_put_before_them() {
    let files = "# Files mentioned by the user:\n\n## a.png: /tmp/a.png\n\n## My request for Codex:\nFix it\n";
    let tabs =
        "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nFix it";
    let surroundings = "<environment_context>\n<cwd>/w</cwd>\n</environment_context>";
    let parts = response_line(json!({ "type": "message", "role": "user", "content": [
        { "type": "input_text", "text": surroundings }, { "type": "input_text", "text": "Fix it" },
    ] }));
    for (record, around) in [
        (user_line(files), "# Files mentioned by the user:\n\n## a.png: /tmp/a.png"),
        (message_line("user", tabs), "# Context from my IDE setup:\n\n## Active file: a.py"),
        (user_line(&format!("{surroundings}\n\nFix it")), surroundings),
        (parts, surroundings),
    ] {
        let log = log_of(&[record]);

        let run = index_log(&log);

        let [turn] = run.turns.as_slice() else { panic!("{log}") };
        assert_eq!(&*turn.title, "Fix it", "{log}");
        assert_eq!(
            CodexRollout.request_text(turn.request.unwrap().bytes_in(log.as_bytes())),
            "Fix it"
        );
        let added = turn
            .added
            .iter()
            .map(|at| CodexRollout.added_text(at.bytes_in(log.as_bytes()), at.part));
        assert_eq!(added.collect::<Vec<_>>(), [around]);
    }
}

#[test]
fn a_first_line_longer_than_the_head_is_still_understood() {
    let long = format!(
        r#"{{"timestamp":"{NOW}","type":"session_meta","payload":{{"session_id":"s","id":"kid","parent_thread_id":"thread-1","thread_source":"subagent","base_instructions":{{"text":"{}"}}}}}}"#,
        "x".repeat(100_000)
    );

    assert_eq!(format_for_head(&head_of_log("x", &long)).map(Format::name), Some("codex-rollout"));
    assert!(CodexRollout.is_companion(&head_of_log("a", &log_of(&[])), &head_of_log("b", &long)));
}

#[test]
fn broken_lines_are_warnings_with_their_place() {
    let text = format!(
        "{}{{\"nope\n[1]\n{}{{\"timestamp\":",
        log_of(&[user_line("Go")]),
        user_line("Again")
    );
    let run = index_log(&text);

    assert_eq!(run.turns.len(), 2);
    let labels: Vec<_> = run.warnings.iter().map(|w| w.place.as_str()).collect();
    assert_eq!(labels, ["rollout.jsonl:3", "rollout.jsonl:4", "rollout.jsonl:6"]);
    assert!(run.warnings[2].what.contains("cut off"), "{:?}", run.warnings);
}

#[test]
fn what_holds_no_record_at_all_is_not_understood() {
    for bytes in ["", "\n\n", "hello\nworld\n", "{}\n"] {
        let found = CodexRollout.index_run(&[SourceBytes { name: "x", bytes: bytes.as_bytes() }]);
        assert!(found.is_err(), "{bytes:?}");
    }
}

#[test]
fn nul_bytes_broken_utf8_and_deep_json_do_no_harm() {
    let mut bytes = log_of(&[user_line("Go")]).into_bytes();
    bytes.extend(b"{\"type\":\"event_msg\",\"payload\":{\"type\":\"agent_message\",\"message\":\"a\\u0000\xff\"}}\n");
    bytes.extend(
        format!(
            "{{\"type\":\"x\",\"payload\":{{\"y\":{}{}}}}}\n",
            "[".repeat(9999),
            "]".repeat(9999)
        )
        .bytes(),
    );
    let run = CodexRollout.index_run(&[SourceBytes { name: "x", bytes: &bytes }]).unwrap();

    assert_eq!(run.turns[0].steps.len(), 2);
    assert_eq!(run.warnings, []);
}

#[test]
fn a_short_log_reads_well() {
    let run = index_log(&log_of(&[
        record_line("turn_context", &json!({ "model": "gpt-5" })),
        user_line("Fix the bug\nplease"),
        message_line("assistant", "Looking."),
        call_line("a", "shell", json!({ "command": ["bash", "-lc", "make"] })),
        usage_line(3, 3),
        output_line("a", "Exit code: 1\nOutput:\nno"),
        custom_call_line("b", "apply_patch", PATCH),
        output_line("b", "Exit code: 0\nOutput:\nSuccess."),
        event_line(json!({ "type": "turn_aborted", "reason": "interrupted" })),
    ]));

    insta::assert_snapshot!(run_text(&run), @r"
    Fix the bug | codex 0.1.0 | gpt-5
    turn 1: Fix the bug @3  [in 30 cached 3 out 3 reasoning 0]
      message: Looking.  [in 30 cached 3 out 3 reasoning 0]
      tool shell: make -> line 7, 23 bytes exit 1
      tool apply_patch: a.py and 2 more -> line 9, 29 bytes exit 0
        M a.py +2 -1 @8.0
        A sub/b.py +1 -0 @8.1
        D /etc/c +? -? @8.2
      message (system): turn aborted: interrupted (error)
    ");
}

fn read_everything(log: &[u8]) {
    let sources = [SourceBytes { name: "a", bytes: log }, SourceBytes { name: "b", bytes: log }];
    let run = CodexRollout.index_run(&sources).ok();
    assert_eq!(read_once(&sources).0, run);
    let Some(run) = run else { return };
    let steps = run.turns.iter().flat_map(|turn| &turn.steps);
    for step in steps.chain(run.subagents.iter().flat_map(|agent| &agent.steps)) {
        let _ = CodexRollout.step_text(step.place.bytes_in(log), step);
        if let Some(result) = step.tool_result() {
            let _ = CodexRollout.result_text(result.place.bytes_in(log), result);
        }
        for edit in &step.edits {
            let _ = CodexRollout.recorded_edit(edit.place.bytes_in(log), edit);
        }
    }
    for turn in &run.turns {
        let _ = turn.request.map(|place| CodexRollout.request_text(place.bytes_in(log)));
    }
    for turn in 0..run.turns.len() {
        let _ = run.steps_of_turn(turn);
    }
}

fn valid_log() -> String {
    let spawn = call_line("s", "spawn_agent", json!({ "message": "help" }));
    [
        child_meta_line("thread-1", &json!({ "subagent_history_start_ordinal": 0 })),
        user_line("Go"),
        event_line(json!({ "type": "agent_reasoning", "text": "a" })),
        response_line(json!({ "type": "reasoning", "summary": [{ "type": "summary_text", "text": "a" }] })),
        custom_call_line("c", "apply_patch", PATCH),
        event_line(json!({ "type": "patch_apply_end", "call_id": "c", "success": true, "changes": { "/w/a": { "type": "update", "unified_diff": "@@ -1 +1 @@\n-x\n+y\n" } } })),
        output_line("c", "Exit code: 0"),
        custom_call_line("x", "exec", "text(await tools.exec_command({cmd: \"ls\"}))"),
        item_line(json!({ "type": "CommandExecution", "id": "exec-1", "command": ["ls"], "aggregated_output": "a", "exit_code": 0 })),
        spawn,
        output_line("s", "{\"agent_id\":\"thread-1\"}"),
        usage_line(3, 3),
        record_line("compacted", &json!({ "message": "So far" })),
        event_line(json!({ "type": "task_started", "turn_id": "t" })),
        item_line(json!({ "type": "UserMessage", "content": [{ "type": "text", "text": "More" }] })),
    ]
    .concat()
}

proptest! {
    #[test]
    fn whatever_the_bytes_every_reading_returns(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        read_everything(&bytes);
    }

    #[test]
    fn whatever_becomes_of_a_log_every_reading_returns(
        changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>(), 0usize..3), 1..12),
        swaps in proptest::collection::vec((any::<proptest::sample::Index>(), any::<proptest::sample::Index>()), 0..6),
    ) {
        let log = valid_log();
        let mut lines: Vec<&str> = log.split_inclusive('\n').collect();
        for (a, b) in swaps {
            let (a, b) = (a.index(lines.len()), b.index(lines.len()));
            lines.swap(a, b);
        }
        let mut bytes = lines.concat().into_bytes();
        read_everything(&bytes);
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

#[test]
fn a_line_stays_small_so_that_a_big_log_does() {
    assert!(size_of::<super::super::record::RolloutLine>() <= 152);
}

#[test]
fn another_tools_items_of_the_responses_api_are_not_a_rollout() {
    let grok = [
        json!({ "type": "system", "content": "You are Grok." }),
        json!({ "type": "user", "content": [{ "type": "text", "text": "Go" }] }),
        json!({ "type": "reasoning", "id": "rs", "summary": [{ "type": "summary_text", "text": "Hm" }] }),
        json!({ "type": "assistant", "content": "Done", "model_id": "grok" }),
    ];
    let grok = grok.iter().map(|line| format!("{line}\n")).collect::<String>();

    let claimed = format_for_head(&head_of_log("chat_history.jsonl", &grok));
    assert_eq!(claimed.map(crate::Format::name), Some("grok"));
}

#[test]
fn a_rollout_most_of_whose_records_are_unknown_says_so_with_their_share() {
    let run = index_log(
        &[meta_line("t"), record_line("new_a", &json!({})), record_line("new_b", &json!({}))]
            .concat(),
    );

    let labels: Vec<_> = run.warnings.iter().map(|it| it.what.as_str()).collect();
    assert_eq!(
        labels,
        [
            "2 of 3 records (67 %) are of no kind known from codex-rollout: new_a, new_b; another tool may have written this log"
        ]
    );
}
