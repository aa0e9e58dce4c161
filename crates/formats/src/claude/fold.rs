//! Lines, in order, become a run.
//!
//! [`Fold`] holds what the dialects share: steps and the results that belong to them, tokens counted once a
//! message, edits, sub-agents. What opens a turn is decided by the dialect that drives it.

use std::{
    collections::{HashMap, HashSet, hash_map::Entry},
    sync::Arc,
};

use super::{
    edits::Sketch,
    line::{
        Assistant, Call, Line, Outcome, Part, User, What, Words, WordsKind, classify, starts_agent,
    },
    subagents::Agents,
    text::{CHANGED_SINCE, KEPT_BESIDE, kept_beside, readable},
};
use crate::{
    Executor,
    jsonl::{self, Budget, Input, Kept},
    not_finite,
};
use trajview_code::short::ShortWords;
use trajview_run::{
    Edit, EditKind, EditPath, Place, Role, Run, SourceId, Step, StepKind, Time, Tokens, ToolCall,
    ToolResult, Turn, Warning, fitted, path,
};

/// A line of a file, or a warning about it, or both.
pub struct Read {
    place: Place,
    line: Option<Line>,
    warnings: Vec<String>,
}

impl Kept for Read {
    fn kept_bytes(&self) -> usize {
        let warnings = self.warnings.len() * 256;
        warnings + self.line.as_ref().map_or(0, Line::kept_bytes)
    }
}

/// Reads one line.
fn read(place: Place, bytes: &[u8], is_last: bool) -> Read {
    let text = readable(bytes);
    let mut warnings = vec![];
    if matches!(text, std::borrow::Cow::Owned(_)) {
        let what = "not UTF-8; what could not be read is shown as \u{fffd}";
        warnings.push(what.to_owned());
    }
    let line = classify(place, &text).map_err(|why| {
        // JSON, but not a record: serde has no column for that.
        let is_json = why.line() == 0;
        let what = if is_json { why.to_string() } else { jsonl::broken(&why, is_last) };
        warnings.push(what);
    });
    if let Some(count) = line.as_ref().ok().map(|line| line.not_finite).filter(|count| *count > 0) {
        warnings.push(not_finite::warning(count as usize));
    }
    Read { place, line: line.ok(), warnings }
}

/// Gives the lines of the file `name` to `take`, in order; what could not be read becomes a warning.
pub fn each_line(
    source: SourceId,
    name: &str,
    input: Input<'_>,
    executor: &dyn Executor,
    budget: &mut Budget,
    warnings: &mut Vec<Warning>,
    take: &mut dyn FnMut(Line),
) {
    let read = |place: Place, bytes: &[u8], is_last| Some(read(place, bytes, is_last));
    let mut take = |before: u32, read: Read| {
        let place = read.place.down(before);
        warnings.extend(read.warnings.into_iter().map(|what| jsonl::warning(name, place, what)));
        if let Some(line) = read.line {
            take(Line { place, ..line });
        }
    };
    let extent = jsonl::each_line(source, input, executor, budget, &read, &mut take);
    if let jsonl::Extent::CutAfter(line) = extent {
        warnings.push(Warning { place: name.to_owned(), what: jsonl::too_long(line) });
    }
}

/// Whose steps: the main agent's in a turn, or a sub-agent's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Owner {
    Turn(usize),
    Agent(usize),
}

/// Where a call stands, and what its result may need of it.
#[derive(Debug, Clone)]
pub struct CallAt {
    pub owner: Owner,
    pub step: usize,
    pub prompt: Option<u64>,
    pub agent_type: Option<Box<str>>,
    pub starts_agent: bool,
    sketch: Option<Sketch>,
    place: Place,
}

/// One response of the model.
#[derive(Debug, Clone)]
struct Response {
    owner: Owner,
    tokens: Tokens,
    model: Option<Arc<str>>,
    /// Its first step, once there is one.
    step: Option<usize>,
}

