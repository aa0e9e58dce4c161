//! What tools write beside a plain list of messages: branches that were left, calls that failed, summaries, pieces of what was
//! streamed, files of sub-agents, and stores of two generations.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use trajview::{
    run::{Run, StepKind},
    store,
};

use crate::common::{cli_text, run_cli};

fn write_log(folder: &Path, name: &str, lines: &[Value]) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let lines: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(&path, lines.concat()).unwrap();
    path
}

fn read_run(path: &Path) -> Run {
    Run::clone(&store::open(path).unwrap_or_else(|why| panic!("{why}")).run)
}

fn run_of(lines: &[Value]) -> Run {
    let folder = tempfile::tempdir().unwrap();
    read_run(&write_log(folder.path(), "log.jsonl", lines))
}

fn turn_titles(run: &Run) -> Vec<&str> {
    run.turns.iter().map(|turn| &*turn.title).collect()
}

fn step_labels(run: &Run, turn: usize) -> Vec<&str> {
    run.turns[turn].steps.iter().map(|step| &*step.label).collect()
}

/// Calls of tools, those of sub-agents and branches too.
fn call_count(run: &Run) -> usize {
    let steps = run.turns.iter().flat_map(|turn| &turn.steps);
    steps
        .chain(run.subagents.iter().flat_map(|agent| &agent.steps))
        .filter(|it| it.tool.is_some())
        .count()
}

/// The ways in which a record may name no parent that it follows: the key and its value, none where the key is missing.
fn bad_parents(first: &str) -> [Option<Value>; 4] {
    [None, Some(Value::Null), Some(json!("nobody")), Some(json!(first))]
}

fn with_parent(mut record: Value, key: &str, parent: Option<Value>) -> Value {
    if let Some(parent) = parent {
        record[key] = parent;
    }
    record
}

fn copilot_record(kind: &str, id: &str, data: Value) -> Value {
    json!({ "type": kind, "id": id, "timestamp": "2026-09-20T10:00:00.000Z", "data": data })
}

/// Two turns of Copilot: `e0` to `e4`.
fn copilot_turns() -> Vec<Value> {
    let events = [
        copilot_record(
            "session.start",
            "e0",
            json!({ "sessionId": "s", "context": { "cwd": "/w" } }),
        ),
        copilot_record("user.message", "e1", json!({ "content": "first" })),
        copilot_record("assistant.message", "e2", json!({ "content": "one" })),
        copilot_record("user.message", "e3", json!({ "content": "second" })),
        copilot_record("assistant.message", "e4", json!({ "content": "two" })),
    ];
    let parents = [Value::Null, json!("e0"), json!("e1"), json!("e2"), json!("e3")];
    let linked = events.into_iter().zip(parents);
    linked.map(|(event, parent)| with_parent(event, "parentId", Some(parent))).collect()
}

fn pi_record(id: &str, parent: Option<Value>, role: &str, text: &str) -> Value {
    let message = json!({ "role": role, "content": [{ "type": "text", "text": text }] });
    with_parent(json!({ "type": "message", "id": id, "message": message }), "parentId", parent)
}

fn pi_turns() -> Vec<Value> {
    vec![
        json!({ "type": "session", "version": 3, "id": "s", "cwd": "/w" }),
        json!({ "type": "model_change", "id": "a0", "parentId": null, "modelId": "m" }),
        pi_record("m1", Some(json!("a0")), "user", "first"),
        pi_record("m2", Some(json!("m1")), "assistant", "one"),
        pi_record("m3", Some(json!("m2")), "user", "second"),
        pi_record("m4", Some(json!("m3")), "assistant", "two"),
    ]
}

fn qwen_record(id: &str, parent: Option<Value>, kind: &str, text: &str) -> Value {
    let role = if kind == "user" { "user" } else { "model" };
    let message = json!({ "role": role, "parts": [{ "text": text }] });
    let record =
        json!({ "uuid": id, "sessionId": "s", "type": kind, "cwd": "/w", "message": message });
    with_parent(record, "parentUuid", parent)
}

