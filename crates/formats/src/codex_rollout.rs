//! Codex' own log: `rollout-<time>-<thread id>.jsonl`, one record a line, one file a thread.
//!
//! Written by every Codex since mid-2025, and changed in most of its versions. Reading goes in two phases, so
//! that the first can be spread over threads:
//!
//! 1. [`classify`] takes one line out of its wrapping ([`envelope`]) and makes a small [`record`] of it;
//! 2. [`fold`] puts a thread's records together to turns and steps, counting tokens once ([`usage`]);
//!    [`family`] ties the threads of sub-agents to the steps that started them.
//!
//! [`read`] reads single records again, when they are shown. The order in which one thing is told two or three
//! times, and what each version leaves out, is in `fold`'s introduction.

mod classify;
mod envelope;
mod family;
mod fold;
mod read;
mod record;
mod usage;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};

use self::{
    fold::Thread,
    record::{Line, Meta, Record},
};
use super::{
    EditsTold, Executor, Format, Growing, Head, NotUnderstood, Offers, Shape, Source, codex,
    companions::BelongsTo,
    jsonl::{self, Input},
    not_finite,
    object::Object,
    spelling::Spelling,
    tape::Tape,
    unknown::Unknowns,
};
use trajview_code::utf8::readable;
use trajview_run::{
    Agent, Edit, Place, Run, RunOrigin, SourceId, Step, StepText, ToolResult, Turn, Warning,
    files::RecordedEdit,
};

pub struct CodexRollout;

impl Format for CodexRollout {
    fn name(&self) -> &'static str {
        "codex-rollout"
    }

    fn about(&self) -> &'static str {
        "Codex CLI session log, ~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl"
    }

    fn sample(&self) -> &'static str {
        "codex-rollout"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Lines, EditsTold::Text).tokens().times().subagents()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        let lines = jsonl::lines(SourceId(0), head.bytes).take(5);
        lines.into_iter().any(|(_, line)| is_ours(line, head.name))
    }

    fn belongs_to(&self, other: &Head<'_>) -> BelongsTo {
        let Some(meta) = meta_of(other).filter(|meta| meta.is_subagent) else {
            return BelongsTo::Itself;
        };
        let parents = [&meta.parent, &meta.session, &meta.forked_from].into_iter().flatten();
        let others = parents.filter(|id| !id.is_empty() && **id != meta.id);
        BelongsTo::Named(others.map(ToString::to_string).collect())
    }

    fn names(&self, main: &Head<'_>) -> HashSet<String> {
        meta_of(main)
            .map(|meta| meta.id.to_string())
            .filter(|id| !id.is_empty())
            .into_iter()
            .collect()
    }

    fn index_with(
        &self,
        sources: &[Source<'_>],
        executor: &dyn Executor,
    ) -> Result<Run, NotUnderstood> {
        let mut rollout = Rollout::default();
        for (id, source) in (0..).map(SourceId).zip(sources) {
            rollout.take(id, source.name, Input::whole(source.bytes), executor);
        }
        rollout.run(sources)
    }

    fn growing(&self) -> Option<Box<dyn Growing>> {
        Some(Box::new(Rollout::default()))
    }

    fn spelling(&self) -> Spelling {
        Spelling::Nested
    }

    fn words(&self, record: &[u8], _step: &Step) -> StepText {
        read::words(record)
    }

    fn request(&self, record: &[u8]) -> String {
        read::request(record)
    }

    fn added(&self, record: &[u8], part: u32) -> String {
        if part == read::AROUND { read::added(record) } else { read::request(record) }
    }

    fn result(&self, record: &[u8], _result: &ToolResult) -> String {
        read::result(record)
    }

    fn edit(&self, record: &[u8], edit: &Edit) -> Option<RecordedEdit> {
        read::edit(record, edit)
    }
}

