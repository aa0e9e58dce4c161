//! Grok's sessions: `chat_history.jsonl`, a message a line without times, and `summary.json` beside it.

use std::{borrow::Cow, collections::HashSet};

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, chat,
    companion_files::BelongsTo,
    head_json,
    json_object::JsonObject,
    records::{CallAnswer, LogRecord, RecordEvent, RecordFormat, RecordedCall, arguments},
    tape::TapeValue,
};
use trajview_run::Role;

pub struct Grok;

impl RecordFormat for Grok {
    fn name(&self) -> &'static str {
        "grok"
    }

    fn short_description(&self) -> &'static str {
        "Grok session, chat_history.jsonl with summary.json; without times of steps"
    }

    fn sample_path(&self) -> &'static str {
        "logs/grok/chat_history.jsonl"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Lines, RecordedEdits::Text)
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let is_record = |object: &JsonObject<'_>| match object.text("type").as_deref() {
            Some("user") => {
                object.has_field("prompt_index") || object.has_field("synthetic_reason")
            }
            Some("assistant") => object.has_field("model_id"),
            Some("backend_tool_call") => object.has_field("kind"),
            _ => false,
        };
        head_json::any_object(head, &["\"type\""], is_record)
    }

    fn belongs_to(&self, other: &FileHead<'_>) -> BelongsTo {
        let is_summary = other.name == "summary.json"
            && head_json::any_object(other, &["\"session_summary\""], |object| {
                object.has_field("info")
            });
        if is_summary {
            BelongsTo::Named(vec!["chat_history.jsonl".to_owned()])
        } else {
            BelongsTo::Itself
        }
    }

    fn names_in_parts(&self, main: &FileHead<'_>) -> HashSet<String> {
        HashSet::from([main.name.to_owned()])
    }

    fn read_header<'t>(&self, document: TapeValue<'t>) -> LogRecord<'t> {
        let mut record = LogRecord::default();
        let fields = JsonObject::from_value(document).unwrap_or_default();
        record.facts.agent = Some(Cow::Borrowed("grok"));
        let Some(info) = fields.object("info") else { return record };
        record.facts.id = info.text("id");
        record.facts.root = info.text("cwd");
        record.facts.title = fields.first_text(&["generated_title", "session_summary"]);
        record.facts.model = fields.text("current_model_id");
        record.time = chat::first_time(&fields, &["created_at"]);
        record
    }

    fn records_in<'t>(&self, value: TapeValue<'t>) -> Vec<TapeValue<'t>> {
        let is_summary = JsonObject::from_value(value)
            .is_some_and(|fields| fields.has_field("info") && !fields.has_field("type"));
        if is_summary { vec![] } else { vec![value] }
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        let mut made = LogRecord::default();
        let content = arguments::content_field_text(&fields, "content");
        let kind = fields.text("type").unwrap_or_default();
        match &*kind {
            "system" => made.push_event(RecordEvent::Message(Role::System, content)),
            "user" if fields.has_field("synthetic_reason") => {
                made.push_event(RecordEvent::Message(Role::System, content))
            }
            "user" => made.push_event(RecordEvent::Request(content)),
            "reasoning" => made
                .push_text(RecordEvent::Thought, arguments::content_field_text(&fields, "summary")),
            "assistant" => {
                made.facts.model = fields.text("model_id");
                made.push_text(|text| RecordEvent::Message(Role::Assistant, text), content);
                for call in
                    fields.elements_of("tool_calls").into_iter().filter_map(JsonObject::from_value)
                {
                    made.push_event(RecordEvent::Call(chat::read_call(&call)));
                }
            }
            "tool_result" => made.push_event(RecordEvent::Answer(CallAnswer {
                call: fields.text("tool_call_id").unwrap_or_default(),
                exit_code: chat::exit_code_in(&content),
                text: content,
                ..CallAnswer::default()
            })),
            "backend_tool_call" => {
                let kind = fields.object("kind").unwrap_or_default();
                let action = kind.get("action").or_else(|| fields.get("kind"));
                let call = arguments::call_from_arguments(
                    kind.text("tool_type").unwrap_or_default(),
                    kind.text("id"),
                    action,
                );
                made.push_event(RecordEvent::Call(RecordedCall {
                    answer: Some(CallAnswer::default()),
                    ..call
                }));
            }
            _ => made.push_event(RecordEvent::unknown_kind(kind, "record without a type")),
        }
        made
    }
}
