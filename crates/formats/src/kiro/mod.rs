//! Kiro CLI's conversations, in the forms of its three engines: a row of `data.sqlite3`, or the same saved with `/save`, one
//! document; `~/.kiro/sessions/cli/<id>.jsonl`; `~/.kiro/sessions/<workspace>/sess_<id>/messages.jsonl`.

mod database;

use std::borrow::Cow;

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, chat, head_json,
    json_object::JsonObject,
    records::{CallAnswer, LogRecord, RecordEvent, RecordFormat, arguments},
    tape::TapeValue,
};
use trajview_run::Role;

pub use database::KiroTables;

pub struct Kiro;

impl RecordFormat for Kiro {
    fn name(&self) -> &'static str {
        "kiro"
    }

    fn short_description(&self) -> &'static str {
        "Kiro CLI conversation: data.sqlite3, what /save writes, or ~/.kiro/sessions/**/*.jsonl"
    }

    fn sample_path(&self) -> &'static str {
        "logs/kiro.json"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Document, RecordedEdits::Text).with_times()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let is_conversation = |object: &JsonObject<'_>| {
            let first =
                object.elements_of("history").into_iter().next().and_then(JsonObject::from_value);
            object.has_field("conversation_id")
                && first.is_none_or(|turn| turn.has_field("user") || turn.has_field("assistant"))
                && object.get("history").is_some_and(TapeValue::is_list)
        };
        head_json::any_object(head, &["\"conversation_id\"", "\"history\""], is_conversation)
            || head_json::any_object(head, &["\"kind\"", "\"data\""], |object| {
                form_of(object) == RecordForm::Lines
            })
            || head_json::any_object(head, &["\"payload\""], |object| {
                form_of(object) == RecordForm::Payloads
            })
    }

    fn read_header<'t>(&self, document: TapeValue<'t>) -> LogRecord<'t> {
        let mut record = LogRecord::default();
        let fields = JsonObject::from_value(document).unwrap_or_default();
        record.facts.agent = Some(Cow::Borrowed("kiro"));
        record.facts.id = fields.text("conversation_id");
        record.facts.root = fields.text("trajview:cwd");
        let model = fields.object("model_info").unwrap_or_default();
        record.facts.model =
            model.first_text(&["model_id", "model_name"]).or_else(|| fields.text("model"));
        record
    }

    /// Returns the two sides of each turn of a document, so that the model's message has a time of its own.
    fn records_in<'t>(&self, value: TapeValue<'t>) -> Vec<TapeValue<'t>> {
        let fields = JsonObject::from_value(value).unwrap_or_default();
        if !fields.has_field("history") {
            return vec![value];
        }
        fields.elements_of("history")
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        match form_of(&fields) {
            RecordForm::Turn => turn_record(&fields),
            RecordForm::Lines => line_record(&fields),
            RecordForm::Payloads => payload_record(&fields),
            RecordForm::Other => {
                let kind = fields.text("kind").or_else(|| fields.object("payload")?.text("type"));
                LogRecord::from_event(RecordEvent::unknown_kind(
                    kind.unwrap_or_default(),
                    "record of no known kind",
                ))
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RecordForm {
    Turn,
    Lines,
    Payloads,
    Other,
}

fn form_of(fields: &JsonObject<'_>) -> RecordForm {
    let kind = fields.text("kind").unwrap_or_default();
    let payload = fields.object("payload").and_then(|it| it.text("type")).unwrap_or_default();
    let is_payload = ["user", "assistant", "tool_call", "tool_result", "usage_summary"];
    match () {
        () if fields.has_field("user") || fields.has_field("assistant") => RecordForm::Turn,
        () if ["Prompt", "AssistantMessage", "ToolResults", "Compaction", "Clear"]
            .contains(&&*kind)
            && fields.has_field("data") =>
        {
            RecordForm::Lines
        }
        // Codex' records have payloads as well, and a type beside them.
        () if is_payload.contains(&&*payload) && !fields.has_field("type") => RecordForm::Payloads,
        () => RecordForm::Other,
    }
}

/// Reads a turn of the first engine: the request or the results of tools, and the answer of the model.
fn turn_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    let mut made = LogRecord::default();
    let user = fields.object("user").unwrap_or_default();
    let content = user.object("content").unwrap_or_default();
    if let Some(prompt) = content.object("Prompt") {
        made.push_event(RecordEvent::Request(prompt.text("prompt").unwrap_or_default()));
    }
    for key in ["ToolUseResults", "CancelledToolUses"] {
        let Some(results) = content.object(key) else { continue };
        for given in
            results.elements_of("tool_use_results").into_iter().filter_map(JsonObject::from_value)
        {
            made.push_event(RecordEvent::Answer(read_answer(&given, "tool_use_id")));
        }
        made.push_text(RecordEvent::Request, results.text("prompt").unwrap_or_default());
    }
    let assistant = fields.object("assistant").unwrap_or_default();
    let as_message = |text| RecordEvent::Message(Role::Assistant, text);
    for key in ["Response", "ToolUse"] {
        let Some(answered) = assistant.object(key) else { continue };
        made.push_text(as_message, answered.text("content").unwrap_or_default());
        for call in answered.elements_of("tool_uses").into_iter().filter_map(JsonObject::from_value)
        {
            made.push_event(RecordEvent::Call(chat::read_call(&call)));
        }
    }
    let metadata = fields.object("request_metadata").unwrap_or_default();
    made.time = chat::first_time(&user, &["timestamp"])
        .or_else(|| chat::first_time(&metadata, &["request_start_timestamp_ms"]));
    made.ended_at = chat::first_time(&metadata, &["stream_end_timestamp_ms"]);
    made.facts.model = metadata.text("model_id");
    let env = user.object("env_context").and_then(|env| env.object("env_state"));
    made.facts.root = env.and_then(|env| env.text("current_working_directory"));
    made
}

/// Returns a line of the second engine.
fn line_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    let data = fields.object("data").unwrap_or_default();
    let kind = fields.text("kind").unwrap_or_default();
    let mut made = LogRecord::default();
    let parts: Vec<JsonObject<'t>> =
        data.elements_of("content").into_iter().filter_map(JsonObject::from_value).collect();
    let texts = parts.iter().filter(|part| part.text("kind").as_deref() == Some("text"));
    let text: String = texts.filter_map(|part| part.text("data")).collect();
    match &*kind {
        "Prompt" => made.push_event(RecordEvent::Request(text.into())),
        "AssistantMessage" => {
            made.push_text(|text| RecordEvent::Message(Role::Assistant, text), text.into())
        }
        "Compaction" => {
            let summary = data.first_text(&["summary", "content"]).unwrap_or_default();
            made.push_event(RecordEvent::Compacted(summary));
        }
        _ => {}
    }
    for part in &parts {
        let given = part.object("data").unwrap_or_default();
        match part.text("kind").as_deref() {
            Some("toolUse") => made.push_event(RecordEvent::Call(chat::read_call(&given))),
            Some("toolResult") => {
                made.push_event(RecordEvent::Answer(read_answer(&given, "toolUseId")))
            }
            Some("thinking" | "reasoning") => {
                let text = part.get("data").map(arguments::content_text).unwrap_or_default();
                made.push_text(RecordEvent::Thought, text);
            }
            _ => {}
        }
    }
    let meta = data.object("meta").unwrap_or_default();
    made.time = chat::first_time(&meta, &["timestamp"]);
    made
}

