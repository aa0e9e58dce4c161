//! DeepSeek Harness' sessions: `~/.dsh/sessions/**/session.jsonl.zstd`, from version 3 of the format on `session.v3.jsonl.zstd`. A
//! header and then events, numbered, with what they say under `data`.

use std::borrow::Cow;

use super::{
    EditsTold, Head, Offers, Shape, chat,
    object::Object,
    peek,
    records::{Answer, Call, Event, Record, Records, arguments},
    tape::Value,
};
use trajview_run::{Role, Tokens};

#[derive(Debug, Clone, Copy)]
pub struct Dsh;

/// Events of the program itself that say nothing of what the agent said or did. What is said in pieces (`assistant/chunk` and the
/// packed ones) is said whole in `assistant/message`, what a program of the agent calls (`tool/code-dispatch`) belongs to its call.
const NOT_SHOWN: [&str; 13] = [
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

impl Records for Dsh {
    fn name(&self) -> &'static str {
        "dsh"
    }

    fn about(&self) -> &'static str {
        "DeepSeek Harness session, ~/.dsh/sessions/**/session*.jsonl.zstd"
    }

    fn sample(&self) -> &'static str {
        "logs/dsh.jsonl"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Lines, EditsTold::Text).tokens().times()
    }

    /// Pi's sessions have a header of the same type, with a time in the place of `createdAt`.
    fn claims(&self, head: &Head<'_>) -> bool {
        let is_header = |object: &Object<'_>| {
            object.text("type").as_deref() == Some("session")
                && object.has("id")
                && object.has("version")
                && (object.has("createdAt") || object.has("delegationDepth"))
        };
        let is_event = |object: &Object<'_>| {
            let kind = object.text("type").unwrap_or_default();
            let is_said =
                ["user/message", "assistant/message", "tool/call", "tool/result", "turn/start"];
            is_said.contains(&&*kind) && object.has("seq") && object.has("data")
        };
        peek::any(head, &["\"session\""], is_header)
            || peek::any(head, &["\"seq\"", "\"data\""], is_event)
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        let kind = fields.text("type").unwrap_or_default();
        let data = fields.object("data").unwrap_or_default();
        let mut made = Record::default();
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
                let text = arguments::words_of(&message_of(&data), "content");
                made.says_words(|text| Event::Said(Role::System, text), text);
            }
            "user/message" => made = asked(&message_of(&data)),
            "assistant/message" => made = answered(&data),
            "tool/call" => made.says(Event::Called(called(&data))),
            "tool/result" => made.says(Event::Answered(result(&data))),
            "compaction/summary" => {
                made.says(Event::Compacted(arguments::words_of(&data, "summary")));
                made.tokens = tokens(&data.object("usage").unwrap_or_default());
            }
            "llm/retry" => {
                let why = data.get("failure").map(arguments::error_words).unwrap_or_default();
                made.says_words(Event::Failed, why);
            }
            "turn/end" => {
                let reason = data.object("reason").unwrap_or_default();
                if matches!(reason.text("kind").as_deref(), Some("error" | "failed")) {
                    let why = reason.get("error").map(arguments::error_words);
                    made.says_words(Event::Failed, why.unwrap_or_default());
                }
            }
            kind if is_not_shown(kind) => {}
            _ => made.says(Event::unknown(kind, "event without a type")),
        }
        made.time = chat::time_of(&fields, &["time", "createdAt"]);
        made
    }
}

fn is_not_shown(kind: &str) -> bool {
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
    kind.contains('/') && (NOT_SHOWN.contains(&family) || more.contains(&family))
        || pieces.contains(&kind)
        || kind.starts_with("tool/code-dispatch")
        || kind.starts_with("tool/ptc-dispatch")
}

/// The message of an event: of a user's the data itself, in versions before it stood below.
fn message_of<'t>(data: &Object<'t>) -> Object<'t> {
    data.object("message").unwrap_or(*data)
}

fn model_of_header<'t>(data: &Object<'t>) -> Option<Cow<'t, str>> {
    data.object("header")?.object("config")?.text("model")
}

/// What a person asked, or what the program put before the model in their place.
fn asked<'t>(message: &Object<'t>) -> Record<'t> {
    let source = message.object("source").unwrap_or_default();
    let is_person = matches!(source.text("kind").as_deref(), None | Some("user" | "goal"));
    let mut made = chat::content(if is_person { "user" } else { "system" }, message.get("content"));
    // The checkpoint of a compaction says its summary once more.
    if source.has("compactionId") {
        made.events.clear();
    }
    made
}

/// What the model said; its calls stand in events of their own.
fn answered<'t>(data: &Object<'t>) -> Record<'t> {
    let message = message_of(data);
    let source = message.object("source").unwrap_or_default();
    let mut made = chat::content("assistant", message.get("content"));
    made.events.retain(|event| !matches!(event, Event::Called(_)));
    if !message.has("content") {
        streamed(&mut made, data);
    }
    made.facts.model = source.text("model").or_else(|| message.text("model"));
    made.tokens = tokens(&data.object("usage").unwrap_or_default());
    made
}

/// What stands only in the pieces in which it came, as newer versions write it.
fn streamed<'t>(made: &mut Record<'t>, data: &Object<'t>) {
    let (mut said, mut thought) = (String::new(), String::new());
    for piece in data.array("stream").into_iter().filter_map(Object::of) {
        let chunk = piece.object("chunk").unwrap_or(piece);
        let text = chunk.text_of(&["text", "delta"]).unwrap_or_default();
        match &*chunk.text("type").unwrap_or_default() {
            "text" | "text-delta" | "text-chunk" => said += &text,
            "reasoning" | "reasoning-delta" | "reasoning-chunk" => thought += &text,
            _ => {}
        }
    }
    made.says_words(Event::Thought, thought.into());
    made.says_words(|text| Event::Said(Role::Assistant, text), said.into());
}

fn called<'t>(data: &Object<'t>) -> Call<'t> {
    chat::called(data)
}

fn result<'t>(data: &Object<'t>) -> Answer<'t> {
    let message = message_of(data);
    let block = message.array("content").into_iter().filter_map(Object::of).next();
    let block = block.filter(|block| block.text("type").as_deref() == Some("tool-result"));
    let mut answer = chat::answer(&block.unwrap_or(message));
    if answer.call.is_empty() {
        let source = message.object("source").unwrap_or_default();
        let ids = [source.text("callId"), data.text_of(&["callId", "toolCallId"])];
        answer.call = ids.into_iter().flatten().next().unwrap_or_default();
    }
    if let Some(error) = data.get("error") {
        answer.is_error = true;
        answer.is_ok = false;
        if answer.text.is_empty() {
            answer.text = arguments::error_words(error);
        }
    }
    answer
}

/// The input is counted without what was read from the cache or written to it, the output with the thinking.
fn tokens(usage: &Object<'_>) -> Tokens {
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
