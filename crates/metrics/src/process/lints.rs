//! Finds recordings that cannot be genuine.
//!
//! A recording is a claim. The lints point at recordings that were made up, put together from pieces, or written by a
//! broken recorder: each names what is wrong and where. None of them is a verdict.

use serde::Serialize;

use trajview_run::{Run, Step};

/// A problem of a recording.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecordingLint {
    /// A word for scripts.
    pub id: &'static str,
    /// A sentence without a full stop.
    pub what: String,
}

/// This many steps always take at least [`MIN_SECONDS`].
const MANY_STEPS: usize = 3;
const MIN_SECONDS: f64 = 0.05;

/// If this many steps all have the same tokens, they were not really counted.
const EQUAL_TOKENS: usize = 5;

/// Returns the problems of a recording.
pub(crate) fn find_lints(run: &Run) -> Vec<RecordingLint> {
    let steps: Vec<&Step> = run.turns.iter().flat_map(|turn| &turn.steps).collect();
    let lints = [
        no_time(run, &steps),
        backward_times(&steps),
        equal_times(&steps),
        equal_tokens(&steps),
        results_first(&steps),
        empty_calls(&steps),
        no_steps(run, &steps),
    ];
    lints.into_iter().flatten().collect()
}

fn some_lint(id: &'static str, what: String) -> Option<RecordingLint> {
    Some(RecordingLint { id, what })
}

/// Finds many steps in nearly no time.
fn no_time(run: &Run, steps: &[&Step]) -> Option<RecordingLint> {
    let times = || steps.iter().filter_map(|step| step.started_at);
    let (first, last) = (times().min()?, times().max()?);
    let last = run.ended_at.map_or(last, |ended| ended.max(last));
    let seconds = last.seconds_since(first)?;
    let is_short = steps.len() >= MANY_STEPS && seconds < MIN_SECONDS;
    let what = format!(
        "{} steps in {:.0} ms: these are not the times at which they were done",
        steps.len(),
        seconds * 1e3
    );
    is_short.then(|| some_lint("no-time", what))?
}

fn backward_times(steps: &[&Step]) -> Option<RecordingLint> {
    let times: Vec<_> = steps.iter().filter_map(|step| step.started_at).collect();
    let count = times.windows(2).filter(|pair| pair[1] < pair[0]).count();
    let what = format!("{count} of {} steps are earlier than the step before them", times.len());
    // A single one can be a clock that was set.
    (count > 1).then(|| some_lint("backwards", what))?
}

fn equal_times(steps: &[&Step]) -> Option<RecordingLint> {
    let times: Vec<_> = steps.iter().filter_map(|step| step.started_at).collect();
    let first = times.first()?;
    let are_equal = times.len() >= EQUAL_TOKENS && times.iter().all(|time| time == first);
    let what = format!("all {} steps have the same time", times.len());
    are_equal.then(|| some_lint("equal-times", what))?
}

fn equal_tokens(steps: &[&Step]) -> Option<RecordingLint> {
    let token_counts =
        steps.iter().map(|step| step.tokens).filter(|it| it.input.is_some() || it.output.is_some());
    let token_counts: Vec<_> = token_counts.collect();
    let first = token_counts.first()?;
    let are_equal = token_counts.len() >= EQUAL_TOKENS && token_counts.iter().all(|it| it == first);
    let what = format!("all {} responses took the same tokens", token_counts.len());
    are_equal.then(|| some_lint("constant-tokens", what))?
}

fn results_first(steps: &[&Step]) -> Option<RecordingLint> {
    let is_early =
        |step: &&&Step| step.ended_at.zip(step.started_at).is_some_and(|(end, start)| end < start);
    let count = steps.iter().filter(is_early).count();
    let what = match count {
        1 => "1 call has its result before it was made".to_owned(),
        _ => format!("{count} calls have their results before they were made"),
    };
    (count > 0).then(|| some_lint("impossible-order", what))?
}

/// Finds calls with neither arguments nor a result.
fn empty_calls(steps: &[&Step]) -> Option<RecordingLint> {
    let calls: Vec<_> = steps.iter().filter(|step| step.tool.is_some()).collect();
    let is_empty = |step: &&&&Step| {
        step.label.is_empty()
            && step.edits.is_empty()
            && step.tool_result().is_none_or(|it| it.bytes == 0)
    };
    let count = calls.iter().filter(is_empty).count();
    let what = format!(
        "{count} of {} calls say neither what they are about nor what came back",
        calls.len()
    );
    (count >= MANY_STEPS.min(calls.len()) && count * 2 > calls.len())
        .then(|| some_lint("empty-calls", what))?
}

fn no_steps(run: &Run, steps: &[&Step]) -> Option<RecordingLint> {
    let is_document = run.has_no_log();
    let has_recorded =
        !run.checkpoints.is_empty() || run.turns.iter().any(|turn| turn.commit.is_some());
    let is_empty = steps.is_empty() && !is_document && !has_recorded;
    is_empty.then(|| some_lint("no-steps", "the recording holds no step".into()))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::{Time, Tokens, ToolCall, Turn};

    fn timed_step(time: &str, tokens: u64) -> Step {
        Step {
            label: "x".into(),
            started_at: Time::parse(time),
            tokens: Tokens { input: Some(tokens), ..Tokens::default() },
            tool: Some(Box::new(ToolCall::default())),
            ..Step::default()
        }
    }

    fn lint_ids(steps: Vec<Step>) -> Vec<&'static str> {
        let run = Run { turns: vec![Turn { steps, ..Turn::default() }], ..Run::default() };
        find_lints(&run).into_iter().map(|lint| lint.id).collect()
    }

    #[test]
    fn a_run_of_a_millisecond_and_equal_times_are_told() {
        let at = |ms: usize| format!("2026-06-21T18:22:15.{ms:03}Z");
        let fast = (1..=4).map(|ms| timed_step(&at(ms), ms as u64)).collect();
        assert_eq!(lint_ids(fast), ["no-time"]);
        let equal = (1..=5).map(|it| timed_step(&at(1), it)).collect();
        assert_eq!(lint_ids(equal), ["no-time", "equal-times"]);
    }

    #[test]
    fn an_order_that_cannot_be_and_tokens_that_never_change_are_told() {
        let at = |second: usize| format!("2026-06-21T18:22:{second:02}Z");
        let back = [10, 5, 7, 3].map(|second| timed_step(&at(second), second as u64));
        assert_eq!(lint_ids(back.into()), ["backwards"]);
        let equal = (10..15).map(|second| timed_step(&at(second), 7)).collect();
        assert_eq!(lint_ids(equal), ["constant-tokens"]);
        let early = Step { ended_at: Time::parse(&at(1)), ..timed_step(&at(2), 1) };
        assert_eq!(lint_ids(vec![early]), ["impossible-order"]);
    }

    #[test]
    fn a_recording_without_steps_is_told_and_a_good_one_is_not() {
        assert_eq!(lint_ids(vec![]), ["no-steps"]);
        let good =
            (10..15).map(|second| timed_step(&format!("2026-06-21T18:22:{second}Z"), second));
        assert_eq!(lint_ids(good.collect()), [""; 0]);
    }
}
