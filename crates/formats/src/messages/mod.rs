//! Lists of messages that no tool can be told by: OpenAI's or Anthropic's form, in a file of their own, under a key of an
//! object, or as a row of a published data set.

use std::borrow::Cow;

use super::{
    EditsTold, Head, Offers, Preparation, Rows, Shape,
    chat::{self, Speaker},
    not_finite,
    object::{self, Object},
    peek,
    records::{Event, NOT_FINITE, Record, Records},
    tape::{Tape, Value},
};
use trajview_run::Role;

#[derive(Debug, Clone, Copy)]
pub struct Messages;

/// Under which the messages of a row stand.
pub const LISTS: [&str; 6] =
    ["messages", "trajectory", "history", "conversation", "conversations", "messages_json"];

/// Columns of a row by what they mean, the published names first.
const IDS: [&str; 8] = [
    "trajectory_id",
    "transcript_id",
    "session_id",
    "run_id",
    "id",
    "uuid",
    "source_id",
    "instance_id",
];
const TASKS: [&str; 4] = ["instance_id", "task_id", "problem_id", "task"];
const MODELS: [&str; 4] = ["model_name", "model", "recorded_model", "model_id"];
const AGENTS: [&str; 3] = ["agent", "agent_framework", "scaffold"];
const PATCHES: [&str; 5] = ["model_patch", "generated_patch", "patch", "git_patch", "submission"];
const OUTCOMES: [&str; 6] = ["resolved", "solved", "target", "success", "score", "exit_status"];

impl Records for Messages {
    fn name(&self) -> &'static str {
        "messages"
    }

    fn about(&self) -> &'static str {
        "messages in OpenAI's or Anthropic's form: a list, or under messages, trajectory, history"
    }

    fn sample(&self) -> &'static str {
        "logs/messages.json"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Document, EditsTold::Text)
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        let is_message = |object: &Object<'_>| {
            let has_words = ["content", "text", "tool_calls", "parts", "value", "system_prompt"]
                .iter()
                .any(|key| object.has(key));
            (object.text("role").is_some() || object.text("from").is_some())
                && has_words
                && !object.has("sessionId")
        };
        let is_row = |object: &Object<'_>| {
            let first = LISTS.iter().find_map(|key| object.get(key)).filter(|list| list.is_list());
            let first = first.and_then(|list| list.elements().next()).and_then(Object::of);
            first.is_some_and(|first| is_message(&first)) && !object.has("info")
        };
        let is_text = |object: &Object<'_>| {
            let list = LISTS.iter().find_map(|key| object.text(key));
            list.is_some_and(|list| list.trim_start().starts_with('[') && list.contains("\"role\""))
        };
        let is_ours = |object: &Object<'_>| is_message(object) || is_row(object) || is_text(object);
        is_cut_text(head) || peek::all(head, &[], is_ours)
    }

    fn rows(&self, head: &Head<'_>) -> Rows {
        let is_row =
            |object: &Object<'_>| !object.has("role") && LISTS.iter().any(|key| object.has(key));
        let starts = head.bytes.trim_ascii_start().starts_with(b"{\"");
        let is_row = || is_cut_text(head) || peek::any(head, &[], is_row);
        if starts && is_row() { Rows::Lines } else { Rows::None }
    }

    fn header<'t>(&self, document: Value<'t>) -> Record<'t> {
        let mut record = Record::default();
        let Some(row) = Object::of(document).filter(|row| !row.has("role")) else { return record };
        let told = |keys: &[&str]| keys.iter().find_map(|key| row.get(key)).and_then(plain);
        record.facts.id = told(&IDS);
        record.facts.task = told(&TASKS);
        record.facts.model = told(&MODELS);
        record.facts.agent = told(&AGENTS);
        record.facts.root = row.text_of(&["cwd", "workspace"]);
        record
    }

    /// A list that is written as a text is read as the list that it is.
    fn preparation(&self, head: &Head<'_>) -> Option<Preparation> {
        head.bytes.trim_ascii_start().starts_with(b"{").then_some(with_list as Preparation)
    }

    /// The messages, and after them the row, for its outcome and its patch.
    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        let Some(row) = Object::of(value) else { return value.elements().collect() };
        let list = LISTS.iter().find_map(|key| row.get(key)).filter(|list| list.is_list());
        match list {
            Some(list) => list.elements().chain([value]).collect(),
            None => vec![value],
        }
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let Some(fields) = Object::of(record) else {
            let text = object::text(record);
            return Record::of(match text {
                Some(text) => Event::Said(Role::System, text),
                None => Event::Unknown("message that is no object".into()),
            });
        };
        let is_row = LISTS.iter().any(|key| fields.get(key).is_some_and(Value::is_list));
        if is_row { outcome(&fields) } else { message(&fields) }
    }
}