/// Whether a line can only be from a rollout. Bare items of the Responses API are written by other tools too (Grok's
/// thinking), and forks whose lines name no type look like any chat: those are taken for one only where the file is named so.
fn is_ours(line: &[u8], name: &str) -> bool {
    let text = readable(line);
    let tape = Tape::read(&text);
    let Some(line) = Object::on(&tape) else { return is_cut_meta(&text) };
    let kind = line.text("type");
    let is_named = name.starts_with("rollout");
    match kind.as_deref() {
        Some("session_meta" | "response_item" | "event_msg" | "turn_context" | "compacted") => {
            line.get("payload").is_some()
        }
        Some("message") => is_named && line.has("role") && is_content_of_ours(&line),
        Some("reasoning") => is_named && line.has("summary"),
        Some("function_call" | "custom_tool_call" | "local_shell_call") => {
            is_named && line.has("call_id")
        }
        Some(_) => false,
        None => {
            (is_named && line.has("role"))
                || line.text("record_type").as_deref() == Some("state")
                || is_bare_meta(&line)
        }
    }
}

fn is_content_of_ours(line: &Object<'_>) -> bool {
    let kinds =
        line.array("content").into_iter().filter_map(|part| Object::of(part)?.boxed("type"));
    kinds.into_iter().any(|kind| matches!(&*kind, "input_text" | "output_text"))
}

/// The first line before there were envelopes.
fn is_bare_meta(line: &Object<'_>) -> bool {
    line.has("id") && line.has("timestamp") && (line.has("instructions") || line.has("git"))
}

/// A first line longer than what is looked at.
fn is_cut_meta(text: &str) -> bool {
    let start: String = text.chars().take(200).filter(|c| !c.is_whitespace()).collect();
    start.starts_with('{') && start.contains("\"type\":\"session_meta\"")
}

/// The thread's own meta record, from its first line.
fn meta_of(head: &Head<'_>) -> Option<Meta> {
    let (_, line) = jsonl::lines(SourceId(0), head.bytes).next()?;
    let text = readable(line);
    let tape = Tape::read(&text);
    let whole = Object::on(&tape).map(envelope::open).map(|opened| opened.body);
    match whole {
        Some(envelope::Body::Meta(fields)) => Some(classify::meta(&fields)),
        Some(_) => None,
        None => is_cut_meta(&text).then(|| cut_meta(&text)),
    }
}

/// What there is to know of a meta record whose end (instructions, tools) is cut off.
fn cut_meta(text: &str) -> Meta {
    let value = |key: &str| {
        let (_, rest) = text.split_once(&format!("\"{key}\""))?;
        let (value, _) = rest.trim_start_matches([':', ' ']).strip_prefix('"')?.split_once('"')?;
        Some(Box::from(value))
    };
    Meta {
        id: value("id").unwrap_or_default(),
        session: value("session_id"),
        parent: value("parent_thread_id"),
        forked_from: value("forked_from_id"),
        is_subagent: text.contains("\"subagent\""),
        ..Meta::default()
    }
}

/// The first phase, done for as many lines as were read; each line on its own.
#[derive(Default)]
struct Rollout {
    threads: BTreeMap<SourceId, Lines>,
    budget: jsonl::Budget,
    /// Whether each log is taken once, and then the run is made.
    is_all: bool,
}

/// The lines of one thread; what tells nothing is left out.
#[derive(Default)]
struct Lines {
    /// All of them, where they are to be folded at the end. A main thread that is folded while it is read gives them away once
    /// a request was told to the screen.
    lines: Vec<Line>,
    is_understood: bool,
    /// What is asked of all lines before they are folded. Noted as they come: going over so much memory again takes
    /// longer than the asking.
    notes: Notes,
    unknowns: Unknowns,
    /// The second phase, where it goes on beside the first; of a main thread that is read once.
    ahead: Option<Box<fold::Ahead>>,
}

/// Indices count lines.
#[derive(Default)]
struct Notes {
    broken: Vec<Broken>,
    first_meta: Option<usize>,
    /// The first context that names a folder.
    first_folder: Option<usize>,
    told: fold::ShownRequests,
}

/// A line that is not JSON, and what is wrong with it.
struct Broken {
    place: Place,
    what: String,
}

impl Growing for Rollout {
    fn is_all(&mut self) {
        self.is_all = true;
    }

