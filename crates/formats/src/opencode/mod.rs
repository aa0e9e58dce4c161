//! opencode's sessions: what `opencode export` prints, `{info, messages: [{info, parts}]}`. The database and the folders
//! of one file a message and a part are put into that form where they are opened. Messages of opencode 2 contain their
//! whole text: see [`version2`].

mod database;
mod version2;

use std::{
    borrow::Cow,
    cell::RefCell,
    collections::{HashMap, HashSet},
};

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, chat, head_json,
    json_object::{self, JsonObject},
    records::{CallAnswer, FileEdit, LogRecord, RecordEntry, RecordEvent, RecordFormat, arguments},
    tape::TapeValue,
};
use trajview_run::{EditKind, Role, Time, Tokens, files::RecordedChange};

pub use database::OpenCodeTables;

pub struct OpenCode;

impl RecordFormat for OpenCode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn short_description(&self) -> &'static str {
        "opencode session: opencode.db, storage/, or the output of opencode export"
    }

    fn sample_path(&self) -> &'static str {
        "logs/opencode.export.json"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Document, RecordedEdits::Text)
            .with_tokens()
            .with_cost()
            .with_times()
            .with_subagents()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let is_export = |object: &JsonObject<'_>| {
            let info = object.object("info").unwrap_or_default();
            object.has_field("messages")
                && (info.has_field("projectID") || info.has_field("directory"))
        };
        let is_stream = |object: &JsonObject<'_>| {
            object.has_field("part")
                && object.has_field("type")
                && (object.has_field("sessionID") || object.has_field("timestamp"))
        };
        let is_session = |object: &JsonObject<'_>| {
            object.has_field("projectID")
                && object.has_field("directory")
                && object.has_field("time")
                && !object.has_field("role")
        };
        head_json::any_object(head, &["\"projectID\"", "\"directory\""], is_session)
            || head_json::any_object(head, &["\"info\"", "\"directory\""], is_export)
            || head_json::any_object(head, &["\"part\""], is_stream)
    }

    /// Returns the folders of messages and parts that are files of their own; they are named by the ids of their session or
    /// message.
    fn part_paths(&self, main: &FileHead<'_>) -> Vec<String> {
        let found = RefCell::new(vec![]);
        head_json::any_object(main, &["\"id\""], |object| {
            let id =
                object.text("id").filter(|id| !id.contains(['/', '\\']) && !id.starts_with('.'));
            if let Some(id) = id {
                let is_message = object.has_field("role") && object.has_field("sessionID");
                let is_session = object.has_field("projectID") && object.has_field("directory");
                // Folders are named from the session's on: both lie two above it.
                let kind = if is_message { "part" } else { "message" };
                if is_message || is_session {
                    found.borrow_mut().push(format!("../../{kind}/{id}"));
                }
            }
            true
        });
        found.into_inner()
    }

    fn read_header<'t>(&self, document: TapeValue<'t>) -> LogRecord<'t> {
        let mut record = LogRecord::default();
        let document = JsonObject::from_value(document).unwrap_or_default();
        record.facts.agent = Some(Cow::Borrowed("opencode"));
        record.facts.id = document.text("sessionID");
        let session = document.has_field("projectID").then_some(document);
        let Some(info) = document.object("info").or(session) else { return record };
        record.facts.id = info.text("id");
        record.facts.version = info.text("version");
        record.facts.root = info.text("directory");
        record.facts.title = info.text("title").filter(|title| !title.starts_with('{'));
        record.time = info.object("time").and_then(|time| chat::first_time(&time, &["created"]));
        // Of the whole session, as newer databases state them.
        record.tokens = read_tokens(&info);
        record.cost_usd = info.float("cost");
        record
    }

    fn records_in<'t>(&self, value: TapeValue<'t>) -> Vec<TapeValue<'t>> {
        match JsonObject::from_value(value) {
            Some(document) if document.has_field("messages") => document.elements_of("messages"),
            Some(session) if session.has_field("projectID") => vec![],
            Some(_) => vec![value],
            None => vec![],
        }
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        if fields.has_field("part") {
            return streamed_record(&fields);
        }
        if fields.has_field("info") || fields.has_field("parts") {
            return message_record(&fields);
        }
        if fields.has_field("role") && fields.has_field("time") {
            return message_info_record(&fields);
        }
        if let Some(made) = version2::message_record(&fields) {
            return made;
        }
        let mut made = LogRecord {
            parent: fields.text("messageID").or(Some(Cow::Borrowed(""))),
            ..LogRecord::default()
        };
        made.id = fields.text("id");
        let time = fields.object("time").unwrap_or_default();
        made.time = chat::first_time(&time, &["start"]);
        made.ended_at = chat::first_time(&time, &["end"]);
        made.events.extend(part_event(&fields, false));
        made
    }

    /// Returns the message of a part, which is the name of its folder.
    fn parent_of_source(&self, source: &str) -> Option<String> {
        let (folder, _) = source.rsplit_once('/')?;
        let (around, message) = folder.rsplit_once('/')?;
        around.ends_with("part").then(|| message.to_owned())
    }

    /// Moves parts that are files of their own behind their message; they are requests where that is the user's.
    fn order_entries(&self, entries: &mut Vec<RecordEntry>) {
        if !entries.iter().any(|entry| entry.record.parent.is_some()) {
            return;
        }
        let users: HashSet<String> = entries
            .iter()
            .filter(|entry| entry.record.may_repeat)
            .filter_map(|entry| Some(entry.record.id.as_deref()?.to_owned()))
            .collect();
        let times: HashMap<String, Option<Time>> = entries
            .iter()
            .filter(|entry| entry.record.parent.is_none())
            .filter_map(|entry| Some((entry.record.id.as_deref()?.to_owned(), entry.record.time)))
            .collect();
        for entry in entries.iter_mut() {
            let is_asked = entry.record.parent.as_deref().is_some_and(|id| users.contains(id));
            for event in &mut entry.record.events {
                if let (true, RecordEvent::Message(Role::Assistant, text)) = (is_asked, &mut *event)
                {
                    *event = RecordEvent::Request(std::mem::take(text));
                }
            }
        }
        entries.sort_by_cached_key(|entry| {
            let of =
                entry.record.parent.as_deref().or(entry.record.id.as_deref()).unwrap_or_default();
            (times.get(of).copied().flatten(), of.to_owned(), entry.record.parent.is_some())
        });
    }
}

