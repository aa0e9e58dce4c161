//! Agents that the agent started, and the calls that started them.
//!
//! Four ways of writing them down: inside the session with `isSidechain` (1.0), files beside it (2.0), files in a
//! folder named after it, some with a `.meta.json` (2.1), and `parent_tool_use_id` in the stream. An agent belongs
//! to the call whose result names it, else to the one its side file names, else to the one with its words; an agent
//! that nobody claims gets a step in the turn it worked in.

use std::collections::HashMap;

use super::{
    fold::{CallPosition, ClaudeFold, LineOwner},
    line::{ClassifiedLine, LineContent, UserRecord, UserText, UserTextKind},
};
use trajview_run::{ParentStep, Role, Step, StepKind, SubAgent, Time};

/// The facts about an agent beside its steps.
#[derive(Debug, Default, Clone)]
struct AgentClue {
    /// The call that started it, where its own records or its side file say so.
    call_id: Option<Box<str>>,
    prompt: Option<u64>,
    /// Turn in which it was first met.
    met_in: Option<usize>,
}

/// The agents met so far, by position in [`trajview_run::Run::subagents`].
#[derive(Debug, Default, Clone)]
pub struct AgentClues {
    clues: Vec<AgentClue>,
    by_id: HashMap<Box<str>, usize>,
    /// The agent that a record of an inline side chain belongs to, by the id of the record.
    by_uuid: HashMap<Box<str>, usize>,
    last: Option<usize>,
    /// (call, agent id), as results tell it.
    answers: Vec<(usize, Box<str>)>,
}

impl AgentClues {
    /// Moves what was met in turns from this one on, which are none any more, to the turn before it.
    pub fn limit_turns_before(&mut self, first: usize) {
        for clue in &mut self.clues {
            clue.met_in = clue.met_in.map(|turn| turn.min(first.saturating_sub(1)));
        }
    }

    /// Notes the agent that a result names.
    pub fn note_result(&mut self, call: usize, agent: Option<&str>) {
        if let Some(agent) = agent {
            self.answers.push((call, agent.into()));
        }
    }

    /// Notes the task of an agent: the first text that it receives.
    pub fn note_task(&mut self, agent: usize, user_text: &UserText, subagent: &mut SubAgent) {
        let clue = &mut self.clues[agent];
        if clue.prompt.is_none() {
            clue.prompt = user_text.fingerprint;
        }
        if subagent.title.is_empty() {
            subagent.title = user_text.label.clone();
        }
    }
}

impl ClaudeFold {
    /// Returns the index of the agent of that id; adds it where it is new.
    pub fn agent_with_id(&mut self, id: &str) -> usize {
        if let Some(known) = self.agents.by_id.get(id) {
            return *known;
        }
        self.run.subagents.push(SubAgent { id: id.to_owned(), ..SubAgent::default() });
        self.agents.clues.push(AgentClue {
            met_in: self.run.turns.len().checked_sub(1),
            ..AgentClue::default()
        });
        let at = self.run.subagents.len() - 1;
        self.agents.by_id.insert(id.into(), at);
        at
    }

    /// Returns the index of the agent that the call with this id started, which is added where it is new, and records
    /// the id that the stream names.
    pub fn agent_of_call(&mut self, call_id: &str, agent_id: Option<&str>) -> usize {
        let agent = self.agent_with_id(call_id);
        self.agents.clues[agent].call_id = Some(call_id.into());
        if let Some(id) = agent_id {
            self.run.subagents[agent].id = id.to_owned();
        }
        agent
    }

    /// Sets the facts from the side file of an agent.
    pub fn set_details(&mut self, agent: usize, name: Option<&str>, call_id: Option<&str>) {
        if let Some(name) = name {
            self.run.subagents[agent].name = name.to_owned();
        }
        if let Some(call_id) = call_id {
            self.agents.clues[agent].call_id = Some(call_id.into());
        }
    }

