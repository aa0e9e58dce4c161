//! Logs that are cut, mangled or hostile: whatever the bytes, reading returns.

use proptest::prelude::*;

use super::{index_all, index_log};
use crate::{
    FileHead, Format, SourceBytes, claude_session::ClaudeSession, claude_stream::ClaudeStream,
};
use trajview_run::{Run, StepId, StepKind};

/// A small valid log of both dialects at once: every reader path is near.
const VALID: &str = r#"{"type":"summary","summary":"t","leafUuid":"a2"}
{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"S","session_id":"S","cwd":"/w","version":"2.1.330","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"go"}}
{"type":"assistant","uuid":"a1","parentUuid":"u1","sessionId":"S","session_id":"S","message":{"id":"m","model":"x","content":[{"type":"thinking","thinking":"h\u00e9"},{"type":"text","text":"a\nb \ud83d"},{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"/w/a","old_string":"x","new_string":"y"}},{"type":"tool_use","id":"t2","name":"Task","input":{"prompt":"look","description":"d"}}],"usage":{"input_tokens":1,"output_tokens":2}}}
{"type":"user","uuid":"u2","sessionId":"S","session_id":"S","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]},"toolUseResult":{"filePath":"/w/a","oldString":"x","newString":"y","originalFile":"x","structuredPatch":[{"oldStart":1,"newStart":1,"lines":["-x","+y","\\ No newline"]}]}}
{"type":"user","uuid":"u3","sessionId":"S","session_id":"S","message":{"content":[{"type":"tool_result","tool_use_id":"t2","content":[{"type":"text","text":"z"},{"type":"image","source":{"data":"AA"}}]}]},"tool_use_result":{"agentId":"f","bashEditDiff":{"files":[{"filePath":"/w/b","hunks":[{"oldStart":1,"lines":["-q"]}],"deleted":true},{"filePath":"/w/c","hunks":[{"newStart":1,"lines":["+q"]}],"created":true}],"changedFiles":["/w/d"]}}}
{"type":"user","uuid":"c1","isSidechain":true,"parent_tool_use_id":"t2","agentId":"f","sessionId":"S","session_id":"S","message":{"content":"look"}}
{"type":"system","subtype":"compact_boundary","sessionId":"S","session_id":"S","compactMetadata":{"trigger":"auto","preTokens":5}}
{"type":"attachment","sessionId":"S","attachment":{"type":"edited_text_file","filename":"/w/a","snippet":"1"}}
{"type":"system","subtype":"init","session_id":"S","model":"m","claude_code_version":"2.1.330"}
{"type":"result","subtype":"error","is_error":true,"session_id":"S","total_cost_usd":1.5,"usage":{"output_tokens":3},"permission_denials":[{"tool_name":"Bash"}]}"#;

const FORMATS: [&dyn Format; 2] = [&ClaudeSession, &ClaudeStream];

/// Reads everything there is to read.
fn read_all(format: &dyn Format, bytes: &[u8]) -> Run {
    let head = FileHead { name: "x.jsonl", bytes, is_whole: true };
    let _ = (format.claims_file(&head), format.is_companion(&head, &head));
    let sources = [
        SourceBytes { name: "x.jsonl", bytes },
        SourceBytes { name: "agent-y.jsonl", bytes },
        SourceBytes { name: "agent-y.meta.json", bytes },
    ];
    let run = format.index_run(&sources).unwrap();
    for turn in 0..run.turns.len() {
        if let Some(request) = run.turns[turn].request {
            let _ = format.request_text(request.bytes_in(bytes));
        }
        let agents = (0..run.subagents.len()).map(Some);
        for subagent in std::iter::once(None).chain(agents) {
            let mut step = 0;
            while let Some(found) = run.step(StepId { turn, subagent, step }) {
                let _ = format.step_text(found.place.bytes_in(bytes), found);
                if let Some(result) = found.tool_result() {
                    let _ = format.result_text(result.place.bytes_in(bytes), result);
                }
                for edit in &found.edits {
                    let _ = format.recorded_edit(edit.place.bytes_in(bytes), edit);
                }
                step += 1;
            }
        }
    }
    run
}

proptest! {
    #[test]
    fn whatever_the_bytes_everything_returns(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for format in FORMATS {
            read_all(format, &bytes);
        }
    }

    #[test]
    fn whatever_is_done_to_a_valid_log_everything_returns(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3u8), 1..12)
    ) {
        let mut bytes = VALID.as_bytes().to_vec();
        for (at, byte, how) in changes {
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => { bytes.remove(at); }
                _ => bytes.insert(at, byte),
            }
        }
        for format in FORMATS {
            read_all(format, &bytes);
        }
    }

    #[test]
    fn whatever_value_takes_the_place_of_another_everything_returns(
        at in any::<prop::sample::Index>(),
        other in prop::sample::select(vec!["null", "[]", "{}", "0", "\"\"", "[null]", "-1e400", "true"])
    ) {
        let values: Vec<usize> = VALID.match_indices("\":").map(|(at, _)| at + 2).collect();
        let start = values[at.index(values.len())];
        let len = serde_json::Deserializer::from_str(&VALID[start..])
            .into_iter::<&serde_json::value::RawValue>()
            .next()
            .map_or(0, |value| value.unwrap().get().len());
        let bytes = format!("{}{other}{}", &VALID[..start], &VALID[start + len..]);
        for format in FORMATS {
            read_all(format, bytes.as_bytes());
        }
    }
}

