//! The stream.

use insta::assert_snapshot;

use super::{head_of_file, index_log, run_summary, text_with_result};
use crate::{Format, claude_stream::ClaudeStream};

fn init_record(version: &str) -> String {
    format!(
        r#"{{"type":"system","subtype":"init","cwd":"/w","session_id":"S","model":"m","permissionMode":"x","claude_code_version":"{version}"}}"#
    )
}

fn assistant_record(message: &str, block: &str, more: &str) -> String {
    format!(
        r#"{{"type":"assistant","session_id":"S","message":{{"id":"{message}","model":"m","content":[{block}],"usage":{{"output_tokens":1}}}}{more}}}"#
    )
}

fn text_block(words: &str) -> String {
    format!(r#"{{"type":"text","text":"{words}"}}"#)
}

fn result_record(cost: &str, output: u32, total_output: u32) -> String {
    format!(
        r#"{{"type":"result","subtype":"success","is_error":false,"session_id":"S","total_cost_usd":{cost},"usage":{{"input_tokens":4,"output_tokens":{output}}},"modelUsage":{{"m":{{"outputTokens":{total_output}}}}},"permission_denials":[]}}"#
    )
}

fn log_of(lines: &[String]) -> String {
    lines.join("\n") + "\n"
}

fn turn_costs(log: &str) -> Vec<Option<f64>> {
    index_log(&ClaudeStream, log).turns.iter().map(|turn| turn.cost_usd).collect()
}

#[test]
fn every_process_is_a_turn_and_its_result_tells_the_tokens() {
    let edit = r#"{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"/w/a","content":"x\n"}}"#;
    let done = r#"{"type":"user","session_id":"S","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]},"tool_use_result":{"type":"create","filePath":"/w/a","content":"x\n","structuredPatch":[]}}"#;
    let log = log_of(&[
        init_record("2.0.51"),
        assistant_record("m1", &text_block("On it."), ""),
        assistant_record("m1", edit, ""),
        done.into(),
        result_record("0.5", 30, 30),
        init_record("2.0.51"),
        assistant_record("m2", &text_block("More."), ""),
        result_record("0.25", 20, 20),
    ]);

    assert_snapshot!(run_summary(&index_log(&ClaudeStream, &log)), @r#"
    claude-code 2.0.51 m in /w: S
    turn 1: (no request) [in 4 (- cached), out 30] $0.5000
      assistant message: On it.
      assistant tool Write: a = 2 bytes
        create a +1 -0
    turn 2: (no request) [in 4 (- cached), out 20] $0.2500
      assistant message: More.
    "#);
}

#[test]
fn cost_is_of_the_process_in_old_versions_and_of_the_session_in_new_ones() {
    let two = |version: &str| {
        log_of(&[
            init_record(version),
            assistant_record("m1", &text_block("a"), ""),
            result_record("0.5", 30, 30),
            init_record(version),
            assistant_record("m2", &text_block("b"), ""),
            result_record("0.75", 20, 50),
        ])
    };

    assert_eq!(turn_costs(&two("2.1.250")), [Some(0.5), Some(0.75)]);
    assert_eq!(turn_costs(&two("2.1.330")), [Some(0.5), Some(0.25)]);
}

#[test]
fn cost_of_a_session_that_began_elsewhere_is_not_known() {
    let log = log_of(&[
        init_record("2.1.330"),
        assistant_record("m1", &text_block("a"), ""),
        result_record("8.5", 30, 4000),
        init_record("2.1.330"),
        assistant_record("m2", &text_block("b"), ""),
        result_record("8.75", 20, 4020),
    ]);

    assert_eq!(turn_costs(&log), [None, Some(0.25)]);
}

#[test]
fn a_process_that_only_compacts_belongs_to_the_turn_before() {
    let log = log_of(&[
        init_record("2.0.76"),
        assistant_record("m1", &text_block("a"), ""),
        result_record("0.5", 30, 30),
        r#"{"type":"system","subtype":"status","status":"compacting","session_id":"S"}"#.into(),
        init_record("2.0.76"),
        r#"{"type":"system","subtype":"compact_boundary","session_id":"S","compact_metadata":{"trigger":"manual","pre_tokens":8326,"post_tokens":300}}"#.into(),
        r#"{"type":"user","session_id":"S","message":{"content":"This session is being continued from a previous conversation that ran out"}}"#.into(),
        r#"{"type":"user","session_id":"S","message":{"content":"<local-command-stdout>Compacted </local-command-stdout>"},"isReplay":true}"#.into(),
        result_record("0.25", 0, 0),
    ]);

    assert_snapshot!(run_summary(&index_log(&ClaudeStream, &log)), @r#"
    claude-code 2.0.76 m in /w: S
    turn 1: (no request) [in 8 (- cached), out 30] $0.7500
      assistant message: a
      system compaction: compacted (manual), 8,326 to 300 tokens
      system message: Compacted
    "#);
}

#[test]
fn a_background_agent_is_a_second_report_within_the_turn() {
    let call = r#"{"type":"tool_use","id":"t1","name":"Agent","input":{"description":"Review","prompt":"look","subagent_type":"reviewer"}}"#;
    let launched = r#"{"type":"user","session_id":"S","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"launched"}]},"tool_use_result":{"isAsync":true,"agentId":"f00"}}"#;
    let side = r#","parent_tool_use_id":"t1","agent_id":"f00""#;
    let log = log_of(&[
        init_record("2.1.330"),
        assistant_record("m1", call, ""),
        launched.into(),
        assistant_record("m2", &text_block("Found nothing."), side),
        assistant_record("m3", &text_block("Waiting."), ""),
        r#"{"type":"system","subtype":"task_notification","session_id":"S","status":"completed","summary":"Review is done"}"#.into(),
        init_record("2.1.330"),
        assistant_record("m4", &text_block("All is well."), ""),
        result_record("0.5", 30, 40),
        result_record("0.5", 10, 40),
    ]);

    let run = index_log(&ClaudeStream, &log);

    assert_snapshot!(run_summary(&run), @r#"
    claude-code 2.1.330 m in /w: S
    turn 1: (no request) [in 8 (- cached), out 40] $0.5000
      assistant subagent Agent: Review = 8 bytes -> agent 0
      assistant message: Waiting.
      system message: Review is done
      assistant message: All is well.
    agent 0 (reviewer): Review
      assistant message: Found nothing.
    "#);
    assert_eq!(run.subagents[0].id, "f00");
}

#[test]
fn a_process_that_was_killed_is_a_turn_of_its_own() {
    let log = log_of(&[
        init_record("2.1.330"),
        assistant_record("m1", &text_block("a"), ""),
        init_record("2.1.330"),
        assistant_record("m2", &text_block("b"), ""),
        result_record("0.5", 30, 40),
    ]);

    let run = index_log(&ClaudeStream, &log);

    let steps: Vec<usize> = run.turns.iter().map(|turn| turn.steps.len()).collect();
    assert_eq!(steps, [1, 1]);
}

#[test]
fn failures_retries_and_denials_are_error_steps() {
    let refused = r#"{"type":"result","subtype":"error_max_turns","is_error":true,"session_id":"S","total_cost_usd":0,"usage":{},"permission_denials":[{"tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"rm -rf x"}}],"errors":["Reached maximum number of turns"]}"#;
    let log = log_of(&[
        init_record("2.0.51"),
        r#"{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"error_status":529,"error":"overloaded","session_id":"S"}"#.into(),
        refused.into(),
    ]);

    let run = index_log(&ClaudeStream, &log);

    assert_snapshot!(run_summary(&run), @r#"
    claude-code 2.0.51 m in /w: S
    turn 1: (no request) $0.0000
      system message ERROR: API error 529 (attempt 1 of 10): overloaded
      system message ERROR: error_max_turns
      system message ERROR: permission denied: Bash rm -rf x
    "#);
    let said: Vec<_> = run.turns[0]
        .steps
        .iter()
        .map(|step| text_with_result(&ClaudeStream, &log, step).text)
        .collect();
    assert_eq!(said[1], "Reached maximum number of turns");
    assert!(said[2].contains("rm -rf x"));
}

#[test]
fn a_prompt_that_was_printed_is_the_request() {
    let prompt = |words: &str| {
        format!(
            r#"{{"type":"user","session_id":"S","isReplay":true,"message":{{"role":"user","content":[{{"type":"text","text":"{words}"}}]}}}}"#
        )
    };
    let log = log_of(&[
        init_record("2.1.112"),
        prompt("first"),
        assistant_record("m1", &text_block("a"), ""),
        result_record("0.5", 30, 30),
        prompt("second"),
        init_record("2.1.112"),
        assistant_record("m2", &text_block("b"), ""),
        result_record("0.5", 20, 20),
    ]);

    let run = index_log(&ClaudeStream, &log);

    let titles: Vec<&str> = run.turns.iter().map(|turn| &*turn.title).collect();
    assert_eq!(titles, ["first", "second"]);
    assert_eq!(
        ClaudeStream.request_text(run.turns[1].request.unwrap().bytes_in(log.as_bytes())),
        "second"
    );
}

#[test]
fn a_stream_is_told_from_its_neighbours() {
    let claims =
        |text: &str| ClaudeStream.claims_file(&head_of_file("stdout.jsonl", text.as_bytes()));

    assert!(claims(&init_record("2.0.51")));
    assert!(claims(&format!("npm warn something\n{}", init_record("2.0.51"))));
    assert!(claims(&assistant_record("m1", &text_block("a"), r#","parent_tool_use_id":null"#)));
    assert!(!claims(
        r#"{"type":"user","sessionId":"S","session_id":"S","message":{"content":"a session"}}"#
    ));
    assert!(!claims(r#"{"type":"thread.started","thread_id":"x"}"#));
    assert!(!claims(r#"{"type":"init","session_id":"x","model":"gemini"}"#));
    let long = init_record("2.0.51")
        .replace("\"S\"", &format!("\"S\",\"tools\":\"{}\"", "x".repeat(crate::HEAD_BYTES)))
        .replacen('{', r#"{"permissionMode":"x","#, 1);
    assert!(claims(&long), "a list of tools longer than the head");
}

#[test]
fn streams_of_other_tools_in_the_same_envelope_are_not_taken_for_it() {
    let droid = r#"{"type":"system","subtype":"init","cwd":"/w","session_id":"S","tools":["Read","Execute"],"model":"m"}
{"type":"message","role":"user","id":"1","text":"go","session_id":"S"}
{"type":"tool_call","toolCallId":"c","toolName":"Execute","parameters":{"command":"ls"},"session_id":"S"}
{"type":"tool_result","toolCallId":"c","value":{"stdout":"","exitCode":0},"session_id":"S"}
{"type":"completion","finalText":"Done","session_id":"S"}"#;
    let amp = r#"{"type":"system","subtype":"init","cwd":"/w","session_id":"T-1","tools":["Bash"],"mcp_servers":[]}
{"type":"assistant","message":{"type":"message","role":"assistant","content":[{"type":"text","text":"Hi"}]},"parent_tool_use_id":null,"session_id":"T-1"}
{"type":"result","subtype":"success","duration_ms":1,"is_error":false,"num_turns":1,"result":"Hi","session_id":"T-1"}"#;
    let cursor = r#"{"type":"system","subtype":"init","apiKeySource":"login","cwd":"/w","session_id":"S","model":"m","permissionMode":"default"}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Hi"}]},"session_id":"S"}
{"type":"tool_call","subtype":"started","call_id":"c","tool_call":{"readToolCall":{"args":{"path":"a"}}},"session_id":"S"}"#;
    let qwen = r#"{"type":"system","subtype":"init","cwd":"/w","session_id":"S","tools":[],"model":"m","permissionMode":"default","qwen_code_version":"0.2.0"}
{"type":"assistant","session_id":"S","message":{"id":"1","type":"message","role":"assistant","model":"m","content":[]}}"#;

    for stream in [droid, amp, cursor, qwen] {
        let is_droid = stream == droid;
        let claimed = crate::format_for_head(&head_of_file("stream.jsonl", stream.as_bytes()));
        assert_eq!(claimed.map(Format::name), is_droid.then_some("droid"), "{stream}");
        let cut =
            format!("{stream}\n{{\"type\":\"x\",\"text\":\"{}\"}}", "x".repeat(crate::HEAD_BYTES));
        let claimed = crate::format_for_head(&head_of_file("stream.jsonl", cut.as_bytes()));
        assert_eq!(claimed.map(Format::name), is_droid.then_some("droid"), "{stream}");
    }
}

#[test]
fn what_stands_before_the_first_process_opens_no_turn_of_its_own() {
    let note = r#"{"type":"system","subtype":"hook_news","session_id":"S","content":"A hook ran"}"#;
    let unknown = r#"{"type":"brand_new","session_id":"S"}"#;
    let log = log_of(&[
        note.into(),
        unknown.into(),
        init_record("2.0.51"),
        assistant_record("m1", &text_block("On it."), ""),
        result_record("0.5", 30, 30),
    ]);

    assert_snapshot!(run_summary(&index_log(&ClaudeStream, &log)), @r#"
    claude-code 2.0.51 m in /w: S
    turn 1: (no request) [in 4 (- cached), out 30] $0.5000
      system message: A hook ran
      system unknown: brand_new
      assistant message: On it.
    "#);
}