/// A row whose messages are a text, with the list that the text holds.
fn with_list(bytes: &[u8]) -> Option<Vec<u8>> {
    if !LISTS
        .iter()
        .any(|key| memchr::memmem::find(bytes, format!("\"{key}\"").as_bytes()).is_some())
    {
        return None;
    }
    // More values than a tape holds are not taken apart: each of them would take more room than it has here.
    Tape::read(std::str::from_utf8(bytes).ok()?)?;
    type Row = serde_json::Map<String, serde_json::Value>;
    let (mut row, no_numbers) = not_finite::read::<Row>(bytes).ok()?;
    if no_numbers > 0 {
        row.insert(NOT_FINITE.to_owned(), no_numbers.into());
    }
    let key = LISTS.iter().find(|key| row.get(**key).is_some_and(serde_json::Value::is_string))?;
    let text = row.get(*key)?.as_str()?;
    Tape::read(text)?;
    let (list, _) = not_finite::read::<Vec<serde_json::Value>>(text.as_bytes()).ok()?;
    row.remove(*key);
    row.insert("messages".to_owned(), list.into());
    serde_json::to_vec(&row).ok()
}

/// Whether one of [`LISTS`] is a text with a list in it that is longer than the head.
fn is_cut_text(head: &Head<'_>) -> bool {
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
        && LISTS.iter().any(|key| stands(key))
        && memchr::memmem::find(head.bytes, br#"\"role\""#).is_some()
}

fn plain(value: Value<'_>) -> Option<Cow<'_, str>> {
    let text =
        object::text(value).or_else(|| value.is_number().then(|| Cow::Borrowed(value.get())));
    text.filter(|text| !text.trim().is_empty())
}

/// How the run ended, as its row tells it: the outcome as words, the patch as the final diff.
fn outcome<'t>(row: &Object<'t>) -> Record<'t> {
    let mut record = Record::default();
    let told = OUTCOMES.iter().filter_map(|key| {
        let value = row.get(key)?;
        (value.is_string() || value.is_number() || matches!(value.get(), "true" | "false")).then(
            || format!("{key}: {}", object::text(value).unwrap_or(Cow::Borrowed(value.get()))),
        )
    });
    let told: Vec<String> = told.collect();
    if !told.is_empty() {
        record.says(Event::Said(Role::System, told.join(", ").into()));
    }
    let patch = row.text_of(&PATCHES).filter(|patch| !patch.trim().is_empty());
    record.events.extend(patch.map(Event::FinalDiff));
    record
}

fn message<'t>(fields: &Object<'t>) -> Record<'t> {
    // `{from, value}` is ShareGPT's form, `{role, text}` that of SWE-agent's published rows.
    let role = fields.text_of(&["role", "from"]).unwrap_or_default();
    let speaker = Speaker::of(&role);
    let mut record = match fields.get("value").filter(|_| !fields.has("content")) {
        Some(value) => chat::content(&role, Some(value)),
        None => chat::message(fields),
    };
    if record.events.is_empty() && role == "system" {
        record.says_words(
            |text| Event::Said(Role::System, text),
            fields.text("system_prompt").unwrap_or_default(),
        );
    }
    record.time = chat::time_of(fields, &["timestamp", "created_at", "time"]);
    record.facts.model = fields.text("model");
    if let Some(usage) = fields.object("usage") {
        record.tokens = chat::usage(&usage);
    }
    if speaker == Speaker::Nobody {
        // One of several agents that talk with each other: who it is belongs to what is said.
        for event in &mut record.events {
            if let Event::Said(_, text) = event {
                *text = Cow::Owned(format!("{role}: {text}"));
            }
        }
    }
    let has_calls = record.events.iter().any(|event| matches!(event, Event::Called(_)));
    if speaker == Speaker::Assistant && !has_calls {
        let said = record.events.iter().find_map(|event| match event {
            Event::Said(_, text) => chat::fenced_command(text).map(str::to_owned),
            _ => None,
        });
        if let Some(command) = said {
            let call = super::records::Call {
                name: "command".into(),
                main: command.clone().into(),
                arguments: command.into(),
                answered_by_user: true,
                ..Default::default()
            };
            record.says(Event::Called(call));
        }
    }
    record
}
