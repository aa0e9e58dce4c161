//! Qwen Code's sessions: `~/.qwen/projects/**/chats/*.jsonl`, the envelope of Claude Code around the parts of Gemini.

use std::borrow::Cow;

use super::{
    EditsTold, Head, Offers, Shape, chat, gemini,
    object::Object,
    peek,
    records::{Entry, Event, Record, Records, arguments, order},
    tape::Value,
};
use trajview_run::Role;

#[derive(Debug, Clone, Copy)]
pub struct Qwen;

impl Records for Qwen {
    fn name(&self) -> &'static str {
        "qwen-code"
    }

    fn about(&self) -> &'static str {
        "Qwen Code session, ~/.qwen/projects/**/chats/*.jsonl"
    }

    fn sample(&self) -> &'static str {
        "logs/qwen-code.jsonl"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Lines, EditsTold::Text).tokens().times()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        peek::any(head, &["\"sessionId\"", "\"parts\""], |object| {
            let message = object.object("message").unwrap_or_default();
            object.has("uuid")
                && message.has("role")
                && message.get("parts").is_some_and(Value::is_list)
        })
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        let mut made = event(&fields);
        made.time = chat::time_of(&fields, &["timestamp"]);
        made.id = fields.text("uuid");
        // What the program notes beside the conversation follows what was written before it, but where it goes back.
        let is_note = fields.text("type").as_deref() == Some("system")
            && fields.text("subtype").as_deref() != Some("rewind");
        made.parent = order::parent_in(&fields, "parentUuid").filter(|_| !is_note);
        made.facts.agent = Some(Cow::Borrowed("qwen-code"));
        made.facts.id = fields.text("sessionId");
        made.facts.root = fields.text("cwd");
        made.facts.version = fields.text("version");
        made.facts.model = fields.text("model");
        made
    }

    fn order(&self, entries: &mut Vec<Entry>) {
        order::live_branch(entries);
    }
}

fn event<'t>(fields: &Object<'t>) -> Record<'t> {
    let mut made = Record::default();
    let message = fields.object("message").unwrap_or_default();
    let parts = message.get("parts");
    let kind = fields.text("type").unwrap_or_default();
    match &*kind {
        "user" if fields.text("subtype").as_deref() == Some("mid_turn_user_message") => {
            gemini::parts(&mut made, parts, |text| Event::Said(Role::User, text))
        }
        "user" if fields.has("subtype") => {
            gemini::parts(&mut made, parts, |text| Event::Said(Role::System, text))
        }
        "user" => {
            match fields.object("systemPayload").and_then(|payload| payload.text("displayText")) {
                // What hooks added stands in further parts.
                Some(typed) => made.says(Event::Request(typed)),
                None => gemini::parts(&mut made, parts, Event::Request),
            }
        }
        "assistant" => {
            gemini::parts(&mut made, parts, |text| Event::Said(Role::Assistant, text));
            if let Some(usage) = fields.object("usageMetadata") {
                made.tokens = gemini::Usage {
                    prompt: usage.number("promptTokenCount"),
                    cached: usage.number("cachedContentTokenCount"),
                    candidates: usage.number("candidatesTokenCount"),
                    thoughts: usage.number("thoughtsTokenCount"),
                    tool: usage.number("toolUsePromptTokenCount"),
                    total: usage.number("totalTokenCount"),
                }
                .tokens();
            }
        }
        "tool_result" => {
            gemini::parts(&mut made, parts, |text| Event::Said(Role::System, text));
            let result = fields.object("toolCallResult").unwrap_or_default();
            for event in &mut made.events {
                if let Event::Answered(answer) = event {
                    let status = result.text("status").unwrap_or_default();
                    answer.is_error |= matches!(&*status, "error" | "cancelled");
                    answer.is_ok = status == "success";
                    answer.edits = result
                        .object("resultDisplay")
                        .and_then(|shown| chat::whole_file(&shown))
                        .into_iter()
                        .collect();
                }
            }
        }
        "system" => match &*fields.text("subtype").unwrap_or_default() {
            "chat_compression" => made.says(Event::Compacted(summary(fields))),
            "ui_telemetry"
            | "slash_command"
            | "at_command"
            | "session_title"
            | "file_history_snapshot"
            | "notification"
            | "rewind"
            | "custom_title"
            | "parent_session"
            | "session_source"
            | "session_model"
            | "session_approval_mode"
            | "attribution_snapshot"
            | "turn_result" => {}
            "" => made.says_words(
                |text| Event::Said(Role::System, text),
                arguments::words_of(fields, "content"),
            ),
            other => made.says(Event::Unknown(Cow::Owned(format!("system/{other}")))),
        },
        _ => made.says(Event::unknown(kind, "record without a type")),
    }
    made
}

/// What a history that was compressed became: the first of the messages that stand in its place.
fn summary<'t>(fields: &Object<'t>) -> Cow<'t, str> {
    let payload = fields.object("systemPayload").unwrap_or_default();
    let first = payload.array("compressedHistory").into_iter().find_map(Object::of);
    let mut made = Record::default();
    let parts = first.and_then(|message| message.get("parts"));
    gemini::parts(&mut made, parts, Event::Compacted);
    let text = made.events.into_iter().find_map(|event| match event {
        Event::Compacted(text) => Some(text),
        _ => None,
    });
    text.unwrap_or(Cow::Borrowed("the context was summarised"))
}
