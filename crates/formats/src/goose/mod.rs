//! Goose's sessions: `sessions.db` (put into this form where it is opened), what `goose session export` prints, and the older
//! `sessions/*.jsonl`, a header and then a message a line.
//!
//! What a model streams is written in pieces: a message in several rows, its thinking in a block for each piece. Both are put
//! together again.

use std::borrow::Cow;

use serde_json::{Map, Value as Json};

use super::{
    EditsTold, Head, Offers, Preparation, Shape, chat,
    object::Object,
    peek,
    records::{Event, Record, Records, arguments},
    tape::Value,
};
use trajview_run::{Role, Tokens};

#[derive(Debug, Clone, Copy)]
pub struct Goose;

/// What the session used up to now: columns of the database, and from 1.46 on objects in what is exported.
fn totals(fields: &Object<'_>) -> Tokens {
    for key in ["accumulated_usage", "usage"] {
        let tokens = fields.object(key).map(|usage| used(&usage)).unwrap_or_default();
        if tokens.is_recorded() {
            return tokens;
        }
    }
    let named = |name: &str| {
        let accumulated = format!("accumulated_{name}");
        fields.number(&accumulated).or_else(|| fields.number(name))
    };
    Tokens {
        input: named("input_tokens"),
        cached_input: named("cache_read_tokens"),
        output: named("output_tokens"),
        cache_write: named("cache_write_tokens"),
        ..Tokens::default()
    }
}

/// Usage of one response or of several. What was read from a cache is a part of the input.
fn used(usage: &Object<'_>) -> Tokens {
    let first = |keys: &[&str]| keys.iter().find_map(|key| usage.number(key));
    Tokens {
        input: usage.number("input_tokens"),
        cached_input: first(&["cache_read_input_tokens", "cache_read_tokens"]),
        output: usage.number("output_tokens"),
        cache_write: first(&["cache_write_input_tokens", "cache_write_tokens"]),
        ..Tokens::default()
    }
}

impl Records for Goose {
    fn name(&self) -> &'static str {
        "goose"
    }

    fn about(&self) -> &'static str {
        "Goose session: sessions.db, sessions/*.jsonl, or the output of goose session export"
    }

    fn sample(&self) -> &'static str {
        "logs/goose.jsonl"
    }

    fn offers(&self) -> Offers {
        // Of turns only the newest databases have tokens.
        Offers::new(Shape::Lines, EditsTold::Text).times()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        let is_header = |object: &Object<'_>| {
            object.has("working_dir")
                && (object.has("message_count")
                    || object.has("total_tokens")
                    || object.has("goose"))
        };
        let is_message = |object: &Object<'_>| {
            object.has("role")
                && object
                    .array("content")
                    .into_iter()
                    .filter_map(Object::of)
                    .any(|block| block.has("toolCall") || block.has("toolResult"))
        };
        peek::any(head, &["\"working_dir\""], is_header)
            || peek::any(head, &["\"toolRequest\""], is_message)
    }

    fn preparation(&self, head: &Head<'_>) -> Option<Preparation> {
        let is_export =
            |object: &Object<'_>| object.has("working_dir") && object.has("conversation");
        peek::any(head, &["\"working_dir\"", "\"conversation\""], is_export)
            .then_some(whole_messages)
    }

    fn header<'t>(&self, document: Value<'t>) -> Record<'t> {
        let mut record = Record::default();
        let fields = Object::of(document).unwrap_or_default();
        record.facts.agent = Some(Cow::Borrowed("goose"));
        if fields.has("working_dir") {
            record.facts.id = fields.text("id");
            record.facts.root = fields.text("working_dir");
            record.facts.title = fields.text_of(&["description", "name"]);
            record.facts.model =
                fields.object("model_config").and_then(|model| model.text("model_name"));
            record.tokens = totals(&fields);
            record.cost_usd = fields.amount("accumulated_cost");
        }
        record
    }

    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        match Object::of(value) {
            Some(fields) if fields.has("working_dir") && !fields.has("role") => {
                fields.array("conversation")
            }
            _ if value.is_list() => value.elements().collect(),
            _ => vec![value],
        }
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        if let Some(usage) = fields.object("usage_ledger") {
            return Record {
                tokens: used(&usage),
                cost_usd: usage.amount("cost"),
                ..Record::default()
            };
        }
        let mut made = chat::message(&fields);
        let metadata = fields.object("metadata").unwrap_or_default();
        if metadata.flag("userVisible") == Some(false) {
            // The program's own words to the model, in the name of the user.
            made.events.iter_mut().for_each(from_program);
        }
        made.time = chat::time_of(&fields, &["created", "created_timestamp"]);
        let results = fields
            .array("content")
            .into_iter()
            .filter_map(|block| Object::of(block)?.object("toolResult"));
        let mut results = results.collect::<Vec<_>>().into_iter();
        for event in &mut made.events {
            let Event::Answered(answer) = event else { continue };
            let Some(result) = results.next() else { continue };
            let value = result.get("value").or_else(|| result.get("error"));
            answer.text = value.map(arguments::words).unwrap_or_default();
            answer.is_error = result.text("status").as_deref() == Some("error");
            answer.is_ok = result.text("status").as_deref() == Some("success");
        }
        made
    }
}

