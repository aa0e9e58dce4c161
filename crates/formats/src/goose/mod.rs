//! Goose's sessions: `sessions.db` (put into this form where it is opened), what `goose session export` prints, and the
//! older `sessions/*.jsonl`, a header and then a message a line.
//!
//! What a model streams is written in pieces: a message in several rows, its thinking in a block for each piece. Both are
//! put together again.

mod database;

use std::borrow::Cow;

use serde_json::{Map, Value as Json};

use super::{
    FileHead, FilePreparation, FormatCapabilities, RecordedEdits, RecordingShape, chat, head_json,
    json_object::JsonObject,
    records::{LogRecord, RecordEvent, RecordFormat, arguments},
    tape::TapeValue,
};
use crate::json_object::JsonFields;
use trajview_run::{Role, Tokens};

pub use database::GooseTables;

pub struct Goose;

/// Reads the tokens of the session so far: columns of the database, and from 1.46 on objects in an export.
fn read_totals(fields: &JsonObject<'_>) -> Tokens {
    for key in ["accumulated_usage", "usage"] {
        let tokens = fields.object(key).map(|usage| read_tokens(&usage)).unwrap_or_default();
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

/// Returns usage of one response or of several. What was read from a cache is a part of the input.
fn read_tokens(usage: &JsonObject<'_>) -> Tokens {
    let first = |keys: &[&str]| keys.iter().find_map(|key| usage.number(key));
    Tokens {
        input: usage.number("input_tokens"),
        cached_input: first(&["cache_read_input_tokens", "cache_read_tokens"]),
        output: usage.number("output_tokens"),
        cache_write: first(&["cache_write_input_tokens", "cache_write_tokens"]),
        ..Tokens::default()
    }
}

impl RecordFormat for Goose {
    fn name(&self) -> &'static str {
        "goose"
    }

    fn short_description(&self) -> &'static str {
        "Goose session: sessions.db, sessions/*.jsonl, or the output of goose session export"
    }

    fn sample_path(&self) -> &'static str {
        "logs/goose.jsonl"
    }

    fn capabilities(&self) -> FormatCapabilities {
        // Of turns only the newest databases have tokens.
        FormatCapabilities::new(RecordingShape::Lines, RecordedEdits::Text).with_times()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let is_header = |object: &JsonObject<'_>| {
            object.has_field("working_dir")
                && (object.has_field("message_count")
                    || object.has_field("total_tokens")
                    || object.has_field("goose"))
        };
        let is_message = |object: &JsonObject<'_>| {
            object.has_field("role")
                && object
                    .elements_of("content")
                    .into_iter()
                    .filter_map(JsonObject::from_value)
                    .any(|block| block.has_field("toolCall") || block.has_field("toolResult"))
        };
        head_json::any_object(head, &["\"working_dir\""], is_header)
            || head_json::any_object(head, &["\"toolRequest\""], is_message)
    }

    fn preparation_for(&self, head: &FileHead<'_>) -> Option<FilePreparation> {
        let is_export = |object: &JsonObject<'_>| {
            object.has_field("working_dir") && object.has_field("conversation")
        };
        head_json::any_object(head, &["\"working_dir\"", "\"conversation\""], is_export)
            .then_some(join_export_pieces)
    }

    fn read_header<'t>(&self, document: TapeValue<'t>) -> LogRecord<'t> {
        let mut record = LogRecord::default();
        let fields = JsonObject::from_value(document).unwrap_or_default();
        record.facts.agent = Some(Cow::Borrowed("goose"));
        if fields.has_field("working_dir") {
            record.facts.id = fields.text("id");
            record.facts.root = fields.text("working_dir");
            record.facts.title = fields.first_text(&["description", "name"]);
            record.facts.model =
                fields.object("model_config").and_then(|model| model.text("model_name"));
            record.tokens = read_totals(&fields);
            record.cost_usd = fields.float("accumulated_cost");
        }
        record
    }

    fn records_in<'t>(&self, value: TapeValue<'t>) -> Vec<TapeValue<'t>> {
        match JsonObject::from_value(value) {
            Some(fields) if fields.has_field("working_dir") && !fields.has_field("role") => {
                fields.elements_of("conversation")
            }
            _ if value.is_list() => value.elements().collect(),
            _ => vec![value],
        }
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        if let Some(usage) = fields.object("usage_ledger") {
            return LogRecord {
                tokens: read_tokens(&usage),
                cost_usd: usage.float("cost"),
                ..LogRecord::default()
            };
        }
        let mut made = chat::message_record(&fields);
        let metadata = fields.object("metadata").unwrap_or_default();
        if metadata.flag("userVisible") == Some(false) {
            // The program's own words to the model, in the name of the user.
            made.events.iter_mut().for_each(into_program_message);
        }
        made.time = chat::first_time(&fields, &["created", "created_timestamp"]);
        let results = fields
            .elements_of("content")
            .into_iter()
            .filter_map(|block| JsonObject::from_value(block)?.object("toolResult"));
        let mut results = results.collect::<Vec<_>>().into_iter();
        for event in &mut made.events {
            let RecordEvent::Answer(answer) = event else { continue };
            let Some(result) = results.next() else { continue };
            let value = result.get("value").or_else(|| result.get("error"));
            answer.text = value.map(arguments::content_text).unwrap_or_default();
            answer.is_error = result.text("status").as_deref() == Some("error");
            answer.is_ok = result.text("status").as_deref() == Some("success");
        }
        made
    }
}

