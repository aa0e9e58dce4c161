//! Pi's sessions: `~/.pi/agent/sessions/**/*.jsonl`. Version 1 is a line of messages, from 2 on entries form a tree by
//! `parentId`, of which the branch that was gone on with last is the run.

use std::borrow::Cow;

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, chat, head_json,
    json_object::JsonObject,
    records::{LogRecord, RecordEntry, RecordEvent, RecordFormat, record_order},
    tape::TapeValue,
};
use trajview_run::Role;

pub struct Pi;

impl RecordFormat for Pi {
    fn name(&self) -> &'static str {
        "pi"
    }

    fn short_description(&self) -> &'static str {
        "Pi session (versions 1 to 3), ~/.pi/agent/sessions/**/*.jsonl"
    }

    fn sample_path(&self) -> &'static str {
        "logs/pi.jsonl"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Lines, RecordedEdits::Text)
            .with_tokens()
            .with_cost()
            .with_times()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        head_json::any_object(head, &["\"session\"", "\"cwd\""], |object| {
            object.text("type").as_deref() == Some("session")
                && object.has_field("id")
                && object.has_field("cwd")
                // A session trace of the Hub, which names its harness.
                && !object.has_field("harness")
        })
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        let kind = fields.text("type").unwrap_or_default();
        let is_session = kind == "session";
        let mut made = LogRecord::default();
        match &*kind {
            "session" => {
                made.facts.agent = Some(Cow::Borrowed("pi"));
                made.facts.id = fields.text("id");
                made.facts.root = fields.text("cwd");
                made.facts.model = fields.text("modelId");
            }
            "message" => made = message_record(&fields.object("message").unwrap_or_default()),
            "model_change" => made.facts.model = fields.text("modelId"),
            "compaction" | "branch_summary" => {
                made.push_event(RecordEvent::Compacted(fields.text("summary").unwrap_or_default()))
            }
            "custom_message" => {
                let text = super::records::arguments::content_field_text(&fields, "content");
                made.push_text(|text| RecordEvent::Message(Role::System, text), text);
            }
            "session_info" => made.facts.title = fields.text("name"),
            "thinking_level_change" | "custom" | "label" | "active_tools_change" => {}
            _ => made.push_event(RecordEvent::unknown_kind(kind, "entry without a type")),
        }
        made.time = chat::first_time(&fields, &["timestamp"]).or(made.time);
        if !is_session {
            made.id = fields.text("id");
            made.parent = record_order::parent_in(&fields, "parentId");
        }
        made
    }

    fn order_entries(&self, entries: &mut Vec<RecordEntry>) {
        record_order::live_branch(entries);
    }
}

fn message_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    let mut made = match &*fields.text("role").unwrap_or_default() {
        "bashExecution" => {
            let command = fields.text("command").unwrap_or_default();
            LogRecord::from_event(RecordEvent::Message(
                Role::User,
                format!("! {command}\n{}", fields.text("output").unwrap_or_default()).into(),
            ))
        }
        "compactionSummary" | "branchSummary" => LogRecord::from_event(RecordEvent::Compacted(
            fields.text("summary").unwrap_or_default(),
        )),
        _ => chat::message_record(fields),
    };
    made.time = chat::first_time(fields, &["timestamp"]);
    if fields.text("stopReason").as_deref() == Some("error") {
        made.push_text(RecordEvent::Failed, fields.text("errorMessage").unwrap_or_default());
    }
    if let Some(usage) = fields.object("usage") {
        made.tokens = chat::read_usage(&usage);
        made.cost_usd = usage.object("cost").and_then(|cost| cost.float("total"));
    }
    if fields.text("role").as_deref() == Some("assistant") {
        made.facts.model = fields.text("model");
    }
    made
}
