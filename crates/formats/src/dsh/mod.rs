//! DeepSeek Harness' sessions: `~/.dsh/sessions/**/session.jsonl.zstd`, from version 3 of the format on
//! `session.v3.jsonl.zstd`. A header and then events, numbered, with their content under `data`.

use std::borrow::Cow;

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, chat, head_json,
    json_object::JsonObject,
    records::{CallAnswer, LogRecord, RecordEvent, RecordFormat, RecordedCall, arguments},
    tape::TapeValue,
};
use trajview_run::{Role, Tokens};

pub struct Dsh;

/// Events of the program itself that contain no message or action of the agent. A message in pieces (`assistant/chunk` and
/// the packed ones) is whole in `assistant/message`; a call of an agent's program (`tool/code-dispatch`) belongs to its
/// call.
const HIDDEN_EVENTS: [&str; 13] = [
    "agent",
    "agent-preset",
    "approval",
    "command",
    "feedback",
    "hook",
    "model",
    "permission",
    "plan",
    "request",
    "sandbox",
    "schedule",
    "session-log-deepseek",
];

impl RecordFormat for Dsh {
    fn name(&self) -> &'static str {
        "dsh"
    }

    fn short_description(&self) -> &'static str {
        "DeepSeek Harness session, ~/.dsh/sessions/**/session*.jsonl.zstd"
    }

    fn sample_path(&self) -> &'static str {
        "logs/dsh.jsonl"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Lines, RecordedEdits::Text)
            .with_tokens()
            .with_times()
    }

    /// Pi's sessions have a header of the same type, with a time in the place of `createdAt`.
    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let is_header = |object: &JsonObject<'_>| {
            object.text("type").as_deref() == Some("session")
                && object.has_field("id")
                && object.has_field("version")
                && (object.has_field("createdAt") || object.has_field("delegationDepth"))
        };
        let is_event = |object: &JsonObject<'_>| {
            let kind = object.text("type").unwrap_or_default();
            let is_said =
                ["user/message", "assistant/message", "tool/call", "tool/result", "turn/start"];
            is_said.contains(&&*kind) && object.has_field("seq") && object.has_field("data")
        };
        head_json::any_object(head, &["\"session\""], is_header)
            || head_json::any_object(head, &["\"seq\"", "\"data\""], is_event)
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        let kind = fields.text("type").unwrap_or_default();
        let data = fields.object("data").unwrap_or_default();
        let mut made = LogRecord::default();
        match &*kind {
            "session" => {
                made.facts.agent = Some(Cow::Borrowed("dsh"));
                made.facts.id = fields.text("id");
                made.facts.root = fields.text("cwd");
            }
            "session/title" => made.facts.title = data.text("title"),
            "request/context" => made.facts.model = data.text("model"),
            "request/header" => made.facts.model = model_of_header(&data),
            "system/message" => {
                let text = arguments::content_field_text(&message_in(&data), "content");
                made.push_text(|text| RecordEvent::Message(Role::System, text), text);
            }
            "user/message" => made = request_record(&message_in(&data)),
            "assistant/message" => made = response_record(&data),
            "tool/call" => made.push_event(RecordEvent::Call(read_call(&data))),
            "tool/result" => made.push_event(RecordEvent::Answer(read_answer(&data))),
            "compaction/summary" => {
                made.push_event(RecordEvent::Compacted(arguments::content_field_text(
                    &data, "summary",
                )));
                made.tokens = read_tokens(&data.object("usage").unwrap_or_default());
            }
            "llm/retry" => {
                let why = data.get("failure").map(arguments::error_text).unwrap_or_default();
                made.push_text(RecordEvent::Failed, why);
            }
            "turn/end" => {
                let reason = data.object("reason").unwrap_or_default();
                if matches!(reason.text("kind").as_deref(), Some("error" | "failed")) {
                    let why = reason.get("error").map(arguments::error_text);
                    made.push_text(RecordEvent::Failed, why.unwrap_or_default());
                }
            }
            kind if is_hidden_event(kind) => {}
            _ => made.push_event(RecordEvent::unknown_kind(kind, "event without a type")),
        }
        made.time = chat::first_time(&fields, &["time", "createdAt"]);
        made
    }
}

