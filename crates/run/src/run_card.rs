//! A run in one row of a table: what it says of itself and what its index adds up to.

use serde::{Deserialize, Serialize};

use super::{
    Checkpoint, Run, Step, Tokens, Warning,
    activity::SessionWork,
    checkpoint_record::{PassCount, RecordedTests, TestGroup},
    format_number::count_with_noun,
    trial::TrialValues,
};

/// The facts of a run that are small enough to keep for a thousand runs. None is "not recorded", which is not 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunCard {
    pub identity: CardIdentity,
    /// The harness' result of the run.
    pub trial: TrialValues,
    /// Number of turns that count.
    pub turns: usize,
    /// The states of the turns that do not count, in order: `cut`, `skipped`.
    pub not_counted: Vec<&'static str>,
    /// The end of the run in turns done: after the last turn that counts.
    pub end: usize,
    pub checkpoints: usize,
    /// Lines added and removed by the turns that count, between before and after each; set by who reads the files.
    pub lines: Option<(u64, u64)>,
    /// Read and written, cached input included; None without both.
    pub tokens: Option<u64>,
    pub cost: CardCost,
    /// The further columns of the table `runs` of an export.
    pub totals: CardTotals,
    /// Tests of the last checkpoint, run by a harness.
    pub tests: Option<CardTests>,
    /// Measures of the last checkpoint, recorded by a harness as it defines them.
    pub recorded: Vec<RecordedValue>,
    /// Mean component fidelity, 0–4, by the judgement that speaks for the run; set by who reads judgements.
    pub mcf: Option<CardScore>,
    pub trouble: RunTrouble,
    /// The moments worth scoring, in turns done: the end of each checkpoint, and the end of the run last.
    pub moments: Vec<usize>,
    /// The work of the session: its folder, its edits, its state.
    pub work: SessionWork,
}

/// The totals of a run over the turns that count; None where they are not recorded.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CardTotals {
    /// Milliseconds since 1970-01-01 UTC.
    pub started_at: Option<i64>,
    pub ended_at: Option<i64>,
    /// Seconds between the first recorded moment and the last.
    pub seconds: Option<f64>,
    /// The benchmark or venue that the task is from.
    pub task_set: Option<String>,
    pub task_title: Option<String>,
    pub tokens: Tokens,
    /// Tokens that have no price; set by who has prices.
    pub not_priced_tokens: Option<u64>,
    /// Sub-agents' included; None, as the next two, without a log.
    pub steps: Option<usize>,
    pub tool_calls: Option<usize>,
    /// Steps that failed.
    pub errors: Option<usize>,
    /// Recorded tests of the last checkpoint that has some: those that pass, and all.
    pub tests: Option<(u64, u64)>,
    /// True if there is a result and no log ([`Run::has_no_log`]).
    #[serde(default)]
    pub has_no_log: bool,
}

impl CardTotals {
    fn for_run(run: &Run) -> Self {
        let task = run.task.as_ref();
        let is_known = !run.has_no_log();
        let counted = run.turns.iter().zip(0..).filter(|(turn, _)| turn.is_counted());
        let ids = counted.flat_map(|(_, turn)| run.steps_of_turn(turn));
        let (mut all, mut calls, mut errors) = (0, 0, 0);
        for step in ids.filter_map(|id| run.step(id)) {
            all += 1;
            calls += usize::from(step.tool.is_some());
            errors += usize::from(step.has_failed());
        }
        Self {
            started_at: run.started_at.map(|time| time.0),
            ended_at: run.ended_at.map(|time| time.0),
            seconds: run.duration_s(),
            task_set: task.and_then(|task| task.venue.clone()),
            task_title: task.and_then(|task| task.title.clone()),
            tokens: run.tokens(),
            not_priced_tokens: None,
            steps: is_known.then_some(all),
            tool_calls: is_known.then_some(calls),
            errors: is_known.then_some(errors),
            tests: tests_of(run),
            has_no_log: run.has_no_log(),
        }
    }

    /// Returns input and output together; None without both.
    pub fn all_tokens(&self) -> Option<u64> {
        self.tokens.total()
    }
}

/// Returns passed and all tests of the last checkpoint that has some; None where the harness failed and not the code.
fn tests_of(run: &Run) -> Option<(u64, u64)> {
    let mut records = run.checkpoints.iter().rev().filter_map(Checkpoint::last_record);
    let tests = records.find_map(|record| record.tests.as_ref())?;
    (!tests.infrastructure_failure).then_some((tests.strict.passed, tests.strict.total))
}

/// The cost of a run in US dollars: as recorded, and as computed from a table of prices. The two are never mixed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CardCost {
    pub recorded_usd: Option<f64>,
    /// Computed from prices; None where a token has no price; set by the caller that has prices.
    pub computed_usd: Option<f64>,
}

