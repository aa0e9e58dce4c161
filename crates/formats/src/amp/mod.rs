//! Amp's threads: `~/.local/share/amp/threads/T-*.json`, one object that is written anew as it grows.

use std::borrow::Cow;

use super::{
    EditsTold, Head, Offers, Shape, chat,
    object::{self, Object},
    peek,
    records::{Event, Record, Records, arguments},
    tape::Value,
};

#[derive(Debug, Clone, Copy)]
pub struct Amp;

impl Records for Amp {
    fn name(&self) -> &'static str {
        "amp"
    }

    fn about(&self) -> &'static str {
        "Amp thread, ~/.local/share/amp/threads/T-*.json"
    }

    fn sample(&self) -> &'static str {
        "logs/amp.json"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Document, EditsTold::Text).tokens().times()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        peek::any(head, &["\"messages\"", "\"v\""], |object| {
            object.has("v")
                && object.has("created")
                && object.text("id").is_some_and(|id| id.starts_with("T-"))
        })
    }

    fn header<'t>(&self, document: Value<'t>) -> Record<'t> {
        let mut record = Record::default();
        let fields = Object::of(document).unwrap_or_default();
        record.facts.agent = Some(Cow::Borrowed("amp"));
        record.facts.id = fields.text("id");
        record.facts.title = fields.text("title");
        record.time = chat::time_of(&fields, &["created"]);
        let env = fields.object("env").and_then(|env| env.object("initial")).unwrap_or_default();
        let tree = env.array("trees").into_iter().filter_map(Object::of).next();
        let uri = tree.and_then(|tree| tree.text("uri"));
        record.facts.root =
            uri.map(|uri| Cow::Owned(uri.strip_prefix("file://").unwrap_or(&uri).to_owned()));
        record.facts.version = env.object("platform").and_then(|it| it.text("clientVersion"));
        record
    }

    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        Object::of(value).map(|fields| fields.array("messages")).unwrap_or_default()
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        let mut made = chat::message(&fields);
        let usage = fields.object("usage").unwrap_or_default();
        made.facts.model = usage.text("model");
        made.tokens = chat::usage(&usage);
        let meta = fields.object("meta").unwrap_or_default();
        made.time =
            chat::time_of(&meta, &["sentAt"]).or_else(|| chat::time_of(&usage, &["timestamp"]));
        let runs = fields
            .array("content")
            .into_iter()
            .filter_map(|block| Object::of(block)?.object("run"));
        let mut runs = runs.collect::<Vec<_>>().into_iter();
        for event in &mut made.events {
            let Event::Answered(answer) = event else { continue };
            let Some(run) = runs.next() else { continue };
            let result = run.get("result").or_else(|| run.get("error"));
            answer.text = result.map(shown).unwrap_or_default();
            let status = run.text("status").unwrap_or_default();
            let code = result.and_then(|it| Object::of(it)?.integer("exitCode"));
            answer.exit_code = code;
            answer.is_error = matches!(&*status, "error" | "cancelled" | "rejected-by-user")
                || code.is_some_and(|code| code != 0);
            answer.is_ok = status == "done" && !answer.is_error;
        }
        made
    }
}

/// The words of a result: its content, its diff, what it printed, else all of it.
fn shown(result: Value<'_>) -> Cow<'_, str> {
    if let Some(text) = object::text(result) {
        return text;
    }
    let fields = Object::of(result).unwrap_or_default();
    let known = ["content", "diff", "output", "message"]
        .iter()
        .find_map(|key| fields.get(key))
        .map(arguments::words);
    known.filter(|text| !text.is_empty()).unwrap_or(Cow::Borrowed(result.get()))
}
