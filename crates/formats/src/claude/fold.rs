//! Lines, in order, become a run.
//!
//! [`ClaudeFold`] holds what the dialects share: steps and the results that belong to them, tokens counted once a
//! message, edits, sub-agents. What opens a turn is decided by the dialect that drives it.

use std::{
    collections::{HashMap, HashSet, hash_map::Entry},
    sync::Arc,
};

use super::{
    edits::EditOutline,
    line::{
        AssistantRecord, ClassifiedLine, LineContent, MessagePart, ToolOutcome, ToolUse,
        UserRecord, UserText, UserTextKind, classify_line, starts_agent,
    },
    subagents::AgentClues,
    text::{CHANGED_FILE_START, RESULT_FILE_PART, lossy_text, result_file_text},
};
use crate::{
    PieceExecutor,
    jsonl::{self, IndexBudget, IndexSize, LogInput},
    not_finite,
};
use trajview_code::small_map::ShortWords;
use trajview_run::{
    Edit, EditKind, EditPath, RecordPlace, Role, Run, SourceId, Step, StepKind, Time, Tokens,
    ToolCall, ToolResult, Turn, Warning, path, shrink_list,
};

/// A line of a file, or a warning about it, or both.
pub struct ReadLine {
    place: RecordPlace,
    line: Option<ClassifiedLine>,
    warnings: Vec<String>,
}

impl IndexSize for ReadLine {
    fn index_bytes(&self) -> usize {
        let warnings = self.warnings.len() * 256;
        warnings + self.line.as_ref().map_or(0, ClassifiedLine::index_bytes)
    }
}

/// Reads one line.
fn read_line(place: RecordPlace, bytes: &[u8], is_last: bool) -> ReadLine {
    let text = lossy_text(bytes);
    let mut warnings = vec![];
    if matches!(text, std::borrow::Cow::Owned(_)) {
        let what = "not UTF-8; what could not be read is shown as \u{fffd}";
        warnings.push(what.to_owned());
    }
    let line = classify_line(place, &text).map_err(|why| {
        // JSON, but not a record: serde has no column for that.
        let is_json = why.line() == 0;
        let what = if is_json { why.to_string() } else { jsonl::json_error_text(&why, is_last) };
        warnings.push(what);
    });
    if let Some(count) = line.as_ref().ok().map(|line| line.not_finite).filter(|count| *count > 0) {
        warnings.push(not_finite::warning_text(count as usize));
    }
    ReadLine { place, line: line.ok(), warnings }
}

/// Passes the lines of the file `name` to `take`, in order; what could not be read becomes a warning.
pub fn each_line(
    source: SourceId,
    name: &str,
    input: LogInput<'_>,
    executor: &dyn PieceExecutor,
    budget: &mut IndexBudget,
    warnings: &mut Vec<Warning>,
    take: &mut dyn FnMut(ClassifiedLine),
) {
    let read = |place: RecordPlace, bytes: &[u8], is_last| Some(read_line(place, bytes, is_last));
    let mut take = |before: u32, read: ReadLine| {
        let place = read.place.moved_down(before);
        warnings.extend(read.warnings.into_iter().map(|what| jsonl::warning_at(name, place, what)));
        if let Some(line) = read.line {
            take(ClassifiedLine { place, ..line });
        }
    };
    let extent = jsonl::each_line(source, input, executor, budget, &read, &mut take);
    if let jsonl::ReadExtent::CutAfter(line) = extent {
        warnings.push(Warning { place: name.to_owned(), what: jsonl::too_long_message(line) });
    }
}

/// The owner of steps: the main agent in a turn, or a sub-agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineOwner {
    Turn(usize),
    Agent(usize),
}

/// The position of a call, and the facts of it that its result may need.
#[derive(Debug, Clone)]
pub struct CallPosition {
    pub owner: LineOwner,
    pub step: usize,
    pub prompt: Option<u64>,
    pub agent_type: Option<Box<str>>,
    pub starts_agent: bool,
    sketch: Option<EditOutline>,
    place: RecordPlace,
}

/// One response of the model.
#[derive(Debug, Clone)]
struct ModelResponse {
    owner: LineOwner,
    tokens: Tokens,
    model: Option<Arc<str>>,
    /// Its first step, once there is one.
    step: Option<usize>,
}

