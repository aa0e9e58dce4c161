//! Samples of Inspect's logs. A `.eval` file is an archive with a sample a file (or in pieces), a `.json` log holds all
//! of them; a sample is a run. Where it is opened it is put into the form that [`flatten_sample`] makes: attachments in
//! their places, usage with the messages it belongs to, events left out.

pub mod archive;
mod result;

use std::{borrow::Cow, collections::HashMap};

use serde_json::{Map, Value as Json};

use super::{
    FileHead, FilePreparation, FormatCapabilities, RecordedEdits, RecordingShape, RunsInFile, chat,
    head_json,
    json_object::JsonObject,
    not_finite,
    records::{LogRecord, NOT_FINITE, RecordEntry, RecordEvent, RecordFormat},
    tape::{JsonTape, TapeValue},
};
use crate::json_object::JsonFields;
use trajview_run::{Role, Time};

pub struct Inspect;

impl RecordFormat for Inspect {
    fn name(&self) -> &'static str {
        "inspect"
    }

    fn short_description(&self) -> &'static str {
        "Inspect log, .eval or .json; a sample is a run"
    }

    fn sample_path(&self) -> &'static str {
        "logs/inspect.eval"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Document, RecordedEdits::Text)
            .with_tokens()
            .with_times()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let is_log = |object: &JsonObject<'_>| {
            object.has_field("eval") && object.has_field("status") && object.has_field("version")
        };
        head_json::any_object(head, &["\"eval\"", "\"status\""], is_log)
            || head_json::any_object(head, &["\"epoch\""], |object| {
                object.has_field("epoch")
                    && object.has_field("id")
                    && object.has_field("input")
                    && (object.has_field("target") || object.has_field("messages"))
            })
    }

    fn runs_in_file(&self, head: &FileHead<'_>) -> RunsInFile {
        let is_log =
            |object: &JsonObject<'_>| object.has_field("eval") && object.has_field("status");
        if head_json::any_object(head, &["\"eval\""], is_log) {
            RunsInFile::OnePerElement("samples")
        } else {
            RunsInFile::One
        }
    }

    fn preparation_for(&self, _head: &FileHead<'_>) -> Option<FilePreparation> {
        Some(|bytes| {
            let has = |key: &str| memchr::memmem::find(bytes, key.as_bytes()).is_some();
            if has("\"events\"") || has("attachment://") { flatten_sample(bytes) } else { None }
        })
    }

    fn harness(&self) -> Option<&'static str> {
        Some("Inspect")
    }

    fn read_header<'t>(&self, document: TapeValue<'t>) -> LogRecord<'t> {
        let mut record = LogRecord::default();
        let sample = JsonObject::from_value(document).unwrap_or_default();
        let id = sample
            .get("id")
            .map(|id| super::json_object::string_text(id).unwrap_or(Cow::Borrowed(id.get())))
            .unwrap_or_default();
        let epoch = sample.number("epoch").unwrap_or(1);
        record.facts.id = Some(format!("{id}_epoch_{epoch}").into());
        record.facts.task = Some(id);
        record.facts.task_set = result::log_task(&sample);
        record.facts.agent = Some(Cow::Borrowed("inspect"));
        record.facts.model = sample.object("output").and_then(|output| output.text("model"));
        for (_, usage) in sample.object("model_usage").into_iter().flat_map(|all| all.fields()) {
            record.tokens = record.tokens
                + JsonObject::from_value(usage)
                    .map(|usage| chat::read_usage(&usage))
                    .unwrap_or_default();
        }
        record.cost_usd = sample
            .object("model_usage")
            .into_iter()
            .flat_map(|all| all.fields())
            .filter_map(|(_, usage)| JsonObject::from_value(usage)?.float("total_cost"))
            .reduce(|sum, cost| sum + cost);
        record.time = chat::first_time(&sample, &["started_at"]);
        let total = sample.float("total_time").map(|seconds| (seconds * 1000.0) as i64);
        let after = |start: Time| Some(Time(start.0.checked_add(total?)?));
        record.ended_at =
            chat::first_time(&sample, &["completed_at"]).or_else(|| record.time.and_then(after));
        if sample.has_field("id") {
            record.recorded = result::recorded_values(&sample);
            record.trial = Some(Box::new(result::sample_result(&sample, &record.recorded)));
        }
        record
    }

    fn records_in<'t>(&self, value: TapeValue<'t>) -> Vec<TapeValue<'t>> {
        let Some(sample) = JsonObject::from_value(value) else { return vec![] };
        let ends = [sample.get("error"), sample.get("scores")];
        sample.elements_of("messages").into_iter().chain(ends.into_iter().flatten()).collect()
    }

    /// Makes messages that solvers add in the user's name after the model has begun no requests.
    fn order_entries(&self, entries: &mut Vec<RecordEntry>) {
        let mut has_begun = false;
        for entry in entries.iter_mut() {
            let is_asked = entry.record.parent.is_some();
            for event in &mut entry.record.events {
                match event {
                    RecordEvent::Request(text) if has_begun && !is_asked => {
                        *event = RecordEvent::Message(Role::User, std::mem::take(text));
                    }
                    RecordEvent::Message(Role::Assistant, _)
                    | RecordEvent::Call(_)
                    | RecordEvent::Thought(_) => has_begun = true,
                    _ => {}
                }
            }
        }
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        if !fields.has_field("role") {
            return ending_record(&fields);
        }
        let mut made = chat::message_record(&fields);
        made.id = fields.text("id");
        // Of the sample's own input, or of the person at the keyboard.
        made.parent = fields.text("source").filter(|from| matches!(&**from, "input" | "operator"));
        made.facts.model = fields.text("model");
        made.time = chat::first_time(&fields, &["timestamp"]);
        if let Some(usage) = fields.object("usage") {
            made.tokens = chat::read_usage(&usage);
        }
        let error = fields.object("error").and_then(|error| error.text("message"));
        for event in &mut made.events {
            if let (RecordEvent::Answer(answer), Some(error)) = (event, &error) {
                answer.is_error = true;
                if answer.text.is_empty() {
                    answer.text = error.clone();
                }
            }
        }
        made
    }
}

