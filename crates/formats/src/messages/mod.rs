//! Lists of messages that no tool can be recognised by: OpenAI's or Anthropic's form, in a file of their own, under a key
//! of an object, or as a row of a published data set; and the Session Trace Simple Format of the Hugging Face Hub
//! (<https://huggingface.co/docs/hub/session-traces-format>), which any harness may write: a line for the session, then a line
//! for each message.

use std::borrow::Cow;

use super::{
    FileHead, FilePreparation, FormatCapabilities, RecordedEdits, RecordingShape, RunsInFile,
    chat::{self, Speaker},
    exit_status, head_json,
    json_object::{self, JsonObject},
    not_finite,
    records::{LogRecord, NOT_FINITE, RecordEvent, RecordFormat},
    tape::{JsonTape, TapeValue},
};
use crate::json_object::JsonFields;
use trajview_run::Role;

pub struct Messages;

/// Keys of a row with its messages.
pub const LIST_KEYS: [&str; 6] =
    ["messages", "trajectory", "history", "conversation", "conversations", "messages_json"];

/// Columns of a row by what they mean, the published names first.
const ID_KEYS: [&str; 8] = [
    "trajectory_id",
    "transcript_id",
    "session_id",
    "run_id",
    "id",
    "uuid",
    "source_id",
    "instance_id",
];
const TASK_KEYS: [&str; 4] = ["instance_id", "task_id", "problem_id", "task"];
const MODEL_KEYS: [&str; 4] = ["model_name", "model", "recorded_model", "model_id"];
const AGENT_KEYS: [&str; 3] = ["agent", "agent_framework", "scaffold"];
const PATCH_KEYS: [&str; 5] =
    ["model_patch", "generated_patch", "patch", "git_patch", "submission"];
const OUTCOME_KEYS: [&str; 6] = ["resolved", "solved", "target", "success", "score", "exit_status"];

impl RecordFormat for Messages {
    fn name(&self) -> &'static str {
        "messages"
    }

    fn short_description(&self) -> &'static str {
        "messages in OpenAI's or Anthropic's form: a list, or under messages, trajectory, history"
    }

    fn sample_path(&self) -> &'static str {
        "logs/messages.json"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Document, RecordedEdits::Text)
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let is_message = |object: &JsonObject<'_>| {
            let has_words = ["content", "text", "tool_calls", "parts", "value", "system_prompt"]
                .iter()
                .any(|key| object.has_field(key));
            (object.text("role").is_some() || object.text("from").is_some())
                && has_words
                && !object.has_field("sessionId")
        };
        let is_row = |object: &JsonObject<'_>| {
            let first =
                LIST_KEYS.iter().find_map(|key| object.get(key)).filter(|list| list.is_list());
            let first =
                first.and_then(|list| list.elements().next()).and_then(JsonObject::from_value);
            first.is_some_and(|first| is_message(&first)) && !object.has_field("info")
        };
        let is_text = |object: &JsonObject<'_>| {
            let list = LIST_KEYS.iter().find_map(|key| object.text(key));
            list.is_some_and(|list| list.trim_start().starts_with('[') && list.contains("\"role\""))
        };
        let is_ours =
            |object: &JsonObject<'_>| is_message(object) || is_row(object) || is_text(object);
        is_cut_text(head)
            || head_json::any_object(head, &["\"session\"", "\"harness\""], is_session_line)
            || head_json::all_objects(head, &[], is_ours)
    }

    fn runs_in_file(&self, head: &FileHead<'_>) -> RunsInFile {
        let is_row = |object: &JsonObject<'_>| {
            !object.has_field("role") && LIST_KEYS.iter().any(|key| object.has_field(key))
        };
        let starts = head.bytes.trim_ascii_start().starts_with(b"{\"");
        let is_row = || is_cut_text(head) || head_json::any_object(head, &[], is_row);
        if starts && is_row() { RunsInFile::OnePerLine } else { RunsInFile::One }
    }

    fn tool_definitions(&self, text: &str) -> Option<serde_json::Value> {
        let tape = JsonTape::parse(text);
        let row = JsonObject::from_tape(&tape)?;
        let list = row.get("tools").filter(|list| list.elements().any(|it| it.is_object()))?;
        serde_json::from_str(list.get()).ok()
    }

    fn read_header<'t>(&self, document: TapeValue<'t>) -> LogRecord<'t> {
        let mut record = LogRecord::default();
        let Some(row) = JsonObject::from_value(document).filter(|row| !row.has_field("role"))
        else {
            return record;
        };
        let first_value =
            |keys: &[&str]| keys.iter().find_map(|key| row.get(key)).and_then(text_or_number);
        record.facts.id = first_value(&ID_KEYS);
        record.facts.task = first_value(&TASK_KEYS);
        record.facts.model = first_value(&MODEL_KEYS);
        record.facts.agent = first_value(&AGENT_KEYS);
        record.facts.root = row.first_text(&["cwd", "workspace"]);
        record.trial = exit_status::result_of_row(&row).map(Box::new);
        record
    }

    /// Converts a list that is written as a text into the list.
    fn preparation_for(&self, head: &FileHead<'_>) -> Option<FilePreparation> {
        head.bytes
            .trim_ascii_start()
            .starts_with(b"{")
            .then_some(with_parsed_list as FilePreparation)
    }

    /// Returns the messages, and after them the row, for its outcome and its patch.
    fn records_in<'t>(&self, value: TapeValue<'t>) -> Vec<TapeValue<'t>> {
        let Some(row) = JsonObject::from_value(value) else { return value.elements().collect() };
        let list = LIST_KEYS.iter().find_map(|key| row.get(key)).filter(|list| list.is_list());
        match list {
            Some(list) => list.elements().chain([value]).collect(),
            None => vec![value],
        }
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let Some(fields) = JsonObject::from_value(record) else {
            let text = json_object::string_text(record);
            return LogRecord::from_event(match text {
                Some(text) => RecordEvent::Message(Role::System, text),
                None => RecordEvent::Unknown("message that is not an object".into()),
            });
        };
        if is_session_line(&fields) {
            return session_record(&fields);
        }
        if let Some(message) = enveloped_message(&fields) {
            return trace_record(&message);
        }
        let is_row = LIST_KEYS.iter().any(|key| fields.get(key).is_some_and(TapeValue::is_list));
        if is_row { outcome_record(&fields) } else { message_record(&fields) }
    }
}

