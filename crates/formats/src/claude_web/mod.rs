//! Conversations of Claude's web and desktop apps: `conversations.json` of the data export, a list of them, and a single one as
//! the apps' interface gives it and extensions save it. Messages form a tree by `parent_message_uuid`.

use std::borrow::Cow;

use super::{
    EditsTold, Head, Offers, Rows, Shape, chat,
    object::Object,
    peek,
    records::{Entry, Event, Record, Records, order},
    tape::Value,
};

#[derive(Debug, Clone, Copy)]
pub struct ClaudeWeb;

/// The parent of a message that has none.
const ROOT: &str = "00000000-0000-4000-8000-000000000000";

/// Blocks of the program's own bookkeeping.
const NOT_SAID: [&str; 2] = ["token_budget", "flag"];

impl Records for ClaudeWeb {
    fn name(&self) -> &'static str {
        "claude-web"
    }

    fn about(&self) -> &'static str {
        "conversations of Claude's web and desktop apps: conversations.json of the data export, or a single one"
    }

    fn sample(&self) -> &'static str {
        "logs/claude-web.json"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Document, EditsTold::Text).times()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        peek::any(head, &["\"chat_messages\""], is_conversation)
    }

    fn rows(&self, head: &Head<'_>) -> Rows {
        if head.text().starts_with(b"[") { Rows::List("") } else { Rows::None }
    }

    fn header<'t>(&self, document: Value<'t>) -> Record<'t> {
        let mut record = Record::default();
        let Some(fields) = conversation_of(document) else { return record };
        record.facts.agent = Some(Cow::Borrowed("claude-web"));
        record.facts.id = fields.text("uuid");
        record.facts.title = fields.text("name").filter(|name| !name.trim().is_empty());
        record.facts.model = fields.text("model");
        record
    }

    /// The messages, the one that ends the active branch last. A list of conversations that is not read one by one, as in an
    /// archive, is its first; the others are named as what is not shown.
    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        let Some(fields) = conversation_of(value) else { return vec![] };
        let leaf = fields.text("current_leaf_message_uuid");
        let is_leaf = |message: &Value<'t>| {
            leaf.is_some() && Object::of(*message).and_then(|it| it.text("uuid")) == leaf
        };
        let (end, mut all): (Vec<_>, Vec<_>) =
            fields.array("chat_messages").into_iter().partition(is_leaf);
        all.extend(end);
        if value.is_list() {
            all.extend(value.elements().skip(1));
        }
        all
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        if fields.has("chat_messages") {
            let name = fields.text("name").unwrap_or_default();
            return Record::unknown(format!("another conversation, not shown: {name}"));
        }
        if !fields.has("sender") {
            return Record::unknown("message without a sender");
        }
        message(&fields)
    }

    fn order(&self, entries: &mut Vec<Entry>) {
        order::live_branch(entries);
    }
}

fn is_conversation(fields: &Object<'_>) -> bool {
    let is_list = fields.get("chat_messages").is_some_and(Value::is_list);
    is_list && (fields.has("uuid") || fields.has("name"))
}

fn conversation_of(value: Value<'_>) -> Option<Object<'_>> {
    let first = if value.is_list() { value.elements().next()? } else { value };
    Object::of(first).filter(|fields| fields.has("chat_messages"))
}

fn message<'t>(fields: &Object<'t>) -> Record<'t> {
    let sender = fields.text("sender").unwrap_or_default();
    let blocks = fields.get("content").filter(|it| it.is_list() && it.elements().next().is_some());
    let mut made = chat::content(&sender, blocks.or_else(|| fields.get("text")));
    made.events.retain(|event| match event {
        Event::Unknown(kind) => !NOT_SAID.contains(&&**kind),
        _ => true,
    });
    if &*sender == "human" {
        attach(&mut made, fields);
    }
    let blocks = || blocks.into_iter().flat_map(Value::elements).filter_map(Object::of);
    let starts = blocks().filter_map(|block| chat::time_of(&block, &["start_timestamp"])).min();
    made.time = starts.or_else(|| chat::time_of(fields, &["created_at"]));
    made.ended_at = blocks().filter_map(|block| chat::time_of(&block, &["stop_timestamp"])).max();
    made.facts.model = fields.text("model");
    made.id = fields.text("uuid");
    let parent = order::parent_in(fields, "parent_message_uuid");
    made.parent = parent.map(|id| if id == ROOT { Cow::Borrowed(order::ROOT) } else { id });
    made
}

/// Adds what was sent with the words: a long text that was pasted is an attachment with its words, a file is named.
fn attach<'t>(made: &mut Record<'t>, fields: &Object<'t>) {
    let mut asked: Vec<Cow<'t, str>> = vec![];
    made.events.retain_mut(|event| match event {
        Event::Request(text) => {
            asked.push(std::mem::take(text));
            false
        }
        _ => true,
    });
    let name = |file: &Object<'t>| file.text_of(&["file_name", "name"]).unwrap_or_default();
    for file in fields.array("attachments").into_iter().filter_map(Object::of) {
        let (name, text) = (name(&file), file.text("extracted_content").unwrap_or_default());
        asked.push(if name.is_empty() { text } else { format!("[file {name}]\n{text}").into() });
    }
    for file in fields.array("files").into_iter().filter_map(Object::of) {
        asked.push(format!("[file {}]", name(&file)).into());
    }
    asked.retain(|text| !text.trim().is_empty());
    let text = match asked.len() {
        1 => asked.remove(0),
        _ => asked.join("\n").into(),
    };
    // A request without a word is one all the same.
    made.events.insert(0, Event::Request(text));
}
