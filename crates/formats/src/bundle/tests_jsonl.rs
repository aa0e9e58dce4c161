//! `tests.jsonl` of a bundle: the outcome of one test after one checkpoint a line.
//!
//! ```json
//! {"checkpoint": "c2", "test": "test_embed", "group": "core", "outcome": "passed"}
//! ```
//!
//! `group` is `core`, `functionality`, `regression` (tests of earlier checkpoints) or `error`; `outcome` is `passed`,
//! `failed`, `skipped` or `error`. `seconds` and `reason` may be there. Counted as SlopCodeBench counts
//! ([`crate::slopcodebench`]): a skipped test was not run and is in no total, one that ended in an error has
//! failed; strict is over all tests, iso over all but the regression ones.
//!
//! Read leniently. A line that cannot be used is a warning with its place; a test that is there twice counts as the later
//! line has it. A line without a checkpoint, or with `final`, is of the last one; where `run.json` names none, the end of
//! the run is one.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value};

use crate::json_object::JsonFields;
use crate::{SourceBytes, jsonl, not_finite};
use trajview_run::{
    Checkpoint, Run, SourceId,
    checkpoint_record::{PassCount, RecordedTests, TestCase, TestGroup, TestOutcome},
    first_line_label,
};

/// The checkpoint that a line means which names none.
const FINAL_CHECKPOINT: &str = "final";

/// Lines that are read: ten times the tests of a large project at a hundred checkpoints.
const MAX_LINES: u32 = 200_000;

/// Bytes a line may have.
const MAX_LINE_BYTES: usize = 1 << 20;

/// The tests after one checkpoint, in the order of the file.
#[derive(Default)]
struct CheckpointCases {
    all: Vec<TestCase>,
    by_name: HashMap<(Box<str>, Option<TestGroup>), usize>,
}

/// Reads the tests into the checkpoints of a run whose turns are laid out.
pub fn read_tests(source: &SourceBytes<'_>, id: SourceId, run: &mut Run) {
    let mut by_checkpoint: BTreeMap<usize, CheckpointCases> = BTreeMap::new();
    let mut lines = jsonl::lines_of_file(id, source.bytes).peekable();
    while let Some((place, line)) = lines.next() {
        if place.line > MAX_LINES || line.len() > MAX_LINE_BYTES {
            let what = "is too long; the rest of the file is left out";
            run.warnings.push(jsonl::warning_at(source.name, place, what));
            break;
        }
        let read = not_finite::read_json::<Map<String, Value>>(line)
            .map_err(|why| jsonl::json_error_text(&why, lines.peek().is_none()))
            .and_then(|(line, no_numbers)| {
                if no_numbers > 0 {
                    let what = not_finite::warning_text(no_numbers);
                    run.warnings.push(jsonl::warning_at(source.name, place, what));
                }
                read_case(&line, run)
            });
        let problem = match read {
            Ok((at, case)) => by_checkpoint.entry(at).or_default().add_case(case),
            Err(what) => Some(what),
        };
        run.warnings.extend(problem.map(|what| jsonl::warning_at(source.name, place, what)));
    }
    for (at, cases) in by_checkpoint {
        if let Some(checkpoint) = run.checkpoints.get_mut(at) {
            checkpoint.recorded.get_or_insert_default().tests =
                Some(count_tests(cases.all, source.name));
        }
    }
}

impl CheckpointCases {
    /// Adds a test; returns a sentence about what is odd in it, though it counts.
    fn add_case(&mut self, case: TestCase) -> Option<String> {
        let key = (case.name.clone(), case.group);
        if let Some(known) = self.by_name.get(&key).and_then(|at| self.all.get_mut(*at)) {
            let what = format!("{} is there twice; this line counts", case.name);
            *known = case;
            return Some(what);
        }
        let what = case.group.is_none().then(|| {
            format!(
                "{} has no group we know (core, functionality, regression, error); it counts as a test of none",
                case.name
            )
        });
        self.by_name.insert(key, self.all.len());
        self.all.push(case);
        what
    }
}

