//! What goes wrong: the same failure again, failures in words, turns that end while something fails.

use std::collections::HashMap;

use crate::process::{
    action::Action,
    observed::{Observed, StepFacts},
};

use super::{Kind, Signal, called, ordinal, over};

pub fn find(observed: &Observed, found: &mut Vec<Signal>) {
    same_again(observed, found);
    in_words(observed, found);
    left_failing(observed, found);
}

/// A failure that was seen before, whatever was tried in between. A failure that only says that it failed is like too many.
fn same_again(observed: &Observed, found: &mut Vec<Signal>) {
    let mut seen: HashMap<u64, (usize, usize)> = HashMap::new();
    for (at, step) in observed.steps.iter().enumerate() {
        let Some(failure) = step.prints.failure.filter(|_| !step.is_recorded) else { continue };
        let (first, times) = seen.entry(failure).or_insert((at, 0));
        *times += 1;
        if *times > 1 {
            let why = format!(
                "fails as step {} did, the {} time",
                called(observed, *first),
                match *times {
                    2 => "second".into(),
                    3 => "third".into(),
                    times => ordinal(times),
                }
            );
            found.push(over(observed, Kind::SameFailure, (at, at), why));
        }
    }
}

/// Only where no call says whether it failed: what an agent says of its own failed calls is no news.
fn in_words(observed: &Observed, found: &mut Vec<Signal>) {
    if observed.steps.iter().any(|step| step.prints.call.is_some()) {
        return;
    }
    for (at, step) in observed.steps.iter().enumerate() {
        if step.says_failure {
            let why = "the message says that something went wrong".to_owned();
            found.push(over(observed, Kind::SaidFailure, (at, at), why));
        }
    }
}

/// What was tried last in a turn failed, and nothing of its kind succeeded afterwards. Of an agent that asks or says that it
/// cannot be done nothing is said.
fn left_failing(observed: &Observed, found: &mut Vec<Signal>) {
    let turns = observed.steps.chunk_by(|a, b| a.id.turn == b.id.turn);
    let mut start = 0;
    for turn in turns {
        let asks = |step: &StepFacts| {
            step.does(Action::QuestionAsked) || step.does(Action::AbstentionDeclared)
        };
        if !turn.iter().any(asks)
            && let Some(at) = last_failure(turn)
        {
            let what = match turn[at].does(Action::TestExecuted) {
                true => "the tests failed, and the turn ended without another run of them",
                false => "the last call failed, and the turn ended",
            };
            let at = start + at;
            found.push(over(observed, Kind::LeftFailing, (at, at), what.to_owned()));
        }
        start += turn.len();
    }
}

fn last_failure(turn: &[StepFacts]) -> Option<usize> {
    let calls = |at: &usize| turn[*at].prints.tried.is_some() && turn[*at].id.subagent.is_none();
    let own: Vec<usize> = (0..turn.len()).filter(calls).collect();
    let tests = own.iter().rev().find(|at| turn[**at].does(Action::TestExecuted));
    let last = [tests, own.last()];
    let fails = |at: &&usize| turn[**at].failed && !turn[**at].is_recorded;
    last.into_iter().flatten().find(fails).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::observed::Prints;
    use trajview_run::StepId;

    /// One text a turn: `t` runs the tests, upper case fails; `?` asks.
    fn run(turns: &[&str]) -> Vec<(Kind, usize, usize)> {
        let mut steps = vec![];
        for (turn, letters) in turns.iter().enumerate() {
            for (step, letter) in letters.chars().enumerate() {
                let lower = letter.to_ascii_lowercase();
                steps.push(StepFacts {
                    id: StepId { turn, subagent: None, step },
                    number: step + 1,
                    actions: match lower {
                        't' => vec![Action::TestExecuted],
                        '?' => vec![Action::QuestionAsked],
                        _ => vec![],
                    },
                    failed: letter.is_ascii_uppercase(),
                    prints: Prints {
                        failure: letter.is_ascii_uppercase().then(|| u64::from(u32::from(lower))),
                        call: Some(1),
                        tried: Some(u64::from(u32::from(lower))),
                        ..Prints::default()
                    },
                    ..StepFacts::default()
                });
            }
        }
        let mut found = vec![];
        find(&Observed { steps, ..Observed::default() }, &mut found);
        found.into_iter().map(|it| (it.kind, it.step.turn + 1, it.number)).collect()
    }

    #[test]
    fn a_failure_is_the_same_whatever_was_tried_in_between() {
        assert_eq!(run(&["TaTbt"]), [(Kind::SameFailure, 1, 3)]);
        assert_eq!(run(&["TatAa"]), []);
    }

    #[test]
    fn a_turn_that_ends_with_failing_tests_is_told() {
        assert_eq!(run(&["aTb"]), [(Kind::LeftFailing, 1, 2)]);
        assert_eq!(run(&["aTbt"]), []);
        assert_eq!(run(&["atB"]), [(Kind::LeftFailing, 1, 3)]);
        assert_eq!(run(&["aT?"]), []);
    }
}
