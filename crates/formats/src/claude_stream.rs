//! Claude Code's stream-json: what `claude -p --output-format stream-json --verbose` prints, as benchmarks keep it.
//!
//! One process answers one prompt, from `init` to `result`; a file may hold several processes of one session. The
//! prompt itself is not printed (unless `--replay-user-messages` asks for it), so a turn usually has no request.
//! A process that only compacts belongs to the turn before it, as in the session log.
//!
//! Messages carry the usage of their *start*, so tokens come from the results. `total_cost_usd` counts one process up
//! to 2.1.250 and the whole resumed session later: there a turn's cost is a difference, and unknown where the recording
//! does not show what it is a difference to.

use super::{
    FileHead, Format, FormatCapabilities, IncrementalReader, NotUnderstood, PieceExecutor,
    RecordedEdits, RecordingShape, SourceBytes,
    claude::{
        edits,
        fold::{self, ClaudeFold, LineOwner, RecordAt, TokenSource},
        json::{RawField, TextField, read_field, read_object},
        line::{ClassifiedLine, LineContent, PromptResult, UserRecord, UserText, UserTextKind},
        record::{ClaudeMessage, ClaudeRecord},
        text,
    },
    jsonl::{self, IndexBudget, LogInput},
    tape::{JsonTape, TapeValue},
    unknown_records::UnknownRecords,
};
use crate::format::file_name;
use trajview_run::{
    Edit, Role, Run, SourceId, Step, StepKind, StepText, ToolResult, Turn, Warning,
    files::RecordedEdit,
};

/// Reads one or more processes' output, from 1.0 on.
#[derive(Debug, Clone)]
pub struct ClaudeStream;

impl Format for ClaudeStream {
    fn name(&self) -> &'static str {
        "claude-stream-json"
    }

    fn short_description(&self) -> &'static str {
        "Claude Code's output of `claude -p --output-format stream-json --verbose`"
    }

    fn sample_path(&self) -> &'static str {
        "claude-stream-json"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Lines, RecordedEdits::Text)
            .with_tokens()
            .with_cost()
            .with_subagents()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        let has = |key: &[u8]| memchr::memmem::find(head.bytes, key).is_some();
        let may_say = has(b"\"session_id\"") && has(b"\"type\"");
        let read = if may_say { head.bytes } else { &[] };
        let found = jsonl::lines_of_file(SourceId(0), read).find_map(|(_, bytes)| {
            let text = text::lossy_text(bytes);
            JsonTape::parse(text.trim()).and_then(|tape| says_stream(tape.root()))
        });
        found.unwrap_or_else(|| !head.is_whole && is_cut_init(head.bytes))
    }

    fn incremental_reader(&self) -> Option<Box<dyn IncrementalReader>> {
        Some(Box::new(ClaudeStreamReader::default()))
    }

    fn step_text(&self, record: &[u8], step: &Step) -> StepText {
        text::step_text(record, step)
    }

    fn request_text(&self, record: &[u8]) -> String {
        text::request_text(record)
    }

    fn added_text(&self, record: &[u8], part: u32) -> String {
        text::added_text(record, part)
    }

    fn result_text(&self, record: &[u8], result: &ToolResult) -> String {
        text::result_text(record, result)
    }

    fn recorded_edit(&self, record: &[u8], edit: &Edit) -> Option<RecordedEdit> {
        edits::recorded_edit(record, edit)
    }
}

/// Returns whether a record is of Claude Code's stream; None where the record does not show it. Other tools print a stream
/// in the same envelope: Droid, Amp, Cursor, Qwen Code.
fn says_stream(value: TapeValue<'_>) -> Option<bool> {
    let record: ClaudeRecord<'_> = read_object(Some(value));
    if record.session_id.non_empty().is_some() || names_another_tool(value) {
        return Some(false);
    }
    record.stream_session_id.non_empty()?;
    let is_ours = match record.kind.as_str() {
        "system" => is_init(value, &record),
        "assistant" => is_answer(record.message),
        "result" => record.total_cost_usd.0.is_some(),
        _ => false,
    };
    is_ours.then_some(true)
}

/// Returns whether a record begins a process. The first versions did not name themselves.
fn is_init(value: TapeValue<'_>, record: &ClaudeRecord<'_>) -> bool {
    let tools: RawField<'_> = read_field(Some(value), "tools");
    let permissions: TextField<'_> = read_field(Some(value), "permissionMode");
    let is_old = permissions.non_empty().is_some() && tools.is_some_and(TapeValue::is_list);
    is_old || record.claude_code_version.non_empty().is_some()
}