/// Returns whether an object is the first line of a session trace.
fn is_session_line(object: &JsonObject<'_>) -> bool {
    object.text("type").as_deref() == Some("session")
        && object.text("harness").is_some()
        && object.has_field("id")
}

fn session_record<'t>(session: &JsonObject<'t>) -> LogRecord<'t> {
    let mut record = LogRecord::default();
    record.facts.id = session.get("id").and_then(text_or_number);
    record.facts.agent = session.text("harness");
    record.facts.title = session.text("name");
    record.facts.root = session.first_text(&["cwd", "workspace"]);
    record
}

/// Returns the message in a line of a session trace.
fn enveloped_message<'t>(line: &JsonObject<'t>) -> Option<JsonObject<'t>> {
    let is_message = line.text("type").as_deref() == Some("message") && !line.has_field("role");
    line.object("message").filter(|_| is_message)
}

/// Reads a message of a session trace, whose fields for thinking and calls have names of their own.
fn trace_record<'t>(message: &JsonObject<'t>) -> LogRecord<'t> {
    let mut record = message_record(message);
    if let Some(text) = message.text("reasoningContent").filter(|text| !text.is_empty()) {
        record.events.insert(0, RecordEvent::Thought(text));
    }
    let calls = message.elements_of("toolCalls").into_iter().filter_map(JsonObject::from_value);
    record.events.extend(calls.map(|call| RecordEvent::Call(chat::read_call(&call))));
    record
}

/// Returns a row whose messages are a text, with the list that the text contains.
fn with_parsed_list(bytes: &[u8]) -> Option<Vec<u8>> {
    if !LIST_KEYS
        .iter()
        .any(|key| memchr::memmem::find(bytes, format!("\"{key}\"").as_bytes()).is_some())
    {
        return None;
    }
    // More values than a tape holds are not taken apart: each of them would take more room than it has here.
    JsonTape::parse(std::str::from_utf8(bytes).ok()?)?;
    type Row = serde_json::Map<String, serde_json::Value>;
    let (mut row, no_numbers) = not_finite::read_json::<Row>(bytes).ok()?;
    if no_numbers > 0 {
        row.insert(NOT_FINITE.to_owned(), no_numbers.into());
    }
    let key =
        LIST_KEYS.iter().find(|key| row.get(**key).is_some_and(serde_json::Value::is_string))?;
    let text = row.text(key)?;
    JsonTape::parse(text)?;
    let (list, _) = not_finite::read_json::<Vec<serde_json::Value>>(text.as_bytes()).ok()?;
    row.remove(*key);
    row.insert("messages".to_owned(), list.into());
    serde_json::to_vec(&row).ok()
}