/// Returns a line of the third engine.
fn payload_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    let payload = fields.object("payload").unwrap_or_default();
    let text = arguments::content_field_text(&payload, "content");
    let mut made = LogRecord::default();
    match &*payload.text("type").unwrap_or_default() {
        "user" => made.push_event(RecordEvent::Request(text)),
        "assistant" => made.push_text(|text| RecordEvent::Message(Role::Assistant, text), text),
        "tool_call" => made.push_event(RecordEvent::Call(chat::read_call(&payload))),
        "tool_result" => made.push_event(RecordEvent::Answer(CallAnswer {
            call: payload.text("toolCallId").unwrap_or_default(),
            is_error: payload.flag("success") == Some(false),
            is_ok: payload.flag("success") == Some(true),
            exit_code: chat::exit_code_in(&text),
            text,
            ..CallAnswer::default()
        })),
        _ => {}
    }
    made.time = chat::first_time(fields, &["timestamp"]);
    made
}

/// Returns a result: its parts are `{Text}` or `{Json}`, of the second engine `{kind, data}`.
fn read_answer<'t>(given: &JsonObject<'t>, id: &str) -> CallAnswer<'t> {
    let status = given.text("status").unwrap_or_default().to_ascii_lowercase();
    let mut parts: Vec<Cow<'t, str>> = vec![];
    let mut code = None;
    for part in given.elements_of("content") {
        let fields = JsonObject::from_value(part).unwrap_or_default();
        let words = ["Text", "Json", "data"].iter().find_map(|key| fields.get(key)).unwrap_or(part);
        let printed = JsonObject::from_value(words).unwrap_or_default();
        code = code.or_else(|| {
            printed
                .integer("exit_status")
                .or_else(|| printed.text("exit_status")?.trim().parse().ok())
        });
        let streams = ["stdout", "stderr"].iter().filter_map(|key| printed.text(key));
        let streams: Vec<Cow<'t, str>> = streams.filter(|text| !text.is_empty()).collect();
        parts.push(
            match streams.is_empty() {
                true => Some(arguments::content_text(words)).filter(|text| !text.is_empty()),
                false => Some(Cow::Owned(streams.join("\n"))),
            }
            .unwrap_or(Cow::Borrowed(words.get())),
        );
    }
    let text: Cow<'t, str> = match <[_; 1]>::try_from(parts) {
        Ok([text]) => text,
        Err(parts) => parts.join("\n").into(),
    };
    let exit_code = code.or_else(|| chat::exit_code_in(&text));
    CallAnswer {
        call: given.text(id).unwrap_or_default(),
        is_error: matches!(status.as_str(), "error" | "cancelled")
            || exit_code.is_some_and(|code| code != 0),
        is_ok: status == "success" && exit_code.is_none_or(|code| code == 0),
        exit_code,
        text,
        ..CallAnswer::default()
    }
}
