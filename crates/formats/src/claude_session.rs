//! Claude Code's session log: `~/.claude/projects/<folder>/<session>.jsonl`, with the logs of its sub-agents.
//!
//! A turn is what a person asked. Everything else that has the shape of a user message is not: tool results, the
//! program's own caveats and summaries, slash commands (unless they expand into a prompt), notifications of
//! background agents, and the prompts of sub-agents. Turns stand in file order, so a resumed session simply goes on;
//! lines that a resume copied are read once. See [`super::claude`] for how records are read.

use std::collections::{BTreeMap, HashSet};

use super::{
    EditsTold, Executor, Format, Growing, Head, NotUnderstood, Offers, Shape, Source,
    claude::{
        edits,
        fold::{self, Fold, Owner, TokensFrom},
        json::object,
        line::{Line, User, What, Words, WordsKind},
        record::{Message, Meta, Record, string},
        text,
    },
    companions::BelongsTo,
    jsonl::{self, Budget, Input},
    spelling::Spelling,
    tape::Tape,
    unknown::Unknowns,
};
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

    fn about(&self) -> &'static str {
        "Claude Code session log (~/.claude/projects/**/<session>.jsonl), with its sub-agents"
    }

    fn sample(&self) -> &'static str {
        "claude-code"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Lines, EditsTold::Text).tokens().times().subagents()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        // Qwen Code writes the same envelope around messages of `parts`.
        let mut is_foreign = false;
        let decided = records(head, |record| {
            let is_message = matches!(record.kind.as_str(), "user" | "assistant")
                && record.session_id.filled().is_some()
                && record.message.is_some();
            let has_content = is_message && has_content(record);
            is_foreign |= is_message && !has_content;
            has_content
        });
        decided || (!is_foreign && !head.is_whole && looks_cut_off(head))
    }

    fn belongs_to(&self, other: &Head<'_>) -> BelongsTo {
        if is_meta(other.name) {
            let says_agent = meta_says_agent(&text::readable(other.bytes));
            return if says_agent { BelongsTo::Any } else { BelongsTo::Itself };
        }
        let mut sessions = HashSet::new();
        let mut is_agent = false;
        let mut names_itself = false;
        let is_own = records(other, |record| {
            is_agent |= record.is_sidechain.0;
            sessions.extend(record.session_id.filled().map(str::to_owned));
            names_itself |= record
                .agent_id
                .filled()
                .is_some_and(|id| record.session_id.as_str().strip_prefix("agent-") == Some(id));
            let speaks = matches!(record.kind.as_str(), "user" | "assistant");
            let is_warm_up = record.kind.as_str() == "user"
                && string(object::<Message<'_>>(record.message).content) == "Warmup";
            is_warm_up || speaks && !record.is_sidechain.0
        });
        match is_agent && !is_own {
            false => BelongsTo::Itself,
            true if names_itself => BelongsTo::Any,
            true => BelongsTo::Named(sessions.into_iter().collect()),
        }
    }

    fn names(&self, main: &Head<'_>) -> HashSet<String> {
        sessions(main)
    }

    /// Where a session keeps what was too long for its log.
    fn parts_in(&self, main: &Head<'_>) -> Vec<String> {
        let is_log = main.name.ends_with(".jsonl");
        is_log.then(|| format!("{}/tool-results", stem(main.name))).into_iter().collect()
    }

    fn index_with(
        &self,
        sources: &[Source<'_>],
        executor: &dyn Executor,
    ) -> Result<Run, NotUnderstood> {
        let mut session = Session::default();
        for (id, source) in (0..).map(SourceId).zip(sources) {
            session.take(id, source.name, Input::whole(source.bytes), executor);
        }
        session.completed(sources)
    }

    fn growing(&self) -> Option<Box<dyn Growing>> {
        Some(Box::new(Session::default()))
    }

    fn spelling(&self) -> Spelling {
        Spelling::Plain
    }

    fn words(&self, record: &[u8], step: &Step) -> StepText {
        text::words(record, step)
    }

    fn request(&self, record: &[u8]) -> String {
        text::request(record)
    }

    fn added(&self, record: &[u8], part: u32) -> String {
        text::added(record, part)
    }

    fn result(&self, record: &[u8], result: &ToolResult) -> String {
        text::result(record, result)
    }

    fn edit(&self, record: &[u8], edit: &Edit) -> Option<RecordedEdit> {
        edits::body(record, edit)
    }
}

/// A session, as far as it was read.
#[derive(Debug, Default, Clone)]
struct Session {
    fold: Fold,
    /// Lines read before it was known whether this is a sub-agent's log opened by itself, which is read as a session
    /// of its own.
    undecided: Vec<Line>,
    is_decided: bool,
    /// The lines of sub-agents' files; they are folded when the session's own are.
    agents: BTreeMap<SourceId, Vec<Line>>,
    warnings: BTreeMap<SourceId, Vec<Warning>>,
    unknowns: BTreeMap<SourceId, Unknowns>,
    budget: Budget,
}

impl Growing for Session {
    fn take(&mut self, id: SourceId, name: &str, lines: Input<'_>, executor: &dyn Executor) {
        if is_meta(name) || kept_name(name).is_some() {
            return;
        }
        let mut warnings = self.warnings.remove(&id).unwrap_or_default();
        let mut unknowns = self.unknowns.remove(&id).unwrap_or_default();
        let mut budget = std::mem::take(&mut self.budget);
        fold::each_line(id, name, lines, executor, &mut budget, &mut warnings, &mut |line| {
            unknowns.take(line.unknown());
            match id {
                SourceId(0) => self.line(line),
                _ => self.agents.entry(id).or_default().push(line),
            }
        });
        self.budget = budget;
        self.warnings.insert(id, warnings);
        self.unknowns.insert(id, unknowns);
    }

    fn run(&self, sources: &[Source<'_>]) -> Result<Run, NotUnderstood> {
        self.clone().completed(sources)
    }

    fn finish(
        self: Box<Self>,
        sources: &[Source<'_>],
        _left: &mut dyn FnMut(Box<dyn Send>),
    ) -> Result<Run, NotUnderstood> {
        self.completed(sources)
    }
}

impl Session {
    fn line(&mut self, line: Line) {
        if self.is_decided {
            return main_line(&mut self.fold, line, false);
        }
        self.is_decided = !line.is_sidechain && is_message(&line);
        self.undecided.push(line);
        if self.is_decided {
            self.decide(false);
        }
    }

    fn decide(&mut self, is_agent_log: bool) {
        for line in std::mem::take(&mut self.undecided) {
            main_line(&mut self.fold, line, is_agent_log);
        }
    }

    fn completed(mut self, sources: &[Source<'_>]) -> Result<Run, NotUnderstood> {
        let Some((main, companions)) = sources.split_first() else {
            return Err(NotUnderstood("no file to read".to_owned()));
        };
        self.decide(true);
        for (id, companion) in (1..).map(SourceId).zip(companions) {
            if let Some(lines) = self.agents.remove(&id) {
                agent_file(&mut self.fold, companion, companions, lines);
            }
        }
        for (id, file) in (0..).map(SourceId).zip(sources) {
            if let Some(name) = kept_name(file.name) {
                self.fold.answer_from(name, id, file.bytes);
            }
        }
        let mut run = self.fold.finish(TokensFrom::Messages);
        run.origin.format = ClaudeSession.name();
        let mostly_unknown = self.unknowns.iter().filter_map(|(id, unknowns)| {
            unknowns.warning(sources.get(id.0 as usize)?.name, ClaudeSession.name())
        });
        run.warnings = mostly_unknown.chain(self.warnings.into_values().flatten()).collect();
        if run.id.is_empty() {
            run.id = stem(main.name).to_owned();
        }
        if run.title.is_empty() {
            run.title.clone_from(&run.id);
        }
        Ok(run)
    }
}

/// Shows the records of a head to `decides` until it says so.
fn records(head: &Head<'_>, mut decides: impl FnMut(&Record<'_>) -> bool) -> bool {
    jsonl::lines(SourceId(0), head.bytes).any(|(_, bytes)| {
        let text = text::readable(bytes);
        let tape = Tape::read(text.trim());
        Record::of(&text, tape.as_ref()).is_ok_and(|record| decides(&record))
    })
}

fn has_content(record: &Record<'_>) -> bool {
    let content = object::<Message<'_>>(record.message).content;
    content.is_some_and(|content| content.is_string() || content.is_list())
}

/// A first prompt may be longer than the head: then its keys have to do.
fn looks_cut_off(head: &Head<'_>) -> bool {
    let holds = |key: &[u8]| memchr::memmem::find(head.bytes, key).is_some();
    holds(b"\"parentUuid\"") && holds(b"\"isSidechain\"") && !holds(b"\"parts\"")
}

fn sessions(head: &Head<'_>) -> HashSet<String> {
    let mut found = HashSet::new();
    records(head, |record| {
        found.extend(record.session_id.filled().map(str::to_owned));
        false
    });
    found
}

/// The name of a file that holds an observation alone.
fn kept_name(name: &str) -> Option<&str> {
    let (folder, name) = name.rsplit_once('/')?;
    (folder.rsplit('/').next() == Some("tool-results")).then_some(name)
}

fn is_meta(name: &str) -> bool {
    name.ends_with(".meta.json")
}

fn meta_says_agent(text: &str) -> bool {
    let tape = Tape::read(text);
    let meta: Meta<'_> = object(tape.as_ref().map(Tape::root));
    meta.agent_type.filled().is_some()
}

/// A file's name without folders and without what follows the first known ending.
fn stem(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.strip_suffix(".meta.json").or_else(|| name.strip_suffix(".jsonl")).unwrap_or(name)
}

fn is_message(line: &Line) -> bool {
    matches!(line.what, What::User(_) | What::Assistant(_))
}

fn main_line(fold: &mut Fold, line: Line, is_agent_log: bool) {
    if fold.is_copy(&line) {
        return;
    }
    if !line.is_sidechain {
        fold.leave_what_was_rewound(&line);
    }
    fold.facts(&line);
    if tells_nothing_of_a_turn(&line.what) {
        return fold.pass(&line);
    }
    if line.is_sidechain && !is_agent_log {
        let agent = fold.inline_agent(&line);
        return fold.take(Owner::Agent(agent), line);
    }
    let uuid = line.uuid.clone();
    if let Some(command) = fold.expanded(&line) {
        fold.open_turn(Turn {
            title: command.label,
            request: Some(command.place),
            added: vec![line.place],
            started_at: command.started_at,
            ended_at: line.time,
            ..Turn::default()
        });
        fold.has_opened(uuid.as_deref());
        return;
    }
    fold.typed(&line);
    if opens_turn(&line) {
        open(fold, line);
        fold.has_opened(uuid.as_deref());
        return;
    }
    let turn = fold.turn();
    fold.take(Owner::Turn(turn), line);
}

fn tells_nothing_of_a_turn(what: &What) -> bool {
    matches!(
        what,
        What::Nothing
            | What::Title { .. }
            | What::Summary { .. }
            | What::Init { .. }
            | What::Verdict(_)
    )
}

fn opens_turn(line: &Line) -> bool {
    let What::User(User { words: Some(Words { kind, .. }), .. }) = &line.what else { return false };
    *kind == WordsKind::Request
}

fn open(fold: &mut Fold, line: Line) {
    let (title, is_wrapped) = match line.what {
        What::User(User { words: Some(words), .. }) => (words.label, words.is_wrapped),
        _ => (Box::default(), false),
    };
    fold.open_turn(Turn {
        title,
        request: Some(line.place),
        added: is_wrapped.then(|| line.place.part(text::WRAPPER)).into_iter().collect(),
        started_at: line.time,
        ended_at: line.time,
        ..Turn::default()
    });
}

fn agent_file(fold: &mut Fold, file: &Source<'_>, all: &[Source<'_>], lines: Vec<Line>) {
    // The first line of an agent's file may belong to another session and name no agent.
    let named = lines.iter().find_map(|line| line.agent.clone());
    let id = named.unwrap_or_else(|| stem(file.name).trim_start_matches("agent-").into());
    let mut agent = None;
    for line in lines {
        if fold.is_copy(&line) || tells_nothing_of_a_turn(&line.what) {
            continue;
        }
        let agent = *agent.get_or_insert_with(|| fold.agent(&id));
        fold.take(Owner::Agent(agent), line);
    }
    let Some(agent) = agent else { return };
    let side_file = format!("{}.meta.json", file.name.trim_end_matches(".jsonl"));
    if let Some(meta) = all.iter().find(|other| other.name == side_file) {
        let text = text::readable(meta.bytes);
        if meta_says_agent(&text) {
            let tape = Tape::read(&text);
            let meta: Meta<'_> = object(tape.as_ref().map(Tape::root));
            fold.describe(agent, meta.agent_type.filled(), meta.tool_use_id.filled());
        }
    }
}