fn is_hidden_event(kind: &str) -> bool {
    let family = kind.split('/').next().unwrap_or_default();
    let more = [
        "compaction",
        "goal",
        "llm",
        "session",
        "step",
        "subagent",
        "team",
        "todo",
        "tool-workflow",
        "turn",
        "web",
    ];
    let pieces = [
        "assistant/chunk",
        "assistant/attempt",
        "text-chunks",
        "reasoning-chunks",
        "tool-call-chunks",
    ];
    kind.contains('/') && (HIDDEN_EVENTS.contains(&family) || more.contains(&family))
        || pieces.contains(&kind)
        || kind.starts_with("tool/code-dispatch")
        || kind.starts_with("tool/ptc-dispatch")
}

/// Returns the message of an event: of a user's the data itself, in versions before it stood below.
fn message_in<'t>(data: &JsonObject<'t>) -> JsonObject<'t> {
    data.object("message").unwrap_or(*data)
}

fn model_of_header<'t>(data: &JsonObject<'t>) -> Option<Cow<'t, str>> {
    data.object("header")?.object("config")?.text("model")
}

/// Reads a request of a person, or a text that the program put before the model in their place.
fn request_record<'t>(message: &JsonObject<'t>) -> LogRecord<'t> {
    let source = message.object("source").unwrap_or_default();
    let is_person = matches!(source.text("kind").as_deref(), None | Some("user" | "goal"));
    let mut made =
        chat::content_record(if is_person { "user" } else { "system" }, message.get("content"));
    // The checkpoint of a compaction says its summary once more.
    if source.has_field("compactionId") {
        made.events.clear();
    }
    made
}

/// Reads a message of the model; its calls are events of their own.
fn response_record<'t>(data: &JsonObject<'t>) -> LogRecord<'t> {
    let message = message_in(data);
    let source = message.object("source").unwrap_or_default();
    let mut made = chat::content_record("assistant", message.get("content"));
    made.events.retain(|event| !matches!(event, RecordEvent::Call(_)));
    if !message.has_field("content") {
        add_streamed_pieces(&mut made, data);
    }
    made.facts.model = source.text("model").or_else(|| message.text("model"));
    made.tokens = read_tokens(&data.object("usage").unwrap_or_default());
    made
}

/// Adds a message that is recorded only in the pieces of its stream, as newer versions write it.
fn add_streamed_pieces<'t>(made: &mut LogRecord<'t>, data: &JsonObject<'t>) {
    let (mut message_text, mut thought) = (String::new(), String::new());
    for piece in data.elements_of("stream").into_iter().filter_map(JsonObject::from_value) {
        let chunk = piece.object("chunk").unwrap_or(piece);
        let text = chunk.first_text(&["text", "delta"]).unwrap_or_default();
        match &*chunk.text("type").unwrap_or_default() {
            "text" | "text-delta" | "text-chunk" => message_text += &text,
            "reasoning" | "reasoning-delta" | "reasoning-chunk" => thought += &text,
            _ => {}
        }
    }
    made.push_text(RecordEvent::Thought, thought.into());
    made.push_text(|text| RecordEvent::Message(Role::Assistant, text), message_text.into());
}

fn read_call<'t>(data: &JsonObject<'t>) -> RecordedCall<'t> {
    chat::read_call(data)
}

fn read_answer<'t>(data: &JsonObject<'t>) -> CallAnswer<'t> {
    let message = message_in(data);
    let block =
        message.elements_of("content").into_iter().filter_map(JsonObject::from_value).next();
    let block = block.filter(|block| block.text("type").as_deref() == Some("tool-result"));
    let mut answer = chat::read_answer(&block.unwrap_or(message));
    if answer.call.is_empty() {
        let source = message.object("source").unwrap_or_default();
        let ids = [source.text("callId"), data.first_text(&["callId", "toolCallId"])];
        answer.call = ids.into_iter().flatten().next().unwrap_or_default();
    }
    if let Some(error) = data.get("error") {
        answer.is_error = true;
        answer.is_ok = false;
        if answer.text.is_empty() {
            answer.text = arguments::error_text(error);
        }
    }
    answer
}

/// Reads tokens. The input is counted without tokens read from the cache or written to it, the output with thinking.
fn read_tokens(usage: &JsonObject<'_>) -> Tokens {
    let count = |key: &str| usage.number(key);
    let (read, written) = (count("cacheReadTokens"), count("cacheWriteTokens"));
    Tokens {
        input: count("inputTokens").map(|input| {
            input.saturating_add(read.unwrap_or(0)).saturating_add(written.unwrap_or(0))
        }),
        cached_input: read,
        output: count("outputTokens"),
        reasoning: count("reasoningTokens"),
        cache_write: written,
        ..Tokens::default()
    }
}