/// A step that is known only later: the command that a turn may open with.
#[derive(Debug, Clone)]
struct TypedCommand {
    uuid: Box<str>,
    turn: usize,
}

/// The facts of a record that are kept to recognise copies of it.
#[derive(Debug, Clone, Copy)]
struct SeenRecord {
    /// The turns up to the one that it belongs to.
    turns: u32,
    /// [`ClassifiedLine::fingerprint`].
    fingerprint: u64,
}

/// A text that the program wrote for the model and that no turn has yet.
#[derive(Debug, Clone)]
struct ProgramText {
    at: RecordAt,
    label: Box<str>,
}

#[derive(Debug, Default, Clone)]
pub struct ClaudeFold {
    pub run: Run,
    pub agents: AgentClues,
    pub calls: Vec<CallPosition>,
    ids: CallIds,
    /// Records by their ids.
    seen: HashMap<Box<str>, SeenRecord, ShortWords>,
    /// Files beside the log that hold an observation, each with the call.
    kept: Vec<(Box<str>, usize)>,
    responses: ModelResponses,
    models: Vec<Arc<str>>,
    touched: HashSet<EditPath, ShortWords>,
    compacting: Option<(LineOwner, usize)>,
    typed: Option<TypedCommand>,
    titles: SessionTitles,
    /// The texts that the program wrote for the model since its last answer.
    written: Vec<ProgramText>,
    /// Is true once the first turn has begun, and lines no longer belong to the time before it.
    pub has_begun: bool,
    /// The turn in which the model worked last.
    worked_in: Option<usize>,
}

/// Calls by what their results name.
#[derive(Debug, Default, Clone)]
struct CallIds {
    by_id: HashMap<Box<str>, usize, ShortWords>,
    /// Calls without an id that wait for a result without one.
    nameless: Vec<(LineOwner, usize)>,
    /// Calls that wait for a result while another has the same id, in order.
    waiting: HashMap<Box<str>, Vec<usize>, ShortWords>,
}

/// Titles that the log gives the session.
#[derive(Debug, Default, Clone)]
struct SessionTitles {
    title_rank: u8,
    /// Titles of rank 1, each with the record that it names a session by.
    summaries: Vec<(Box<str>, Box<str>)>,
}

/// Responses of the model, and which of them a message is of.
#[derive(Debug, Default, Clone)]
struct ModelResponses {
    all: Vec<ModelResponse>,
    by_message: HashMap<Box<str>, usize, ShortWords>,
}

impl ClaudeFold {
    /// Returns whether a line was read before, and remembers it: a resumed session copies the lines that it continues.
    pub fn is_copy(&mut self, line: &ClassifiedLine) -> bool {
        let Some(uuid) = &line.uuid else { return false };
        let turns = self.turns_up_to(line.parent.as_deref());
        match self.seen.entry(uuid.clone()) {
            // Two records may have got one id by mistake.
            Entry::Occupied(known) => known.get().fingerprint == line.fingerprint,
            Entry::Vacant(free) => {
                free.insert(SeenRecord { turns, fingerprint: line.fingerprint });
                false
            }
        }
    }

    /// Returns the number of turns up to that of a record: that of the record it follows, else the current one.
    fn turns_up_to(&self, parent: Option<&str>) -> u32 {
        let known = parent.and_then(|parent| self.seen.get(parent));
        let now = || u32::try_from(self.run.turns.len()).unwrap_or(u32::MAX);
        known.map_or_else(now, |seen| seen.turns)
    }

    /// Marks a record as the one that opened the last turn: the records that follow it belong to that turn.
    pub fn mark_opening_record(&mut self, uuid: Option<&str>) {
        let turns = self.turns_up_to(None);
        if let Some(seen) = uuid.and_then(|uuid| self.seen.get_mut(uuid)) {
            seen.turns = turns;
        }
    }

