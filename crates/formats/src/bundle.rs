//! The run bundle: a folder with a `run.json` with the facts of the run and the commit at the end of each turn, around
//! the agent's own logs. trajview writes it and reads it; every other format can be imported into it.
//!
//! The sources of a bundle are `run.json` first, then `script.json`, `tests.jsonl` and the files below `session/` as far
//! as they exist. The logs are read by their own formats; the bundle lays their turns along its own list.

mod conduct;
mod start_state;
mod tests_jsonl;
mod trial_values;
mod turn_layer;
mod turn_values;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use trajview_run::{
    Agent, Checkpoint, Edit, RecordPlace, Run, RunOrigin, SourceId, SourceRecord, Step, StepText,
    SubAgent, Task, Time, ToolResult, Turn, Warning,
    files::RecordedEdit,
    first_line_label,
    run_file::{RunFile, RunFileCheckpoint, RunFileTurn, SCHEMA},
};

use super::{
    FileHead, Format, FormatCapabilities, NotUnderstood, PieceExecutor, RecordedEdits,
    RecordingShape, SourceBytes, companion_files,
    json_object::JsonFields,
    nested_logs::{head_of, move_places, place_within},
    not_finite,
};

pub struct Bundle;

/// Bytes that `run.json` and `script.json` may have; a run of 5,000 turns has 1 MiB.
const MAX_BYTES: usize = 16 << 20;

/// Turns that are read of `run.json`.
const MAX_TURNS: usize = 50_000;

impl Format for Bundle {
    fn name(&self) -> &'static str {
        "bundle"
    }

    fn short_description(&self) -> &'static str {
        "trajview's own folder: run.json, the agent's logs, one git commit a turn"
    }

    fn sample_path(&self) -> &'static str {
        "codex-p12"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Bundle, RecordedEdits::Text)
            .with_tokens()
            .with_cost()
            .with_times()
            .with_subagents()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let start = head.bytes.trim_ascii_start();
        start.starts_with(b"{") && memchr::memmem::find(start, b"\"trajview.run/").is_some()
    }

    fn index_run_with(
        &self,
        sources: &[SourceBytes<'_>],
        executor: &dyn PieceExecutor,
    ) -> Result<Run, NotUnderstood> {
        let (manifest, no_numbers) = read_manifest(sources)?;
        let mut run = run_from_manifest(&manifest);
        trial_values::add_trial(&mut run, manifest.trial.as_ref());
        if no_numbers > 0 {
            let what = not_finite::warning_text(no_numbers);
            run.warnings.push(Warning { place: "run.json".into(), what });
        }
        let script = sources.iter().position(|source| source.name == "script.json");
        let requests = script.map(|at| read_requests(sources, at, &mut run)).unwrap_or_default();
        let sessions = index_sessions(sources, executor, &mut run);
        lay_out(&manifest, sessions, &requests, &mut run);
        if let Some((source, id)) =
            sources.iter().zip((0..).map(SourceId)).find(|(it, _)| it.name == "tests.jsonl")
        {
            tests_jsonl::read_tests(source, id, &mut run);
        }
        Ok(run)
    }

    /// Returns a request of `script.json`, the only text of the bundle's own.
    fn step_text(&self, record: &[u8], _step: &Step) -> StepText {
        StepText { text: self.request_text(record), ..StepText::default() }
    }

    fn request_text(&self, record: &[u8]) -> String {
        serde_json::from_slice::<BundleScriptRequest>(record)
            .map(|request| request.text)
            .unwrap_or_default()
    }

    fn result_text(&self, _record: &[u8], _result: &ToolResult) -> String {
        String::new()
    }

    fn recorded_edit(&self, _record: &[u8], _edit: &Edit) -> Option<RecordedEdit> {
        None
    }
}

#[derive(Deserialize)]
struct BundleScript<'a> {
    #[serde(borrow, default)]
    requests: Vec<&'a RawValue>,
    /// The requests of the script that no turn asked.
    #[serde(borrow, default)]
    skipped: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct BundleScriptRequest {
    turn: Option<usize>,
    #[serde(default)]
    text: String,
}

