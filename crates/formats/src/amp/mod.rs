//! Amp's threads: `~/.local/share/amp/threads/T-*.json`, one object that is written anew as it grows.

use std::borrow::Cow;

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, chat, head_json,
    json_object::{self, JsonObject},
    records::{LogRecord, RecordEvent, RecordFormat, arguments},
    tape::TapeValue,
};

pub struct Amp;

impl RecordFormat for Amp {
    fn name(&self) -> &'static str {
        "amp"
    }

    fn short_description(&self) -> &'static str {
        "Amp thread, ~/.local/share/amp/threads/T-*.json"
    }

    fn sample_path(&self) -> &'static str {
        "logs/amp.json"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Document, RecordedEdits::Text)
            .with_tokens()
            .with_times()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        head_json::any_object(head, &["\"messages\"", "\"v\""], |object| {
            object.has_field("v")
                && object.has_field("created")
                && object.text("id").is_some_and(|id| id.starts_with("T-"))
        })
    }

    fn read_header<'t>(&self, document: TapeValue<'t>) -> LogRecord<'t> {
        let mut record = LogRecord::default();
        let fields = JsonObject::from_value(document).unwrap_or_default();
        record.facts.agent = Some(Cow::Borrowed("amp"));
        record.facts.id = fields.text("id");
        record.facts.title = fields.text("title");
        record.time = chat::first_time(&fields, &["created"]);
        let env = fields.object("env").and_then(|env| env.object("initial")).unwrap_or_default();
        let tree = env.elements_of("trees").into_iter().filter_map(JsonObject::from_value).next();
        let uri = tree.and_then(|tree| tree.text("uri"));
        record.facts.root =
            uri.map(|uri| Cow::Owned(uri.strip_prefix("file://").unwrap_or(&uri).to_owned()));
        record.facts.version = env.object("platform").and_then(|it| it.text("clientVersion"));
        record
    }

    fn records_in<'t>(&self, value: TapeValue<'t>) -> Vec<TapeValue<'t>> {
        JsonObject::from_value(value)
            .map(|fields| fields.elements_of("messages"))
            .unwrap_or_default()
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        let mut made = chat::message_record(&fields);
        let usage = fields.object("usage").unwrap_or_default();
        made.facts.model = usage.text("model");
        made.tokens = chat::read_usage(&usage);
        let meta = fields.object("meta").unwrap_or_default();
        made.time = chat::first_time(&meta, &["sentAt"])
            .or_else(|| chat::first_time(&usage, &["timestamp"]));
        let runs = fields
            .elements_of("content")
            .into_iter()
            .filter_map(|block| JsonObject::from_value(block)?.object("run"));
        let mut runs = runs.collect::<Vec<_>>().into_iter();
        for event in &mut made.events {
            let RecordEvent::Answer(answer) = event else { continue };
            let Some(run) = runs.next() else { continue };
            let result = run.get("result").or_else(|| run.get("error"));
            answer.text = result.map(result_content).unwrap_or_default();
            let status = run.text("status").unwrap_or_default();
            let code = result.and_then(|it| JsonObject::from_value(it)?.integer("exitCode"));
            answer.exit_code = code;
            answer.is_error = matches!(&*status, "error" | "cancelled" | "rejected-by-user")
                || code.is_some_and(|code| code != 0);
            answer.is_ok = status == "done" && !answer.is_error;
        }
        made
    }
}

/// Returns the words of a result: its content, its diff, what it printed, else all of it.
fn result_content(result: TapeValue<'_>) -> Cow<'_, str> {
    if let Some(text) = json_object::string_text(result) {
        return text;
    }
    let fields = JsonObject::from_value(result).unwrap_or_default();
    let known = ["content", "diff", "output", "message"]
        .iter()
        .find_map(|key| fields.get(key))
        .map(arguments::content_text);
    known.filter(|text| !text.is_empty()).unwrap_or(Cow::Borrowed(result.get()))
}