    /// Makes a branch of the turns that a rewind (`/rewind`) left: the request follows a record of an earlier turn than the
    /// last.
    pub fn abandon_rewound_turns(&mut self, line: &ClassifiedLine) {
        let LineContent::User(UserRecord { user_text: Some(user_text), outcomes }) = &line.what
        else {
            return;
        };
        let is_asked = matches!(user_text.kind, UserTextKind::Request | UserTextKind::Command);
        let known = line.parent.as_ref().and_then(|parent| self.seen.get(parent));
        let Some(stay) = known.map(|seen| seen.turns as usize) else { return };
        let is_left = |turn: &Turn| turn.request.is_some();
        if is_asked && outcomes.is_empty() && self.run.turns.get(stay).is_some_and(is_left) {
            self.abandon_turns_from(stay);
        }
    }

    /// Makes a branch of the turns from this one on, which is entered where it began.
    fn abandon_turns_from(&mut self, first: usize) {
        let left = self.run.turns.split_off(first);
        let number = 1 + self.run.subagents.iter().filter(|agent| agent.was_left).count();
        let name = format!("branch {number}");
        let agent = self.agent_with_id(&name);
        let (mut steps, mut offsets) = (vec![], vec![]);
        let title = left.iter().map(|turn| &turn.title).find(|title| !title.is_empty());
        let title = title.map_or_else(
            || "abandoned branch".into(),
            |it| format!("abandoned branch: {it}").into(),
        );
        let started_at = left.iter().find_map(|turn| turn.started_at);
        let ended_at = left.iter().rev().find_map(|turn| turn.ended_at);
        for turn in left {
            steps.extend(turn.request.map(|place| {
                let at = RecordAt { place, time: turn.started_at };
                at.new_step(StepKind::Message, Role::User, turn.title)
            }));
            offsets.push(steps.len());
            steps.extend(turn.steps);
        }
        let moved = |owner: LineOwner| match owner {
            LineOwner::Turn(turn) => {
                let offset = *offsets.get(turn.checked_sub(first)?)?;
                Some((LineOwner::Agent(agent), offset))
            }
            LineOwner::Agent(_) => None,
        };
        for call in &mut self.calls {
            if let Some((owner, offset)) = moved(call.owner) {
                (call.owner, call.step) = (owner, call.step + offset);
            }
        }
        for response in &mut self.responses.all {
            if let Some((owner, offset)) = moved(response.owner) {
                response.owner = owner;
                response.step = response.step.map(|step| step + offset);
            }
        }
        for (owner, _) in &mut self.ids.nameless {
            *owner = moved(*owner).map_or(*owner, |(owner, _)| owner);
        }
        if let Some((owner, step)) = &mut self.compacting
            && let Some((whose, offset)) = moved(*owner)
        {
            (*owner, *step) = (whose, *step + offset);
        }
        self.agents.limit_turns_before(first);
        (self.worked_in, self.typed) = (None, None);
        let branch_agent = &mut self.run.subagents[agent];
        (branch_agent.name, branch_agent.title, branch_agent.was_left) = (name, title, true);
        (branch_agent.started_at, branch_agent.ended_at, branch_agent.steps) =
            (started_at, ended_at, steps);
    }

    /// Takes up the facts about the whole run that a line mentions: those of the first line that has them count.
    pub fn apply_facts(&mut self, line: &ClassifiedLine) {
        let run = &mut self.run;
        if let Some(session) = line.session.as_deref().filter(|_| run.id.is_empty()) {
            run.id = session.to_owned();
        }
        if run.origin.root.is_none() {
            run.origin.root = line.cwd.as_deref().map(str::to_owned);
        }
        if run.origin.branch.is_none() {
            let branch = line.branch.as_deref().filter(|branch| !branch.is_empty());
            run.origin.branch = branch.map(str::to_owned);
        }
        if run.agent.version.is_none() {
            run.agent.version = line.version.as_deref().map(str::to_owned);
        }
        if line.time.is_some() {
            run.started_at = earlier_time(run.started_at, line.time);
            run.ended_at = later_time(run.ended_at, line.time);
        }
        if let LineContent::Title { rank, title } = &line.what
            && *rank >= self.titles.title_rank
        {
            self.titles.title_rank = *rank;
            run.title = title.to_string();
        }
        if let LineContent::Summary { title, leaf } = &line.what {
            self.titles.summaries.push((title.clone(), leaf.clone()));
        }
    }