fn qwen_turns() -> Vec<Value> {
    vec![
        qwen_record("q1", Some(Value::Null), "user", "first"),
        qwen_record("q2", Some(json!("q1")), "assistant", "one"),
        qwen_record("q3", Some(json!("q2")), "user", "second"),
        qwen_record("q4", Some(json!("q3")), "assistant", "two"),
    ]
}

#[test]
fn a_last_record_that_follows_nothing_does_not_turn_the_session_into_a_branch() {
    let mut logs = vec![];
    for parent in bad_parents("e0") {
        let end = copilot_record("session.shutdown", "e5", json!({}));
        logs.push([copilot_turns(), vec![with_parent(end, "parentId", parent)]].concat());
    }
    for parent in bad_parents("a0") {
        let end = json!({ "type": "label", "id": "l", "targetId": "m2", "label": "x" });
        logs.push([pi_turns(), vec![with_parent(end, "parentId", parent)]].concat());
    }
    for parent in bad_parents("q1") {
        let end =
            json!({ "uuid": "q5", "sessionId": "s", "type": "system", "subtype": "ui_telemetry" });
        logs.push([qwen_turns(), vec![with_parent(end, "parentUuid", parent)]].concat());
    }

    for log in logs {
        let run = run_of(&log);

        let last = &log[log.len() - 1];
        assert_eq!(turn_titles(&run), ["first", "second"], "{last}");
        assert!(run.subagents.is_empty(), "{last}");
    }
}

#[test]
fn a_request_that_names_no_parent_or_an_unknown_one_goes_on_with_the_session() {
    for parent in [None, Some(json!("nobody"))] {
        let asked = copilot_record("user.message", "e5", json!({ "content": "third" }));
        let ends = [
            [copilot_turns(), vec![with_parent(asked, "parentId", parent.clone())]].concat(),
            [pi_turns(), vec![pi_record("m5", parent.clone(), "user", "third")]].concat(),
            [qwen_turns(), vec![qwen_record("q5", parent, "user", "third")]].concat(),
        ];

        for log in ends {
            assert_eq!(turn_titles(&run_of(&log)), ["first", "second", "third"]);
        }
    }
}

#[test]
fn a_session_of_copilot_that_ends_and_is_resumed_goes_on_whatever_its_notices_name() {
    for parent in bad_parents("e0") {
        let notice = |kind: &str, id: &str| {
            with_parent(copilot_record(kind, id, json!({})), "parentId", parent.clone())
        };
        let asked = copilot_record("user.message", "e7", json!({ "content": "third" }));
        let more = vec![
            notice("session.shutdown", "e5"),
            notice("session.resume", "e6"),
            with_parent(asked, "parentId", Some(json!("e6"))),
        ];

        let run = run_of(&[copilot_turns(), more].concat());

        assert_eq!(turn_titles(&run), ["first", "second", "third"], "{parent:?}");
    }
}

#[test]
fn a_rewind_of_copilot_leaves_the_event_that_it_names_and_all_after_it() {
    for parent in bad_parents("e4") {
        let rewind = json!({ "upToEventId": "e3", "eventsRemoved": 2 });
        let rewind = copilot_record("session.snapshot_rewind", "e5", rewind);
        let asked = copilot_record("user.message", "e6", json!({ "content": "again" }));
        let more = vec![
            with_parent(rewind, "parentId", parent),
            with_parent(asked, "parentId", Some(json!("e5"))),
        ];

        let run = run_of(&[copilot_turns(), more].concat());

        assert_eq!(turn_titles(&run), ["first", "again"]);
        assert_eq!(step_labels(&run, 0), ["one", "abandoned branch: second"]);
    }
}

#[test]
fn a_session_that_begins_again_has_one_turn_and_a_branch() {
    let again = [pi_turns(), vec![pi_record("m5", Some(Value::Null), "user", "again")]].concat();

    let run = run_of(&again);

    assert_eq!(turn_titles(&run), ["again"]);
    assert_eq!(run.subagents[0].steps.len(), 4);
}

fn kimi_record(kind: &str, more: Value) -> Value {
    let mut record = json!({ "type": kind, "time": 1_789_898_400_000_u64 });
    record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    record
}