/// A step that is known only later: the command that a turn may open with.
#[derive(Debug, Clone)]
struct Typed {
    uuid: Box<str>,
    turn: usize,
}

/// What is remembered of a record.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// The turns up to the one that it belongs to.
    turns: u32,
    /// [`Line::print`].
    print: u64,
}

/// What the program wrote for the model, not yet given to a turn.
#[derive(Debug, Clone)]
struct Written {
    told: RecordAt,
    label: Box<str>,
}

#[derive(Debug, Default, Clone)]
pub struct Fold {
    pub run: Run,
    pub agents: Agents,
    pub calls: Vec<CallAt>,
    ids: CallIds,
    /// Records by their ids.
    seen: HashMap<Box<str>, Seen, ShortWords>,
    /// Files beside the log that hold an observation, each with the call.
    kept: Vec<(Box<str>, usize)>,
    responses: Responses,
    models: Vec<Arc<str>>,
    touched: HashSet<EditPath, ShortWords>,
    compacting: Option<(Owner, usize)>,
    typed: Option<Typed>,
    titles: Titles,
    /// What the program wrote for the model since it last answered.
    written: Vec<Written>,
    /// Whether what is read now is the first turn's, and no longer what stands before it.
    pub has_begun: bool,
    /// The turn in which the model worked last.
    worked_in: Option<usize>,
}

/// Calls by what their results name.
#[derive(Debug, Default, Clone)]
struct CallIds {
    by_id: HashMap<Box<str>, usize, ShortWords>,
    /// Calls without an id that wait for a result without one.
    nameless: Vec<(Owner, usize)>,
    /// Calls that wait for a result while another has the same id, in order.
    waiting: HashMap<Box<str>, Vec<usize>, ShortWords>,
}

/// Titles that the log gives the session.
#[derive(Debug, Default, Clone)]
struct Titles {
    title_rank: u8,
    /// Titles of rank 1, each with the record that it names a session by.
    summaries: Vec<(Box<str>, Box<str>)>,
}

/// Responses of the model, and which of them a message is of.
#[derive(Debug, Default, Clone)]
struct Responses {
    all: Vec<Response>,
    by_message: HashMap<Box<str>, usize, ShortWords>,
}

impl Fold {
    /// Whether a line was read before: a resumed session copies the lines it goes on from.
    pub fn is_copy(&mut self, line: &Line) -> bool {
        let Some(uuid) = &line.uuid else { return false };
        let turns = self.turns_up_to(line.parent.as_deref());
        match self.seen.entry(uuid.clone()) {
            // Two records may have got one id by mistake.
            Entry::Occupied(known) => known.get().print == line.print,
            Entry::Vacant(free) => {
                free.insert(Seen { turns, print: line.print });
                false
            }
        }
    }

    /// The turns up to the one that a record belongs to: that of the record it follows, else the one that goes on.
    fn turns_up_to(&self, parent: Option<&str>) -> u32 {
        let known = parent.and_then(|parent| self.seen.get(parent));
        let now = || u32::try_from(self.run.turns.len()).unwrap_or(u32::MAX);
        known.map_or_else(now, |seen| seen.turns)
    }

    /// A record has opened the last turn: what follows it belongs to that.
    pub fn has_opened(&mut self, uuid: Option<&str>) {
        let turns = self.turns_up_to(None);
        if let Some(seen) = uuid.and_then(|uuid| self.seen.get_mut(uuid)) {
            seen.turns = turns;
        }
    }

    /// A request that follows a record of an earlier turn than the last: the person went back there (`/rewind`), and the
    /// turns since were left.
    pub fn leave_what_was_rewound(&mut self, line: &Line) {
        let What::User(User { words: Some(words), outcomes }) = &line.what else { return };
        let is_asked = matches!(words.kind, WordsKind::Request | WordsKind::Command);
        let known = line.parent.as_ref().and_then(|parent| self.seen.get(parent));
        let Some(stay) = known.map(|seen| seen.turns as usize) else { return };
        let is_left = |turn: &Turn| turn.request.is_some();
        if is_asked && outcomes.is_empty() && self.run.turns.get(stay).is_some_and(is_left) {
            self.leave_from(stay);
        }
    }

