//! What is shown of a log is what happened: totals, times, branches and words in the forms in which tools write them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{cli_json, cli_text, judge_desk, run_cli};

/// A folder with one file of these lines.
fn write_log(name: &str, lines: &[Value]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let text: Vec<String> = lines.iter().map(Value::to_string).collect();
    fs::write(&path, text.join("\n") + "\n").unwrap();
    (folder, path)
}

fn run_totals(path: &Path) -> Value {
    cli_json(&["show", path.to_str().unwrap(), "--json"])["totals"].clone()
}

fn token_counts(path: &Path) -> [Option<u64>; 3] {
    let totals = run_totals(path);
    ["input", "cached_input", "output"].map(|kind| totals["tokens"][kind].as_u64())
}

/// How many lines of a log a search finds.
fn hit_count(path: &Path, words: &str) -> usize {
    let found = run_cli(&["find", words, path.to_str().unwrap(), "--no-index", "--json"]);
    found.out.lines().filter(|line| line.contains("\"text\"")).count()
}

fn atif_log(metrics: &Value) -> Value {
    json!({
        "schema_version": "ATIF-v1.7", "session_id": "s",
        "agent": { "name": "x", "version": "1", "model_name": "gpt-5.5" },
        "steps": [
            { "step_id": 1, "source": "user", "message": "one", "timestamp": "2026-09-20T10:00:00Z" },
            { "step_id": 2, "source": "agent", "message": "done", "timestamp": "2026-09-20T10:00:05Z" },
            { "step_id": 3, "source": "user", "message": "two", "timestamp": "2026-09-20T10:00:10Z" },
            { "step_id": 4, "source": "agent", "message": "done", "timestamp": "2026-09-20T10:00:15Z" },
        ],
        "final_metrics": metrics,
    })
}

#[test]
fn the_total_that_a_log_states_is_that_of_the_run_and_of_none_of_its_turns() {
    let metrics = json!({
        "total_prompt_tokens": 1000, "total_completion_tokens": 100, "total_cached_tokens": 10, "total_cost_usd": 0.5,
    });
    let (_folder, path) = write_log("trajectory.json", &[atif_log(&metrics)]);

    let shown = cli_json(&["show", path.to_str().unwrap(), "--json"]);
    let cost = cli_json(&["cost", path.to_str().unwrap(), "--json"]);
    let corpus = cli_json(&["corpus", path.to_str().unwrap(), "--json"]);

    assert_eq!(token_counts(&path), [Some(1000), Some(10), Some(100)]);
    assert_eq!(shown["totals"]["cost_usd"], 0.5);
    assert_eq!(shown["turns"][0]["tokens"]["input"], Value::Null);
    // 990 at 5, 10 at 0.5 and 100 at 30 dollars a million.
    let computed = cost["runs"][0]["computed_usd"].as_f64().unwrap();
    assert!((computed - 0.007_955).abs() < 1e-9, "{computed}");
    assert_eq!(corpus["runs"][0]["tokens"]["input"], 1000);
}

#[test]
fn a_compaction_that_names_the_sessions_which_made_its_summary_is_a_compaction() {
    let refs = json!([{ "session_id": "s-summary" }, { "session_id": "s-questions" }]);
    let document = json!({
        "schema_version": "ATIF-v1.7", "session_id": "s", "agent": { "name": "a", "version": "1" },
        "steps": [
            { "step_id": 1, "source": "user", "message": "ask" },
            {
                "step_id": 2, "source": "system", "message": "Performed context summarization",
                "extra": { "context_management": { "type": "compaction" } },
                "observation": { "results": [{ "subagent_trajectory_ref": refs }] },
            },
            { "step_id": 3, "source": "agent", "message": "one" },
        ],
    });
    let (_folder, path) = write_log("trajectory.json", &[document]);

    let turn = &cli_json(&["show", path.to_str().unwrap(), "--json"])["turns"][0];

    assert_eq!((&turn["compactions"], &turn["subagents"]), (&json!(1), &json!(0)), "{turn}");
}

