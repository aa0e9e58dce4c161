//! The Agent Trajectory Interchange Format (Harbor RFC 0001), versions 1.0 to 1.8: `trajectory.json` with `schema_version`,
//! `agent` and `steps`. Continuations (`trajectory.cont-1.json`, ...) are read after it, embedded sub-agents beside.

use std::{borrow::Cow, collections::HashSet};

use super::{
    EditsTold, Head, Offers, Shape, chat,
    companions::BelongsTo,
    object::Object,
    peek,
    records::{Answer, Call, Entry, Event, FileEdit, Record, Records, arguments},
    tape::Value,
};
use trajview_code::patch::{self, PatchHunk};
use trajview_run::{
    EditKind, Place, Role, Tokens,
    files::{RecordedChange, Replacement},
};

#[derive(Debug, Clone, Copy)]
pub struct Atif;

impl Records for Atif {
    fn name(&self) -> &'static str {
        "atif"
    }

    fn about(&self) -> &'static str {
        "Agent Trajectory Interchange Format 1.0 to 1.8, trajectory.json with its continuations"
    }

    fn sample(&self) -> &'static str {
        "logs/atif/trajectory.json"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Document, EditsTold::Text).tokens().cost().times().subagents()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        peek::any(head, &["\"schema_version\"", "ATIF-v"], |object| {
            object.text("schema_version").is_some_and(|version| version.starts_with("ATIF-v"))
        })
    }

    fn belongs_to(&self, other: &Head<'_>) -> BelongsTo {
        match continued(other.name) {
            Some(main) if self.claims(other) => BelongsTo::Named(vec![main]),
            _ => BelongsTo::Itself,
        }
    }

    fn names(&self, main: &Head<'_>) -> HashSet<String> {
        HashSet::from([main.name.to_owned()])
    }

    fn header<'t>(&self, document: Value<'t>) -> Record<'t> {
        let mut record = Record::default();
        let document = Object::of(document).unwrap_or_default();
        let agent = document.object("agent").unwrap_or_default();
        record.facts.id = document.text_of(&["trajectory_id", "session_id"]);
        record.facts.agent = agent.text("name");
        record.facts.version = agent.text("version");
        record.facts.model = agent.text("model_name");
        let extra = document.object("extra").unwrap_or_default();
        record.facts.root = extra.text_of(&["cwd", "root"]);
        record.facts.title = extra.text("title");
        record.facts.task = extra.text("task");
        let totals = document.object("final_metrics").unwrap_or_default();
        record.tokens = Tokens {
            input: totals.number("total_prompt_tokens"),
            cached_input: totals.number("total_cached_tokens"),
            output: totals.number("total_completion_tokens"),
            ..Tokens::default()
        };
        record.cost_usd = totals.amount("total_cost_usd");
        record
    }

    fn records<'t>(&self, value: Value<'t>) -> Vec<Value<'t>> {
        let Some(document) = Object::of(value) else { return vec![] };
        let mut steps = document.array("steps");
        // Each embedded sub-agent stands before its steps.
        for agent in document.array("subagent_trajectories") {
            steps.push(agent);
            steps.extend(Object::of(agent).map(|agent| agent.array("steps")).unwrap_or_default());
        }
        steps
    }

    fn record<'t>(&self, record: Value<'t>) -> Record<'t> {
        let fields = Object::of(record).unwrap_or_default();
        if fields.has("steps") {
            return subagent(&fields);
        }
        step(&fields)
    }

    fn order(&self, entries: &mut Vec<Entry>) {
        let mut agent: Option<(Place, Cow<'static, str>)> = None;
        for entry in entries.iter_mut() {
            if let Some(id) = entry.record.parent.take() {
                agent = Some((entry.place, id));
            }
            let is_within = |around: &Place| {
                entry.place.source == around.source
                    && entry.place.start >= around.start
                    && entry.place.start < around.start + around.len
            };
            entry.record.agent =
                agent.as_ref().filter(|(at, _)| is_within(at)).map(|(_, id)| id.clone());
        }
    }
}

/// `trajectory.json` of `trajectory.cont-2.json`.
fn continued(name: &str) -> Option<String> {
    let (stem, rest) = name.rsplit_once(".cont-")?;
    let number = rest.strip_suffix(".json")?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then(|| format!("{stem}.json"))
}

