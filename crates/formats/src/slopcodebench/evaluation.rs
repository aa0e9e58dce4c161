//! `evaluation.json`, and `evaluation/report.json` for the words of what failed.
//!
//! # Strict, iso and core
//!
//! SlopCodeBench calls a checkpoint *strictly* solved when every test passes, those of earlier checkpoints (group
//! Regression) included; solved *in isolation* when every test but those passes; and its *core* solved when every test
//! of group Core does. All three are counted over the groups' `pass_counts` and `total_counts`:
//!
//! | generation | strict | iso | core |
//! |---|---|---|---|
//! | G0 | `pass_rate`: all groups | `checkpoint_pass_rate`: all but Regression | `core_pass_rate`: Core |
//! | G1, G2 | `strict_pass_rate`: the same | `isolated_pass_rate`: the same | `core_pass_rate`: the same |
//!
//! G1 and G2 add one rule: where no group counted a test although some were collected, strict is 0 of as many as were
//! collected. Errors count like any other group, in every generation. Nothing is solved where there is nothing to pass.
//! A group that is not in the counts is not recorded, not 0 of 0.

use std::collections::BTreeMap;

use trajview_run::{
    RecordPlace, SourceId,
    checkpoint_record::{PassCount, RecordedTests, TestCase, TestGroup, TestOutcome},
    first_line_label,
};

use super::{
    super::{
        SourceBytes,
        json_object::{self, JsonObject},
        nested_logs::place_within,
        tape::{self, JsonTape, TapeValue},
    },
    generation::SlopGeneration,
    values,
};

/// Returns the tests of `evaluation.json`; an error is a sentence.
pub fn read_tests(
    source: SourceBytes<'_>,
    generation: Option<SlopGeneration>,
) -> Result<RecordedTests, String> {
    let text = std::str::from_utf8(source.bytes).map_err(|_| "is not UTF-8".to_owned())?;
    let tape = parse_object(text)?;
    let object = JsonObject::from_value(tape.root()).unwrap_or_default();
    let cases = read_cases(&object);
    let groups = group_counts(&object, &cases);
    let collected = object.get("pytest_collected").and_then(values::lenient_count);
    let sum = |keeps: fn(TestGroup) -> bool| {
        let kept = groups.iter().filter(|(group, _)| keeps(*group));
        kept.fold(PassCount::default(), |sum, (_, passed)| sum + *passed)
    };
    let mut strict = sum(|_| true);
    if strict.total == 0 && generation.is_none_or(|generation| generation >= SlopGeneration::G1) {
        strict.total = collected.unwrap_or(0);
    }
    Ok(RecordedTests {
        source: source.name.into(),
        strict,
        iso: sum(|group| group != TestGroup::Regression),
        groups,
        cases,
        infrastructure_failure: object.flag("infrastructure_failure") == Some(true),
        exit_code: object.integer("pytest_exit_code").map(i64::from),
        collected,
    })
}

/// Parses a file that is an object; the error is the warning about one that is not.
pub fn parse_object(text: &str) -> Result<JsonTape<'_>, String> {
    if let Some(tape) = JsonTape::parse(text).filter(|tape| tape.root().is_object()) {
        return Ok(tape);
    }
    let why = tape::serde_error(text);
    let reason = why.to_string();
    let reason = reason.split(" at line ").next().unwrap_or(&reason);
    Err(format!("not JSON: {reason} at column {}", why.column()))
}

/// Returns the counts by group as the harness counted them; where it has no counts, those of its list of tests.
fn group_counts(evaluation: &JsonObject<'_>, cases: &[TestCase]) -> Vec<(TestGroup, PassCount)> {
    let Some(totals) = evaluation.object("total_counts") else { return count_by_group(cases) };
    let passes = evaluation.object("pass_counts").unwrap_or_default();
    let field = |object: &JsonObject<'_>, group: TestGroup| {
        let mut fields = object.fields();
        fields.find_map(|(name, raw)| {
            (TestGroup::from_word(&name) == Some(group)).then(|| values::lenient_count(raw))?
        })
    };
    let one = |group| {
        let total = field(&totals, group)?;
        let passed = field(&passes, group).unwrap_or(0);
        Some((group, PassCount { passed, total }))
    };
    TestGroup::ALL.into_iter().filter_map(one).collect()
}

fn count_by_group(cases: &[TestCase]) -> Vec<(TestGroup, PassCount)> {
    let mut groups: BTreeMap<TestGroup, PassCount> = BTreeMap::new();
    let run = cases.iter().filter(|case| case.outcome != TestOutcome::Skipped);
    for (group, case) in run.filter_map(|case| Some((case.group?, case))) {
        let passed = u64::from(case.outcome == TestOutcome::Passed);
        let sum = groups.entry(group).or_default();
        *sum = *sum + PassCount { passed, total: 1 };
    }
    groups.into_iter().collect()
}