/// Returns the checkpoint by number, and the test; the error is what is wrong with the line.
fn read_case(line: &Map<String, Value>, run: &mut Run) -> Result<(usize, TestCase), String> {
    let words = |key: &str| line.text(key).filter(|words| !words.is_empty());
    let name = words("test").ok_or("names no test")?;
    let named = words("outcome").ok_or_else(|| format!("{name} has no outcome"))?;
    let outcome = parse_outcome(named).ok_or_else(|| {
        format!("{name} has outcome {named:?}; expected passed, failed, skipped or error")
    })?;
    let at = checkpoint_index(words("checkpoint"), run)?;
    let ended_in_error = (named == "error").then_some("error");
    let case = TestCase {
        name: name.into(),
        checkpoint: run.checkpoints.get(at).map(|it| it.id.as_str()).unwrap_or_default().into(),
        group: words("group").and_then(TestGroup::from_word),
        outcome,
        seconds: line.float("seconds").filter(|seconds| *seconds >= 0.0),
        reason: words("reason").or(ended_in_error).map(first_line_label),
        failure: None,
    };
    Ok((at, case))
}

fn parse_outcome(words: &str) -> Option<TestOutcome> {
    match words {
        "passed" => Some(TestOutcome::Passed),
        "failed" | "error" => Some(TestOutcome::Failed),
        "skipped" => Some(TestOutcome::Skipped),
        _ => None,
    }
}

fn checkpoint_index(named: Option<&str>, run: &mut Run) -> Result<usize, String> {
    let known = named.and_then(|id| run.checkpoints.iter().position(|it| it.id == id));
    if let Some(at) = known {
        return Ok(at);
    }
    if let Some(id) = named.filter(|id| *id != FINAL_CHECKPOINT) {
        return Err(format!("names checkpoint {id}, which run.json does not have"));
    }
    if run.checkpoints.is_empty() {
        let last_turn = run.turns.len().checked_sub(1).ok_or("a run without turns has no tests")?;
        run.turns.iter_mut().for_each(|turn| turn.checkpoint = Some(0));
        run.checkpoints.push(Checkpoint {
            id: FINAL_CHECKPOINT.into(),
            last_turn,
            ..Checkpoint::default()
        });
    }
    Ok(run.checkpoints.len() - 1)
}