    fn take(&mut self, id: SourceId, _name: &str, lines: Input<'_>, executor: &dyn Executor) {
        let thread = self.threads.entry(id).or_default();
        // About as many as there will be: growing by doubling would touch as much memory again.
        let expected = (lines.size() / 2048).min(u64::from(jsonl::MOST_LINES));
        let expected = usize::try_from(expected).unwrap_or_default();
        let goes_ahead = self.is_all && id == SourceId(0);
        if !goes_ahead {
            thread.lines.reserve(expected);
        }
        let read = |place, line: &[u8], is_last| Some(classify::classify(place, line, is_last));
        let budget = &mut self.budget;
        let extent =
            jsonl::each_line(id, lines, executor, budget, &read, &mut |before, line: Line| {
                let line = Line { place: line.place.down(before), ..line };
                if goes_ahead && thread.lines.is_empty() && thread.ahead.is_none() {
                    thread.ahead = fold::Ahead::begin(&line, expected).map(Box::new);
                }
                thread.push(line);
            });
        if let jsonl::Extent::CutAfter(line) = extent {
            let place = Place { source: id, line, ..Place::default() };
            thread.push(Line {
                place,
                at: None,
                ordinal: None,
                model: None,
                not_finite: 0,
                record: Record::Broken(jsonl::too_long(line)),
            });
        }
    }

