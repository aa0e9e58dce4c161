//! OpenHands before its SDK: a list of events (`trajectory.json`), a folder of them, or a row of an evaluation's
//! `output.jsonl` with the events under `history` and the outcome's diff under `test_result`.

use std::borrow::Cow;

use super::{
    FileHead, FormatCapabilities, RecordedEdits, RecordingShape, RunsInFile, chat, exit_status,
    head_json,
    json_object::JsonObject,
    records::{
        CallAnswer, FileEdit, LogRecord, RecordEvent, RecordFormat, RecordedCall, arguments,
    },
    tape::TapeValue,
};
use trajview_run::{EditKind, Role, Tokens, files::RecordedChange};

pub struct OpenHands;

impl RecordFormat for OpenHands {
    fn name(&self) -> &'static str {
        "openhands"
    }

    fn short_description(&self) -> &'static str {
        "OpenHands events (V0): trajectory.json, or a row of an evaluation's output.jsonl"
    }

    fn sample_path(&self) -> &'static str {
        "logs/openhands.trajectory.json"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Document, RecordedEdits::Text)
            .with_tokens()
            .with_cost()
            .with_times()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let is_event = |object: &JsonObject<'_>| {
            object.has_field("source")
                && (object.has_field("action") || object.has_field("observation"))
                && (object.has_field("id")
                    || object.has_field("args")
                    || object.has_field("content"))
                && !object.has_field("kind")
        };
        let is_row = |object: &JsonObject<'_>| {
            let history = object.elements_of("history");
            let first =
                history.first().and_then(|event| JsonObject::from_value(first_of_pair(*event)));
            first.is_some_and(|event| is_event(&event))
        };
        let is_console =
            |object: &JsonObject<'_>| object.has_field("is_step") && object.has_field("line");
        head_json::any_object(head, &["\"source\""], |object| is_event(object) || is_row(object))
            || head_json::any_object(head, &["\"is_step\""], is_console)
    }

    fn runs_in_file(&self, head: &FileHead<'_>) -> RunsInFile {
        let is_row = |object: &JsonObject<'_>| {
            object.has_field("history") && object.has_field("instance_id")
        };
        if head_json::any_object(head, &["\"history\""], is_row) {
            RunsInFile::OnePerLine
        } else {
            RunsInFile::One
        }
    }

    fn read_header<'t>(&self, document: TapeValue<'t>) -> LogRecord<'t> {
        let mut record = LogRecord::default();
        record.facts.agent = Some(Cow::Borrowed("openhands"));
        let Some(row) = JsonObject::from_value(document).filter(|row| row.has_field("history"))
        else {
            return record;
        };
        record.facts.task = row.text("instance_id");
        record.facts.id = row.text("instance_id");
        let metadata = row.object("metadata").unwrap_or_default();
        record.facts.model = metadata.object("llm_config").and_then(|config| config.text("model"));
        let metrics = row.object("metrics").unwrap_or_default();
        record.cost_usd = metrics.float("accumulated_cost");
        record.trial = exit_status::result_of_row(&row).map(Box::new);
        record
    }

    /// Returns the events, and after them the row that contains them, for its diff.
    fn records_in<'t>(&self, value: TapeValue<'t>) -> Vec<TapeValue<'t>> {
        let Some(row) = JsonObject::from_value(value) else {
            return value.elements().map(first_of_pair).collect();
        };
        if row.has_field("history") {
            let end = row.get("test_result");
            return row.elements_of("history").into_iter().map(first_of_pair).chain(end).collect();
        }
        vec![value]
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        if fields.has_field("is_step") {
            return console_record(&fields);
        }
        if fields.has_field("git_patch") {
            let diff = fields.text("git_patch").filter(|diff| !diff.trim().is_empty());
            return diff
                .map(|diff| LogRecord::from_event(RecordEvent::FinalDiff(diff)))
                .unwrap_or_default();
        }
        let mut made = event_record(&fields);
        made.time = chat::first_time(&fields, &["timestamp"]);
        made.facts.root = repository_folder(&fields, &made);
        made
    }
}

