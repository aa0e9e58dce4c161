//! The wrappings of a rollout line, taken off: every version's line ends up as one [`Body`].
//!
//! ```text
//! {"timestamp", "type": "response_item", "payload": {"type": "message", …}}       since 2025-09
//! {"timestamp", "type": "event_msg", "payload": {"type": "item_completed", "item": {…}}}   since 0.150
//! {"timestamp", "type": "event_msg", "payload": {"type": "codex/event/raw_item", "item": {…}}}
//! {"type": "message", "role", "content"}      bare, before; the first line then is {"id", "instructions", …}
//! {"timestamp", "role", "content", "model"}   forks
//! ```

use std::borrow::Cow;

use super::record::Voice;
use crate::{
    object::{self as json, Object},
    tape::Value,
};
use trajview_run::Time;

/// One line without its wrapping.
#[derive(Debug)]
pub struct Opened<'a> {
    pub at: Option<Time>,
    /// Counts the lines of a thread; from 0.149 on.
    pub ordinal: Option<u64>,
    /// Of forks that name the model on every message.
    pub model: Option<Box<str>>,
    pub body: Body<'a>,
}

#[derive(Debug)]
pub enum Body<'a> {
    Meta(Object<'a>),
    Context(Object<'a>),
    Compacted(Object<'a>),
    /// A part of the conversation with the model. `kind` is its type.
    Response(Typed<'a>),
    /// What Codex told its screen.
    Event(Typed<'a>),
    /// The same since 0.150; `kind` in small letters without underscores, as its case has changed.
    Item(Typed<'a>),
    /// Another top-level record.
    Other(Typed<'a>),
}

#[derive(Debug)]
pub struct Typed<'a> {
    pub kind: Cow<'a, str>,
    pub voice: Voice,
    pub fields: Object<'a>,
    /// `metadata` beside the payload (0.160).
    pub metadata: Option<Object<'a>>,
}

/// Takes the wrapping off; None where the line's object says nothing of its type.
pub fn open(line: Object<'_>) -> Opened<'_> {
    let at = line.text_of(&["timestamp", "created_at", "ts"]).and_then(|text| Time::parse(&text));
    let ordinal = line.number("ordinal");
    let model = if line.has("payload") { None } else { line.boxed("model") };
    Opened { at, ordinal, model, body: body(line) }
}

fn body(line: Object<'_>) -> Body<'_> {
    let kind = line.text("type");
    let payload = line.object("payload");
    let metadata = line.object("metadata");
    match (kind.as_deref(), payload) {
        (Some("session_meta"), Some(payload)) => Body::Meta(payload),
        (Some("turn_context"), Some(payload)) => Body::Context(payload),
        (Some("compacted"), Some(payload)) => Body::Compacted(payload),
        (Some("response_item"), Some(payload)) => {
            Body::Response(typed(payload, metadata, Voice::Response))
        }
        (Some("event_msg"), Some(payload)) => event(payload),
        (Some(_), Some(payload)) => Body::Other(Typed {
            kind: kind.unwrap_or_default(),
            fields: payload,
            metadata,
            voice: Voice::Event,
        }),
        (Some(name), None) if is_response_item(name) => {
            Body::Response(typed(line, None, Voice::Response))
        }
        (Some(_), None) => Body::Other(Typed {
            kind: kind.unwrap_or_default(),
            fields: line,
            metadata,
            voice: Voice::Event,
        }),
        (None, _) if line.has("role") => Body::Response(Typed {
            kind: Cow::Borrowed("message"),
            fields: line,
            metadata: None,
            voice: Voice::Response,
        }),
        (None, _) if line.has("id") && !line.has("record_type") => Body::Meta(line),
        (None, _) => Body::Other(Typed {
            kind: line.text("record_type").unwrap_or_default(),
            fields: line,
            voice: Voice::Event,
            metadata,
        }),
    }
}

fn typed<'a>(fields: Object<'a>, metadata: Option<Object<'a>>, voice: Voice) -> Typed<'a> {
    let kind = fields.text("type").unwrap_or_default();
    Typed { kind, voice, metadata, fields }
}

fn event(payload: Object<'_>) -> Body<'_> {
    // The protocol's own wrapping, in logs written by servers: {"id", "msg": {"type", …}}.
    let payload = payload.object("msg").unwrap_or(payload);
    let mut event = typed(payload, None, Voice::Event);
    if let Some(name) = event.kind.strip_prefix("codex/event/") {
        event.kind = Cow::Owned(name.to_owned());
    }
    let item = event.fields.object("item");
    match (event.kind.as_ref(), item) {
        ("raw_item" | "raw_response_item", Some(item)) => {
            Body::Response(typed(item, None, Voice::Raw))
        }
        ("item_completed", Some(item)) => {
            let kind = item.text_of(&["type", "item_type"]).unwrap_or_default();
            Body::Item(Typed {
                kind: squeezed(&kind),
                fields: item,
                metadata: None,
                voice: Voice::Item,
            })
        }
        _ => Body::Event(event),
    }
}

fn squeezed<'a>(kind: &str) -> Cow<'a, str> {
    Cow::Owned(kind.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect())
}

/// What stands bare on a line of the first versions, and in forks.
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

/// The parts of a message's content: its texts as they stand in the line.
pub fn text_parts<'a>(fields: &Object<'a>, keys: &[&str]) -> Vec<Value<'a>> {
    keys.iter()
        .filter_map(|key| fields.get(key))
        .flat_map(|raw| if raw.is_list() { json::array(raw) } else { vec![raw] })
        .filter_map(|part| match Object::of(part) {
            Some(part) => part.get("text"),
            None => Some(part),
        })
        .filter(|part| part.is_string())
        .collect()
}