#[test]
fn a_log_that_states_no_total_has_none() {
    let (_folder, path) = write_log("trajectory.json", &[atif_log(&json!({}))]);
    assert_eq!(token_counts(&path), [None, None, None]);
}

fn copilot_record(id: &str, parent: Option<&str>, kind: &str, data: Value, second: u32) -> Value {
    let at = format!("2026-09-20T10:00:{second:02}.000Z");
    json!({ "type": kind, "data": data, "id": id, "timestamp": at, "parentId": parent })
}

fn shutdown_data(input: u64, output: u64) -> Value {
    let usage = json!({ "inputTokens": input, "outputTokens": output, "cacheReadTokens": 1 });
    json!({ "modelMetrics": { "claude-opus-4.7": { "usage": usage } } })
}

fn copilot_session(parent_of_end: Option<&str>) -> Vec<Value> {
    let said = |text: &str, tokens: u64| json!({ "messageId": text, "content": text, "toolRequests": [], "outputTokens": tokens });
    vec![
        copilot_record("e0", None, "session.start", json!({ "sessionId": "s" }), 0),
        copilot_record("e1", Some("e0"), "user.message", json!({ "content": "first" }), 1),
        copilot_record("e2", Some("e1"), "assistant.message", said("one", 40), 2),
        copilot_record("e3", Some("e2"), "session.shutdown", shutdown_data(1000, 40), 3),
        copilot_record("e4", Some("e3"), "session.resume", json!({}), 4),
        copilot_record("e5", Some("e4"), "user.message", json!({ "content": "second" }), 5),
        copilot_record("e6", Some("e5"), "assistant.message", said("two", 60), 6),
        copilot_record("e7", parent_of_end, "session.shutdown", shutdown_data(2000, 60), 7),
    ]
}

#[test]
fn each_process_of_copilot_states_what_it_used() {
    let session = copilot_session(Some("e6"));
    let (_folder, path) = write_log("events.jsonl", &session);
    assert_eq!(token_counts(&path), [Some(3000), Some(2), Some(100)]);

    // The second process was killed: what it read is not known, so neither is what all read.
    let (_folder, path) = write_log("events.jsonl", &session[..7]);
    assert_eq!(token_counts(&path), [None, None, Some(100)]);
}

#[test]
fn where_the_last_record_hangs_is_not_where_the_conversation_goes_on() {
    for parent in [None, Some("e0"), Some("e2"), Some("nobody")] {
        let (_folder, path) = write_log("events.jsonl", &copilot_session(parent));
        let totals = run_totals(&path);
        let counts = ["turns", "steps", "tool_calls"].map(|key| totals[key].as_u64());
        assert_eq!(counts, [Some(2), Some(2), Some(0)], "{parent:?}");
    }
}

#[test]
fn a_branch_that_was_left_is_entered_at_a_step_and_is_no_tool_call() {
    let mut session = copilot_session(Some("e6"));
    session[5]["parentId"] = "e2".into();
    session.insert(
        5,
        copilot_record("l1", Some("e2"), "user.message", json!({ "content": "LEFT" }), 4),
    );
    let (_folder, path) = write_log("events.jsonl", &session);

    let totals = run_totals(&path);

    assert_eq!((&totals["turns"], &totals["tool_calls"]), (&json!(2), &json!(0)));
    assert!(hit_count(&path, "LEFT") > 0);
}

#[test]
fn why_a_call_failed_is_shown_and_found() {
    let request = json!({ "toolCallId": "t", "name": "bash", "arguments": { "command": "ls" } });
    let failed = json!({ "toolCallId": "t", "success": false, "error": { "message": "DENIED", "code": "denied" } });
    let (_folder, path) = write_log(
        "events.jsonl",
        &[
            copilot_record("e0", None, "session.start", json!({ "sessionId": "s" }), 0),
            copilot_record("e1", Some("e0"), "user.message", json!({ "content": "first" }), 1),
            copilot_record(
                "e2",
                Some("e1"),
                "assistant.message",
                json!({ "content": "", "toolRequests": [request] }),
                2,
            ),
            copilot_record("e3", Some("e2"), "tool.execution_complete", failed, 3),
        ],
    );
    assert_eq!(hit_count(&path, "DENIED"), 1);
}

