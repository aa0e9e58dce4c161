//! Kimi's sessions: `sessions/*/session_*/agents/main/wire.jsonl`, sub-agents in folders beside `main`, and `state.json` two
//! folders above. The model's work is in the loop events; the messages of the context repeat the requests. The log of the
//! older Kimi CLI is one of messages in envelopes: see [`envelope`].

mod envelope;

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, chat,
    companion_files::BelongsTo,
    head_json,
    json_object::JsonObject,
    records::{
        CallAnswer, LogRecord, RecordEntry, RecordEvent, RecordFormat, arguments, record_order,
    },
    tape::TapeValue,
};
use crate::format::file_name;
use trajview_run::{Role, Tokens};

pub struct Kimi;

impl RecordFormat for Kimi {
    fn name(&self) -> &'static str {
        "kimi"
    }

    fn short_description(&self) -> &'static str {
        "Kimi session, sessions/*/session_*/agents/main/wire.jsonl with its sub-agents"
    }

    fn sample_path(&self) -> &'static str {
        "logs/kimi.jsonl"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Lines, RecordedEdits::Text)
            .with_tokens()
            .with_times()
            .with_subagents()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        head_json::any_object(head, &["\"type\""], |object| match object.text("type").as_deref() {
            Some("metadata") => object.has_field("protocol_version"),
            Some("context.append_loop_event" | "turn.prompt" | "llm.request") => {
                object.has_field("time")
            }
            _ => envelope::is_envelope(object),
        })
    }

    /// Returns the paths of the logs of other agents, which are in folders beside the main one's.
    fn part_paths(&self, main: &FileHead<'_>) -> Vec<String> {
        match main.name {
            "wire.jsonl" => vec!["../*".to_owned(), "../../state.json".to_owned()],
            _ => vec![],
        }
    }

    fn belongs_to(&self, other: &FileHead<'_>) -> BelongsTo {
        let is_started = head_json::any_object(other, &["system_trigger", "subagent"], |object| {
            object.text("type").as_deref() == Some("turn.prompt")
                && object
                    .object("origin")
                    .is_some_and(|origin| origin.text("name").as_deref() == Some("subagent"))
        });
        if is_started && self.claims_file(other) {
            BelongsTo::Named(vec!["wire.jsonl".to_owned()])
        } else {
            BelongsTo::Itself
        }
    }

    fn names_in_parts(&self, main: &FileHead<'_>) -> HashSet<String> {
        HashSet::from([main.name.to_owned()])
    }

    fn agent_of_source(&self, source: &str) -> Option<String> {
        let (folder, name) = source.rsplit_once('/')?;
        (name != STATE_FILE).then(|| file_name(folder).to_owned())
    }

    /// Reads the folder and the title from the session's state.
    fn read_header<'t>(&self, document: TapeValue<'t>) -> LogRecord<'t> {
        let mut record = LogRecord::default();
        let fields = JsonObject::from_value(document).filter(is_state).unwrap_or_default();
        let custom = fields.object("custom").unwrap_or_default();
        let root = fields.text("workDir").or_else(|| custom.text("cwd"));
        record.facts.root = root.filter(|root| !root.is_empty());
        record.facts.title =
            fields.first_text(&["customTitle", "title"]).filter(|title| !title.is_empty());
        record
    }

    fn records_in<'t>(&self, value: TapeValue<'t>) -> Vec<TapeValue<'t>> {
        match JsonObject::from_value(value).is_some_and(|fields| is_state(&fields)) {
            true => vec![],
            false => vec![value],
        }
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        let mut made = envelope::message_record(&fields).unwrap_or_else(|| event_record(&fields));
        made.time = chat::first_time(&fields, &["time", "timestamp", "created_at"]);
        made.facts.agent = Some(Cow::Borrowed("kimi"));
        made
    }

    fn order_entries(&self, entries: &mut Vec<RecordEntry>) {
        name_models(entries);
        record_order::end_branches_at(entries, UNDO_ID, undo_start);
    }
}

/// The file of a session's state.
const STATE_FILE: &str = "state.json";

fn is_state(fields: &JsonObject<'_>) -> bool {
    !fields.has_field("type")
        && !fields.has_field("message")
        && (fields.has_field("workDir") || fields.has_field("agents"))
}