/// Reads the facts of a message beside its parts.
fn message_info_record<'t>(info: &JsonObject<'t>) -> LogRecord<'t> {
    let times = info.object("time").unwrap_or_default();
    let time = chat::first_time(&times, &["created"]);
    let ended_at = chat::first_time(&times, &["completed"]);
    let mut record = LogRecord { time, ended_at, id: info.text("id"), ..LogRecord::default() };
    let model = info.object("model").and_then(|model| model.first_text(&["modelID", "id"]));
    record.facts.model = info.text("modelID").or(model);
    record.may_repeat = info.text("role").as_deref() == Some("user");
    if !record.may_repeat {
        record.tokens = read_tokens(info);
        record.cost_usd = info.float("cost");
    }
    if let Some(error) = info.object("error") {
        let data = error.object("data").unwrap_or_default();
        let text = data.text("message").or_else(|| error.text("name")).unwrap_or_default();
        record.push_event(RecordEvent::Failed(text));
    }
    record
}

fn message_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    let mut record = message_info_record(&fields.object("info").unwrap_or_default());
    let is_user = record.may_repeat;
    record.may_repeat = false;
    record.agent = fields.text("agent_session");
    let mut requests: Vec<Cow<'t, str>> = vec![];
    for part in fields.elements_of("parts").into_iter().filter_map(JsonObject::from_value) {
        let is_text = part.text("type").as_deref() == Some("text");
        if is_user && is_text && part.flag("synthetic") != Some(true) {
            requests.extend(part.text("text"));
        } else if let Some(event) = part_event(&part, is_user) {
            record.push_event(event);
        }
    }
    if !requests.is_empty() {
        let text =
            if requests.len() == 1 { requests.remove(0) } else { requests.join("\n").into() };
        record.events.insert(0, RecordEvent::Request(text));
    }
    record
}

fn read_tokens(info: &JsonObject<'_>) -> Tokens {
    let Some(tokens) = info.object("tokens") else { return Tokens::default() };
    let cache = tokens.object("cache").unwrap_or_default();
    let (read, written) = (cache.number("read"), cache.number("write"));
    Tokens {
        input: tokens.number("input").map(|input| input + read.unwrap_or(0) + written.unwrap_or(0)),
        cached_input: read,
        output: tokens
            .number("output")
            .map(|output| output + tokens.number("reasoning").unwrap_or(0)),
        reasoning: tokens.number("reasoning"),
        cache_write: written,
        cache_write_1h: None,
    }
}