fn qwen_records(total: Option<u64>) -> Vec<Value> {
    let record = |uuid: &str, parent: Option<&str>, kind: &str, role: &str, text: &str| {
        json!({
            "uuid": uuid, "parentUuid": parent, "sessionId": "s", "timestamp": "2026-09-20T10:00:01.000Z", "type": kind,
            "cwd": "/w", "message": { "role": role, "parts": [{ "text": text }] },
        })
    };
    let mut answer = record("a", Some("u"), "assistant", "model", "one");
    answer["usageMetadata"] = json!({
        "promptTokenCount": 2050, "candidatesTokenCount": 129, "thoughtsTokenCount": 100, "totalTokenCount": total,
    });
    vec![record("u", None, "user", "user", "first"), answer]
}

#[test]
fn the_total_of_a_response_tells_whether_thoughts_are_among_its_candidates() {
    for (total, output) in [(Some(2179), 129), (Some(2279), 229), (None, 229)] {
        let (_folder, path) = write_log("chat.jsonl", &qwen_records(total));
        assert_eq!(token_counts(&path)[2], Some(output), "{total:?}");
    }
}

#[test]
fn what_tools_of_gemini_read_is_input() {
    let header =
        json!({ "sessionId": "s", "projectHash": "p", "startTime": "2026-09-20T10:00:00.000Z" });
    let asked = json!({ "id": "u", "timestamp": "2026-09-20T10:00:01.000Z", "type": "user", "content": [{ "text": "ask" }] });
    let counts =
        json!({ "input": 100, "output": 30, "cached": 0, "thoughts": 5, "tool": 7, "total": 142 });
    let said = json!({
        "id": "g", "timestamp": "2026-09-20T10:00:02.000Z", "type": "gemini", "content": "one", "model": "gemini-3-pro", "tokens": counts,
    });
    let (_folder, path) = write_log("session-1.jsonl", &[header, asked, said]);
    assert_eq!(token_counts(&path), [Some(107), Some(0), Some(35)]);
}