/// Reads `run.json`. The second value is the number of its values that are NaN or Infinity.
fn read_manifest(sources: &[SourceBytes<'_>]) -> Result<(RunFile, usize), NotUnderstood> {
    let bytes = sources.first().map_or(&[][..], |source| source.bytes);
    if bytes.len() > MAX_BYTES {
        return Err(NotUnderstood(format!(
            "run.json has {} bytes; up to {} MiB are read",
            bytes.len(),
            MAX_BYTES >> 20
        )));
    }
    let (manifest, no_numbers) = not_finite::read_json::<RunFile>(bytes)
        .map_err(|why| NotUnderstood(format!("run.json does not read as a bundle: {why}")))?;
    if manifest.schema == SCHEMA {
        return Ok((manifest, no_numbers));
    }
    Err(NotUnderstood(format!(
        "run.json has schema {:?}; this version reads {SCHEMA:?}",
        manifest.schema
    )))
}

fn run_from_manifest(manifest: &RunFile) -> Run {
    let time = |text: &Option<String>| text.as_deref().and_then(Time::parse);
    let id = manifest.id.clone().unwrap_or_else(|| "bundle".into());
    let agent = manifest.agent.as_ref();
    Run {
        title: manifest.title.clone().unwrap_or_else(|| id.clone()),
        id,
        agent: Agent {
            name: agent
                .and_then(|agent| agent.name.clone())
                .or_else(|| manifest.platform.clone())
                .unwrap_or_default(),
            version: agent.and_then(|agent| agent.version.clone()),
            ..Agent::default()
        },
        model: manifest.model.clone(),
        condition: manifest.condition.clone(),
        task: manifest.task.as_ref().map(|task| Task {
            id: task.id.clone().unwrap_or_default(),
            title: task.title.clone(),
            venue: task.venue.clone(),
        }),
        started_at: time(&manifest.started_at),
        ended_at: time(&manifest.ended_at),
        origin: RunOrigin {
            format: Bundle.name(),
            provenance: manifest.provenance.clone(),
            ..RunOrigin::default()
        },
        ..Run::default()
    }
}

/// Reads the script's requests by turn number, each with the place of its object in `script.json`. Adds a warning to
/// the run for what cannot be read.
fn read_requests(
    sources: &[SourceBytes<'_>],
    at: usize,
    run: &mut Run,
) -> BTreeMap<usize, (RecordPlace, Box<str>)> {
    let warnings = &mut run.warnings;
    let Some(source) = sources.get(at) else { return BTreeMap::new() };
    if source.bytes.len() > MAX_BYTES {
        let what =
            format!("has {} bytes; up to {} MiB are read", source.bytes.len(), MAX_BYTES >> 20);
        warnings.push(Warning { place: source.name.into(), what });
        return BTreeMap::new();
    }
    let script: BundleScript<'_> = match serde_json::from_slice(source.bytes) {
        Ok(script) => script,
        Err(why) => {
            warnings.push(Warning {
                place: source.name.into(),
                what: format!("does not read as a script: {why}"),
            });
            return BTreeMap::new();
        }
    };
    run.origin.record.skipped = skipped_requests(&script);
    let mut requests = BTreeMap::new();
    for (order, raw) in script.requests.iter().enumerate() {
        let Ok(request) = serde_json::from_str::<BundleScriptRequest>(raw.get()) else {
            let what = format!("request {} is not an object with turn and text", order + 1);
            warnings.push(Warning { place: source.name.into(), what });
            continue;
        };
        let place = place_within(source.bytes, raw.get(), SourceId(at as u32));
        requests
            .insert(request.turn.unwrap_or(order + 1), (place, first_line_label(&request.text)));
    }
    requests
}

fn skipped_requests(script: &BundleScript<'_>) -> Vec<Box<str>> {
    let skipped = script
        .skipped
        .and_then(|raw| serde_json::from_str::<Vec<BundleScriptRequest>>(raw.get()).ok());
    skipped.unwrap_or_default().iter().map(|request| first_line_label(&request.text)).collect()
}

/// A log of the bundle, read by its own format, its places already pointing into the bundle's sources.
struct IndexedSession {
    /// File name below `session/`.
    name: String,
    source: SourceId,
    /// Is true where the log is one document. The agent writes it anew after each turn, so its lines are not those of that
    /// turn.
    is_document: bool,
    run: Run,
}

fn index_sessions(
    sources: &[SourceBytes<'_>],
    executor: &dyn PieceExecutor,
    run: &mut Run,
) -> Vec<IndexedSession> {
    let logs =
        || sources.iter().enumerate().filter(|(_, source)| source.name.starts_with("session/"));
    run.origin.sources = sources
        .iter()
        .map(|source| SourceRecord { name: source.name.into(), format: Bundle.name() })
        .collect();
    // A log that says it is a bundle would be read as one for ever.
    let claim = |source: &SourceBytes<'_>| {
        super::format_for_head(&head_of(*source)).filter(|format| format.name() != Bundle.name())
    };
    let claimed: Vec<(usize, &'static dyn Format)> =
        logs().filter_map(|(at, source)| claim(source).map(|format| (at, format))).collect();
    let head_of = |at: usize| head_of(sources[at]);
    let mains = companion_files::main_files_among(&claimed, head_of);
    let all: Vec<usize> = logs().map(|(at, _)| at).collect();
    let parts = companion_files::companions_by_format(
        mains.iter().map(|(_, format)| *format),
        &all,
        head_of,
    );
    let mut sessions = vec![];
    for (at, format) in mains {
        let mut members = parts[format.name()].parts_of(&format.names_in_parts(&head_of(at)));
        members.remove(&at);
        let members: Vec<usize> = std::iter::once(at).chain(members).collect();
        let subset: Vec<SourceBytes<'_>> = members.iter().map(|&member| sources[member]).collect();
        for &member in &members {
            run.origin.sources[member].format = format.name();
        }
        match format.index_run_with(&subset, executor) {
            Ok(mut inner) => {
                let ids: Vec<SourceId> =
                    members.iter().map(|&member| SourceId(member as u32)).collect();
                move_places(&mut inner, &ids);
                let name = sources[at].name.trim_start_matches("session/").to_owned();
                let is_document = format.capabilities().shape == RecordingShape::Document;
                let source = SourceId(at as u32);
                sessions.push(IndexedSession { name, source, is_document, run: inner });
            }
            Err(why) => {
                run.warnings.push(Warning { place: sources[at].name.into(), what: why.to_string() })
            }
        }
    }
    for (at, source) in logs() {
        let is_read = run.origin.sources[at].format != Bundle.name();
        if !is_read && could_be_log(source.name) {
            let what = "not a log of a known format; not shown".into();
            run.warnings.push(Warning { place: source.name.into(), what });
        }
    }
    sessions
}

/// Returns whether a file below `session/` may be an agent's log, in whatever format. Only names known to be something else
/// are excluded.
fn could_be_log(name: &str) -> bool {
    const OTHERS: [&str; 7] =
        [".cast", ".meta.json", ".stderr", "stderr.log", ".txt", ".patch", ".diff"];
    !OTHERS.iter().any(|ending| name.ends_with(ending))
}

/// Lays the turns of the logs along the manifest's list.
fn lay_out(
    manifest: &RunFile,
    sessions: Vec<IndexedSession>,
    requests: &BTreeMap<usize, (RecordPlace, Box<str>)>,
    run: &mut Run,
) {
    let listed = listed_turns(manifest, &sessions, run);
    run.turns = listed.iter().map(|entry| turn_from_entry(entry, requests)).collect();
    // What a log states of its session is of the whole run where it is the only one.
    if let [only] = sessions.as_slice() {
        run.stated = only.run.stated;
    }
    for session in &sessions {
        adopt_facts(run, &session.run);
    }
    for session in sessions {
        lay_out_session(&listed, session, run);
    }
    for (turn, entry) in run.turns.iter_mut().zip(&listed) {
        // The bundle's own clock goes around the whole turn, the log's only around its records.
        turn.started_at = entry.started_at.as_deref().and_then(Time::parse).or(turn.started_at);
        turn.ended_at = entry.ended_at.as_deref().and_then(Time::parse).or(turn.ended_at);
        turn_values::complete_turn(turn, entry, &mut run.warnings);
    }
    run.origin.record.state = manifest.state.as_ref().and_then(turn_values::non_blank_text);
    start_state::complete_start(run, manifest.start.as_ref());
    run.origin.record.remarks = manifest.rest.texts_of("remarks");
    run.origin.record.conduct = conduct::conduct_of_run(manifest);
    lay_out_checkpoints(manifest, run);
}

/// Returns the manifest's turns in order; without any, as many as the logs have. Adds a warning to the run for turns
/// that are left out.
fn listed_turns(
    manifest: &RunFile,
    sessions: &[IndexedSession],
    run: &mut Run,
) -> Vec<RunFileTurn> {
    let mut listed: Vec<RunFileTurn> = vec![];
    let mut numbers = std::collections::HashSet::new();
    if manifest.turns.len() > MAX_TURNS {
        let what = format!("names more than {MAX_TURNS} turns; the rest is left out");
        run.warnings.push(Warning { place: "run.json".into(), what });
    }
    for turn in manifest.turns.iter().take(MAX_TURNS) {
        if !numbers.insert(turn.turn) {
            let what = format!("turn {} is listed twice; the first counts", turn.turn);
            run.warnings.push(Warning { place: "run.json".into(), what });
        } else {
            listed.push(turn.clone());
        }
    }
    listed.sort_by_key(|turn| turn.turn);
    if let Some(gap) = listed.iter().zip(1..).find(|(turn, number)| turn.turn != *number) {
        let what =
            format!("expected turn {}, found turn {}; turns are shown in order", gap.1, gap.0.turn);
        run.warnings.push(Warning { place: "run.json".into(), what });
    }
    if listed.is_empty() {
        let count = sessions.iter().map(|session| session.run.turns.len()).sum::<usize>();
        listed.extend((1..=count).map(|turn| RunFileTurn { turn, ..RunFileTurn::default() }));
    }
    for name in listed
        .iter()
        .filter_map(|turn| turn.session.as_deref())
        .collect::<std::collections::BTreeSet<_>>()
    {
        // A warning about an unreadable log exists already.
        let is_there = run
            .origin
            .sources
            .iter()
            .any(|source| source.name.strip_prefix("session/") == Some(name));
        if !is_there {
            let what = format!("names session/{name}, which is not in the bundle");
            run.warnings.push(Warning { place: "run.json".into(), what });
        }
    }
    listed
}

fn contains_line(entry: &RunFileTurn, session: &str, line: u32) -> bool {
    let is_session = entry.session.as_deref().is_none_or(|name| name == session);
    is_session
        && entry.first_line.is_some_and(|first| first <= line)
        && entry.last_line.is_none_or(|last| line <= last)
}

fn turn_from_entry(
    entry: &RunFileTurn,
    requests: &BTreeMap<usize, (RecordPlace, Box<str>)>,
) -> Turn {
    let request = requests.get(&entry.turn);
    Turn {
        title: request.map(|(_, title)| title.clone()).unwrap_or_default(),
        request: request.map(|(place, _)| *place),
        commit: entry.commit.as_deref().filter(|commit| is_object_id(commit)).map(Into::into),
        layer: circumstances_text(entry).map(Into::into),
        ..Turn::default()
    }
}

/// Describes the circumstances of a request that a reader has to know first: a layer, a typed request, an agent without
/// memory. Returns None where there are none.
fn circumstances_text(entry: &RunFileTurn) -> Option<String> {
    let typed = "not in the script: a person typed this request into the agent's terminal";
    let anew = "the agent was started anew for this turn and remembers nothing of the turns before";
    let within =
        || format!("a person typed while it was under way: {}", entry.typed_within.join(" / "));
    let layer = entry.layer.as_ref().filter(|layer| !layer.is_null()).map(turn_layer::layers_text);
    let facts = [
        entry.typed.then(|| typed.to_owned()),
        entry.without_memory.then(|| anew.to_owned()),
        (!entry.typed_within.is_empty()).then(within),
        layer,
    ];
    let words: Vec<String> = facts.into_iter().flatten().collect();
    (!words.is_empty()).then(|| words.join("\n\n"))
}

fn is_object_id(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Takes from the log the facts that the manifest leaves out.
fn adopt_facts(run: &mut Run, inner: &Run) {
    run.model = run.model.take().or_else(|| inner.model.clone());
    run.origin.root = run.origin.root.take().or_else(|| inner.origin.root.clone());
    run.agent.context_window = inner.agent.context_window.or(run.agent.context_window);
    run.trial = run.trial.take().or_else(|| inner.trial.clone());
    run.agent.version = run.agent.version.take().or_else(|| inner.agent.version.clone());
    if run.agent.name.is_empty() {
        run.agent.name.clone_from(&inner.agent.name);
    }
    run.started_at = run.started_at.or(inner.started_at);
    run.ended_at = run.ended_at.or(inner.ended_at);
    run.warnings.extend(inner.warnings.iter().cloned());
}

fn lay_out_session(listed: &[RunFileTurn], session: IndexedSession, run: &mut Run) {
    let IndexedSession { name, source, is_document, run: inner } = session;
    let first_agent = run.subagents.len();
    let has_lines = listed.iter().any(|entry| entry.first_line.is_some());
    let own: Vec<usize> = (0..listed.len())
        .filter(|&at| listed[at].session.as_deref().is_none_or(|session| session == name))
        .collect();
    let lines = LineRanges::new(listed, &own, &name);
    let turn_indices = is_document.then(|| turns_by_requests(&inner.turns, &own, &run.turns));
    // Where each turn of the log went, and how many steps were there before it.
    let mut moved: Vec<(usize, usize)> = vec![];
    for (order, turn) in inner.turns.into_iter().enumerate() {
        let line = first_line_of(&turn, source);
        let by_line = match &turn_indices {
            Some(turn_indices) => turn_indices[order],
            None => line.and_then(|line| lines.turn_with_line(line)),
        };
        let by_order = (!has_lines).then(|| own.get(order).copied()).flatten();
        let Some(at) = by_line
            .or(by_order)
            .or_else(|| moved.last().map(|(at, _)| *at))
            .or(own.first().copied())
        else {
            moved.push((0, 0));
            continue;
        };
        if by_line.is_none() && by_order.is_none() {
            let place = format!("session/{name}:{}", line.unwrap_or(1));
            let what =
                format!("this turn is in no turn of run.json; shown with turn {}", listed[at].turn);
            run.warnings.push(Warning { place, what });
        }
        moved.push((at, run.turns[at].steps.len()));
        merge_turn(&mut run.turns[at], turn, first_agent);
    }
    for mut agent in inner.subagents {
        move_agent(&mut agent, first_agent, &moved);
        run.subagents.push(agent);
    }
}

/// Maps each turn of a log to one of the manifest's `own` turns: one after the other where there are as many, else to the
/// next turn with the same request.
fn turns_by_requests(turns: &[Turn], own: &[usize], listed: &[Turn]) -> Vec<Option<usize>> {
    let as_many = turns.len() == own.len();
    let mut next = 0;
    let found = turns.iter().zip(0..).map(|(turn, order)| {
        if as_many {
            return Some(own[order]);
        }
        let same = |at: &usize| listed[*at].title == turn.title;
        let found = own[next..].iter().position(same)? + next;
        next = found + 1;
        Some(own[found])
    });
    found.collect()
}

/// Maps the lines of one log to the turns of the manifest's list.
struct LineRanges<'m> {
    listed: &'m [RunFileTurn],
    own: &'m [usize],
    session: &'m str,
    /// Is true where the ranges follow one another, as recorders write them. Then a binary search finds the right one.
    are_sorted: bool,
}

impl<'m> LineRanges<'m> {
    /// Creates the ranges of a log; `own` are the turns that may be in it.
    fn new(listed: &'m [RunFileTurn], own: &'m [usize], session: &'m str) -> Self {
        let range = |at: &usize| (listed[*at].first_line, listed[*at].last_line);
        let is_range = |at: &usize| {
            let (first, last) = range(at);
            first.is_some_and(|first| last.is_none_or(|last| first <= last))
        };
        let follow = |pair: &[usize]| {
            let (before, after) = (range(&pair[0]), range(&pair[1]));
            before.1.zip(after.0).is_some_and(|(end, start)| end < start)
        };
        let are_sorted = own.iter().all(is_range) && own.windows(2).all(follow);
        Self { listed, own, session, are_sorted }
    }

    /// Returns the first turn whose range contains the line.
    fn turn_with_line(&self, line: u32) -> Option<usize> {
        let holds = |at: &usize| contains_line(&self.listed[*at], self.session, line);
        if !self.are_sorted {
            return self.own.iter().copied().find(holds);
        }
        let is_before = |at: &usize| self.listed[*at].last_line.is_some_and(|last| last < line);
        self.own.get(self.own.partition_point(is_before)).copied().filter(holds)
    }
}

fn first_line_of(turn: &Turn, source: SourceId) -> Option<u32> {
    let request = turn.request.filter(|place| place.source == source).map(|place| place.line);
    request.or_else(|| {
        turn.steps.iter().find(|step| step.place.source == source).map(|step| step.place.line)
    })
}

/// Adds a turn of a log to a turn of the bundle. The log's own request wins over the script's, since the agent really
/// received it. Where a layer put text before it, the script's request still names the turn.
fn merge_turn(into: &mut Turn, turn: Turn, first_agent: usize) {
    let is_first = into.steps.is_empty();
    if turn.request.is_some() && is_first {
        into.request = turn.request;
        into.added = turn.added;
        if into.layer.is_none() || into.title.is_empty() {
            into.title = turn.title;
        }
    }
    into.started_at = into.started_at.or(turn.started_at);
    into.ended_at = turn.ended_at.or(into.ended_at);
    into.tokens = into.tokens + turn.tokens;
    into.cost_usd = match (into.cost_usd, turn.cost_usd) {
        (Some(a), Some(b)) => Some(a + b),
        (a, b) => a.or(b),
    };
    into.steps.extend(turn.steps.into_iter().map(|mut step| {
        step.subagent = step.subagent.map(|agent| agent + first_agent);
        step
    }));
}

fn move_agent(agent: &mut SubAgent, first_agent: usize, moved: &[(usize, usize)]) {
    if let Some(parent) = &mut agent.parent {
        let (turn, steps_before) = moved.get(parent.turn).copied().unwrap_or_default();
        parent.turn = turn;
        match &mut parent.subagent {
            Some(outer) => *outer += first_agent,
            None => parent.step += steps_before,
        }
    }
    for step in &mut agent.steps {
        step.subagent = step.subagent.map(|inner| inner + first_agent);
    }
}

fn lay_out_checkpoints(manifest: &RunFile, run: &mut Run) {
    let mut checkpoints: Vec<&RunFileCheckpoint> = manifest.checkpoints.iter().collect();
    checkpoints.sort_by_key(|checkpoint| checkpoint.turn);
    for (order, checkpoint) in checkpoints.into_iter().enumerate() {
        let id = checkpoint.id.clone().unwrap_or_else(|| format!("c{}", order + 1));
        let Some(last_turn) = checkpoint.turn.checked_sub(1).filter(|turn| *turn < run.turns.len())
        else {
            let what =
                format!("checkpoint {id} ends at turn {}, which does not exist", checkpoint.turn);
            run.warnings.push(Warning { place: "run.json".into(), what });
            continue;
        };
        let label = checkpoint.label.clone();
        run.checkpoints.push(Checkpoint { id, label, last_turn, ..Checkpoint::default() });
    }
    for checkpoint in (0..run.checkpoints.len()).rev() {
        let last = run.checkpoints[checkpoint].last_turn;
        run.turns.iter_mut().take(last + 1).for_each(|turn| turn.checkpoint = Some(checkpoint));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SequentialExecutor;

    fn index_bundle(manifest: &[u8], script: &[u8]) -> Result<Run, String> {
        let sources = [("run.json", manifest), ("script.json", script)];
        let sources = sources.map(|(name, bytes)| SourceBytes { name, bytes });
        Bundle.index_run_with(&sources, &SequentialExecutor).map_err(|why| why.to_string())
    }

    fn manifest_with_turns(turns: usize) -> Vec<u8> {
        let turn = |turn: usize| format!("{{\"turn\":{turn}}}");
        let turns: Vec<String> = (1..=turns).map(turn).collect();
        format!("{{\"schema\":\"{SCHEMA}\",\"turns\":[{}]}}", turns.join(",")).into_bytes()
    }

    fn warnings_at(run: &Run, place: &str) -> Vec<String> {
        let warnings = run.warnings.iter().filter(|warning| warning.place == place);
        warnings.map(|warning| warning.what.clone()).collect()
    }

    #[test]
    fn a_manifest_larger_than_any_is_refused_with_both_sizes() {
        let mut manifest = manifest_with_turns(1);
        manifest.resize(MAX_BYTES + 1, b' ');

        let why = index_bundle(&manifest, b"{}").unwrap_err();

        assert!(why.contains("run.json has 16777217 bytes; up to 16 MiB are read"), "{why}");
        manifest.pop();
        assert_eq!(index_bundle(&manifest, b"{}").map(|run| run.turns.len()), Ok(1));
    }

    #[test]
    fn a_script_larger_than_any_is_left_out_and_the_run_says_so() {
        let run = index_bundle(&manifest_with_turns(1), &vec![b' '; MAX_BYTES + 1]).unwrap();

        assert_eq!(run.turns.len(), 1);
        assert_eq!(warnings_at(&run, "script.json"), ["has 16777217 bytes; up to 16 MiB are read"]);
    }

    #[test]
    fn turns_beyond_the_most_that_are_read_are_left_out_and_the_run_says_so() {
        let run = index_bundle(&manifest_with_turns(MAX_TURNS + 1), b"{}").unwrap();

        assert_eq!(run.turns.len(), MAX_TURNS);
        assert_eq!(
            warnings_at(&run, "run.json"),
            ["names more than 50000 turns; the rest is left out"]
        );
    }

    proptest::proptest! {
        /// Searching all turns for each one took a tenth of a second for 5,000 turns.
        #[test]
        fn whatever_lines_a_manifest_names_a_line_belongs_to_the_first_turn_that_holds_it(
            ranges in proptest::collection::vec(
                (proptest::option::of(0_u32..30), proptest::option::of(0_u32..30)), 0..6,
            ),
            is_sorted: bool,
        ) {
            let mut ranges = ranges;
            if is_sorted {
                let mut ends: Vec<u32> = ranges.iter().flat_map(|it| [it.0, it.1]).flatten().collect();
                ends.sort_unstable();
                ends.dedup();
                ranges = ends.chunks(2).map(|it| (Some(it[0]), it.get(1).copied())).collect();
            }
            let turn = |(turn, (first_line, last_line))| RunFileTurn {
                turn,
                first_line,
                last_line,
                ..RunFileTurn::default()
            };
            let listed: Vec<RunFileTurn> = (1..).zip(ranges).map(turn).collect();
            let own: Vec<usize> = (0..listed.len()).collect();

            let lines = LineRanges::new(&listed, &own, "log");

            for line in 0..32 {
                let first = own.iter().copied().find(|&at| contains_line(&listed[at], "log", line));
                proptest::prop_assert_eq!(lines.turn_with_line(line), first);
            }
        }
    }
}
