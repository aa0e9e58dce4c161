//! Tests that a run lost: passed at one checkpoint and failed at a later one, as the harness recorded them.
//!
//! A test is known by its name and by the checkpoint that it was written for. Checkpoints at which it did not run, was
//! skipped, or at which the harness failed say nothing about it. A test that passes again can be lost again.

use std::collections::{BTreeMap, BTreeSet};

use trajview_run::{
    Run,
    checkpoint_record::{TestCase, TestOutcome},
    worded_enum::worded,
};

worded! {
    /// What a run can lose.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum LossKind {
        /// The code of a component of the checklist.
        Component = "component",
        /// A test that passed.
        Test = "test",
    }
}

/// A test that passed and then failed.
#[derive(Debug, Clone, PartialEq)]
pub struct TestLoss<'r> {
    /// The test as it failed.
    pub test: &'r TestCase,
    /// The last state in which it passed, and turns done then.
    pub passed: RecordedState,
    /// The first state after that in which it failed.
    pub failed: RecordedState,
}

impl TestLoss<'_> {
    /// Returns the first line of the request of the turn that lost the test; None where it is not recorded.
    pub fn request<'r>(&self, run: &'r Run) -> Option<&'r str> {
        let turn = run.turns.get(self.failed.turns_done.checked_sub(1)?)?;
        Some(&*turn.title).filter(|title| !title.is_empty())
    }
}

/// A state of a run whose tests are recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedState {
    /// The checkpoint's id, with `/after_skill` for the state that a second pass left.
    pub name: String,
    /// Turns done in the state: the number of its last turn, which counts from 1.
    pub turns_done: usize,
}

/// Returns the tests that a run lost, by the state that lost them.
pub fn test_losses(run: &Run) -> Vec<TestLoss<'_>> {
    let mut passed: BTreeMap<(&str, &str), RecordedState> = BTreeMap::new();
    let mut losses = vec![];
    for (name, turns_done, cases) in recorded_cases(run) {
        let state = RecordedState { name, turns_done };
        for (key, case) in cases {
            match case.outcome {
                TestOutcome::Passed => {
                    passed.insert(key, state.clone());
                }
                TestOutcome::Failed => {
                    if let Some(passed) = passed.remove(&key) {
                        losses.push(TestLoss { test: case, passed, failed: state.clone() });
                    }
                }
                TestOutcome::Skipped => {}
            }
        }
    }
    losses
}

/// Returns the tests that passed in some state: the checkpoint that each was written for, and its name.
pub fn passed_tests(run: &Run) -> BTreeSet<(&str, &str)> {
    let cases = recorded_cases(run).flat_map(|(_, _, cases)| cases);
    cases.filter(|(_, case)| case.outcome == TestOutcome::Passed).map(|(key, _)| key).collect()
}

/// Returns the number of tests whose outcome is recorded at two checkpoints at least: the others cannot be lost.
pub fn followed_tests(run: &Run) -> usize {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (_, _, cases) in recorded_cases(run) {
        for (key, case) in cases {
            *counts.entry(key).or_default() += usize::from(case.outcome != TestOutcome::Skipped);
        }
    }
    counts.values().filter(|count| **count > 1).count()
}

/// Returns whether a test has outcomes at two checkpoints, so that it could be lost.
pub fn has_followed_tests(run: &Run) -> bool {
    let mut seen = BTreeSet::new();
    recorded_cases(run).any(|(_, _, cases)| {
        let ran = cases.into_iter().filter(|(_, case)| case.outcome != TestOutcome::Skipped);
        // Each is new in its own state, so the first that is not has an earlier outcome.
        ran.map(|(key, _)| key).any(|key| !seen.insert(key))
    })
}

/// The tests of a state by the checkpoint that each was written for and its name. One that both passed and failed, under
/// several groups, has failed.
type CasesByTest<'r> = BTreeMap<(&'r str, &'r str), &'r TestCase>;

fn recorded_cases(run: &Run) -> impl Iterator<Item = (String, usize, CasesByTest<'_>)> {
    let states = run.checkpoints.iter().flat_map(|checkpoint| checkpoint.recorded_states());
    states.filter_map(|(name, turns_done, record)| {
        let tests = record.tests.as_ref().filter(|tests| !tests.infrastructure_failure)?;
        let mut cases = CasesByTest::new();
        for case in &tests.cases {
            let known = cases.entry((&*case.checkpoint, &*case.name)).or_insert(case);
            if case.outcome == TestOutcome::Failed {
                *known = case;
            }
        }
        Some((name, turns_done, cases))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::{Checkpoint, CheckpointRecord, checkpoint_record::RecordedTests};

    /// Returns a run with a checkpoint a text: `+` passed, `-` failed, `s` skipped, ` ` not run; a letter a test.
    fn run_of(checkpoints: &[&str]) -> Run {
        let case = |(at, letter): (usize, char)| {
            let outcome = match letter {
                '+' => TestOutcome::Passed,
                '-' => TestOutcome::Failed,
                's' => TestOutcome::Skipped,
                _ => return None,
            };
            Some(TestCase {
                name: format!("t{at}").into(),
                checkpoint: "c1".into(),
                group: None,
                outcome,
                seconds: None,
                reason: None,
                failure: None,
            })
        };
        let checkpoint = |(at, text): (usize, &&str)| {
            let cases = text.chars().enumerate().filter_map(case).collect();
            let tests = RecordedTests { cases, ..RecordedTests::default() };
            let record = CheckpointRecord { tests: Some(tests), ..CheckpointRecord::default() };
            Checkpoint {
                id: format!("c{}", at + 1),
                last_turn: at,
                recorded: Some(Box::new(record)),
                ..Checkpoint::default()
            }
        };
        Run {
            checkpoints: checkpoints.iter().enumerate().map(checkpoint).collect(),
            ..Run::default()
        }
    }

    fn lost(checkpoints: &[&str]) -> Vec<(String, String, String)> {
        let run = run_of(checkpoints);
        let losses = test_losses(&run).into_iter();
        losses.map(|it| (it.test.name.to_string(), it.passed.name, it.failed.name)).collect()
    }

    fn loss(test: &str, passed: &str, failed: &str) -> (String, String, String) {
        (test.into(), passed.into(), failed.into())
    }

    #[test]
    fn a_test_is_lost_where_it_fails_after_it_passed() {
        assert_eq!(lost(&["+", "-", "-"]), [loss("t0", "c1", "c2")], "once, not at each failure");
        assert_eq!(lost(&["+", " ", "s", "-"]), [loss("t0", "c1", "c4")]);
        assert_eq!(lost(&["-", "+", "+"]), []);
        assert_eq!(lost(&["+-", "-+", "+-"]), [loss("t0", "c1", "c2"), loss("t1", "c2", "c3")]);
        assert_eq!(lost(&["+", "-", "+", "-"]), [loss("t0", "c1", "c2"), loss("t0", "c3", "c4")]);
    }

    #[test]
    fn a_checkpoint_at_which_the_harness_failed_loses_nothing() {
        let mut run = run_of(&["+", "-", "-"]);
        let record = run.checkpoints[1].recorded.as_mut().unwrap();
        record.tests.as_mut().unwrap().infrastructure_failure = true;

        assert_eq!(test_losses(&run)[0].failed, RecordedState { name: "c3".into(), turns_done: 3 });
        assert_eq!(followed_tests(&run), 1);
        assert_eq!(followed_tests(&run_of(&["+-", "s "])), 0);
        assert!(has_followed_tests(&run) && !has_followed_tests(&run_of(&["+-", "s "])));
    }
}