#[test]
fn what_a_compression_of_gemini_leaves_is_no_request() {
    let message = |id: &str, kind: &str, text: &str| json!({ "id": id, "timestamp": "2026-09-20T10:00:01.000Z", "type": kind, "content": [{ "text": text }] });
    let snapshot = message("s", "user", "<state_snapshot>\nGOAL\n</state_snapshot>");
    let last = message("u2", "user", "second");
    let (_folder, path) = write_log(
        "session-1.jsonl",
        &[
            json!({ "sessionId": "s", "projectHash": "p" }),
            message("u1", "user", "first"),
            message("g1", "gemini", "one"),
            last.clone(),
            json!({ "$set": { "messages": [snapshot, last] } }),
            message("g2", "gemini", "two"),
        ],
    );

    let shown = cli_json(&["show", path.to_str().unwrap(), "--json"]);

    assert_eq!(shown["totals"]["turns"], 2);
    let compactions: u64 = shown["turns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["compactions"].as_u64().unwrap())
        .sum();
    assert_eq!(compactions, 1);
}

fn opencode_session(completed: Option<u64>) -> Value {
    let start = 1_789_898_400_000_u64;
    json!({
        "info": { "id": "ses_1", "projectID": "p", "directory": "/w", "title": "t", "time": { "created": start } },
        "messages": [
            { "info": { "id": "m1", "role": "user", "time": { "created": start } }, "parts": [{ "type": "text", "text": "ask" }] },
            {
                "info": { "id": "m2", "role": "assistant", "modelID": "gpt-5.5", "time": { "created": start, "completed": completed } },
                "parts": [{ "type": "text", "text": "said" }],
            },
        ],
    })
}

#[test]
fn a_run_lasts_to_the_end_of_what_was_done_and_is_of_unknown_length_without_it() {
    let (_folder, path) = write_log("export.json", &[opencode_session(Some(1_789_898_460_000))]);
    assert_eq!(run_totals(&path)["duration_s"], 60.0);

    let (_folder, path) = write_log("export.json", &[opencode_session(None)]);
    assert_eq!(run_totals(&path)["duration_s"], Value::Null);
}

#[test]
fn a_response_of_the_responses_api_is_read_with_its_calls_and_usage() {
    let answer = json!({
        "object": "response", "role": "assistant",
        "output": [
            { "type": "message", "content": [{ "type": "output_text", "text": "MINISAID" }] },
            { "type": "function_call", "name": "bash", "call_id": "c1", "arguments": "{\"command\": \"ls\"}" },
        ],
        "usage": { "input_tokens": 10, "output_tokens": 3, "input_tokens_details": { "cached_tokens": 4 } },
    });
    let (_folder, path) = write_log(
        "a.traj.json",
        &[json!({
            "info": { "model_stats": { "api_calls": 2 }, "mini_version": "2.4.6", "submission": "" },
            "messages": [
                { "role": "user", "content": "ask" },
                answer,
                { "type": "function_call_output", "call_id": "c1", "output": "PRINTED", "extra": { "returncode": 0 } },
            ],
            "trajectory_format": "mini-swe-agent-1.1",
        })],
    );

    assert_eq!(token_counts(&path), [Some(10), Some(4), Some(3)]);
    assert_eq!((hit_count(&path, "MINISAID"), hit_count(&path, "PRINTED")), (1, 1));
    assert_eq!(run_totals(&path)["tool_calls"], 1);
}

#[test]
fn a_prompt_of_swe_agent_that_is_only_with_its_first_step_is_the_request() {
    let step = json!({
        "action": "ls", "observation": "a.py", "response": "I look", "thought": "I look", "state": {},
        "query": [{ "role": "system", "content": "You are" }, { "role": "user", "content": [{ "type": "text", "text": "FIXME please" }] }],
    });
    let (_folder, path) =
        write_log("a.traj", &[json!({ "trajectory": [step], "info": { "model_stats": {} } })]);
    assert!(cli_text(&["show", path.to_str().unwrap()]).contains("FIXME please"));
}

#[test]
fn a_value_that_is_no_number_is_null_and_the_rest_of_the_log_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let row = |id: &str, score: &str| {
        format!(
            "{{\"instance_id\": \"{id}\", \"messages\": [{{\"role\": \"user\", \"content\": \"NaN {id}\"}}], \"score\": {score}}}\n"
        )
    };
    let rows = folder.path().join("rows.jsonl");
    fs::write(&rows, row("a", "NaN") + &row("b", "-Infinity") + &row("c", "1.0")).unwrap();

    let checked = run_cli(&["check", rows.to_str().unwrap()]);

    for id in ["a", "b", "c"] {
        assert!(
            checked.out.contains(&format!("rows.jsonl/{id}: messages, 1 turn")),
            "{}",
            checked.out
        );
    }
    assert!(checked.out.contains("1 value is NaN or Infinity"), "{}", checked.out);
    assert_eq!(hit_count(&rows, "NaN a"), 1);
}

/// A copy of a sample, with a change of one of its files.
fn changed_sample(sample: &str, file: &str, from: &str, to: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    judge_desk::copy_folder(Path::new(sample), &run);
    let text = fs::read_to_string(run.join(file)).unwrap();
    assert!(text.contains(from), "{file}");
    fs::write(run.join(file), text.replacen(from, to, 1)).unwrap();
    (folder, run)
}

