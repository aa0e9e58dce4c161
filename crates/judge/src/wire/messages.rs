//! Messages: `POST BASE/messages`.

use serde::Serialize;
use serde_json::{Value, value::RawValue};

use crate::{
    conversation::{
        CallArguments, Conversation, ConversationEntry, JudgeReply, ReplyCall, ReplyUsage,
    },
    fault::JudgeFault,
    settings::JudgeConfig,
};

use super::{ReplyPieces, ToolOffer, Wire, fields, offered_tools, sse::SseEvent, to_body};

/// The version of the protocol that is spoken here.
const VERSION: &str = "2023-06-01";

pub struct MessagesWire;

#[derive(Serialize)]
struct MessagesRequest<'a> {
    model: &'a str,
    max_tokens: u32,
    system: &'a str,
    messages: Vec<EntryMessage<'a>>,
    /// Left out where it is empty: servers refuse an empty list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<MessagesTool>,
    stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
}

#[derive(Serialize)]
struct EntryMessage<'a> {
    role: &'static str,
    content: Vec<ContentBlock<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ContentBlock<'a> {
    Text { text: &'a str },
    ToolUse { id: &'a str, name: &'a str, input: Box<RawValue> },
    ToolResult { tool_use_id: &'a str, content: &'a str, is_error: bool },
}

#[derive(Serialize)]
struct MessagesTool {
    name: &'static str,
    description: &'static str,
    input_schema: Box<RawValue>,
}

impl Wire for MessagesWire {
    fn url_path(&self) -> &'static str {
        "/messages"
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        let version = ("anthropic-version", VERSION.to_owned());
        key.map(|key| ("x-api-key", key.to_owned())).into_iter().chain([version]).collect()
    }

    fn request_body(&self, settings: &JudgeConfig, conversation: &Conversation) -> String {
        let messages = conversation.entries.iter().map(entry_message).collect();
        let tool = |ToolOffer { name, about, schema }| MessagesTool {
            name,
            description: about,
            input_schema: schema,
        };
        to_body(&MessagesRequest {
            model: &settings.model,
            max_tokens: settings.reply.max_tokens,
            system: &conversation.system,
            messages,
            tools: offered_tools(conversation).into_iter().map(tool).collect(),
            stream: settings.reply.stream,
            temperature: settings.reply.temperature,
        })
    }

    fn parse_reply(&self, document: &Value, text: &str) -> Result<JudgeReply, JudgeFault> {
        if document.get("content").is_none() {
            return Err(JudgeFault::Malformed("it has no content".into()));
        }
        let mut reply = JudgeReply {
            is_cut: fields::text_field(document, "stop_reason") == "max_tokens",
            usage: document.get("usage").map(parse_usage).unwrap_or_default(),
            ..JudgeReply::default()
        };
        for (number, block) in fields::list_field(document, "content").iter().enumerate() {
            match fields::text_field(block, "type") {
                "text" => reply.text.push_str(fields::text_field(block, "text")),
                "tool_use" => {
                    let place = ["content", &number.to_string(), "input"];
                    let input = fields::json_text_at(text, &place).unwrap_or_default();
                    let arguments = CallArguments::parse(input);
                    reply.calls.push(ReplyCall { arguments, ..call_of(block) });
                }
                _ => {} // thinking, and kinds we did not ask for
            }
        }
        Ok(reply)
    }

    fn streamed_reply(&self) -> Box<dyn ReplyPieces> {
        Box::new(MessagesStream::default())
    }
}

fn call_of(block: &Value) -> ReplyCall {
    let field = |name| fields::text_field(block, name).to_owned();
    ReplyCall { id: field("id"), name: field("name"), arguments: CallArguments::default() }
}

