//! Claude Code's session log: `~/.claude/projects/<folder>/<session>.jsonl`, with the logs of its sub-agents.
//!
//! A turn begins with a person's request. Everything else that has the shape of a user message is not: tool results, the
//! program's own caveats and summaries, slash commands (unless they expand into a prompt), notifications of
//! background agents, and the prompts of sub-agents. Turns are in file order, so a resumed session simply goes on;
//! lines that a resume copied are read once. See [`super::claude`] for how records are read.

use std::collections::{BTreeMap, HashSet};

use super::{
    FileHead, Format, FormatCapabilities, IncrementalReader, NotUnderstood, PieceExecutor,
    RecordedEdits, RecordingShape, SourceBytes,
    claude::{
        edits,
        fold::{self, ClaudeFold, LineOwner, TokenSource},
        json::read_object,
        line::{ClassifiedLine, LineContent, UserRecord, UserText, UserTextKind},
        record::{AgentMeta, ClaudeMessage, ClaudeRecord, string_or_empty},
        text,
    },
    companion_files::BelongsTo,
    jsonl::{self, IndexBudget, LogInput},
    search_prefilter::TextLayout,
    tape::JsonTape,
    unknown_records::UnknownRecords,
};
use crate::format::file_name;
use trajview_run::{
    Edit, Run, SourceId, Step, StepText, ToolResult, Turn, Warning, files::RecordedEdit,
};

/// Reads session logs from 1.0 on; what the records of each version look like is tested with recorded ones.
#[derive(Debug)]
pub struct ClaudeSession;

