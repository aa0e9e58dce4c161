//! opencode's sessions: what `opencode export` prints, `{info, messages: [{info, parts}]}`. The database and the folders
//! of one file a message and a part are put into that form where they are opened. Messages of opencode 2 hold all that is said in
//! them: see [`second`].

mod second;

use std::{
    borrow::Cow,
    cell::RefCell,
    collections::{HashMap, HashSet},
};

use super::{
    EditsTold, Head, Offers, Shape, chat,
    object::{self, Object},
    peek,
    records::{Answer, Entry, Event, FileEdit, Record, Records, arguments},
    tape::Value,
};
use trajview_run::{EditKind, Role, Time, Tokens, files::RecordedChange};

#[derive(Debug, Clone, Copy)]
pub struct OpenCode;

impl Records for OpenCode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn about(&self) -> &'static str {
        "opencode session: opencode.db, storage/, or the output of opencode export"
    }

    fn sample(&self) -> &'static str {
        "logs/opencode.export.json"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Document, EditsTold::Text).tokens().cost().times().subagents()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        let is_export = |object: &Object<'_>| {
            let info = object.object("info").unwrap_or_default();
            object.has("messages") && (info.has("projectID") || info.has("directory"))
        };
        let is_stream = |object: &Object<'_>| {
            object.has("part")
                && object.has("type")
                && (object.has("sessionID") || object.has("timestamp"))
        };
        let is_session = |object: &Object<'_>| {
            object.has("projectID")
                && object.has("directory")
                && object.has("time")
                && !object.has("role")
        };
        peek::any(head, &["\"projectID\"", "\"directory\""], is_session)
            || peek::any(head, &["\"info\"", "\"directory\""], is_export)
            || peek::any(head, &["\"part\""], is_stream)
    }

    /// Where a message and a part are a file each, they lie in folders by the ids of what they are of.
    fn parts_in(&self, main: &Head<'_>) -> Vec<String> {
        let found = RefCell::new(vec![]);
        peek::any(main, &["\"id\""], |object| {
            let id =
                object.text("id").filter(|id| !id.contains(['/', '\\']) && !id.starts_with('.'));
            if let Some(id) = id {
                let is_message = object.has("role") && object.has("sessionID");
                let is_session = object.has("projectID") && object.has("directory");
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

    fn header<'t>(&self, document: Value<'t>) -> Record<'t> {
        let mut record = Record::default();
        let document = Object::of(document).unwrap_or_default();
        record.facts.agent = Some(Cow::Borrowed("opencode"));
        record.facts.id = document.text("sessionID");
        let session = document.has("projectID").then_some(document);
        let Some(info) = document.object("info").or(session) else { return record };
        record.facts.id = info.text("id");
        record.facts.version = info.text("version");
        record.facts.root = info.text("directory");
        record.facts.title = info.text("title").filter(|title| !title.starts_with('{'));
        record.time = info.object("time").and_then(|time| chat::time_of(&time, &["created"]));
        // Of the whole session, as newer databases state them.
        record.tokens = tokens(&info);
        record.cost_usd = info.amount("cost");
        record
    }

    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        match Object::of(value) {
            Some(document) if document.has("messages") => document.array("messages"),
            Some(session) if session.has("projectID") => vec![],
            Some(_) => vec![value],
            None => vec![],
        }
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        if fields.has("part") {
            return streamed(&fields);
        }
        if fields.has("info") || fields.has("parts") {
            return message(&fields);
        }
        if fields.has("role") && fields.has("time") {
            return about(&fields);
        }
        if let Some(made) = second::message(&fields) {
            return made;
        }
        let mut made = Record {
            parent: fields.text("messageID").or(Some(Cow::Borrowed(""))),
            ..Record::default()
        };
        made.id = fields.text("id");
        let time = fields.object("time").unwrap_or_default();
        made.time = chat::time_of(&time, &["start"]);
        made.ended_at = chat::time_of(&time, &["end"]);
        made.events.extend(said(&fields, false));
        made
    }

    /// A part lies in the folder of its message.
    fn parent_of(&self, source: &str) -> Option<String> {
        let (folder, _) = source.rsplit_once('/')?;
        let (around, message) = folder.rsplit_once('/')?;
        around.ends_with("part").then(|| message.to_owned())
    }

    /// Parts that are files of their own come after their message, and are requests where that is the user's.
    fn order(&self, entries: &mut Vec<Entry>) {
        if !entries.iter().any(|entry| entry.record.parent.is_some()) {
            return;
        }
        let users: HashSet<String> = entries
            .iter()
            .filter(|entry| entry.record.restated)
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
                if let (true, Event::Said(Role::Assistant, text)) = (is_asked, &mut *event) {
                    *event = Event::Request(std::mem::take(text));
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

/// What a message says beside its parts.
fn about<'t>(info: &Object<'t>) -> Record<'t> {
    let times = info.object("time").unwrap_or_default();
    let time = chat::time_of(&times, &["created"]);
    let ended_at = chat::time_of(&times, &["completed"]);
    let mut record = Record { time, ended_at, id: info.text("id"), ..Record::default() };
    let model = info.object("model").and_then(|model| model.text_of(&["modelID", "id"]));
    record.facts.model = info.text("modelID").or(model);
    record.restated = info.text("role").as_deref() == Some("user");
    if !record.restated {
        record.tokens = tokens(info);
        record.cost_usd = info.amount("cost");
    }
    if let Some(error) = info.object("error") {
        let data = error.object("data").unwrap_or_default();
        let text = data.text("message").or_else(|| error.text("name")).unwrap_or_default();
        record.says(Event::Failed(text));
    }
    record
}

fn message<'t>(fields: &Object<'t>) -> Record<'t> {
    let mut record = about(&fields.object("info").unwrap_or_default());
    let is_user = record.restated;
    record.restated = false;
    record.agent = fields.text("agent_session");
    let mut requests: Vec<Cow<'t, str>> = vec![];
    for part in fields.array("parts").into_iter().filter_map(Object::of) {
        let is_text = part.text("type").as_deref() == Some("text");
        if is_user && is_text && part.flag("synthetic") != Some(true) {
            requests.extend(part.text("text"));
        } else if let Some(event) = said(&part, is_user) {
            record.says(event);
        }
    }
    if !requests.is_empty() {
        let text =
            if requests.len() == 1 { requests.remove(0) } else { requests.join("\n").into() };
        record.events.insert(0, Event::Request(text));
    }
    record
}

