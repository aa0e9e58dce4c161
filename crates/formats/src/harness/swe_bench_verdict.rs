//! What one file of the harness of SWE-bench says about an instance.

use serde_json::Value;

use trajview_run::{
    Outcome, TrialResult,
    checkpoint_record::{PassCount, RecordedTests, TestCase, TestOutcome},
    first_line_label,
};

use super::{RecordFile, ctrf};
use crate::{exit_status::result_of_broken, json_object::JsonFields};

/// The most tests of a report that are read.
const MAX_TESTS: usize = 50_000;

/// The lists of a report of a whole run, and what being in one means; an instance is in the first that has it. `failed_ids` and
/// `pending_ids` are of sb-cli; those from `resolved` on were written before 2024-06.
pub(super) const RUN_LISTS: [(&str, Outcome); 17] = [
    ("resolved_ids", Outcome::Passed),
    ("error_ids", Outcome::Error),
    ("empty_patch_ids", Outcome::Failed),
    ("unresolved_ids", Outcome::Failed),
    ("failed_ids", Outcome::Failed),
    ("completed_ids", Outcome::Failed),
    ("pending_ids", Outcome::Unscored),
    ("incomplete_ids", Outcome::Unscored),
    ("submitted_ids", Outcome::Unscored),
    ("resolved", Outcome::Passed),
    ("test_timeout", Outcome::Error),
    ("install_fail", Outcome::Error),
    ("reset_failed", Outcome::Error),
    ("test_errored", Outcome::Error),
    ("no_generation", Outcome::Failed),
    ("no_apply", Outcome::Failed),
    ("applied", Outcome::Failed),
];

/// The files by how much they count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum VerdictRank {
    Instance,
    Run,
    Submission,
}

/// What one file says about an instance.
pub(super) struct Verdict {
    pub rank: VerdictRank,
    pub instance: String,
    pub result: TrialResult,
    pub tests: Option<RecordedTests>,
}

impl Verdict {
    /// Returns what the content of a file says about an instance.
    pub fn find(value: &Value, instance: &str, source: &str) -> Option<Self> {
        let made =
            |rank: VerdictRank, result: TrialResult| Self::new(rank, instance, source, result);
        let outcome_alone =
            |outcome: Outcome| TrialResult { outcome: Some(outcome), ..TrialResult::default() };
        if let Some(rows) = value.as_array() {
            let row = rows.iter().find(|row| row.text("instance_id") == Some(instance))?;
            return Self::of_entry(row, instance, source)
                .or_else(|| Some(made(VerdictRank::Submission, submission(row)?)));
        }
        if let Some(list) = run_list(value, instance) {
            let mut result = result_of_flag(list.1).unwrap_or_else(|| outcome_alone(list.1));
            match list.0 {
                "empty_patch_ids" | "no_generation" => {
                    result.notes.push("the agent submitted no changes".into());
                }
                "no_apply" => result.notes.push("the changes could not be applied".into()),
                name if list.1.is_broken() => {
                    result.error = Some(format!("the evaluation lists it under {name}").into());
                }
                _ => {}
            }
            let reason = value.object("failure_reasons").and_then(|it| it.text(instance));
            result.notes.extend(reason.map(broken_environment_note));
            let rank = if list.1 == Outcome::Unscored {
                VerdictRank::Submission
            } else {
                VerdictRank::Run
            };
            return Some(made(rank, result));
        }
        let is_alone = value.text("instance_id").is_none_or(|id| id == instance);
        let entry = value.get(instance).or_else(|| {
            let is_report = value.get("resolved").is_some_and(Value::is_boolean)
                || value.get("model_patch").is_some()
                || value.pointer("/test_result/report").is_some();
            (is_alone && is_report).then_some(value)
        })?;
        Self::of_entry(entry, instance, source)
            .or_else(|| Some(made(VerdictRank::Submission, submission(entry)?)))
    }

    /// Reads the report of one instance: a flag, an object with `resolved`, or the row of an evaluation.
    fn of_entry(entry: &Value, instance: &str, source: &str) -> Option<Self> {
        let report = entry.pointer("/test_result/report").unwrap_or(entry);
        let broken = result_of_broken(|key| report.flag(key) == Some(true));
        let mut result = match (report.as_bool().or_else(|| report.flag("resolved")), broken) {
            (Some(true), _) => result_of_flag(Outcome::Passed)?,
            (_, Some(broken)) => broken,
            (Some(false), None) => result_of_flag(Outcome::Failed)?,
            (None, None) => return None,
        };
        for (key, note) in [
            ("patch_is_None", "the agent submitted no changes"),
            ("empty_generation", "the agent submitted no changes"),
            ("failed_apply_patch", "the changes could not be applied"),
        ] {
            if report.flag(key) == Some(true) {
                result.notes.push(note.into());
            }
        }
        if report.flag("patch_exists") == Some(true)
            && report.flag("patch_successfully_applied") == Some(false)
        {
            result.notes.push("the changes could not be applied".into());
        }
        if report.flag("infra_failure") == Some(true) {
            let reason = report.text("infra_failure_reason").unwrap_or("no reason is given");
            result.notes.push(broken_environment_note(reason));
        }
        let tests = report.object("tests_status").map(|status| read_tests(status, source));
        Some(Self { tests, ..Self::new(VerdictRank::Instance, instance, source, result) })
    }

