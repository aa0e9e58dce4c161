//! Cursor CLI's transcripts: `agent-transcripts/*.jsonl`, messages without times and often without results. Newer ones stand
//! in a folder of their own, those of sub-agents in `subagents` beside them.

use std::borrow::Cow;

use super::{
    EditsTold, Head, Offers, Shape, chat,
    object::Object,
    peek,
    records::{Event, Record, Records},
    tape::{Tape, Value},
};
use trajview_run::Tokens;

#[derive(Debug, Clone, Copy)]
pub struct Cursor;

impl Records for Cursor {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn about(&self) -> &'static str {
        "Cursor transcript, agent-transcripts/**/*.jsonl, without times, with its sub-agents; conversations of its editor, state.vscdb"
    }

    fn sample(&self) -> &'static str {
        "logs/cursor.jsonl"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Lines, EditsTold::Text).subagents()
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

    fn parts_in(&self, main: &Head<'_>) -> Vec<String> {
        let own = main.name.trim_end_matches(".jsonl");
        vec!["subagents".to_owned(), format!("{own}/subagents")]
    }

    fn agent_of(&self, source: &str) -> Option<String> {
        let (folder, name) = source.rsplit_once('/')?;
        folder.ends_with("subagents").then(|| name.trim_end_matches(".jsonl").to_owned())
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
            match event {
                Event::Request(text) => {
                    if let Some(asked) = inside(text) {
                        *text = Cow::Owned(asked.to_owned());
                    }
                }
                Event::Called(call) if matches!(&*call.name, "Subagent" | "Task") => {
                    call.asks_agent = asked_of_agent(&call.arguments).into();
                }
                _ => {}
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

/// The request to a sub-agent, with which that one's own transcript begins; no id names the transcript.
fn asked_of_agent(arguments: &str) -> String {
    let tape = Tape::read(arguments);
    let asked = Object::on(&tape).and_then(|fields| fields.text("prompt"));
    asked.map(Cow::into_owned).unwrap_or_default()
}
