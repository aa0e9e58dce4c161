//! Codex' own log: `rollout-<time>-<thread id>.jsonl`, one record a line, one file a thread.
//!
//! Written by every Codex since mid-2025, and changed in most of its versions. Reading goes in two phases, so
//! that the first can be spread over threads:
//!
//! 1. [`classify`] takes one line out of its wrapping ([`envelope`]) and makes a small [`record`] of it;
//! 2. [`fold`] puts a thread's records together to turns and steps, counting tokens once ([`usage`]);
//!    [`family`] ties the threads of sub-agents to the steps that started them.
//!
//! [`record_text`] reads single records again, when they are shown. The order in which one thing is reported two or three
//! times, and what each version leaves out, is in `fold`'s introduction.

mod classify;
mod envelope;
mod family;
mod fold;
mod record;
mod record_text;
mod usage;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};

use self::{
    fold::FoldedThread,
    record::{RolloutLine, RolloutRecord, ThreadMeta},
};
use super::{
    FileHead, Format, FormatCapabilities, IncrementalReader, NotUnderstood, PieceExecutor,
    RecordedEdits, RecordingShape, SourceBytes, codex,
    companion_files::BelongsTo,
    json_object::JsonObject,
    jsonl::{self, LogInput},
    not_finite,
    search_prefilter::TextLayout,
    tape::JsonTape,
    unknown_records::UnknownRecords,
};
use trajview_code::utf8::lossy_text;
use trajview_run::{
    Agent, Edit, RecordPlace, Run, RunOrigin, SourceId, Step, StepText, ToolResult, Turn, Warning,
    files::RecordedEdit,
};

pub struct CodexRollout;

impl Format for CodexRollout {
    fn name(&self) -> &'static str {
        "codex-rollout"
    }

    fn short_description(&self) -> &'static str {
        "Codex CLI session log, ~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl"
    }

    fn sample_path(&self) -> &'static str {
        "codex-rollout"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Lines, RecordedEdits::Text)
            .with_tokens()
            .with_times()
            .with_subagents()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let lines = jsonl::lines_of_file(SourceId(0), head.bytes).take(5);
        lines.into_iter().any(|(_, line)| is_ours(line, head.name))
    }

    fn belongs_to(&self, other: &FileHead<'_>) -> BelongsTo {
        let Some(meta) = thread_meta(other).filter(|meta| meta.is_subagent) else {
            return BelongsTo::Itself;
        };
        let parents = [&meta.parent, &meta.session, &meta.forked_from].into_iter().flatten();
        let others = parents.filter(|id| !id.is_empty() && **id != meta.id);
        BelongsTo::Named(others.map(ToString::to_string).collect())
    }

    fn names_in_parts(&self, main: &FileHead<'_>) -> HashSet<String> {
        thread_meta(main)
            .map(|meta| meta.id.to_string())
            .filter(|id| !id.is_empty())
            .into_iter()
            .collect()
    }

    fn incremental_reader(&self) -> Option<Box<dyn IncrementalReader>> {
        Some(Box::new(RolloutReader::default()))
    }

    fn text_layout(&self) -> TextLayout {
        TextLayout::NestedJson
    }

    fn step_text(&self, record: &[u8], _step: &Step) -> StepText {
        record_text::step_text(record)
    }

    fn request_text(&self, record: &[u8]) -> String {
        record_text::request_text(record)
    }

    fn added_text(&self, record: &[u8], part: u32) -> String {
        if part == record_text::CONTEXT_PART {
            record_text::added_text(record)
        } else {
            record_text::request_text(record)
        }
    }

    fn result_text(&self, record: &[u8], _result: &ToolResult) -> String {
        record_text::result_text(record)
    }

    fn recorded_edit(&self, record: &[u8], edit: &Edit) -> Option<RecordedEdit> {
        record_text::recorded_edit(record, edit)
    }
}