    /// Makes a branch of the turns from this one on, which is entered where it began.
    fn leave_from(&mut self, first: usize) {
        let left = self.run.turns.split_off(first);
        let number = 1 + self.run.subagents.iter().filter(|agent| agent.was_left).count();
        let name = format!("branch {number}");
        let agent = self.agent(&name);
        let (mut steps, mut offsets) = (vec![], vec![]);
        let title = left.iter().map(|turn| &turn.title).find(|title| !title.is_empty());
        let title =
            title.map_or_else(|| "left again".into(), |it| format!("left again: {it}").into());
        let started_at = left.iter().find_map(|turn| turn.started_at);
        let ended_at = left.iter().rev().find_map(|turn| turn.ended_at);
        for turn in left {
            steps.extend(turn.request.map(|place| {
                let at = RecordAt { place, time: turn.started_at };
                at.step(StepKind::Message, Role::User, turn.title)
            }));
            offsets.push(steps.len());
            steps.extend(turn.steps);
        }
        let moved = |owner: Owner| match owner {
            Owner::Turn(turn) => {
                let offset = *offsets.get(turn.checked_sub(first)?)?;
                Some((Owner::Agent(agent), offset))
            }
            Owner::Agent(_) => None,
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
        self.agents.met_before(first);
        (self.worked_in, self.typed) = (None, None);
        let told = &mut self.run.subagents[agent];
        (told.name, told.title, told.was_left) = (name, title, true);
        (told.started_at, told.ended_at, told.steps) = (started_at, ended_at, steps);
    }

    /// Facts about the whole run that a line mentions.
    pub fn facts(&mut self, line: &Line) {
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
            run.started_at = earlier(run.started_at, line.time);
            run.ended_at = later(run.ended_at, line.time);
        }
        if let What::Title { rank, title } = &line.what
            && *rank >= self.titles.title_rank
        {
            self.titles.title_rank = *rank;
            run.title = title.to_string();
        }
        if let What::Summary { title, leaf } = &line.what {
            self.titles.summaries.push((title.clone(), leaf.clone()));
        }
    }

    /// The last title that names a record of this recording, where nothing better is known.
    fn title_by_summary(&mut self) {
        let own = self.titles.summaries.iter().rev().find(|(_, leaf)| self.seen.contains_key(leaf));
        if let Some((title, _)) = own.filter(|_| self.titles.title_rank <= 1) {
            self.run.title = title.to_string();
        }
    }

    pub fn model(&mut self, model: Option<&str>) {
        if let Some(model) =
            model.filter(|model| !self.models.iter().any(|known| **known == **model))
        {
            self.models.push(model.into());
        }
    }

    /// The name as it is kept once for all responses.
    fn interned(&self, model: Option<&str>) -> Option<Arc<str>> {
        let model = model?;
        self.models.iter().find(|known| ***known == *model).cloned()
    }

    /// The turn that is going on; one without a request where the recording starts in the middle.
    pub fn turn(&mut self) -> usize {
        if self.run.turns.is_empty() {
            self.run.turns.push(Turn::default());
        }
        self.run.turns.len() - 1
    }

    /// What the program wrote before belongs to the request, if there is one; so do the hooks and commands with which a
    /// recording begins.
    pub fn open_turn(&mut self, turn: Turn) -> usize {
        let mut turn = turn;
        if turn.request.is_some() {
            let written = self.written.drain(..).map(|written| written.told.place);
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
            last.steps = fitted(std::mem::take(&mut last.steps));
        }
        self.run.turns.push(turn);
        self.run.turns.len() - 1
    }

