//! Conversations of Claude's web and desktop apps: `conversations.json` of the data export, a list of them, and a single
//! one as the apps' interface gives it and extensions save it. Messages form a tree by `parent_message_uuid`.

use std::borrow::Cow;

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, RunsInFile, chat, head_json,
    json_object::JsonObject,
    records::{LogRecord, RecordEntry, RecordEvent, RecordFormat, record_order},
    tape::TapeValue,
};

pub struct ClaudeWeb;

/// The parent of a message that has none.
const NO_PARENT_ID: &str = "00000000-0000-4000-8000-000000000000";

/// Blocks of the program's own bookkeeping.
const BOOKKEEPING_BLOCKS: [&str; 2] = ["token_budget", "flag"];

impl RecordFormat for ClaudeWeb {
    fn name(&self) -> &'static str {
        "claude-web"
    }

    fn short_description(&self) -> &'static str {
        "conversations of Claude's web and desktop apps: conversations.json of the data export, or a single one"
    }

    fn sample_path(&self) -> &'static str {
        "logs/claude-web.json"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Document, RecordedEdits::Text).with_times()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        head_json::any_object(head, &["\"chat_messages\""], is_conversation)
    }

    fn runs_in_file(&self, head: &FileHead<'_>) -> RunsInFile {
        if head.text().starts_with(b"[") { RunsInFile::OnePerElement("") } else { RunsInFile::One }
    }

    fn read_header<'t>(&self, document: TapeValue<'t>) -> LogRecord<'t> {
        let mut record = LogRecord::default();
        let Some(fields) = first_conversation(document) else { return record };
        record.facts.agent = Some(Cow::Borrowed("claude-web"));
        record.facts.id = fields.text("uuid");
        record.facts.title = fields.text("name").filter(|name| !name.trim().is_empty());
        record.facts.model = fields.text("model");
        record
    }

    /// Returns the messages, the one that ends the active branch last. A list of conversations that is not read one by
    /// one, as in an archive, is its first; the others are named as what is not shown.
    fn records_in<'t>(&self, value: TapeValue<'t>) -> Vec<TapeValue<'t>> {
        let Some(fields) = first_conversation(value) else { return vec![] };
        let leaf = fields.text("current_leaf_message_uuid");
        let is_leaf = |message: &TapeValue<'t>| {
            leaf.is_some()
                && JsonObject::from_value(*message).and_then(|it| it.text("uuid")) == leaf
        };
        let (end, mut all): (Vec<_>, Vec<_>) =
            fields.elements_of("chat_messages").into_iter().partition(is_leaf);
        all.extend(end);
        if value.is_list() {
            all.extend(value.elements().skip(1));
        }
        all
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        if fields.has_field("chat_messages") {
            let name = fields.text("name").unwrap_or_default();
            return LogRecord::unknown_kind(format!("another conversation, not shown: {name}"));
        }
        if !fields.has_field("sender") {
            return LogRecord::unknown_kind("message without a sender");
        }
        message_record(&fields)
    }

    fn order_entries(&self, entries: &mut Vec<RecordEntry>) {
        record_order::live_branch(entries);
    }
}

fn is_conversation(fields: &JsonObject<'_>) -> bool {
    let is_list = fields.get("chat_messages").is_some_and(TapeValue::is_list);
    is_list && (fields.has_field("uuid") || fields.has_field("name"))
}

fn first_conversation(value: TapeValue<'_>) -> Option<JsonObject<'_>> {
    let first = if value.is_list() { value.elements().next()? } else { value };
    JsonObject::from_value(first).filter(|fields| fields.has_field("chat_messages"))
}

fn message_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    let sender = fields.text("sender").unwrap_or_default();
    let blocks = fields.get("content").filter(|it| it.is_list() && it.elements().next().is_some());
    let mut made = chat::content_record(&sender, blocks.or_else(|| fields.get("text")));
    made.events.retain(|event| match event {
        RecordEvent::Unknown(kind) => !BOOKKEEPING_BLOCKS.contains(&&**kind),
        _ => true,
    });
    if &*sender == "human" {
        add_attachments(&mut made, fields);
    }
    let blocks =
        || blocks.into_iter().flat_map(TapeValue::elements).filter_map(JsonObject::from_value);
    let starts = blocks().filter_map(|block| chat::first_time(&block, &["start_timestamp"])).min();
    made.time = starts.or_else(|| chat::first_time(fields, &["created_at"]));
    made.ended_at =
        blocks().filter_map(|block| chat::first_time(&block, &["stop_timestamp"])).max();
    made.facts.model = fields.text("model");
    made.id = fields.text("uuid");
    let parent = record_order::parent_in(fields, "parent_message_uuid");
    made.parent = parent
        .map(|id| if id == NO_PARENT_ID { Cow::Borrowed(record_order::TREE_ROOT) } else { id });
    made
}

/// Adds what was sent with the words: a long text that was pasted is an attachment with its words, a file is named.
fn add_attachments<'t>(made: &mut LogRecord<'t>, fields: &JsonObject<'t>) {
    let mut requests: Vec<Cow<'t, str>> = vec![];
    made.events.retain_mut(|event| match event {
        RecordEvent::Request(text) => {
            requests.push(std::mem::take(text));
            false
        }
        _ => true,
    });
    let name = |file: &JsonObject<'t>| file.first_text(&["file_name", "name"]).unwrap_or_default();
    for file in fields.elements_of("attachments").into_iter().filter_map(JsonObject::from_value) {
        let (name, text) = (name(&file), file.text("extracted_content").unwrap_or_default());
        requests.push(if name.is_empty() { text } else { format!("[file {name}]\n{text}").into() });
    }
    for file in fields.elements_of("files").into_iter().filter_map(JsonObject::from_value) {
        requests.push(format!("[file {}]", name(&file)).into());
    }
    requests.retain(|text| !text.trim().is_empty());
    let text = match requests.len() {
        1 => requests.remove(0),
        _ => requests.join("\n").into(),
    };
    // A request without a word is one all the same.
    made.events.insert(0, RecordEvent::Request(text));
}
