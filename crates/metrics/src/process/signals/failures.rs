//! Signals about failures: the same failure again, failures in words, turns that end while something fails.

use std::collections::HashMap;

use crate::process::{
    action::StepAction,
    step_facts::{ObservedRun, StepFacts},
};

use super::{ProcessSignal, SignalKind, ordinal_text, signal_over, step_label};

/// Adds the signals about failures.
pub(crate) fn find_failure_signals(observed: &ObservedRun, signals: &mut Vec<ProcessSignal>) {
    repeated_failures(observed, signals);
    failures_in_words(observed, signals);
    left_failing(observed, signals);
}

/// Finds failures that occurred before, whatever was tried in between. A failure without details is ignored, because
/// it resembles too many others.
fn repeated_failures(observed: &ObservedRun, signals: &mut Vec<ProcessSignal>) {
    let mut seen: HashMap<u64, (usize, usize)> = HashMap::new();
    for (at, step) in observed.steps.iter().enumerate() {
        let Some(failure) = step.prints.failure.filter(|_| !step.is_recorded) else { continue };
        let (first, times) = seen.entry(failure).or_insert((at, 0));
        *times += 1;
        if *times > 1 {
            let why = format!(
                "fails as step {} did, the {} time",
                step_label(observed, *first),
                match *times {
                    2 => "second".into(),
                    3 => "third".into(),
                    times => ordinal_text(times),
                }
            );
            signals.push(signal_over(observed, SignalKind::SameFailure, (at, at), why));
        }
    }
}

/// Finds messages that report failures, only where the run has no calls: a message about a failed call adds nothing.
fn failures_in_words(observed: &ObservedRun, signals: &mut Vec<ProcessSignal>) {
    if observed.steps.iter().any(|step| step.prints.call.is_some()) {
        return;
    }
    for (at, step) in observed.steps.iter().enumerate() {
        if step.says_failure {
            let why = "the message reports a failure".to_owned();
            signals.push(signal_over(observed, SignalKind::SaidFailure, (at, at), why));
        }
    }
}

/// Finds turns whose last attempt failed and in which nothing of its kind succeeded afterwards. Turns in which the
/// agent asks a question or declares that it cannot be done are left out.
fn left_failing(observed: &ObservedRun, signals: &mut Vec<ProcessSignal>) {
    let turns = observed.steps.chunk_by(|a, b| a.id.turn == b.id.turn);
    let mut start = 0;
    for turn in turns {
        let asks = |step: &StepFacts| {
            step.has_action(StepAction::QuestionAsked)
                || step.has_action(StepAction::AbstentionDeclared)
        };
        if !turn.iter().any(asks)
            && let Some(at) = last_failure(turn)
        {
            let what = match turn[at].has_action(StepAction::TestExecuted) {
                true => "the tests failed, and the turn ended without another run of them",
                false => "the last call failed, and the turn ended",
            };
            let at = start + at;
            signals.push(signal_over(observed, SignalKind::LeftFailing, (at, at), what.to_owned()));
        }
        start += turn.len();
    }
}

fn last_failure(turn: &[StepFacts]) -> Option<usize> {
    let calls = |at: &usize| turn[*at].prints.attempt.is_some() && turn[*at].id.subagent.is_none();
    let own: Vec<usize> = (0..turn.len()).filter(calls).collect();
    let tests = own.iter().rev().find(|at| turn[**at].has_action(StepAction::TestExecuted));
    let last = [tests, own.last()];
    let fails = |at: &&usize| turn[**at].failed && !turn[**at].is_recorded;
    last.into_iter().flatten().find(fails).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::step_facts::StepFingerprints;
    use trajview_run::StepId;

    /// Builds a run with one text per turn: `t` runs the tests, upper case fails; `?` asks.
    fn signals_of_turns(turns: &[&str]) -> Vec<(SignalKind, usize, usize)> {
        let mut steps = vec![];
        for (turn, letters) in turns.iter().enumerate() {
            for (step, letter) in letters.chars().enumerate() {
                let lower = letter.to_ascii_lowercase();
                steps.push(StepFacts {
                    id: StepId { turn, subagent: None, step },
                    number: step + 1,
                    actions: match lower {
                        't' => vec![StepAction::TestExecuted],
                        '?' => vec![StepAction::QuestionAsked],
                        _ => vec![],
                    },
                    failed: letter.is_ascii_uppercase(),
                    prints: StepFingerprints {
                        failure: letter.is_ascii_uppercase().then(|| u64::from(u32::from(lower))),
                        call: Some(1),
                        attempt: Some(u64::from(u32::from(lower))),
                        ..StepFingerprints::default()
                    },
                    ..StepFacts::default()
                });
            }
        }
        let mut signals = vec![];
        find_failure_signals(&ObservedRun { steps, ..ObservedRun::default() }, &mut signals);
        signals.into_iter().map(|it| (it.kind, it.step.turn + 1, it.number)).collect()
    }

    #[test]
    fn a_failure_is_the_same_whatever_was_tried_in_between() {
        assert_eq!(signals_of_turns(&["TaTbt"]), [(SignalKind::SameFailure, 1, 3)]);
        assert_eq!(signals_of_turns(&["TatAa"]), []);
    }

    #[test]
    fn a_turn_that_ends_with_failing_tests_is_told() {
        assert_eq!(signals_of_turns(&["aTb"]), [(SignalKind::LeftFailing, 1, 2)]);
        assert_eq!(signals_of_turns(&["aTbt"]), []);
        assert_eq!(signals_of_turns(&["atB"]), [(SignalKind::LeftFailing, 1, 3)]);
        assert_eq!(signals_of_turns(&["aT?"]), []);
    }
}