#[test]
fn files_beside_a_recording_are_read_with_null_for_what_is_no_number() {
    let bundle = "sample-runs/codex-p12-single-shot";
    let tally = "sample-runs/slopcodebench/tally";
    for (sample, file, from, to) in [
        (bundle, "run.json", "\"venue\": null", "\"venue\": NaN"),
        (tally, "checkpoint_1/evaluation.json", "\"duration\": ", "\"other\": NaN, \"duration\": "),
        (tally, "checkpoint_1/evaluation/report.json", "{", "{\"other\": -Infinity, "),
        (tally, "checkpoint_1/diff.json", "{", "{\"other\": NaN, "),
        (tally, "checkpoint_1/inference_result.json", "{", "{\"other\": Infinity, "),
        (tally, "checkpoint_1/quality_analysis/overall_quality.json", "{", "{\"other\": NaN, "),
    ] {
        let whole = cli_json(&["show", sample, "--json"]);
        let (_folder, run) = changed_sample(sample, file, from, to);

        let mut shown = cli_json(&["show", run.to_str().unwrap(), "--json"]);

        let warnings = shown["warnings"].take().to_string();
        let is_result = !file.contains("diff") && !file.contains("report");
        assert!(warnings.contains("NaN or Infinity") || !is_result, "{file}: {warnings}");
        assert_eq!(shown["turns"], whole["turns"], "{file}");
        assert_eq!(shown["checkpoints"], whole["checkpoints"], "{file}");
    }
}

fn otel_span(attributes: &Value, events: &Value) -> Value {
    json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": [{
        "traceId": "a", "spanId": "b", "name": "chat", "startTimeUnixNano": "1789898401000000000",
        "endTimeUnixNano": "1789898403000000000", "attributes": attributes, "events": events,
    }] }] }] })
}

fn otel_attribute(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

#[test]
fn messages_of_spans_are_read_in_each_form_of_the_conventions() {
    let chat = otel_attribute("gen_ai.operation.name", "chat");
    let input = r#"[{"role": "user", "parts": [{"type": "text", "content": "OTELASK"}]}]"#;
    let output = r#"[{"role": "assistant", "parts": [{"type": "text", "content": "OTELSAID"}]}]"#;
    let lists = [
        otel_attribute("gen_ai.input.messages", input),
        otel_attribute("gen_ai.output.messages", output),
    ];
    let event = |name: &str, attributes: Value| json!({ "name": name, "attributes": attributes });
    let list_of = |first: &Value, rest: &[Value]| -> Value {
        std::iter::once(first.clone()).chain(rest.iter().cloned()).collect()
    };
    let forms = [
        otel_span(&list_of(&chat, &lists), &json!([])),
        otel_span(
            &json!([chat]),
            &json!([event("gen_ai.client.inference.operation.details", json!(lists))]),
        ),
        otel_span(
            &json!([chat]),
            &json!([
                event("gen_ai.user.message", json!([otel_attribute("content", "OTELASK")])),
                event("gen_ai.choice", json!([otel_attribute("message", "OTELSAID")])),
            ]),
        ),
        otel_span(
            &json!([
                otel_attribute("openinference.span.kind", "LLM"),
                otel_attribute("llm.input_messages.0.message.role", "user"),
                otel_attribute("llm.input_messages.0.message.content", "OTELASK"),
                otel_attribute("llm.output_messages.0.message.role", "assistant"),
                otel_attribute("llm.output_messages.0.message.content", "OTELSAID"),
            ]),
            &json!([]),
        ),
        otel_span(
            &json!([
                otel_attribute("llm.request.type", "chat"),
                otel_attribute("gen_ai.prompt.0.role", "user"),
                otel_attribute("gen_ai.prompt.0.content", "OTELASK"),
                otel_attribute("gen_ai.completion.0.role", "assistant"),
                otel_attribute("gen_ai.completion.0.content", "OTELSAID"),
            ]),
            &json!([]),
        ),
        otel_span(
            &list_of(
                &chat,
                &[otel_attribute(
                    "events",
                    r#"[{"event.name": "gen_ai.user.message", "content": "OTELASK", "role": "user"},
                        {"event.name": "gen_ai.choice", "message": {"role": "assistant", "content": "OTELSAID"}}]"#,
                )],
            ),
            &json!([]),
        ),
    ];
    for (number, form) in (1..).zip(&forms) {
        let (_folder, path) = write_log("trace.json", std::slice::from_ref(form));
        assert!(cli_text(&["show", path.to_str().unwrap()]).contains("OTELASK"), "form {number}");
        assert_eq!(hit_count(&path, "OTELSAID"), 1, "form {number}");
        assert_eq!(run_totals(&path)["duration_s"], 2.0, "form {number}");
    }
}

