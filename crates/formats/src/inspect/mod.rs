//! Samples of Inspect's logs. A `.eval` file is an archive with a sample a file (or in pieces), a `.json` log holds all of
//! them; a sample is a run. Where it is opened it is put into the form that [`flat`] makes: attachments in their places,
//! usage with the messages it belongs to, events left out.

use std::{borrow::Cow, collections::HashMap};

use serde_json::{Map, Value as Json};

use super::{
    EditsTold, Head, Offers, Preparation, Rows, Shape, chat, not_finite,
    object::Object,
    peek,
    records::{Entry, Event, NOT_FINITE, Record, Records},
    tape::{Tape, Value},
};
use trajview_run::{Role, Time};

#[derive(Debug, Clone, Copy)]
pub struct Inspect;

impl Records for Inspect {
    fn name(&self) -> &'static str {
        "inspect"
    }

    fn about(&self) -> &'static str {
        "Inspect log, .eval or .json; a sample is a run"
    }

    fn sample(&self) -> &'static str {
        "logs/inspect.eval"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Document, EditsTold::Text).tokens().times()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        let is_log = |object: &Object<'_>| {
            object.has("eval") && object.has("status") && object.has("version")
        };
        peek::any(head, &["\"eval\"", "\"status\""], is_log)
            || peek::any(head, &["\"epoch\""], |object| {
                object.has("epoch")
                    && object.has("id")
                    && object.has("input")
                    && (object.has("target") || object.has("messages"))
            })
    }

    fn rows(&self, head: &Head<'_>) -> Rows {
        let is_log = |object: &Object<'_>| object.has("eval") && object.has("status");
        if peek::any(head, &["\"eval\""], is_log) { Rows::List("samples") } else { Rows::None }
    }

    fn preparation(&self, _head: &Head<'_>) -> Option<Preparation> {
        Some(|bytes| {
            let has = |key: &str| memchr::memmem::find(bytes, key.as_bytes()).is_some();
            if has("\"events\"") || has("attachment://") { flat(bytes) } else { None }
        })
    }

    fn header<'t>(&self, document: Value<'t>) -> Record<'t> {
        let mut record = Record::default();
        let sample = Object::of(document).unwrap_or_default();
        let id = sample
            .get("id")
            .map(|id| super::object::text(id).unwrap_or(Cow::Borrowed(id.get())))
            .unwrap_or_default();
        let epoch = sample.number("epoch").unwrap_or(1);
        record.facts.id = Some(format!("{id}_epoch_{epoch}").into());
        record.facts.task = Some(id);
        record.facts.agent = Some(Cow::Borrowed("inspect"));
        record.facts.model = sample.object("output").and_then(|output| output.text("model"));
        for (_, usage) in sample.object("model_usage").into_iter().flat_map(|all| all.fields()) {
            record.tokens = record.tokens
                + Object::of(usage).map(|usage| chat::usage(&usage)).unwrap_or_default();
        }
        record.cost_usd = sample
            .object("model_usage")
            .into_iter()
            .flat_map(|all| all.fields())
            .filter_map(|(_, usage)| Object::of(usage)?.amount("total_cost"))
            .reduce(|sum, cost| sum + cost);
        record.time = chat::time_of(&sample, &["started_at"]);
        let total = sample.amount("total_time").map(|seconds| (seconds * 1000.0) as i64);
        let after = |start: Time| Some(Time(start.0.checked_add(total?)?));
        record.ended_at =
            chat::time_of(&sample, &["completed_at"]).or_else(|| record.time.and_then(after));
        record
    }

    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        let Some(sample) = Object::of(value) else { return vec![] };
        let ends = [sample.get("error"), sample.get("scores")];
        sample.array("messages").into_iter().chain(ends.into_iter().flatten()).collect()
    }

    /// What solvers say in the user's name after the model has begun is no request.
    fn order(&self, entries: &mut Vec<Entry>) {
        let mut has_begun = false;
        for entry in entries.iter_mut() {
            let is_asked = entry.record.parent.is_some();
            for event in &mut entry.record.events {
                match event {
                    Event::Request(text) if has_begun && !is_asked => {
                        *event = Event::Said(Role::User, std::mem::take(text));
                    }
                    Event::Said(Role::Assistant, _) | Event::Called(_) | Event::Thought(_) => {
                        has_begun = true
                    }
                    _ => {}
                }
            }
        }
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        if !fields.has("role") {
            return ending(&fields);
        }
        let mut made = chat::message(&fields);
        made.id = fields.text("id");
        // Of the sample's own input, or of the person at the keyboard.
        made.parent = fields.text("source").filter(|from| matches!(&**from, "input" | "operator"));
        made.facts.model = fields.text("model");
        made.time = chat::time_of(&fields, &["timestamp"]);
        if let Some(usage) = fields.object("usage") {
            made.tokens = chat::usage(&usage);
        }
        let error = fields.object("error").and_then(|error| error.text("message"));
        for event in &mut made.events {
            if let (Event::Answered(answer), Some(error)) = (event, &error) {
                answer.is_error = true;
                if answer.text.is_empty() {
                    answer.text = error.clone();
                }
            }
        }
        made
    }
}

