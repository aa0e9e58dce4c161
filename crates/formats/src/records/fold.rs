//! Records, in their order, become a run.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crate::format::file_name;
use crate::unknown_records::UnknownRecords;
use trajview_run::{
    Agent, Edit, EditKind, EditPath, ParentStep, RecordPlace, Role, Run, StatedTotals, Step,
    StepKind, SubAgent, Task, Tokens, ToolCall, ToolResult, Turn, Warning, files::RecordedChange,
    first_line_label,
};

use super::{
    RecordEntry,
    event::{CallAnswer, FileEdit, HeaderFacts, RecordEvent, RecordedCall},
};

/// The position of a step: of a sub-agent, or of the main agent in the last turn at that time.
type StepPosition = (StepOwner, usize);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum StepOwner {
    Turn(usize),
    Agent(usize),
}

/// The facts about the agents of a run.
#[derive(Default)]
struct AgentIndex {
    by_id: HashMap<Box<str>, usize>,
    /// Calls that ask a sub-agent for something, and for what, in their order.
    asking: Vec<(StepPosition, Box<str>)>,
    /// The model that each agent, or the main one, uses: the last that was named.
    models: HashMap<Option<usize>, Arc<str>>,
}

#[derive(Default)]
pub struct RecordFold {
    run: Run,
    /// Calls by their ids, and whether they wait for their result.
    calls: HashMap<Box<str>, (StepPosition, bool)>,
    /// Calls without an id that wait for theirs, of one record.
    in_order: Vec<StepPosition>,
    asked: Option<(u64, Option<i32>)>,
    /// A command that the next words of the user are the result of.
    command: Option<StepPosition>,
    agents: AgentIndex,
    /// The step with the tokens of a response, and the cost that was counted for it.
    responses: HashMap<Box<str>, (StepPosition, Option<f64>)>,
    /// The last sums in the log.
    totals: Option<(Tokens, Option<f64>)>,
    /// The sum of what the log states of one process after another.
    stated: Option<StatedTotals>,
    /// Is true where nothing was done after the last of these processes.
    is_stated: bool,
    /// Tokens of a turn that are on none of its steps.
    loose: Vec<Tokens>,
    /// Absolute paths that are below no known folder yet: which edit of which step.
    absolute: Vec<(StepPosition, usize, String)>,
    edited: HashSet<EditPath>,
    has_text: bool,
    final_diff: Option<(RecordPlace, String)>,
    unknowns: UnknownRecords,
}

/// Adds the harness' result and values from the header of a log with that name.
fn add_harness_facts(run: &mut Run, name: &str, header: &super::LogRecord<'_>) {
    run.recorded = header.recorded.clone();
    for value in run.recorded.iter_mut().filter(|value| value.source.is_empty()) {
        value.source = name.into();
    }
    run.trial = header.trial.clone();
    if let Some(trial) = &mut run.trial {
        let task = run.task.as_ref().map(|task| task.id.as_str().into());
        trial.task = trial.task.take().or(task);
        if trial.source.is_empty() {
            trial.source = file_name(name).into();
        }
    }
}

impl RecordFold {
    /// Takes the facts about the run as a whole.
    pub fn apply_header(&mut self, record: &super::LogRecord<'_>) {
        self.apply_facts(&record.facts);
        self.note_model(None, &record.facts);
        self.run.started_at = record.time;
        self.run.ended_at = record.ended_at;
    }

    /// Adds a record to the run, and its facts, times and events.
    pub fn take_entry(&mut self, entry: &RecordEntry) {
        let record = &entry.record;
        let unknown = record.events.iter().find_map(|event| match event {
            RecordEvent::Unknown(kind) => Some(&**kind),
            _ => None,
        });
        self.unknowns.count_record(unknown.or(record.skipped.as_deref()));
        self.apply_facts(&record.facts);
        self.run.started_at = earliest_time(self.run.started_at, record.time);
        let end = record.last_end();
        self.run.ended_at = self.run.ended_at.max(record.time).max(end);
        let agent = record.agent.as_deref().map(|id| self.agent_index(id));
        self.note_model(agent, &record.facts);
        self.asked = record.asked;
        let mut first = None;
        for (part, event) in (0..).zip(&record.events) {
            let step = Step {
                place: entry.place.with_part(part),
                started_at: record.time,
                ..Step::default()
            };
            let added = self.add_event(agent, step, event);
            first = first.or(added);
        }
        let owner = self.step_owner(agent);
        if !record.events.is_empty() {
            self.extend_times(owner, record.time);
        }
        self.extend_end(owner, end);
        self.count_tokens(owner, first, entry);
    }