    fn run(&self, sources: &[Source<'_>]) -> Result<Run, NotUnderstood> {
        self.run_with(sources, None)
    }

    /// It has to be where requests were told to the model and, after others of them, not to the screen.
    fn is_read_again(&mut self) -> bool {
        let Some(Lines { ahead, notes, .. }) = self.threads.get_mut(&SourceId(0)) else {
            return false;
        };
        let was_wrong = ahead.take_if(|ahead| !ahead.was_right(&notes.told)).is_some();
        let has_lines = !notes.told.has_any;
        if !was_wrong || has_lines {
            return false;
        }
        *self = Self::default();
        true
    }

    fn finish(
        mut self: Box<Self>,
        sources: &[Source<'_>],
        left: &mut dyn FnMut(Box<dyn Send>),
    ) -> Result<Run, NotUnderstood> {
        let main = self.threads.get_mut(&SourceId(0)).and_then(|lines| lines.ahead.take());
        let main = main.map(|ahead| {
            let (thread, rest) = ahead.finish();
            left(rest);
            thread
        });
        let run = self.run_with(sources, main);
        left(self);
        run
    }
}

impl Rollout {
    /// The run, where the main thread may be folded already.
    fn run_with(
        &self,
        sources: &[Source<'_>],
        mut main: Option<Thread>,
    ) -> Result<Run, NotUnderstood> {
        let mut warnings = vec![];
        let mut threads = vec![];
        let mut root: Option<Box<str>> = None;
        for (source, id) in sources.iter().zip(0..) {
            let lines = self.threads.get(&SourceId(id));
            warnings.extend(
                lines.and_then(|lines| lines.unknowns.warning(source.name, CodexRollout.name())),
            );
            warnings.extend(lines.and_then(|lines| of_fork(lines, source.name)));
            let broken = lines.iter().flat_map(|of| &of.notes.broken);
            warnings
                .extend(broken.map(|it| jsonl::warning(source.name, it.place, it.what.clone())));
            let folded = main.take_if(|_| id == 0);
            match folded.or_else(|| thread(lines?, root.as_deref())) {
                Some(thread) => {
                    root = root.or_else(|| thread.meta.cwd.clone());
                    threads.push(thread);
                }
                None if id == 0 => {
                    let why = "no line of it is a record of a Codex session";
                    return Err(NotUnderstood(why.into()));
                }
                None => {}
            }
        }
        if threads.is_empty() {
            return Err(NotUnderstood("it is empty".into()));
        }
        let main = threads.remove(0);
        Ok(run(main, threads, root, warnings, sources))
    }
}

impl Lines {
    fn push(&mut self, line: Line) {
        match &line.record {
            Record::Broken(_) => {}
            Record::Unknown { label } => self.unknowns.take(Some(label)),
            _ => self.unknowns.take(None),
        }
        if self.is_understood && matches!(line.record, Record::Bookkeeping) {
            return;
        }
        self.is_understood |= line.is_understood();
        self.notes.take(self.lines.len(), &line);
        match &mut self.ahead {
            // What it goes by is so, as far as the log tells: the lines will hardly be asked for again.
            Some(ahead) if self.notes.told.has_any => {
                self.lines = vec![];
                ahead.line(line);
            }
            Some(ahead) => {
                ahead.line(line.clone());
                self.lines.push(line);
            }
            None => self.lines.push(line),
        }
    }
}

impl Notes {
    fn take(&mut self, index: usize, line: &Line) {
        if line.not_finite > 0 {
            let what = not_finite::warning(line.not_finite as usize);
            self.broken.push(Broken { place: line.place, what });
        }
        match &line.record {
            Record::Broken(what) => {
                self.broken.push(Broken { place: line.place, what: what.clone() })
            }
            Record::Meta(_) => self.first_meta = self.first_meta.or(Some(index)),
            Record::Context { cwd: Some(_), .. } => {
                self.first_folder = self.first_folder.or(Some(index))
            }
            _ => self.told.take(line),
        }
    }
}

/// The second phase; None where not one line was understood.
fn thread(all: &Lines, root: Option<&str>) -> Option<Thread> {
    if !all.is_understood {
        return None;
    }
    let record = |index: Option<usize>| index.and_then(|index| Some(&all.lines.get(index)?.record));
    let mut meta = match record(all.notes.first_meta) {
        Some(Record::Meta(meta)) => Meta::clone(meta),
        _ => Meta::default(),
    };
    if let (None, Some(Record::Context { cwd, .. })) = (&meta.cwd, record(all.notes.first_folder)) {
        meta.cwd.clone_from(cwd);
    }
    let own_root = meta.cwd.clone();
    let copied = family::copied_lines(&all.lines, &meta);
    if copied > 0 {
        let lines: Vec<&Line> = all.lines.iter().collect();
        let (copied, own) = lines.split_at(copied);
        let told = fold::ShownRequests::of(own);
        // It may have kept the time of the session that it goes on from.
        meta.started_at = all.lines.first().and_then(|line| line.at).or(meta.started_at);
        return Some(fold::fold((own, copied), told, meta, root.or(own_root.as_deref())));
    }
    let lines = family::own_lines(&all.lines, &meta);
    let is_all = lines.len() == all.lines.len();
    let told = if is_all { all.notes.told.clone() } else { fold::ShownRequests::of(&lines) };
    Some(fold::fold((&lines, &[]), told, meta, root.or(own_root.as_deref())))
}

/// What is left out of a fork, where something is.
fn of_fork(lines: &Lines, name: &str) -> Option<Warning> {
    let Record::Meta(meta) = &lines.lines.get(lines.notes.first_meta?)?.record else { return None };
    let copied = family::copied_lines(&lines.lines, meta);
    let (place, from) = (name.to_owned(), meta.forked_from.as_deref()?);
    let what = format!(
        "is a fork of {from}: its first {copied} records are a copy of that session's, and are not counted or shown here again"
    );
    (copied > 0).then_some(Warning { place, what })
}

fn run(
    main: Thread,
    children: Vec<Thread>,
    root: Option<Box<str>>,
    warnings: Vec<Warning>,
    sources: &[Source<'_>],
) -> Run {
    let name = main.name.clone();
    let meta = main.meta.clone();
    let models = main.models.join(", ");
    let (started_at, ended_at) = (main.started_at, main.ended_at);
    let (turns, subagents) = family::unite(main, children);
    let file = sources.first().map_or("", |source| source.name);
    let id = if meta.id.is_empty() { file.to_owned() } else { meta.id.into() };
    Run {
        title: name.map(Into::into).or_else(|| title(&turns)).unwrap_or_else(|| id.clone()),
        id,
        agent: Agent {
            name: codex::AGENT.into(),
            version: meta.version.map(Into::into),
            context_window: meta.window,
        },
        model: (!models.is_empty()).then_some(models),
        started_at,
        ended_at,
        turns,
        subagents,
        warnings,
        origin: RunOrigin {
            format: CodexRollout.name(),
            provenance: meta.provenance,
            root: root.map(Into::into),
            branch: meta.branch.map(Into::into),
            ..RunOrigin::default()
        },
        ..Run::default()
    }
}

fn title(turns: &[Turn]) -> Option<String> {
    turns.iter().find(|turn| !turn.title.is_empty()).map(|turn| turn.title.to_string())
}