fn into_program_message(event: &mut RecordEvent<'_>) {
    if let RecordEvent::Request(text) = event {
        *event = RecordEvent::Message(Role::System, std::mem::take(text));
    }
}

/// Returns an export with the pieces of its messages put together; None where there are none.
fn join_export_pieces(document: &[u8]) -> Option<Vec<u8>> {
    let mut document: Map<String, Json> = serde_json::from_slice(document).ok()?;
    let Some(Json::Array(conversation)) = document.get_mut("conversation") else { return None };
    let messages = std::mem::take(conversation);
    let count = piece_count(&messages);
    let objects: Option<Vec<Map<String, Json>>> = messages
        .into_iter()
        .map(|it| if let Json::Object(it) = it { Some(it) } else { None })
        .collect();
    let joined: Vec<Json> = join_pieces(objects?).into_iter().map(Json::Object).collect();
    if piece_count(&joined) == count {
        return None;
    }
    document.insert("conversation".into(), joined.into());
    serde_json::to_vec(&document).ok()
}

/// Returns the number of messages, and of blocks in them.
fn piece_count(messages: &[Json]) -> usize {
    let blocks =
        |message: &Json| message.get("content").and_then(Json::as_array).map_or(0, Vec::len);
    messages.iter().map(|message| 1 + blocks(message)).sum()
}

/// Joins the pieces of messages: those of one id that follow each other, and of what has no id those of the assistant
/// that are words alone.
fn join_pieces(messages: Vec<Map<String, Json>>) -> Vec<Map<String, Json>> {
    let mut all: Vec<Map<String, Json>> = vec![];
    for mut message in messages {
        let content = message.get_mut("content").and_then(Json::as_array_mut);
        let blocks = content.map(std::mem::take).unwrap_or_default();
        let is_streamed = is_from_model(&message);
        match all.last_mut().filter(|last| continues_message(last, &message, &blocks)) {
            Some(last) => {
                if let Some(Json::Array(content)) = last.get_mut("content") {
                    append_blocks(content, blocks, is_streamed);
                }
                // The counts are in the last piece.
                message.remove("content");
                message.remove("created");
                message.retain(|_, value| !value.is_null());
                last.extend(message);
            }
            None => {
                if message.get("content").is_some_and(Json::is_array) {
                    let mut content = vec![];
                    append_blocks(&mut content, blocks, is_streamed);
                    message.insert("content".into(), content.into());
                }
                all.push(message);
            }
        }
    }
    all
}

/// Returns whether a message is a further piece of the one before.
fn continues_message(last: &Map<String, Json>, next: &Map<String, Json>, blocks: &[Json]) -> bool {
    let is_words = |block: &Json| matches!(block["type"].as_str(), Some("text" | "thinking"));
    let before = last.list("content");
    let id = |message: &Map<String, Json>| message.text("id").map(str::to_owned);
    let is_same = last.get("role") == next.get("role");
    is_same
        && before.is_some()
        && match (id(last), id(next)) {
            (None, None) => {
                is_from_model(next)
                    && blocks.iter().chain(before.into_iter().flatten()).all(is_words)
            }
            (last, next) => last == next,
        }
}

/// Returns whether a message is the model's.
fn is_from_model(message: &Map<String, Json>) -> bool {
    message.text("role") == Some("assistant")
}

/// Adds blocks to others; where they were streamed, joins a piece of thinking or of a message to the piece before it.
fn append_blocks(content: &mut Vec<Json>, blocks: Vec<Json>, are_streamed: bool) {
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
