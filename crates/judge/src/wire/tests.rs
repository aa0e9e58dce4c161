use proptest::prelude::*;
use serde_json::json;

use super::*;
use trajview_run::judging::JudgingScale;

use crate::conversation::{CallArguments, CallOutcome, ConversationEntry, ReplyCall, ReplyUsage};

fn http_wires() -> [(JudgeKind, &'static dyn Wire); 3] {
    [JudgeKind::Chat, JudgeKind::Responses, JudgeKind::Messages]
        .map(|kind| (kind, wire_for(kind).unwrap()))
}

fn sample_settings(kind: JudgeKind) -> JudgeConfig {
    let mut settings = JudgeConfig { model: "m-1".into(), ..JudgeConfig::new("j", kind) };
    settings.reply.temperature = Some(0.0);
    settings
}

fn sample_call(id: &str) -> ReplyCall {
    ReplyCall { id: id.into(), name: "read".into(), arguments: json!({"path": "a.py"}).into() }
}

fn sample_conversation() -> Conversation {
    let replied = JudgeReply {
        text: "Let me see.".into(),
        calls: vec![sample_call("c1")],
        ..JudgeReply::default()
    };
    let outcome = CallOutcome { id: "c1".into(), text: "a.py, lines 1-1".into(), is_error: false };
    Conversation {
        system: "Judge.".into(),
        entries: vec![
            ConversationEntry::Sent("What of C01?".into()),
            ConversationEntry::Replied(replied),
            ConversationEntry::Results(vec![outcome]),
        ],
        may_call_tools: false,
        scale: JudgingScale::Levels,
        codebook: None,
        asks_confidence: false,
        wants_text: false,
    }
}

/// Returns the same reply in each protocol, in one piece and as a stream.
fn sample_reply(kind: JudgeKind) -> (Value, Vec<Value>) {
    match kind {
        JudgeKind::Chat => (
            json!({"choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
                "role": "assistant", "content": "Let mé see.", "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{\"path\": \"a.py\"}"}},
                    {"id": "c2", "type": "function", "function": {"name": "read", "arguments": "{\"path\": \"a.py\"}"}}]}}],
                "usage": {"prompt_tokens": 12, "completion_tokens": 7}}),
            vec![
                json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}),
                json!({"choices": [{"index": 0, "delta": {"content": "Let mé "}}]}),
                json!({"choices": [{"index": 0, "delta": {"content": "see."}}]}),
                json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "read", "arguments": ""}}]}}]}),
                json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": "{\"path\""}}]}}]}),
                json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": ": \"a.py\"}"}}]}}]}),
                json!({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 1, "id": "c2", "function": {"name": "read", "arguments": "{\"path\": \"a.py\"}"}}]}}]}),
                json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}),
                json!({"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 7}}),
            ],
        ),
        JudgeKind::Responses => {
            let item = |id: &str| json!({"type": "function_call", "call_id": id, "name": "read", "arguments": "{\"path\": \"a.py\"}"});
            let message = json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Let mé see."}]});
            let done = json!({"status": "completed", "output": [{"type": "reasoning"}, message, item("c1"), item("c2")],
                "usage": {"input_tokens": 12, "output_tokens": 7}});
            let pieces = vec![
                json!({"type": "response.created", "response": {"status": "in_progress"}}),
                json!({"type": "response.output_text.delta", "delta": "Let"}),
                json!({"type": "response.output_item.done", "item": message}),
                json!({"type": "response.completed", "response": done}),
            ];
            (done, pieces)
        }
        JudgeKind::Messages => (
            json!({"type": "message", "content": [
                {"type": "text", "text": "Let mé see."},
                {"type": "tool_use", "id": "c1", "name": "read", "input": {"path": "a.py"}},
                {"type": "tool_use", "id": "c2", "name": "read", "input": {"path": "a.py"}}],
                "stop_reason": "tool_use",
                "usage": {"input_tokens": 2, "cache_read_input_tokens": 10, "output_tokens": 7}}),
            vec![
                json!({"type": "message_start", "message": {"usage": {"input_tokens": 2, "cache_read_input_tokens": 10, "output_tokens": 1}}}),
                json!({"type": "ping"}),
                json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Let mé see."}}),
                json!({"type": "content_block_stop", "index": 0}),
                json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "c1", "name": "read", "input": {}}}),
                json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"path\": "}}),
                json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "\"a.py\"}"}}),
                json!({"type": "content_block_start", "index": 2, "content_block": {"type": "tool_use", "id": "c2", "name": "read", "input": {}}}),
                json!({"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": "{\"path\": \"a.py\"}"}}),
                json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 7}}),
                json!({"type": "message_stop"}),
            ],
        ),
        JudgeKind::Command => unreachable!("no server"),
    }
}