fn read_cases(evaluation: &JsonObject<'_>) -> Vec<TestCase> {
    let Some(tests) = evaluation.get("tests") else { return vec![] };
    match JsonObject::from_value(tests) {
        Some(groups) => groups.fields().flat_map(|(key, raw)| cases_of_group(&key, raw)).collect(),
        None => tests.elements().filter_map(legacy_case).collect(),
    }
}

/// Reads the tests of a group: `"checkpoint_2-Core": {"passed": [...], "failed": [...], "skipped": [...]}`.
fn cases_of_group(key: &str, raw: TapeValue<'_>) -> Vec<TestCase> {
    let (checkpoint, group) = key.rsplit_once('-').unwrap_or((key, ""));
    let outcomes = JsonObject::from_value(raw).unwrap_or_default();
    let lists = [
        ("passed", TestOutcome::Passed),
        ("failed", TestOutcome::Failed),
        ("skipped", TestOutcome::Skipped),
    ];
    let one = |outcome: TestOutcome, name: TapeValue<'_>| {
        Some(TestCase {
            name: json_object::string_text(name)?.into(),
            checkpoint: checkpoint.into(),
            group: TestGroup::from_word(group),
            outcome,
            seconds: None,
            reason: None,
            failure: None,
        })
    };
    let list = |(key, outcome)| {
        outcomes.elements_of(key).into_iter().filter_map(move |name| one(outcome, name))
    };
    lists.into_iter().flat_map(list).collect()
}

/// Returns an entry of the list that the first evaluations were: `{id, checkpoint, group_type, status, duration_ms}`.
fn legacy_case(raw: TapeValue<'_>) -> Option<TestCase> {
    let test = JsonObject::from_value(raw)?;
    let outcome = match test.text("status")?.as_ref() {
        "passed" => TestOutcome::Passed,
        "skipped" => TestOutcome::Skipped,
        _ => TestOutcome::Failed,
    };
    Some(TestCase {
        name: test.first_text(&["id", "name"])?.into(),
        checkpoint: test.non_empty_text("checkpoint").unwrap_or_default(),
        group: test.text("group_type").and_then(|group| TestGroup::from_word(&group)),
        outcome,
        seconds: test
            .get("duration_ms")
            .and_then(values::lenient_number)
            .map(|millis| millis / 1000.0),
        reason: None,
        failure: None,
    })
}

/// Adds to the tests what pytest reported of them: how long they took, and why they failed. An error is a sentence.
pub fn add_report(
    tests: &mut RecordedTests,
    report: SourceBytes<'_>,
    id: SourceId,
) -> Result<(), String> {
    let text = std::str::from_utf8(report.bytes).map_err(|_| "is not UTF-8".to_owned())?;
    let tape = parse_object(text)?;
    let object = JsonObject::from_value(tape.root()).unwrap_or_default();
    let mut by_name: BTreeMap<String, Vec<ReportedTest>> = BTreeMap::new();
    for raw in object.elements_of("tests") {
        if let Some((name, reported)) =
            read_report(raw, place_within(text.as_bytes(), raw.get(), id))
        {
            by_name.entry(name).or_default().push(reported);
        }
    }
    for case in &mut tests.cases {
        let name = last_part(&case.name);
        let Some(found) = by_name.get(name) else { continue };
        // The same test may be in the files of several checkpoints.
        let file = format!("test_{}.py", case.checkpoint);
        let own = found.iter().find(|reported| reported.node.contains(&file));
        let Some(reported) = own.or(found.first()) else { continue };
        case.seconds = case.seconds.or(reported.seconds);
        if case.outcome == TestOutcome::Failed {
            case.reason.clone_from(&reported.reason);
            case.failure = Some(reported.place);
        }
    }
    Ok(())
}

struct ReportedTest {
    node: String,
    seconds: Option<f64>,
    reason: Option<Box<str>>,
    place: RecordPlace,
}

/// Returns a test without its file and class.
fn last_part(node: &str) -> &str {
    // A parameter may hold the separator itself.
    let head = node.split('[').next().unwrap_or(node);
    head.rfind("::").map_or(node, |at| &node[at + 2..])
}

fn read_report(raw: TapeValue<'_>, place: RecordPlace) -> Option<(String, ReportedTest)> {
    let test = JsonObject::from_value(raw)?;
    let node = test.text("nodeid")?.into_owned();
    let stages: Vec<JsonObject<'_>> =
        ["setup", "call", "teardown"].iter().filter_map(|stage| test.object(stage)).collect();
    let seconds = stages.iter().filter_map(|stage| values::lenient_number(stage.get("duration")?));
    let reason = stages.iter().find_map(|stage| {
        let message = stage.object("crash").and_then(|crash| crash.non_empty_text("message"));
        message.or_else(|| last_line(&stage.text("longrepr")?))
    });
    let name = last_part(&node).to_owned();
    let seconds = seconds.reduce(|sum, more| sum + more);
    Some((
        name,
        ReportedTest { node, seconds, reason: reason.map(|text| first_line_label(&text)), place },
    ))
}