    /// Returns the index of the agent of a record in the session itself, which is added where it is new: the one that
    /// it names, else that of its parent record; a record without a parent begins a new agent.
    pub fn inline_agent(&mut self, line: &ClassifiedLine) -> usize {
        let of_parent =
            line.parent.as_ref().and_then(|parent| self.agents.by_uuid.get(parent)).copied();
        let begins = line.parent.is_none() && is_request(line);
        let agent = match (&line.agent, of_parent) {
            (Some(id), _) => self.agent_with_id(&id.clone()),
            (None, Some(agent)) => agent,
            (None, None) => match self.agents.last.filter(|_| !begins) {
                Some(last) => last,
                None => {
                    let fallback = format!("sidechain-{}", self.run.subagents.len() + 1);
                    let id = line.uuid.as_deref().unwrap_or(&fallback).to_owned();
                    self.agent_with_id(&id)
                }
            },
        };
        if let Some(uuid) = &line.uuid {
            self.agents.by_uuid.insert(uuid.clone(), agent);
        }
        self.agents.last = Some(agent);
        agent
    }
}

fn is_request(line: &ClassifiedLine) -> bool {
    let LineContent::User(UserRecord { user_text: Some(user_text), .. }) = &line.what else {
        return false;
    };
    user_text.kind == UserTextKind::Request
}

/// Ties every agent to a step. Returns the turn of every agent.
pub fn link_agents(fold: &mut ClaudeFold) -> Vec<usize> {
    let mut claims = calls_of_agents(fold);
    break_circles(fold, &mut claims);
    for (agent, call) in claims.iter().enumerate() {
        if let Some(call) = call {
            tie_agent_to_call(fold, agent, *call);
        }
    }
    let turns = turns_of_agents(fold, &claims);
    for (agent, claim) in claims.iter().enumerate() {
        if claim.is_none() {
            insert_agent_step(fold, agent, turns[agent]);
        }
    }
    set_parents(fold, &turns);
    for agent in &mut fold.run.subagents {
        if agent.name.is_empty() {
            agent.name = "agent".to_owned();
        }
    }
    turns
}

/// The calls that started the agents: a call starts one agent at most, and none starts itself.
struct CallClaims<'f> {
    fold: &'f ClaudeFold,
    of_agent: Vec<Option<usize>>,
    given: Vec<bool>,
    /// Calls whose result names an agent: not to be guessed about.
    named: Vec<bool>,
}

impl CallClaims<'_> {
    fn assign_call(&mut self, agent: usize, call: usize) {
        if self.of_agent[agent].is_none() && !self.given[call] && !self.is_its_own(agent, call) {
            self.of_agent[agent] = Some(call);
            self.given[call] = true;
        }
    }

    /// Assigns the first free call that fits to an agent; changes nothing where none fits.
    fn assign_first_call(&mut self, agent: usize, fits: impl Fn(&CallPosition) -> bool) {
        let free =
            |call: usize| !self.given[call] && !self.named[call] && !self.is_its_own(agent, call);
        let calls = self.fold.calls.iter().enumerate();
        let found = calls.filter(|(at, _)| free(*at)).find(|(_, call)| fits(call));
        if let Some((call, _)) = found {
            self.assign_call(agent, call);
        }
    }

    fn is_its_own(&self, agent: usize, call: usize) -> bool {
        self.fold.calls[call].owner == LineOwner::Agent(agent)
    }
}

/// Returns the call that started each agent, by the best evidence first.
fn calls_of_agents(fold: &ClaudeFold) -> Vec<Option<usize>> {
    let mut claims = CallClaims {
        fold,
        of_agent: vec![None; fold.run.subagents.len()],
        given: vec![false; fold.calls.len()],
        named: vec![false; fold.calls.len()],
    };
    for (call, id) in &fold.agents.answers {
        if let Some(agent) = fold.agents.by_id.get(id) {
            claims.assign_call(*agent, *call);
        }
        claims.named[*call] = true;
    }
    let clues = fold.agents.clues.iter().enumerate();
    for (agent, clue) in clues.clone() {
        if let Some(call) = clue.call_id.as_deref().and_then(|id| fold.call_with_id(id)) {
            claims.assign_call(agent, call);
        }
    }
    for (agent, clue) in clues {
        claims.assign_first_call(agent, |call| call.prompt.is_some() && call.prompt == clue.prompt);
    }
    for (agent, subagent) in fold.run.subagents.iter().enumerate() {
        let has_type =
            |call: &CallPosition| call.agent_type.as_deref() == Some(subagent.name.as_str());
        claims.assign_first_call(agent, |call| {
            call.starts_agent && call.prompt.is_none() && has_type(call)
        });
    }
    claims.of_agent
}

