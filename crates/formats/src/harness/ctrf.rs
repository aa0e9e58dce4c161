//! `ctrf.json`: the tests that a verifier ran, in the Common Test Report Format (ctrf.io).
//!
//! The format states durations and times in milliseconds. pytest-json-ctrf wrote both in seconds before its version 0.6, and
//! names pytest as the tool in either case: there the size of the times tells the unit.

use serde_json::{Map, Value};

use trajview_run::{
    checkpoint_record::{PassCount, RecordedTests, TestCase, TestOutcome},
    first_line_label,
};

use crate::json_object::JsonFields;

/// The most tests of one report that are read.
pub(super) const MOST_TESTS: usize = 20_000;

/// Reads a report; None where it is none.
pub(super) fn read_report(source: &str, bytes: &[u8]) -> Option<RecordedTests> {
    let report: Value = serde_json::from_slice(bytes).ok()?;
    let results = report.object("results")?;
    let tests = results.list("tests")?;
    let unit = units_in_second(results);
    let case = |test: &Value| {
        let outcome = match test.text("status")? {
            "passed" => TestOutcome::Passed,
            "failed" => TestOutcome::Failed,
            _ => TestOutcome::Skipped,
        };
        let reason = test.text("message").or_else(|| test.text("trace").and_then(error_line));
        Some(TestCase {
            reason: reason.filter(|_| outcome == TestOutcome::Failed).map(first_line_label),
            seconds: (test.float("duration").filter(|it| it.is_finite() && *it >= 0.0).zip(unit))
                .map(|(duration, unit)| duration / unit),
            ..named_case(test.text("name")?, outcome)
        })
    };
    Some(tests_of(source, tests.iter().take(MOST_TESTS).filter_map(case).collect()))
}

/// Returns how many units of a report's durations make a second; None where it does not tell.
fn units_in_second(results: &Map<String, Value>) -> Option<f64> {
    /// The milliseconds of a day in 1973, and the seconds of one in the year 5138.
    const FIRST_MILLISECONDS: f64 = 1e11;
    let tool = results.object("tool").and_then(|it| it.text("name")).unwrap_or_default();
    let summary = results.object("summary");
    let time = |key| summary.and_then(|it| it.float(key)).filter(|time| *time > 0.0);
    let Some(start) = time("start") else { return (tool != "pytest").then_some(1_000.0) };
    if start >= FIRST_MILLISECONDS {
        return Some(1_000.0);
    }
    // A version between them has times in seconds and durations in milliseconds.
    let span = time("stop")? - start;
    let durations = results.elements_of("tests").iter().filter_map(|test| test.float("duration"));
    (tool == "pytest" && durations.fold(0.0, f64::max) <= span).then_some(1.0)
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

/// Returns the results of tests; a skipped one neither passed nor counts.
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
        let report = br#"{"results": {"tests": [{"name": "a", "status": "passed", "duration": 500},
            {"name": "b", "status": "failed", "trace": "def b():\n>  assert x\nE   AssertionError: no x\n"},
            {"name": "c", "status": "skipped"}, {"status": "passed"}, 7]}}"#;

        let tests = read_report("verifier/ctrf.json", report).unwrap();

        assert_eq!(tests.strict, PassCount { passed: 1, total: 2 });
        let cases: Vec<_> = tests.cases.iter().map(|it| (&*it.name, it.seconds)).collect();
        assert_eq!(cases, [("a", Some(0.5)), ("b", None), ("c", None)]);
        assert_eq!(tests.cases[1].reason.as_deref(), Some("AssertionError: no x"));
        assert_eq!(read_report("x", b"{\"results\": []}"), None);
    }

    #[test]
    fn durations_are_milliseconds_but_for_older_reports_of_pytest() {
        let seconds = |tool: &str, start: f64, stop: f64, duration: f64| {
            let report = serde_json::json!({"results": {
                "tool": {"name": tool}, "summary": {"start": start, "stop": stop},
                "tests": [{"name": "a", "status": "passed", "duration": duration}],
            }});
            read_report("r", report.to_string().as_bytes()).unwrap().cases[0].seconds
        };

        assert_eq!(seconds("pytest", 1_775_065_252.5, 1_775_065_253.5, 0.25), Some(0.25));
        assert_eq!(seconds("pytest", 1_775_065_252.5, 1_775_065_253.5, 250.0), None);
        assert_eq!(seconds("pytest", 1_775_065_252_500.0, 1_775_065_253_500.0, 250.0), Some(0.25));
        assert_eq!(seconds("pytest", 0.0, 0.0, 250.0), None);
        assert_eq!(seconds("jest", 1_775_065_252_500.0, 1_775_065_253_500.0, 250.0), Some(0.25));
        assert_eq!(seconds("jest", 0.0, 0.0, 250.0), Some(0.25));
        assert_eq!(seconds("jest", 1_775_065_252.5, 1_775_065_253.5, 0.25), None);
    }
}
