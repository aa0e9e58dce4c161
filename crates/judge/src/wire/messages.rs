//! Messages: `POST BASE/messages`.

use serde_json::{Value, json};

use crate::{
    conversation::{Call, Conversation, Entry, Outcome, Reply, Usage},
    fault::Fault,
    settings::Settings,
};

use super::{Pieces, Wire, fields, offers, sse::Event, temperature, with_options};

/// The version of the protocol that is spoken here.
const VERSION: &str = "2023-06-01";

pub struct Messages;

impl Wire for Messages {
    fn path(&self) -> &'static str {
        "/messages"
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        let version = ("anthropic-version", VERSION.to_owned());
        key.map(|key| ("x-api-key", key.to_owned())).into_iter().chain([version]).collect()
    }

    fn body(&self, settings: &Settings, conversation: &Conversation) -> Value {
        let messages: Vec<Value> = conversation.entries.iter().map(message).collect();
        let tool = |offer: super::Offer| json!({"name": offer.name, "description": offer.about, "input_schema": offer.schema});
        let tools: Vec<Value> = offers(conversation).into_iter().map(tool).collect();
        let body = json!({
            "model": settings.model,
            "max_tokens": settings.reply.max_tokens,
            "system": conversation.system,
            "messages": messages,
            "tools": tools,
            "stream": settings.reply.stream,
        });
        with_options(body, &[("temperature", temperature(settings))])
    }

    fn whole(&self, document: &Value) -> Result<Reply, Fault> {
        if document.get("content").is_none() {
            return Err(Fault::Garbage("it has no content".into()));
        }
        let mut reply = Reply {
            is_cut: fields::text(document, "stop_reason") == "max_tokens",
            usage: document.get("usage").map(usage).unwrap_or_default(),
            ..Reply::default()
        };
        for block in fields::list(document, "content") {
            match fields::text(block, "type") {
                "text" => reply.text.push_str(fields::text(block, "text")),
                "tool_use" => reply.calls.push(Call {
                    arguments: block.get("input").cloned().unwrap_or_default(),
                    ..call_of(block)
                }),
                _ => {} // thinking, and kinds we did not ask for
            }
        }
        Ok(reply)
    }

    fn pieces(&self) -> Box<dyn Pieces> {
        Box::new(Stream::default())
    }
}

fn call_of(block: &Value) -> Call {
    let field = |name| fields::text(block, name).to_owned();
    Call { id: field("id"), name: field("name"), arguments: Value::Null }
}

/// What was sent is told in three parts, by how it was cached.
pub fn usage(usage: &Value) -> Usage {
    let sent = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    let counts: Vec<u64> = sent.iter().filter_map(|name| fields::count(usage, name)).collect();
    let input = counts.iter().fold(0_u64, |sum, count| sum.saturating_add(*count));
    Usage {
        input: (!counts.is_empty()).then_some(input),
        output: fields::count(usage, "output_tokens"),
    }
}

fn message(entry: &Entry) -> Value {
    match entry {
        Entry::Said(text) => json!({"role": "user", "content": [{"type": "text", "text": text}]}),
        Entry::Replied(reply) => {
            // The protocol takes no message without content, and no empty text.
            let is_silent = reply.text.trim().is_empty();
            let words = if reply.calls.is_empty() && is_silent { "(nothing)" } else { &reply.text };
            let said = (!words.trim().is_empty()).then(|| json!({"type": "text", "text": words}));
            let call = |call: &Call| {
                let input = if call.arguments.is_object() { &call.arguments } else { &json!({}) };
                json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
            };
            let blocks: Vec<Value> = said.into_iter().chain(reply.calls.iter().map(call)).collect();
            json!({"role": "assistant", "content": blocks})
        }
        Entry::Results(results) => {
            let block = |it: &Outcome| {
                json!({
                    "type": "tool_result", "tool_use_id": it.id, "content": it.text,
                    "is_error": it.is_error,
                })
            };
            let blocks: Vec<Value> = results.iter().map(block).collect();
            json!({"role": "user", "content": blocks})
        }
    }
}

#[derive(Default)]
struct Stream {
    reply: Reply,
    /// Calls by the number of their block, with their words so far.
    calls: Vec<(u64, Call, String)>,
    is_complete: bool,
}

impl Pieces for Stream {
    fn take(&mut self, event: &Event) -> Result<(), Fault> {
        if event.data.trim().is_empty() {
            return Ok(());
        }
        let piece = fields::piece(&event.data)?;
        if let Some(said) = fields::error_of(&piece) {
            return Err(Fault::Cut(said));
        }
        match fields::text(&piece, "type") {
            "message_start" => {
                let told = piece.get("message").and_then(|message| message.get("usage"));
                self.reply.usage = told.map(usage).unwrap_or_default();
            }
            "content_block_start" => self.start_block(&piece),
            "content_block_delta" => self.take_delta(&piece),
            "message_delta" => self.take_end(&piece),
            "message_stop" => self.is_complete = true,
            _ => {} // pings, and the ends of blocks
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Reply, Fault> {
        super::finished(self.reply, self.calls, self.is_complete)
    }
}

impl Stream {
    fn start_block(&mut self, piece: &Value) {
        let Some(block) = piece.get("content_block") else { return };
        match fields::text(block, "type") {
            "text" => self.reply.text.push_str(fields::text(block, "text")),
            "tool_use" => {
                let number = fields::count(piece, "index").unwrap_or_default();
                self.calls.push((number, call_of(block), String::new()));
            }
            _ => {}
        }
    }

    fn take_delta(&mut self, piece: &Value) {
        let Some(delta) = piece.get("delta") else { return };
        match fields::text(delta, "type") {
            "text_delta" => self.reply.text.push_str(fields::text(delta, "text")),
            "input_json_delta" => {
                let number = fields::count(piece, "index").unwrap_or_default();
                if let Some((.., words)) = self.calls.iter_mut().rfind(|(it, ..)| *it == number) {
                    words.push_str(fields::text(delta, "partial_json"));
                }
            }
            _ => {}
        }
    }

    fn take_end(&mut self, piece: &Value) {
        let reason = piece.get("delta").map(|delta| fields::text(delta, "stop_reason"));
        self.reply.is_cut = reason == Some("max_tokens");
        let told = piece.get("usage").map(usage).unwrap_or_default();
        self.reply.usage.output = told.output.or(self.reply.usage.output);
        // Some servers tell what was sent only now.
        self.reply.usage.input = self.reply.usage.input.max(told.input);
    }
}