#[test]
fn a_span_that_is_not_understood_is_a_warning() {
    let whole =
        otel_span(&json!([otel_attribute("gen_ai.operation.name", "embeddings")]), &json!([]));
    let (_folder, path) = write_log("trace.json", &[whole]);
    let shown = cli_json(&["show", path.to_str().unwrap(), "--json"]);
    assert!(shown["warnings"].to_string().contains("span chat"), "{}", shown["warnings"]);
}

fn make_database(name: &str, statements: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    rusqlite::Connection::open(&path).unwrap().execute_batch(statements).unwrap();
    (folder, path)
}

#[test]
fn pieces_in_which_goose_stores_a_message_are_one_and_its_ledger_is_of_turns() {
    let pieces = r#"[{"type": "thinking", "thinking": "I"}, {"type": "thinking", "thinking": " think"}, {"type": "text", "text": "sa"}]"#;
    let (_folder, path) = make_database(
        "sessions.db",
        &format!(
            "create table sessions (id text, working_dir text, created_at text, accumulated_input_tokens integer, accumulated_output_tokens integer);
             create table messages (id integer primary key, message_id text, session_id text, role text, content_json text, created_timestamp integer);
             create table usage_ledger (id integer primary key, session_id text, created_timestamp integer, input_tokens integer, output_tokens integer, cost real);
             insert into sessions values ('s', '/w', '2026-09-20', 1000, 100);
             insert into messages values (1, 'u0', 's', 'user', '[{{\"type\": \"text\", \"text\": \"one\"}}]', 1789898400),
               (2, 'a0', 's', 'assistant', '{pieces}', 1789898405),
               (3, 'a0', 's', 'assistant', '[{{\"type\": \"text\", \"text\": \"id\"}}]', 1789898406),
               (4, 'u1', 's', 'user', '[{{\"type\": \"text\", \"text\": \"two\"}}]', 1789898420),
               (5, 'a1', 's', 'assistant', '[{{\"type\": \"text\", \"text\": \"done\"}}]', 1789898425);
             insert into usage_ledger values (1, 's', 1789898405, 400, 40, 0.25), (2, 's', 1789898425, 600, 60, 0.5);"
        ),
    );

    let shown = cli_json(&["show", path.to_str().unwrap(), "--json"]);

    assert_eq!(shown["totals"]["steps"], 3);
    assert_eq!(shown["turns"][0]["tokens"]["input"], 400);
    assert_eq!(shown["turns"][1]["cost_usd"], 0.5);
    assert_eq!(token_counts(&path), [Some(1000), None, Some(100)]);
    assert_eq!((hit_count(&path, "I think"), hit_count(&path, "said")), (1, 1));
}

#[test]
fn both_generations_of_the_tables_of_opencode_are_read() {
    let (_folder, path) = make_database(
        "opencode.db",
        r#"create table session (id text, parent_id text, directory text, title text, time_created integer, time_updated integer);
           create table message (id text, session_id text, time_created integer, data text);
           create table part (id text, message_id text, session_id text, time_created integer, data text);
           create table session_v2 (id text, parent_id text, directory text, title text, cost real, tokens_input integer, tokens_output integer, time_created integer, time_updated integer);
           create table session_message (id text, session_id text, type text, seq integer, time_created integer, data text);
           insert into session values ('ses_old', null, '/w', 'old', 1789898400000, 1789898410000);
           insert into message values ('m', 'ses_old', 1789898400000, '{"role": "user", "time": {"created": 1789898400000}}');
           insert into part values ('p', 'm', 'ses_old', 1789898400000, '{"type": "text", "text": "OLDREQUEST"}');
           insert into session_v2 values ('ses_new', null, '/w', 'new', 0.25, 1200, 80, 1789898500000, 1789898540000);
           insert into session_message values ('n1', 'ses_new', 'user', 1, 1789898501000, '{"text": "NEWREQUEST"}'),
             ('n2', 'ses_new', 'model-switched', 2, 1789898502000, '{}'),
             ('n3', 'ses_new', 'assistant', 3, 1789898503000, '{"model": {"id": "gpt-6"}, "content": [{"type": "text", "text": "NEWANSWER"}]}');"#,
    );

    assert_eq!(
        (
            hit_count(&path, "OLDREQUEST"),
            hit_count(&path, "NEWREQUEST"),
            hit_count(&path, "NEWANSWER")
        ),
        (1, 1, 1)
    );
    let new = path.join("ses_new");
    assert_eq!(token_counts(&new)[0], Some(1200));
    assert_eq!(run_totals(&new)["cost_usd"], 0.25);
}

