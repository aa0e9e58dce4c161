//! Threads put together: the main thread's turns, and the agents it started tied to the steps that did.

use rayon::prelude::*;

use super::{
    fold::{FoldedThread, MANY_TURNS, SpawnedAgent, ThreadStep},
    record::{RolloutLine, RolloutRecord, ThreadMeta},
};
use trajview_run::{
    ParentStep, Role, Step, StepKind, SubAgent, Time, Tokens, Turn, first_line_label,
};

/// Returns the lines that a sub-agent's thread does not repeat from its parent.
///
/// By default a child inherits the whole conversation, and its file begins with a copy of it. Newer logs say at which
/// ordinal its own begins; in older ones it is where a turn begins whose id (a UUID 7, which starts with milliseconds)
/// is not older than the thread's.
pub fn own_lines<'l>(lines: &'l [RolloutLine], meta: &ThreadMeta) -> Vec<&'l RolloutLine> {
    if !meta.is_subagent {
        return lines.iter().collect();
    }
    if let Some(first) = meta.own_from {
        return lines.iter().filter(|line| line.ordinal.is_none_or(|at| at >= first)).collect();
    }
    let metas = lines.iter().filter(|line| matches!(line.record, RolloutRecord::Meta(_))).count();
    if metas < 2 && meta.forked_from.is_none() {
        return lines.iter().collect();
    }
    let born = uuid_millis(&meta.id);
    let begins = |line: &RolloutLine| match &line.record {
        RolloutRecord::TaskStarted { turn } | RolloutRecord::Context { turn, .. } => {
            let turn = turn.as_deref().and_then(uuid_millis);
            turn.is_some() && turn >= born
        }
        _ => false,
    };
    let own = lines.iter().position(begins).filter(|_| born.is_some());
    let is_own = |index: usize, line: &RolloutLine| match own {
        Some(own) => index >= own,
        None => line.at.is_none() || line.at >= meta.started_at,
    };
    lines.iter().enumerate().filter(|(i, line)| is_own(*i, line)).map(|(_, line)| line).collect()
}

/// Returns the number of lines at the beginning of a user's fork that are the history of the thread that it continues.
///
/// They are written in one go when the fork is made, with the meta record of that thread among them. Where turns have ids
/// (UUIDs 7, which start with milliseconds) its own begin with one that is not older than the thread; else with the first
/// record of a turn that was not written in that go.
pub fn copied_lines(lines: &[RolloutLine], meta: &ThreadMeta) -> usize {
    if meta.is_subagent || meta.forked_from.is_none() {
        return 0;
    }
    let is_meta = |line: &&RolloutLine| matches!(line.record, RolloutRecord::Meta(_));
    let Some(last_meta) = lines.iter().rposition(|line| is_meta(&line)) else { return 0 };
    if lines.iter().filter(is_meta).count() < 2 {
        return 0;
    }
    let born = uuid_millis(&meta.id);
    let turn_of = |line: &RolloutLine| match &line.record {
        RolloutRecord::TaskStarted { turn } | RolloutRecord::Context { turn, .. } => {
            turn.as_deref().and_then(uuid_millis)
        }
        _ => None,
    };
    if born.is_some() && lines.iter().any(|line| turn_of(line).is_some()) {
        let own = lines.iter().position(|line| turn_of(line) >= born);
        return own.unwrap_or(lines.len());
    }
    let begins = |line: &RolloutLine| {
        matches!(
            line.record,
            RolloutRecord::TaskStarted { .. }
                | RolloutRecord::Context { .. }
                | RolloutRecord::Request { .. }
        )
    };
    let is_later = |at: usize| match (lines[at - 1].at, lines[at].at) {
        (Some(before), Some(now)) => {
            now.seconds_since(before).is_some_and(|gap| gap >= ONE_WRITE_SECONDS)
        }
        _ => false,
    };
    let own = (last_meta + 1..lines.len()).find(|at| begins(&lines[*at]) && is_later(*at));
    own.unwrap_or(lines.len())
}

/// Seconds that may pass between two records that are written in one go.
const ONE_WRITE_SECONDS: f64 = 0.2;

