//! Qwen Code's sessions: `~/.qwen/projects/**/chats/*.jsonl`, the envelope of Claude Code around the parts of Gemini.

use std::borrow::Cow;

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, chat, gemini, head_json,
    json_object::JsonObject,
    records::{LogRecord, RecordEntry, RecordEvent, RecordFormat, arguments, record_order},
    tape::TapeValue,
};
use trajview_run::Role;

pub struct Qwen;

impl RecordFormat for Qwen {
    fn name(&self) -> &'static str {
        "qwen-code"
    }

    fn short_description(&self) -> &'static str {
        "Qwen Code session, ~/.qwen/projects/**/chats/*.jsonl"
    }

    fn sample_path(&self) -> &'static str {
        "logs/qwen-code.jsonl"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Lines, RecordedEdits::Text)
            .with_tokens()
            .with_times()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        head_json::any_object(head, &["\"sessionId\"", "\"parts\""], |object| {
            let message = object.object("message").unwrap_or_default();
            object.has_field("uuid")
                && message.has_field("role")
                && message.get("parts").is_some_and(TapeValue::is_list)
        })
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        let mut made = event_record(&fields);
        made.time = chat::first_time(&fields, &["timestamp"]);
        made.id = fields.text("uuid");
        // What the program notes beside the conversation follows what was written before it, but where it goes back.
        let is_note = fields.text("type").as_deref() == Some("system")
            && fields.text("subtype").as_deref() != Some("rewind");
        made.parent = record_order::parent_in(&fields, "parentUuid").filter(|_| !is_note);
        made.facts.agent = Some(Cow::Borrowed("qwen-code"));
        made.facts.id = fields.text("sessionId");
        made.facts.root = fields.text("cwd");
        made.facts.version = fields.text("version");
        made.facts.model = fields.text("model");
        made
    }

    fn order_entries(&self, entries: &mut Vec<RecordEntry>) {
        record_order::live_branch(entries);
    }
}

fn event_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    let mut made = LogRecord::default();
    let message = fields.object("message").unwrap_or_default();
    let parts = message.get("parts");
    let kind = fields.text("type").unwrap_or_default();
    match &*kind {
        "user" if fields.text("subtype").as_deref() == Some("mid_turn_user_message") => {
            gemini::add_parts(&mut made, parts, |text| RecordEvent::Message(Role::User, text))
        }
        "user" if fields.has_field("subtype") => {
            gemini::add_parts(&mut made, parts, |text| RecordEvent::Message(Role::System, text))
        }
        "user" => {
            match fields.object("systemPayload").and_then(|payload| payload.text("displayText")) {
                // Additions of hooks are further parts.
                Some(typed) => made.push_event(RecordEvent::Request(typed)),
                None => gemini::add_parts(&mut made, parts, RecordEvent::Request),
            }
        }
        "assistant" => {
            gemini::add_parts(&mut made, parts, |text| RecordEvent::Message(Role::Assistant, text));
            if let Some(usage) = fields.object("usageMetadata") {
                made.tokens = gemini::GeminiUsage {
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
            gemini::add_parts(&mut made, parts, |text| RecordEvent::Message(Role::System, text));
            let result = fields.object("toolCallResult").unwrap_or_default();
            for event in &mut made.events {
                if let RecordEvent::Answer(answer) = event {
                    let status = result.text("status").unwrap_or_default();
                    answer.is_error |= matches!(&*status, "error" | "cancelled");
                    answer.is_ok = status == "success";
                    answer.edits = result
                        .object("resultDisplay")
                        .and_then(|shown| chat::whole_file_edit(&shown))
                        .into_iter()
                        .collect();
                }
            }
        }
        "system" => match &*fields.text("subtype").unwrap_or_default() {
            "chat_compression" => {
                made.push_event(RecordEvent::Compacted(compression_summary(fields)))
            }
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
            "" => made.push_text(
                |text| RecordEvent::Message(Role::System, text),
                arguments::content_field_text(fields, "content"),
            ),
            other => made.push_event(RecordEvent::Unknown(Cow::Owned(format!("system/{other}")))),
        },
        _ => made.push_event(RecordEvent::unknown_kind(kind, "record without a type")),
    }
    made
}

/// Returns the summary of a compressed history: the first of the messages that replaced it.
fn compression_summary<'t>(fields: &JsonObject<'t>) -> Cow<'t, str> {
    let payload = fields.object("systemPayload").unwrap_or_default();
    let first =
        payload.elements_of("compressedHistory").into_iter().find_map(JsonObject::from_value);
    let mut made = LogRecord::default();
    let parts = first.and_then(|message| message.get("parts"));
    gemini::add_parts(&mut made, parts, RecordEvent::Compacted);
    let text = made.events.into_iter().find_map(|event| match event {
        RecordEvent::Compacted(text) => Some(text),
        _ => None,
    });
    text.unwrap_or(Cow::Borrowed("the context was summarised"))
}
