//! OpenHands before its SDK: a list of events (`trajectory.json`), a folder of them, or a row of an evaluation's
//! `output.jsonl` with the events under `history` and the outcome's diff under `test_result`.

use std::borrow::Cow;

use super::{
    EditsTold, Head, Offers, Rows, Shape, chat,
    object::Object,
    peek,
    records::{Answer, Call, Event, FileEdit, Record, Records, arguments},
    tape::Value,
};
use trajview_run::{EditKind, Role, Tokens, files::RecordedChange};

#[derive(Debug, Clone, Copy)]
pub struct OpenHands;

impl Records for OpenHands {
    fn name(&self) -> &'static str {
        "openhands"
    }

    fn about(&self) -> &'static str {
        "OpenHands events (V0): trajectory.json, or a row of an evaluation's output.jsonl"
    }

    fn sample(&self) -> &'static str {
        "logs/openhands.trajectory.json"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Document, EditsTold::Text).tokens().cost().times()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        let is_event = |object: &Object<'_>| {
            object.has("source")
                && (object.has("action") || object.has("observation"))
                && (object.has("id") || object.has("args") || object.has("content"))
                && !object.has("kind")
        };
        let is_row = |object: &Object<'_>| {
            let history = object.array("history");
            let first = history.first().and_then(|event| Object::of(first_of(*event)));
            first.is_some_and(|event| is_event(&event))
        };
        let is_console = |object: &Object<'_>| object.has("is_step") && object.has("line");
        peek::any(head, &["\"source\""], |object| is_event(object) || is_row(object))
            || peek::any(head, &["\"is_step\""], is_console)
    }

    fn rows(&self, head: &Head<'_>) -> Rows {
        let is_row = |object: &Object<'_>| object.has("history") && object.has("instance_id");
        if peek::any(head, &["\"history\""], is_row) { Rows::Lines } else { Rows::None }
    }

    fn header<'t>(&self, document: Value<'t>) -> Record<'t> {
        let mut record = Record::default();
        record.facts.agent = Some(Cow::Borrowed("openhands"));
        let Some(row) = Object::of(document).filter(|row| row.has("history")) else {
            return record;
        };
        record.facts.task = row.text("instance_id");
        record.facts.id = row.text("instance_id");
        let metadata = row.object("metadata").unwrap_or_default();
        record.facts.model = metadata.object("llm_config").and_then(|config| config.text("model"));
        let metrics = row.object("metrics").unwrap_or_default();
        record.cost_usd = metrics.amount("accumulated_cost");
        record
    }

    /// The events, and after them the row that holds them, for the diff that it ends with.
    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        let Some(row) = Object::of(value) else { return value.elements().map(first_of).collect() };
        if row.has("history") {
            let end = row.get("test_result");
            return row.array("history").into_iter().map(first_of).chain(end).collect();
        }
        vec![value]
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        if fields.has("is_step") {
            return console(&fields);
        }
        if fields.has("git_patch") {
            let diff = fields.text("git_patch").filter(|diff| !diff.trim().is_empty());
            return diff.map(|diff| Record::of(Event::FinalDiff(diff))).unwrap_or_default();
        }
        let mut made = event(&fields);
        made.time = chat::time_of(&fields, &["timestamp"]);
        made.facts.root = folder(&fields, &made);
        made
    }
}

/// Some evaluations wrote an action and its observation as a pair; the events of most are single.
fn first_of(event: Value<'_>) -> Value<'_> {
    if event.is_list() { event.elements().next().unwrap_or(event) } else { event }
}

/// Where the repository was put, as the request says it; else where commands ran.
fn folder<'t>(fields: &Object<'t>, made: &Record<'t>) -> Option<Cow<'t, str>> {
    let uploaded = made.events.iter().find_map(|event| match event {
        Event::Request(text) => {
            text.split_once("<uploaded_files>")?.1.split_once("</uploaded_files>")
        }
        _ => None,
    });
    if let Some((folder, _)) = uploaded {
        return Some(Cow::Owned(folder.trim().to_owned()));
    }
    let metadata = fields.object("extras")?.object("metadata")?;
    metadata.text("working_dir").filter(|folder| folder.len() > 1)
}

fn event<'t>(fields: &Object<'t>) -> Record<'t> {
    if fields.text("observation").is_some() {
        return observation(fields);
    }
    let mut record = Record::default();
    let args = fields.object("args").unwrap_or_default();
    let words = |keys: &[&str]| {
        let said =
            keys.iter().map(|key| arguments::words_of(&args, key)).find(|text| !text.is_empty());
        said.unwrap_or_else(|| arguments::words_of(fields, "message"))
    };
    let source = fields.text("source").unwrap_or_default();
    let action = fields.text("action").unwrap_or_default();
    record.response = response(fields);
    record.tokens = tokens(fields);
    let cost = fields.object("llm_metrics").and_then(|metrics| metrics.amount("accumulated_cost"));
    record.totals = cost.map(|cost| (Tokens::default(), Some(cost)));
    match (&*source, &*action) {
        (_, "system") => record.says(Event::Said(Role::System, words(&["content"]))),
        ("user", "message") => record.says(Event::Request(words(&["content"]))),
        (_, "message") => record.says(Event::Said(Role::Assistant, words(&["content"]))),
        (_, "finish" | "reject") => record
            .says(Event::Said(Role::Assistant, words(&["final_thought", "content", "thought"]))),
        (_, "think") => record.says(Event::Thought(words(&["thought", "content"]))),
        (_, "condensation" | "condensation_request") => {
            record.says(Event::Compacted(words(&["summary"])))
        }
        ("user" | "environment", "recall" | "change_agent_state" | "null")
        | (_, "change_agent_state" | "null" | "start_hook_execution") => {}
        (_, "") => record.says(Event::Unknown("event without an action".into())),
        (_, action) => {
            record.says_words(
                |text| Event::Said(Role::Assistant, text),
                args.text("thought").unwrap_or_default(),
            );
            record.says(Event::Called(call(fields, &args, action)));
        }
    }
    record
}

