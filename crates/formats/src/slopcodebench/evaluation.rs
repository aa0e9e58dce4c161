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

use serde_json::value::RawValue;

use trajview_run::{
    Place, SourceId, label,
    recorded::{Passed, TestCase, TestGroup, TestOutcome, Tests},
};

use super::{
    super::{Source, nested::place_within, not_finite},
    generation::Generation,
    json::{self, Object},
    values,
};

/// The tests of `evaluation.json`; an error is a sentence.
pub fn tests(source: Source<'_>, generation: Option<Generation>) -> Result<Tests, String> {
    let text = std::str::from_utf8(source.bytes).map_err(|_| "is not UTF-8".to_owned())?;
    let object: Object<'_> = serde_json::from_str(text).map_err(|why| not_json(&why))?;
    let cases = cases(&object);
    let groups = groups(&object, &cases);
    let collected = object.get("pytest_collected").and_then(values::count);
    let sum = |keeps: fn(TestGroup) -> bool| {
        let kept = groups.iter().filter(|(group, _)| keeps(*group));
        kept.fold(Passed::default(), |sum, (_, passed)| sum + *passed)
    };
    let mut strict = sum(|_| true);
    if strict.total == 0 && generation.is_none_or(|generation| generation >= Generation::G1) {
        strict.total = collected.unwrap_or(0);
    }
    Ok(Tests {
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

/// What to say of a file that is not JSON.
pub fn not_json(why: &serde_json::Error) -> String {
    let reason = why.to_string();
    let reason = reason.split(" at line ").next().unwrap_or(&reason);
    format!("not JSON: {reason} at column {}", why.column())
}

/// As counted by the harness; where it kept no counts, as its list of tests has them.
fn groups(evaluation: &Object<'_>, cases: &[TestCase]) -> Vec<(TestGroup, Passed)> {
    let Some(totals) = evaluation.object("total_counts") else { return counted(cases) };
    let passes = evaluation.object("pass_counts").unwrap_or_default();
    let field = |object: &Object<'_>, group: TestGroup| {
        let mut fields = object.fields();
        fields.find_map(|(name, raw)| {
            (TestGroup::of(name) == Some(group)).then(|| values::count(raw))?
        })
    };
    let one = |group| {
        let total = field(&totals, group)?;
        let passed = field(&passes, group).unwrap_or(0);
        Some((group, Passed { passed, total }))
    };
    TestGroup::ALL.into_iter().filter_map(one).collect()
}

fn counted(cases: &[TestCase]) -> Vec<(TestGroup, Passed)> {
    let mut groups: BTreeMap<TestGroup, Passed> = BTreeMap::new();
    let run = cases.iter().filter(|case| case.outcome != TestOutcome::Skipped);
    for (group, case) in run.filter_map(|case| Some((case.group?, case))) {
        let passed = u64::from(case.outcome == TestOutcome::Passed);
        let sum = groups.entry(group).or_default();
        *sum = *sum + Passed { passed, total: 1 };
    }
    groups.into_iter().collect()
}

fn cases(evaluation: &Object<'_>) -> Vec<TestCase> {
    let Some(tests) = evaluation.get("tests") else { return vec![] };
    match Object::of(tests) {
        Some(groups) => groups.fields().flat_map(|(key, raw)| cases_of_group(key, raw)).collect(),
        None => json::array(tests).into_iter().filter_map(legacy_case).collect(),
    }
}

/// `"checkpoint_2-Core": {"passed": [...], "failed": [...], "skipped": [...]}`
fn cases_of_group(key: &str, raw: &RawValue) -> Vec<TestCase> {
    let (checkpoint, group) = key.rsplit_once('-').unwrap_or((key, ""));
    let outcomes = Object::of(raw).unwrap_or_default();
    let lists = [
        ("passed", TestOutcome::Passed),
        ("failed", TestOutcome::Failed),
        ("skipped", TestOutcome::Skipped),
    ];
    let one = |outcome: TestOutcome, name: &RawValue| {
        Some(TestCase {
            name: json::text(name)?.into(),
            checkpoint: checkpoint.into(),
            group: TestGroup::of(group),
            outcome,
            seconds: None,
            reason: None,
            failure: None,
        })
    };
    let list =
        |(key, outcome)| outcomes.array(key).into_iter().filter_map(move |name| one(outcome, name));
    lists.into_iter().flat_map(list).collect()
}

/// An entry of the list that the first evaluations were: `{id, checkpoint, group_type, status, duration_ms}`.
fn legacy_case(raw: &RawValue) -> Option<TestCase> {
    let test = Object::of(raw)?;
    let outcome = match test.text("status")?.as_ref() {
        "passed" => TestOutcome::Passed,
        "skipped" => TestOutcome::Skipped,
        _ => TestOutcome::Failed,
    };
    Some(TestCase {
        name: test.text_of(&["id", "name"])?.into(),
        checkpoint: test.boxed("checkpoint").unwrap_or_default(),
        group: test.text("group_type").and_then(|group| TestGroup::of(&group)),
        outcome,
        seconds: test.get("duration_ms").and_then(values::lenient).map(|millis| millis / 1000.0),
        reason: None,
        failure: None,
    })
}

/// Adds to the tests what pytest reported of them: how long they took, and why they failed. An error is a sentence.
pub fn add_report(tests: &mut Tests, report: Source<'_>, id: SourceId) -> Result<(), String> {
    let text = std::str::from_utf8(report.bytes).map_err(|_| "is not UTF-8".to_owned())?;
    let text = not_finite::readable(text);
    let object: Object<'_> = serde_json::from_str(&text).map_err(|why| not_json(&why))?;
    let mut by_name: BTreeMap<String, Vec<Reported>> = BTreeMap::new();
    for raw in object.array("tests") {
        if let Some((name, reported)) = reported(raw, place_within(text.as_bytes(), raw.get(), id))
        {
            by_name.entry(name).or_default().push(reported);
        }
    }
    for case in &mut tests.cases {
        let name = last_part(&case.name);
        let Some(found) = by_name.get(name) else { continue };
        // The same test may stand in the files of several checkpoints.
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

struct Reported {
    node: String,
    seconds: Option<f64>,
    reason: Option<Box<str>>,
    place: Place,
}

/// A test without its file and class.
fn last_part(node: &str) -> &str {
    // A parameter may hold the separator itself.
    let head = node.split('[').next().unwrap_or(node);
    head.rfind("::").map_or(node, |at| &node[at + 2..])
}

fn reported(raw: &RawValue, place: Place) -> Option<(String, Reported)> {
    let test = Object::of(raw)?;
    let node = test.text("nodeid")?.into_owned();
    let stages: Vec<Object<'_>> =
        ["setup", "call", "teardown"].iter().filter_map(|stage| test.object(stage)).collect();
    let seconds = stages.iter().filter_map(|stage| values::lenient(stage.get("duration")?));
    let reason = stages.iter().find_map(|stage| {
        let message = stage.object("crash").and_then(|crash| crash.boxed("message"));
        message.or_else(|| last_line(&stage.text("longrepr")?))
    });
    let name = last_part(&node).to_owned();
    let seconds = seconds.reduce(|sum, more| sum + more);
    Some((name, Reported { node, seconds, reason: reason.map(|text| label(&text)), place }))
}

fn last_line(text: &str) -> Option<Box<str>> {
    text.lines().rev().find(|line| !line.trim().is_empty()).map(Into::into)
}

/// The whole text of a failure, from a test of `report.json`.
pub fn failure(record: &str) -> String {
    let test = Object::parse(record).unwrap_or_default();
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

    fn read(text: &str, generation: Generation) -> Tests {
        let source = Source { name: "evaluation.json", bytes: text.as_bytes() };
        super::tests(source, Some(generation)).unwrap()
    }

    fn passed(passed: u64, total: u64) -> Passed {
        Passed { passed, total }
    }

    #[test]
    fn strict_counts_every_group_and_iso_leaves_out_earlier_checkpoints() {
        let text = r#"{"pass_counts": {"Core": 4, "Functionality": 18, "Error": 9, "Regression": 1},
            "total_counts": {"Core": 4, "Functionality": 20, "Error": 13, "Regression": 2}}"#;

        let tests = read(text, Generation::G2);

        assert_eq!((tests.strict, tests.iso), (passed(32, 39), passed(31, 37)));
        assert!(tests.group(TestGroup::Core).unwrap().all());
    }

    #[test]
    fn a_group_without_a_count_is_not_recorded() {
        let text = r#"{"pass_counts": {"Core": 2}, "total_counts": {"Core": 3, "Error": 1}}"#;

        let tests = read(text, Generation::G0);

        assert_eq!(
            tests.groups,
            [(TestGroup::Core, passed(2, 3)), (TestGroup::Error, passed(0, 1))]
        );
        assert_eq!(tests.group(TestGroup::Regression), None);
    }

    #[test]
    fn tests_that_were_collected_and_never_ran_count_from_the_paper_on() {
        let text = r#"{"pass_counts": {}, "total_counts": {}, "pytest_collected": 7}"#;

        assert_eq!(read(text, Generation::G0).strict, passed(0, 0));
        assert_eq!(read(text, Generation::G2).strict, passed(0, 7));
        assert_eq!(read(text, Generation::G2).iso, passed(0, 0));
    }

    #[test]
    fn the_list_of_the_first_evaluations_is_read_and_counted() {
        let text = r#"{"tests": [
            {"id": "test_a", "checkpoint": "checkpoint_1", "group_type": "Core", "status": "passed", "duration_ms": 1500},
            {"id": "test_b", "checkpoint": "checkpoint_1", "group_type": "Core", "status": "error"}, null]}"#;

        let tests = read(text, Generation::G0);

        assert_eq!(tests.groups, [(TestGroup::Core, passed(1, 2))]);
        assert_eq!(tests.cases[0].seconds, Some(1.5));
        assert_eq!(tests.cases[1].outcome, TestOutcome::Failed);
    }

    #[test]
    fn a_failed_test_has_its_words_from_the_report() {
        let text = r#"{"tests": {"checkpoint_1-Core": {"passed": ["test_a"], "failed": ["test_b[x::y]"]}}}"#;
        let report = br#"{"tests": [{"nodeid": "tests/test_checkpoint_2.py::test_b[x::y]", "call": {}},
            {"nodeid": "tests/test_checkpoint_1.py::T::test_b[x::y]", "setup": {"duration": 0.25},
             "call": {"duration": 0.5, "crash": {"message": "assert 1 == 2"}, "longrepr": "def test_b\nE assert"}}]}"#;
        let mut tests = read(text, Generation::G2);

        add_report(&mut tests, Source { name: "report.json", bytes: report }, SourceId(3)).unwrap();

        let failed = &tests.cases[1];
        assert_eq!(failed.reason.as_deref(), Some("assert 1 == 2"));
        assert_eq!(failed.seconds, Some(0.75));
        let record = failed.failure.unwrap().of(report);
        assert_eq!(failure(std::str::from_utf8(record).unwrap()), "def test_b\nE assert");
    }
}