fn kimi_turn(asked: &str, answer: &str) -> Vec<Value> {
    let part = json!({ "type": "content.part", "part": { "type": "text", "text": answer } });
    vec![
        kimi_record(
            "turn.prompt",
            json!({ "input": [{ "type": "text", "text": asked }], "origin": { "kind": "user" } }),
        ),
        kimi_record("context.append_loop_event", json!({ "event": part })),
    ]
}

fn kimi_turns() -> Vec<Value> {
    let head = json!({ "type": "metadata", "protocol_version": "1.4", "created_at": 1_789_898_400_000_u64 });
    [vec![head], kimi_turn("first", "one"), kimi_turn("second", "two")].concat()
}

fn gemini_record(id: &str, kind: &str, text: &str) -> Value {
    json!({ "id": id, "timestamp": "2026-09-20T10:00:00.000Z", "type": kind, "content": text })
}

fn gemini_head(session: &str, kind: &str) -> Value {
    json!({ "sessionId": session, "projectHash": "cd", "startTime": "2026-09-20T10:00:00.000Z", "kind": kind })
}

fn gemini_turns() -> Vec<Value> {
    vec![
        gemini_head("5100-aaaa", "main"),
        gemini_record("u1", "user", "first"),
        gemini_record("g1", "gemini", "one"),
        gemini_record("u2", "user", "second"),
        gemini_record("g2", "gemini", "two"),
    ]
}

#[test]
fn a_branch_that_was_left_is_entered_at_a_step_that_is_no_call() {
    let copilot_rewind = vec![
        copilot_record("session.snapshot_rewind", "e5", json!({ "upToEventId": "e3" })),
        with_parent(
            copilot_record("user.message", "e6", json!({ "content": "again" })),
            "parentId",
            Some(json!("e5")),
        ),
    ];
    let qwen_rewind = json!({ "uuid": "q5", "parentUuid": "q2", "sessionId": "s", "type": "system", "subtype": "rewind" });
    let logs = [
        [copilot_turns(), copilot_rewind].concat(),
        [pi_turns(), vec![pi_record("m5", Some(json!("m2")), "user", "again")]].concat(),
        [qwen_turns(), vec![qwen_rewind, qwen_record("q6", Some(json!("q5")), "user", "again")]]
            .concat(),
        [gemini_turns(), vec![json!({ "$rewindTo": "u2" }), gemini_record("u3", "user", "again")]]
            .concat(),
        [
            kimi_turns(),
            vec![kimi_record("context.undo", json!({ "count": 1 }))],
            kimi_turn("again", "three"),
        ]
        .concat(),
    ];

    for log in logs {
        let run = run_of(&log);

        assert_eq!(turn_titles(&run), ["first", "again"], "{}", run.origin.format);
        let entered = run.turns[0].steps.last().unwrap();
        assert_eq!(
            (&*entered.label, entered.kind),
            ("abandoned branch: second", StepKind::SubAgent)
        );
        assert_eq!((entered.subagent, call_count(&run)), (Some(0), 0), "{}", run.origin.format);
    }
}

#[test]
fn why_a_call_failed_is_shown_and_found() {
    let denied = json!({ "toolCallId": "c", "success": false, "error": { "message": "DENIED", "code": "denied" } });
    let call = json!({ "toolCallId": "c", "toolName": "bash", "arguments": { "command": "ls" } });
    let called = json!({ "type": "tool.call", "toolCallId": "c", "name": "Bash", "args": { "command": "ls" } });
    let failed = |output: Value| {
        let result = json!({ "output": output, "isError": true, "message": "DENIED" });
        let result = json!({ "type": "tool.result", "toolCallId": "c", "result": result });
        let events = [called.clone(), result]
            .map(|event| kimi_record("context.append_loop_event", json!({ "event": event })));
        [kimi_turns(), events.to_vec()].concat()
    };
    let envelope = |kind: &str, payload: Value| json!({ "timestamp": 1_789_898_400.5, "message": { "type": kind, "payload": payload } });
    let older = vec![
        json!({ "type": "metadata", "protocol_version": "1.3" }),
        envelope("TurnBegin", json!({ "user_input": "first" })),
        envelope(
            "ToolCall",
            json!({ "id": "c", "function": { "name": "Shell", "arguments": "{\"command\":\"ls\"}" } }),
        ),
        envelope(
            "ToolResult",
            json!({ "tool_call_id": "c", "return_value": { "is_error": true, "output": "", "message": "DENIED" } }),
        ),
    ];
    let copilot_call = vec![
        copilot_record("tool.execution_start", "e5", call),
        copilot_record("tool.execution_complete", "e6", denied),
    ];
    let logs = [
        [copilot_turns(), copilot_call].concat(),
        failed(json!("")),
        failed(json!([{ "type": "text", "text": "printed before" }])),
        older,
    ];

    for log in logs {
        let folder = tempfile::tempdir().unwrap();
        let path = write_log(folder.path(), "log.jsonl", &log);

        let last = read_run(&path).turns.len().to_string();
        let shown = cli_text(&["show", path.to_str().unwrap(), "--turn", &last]);
        let found = cli_text(&["find", "DENIED", path.to_str().unwrap(), "--no-index"]);

        assert!(shown.contains("DENIED") && shown.contains('✗'), "{shown}");
        assert!(found.contains(": ") && found.contains("1 line in 1 run"), "{found}");
    }
}