    /// Sets the title to the last one that names a record of this recording, where nothing better is known.
    fn title_by_summary(&mut self) {
        let own = self.titles.summaries.iter().rev().find(|(_, leaf)| self.seen.contains_key(leaf));
        if let Some((title, _)) = own.filter(|_| self.titles.title_rank <= 1) {
            self.run.title = title.to_string();
        }
    }

    /// Adds a model to those of the run, where it is new.
    pub fn note_model(&mut self, model: Option<&str>) {
        if let Some(model) =
            model.filter(|model| !self.models.iter().any(|known| **known == **model))
        {
            self.models.push(model.into());
        }
    }

    /// Returns the name as it is kept once for all responses.
    fn interned_model(&self, model: Option<&str>) -> Option<Arc<str>> {
        let model = model?;
        self.models.iter().find(|known| ***known == *model).cloned()
    }

    /// Returns the index of the turn that is going on; adds one without a request where the recording starts in the
    /// middle.
    pub fn current_turn(&mut self) -> usize {
        if self.run.turns.is_empty() {
            self.run.turns.push(Turn::default());
        }
        self.run.turns.len() - 1
    }

    /// Opens a turn and returns its index. A turn before the first request is replaced, and its steps are kept. Texts that the
    /// program wrote before belong to the request, if there is one; so do the hooks and commands at the beginning of a recording.
    pub fn open_turn(&mut self, turn: Turn) -> usize {
        let mut turn = turn;
        if turn.request.is_some() {
            let written = self.written.drain(..).map(|written| written.at.place);
            turn.added = written.chain(turn.added).collect();
        }
        if let ([before], false) = (self.run.turns.as_mut_slice(), self.has_begun)
            && before.request.is_none()
        {
            turn.steps = std::mem::take(&mut before.steps);
            *before = turn;
            return 0;
        }
        if let Some(last) = self.run.turns.last_mut() {
            last.steps = shrink_list(std::mem::take(&mut last.steps));
        }
        self.run.turns.push(turn);
        self.run.turns.len() - 1
    }

    /// Adds a text that the program wrote for the model: to the request that was just made, else to the next one.
    fn add_program_text(&mut self, owner: LineOwner, at: RecordAt, label: Box<str>) {
        match owner {
            LineOwner::Agent(_) => {
                self.push_step(owner, at.new_step(StepKind::Message, Role::System, label));
            }
            LineOwner::Turn(turn) => {
                let is_new = self.worked_in != Some(turn);
                let turn = &mut self.run.turns[turn];
                if turn.request.is_some() && is_new {
                    turn.added.push(at.place);
                } else {
                    self.written.push(ProgramText { at, label });
                }
            }
        }
    }

    /// Notes that the model works and has read the texts that were written for it. Texts without a request become steps.
    fn mark_work(&mut self, owner: LineOwner) {
        if let LineOwner::Turn(turn) = owner {
            self.has_begun = true;
            self.worked_in = Some(turn);
            self.program_text_to_steps(owner);
        }
    }

    fn program_text_to_steps(&mut self, owner: LineOwner) {
        if let LineOwner::Turn(_) = owner {
            for ProgramText { at, label } in std::mem::take(&mut self.written) {
                self.push_step(owner, at.new_step(StepKind::Message, Role::System, label));
            }
        }
    }

    pub fn steps_mut(&mut self, owner: LineOwner) -> &mut Vec<Step> {
        match owner {
            LineOwner::Turn(turn) => &mut self.run.turns[turn].steps,
            LineOwner::Agent(agent) => &mut self.run.subagents[agent].steps,
        }
    }

    /// Adds a step to a turn or an agent, and returns its index there.
    pub fn push_step(&mut self, owner: LineOwner, step: Step) -> usize {
        let steps = self.steps_mut(owner);
        steps.push(step);
        steps.len() - 1
    }

    /// Extends the times of the owner of a line.
    pub fn extend_times(&mut self, owner: LineOwner, time: Option<Time>) {
        let (start, end) = match owner {
            LineOwner::Turn(turn) => {
                let turn = &mut self.run.turns[turn];
                (&mut turn.started_at, &mut turn.ended_at)
            }
            LineOwner::Agent(agent) => {
                let agent = &mut self.run.subagents[agent];
                (&mut agent.started_at, &mut agent.ended_at)
            }
        };
        *start = start.or(time);
        *end = later_time(*end, time);
    }