    /// Reads what the harness logged about an instance that it left no report of; its folder is named after the instance.
    pub fn of_instance_log(file: &RecordFile, names: &[String]) -> Option<Self> {
        let instance = file.name.rsplit('/').nth(1)?;
        if !names.iter().any(|name| name == instance) {
            return None;
        }
        let text = String::from_utf8_lossy(file.bytes());
        let after = |mark: &str| text.rfind(mark).map(|at| &text[at + mark.len()..]);
        let raised = after(&format!("Error in evaluating model for {instance}: "))
            .or_else(|| text.rfind("Test timed out after ").map(|at| &text[at..]))
            .or_else(|| {
                after(">>>>> Patch Apply Failed").map(|_| "the changes could not be applied")
            })
            .or_else(|| after(" - ERROR - "));
        let Some(error) = raised else {
            let notes = vec!["the evaluation left no report".into()];
            let result =
                TrialResult { outcome: Some(Outcome::Unscored), notes, ..TrialResult::default() };
            return Some(Self::new(VerdictRank::Submission, instance, &file.name, result));
        };
        let error = Some(first_line_label(error));
        let result = TrialResult { outcome: Some(Outcome::Error), error, ..TrialResult::default() };
        Some(Self::new(VerdictRank::Instance, instance, &file.name, result))
    }

    fn new(rank: VerdictRank, instance: &str, source: &str, result: TrialResult) -> Self {
        let result = TrialResult { source: source.into(), ..result };
        Self { rank, instance: instance.to_owned(), result, tests: None }
    }
}

/// Returns the note about a failure for which the harness suspects the environment; it counts the instance as failed.
fn broken_environment_note(reason: &str) -> Box<str> {
    format!("the harness suspects the environment: {reason}").into()
}

/// Returns the result with its reward, for a verdict; None for other outcomes.
fn result_of_flag(outcome: Outcome) -> Option<TrialResult> {
    let reward = match outcome {
        Outcome::Passed => 1.0,
        Outcome::Failed => 0.0,
        _ => return None,
    };
    Some(TrialResult {
        outcome: Some(outcome),
        reward: Some(reward),
        reward_name: Some("resolved".into()),
        ..TrialResult::default()
    })
}

/// Returns the first list of a report of a run that has the instance.
fn run_list(value: &Value, instance: &str) -> Option<(&'static str, Outcome)> {
    RUN_LISTS
        .into_iter()
        .find(|(key, _)| value.elements_of(key).iter().any(|id| id.as_str() == Some(instance)))
}

/// Returns the result of an instance in a file of predictions.
fn submission(entry: &Value) -> Option<TrialResult> {
    let patch = entry.get("model_patch")?;
    let is_empty = patch.as_str().is_none_or(|patch| patch.trim().is_empty());
    let notes = is_empty.then(|| "the agent submitted no changes".into()).into_iter().collect();
    Some(TrialResult { outcome: Some(Outcome::Unscored), notes, ..TrialResult::default() })
}

/// Reads `{"FAIL_TO_PASS": {"success": [...], "failure": [...]}, ...}`.
fn read_tests(status: &serde_json::Map<String, Value>, source: &str) -> RecordedTests {
    let mut tests = RecordedTests { source: source.into(), ..RecordedTests::default() };
    for (group, lists) in status {
        for (key, outcome) in [("success", TestOutcome::Passed), ("failure", TestOutcome::Failed)] {
            let room = MAX_TESTS.saturating_sub(tests.cases.len());
            for name in lists.texts_of(key).into_iter().take(room) {
                // Only these two are what the instance is about.
                if matches!(group.as_str(), "FAIL_TO_PASS" | "PASS_TO_PASS") {
                    let passed = u64::from(outcome == TestOutcome::Passed);
                    tests.strict = tests.strict + PassCount { passed, total: 1 };
                }
                tests.cases.push(TestCase {
                    checkpoint: group.as_str().into(),
                    ..ctrf::named_case(&name, outcome)
                });
            }
        }
    }
    tests.iso = tests.strict;
    tests
}