#[test]
fn a_session_in_the_database_of_opencode_and_in_its_older_files_is_one() {
    let (folder, _) = make_database(
        "opencode/opencode.db",
        r#"create table session (id text, parent_id text, directory text, title text, time_created integer, time_updated integer);
           create table message (id text, session_id text, time_created integer, data text);
           create table part (id text, message_id text, session_id text, time_created integer, data text);
           insert into session values ('ses_old', null, '/w', 'old', 1, 2);
           insert into message values ('m', 'ses_old', 1, '{"role": "user", "time": {"created": 1789898400000}}');
           insert into part values ('p', 'm', 'ses_old', 1, '{"type": "text", "text": "ask"}');"#,
    );
    let storage = folder.path().join("opencode/storage/session/p1");
    fs::create_dir_all(&storage).unwrap();
    let session = json!({ "id": "ses_old", "projectID": "p1", "directory": "/w", "title": "old", "time": { "created": 1 } });
    fs::write(storage.join("ses_old.json"), session.to_string()).unwrap();

    let corpus = cli_json(&["corpus", folder.path().to_str().unwrap(), "--json"]);

    assert_eq!(corpus["runs"].as_array().unwrap().len(), 1);
}

#[test]
fn conversations_of_the_editor_of_cursor_are_runs() {
    let (_folder, path) = make_database(
        "state.vscdb",
        r#"create table cursorDiskKV (key text unique, value blob);
           insert into cursorDiskKV values
             ('composerData:c1', '{"name": "IDE", "createdAt": 1789898400000, "fullConversationHeadersOnly": [{"bubbleId": "b1", "type": 1}, {"bubbleId": "b2", "type": 2}]}'),
             ('bubbleId:c1:b1', '{"type": 1, "text": "IDEASK", "createdAt": "2026-09-20T10:00:01.000Z"}'),
             ('bubbleId:c1:b2', '{"type": 2, "text": "IDESAID", "tokenCount": {"inputTokens": 10, "outputTokens": 2}}'),
             ('composerData:empty', '{"name": "nothing was asked"}');"#,
    );

    assert_eq!(
        cli_json(&["corpus", path.to_str().unwrap(), "--json"])["runs"].as_array().unwrap().len(),
        1
    );
    assert_eq!((hit_count(&path, "IDEASK"), hit_count(&path, "IDESAID")), (1, 1));
}

#[test]
fn sub_agents_of_cursor_belong_to_the_run_that_began_them() {
    let folder = tempfile::tempdir().unwrap();
    let session = folder.path().join("projects/p/agent-transcripts/aaaa");
    fs::create_dir_all(session.join("subagents")).unwrap();
    let line = |role: &str, text: &str| {
        json!({ "role": role, "message": { "content": [{ "type": "text", "text": text }] } })
            .to_string()
            + "\n"
    };
    fs::write(
        session.join("aaaa.jsonl"),
        line("user", "make x") + &line("assistant", "I delegate"),
    )
    .unwrap();
    fs::write(
        session.join("subagents/bbbb.jsonl"),
        line("user", "look") + &line("assistant", "LOOKED"),
    )
    .unwrap();

    let corpus = cli_json(&["corpus", folder.path().to_str().unwrap(), "--json"]);

    assert_eq!(corpus["runs"].as_array().unwrap().len(), 1);
    assert_eq!(hit_count(folder.path(), "LOOKED"), 1);
}