/// Returns whether one of [`LIST_KEYS`] is a text with a list in it that is longer than the head.
fn is_cut_text(head: &FileHead<'_>) -> bool {
    let is_text = |after_key: &[u8]| {
        let value = after_key.trim_ascii_start().strip_prefix(b":").map(<[u8]>::trim_ascii_start);
        let text = value.and_then(|value| value.strip_prefix(b"\""));
        text.is_some_and(|text| text.trim_ascii_start().starts_with(b"["))
    };
    let stands = |key: &str| {
        let key = format!("\"{key}\"");
        memchr::memmem::find_iter(head.bytes, &key).any(|at| is_text(&head.bytes[at + key.len()..]))
    };
    !head.is_whole
        && head.bytes.trim_ascii_start().starts_with(b"{")
        && LIST_KEYS.iter().any(|key| stands(key))
        && memchr::memmem::find(head.bytes, br#"\"role\""#).is_some()
}

fn text_or_number(value: TapeValue<'_>) -> Option<Cow<'_, str>> {
    let text = json_object::string_text(value)
        .or_else(|| value.is_number().then(|| Cow::Borrowed(value.get())));
    text.filter(|text| !text.trim().is_empty())
}

/// Reads the end of the run from its row: the outcome as text, the patch as the final diff.
fn outcome_record<'t>(row: &JsonObject<'t>) -> LogRecord<'t> {
    let mut record = LogRecord::default();
    let outcomes = OUTCOME_KEYS.iter().filter_map(|key| {
        let value = row.get(key)?;
        (value.is_string() || value.is_number() || matches!(value.get(), "true" | "false")).then(
            || {
                format!(
                    "{key}: {}",
                    json_object::string_text(value).unwrap_or(Cow::Borrowed(value.get()))
                )
            },
        )
    });
    let outcomes: Vec<String> = outcomes.collect();
    if !outcomes.is_empty() {
        record.push_event(RecordEvent::Message(Role::System, outcomes.join(", ").into()));
    }
    let patch = row.first_text(&PATCH_KEYS).filter(|patch| !patch.trim().is_empty());
    record.events.extend(patch.map(RecordEvent::FinalDiff));
    record
}

fn message_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    // `{from, value}` is ShareGPT's form, `{role, text}` that of SWE-agent's published rows.
    let role = fields.first_text(&["role", "from"]).unwrap_or_default();
    let speaker = Speaker::from_role(&role);
    let mut record = match fields.get("value").filter(|_| !fields.has_field("content")) {
        Some(value) => chat::content_record(&role, Some(value)),
        None => chat::message_record(fields),
    };
    if record.events.is_empty() && role == "system" {
        record.push_text(
            |text| RecordEvent::Message(Role::System, text),
            fields.text("system_prompt").unwrap_or_default(),
        );
    }
    record.time = chat::first_time(fields, &["timestamp", "created_at", "time"]);
    record.facts.model = fields.text("model");
    if let Some(usage) = fields.object("usage") {
        record.tokens = chat::read_usage(&usage);
    }
    if speaker == Speaker::Nobody {
        // One of several agents in a conversation: the agent's name is a part of the message.
        for event in &mut record.events {
            if let RecordEvent::Message(_, text) = event {
                *text = Cow::Owned(format!("{role}: {text}"));
            }
        }
    }
    let has_calls = record.events.iter().any(|event| matches!(event, RecordEvent::Call(_)));
    if speaker == Speaker::Assistant && !has_calls {
        let message_start = record.events.iter().find_map(|event| match event {
            RecordEvent::Message(_, text) => chat::fenced_command(text).map(str::to_owned),
            _ => None,
        });
        if let Some(command) = message_start {
            let call = super::records::RecordedCall {
                name: "command".into(),
                main: command.clone().into(),
                arguments: command.into(),
                answered_by_user: true,
                ..Default::default()
            };
            record.push_event(RecordEvent::Call(call));
        }
    }
    record
}