    /// Adds everything in a line except the beginning of a turn, which the dialects handle before.
    pub fn take_line(&mut self, owner: LineOwner, line: ClassifiedLine) {
        self.extend_times(owner, line.time);
        let at = RecordAt { place: line.place, time: line.time };
        if is_work(&line.what) {
            self.mark_work(owner);
        }
        match line.what {
            LineContent::User(user) => self.add_user(owner, at, user),
            LineContent::Assistant(message) => self.add_assistant(owner, at, message),
            LineContent::Note(note) => {
                let label = match note.label.strip_prefix(CHANGED_FILE_START) {
                    Some(path) => {
                        format!("{CHANGED_FILE_START}{}", self.relative_label(path)).into()
                    }
                    None => note.label,
                };
                let step = at.new_step(StepKind::Message, note.role, label);
                self.push_step(owner, Step { is_error: note.is_error, ..step });
            }
            LineContent::Compaction { label } => {
                let step =
                    self.push_step(owner, at.new_step(StepKind::Compaction, Role::System, label));
                self.compacting = Some((owner, step));
            }
            LineContent::BareCall(call) => self.add_call(owner, at, 0, call),
            LineContent::BareOutcome(outcome) => self.add_outcome(owner, at, outcome),
            LineContent::Unknown { label } => {
                self.push_step(owner, at.new_step(StepKind::Unknown, Role::System, label));
            }
            LineContent::Init { .. }
            | LineContent::Verdict(_)
            | LineContent::Title { .. }
            | LineContent::Summary { .. }
            | LineContent::Nothing => {}
        }
    }

    fn add_user(&mut self, owner: LineOwner, at: RecordAt, user: UserRecord) {
        for outcome in user.outcomes {
            self.add_outcome(owner, at, outcome);
        }
        if let Some(user_text) = user.user_text {
            self.add_user_text(owner, at, user_text);
        }
    }

    fn add_user_text(&mut self, owner: LineOwner, at: RecordAt, user_text: UserText) {
        match user_text.kind {
            UserTextKind::Request => {
                if let LineOwner::Agent(agent) = owner {
                    self.agents.note_task(agent, &user_text, &mut self.run.subagents[agent]);
                }
                self.push_step(owner, at.new_step(StepKind::Message, Role::User, user_text.label));
            }
            UserTextKind::Command => {
                self.push_step(
                    owner,
                    at.new_step(StepKind::Message, Role::System, user_text.label),
                );
            }
            UserTextKind::Aside { role, is_error } => {
                let step = at.new_step(StepKind::Message, role, user_text.label);
                self.push_step(owner, Step { is_error, ..step });
            }
            UserTextKind::Summary => self.add_summary(owner, at),
            UserTextKind::Meta => self.add_program_text(owner, at, user_text.label),
            UserTextKind::Silent => {}
        }
    }

    /// Adds the summary of a compaction. The boundary and the summary are one step: its label has the sizes, its text is
    /// the summary.
    fn add_summary(&mut self, owner: LineOwner, at: RecordAt) {
        match self.compacting.take() {
            Some((whose, step)) if whose == owner => {
                let step = &mut self.steps_mut(owner)[step];
                step.place = at.place;
                step.ended_at = at.time;
            }
            _ => {
                self.push_step(
                    owner,
                    at.new_step(StepKind::Compaction, Role::System, "compacted".into()),
                );
            }
        }
    }

    fn add_assistant(&mut self, owner: LineOwner, at: RecordAt, message: AssistantRecord) {
        self.note_model(message.model.as_deref());
        let response = self.response_index(owner, &message);
        let role = if message.is_synthetic { Role::System } else { Role::Assistant };
        for (part, content) in message.parts {
            let before = self.steps_mut(owner).len();
            let at = RecordAt { place: at.place.with_part(part), ..at };
            match content {
                // Said by the program when a session is resumed.
                MessagePart::Text(label)
                    if message.is_synthetic && &*label == "No response requested." => {}
                MessagePart::Text(label) => {
                    let is_error = message.is_error
                        || (message.is_synthetic && label.starts_with("API Error"));
                    let step = at.new_step(StepKind::Message, role, label);
                    self.push_step(owner, Step { is_error, ..step });
                }
                MessagePart::Thinking(label) => {
                    self.push_step(owner, at.new_step(StepKind::Thinking, role, label));
                }
                MessagePart::Call(call) => self.add_call(owner, at, part, call),
                MessagePart::Outcome(outcome) => self.add_outcome(owner, at, outcome),
                MessagePart::Unknown(label) => {
                    self.push_step(owner, at.new_step(StepKind::Unknown, role, label));
                }
            }
            if let Some(response) = response.filter(|_| self.steps_mut(owner).len() > before) {
                let response = &mut self.responses.all[response];
                response.step = response.step.or((response.owner == owner).then_some(before));
            }
        }
    }