/// Returns an error, or the scores by their scorers.
fn ending_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    if fields.has_field("traceback") || fields.has_field("message") {
        return LogRecord::from_event(RecordEvent::Failed(
            fields.text("message").unwrap_or_default(),
        ));
    }
    let scores = fields.fields().filter_map(|(name, score)| {
        let score = JsonObject::from_value(score)?;
        let value = score.get("value")?;
        Some(format!(
            "{name}: {}",
            super::json_object::string_text(value).unwrap_or(Cow::Borrowed(value.get()))
        ))
    });
    let scores = scores.collect::<Vec<_>>().join(", ");
    if scores.is_empty() {
        LogRecord::default()
    } else {
        LogRecord::from_event(RecordEvent::Message(
            Role::System,
            format!("scores: {scores}").into(),
        ))
    }
}

/// Returns a sample as its messages alone; None where it is not one.
pub fn flatten_sample(bytes: &[u8]) -> Option<Vec<u8>> {
    // More values than a tape holds are not taken apart: each of them would take more room than it has here.
    JsonTape::parse(std::str::from_utf8(bytes).ok()?)?;
    let (mut sample, no_numbers) = not_finite::read_json::<Map<String, Json>>(bytes).ok()?;
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
    let usages = events.as_ref().map(usage_by_message).unwrap_or_default();
    if let Some(Json::Array(messages)) = sample.get_mut("messages") {
        for message in messages.iter_mut() {
            if let (Some(Json::Array(pool)), Some(at)) = (&pools, message.as_u64()) {
                *message = pool.get(at as usize).cloned().unwrap_or(Json::Null);
            }
            let Json::Object(message) = message else { continue };
            let Some(usages) = message.text("id").and_then(|id| usages.get(id)) else {
                continue;
            };
            for (key, value) in [("usage", &usages.usage), ("timestamp", &usages.time)] {
                if let Some(value) = value {
                    message.entry(key).or_insert_with(|| value.clone());
                }
            }
        }
    }
    let mut sample = Json::Object(sample);
    resolve_attachments(&mut sample, &attachments, 0);
    serde_json::to_vec(&sample).ok()
}

/// Returns the earliest time at which an event began, and the latest at which one was done.
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

/// The facts about a message from the event of a model's answer.
#[derive(Default)]
struct MessageUsage {
    usage: Option<Json>,
    time: Option<Json>,
}

fn usage_by_message(events: &Json) -> HashMap<String, MessageUsage> {
    let mut all = HashMap::new();
    for event in events.as_array().into_iter().flatten() {
        let time = event.get("completed").or_else(|| event.get("timestamp")).cloned();
        match event.text("event") {
            Some("model") => {
                let message = event.pointer("/output/choices/0/message/id").and_then(Json::as_str);
                if let Some(id) = message {
                    let usage =
                        event.pointer("/output/usage").filter(|usage| usage.is_object()).cloned();
                    all.insert(id.to_owned(), MessageUsage { usage, time });
                }
            }
            Some("tool") => {
                if let Some(id) = event.text("message_id") {
                    all.insert(id.to_owned(), MessageUsage { usage: None, time });
                }
            }
            _ => {}
        }
    }
    all
}

/// Replaces references to attachments by their texts.
fn resolve_attachments(value: &mut Json, attachments: &Map<String, Json>, depth: usize) {
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
            list.iter_mut().for_each(|value| resolve_attachments(value, attachments, depth + 1))
        }
        Json::Object(map) => {
            map.values_mut().for_each(|value| resolve_attachments(value, attachments, depth + 1))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}