fn last_line(text: &str) -> Option<Box<str>> {
    text.lines().rev().find(|line| !line.trim().is_empty()).map(Into::into)
}

/// Returns the whole text of a failure, from a test of `report.json`.
pub fn failure_text(record: &str) -> String {
    let tape = JsonTape::parse(record);
    let test = JsonObject::from_tape(&tape).unwrap_or_default();
    let stages = ["setup", "call", "teardown"].into_iter().filter_map(|name| {
        let stage = test.object(name)?;
        let text = stage.text("longrepr").map(Into::<String>::into);
        text.or_else(|| Some(stage.object("crash")?.text("message")?.into_owned()))
    });
    stages.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_evaluation(text: &str, generation: SlopGeneration) -> RecordedTests {
        let source = SourceBytes { name: "evaluation.json", bytes: text.as_bytes() };
        super::read_tests(source, Some(generation)).unwrap()
    }

    fn passed_of(passed: u64, total: u64) -> PassCount {
        PassCount { passed, total }
    }

    #[test]
    fn strict_counts_every_group_and_iso_leaves_out_earlier_checkpoints() {
        let text = r#"{"pass_counts": {"Core": 4, "Functionality": 18, "Error": 9, "Regression": 1},
            "total_counts": {"Core": 4, "Functionality": 20, "Error": 13, "Regression": 2}}"#;

        let tests = read_evaluation(text, SlopGeneration::G2);

        assert_eq!((tests.strict, tests.iso), (passed_of(32, 39), passed_of(31, 37)));
        assert!(tests.group_counts(TestGroup::Core).unwrap().is_all_passed());
    }

    #[test]
    fn a_group_without_a_count_is_not_recorded() {
        let text = r#"{"pass_counts": {"Core": 2}, "total_counts": {"Core": 3, "Error": 1}}"#;

        let tests = read_evaluation(text, SlopGeneration::G0);

        assert_eq!(
            tests.groups,
            [(TestGroup::Core, passed_of(2, 3)), (TestGroup::Error, passed_of(0, 1))]
        );
        assert_eq!(tests.group_counts(TestGroup::Regression), None);
    }

    #[test]
    fn tests_that_were_collected_and_never_ran_count_from_the_paper_on() {
        let text = r#"{"pass_counts": {}, "total_counts": {}, "pytest_collected": 7}"#;

        assert_eq!(read_evaluation(text, SlopGeneration::G0).strict, passed_of(0, 0));
        assert_eq!(read_evaluation(text, SlopGeneration::G2).strict, passed_of(0, 7));
        assert_eq!(read_evaluation(text, SlopGeneration::G2).iso, passed_of(0, 0));
    }

    #[test]
    fn the_list_of_the_first_evaluations_is_read_and_counted() {
        let text = r#"{"tests": [
            {"id": "test_a", "checkpoint": "checkpoint_1", "group_type": "Core", "status": "passed", "duration_ms": 1500},
            {"id": "test_b", "checkpoint": "checkpoint_1", "group_type": "Core", "status": "error"}, null]}"#;

        let tests = read_evaluation(text, SlopGeneration::G0);

        assert_eq!(tests.groups, [(TestGroup::Core, passed_of(1, 2))]);
        assert_eq!(tests.cases[0].seconds, Some(1.5));
        assert_eq!(tests.cases[1].outcome, TestOutcome::Failed);
    }

    #[test]
    fn a_failed_test_has_its_words_from_the_report() {
        let text = r#"{"tests": {"checkpoint_1-Core": {"passed": ["test_a"], "failed": ["test_b[x::y]"]}}}"#;
        let report = br#"{"tests": [{"nodeid": "tests/test_checkpoint_2.py::test_b[x::y]", "call": {}},
            {"nodeid": "tests/test_checkpoint_1.py::T::test_b[x::y]", "setup": {"duration": 0.25},
             "call": {"duration": 0.5, "crash": {"message": "assert 1 == 2"}, "longrepr": "def test_b\nE assert"}}]}"#;
        let mut tests = read_evaluation(text, SlopGeneration::G2);

        add_report(&mut tests, SourceBytes { name: "report.json", bytes: report }, SourceId(3))
            .unwrap();

        let failed = &tests.cases[1];
        assert_eq!(failed.reason.as_deref(), Some("assert 1 == 2"));
        assert_eq!(failed.seconds, Some(0.75));
        let record = failed.failure.unwrap().bytes_in(report);
        assert_eq!(failure_text(std::str::from_utf8(record).unwrap()), "def test_b\nE assert");
    }
}