/// Gives the requests to a model the name that the settings have for its alias.
fn name_models(entries: &mut [RecordEntry]) {
    let mut names: HashMap<String, String> = HashMap::new();
    for RecordEntry { record, .. } in entries.iter() {
        let alias = record.id.as_deref().and_then(|id| id.strip_prefix(ALIAS_PREFIX));
        if let (Some(alias), Some(model)) = (alias, record.facts.model.as_deref()) {
            names.entry(alias.to_owned()).or_insert_with(|| model.to_owned());
        }
    }
    for RecordEntry { record, .. } in entries.iter_mut() {
        if let Some(name) = record.facts.model.as_deref().and_then(|model| names.get(model)) {
            record.facts.model = Some(name.clone().into());
        }
    }
}

/// The id of a request to a model, before the alias that the settings have for the model.
const ALIAS_PREFIX: &str = "model ";

/// The id of a record that undoes requests, and the prefix of their number in its parent.
const UNDO_ID: &str = "undo";

/// Returns the position of the first of the requests that a record undoes, with all that was done for them; None where the
/// history was summarised since.
fn undo_start(entries: &[RecordEntry], undo: &RecordEntry) -> Option<usize> {
    let count: usize = undo.record.parent.as_deref()?.parse().ok()?;
    let is = |entry: &RecordEntry, wanted: fn(&RecordEvent<'_>) -> bool| {
        entry.record.events.iter().any(wanted)
    };
    let is_fixed = |entry: &RecordEntry| {
        entry.place.source != undo.place.source
            || is(entry, |event| matches!(event, RecordEvent::Compacted(_)))
    };
    let first = entries.iter().rposition(is_fixed).map_or(0, |at| at + 1);
    let requests = (first..entries.len())
        .rev()
        .filter(|at| is(&entries[*at], |event| matches!(event, RecordEvent::Request(_))));
    requests.take(count).enumerate().find(|(number, _)| number + 1 == count).map(|(_, at)| at)
}

fn event_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    let mut made = LogRecord::default();
    let kind = fields.text("type").unwrap_or_default();
    match &*kind {
        "config.update" => {
            made.facts.root = fields.text("cwd");
            made.facts.model = fields.text("modelAlias");
        }
        "profile.bind" => {
            made.facts.model = fields.text("modelAlias");
            made.facts.root = fields.object("environmentDisclosure").and_then(|it| it.text("cwd"));
        }
        "turn.prompt" => made.push_event(RecordEvent::Request(arguments::content_field_text(fields, "input"))),
        "turn.steer" => made.push_event(RecordEvent::Message(Role::User, arguments::content_field_text(fields, "input"))),
        "turn.cancel" => made.push_event(RecordEvent::Failed("the turn was cancelled".into())),
        "turn.ended" => {
            let reason = fields.text("reason").unwrap_or_default();
            if !matches!(&*reason, "completed" | "") {
                made.push_event(RecordEvent::Failed(format!("the turn ended: {reason}").into()));
            }
        }
        "context.append_loop_event" => match fields.object("event") {
            Some(event) => add_loop_event(&mut made, &event),
            None => made.push_event(RecordEvent::Unknown("loop event that is not an object".into())),
        },
        "context.append_message" => add_context_message(&mut made, fields),
        "context.compacted" | "context.compact" | "context.apply_compaction" => {
            made.push_event(RecordEvent::Compacted(
                fields.text("summary").unwrap_or("the context was summarised".into()),
            ));
        }
        "error" => made.push_event(RecordEvent::Failed(fields.text("message").unwrap_or_default())),
        "llm.request" => {
            made.facts.model = fields.text("model");
            made.id = fields.text("modelAlias").map(|alias| format!("{ALIAS_PREFIX}{alias}").into());
        }
        "context.undo" => {
            made.id = Some(UNDO_ID.into());
            made.parent = fields.number("count").map(|count| count.to_string().into());
        }
        // The end of each step repeats the same counts.
        "usage.record" | "token_counting.measured" | "token_counting.turn_recorded" => {}
        kind if kind.starts_with("permission.")
            || kind.starts_with("plugin.")
            || kind.starts_with("tools.")
            || kind.starts_with("runtime.")
            || kind.starts_with("llm.")
            || kind.starts_with("mcp.")
            || kind.starts_with("plan_mode.")
            || kind.starts_with("swarm_mode.")
            || kind.starts_with("background.")
            || kind.starts_with("goal.") => {}
        "metadata"
        | "forked"
        | "context.clear"
        // The summary is in `context.apply_compaction`.
        | "full_compaction.begin"
        | "full_compaction.complete"
        | "full_compaction.cancel"
        | "micro_compaction.apply"
        | "agents_md.bind" => {}
        _ => made.push_event(RecordEvent::unknown_kind(kind, "record without a type")),
    }
    made
}