fn part_event<'t>(part: &JsonObject<'t>, is_user: bool) -> Option<RecordEvent<'t>> {
    let text = part.text("text").unwrap_or_default();
    let kind = part.text("type").unwrap_or_default();
    Some(match &*kind {
        "text" if text.trim().is_empty() => return None,
        "text" if is_user || part.flag("synthetic") == Some(true) => {
            RecordEvent::Message(Role::System, text)
        }
        "text" => RecordEvent::Message(Role::Assistant, text),
        "reasoning" if text.trim().is_empty() => return None,
        "reasoning" => RecordEvent::Thought(text),
        "tool" => RecordEvent::Call(tool_call(part)),
        "compaction" if text.is_empty() => {
            RecordEvent::Compacted("the context was summarised".into())
        }
        "compaction" => RecordEvent::Compacted(text),
        "retry" => RecordEvent::Failed(
            part.object("error").and_then(|error| error.text("name")).unwrap_or_default(),
        ),
        "file" | "agent" | "subtask" => {
            let name = part.first_text(&["filename", "name", "prompt"]).unwrap_or_default();
            RecordEvent::Message(Role::System, format!("[{kind} {name}]").into())
        }
        "step-start" | "step-finish" | "snapshot" | "patch" => return None,
        _ => RecordEvent::unknown_kind(kind, "part without a type"),
    })
}

fn tool_call<'t>(part: &JsonObject<'t>) -> super::records::RecordedCall<'t> {
    let state = part.object("state").unwrap_or_default();
    let metadata = state.object("metadata").unwrap_or_default();
    let name = part.text("tool").unwrap_or_default();
    let mut call = arguments::call_from_arguments(name, part.text("callID"), state.get("input"));
    call.starts_agent = call.name == "task" && metadata.has_field("sessionId");
    let status = state.text("status").unwrap_or_default();
    let exit_code = metadata
        .integer("exit")
        .or_else(|| part.object("metadata").and_then(|it| it.integer("exit")));
    if matches!(&*status, "pending" | "running") {
        return call;
    }
    // The request is whole; the output may contain the change with its place.
    let is_written = call.edits.iter().any(|edit| matches!(edit.change, RecordedChange::Write(_)));
    let diff =
        metadata.text("diff").filter(|_| !is_written && call.name == "edit").unwrap_or_default();
    let path = state.object("input").and_then(|input| input.first_text(&["filePath", "path"]));
    let mut edits = vec![];
    if let Some(path) = path.filter(|_| diff.contains("@@")) {
        let hunks = trajview_code::patch::parse_unified(&diff);
        edits.push(FileEdit::new(path, EditKind::Modify, RecordedChange::Patch(hunks)));
    }
    call.answer = Some(CallAnswer {
        text: state
            .get("output")
            .map(arguments::content_text)
            .or_else(|| state.get("error").map(arguments::error_text))
            .unwrap_or_default(),
        is_error: status == "error" || exit_code.is_some_and(|code| code != 0),
        is_ok: status == "completed" && exit_code.is_none(),
        exit_code,
        ended_at: state.object("time").and_then(|time| chat::first_time(&time, &["end"])),
        edits,
        agent: metadata.text("sessionId").filter(|_| call.name == "task"),
        ..CallAnswer::default()
    });
    call
}

/// Reads a line of `opencode run --format json`: one part.
fn streamed_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    let mut record =
        LogRecord { time: chat::first_time(fields, &["timestamp"]), ..LogRecord::default() };
    let Some(part) = fields.get("part").and_then(JsonObject::from_value) else {
        return LogRecord::unknown_kind("part that is not an object");
    };
    record.ended_at = part.object("time").and_then(|time| chat::first_time(&time, &["end"]));
    let kind = fields.text("type").unwrap_or_default();
    match &*kind {
        "step_start" | "step_finish" => {
            record.tokens = read_tokens(&part);
            record.cost_usd = part.float("cost");
        }
        "error" => {
            let text = ["message", "error"]
                .iter()
                .find_map(|key| part.get(key))
                .map(arguments::content_text);
            record.push_event(RecordEvent::Failed(text.unwrap_or_default()));
        }
        "tool_use" => record.push_event(RecordEvent::Call(tool_call(&part))),
        "text" | "reasoning" => record.events.extend(part_event(&part, false).or_else(|| {
            let text = json_object::string_text(part.get("text")?)?;
            Some(if kind == "text" {
                RecordEvent::Message(Role::Assistant, text)
            } else {
                RecordEvent::Thought(text)
            })
        })),
        _ => record.push_event(RecordEvent::Unknown(kind)),
    }
    record
}
