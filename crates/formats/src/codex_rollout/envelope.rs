//! The wrappings of a rollout line, taken off: every version's line ends up as one [`LineBody`].
//!
//! ```text
//! {"timestamp", "type": "response_item", "payload": {"type": "message", …}}       since 2025-09
//! {"timestamp", "type": "event_msg", "payload": {"type": "item_completed", "item": {…}}}   since 0.150
//! {"timestamp", "type": "event_msg", "payload": {"type": "codex/event/raw_item", "item": {…}}}
//! {"type": "message", "role", "content"}      bare, before; the first line then is {"id", "instructions", …}
//! {"timestamp", "role", "content", "model"}   forks
//! ```

use std::borrow::Cow;

use super::record::RecordFamily;
use crate::{
    json_object::{self as json, JsonObject},
    tape::TapeValue,
};
use trajview_run::Time;

/// One line without its wrapping.
#[derive(Debug)]
pub struct OpenedLine<'a> {
    pub at: Option<Time>,
    /// Counts the lines of a thread; from 0.149 on.
    pub ordinal: Option<u64>,
    /// The model, in forks that name it on every message.
    pub model: Option<Box<str>>,
    pub body: LineBody<'a>,
}

#[derive(Debug)]
pub enum LineBody<'a> {
    Meta(JsonObject<'a>),
    Context(JsonObject<'a>),
    Compacted(JsonObject<'a>),
    /// A part of the conversation with the model. `kind` is its type.
    Response(TypedObject<'a>),
    /// An event that Codex sent to its screen.
    Event(TypedObject<'a>),
    /// The same since 0.150; `kind` in small letters without underscores, as its case has changed.
    Item(TypedObject<'a>),
    /// Another top-level record.
    Other(TypedObject<'a>),
}

#[derive(Debug)]
pub struct TypedObject<'a> {
    pub kind: Cow<'a, str>,
    pub family: RecordFamily,
    pub fields: JsonObject<'a>,
    /// `metadata` beside the payload (0.160).
    pub metadata: Option<JsonObject<'a>>,
}

/// Unwraps a line. An object without a type becomes [`LineBody::Other`].
pub fn open_line(line: JsonObject<'_>) -> OpenedLine<'_> {
    let at =
        line.first_text(&["timestamp", "created_at", "ts"]).and_then(|text| Time::parse(&text));
    let ordinal = line.number("ordinal");
    let model = if line.has_field("payload") { None } else { line.non_empty_text("model") };
    OpenedLine { at, ordinal, model, body: line_body(line) }
}

fn line_body(line: JsonObject<'_>) -> LineBody<'_> {
    let kind = line.text("type");
    let payload = line.object("payload");
    let metadata = line.object("metadata");
    match (kind.as_deref(), payload) {
        (Some("session_meta"), Some(payload)) => LineBody::Meta(payload),
        (Some("turn_context"), Some(payload)) => LineBody::Context(payload),
        (Some("compacted"), Some(payload)) => LineBody::Compacted(payload),
        (Some("response_item"), Some(payload)) => {
            LineBody::Response(typed_object(payload, metadata, RecordFamily::Response))
        }
        (Some("event_msg"), Some(payload)) => event_body(payload),
        (Some(_), Some(payload)) => LineBody::Other(TypedObject {
            kind: kind.unwrap_or_default(),
            fields: payload,
            metadata,
            family: RecordFamily::Event,
        }),
        (Some(name), None) if is_response_item(name) => {
            LineBody::Response(typed_object(line, None, RecordFamily::Response))
        }
        (Some(_), None) => LineBody::Other(TypedObject {
            kind: kind.unwrap_or_default(),
            fields: line,
            metadata,
            family: RecordFamily::Event,
        }),
        (None, _) if line.has_field("role") => LineBody::Response(TypedObject {
            kind: Cow::Borrowed("message"),
            fields: line,
            metadata: None,
            family: RecordFamily::Response,
        }),
        (None, _) if line.has_field("id") && !line.has_field("record_type") => LineBody::Meta(line),
        (None, _) => LineBody::Other(TypedObject {
            kind: line.text("record_type").unwrap_or_default(),
            fields: line,
            family: RecordFamily::Event,
            metadata,
        }),
    }
}

/// Returns a record with its `type`, which is empty where it has none.
fn typed_object<'a>(
    fields: JsonObject<'a>,
    metadata: Option<JsonObject<'a>>,
    family: RecordFamily,
) -> TypedObject<'a> {
    let kind = fields.text("type").unwrap_or_default();
    TypedObject { kind, family, metadata, fields }
}

fn event_body(payload: JsonObject<'_>) -> LineBody<'_> {
    // The protocol's own wrapping, in logs written by servers: {"id", "msg": {"type", …}}.
    let payload = payload.object("msg").unwrap_or(payload);
    let mut event = typed_object(payload, None, RecordFamily::Event);
    if let Some(name) = event.kind.strip_prefix("codex/event/") {
        event.kind = Cow::Owned(name.to_owned());
    }
    let item = event.fields.object("item");
    match (event.kind.as_ref(), item) {
        ("raw_item" | "raw_response_item", Some(item)) => {
            LineBody::Response(typed_object(item, None, RecordFamily::Raw))
        }
        ("item_completed", Some(item)) => {
            let kind = item.first_text(&["type", "item_type"]).unwrap_or_default();
            LineBody::Item(TypedObject {
                kind: lowercase_kind(&kind),
                fields: item,
                metadata: None,
                family: RecordFamily::Item,
            })
        }
        _ => LineBody::Event(event),
    }
}

fn lowercase_kind<'a>(kind: &str) -> Cow<'a, str> {
    Cow::Owned(kind.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect())
}

/// Returns whether a kind is that of a response item, which is without a wrapping in the first versions and in forks.
pub fn is_response_item(kind: &str) -> bool {
    matches!(
        kind,
        "message"
            | "reasoning"
            | "function_call"
            | "function_call_output"
            | "function_result"
            | "custom_tool_call"
            | "custom_tool_call_output"
            | "local_shell_call"
            | "tool_call"
            | "tool_result"
            | "web_search_call"
    )
}

/// Returns the texts of a message's content, as they are written in the line.
pub fn text_parts<'a>(fields: &JsonObject<'a>, keys: &[&str]) -> Vec<TapeValue<'a>> {
    keys.iter()
        .filter_map(|key| fields.get(key))
        .flat_map(|raw| if raw.is_list() { json::list_elements(raw) } else { vec![raw] })
        .filter_map(|part| match JsonObject::from_value(part) {
            Some(part) => part.get("text"),
            None => Some(part),
        })
        .filter(|part| part.is_string())
        .collect()
}
