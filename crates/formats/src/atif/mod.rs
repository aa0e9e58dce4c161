//! The Agent Trajectory Interchange Format (Harbor RFC 0001), versions 1.0 to 1.8: `trajectory.json` with `schema_version`,
//! `agent` and `steps`. Continuations (`trajectory.cont-1.json`, ...) are read after it, embedded sub-agents beside.

mod form;

use std::{borrow::Cow, collections::HashSet};

use super::{
    FileHead, FormFault, FormatCapabilities, RecordedEdits, RecordingShape, chat,
    companion_files::BelongsTo,
    head_json,
    json_object::JsonObject,
    records::{
        CallAnswer, FileEdit, LogRecord, RecordEntry, RecordEvent, RecordFormat, RecordedCall,
        arguments,
    },
    tape::{JsonTape, TapeValue},
};
use trajview_code::patch::{self, PatchHunk};
use trajview_run::{
    EditKind, RecordPlace, Role, Tokens,
    files::{RecordedChange, Replacement},
};

pub struct Atif;

impl RecordFormat for Atif {
    fn name(&self) -> &'static str {
        "atif"
    }

    fn short_description(&self) -> &'static str {
        "Agent Trajectory Interchange Format 1.0 to 1.8, trajectory.json with its continuations"
    }

    fn sample_path(&self) -> &'static str {
        "logs/atif/trajectory.json"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Document, RecordedEdits::Text)
            .with_tokens()
            .with_cost()
            .with_times()
            .with_subagents()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        head_json::any_object(head, &["\"schema_version\"", "ATIF-v"], |object| {
            object.text("schema_version").is_some_and(|version| version.starts_with("ATIF-v"))
        })
    }

    fn belongs_to(&self, other: &FileHead<'_>) -> BelongsTo {
        match main_file_name(other.name) {
            Some(main) if self.claims_file(other) => BelongsTo::Named(vec![main]),
            _ => BelongsTo::Itself,
        }
    }

    fn names_in_parts(&self, main: &FileHead<'_>) -> HashSet<String> {
        HashSet::from([main.name.to_owned()])
    }

    fn tool_definitions(&self, text: &str) -> Option<serde_json::Value> {
        let tape = JsonTape::parse(text);
        let agent = JsonObject::from_tape(&tape)?.object("agent")?;
        let list = agent.get("tool_definitions").filter(|list| list.elements().next().is_some())?;
        serde_json::from_str(list.get()).ok()
    }

    fn form_faults(&self, text: &str) -> Vec<FormFault> {
        form::trajectory_faults(text)
    }

    fn read_header<'t>(&self, document: TapeValue<'t>) -> LogRecord<'t> {
        let mut record = LogRecord::default();
        let document = JsonObject::from_value(document).unwrap_or_default();
        let agent = document.object("agent").unwrap_or_default();
        record.facts.id = document.first_text(&["trajectory_id", "session_id"]);
        record.facts.agent = agent.text("name");
        record.facts.version = agent.text("version");
        record.facts.model = agent.text("model_name");
        let extra = document.object("extra").unwrap_or_default();
        record.facts.root = extra.first_text(&["cwd", "root"]);
        record.facts.title = extra.text("title");
        record.facts.task = extra.text("task");
        record.facts.task_set = extra.text("task_set");
        let totals = document.object("final_metrics").unwrap_or_default();
        record.tokens = Tokens {
            input: totals.number("total_prompt_tokens"),
            cached_input: totals.number("total_cached_tokens"),
            output: totals.number("total_completion_tokens"),
            ..Tokens::default()
        };
        record.cost_usd = totals.float("total_cost_usd");
        record
    }

    fn records_in<'t>(&self, value: TapeValue<'t>) -> Vec<TapeValue<'t>> {
        let Some(document) = JsonObject::from_value(value) else { return vec![] };
        let mut steps = document.elements_of("steps");
        // Each embedded sub-agent comes before its steps.
        for agent in document.elements_of("subagent_trajectories") {
            steps.push(agent);
            steps.extend(
                JsonObject::from_value(agent)
                    .map(|agent| agent.elements_of("steps"))
                    .unwrap_or_default(),
            );
        }
        steps
    }

    fn read_record<'t>(&self, record: TapeValue<'t>) -> LogRecord<'t> {
        let fields = JsonObject::from_value(record).unwrap_or_default();
        if fields.has_field("steps") {
            return subagent_record(&fields);
        }
        step_record(&fields)
    }

    fn order_entries(&self, entries: &mut Vec<RecordEntry>) {
        let mut agent: Option<(RecordPlace, Cow<'static, str>)> = None;
        for entry in entries.iter_mut() {
            if let Some(id) = entry.record.parent.take() {
                agent = Some((entry.place, id));
            }
            let is_within = |around: &RecordPlace| {
                entry.place.source == around.source
                    && entry.place.start >= around.start
                    && entry.place.start < around.start + around.len
            };
            entry.record.agent =
                agent.as_ref().filter(|(at, _)| is_within(at)).map(|(_, id)| id.clone());
        }
    }
}