    /// Updates the tokens of the response of a message, which is added where it is new, and returns its index; None
    /// without tokens. Every block of a message repeats its usage, early blocks with less of it: the last one counts.
    fn response_index(&mut self, owner: LineOwner, message: &AssistantRecord) -> Option<usize> {
        let tokens = message.tokens?;
        let known = message.id.as_ref().and_then(|id| self.responses.by_message.get(id)).copied();
        let at = known.unwrap_or_else(|| {
            let model = self.interned_model(message.model.as_deref());
            self.responses.all.push(ModelResponse { owner, tokens, model, step: None });
            let at = self.responses.all.len() - 1;
            if let Some(id) = &message.id {
                self.responses.by_message.insert(id.clone(), at);
            }
            at
        });
        self.responses.all[at].tokens = tokens;
        Some(at)
    }

    fn add_call(&mut self, owner: LineOwner, at: RecordAt, part: u32, call: ToolUse) {
        let place = at.place.with_part(part);
        let tool = ToolCall { name: call.name.clone(), call_id: call.id.clone(), result: None };
        let label = self.relative_label(&call.label);
        let step = Step {
            tool: Some(Box::new(tool)),
            ..RecordAt { place, ..at }.new_step(StepKind::Tool, Role::Assistant, label)
        };
        let step = self.push_step(owner, step);
        self.calls.push(CallPosition {
            owner,
            step,
            prompt: call.prompt,
            agent_type: call.agent_type,
            starts_agent: starts_agent(&call.name),
            sketch: call.sketch,
            place,
        });
        let index = self.calls.len() - 1;
        if call.id.is_empty() {
            self.ids.nameless.push((owner, index));
        } else {
            let before = self.ids.by_id.insert(call.id.clone(), index);
            let waits = |call: &usize| {
                let CallPosition { owner, step, .. } = self.calls[*call];
                self.step_at(owner, step).is_some_and(|step| step.tool_result().is_none())
            };
            if let Some(before) = before.filter(waits) {
                self.ids.waiting.entry(call.id).or_default().push(before);
            }
        }
    }

    fn step_at(&self, owner: LineOwner, step: usize) -> Option<&Step> {
        let steps = match owner {
            LineOwner::Turn(turn) => &self.run.turns.get(turn)?.steps,
            LineOwner::Agent(agent) => &self.run.subagents.get(agent)?.steps,
        };
        steps.get(step)
    }

    /// Takes the call that a result is of from those that wait, where several have its id the first; returns its index.
    fn call_of_result(&mut self, id: &str) -> Option<usize> {
        let waits = self.ids.waiting.get_mut(id).filter(|calls| !calls.is_empty());
        waits.map(|calls| calls.remove(0)).or_else(|| self.call_with_id(id))
    }

    /// Returns a path below the workspace without the workspace's own path.
    fn relative_label(&self, label: &str) -> Box<str> {
        let root = self.run.origin.root.as_deref().filter(|root| !root.is_empty());
        let below = path::path_below(label, root).filter(|rest| !rest.is_empty());
        below.map_or_else(|| label.into(), Into::into)
    }

    /// Returns the call with this id.
    pub fn call_with_id(&self, id: &str) -> Option<usize> {
        self.ids.by_id.get(id).copied()
    }

