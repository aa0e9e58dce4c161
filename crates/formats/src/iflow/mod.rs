//! iFlow CLI's sessions: `~/.iflow/projects/<folder>/session-<id>.jsonl`. The records have the envelope of Claude Code's,
//! the results of calls and the names of tools are those of Gemini CLI, from which iFlow was made.

use std::borrow::Cow;

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, chat, head_json,
    json_object::JsonObject,
    records::{
        CallAnswer, LogRecord, RecordEntry, RecordEvent, RecordFormat, arguments, record_order,
    },
    tape::TapeValue,
};
use trajview_run::Role;

pub struct Iflow;

impl RecordFormat for Iflow {
    fn name(&self) -> &'static str {
        "iflow"
    }

    fn short_description(&self) -> &'static str {
        "iFlow CLI session, ~/.iflow/projects/*/session-*.jsonl"
    }

    fn sample_path(&self) -> &'static str {
        "logs/iflow.jsonl"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Lines, RecordedEdits::Text)
            .with_tokens()
            .with_times()
    }

    /// Claude Code names a session by its UUID alone, iFlow writes `session-` before it.
    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        head_json::any_object(head, &["\"sessionId\"", "session-", "\"parentUuid\""], |object| {
            let id = object.text("sessionId").unwrap_or_default();
            id.strip_prefix("session-").is_some_and(is_uuid)
                && object.has_field("uuid")
                && object.has_field("parentUuid")
                && object.object("message").is_some_and(|message| message.has_field("content"))
        })
    }

    fn read_header<'t>(&self, _document: TapeValue<'t>) -> LogRecord<'t> {
        let mut record = LogRecord::default();
        record.facts.agent = Some(Cow::Borrowed("iflow"));
        record
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        let kind = fields.text("type").unwrap_or_default();
        let mut made = match (&*kind, fields.object("message")) {
            ("user" | "assistant", Some(message)) => message_record(&fields, &kind, &message),
            _ => LogRecord::from_event(RecordEvent::unknown_kind(kind, "record without a type")),
        };
        made.time = chat::first_time(&fields, &["timestamp"]);
        made.facts.id = fields.text("sessionId");
        made.facts.root = fields.text("cwd");
        made.facts.version = fields.text("version");
        made.id = fields.text("uuid");
        made.parent = record_order::parent_in(&fields, "parentUuid");
        made
    }

    fn order_entries(&self, entries: &mut Vec<RecordEntry>) {
        record_order::live_branch(entries);
    }
}

fn is_uuid(text: &str) -> bool {
    let is_part = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
    text.split('-').map(str::len).eq([8, 4, 4, 4, 12]) && text.split('-').all(is_part)
}

fn message_record<'t>(
    fields: &JsonObject<'t>,
    role: &str,
    message: &JsonObject<'t>,
) -> LogRecord<'t> {
    let mut made = chat::content_record(role, message.get("content"));
    if fields.flag("isMeta") == Some(true) || fields.flag("isSidechain") == Some(true) {
        for event in &mut made.events {
            if let RecordEvent::Request(text) = event {
                *event = RecordEvent::Message(Role::System, std::mem::take(text));
            }
        }
    }
    if let Some(usage) = message.object("usage") {
        let tokens = chat::read_usage(&usage);
        // Zeros mean that nothing was counted.
        made.tokens = if tokens.recorded_sum() == Some(0) { Default::default() } else { tokens };
    }
    made.facts.model = message.text("model");
    let status = fields.object("toolUseResult").and_then(|result| result.text("status"));
    let blocks = message.elements_of("content").into_iter().filter_map(JsonObject::from_value);
    let mut results = blocks.filter(|block| block.text("type").as_deref() == Some("tool_result"));
    for event in &mut made.events {
        let RecordEvent::Answer(answer) = event else { continue };
        if let Some(block) = results.next() {
            complete_answer(answer, &block);
        }
        match status.as_deref() {
            Some("success") => answer.is_ok = !answer.is_error,
            Some("error" | "cancelled" | "canceled" | "failed") => answer.is_error = true,
            _ => {}
        }
    }
    made
}

/// Completes a result in the form of Gemini CLI: the text that the model received, and the display of the program, a
/// changed file whole.
fn complete_answer<'t>(answer: &mut CallAnswer<'t>, block: &JsonObject<'t>) {
    let Some(content) = block.object("content") else { return };
    let parts = content.get("responseParts").or_else(|| content.as_value());
    let first = parts.and_then(|it| if it.is_list() { it.elements().next() } else { Some(it) });
    let given =
        first.and_then(JsonObject::from_value).and_then(|part| part.object("functionResponse"));
    let response = given.and_then(|given| given.object("response")).unwrap_or_default();
    let shown = content.get("resultDisplay");
    let error = response.get("error").map(arguments::error_text);
    answer.is_error |= error.is_some();
    let text = response.get("output").map(arguments::content_text).or(error);
    let text = text.or_else(|| shown.map(arguments::content_text)).unwrap_or_default();
    answer.exit_code = chat::exit_code_in(&text);
    answer.text = text;
    answer.edits = shown
        .and_then(JsonObject::from_value)
        .and_then(|it| chat::whole_file_edit(&it))
        .into_iter()
        .collect();
    // Only the name without folders may be shown; the call has the path.
    answer.edits.retain(|edit| edit.path.contains(['/', '\\']));
}