    /// What the program wrote for the model: a part of the request that was just made, else kept for the next.
    fn write(&mut self, owner: Owner, told: RecordAt, label: Box<str>) {
        match owner {
            Owner::Agent(_) => {
                self.push(owner, told.step(StepKind::Message, Role::System, label));
            }
            Owner::Turn(turn) => {
                let is_new = self.worked_in != Some(turn);
                let turn = &mut self.run.turns[turn];
                if turn.request.is_some() && is_new {
                    turn.added.push(told.place);
                } else {
                    self.written.push(Written { told, label });
                }
            }
        }
    }

    /// The model works, and read what was written for it. Where that came with no request it is steps.
    fn work(&mut self, owner: Owner) {
        if let Owner::Turn(turn) = owner {
            self.has_begun = true;
            self.worked_in = Some(turn);
            self.hand_over(owner);
        }
    }

    fn hand_over(&mut self, owner: Owner) {
        if let Owner::Turn(_) = owner {
            for Written { told, label } in std::mem::take(&mut self.written) {
                self.push(owner, told.step(StepKind::Message, Role::System, label));
            }
        }
    }

    pub fn steps(&mut self, owner: Owner) -> &mut Vec<Step> {
        match owner {
            Owner::Turn(turn) => &mut self.run.turns[turn].steps,
            Owner::Agent(agent) => &mut self.run.subagents[agent].steps,
        }
    }

    pub fn push(&mut self, owner: Owner, step: Step) -> usize {
        let steps = self.steps(owner);
        steps.push(step);
        steps.len() - 1
    }

    /// Time passes for whoever owns the line.
    pub fn tick(&mut self, owner: Owner, time: Option<Time>) {
        let (start, end) = match owner {
            Owner::Turn(turn) => {
                let turn = &mut self.run.turns[turn];
                (&mut turn.started_at, &mut turn.ended_at)
            }
            Owner::Agent(agent) => {
                let agent = &mut self.run.subagents[agent];
                (&mut agent.started_at, &mut agent.ended_at)
            }
        };
        *start = start.or(time);
        *end = later(*end, time);
    }

    /// Everything a line holds except what opens turns, which the dialects do before.
    pub fn take(&mut self, owner: Owner, line: Line) {
        self.tick(owner, line.time);
        let at = RecordAt { place: line.place, time: line.time };
        if is_work(&line.what) {
            self.work(owner);
        }
        match line.what {
            What::User(user) => self.user(owner, at, user),
            What::Assistant(message) => self.assistant(owner, at, message),
            What::Note(note) => {
                let label = match note.label.strip_prefix(CHANGED_SINCE) {
                    Some(path) => format!("{CHANGED_SINCE}{}", self.relative(path)).into(),
                    None => note.label,
                };
                let step = at.step(StepKind::Message, note.role, label);
                self.push(owner, Step { is_error: note.is_error, ..step });
            }
            What::Compaction { label } => {
                let step = self.push(owner, at.step(StepKind::Compaction, Role::System, label));
                self.compacting = Some((owner, step));
            }
            What::BareCall(call) => self.call(owner, at, 0, call),
            What::BareOutcome(outcome) => self.outcome(owner, at, outcome),
            What::Unknown { label } => {
                self.push(owner, at.step(StepKind::Unknown, Role::System, label));
            }
            What::Init { .. }
            | What::Verdict(_)
            | What::Title { .. }
            | What::Summary { .. }
            | What::Nothing => {}
        }
    }

    fn user(&mut self, owner: Owner, at: RecordAt, user: User) {
        for outcome in user.outcomes {
            self.outcome(owner, at, outcome);
        }
        if let Some(words) = user.words {
            self.words(owner, at, words);
        }
    }

