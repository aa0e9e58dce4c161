//! The run bundle: a folder with a `run.json` that says what was run and which turn ended at which commit, around
//! the agent's own logs. trajview writes it and reads it; every other format can be imported into it.
//!
//! The sources of a bundle are `run.json` first, then `script.json`, `tests.jsonl` and the files below `session/` as far
//! as they exist. The logs are read by their own formats; the bundle lays their turns along its own list.

mod conduct;
mod layer;
mod manifest;
mod record;
mod start;
mod tests_jsonl;

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use trajview_run::{
    Agent, Checkpoint, Edit, Place, Run, RunOrigin, SourceFile, SourceId, Step, StepText, SubAgent,
    Task, Time, ToolResult, Turn, Warning, files::RecordedEdit, label,
};

use super::{
    EditsTold, Executor, Format, Head, NotUnderstood, Offers, Shape, Source, companions,
    nested::{head_of, move_places, place_within},
    not_finite,
};

use manifest::{Manifest, ManifestCheckpoint, ManifestTurn};

pub struct Bundle;

/// Bytes that `run.json` and `script.json` may have; a run of 5,000 turns has 1 MiB.
const MOST_BYTES: usize = 16 << 20;

/// Turns that are read of `run.json`.
const MOST_TURNS: usize = 50_000;

/// The schema of `run.json` that we read.
const SCHEMA: &str = "trajview.run/1";

impl Format for Bundle {
    fn name(&self) -> &'static str {
        "bundle"
    }

    fn about(&self) -> &'static str {
        "trajview's own folder: run.json, the agent's logs, one git commit a turn"
    }

    fn sample(&self) -> &'static str {
        "codex-p12"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Bundle, EditsTold::Text).tokens().cost().times().subagents()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        let start = head.bytes.trim_ascii_start();
        start.starts_with(b"{") && memchr::memmem::find(start, b"\"trajview.run/").is_some()
    }

    fn index_with(
        &self,
        sources: &[Source<'_>],
        executor: &dyn Executor,
    ) -> Result<Run, NotUnderstood> {
        let (manifest, no_numbers) = read_manifest(sources)?;
        let mut run = run_of(&manifest);
        if no_numbers > 0 {
            let what = not_finite::warning(no_numbers);
            run.warnings.push(Warning { place: "run.json".into(), what });
        }
        let script = sources.iter().position(|source| source.name == "script.json");
        let requests = script.map(|at| requests_of(sources, at, &mut run)).unwrap_or_default();
        let sessions = index_sessions(sources, executor, &mut run);
        lay_out(&manifest, sessions, &requests, &mut run);
        if let Some((source, id)) =
            sources.iter().zip((0..).map(SourceId)).find(|(it, _)| it.name == "tests.jsonl")
        {
            tests_jsonl::read(source, id, &mut run);
        }
        Ok(run)
    }

    /// Only `script.json` has words of the bundle's own, and those are requests.
    fn words(&self, record: &[u8], _step: &Step) -> StepText {
        StepText { text: self.request(record), ..StepText::default() }
    }

    fn request(&self, record: &[u8]) -> String {
        serde_json::from_slice::<Request>(record).map(|request| request.text).unwrap_or_default()
    }

    fn result(&self, _record: &[u8], _result: &ToolResult) -> String {
        String::new()
    }

    fn edit(&self, _record: &[u8], _edit: &Edit) -> Option<RecordedEdit> {
        None
    }
}

#[derive(Deserialize)]
struct Script<'a> {
    #[serde(borrow, default)]
    requests: Vec<&'a RawValue>,
    /// What was never asked.
    #[serde(borrow, default)]
    skipped: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Request {
    turn: Option<usize>,
    #[serde(default)]
    text: String,
}