    fn add_outcome(&mut self, owner: LineOwner, at: RecordAt, outcome: ToolOutcome) {
        let found = if outcome.id.is_empty() {
            let last = self.ids.nameless.iter().rposition(|(whose, _)| *whose == owner);
            last.map(|last| self.ids.nameless.remove(last).1)
        } else {
            self.call_of_result(&outcome.id)
        };
        let place = at.place.with_part(outcome.part);
        let Some(call) = found else {
            let label = "a result of a call that is not in the recording".into();
            self.push_step(
                owner,
                RecordAt { place, ..at }.new_step(StepKind::Unknown, Role::System, label),
            );
            return;
        };
        self.agents.note_result(call, outcome.agent.as_deref());
        self.kept.extend(outcome.kept_in.clone().map(|name| (name, call)));
        let edits = self.edits_of(call, place, &outcome);
        let (whose, step) = (self.calls[call].owner, self.calls[call].step);
        let step = &mut self.steps_mut(whose)[step];
        step.ended_at = step.ended_at.or(at.time);
        let Some(tool) = &mut step.tool else { return };
        if let Some(known) = &tool.result {
            if (known.bytes, known.is_error) != (outcome.bytes, outcome.is_error) {
                let label = format!("another result of {}", tool.name).into();
                let at = RecordAt { place, ..at };
                self.push_step(owner, at.new_step(StepKind::Unknown, Role::System, label));
            }
            return;
        }
        tool.result = Some(ToolResult {
            place,
            is_error: outcome.is_error,
            is_ok: outcome.is_ok,
            exit_code: outcome.exit_code.filter(|_| is_shell(&tool.name)),
            bytes: outcome.bytes,
        });
        step.edits = edits;
    }

    /// Returns the edits of a call, from its result where that records them, else from the call; none where it failed.
    fn edits_of(&mut self, call: usize, result: RecordPlace, outcome: &ToolOutcome) -> Vec<Edit> {
        if outcome.is_error {
            return vec![];
        }
        let call = &self.calls[call];
        let requested = call.sketch.as_ref();
        let path = requested.and_then(|requested| requested.path.clone());
        let found: Vec<(EditOutline, RecordPlace)> = match (outcome.sketches.as_slice(), requested)
        {
            ([], Some(requested)) => vec![(requested.clone(), call.place)],
            (recorded, _) => recorded.iter().map(|sketch| (sketch.clone(), result)).collect(),
        };
        // Of a whole file written without a structured result, the call cannot tell whether it was there before.
        let is_guess = outcome.sketches.is_empty()
            && requested
                .is_some_and(|requested| requested.added.is_some() && requested.removed.is_none());
        let root = self.run.origin.root.clone();
        let sort = |path: &str| EditPath::from_recorded(path, root.as_deref());
        let mut edits = Vec::with_capacity(found.len());
        for (sketch, place) in found {
            let Some(path) = sketch.path.or_else(|| path.clone()) else { continue };
            let path = sort(&path);
            let is_first = !self.touched.contains(&path);
            let is_new = is_guess && outcome.says_new.unwrap_or(is_first);
            self.touched.insert(path.clone());
            edits.push(Edit {
                path,
                kind: if is_new { EditKind::Create } else { sketch.kind },
                from: sketch.from.map(|from| sort(&from)),
                added: sketch.added,
                removed: sketch.removed.or(is_new.then_some(0)),
                place: place.with_part(sketch.part),
            });
        }
        edits
    }

    /// Sets the result of a call to the file beside the log that contains the whole observation.
    pub fn set_result_file(&mut self, name: &str, source: SourceId, bytes: &[u8]) {
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let of_text = self.kept.iter().find(|(kept, _)| **kept == *name).map(|(_, call)| *call);
        let Some(call) = of_text.or_else(|| self.call_with_id(stem)) else { return };
        let (owner, step) = (self.calls[call].owner, self.calls[call].step);
        let tool = self.steps_mut(owner)[step].tool.as_mut();
        if let Some(result) = tool.and_then(|tool| tool.result.as_mut()) {
            let len = bytes.len() as u64;
            result.place = RecordPlace { source, line: 1, part: RESULT_FILE_PART, start: 0, len };
            result.bytes = result_file_text(&lossy_text(bytes)).len() as u64;
        }
    }

    /// Remembers a slash command, in case what follows makes it a request.
    pub fn remember_command(&mut self, line: &ClassifiedLine) {
        self.typed = None;
        if let (LineContent::User(UserRecord { user_text: Some(user_text), .. }), Some(uuid)) =
            (&line.what, &line.uuid)
            && user_text.kind == UserTextKind::Command
        {
            let turn = self.current_turn();
            self.typed = Some(TypedCommand { uuid: uuid.clone(), turn });
        }
    }