    fn words(&mut self, owner: Owner, at: RecordAt, words: Words) {
        match words.kind {
            WordsKind::Request => {
                if let Owner::Agent(agent) = owner {
                    self.agents.tell(agent, &words, &mut self.run.subagents[agent]);
                }
                self.push(owner, at.step(StepKind::Message, Role::User, words.label));
            }
            WordsKind::Command => {
                self.push(owner, at.step(StepKind::Message, Role::System, words.label));
            }
            WordsKind::Aside { role, is_error } => {
                let step = at.step(StepKind::Message, role, words.label);
                self.push(owner, Step { is_error, ..step });
            }
            WordsKind::Summary => self.summary(owner, at),
            WordsKind::Meta => self.write(owner, at, words.label),
            WordsKind::Silent => {}
        }
    }

    /// The boundary and the summary are one step: the label tells the sizes, the words are the summary.
    fn summary(&mut self, owner: Owner, at: RecordAt) {
        match self.compacting.take() {
            Some((whose, step)) if whose == owner => {
                let step = &mut self.steps(owner)[step];
                step.place = at.place;
                step.ended_at = at.time;
            }
            _ => {
                self.push(owner, at.step(StepKind::Compaction, Role::System, "compacted".into()));
            }
        }
    }

    fn assistant(&mut self, owner: Owner, at: RecordAt, message: Assistant) {
        self.model(message.model.as_deref());
        let response = self.response(owner, &message);
        let role = if message.is_synthetic { Role::System } else { Role::Assistant };
        for (part, content) in message.parts {
            let before = self.steps(owner).len();
            let at = RecordAt { place: at.place.part(part), ..at };
            match content {
                // Said by the program when a session is resumed.
                Part::Text(label)
                    if message.is_synthetic && &*label == "No response requested." => {}
                Part::Text(label) => {
                    let is_error = message.is_error
                        || (message.is_synthetic && label.starts_with("API Error"));
                    let step = at.step(StepKind::Message, role, label);
                    self.push(owner, Step { is_error, ..step });
                }
                Part::Thinking(label) => {
                    self.push(owner, at.step(StepKind::Thinking, role, label));
                }
                Part::Call(call) => self.call(owner, at, part, call),
                Part::Outcome(outcome) => self.outcome(owner, at, outcome),
                Part::Unknown(label) => {
                    self.push(owner, at.step(StepKind::Unknown, role, label));
                }
            }
            if let Some(response) = response.filter(|_| self.steps(owner).len() > before) {
                let response = &mut self.responses.all[response];
                response.step = response.step.or((response.owner == owner).then_some(before));
            }
        }
    }

    /// Every block of a message repeats its usage, early ones with less of it: the last one counts.
    fn response(&mut self, owner: Owner, message: &Assistant) -> Option<usize> {
        let tokens = message.tokens?;
        let known = message.id.as_ref().and_then(|id| self.responses.by_message.get(id)).copied();
        let at = known.unwrap_or_else(|| {
            let model = self.interned(message.model.as_deref());
            self.responses.all.push(Response { owner, tokens, model, step: None });
            let at = self.responses.all.len() - 1;
            if let Some(id) = &message.id {
                self.responses.by_message.insert(id.clone(), at);
            }
            at
        });
        self.responses.all[at].tokens = tokens;
        Some(at)
    }

    fn call(&mut self, owner: Owner, at: RecordAt, part: u32, call: Call) {
        let place = at.place.part(part);
        let tool = ToolCall { name: call.name.clone(), call_id: call.id.clone(), result: None };
        let label = self.relative(&call.label);
        let step = Step {
            tool: Some(Box::new(tool)),
            ..RecordAt { place, ..at }.step(StepKind::Tool, Role::Assistant, label)
        };
        let step = self.push(owner, step);
        self.calls.push(CallAt {
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
                let CallAt { owner, step, .. } = self.calls[*call];
                self.step_at(owner, step).is_some_and(|step| step.result().is_none())
            };
            if let Some(before) = before.filter(waits) {
                self.ids.waiting.entry(call.id).or_default().push(before);
            }
        }
    }