/// Returns the first event of a pair. Some evaluations wrote an action and its observation as a pair; the events of most
/// are single.
fn first_of_pair(event: TapeValue<'_>) -> TapeValue<'_> {
    if event.is_list() { event.elements().next().unwrap_or(event) } else { event }
}

/// Returns the folder of the repository that the request names; else the folder in which commands ran.
fn repository_folder<'t>(fields: &JsonObject<'t>, made: &LogRecord<'t>) -> Option<Cow<'t, str>> {
    let uploaded = made.events.iter().find_map(|event| match event {
        RecordEvent::Request(text) => {
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

fn event_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    if fields.text("observation").is_some() {
        return observation_record(fields);
    }
    let mut record = LogRecord::default();
    let args = fields.object("args").unwrap_or_default();
    let words = |keys: &[&str]| {
        let message_text = keys
            .iter()
            .map(|key| arguments::content_field_text(&args, key))
            .find(|text| !text.is_empty());
        message_text.unwrap_or_else(|| arguments::content_field_text(fields, "message"))
    };
    let source = fields.text("source").unwrap_or_default();
    let action = fields.text("action").unwrap_or_default();
    record.response = response_id(fields);
    record.tokens = response_tokens(fields);
    let cost = fields.object("llm_metrics").and_then(|metrics| metrics.float("accumulated_cost"));
    record.totals = cost.map(|cost| (Tokens::default(), Some(cost)));
    match (&*source, &*action) {
        (_, "system") => record.push_event(RecordEvent::Message(Role::System, words(&["content"]))),
        ("user", "message") => record.push_event(RecordEvent::Request(words(&["content"]))),
        (_, "message") => {
            record.push_event(RecordEvent::Message(Role::Assistant, words(&["content"])))
        }
        (_, "finish" | "reject") => record.push_event(RecordEvent::Message(
            Role::Assistant,
            words(&["final_thought", "content", "thought"]),
        )),
        (_, "think") => record.push_event(RecordEvent::Thought(words(&["thought", "content"]))),
        (_, "condensation" | "condensation_request") => {
            record.push_event(RecordEvent::Compacted(words(&["summary"])))
        }
        ("user" | "environment", "recall" | "change_agent_state" | "null")
        | (_, "change_agent_state" | "null" | "start_hook_execution") => {}
        (_, "") => record.push_event(RecordEvent::Unknown("event without an action".into())),
        (_, action) => {
            record.push_text(
                |text| RecordEvent::Message(Role::Assistant, text),
                args.text("thought").unwrap_or_default(),
            );
            record.push_event(RecordEvent::Call(action_call(fields, &args, action)));
        }
    }
    record
}

fn action_call<'t>(
    fields: &JsonObject<'t>,
    args: &JsonObject<'t>,
    action: &str,
) -> RecordedCall<'t> {
    let id = fields.get("id").map(|id| Cow::Borrowed(id.get()));
    let mut call = arguments::call_from_arguments(action.to_owned(), id, fields.get("args"));
    call.main = args
        .first_text(&["command", "path", "code", "url", "name", "query", "browser_actions"])
        .unwrap_or_default();
    call.edits = match action {
        "edit" | "write" => requested_edits(args),
        _ => vec![],
    };
    call
}

/// Returns the edits that an action requests: by its own commands, or with the whole content.
fn requested_edits(args: &JsonObject<'_>) -> Vec<FileEdit> {
    let Some(path) = args.text("path") else { return vec![] };
    let patch_edits = match args.text("command").as_deref() {
        Some("view" | "undo_edit") => return vec![],
        _ => arguments::edits_of_call(
            "str_replace_editor",
            args.as_value().map_or("", TapeValue::get),
        ),
    };
    if !patch_edits.is_empty() {
        return patch_edits;
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

fn observation_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    let kind = fields.text("observation").unwrap_or_default();
    let extras = fields.object("extras").unwrap_or_default();
    let text = fields.get("content").map(arguments::content_text).filter(|text| !text.is_empty());
    let text = text.unwrap_or_else(|| arguments::content_field_text(fields, "message"));
    if matches!(&*kind, "agent_state_changed" | "null" | "recall") {
        return LogRecord::default();
    }
    let cause = fields.get("cause").map(|cause| Cow::Borrowed(cause.get()));
    let Some(call) = cause else {
        return LogRecord::from_event(match &*kind {
            "error" | "loop_detection" => RecordEvent::Failed(text),
            "condense" => RecordEvent::Compacted(text),
            _ => RecordEvent::Message(Role::System, text),
        });
    };
    let metadata = extras.object("metadata").unwrap_or_default();
    let exit_code = metadata
        .integer("exit_code")
        .or_else(|| extras.integer("exit_code"))
        .filter(|code| *code >= 0);
    let is_failed =
        kind == "error" || text.starts_with("ERROR:") || exit_code.is_some_and(|code| code != 0);
    let edits = if kind == "edit" && !is_failed { observed_edits(&extras, &text) } else { vec![] };
    LogRecord::from_event(RecordEvent::Answer(CallAnswer {
        call,
        text,
        exit_code,
        is_error: is_failed,
        edits,
        ..CallAnswer::default()
    }))
}

/// Returns the file of an edit as it was and became, where both are whole: some versions hold the piece that was
/// replaced.
fn observed_edits(extras: &JsonObject<'_>, text: &str) -> Vec<FileEdit> {
    let Some(edit) = chat::whole_file_edit(extras) else { return vec![] };
    let is_piece = edit.before.as_deref().is_none_or(|before| !before.contains('\n'))
        && text.contains("snippet");
    if is_piece || extras.has_field("diff") && edit.before.is_none() { vec![] } else { vec![edit] }
}

fn response_id<'t>(fields: &JsonObject<'t>) -> Option<Cow<'t, str>> {
    let call = fields.object("tool_call_metadata")?;
    call.object("model_response")?.text("id")
}

/// Returns the tokens of the response that the event is a part of.
fn response_tokens(fields: &JsonObject<'_>) -> Tokens {
    let usage = fields
        .object("tool_call_metadata")
        .and_then(|call| call.object("model_response")?.object("usage"));
    usage.map(|usage| chat::read_usage(&usage)).unwrap_or_default()
}

/// Returns a line of the console, cut into steps by a harness.
fn console_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    if fields.flag("is_step") != Some(true) {
        return LogRecord::default();
    }
    let line = fields.text("line").unwrap_or_default();
    let args = fields.object("args").unwrap_or_default();
    let mut record = LogRecord::default();
    match fields.text("action").as_deref() {
        None | Some("message") => {
            let text = args.text("content").filter(|text| !text.is_empty()).unwrap_or(line);
            record.push_event(RecordEvent::Message(Role::Assistant, text));
        }
        Some(action) => {
            record.push_text(|text| RecordEvent::Message(Role::Assistant, text), line);
            record.push_event(RecordEvent::Call(action_call(fields, &args, action)));
        }
    }
    record
}