fn step<'t>(fields: &Object<'t>) -> Record<'t> {
    let mut record = Record { time: chat::time_of(fields, &["timestamp"]), ..Record::default() };
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
    record.cost_usd = metrics.amount("cost_usd");
    record.facts.model = fields.text("model_name");
    let message = arguments::words_of(fields, "message");
    let source = fields.text("source").unwrap_or_default();
    let extra = fields.object("extra").unwrap_or_default();
    let is_compaction = extra.has("context_management");
    if let Some(id) = begun_without_a_call(fields).filter(|_| !is_compaction) {
        record.says(Event::Left { branch: id, about: message });
        return record;
    }
    record.says_words(Event::Thought, arguments::words_of(fields, "reasoning_content"));
    match &*source {
        _ if is_compaction => record.says(Event::Compacted(message)),
        "user" => record.says(Event::Request(message)),
        "agent" => record.says_words(|text| Event::Said(Role::Assistant, text), message),
        "system" if extra.flag("is_error") == Some(true) => record.says(Event::Failed(message)),
        "system" if extra.text("role").as_deref() == Some("user") => {
            record.says(Event::Said(Role::User, message));
        }
        "system" => record.says_words(|text| Event::Said(Role::System, text), message),
        _ => record.says(Event::unknown(source, "step without a source")),
    }
    let results: Vec<Object<'t>> = fields
        .object("observation")
        .map(|it| it.array("results"))
        .unwrap_or_default()
        .into_iter()
        .filter_map(Object::of)
        .collect();
    let mut taken = HashSet::new();
    let calls = fields.array("tool_calls");
    let is_alone = calls.len() == 1;
    for call in calls.into_iter().filter_map(Object::of) {
        let mut made = called(&call);
        let own = results.iter().position(|result| {
            result.text("source_call_id").is_some_and(|id| !made.id.is_empty() && id == made.id)
        });
        let only = || (is_alone && results.len() == 1).then_some(0);
        if let Some(at) = own.or_else(only) {
            taken.insert(at);
            made.answer = Some(answer(&results[at]));
        }
        record.says(Event::Called(made));
    }
    for (_, result) in results.iter().enumerate().filter(|(at, _)| !taken.contains(at)) {
        record.says(Event::Answered(Answer { call: "".into(), ..answer(result) }));
    }
    record
}

/// The sub-agent, or the branch that was left, that begins at a step which calls nothing.
fn begun_without_a_call<'t>(fields: &Object<'t>) -> Option<Cow<'t, str>> {
    let results = fields.object("observation")?.array("results");
    let [only] = results.as_slice() else { return None };
    let result = Object::of(*only)?;
    let has_call = !fields.array("tool_calls").is_empty() || result.has("source_call_id");
    answer(&result).agent.filter(|_| !has_call)
}

/// Changes of files as `trajview export --atif` writes them into `extra`.
fn edits(extra: &Object<'_>) -> Option<Vec<FileEdit>> {
    let told = extra.get("edits").filter(|edits| edits.is_list())?;
    let edit = |edit: Object<'_>| {
        let text = |key: &str| edit.text(key).map(Cow::into_owned);
        let kind = match &*edit.text("kind")? {
            "create" => EditKind::Create,
            "delete" => EditKind::Delete,
            "rename" => EditKind::Rename,
            _ => EditKind::Modify,
        };
        let parts = edit.array("replace").into_iter().filter_map(Object::of).filter_map(|part| {
            let (old, new) = (part.text("old")?.into_owned(), part.text("new")?.into_owned());
            Some(Replacement { old, new, all: part.flag("all") == Some(true) })
        });
        let parts: Vec<Replacement> = parts.collect();
        let change = match (text("content"), text("patch")) {
            (Some(content), _) => RecordedChange::Write(content),
            (None, Some(patch)) => RecordedChange::Patch(hunks(&patch)),
            (None, None) if !parts.is_empty() => RecordedChange::Replace(parts),
            (None, None) if kind == EditKind::Delete => RecordedChange::Delete,
            (None, None) => RecordedChange::NotRecorded,
        };
        let lines = edit.array("lines").into_iter().map(|count| count.get().parse().ok());
        let mut lines: Vec<Option<u32>> = lines.collect();
        lines.resize(2, None);
        let made = FileEdit::new(edit.text("path")?, kind, change);
        let lines = (lines[0], lines[1]);
        Some(FileEdit { from: text("from"), before: text("before"), lines, ..made })
    };
    Some(told.elements().filter_map(Object::of).filter_map(edit).collect())
}

/// Zeros stand for line numbers that nobody recorded.
fn hunks(patch: &str) -> Vec<PatchHunk> {
    let mut hunks = patch::unified(patch);
    for hunk in &mut hunks {
        if hunk.new_start == Some(0) && hunk.old_start == Some(0) {
            (hunk.old_start, hunk.new_start) = (None, None);
        }
    }
    hunks
}

fn called<'t>(call: &Object<'t>) -> Call<'t> {
    let extra = call.object("extra").unwrap_or_default();
    let name = call.text("function_name").unwrap_or_default();
    let made = arguments::call(name, call.text("tool_call_id"), call.get("arguments"));
    let edits = edits(&extra).unwrap_or_else(|| made.edits.clone());
    Call { edits, main: extra.text("label").unwrap_or_default(), ..made }
}

fn answer<'t>(result: &Object<'t>) -> Answer<'t> {
    let text = arguments::words_of(result, "content");
    let extra = result.object("extra").unwrap_or_default();
    let exit_code = extra.integer("exit_code").or_else(|| chat::exit_code(&text));
    let flag = extra.flag("is_error");
    let agent = result.array("subagent_trajectory_ref").into_iter().filter_map(Object::of).next();
    Answer {
        call: result.text("source_call_id").unwrap_or_default(),
        agent: agent.and_then(|it| it.text_of(&["trajectory_id", "session_id", "trajectory_path"])),
        is_error: flag.unwrap_or_else(|| exit_code.is_some_and(|code| code != 0)),
        is_ok: flag == Some(false),
        text,
        exit_code,
        ended_at: chat::time_of(&extra, &["ended_at"]),
        ..Answer::default()
    }
}

/// Stands before the steps of an embedded sub-agent, in whose object they are.
fn subagent<'t>(fields: &Object<'t>) -> Record<'t> {
    let id = fields.text_of(&["trajectory_id", "session_id"]);
    Record { parent: id.or(Some(Cow::Borrowed("sub-agent"))), ..Record::default() }
}