    fn step_at(&self, owner: Owner, step: usize) -> Option<&Step> {
        let steps = match owner {
            Owner::Turn(turn) => &self.run.turns.get(turn)?.steps,
            Owner::Agent(agent) => &self.run.subagents.get(agent)?.steps,
        };
        steps.get(step)
    }

    /// The call that a result is of: where several have its id the first that waits.
    fn call_answered(&mut self, id: &str) -> Option<usize> {
        let waits = self.ids.waiting.get_mut(id).filter(|calls| !calls.is_empty());
        waits.map(|calls| calls.remove(0)).or_else(|| self.call_named(id))
    }

    /// A path below the workspace without the workspace's own path.
    fn relative(&self, label: &str) -> Box<str> {
        let root = self.run.origin.root.as_deref().filter(|root| !root.is_empty());
        let below = path::below(label, root).filter(|rest| !rest.is_empty());
        below.map_or_else(|| label.into(), Into::into)
    }

    /// The call with this id.
    pub fn call_named(&self, id: &str) -> Option<usize> {
        self.ids.by_id.get(id).copied()
    }

    fn outcome(&mut self, owner: Owner, at: RecordAt, outcome: Outcome) {
        let found = if outcome.id.is_empty() {
            let last = self.ids.nameless.iter().rposition(|(whose, _)| *whose == owner);
            last.map(|last| self.ids.nameless.remove(last).1)
        } else {
            self.call_answered(&outcome.id)
        };
        let place = at.place.part(outcome.part);
        let Some(call) = found else {
            let label = "a result of a call that is not in the recording".into();
            self.push(owner, RecordAt { place, ..at }.step(StepKind::Unknown, Role::System, label));
            return;
        };
        self.agents.answered(call, outcome.agent.as_deref());
        self.kept.extend(outcome.kept_in.clone().map(|name| (name, call)));
        let edits = self.edits_of(call, place, &outcome);
        let (whose, step) = (self.calls[call].owner, self.calls[call].step);
        let step = &mut self.steps(whose)[step];
        step.ended_at = step.ended_at.or(at.time);
        let Some(tool) = &mut step.tool else { return };
        if let Some(known) = &tool.result {
            if (known.bytes, known.is_error) != (outcome.bytes, outcome.is_error) {
                let label = format!("another result of {}", tool.name).into();
                let at = RecordAt { place, ..at };
                self.push(owner, at.step(StepKind::Unknown, Role::System, label));
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

    fn edits_of(&mut self, call: usize, result: Place, outcome: &Outcome) -> Vec<Edit> {
        if outcome.is_error {
            return vec![];
        }
        let call = &self.calls[call];
        let asked = call.sketch.as_ref();
        let path = asked.and_then(|asked| asked.path.clone());
        let found: Vec<(Sketch, Place)> = match (outcome.sketches.as_slice(), asked) {
            ([], Some(asked)) => vec![(asked.clone(), call.place)],
            (recorded, _) => recorded.iter().map(|sketch| (sketch.clone(), result)).collect(),
        };
        // Of a whole file written without a structured result, the call cannot tell whether it was there before.
        let is_guess = outcome.sketches.is_empty()
            && asked.is_some_and(|asked| asked.added.is_some() && asked.removed.is_none());
        let root = self.run.origin.root.clone();
        let sort = |path: &str| EditPath::sort(path, root.as_deref());
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
                place: place.part(sketch.part),
            });
        }
        edits
    }

    /// The whole of an observation, from the file beside the log that it was written to.
    pub fn answer_from(&mut self, name: &str, source: SourceId, bytes: &[u8]) {
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let of_text = self.kept.iter().find(|(kept, _)| **kept == *name).map(|(_, call)| *call);
        let Some(call) = of_text.or_else(|| self.call_named(stem)) else { return };
        let (owner, step) = (self.calls[call].owner, self.calls[call].step);
        let tool = self.steps(owner)[step].tool.as_mut();
        if let Some(result) = tool.and_then(|tool| tool.result.as_mut()) {
            let len = bytes.len() as u64;
            result.place = Place { source, line: 1, part: KEPT_BESIDE, start: 0, len };
            result.bytes = kept_beside(&readable(bytes)).len() as u64;
        }
    }

