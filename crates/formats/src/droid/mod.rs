//! Droid's sessions: `~/.factory/sessions/*.jsonl`, and what `droid exec` prints as a stream of its own.

use std::borrow::Cow;

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, chat, head_json,
    json_object::JsonObject,
    records::{CallAnswer, LogRecord, RecordEvent, RecordFormat, arguments},
    tape::TapeValue,
};
use trajview_run::{Role, Tokens};

pub struct Droid;

impl RecordFormat for Droid {
    fn name(&self) -> &'static str {
        "droid"
    }

    fn short_description(&self) -> &'static str {
        "Droid session, ~/.factory/sessions/*.jsonl, or the stream of droid exec"
    }

    fn sample_path(&self) -> &'static str {
        "logs/droid.jsonl"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Lines, RecordedEdits::Text).with_times()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let is_session =
            |object: &JsonObject<'_>| object.text("type").as_deref() == Some("session_start");
        let is_call = |object: &JsonObject<'_>| {
            let is_kind =
                matches!(object.text("type").as_deref(), Some("tool_call" | "tool_result"));
            is_kind && object.has_field("toolCallId") && object.has_field("session_id")
        };
        let is_end = |object: &JsonObject<'_>| {
            object.text("type").as_deref() == Some("completion") && object.has_field("finalText")
        };
        head_json::any_object(head, &["\"session_start\""], is_session)
            || head_json::any_object(head, &["\"session_id\"", "\"toolCallId\""], is_call)
            || head_json::any_object(head, &["\"session_id\"", "\"finalText\""], is_end)
    }

    /// Returns the file of settings beside the log, which has the model and the tokens of the whole session.
    fn part_paths(&self, main: &FileHead<'_>) -> Vec<String> {
        let session = main.name.strip_suffix(".jsonl");
        session.map(|session| format!("{session}.settings.json")).into_iter().collect()
    }

    fn read_header<'t>(&self, document: TapeValue<'t>) -> LogRecord<'t> {
        let mut record = LogRecord::default();
        let settings = JsonObject::from_value(document).unwrap_or_default();
        if !is_settings(&settings) {
            return record;
        }
        record.facts.model = settings.text("model");
        let usage = settings.object("tokenUsage").unwrap_or_default();
        let (read, written) =
            (usage.number("cacheReadTokens"), usage.number("cacheCreationTokens"));
        let thinking = usage.number("thinkingTokens");
        record.tokens = Tokens {
            input: usage
                .number("inputTokens")
                .map(|input| input + read.unwrap_or(0) + written.unwrap_or(0)),
            cached_input: read,
            output: usage.number("outputTokens").map(|output| output + thinking.unwrap_or(0)),
            reasoning: thinking,
            cache_write: written,
            cache_write_1h: None,
        };
        record
    }

    fn records_in<'t>(&self, value: TapeValue<'t>) -> Vec<TapeValue<'t>> {
        match JsonObject::from_value(value) {
            Some(settings) if is_settings(&settings) => vec![],
            _ => vec![value],
        }
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        let mut made = event_record(&fields);
        made.facts.agent = Some(Cow::Borrowed("droid"));
        made.time = chat::first_time(&fields, &["timestamp"]);
        made
    }
}

/// Returns whether an object is the file of settings of a session: all records of a log have a type.
fn is_settings(fields: &JsonObject<'_>) -> bool {
    fields.has_field("tokenUsage") && !fields.has_field("type")
}

fn event_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    let mut made = LogRecord::default();
    let kind = fields.text("type").unwrap_or_default();
    match &*kind {
        "session_start" => {
            made.facts.id = fields.text("id");
            made.facts.title = fields.first_text(&["title", "sessionTitle"]);
            made.facts.root = fields.text("cwd");
        }
        "system" => {
            made.facts.id = fields.text("session_id");
            made.facts.root = fields.text("cwd");
            made.facts.model = fields.text("model");
        }
        "message" => match fields.object("message") {
            Some(message) => made = without_context(chat::message_record(&message)),
            None => {
                let text = fields.text("text").unwrap_or_default();
                made.facts.id = fields.text("session_id");
                made.push_event(match &*fields.text("role").unwrap_or_default() {
                    "user" => RecordEvent::Request(text),
                    "system" => RecordEvent::Message(Role::System, text),
                    _ => RecordEvent::Message(Role::Assistant, text),
                });
            }
        },
        "reasoning" => {
            made.push_text(RecordEvent::Thought, fields.text("text").unwrap_or_default())
        }
        "tool_call" => made.push_event(RecordEvent::Call(chat::read_call(fields))),
        "tool_result" => made.push_event(RecordEvent::Answer(read_answer(fields))),
        "completion" => made.push_text(
            |text| RecordEvent::Message(Role::Assistant, text),
            fields.text("finalText").unwrap_or_default(),
        ),
        "error" => made.push_event(RecordEvent::Failed(fields.text("message").unwrap_or_default())),
        "compaction_state" | "compaction" => made.push_event(RecordEvent::Compacted(
            fields.first_text(&["summaryText", "summary"]).unwrap_or_default(),
        )),
        "todo_state" | "session_end" | "settings_state" => {}
        _ => made.push_event(RecordEvent::unknown_kind(kind, "record without a type")),
    }
    made
}

/// Moves the context that the program puts before a request into a message of its own.
fn without_context(mut record: LogRecord<'_>) -> LogRecord<'_> {
    for event in &mut record.events {
        let RecordEvent::Request(text) = event else { continue };
        let trimmed = text.trim_start();
        let context = trimmed
            .starts_with("<system-reminder>")
            .then(|| trimmed.rfind("</system-reminder>"))
            .flatten();
        if let Some(end) = context {
            let rest = trimmed[end..].trim_start_matches("</system-reminder>").trim();
            *event = match rest {
                "" => RecordEvent::Message(Role::System, std::mem::take(text)),
                rest => RecordEvent::Request(Cow::Owned(rest.to_owned())),
            };
        }
    }
    record
}

fn read_answer<'t>(fields: &JsonObject<'t>) -> CallAnswer<'t> {
    let value = fields.object("value").unwrap_or_default();
    let printed = [value.text("stdout"), value.text("stderr")]
        .into_iter()
        .flatten()
        .filter(|text| !text.is_empty());
    let printed = printed.collect::<Vec<_>>().join("\n");
    let text = match printed.as_str() {
        "" => fields
            .get("value")
            .map(arguments::content_text)
            .filter(|text| !text.is_empty())
            .or_else(|| fields.get("error").map(arguments::content_text))
            .unwrap_or_default(),
        _ => printed.into(),
    };
    let exit_code = value.integer("exitCode");
    let flag = fields.flag("isError");
    CallAnswer {
        call: fields.first_text(&["toolCallId", "id"]).unwrap_or_default(),
        is_error: flag == Some(true) || exit_code.is_some_and(|code| code != 0),
        is_ok: flag == Some(false),
        exit_code,
        text,
        ..CallAnswer::default()
    }
}