fn count_tests(cases: Vec<TestCase>, source: &str) -> RecordedTests {
    let run = || cases.iter().filter(|case| case.outcome != TestOutcome::Skipped);
    let passed = |case: &TestCase| PassCount {
        passed: u64::from(case.outcome == TestOutcome::Passed),
        total: 1,
    };
    let sum = |keeps: &dyn Fn(Option<TestGroup>) -> bool| {
        let kept = run().filter(|case| keeps(case.group));
        kept.fold(PassCount::default(), |sum, case| sum + passed(case))
    };
    let has = |group: &TestGroup| run().any(|case| case.group == Some(*group));
    let groups = TestGroup::ALL.into_iter().filter(has);
    RecordedTests {
        source: source.into(),
        groups: groups.map(|group| (group, sum(&|it| it == Some(group)))).collect(),
        strict: sum(&|_| true),
        iso: sum(&|group| group != Some(TestGroup::Regression)),
        collected: Some(cases.len() as u64),
        cases,
        infrastructure_failure: false,
        exit_code: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::{Turn, Warning};

    fn run_of(checkpoints: &[&str]) -> Run {
        let checkpoint = |(last_turn, id): (usize, &&str)| Checkpoint {
            id: (*id).into(),
            last_turn,
            ..Checkpoint::default()
        };
        Run {
            turns: vec![Turn::default(); checkpoints.len().max(2)],
            checkpoints: checkpoints.iter().enumerate().map(checkpoint).collect(),
            ..Run::default()
        }
    }

    /// Returns the run after these lines were read.
    fn run_after(checkpoints: &[&str], text: &str) -> Run {
        let mut run = run_of(checkpoints);
        read_tests(
            &SourceBytes { name: "tests.jsonl", bytes: text.as_bytes() },
            SourceId(3),
            &mut run,
        );
        run
    }

    fn tests_of(run: &Run, checkpoint: usize) -> &RecordedTests {
        run.checkpoints[checkpoint].recorded.as_ref().unwrap().tests.as_ref().unwrap()
    }

    fn passed(passed: u64, total: u64) -> PassCount {
        PassCount { passed, total }
    }

    #[test]
    fn tests_are_counted_by_checkpoint_and_group() {
        let run = run_after(
            &["c1", "c2"],
            concat!(
                r#"{"checkpoint": "c1", "test": "a", "group": "core", "outcome": "passed"}"#,
                "\n",
                r#"{"checkpoint": "c2", "test": "a", "group": "regression", "outcome": "failed", "reason": "boom"}"#,
                "\n\n",
                r#"{"checkpoint": "c2", "test": "b", "group": "core", "outcome": "passed", "seconds": 0.5}"#,
                "\n",
                r#"{"checkpoint": "c2", "test": "c", "group": "functionality", "outcome": "skipped"}"#,
                "\n",
                r#"{"checkpoint": "c2", "test": "d", "group": "error", "outcome": "error"}"#,
            ),
        );

        assert_eq!(run.warnings, vec![]);
        assert_eq!(tests_of(&run, 0).strict, passed(1, 1));
        let second = tests_of(&run, 1);
        assert_eq!(
            (second.strict, second.iso, second.collected),
            (passed(1, 3), passed(1, 2), Some(4))
        );
        assert_eq!(second.group_counts(TestGroup::Core), Some(passed(1, 1)));
        assert_eq!(second.group_counts(TestGroup::Functionality), None);
        assert_eq!(second.cases[0].reason.as_deref(), Some("boom"));
        assert_eq!(second.cases[3].reason.as_deref(), Some("error"));
    }

    #[test]
    fn a_line_that_cannot_be_used_is_named_and_the_rest_counts() {
        let run = run_after(
            &["c1"],
            concat!(
                r#"{"checkpoint": "c1", "test": "a", "group": "core", "outcome": "failed"}"#,
                "\n{\n",
                r#"{"checkpoint": "c9", "test": "a", "group": "core", "outcome": "passed"}"#,
                "\n",
                r#"{"checkpoint": "c1", "group": "core", "outcome": "passed"}"#,
                "\n",
                r#"{"checkpoint": "c1", "test": "a", "group": "core", "outcome": "passed"}"#,
                "\n",
                r#"{"checkpoint": "c1", "test": "b", "group": "extra", "outcome": "passed"}"#,
                "\n",
                r#"{"checkpoint": "c1", "test": "c", "group": "core", "outcome": "flaky"}"#,
            ),
        );

        let said: Vec<String> =
            run.warnings.iter().map(|Warning { place, what }| format!("{place}: {what}")).collect();
        assert_eq!(said.len(), 6, "{said:#?}");
        for (said, expected) in said.iter().zip([
            "tests.jsonl:2: ",
            "tests.jsonl:3: names checkpoint c9, which run.json does not have",
            "tests.jsonl:4: names no test",
            "tests.jsonl:5: a is there twice; this line counts",
            "tests.jsonl:6: b has no group we know",
            "tests.jsonl:7: c has outcome \"flaky\"; expected",
        ]) {
            assert!(said.starts_with(expected), "{said}");
        }
        let tests = tests_of(&run, 0);
        assert_eq!((tests.strict, tests.iso, tests.groups.len()), (passed(2, 2), passed(2, 2), 1));
    }

    #[test]
    fn without_checkpoints_the_end_of_the_run_is_one() {
        let run = run_after(&[], r#"{"test": "a", "group": "core", "outcome": "passed"}"#);

        let last = &run.checkpoints[0];
        assert_eq!((last.id.as_str(), last.last_turn, run.checkpoints.len()), ("final", 1, 1));
        assert!(run.turns.iter().all(|turn| turn.checkpoint == Some(0)));
        assert_eq!(tests_of(&run, 0).strict, passed(1, 1));
    }
}