#[test]
fn a_history_that_gemini_compressed_is_a_compaction_and_no_request() {
    let summary = "<state_snapshot>\n<overall_goal>GOAL</overall_goal>\n</state_snapshot>";
    let kept = [gemini_record("u2", "user", "second"), gemini_record("g2", "gemini", "two")];
    let put = [
        gemini_record("s1", "user", summary),
        gemini_record("s2", "gemini", "Got it. Thanks for the additional context!"),
    ];
    let messages = [put, kept].concat();
    let set = json!({ "$set": { "messages": messages } });

    let run = run_of(&[gemini_turns(), vec![set, gemini_record("u3", "user", "third")]].concat());

    assert_eq!(turn_titles(&run), ["first", "second", "third"]);
    let kinds: Vec<StepKind> = run.turns[1].steps.iter().map(|step| step.kind).collect();
    assert_eq!(kinds, [StepKind::Message, StepKind::Compaction, StepKind::Message]);
}

fn goose_database(path: &Path, messages: &[Value]) {
    let base = rusqlite::Connection::open(path).unwrap();
    base.execute_batch(
        "create table sessions (id text primary key, working_dir text, created_at text);
         create table messages (id integer primary key, message_id text, session_id text, role text, content_json text, created_timestamp integer);
         insert into sessions values ('s', '/w', '2026-09-20 10:00:00');",
    )
    .unwrap();
    for message in messages {
        base.execute(
            "insert into messages (message_id, session_id, role, content_json, created_timestamp) values (?1, 's', ?2, ?3, 1789898400)",
            (message["id"].as_str(), message["role"].as_str(), message["content"].to_string()),
        )
        .unwrap();
    }
}

#[test]
fn pieces_that_goose_wrote_while_they_were_streamed_are_one_step() {
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    let thinking = |text: &str| json!([{ "type": "thinking", "thinking": text, "signature": "" }]);
    let message = |id: &str, role: &str, content: Value| json!({ "id": id, "role": role, "content": content });
    let call = json!({ "status": "success", "value": { "name": "shell", "arguments": { "command": "ls" } } });
    let result = json!({ "status": "success", "value": [{ "type": "text", "text": "a" }] });
    let two_texts =
        json!([{ "type": "text", "text": "ask" }, { "type": "text", "text": "attached" }]);
    let messages = vec![
        message("u", "user", two_texts),
        message("a", "assistant", thinking("I th")),
        message("a", "assistant", thinking("ink")),
        message("a", "assistant", text("I s")),
        message("a", "assistant", text("ay")),
        message("a", "assistant", json!([{ "type": "toolRequest", "id": "c", "toolCall": call }])),
        message("r", "user", json!([{ "type": "toolResponse", "id": "c", "toolResult": result }])),
        message("b", "assistant", text("en")),
        message("b", "assistant", text("d")),
    ];
    let nameless: Vec<Value> =
        messages.iter().map(|it| json!({ "role": it["role"], "content": it["content"] })).collect();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    goose_database(&at("ids.db"), &messages);
    goose_database(&at("nameless.db"), &nameless);
    let export =
        json!({ "id": "s", "working_dir": "/w", "message_count": 9, "conversation": messages });
    fs::write(at("export.json"), export.to_string()).unwrap();

    for path in [at("ids.db/s"), at("nameless.db/s"), at("export.json")] {
        let opened = store::open(&path).unwrap();

        assert_eq!(
            step_labels(&opened.run, 0),
            ["I think", "I say", "ls", "end"],
            "{}",
            path.display()
        );
        let shown = cli_text(&["show", path.to_str().unwrap(), "--turn", "1"]);
        assert!(shown.contains("> ask\n  > attached"), "what a person wrote is no piece: {shown}");
    }
}