fn stream_of(pieces: &[Value]) -> String {
    let event = |piece: &Value| {
        let name = piece.get("type").and_then(Value::as_str).unwrap_or("message");
        format!("event: {name}\r\ndata: {piece}\r\n\r\n")
    };
    pieces.iter().map(event).collect()
}

fn read_split(wire: &dyn Wire, bytes: &[u8], at: usize) -> Result<JudgeReply, JudgeFault> {
    let mut incoming = IncomingReply::new(wire);
    incoming.take_bytes(&bytes[..at])?;
    incoming.take_bytes(&bytes[at..])?;
    incoming.finish()
}

#[test]
fn a_reply_is_the_same_in_every_protocol_whole_or_in_pieces_split_at_any_byte() {
    let expected = JudgeReply {
        text: "Let mé see.".into(),
        calls: vec![sample_call("c1"), sample_call("c2")],
        usage: ReplyUsage { input: Some(12), output: Some(7) },
        is_cut: false,
    };
    for (kind, wire) in http_wires() {
        let (document, pieces) = sample_reply(kind);
        let stream = stream_of(&pieces);

        assert_eq!(
            parse_body(wire, document.to_string().as_bytes()),
            Ok(expected.clone()),
            "{kind:?}"
        );
        for at in 0..=stream.len() {
            assert_eq!(
                read_split(wire, stream.as_bytes(), at),
                Ok(expected.clone()),
                "{kind:?} {at}"
            );
        }
    }
}

#[test]
fn a_stream_that_ends_early_is_a_fault_wherever_it_ends() {
    for (kind, wire) in http_wires() {
        let (_, pieces) = sample_reply(kind);
        // With chat, what follows the reason for the end is a courtesy.
        let last = pieces.len() - if kind == JudgeKind::Chat { 2 } else { 1 };
        for kept_events in 0..last {
            let stream = stream_of(&pieces[..kept_events]);
            let fault = read_split(wire, stream.as_bytes(), 0).unwrap_err();
            assert_eq!(
                fault,
                JudgeFault::BrokenOff("the stream ended in the middle".into()),
                "{kind:?} {kept_events}"
            );
            assert!(fault.may_pass());
        }
    }
}

#[test]
fn an_error_in_a_stream_or_a_body_is_told_in_the_servers_words() {
    for (kind, wire) in http_wires() {
        let error =
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "too\nbusy"}});
        let stream = stream_of(std::slice::from_ref(&error));

        assert_eq!(
            read_split(wire, stream.as_bytes(), 3),
            Err(JudgeFault::BrokenOff("too busy".into())),
            "{kind:?}"
        );
        assert_eq!(
            parse_body(wire, error.to_string().as_bytes()),
            Err(JudgeFault::BrokenOff("too busy".into()))
        );
    }
}

#[test]
fn what_is_not_the_protocol_is_garbage() {
    for (kind, wire) in http_wires() {
        for body in ["<html>busy</html>", "{}", "[]", "3", "", "\u{0}"] {
            let fault = parse_body(wire, body.as_bytes()).unwrap_err();
            assert!(matches!(fault, JudgeFault::Malformed(_)), "{kind:?} {body} {fault:?}");
        }
        let fault = read_split(wire, b"data: <html>\n\n", 4).unwrap_err();
        assert_eq!(
            fault,
            JudgeFault::Malformed("expected JSON in the stream, found <html>".into())
        );
    }
}

#[test]
fn a_status_becomes_a_fault_with_the_servers_words() {
    let body = br#"{"error": {"message": "slow down"}}"#;
    let message = || "slow down".to_owned();

    assert_eq!(
        fault_of_status(429, Some("2"), body),
        JudgeFault::RateLimited { after: Some(Duration::from_secs(2)), message: message() }
    );
    assert_eq!(
        fault_of_status(529, Some("Wed, 21 Oct 2026 07:28:00 GMT"), body),
        JudgeFault::RateLimited { after: None, message: message() }
    );
    assert_eq!(
        fault_of_status(500, None, body),
        JudgeFault::Failed { status: 500, message: message() }
    );
    assert_eq!(
        fault_of_status(401, None, body),
        JudgeFault::Refused { status: 401, message: message() }
    );
    assert_eq!(
        fault_of_status(302, None, b""),
        JudgeFault::Refused { status: 302, message: "it points elsewhere; not followed".into() }
    );
    assert_eq!(
        fault_of_status(502, None, b"<h1>Bad\r\n gateway</h1>"),
        JudgeFault::Failed { status: 502, message: "<h1>Bad gateway</h1>".into() }
    );
}

