//! The protocols of servers, without the sockets: what is sent is made, and what came is read, as plain values.
//!
//! Whatever the bytes, reading them returns: a reply, or a fault in words. To add a protocol write `wire/<name>.rs` and
//! one line of [`of`].

mod chat;
mod fields;
mod messages;
pub mod plain;
mod responses;
pub mod sse;

use std::time::Duration;

use serde_json::{Value, json};

use super::{
    conversation::{Call, Conversation, Reply, arguments},
    fault::Fault,
    settings::{Kind, Settings},
    tools::{self, TOOLS},
};

/// One protocol.
pub trait Wire: Sync {
    /// What follows the base URL.
    fn path(&self) -> &'static str;

    /// Headers beside the content's, the key's among them.
    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)>;

    fn body(&self, settings: &Settings, conversation: &Conversation) -> Value;

    /// A reply that came in one piece.
    fn whole(&self, document: &Value) -> Result<Reply, Fault>;

    /// A reply that comes piece by piece.
    fn pieces(&self) -> Box<dyn Pieces>;
}

/// A reply while it comes in.
pub trait Pieces {
    fn take(&mut self, event: &sse::Event) -> Result<(), Fault>;

    /// The reply; a fault where it was not complete.
    fn finish(self: Box<Self>) -> Result<Reply, Fault>;
}

/// A reply that came piece by piece, with its calls, each with a number and its words; a fault where it broke off.
fn finished<N>(
    reply: Reply,
    calls: Vec<(N, Call, String)>,
    is_complete: bool,
) -> Result<Reply, Fault> {
    if !is_complete {
        return Err(Fault::Cut("the stream ended in the middle".into()));
    }
    let call = |(_, call, words): (N, Call, String)| Call { arguments: arguments(&words), ..call };
    Ok(Reply { calls: calls.into_iter().map(call).collect(), ..reply })
}

/// The protocol of a judge; None for a command.
pub fn of(kind: Kind) -> Option<&'static dyn Wire> {
    match kind {
        Kind::Chat => Some(&chat::Chat),
        Kind::Responses => Some(&responses::Responses),
        Kind::Messages => Some(&messages::Messages),
        Kind::Command => None,
    }
}

/// The address a request goes to.
pub fn address(wire: &dyn Wire, base_url: &str) -> String {
    let base = base_url.trim_end_matches('/');
    if base.ends_with(wire.path()) { base.to_owned() } else { format!("{base}{}", wire.path()) }
}

/// Reads the body of a reply as it comes in.
pub struct Incoming {
    events: sse::Events,
    pieces: Box<dyn Pieces>,
}

impl Incoming {
    pub fn new(wire: &dyn Wire) -> Self {
        Self { events: sse::Events::default(), pieces: wire.pieces() }
    }

    /// Takes the next bytes, split wherever they are.
    pub fn take(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.events.take(bytes).iter().try_for_each(|event| self.pieces.take(event))
    }

    pub fn finish(mut self) -> Result<Reply, Fault> {
        if let Some(event) = self.events.finish() {
            self.pieces.take(&event)?;
        }
        self.pieces.finish()
    }
}

/// Reads a body that came in one piece.
pub fn whole(wire: &dyn Wire, body: &[u8]) -> Result<Reply, Fault> {
    let document: Value = serde_json::from_slice(body)
        .map_err(|_| Fault::Garbage(format!("expected JSON, found {}", fields::shown(body))))?;
    match fields::error_of(&document) {
        Some(said) => Err(Fault::Cut(said)),
        None => wire.whole(&document),
    }
}

/// The fault of a status that is no success.
pub fn refusal(status: u16, retry_after: Option<&str>, body: &[u8]) -> Fault {
    let said = match serde_json::from_slice(body) {
        Ok(document) => fields::error_of(&document).unwrap_or_else(|| fields::shown(body)),
        Err(_) => fields::shown(body),
    };
    match status {
        429 | 503 | 529 => Fault::Limited { after: retry_after.and_then(seconds), said },
        300..=399 => Fault::Refused { status, said: "it points elsewhere; not followed".into() },
        400..=499 => Fault::Refused { status, said },
        _ => Fault::Failed { status, said },
    }
}

/// `retry-after` in seconds; a date is left to our own pauses.
fn seconds(header: &str) -> Option<Duration> {
    let seconds: f64 = header.trim().parse().ok()?;
    (0.0..1e6).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

/// A tool as every protocol needs it.
struct Offer {
    name: &'static str,
    about: &'static str,
    schema: Value,
}

/// The looks that are left, and the answer.
fn offers(conversation: &Conversation) -> Vec<Offer> {
    if conversation.wants_text {
        return vec![];
    }
    let looks = TOOLS.iter().filter(|_| conversation.may_look).map(|tool| Offer {
        name: tool.name,
        about: tool.about,
        schema: tools::schema(tool),
    });
    let scale = conversation.scale;
    let answer = Offer { name: scale.call(), about: scale.about(), schema: conversation.schema() };
    looks.chain([answer]).collect()
}

/// What every request has, and what only some have. A list of no tools is left out: servers refuse it.
fn with_options(mut body: Value, options: &[(&str, Option<Value>)]) -> Value {
    for (name, value) in options {
        if let Some(value) = value {
            body[*name] = value.clone();
        }
    }
    let has_no_tools = body["tools"].as_array().is_some_and(Vec::is_empty);
    if let Some(body) = body.as_object_mut().filter(|_| has_no_tools) {
        body.remove("tools");
    }
    body
}

fn temperature(settings: &Settings) -> Option<Value> {
    settings.reply.temperature.map(|temperature| json!(temperature))
}

#[cfg(test)]
mod tests;