/// Reads the usage. The input has three parts, by how it was cached.
pub(crate) fn parse_usage(usage: &Value) -> ReplyUsage {
    let sent = ["input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
    let counts: Vec<u64> =
        sent.iter().filter_map(|name| fields::count_field(usage, name)).collect();
    let input = counts.iter().fold(0_u64, |sum, count| sum.saturating_add(*count));
    ReplyUsage {
        input: (!counts.is_empty()).then_some(input),
        output: fields::count_field(usage, "output_tokens"),
    }
}

fn entry_message(entry: &ConversationEntry) -> EntryMessage<'_> {
    let (role, content) = match entry {
        ConversationEntry::Sent(text) => ("user", vec![ContentBlock::Text { text }]),
        ConversationEntry::Replied(reply) => {
            // The protocol takes no message without content, and no empty text.
            let is_silent = reply.text.trim().is_empty();
            let text = if reply.calls.is_empty() && is_silent { "(nothing)" } else { &reply.text };
            let text_block = (!text.trim().is_empty()).then_some(ContentBlock::Text { text });
            let calls = reply.calls.iter().map(|call| ContentBlock::ToolUse {
                id: &call.id,
                name: &call.name,
                input: input_of(&call.arguments),
            });
            ("assistant", text_block.into_iter().chain(calls).collect())
        }
        ConversationEntry::Results(results) => {
            let blocks = results.iter().map(|it| ContentBlock::ToolResult {
                tool_use_id: &it.id,
                content: &it.text,
                is_error: it.is_error,
            });
            ("user", blocks.collect())
        }
    };
    EntryMessage { role, content }
}

/// Returns the arguments as the judge wrote them; the protocol takes an object only.
fn input_of(arguments: &CallArguments) -> Box<RawValue> {
    let written = Some(arguments).filter(|it| it.value().is_object());
    let text = written.map_or("{}", CallArguments::json_text);
    // The text of arguments is JSON.
    RawValue::from_string(text.to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

#[derive(Default)]
struct MessagesStream {
    reply: JudgeReply,
    /// Calls by the number of their block, with their words so far.
    calls: Vec<(u64, ReplyCall, String)>,
    is_complete: bool,
}

impl ReplyPieces for MessagesStream {
    fn take_event(&mut self, event: &SseEvent) -> Result<(), JudgeFault> {
        if event.data.trim().is_empty() {
            return Ok(());
        }
        let piece = fields::parse_event_data(&event.data)?;
        if let Some(message) = fields::error_of(&piece) {
            return Err(JudgeFault::BrokenOff(message));
        }
        match fields::text_field(&piece, "type") {
            "message_start" => {
                let usage_field = piece.get("message").and_then(|message| message.get("usage"));
                self.reply.usage = usage_field.map(parse_usage).unwrap_or_default();
            }
            "content_block_start" => self.start_block(&piece),
            "content_block_delta" => self.take_delta(&piece),
            "message_delta" => self.take_end(&piece),
            "message_stop" => self.is_complete = true,
            _ => {} // pings, and the ends of blocks
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<JudgeReply, JudgeFault> {
        super::finish_reply(self.reply, self.calls, self.is_complete)
    }
}

impl MessagesStream {
    fn start_block(&mut self, piece: &Value) {
        let Some(block) = piece.get("content_block") else { return };
        match fields::text_field(block, "type") {
            "text" => self.reply.text.push_str(fields::text_field(block, "text")),
            "tool_use" => {
                let number = fields::count_field(piece, "index").unwrap_or_default();
                self.calls.push((number, call_of(block), String::new()));
            }
            _ => {}
        }
    }

    fn take_delta(&mut self, piece: &Value) {
        let Some(delta) = piece.get("delta") else { return };
        match fields::text_field(delta, "type") {
            "text_delta" => self.reply.text.push_str(fields::text_field(delta, "text")),
            "input_json_delta" => {
                let number = fields::count_field(piece, "index").unwrap_or_default();
                if let Some((.., words)) = self.calls.iter_mut().rfind(|(it, ..)| *it == number) {
                    words.push_str(fields::text_field(delta, "partial_json"));
                }
            }
            _ => {}
        }
    }

    fn take_end(&mut self, piece: &Value) {
        let reason = piece.get("delta").map(|delta| fields::text_field(delta, "stop_reason"));
        self.reply.is_cut = reason == Some("max_tokens");
        let usage = piece.get("usage").map(parse_usage).unwrap_or_default();
        self.reply.usage.output = usage.output.or(self.reply.usage.output);
        // Some servers tell what was sent only now.
        self.reply.usage.input = self.reply.usage.input.max(usage.input);
    }
}
