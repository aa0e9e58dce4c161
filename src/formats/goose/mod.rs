//! Goose's sessions: `sessions.db` (put into this form where it is opened) and the older `sessions/*.jsonl`, a header and
//! then a message a line.

use std::borrow::Cow;

use super::{
    EditsTold, Head, Offers, Shape, chat,
    object::Object,
    peek,
    records::{Event, Record, Records, arguments},
    tape::Value,
};
use crate::run::Tokens;

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
        "Goose session: sessions.db, or sessions/*.jsonl"
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
        let mut made = chat::message_in_pieces(&fields);
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
