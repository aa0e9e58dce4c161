//! The protocols of servers, without the sockets: what is sent is made, and what came is read, as plain values.
//!
//! Whatever the bytes, reading them returns: a reply, or a fault in words. To add a protocol write `wire/<name>.rs` and
//! one line of [`wire_for`].

mod chat;
mod fields;
mod messages;
pub mod plain;
mod responses;
pub mod sse;

use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, value::RawValue};

use super::{
    answer_schema::to_raw_schema,
    conversation::{CallArguments, Conversation, JudgeReply, ReplyCall},
    fault::JudgeFault,
    scale,
    settings::{JudgeConfig, JudgeKind},
    tools::{self, TOOLS},
};

/// One protocol.
pub trait Wire: Sync {
    /// Returns the path after the base URL.
    fn url_path(&self) -> &'static str;

    /// Returns the headers beside the content's, the key's among them.
    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        key.map(|key| ("authorization", format!("Bearer {key}"))).into_iter().collect()
    }

    /// Returns the JSON text of a request; the keys of an answer's schema are in the order in which a judge is to answer.
    fn request_body(&self, settings: &JudgeConfig, conversation: &Conversation) -> String;

    /// Reads a reply that came in one piece: its document, and the text of it for what is to keep its order.
    fn parse_reply(&self, document: &Value, text: &str) -> Result<JudgeReply, JudgeFault>;

    /// Returns a reply that comes piece by piece.
    fn streamed_reply(&self) -> Box<dyn ReplyPieces>;
}

/// A reply while it comes in.
pub trait ReplyPieces {
    fn take_event(&mut self, event: &sse::SseEvent) -> Result<(), JudgeFault>;

    /// Returns the reply; a fault where it was not complete.
    fn finish(self: Box<Self>) -> Result<JudgeReply, JudgeFault>;
}

/// Returns a reply that came piece by piece, with its calls, each with a number and its words; a fault where it broke off.
fn finish_reply<N>(
    reply: JudgeReply,
    calls: Vec<(N, ReplyCall, String)>,
    is_complete: bool,
) -> Result<JudgeReply, JudgeFault> {
    if !is_complete {
        return Err(JudgeFault::BrokenOff("the stream ended in the middle".into()));
    }
    let call = |(_, call, words): (N, ReplyCall, String)| ReplyCall {
        arguments: CallArguments::parse(&words),
        ..call
    };
    Ok(JudgeReply { calls: calls.into_iter().map(call).collect(), ..reply })
}

/// Returns the protocol of a judge; None for a command.
pub fn wire_for(kind: JudgeKind) -> Option<&'static dyn Wire> {
    match kind {
        JudgeKind::Chat => Some(&chat::ChatWire),
        JudgeKind::Responses => Some(&responses::ResponsesWire),
        JudgeKind::Messages => Some(&messages::MessagesWire),
        JudgeKind::Command => None,
    }
}

/// Returns the address of a request.
pub(crate) fn request_address(wire: &dyn Wire, base_url: &str) -> String {
    let base = base_url.trim_end_matches('/');
    if base.ends_with(wire.url_path()) {
        base.to_owned()
    } else {
        format!("{base}{}", wire.url_path())
    }
}

/// Reads the body of a reply as it comes in.
pub struct IncomingReply {
    events: sse::SseParser,
    pieces: Box<dyn ReplyPieces>,
}

impl IncomingReply {
    pub fn new(wire: &dyn Wire) -> Self {
        Self { events: sse::SseParser::default(), pieces: wire.streamed_reply() }
    }

    /// Takes the next bytes, split wherever they are.
    pub fn take_bytes(&mut self, bytes: &[u8]) -> Result<(), JudgeFault> {
        self.events.take_bytes(bytes).iter().try_for_each(|event| self.pieces.take_event(event))
    }

    pub fn finish(mut self) -> Result<JudgeReply, JudgeFault> {
        if let Some(event) = self.events.finish() {
            self.pieces.take_event(&event)?;
        }
        self.pieces.finish()
    }
}

/// Reads a body that came in one piece.
pub fn parse_body(wire: &dyn Wire, body: &[u8]) -> Result<JudgeReply, JudgeFault> {
    let document: Value = serde_json::from_slice(body).map_err(|_| {
        JudgeFault::Malformed(format!("expected JSON, found {}", fields::excerpt_of(body)))
    })?;
    match fields::error_of(&document) {
        Some(message) => Err(JudgeFault::BrokenOff(message)),
        // JSON that could be read is UTF-8.
        None => wire.parse_reply(&document, &String::from_utf8_lossy(body)),
    }
}

/// Returns the fault of a status that is no success.
#[cfg_attr(not(feature = "judge"), allow(dead_code))]
pub(crate) fn fault_of_status(status: u16, retry_after: Option<&str>, body: &[u8]) -> JudgeFault {
    let message = match serde_json::from_slice(body) {
        Ok(document) => fields::error_of(&document).unwrap_or_else(|| fields::excerpt_of(body)),
        Err(_) => fields::excerpt_of(body),
    };
    match status {
        429 | 503 | 529 => {
            JudgeFault::RateLimited { after: retry_after.and_then(retry_seconds), message }
        }
        300..=399 => {
            JudgeFault::Refused { status, message: "it points elsewhere; not followed".into() }
        }
        400..=499 => JudgeFault::Refused { status, message },
        _ => JudgeFault::Failed { status, message },
    }
}

/// Returns the `retry-after` in seconds; None for a date, which is left to our own pauses.
#[cfg_attr(not(feature = "judge"), allow(dead_code))]
fn retry_seconds(header: &str) -> Option<Duration> {
    let seconds: f64 = header.trim().parse().ok()?;
    (0.0..1e6).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

/// A tool as every protocol needs it.
struct ToolOffer {
    name: &'static str,
    about: &'static str,
    schema: Box<RawValue>,
}

/// Returns the looks that are left, and the answer.
fn offered_tools(conversation: &Conversation) -> Vec<ToolOffer> {
    if conversation.wants_text {
        return vec![];
    }
    let looks = TOOLS.iter().filter(|_| conversation.may_call_tools).map(|tool| ToolOffer {
        name: tool.name,
        about: tool.about,
        schema: to_raw_schema(&tools::tool_schema(tool)),
    });
    let scale = conversation.scale;
    let answer = ToolOffer {
        name: scale::answer_call(scale),
        about: scale::call_description(scale),
        schema: conversation.answer_schema(),
    };
    looks.chain([answer]).collect()
}

/// Returns a request as JSON text.
fn to_body(request: &impl Serialize) -> String {
    // The keys of a request are texts, so that writing it cannot fail.
    serde_json::to_string(request).unwrap_or_default()
}

#[cfg(test)]
mod tests;
