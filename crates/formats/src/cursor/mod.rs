//! Cursor CLI's transcripts: `agent-transcripts/*.jsonl`, messages without times and often without results. Newer ones are
//! in a folder of their own, those of sub-agents in `subagents` beside them.

mod database;

use std::borrow::Cow;

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, chat, head_json,
    json_object::JsonObject,
    records::{LogRecord, RecordEvent, RecordFormat},
    tape::{JsonTape, TapeValue},
};
use trajview_run::Tokens;

pub use database::CursorTables;

pub struct Cursor;

impl RecordFormat for Cursor {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn short_description(&self) -> &'static str {
        "Cursor transcript, agent-transcripts/**/*.jsonl, without times, with its sub-agents; conversations of its editor, state.vscdb"
    }

    fn sample_path(&self) -> &'static str {
        "logs/cursor.jsonl"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Lines, RecordedEdits::Text).with_subagents()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let is_turn = |object: &JsonObject<'_>| {
            let message = object.object("message").unwrap_or_default();
            object.has_field("role")
                && message.has_field("content")
                && !object.has_field("type")
                && !object.has_field("sessionId")
                && !object.has_field("uuid")
        };
        head_json::any_object(head, &["\"role\"", "\"message\""], is_turn)
    }

    fn part_paths(&self, main: &FileHead<'_>) -> Vec<String> {
        let own = main.name.trim_end_matches(".jsonl");
        vec!["subagents".to_owned(), format!("{own}/subagents")]
    }

    fn agent_of_source(&self, source: &str) -> Option<String> {
        let (folder, name) = source.rsplit_once('/')?;
        folder.ends_with("subagents").then(|| name.trim_end_matches(".jsonl").to_owned())
    }

    fn read_header<'t>(&self, _document: TapeValue<'t>) -> LogRecord<'t> {
        let mut record = LogRecord::default();
        record.facts.agent = Some(Cow::Borrowed("cursor"));
        record
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        let Some(message) = fields.object("message") else {
            return LogRecord::unknown_kind("record without a message");
        };
        if let Some(composer) = fields.object("composer") {
            return composer_record(&composer);
        }
        let role = fields.text("role").unwrap_or_default();
        let mut made = chat::content_record(&role, message.get("content"));
        // What only the editor's database has.
        made.time = chat::first_time(&fields, &["timestamp"]);
        made.facts.model = fields.text("model");
        if let Some(tokens) = fields.object("tokens") {
            made.tokens = without_zeros(chat::read_usage(&tokens));
        }
        for event in &mut made.events {
            match event {
                RecordEvent::Request(text) => {
                    if let Some(request_text) = user_query_text(text) {
                        *text = Cow::Owned(request_text.to_owned());
                    }
                }
                RecordEvent::Call(call) if matches!(&*call.name, "Subagent" | "Task") => {
                    call.asks_agent = subagent_request(&call.arguments).into();
                }
                _ => {}
            }
        }
        made
    }
}

/// Reads the facts about a conversation of the editor.
fn composer_record<'t>(composer: &JsonObject<'t>) -> LogRecord<'t> {
    let mut made =
        LogRecord { time: chat::first_time(composer, &["createdAt"]), ..LogRecord::default() };
    made.facts.id = composer.text("id");
    made.facts.title = composer.text("name").filter(|name| !name.is_empty());
    made.facts.model = composer.text("model").filter(|model| model != "default");
    made
}

/// Returns the tokens, without zeros of an editor that did not count.
fn without_zeros(tokens: Tokens) -> Tokens {
    if tokens.recorded_sum() == Some(0) { Tokens::default() } else { tokens }
}

/// Returns the text of a person between the tags that the program puts around it.
fn user_query_text(text: &str) -> Option<&str> {
    Some(text.split_once("<user_query>")?.1.split_once("</user_query>")?.0.trim())
}

/// Returns the request to a sub-agent, with which that one's own transcript begins; no id names the transcript.
fn subagent_request(arguments: &str) -> String {
    let tape = JsonTape::parse(arguments);
    let request_text = JsonObject::from_tape(&tape).and_then(|fields| fields.text("prompt"));
    request_text.map(Cow::into_owned).unwrap_or_default()
}