#[test]
fn a_valid_log_of_both_dialects_is_read_by_both() {
    for format in FORMATS {
        let run = read_all(format, VALID.as_bytes());
        let of_main: Vec<_> =
            run.warnings.iter().filter(|warning| warning.place.starts_with("x.")).collect();
        assert!(of_main.is_empty(), "{of_main:?}");
    }
}

#[test]
fn a_bad_line_is_a_warning_with_its_place_and_the_rest_is_read() {
    let good = r#"{"type":"user","uuid":"u1","sessionId":"S","message":{"content":"go"}}"#;
    let cut = r#"{"type":"user","uuid":"u2","sessionId":"S","message":{"con"#;
    let log = format!("{good}\nnot json\n[1]\n{{\"type\":\"mode\", \0}}\n{cut}");

    let run = index_log(&ClaudeSession, &log);

    let warnings: Vec<String> =
        run.warnings.iter().map(|warning| format!("{}: {}", warning.place, warning.what)).collect();
    insta::assert_snapshot!(warnings.join("\n"), @r#"
    run.jsonl:2: not JSON: expected ident at column 2
    run.jsonl:3: expected an object, found an array
    run.jsonl:4: not JSON: key must be a string at column 17
    run.jsonl:5: the last line is cut off (EOF while parsing a string at column 58)
    "#);
    assert_eq!(run.turns.len(), 1);
}

#[test]
fn bytes_that_are_not_utf_8_are_replaced_and_told() {
    let log = b"{\"type\":\"user\",\"uuid\":\"u1\",\"sessionId\":\"S\",\"message\":{\"content\":\"caf\xe9\"}}";

    let run = index_all(&ClaudeSession, &[("x.jsonl", log)]);

    assert_eq!(&*run.turns[0].title, "caf\u{fffd}");
    assert_eq!(run.warnings.len(), 1);
}

#[test]
fn json_of_any_depth_is_read_past() {
    let deep = "[".repeat(20_000) + &"]".repeat(20_000);
    let log = format!(
        r#"{{"type":"user","uuid":"u1","sessionId":"S","message":{{"content":"go"}},"x":{deep}}}
{{"type":"assistant","uuid":"a1","sessionId":"S","message":{{"content":[{{"type":"tool_use","id":"t","name":"Odd","input":{deep}}}]}}}}"#
    );

    let run = read_all(&ClaudeSession, log.as_bytes());

    assert_eq!(&*run.turns[0].title, "go");
    assert_eq!(run.turns[0].steps[0].kind, StepKind::Tool);
}

#[test]
fn agents_that_claim_to_have_started_each_other_are_all_read() {
    let line = |uuid: &str, agent: &str, content: &str, more: &str| {
        format!(
            r#"{{"type":"{}","uuid":"{uuid}","parentUuid":"{uuid}","isSidechain":true,"agentId":"{agent}","sessionId":"S","message":{{"content":[{content}]}}{more}}}"#,
            if more.is_empty() { "assistant" } else { "user" }
        )
    };
    let call =
        |id: &str| format!(r#"{{"type":"tool_use","id":"{id}","name":"Task","input":{{}}}}"#);
    let answer =
        |id: &str| format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"x"}}"#);
    let log = [
        r#"{"type":"user","uuid":"u","sessionId":"S","message":{"content":"go"}}"#.to_owned(),
        line("1", "one", &call("t1"), ""),
        line("2", "two", &call("t2"), ""),
        line("3", "one", &answer("t1"), r#","toolUseResult":{"agentId":"two"}"#),
        line("4", "two", &answer("t2"), r#","toolUseResult":{"agentId":"one"}"#),
    ];

    let run = read_all(&ClaudeSession, log.join("\n").as_bytes());

    assert_eq!(run.subagents.len(), 2);
    let reached: Vec<_> = run.steps_of_turn(0).iter().filter_map(|id| id.subagent).collect();
    assert!(reached.contains(&0) && reached.contains(&1), "{reached:?}");
}