fn call<'t>(fields: &Object<'t>, args: &Object<'t>, action: &str) -> Call<'t> {
    let id = fields.get("id").map(|id| Cow::Borrowed(id.get()));
    let mut call = arguments::call(action.to_owned(), id, fields.get("args"));
    call.main = args
        .text_of(&["command", "path", "code", "url", "name", "query", "browser_actions"])
        .unwrap_or_default();
    call.edits = match action {
        "edit" | "write" => edits(args),
        _ => vec![],
    };
    call
}

/// What an edit asks for: its own commands, or the whole content.
fn edits(args: &Object<'_>) -> Vec<FileEdit> {
    let Some(path) = args.text("path") else { return vec![] };
    let asked = match args.text("command").as_deref() {
        Some("view" | "undo_edit") => return vec![],
        _ => arguments::edits("str_replace_editor", args.whole().map_or("", Value::get)),
    };
    if !asked.is_empty() {
        return asked;
    }
    let whole =
        args.text("file_text").or_else(|| args.text("content")).filter(|text| !text.is_empty());
    let (kind, change) = match whole {
        Some(text) if args.integer("start").unwrap_or(0) <= 1 => {
            (EditKind::Create, RecordedChange::Write(text.into_owned()))
        }
        _ => (EditKind::Modify, RecordedChange::NotRecorded),
    };
    vec![FileEdit::new(path, kind, change)]
}

fn observation<'t>(fields: &Object<'t>) -> Record<'t> {
    let kind = fields.text("observation").unwrap_or_default();
    let extras = fields.object("extras").unwrap_or_default();
    let text = fields.get("content").map(arguments::words).filter(|text| !text.is_empty());
    let text = text.unwrap_or_else(|| arguments::words_of(fields, "message"));
    if matches!(&*kind, "agent_state_changed" | "null" | "recall") {
        return Record::default();
    }
    let cause = fields.get("cause").map(|cause| Cow::Borrowed(cause.get()));
    let Some(call) = cause else {
        return Record::of(match &*kind {
            "error" | "loop_detection" => Event::Failed(text),
            "condense" => Event::Compacted(text),
            _ => Event::Said(Role::System, text),
        });
    };
    let metadata = extras.object("metadata").unwrap_or_default();
    let exit_code = metadata
        .integer("exit_code")
        .or_else(|| extras.integer("exit_code"))
        .filter(|code| *code >= 0);
    let is_failed =
        kind == "error" || text.starts_with("ERROR:") || exit_code.is_some_and(|code| code != 0);
    let edits = if kind == "edit" && !is_failed { changed(&extras, &text) } else { vec![] };
    Record::of(Event::Answered(Answer {
        call,
        text,
        exit_code,
        is_error: is_failed,
        edits,
        ..Answer::default()
    }))
}

/// The file of an edit as it was and became, where both are whole: some versions hold the piece that was replaced.
fn changed(extras: &Object<'_>, text: &str) -> Vec<FileEdit> {
    let Some(edit) = chat::whole_file(extras) else { return vec![] };
    let is_piece = edit.before.as_deref().is_none_or(|before| !before.contains('\n'))
        && text.contains("snippet");
    if is_piece || extras.has("diff") && edit.before.is_none() { vec![] } else { vec![edit] }
}

fn response<'t>(fields: &Object<'t>) -> Option<Cow<'t, str>> {
    let call = fields.object("tool_call_metadata")?;
    call.object("model_response")?.text("id")
}

/// Of the response that the event is a part of.
fn tokens(fields: &Object<'_>) -> Tokens {
    let usage = fields
        .object("tool_call_metadata")
        .and_then(|call| call.object("model_response")?.object("usage"));
    usage.map(|usage| chat::usage(&usage)).unwrap_or_default()
}

/// A line of the console, cut into steps by a harness.
fn console<'t>(fields: &Object<'t>) -> Record<'t> {
    if fields.flag("is_step") != Some(true) {
        return Record::default();
    }
    let line = fields.text("line").unwrap_or_default();
    let args = fields.object("args").unwrap_or_default();
    let mut record = Record::default();
    match fields.text("action").as_deref() {
        None | Some("message") => {
            let text = args.text("content").filter(|text| !text.is_empty()).unwrap_or(line);
            record.says(Event::Said(Role::Assistant, text));
        }
        Some(action) => {
            record.says_words(|text| Event::Said(Role::Assistant, text), line);
            record.says(Event::Called(call(fields, &args, action)));
        }
    }
    record
}