#[test]
fn two_messages_of_goose_that_follow_each_other_stay_two() {
    let said = |id: &str| json!({ "id": id, "role": "assistant", "content": [{ "type": "text", "text": id }] });
    let asked =
        json!({ "id": "u", "role": "user", "content": [{ "type": "text", "text": "ask" }] });
    let folder = tempfile::tempdir().unwrap();
    goose_database(&folder.path().join("s.db"), &[asked, said("a"), said("b")]);

    assert_eq!(step_labels(&read_run(&folder.path().join("s.db/s")), 0), ["a", "b"]);
}

fn cursor_record(role: &str, part: Value) -> Value {
    json!({ "role": role, "message": { "content": [part] } })
}

#[test]
fn transcripts_of_cursors_sub_agents_are_parts_of_their_parents_run() {
    let text = |text: &str| json!({ "type": "text", "text": text });
    let ask = |prompt: &str| json!({ "type": "tool_use", "name": "Subagent", "input": { "prompt": prompt } });
    let main = [
        cursor_record("user", text("<user_query>\nmake\n</user_query>")),
        cursor_record("assistant", ask("look here")),
        cursor_record("assistant", ask("look there")),
    ];
    let agent = |asked: &str| {
        [cursor_record("user", text(asked)), cursor_record("assistant", text("seen"))]
    };

    for layout in ["aa.jsonl", "aa/aa.jsonl"] {
        let folder = tempfile::tempdir().unwrap();
        let path = write_log(folder.path(), layout, &main);
        write_log(folder.path(), "aa/subagents/first.jsonl", &agent("look there"));
        write_log(
            folder.path(),
            "aa/subagents/second.jsonl",
            &agent("<user_query>look here</user_query>"),
        );

        assert_eq!(store::runs_below(folder.path()), std::slice::from_ref(&path), "{layout}");
        let run = read_run(&path);
        let started: Vec<&str> = run.turns[0]
            .steps
            .iter()
            .filter_map(|step| Some(&*run.subagents[step.subagent?].id))
            .collect();
        assert_eq!(started, ["second", "first"], "a call starts the one that was asked the same");
        assert_eq!(run.subagents.iter().map(|agent| agent.steps.len()).sum::<usize>(), 4);
    }
}

#[test]
fn chats_of_geminis_sub_agents_are_parts_of_their_parents_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = gemini_turns();
    lines[4]["toolCalls"] = json!([{ "id": "c", "name": "look", "args": { "objective": "x" }, "status": "success", "agentId": "look-1", "resultDisplay": "seen" }]);
    let path = write_log(folder.path(), "chats/session-2026-09-20T10-00-5100aaaa.jsonl", &lines);
    let chat = |id: &str| {
        [
            gemini_head(id, "subagent"),
            gemini_record("a", "user", "do"),
            gemini_record("b", "gemini", "did"),
        ]
    };
    write_log(folder.path(), "chats/5100-aaaa/look-1.jsonl", &chat("look-1"));
    write_log(folder.path(), "chats/look-1/deeper.jsonl", &chat("deeper"));
    let lost = write_log(folder.path(), "lost/look-2.jsonl", &chat("look-2"));

    assert_eq!(store::runs_below(folder.path()), [path.clone(), lost]);
    let run = read_run(&path);
    let ids: Vec<&str> = run.subagents.iter().map(|agent| &*agent.id).collect();
    assert_eq!(ids, ["look-1", "deeper"]);
    assert_eq!(run.turns[1].steps[1].subagent, Some(0), "the call names the agent");
}

