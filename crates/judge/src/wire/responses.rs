//! Responses: `POST BASE/responses`. Nothing is kept by the server; every request carries the whole conversation.

use serde::Serialize;
use serde_json::{Value, json, value::RawValue};

use crate::{
    conversation::{
        CallArguments, CallOutcome, Conversation, ConversationEntry, JudgeReply, ReplyCall,
        ReplyUsage,
    },
    fault::JudgeFault,
    settings::JudgeConfig,
};

use super::{ReplyPieces, ToolOffer, Wire, fields, offered_tools, sse::SseEvent, to_body};

pub struct ResponsesWire;

#[derive(Serialize)]
struct ResponsesRequest<'a> {
    model: &'a str,
    instructions: &'a str,
    input: Vec<Value>,
    /// Left out where it is empty: servers refuse an empty list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ResponsesTool>,
    max_output_tokens: u32,
    store: bool,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
}

#[derive(Serialize)]
struct ResponsesTool {
    #[serde(rename = "type")]
    kind: &'static str,
    name: &'static str,
    description: &'static str,
    parameters: Box<RawValue>,
    strict: bool,
}

impl Wire for ResponsesWire {
    fn url_path(&self) -> &'static str {
        "/responses"
    }

    fn request_body(&self, settings: &JudgeConfig, conversation: &Conversation) -> String {
        let items: Vec<Value> = conversation.entries.iter().flat_map(entry_items).collect();
        let tool = |ToolOffer { name, about, schema }| ResponsesTool {
            kind: "function",
            name,
            description: about,
            parameters: schema,
            strict: false,
        };
        to_body(&ResponsesRequest {
            model: &settings.model,
            instructions: &conversation.system,
            input: items,
            tools: offered_tools(conversation).into_iter().map(tool).collect(),
            max_output_tokens: settings.reply.max_tokens,
            store: false,
            stream: settings.reply.stream,
            temperature: settings.reply.temperature,
        })
    }

    fn parse_reply(&self, document: &Value, _text: &str) -> Result<JudgeReply, JudgeFault> {
        reply_of(document, fields::list_field(document, "output"))
    }

    fn streamed_reply(&self) -> Box<dyn ReplyPieces> {
        Box::new(ResponsesStream::default())
    }
}

fn reply_of(document: &Value, output: &[Value]) -> Result<JudgeReply, JudgeFault> {
    if document.get("output").is_none() {
        return Err(JudgeFault::Malformed("it has no output".into()));
    }
    if fields::text_field(document, "status") == "failed" {
        return Err(JudgeFault::BrokenOff("the server reports a failure".into()));
    }
    let mut reply = JudgeReply {
        is_cut: fields::text_field(document, "status") == "incomplete",
        usage: parse_usage(document.get("usage")),
        ..JudgeReply::default()
    };
    for item in output {
        match fields::text_field(item, "type") {
            "message" => {
                let parts = fields::list_field(item, "content").iter();
                reply.text.extend(parts.map(|part| fields::text_field(part, "text")));
            }
            "function_call" => reply.calls.push(ReplyCall {
                id: fields::text_field(item, "call_id").to_owned(),
                name: fields::text_field(item, "name").to_owned(),
                arguments: CallArguments::parse(fields::text_field(item, "arguments")),
            }),
            _ => {} // reasoning, and kinds we did not ask for
        }
    }
    Ok(reply)
}

fn parse_usage(usage: Option<&Value>) -> ReplyUsage {
    let count = |name: &str| usage.and_then(|usage| fields::count_field(usage, name));
    ReplyUsage { input: count("input_tokens"), output: count("output_tokens") }
}

fn entry_items(entry: &ConversationEntry) -> Vec<Value> {
    match entry {
        ConversationEntry::Sent(text) => vec![message_item("user", "input_text", text)],
        ConversationEntry::Replied(reply) => {
            let text_item = (!reply.text.is_empty())
                .then(|| message_item("assistant", "output_text", &reply.text));
            let call = |call: &ReplyCall| {
                json!({
                    "type": "function_call", "call_id": call.id, "name": call.name,
                    "arguments": call.arguments.json_text(),
                })
            };
            text_item.into_iter().chain(reply.calls.iter().map(call)).collect()
        }
        ConversationEntry::Results(results) => {
            let output = |it: &CallOutcome| json!({"type": "function_call_output", "call_id": it.id, "output": it.text});
            results.iter().map(output).collect()
        }
    }
}

fn message_item(role: &str, kind: &str, text: &str) -> Value {
    json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
}

#[derive(Default)]
struct ResponsesStream {
    /// Items that are done, for servers that leave them out of the last event.
    items: Vec<Value>,
    done: Option<Value>,
}

impl ReplyPieces for ResponsesStream {
    fn take_event(&mut self, event: &SseEvent) -> Result<(), JudgeFault> {
        let data = event.data.trim();
        if data.is_empty() || data == "[DONE]" {
            return Ok(());
        }
        let mut piece = fields::parse_event_data(data)?;
        match fields::text_field(&piece, "type") {
            "response.output_item.done" => {
                self.items.extend(piece.get_mut("item").map(Value::take))
            }
            "response.completed" | "response.incomplete" => {
                self.done = piece.get_mut("response").map(Value::take);
            }
            "response.failed" => {
                let message = piece.get("response").and_then(fields::error_of);
                return Err(JudgeFault::BrokenOff(
                    message.unwrap_or_else(|| "the server gave up".into()),
                ));
            }
            _ => {
                if let Some(message) = fields::error_of(&piece) {
                    return Err(JudgeFault::BrokenOff(message));
                }
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<JudgeReply, JudgeFault> {
        let cut = || JudgeFault::BrokenOff("the stream ended in the middle".into());
        let done = self.done.ok_or_else(cut)?;
        let output = fields::list_field(&done, "output");
        reply_of(&done, if output.is_empty() { &self.items } else { output })
    }
}