/// Returns whether a line can only be from a rollout. Other tools write bare items of the Responses API too (Grok's
/// thinking), and forks whose lines name no type look like any chat: both count as a rollout only where the file is named
/// like one.
fn is_ours(line: &[u8], name: &str) -> bool {
    let text = lossy_text(line);
    let tape = JsonTape::parse(&text);
    let Some(line) = JsonObject::from_tape(&tape) else { return is_cut_meta(&text) };
    let kind = line.text("type");
    let is_named = name.starts_with("rollout");
    match kind.as_deref() {
        Some("session_meta" | "response_item" | "event_msg" | "turn_context" | "compacted") => {
            line.get("payload").is_some()
        }
        Some("message") => is_named && line.has_field("role") && is_content_of_ours(&line),
        Some("reasoning") => is_named && line.has_field("summary"),
        Some("function_call" | "custom_tool_call" | "local_shell_call") => {
            is_named && line.has_field("call_id")
        }
        Some(_) => false,
        None => {
            (is_named && line.has_field("role"))
                || line.text("record_type").as_deref() == Some("state")
                || is_bare_meta(&line)
        }
    }
}

fn is_content_of_ours(line: &JsonObject<'_>) -> bool {
    let kinds = line
        .elements_of("content")
        .into_iter()
        .filter_map(|part| JsonObject::from_value(part)?.non_empty_text("type"));
    kinds.into_iter().any(|kind| matches!(&*kind, "input_text" | "output_text"))
}

/// Returns whether a line is the first line of a log from before there were envelopes.
fn is_bare_meta(line: &JsonObject<'_>) -> bool {
    line.has_field("id")
        && line.has_field("timestamp")
        && (line.has_field("instructions") || line.has_field("git"))
}

/// Returns whether a text is a first line that is longer than the head.
fn is_cut_meta(text: &str) -> bool {
    let start: String = text.chars().take(200).filter(|c| !c.is_whitespace()).collect();
    start.starts_with('{') && start.contains("\"type\":\"session_meta\"")
}

/// Returns the thread's own meta record, from its first line.
fn thread_meta(head: &FileHead<'_>) -> Option<ThreadMeta> {
    let (_, line) = jsonl::lines_of_file(SourceId(0), head.bytes).next()?;
    let text = lossy_text(line);
    let tape = JsonTape::parse(&text);
    let whole = JsonObject::from_tape(&tape).map(envelope::open_line).map(|opened| opened.body);
    match whole {
        Some(envelope::LineBody::Meta(fields)) => Some(classify::read_meta(&fields)),
        Some(_) => None,
        None => is_cut_meta(&text).then(|| cut_meta(&text)),
    }
}

/// Reads the facts of a meta record whose end (instructions, tools) is cut off.
fn cut_meta(text: &str) -> ThreadMeta {
    let value = |key: &str| {
        let (_, rest) = text.split_once(&format!("\"{key}\""))?;
        let (value, _) = rest.trim_start_matches([':', ' ']).strip_prefix('"')?.split_once('"')?;
        Some(Box::from(value))
    };
    ThreadMeta {
        id: value("id").unwrap_or_default(),
        session: value("session_id"),
        parent: value("parent_thread_id"),
        forked_from: value("forked_from_id"),
        is_subagent: text.contains("\"subagent\""),
        ..ThreadMeta::default()
    }
}

/// The first phase, done for as many lines as were read; each line on its own.
#[derive(Default)]
struct RolloutReader {
    threads: BTreeMap<SourceId, ThreadLines>,
    budget: jsonl::IndexBudget,
    /// Is true where the caller passes each log once and whole and then asks for the run.
    takes_whole_logs: bool,
}

/// The lines of one thread, without those that have no effect on the run.
#[derive(Default)]
struct ThreadLines {
    /// All lines, where they are folded at the end. A main thread that is folded while it is read gives its lines away once
    /// the screen has shown a request.
    lines: Vec<RolloutLine>,
    is_understood: bool,
    /// Facts about all lines that the fold needs first. They are noted as the lines come, since a second pass over so much
    /// memory takes longer.
    notes: LineNotes,
    unknowns: UnknownRecords,
    /// The second phase, where it runs beside the first: of a main thread that is read once.
    ahead: Option<Box<fold::EarlyFold>>,
}

/// Indices count lines.
#[derive(Default)]
struct LineNotes {
    broken: Vec<BrokenLine>,
    first_meta: Option<usize>,
    /// The first context that names a folder.
    first_folder: Option<usize>,
    shown_requests: fold::ShownRequests,
}

/// A line that is not JSON, and what is wrong with it.
struct BrokenLine {
    place: RecordPlace,
    what: String,
}

impl IncrementalReader for RolloutReader {
    fn expect_whole_logs(&mut self) {
        self.takes_whole_logs = true;
    }

