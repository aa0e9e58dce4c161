//! Cursor CLI's transcripts: `agent-transcripts/*.jsonl`, messages without times and often without results.

use std::borrow::Cow;

use super::{
    EditsTold, Head, Offers, Shape, chat,
    object::Object,
    peek,
    records::{Event, Record, Records},
    tape::Value,
};
use crate::run::Tokens;

#[derive(Debug, Clone, Copy)]
pub struct Cursor;

impl Records for Cursor {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn about(&self) -> &'static str {
        "Cursor transcript, agent-transcripts/*.jsonl, without times; conversations of its editor, state.vscdb"
    }

    fn sample(&self) -> &'static str {
        "logs/cursor.jsonl"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Lines, EditsTold::Text)
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        let is_turn = |object: &Object<'_>| {
            let message = object.object("message").unwrap_or_default();
            object.has("role")
                && message.has("content")
                && !object.has("type")
                && !object.has("sessionId")
                && !object.has("uuid")
        };
        peek::any(head, &["\"role\"", "\"message\""], is_turn)
    }

    /// What sub-agents wrote lies in a folder beside the log.
    fn parts_in(&self, _main: &Head<'_>) -> Vec<String> {
        vec!["subagents".to_owned()]
    }

    fn agent_of(&self, source: &str) -> Option<String> {
        let name = source.rsplit('/').next()?;
        name.strip_suffix(".jsonl").map(str::to_owned)
    }

    fn header<'t>(&self, _document: Value<'t>) -> Record<'t> {
        let mut record = Record::default();
        record.facts.agent = Some(Cow::Borrowed("cursor"));
        record
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        let Some(message) = fields.object("message") else {
            return Record::unknown("record without a message");
        };
        if let Some(composer) = fields.object("composer") {
            return about(&composer);
        }
        let role = fields.text("role").unwrap_or_default();
        let mut made = chat::content(&role, message.get("content"));
        // What only the editor's database has.
        made.time = chat::time_of(&fields, &["timestamp"]);
        made.facts.model = fields.text("model");
        if let Some(tokens) = fields.object("tokens") {
            made.tokens = counted(chat::usage(&tokens));
        }
        for event in &mut made.events {
            if let Event::Request(text) = event
                && let Some(asked) = inside(text)
            {
                *text = Cow::Owned(asked.to_owned());
            }
        }
        made
    }
}

/// What is said of a conversation of the editor.
fn about<'t>(composer: &Object<'t>) -> Record<'t> {
    let mut made = Record { time: chat::time_of(composer, &["createdAt"]), ..Record::default() };
    made.facts.id = composer.text("id");
    made.facts.title = composer.text("name").filter(|name| !name.is_empty());
    made.facts.model = composer.text("model").filter(|model| model != "default");
    made
}

/// Zeros stand where the editor did not count.
fn counted(tokens: Tokens) -> Tokens {
    if tokens.total() == Some(0) { Tokens::default() } else { tokens }
}

/// What a person typed, between the tags that the program puts around it.
fn inside(text: &str) -> Option<&str> {
    Some(text.split_once("<user_query>")?.1.split_once("</user_query>")?.0.trim())
}
