//! Agents that the agent started, and the calls that started them.
//!
//! Four ways of writing them down: inside the session with `isSidechain` (1.0), files beside it (2.0), files in a
//! folder named after it, some with a `.meta.json` (2.1), and `parent_tool_use_id` in the stream. An agent belongs
//! to the call whose result names it, else to the one its side file names, else to the one with its words; an agent
//! that nobody claims gets a step in the turn it worked in.

use std::collections::HashMap;

use super::{
    fold::{CallAt, Fold, Owner},
    line::{Line, User, What, Words, WordsKind},
};
use trajview_run::{Parent, Role, Step, StepKind, SubAgent, Time};

/// What is known of an agent beside its steps.
#[derive(Debug, Default, Clone)]
struct Clue {
    /// The call that started it, where its own records or its side file say so.
    call_id: Option<Box<str>>,
    prompt: Option<u64>,
    /// Turn in which it was first met.
    met_in: Option<usize>,
}

/// The agents met so far, by position in [`trajview_run::Run::subagents`].
#[derive(Debug, Default, Clone)]
pub struct Agents {
    clues: Vec<Clue>,
    by_id: HashMap<Box<str>, usize>,
    /// Which agent a record of an inline side chain belongs to.
    by_uuid: HashMap<Box<str>, usize>,
    last: Option<usize>,
    /// (call, agent id), as results tell it.
    answers: Vec<(usize, Box<str>)>,
}

impl Agents {
    /// Turns from this one on are none any more.
    pub fn met_before(&mut self, first: usize) {
        for clue in &mut self.clues {
            clue.met_in = clue.met_in.map(|turn| turn.min(first.saturating_sub(1)));
        }
    }

    /// A result names the agent that answered.
    pub fn answered(&mut self, call: usize, agent: Option<&str>) {
        if let Some(agent) = agent {
            self.answers.push((call, agent.into()));
        }
    }

    /// The first thing an agent is told is its task.
    pub fn tell(&mut self, agent: usize, words: &Words, told: &mut SubAgent) {
        let clue = &mut self.clues[agent];
        if clue.prompt.is_none() {
            clue.prompt = words.fingerprint;
        }
        if told.title.is_empty() {
            told.title = words.label.clone();
        }
    }
}

impl Fold {
    /// The agent of that id, new where it was not met before.
    pub fn agent(&mut self, id: &str) -> usize {
        if let Some(known) = self.agents.by_id.get(id) {
            return *known;
        }
        self.run.subagents.push(SubAgent { id: id.to_owned(), ..SubAgent::default() });
        self.agents
            .clues
            .push(Clue { met_in: self.run.turns.len().checked_sub(1), ..Clue::default() });
        let at = self.run.subagents.len() - 1;
        self.agents.by_id.insert(id.into(), at);
        at
    }

    /// The agent that the call of this id started (the stream's way).
    pub fn agent_of_call(&mut self, call_id: &str, agent_id: Option<&str>) -> usize {
        let agent = self.agent(call_id);
        self.agents.clues[agent].call_id = Some(call_id.into());
        if let Some(id) = agent_id {
            self.run.subagents[agent].id = id.to_owned();
        }
        agent
    }

    /// What the side file of an agent says.
    pub fn describe(&mut self, agent: usize, name: Option<&str>, call_id: Option<&str>) {
        if let Some(name) = name {
            self.run.subagents[agent].name = name.to_owned();
        }
        if let Some(call_id) = call_id {
            self.agents.clues[agent].call_id = Some(call_id.into());
        }
    }