/// Returns whether a message is a response of Anthropic's API, which names itself and its model.
fn is_answer(message: RawField<'_>) -> bool {
    let message: ClaudeMessage<'_> = read_object(message);
    let is_named = message.id.non_empty().is_some() && message.model.non_empty().is_some();
    is_named && message.content.is_some_and(TapeValue::is_list)
}

/// Returns whether the record names another tool, such as `qwen_code_version` in place of `claude_code_version`.
fn names_another_tool(value: TapeValue<'_>) -> bool {
    let is_foreign = |key: &str| key.ends_with("_code_version") && key != "claude_code_version";
    value.is_object() && value.fields().any(|(key, _)| is_foreign(key.text))
}

/// Returns whether a head is cut off in the first record, a list of every tool, which may be longer than the head.
fn is_cut_init(head: &[u8]) -> bool {
    let last = memchr::memrchr(b'\n', head).map_or(head, |at| &head[at..]);
    let keys: [&[u8]; 3] = [b"\"session_id\"", b"\"permissionMode\"", b"\"tools\""];
    keys.iter().all(|key| memchr::memmem::find(last, key).is_some())
}

/// The first version in which `total_cost_usd` was seen to count the whole session.
const CUMULATIVE_SINCE: [u32; 3] = [2, 1, 330];

#[derive(Debug, Default, Clone)]
struct ClaudeStreamReader {
    fold: ClaudeFold,
    budget: IndexBudget,
    warnings: Vec<Warning>,
    unknowns: UnknownRecords,
    /// A process has begun and its result has not come.
    is_open: bool,
    /// A background agent was done since the last `init`.
    is_woken: bool,
    /// The cost of the session at the last result, in US dollars.
    last_total: Option<f64>,
    /// The cost of the session before this turn, in US dollars; None where the recording does not show it.
    total_before: Option<f64>,
    version: Option<[u32; 3]>,
}

impl IncrementalReader for ClaudeStreamReader {
    fn take_lines(
        &mut self,
        id: SourceId,
        name: &str,
        lines: LogInput<'_>,
        executor: &dyn PieceExecutor,
    ) {
        let mut warnings = std::mem::take(&mut self.warnings);
        if id == SourceId(0) {
            let mut budget = std::mem::take(&mut self.budget);
            fold::each_line(id, name, lines, executor, &mut budget, &mut warnings, &mut |line| {
                self.unknowns.count_record(line.unknown_kind());
                self.take_classified(line);
            });
            self.budget = budget;
        }
        self.warnings = warnings;
    }

