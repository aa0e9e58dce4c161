//! The pace of the steps: the start of each, its duration, the wait of its agent before it, and the tokens of its model call.
//!
//! Recordings write a call down when the model has made it. So what lies between the end of everything before a step and
//! the step itself is mostly the model at work, and what lies between the step and its result is the tool at work.

use super::{Run, Step, StepId, StepKind, Time, Tokens, Turn};

/// The times of one step. None is "not recorded", which is not 0.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepPace {
    pub began: Option<Time>,
    /// Seconds since the turn's request.
    pub since_turn_s: Option<f64>,
    /// Seconds from the call to its result; None for a step that has no result.
    pub took_s: Option<f64>,
    /// Seconds in which nothing of this agent was at work before the step: since everything before it had ended, or since
    /// the turn's request. 0 for a call beside others that still go on.
    pub waited_s: Option<f64>,
    /// The step of the same agent that has the tokens of this step's model call; counts from 0.
    pub call: Option<usize>,
    /// The tokens of that call.
    pub tokens: Tokens,
}

impl StepPace {
    /// Returns the tokens in the context of the model call: all its input, from the cache or not.
    pub const fn context_tokens(&self) -> Option<u64> {
        self.tokens.input
    }
}

/// Returns the paces of a turn's main agent, or of one sub-agent, in the order of its steps.
pub fn agent_paces(run: &Run, turn: usize, agent: Option<usize>) -> Vec<StepPace> {
    let requested_at = run.turns.get(turn).and_then(|turn| turn.started_at);
    let start = match agent {
        Some(agent) => run.subagents.get(agent).and_then(|agent| agent.started_at),
        None => requested_at,
    };
    let mut walk = PaceWalk { done: start, ..PaceWalk::default() };
    let steps = run.agent_steps(turn, agent).unwrap_or_default();
    let pace = |(at, step): (usize, &Step)| {
        let ended = step.ended_at.or_else(|| end_of_agent(run, step));
        let waited_s = walk.waited_before(step, ended);
        let (call, tokens) = walk.model_call_of(at, step);
        let since = |from: Option<Time>| step.started_at?.seconds_since(from?);
        let took_s = ended.zip(step.started_at).and_then(|(end, start)| end.seconds_since(start));
        let (began, since_turn_s) = (step.started_at, since(requested_at));
        StepPace { began, since_turn_s, took_s, waited_s, call, tokens }
    };
    steps.iter().enumerate().map(pace).collect()
}

/// Returns the tokens in the context of the main agent at the end of a turn: the input of its last model call. None where no call of the
/// turn records its tokens.
pub fn context_after(turn: &Turn) -> Option<u64> {
    last_input_tokens(&turn.steps)
}

/// Returns the tokens in the context at a step of the main agent: the input of the last model call up to it. None for a
/// step of a sub-agent.
pub fn context_at(run: &Run, at: StepId) -> Option<u64> {
    let turn = run.turns.get(at.turn).filter(|_| at.subagent.is_none())?;
    last_input_tokens(turn.steps.get(..=at.step)?)
}

/// Returns the input tokens of the last model call of some steps.
fn last_input_tokens(steps: &[Step]) -> Option<u64> {
    steps.iter().rev().find_map(|step| step.tokens.input)
}

/// Returns the end of a sub-agent whose step has no result of its own: the step ends with it.
fn end_of_agent(run: &Run, step: &Step) -> Option<Time> {
    let is_alone = step.kind == StepKind::SubAgent && step.tool.is_none();
    step.subagent.filter(|_| is_alone).and_then(|agent| run.subagents.get(agent)?.ended_at)
}

/// The state of an agent before its next step.
#[derive(Default)]
struct PaceWalk {
    /// The latest end of everything before.
    done: Option<Time>,
    /// The latest beginning of everything before.
    begun: Option<Time>,
    /// True if an earlier call has no recorded end, so that the start of the wait is not known.
    is_open: bool,
    /// The model call under way, by the step that has its tokens.
    call: Option<(usize, Tokens)>,
}

impl PaceWalk {
    fn waited_before(&mut self, step: &Step, ended: Option<Time>) -> Option<f64> {
        let (began, is_open) = (step.started_at, self.is_open);
        // What answers a call comes after it: the model went on, so the call has ended by now.
        let goes_on = step.tool.is_none() || step.tokens.is_recorded();
        let is_unanswered = step.tool.is_some() && ended.is_none();
        self.is_open = is_unanswered || is_open && !goes_on;
        let waited = began.zip(self.done).and_then(|(began, done)| {
            // Before the step before, the clock went back; before its end, both go on at once.
            let is_beside = began < done && self.begun.is_some_and(|begun| begun <= began);
            if is_beside { Some(0.0) } else { began.seconds_since(done) }
        });
        let is_own = step.kind != StepKind::SubAgent || step.tool.is_some();
        self.done = self.done.max(began).max(ended.filter(|_| is_own));
        self.begun = self.begun.max(began);
        waited.filter(|_| !is_open)
    }

    /// Returns the index of the step with the tokens of a step's model call, and those tokens; remembers the call. A
    /// call lasts until tokens of another are recorded, or a record that is not from the model follows.
    fn model_call_of(&mut self, at: usize, step: &Step) -> (Option<usize>, Tokens) {
        if step.tokens.is_recorded() {
            self.call = Some((at, step.tokens));
        } else if step.role != super::Role::Assistant || step.kind == StepKind::Compaction {
            self.call = None;
        }
        self.call.map_or((None, Tokens::default()), |(at, tokens)| (Some(at), tokens))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Role, SubAgent, ToolCall};