    /// Remembers a slash command, in case what follows makes it a request.
    pub fn typed(&mut self, line: &Line) {
        self.typed = None;
        if let (What::User(User { words: Some(words), .. }), Some(uuid)) = (&line.what, &line.uuid)
            && words.kind == WordsKind::Command
        {
            let turn = self.turn();
            self.typed = Some(Typed { uuid: uuid.clone(), turn });
        }
    }

    /// Records of no interest may stand between a command and its expansion.
    pub fn pass(&mut self, line: &Line) {
        if let (Some(typed), Some(uuid)) = (&mut self.typed, &line.uuid)
            && line.parent.as_ref() == Some(&typed.uuid)
        {
            typed.uuid = uuid.clone();
        }
    }

    /// The command's step, taken out of its turn, if `line` is the expansion of the command just before it.
    pub fn expanded(&mut self, line: &Line) -> Option<Step> {
        let What::User(User { words: Some(Words { kind: WordsKind::Meta, .. }), .. }) = &line.what
        else {
            return None;
        };
        let typed = self.typed.take().filter(|typed| line.parent.as_ref() == Some(&typed.uuid))?;
        self.run.turns.get_mut(typed.turn)?.steps.pop()
    }

    /// The run, with everything that could be told only at the end.
    pub fn finish(mut self, tokens: TokensFrom) -> Run {
        if let Some(last) = self.run.turns.len().checked_sub(1) {
            self.hand_over(Owner::Turn(last));
        }
        self.title_by_summary();
        for response in &self.responses.all {
            if let Some(step) = response.step.filter(|_| tokens == TokensFrom::Messages) {
                let step = match response.owner {
                    Owner::Turn(turn) => &mut self.run.turns[turn].steps[step],
                    Owner::Agent(agent) => &mut self.run.subagents[agent].steps[step],
                };
                step.tokens = response.tokens;
                step.model.clone_from(&response.model);
            }
        }
        let turns_of_agents = super::subagents::link(&mut self);
        if tokens == TokensFrom::Messages {
            for response in &self.responses.all {
                let turn = match response.owner {
                    Owner::Turn(turn) => Some(turn),
                    Owner::Agent(agent) => {
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

/// Whose token counts are right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokensFrom {
    /// Every message's usage (the session log).
    Messages,
    /// The results' usage (the stream, whose messages carry the count at their start).
    Results,
}

/// Where and when a record stands.
#[derive(Debug, Clone, Copy)]
pub struct RecordAt {
    pub place: Place,
    pub time: Option<Time>,
}

impl RecordAt {
    pub fn step(self, kind: StepKind, role: Role, label: Box<str>) -> Step {
        Step { kind, role, label, started_at: self.time, place: self.place, ..Step::default() }
    }
}

/// Whether the model did something, or a tool for it.
fn is_work(what: &What) -> bool {
    match what {
        What::Assistant(message) => !message.is_synthetic,
        What::User(user) => !user.outcomes.is_empty(),
        What::BareCall(_) | What::BareOutcome(_) => true,
        _ => false,
    }
}

fn is_shell(tool: &str) -> bool {
    matches!(tool, "Bash" | "bash" | "PowerShell" | "REPL")
}

fn later(known: Option<Time>, time: Option<Time>) -> Option<Time> {
    known.max(time)
}

fn earlier(known: Option<Time>, time: Option<Time>) -> Option<Time> {
    match (known, time) {
        (Some(known), Some(time)) => Some(known.min(time)),
        (known, time) => known.or(time),
    }
}