    fn take_lines(
        &mut self,
        id: SourceId,
        _name: &str,
        lines: LogInput<'_>,
        executor: &dyn PieceExecutor,
    ) {
        let thread = self.threads.entry(id).or_default();
        // About as many as there will be: growing by doubling would touch as much memory again.
        let expected = (lines.size() / 2048).min(u64::from(jsonl::MAX_LINES));
        let expected = usize::try_from(expected).unwrap_or_default();
        let goes_ahead = self.takes_whole_logs && id == SourceId(0);
        if !goes_ahead {
            thread.lines.reserve(expected);
        }
        let read =
            |place, line: &[u8], is_last| Some(classify::classify_line(place, line, is_last));
        let budget = &mut self.budget;
        let extent = jsonl::each_line(
            id,
            lines,
            executor,
            budget,
            &read,
            &mut |before, line: RolloutLine| {
                let line = RolloutLine { place: line.place.moved_down(before), ..line };
                if goes_ahead && thread.lines.is_empty() && thread.ahead.is_none() {
                    thread.ahead = fold::EarlyFold::begin(&line, expected).map(Box::new);
                }
                thread.push_line(line);
            },
        );
        if let jsonl::ReadExtent::CutAfter(line) = extent {
            let place = RecordPlace { source: id, line, ..RecordPlace::default() };
            thread.push_line(RolloutLine {
                place,
                at: None,
                ordinal: None,
                model: None,
                not_finite: 0,
                record: RolloutRecord::Broken(jsonl::too_long_message(line)),
            });
        }
    }

