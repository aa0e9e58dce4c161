//! `ctrf.json`: the tests that a verifier ran, in the Common Test Report Format (ctrf.io).

use serde_json::Value;

use trajview_run::{
    checkpoint_record::{PassCount, RecordedTests, TestCase, TestOutcome},
    first_line_label,
};

use crate::json_object::JsonFields;

/// The most tests of one report that are read.
const MOST_TESTS: usize = 20_000;

/// Reads a report; None where it is none.
pub(super) fn read_report(source: &str, bytes: &[u8]) -> Option<RecordedTests> {
    let report: Value = serde_json::from_slice(bytes).ok()?;
    let results = report.object("results")?;
    let tests = results.list("tests")?;
    let case = |test: &Value| {
        let outcome = match test.text("status")? {
            "passed" => TestOutcome::Passed,
            "failed" => TestOutcome::Failed,
            _ => TestOutcome::Skipped,
        };
        let reason = test.text("message").or_else(|| test.text("trace").and_then(error_line));
        Some(TestCase {
            reason: reason.filter(|_| outcome == TestOutcome::Failed).map(first_line_label),
            seconds: test.float("duration").filter(|it| it.is_finite() && *it >= 0.0),
            ..named_case(test.text("name")?, outcome)
        })
    };
    Some(tests_of(source, tests.iter().take(MOST_TESTS).filter_map(case).collect()))
}

/// Returns a test with a name and an outcome, and no more.
pub(super) fn named_case(name: &str, outcome: TestOutcome) -> TestCase {
    TestCase {
        name: name.into(),
        checkpoint: "verifier".into(),
        group: None,
        outcome,
        seconds: None,
        reason: None,
        failure: None,
    }
}

/// Counts tests; a skipped one neither passed nor counts.
pub(super) fn tests_of(source: &str, cases: Vec<TestCase>) -> RecordedTests {
    let count = |wanted: TestOutcome| cases.iter().filter(|it| it.outcome == wanted).count() as u64;
    let passed = count(TestOutcome::Passed);
    let counts = PassCount { passed, total: passed + count(TestOutcome::Failed) };
    RecordedTests {
        source: source.into(),
        strict: counts,
        iso: counts,
        collected: Some(cases.len() as u64),
        cases,
        ..RecordedTests::default()
    }
}

/// Returns the line of a trace of pytest that has the error.
fn error_line(trace: &str) -> Option<&str> {
    let marked = trace.lines().find_map(|line| line.strip_prefix("E  "));
    marked.or_else(|| trace.lines().rev().find(|line| !line.trim().is_empty())).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_gives_each_test_with_its_reason_and_counts_no_skipped_one() {
        let report = br#"{"results": {"tests": [{"name": "a", "status": "passed", "duration": 0.5},
            {"name": "b", "status": "failed", "trace": "def b():\n>  assert x\nE   AssertionError: no x\n"},
            {"name": "c", "status": "skipped"}, {"status": "passed"}, 7]}}"#;

        let tests = read_report("verifier/ctrf.json", report).unwrap();

        assert_eq!(tests.strict, PassCount { passed: 1, total: 2 });
        let cases: Vec<_> = tests.cases.iter().map(|it| (&*it.name, it.seconds)).collect();
        assert_eq!(cases, [("a", Some(0.5)), ("b", None), ("c", None)]);
        assert_eq!(tests.cases[1].reason.as_deref(), Some("AssertionError: no x"));
        assert_eq!(read_report("x", b"{\"results\": []}"), None);
    }
}