/// With how many of its values are no numbers.
fn read_manifest(sources: &[Source<'_>]) -> Result<(Manifest, usize), NotUnderstood> {
    let bytes = sources.first().map_or(&[][..], |source| source.bytes);
    if bytes.len() > MOST_BYTES {
        return Err(NotUnderstood(format!(
            "run.json has {} bytes; up to {} MiB are read",
            bytes.len(),
            MOST_BYTES >> 20
        )));
    }
    let (manifest, no_numbers) = not_finite::read::<Manifest>(bytes)
        .map_err(|why| NotUnderstood(format!("run.json does not read as a bundle: {why}")))?;
    if manifest.schema == SCHEMA {
        return Ok((manifest, no_numbers));
    }
    Err(NotUnderstood(format!(
        "run.json has schema {:?}; this version reads {SCHEMA:?}",
        manifest.schema
    )))
}

fn run_of(manifest: &Manifest) -> Run {
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

/// The script's requests by turn number, each with the place of its object in `script.json`.
fn requests_of(
    sources: &[Source<'_>],
    at: usize,
    run: &mut Run,
) -> BTreeMap<usize, (Place, Box<str>)> {
    let warnings = &mut run.warnings;
    let Some(source) = sources.get(at) else { return BTreeMap::new() };
    if source.bytes.len() > MOST_BYTES {
        let what =
            format!("has {} bytes; up to {} MiB are read", source.bytes.len(), MOST_BYTES >> 20);
        warnings.push(Warning { place: source.name.into(), what });
        return BTreeMap::new();
    }
    let script: Script<'_> = match serde_json::from_slice(source.bytes) {
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
        let Ok(request) = serde_json::from_str::<Request>(raw.get()) else {
            let what = format!("request {} is not an object with turn and text", order + 1);
            warnings.push(Warning { place: source.name.into(), what });
            continue;
        };
        let place = place_within(source.bytes, raw.get(), SourceId(at as u32));
        requests.insert(request.turn.unwrap_or(order + 1), (place, label(&request.text)));
    }
    requests
}

fn skipped_requests(script: &Script<'_>) -> Vec<Box<str>> {
    let skipped =
        script.skipped.and_then(|raw| serde_json::from_str::<Vec<Request>>(raw.get()).ok());
    skipped.unwrap_or_default().iter().map(|request| label(&request.text)).collect()
}

/// A log of the bundle, read by its own format, its places already pointing into the bundle's sources.
struct Session {
    /// File name below `session/`.
    name: String,
    source: SourceId,
    /// Whether it is one document, which is written anew after each turn: its lines are not those of then.
    is_document: bool,
    run: Run,
}

fn index_sessions(sources: &[Source<'_>], executor: &dyn Executor, run: &mut Run) -> Vec<Session> {
    let logs =
        || sources.iter().enumerate().filter(|(_, source)| source.name.starts_with("session/"));
    run.origin.sources = sources
        .iter()
        .map(|source| SourceFile { name: source.name.into(), format: Bundle.name() })
        .collect();
    // A log that says it is a bundle would be read as one for ever.
    let claim = |source: &Source<'_>| {
        super::claim(&head_of(*source)).filter(|format| format.name() != Bundle.name())
    };
    let claimed: Vec<(usize, &'static dyn Format)> =
        logs().filter_map(|(at, source)| claim(source).map(|format| (at, format))).collect();
    let head_of = |at: usize| head_of(sources[at]);
    let mains = companions::mains_among(&claimed, head_of);
    let all: Vec<usize> = logs().map(|(at, _)| at).collect();
    let parts = companions::companions(mains.iter().map(|(_, format)| *format), &all, head_of);
    let mut sessions = vec![];
    for (at, format) in mains {
        let mut members = parts[format.name()].of(&format.names(&head_of(at)));
        members.remove(&at);
        let members: Vec<usize> = std::iter::once(at).chain(members).collect();
        let subset: Vec<Source<'_>> = members.iter().map(|&member| sources[member]).collect();
        for &member in &members {
            run.origin.sources[member].format = format.name();
        }
        match format.index_with(&subset, executor) {
            Ok(mut inner) => {
                let ids: Vec<SourceId> =
                    members.iter().map(|&member| SourceId(member as u32)).collect();
                move_places(&mut inner, &ids);
                let name = sources[at].name.trim_start_matches("session/").to_owned();
                let is_document = format.offers().shape == Shape::Document;
                let source = SourceId(at as u32);
                sessions.push(Session { name, source, is_document, run: inner });
            }
            Err(why) => {
                run.warnings.push(Warning { place: sources[at].name.into(), what: why.to_string() })
            }
        }
    }
    for (at, source) in logs() {
        let is_read = run.origin.sources[at].format != Bundle.name();
        if !is_read && could_be_log(source.name) {
            let what = "not a log of a known format; what it tells is not shown".into();
            run.warnings.push(Warning { place: source.name.into(), what });
        }
    }
    sessions
}

/// Whether a file below `session/` may be an agent's log, in whatever format: all but what is known to be something else.
fn could_be_log(name: &str) -> bool {
    const OTHERS: [&str; 7] =
        [".cast", ".meta.json", ".stderr", "stderr.log", ".txt", ".patch", ".diff"];
    !OTHERS.iter().any(|ending| name.ends_with(ending))
}

/// Lays the turns of the logs along the manifest's list.
fn lay_out(
    manifest: &Manifest,
    sessions: Vec<Session>,
    requests: &BTreeMap<usize, (Place, Box<str>)>,
    run: &mut Run,
) {
    let listed = list_of_turns(manifest, &sessions, run);
    run.turns = listed.iter().map(|entry| turn_of(entry, requests)).collect();
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
        record::complete(turn, entry, &mut run.warnings);
    }
    run.origin.record.state = record::text(&manifest.rest, "state");
    start::complete(run, &manifest.rest);
    run.origin.record.remarks = record::texts(&manifest.rest, "remarks");
    run.origin.record.conduct = conduct::of(manifest);
    lay_out_checkpoints(manifest, run);
}

/// The manifest's turns in order; without any, as many as the logs have.
fn list_of_turns(manifest: &Manifest, sessions: &[Session], run: &mut Run) -> Vec<ManifestTurn> {
    let mut listed: Vec<ManifestTurn> = vec![];
    let mut numbers = std::collections::HashSet::new();
    if manifest.turns.len() > MOST_TURNS {
        let what = format!("names more than {MOST_TURNS} turns; the rest is left out");
        run.warnings.push(Warning { place: "run.json".into(), what });
    }
    for turn in manifest.turns.iter().take(MOST_TURNS) {
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
        listed.extend((1..=count).map(|turn| ManifestTurn { turn, ..ManifestTurn::default() }));
    }
    for name in listed
        .iter()
        .filter_map(|turn| turn.session.as_deref())
        .collect::<std::collections::BTreeSet<_>>()
    {
        // That a log is there and cannot be read was said before.
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

impl ManifestTurn {
    fn holds(&self, session: &str, line: u32) -> bool {
        let is_session = self.session.as_deref().is_none_or(|name| name == session);
        is_session
            && self.first_line.is_some_and(|first| first <= line)
            && self.last_line.is_none_or(|last| line <= last)
    }
}

fn turn_of(entry: &ManifestTurn, requests: &BTreeMap<usize, (Place, Box<str>)>) -> Turn {
    let request = requests.get(&entry.turn);
    Turn {
        title: request.map(|(_, title)| title.clone()).unwrap_or_default(),
        request: request.map(|(place, _)| *place),
        commit: entry.commit.as_deref().filter(|commit| is_object_id(commit)).map(Into::into),
        layer: before_request(entry).map(Into::into),
        ..Turn::default()
    }
}

/// What has to be known of a request before it is read.
fn before_request(entry: &ManifestTurn) -> Option<String> {
    let typed = "not in the script: a person typed this request into the agent's terminal";
    let anew = "the agent was started anew for this turn and remembers nothing of the turns before";
    let within =
        || format!("a person typed while it was under way: {}", entry.typed_within.join(" / "));
    let layer = entry.layer.as_ref().filter(|layer| !layer.is_null()).map(layer::words);
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

/// What the manifest leaves open the log may know.
fn adopt_facts(run: &mut Run, inner: &Run) {
    run.model = run.model.take().or_else(|| inner.model.clone());
    run.origin.root = run.origin.root.take().or_else(|| inner.origin.root.clone());
    run.agent.context_window = inner.agent.context_window.or(run.agent.context_window);
    run.agent.version = run.agent.version.take().or_else(|| inner.agent.version.clone());
    if run.agent.name.is_empty() {
        run.agent.name.clone_from(&inner.agent.name);
    }
    run.started_at = run.started_at.or(inner.started_at);
    run.ended_at = run.ended_at.or(inner.ended_at);
    run.warnings.extend(inner.warnings.iter().cloned());
}

fn lay_out_session(listed: &[ManifestTurn], session: Session, run: &mut Run) {
    let Session { name, source, is_document, run: inner } = session;
    let first_agent = run.subagents.len();
    let has_lines = listed.iter().any(|entry| entry.first_line.is_some());
    let own: Vec<usize> = (0..listed.len())
        .filter(|&at| listed[at].session.as_deref().is_none_or(|session| session == name))
        .collect();
    let lines = LineRanges::new(listed, &own, &name);
    let told = is_document.then(|| by_requests(&inner.turns, &own, &run.turns));
    // Where each turn of the log went, and how many steps were there before it.
    let mut moved: Vec<(usize, usize)> = vec![];
    for (order, turn) in inner.turns.into_iter().enumerate() {
        let line = first_line_of(&turn, source);
        let by_line = match &told {
            Some(told) => told[order],
            None => line.and_then(|line| lines.turn_of(line)),
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
        merge(&mut run.turns[at], turn, first_agent);
    }
    for mut agent in inner.subagents {
        move_agent(&mut agent, first_agent, &moved);
        run.subagents.push(agent);
    }
}

/// For each turn of a log the one of the manifest's `own`: one after the other where there are as many, else the next that asks
/// the same.
fn by_requests(turns: &[Turn], own: &[usize], listed: &[Turn]) -> Vec<Option<usize>> {
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

/// Which lines of one log belong to which turn of the manifest's list.
struct LineRanges<'m> {
    listed: &'m [ManifestTurn],
    own: &'m [usize],
    session: &'m str,
    /// Whether the ranges follow one another, as recorders write them: then the right one is found at once.
    are_sorted: bool,
}

impl<'m> LineRanges<'m> {
    /// `own` are the turns that may lie in this log.
    fn new(listed: &'m [ManifestTurn], own: &'m [usize], session: &'m str) -> Self {
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

    /// The first turn that holds a line.
    fn turn_of(&self, line: u32) -> Option<usize> {
        let holds = |at: &usize| self.listed[*at].holds(self.session, line);
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

/// The log's own request wins over the script's: it is what the agent was really asked. Where a layer put words before it, the
/// script's still names the turn.
fn merge(into: &mut Turn, turn: Turn, first_agent: usize) {
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

fn lay_out_checkpoints(manifest: &Manifest, run: &mut Run) {
    let mut checkpoints: Vec<&ManifestCheckpoint> = manifest.checkpoints.iter().collect();
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
    use crate::OneHand;

    fn index(manifest: &[u8], script: &[u8]) -> Result<Run, String> {
        let sources = [("run.json", manifest), ("script.json", script)];
        let sources = sources.map(|(name, bytes)| Source { name, bytes });
        Bundle.index_with(&sources, &OneHand).map_err(|why| why.to_string())
    }

    fn manifest_of(turns: usize) -> Vec<u8> {
        let turn = |turn: usize| format!("{{\"turn\":{turn}}}");
        let turns: Vec<String> = (1..=turns).map(turn).collect();
        format!("{{\"schema\":\"{SCHEMA}\",\"turns\":[{}]}}", turns.join(",")).into_bytes()
    }

    fn said(run: &Run, place: &str) -> Vec<String> {
        let warnings = run.warnings.iter().filter(|warning| warning.place == place);
        warnings.map(|warning| warning.what.clone()).collect()
    }

    #[test]
    fn a_manifest_larger_than_any_is_refused_with_both_sizes() {
        let mut manifest = manifest_of(1);
        manifest.resize(MOST_BYTES + 1, b' ');

        let why = index(&manifest, b"{}").unwrap_err();

        assert!(why.contains("run.json has 16777217 bytes; up to 16 MiB are read"), "{why}");
        manifest.pop();
        assert_eq!(index(&manifest, b"{}").map(|run| run.turns.len()), Ok(1));
    }

    #[test]
    fn a_script_larger_than_any_is_left_out_and_the_run_says_so() {
        let run = index(&manifest_of(1), &vec![b' '; MOST_BYTES + 1]).unwrap();

        assert_eq!(run.turns.len(), 1);
        assert_eq!(said(&run, "script.json"), ["has 16777217 bytes; up to 16 MiB are read"]);
    }

    #[test]
    fn turns_beyond_the_most_that_are_read_are_left_out_and_the_run_says_so() {
        let run = index(&manifest_of(MOST_TURNS + 1), b"{}").unwrap();

        assert_eq!(run.turns.len(), MOST_TURNS);
        assert_eq!(said(&run, "run.json"), ["names more than 50000 turns; the rest is left out"]);
    }

    proptest::proptest! {
        /// To ask all turns for each one took a tenth of a second for 5,000 turns.
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
            let turn = |(turn, (first_line, last_line))| ManifestTurn {
                turn,
                first_line,
                last_line,
                ..ManifestTurn::default()
            };
            let listed: Vec<ManifestTurn> = (1..).zip(ranges).map(turn).collect();
            let own: Vec<usize> = (0..listed.len()).collect();

            let lines = LineRanges::new(&listed, &own, "log");

            for line in 0..32 {
                let first = own.iter().copied().find(|&at| listed[at].holds("log", line));
                proptest::prop_assert_eq!(lines.turn_of(line), first);
            }
        }
    }
}
