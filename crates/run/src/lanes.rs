//! The agents of a turn, or of a whole run, beside each other in time: the main agent and each sub-agent below the one that
//! started it.

use std::collections::HashSet;

use super::{Run, StepId, Time, Tokens};

/// What of a run the lanes are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    #[default]
    Run,
    /// Counts from 0.
    Turn(usize),
}

/// What one agent did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lane {
    /// Index into [`Run::subagents`]; None for the main agent.
    pub agent: Option<usize>,
    /// How deep in sub-agents it is; 0 for the main agent.
    pub depth: usize,
    /// The step that started it; None for the main agent.
    pub started_by: Option<StepId>,
    pub first: Option<StepId>,
    pub steps: usize,
    /// From when to when it was at work: the main agent a bar each turn, a sub-agent from its first moment to its last. Empty
    /// where no time is recorded.
    pub bars: Vec<(Time, Time)>,
    /// How many of its steps failed.
    pub failed: usize,
    /// When they did, as far as that is recorded.
    pub failures: Vec<Time>,
    /// Its own, without those of the agents it started.
    pub tokens: Tokens,
}

impl Lane {
    /// How long it was at work; None where no time is recorded.
    pub fn seconds(&self) -> Option<f64> {
        let bars = self.bars.iter().map(|(start, end)| end.seconds_since(*start));
        bars.sum::<Option<f64>>().filter(|_| !self.bars.is_empty())
    }
}

/// The agents in playing order, the main agent first.
pub fn of(run: &Run, scope: Scope) -> Vec<Lane> {
    let turns = match scope {
        Scope::Run => 0..run.turns.len(),
        Scope::Turn(turn) => turn..(turn + 1).min(run.turns.len()),
    };
    let mut lanes = vec![Lane::default()];
    let mut seen = HashSet::new();
    for turn in turns {
        add_turn(run, turn, &mut lanes[0]);
        for (child, id) in started(run, turn) {
            if seen.insert(child) {
                let depth = depth_of(&lanes, id.subagent) + 1;
                let lane = lane_of(run, turn, child);
                lanes.push(Lane { depth, started_by: Some(id), ..lane });
            }
        }
    }
    lanes
}

/// The first and the last moment of all lanes; None where none of them has a time.
pub fn span(lanes: &[Lane]) -> Option<(Time, Time)> {
    let bars = || lanes.iter().flat_map(|lane| &lane.bars);
    let start = bars().map(|(start, _)| *start).min()?;
    Some((start, bars().map(|(_, end)| *end).max()?))
}

/// The sub-agents that work in a turn, each with the step that it stands below.
fn started(run: &Run, turn: usize) -> Vec<(usize, StepId)> {
    let steps = run.steps_of_turn(turn).into_iter();
    steps
        .filter_map(|id| Some((run.step(id)?.subagent.filter(|it| *it < run.subagents.len())?, id)))
        .collect()
}

fn depth_of(lanes: &[Lane], agent: Option<usize>) -> usize {
    lanes.iter().find(|lane| lane.agent == agent).map_or(0, |lane| lane.depth)
}

fn lane_of(run: &Run, turn: usize, agent: usize) -> Lane {
    let found = &run.subagents[agent];
    let mut lane = Lane { agent: Some(agent), tokens: found.tokens, ..Lane::default() };
    let own = [found.started_at, found.ended_at];
    let bar = add_steps(run, turn, Some(agent), &mut lane).or_else(|| around(own.into_iter()));
    lane.bars.extend(bar);
    lane
}

fn add_turn(run: &Run, turn: usize, lane: &mut Lane) {
    let found = &run.turns[turn];
    let steps = add_steps(run, turn, None, lane);
    let ends = steps.map_or([None; 2], |(start, end)| [Some(start), Some(end)]);
    lane.bars.extend(around(ends.into_iter().chain([found.started_at])));
    lane.tokens = found.steps.iter().fold(lane.tokens, |sum, step| sum + step.tokens);
}