    fn apply_facts(&mut self, facts: &HeaderFacts<'_>) {
        let run = &mut self.run;
        let set = |to: &mut String, from: &Option<std::borrow::Cow<'_, str>>| {
            if let (true, Some(text)) = (to.is_empty(), from) {
                to.push_str(text);
            }
        };
        set(&mut run.id, &facts.id);
        if let Some(title) = &facts.title {
            run.title = first_line_label(title).into();
        }
        set(&mut run.agent.name, &facts.agent);
        let fill = |to: &mut Option<String>, from: &Option<std::borrow::Cow<'_, str>>| {
            if to.is_none() {
                *to = from.as_deref().map(str::to_owned);
            }
        };
        fill(&mut run.agent.version, &facts.version);
        fill(&mut run.origin.root, &facts.root);
        if let (None, Some(task)) = (&run.task, &facts.task) {
            let venue = facts.task_set.as_deref().map(str::to_owned);
            run.task = Some(Task { id: task.to_string(), venue, ..Task::default() });
        }
        if let Some(model) = &facts.model {
            match &mut run.model {
                None => run.model = Some(model.to_string()),
                Some(all) if all.split(", ").any(|known| known == model) => {}
                Some(all) => {
                    all.push_str(", ");
                    all.push_str(model);
                }
            }
        }
    }

    fn note_model(&mut self, agent: Option<usize>, facts: &HeaderFacts<'_>) {
        if let Some(model) = facts.model.as_deref()
            && self.agents.models.get(&agent).is_none_or(|known| **known != *model)
        {
            self.agents.models.insert(agent, model.into());
        }
    }

    /// Puts a response's tokens on its step.
    fn set_step_tokens(&mut self, owner: StepOwner, at: StepPosition, tokens: Tokens) {
        let agent = match owner {
            StepOwner::Turn(_) => None,
            StepOwner::Agent(agent) => Some(agent),
        };
        let model = self.agents.models.get(&agent).cloned();
        if let Some(step) = self.step_mut(at) {
            step.tokens = tokens;
            step.model = model.filter(|_| tokens.is_recorded());
        }
    }

    /// Returns the index of the agent of that id; adds it where it is new.
    fn agent_index(&mut self, id: &str) -> usize {
        if let Some(known) = self.agents.by_id.get(id) {
            return *known;
        }
        let at = self.run.subagents.len();
        self.run.subagents.push(SubAgent { id: id.into(), name: id.into(), ..SubAgent::default() });
        self.agents.by_id.insert(id.into(), at);
        at
    }

    fn step_owner(&mut self, agent: Option<usize>) -> StepOwner {
        if let Some(agent) = agent {
            return StepOwner::Agent(agent);
        }
        if self.run.turns.is_empty() {
            self.run.turns.push(Turn::default());
        }
        StepOwner::Turn(self.run.turns.len() - 1)
    }

    fn steps_mut(&mut self, owner: StepOwner) -> &mut Vec<Step> {
        match owner {
            StepOwner::Turn(turn) => &mut self.run.turns[turn].steps,
            StepOwner::Agent(agent) => &mut self.run.subagents[agent].steps,
        }
    }

    fn step_mut(&mut self, (owner, at): StepPosition) -> Option<&mut Step> {
        self.steps_mut(owner).get_mut(at)
    }

    fn extend_times(&mut self, owner: StepOwner, time: Option<trajview_run::Time>) {
        let (start, end) = match owner {
            StepOwner::Turn(turn) => {
                let turn = &mut self.run.turns[turn];
                (&mut turn.started_at, &mut turn.ended_at)
            }
            StepOwner::Agent(agent) => {
                let agent = &mut self.run.subagents[agent];
                (&mut agent.started_at, &mut agent.ended_at)
            }
        };
        *start = earliest_time(*start, time);
        *end = (*end).max(time);
    }

    /// Extends the end of a turn or of a sub-agent.
    fn extend_end(&mut self, owner: StepOwner, time: Option<trajview_run::Time>) {
        let end = match owner {
            StepOwner::Turn(turn) => &mut self.run.turns[turn].ended_at,
            StepOwner::Agent(agent) => &mut self.run.subagents[agent].ended_at,
        };
        *end = (*end).max(time);
    }

    fn add_event(
        &mut self,
        agent: Option<usize>,
        step: Step,
        event: &RecordEvent<'_>,
    ) -> Option<StepPosition> {
        let words = |kind, role, text: &str| Step {
            kind,
            role,
            label: first_line_label(text),
            ..step.clone()
        };
        let made = match event {
            RecordEvent::Request(text) if agent.is_none() => {
                match self.command.take() {
                    Some(at) => {
                        let (bytes, exit_code) = self.asked.unwrap_or_default();
                        let is_error = exit_code.is_some_and(|code| code != 0);
                        let bytes = Some(bytes);
                        let answer =
                            CallAnswer { bytes, exit_code, is_error, ..CallAnswer::default() };
                        self.finish_call(at, step.place, &answer);
                    }
                    None => self.begin_turn(&step, text),
                }
                return None;
            }
            RecordEvent::Request(text) => {
                let agent = agent.and_then(|agent| self.run.subagents.get_mut(agent));
                if let Some(agent) = agent.filter(|agent| agent.title.is_empty()) {
                    agent.title = first_line_label(text);
                }
                words(StepKind::Message, Role::User, text)
            }
            RecordEvent::Message(role, text) => words(StepKind::Message, *role, text),
            RecordEvent::Thought(text) => words(StepKind::Thinking, Role::Assistant, text),
            RecordEvent::Compacted(text) => words(StepKind::Compaction, Role::System, text),
            RecordEvent::Failed(text) => {
                Step { is_error: true, ..words(StepKind::Message, Role::System, text) }
            }
            RecordEvent::Nothing => return None,
            RecordEvent::Abandoned { branch, about } => {
                return Some(self.add_abandoned_branch(agent, step, branch, about));
            }
            RecordEvent::Start(id) => {
                self.run.origin.start_commit = Some(id.to_string());
                return None;
            }
            RecordEvent::Commit(id) => {
                if let StepOwner::Turn(turn) = self.step_owner(None) {
                    self.run.turns[turn].commit = Some((&**id).into());
                }
                return None;
            }
            RecordEvent::Unknown(kind) => words(StepKind::Unknown, Role::System, kind),
            RecordEvent::FinalDiff(diff) => {
                self.final_diff = Some((step.place, diff.to_string()));
                return None;
            }
            RecordEvent::Call(call) => return self.add_call(agent, step, call),
            RecordEvent::Answer(answer) => {
                self.add_answer(agent, &step, answer);
                return None;
            }
        };
        let owner = self.step_owner(agent);
        Some(self.push_step(owner, made))
    }

    /// Adds the step at which an abandoned branch is entered. The steps that the run began with again belong to its turn.
    fn add_abandoned_branch(
        &mut self,
        agent: Option<usize>,
        step: Step,
        branch: &str,
        about: &str,
    ) -> StepPosition {
        let (owner, left) = (self.step_owner(agent), self.agent_index(branch));
        let (kind, role) = (StepKind::SubAgent, Role::System);
        let left_step =
            Step { kind, role, label: first_line_label(about), subagent: Some(left), ..step };
        let at = self.push_step(owner, left_step);
        self.set_agent_parent(left, at, about);
        // What it did to files is none of the run's.
        if let Some(left) = self.run.subagents.get_mut(left) {
            left.was_left = true;
        }
        at
    }

    fn push_step(&mut self, owner: StepOwner, step: Step) -> StepPosition {
        let steps = self.steps_mut(owner);
        steps.push(step);
        (owner, steps.len() - 1)
    }

    /// Begins a turn. Messages before the first request belong to its turn.
    fn begin_turn(&mut self, step: &Step, text: &str) {
        let is_preface = |turn: &Turn| {
            turn.request.is_none() && turn.steps.iter().all(|step| step.role == Role::System)
        };
        if !self.run.turns.last().is_some_and(is_preface) {
            self.run.turns.push(Turn::default());
        }
        if let Some(turn) = self.run.turns.last_mut() {
            turn.request = Some(step.place);
            turn.title = first_line_label(text);
        }
        self.in_order.clear();
    }

    fn add_call(
        &mut self,
        agent: Option<usize>,
        step: Step,
        call: &RecordedCall<'_>,
    ) -> Option<StepPosition> {
        let place = step.place;
        if let Some((at, waits @ true)) = self.calls.get_mut(&*call.id) {
            // The same call once more: the model's wish, then the program's start of it.
            if let Some(answer) = &call.answer {
                *waits = false;
                let at = *at;
                self.finish_call(at, place, answer);
            }
            return None;
        }
        let kind = if call.starts_agent { StepKind::SubAgent } else { StepKind::Tool };
        let tool =
            ToolCall { name: (&*call.name).into(), call_id: (&*call.id).into(), result: None };
        let owner = self.step_owner(agent);
        let at = self.push_step(
            owner,
            Step { kind, label: first_line_label(&call.main), tool: Some(Box::new(tool)), ..step },
        );
        if call.starts_agent && !call.id.is_empty() {
            let started = self.agent_index(&call.id);
            if let Some(step) = self.step_mut(at) {
                step.subagent = Some(started);
            }
            self.set_agent_parent(started, at, &call.main);
        }
        if !call.asks_agent.is_empty() {
            self.agents.asking.push((at, (&*call.asks_agent).into()));
        }
        let is_failed = call.answer.as_ref().is_some_and(|answer| answer.is_error);
        let done = call.answer.as_ref().map_or(&[][..], |answer| &answer.edits);
        let edits = if done.is_empty() { &call.edits } else { done };
        if !is_failed {
            self.add_edits(at, place, edits);
        }
        self.command = call.answered_by_user.then_some(at);
        match &call.answer {
            Some(answer) => self.finish_call(at, place, answer),
            None if call.id.is_empty() => {
                let is_beside = |(owner, step): &StepPosition| {
                    *owner == at.0
                        && self
                            .steps_of(*owner)
                            .get(*step)
                            .is_some_and(|other| other.place.start == place.start)
                };
                if !self.in_order.first().is_some_and(is_beside) {
                    self.in_order.clear();
                }
                self.in_order.push(at);
            }
            None => {}
        }
        if !call.id.is_empty() {
            self.calls.insert((&*call.id).into(), (at, call.answer.is_none()));
        }
        Some(at)
    }

    fn steps_of(&self, owner: StepOwner) -> &[Step] {
        match owner {
            StepOwner::Turn(turn) => &self.run.turns[turn].steps,
            StepOwner::Agent(agent) => &self.run.subagents[agent].steps,
        }
    }

    /// Sets the parent and the title of an agent, where they are not known, from the step that started it.
    fn set_agent_parent(&mut self, agent: usize, (owner, step): StepPosition, title: &str) {
        let parent = match owner {
            StepOwner::Turn(turn) => ParentStep { turn, subagent: None, step },
            StepOwner::Agent(other) => {
                let turn = self.run.turns.len().saturating_sub(1);
                ParentStep { turn, subagent: Some(other), step }
            }
        };
        if let Some(agent) = self.run.subagents.get_mut(agent) {
            agent.parent.get_or_insert(parent);
            if agent.title.is_empty() {
                agent.title = first_line_label(title);
            }
        }
    }

    fn add_answer(&mut self, agent: Option<usize>, step: &Step, answer: &CallAnswer<'_>) {
        let called = match &*answer.call {
            "" => (!self.in_order.is_empty()).then(|| self.in_order.remove(0)),
            id => match self.calls.get_mut(id) {
                // Told before, with the call or in another record.
                Some((_, false)) => return,
                Some((at, waits)) => {
                    *waits = false;
                    Some(*at)
                }
                None => None,
            },
        };
        let Some(at) = called else {
            let result_step = Step {
                kind: StepKind::Message,
                role: Role::System,
                label: first_line_label(&answer.text),
                is_error: answer.is_error,
                ..step.clone()
            };
            let owner = self.step_owner(agent);
            let at = self.push_step(owner, result_step);
            return self.add_edits(at, step.place, &answer.edits);
        };
        if answer.is_error || !answer.edits.is_empty() {
            self.forget_edits(at);
        }
        if !answer.is_error {
            self.add_edits(at, step.place, &answer.edits);
        }
        self.finish_call(at, step.place, answer);
        let time = answer.ended_at.or(step.started_at);
        if let Some(called) = self.step_mut(at) {
            called.ended_at = time;
        }
    }

    fn forget_edits(&mut self, at: StepPosition) {
        self.absolute.retain(|(of, ..)| *of != at);
        if let Some(step) = self.step_mut(at) {
            step.edits.clear();
        }
    }

    fn finish_call(&mut self, at: StepPosition, place: RecordPlace, answer: &CallAnswer<'_>) {
        let result = ToolResult {
            place,
            is_error: answer.is_error,
            is_ok: answer.is_ok,
            exit_code: answer.exit_code,
            bytes: answer.bytes.unwrap_or(answer.text.len() as u64),
        };
        if let Some(step) = self.step_mut(at) {
            step.ended_at = answer.ended_at.or(step.ended_at);
            if let Some(tool) = &mut step.tool {
                tool.result = Some(result);
            }
        }
        if let Some(id) = answer.agent.as_deref() {
            self.link_agent(at, id);
        }
    }

    /// Links a sub-agent to the call that it answered, which started it.
    fn link_agent(&mut self, at: StepPosition, id: &str) {
        let started = self.agent_index(id);
        let title = self.step_mut(at).map(|step| {
            step.kind = StepKind::SubAgent;
            step.subagent = Some(started);
            step.label.clone()
        });
        self.set_agent_parent(started, at, &title.unwrap_or_default());
    }

    fn add_edits(&mut self, at: StepPosition, place: RecordPlace, edits: &[FileEdit]) {
        for (number, edit) in (0..).zip(edits) {
            let root = self.run.origin.root.as_deref();
            let path = EditPath::from_recorded(&edit.path, root);
            let from = edit.from.as_deref().map(|from| EditPath::from_recorded(from, root));
            let is_known = !self.edited.insert(path.clone());
            let kind = match edit.kind {
                EditKind::Create if is_known => EditKind::Modify,
                kind => kind,
            };
            if root.is_none() && path.repo_path().is_none() {
                let index = self.step_mut(at).map_or(0, |step| step.edits.len());
                self.absolute.push((at, index, edit.path.clone()));
            }
            self.has_text |= edit.change != RecordedChange::NotRecorded;
            let (added, removed) = edit.lines;
            let place = place.with_part(place.part | number << super::EDIT_SHIFT);
            if let Some(step) = self.step_mut(at) {
                step.edits.push(Edit { path, kind, from, added, removed, place });
            }
        }
    }

    /// Adds the growth since the sums before to the turn.
    fn apply_totals(&mut self, tokens: Tokens, cost: Option<f64>) {
        let turn = self.run.turns.len().saturating_sub(1);
        let (before, cost_before) = self.totals.unwrap_or_default();
        self.loose.resize(self.loose.len().max(turn + 1), Tokens::default());
        self.loose[turn] = self.loose[turn] + tokens.difference_from(before);
        if let (Some(cost), Some(turn)) = (cost, self.run.turns.get_mut(turn)) {
            let more = (cost - cost_before.unwrap_or(0.0)).max(0.0);
            turn.cost_usd = Some(turn.cost_usd.unwrap_or(0.0) + more);
        }
        self.totals = Some((tokens, cost));
    }

    fn count_tokens(&mut self, owner: StepOwner, first: Option<StepPosition>, entry: &RecordEntry) {
        let record = &entry.record;
        if let Some((tokens, cost)) = record.totals {
            self.apply_totals(tokens, cost);
        }
        if let Some((tokens, cost_usd)) = record.stated {
            let before = self.stated.unwrap_or_default();
            let cost_usd = before.cost_usd.map_or(cost_usd, |sum| Some(sum + cost_usd?));
            self.stated = Some(StatedTotals { tokens: before.tokens + tokens, cost_usd });
            self.is_stated = true;
        } else if first.is_some() {
            self.is_stated = false;
        }
        if !record.tokens.is_recorded() && record.cost_usd.is_none() {
            return;
        }
        let mut counted = None;
        if let Some(id) = record.response.as_deref()
            && let Some((at, cost)) = self.responses.get(id).copied()
        {
            counted = cost;
            self.set_step_tokens(owner, at, record.tokens);
        } else if let Some(at) = first {
            self.set_step_tokens(owner, at, record.tokens);
            if let Some(id) = record.response.as_deref() {
                self.responses.insert(id.into(), (at, record.cost_usd));
            }
        } else {
            let turn = self.run.turns.len().saturating_sub(1);
            self.loose.resize(self.loose.len().max(turn + 1), Tokens::default());
            self.loose[turn] = self.loose[turn] + record.tokens;
        }
        if let Some(cost) = record.cost_usd {
            let turn = match owner {
                StepOwner::Turn(turn) => Some(turn),
                StepOwner::Agent(_) => self.run.turns.len().checked_sub(1),
            };
            if let Some(turn) = turn.and_then(|turn| self.run.turns.get_mut(turn)) {
                turn.cost_usd = Some(turn.cost_usd.unwrap_or(0.0) + cost - counted.unwrap_or(0.0));
            }
        }
    }

    /// Returns the run, with the facts about the whole of it: tokens and cost of `header` where no record has any.
    pub fn finish_run(
        mut self,
        format: &'static str,
        name: &str,
        header: &super::LogRecord<'_>,
    ) -> Run {
        self.root_from_edits(name);
        self.end_with_diff();
        self.place_agents();
        let mut run = self.run;
        for (turn, at) in run.turns.iter_mut().zip(0..) {
            let loose = self.loose.get(at).copied().unwrap_or_default();
            turn.tokens = turn.steps.iter().fold(loose, |sum, step| sum + step.tokens);
        }
        for agent in &mut run.subagents {
            agent.tokens =
                agent.steps.iter().fold(Tokens::default(), |sum, step| sum + step.tokens);
            let turn = agent.parent.map_or(0, |parent| parent.turn);
            if let Some(turn) = run.turns.get_mut(turn) {
                turn.tokens = turn.tokens + agent.tokens;
            }
        }
        if let [turn] = run.turns.as_mut_slice() {
            if !turn.tokens.is_recorded() {
                turn.tokens = header.tokens;
            }
            turn.cost_usd = turn.cost_usd.or(header.cost_usd);
        }
        add_harness_facts(&mut run, name, header);
        let header = StatedTotals { tokens: header.tokens, cost_usd: header.cost_usd };
        // What the last process did is in no sum where it was killed before it stated one.
        let stated = self.stated.filter(|_| self.is_stated).unwrap_or(header);
        run.stated = stated.beyond_turn_sums(&run);
        run.origin.format = format;
        run.warnings.extend(self.unknowns.mostly_unknown_warning(name, format));
        if run.id.is_empty() {
            run.id = file_name(name).to_owned();
        }
        if run.title.is_empty() {
            let first_title =
                run.turns.iter().map(|turn| &turn.title).find(|title| !title.is_empty());
            run.title = first_title.map_or_else(|| run.id.clone(), ToString::to_string);
        }
        if run.agent == Agent::default() {
            run.agent.name = String::new();
        }
        run
    }

    /// Sets the working folder, where the log has none, to the folder that all changed files have in common.
    fn root_from_edits(&mut self, name: &str) {
        let mut folders = self.absolute.iter().map(|(.., path)| folder_of(path));
        let Some(first) = folders.next() else { return };
        let common = folders.fold(first, |a, b| common_folder(&a, &b).to_owned());
        if common.trim_matches('/').is_empty() {
            return;
        }
        for (at, index, path) in std::mem::take(&mut self.absolute) {
            let sorted = EditPath::from_recorded(&path, Some(&common));
            if let Some(edit) = self.step_mut(at).and_then(|step| step.edits.get_mut(index)) {
                edit.path = sorted;
            }
        }
        let what = format!(
            "does not say in which folder the agent worked; paths are shown below {common}, which all the files it changed have in common"
        );
        self.run.warnings.push(Warning { place: name.to_owned(), what });
        self.run.origin.root = Some(common);
    }

    /// Adds the diff at the end of a log without edits, as a step that explains itself.
    fn end_with_diff(&mut self) {
        let Some((place, diff)) = self.final_diff.take() else { return };
        let edits = FileEdit::from_diff(&diff);
        let owner = self.step_owner(None);
        let files = edits.len();
        let what = match (edits.is_empty(), self.has_text) {
            (true, _) if diff.trim().is_empty() => "the recording ends without a diff".to_owned(),
            (true, _) => "the final diff as recorded; it names no file".to_owned(),
            (false, true) => {
                format!("the final diff as recorded, of {files} files; the edits above make it up")
            }
            (false, false) => format!(
                "the final diff as recorded, of {files} files; the log does not tell which step changed what"
            ),
        };
        let kind = StepKind::Message;
        let at = self.push_step(
            owner,
            Step {
                kind,
                role: Role::System,
                label: first_line_label(&what),
                place,
                ..Step::default()
            },
        );
        if !self.has_text {
            self.add_edits(at, place, &edits);
        }
    }

    /// Links sub-agents without a parent to the call with their first request; an agent that no call started belongs to the
    /// turn in which it began.
    fn place_agents(&mut self) {
        for agent in 0..self.run.subagents.len() {
            let found = &self.run.subagents[agent];
            if found.parent.is_some() || found.steps.is_empty() {
                continue;
            }
            let is_of = |(at, request): &(StepPosition, Box<str>)| {
                at.0 != StepOwner::Agent(agent) && **request == *found.title
            };
            if let Some(call) = self.agents.asking.iter().position(is_of) {
                let (id, (at, _)) = (found.id.clone(), self.agents.asking.remove(call));
                self.link_agent(at, &id);
                continue;
            }
            let (began, place, name) = (found.started_at, found.steps[0].place, found.name.clone());
            let turn =
                self.run.turns.iter().rposition(|turn| began.is_some() && turn.started_at <= began);
            let _ = self.step_owner(None);
            let owner = StepOwner::Turn(turn.unwrap_or(0));
            let step = Step {
                kind: StepKind::SubAgent,
                label: first_line_label(&name),
                started_at: began,
                place,
                subagent: Some(agent),
                ..Step::default()
            };
            let at = self.push_step(owner, step);
            self.set_agent_parent(agent, at, "");
        }
    }
}

fn earliest_time(
    a: Option<trajview_run::Time>,
    b: Option<trajview_run::Time>,
) -> Option<trajview_run::Time> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

fn folder_of(path: &str) -> String {
    let path = path.strip_prefix("file://").unwrap_or(path).replace('\\', "/");
    path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned())
}

fn common_folder<'a>(a: &'a str, b: &str) -> &'a str {
    let both = a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b);
    let len: usize = both.map(|(part, _)| part.len() + 1).sum();
    a.get(..len.saturating_sub(1)).unwrap_or(a)
}