fn uuid_millis(id: &str) -> Option<u64> {
    let digits = format!("{}{}", id.get(..8)?, id.get(9..13)?);
    u64::from_str_radix(&digits, 16).ok()
}

/// Returns the turns and the sub-agents of a session. Inserts a step for each agent that no step started, titles an
/// agent by the call that started it, and adds its tokens to the turn of that step.
pub fn unite_threads(
    main: FoldedThread,
    children: Vec<FoldedThread>,
) -> (Vec<Turn>, Vec<SubAgent>) {
    let mut family = ThreadFamily {
        turns: main.turns.iter().map(|turn| turn.turn.clone()).collect(),
        main: main.turns.into_iter().map(|turn| turn.steps).collect(),
        agents: children.into_iter().map(ChildAgent::from_thread).collect(),
        main_id: main.meta.id,
    };
    family.adopt_strays();
    family.tie_agents();
    family.into_turns_and_agents()
}

struct ThreadFamily {
    main_id: Box<str>,
    turns: Vec<Turn>,
    /// One list a turn.
    main: Vec<Vec<ThreadStep>>,
    agents: Vec<ChildAgent>,
}

struct ChildAgent {
    meta: ThreadMeta,
    steps: Vec<ThreadStep>,
    title: Box<str>,
    tokens: Tokens,
    started_at: Option<Time>,
    ended_at: Option<Time>,
    parent: Option<ParentStep>,
}

impl ChildAgent {
    /// Returns all turns of a child's thread in a row, its requests among the steps.
    fn from_thread(thread: FoldedThread) -> Self {
        let requests = thread.turns.iter().map(|turn| &turn.turn.title);
        let title = requests.clone().find(|title| !title.is_empty()).cloned().unwrap_or_default();
        let tokens = thread.turns.iter().fold(Tokens::default(), |a, turn| a + turn.turn.tokens);
        let mut steps = vec![];
        for turn in thread.turns {
            steps.extend(request_step(&turn.turn));
            steps.extend(turn.steps);
        }
        Self {
            started_at: thread.started_at,
            ended_at: thread.ended_at,
            meta: thread.meta,
            steps,
            title,
            tokens,
            parent: None,
        }
    }

    fn name(&self) -> String {
        let of_path = self.meta.path.as_deref().and_then(|path| path.rsplit('/').next());
        let name = of_path.or(self.meta.nickname.as_deref()).or(self.meta.role.as_deref());
        name.unwrap_or(&self.meta.id).to_owned()
    }

    fn is_child_of(&self, spawned: &SpawnedAgent, of: &str) -> bool {
        match &spawned.thread {
            Some(thread) => *thread == self.meta.id,
            None => {
                let is_path = spawned.path.is_some() && spawned.path == self.meta.path;
                is_path && self.meta.parent.as_deref().is_none_or(|parent| parent == of)
            }
        }
    }
}

fn request_step(turn: &Turn) -> Option<ThreadStep> {
    let step = Step {
        kind: StepKind::Message,
        role: Role::User,
        label: turn.title.clone(),
        started_at: turn.started_at,
        place: turn.request?,
        ..Step::default()
    };
    Some(ThreadStep { step, spawned: None })
}

impl ThreadFamily {
    /// Gives every agent that no step names a step of its own, at its time.
    fn adopt_strays(&mut self) {
        for index in 0..self.agents.len() {
            let agent = &self.agents[index];
            let is_of_main =
                self.main.iter().flatten().any(|step| is_start(step, agent, &self.main_id));
            let is_of_agent = self.agents.iter().enumerate().any(|(other, parent)| {
                other != index
                    && parent.steps.iter().any(|step| is_start(step, agent, &parent.meta.id))
            });
            if !is_of_main && !is_of_agent {
                let step = stray_step(agent);
                self.insert_by_time(step);
            }
        }
    }

