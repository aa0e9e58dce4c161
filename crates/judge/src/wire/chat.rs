//! Chat completions: `POST BASE/chat/completions`.

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

pub struct ChatWire;

#[derive(Serialize)]
struct ChatRequest<'a> {
    model: &'a str,
    messages: Vec<Value>,
    /// Left out where it is empty: servers refuse an empty list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ChatTool>,
    max_completion_tokens: u32,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_options: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
}

#[derive(Serialize)]
struct ChatTool {
    #[serde(rename = "type")]
    kind: &'static str,
    function: ChatFunction,
}

#[derive(Serialize)]
struct ChatFunction {
    name: &'static str,
    description: &'static str,
    parameters: Box<RawValue>,
}

impl Wire for ChatWire {
    fn url_path(&self) -> &'static str {
        "/chat/completions"
    }

    fn request_body(&self, settings: &JudgeConfig, conversation: &Conversation) -> String {
        let system = json!({"role": "system", "content": conversation.system});
        let messages: Vec<Value> = std::iter::once(system)
            .chain(conversation.entries.iter().flat_map(entry_messages))
            .collect();
        let tool = |ToolOffer { name, about, schema }| ChatTool {
            kind: "function",
            function: ChatFunction { name, description: about, parameters: schema },
        };
        to_body(&ChatRequest {
            model: &settings.model,
            messages,
            tools: offered_tools(conversation).into_iter().map(tool).collect(),
            max_completion_tokens: settings.reply.max_tokens,
            stream: settings.reply.stream,
            stream_options: settings.reply.stream.then(|| json!({"include_usage": true})),
            temperature: settings.reply.temperature,
        })
    }

    fn parse_reply(&self, document: &Value, text: &str) -> Result<JudgeReply, JudgeFault> {
        let choice = fields::list_field(document, "choices").first();
        let choice = choice.ok_or_else(|| JudgeFault::Malformed("it has no choices".into()))?;
        let message = choice
            .get("message")
            .ok_or_else(|| JudgeFault::Malformed("its choice has no message".into()))?;
        let call = |(number, call): (usize, &Value)| {
            let function = call.get("function")?;
            let number = number.to_string();
            let place = ["choices", "0", "message", "tool_calls", &number, "function", "arguments"];
            Some(ReplyCall {
                id: fields::text_field(call, "id").to_owned(),
                name: fields::text_field(function, "name").to_owned(),
                arguments: CallArguments::parse(&words_of(function, text, &place)),
            })
        };
        let calls = fields::list_field(message, "tool_calls").iter().enumerate();
        Ok(JudgeReply {
            text: content_text(message.get("content")),
            calls: calls.filter_map(call).collect(),
            usage: parse_usage(document.get("usage")),
            is_cut: fields::text_field(choice, "finish_reason") == "length",
        })
    }

    fn streamed_reply(&self) -> Box<dyn ReplyPieces> {
        Box::new(ChatStream::default())
    }
}

/// Returns the arguments as text: words with JSON in them; some servers send the object itself, which is at this place
/// of the document.
fn words_of(function: &Value, document: &str, place: &[&str]) -> String {
    match function.get("arguments") {
        Some(Value::String(words)) => words.clone(),
        Some(Value::Null) | None => String::new(),
        Some(_) => fields::json_text_at(document, place).unwrap_or_default().to_owned(),
    }
}

/// Returns text, or a list of parts with text.
fn content_text(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().map(|part| fields::text_field(part, "text")).collect()
        }
        _ => String::new(),
    }
}

fn parse_usage(usage: Option<&Value>) -> ReplyUsage {
    let count = |name: &str| usage.and_then(|usage| fields::count_field(usage, name));
    ReplyUsage { input: count("prompt_tokens"), output: count("completion_tokens") }
}

fn entry_messages(entry: &ConversationEntry) -> Vec<Value> {
    match entry {
        ConversationEntry::Sent(text) => vec![json!({"role": "user", "content": text})],
        ConversationEntry::Replied(reply) => vec![reply_message(reply)],
        ConversationEntry::Results(results) => {
            let message = |it: &CallOutcome| json!({"role": "tool", "tool_call_id": it.id, "content": it.text});
            results.iter().map(message).collect()
        }
    }
}

fn reply_message(reply: &JudgeReply) -> Value {
    let mut message = json!({"role": "assistant", "content": reply.text});
    if !reply.calls.is_empty() {
        let call = |call: &ReplyCall| {
            json!({"id": call.id, "type": "function", "function": {
                "name": call.name, "arguments": call.arguments.json_text(),
            }})
        };
        message["tool_calls"] = reply.calls.iter().map(call).collect();
    }
    message
}

#[derive(Default)]
struct ChatStream {
    reply: JudgeReply,
    /// Calls by the server's own number, with their words so far.
    calls: Vec<(Option<u64>, ReplyCall, String)>,
    is_complete: bool,
}

impl ReplyPieces for ChatStream {
    fn take_event(&mut self, event: &SseEvent) -> Result<(), JudgeFault> {
        if event.data.trim() == "[DONE]" {
            self.is_complete = true;
            return Ok(());
        }
        if event.data.trim().is_empty() {
            return Ok(());
        }
        let piece = fields::parse_event_data(&event.data)?;
        if let Some(message) = fields::error_of(&piece) {
            return Err(JudgeFault::BrokenOff(message));
        }
        if piece.get("usage").is_some_and(Value::is_object) {
            self.reply.usage = parse_usage(piece.get("usage"));
        }
        if let Some(choice) = fields::list_field(&piece, "choices").first() {
            self.take_choice(choice, &event.data);
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<JudgeReply, JudgeFault> {
        super::finish_reply(self.reply, self.calls, self.is_complete)
    }
}

impl ChatStream {
    fn take_choice(&mut self, choice: &Value, document: &str) {
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.is_complete = true;
            self.reply.is_cut = reason == "length";
        }
        let Some(delta) = choice.get("delta") else { return };
        self.reply.text.push_str(&content_text(delta.get("content")));
        for (number, piece) in fields::list_field(delta, "tool_calls").iter().enumerate() {
            self.take_call(piece, number, document);
        }
    }

    /// Takes a piece of a call, the entry of this number in the document.
    fn take_call(&mut self, piece: &Value, entry: usize, document: &str) {
        let (number, id) = (fields::count_field(piece, "index"), fields::text_field(piece, "id"));
        let index = match number {
            Some(_) => self.calls.iter().position(|(it, ..)| *it == number),
            None if id.is_empty() => self.calls.len().checked_sub(1),
            None => self.calls.iter().position(|(_, call, _)| call.id == id),
        };
        let at = index.unwrap_or_else(|| {
            self.calls.push((number, ReplyCall::default(), String::new()));
            self.calls.len() - 1
        });
        let (_, call, words) = &mut self.calls[at];
        if call.id.is_empty() {
            call.id = id.to_owned();
        }
        if let Some(function) = piece.get("function") {
            call.name.push_str(fields::text_field(function, "name"));
            let entry = entry.to_string();
            let place = ["choices", "0", "delta", "tool_calls", &entry, "function", "arguments"];
            words.push_str(&words_of(function, document, &place));
        }
    }
}