    /// Follows the chain of records without effect that may be between a command and its expansion.
    pub fn pass_line(&mut self, line: &ClassifiedLine) {
        if let (Some(typed), Some(uuid)) = (&mut self.typed, &line.uuid)
            && line.parent.as_ref() == Some(&typed.uuid)
        {
            typed.uuid = uuid.clone();
        }
    }

    /// Returns the command's step, taken out of its turn, if `line` is the expansion of the command just before it.
    pub fn take_expanded_command(&mut self, line: &ClassifiedLine) -> Option<Step> {
        let LineContent::User(UserRecord {
            user_text: Some(UserText { kind: UserTextKind::Meta, .. }),
            ..
        }) = &line.what
        else {
            return None;
        };
        let typed = self.typed.take().filter(|typed| line.parent.as_ref() == Some(&typed.uuid))?;
        self.run.turns.get_mut(typed.turn)?.steps.pop()
    }

    /// Returns the run, with everything that is known only at the end.
    pub fn finish_run(mut self, tokens: TokenSource) -> Run {
        if let Some(last) = self.run.turns.len().checked_sub(1) {
            self.program_text_to_steps(LineOwner::Turn(last));
        }
        self.title_by_summary();
        for response in &self.responses.all {
            if let Some(step) = response.step.filter(|_| tokens == TokenSource::Messages) {
                let step = match response.owner {
                    LineOwner::Turn(turn) => &mut self.run.turns[turn].steps[step],
                    LineOwner::Agent(agent) => &mut self.run.subagents[agent].steps[step],
                };
                step.tokens = response.tokens;
                step.model.clone_from(&response.model);
            }
        }
        let turns_of_agents = super::subagents::link_agents(&mut self);
        if tokens == TokenSource::Messages {
            for response in &self.responses.all {
                let turn = match response.owner {
                    LineOwner::Turn(turn) => Some(turn),
                    LineOwner::Agent(agent) => {
                        let agent_tokens = &mut self.run.subagents[agent].tokens;
                        *agent_tokens = *agent_tokens + response.tokens;
                        turns_of_agents.get(agent).copied()
                    }
                };
                if let Some(turn) = turn.and_then(|turn| self.run.turns.get_mut(turn)) {
                    turn.tokens = turn.tokens + response.tokens;
                }
            }
        }
        let mut run = self.run;
        run.model = Some(self.models.join(", ")).filter(|models| !models.is_empty());
        if run.title.is_empty() {
            run.title = run.turns.first().map(|turn| turn.title.to_string()).unwrap_or_default();
        }
        run.agent.name = "claude-code".to_owned();
        run
    }
}

/// The records whose token counts are right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenSource {
    /// Every message's usage (the session log).
    Messages,
    /// The results' usage (the stream, whose messages carry the count at their start).
    Results,
}

/// The place and the time of a record.
#[derive(Debug, Clone, Copy)]
pub struct RecordAt {
    pub place: RecordPlace,
    pub time: Option<Time>,
}

impl RecordAt {
    pub fn new_step(self, kind: StepKind, role: Role, label: Box<str>) -> Step {
        Step { kind, role, label, started_at: self.time, place: self.place, ..Step::default() }
    }
}

/// Returns whether the model, or a tool for it, did something in a line.
fn is_work(what: &LineContent) -> bool {
    match what {
        LineContent::Assistant(message) => !message.is_synthetic,
        LineContent::User(user) => !user.outcomes.is_empty(),
        LineContent::BareCall(_) | LineContent::BareOutcome(_) => true,
        _ => false,
    }
}

fn is_shell(tool: &str) -> bool {
    matches!(tool, "Bash" | "bash" | "PowerShell" | "REPL")
}

fn later_time(known: Option<Time>, time: Option<Time>) -> Option<Time> {
    known.max(time)
}

fn earlier_time(known: Option<Time>, time: Option<Time>) -> Option<Time> {
    match (known, time) {
        (Some(known), Some(time)) => Some(known.min(time)),
        (known, time) => known.or(time),
    }
}