    fn insert_by_time(&mut self, step: ThreadStep) {
        if self.turns.is_empty() {
            self.turns.push(Turn { started_at: step.step.started_at, ..Turn::default() });
            self.main.push(vec![]);
        }
        let at = step.step.started_at;
        let is_before =
            |other: Option<Time>| at.is_none() || other.is_none_or(|other| Some(other) <= at);
        let turn = self.turns.iter().rposition(|turn| is_before(turn.started_at)).unwrap_or(0);
        let steps = &mut self.main[turn];
        let place = steps.iter().rposition(|other| is_before(other.step.started_at));
        steps.insert(place.map_or(0, |place| place + 1), step);
    }

    /// Points the steps at the agents they started, outermost first, so that each agent's turn is known.
    fn tie_agents(&mut self) {
        let mut untied: Vec<usize> = (0..self.agents.len()).collect();
        loop {
            let before = untied.len();
            untied.retain(|&index| !self.tie_agent(index));
            if untied.is_empty() || untied.len() == before {
                return;
            }
        }
    }

    /// Ties an agent to the step that started it; returns false where that step, or the turn that it is in, is not
    /// known yet.
    fn tie_agent(&mut self, index: usize) -> bool {
        let agent = &self.agents[index];
        let of_main = self.main.iter().enumerate().find_map(|(turn, steps)| {
            let step = steps.iter().position(|step| is_start(step, agent, &self.main_id))?;
            Some(ParentStep { turn, subagent: None, step })
        });
        let of_agents = || {
            self.agents.iter().enumerate().find_map(|(other, parent)| {
                let turn = parent.parent.filter(|_| other != index)?.turn;
                let starts = |step: &ThreadStep| is_start(step, agent, &parent.meta.id);
                let step = parent.steps.iter().position(starts)?;
                Some(ParentStep { turn, subagent: Some(other), step })
            })
        };
        let Some(parent) = of_main.or_else(of_agents) else { return false };
        let step = match parent.subagent {
            None => &mut self.main[parent.turn][parent.step].step,
            Some(other) => &mut self.agents[other].steps[parent.step].step,
        };
        step.subagent = Some(index);
        // The task of a child is sealed in newer logs; the parent's call is not.
        let title = step.tool.is_some().then(|| step.label.clone());
        let agent = &mut self.agents[index];
        agent.parent = Some(parent);
        if let Some(title) = title.filter(|title| !title.is_empty()) {
            agent.title = title;
        }
        let turn = &mut self.turns[parent.turn];
        turn.tokens = turn.tokens + agent.tokens;
        true
    }

    fn into_turns_and_agents(self) -> (Vec<Turn>, Vec<SubAgent>) {
        let plain = |steps: Vec<ThreadStep>| {
            let mut plain = Vec::with_capacity(steps.len());
            plain.extend(steps.into_iter().map(|step| step.step));
            plain
        };
        let with_steps =
            |(turn, steps): (Turn, Vec<ThreadStep>)| Turn { steps: plain(steps), ..turn };
        let turns = match self.turns.len() {
            ..MANY_TURNS => self.turns.into_iter().zip(self.main).map(with_steps).collect(),
            _ => self.turns.into_par_iter().zip(self.main).map(with_steps).collect(),
        };
        let agents = self.agents.into_iter().map(|agent| SubAgent {
            name: agent.name(),
            id: agent.meta.id.into(),
            title: agent.title,
            parent: agent.parent,
            started_at: agent.started_at,
            ended_at: agent.ended_at,
            steps: plain(agent.steps),
            tokens: agent.tokens,
            was_left: false,
        });
        (turns, agents.collect())
    }
}

fn is_start(step: &ThreadStep, agent: &ChildAgent, of: &str) -> bool {
    step.step.subagent.is_none()
        && step.spawned.as_ref().is_some_and(|spawned| agent.is_child_of(spawned, of))
}

fn stray_step(agent: &ChildAgent) -> ThreadStep {
    let first = agent.steps.first().map(|step| step.step.place).unwrap_or_default();
    let title =
        if agent.title.is_empty() { first_line_label(&agent.name()) } else { agent.title.clone() };
    let step = Step {
        kind: StepKind::SubAgent,
        label: title,
        started_at: agent.started_at,
        place: first,
        ..Step::default()
    };
    let thread = Some(agent.meta.id.clone());
    ThreadStep { step, spawned: Some(SpawnedAgent { thread, path: None }) }
}
