//! Responses: `POST BASE/responses`. Nothing is kept by the server; every request carries the whole conversation.

use serde_json::{Value, json};

use crate::{
    conversation::{Call, Conversation, Entry, Outcome, Reply, Usage, arguments},
    fault::Fault,
    settings::Settings,
};

use super::{Pieces, Wire, fields, offers, sse::Event, temperature, with_options};

pub struct Responses;

impl Wire for Responses {
    fn path(&self) -> &'static str {
        "/responses"
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        key.map(|key| ("authorization", format!("Bearer {key}"))).into_iter().collect()
    }

    fn body(&self, settings: &Settings, conversation: &Conversation) -> Value {
        let items: Vec<Value> = conversation.entries.iter().flat_map(items).collect();
        let tool = |offer: super::Offer| {
            json!({
                "type": "function", "name": offer.name, "description": offer.about,
                "parameters": offer.schema, "strict": false,
            })
        };
        let tools: Vec<Value> = offers(conversation).into_iter().map(tool).collect();
        let body = json!({
            "model": settings.model,
            "instructions": conversation.system,
            "input": items,
            "tools": tools,
            "max_output_tokens": settings.reply.max_tokens,
            "store": false,
            "stream": settings.reply.stream,
        });
        with_options(body, &[("temperature", temperature(settings))])
    }

    fn whole(&self, document: &Value) -> Result<Reply, Fault> {
        reply_of(document, fields::list(document, "output"))
    }

    fn pieces(&self) -> Box<dyn Pieces> {
        Box::new(Stream::default())
    }
}

fn reply_of(document: &Value, output: &[Value]) -> Result<Reply, Fault> {
    if document.get("output").is_none() {
        return Err(Fault::Garbage("it has no output".into()));
    }
    if fields::text(document, "status") == "failed" {
        return Err(Fault::Cut("the server says that it failed".into()));
    }
    let mut reply = Reply {
        is_cut: fields::text(document, "status") == "incomplete",
        usage: usage(document.get("usage")),
        ..Reply::default()
    };
    for item in output {
        match fields::text(item, "type") {
            "message" => {
                let parts = fields::list(item, "content").iter();
                reply.text.extend(parts.map(|part| fields::text(part, "text")));
            }
            "function_call" => reply.calls.push(Call {
                id: fields::text(item, "call_id").to_owned(),
                name: fields::text(item, "name").to_owned(),
                arguments: arguments(fields::text(item, "arguments")),
            }),
            _ => {} // reasoning, and kinds we did not ask for
        }
    }
    Ok(reply)
}

fn usage(usage: Option<&Value>) -> Usage {
    let count = |name: &str| usage.and_then(|usage| fields::count(usage, name));
    Usage { input: count("input_tokens"), output: count("output_tokens") }
}

fn items(entry: &Entry) -> Vec<Value> {
    match entry {
        Entry::Said(text) => vec![message("user", "input_text", text)],
        Entry::Replied(reply) => {
            let said =
                (!reply.text.is_empty()).then(|| message("assistant", "output_text", &reply.text));
            let call = |call: &Call| {
                json!({
                    "type": "function_call", "call_id": call.id, "name": call.name,
                    "arguments": call.arguments.to_string(),
                })
            };
            said.into_iter().chain(reply.calls.iter().map(call)).collect()
        }
        Entry::Results(results) => {
            let output = |it: &Outcome| json!({"type": "function_call_output", "call_id": it.id, "output": it.text});
            results.iter().map(output).collect()
        }
    }
}

fn message(role: &str, kind: &str, text: &str) -> Value {
    json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
}

#[derive(Default)]
struct Stream {
    /// Items that are done, for servers that leave them out of the last event.
    items: Vec<Value>,
    done: Option<Value>,
}

impl Pieces for Stream {
    fn take(&mut self, event: &Event) -> Result<(), Fault> {
        let data = event.data.trim();
        if data.is_empty() || data == "[DONE]" {
            return Ok(());
        }
        let mut piece = fields::piece(data)?;
        match fields::text(&piece, "type") {
            "response.output_item.done" => {
                self.items.extend(piece.get_mut("item").map(Value::take))
            }
            "response.completed" | "response.incomplete" => {
                self.done = piece.get_mut("response").map(Value::take);
            }
            "response.failed" => {
                let said = piece.get("response").and_then(fields::error_of);
                return Err(Fault::Cut(said.unwrap_or_else(|| "the server gave up".into())));
            }
            _ => {
                if let Some(said) = fields::error_of(&piece) {
                    return Err(Fault::Cut(said));
                }
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Reply, Fault> {
        let cut = || Fault::Cut("the stream ended in the middle".into());
        let done = self.done.ok_or_else(cut)?;
        let output = fields::list(&done, "output");
        reply_of(&done, if output.is_empty() { &self.items } else { output })
    }
}