    fn current_run(&self, sources: &[SourceBytes<'_>]) -> Result<Run, NotUnderstood> {
        let name = sources.first().map_or("", |source| source.name);
        Ok(self.clone().into_run(name))
    }

    fn finish_run(
        self: Box<Self>,
        sources: &[SourceBytes<'_>],
        _left: &mut dyn FnMut(Box<dyn Send>),
    ) -> Result<Run, NotUnderstood> {
        let Some(main) = sources.first() else {
            return Err(NotUnderstood("no file to read".to_owned()));
        };
        Ok(self.into_run(main.name))
    }
}

impl ClaudeStreamReader {
    fn into_run(self, name: &str) -> Run {
        let mut run = self.fold.finish_run(TokenSource::Results);
        run.origin.format = ClaudeStream.name();
        run.warnings.extend(self.unknowns.mostly_unknown_warning(name, run.origin.format));
        run.warnings.extend(self.warnings);
        if run.id.is_empty() {
            run.id = file_name(name).to_owned();
        }
        if run.title.is_empty() {
            run.title.clone_from(&run.id);
        }
        run
    }

    fn take_classified(&mut self, line: ClassifiedLine) {
        if self.fold.is_copy(&line) {
            return;
        }
        self.fold.apply_facts(&line);
        if let Some(call) = line.agent.as_deref().filter(|_| line.is_sidechain) {
            let agent = self.fold.agent_of_call(call, line.agent_id.as_deref());
            return self.fold.take_line(LineOwner::Agent(agent), line);
        }
        match &line.what {
            LineContent::Nothing | LineContent::Title { .. } | LineContent::Summary { .. } => {}
            LineContent::Init { model } => {
                self.fold.note_model(model.as_deref());
                self.version = line.version.as_deref().and_then(parse_version).or(self.version);
                self.begin_process();
            }
            LineContent::Verdict(_) => self.add_result(line),
            LineContent::User(UserRecord {
                user_text: Some(UserText { kind: UserTextKind::Request, .. }),
                ..
            }) => {
                self.add_request(line);
            }
            _ => {
                let turn = self.fold.current_turn();
                match &line.what {
                    LineContent::Note(note) => self.is_woken |= note.wakes,
                    _ => self.is_open = true,
                }
                self.fold.take_line(LineOwner::Turn(turn), line);
            }
        }
    }

    /// Begins a process. A process that wakes up for a finished background agent begins again within its turn; else the
    /// process before was killed.
    fn begin_process(&mut self) {
        let has_steps = self.fold.run.turns.last().is_some_and(|turn| !turn.steps.is_empty());
        if !self.is_open || (has_steps && !self.is_woken) {
            self.open(Turn::default());
        }
        self.fold.has_begun = true;
        self.is_woken = false;
    }

    fn open(&mut self, turn: Turn) {
        self.fold.open_turn(turn);
        self.is_open = true;
        self.total_before = self.last_total;
    }

    /// Adds a printed prompt to the turn that has just begun, else to a new one.
    fn add_request(&mut self, line: ClassifiedLine) {
        let turn = self.fold.current_turn();
        let begun = &self.fold.run.turns[turn];
        if begun.request.is_some() || !begun.steps.is_empty() || !self.is_open {
            self.open(Turn::default());
        }
        let turn = self.fold.current_turn();
        self.fold.extend_times(LineOwner::Turn(turn), line.time);
        if let LineContent::User(UserRecord { user_text: Some(user_text), .. }) = line.what {
            let turn = &mut self.fold.run.turns[turn];
            turn.title = user_text.label;
            turn.request = Some(line.place);
            turn.added
                .extend(user_text.is_wrapped.then(|| line.place.with_part(text::WRAPPER_PART)));
        }
    }

    fn add_result(&mut self, line: ClassifiedLine) {
        let at = RecordAt { place: line.place, time: line.time };
        let LineContent::Verdict(verdict) = line.what else { return };
        let turn = self.fold.current_turn();
        let owner = LineOwner::Turn(turn);
        self.fold.extend_times(owner, line.time);
        let error = |at: RecordAt, label: Box<str>| Step {
            is_error: true,
            ..at.new_step(StepKind::Message, Role::System, label)
        };
        if let Some(failure) = &verdict.failure {
            // An API error came before, as a message.
            let is_reported =
                self.fold.steps_mut(owner).last().is_some_and(|step| step.label == *failure);
            if !is_reported {
                self.fold.push_step(owner, error(at, failure.clone()));
            }
        }
        for (part, denial) in (1..).zip(&verdict.denials) {
            let at = RecordAt { place: at.place.with_part(part), ..at };
            self.fold.push_step(owner, error(at, denial.clone()));
        }
        self.count_tokens_and_cost(turn, &verdict);
        self.is_open = false;
        self.join_compaction();
    }

    fn count_tokens_and_cost(&mut self, turn: usize, verdict: &PromptResult) {
        let is_cumulative = self.version.is_some_and(|version| version >= CUMULATIVE_SINCE);
        let turn_mut = &mut self.fold.run.turns[turn];
        turn_mut.tokens = turn_mut.tokens + verdict.tokens;
        if !is_cumulative {
            turn_mut.cost_usd = verdict.total_cost_usd.or(turn_mut.cost_usd);
            return;
        }
        // Where nothing but this turn's output is counted, the session began here. Helper models come on top.
        let is_first =
            turn == 0 && turn_mut.tokens.output.is_some_and(|output| verdict.counts_only(output));
        let before = if is_first { Some(0.0) } else { self.total_before };
        turn_mut.cost_usd =
            verdict.total_cost_usd.zip(before).map(|(total, before)| total - before);
        self.last_total = verdict.total_cost_usd.or(self.last_total);
    }

    /// Joins a turn that contains nothing but a compaction to the turn before it.
    fn join_compaction(&mut self) {
        let turns = &mut self.fold.run.turns;
        let [.., _, last] = turns.as_slice() else { return };
        let compacts = last.steps.iter().any(|step| step.kind == StepKind::Compaction);
        let is_quiet = last.steps.iter().all(|step| step.role == Role::System && !step.is_error);
        if last.request.is_some() || !compacts || !is_quiet {
            return;
        }
        let (Some(last), Some(before)) = (turns.pop(), turns.last_mut()) else { return };
        before.steps.extend(last.steps);
        before.tokens = before.tokens + last.tokens;
        before.ended_at = before.ended_at.max(last.ended_at);
        before.cost_usd = before.cost_usd.zip(last.cost_usd).map(|(turn, more)| turn + more);
    }
}

/// Parses `2.1.330 (Claude Code)` into three numbers.
fn parse_version(text: &str) -> Option<[u32; 3]> {
    let mut numbers = text.split(|letter: char| !letter.is_ascii_digit()).map(str::parse);
    Some([numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?])
}
