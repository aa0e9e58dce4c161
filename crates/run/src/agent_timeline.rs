//! The agents of a turn, or of a whole run, beside each other in time: the main agent and each sub-agent below the one that
//! started it.

use std::collections::HashSet;

use super::{Run, StepId, Time, Tokens};

/// The part of a run that the lanes show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LaneScope {
    #[default]
    Run,
    /// Counts from 0.
    Turn(usize),
}

/// The work of one agent within a turn or a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentLane {
    /// Index into [`Run::subagents`]; None for the main agent.
    pub agent: Option<usize>,
    /// Depth in sub-agents; 0 for the main agent.
    pub depth: usize,
    /// The step that started it; None for the main agent.
    pub started_by: Option<StepId>,
    pub first: Option<StepId>,
    pub steps: usize,
    /// The times of work: for the main agent a bar each turn, for a sub-agent one from its first moment to its last.
    /// Empty where no time is recorded.
    pub bars: Vec<(Time, Time)>,
    /// Number of its steps that failed.
    pub failed: usize,
    /// The times of these failures, as far as they are recorded.
    pub failures: Vec<Time>,
    /// Its own, without those of the agents it started.
    pub tokens: Tokens,
}

impl AgentLane {
    /// Returns the seconds of work; None where no time is recorded.
    pub fn working_seconds(&self) -> Option<f64> {
        let bars = self.bars.iter().map(|(start, end)| end.seconds_since(*start));
        bars.sum::<Option<f64>>().filter(|_| !self.bars.is_empty())
    }
}

/// Returns the agents in playing order, the main agent first.
pub fn lanes_of_run(run: &Run, scope: LaneScope) -> Vec<AgentLane> {
    let turns = match scope {
        LaneScope::Run => 0..run.turns.len(),
        LaneScope::Turn(turn) => turn..(turn + 1).min(run.turns.len()),
    };
    let mut lanes = vec![AgentLane::default()];
    let mut seen = HashSet::new();
    for turn in turns {
        add_turn(run, turn, &mut lanes[0]);
        for (child, id) in subagents_in_turn(run, turn) {
            if seen.insert(child) {
                let depth = depth_of(&lanes, id.subagent) + 1;
                let lane = subagent_lane(run, turn, child);
                lanes.push(AgentLane { depth, started_by: Some(id), ..lane });
            }
        }
    }
    lanes
}

/// Returns the first and the last moment of all lanes; None where none of them has a time.
pub fn span_of_lanes(lanes: &[AgentLane]) -> Option<(Time, Time)> {
    let bars = || lanes.iter().flat_map(|lane| &lane.bars);
    let start = bars().map(|(start, _)| *start).min()?;
    Some((start, bars().map(|(_, end)| *end).max()?))
}

/// Returns the sub-agents that work in a turn, each with the step that started it.
fn subagents_in_turn(run: &Run, turn: usize) -> Vec<(usize, StepId)> {
    let steps = run.steps_of_turn(turn).into_iter();
    steps
        .filter_map(|id| Some((run.step(id)?.subagent.filter(|it| *it < run.subagents.len())?, id)))
        .collect()
}

fn depth_of(lanes: &[AgentLane], agent: Option<usize>) -> usize {
    lanes.iter().find(|lane| lane.agent == agent).map_or(0, |lane| lane.depth)
}

fn subagent_lane(run: &Run, turn: usize, agent: usize) -> AgentLane {
    let subagent = &run.subagents[agent];
    let mut lane =
        AgentLane { agent: Some(agent), tokens: subagent.tokens, ..AgentLane::default() };
    let start_and_end = [subagent.started_at, subagent.ended_at];
    let bar = add_steps(run, turn, Some(agent), &mut lane)
        .or_else(|| time_span(start_and_end.into_iter()));
    lane.bars.extend(bar);
    lane
}

fn add_turn(run: &Run, turn: usize, lane: &mut AgentLane) {
    let run_turn = &run.turns[turn];
    let steps = add_steps(run, turn, None, lane);
    let ends = steps.map_or([None; 2], |(start, end)| [Some(start), Some(end)]);
    lane.bars.extend(time_span(ends.into_iter().chain([run_turn.started_at])));
    lane.tokens = run_turn.steps.iter().fold(lane.tokens, |sum, step| sum + step.tokens);
}