#[test]
fn a_session_of_kimi_code_is_one_run_with_its_sub_agents_its_folder_and_its_models() {
    let home = tempfile::tempdir().unwrap();
    let session = home.path().join(".kimi-code/sessions/wd_p_01/session_1");
    let set = |alias: &str| kimi_record("config.update", json!({ "modelAlias": alias }));
    let request = |alias: &str, model: &str| {
        kimi_record("llm.request", json!({ "model": model, "modelAlias": alias }))
    };
    let main = [
        kimi_turns(),
        vec![set("k3"), request("k3", "kimi-k3"), set("small"), request("small", "kimi-mini")],
    ];
    write_log(&session, "agents/main/wire.jsonl", &main.concat());
    let asked = json!({ "input": [{ "type": "text", "text": "look" }], "origin": { "kind": "system_trigger", "name": "subagent" } });
    write_log(
        &session,
        "agents/agent-0/wire.jsonl",
        &[kimi_turns()[0].clone(), kimi_record("turn.prompt", asked)],
    );
    let state = json!({ "title": "made", "workDir": "/w/p", "agents": {} });
    fs::write(session.join("state.json"), serde_json::to_vec_pretty(&state).unwrap()).unwrap();

    let runs = store::runs_below(home.path());

    let [run] = runs.as_slice() else { panic!("{runs:?}") };
    let run = read_run(run);
    assert_eq!(run.model.as_deref(), Some("kimi-k3, kimi-mini"));
    assert_eq!((run.origin.root.as_deref(), &*run.title), (Some("/w/p"), "made"));
    assert_eq!(run.subagents.iter().map(|agent| &*agent.id).collect::<Vec<_>>(), ["agent-0"]);
    assert!(run.warnings.is_empty(), "{:?}", run.warnings);
}

/// A session of each kind of table: id, parent, and its messages with their times in milliseconds.
struct OpenCode {
    base: rusqlite::Connection,
}

impl OpenCode {
    fn new(path: &Path, sessions: &[&str]) -> Self {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let base = rusqlite::Connection::open(path).unwrap();
        for table in sessions {
            base.execute_batch(&format!(
                "create table {table} (id text, parent_id text, directory text, title text, version text, time_created integer, time_updated integer)"
            ))
            .unwrap();
        }
        base.execute_batch(
            "create table message (id text, session_id text, time_created integer, data text);
             create table part (id text, message_id text, session_id text, time_created integer, data text);
             create table session_message (id text, session_id text, type text, seq integer, time_created integer, data text);",
        )
        .unwrap();
        Self { base }
    }

    fn session(&self, table: &str, id: &str, parent: Option<&str>) {
        let query = format!("insert into {table} values (?1, ?2, '/w', ?1, '2', 1, 1)");
        self.base.execute(&query, (id, parent)).unwrap();
    }

    fn first(&self, session: &str, time: i64, role: &str, text: &str) {
        let (id, part) = (format!("{session}-{time}"), json!({ "type": "text", "text": text }));
        let info = json!({ "role": role, "time": { "created": time } });
        self.base
            .execute(
                "insert into message values (?1, ?2, ?3, ?4)",
                (&id, session, time, info.to_string()),
            )
            .unwrap();
        self.base
            .execute(
                "insert into part values (?1, ?1, ?2, ?3, ?4)",
                (&id, session, time, part.to_string()),
            )
            .unwrap();
    }

    fn second(&self, session: &str, time: i64, kind: &str, data: Value) {
        self.base
            .execute(
                "insert into session_message values (?1, ?2, ?3, ?4, ?4, ?5)",
                (format!("new-{session}-{time}"), session, kind, time, data.to_string()),
            )
            .unwrap();
    }
}

fn answer_of_2(text: &str) -> Value {
    let tokens =
        json!({ "input": 10, "output": 2, "reasoning": 0, "cache": { "read": 0, "write": 0 } });
    json!({ "model": { "id": "gpt-6" }, "tokens": tokens, "content": [{ "type": "text", "text": text }] })
}