    fn time_at(seconds: i64) -> Option<Time> {
        Some(Time(seconds * 1000))
    }

    fn tool_step(start: i64, end: Option<i64>) -> Step {
        let tool = Some(Box::new(ToolCall::default()));
        let ended_at = end.and_then(time_at);
        Step { kind: StepKind::Tool, started_at: time_at(start), ended_at, tool, ..Step::default() }
    }

    fn message_step(start: i64) -> Step {
        Step { kind: StepKind::Message, started_at: time_at(start), ..Step::default() }
    }

    fn with_input_tokens(step: Step, input: u64) -> Step {
        Step { tokens: Tokens { input: Some(input), output: Some(9), ..Tokens::default() }, ..step }
    }

    fn paces_of_turn(start: i64, steps: Vec<Step>) -> Vec<StepPace> {
        let turn = Turn { started_at: time_at(start), steps, ..Turn::default() };
        agent_paces(&Run { turns: vec![turn], ..Run::default() }, 0, None)
    }

    fn waited_seconds(paces: &[StepPace]) -> Vec<Option<f64>> {
        paces.iter().map(|pace| pace.waited_s).collect()
    }

    #[test]
    fn parallel_calls_wait_for_nothing_and_what_follows_waits_for_the_last_result() {
        let calls = [
            tool_step(4, Some(20)),
            tool_step(5, Some(9)),
            tool_step(6, Some(12)),
            tool_step(23, Some(24)),
        ];

        let paces = paces_of_turn(0, calls.to_vec());

        assert_eq!(waited_seconds(&paces), [Some(4.0), Some(0.0), Some(0.0), Some(3.0)]);
        let took: Vec<_> = paces.iter().map(|pace| pace.took_s).collect();
        assert_eq!(took, [Some(16.0), Some(4.0), Some(6.0), Some(1.0)]);
    }

    #[test]
    fn what_has_no_time_is_not_known_and_takes_nothing_from_the_others() {
        let timeless = Step { kind: StepKind::Thinking, ..Step::default() };

        let paces = paces_of_turn(
            0,
            vec![
                message_step(2),
                timeless,
                tool_step(5, None),
                tool_step(6, Some(7)),
                message_step(9),
                message_step(11),
            ],
        );

        // The end of the unanswered call is not known, so the wait after it is not known either.
        assert_eq!(waited_seconds(&paces), [Some(2.0), None, Some(3.0), None, None, Some(2.0)]);
        assert_eq!((paces[1].began, paces[1].since_turn_s, paces[1].took_s), (None, None, None));
        assert_eq!(paces[2].took_s, None);
    }

    #[test]
    fn a_night_between_two_turns_is_waited_by_nobody() {
        let night = 8 * 60 * 60;
        let turn = |start: i64| Turn {
            started_at: time_at(start),
            steps: vec![message_step(start + 3)],
            ..Turn::default()
        };
        let run = Run { turns: vec![turn(0), turn(night)], ..Run::default() };

        let second = agent_paces(&run, 1, None)[0];

        assert_eq!((second.waited_s, second.since_turn_s), (Some(3.0), Some(3.0)));
    }

    #[test]
    fn a_subagent_has_its_own_waits_and_the_clock_of_the_turn() {
        let agent = SubAgent {
            started_at: time_at(10),
            ended_at: time_at(30),
            steps: vec![with_input_tokens(tool_step(14, Some(15)), 70), tool_step(29, Some(30))],
            ..SubAgent::default()
        };
        let alone = Step {
            kind: StepKind::SubAgent,
            subagent: Some(0),
            started_at: time_at(10),
            ..Step::default()
        };
        let turn = Turn {
            started_at: time_at(0),
            steps: vec![alone, message_step(12)],
            ..Turn::default()
        };
        let run = Run { turns: vec![turn], subagents: vec![agent], ..Run::default() };

        let inside = agent_paces(&run, 0, Some(0));
        assert_eq!(waited_seconds(&inside), [Some(4.0), Some(14.0)]);
        assert_eq!(inside[1].since_turn_s, Some(29.0));
        assert_eq!((inside[1].call, inside[1].context_tokens()), (Some(0), Some(70)));
        let outside = agent_paces(&run, 0, None);
        assert_eq!(outside[0].took_s, Some(20.0));
        assert_eq!(outside[1].waited_s, Some(2.0), "the agent worked on by itself");
        assert_eq!(context_after(&run.turns[0]), None, "a sub-agent has another context");
    }

    #[test]
    fn a_call_has_the_tokens_of_its_first_step_until_somebody_else_speaks() {
        let user = Step { role: Role::User, ..message_step(5) };
        let steps = vec![
            with_input_tokens(message_step(1), 100),
            tool_step(2, Some(3)),
            user,
            message_step(6),
            with_input_tokens(message_step(7), 250),
        ];

        let paces = paces_of_turn(0, steps.clone());

        let calls: Vec<_> = paces.iter().map(|pace| (pace.call, pace.context_tokens())).collect();
        let first = (Some(0), Some(100));
        assert_eq!(calls, [first, first, (None, None), (None, None), (Some(4), Some(250))]);
        let turn = Turn { steps, ..Turn::default() };
        assert_eq!([&turn, &Turn::default()].map(context_after), [Some(250), None]);
    }
}