/// Adds a message of the context; requests are repeated there and are left out.
fn add_context_message<'t>(made: &mut LogRecord<'t>, fields: &JsonObject<'t>) {
    let message = fields.object("message").unwrap_or_default();
    let origin = message.object("origin").unwrap_or_default();
    let is_typed = matches!(origin.text("kind").as_deref(), Some("user" | "system_trigger"));
    let role = message.text("role").unwrap_or_default();
    if role == "user" && is_typed {
        return;
    }
    let text = arguments::content_field_text(&message, "content");
    let role = if role == "assistant" { Role::Assistant } else { Role::System };
    if !text.trim().is_empty() {
        made.push_event(RecordEvent::Message(role, text));
    }
}

fn add_loop_event<'t>(made: &mut LogRecord<'t>, event: &JsonObject<'t>) {
    let kind = event.text("type").unwrap_or_default();
    match &*kind {
        "content.part" => {
            let part = event.object("part").unwrap_or_default();
            match &*part.text("type").unwrap_or_default() {
                "think" => {
                    made.push_text(RecordEvent::Thought, part.text("think").unwrap_or_default())
                }
                _ => made.push_text(
                    |text| RecordEvent::Message(Role::Assistant, text),
                    part.text("text").unwrap_or_default(),
                ),
            }
        }
        "tool.call" => {
            let call = arguments::call_from_arguments(
                event.text("name").unwrap_or_default(),
                event.text("toolCallId"),
                event.get("args"),
            );
            made.push_event(RecordEvent::Call(call));
        }
        "tool.result" => {
            let result = event.object("result").unwrap_or_default();
            made.push_event(RecordEvent::Answer(CallAnswer {
                call: event.text("toolCallId").unwrap_or_default(),
                ..read_answer(&result)
            }));
        }
        "step.end" => made.tokens = read_tokens(&event.object("usage").unwrap_or_default()),
        "step.begin" | "step.interrupted" | "step.retry" => {}
        _ => made.push_event(RecordEvent::unknown_kind(kind, "loop event without a type")),
    }
}

/// Reads the result of a tool: `{output, isError, message}`. The message has the reason of a failure, the output the
/// printed text.
fn read_answer<'t>(result: &JsonObject<'t>) -> CallAnswer<'t> {
    let printed = arguments::content_field_text(result, "output");
    let flag = result.flag("isError").or_else(|| result.flag("is_error"));
    let is_error = flag == Some(true);
    let why = ["message", "error", "note"].iter().find_map(|key| result.get(key));
    let why = why.map(arguments::error_text).unwrap_or_default();
    let says_why = why.trim().is_empty() || printed.contains(&*why);
    let text = match (printed.trim().is_empty(), is_error && !says_why) {
        (true, _) if !says_why => why,
        (false, true) => format!("{printed}\n{why}").into(),
        _ => printed,
    };
    CallAnswer {
        is_error,
        is_ok: flag == Some(false),
        exit_code: chat::exit_code_in(&text),
        text,
        ..CallAnswer::default()
    }
}

fn read_tokens(usage: &JsonObject<'_>) -> Tokens {
    let first = |keys: [&str; 2]| keys.iter().find_map(|key| usage.number(key));
    let read = first(["inputCacheRead", "input_cache_read"]);
    let written = first(["inputCacheCreation", "input_cache_creation"]);
    let input = first(["inputOther", "input_other"]);
    Tokens {
        input: input.map(|input| input + read.unwrap_or(0) + written.unwrap_or(0)),
        cached_input: read,
        output: usage.number("output"),
        cache_write: written,
        ..Tokens::default()
    }
}