#[test]
fn sessions_of_both_generations_of_opencode_are_in_one_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("opencode.db");
    let base = OpenCode::new(&path, &["session", "session_v2"]);
    base.session("session", "old", None);
    base.first("old", 1, "user", "old request");
    base.session("session_v2", "new", None);
    base.session("session_v2", "child", Some("new"));
    base.second("new", 1, "user", json!({ "text": "new request" }));
    let failed = json!({ "status": "error", "input": { "command": "ls" }, "error": { "type": "denied", "message": "DENIED" } });
    let mut said = answer_of_2("I look");
    said["content"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "type": "tool", "id": "c", "name": "bash", "state": failed }));
    base.second("new", 2, "assistant", said);
    base.second(
        "new",
        3,
        "compaction",
        json!({ "status": "completed", "summary": "what was done" }),
    );
    base.second("new", 4, "shell", json!({ "command": "make", "output": "done", "exit": 0 }));
    base.second("child", 2, "user", json!({ "text": "look" }));

    let names: Vec<String> = store::runs_below(&path)
        .iter()
        .map(|run| run.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    let run = read_run(&path.join("new"));

    assert_eq!(names, ["new", "old"]);
    assert_eq!((turn_titles(&run), run.model.as_deref()), (vec!["new request"], Some("gpt-6")));
    assert_eq!(step_labels(&run, 0), ["I look", "ls", "what was done", "make", "child"]);
    assert_eq!((run.turns[0].tokens.input, run.turns[0].tokens.output), (Some(10), Some(2)));
    let found = cli_text(&["find", "DENIED", path.to_str().unwrap(), "--no-index"]);
    assert!(found.contains("1 line in 1 run"), "{found}");
}

#[test]
fn a_session_that_opencode_2_went_on_with_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    // Whether the messages of the first generation were copied into the table of the second.
    for is_copied in [false, true] {
        let path = folder.path().join(format!("{is_copied}.db"));
        let base = OpenCode::new(&path, &["session"]);
        base.session("session", "s", None);
        base.first("s", 1, "user", "first");
        base.first("s", 2, "assistant", "one");
        if is_copied {
            base.second("s", 1, "user", json!({ "text": "first" }));
            base.second("s", 2, "assistant", answer_of_2("one"));
        }
        base.second("s", 3, "user", json!({ "text": "second" }));
        base.second("s", 4, "assistant", answer_of_2("two"));

        let run = read_run(&path.join("s"));

        assert_eq!(turn_titles(&run), ["first", "second"], "{is_copied}");
        assert_eq!((step_labels(&run, 0), step_labels(&run, 1)), (vec!["one"], vec!["two"]));
    }
}

#[test]
fn a_database_of_opencode_and_the_files_it_was_made_from_are_one_session() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("opencode/opencode.db");
    let base = OpenCode::new(&path, &["session"]);
    base.session("session", "ses_1", None);
    base.session("session", "ses_child", Some("ses_1"));
    base.first("ses_1", 1, "user", "first");
    base.first("ses_child", 2, "user", "look");
    for id in ["ses_1", "ses_child", "ses_left"] {
        let session =
            json!({ "id": id, "projectID": "p", "directory": "/w", "time": { "created": 1 } });
        write_log(folder.path(), &format!("opencode/storage/session/p/{id}.json"), &[session]);
        let message = json!({ "id": format!("msg_{id}"), "sessionID": id, "role": "user", "time": { "created": 1 } });
        write_log(
            folder.path(),
            &format!("opencode/storage/message/{id}/msg_{id}.json"),
            &[message],
        );
        let part = json!({ "id": "prt", "messageID": format!("msg_{id}"), "sessionID": id, "type": "text", "text": "first" });
        write_log(folder.path(), &format!("opencode/storage/part/msg_{id}/prt.json"), &[part]);
    }
    let tree = folder.path().join("opencode/storage");

    let all = store::runs_below(folder.path());
    let named = store::runs_below(&tree);

    assert_eq!(all, [path.join("ses_1"), tree.join("session/p/ses_left.json")]);
    assert_eq!(named.len(), 3, "a tree that is named by itself has all that is in it");
    let found = run_cli(&["find", "first", folder.path().to_str().unwrap(), "--no-index"]);
    assert!(found.out.contains("2 lines in 2 runs"), "{}", found.out);
}