    /// The agent of a record that stands in the session itself: the one it names, else the one of the record it
    /// answers; a record that answers nothing begins a new one.
    pub fn inline_agent(&mut self, line: &Line) -> usize {
        let of_parent =
            line.parent.as_ref().and_then(|parent| self.agents.by_uuid.get(parent)).copied();
        let begins = line.parent.is_none() && is_request(line);
        let agent = match (&line.agent, of_parent) {
            (Some(id), _) => self.agent(&id.clone()),
            (None, Some(agent)) => agent,
            (None, None) => match self.agents.last.filter(|_| !begins) {
                Some(last) => last,
                None => {
                    let fallback = format!("sidechain-{}", self.run.subagents.len() + 1);
                    let id = line.uuid.as_deref().unwrap_or(&fallback).to_owned();
                    self.agent(&id)
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

fn is_request(line: &Line) -> bool {
    let What::User(User { words: Some(words), .. }) = &line.what else { return false };
    words.kind == WordsKind::Request
}

/// Ties every agent to a step. Returns the turn of every agent.
pub fn link(fold: &mut Fold) -> Vec<usize> {
    let mut claims = claims(fold);
    break_circles(fold, &mut claims);
    for (agent, call) in claims.iter().enumerate() {
        if let Some(call) = call {
            tie(fold, agent, *call);
        }
    }
    let turns = turns(fold, &claims);
    for (agent, claim) in claims.iter().enumerate() {
        if claim.is_none() {
            insert(fold, agent, turns[agent]);
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

/// Which call started which agent: a call starts one agent at most, and none starts itself.
struct Claims<'f> {
    fold: &'f Fold,
    of_agent: Vec<Option<usize>>,
    given: Vec<bool>,
    /// Calls whose result names an agent: not to be guessed about.
    named: Vec<bool>,
}

impl Claims<'_> {
    fn give(&mut self, agent: usize, call: usize) {
        if self.of_agent[agent].is_none() && !self.given[call] && !self.is_its_own(agent, call) {
            self.of_agent[agent] = Some(call);
            self.given[call] = true;
        }
    }

    /// The first free call that fits.
    fn give_first(&mut self, agent: usize, fits: impl Fn(&CallAt) -> bool) {
        let free =
            |call: usize| !self.given[call] && !self.named[call] && !self.is_its_own(agent, call);
        let calls = self.fold.calls.iter().enumerate();
        let found = calls.filter(|(at, _)| free(*at)).find(|(_, call)| fits(call));
        if let Some((call, _)) = found {
            self.give(agent, call);
        }
    }

    fn is_its_own(&self, agent: usize, call: usize) -> bool {
        self.fold.calls[call].owner == Owner::Agent(agent)
    }
}

/// The call that started each agent, by the best evidence first.
fn claims(fold: &Fold) -> Vec<Option<usize>> {
    let mut claims = Claims {
        fold,
        of_agent: vec![None; fold.run.subagents.len()],
        given: vec![false; fold.calls.len()],
        named: vec![false; fold.calls.len()],
    };
    for (call, id) in &fold.agents.answers {
        if let Some(agent) = fold.agents.by_id.get(id) {
            claims.give(*agent, *call);
        }
        claims.named[*call] = true;
    }
    let clues = fold.agents.clues.iter().enumerate();
    for (agent, clue) in clues.clone() {
        if let Some(call) = clue.call_id.as_deref().and_then(|id| fold.call_named(id)) {
            claims.give(agent, call);
        }
    }
    for (agent, clue) in clues {
        claims.give_first(agent, |call| call.prompt.is_some() && call.prompt == clue.prompt);
    }
    for (agent, told) in fold.run.subagents.iter().enumerate() {
        let has_type = |call: &CallAt| call.agent_type.as_deref() == Some(told.name.as_str());
        claims
            .give_first(agent, |call| call.starts_agent && call.prompt.is_none() && has_type(call));
    }
    claims.of_agent
}

/// A recording may say of two agents that each started the other: then the first of them was started by nobody.
fn break_circles(fold: &Fold, claims: &mut [Option<usize>]) {
    for agent in 0..claims.len() {
        let mut above = Some(agent);
        for _ in 0..claims.len() {
            above = above.and_then(|agent| claims[agent]).and_then(|call| {
                match fold.calls[call].owner {
                    Owner::Agent(agent) => Some(agent),
                    Owner::Turn(_) => None,
                }
            });
        }
        if above.is_some() {
            claims[agent] = None;
        }
    }
}

fn tie(fold: &mut Fold, agent: usize, call: usize) {
    let CallAt { owner, step, .. } = fold.calls[call];
    let agent_type = fold.calls[call].agent_type.clone();
    let label = {
        let step = &mut fold.steps(owner)[step];
        step.kind = StepKind::SubAgent;
        step.subagent = Some(agent);
        step.label.clone()
    };
    let told = &mut fold.run.subagents[agent];
    if told.name.is_empty() {
        told.name = agent_type.unwrap_or_default().into();
    }
    if told.title.is_empty() {
        told.title = label;
    }
}

/// The turn of an agent: that of the call, up to the main agent; where nobody called, the one it worked in.
fn turns(fold: &Fold, claims: &[Option<usize>]) -> Vec<usize> {
    let of = |agent: usize| {
        let mut at = agent;
        // No way up is longer than there are agents.
        for _ in 0..claims.len() {
            match claims[at].map(|call| fold.calls[call].owner) {
                Some(Owner::Turn(turn)) => return turn,
                Some(Owner::Agent(above)) => at = above,
                None => return by_time(fold, at),
            }
        }
        by_time(fold, agent)
    };
    (0..claims.len()).map(of).collect()
}

fn by_time(fold: &Fold, agent: usize) -> usize {
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

/// A step for an agent that no call claims, where it began.
fn insert(fold: &mut Fold, agent: usize, turn: usize) {
    fold.turn();
    let told = &fold.run.subagents[agent];
    let started_at = told.started_at;
    let branch_follows_turn = told.was_left.then(|| fold.agents.clues[agent].met_in.is_some());
    let step = Step {
        kind: StepKind::SubAgent,
        role: Role::Assistant,
        label: told.title.clone(),
        started_at,
        ended_at: told.ended_at,
        place: told.steps.first().map(|step| step.place).unwrap_or_default(),
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

fn set_parents(fold: &mut Fold, turns: &[usize]) {
    let mut parents: Vec<Option<Parent>> = vec![None; fold.run.subagents.len()];
    let mut note = |steps: &[Step], turn: usize, subagent: Option<usize>| {
        for (step, found) in steps.iter().enumerate() {
            if let Some(parent) = found.subagent.and_then(|agent| parents.get_mut(agent)) {
                parent.get_or_insert(Parent { turn, subagent, step });
            }
        }
    };
    for (turn, told) in fold.run.turns.iter().enumerate() {
        note(&told.steps, turn, None);
    }
    for (agent, told) in fold.run.subagents.iter().enumerate() {
        note(&told.steps, turns[agent], Some(agent));
    }
    for (agent, parent) in fold.run.subagents.iter_mut().zip(parents) {
        agent.parent = parent;
    }
}