impl Format for ClaudeSession {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn short_description(&self) -> &'static str {
        "Claude Code session log (~/.claude/projects/**/<session>.jsonl), with its sub-agents"
    }

    fn sample_path(&self) -> &'static str {
        "claude-code"
    }

    fn capabilities(&self) -> FormatCapabilities {
        FormatCapabilities::new(RecordingShape::Lines, RecordedEdits::Text)
            .with_tokens()
            .with_times()
            .with_subagents()
    }

    fn claims_file(&self, head: &FileHead<'_>) -> bool {
        // Qwen Code writes the same envelope around messages of `parts`.
        let mut is_foreign = false;
        let has_id = memchr::memmem::find(head.bytes, b"\"sessionId\"").is_some();
        let decided = has_id
            && any_record(head, |record| {
                let is_message = matches!(record.kind.as_str(), "user" | "assistant")
                    && record.session_id.non_empty().is_some()
                    && record.message.is_some();
                let has_content = is_message && has_content(record);
                is_foreign |= is_message && !has_content;
                has_content
            });
        decided || (!is_foreign && !head.is_whole && looks_cut_off(head))
    }

    fn belongs_to(&self, other: &FileHead<'_>) -> BelongsTo {
        if is_meta(other.name) {
            let says_agent = meta_says_agent(&text::lossy_text(other.bytes));
            return if says_agent { BelongsTo::Any } else { BelongsTo::Itself };
        }
        let mut sessions = HashSet::new();
        let mut is_agent = false;
        let mut names_itself = false;
        let is_own = any_record(other, |record| {
            is_agent |= record.is_sidechain.0;
            sessions.extend(record.session_id.non_empty().map(str::to_owned));
            names_itself |= record
                .agent_id
                .non_empty()
                .is_some_and(|id| record.session_id.as_str().strip_prefix("agent-") == Some(id));
            let speaks = matches!(record.kind.as_str(), "user" | "assistant");
            let is_warm_up = record.kind.as_str() == "user"
                && string_or_empty(read_object::<ClaudeMessage<'_>>(record.message).content)
                    == "Warmup";
            is_warm_up || speaks && !record.is_sidechain.0
        });
        match is_agent && !is_own {
            false => BelongsTo::Itself,
            true if names_itself => BelongsTo::Any,
            true => BelongsTo::Named(sessions.into_iter().collect()),
        }
    }

    fn names_in_parts(&self, main: &FileHead<'_>) -> HashSet<String> {
        session_ids(main)
    }

    /// Returns the folder in which a session keeps results that were too long for its log.
    fn part_paths(&self, main: &FileHead<'_>) -> Vec<String> {
        let is_log = main.name.ends_with(".jsonl");
        is_log.then(|| format!("{}/tool-results", file_stem(main.name))).into_iter().collect()
    }

    fn incremental_reader(&self) -> Option<Box<dyn IncrementalReader>> {
        Some(Box::new(ClaudeSessionReader::default()))
    }

    fn text_layout(&self) -> TextLayout {
        TextLayout::PlainStrings
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

/// A session, as far as it was read.
#[derive(Debug, Default, Clone)]
struct ClaudeSessionReader {
    fold: ClaudeFold,
    /// Lines read before it was known whether this is a sub-agent's log opened by itself, which is read as a session
    /// of its own.
    undecided: Vec<ClassifiedLine>,
    is_decided: bool,
    /// The lines of sub-agents' files; they are folded when the session's own are.
    agents: BTreeMap<SourceId, Vec<ClassifiedLine>>,
    warnings: BTreeMap<SourceId, Vec<Warning>>,
    unknowns: BTreeMap<SourceId, UnknownRecords>,
    budget: IndexBudget,
}

impl IncrementalReader for ClaudeSessionReader {
    fn take_lines(
        &mut self,
        id: SourceId,
        name: &str,
        lines: LogInput<'_>,
        executor: &dyn PieceExecutor,
    ) {
        if is_meta(name) || result_file_name(name).is_some() {
            return;
        }
        let mut warnings = self.warnings.remove(&id).unwrap_or_default();
        let mut unknowns = self.unknowns.remove(&id).unwrap_or_default();
        let mut budget = std::mem::take(&mut self.budget);
        fold::each_line(id, name, lines, executor, &mut budget, &mut warnings, &mut |line| {
            unknowns.count_record(line.unknown_kind());
            match id {
                SourceId(0) => self.take_classified(line),
                _ => self.agents.entry(id).or_default().push(line),
            }
        });
        self.budget = budget;
        self.warnings.insert(id, warnings);
        self.unknowns.insert(id, unknowns);
    }

    fn current_run(&self, sources: &[SourceBytes<'_>]) -> Result<Run, NotUnderstood> {
        self.clone().into_run(sources)
    }

    fn finish_run(
        self: Box<Self>,
        sources: &[SourceBytes<'_>],
        _left: &mut dyn FnMut(Box<dyn Send>),
    ) -> Result<Run, NotUnderstood> {
        self.into_run(sources)
    }
}

impl ClaudeSessionReader {
    fn take_classified(&mut self, line: ClassifiedLine) {
        if self.is_decided {
            return take_main_line(&mut self.fold, line, false);
        }
        self.is_decided = !line.is_sidechain && is_message(&line);
        self.undecided.push(line);
        if self.is_decided {
            self.decide_log_kind(false);
        }
    }

    fn decide_log_kind(&mut self, is_agent_log: bool) {
        for line in std::mem::take(&mut self.undecided) {
            take_main_line(&mut self.fold, line, is_agent_log);
        }
    }

    fn into_run(mut self, sources: &[SourceBytes<'_>]) -> Result<Run, NotUnderstood> {
        let Some((main, companions)) = sources.split_first() else {
            return Err(NotUnderstood("no file to read".to_owned()));
        };
        self.decide_log_kind(true);
        for (id, companion) in (1..).map(SourceId).zip(companions) {
            if let Some(lines) = self.agents.remove(&id) {
                take_agent_file(&mut self.fold, companion, companions, lines);
            }
        }
        for (id, file) in (0..).map(SourceId).zip(sources) {
            if let Some(name) = result_file_name(file.name) {
                self.fold.set_result_file(name, id, file.bytes);
            }
        }
        let mut run = self.fold.finish_run(TokenSource::Messages);
        run.origin.format = ClaudeSession.name();
        let mostly_unknown = self.unknowns.iter().filter_map(|(id, unknowns)| {
            unknowns.mostly_unknown_warning(sources.get(id.0 as usize)?.name, ClaudeSession.name())
        });
        run.warnings = mostly_unknown.chain(self.warnings.into_values().flatten()).collect();
        if run.id.is_empty() {
            run.id = file_stem(main.name).to_owned();
        }
        if run.title.is_empty() {
            run.title.clone_from(&run.id);
        }
        Ok(run)
    }
}

/// Passes the records of a head to `decides` until it returns true; returns whether it did.
fn any_record(head: &FileHead<'_>, mut decides: impl FnMut(&ClaudeRecord<'_>) -> bool) -> bool {
    jsonl::lines_of_file(SourceId(0), head.bytes).any(|(_, bytes)| {
        let text = text::lossy_text(bytes);
        let tape = JsonTape::parse(text.trim());
        ClaudeRecord::from_tape(&text, tape.as_ref()).is_ok_and(|record| decides(&record))
    })
}

fn has_content(record: &ClaudeRecord<'_>) -> bool {
    let content = read_object::<ClaudeMessage<'_>>(record.message).content;
    content.is_some_and(|content| content.is_string() || content.is_list())
}

/// Returns whether a head without a whole record has the keys of a session: a first prompt may be longer than the head.
fn looks_cut_off(head: &FileHead<'_>) -> bool {
    let holds = |key: &[u8]| memchr::memmem::find(head.bytes, key).is_some();
    holds(b"\"parentUuid\"") && holds(b"\"isSidechain\"") && !holds(b"\"parts\"")
}

fn session_ids(head: &FileHead<'_>) -> HashSet<String> {
    let mut found = HashSet::new();
    any_record(head, |record| {
        found.extend(record.session_id.non_empty().map(str::to_owned));
        false
    });
    found
}

/// Returns the name of a file that contains one observation alone; None for other files.
fn result_file_name(name: &str) -> Option<&str> {
    let (folder, name) = name.rsplit_once('/')?;
    (folder.rsplit('/').next() == Some("tool-results")).then_some(name)
}

fn is_meta(name: &str) -> bool {
    name.ends_with(".meta.json")
}

fn meta_says_agent(text: &str) -> bool {
    let tape = JsonTape::parse(text);
    let meta: AgentMeta<'_> = read_object(tape.as_ref().map(JsonTape::root));
    meta.agent_type.non_empty().is_some()
}

/// Returns a file's name without folders and without what follows the first known ending.
fn file_stem(name: &str) -> &str {
    let name = file_name(name);
    name.strip_suffix(".meta.json").or_else(|| name.strip_suffix(".jsonl")).unwrap_or(name)
}

fn is_message(line: &ClassifiedLine) -> bool {
    matches!(line.what, LineContent::User(_) | LineContent::Assistant(_))
}

fn take_main_line(fold: &mut ClaudeFold, line: ClassifiedLine, is_agent_log: bool) {
    if fold.is_copy(&line) {
        return;
    }
    if !line.is_sidechain {
        fold.abandon_rewound_turns(&line);
    }
    fold.apply_facts(&line);
    if tells_nothing_of_a_turn(&line.what) {
        return fold.pass_line(&line);
    }
    if line.is_sidechain && !is_agent_log {
        let agent = fold.inline_agent(&line);
        return fold.take_line(LineOwner::Agent(agent), line);
    }
    let uuid = line.uuid.clone();
    if let Some(command) = fold.take_expanded_command(&line) {
        fold.open_turn(Turn {
            title: command.label,
            request: Some(command.place),
            added: vec![line.place],
            started_at: command.started_at,
            ended_at: line.time,
            ..Turn::default()
        });
        fold.mark_opening_record(uuid.as_deref());
        return;
    }
    fold.remember_command(&line);
    if opens_turn(&line) {
        open_turn(fold, line);
        fold.mark_opening_record(uuid.as_deref());
        return;
    }
    let turn = fold.current_turn();
    fold.take_line(LineOwner::Turn(turn), line);
}

fn tells_nothing_of_a_turn(what: &LineContent) -> bool {
    matches!(
        what,
        LineContent::Nothing
            | LineContent::Title { .. }
            | LineContent::Summary { .. }
            | LineContent::Init { .. }
            | LineContent::Verdict(_)
    )
}

fn opens_turn(line: &ClassifiedLine) -> bool {
    let LineContent::User(UserRecord { user_text: Some(UserText { kind, .. }), .. }) = &line.what
    else {
        return false;
    };
    *kind == UserTextKind::Request
}

fn open_turn(fold: &mut ClaudeFold, line: ClassifiedLine) {
    let (title, is_wrapped) = match line.what {
        LineContent::User(UserRecord { user_text: Some(user_text), .. }) => {
            (user_text.label, user_text.is_wrapped)
        }
        _ => (Box::default(), false),
    };
    fold.open_turn(Turn {
        title,
        request: Some(line.place),
        added: is_wrapped.then(|| line.place.with_part(text::WRAPPER_PART)).into_iter().collect(),
        started_at: line.time,
        ended_at: line.time,
        ..Turn::default()
    });
}

fn take_agent_file(
    fold: &mut ClaudeFold,
    file: &SourceBytes<'_>,
    all: &[SourceBytes<'_>],
    lines: Vec<ClassifiedLine>,
) {
    // The first line of an agent's file may belong to another session and name no agent.
    let named = lines.iter().find_map(|line| line.agent.clone());
    let id = named.unwrap_or_else(|| file_stem(file.name).trim_start_matches("agent-").into());
    let mut agent = None;
    for line in lines {
        if fold.is_copy(&line) || tells_nothing_of_a_turn(&line.what) {
            continue;
        }
        let agent = *agent.get_or_insert_with(|| fold.agent_with_id(&id));
        fold.take_line(LineOwner::Agent(agent), line);
    }
    let Some(agent) = agent else { return };
    let side_file = format!("{}.meta.json", file.name.trim_end_matches(".jsonl"));
    if let Some(meta) = all.iter().find(|other| other.name == side_file) {
        let text = text::lossy_text(meta.bytes);
        if meta_says_agent(&text) {
            let tape = JsonTape::parse(&text);
            let meta: AgentMeta<'_> = read_object(tape.as_ref().map(JsonTape::root));
            fold.set_details(agent, meta.agent_type.non_empty(), meta.tool_use_id.non_empty());
        }
    }
}