/// Returns `trajectory.json` for its continuation `trajectory.cont-2.json`; None for another name.
fn main_file_name(name: &str) -> Option<String> {
    let (stem, rest) = name.rsplit_once(".cont-")?;
    let number = rest.strip_suffix(".json")?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then(|| format!("{stem}.json"))
}

fn step_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    let mut record =
        LogRecord { time: chat::first_time(fields, &["timestamp"]), ..LogRecord::default() };
    // What a continuation repeats of the trajectory before is no second time of it.
    if fields.flag("is_copied_context") == Some(true) {
        return record;
    }
    // Only agents' steps may have metrics of their own.
    let own = || fields.object("extra").and_then(|extra| extra.object("metrics"));
    let metrics = fields.object("metrics").or_else(own).unwrap_or_default();
    let more = metrics.object("extra").unwrap_or_default();
    record.tokens = Tokens {
        input: metrics.number("prompt_tokens"),
        cached_input: metrics.number("cached_tokens"),
        output: metrics.number("completion_tokens"),
        reasoning: more.number("reasoning_tokens"),
        cache_write: more.number("cache_write_tokens"),
        cache_write_1h: more.number("cache_write_1h_tokens"),
    };
    record.cost_usd = metrics.float("cost_usd");
    record.facts.model = fields.text("model_name");
    let message = arguments::content_field_text(fields, "message");
    let source = fields.text("source").unwrap_or_default();
    let extra = fields.object("extra").unwrap_or_default();
    let is_compaction = extra.has_field("context_management");
    if let Some(id) = agent_without_call(fields).filter(|_| !is_compaction) {
        record.push_event(RecordEvent::Abandoned { branch: id, about: message });
        return record;
    }
    record.push_text(
        RecordEvent::Thought,
        arguments::content_field_text(fields, "reasoning_content"),
    );
    match &*source {
        _ if is_compaction => record.push_event(RecordEvent::Compacted(message)),
        "user" => record.push_event(RecordEvent::Request(message)),
        "agent" => record.push_text(|text| RecordEvent::Message(Role::Assistant, text), message),
        "system" if extra.flag("is_error") == Some(true) => {
            record.push_event(RecordEvent::Failed(message))
        }
        "system" if extra.text("role").as_deref() == Some("user") => {
            record.push_event(RecordEvent::Message(Role::User, message));
        }
        "system" => record.push_text(|text| RecordEvent::Message(Role::System, text), message),
        _ => record.push_event(RecordEvent::unknown_kind(source, "step without a source")),
    }
    let results: Vec<JsonObject<'t>> = fields
        .object("observation")
        .map(|it| it.elements_of("results"))
        .unwrap_or_default()
        .into_iter()
        .filter_map(JsonObject::from_value)
        .collect();
    let mut taken = HashSet::new();
    let calls = fields.elements_of("tool_calls");
    let is_alone = calls.len() == 1;
    for call in calls.into_iter().filter_map(JsonObject::from_value) {
        let mut made = read_call(&call);
        let own = results.iter().position(|result| {
            result.text("source_call_id").is_some_and(|id| !made.id.is_empty() && id == made.id)
        });
        let only = || (is_alone && results.len() == 1).then_some(0);
        if let Some(at) = own.or_else(only) {
            taken.insert(at);
            made.answer = Some(read_answer(&results[at]));
        }
        record.push_event(RecordEvent::Call(made));
    }
    for (_, result) in results.iter().enumerate().filter(|(at, _)| !taken.contains(at)) {
        record
            .push_event(RecordEvent::Answer(CallAnswer { call: "".into(), ..read_answer(result) }));
    }
    record
}