    fn current_run(&self, sources: &[SourceBytes<'_>]) -> Result<Run, NotUnderstood> {
        self.run_with(sources, None)
    }

    /// A second read is necessary where requests went to the model and, after other requests, not to the screen.
    fn needs_second_read(&mut self) -> bool {
        let Some(ThreadLines { ahead, notes, .. }) = self.threads.get_mut(&SourceId(0)) else {
            return false;
        };
        let was_wrong =
            ahead.take_if(|ahead| !ahead.assumption_held(&notes.shown_requests)).is_some();
        let has_lines = !notes.shown_requests.is_any_shown;
        if !was_wrong || has_lines {
            return false;
        }
        *self = Self::default();
        true
    }

    fn finish_run(
        mut self: Box<Self>,
        sources: &[SourceBytes<'_>],
        left: &mut dyn FnMut(Box<dyn Send>),
    ) -> Result<Run, NotUnderstood> {
        let main = self.threads.get_mut(&SourceId(0)).and_then(|lines| lines.ahead.take());
        let main = main.map(|ahead| {
            let (thread, rest) = ahead.finish_thread();
            left(rest);
            thread
        });
        let run = self.run_with(sources, main);
        left(self);
        run
    }
}

impl RolloutReader {
    /// Returns the run, where the main thread may be folded already.
    fn run_with(
        &self,
        sources: &[SourceBytes<'_>],
        mut main: Option<FoldedThread>,
    ) -> Result<Run, NotUnderstood> {
        let mut warnings = vec![];
        let mut threads = vec![];
        let mut root: Option<Box<str>> = None;
        for (source, id) in sources.iter().zip(0..) {
            let lines = self.threads.get(&SourceId(id));
            warnings.extend(lines.and_then(|lines| {
                lines.unknowns.mostly_unknown_warning(source.name, CodexRollout.name())
            }));
            warnings.extend(lines.and_then(|lines| fork_warning(lines, source.name)));
            let broken = lines.iter().flat_map(|of| &of.notes.broken);
            warnings
                .extend(broken.map(|it| jsonl::warning_at(source.name, it.place, it.what.clone())));
            let folded = main.take_if(|_| id == 0);
            match folded.or_else(|| fold_lines(lines?, root.as_deref())) {
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
        Ok(run_of_threads(main, threads, root, warnings, sources))
    }
}

impl ThreadLines {
    fn push_line(&mut self, line: RolloutLine) {
        match &line.record {
            RolloutRecord::Broken(_) => {}
            RolloutRecord::Unknown { label } => self.unknowns.count_record(Some(label)),
            _ => self.unknowns.count_record(None),
        }
        if self.is_understood && matches!(line.record, RolloutRecord::Bookkeeping) {
            return;
        }
        self.is_understood |= line.is_understood();
        self.notes.note_line(self.lines.len(), &line);
        match &mut self.ahead {
            // The assumption is true so far: the lines will hardly be needed again.
            Some(ahead) if self.notes.shown_requests.is_any_shown => {
                self.lines = vec![];
                ahead.take_line(line);
            }
            Some(ahead) => {
                ahead.take_line(line.clone());
                self.lines.push(line);
            }
            None => self.lines.push(line),
        }
    }
}

impl LineNotes {
    fn note_line(&mut self, index: usize, line: &RolloutLine) {
        if line.not_finite > 0 {
            let what = not_finite::warning_text(line.not_finite as usize);
            self.broken.push(BrokenLine { place: line.place, what });
        }
        match &line.record {
            RolloutRecord::Broken(what) => {
                self.broken.push(BrokenLine { place: line.place, what: what.clone() })
            }
            RolloutRecord::Meta(_) => self.first_meta = self.first_meta.or(Some(index)),
            RolloutRecord::Context { cwd: Some(_), .. } => {
                self.first_folder = self.first_folder.or(Some(index))
            }
            _ => self.shown_requests.note_line(line),
        }
    }
}

/// Returns the second phase; None where not one line was understood.
fn fold_lines(all: &ThreadLines, root: Option<&str>) -> Option<FoldedThread> {
    if !all.is_understood {
        return None;
    }
    let record = |index: Option<usize>| index.and_then(|index| Some(&all.lines.get(index)?.record));
    let mut meta = match record(all.notes.first_meta) {
        Some(RolloutRecord::Meta(meta)) => ThreadMeta::clone(meta),
        _ => ThreadMeta::default(),
    };
    if let (None, Some(RolloutRecord::Context { cwd, .. })) =
        (&meta.cwd, record(all.notes.first_folder))
    {
        meta.cwd.clone_from(cwd);
    }
    let own_root = meta.cwd.clone();
    let copied = family::copied_lines(&all.lines, &meta);
    if copied > 0 {
        let lines: Vec<&RolloutLine> = all.lines.iter().collect();
        let (copied, own) = lines.split_at(copied);
        let shown = fold::ShownRequests::from_lines(own);
        // It may have kept the time of the session that it goes on from.
        meta.started_at = all.lines.first().and_then(|line| line.at).or(meta.started_at);
        return Some(fold::fold_thread((own, copied), shown, meta, root.or(own_root.as_deref())));
    }
    let lines = family::own_lines(&all.lines, &meta);
    let is_all = lines.len() == all.lines.len();
    let shown = if is_all {
        all.notes.shown_requests.clone()
    } else {
        fold::ShownRequests::from_lines(&lines)
    };
    Some(fold::fold_thread((&lines, &[]), shown, meta, root.or(own_root.as_deref())))
}

/// Returns a warning about the copied lines of a fork that are left out; None where there are none.
fn fork_warning(lines: &ThreadLines, name: &str) -> Option<Warning> {
    let RolloutRecord::Meta(meta) = &lines.lines.get(lines.notes.first_meta?)?.record else {
        return None;
    };
    let copied = family::copied_lines(&lines.lines, meta);
    let (place, from) = (name.to_owned(), meta.forked_from.as_deref()?);
    let what = format!(
        "is a fork of {from}: its first {copied} records are copies from that session, and are neither counted nor shown"
    );
    (copied > 0).then_some(Warning { place, what })
}

fn run_of_threads(
    main: FoldedThread,
    children: Vec<FoldedThread>,
    root: Option<Box<str>>,
    warnings: Vec<Warning>,
    sources: &[SourceBytes<'_>],
) -> Run {
    let name = main.name.clone();
    let meta = main.meta.clone();
    let models = main.models.join(", ");
    let (started_at, ended_at) = (main.started_at, main.ended_at);
    let (turns, subagents) = family::unite_threads(main, children);
    let file = sources.first().map_or("", |source| source.name);
    let id = if meta.id.is_empty() { file.to_owned() } else { meta.id.into() };
    Run {
        title: name.map(Into::into).or_else(|| first_title(&turns)).unwrap_or_else(|| id.clone()),
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

fn first_title(turns: &[Turn]) -> Option<String> {
    turns.iter().find(|turn| !turn.title.is_empty()).map(|turn| turn.title.to_string())
}