fn from_program(event: &mut Event<'_>) {
    if let Event::Request(text) = event {
        *event = Event::Said(Role::System, std::mem::take(text));
    }
}

/// An export with the pieces of its messages put together; None where there are none.
fn whole_messages(document: &[u8]) -> Option<Vec<u8>> {
    let mut document: Map<String, Json> = serde_json::from_slice(document).ok()?;
    let Some(Json::Array(conversation)) = document.get_mut("conversation") else { return None };
    let messages = std::mem::take(conversation);
    let count = pieces(&messages);
    let objects: Option<Vec<Map<String, Json>>> = messages
        .into_iter()
        .map(|it| if let Json::Object(it) = it { Some(it) } else { None })
        .collect();
    let joined: Vec<Json> = joined(objects?).into_iter().map(Json::Object).collect();
    if pieces(&joined) == count {
        return None;
    }
    document.insert("conversation".into(), joined.into());
    serde_json::to_vec(&document).ok()
}

/// How many messages, and blocks in them, there are.
fn pieces(messages: &[Json]) -> usize {
    let blocks =
        |message: &Json| message.get("content").and_then(Json::as_array).map_or(0, Vec::len);
    messages.iter().map(|message| 1 + blocks(message)).sum()
}

/// Messages of which the pieces are put together: those of one id that follow each other, and of what has no id those of the
/// assistant that are words alone.
pub fn joined(messages: Vec<Map<String, Json>>) -> Vec<Map<String, Json>> {
    let mut all: Vec<Map<String, Json>> = vec![];
    for mut message in messages {
        let content = message.get_mut("content").and_then(Json::as_array_mut);
        let blocks = content.map(std::mem::take).unwrap_or_default();
        let is_streamed = is_said(&message);
        match all.last_mut().filter(|last| goes_on(last, &message, &blocks)) {
            Some(last) => {
                if let Some(Json::Array(content)) = last.get_mut("content") {
                    add(content, blocks, is_streamed);
                }
                // What was counted stands with the last piece.
                message.remove("content");
                message.remove("created");
                message.retain(|_, value| !value.is_null());
                last.extend(message);
            }
            None => {
                if message.get("content").is_some_and(Json::is_array) {
                    let mut content = vec![];
                    add(&mut content, blocks, is_streamed);
                    message.insert("content".into(), content.into());
                }
                all.push(message);
            }
        }
    }
    all
}

/// Whether a message is a further piece of the one before.
fn goes_on(last: &Map<String, Json>, next: &Map<String, Json>, blocks: &[Json]) -> bool {
    let is_words = |block: &Json| matches!(block["type"].as_str(), Some("text" | "thinking"));
    let before = last.get("content").and_then(Json::as_array);
    let id =
        |message: &Map<String, Json>| message.get("id").and_then(Json::as_str).map(str::to_owned);
    let is_same = last.get("role") == next.get("role");
    is_same
        && before.is_some()
        && match (id(last), id(next)) {
            (None, None) => {
                is_said(next) && blocks.iter().chain(before.into_iter().flatten()).all(is_words)
            }
            (last, next) => last == next,
        }
}

/// Whether a message is the model's.
fn is_said(message: &Map<String, Json>) -> bool {
    message.get("role").and_then(Json::as_str) == Some("assistant")
}

/// Adds blocks to others; where they were streamed, a piece of thinking, or of what is said, to the piece before it.
fn add(content: &mut Vec<Json>, blocks: Vec<Json>, are_streamed: bool) {
    let kind = |block: &Json| match block["type"].as_str() {
        Some("text") => Some("text"),
        Some("thinking") => Some("thinking"),
        _ => None,
    };
    for block in blocks {
        let key = kind(&block).filter(|_| are_streamed);
        match (key, content.last_mut()) {
            (Some(key), Some(last)) if kind(last) == Some(key) => {
                let both = [&*last, &block].map(|it| it[key].as_str().unwrap_or_default()).concat();
                last[key] = both.into();
            }
            _ => content.push(block),
        }
    }
}