/// Returns the sub-agent, or the branch that was left, that begins at a step which calls nothing.
fn agent_without_call<'t>(fields: &JsonObject<'t>) -> Option<Cow<'t, str>> {
    let results = fields.object("observation")?.elements_of("results");
    let [only] = results.as_slice() else { return None };
    let result = JsonObject::from_value(*only)?;
    let has_call =
        !fields.elements_of("tool_calls").is_empty() || result.has_field("source_call_id");
    read_answer(&result).agent.filter(|_| !has_call)
}

/// Returns changes of files as `trajview export --atif` writes them into `extra`.
fn exported_edits(extra: &JsonObject<'_>) -> Option<Vec<FileEdit>> {
    let edit_list = extra.get("edits").filter(|edits| edits.is_list())?;
    let edit = |edit: JsonObject<'_>| {
        let text = |key: &str| edit.text(key).map(Cow::into_owned);
        let kind = match &*edit.text("kind")? {
            "create" => EditKind::Create,
            "delete" => EditKind::Delete,
            "rename" => EditKind::Rename,
            _ => EditKind::Modify,
        };
        let parts = edit
            .elements_of("replace")
            .into_iter()
            .filter_map(JsonObject::from_value)
            .filter_map(|part| {
                let (old, new) = (part.text("old")?.into_owned(), part.text("new")?.into_owned());
                Some(Replacement { old, new, all: part.flag("all") == Some(true) })
            });
        let parts: Vec<Replacement> = parts.collect();
        let change = match (text("content"), text("patch")) {
            (Some(content), _) => RecordedChange::Write(content),
            (None, Some(patch)) => RecordedChange::Patch(patch_hunks(&patch)),
            (None, None) if !parts.is_empty() => RecordedChange::Replace(parts),
            (None, None) if kind == EditKind::Delete => RecordedChange::Delete,
            (None, None) => RecordedChange::NotRecorded,
        };
        let lines = edit.elements_of("lines").into_iter().map(|count| count.get().parse().ok());
        let mut lines: Vec<Option<u32>> = lines.collect();
        lines.resize(2, None);
        let made = FileEdit::new(edit.text("path")?, kind, change);
        let lines = (lines[0], lines[1]);
        Some(FileEdit { from: text("from"), before: text("before"), lines, ..made })
    };
    Some(edit_list.elements().filter_map(JsonObject::from_value).filter_map(edit).collect())
}

/// Reads the hunks of a patch, in which zeros mean line numbers that nobody recorded.
fn patch_hunks(patch: &str) -> Vec<PatchHunk> {
    let mut hunks = patch::parse_unified(patch);
    for hunk in &mut hunks {
        if hunk.new_start == Some(0) && hunk.old_start == Some(0) {
            (hunk.old_start, hunk.new_start) = (None, None);
        }
    }
    hunks
}

fn read_call<'t>(call: &JsonObject<'t>) -> RecordedCall<'t> {
    let extra = call.object("extra").unwrap_or_default();
    let name = call.text("function_name").unwrap_or_default();
    let made =
        arguments::call_from_arguments(name, call.text("tool_call_id"), call.get("arguments"));
    let edits = exported_edits(&extra).unwrap_or_else(|| made.edits.clone());
    RecordedCall { edits, main: extra.text("label").unwrap_or_default(), ..made }
}

fn read_answer<'t>(result: &JsonObject<'t>) -> CallAnswer<'t> {
    let text = arguments::content_field_text(result, "content");
    let extra = result.object("extra").unwrap_or_default();
    let exit_code = extra.integer("exit_code").or_else(|| chat::exit_code_in(&text));
    let flag = extra.flag("is_error");
    let agent = result
        .elements_of("subagent_trajectory_ref")
        .into_iter()
        .filter_map(JsonObject::from_value)
        .next();
    CallAnswer {
        call: result.text("source_call_id").unwrap_or_default(),
        agent: agent
            .and_then(|it| it.first_text(&["trajectory_id", "session_id", "trajectory_path"])),
        is_error: flag.unwrap_or_else(|| exit_code.is_some_and(|code| code != 0)),
        is_ok: flag == Some(false),
        text,
        exit_code,
        ended_at: chat::first_time(&extra, &["ended_at"]),
        ..CallAnswer::default()
    }
}

/// Creates the record before the steps of an embedded sub-agent, in whose object the steps are.
fn subagent_record<'t>(fields: &JsonObject<'t>) -> LogRecord<'t> {
    let id = fields.first_text(&["trajectory_id", "session_id"]);
    LogRecord { parent: id.or(Some(Cow::Borrowed("sub-agent"))), ..LogRecord::default() }
}
