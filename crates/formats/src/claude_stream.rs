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
    EditsTold, Executor, Format, Growing, Head, NotUnderstood, Offers, Shape, Source,
    claude::{
        edits,
        fold::{self, Fold, Owner, RecordAt, TokensFrom},
        json::{Raw, Text, field, object},
        line::{Line, User, Verdict, What, Words, WordsKind},
        record::{Message, Record},
        text,
    },
    jsonl::{self, Budget, Input},
    tape::{Tape, Value},
    unknown::Unknowns,
};
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

    fn about(&self) -> &'static str {
        "Claude Code's output of `claude -p --output-format stream-json --verbose`"
    }

    fn sample(&self) -> &'static str {
        "claude-stream-json"
    }

    fn offers(&self) -> Offers {
        Offers::new(Shape::Lines, EditsTold::Text).tokens().cost().subagents()
    }

    fn claims(&self, head: &Head<'_>) -> bool {
        let found = jsonl::lines(SourceId(0), head.bytes).find_map(|(_, bytes)| {
            let text = text::readable(bytes);
            Tape::read(text.trim()).and_then(|tape| says_stream(tape.root()))
        });
        found.unwrap_or_else(|| !head.is_whole && is_cut_init(head.bytes))
    }

    fn index_with(
        &self,
        sources: &[Source<'_>],
        executor: &dyn Executor,
    ) -> Result<Run, NotUnderstood> {
        let Some(main) = sources.first() else {
            return Err(NotUnderstood("no file to read".to_owned()));
        };
        let mut stream = Stream::default();
        stream.take(SourceId(0), main.name, Input::whole(main.bytes), executor);
        Ok(stream.completed(main.name))
    }

    fn growing(&self) -> Option<Box<dyn Growing>> {
        Some(Box::new(Stream::default()))
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

/// None for a record that does not tell. Other tools print a stream in the same envelope: Droid, Amp, Cursor, Qwen Code.
fn says_stream(value: Value<'_>) -> Option<bool> {
    let record: Record<'_> = object(Some(value));
    if record.session_id.filled().is_some() || names_another_tool(value) {
        return Some(false);
    }
    record.stream_session_id.filled()?;
    let is_ours = match record.kind.as_str() {
        "system" => is_init(value, &record),
        "assistant" => is_answer(record.message),
        "result" => record.total_cost_usd.0.is_some(),
        _ => false,
    };
    is_ours.then_some(true)
}

/// The first versions did not say which they are.
fn is_init(value: Value<'_>, record: &Record<'_>) -> bool {
    let tools: Raw<'_> = field(Some(value), "tools");
    let permissions: Text<'_> = field(Some(value), "permissionMode");
    let is_old = permissions.filled().is_some() && tools.is_some_and(Value::is_list);
    is_old || record.claude_code_version.filled().is_some()
}

/// A response of Anthropic's API, which names itself and its model.
fn is_answer(message: Raw<'_>) -> bool {
    let message: Message<'_> = object(message);
    let is_named = message.id.filled().is_some() && message.model.filled().is_some();
    is_named && message.content.is_some_and(Value::is_list)
}

/// `qwen_code_version` stands where Claude Code has `claude_code_version`.
fn names_another_tool(value: Value<'_>) -> bool {
    let is_foreign = |key: &str| key.ends_with("_code_version") && key != "claude_code_version";
    value.is_object() && value.fields().any(|(key, _)| is_foreign(key.text))
}

/// The first record, a list of every tool, may be longer than the head.
fn is_cut_init(head: &[u8]) -> bool {
    let last = memchr::memrchr(b'\n', head).map_or(head, |at| &head[at..]);
    let keys: [&[u8]; 3] = [b"\"session_id\"", b"\"permissionMode\"", b"\"tools\""];
    keys.iter().all(|key| memchr::memmem::find(last, key).is_some())
}

/// The first version in which `total_cost_usd` was seen to count the whole session.
const CUMULATIVE_SINCE: [u32; 3] = [2, 1, 330];

#[derive(Debug, Default, Clone)]
struct Stream {
    fold: Fold,
    budget: Budget,
    warnings: Vec<Warning>,
    unknowns: Unknowns,
    /// A process has begun and its result has not come.
    is_open: bool,
    /// A background agent was done since the last `init`.
    is_woken: bool,
    /// What the session had cost at the last result.
    last_total: Option<f64>,
    /// What the session had cost before this turn; None where that is not in the recording.
    total_before: Option<f64>,
    version: Option<[u32; 3]>,
}

impl Growing for Stream {
    fn take(&mut self, id: SourceId, name: &str, lines: Input<'_>, executor: &dyn Executor) {
        let mut warnings = std::mem::take(&mut self.warnings);
        if id == SourceId(0) {
            let mut budget = std::mem::take(&mut self.budget);
            fold::each_line(id, name, lines, executor, &mut budget, &mut warnings, &mut |line| {
                self.unknowns.take(line.unknown());
                self.line(line);
            });
            self.budget = budget;
        }
        self.warnings = warnings;
    }

    fn run(&self, sources: &[Source<'_>]) -> Result<Run, NotUnderstood> {
        let name = sources.first().map_or("", |source| source.name);
        Ok(self.clone().completed(name))
    }

    fn finish(
        self: Box<Self>,
        sources: &[Source<'_>],
        _left: &mut dyn FnMut(Box<dyn Send>),
    ) -> Result<Run, NotUnderstood> {
        let name = sources.first().map_or("", |source| source.name);
        Ok(self.completed(name))
    }
}

impl Stream {
    fn completed(self, name: &str) -> Run {
        let mut run = self.fold.finish(TokensFrom::Results);
        run.origin.format = ClaudeStream.name();
        run.warnings.extend(self.unknowns.warning(name, run.origin.format));
        run.warnings.extend(self.warnings);
        if run.id.is_empty() {
            run.id = name.rsplit('/').next().unwrap_or(name).to_owned();
        }
        if run.title.is_empty() {
            run.title.clone_from(&run.id);
        }
        run
    }

    fn line(&mut self, line: Line) {
        if self.fold.is_copy(&line) {
            return;
        }
        self.fold.facts(&line);
        if let Some(call) = line.agent.as_deref().filter(|_| line.is_sidechain) {
            let agent = self.fold.agent_of_call(call, line.agent_id.as_deref());
            return self.fold.take(Owner::Agent(agent), line);
        }
        match &line.what {
            What::Nothing | What::Title { .. } | What::Summary { .. } => {}
            What::Init { model } => {
                self.fold.model(model.as_deref());
                self.version = line.version.as_deref().and_then(version).or(self.version);
                self.begin();
            }
            What::Verdict(_) => self.verdict(line),
            What::User(User { words: Some(Words { kind: WordsKind::Request, .. }), .. }) => {
                self.request(line);
            }
            _ => {
                let turn = self.fold.turn();
                match &line.what {
                    What::Note(note) => self.is_woken |= note.wakes,
                    _ => self.is_open = true,
                }
                self.fold.take(Owner::Turn(turn), line);
            }
        }
    }

    /// A process that wakes up for a finished background agent begins again within its turn; else the process before
    /// was killed.
    fn begin(&mut self) {
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

    /// A prompt that was printed: of the turn that has just begun, else of a new one.
    fn request(&mut self, line: Line) {
        let turn = self.fold.turn();
        let begun = &self.fold.run.turns[turn];
        if begun.request.is_some() || !begun.steps.is_empty() || !self.is_open {
            self.open(Turn::default());
        }
        let turn = self.fold.turn();
        self.fold.tick(Owner::Turn(turn), line.time);
        if let What::User(User { words: Some(words), .. }) = line.what {
            let turn = &mut self.fold.run.turns[turn];
            turn.title = words.label;
            turn.request = Some(line.place);
            turn.added.extend(words.is_wrapped.then(|| line.place.part(text::WRAPPER)));
        }
    }

    fn verdict(&mut self, line: Line) {
        let told = RecordAt { place: line.place, time: line.time };
        let What::Verdict(verdict) = line.what else { return };
        let turn = self.fold.turn();
        let owner = Owner::Turn(turn);
        self.fold.tick(owner, line.time);
        let error = |told: RecordAt, label: Box<str>| Step {
            is_error: true,
            ..told.step(StepKind::Message, Role::System, label)
        };
        if let Some(failure) = &verdict.failure {
            // An API error was said before, as a message.
            let is_told = self.fold.steps(owner).last().is_some_and(|step| step.label == *failure);
            if !is_told {
                self.fold.push(owner, error(told, failure.clone()));
            }
        }
        for (part, denial) in (1..).zip(&verdict.denials) {
            let told = RecordAt { place: told.place.part(part), ..told };
            self.fold.push(owner, error(told, denial.clone()));
        }
        self.count(turn, &verdict);
        self.is_open = false;
        self.join_compaction();
    }

    fn count(&mut self, turn: usize, verdict: &Verdict) {
        let is_cumulative = self.version.is_some_and(|version| version >= CUMULATIVE_SINCE);
        let told = &mut self.fold.run.turns[turn];
        told.tokens = told.tokens + verdict.tokens;
        if !is_cumulative {
            told.cost_usd = verdict.total_cost_usd.or(told.cost_usd);
            return;
        }
        // Where nothing but this turn's output is counted, the session began here. Helper models come on top.
        let is_first =
            turn == 0 && told.tokens.output.is_some_and(|output| verdict.counts_only(output));
        let before = if is_first { Some(0.0) } else { self.total_before };
        told.cost_usd = verdict.total_cost_usd.zip(before).map(|(total, before)| total - before);
        self.last_total = verdict.total_cost_usd.or(self.last_total);
    }

    /// A turn that holds nothing but a compaction is a part of the one before.
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

/// `2.1.330 (Claude Code)` in numbers.
fn version(text: &str) -> Option<[u32; 3]> {
    let mut numbers = text.split(|letter: char| !letter.is_ascii_digit()).map(str::parse);
    Some([numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?])
}