/// Breaks circles: where a recording claims that two agents each started the other, nobody started the first of them.
fn break_circles(fold: &ClaudeFold, claims: &mut [Option<usize>]) {
    for agent in 0..claims.len() {
        let mut above = Some(agent);
        for _ in 0..claims.len() {
            above = above.and_then(|agent| claims[agent]).and_then(|call| {
                match fold.calls[call].owner {
                    LineOwner::Agent(agent) => Some(agent),
                    LineOwner::Turn(_) => None,
                }
            });
        }
        if above.is_some() {
            claims[agent] = None;
        }
    }
}

fn tie_agent_to_call(fold: &mut ClaudeFold, agent: usize, call: usize) {
    let CallPosition { owner, step, .. } = fold.calls[call];
    let agent_type = fold.calls[call].agent_type.clone();
    let label = {
        let step = &mut fold.steps_mut(owner)[step];
        step.kind = StepKind::SubAgent;
        step.subagent = Some(agent);
        step.label.clone()
    };
    let started = &mut fold.run.subagents[agent];
    if started.name.is_empty() {
        started.name = agent_type.unwrap_or_default().into();
    }
    if started.title.is_empty() {
        started.title = label;
    }
}

/// Returns the turn of an agent: that of the call, up to the main agent; where nobody called, the one it worked in.
fn turns_of_agents(fold: &ClaudeFold, claims: &[Option<usize>]) -> Vec<usize> {
    let of = |agent: usize| {
        let mut at = agent;
        // No way up is longer than there are agents.
        for _ in 0..claims.len() {
            match claims[at].map(|call| fold.calls[call].owner) {
                Some(LineOwner::Turn(turn)) => return turn,
                Some(LineOwner::Agent(above)) => at = above,
                None => return turn_by_time(fold, at),
            }
        }
        turn_by_time(fold, agent)
    };
    (0..claims.len()).map(of).collect()
}

fn turn_by_time(fold: &ClaudeFold, agent: usize) -> usize {
    let turns = &fold.run.turns;
    let started = fold.run.subagents[agent].started_at;
    let before = |time: Time| {
        turns.iter().rposition(|turn| turn.started_at.is_some_and(|begun| begun <= time))
    };
    let met_in = fold.agents.clues[agent].met_in;
    let found = match fold.run.subagents[agent].was_left {
        true => met_in,
        false => started.and_then(before).or(met_in),
    };
    found.unwrap_or(0).min(turns.len().saturating_sub(1))
}

/// Inserts a step for an agent that no call claims, where it began.
fn insert_agent_step(fold: &mut ClaudeFold, agent: usize, turn: usize) {
    fold.current_turn();
    let stray = &fold.run.subagents[agent];
    let started_at = stray.started_at;
    let branch_follows_turn = stray.was_left.then(|| fold.agents.clues[agent].met_in.is_some());
    let step = Step {
        kind: StepKind::SubAgent,
        role: Role::Assistant,
        label: stray.title.clone(),
        started_at,
        ended_at: stray.ended_at,
        place: stray.steps.first().map(|step| step.place).unwrap_or_default(),
        subagent: Some(agent),
        ..Step::default()
    };
    let steps = &mut fold.run.turns[turn].steps;
    let later = |other: &Step| started_at.is_some() && other.started_at > started_at;
    let at = match branch_follows_turn {
        // What a branch follows is all of the turn.
        Some(true) => steps.len(),
        Some(false) => 0,
        None => steps.iter().position(later).unwrap_or(steps.len()),
    };
    steps.insert(at, step);
}

fn set_parents(fold: &mut ClaudeFold, turns: &[usize]) {
    let mut parents: Vec<Option<ParentStep>> = vec![None; fold.run.subagents.len()];
    let mut note = |steps: &[Step], turn: usize, subagent: Option<usize>| {
        for (step, found) in steps.iter().enumerate() {
            if let Some(parent) = found.subagent.and_then(|agent| parents.get_mut(agent)) {
                parent.get_or_insert(ParentStep { turn, subagent, step });
            }
        }
    };
    for (turn, item) in fold.run.turns.iter().enumerate() {
        note(&item.steps, turn, None);
    }
    for (agent, item) in fold.run.subagents.iter().enumerate() {
        note(&item.steps, turns[agent], Some(agent));
    }
    for (agent, parent) in fold.run.subagents.iter_mut().zip(parents) {
        agent.parent = parent;
    }
}