fn tokens(info: &Object<'_>) -> Tokens {
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

fn said<'t>(part: &Object<'t>, is_user: bool) -> Option<Event<'t>> {
    let text = part.text("text").unwrap_or_default();
    let kind = part.text("type").unwrap_or_default();
    Some(match &*kind {
        "text" if text.trim().is_empty() => return None,
        "text" if is_user || part.flag("synthetic") == Some(true) => {
            Event::Said(Role::System, text)
        }
        "text" => Event::Said(Role::Assistant, text),
        "reasoning" if text.trim().is_empty() => return None,
        "reasoning" => Event::Thought(text),
        "tool" => Event::Called(tool(part)),
        "compaction" if text.is_empty() => Event::Compacted("the context was summarised".into()),
        "compaction" => Event::Compacted(text),
        "retry" => Event::Failed(
            part.object("error").and_then(|error| error.text("name")).unwrap_or_default(),
        ),
        "file" | "agent" | "subtask" => {
            let name = part.text_of(&["filename", "name", "prompt"]).unwrap_or_default();
            Event::Said(Role::System, format!("[{kind} {name}]").into())
        }
        "step-start" | "step-finish" | "snapshot" | "patch" => return None,
        _ => Event::unknown(kind, "part without a type"),
    })
}

fn tool<'t>(part: &Object<'t>) -> super::records::Call<'t> {
    let state = part.object("state").unwrap_or_default();
    let metadata = state.object("metadata").unwrap_or_default();
    let name = part.text("tool").unwrap_or_default();
    let mut call = arguments::call(name, part.text("callID"), state.get("input"));
    call.starts_agent = call.name == "task" && metadata.has("sessionId");
    let status = state.text("status").unwrap_or_default();
    let exit_code = metadata
        .integer("exit")
        .or_else(|| part.object("metadata").and_then(|it| it.integer("exit")));
    if matches!(&*status, "pending" | "running") {
        return call;
    }
    // What it was asked for is whole; what it printed may tell the change with its place.
    let is_written = call.edits.iter().any(|edit| matches!(edit.change, RecordedChange::Write(_)));
    let diff =
        metadata.text("diff").filter(|_| !is_written && call.name == "edit").unwrap_or_default();
    let path = state.object("input").and_then(|input| input.text_of(&["filePath", "path"]));
    let mut edits = vec![];
    if let Some(path) = path.filter(|_| diff.contains("@@")) {
        let hunks = trajview_code::patch::unified(&diff);
        edits.push(FileEdit::new(path, EditKind::Modify, RecordedChange::Patch(hunks)));
    }
    call.answer = Some(Answer {
        text: state
            .get("output")
            .map(arguments::words)
            .or_else(|| state.get("error").map(arguments::error_words))
            .unwrap_or_default(),
        is_error: status == "error" || exit_code.is_some_and(|code| code != 0),
        is_ok: status == "completed" && exit_code.is_none(),
        exit_code,
        ended_at: state.object("time").and_then(|time| chat::time_of(&time, &["end"])),
        edits,
        agent: metadata.text("sessionId").filter(|_| call.name == "task"),
        ..Answer::default()
    });
    call
}

/// What `opencode run --format json` prints: a part a line.
fn streamed<'t>(fields: &Object<'t>) -> Record<'t> {
    let mut record = Record { time: chat::time_of(fields, &["timestamp"]), ..Record::default() };
    let Some(part) = fields.get("part").and_then(Object::of) else {
        return Record::unknown("part that is no object");
    };
    record.ended_at = part.object("time").and_then(|time| chat::time_of(&time, &["end"]));
    let kind = fields.text("type").unwrap_or_default();
    match &*kind {
        "step_start" | "step_finish" => {
            record.tokens = tokens(&part);
            record.cost_usd = part.amount("cost");
        }
        "error" => {
            let text =
                ["message", "error"].iter().find_map(|key| part.get(key)).map(arguments::words);
            record.says(Event::Failed(text.unwrap_or_default()));
        }
        "tool_use" => record.says(Event::Called(tool(&part))),
        "text" | "reasoning" => record.events.extend(said(&part, false).or_else(|| {
            let text = object::text(part.get("text")?)?;
            Some(if kind == "text" {
                Event::Said(Role::Assistant, text)
            } else {
                Event::Thought(text)
            })
        })),
        _ => record.says(Event::Unknown(kind)),
    }
    record
}