/// An error, or the scores by their scorers.
fn ending<'t>(fields: &Object<'t>) -> Record<'t> {
    if fields.has("traceback") || fields.has("message") {
        return Record::of(Event::Failed(fields.text("message").unwrap_or_default()));
    }
    let scores = fields.fields().filter_map(|(name, score)| {
        let score = Object::of(score)?;
        let value = score.get("value")?;
        Some(format!(
            "{name}: {}",
            super::object::text(value).unwrap_or(Cow::Borrowed(value.get()))
        ))
    });
    let scores = scores.collect::<Vec<_>>().join(", ");
    if scores.is_empty() {
        Record::default()
    } else {
        Record::of(Event::Said(Role::System, format!("scores: {scores}").into()))
    }
}

/// A sample as its messages alone; None where it is not one.
pub fn flat(bytes: &[u8]) -> Option<Vec<u8>> {
    // More values than a tape holds are not taken apart: each of them would take more room than it has here.
    Tape::read(std::str::from_utf8(bytes).ok()?)?;
    let (mut sample, no_numbers) = not_finite::read::<Map<String, Json>>(bytes).ok()?;
    if no_numbers > 0 {
        sample.insert(NOT_FINITE.to_owned(), no_numbers.into());
    }
    let attachments = match sample.remove("attachments") {
        Some(Json::Object(attachments)) => attachments,
        _ => Map::new(),
    };
    let pools = sample.remove("message_pool").or_else(|| sample.remove("messages_pool"));
    let events = sample.remove("events");
    // Samples have times of their own only in newer logs.
    let [started, ended] = events.as_ref().map(span_of_events).unwrap_or_default();
    for (key, value) in [("started_at", started), ("completed_at", ended)] {
        if let (None | Some(Json::Null), Some(value)) = (sample.get(key), value) {
            sample.insert(key.to_owned(), value);
        }
    }
    for key in ["store", "events_data", "timelines"] {
        sample.remove(key);
    }
    let told = events.as_ref().map(told_by_events).unwrap_or_default();
    if let Some(Json::Array(messages)) = sample.get_mut("messages") {
        for message in messages.iter_mut() {
            if let (Some(Json::Array(pool)), Some(at)) = (&pools, message.as_u64()) {
                *message = pool.get(at as usize).cloned().unwrap_or(Json::Null);
            }
            let Json::Object(message) = message else { continue };
            let Some(told) = message.get("id").and_then(Json::as_str).and_then(|id| told.get(id))
            else {
                continue;
            };
            for (key, value) in [("usage", &told.usage), ("timestamp", &told.time)] {
                if let Some(value) = value {
                    message.entry(key).or_insert_with(|| value.clone());
                }
            }
        }
    }
    let mut sample = Json::Object(sample);
    resolve(&mut sample, &attachments, 0);
    serde_json::to_vec(&sample).ok()
}

/// The earliest time at which an event began, and the latest at which one was done.
fn span_of_events(events: &Json) -> [Option<Json>; 2] {
    let all = events.as_array().into_iter().flatten();
    let time = |event: &'_ Json, key: &str| {
        let value = event.get(key)?;
        Some((Time::parse(value.as_str()?)?, value.clone()))
    };
    let started = all.clone().filter_map(|event| time(event, "timestamp"));
    let ended =
        all.flat_map(|event| [time(event, "timestamp"), time(event, "completed")]).flatten();
    let first = started.min_by_key(|(time, _)| *time).map(|(_, value)| value);
    let last = ended.max_by_key(|(time, _)| *time).map(|(_, value)| value);
    [first, last]
}

/// What the event of a model's answer knows of its message.
#[derive(Default)]
struct Told {
    usage: Option<Json>,
    time: Option<Json>,
}

fn told_by_events(events: &Json) -> HashMap<String, Told> {
    let mut all = HashMap::new();
    for event in events.as_array().into_iter().flatten() {
        let time = event.get("completed").or_else(|| event.get("timestamp")).cloned();
        match event.get("event").and_then(Json::as_str) {
            Some("model") => {
                let message = event.pointer("/output/choices/0/message/id").and_then(Json::as_str);
                if let Some(id) = message {
                    let usage =
                        event.pointer("/output/usage").filter(|usage| usage.is_object()).cloned();
                    all.insert(id.to_owned(), Told { usage, time });
                }
            }
            Some("tool") => {
                if let Some(id) = event.get("message_id").and_then(Json::as_str) {
                    all.insert(id.to_owned(), Told { usage: None, time });
                }
            }
            _ => {}
        }
    }
    all
}

/// Texts that stand elsewhere, put where they belong.
fn resolve(value: &mut Json, attachments: &Map<String, Json>, depth: usize) {
    if depth > 60 {
        return;
    }
    match value {
        Json::String(text) => {
            let key = text.strip_prefix("attachment://");
            if let Some(Json::String(whole)) = key.and_then(|key| attachments.get(key)) {
                *text = whole.clone();
            }
        }
        Json::Array(list) => {
            list.iter_mut().for_each(|value| resolve(value, attachments, depth + 1))
        }
        Json::Object(map) => {
            map.values_mut().for_each(|value| resolve(value, attachments, depth + 1))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}