/// The problems of a run: in reading the recording, and in the run itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunTrouble {
    pub warnings: usize,
    /// The first of them, at most [`MOST_WARNINGS`].
    pub first_warnings: Vec<Warning>,
    /// Calls that failed; None where there are calls and the recording says of none how it ended.
    pub failures: Option<usize>,
}

/// The identity of a run: its task, its agent, its source. None is "not recorded".
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CardIdentity {
    pub id: String,
    pub title: String,
    /// The harness' id of the task; without a harness' result its title, or its id.
    pub task: Option<String>,
    /// The task's id, or its title where it has none: what runs of one task have in common.
    pub task_key: Option<String>,
    /// Name and version.
    pub agent: Option<String>,
    /// The agent without its version, which runs of one agent have in common.
    pub agent_key: Option<String>,
    pub model: Option<String>,
    pub condition: Option<String>,
    pub format: &'static str,
    /// The first line of the first request.
    pub request: Option<String>,
    pub harness: Option<String>,
    pub provenance: Option<String>,
}

/// The numbers whose recorded values are kept, by their ids.
pub const RECORDED: [&str; 2] = ["erosion", "verbosity"];

/// A number that a harness recorded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RecordedValue {
    /// The id of our number of that name.
    pub number: &'static str,
    pub value: f64,
    /// The reason why it is not reliable.
    pub doubt: Option<&'static str>,
}

/// A score by a judge.
#[derive(Debug, Clone, PartialEq)]
pub struct CardScore {
    pub score: f64,
    pub judge: String,
    /// The state that was judged, in turns done.
    pub done: usize,
    /// The mean corrected by blind labels of people; else the reason why there is none.
    pub corrected: Result<CorrectedCardScore, String>,
}

/// A mean that blind labels of people correct.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CorrectedCardScore {
    pub value: f64,
    /// Both ends of its 95 % interval.
    pub low: f64,
    pub high: f64,
    /// The number of labels that count.
    pub labels: usize,
}

impl CorrectedCardScore {
    /// Returns `2.94 ±0.13`, with the side of the interval that extends more.
    pub fn short_text(&self) -> String {
        let side = (self.value - self.low).max(self.high - self.value);
        format!("{:.2} ±{side:.2}", self.value)
    }

    /// Returns `2.94 [2.81, 3.07] · 42 labels`.
    pub fn full_text(&self) -> String {
        let Self { value, low, high, labels } = self;
        format!("{value:.2} [{low:.2}, {high:.2}] · {}", count_with_noun(*labels, "label"))
    }
}

/// The results of a harness' tests for one checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardTests {
    Counted {
        strict: PassCount,
        /// The tests of this checkpoint alone; None where the harness does not state them.
        iso: Option<PassCount>,
        core: Option<PassCount>,
    },
    /// The harness failed, not the code.
    CouldNotRun,
}

/// Warnings kept of each run.
pub const MOST_WARNINGS: usize = 20;

impl RunCard {
    pub fn for_run(run: &Run) -> Self {
        let last = run.checkpoints.last().and_then(Checkpoint::last_record);
        let recorded = |number: &'static str| {
            let measure = last?.value_of_metric(number).or_else(|| last?.value_named(number))?;
            Some(RecordedValue { number, value: measure.value.as_number()?, doubt: measure.doubt })
        };
        let tokens = run.tokens();
        let is_said = |words: &String| !words.trim().is_empty();
        let task_of_trial = run.trial.as_ref().and_then(|trial| trial.task.as_deref());
        let agent = [Some(run.agent.name.clone()), run.agent.version.clone()];
        let agent: Vec<String> = agent.into_iter().flatten().filter(is_said).collect();
        Self {
            trial: TrialValues::for_run(run),
            turns: run.counted_turns().count(),
            not_counted: uncounted_states(run),
            end: run.end_in_turns(),
            checkpoints: run.checkpoints.len(),
            lines: None,
            tokens: tokens.total(),
            cost: CardCost { recorded_usd: run.cost_usd(), computed_usd: None },
            totals: CardTotals::for_run(run),
            tests: last.and_then(|last| last.tests.as_ref()).map(CardTests::from_tests),
            recorded: RECORDED.into_iter().filter_map(recorded).collect(),
            mcf: None,
            trouble: RunTrouble {
                warnings: run.warnings.len(),
                first_warnings: run.warnings.iter().take(MOST_WARNINGS).cloned().collect(),
                failures: count_failures(run),
            },
            moments: scoring_moments(run),
            work: SessionWork::for_run(run),
            identity: CardIdentity {
                id: run.id.clone(),
                title: run.title.clone(),
                task: task_of_trial.map(str::to_owned).filter(is_said).or_else(|| {
                    let task = run.task.as_ref()?;
                    Some(task.title.as_ref().unwrap_or(&task.id).clone()).filter(is_said)
                }),
                task_key: run.task_key(),
                agent: Some(agent.join(" ")).filter(is_said),
                agent_key: run.agent_key(),
                model: run.model.clone().filter(is_said),
                condition: run.condition.clone().filter(is_said),
                format: run.origin.format,
                request: run.turns.iter().map(|turn| turn.title.to_string()).find(is_said),
                harness: run.origin.harness.clone(),
                provenance: run.origin.provenance.clone(),
            },
        }
    }
}

