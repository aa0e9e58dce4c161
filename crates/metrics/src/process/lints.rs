//! Recordings that cannot be what they say.
//!
//! A recording is a claim. These are the signs by which one is known that was made up, cut together or left by a broken
//! recorder: every one names what is wrong and where. None of them is a verdict.

use serde::Serialize;

use trajview_run::{Run, Step};

/// What is wrong with a recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lint {
    /// A word for scripts.
    pub id: &'static str,
    /// A sentence without a full stop.
    pub what: String,
}

/// So many steps take more than that long, whatever does them.
const MANY_STEPS: usize = 3;
const LEAST_SECONDS: f64 = 0.05;

/// So many steps whose tokens are all the same were not counted.
const EQUAL_TOKENS: usize = 5;

/// What cannot be in a recording.
pub fn of(run: &Run) -> Vec<Lint> {
    let steps: Vec<&Step> = run.turns.iter().flat_map(|turn| &turn.steps).collect();
    let found = [
        no_time(run, &steps),
        backwards(&steps),
        equal_times(&steps),
        equal_tokens(&steps),
        results_first(&steps),
        empty_calls(&steps),
        nothing(run, &steps),
    ];
    found.into_iter().flatten().collect()
}

fn lint(id: &'static str, what: String) -> Option<Lint> {
    Some(Lint { id, what })
}

/// Many steps in no time.
fn no_time(run: &Run, steps: &[&Step]) -> Option<Lint> {
    let times = || steps.iter().filter_map(|step| step.started_at);
    let (first, last) = (times().min()?, times().max()?);
    let last = run.ended_at.map_or(last, |ended| ended.max(last));
    let seconds = last.seconds_since(first)?;
    let is_short = steps.len() >= MANY_STEPS && seconds < LEAST_SECONDS;
    let what = format!(
        "{} steps in {:.0} ms: these are not the times at which they were done",
        steps.len(),
        seconds * 1e3
    );
    is_short.then(|| lint("no-time", what))?
}

fn backwards(steps: &[&Step]) -> Option<Lint> {
    let times: Vec<_> = steps.iter().filter_map(|step| step.started_at).collect();
    let count = times.windows(2).filter(|pair| pair[1] < pair[0]).count();
    let what = format!("{count} of {} steps are earlier than the step before them", times.len());
    // One is a clock that was set.
    (count > 1).then(|| lint("backwards", what))?
}

fn equal_times(steps: &[&Step]) -> Option<Lint> {
    let times: Vec<_> = steps.iter().filter_map(|step| step.started_at).collect();
    let first = times.first()?;
    let are_equal = times.len() >= EQUAL_TOKENS && times.iter().all(|time| time == first);
    let what = format!("all {} steps have the same time", times.len());
    are_equal.then(|| lint("equal-times", what))?
}

fn equal_tokens(steps: &[&Step]) -> Option<Lint> {
    let told =
        steps.iter().map(|step| step.tokens).filter(|it| it.input.is_some() || it.output.is_some());
    let told: Vec<_> = told.collect();
    let first = told.first()?;
    let are_equal = told.len() >= EQUAL_TOKENS && told.iter().all(|it| it == first);
    let what = format!("all {} responses took the same tokens", told.len());
    are_equal.then(|| lint("constant-tokens", what))?
}

fn results_first(steps: &[&Step]) -> Option<Lint> {
    let is_early =
        |step: &&&Step| step.ended_at.zip(step.started_at).is_some_and(|(end, start)| end < start);
    let count = steps.iter().filter(is_early).count();
    let what = match count {
        1 => "1 call has its result before it was made".to_owned(),
        _ => format!("{count} calls have their results before they were made"),
    };
    (count > 0).then(|| lint("impossible-order", what))?
}

/// Calls that say neither what they are about nor what came back.
fn empty_calls(steps: &[&Step]) -> Option<Lint> {
    let calls: Vec<_> = steps.iter().filter(|step| step.tool.is_some()).collect();
    let is_empty = |step: &&&&Step| {
        step.label.is_empty()
            && step.edits.is_empty()
            && step.result().is_none_or(|it| it.bytes == 0)
    };
    let count = calls.iter().filter(is_empty).count();
    let what = format!(
        "{count} of {} calls say neither what they are about nor what came back",
        calls.len()
    );
    (count >= MANY_STEPS.min(calls.len()) && count * 2 > calls.len())
        .then(|| lint("empty-calls", what))?
}

fn nothing(run: &Run, steps: &[&Step]) -> Option<Lint> {
    let is_document = run.is_rubric_tree_alone();
    let has_recorded =
        !run.checkpoints.is_empty() || run.turns.iter().any(|turn| turn.commit.is_some());
    let is_empty = steps.is_empty() && !is_document && !has_recorded;
    is_empty.then(|| lint("no-steps", "the recording holds no step".into()))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::{Time, Tokens, ToolCall, Turn};

    fn step(time: &str, tokens: u64) -> Step {
        Step {
            label: "x".into(),
            started_at: Time::parse(time),
            tokens: Tokens { input: Some(tokens), ..Tokens::default() },
            tool: Some(Box::new(ToolCall::default())),
            ..Step::default()
        }
    }

    fn lints(steps: Vec<Step>) -> Vec<&'static str> {
        let run = Run { turns: vec![Turn { steps, ..Turn::default() }], ..Run::default() };
        of(&run).into_iter().map(|lint| lint.id).collect()
    }

    #[test]
    fn a_run_of_a_millisecond_and_equal_times_are_told() {
        let at = |ms: usize| format!("2026-06-21T18:22:15.{ms:03}Z");
        let fast = (1..=4).map(|ms| step(&at(ms), ms as u64)).collect();
        assert_eq!(lints(fast), ["no-time"]);
        let equal = (1..=5).map(|it| step(&at(1), it)).collect();
        assert_eq!(lints(equal), ["no-time", "equal-times"]);
    }

    #[test]
    fn an_order_that_cannot_be_and_tokens_that_never_change_are_told() {
        let at = |second: usize| format!("2026-06-21T18:22:{second:02}Z");
        let back = [10, 5, 7, 3].map(|second| step(&at(second), second as u64));
        assert_eq!(lints(back.into()), ["backwards"]);
        let equal = (10..15).map(|second| step(&at(second), 7)).collect();
        assert_eq!(lints(equal), ["constant-tokens"]);
        let early = Step { ended_at: Time::parse(&at(1)), ..step(&at(2), 1) };
        assert_eq!(lints(vec![early]), ["impossible-order"]);
    }

    #[test]
    fn a_recording_without_steps_is_told_and_a_good_one_is_not() {
        assert_eq!(lints(vec![]), ["no-steps"]);
        let good = (10..15).map(|second| step(&format!("2026-06-21T18:22:{second}Z"), second));
        assert_eq!(lints(good.collect()), [""; 0]);
    }
}
