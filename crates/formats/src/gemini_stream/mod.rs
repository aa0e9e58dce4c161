//! What `gemini --output-format stream-json` prints, as benchmarks keep it: an event a line, no tokens but at the end.

use std::borrow::Cow;

use super::{
    EditsTold, Head, Offers, Shape, chat,
    object::Object,
    peek,
    records::{Answer, Event, Record, Records, arguments},
    tape::Value,
};
use trajview_run::{Role, Tokens};

#[derive(Debug, Clone, Copy)]
pub struct GeminiStream;

impl Records for GeminiStream {
    fn name(&self) -> &'static str {
        "gemini-stream-json"
    }

    fn about(&self) -> &'static str {
        "Gemini CLI's output of gemini --output-format stream-json"
    }

    fn sample(&self) -> &'static str {
        "logs/gemini-stream.jsonl"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Lines, EditsTold::Text).tokens().times()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        peek::any(head, &["\"type\""], |object| match object.text("type").as_deref() {
            Some("init") => {
                object.has("model") && !object.has("claude_code_version") && !object.has("tools")
            }
            Some("message") => {
                object.text("role").is_some() && object.has("content") && object.has("delta")
            }
            Some("tool_use") => object.has("tool_name") && object.has("parameters"),
            Some("tool_result") => object.has("tool_id") && object.has("status"),
            _ => false,
        })
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        let mut made = Record { time: chat::time_of(&fields, &["timestamp"]), ..Record::default() };
        made.facts.agent = Some(Cow::Borrowed("gemini"));
        let kind = fields.text("type").unwrap_or_default();
        match &*kind {
            "init" => {
                made.facts.id = fields.text("session_id");
                made.facts.model = fields.text("model");
            }
            "message" => message(&mut made, &fields),
            "tool_use" => {
                let name = fields.text_of(&["tool_name", "name"]).unwrap_or_default();
                let arguments = fields.get("parameters").or_else(|| fields.get("input"));
                made.says(Event::Called(arguments::call(
                    name,
                    fields.text_of(&["tool_id", "id"]),
                    arguments,
                )));
            }
            "tool_result" => made.says(Event::Answered(answer(&fields))),
            "error" => made.says(Event::Failed(words(&fields, &["message", "error"]))),
            "result" => {
                let stats = fields.object("stats").unwrap_or_default();
                made.tokens = Tokens {
                    input: stats.number("input_tokens"),
                    cached_input: stats.number("cached"),
                    output: stats.number("output_tokens"),
                    ..Tokens::default()
                };
                if fields.text("status").as_deref() == Some("error") {
                    made.says(Event::Failed(words(&fields, &["error"])));
                }
            }
            _ => made.says(Event::unknown(kind, "record without a type")),
        }
        made
    }
}

fn words<'t>(fields: &Object<'t>, keys: &[&str]) -> Cow<'t, str> {
    let value = keys.iter().find_map(|key| fields.get(key));
    let inner = value.and_then(|value| Object::of(value)?.text("message"));
    inner.or_else(|| value.map(arguments::words)).unwrap_or_default()
}

fn message<'t>(made: &mut Record<'t>, fields: &Object<'t>) {
    let content = fields.object("content").unwrap_or_default();
    if let Some(call) = content.object("tool_use") {
        return made.says(Event::Called(chat::called(&call)));
    }
    if let Some(result) = content.object("tool_result") {
        return made.says(Event::Answered(chat::answer(&result)));
    }
    let text = arguments::words_of(fields, "content");
    match fields.text("role").as_deref() {
        Some("user") => made.says(Event::Request(text)),
        _ => made.says_words(|text| Event::Said(Role::Assistant, text), text),
    }
}

fn answer<'t>(fields: &Object<'t>) -> Answer<'t> {
    let status = fields.text("status").unwrap_or_default();
    let text = words(fields, &["output", "content", "error"]);
    Answer {
        call: fields.text_of(&["tool_id", "tool_use_id"]).unwrap_or_default(),
        is_error: status == "error",
        is_ok: status == "success",
        exit_code: chat::exit_code(&text),
        text,
        ..Answer::default()
    }
}