/// Counts the steps of an agent and its failures; gives its first and last moment.
fn add_steps(
    run: &Run,
    turn: usize,
    agent: Option<usize>,
    lane: &mut AgentLane,
) -> Option<(Time, Time)> {
    let steps = run.agent_steps(turn, agent).unwrap_or_default();
    let first = (!steps.is_empty()).then_some(StepId { turn, subagent: agent, step: 0 });
    lane.first = lane.first.or(first);
    lane.steps += steps.len();
    let failed = || steps.iter().filter(|step| step.has_failed());
    lane.failed += failed().count();
    lane.failures.extend(failed().filter_map(|step| step.ended_at.or(step.started_at)));
    time_span(steps.iter().flat_map(|step| [step.started_at, step.ended_at]))
}

fn time_span(times: impl Iterator<Item = Option<Time>>) -> Option<(Time, Time)> {
    times.flatten().fold(None, |span, time| match span {
        None => Some((time, time)),
        Some((start, end)) => Some((time.min(start), time.max(end))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Step, StepKind, SubAgent, ToolCall, ToolResult, Turn};

    fn time_at(seconds: i64) -> Option<Time> {
        Some(Time(seconds * 1000))
    }

    fn tool_step(start: i64, end: i64, subagent: Option<usize>) -> Step {
        let kind = if subagent.is_some() { StepKind::SubAgent } else { StepKind::Tool };
        let (started_at, ended_at) = (time_at(start), time_at(end));
        Step { kind, subagent, started_at, ended_at, ..Step::default() }
    }

    fn failed_step(start: i64, end: i64) -> Step {
        let result = Some(ToolResult { exit_code: Some(1), ..ToolResult::default() });
        let tool = Some(Box::new(ToolCall { result, ..ToolCall::default() }));
        Step { tool, ..tool_step(start, end, None) }
    }

    fn subagent_with(steps: Vec<Step>) -> SubAgent {
        let tokens = Tokens { output: Some(7), ..Tokens::default() };
        SubAgent { steps, tokens, ..SubAgent::default() }
    }

    /// Returns two agents side by side in the first turn, one within the second of them, and a second turn without any.
    fn sample_run() -> Run {
        let first = vec![tool_step(1, 9, Some(0)), tool_step(1, 20, Some(1))];
        let turn = |start, steps| Turn { started_at: time_at(start), steps, ..Turn::default() };
        let subagents = vec![
            subagent_with(vec![tool_step(2, 3, None), failed_step(5, 8)]),
            subagent_with(vec![tool_step(2, 4, None), tool_step(5, 18, Some(2))]),
            subagent_with(vec![Step::default()]),
        ];
        let turns = vec![turn(0, first), turn(100, vec![failed_step(103, 105)])];
        Run { turns, subagents, ..Run::default() }
    }

    #[test]
    fn each_agent_has_a_lane_below_the_one_that_started_it() {
        let lanes = lanes_of_run(&sample_run(), LaneScope::Turn(0));

        let shape: Vec<_> =
            lanes.iter().map(|it| (it.agent, it.depth, it.steps, it.failed)).collect();
        let expected =
            [(None, 0, 2, 0), (Some(0), 1, 2, 1), (Some(1), 1, 2, 0), (Some(2), 2, 1, 0)];
        assert_eq!(shape, expected);
        let seconds: Vec<_> = lanes.iter().map(AgentLane::working_seconds).collect();
        assert_eq!(seconds, [Some(20.0), Some(6.0), Some(16.0), None]);
        assert_eq!(span_of_lanes(&lanes), time_at(0).zip(time_at(20)));
        assert_eq!(lanes[1].failures, [Time(8000)]);
        assert_eq!((lanes[0].tokens.output, lanes[1].tokens.output), (None, Some(7)));
        assert_eq!(lanes[3].first, Some(StepId { turn: 0, subagent: Some(2), step: 0 }));
    }

    #[test]
    fn in_a_whole_run_the_main_agent_works_turn_by_turn_and_rests_between() {
        let lanes = lanes_of_run(&sample_run(), LaneScope::Run);

        assert_eq!(lanes.len(), 4);
        assert_eq!(
            (lanes[0].bars.len(), lanes[0].working_seconds(), lanes[0].failed),
            (2, Some(25.0), 1)
        );
    }

    #[test]
    fn without_times_there_is_no_span() {
        let turn = Turn { steps: vec![Step::default()], ..Turn::default() };
        let lanes = lanes_of_run(&Run { turns: vec![turn], ..Run::default() }, LaneScope::Run);

        assert_eq!(
            (lanes[0].steps, lanes[0].working_seconds(), span_of_lanes(&lanes)),
            (1, None, None)
        );
    }
}