impl RunCard {
    /// Returns the recorded value of a number, by its id.
    pub fn recorded_value(&self, number: &str) -> Option<&RecordedValue> {
        self.recorded.iter().find(|recorded| recorded.number == number)
    }
}

impl CardTests {
    fn from_tests(tests: &RecordedTests) -> Self {
        if tests.infrastructure_failure {
            return Self::CouldNotRun;
        }
        let core = tests.group_counts(TestGroup::Core);
        Self::Counted { strict: tests.strict, iso: Some(tests.iso), core }
    }
}

/// Returns the steps of the main agent, then those of the sub-agents.
pub fn main_and_subagent_steps(run: &Run) -> impl Iterator<Item = &Step> {
    let own = run.turns.iter().flat_map(|turn| &turn.steps);
    own.chain(run.subagents.iter().flat_map(|agent| &agent.steps))
}

fn count_failures(run: &Run) -> Option<usize> {
    if run.has_no_log() {
        return None;
    }
    let mut calls = main_and_subagent_steps(run).filter(|step| step.tool.is_some()).peekable();
    let says = |step: &Step| {
        step.has_failed() || step.tool_result().is_some_and(|it| it.outcome_text().is_some())
    };
    if calls.peek().is_some() && !calls.any(says) {
        return None;
    }
    Some(main_and_subagent_steps(run).filter(|step| step.has_failed()).count())
}

fn uncounted_states(run: &Run) -> Vec<&'static str> {
    let states = run.turns.iter().filter_map(super::Turn::state);
    states.filter(|state| !state.is_counted()).map(super::TurnState::display_text).collect()
}

/// Returns the moments worth scoring, in turns done: the end of each checkpoint, and the end of the run last.
pub fn scoring_moments(run: &Run) -> Vec<usize> {
    let ends = run.checkpoints.iter().map(|checkpoint| checkpoint.last_turn + 1);
    let mut moments: Vec<usize> = ends.chain([run.end_in_turns()]).collect();
    moments.sort_unstable();
    moments.dedup();
    moments.retain(|done| *done <= run.end_in_turns());
    moments
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Checkpoint, CheckpointRecord, Time, Tokens, Turn};

    #[test]
    fn what_is_not_recorded_is_none_and_never_0() {
        let card = RunCard::for_run(&Run { turns: vec![Turn::default()], ..Run::default() });

        let nothing =
            (card.lines, card.tokens, card.cost.recorded_usd, card.totals.seconds, card.tests);
        assert_eq!(nothing, (None, None, None, None, None));
        assert_eq!((card.identity.task, card.identity.agent, card.recorded), (None, None, vec![]));
        assert_eq!((card.turns, card.moments), (1, vec![1]));
    }

    #[test]
    fn turns_add_up() {
        let turn = |at: i64| Turn {
            started_at: Some(Time(at * 1000)),
            tokens: Tokens { input: Some(10), output: Some(2), ..Tokens::default() },
            cost_usd: Some(0.25),
            ..Turn::default()
        };
        let card = RunCard::for_run(&Run { turns: vec![turn(5), turn(65)], ..Run::default() });

        assert_eq!(card.tokens, Some(24));
        assert_eq!((card.cost.recorded_usd, card.totals.seconds), (Some(0.5), Some(60.0)));
    }

    #[test]
    fn tests_are_those_of_the_last_checkpoint_alone() {
        let tests =
            RecordedTests { strict: PassCount { passed: 3, total: 4 }, ..RecordedTests::default() };
        let record =
            |tests| Some(Box::new(CheckpointRecord { tests, ..CheckpointRecord::default() }));
        let checkpoint = |last_turn, tests| Checkpoint {
            last_turn,
            recorded: record(tests),
            ..Checkpoint::default()
        };
        let turns = vec![Turn::default(), Turn::default(), Turn::default()];

        let first = checkpoint(0, Some(tests));
        let run = Run { turns, checkpoints: vec![first, checkpoint(1, None)], ..Run::default() };
        let card = RunCard::for_run(&run);

        assert_eq!((card.tests, card.moments), (None, vec![1, 2, 3]));
    }
}
