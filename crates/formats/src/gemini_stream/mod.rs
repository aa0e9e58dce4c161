//! Reads the output of `gemini --output-format stream-json`, as benchmarks keep it: an event per line, tokens only at the
//! end.

use std::borrow::Cow;

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, chat, head_json,
    json_object::JsonObject,
    records::{CallAnswer, LogRecord, RecordEvent, RecordFormat, arguments},
    tape::TapeValue,
};
use trajview_run::{Role, Tokens};

pub struct GeminiStream;

impl RecordFormat for GeminiStream {
    fn name(&self) -> &'static str {
        "gemini-stream-json"
    }

    fn short_description(&self) -> &'static str {
        "Gemini CLI's output of gemini --output-format stream-json"
    }

    fn sample_path(&self) -> &'static str {
        "logs/gemini-stream.jsonl"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Lines, RecordedEdits::Text)
            .with_tokens()
            .with_times()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        head_json::any_object(head, &["\"type\""], |object| match object.text("type").as_deref() {
            Some("init") => {
                object.has_field("model")
                    && !object.has_field("claude_code_version")
                    && !object.has_field("tools")
            }
            Some("message") => {
                object.text("role").is_some()
                    && object.has_field("content")
                    && object.has_field("delta")
            }
            Some("tool_use") => object.has_field("tool_name") && object.has_field("parameters"),
            Some("tool_result") => object.has_field("tool_id") && object.has_field("status"),
            _ => false,
        })
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        let mut made =
            LogRecord { time: chat::first_time(&fields, &["timestamp"]), ..LogRecord::default() };
        made.facts.agent = Some(Cow::Borrowed("gemini"));
        let kind = fields.text("type").unwrap_or_default();
        match &*kind {
            "init" => {
                made.facts.id = fields.text("session_id");
                made.facts.model = fields.text("model");
            }
            "message" => add_message(&mut made, &fields),
            "tool_use" => {
                let name = fields.first_text(&["tool_name", "name"]).unwrap_or_default();
                let arguments = fields.get("parameters").or_else(|| fields.get("input"));
                made.push_event(RecordEvent::Call(arguments::call_from_arguments(
                    name,
                    fields.first_text(&["tool_id", "id"]),
                    arguments,
                )));
            }
            "tool_result" => made.push_event(RecordEvent::Answer(read_answer(&fields))),
            "error" => {
                made.push_event(RecordEvent::Failed(message_text(&fields, &["message", "error"])))
            }
            "result" => {
                let stats = fields.object("stats").unwrap_or_default();
                made.tokens = Tokens {
                    input: stats.number("input_tokens"),
                    cached_input: stats.number("cached"),
                    output: stats.number("output_tokens"),
                    ..Tokens::default()
                };
                if fields.text("status").as_deref() == Some("error") {
                    made.push_event(RecordEvent::Failed(message_text(&fields, &["error"])));
                }
            }
            _ => made.push_event(RecordEvent::unknown_kind(kind, "record without a type")),
        }
        made
    }
}

fn message_text<'t>(fields: &JsonObject<'t>, keys: &[&str]) -> Cow<'t, str> {
    let value = keys.iter().find_map(|key| fields.get(key));
    let inner = value.and_then(|value| JsonObject::from_value(value)?.text("message"));
    inner.or_else(|| value.map(arguments::content_text)).unwrap_or_default()
}

fn add_message<'t>(made: &mut LogRecord<'t>, fields: &JsonObject<'t>) {
    let content = fields.object("content").unwrap_or_default();
    if let Some(call) = content.object("tool_use") {
        return made.push_event(RecordEvent::Call(chat::read_call(&call)));
    }
    if let Some(result) = content.object("tool_result") {
        return made.push_event(RecordEvent::Answer(chat::read_answer(&result)));
    }
    let text = arguments::content_field_text(fields, "content");
    match fields.text("role").as_deref() {
        Some("user") => made.push_event(RecordEvent::Request(text)),
        _ => made.push_text(|text| RecordEvent::Message(Role::Assistant, text), text),
    }
}

fn read_answer<'t>(fields: &JsonObject<'t>) -> CallAnswer<'t> {
    let status = fields.text("status").unwrap_or_default();
    let text = message_text(fields, &["output", "content", "error"]);
    CallAnswer {
        call: fields.first_text(&["tool_id", "tool_use_id"]).unwrap_or_default(),
        is_error: status == "error",
        is_ok: status == "success",
        exit_code: chat::exit_code_in(&text),
        text,
        ..CallAnswer::default()
    }
}