#[test]
fn a_request_carries_the_whole_conversation_and_only_the_verdict_when_no_looks_are_left() {
    for (kind, wire) in http_wires() {
        let (last, first) =
            (sample_conversation(), Conversation { may_call_tools: true, ..sample_conversation() });

        let request = |conversation| wire.request_body(&sample_settings(kind), conversation);
        let parsed = |conversation| serde_json::from_str::<Value>(&request(conversation)).unwrap();
        let mut body = parsed(&last);
        body["tools"] = json!("see below");
        let shown = serde_json::to_string_pretty(&body).unwrap();
        insta::assert_snapshot!(format!("request_{}", kind.word()), shown);
        let tools = |conversation| {
            let body = parsed(conversation);
            let name = |tool: &Value| {
                let named = tool.get("function").unwrap_or(tool);
                named["name"].as_str().unwrap_or_default().to_owned()
            };
            body["tools"].as_array().unwrap().iter().map(name).collect::<Vec<_>>()
        };
        assert_eq!(tools(&first), ["list", "read", "search", "symbols", "verdict"]);
        assert_eq!(tools(&last), ["verdict"]);
    }
}

#[test]
fn a_judge_is_to_give_its_evidence_and_its_reason_before_the_level_on_every_wire() {
    let keys = ["\"evidence\":", "\"quote\":", "\"rationale\":", "\"level\":"];
    let conversation = sample_conversation();
    let places = |text: &str| {
        let at = |key: &&str| text.find(*key).unwrap_or_else(|| panic!("{key} in {text}"));
        keys.iter().map(at).collect::<Vec<_>>()
    };
    for (kind, wire) in http_wires() {
        let body = wire.request_body(&sample_settings(kind), &conversation);
        assert!(places(&body).is_sorted(), "{body}");
        assert!(body.contains(r#""required":["evidence","rationale","level"]"#), "{body}");
    }
    assert!(places(&plain::conversation_text(&conversation)).is_sorted());
    for scale in [JudgingScale::Levels, JudgingScale::Process] {
        assert!(places(scale::built_in_prompt(scale)).is_sorted());
        assert!(places(scale::example_answer(scale)).is_sorted());
    }
}

const ORDERED_ANSWER: &str = r#"{"rationale": "seen", "evidence": [], "level": 3}"#;

/// Returns a reply of a server, in one piece, whose answer has its keys in an order of its own.
fn reply_with_ordered_answer(kind: JudgeKind) -> String {
    let quoted = Value::from(ORDERED_ANSWER);
    match kind {
        JudgeKind::Chat => format!(
            r#"{{"choices": [{{"message": {{"tool_calls": [{{"id": "c1", "function": {{"name": "verdict", "arguments": {ORDERED_ANSWER}}}}}]}}}}]}}"#
        ),
        JudgeKind::Responses => format!(
            r#"{{"output": [{{"type": "function_call", "call_id": "c1", "name": "verdict", "arguments": {quoted}}}]}}"#
        ),
        JudgeKind::Messages => format!(
            r#"{{"content": [{{"type": "text", "text": "So:"}}, {{"type": "tool_use", "id": "c1", "name": "verdict", "input": {ORDERED_ANSWER}}}]}}"#
        ),
        JudgeKind::Command => unreachable!("no server"),
    }
}

#[test]
fn an_answer_is_sent_back_with_its_keys_in_the_order_in_which_the_judge_gave_them() {
    for (kind, wire) in http_wires() {
        let reply = parse_body(wire, reply_with_ordered_answer(kind).as_bytes()).unwrap();
        let mut conversation = sample_conversation();
        conversation.entries = vec![ConversationEntry::Replied(reply)];

        let body = wire.request_body(&sample_settings(kind), &conversation);

        let quoted = Value::from(ORDERED_ANSWER).to_string();
        assert!(body.contains(ORDERED_ANSWER) || body.contains(&quoted), "{kind:?}: {body}");
    }
}

#[test]
fn a_streamed_answer_of_chat_that_is_no_text_keeps_its_order() {
    let event = format!(
        "data: {{\"choices\": [{{\"finish_reason\": \"stop\", \"delta\": {{\"tool_calls\": [{{\"index\": 0, \"function\": \
         {{\"name\": \"verdict\", \"arguments\": {ORDERED_ANSWER}}}}}]}}}}]}}\n\n"
    );
    let reply = read_split(wire_for(JudgeKind::Chat).unwrap(), event.as_bytes(), 9).unwrap();
    assert_eq!(reply.calls[0].arguments.json_text(), ORDERED_ANSWER);
}

#[test]
fn a_programs_call_and_its_answer_keep_their_order() {
    let call = r#"{"tool": "read", "arguments": {"path": "a.py", "end": 9, "start": 1}}"#;
    let result = format!(r#"{{"type": "result", "structured_output": {ORDERED_ANSWER}}}"#);

    let reply = plain::parse_output(format!("First {call} please").as_bytes()).unwrap();
    let mut conversation = sample_conversation();
    conversation.entries = vec![ConversationEntry::Replied(reply)];

    assert!(plain::conversation_text(&conversation).contains(call));
    for printed in [result.clone(), format!("[{{}}, {result}]")] {
        assert_eq!(plain::parse_output(printed.as_bytes()).unwrap().text, ORDERED_ANSWER);
    }
}

#[test]
fn arguments_that_are_no_json_are_sent_back_as_a_json_string() {
    let broken = CallArguments::parse("{\"level\": ");
    assert_eq!(broken.json_text(), r#""{\"level\":""#);
    assert_eq!(CallArguments::parse(" ").json_text(), "{}");
}

#[test]
fn a_confidence_is_requested_after_the_level_on_every_wire_and_only_where_it_is_to_be_stated() {
    let plain_conversation = sample_conversation();
    let with_confidence = Conversation { asks_confidence: true, ..sample_conversation() };
    for (kind, wire) in http_wires() {
        let body = |it: &Conversation| wire.request_body(&sample_settings(kind), it);
        let required = r#""required":["evidence","rationale","level","confidence"]"#;
        assert!(body(&with_confidence).contains(required), "{kind:?}");
        assert!(!body(&plain_conversation).contains("confidence"), "{kind:?}");
    }
    let text = plain::conversation_text(&with_confidence);
    assert!(text.contains(r#""level": 2, "confidence": 0.7}"#), "{text}");
}

#[test]
fn a_base_url_may_have_the_last_part_already() {
    let chat = wire_for(JudgeKind::Chat).unwrap();
    assert_eq!(request_address(chat, "http://h/v1/"), "http://h/v1/chat/completions");
    assert_eq!(
        request_address(chat, "http://h/v1/chat/completions"),
        "http://h/v1/chat/completions"
    );
}

#[test]
fn a_program_is_told_everything_in_words() {
    insta::assert_snapshot!(plain::conversation_text(&sample_conversation()));
}

#[test]
fn a_programs_answer_is_read_bare_or_wrapped() {
    let look = r#"{"tool": "read", "arguments": {"path": "a.py"}}"#;
    let wrapped = json!({"type": "result", "is_error": false, "result": format!("Sure:\n{look}"),
        "usage": {"input_tokens": 3, "output_tokens": 4}});
    let structured = json!([{"type": "system"},
        {"type": "result", "result": "", "structured_output": {"level": 1, "rationale": "x"}}]);
    let failed = json!({"type": "result", "is_error": true, "result": "no credit"});

    let read = |text: &str| plain::parse_output(text.as_bytes());
    assert_eq!(read(look).unwrap().calls, [ReplyCall { id: String::new(), ..sample_call("") }]);
    let reply = read(&wrapped.to_string()).unwrap();
    assert_eq!((reply.calls.len(), reply.usage.total_tokens()), (1, Some(7)));
    assert_eq!(read(&structured.to_string()).unwrap().text, r#"{"level":1,"rationale":"x"}"#);
    assert_eq!(
        read(&failed.to_string()),
        Err(JudgeFault::Program("the program reports a failure: no credit".into()))
    );
    let both = format!("{look}\n{{\"level\": 1, \"rationale\": \"x\"}}");
    assert_eq!(read(&both).unwrap().calls, []);
}

proptest! {
    #[test]
    fn whatever_the_bytes_reading_them_returns(
        bytes in prop::collection::vec(prop_oneof![
            Just(b"data: ".to_vec()), Just(b"\n\n".to_vec()), Just(b"{\"choices\":[{\"delta\":".to_vec()),
            Just(b"{\"tool_calls\":[{\"index\":9999999999}]}}]}".to_vec()), Just(b"{\"type\":".to_vec()),
            prop::collection::vec(any::<u8>(), 0..8),
        ], 0..12),
        at in any::<prop::sample::Index>(),
    ) {
        let bytes = bytes.concat();
        for (_, wire) in http_wires() {
            let split = read_split(wire, &bytes, at.index(bytes.len() + 1));
            prop_assert_eq!(split, read_split(wire, &bytes, 0));
            let _ = parse_body(wire, &bytes);
        }
        let _ = plain::parse_output(&bytes);
    }

    #[test]
    fn whatever_the_json_a_document_is_read_or_refused(
        document in prop::sample::select(vec![
            json!({"choices": [3]}), json!({"choices": [{"message": 3}]}), json!({"choices": [{"message": {"tool_calls": [3, {"function": {}}]}}]}),
            json!({"output": 3}), json!({"output": [{"type": "message", "content": [7]}]}), json!({"content": [{"type": "tool_use"}]}),
            json!({"content": null}), json!({"error": 3}), json!({"usage": []}),
        ]),
    ) {
        for (_, wire) in http_wires() {
            let _ = parse_body(wire, document.to_string().as_bytes());
            let _ = read_split(wire, stream_of(std::slice::from_ref(&document)).as_bytes(), 1);
        }
    }
}