/// Counts the steps of an agent and its failures; gives its first and last moment.
fn add_steps(
    run: &Run,
    turn: usize,
    agent: Option<usize>,
    lane: &mut Lane,
) -> Option<(Time, Time)> {
    let steps = run.steps_of(turn, agent).unwrap_or_default();
    let first = (!steps.is_empty()).then_some(StepId { turn, subagent: agent, step: 0 });
    lane.first = lane.first.or(first);
    lane.steps += steps.len();
    let failed = || steps.iter().filter(|step| step.failed());
    lane.failed += failed().count();
    lane.failures.extend(failed().filter_map(|step| step.ended_at.or(step.started_at)));
    around(steps.iter().flat_map(|step| [step.started_at, step.ended_at]))
}

fn around(times: impl Iterator<Item = Option<Time>>) -> Option<(Time, Time)> {
    times.flatten().fold(None, |found, time| match found {
        None => Some((time, time)),
        Some((start, end)) => Some((time.min(start), time.max(end))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Step, StepKind, SubAgent, ToolCall, ToolResult, Turn};

    fn at(seconds: i64) -> Option<Time> {
        Some(Time(seconds * 1000))
    }

    fn call(start: i64, end: i64, subagent: Option<usize>) -> Step {
        let kind = if subagent.is_some() { StepKind::SubAgent } else { StepKind::Tool };
        let (started_at, ended_at) = (at(start), at(end));
        Step { kind, subagent, started_at, ended_at, ..Step::default() }
    }

    fn failed(start: i64, end: i64) -> Step {
        let result = Some(ToolResult { exit_code: Some(1), ..ToolResult::default() });
        let tool = Some(Box::new(ToolCall { result, ..ToolCall::default() }));
        Step { tool, ..call(start, end, None) }
    }

    fn agent(steps: Vec<Step>) -> SubAgent {
        let tokens = Tokens { output: Some(7), ..Tokens::default() };
        SubAgent { steps, tokens, ..SubAgent::default() }
    }

    /// Two agents side by side in the first turn, one within the second of them, and a second turn without any.
    fn run() -> Run {
        let first = vec![call(1, 9, Some(0)), call(1, 20, Some(1))];
        let turn = |start, steps| Turn { started_at: at(start), steps, ..Turn::default() };
        let subagents = vec![
            agent(vec![call(2, 3, None), failed(5, 8)]),
            agent(vec![call(2, 4, None), call(5, 18, Some(2))]),
            agent(vec![Step::default()]),
        ];
        let turns = vec![turn(0, first), turn(100, vec![failed(103, 105)])];
        Run { turns, subagents, ..Run::default() }
    }

    #[test]
    fn each_agent_has_a_lane_below_the_one_that_started_it() {
        let lanes = of(&run(), Scope::Turn(0));

        let shape: Vec<_> =
            lanes.iter().map(|it| (it.agent, it.depth, it.steps, it.failed)).collect();
        let expected =
            [(None, 0, 2, 0), (Some(0), 1, 2, 1), (Some(1), 1, 2, 0), (Some(2), 2, 1, 0)];
        assert_eq!(shape, expected);
        let seconds: Vec<_> = lanes.iter().map(Lane::seconds).collect();
        assert_eq!(seconds, [Some(20.0), Some(6.0), Some(16.0), None]);
        assert_eq!(span(&lanes), at(0).zip(at(20)));
        assert_eq!(lanes[1].failures, [Time(8000)]);
        assert_eq!((lanes[0].tokens.output, lanes[1].tokens.output), (None, Some(7)));
        assert_eq!(lanes[3].first, Some(StepId { turn: 0, subagent: Some(2), step: 0 }));
    }

    #[test]
    fn in_a_whole_run_the_main_agent_works_turn_by_turn_and_rests_between() {
        let lanes = of(&run(), Scope::Run);

        assert_eq!(lanes.len(), 4);
        assert_eq!((lanes[0].bars.len(), lanes[0].seconds(), lanes[0].failed), (2, Some(25.0), 1));
    }

    #[test]
    fn without_times_there_is_no_span() {
        let turn = Turn { steps: vec![Step::default()], ..Turn::default() };
        let lanes = of(&Run { turns: vec![turn], ..Run::default() }, Scope::Run);

        assert_eq!((lanes[0].steps, lanes[0].seconds(), span(&lanes)), (1, None, None));
    }
}
