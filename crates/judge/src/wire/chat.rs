//! Chat completions: `POST BASE/chat/completions`.

use serde_json::{Value, json};

use crate::{
    conversation::{Call, Conversation, Entry, Outcome, Reply, Usage, arguments},
    fault::Fault,
    settings::Settings,
};

use super::{Pieces, Wire, fields, offers, sse::Event, temperature, with_options};

pub struct Chat;

impl Wire for Chat {
    fn path(&self) -> &'static str {
        "/chat/completions"
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        key.map(|key| ("authorization", format!("Bearer {key}"))).into_iter().collect()
    }

    fn body(&self, settings: &Settings, conversation: &Conversation) -> Value {
        let system = json!({"role": "system", "content": conversation.system});
        let messages: Vec<Value> =
            std::iter::once(system).chain(conversation.entries.iter().flat_map(messages)).collect();
        let tool = |offer: super::Offer| {
            json!({"type": "function", "function": {
                "name": offer.name, "description": offer.about, "parameters": offer.schema,
            }})
        };
        let tools: Vec<Value> = offers(conversation).into_iter().map(tool).collect();
        let body = json!({
            "model": settings.model,
            "messages": messages,
            "tools": tools,
            "max_completion_tokens": settings.reply.max_tokens,
            "stream": settings.reply.stream,
        });
        let with_usage = settings.reply.stream.then(|| json!({"include_usage": true}));
        with_options(
            body,
            &[("temperature", temperature(settings)), ("stream_options", with_usage)],
        )
    }

    fn whole(&self, document: &Value) -> Result<Reply, Fault> {
        let choice = fields::list(document, "choices").first();
        let choice = choice.ok_or_else(|| Fault::Garbage("it has no choices".into()))?;
        let message = choice
            .get("message")
            .ok_or_else(|| Fault::Garbage("its choice has no message".into()))?;
        let call = |call: &Value| {
            let function = call.get("function")?;
            Some(call_of(
                fields::text(call, "id"),
                fields::text(function, "name"),
                &words_of(function),
            ))
        };
        Ok(Reply {
            text: content(message.get("content")),
            calls: fields::list(message, "tool_calls").iter().filter_map(call).collect(),
            usage: usage(document.get("usage")),
            is_cut: fields::text(choice, "finish_reason") == "length",
        })
    }

    fn pieces(&self) -> Box<dyn Pieces> {
        Box::new(Stream::default())
    }
}

fn call_of(id: &str, name: &str, words: &str) -> Call {
    Call { id: id.to_owned(), name: name.to_owned(), arguments: arguments(words) }
}

/// Arguments are words with JSON in them; some servers send the object itself.
fn words_of(function: &Value) -> String {
    match function.get("arguments") {
        Some(Value::String(words)) => words.clone(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

/// Text, or a list of parts with text.
fn content(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().map(|part| fields::text(part, "text")).collect(),
        _ => String::new(),
    }
}

fn usage(usage: Option<&Value>) -> Usage {
    let count = |name: &str| usage.and_then(|usage| fields::count(usage, name));
    Usage { input: count("prompt_tokens"), output: count("completion_tokens") }
}

fn messages(entry: &Entry) -> Vec<Value> {
    match entry {
        Entry::Said(text) => vec![json!({"role": "user", "content": text})],
        Entry::Replied(reply) => vec![replied(reply)],
        Entry::Results(results) => {
            let message =
                |it: &Outcome| json!({"role": "tool", "tool_call_id": it.id, "content": it.text});
            results.iter().map(message).collect()
        }
    }
}

fn replied(reply: &Reply) -> Value {
    let mut message = json!({"role": "assistant", "content": reply.text});
    if !reply.calls.is_empty() {
        let call = |call: &Call| {
            json!({"id": call.id, "type": "function", "function": {
                "name": call.name, "arguments": call.arguments.to_string(),
            }})
        };
        message["tool_calls"] = reply.calls.iter().map(call).collect();
    }
    message
}

#[derive(Default)]
struct Stream {
    reply: Reply,
    /// Calls by the server's own number, with their words so far.
    calls: Vec<(Option<u64>, Call, String)>,
    is_complete: bool,
}

impl Pieces for Stream {
    fn take(&mut self, event: &Event) -> Result<(), Fault> {
        if event.data.trim() == "[DONE]" {
            self.is_complete = true;
            return Ok(());
        }
        if event.data.trim().is_empty() {
            return Ok(());
        }
        let piece = fields::piece(&event.data)?;
        if let Some(said) = fields::error_of(&piece) {
            return Err(Fault::Cut(said));
        }
        if piece.get("usage").is_some_and(Value::is_object) {
            self.reply.usage = usage(piece.get("usage"));
        }
        if let Some(choice) = fields::list(&piece, "choices").first() {
            self.take_choice(choice);
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Reply, Fault> {
        super::finished(self.reply, self.calls, self.is_complete)
    }
}

impl Stream {
    fn take_choice(&mut self, choice: &Value) {
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.is_complete = true;
            self.reply.is_cut = reason == "length";
        }
        let Some(delta) = choice.get("delta") else { return };
        self.reply.text.push_str(&content(delta.get("content")));
        for piece in fields::list(delta, "tool_calls") {
            self.take_call(piece);
        }
    }

    fn take_call(&mut self, piece: &Value) {
        let (number, id) = (fields::count(piece, "index"), fields::text(piece, "id"));
        let known = match number {
            Some(_) => self.calls.iter().position(|(it, ..)| *it == number),
            None if id.is_empty() => self.calls.len().checked_sub(1),
            None => self.calls.iter().position(|(_, call, _)| call.id == id),
        };
        let at = known.unwrap_or_else(|| {
            self.calls.push((number, Call::default(), String::new()));
            self.calls.len() - 1
        });
        let (_, call, words) = &mut self.calls[at];
        if call.id.is_empty() {
            call.id = id.to_owned();
        }
        if let Some(function) = piece.get("function") {
            call.name.push_str(fields::text(function, "name"));
            words.push_str(&words_of(function));
        }
    }
}
