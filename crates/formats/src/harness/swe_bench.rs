//! The harness of SWE-bench and the evaluations that write its forms: whether the changes of an agent solved an instance.
//!
//! | file | form | read for |
//! |---|---|---|
//! | `report.json`, `<instance>/report.json`, `logs/<instance>/report.json`, `<log>.eval.json` | `{instance: {resolved, tests_status}}`, or one instance alone | the verdict, the tests by name |
//! | `output.report.json`, `results.json`, `results/results.json` | `{resolved_ids, unresolved_ids, error_ids, empty_patch_ids, incomplete_ids}`; before 2024-06 `{resolved, applied, no_generation, ...}` | the verdict |
//! | `preds.json`, `all_preds.jsonl` | `{instance: {model_patch}}`, a list or lines of these | whether changes were submitted |
//!
//! The report of the instance counts most, then that of the run; where another file says something else, it is a note. An
//! instance that was submitted and is in no report was not scored. The status with which the agent itself ended is a note
//! beside a verdict.

use serde_json::Value;

use trajview_run::{
    Outcome, Run, TrialResult, Warning,
    checkpoint_record::{PassCount, RecordedTests, TestCase, TestOutcome},
};

use super::{Harness, RecordFile, TrialFacts, TrialFiles, ctrf};
use crate::{
    NotUnderstood,
    exit_status::{log_stem, result_of_broken},
    format::file_name,
    json_object::JsonFields,
};

/// The harness of SWE-bench.
pub struct SweBench;

/// The most tests of a report that are read.
const MAX_TESTS: usize = 50_000;

/// The files that a run of an evaluation leaves in its folder.
const RECORD_NAMES: [&str; 6] = [
    "report.json",
    "output.report.json",
    "results.json",
    "preds.json",
    "all_preds.jsonl",
    "metadata.yaml",
];

/// The lists of a report of a whole run, and what being in one means; an instance is in the first that has it. The lists
/// below were written before 2024-06.
const RUN_LISTS: [(&str, Outcome); 14] = [
    ("resolved_ids", Outcome::Passed),
    ("error_ids", Outcome::Error),
    ("empty_patch_ids", Outcome::Failed),
    ("unresolved_ids", Outcome::Failed),
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

impl Harness for SweBench {
    fn name(&self) -> &'static str {
        "SWE-bench"
    }

    fn record_names(&self) -> &'static [&'static str] {
        &RECORD_NAMES
    }

    fn named_records(&self, log: &str) -> Vec<String> {
        let own = [".eval.json", ".report.json"];
        log_names(log)
            .into_iter()
            .take(1)
            .flat_map(|stem| own.map(|end| format!("{stem}{end}")))
            .collect()
    }

    /// A record names the instance that the log is named after; one that is damaged is claimed by its name, where only this
    /// harness uses it.
    fn claims_record(&self, record: &RecordFile, log: &str) -> bool {
        let names = log_names(log);
        if record.name == "metadata.yaml" {
            // Submissions to the leaderboard keep their results in folders beside it.
            return names.iter().any(|name| name.contains("__"));
        }
        let is_named = names.iter().any(|name| record.has_name(name));
        let is_own_name = record.name != "results.json" && record.name != "report.json";
        let is_result = ["\"resolved", "\"model_patch\"", "\"test_result\"", "_ids\""];
        let is_swe = names.iter().any(|name| name.contains("__"));
        (is_named && is_result.iter().any(|key| record.has_text(key)))
            || (is_swe || is_own_name) && record.has_text("\"resolved_ids\"")
            || file_name(&record.name).ends_with(".eval.json")
            || (is_swe && record.name != "results.json" && read_file(record).is_err())
    }

    fn sidecar_paths(&self, log: &str) -> Vec<String> {
        let mut paths: Vec<String> = [
            "report.json",
            "output.report.json",
            "results.json",
            "results/results.json",
            "preds.json",
        ]
        .map(str::to_owned)
        .into();
        for name in log_names(log) {
            paths.extend([format!("{name}/report.json"), format!("logs/{name}/report.json")]);
        }
        paths
    }

    fn read_trial(
        &self,
        files: &TrialFiles<'_>,
        run: &Run,
    ) -> Result<Option<TrialFacts>, NotUnderstood> {
        let mut names = log_names(files.log);
        if let Some(task) = &run.task {
            names.insert(0, task.id.clone());
        }
        let others = files.sidecars.iter().filter(|file| file.name != files.record.name);
        let mut verdicts: Vec<Verdict> = vec![];
        let mut facts = TrialFacts::default();
        for file in std::iter::once(files.record).chain(others) {
            match read_file(file) {
                Ok(value) => verdicts
                    .extend(names.iter().find_map(|name| Verdict::find(value, name, &file.name))),
                Err(why) => facts.warnings.push(Warning { place: file.name.clone(), what: why }),
            }
        }
        // Equal ones stay in the order of the files.
        verdicts.sort_by_key(|verdict| verdict.rank);
        let mut verdicts = verdicts.into_iter();
        let Some(best) = verdicts.next() else { return no_verdict(facts) };
        if best.rank == VerdictRank::Submission && run.trial.is_some() {
            return no_verdict(facts);
        }
        let others: Vec<Verdict> = verdicts.collect();
        facts.tests = best.tests;
        facts.result = TrialResult { task: Some(best.instance.into()), ..best.result };
        let word = |result: &TrialResult| result.outcome.map_or("nothing", Outcome::word);
        let own_word = word(&facts.result);
        let is_scored = |verdict: &&Verdict| verdict.rank < VerdictRank::Submission;
        let differing = others.iter().filter(is_scored).filter(|it| word(&it.result) != own_word);
        let notes: Vec<Box<str>> = differing
            .map(|it| format!("{} says {}", it.result.source, word(&it.result)).into())
            .collect();
        facts.result.notes.extend(notes);
        Ok(Some(facts))
    }
}

/// Returns the warnings about damaged files alone; None where there are none, so that other records are looked for.
fn no_verdict(facts: TrialFacts) -> Result<Option<TrialFacts>, NotUnderstood> {
    match facts.warnings.into_iter().next() {
        Some(warning) => Err(NotUnderstood(warning.what)),
        None => Ok(None),
    }
}

/// Returns the names by which a record may call the instance of a log: of the log itself and of the folders above it,
/// without endings.
fn log_names(log: &str) -> Vec<String> {
    let without_end = |name: &str| {
        let stem = log_stem(name).unwrap_or(name);
        // A row that is not the first of its name.
        stem.split('@').next().unwrap_or(stem).to_owned()
    };
    let mut names: Vec<String> = log.rsplit('/').take(4).map(without_end).collect();
    names.retain(|name| name.len() > 1);
    names.dedup();
    names
}

/// Returns the content of a file; lines become a list. An error is a sentence.
fn read_file(file: &RecordFile) -> Result<&Value, String> {
    if file.name.ends_with(".yaml") {
        return Ok(&Value::Null);
    }
    if file.name.ends_with(".jsonl") {
        return file.json_lines().ok_or_else(|| "not the JSON lines of an evaluation".into());
    }
    file.json().map_err(|why| format!("not the JSON of an evaluation: {why}"))
}

/// The files by how much they count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum VerdictRank {
    Instance,
    Run,
    Submission,
}

/// What one file says about an instance.
struct Verdict {
    rank: VerdictRank,
    instance: String,
    result: TrialResult,
    tests: Option<RecordedTests>,
}

impl Verdict {
    fn find(value: &Value, instance: &str, source: &str) -> Option<Self> {
        let made = |rank: VerdictRank, result: TrialResult| Self {
            rank,
            instance: instance.to_owned(),
            result: TrialResult { source: source.into(), ..result },
            tests: None,
        };
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
        result.source = source.into();
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
        let tests = report.object("tests_status").map(|status| read_tests(status, source));
        Some(Self { rank: VerdictRank::Instance, instance: instance.to_owned(), result, tests })
    }
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
    tests
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit_status;
    use trajview_run::Task;

    const ID: &str = "made__tinycalc-1";

    fn file(name: &str, text: &str) -> RecordFile {
        RecordFile::new(name, text.as_bytes().to_vec())
    }

    fn trial(
        files: &[(&str, &str)],
        own: Option<TrialResult>,
    ) -> Result<Option<TrialFacts>, NotUnderstood> {
        let task = Task { id: ID.into(), ..Task::default() };
        let run = Run { task: Some(task), trial: own.map(Box::new), ..Run::default() };
        let log = format!("{ID}/{ID}.traj");
        let files: Vec<RecordFile> = files.iter().map(|(name, text)| file(name, text)).collect();
        assert!(SweBench.claims_record(&files[0], &log), "{files:?}");
        let files = TrialFiles { log: &log, record: &files[0], sidecars: files[1..].to_vec() };
        SweBench.read_trial(&files, &run)
    }

    fn outcome(name: &str, text: &str) -> (Option<Outcome>, Option<f64>) {
        let facts = trial(&[(name, text)], None).unwrap().unwrap();
        (facts.result.outcome, facts.result.reward)
    }

    #[test]
    fn each_form_of_a_report_gives_the_outcome() {
        let passed = (Some(Outcome::Passed), Some(1.0));
        let failed = (Some(Outcome::Failed), Some(0.0));

        assert_eq!(outcome("report.json", r#"{"made__tinycalc-1": {"resolved": true}}"#), passed);
        assert_eq!(outcome("made__tinycalc-1.eval.json", r#"{"resolved": false}"#), failed);
        assert_eq!(
            outcome("output.report.json", r#"{"resolved_ids": ["made__tinycalc-1"]}"#),
            passed
        );
        assert_eq!(
            outcome(
                "output.report.json",
                r#"{"resolved_ids": [], "unresolved_ids": ["made__tinycalc-1"]}"#
            ),
            failed
        );
        assert_eq!(
            outcome(
                "results.json",
                r#"{"resolved": ["made__tinycalc-1"], "applied": ["made__tinycalc-1"]}"#
            ),
            passed
        );
        assert_eq!(
            outcome("results.json", r#"{"resolved": [], "applied": ["made__tinycalc-1"]}"#),
            failed
        );
        assert_eq!(
            outcome(
                "output.report.json",
                r#"{"resolved_ids": [], "error_ids": ["made__tinycalc-1"]}"#
            ),
            (Some(Outcome::Error), None)
        );
        assert_eq!(
            outcome(
                "output.report.json",
                r#"{"resolved_ids": [], "empty_patch_ids": ["made__tinycalc-1"]}"#
            ),
            failed
        );
        let error = (Some(Outcome::Error), None);
        assert_eq!(
            outcome("results.json", r#"{"resolved": [], "test_timeout": ["made__tinycalc-1"]}"#),
            error
        );
        assert_eq!(
            outcome("made__tinycalc-1.eval.json", r#"{"resolved": false, "test_timeout": true}"#),
            error
        );
        assert_eq!(
            outcome("made__tinycalc-1.eval.json", r#"{"resolved": true, "error_eval": true}"#),
            passed
        );
        let unscored = (Some(Outcome::Unscored), None);
        assert_eq!(
            outcome("preds.json", r#"{"made__tinycalc-1": {"model_patch": "diff"}}"#),
            unscored
        );
        assert_eq!(
            outcome(
                "all_preds.jsonl",
                "{\"instance_id\": \"x\", \"model_patch\": \"\"}\n{\"instance_id\": \"made__tinycalc-1\", \"model_patch\": \"d\"}\n"
            ),
            unscored
        );
    }

    #[test]
    fn the_report_of_the_instance_counts_and_the_other_is_a_note() {
        let own = exit_status::result_of_status("exit_cost");
        let files = [
            ("results.json", r#"{"resolved": ["made__tinycalc-1"]}"#),
            (
                "made__tinycalc-1/report.json",
                r#"{"made__tinycalc-1": {"resolved": false, "tests_status": {
                "FAIL_TO_PASS": {"success": ["a"], "failure": ["b"]}, "PASS_TO_PASS": {"success": ["c"], "failure": []},
                "FAIL_TO_FAIL": {"success": [], "failure": ["d"]}}}}"#,
            ),
        ];

        let facts = trial(&files, Some(own)).unwrap().unwrap();

        assert_eq!(facts.result.outcome, Some(Outcome::Failed));
        assert_eq!(facts.result.notes, ["results.json says passed".into()]);
        assert_eq!(&*facts.result.source, "made__tinycalc-1/report.json");
        let tests = facts.tests.unwrap();
        assert_eq!((tests.strict, tests.cases.len()), (PassCount { passed: 2, total: 3 }, 4));
    }

    #[test]
    fn a_damaged_report_is_a_warning_and_predictions_add_nothing_to_the_status_of_the_agent() {
        let damaged = trial(&[("report.json", "{\"made__tinycalc-1\": {\"resol")], None);
        assert!(damaged.unwrap_err().to_string().starts_with("not the JSON of an evaluation: "));

        let beside = [
            ("report.json", "{\"made__tinycalc-1\": {\"resol"),
            ("results.json", r#"{"resolved": ["made__tinycalc-1"]}"#),
        ];
        let facts = trial(&beside, None).unwrap().unwrap();
        assert_eq!((facts.result.outcome, facts.warnings.len()), (Some(Outcome::Passed), 1));

        let own = exit_status::result_of_status("exit_cost");
        let preds = [("preds.json", r#"{"made__tinycalc-1": {"model_patch": "diff"}}"#)];
        assert_eq!(trial(&preds, Some(own)).unwrap(), None);
    }

    #[test]
    fn records_of_others_are_not_claimed() {
        let claims =
            |name: &str, text: &str, log: &str| SweBench.claims_record(&file(name, text), log);
        assert!(!claims(
            "results.json",
            r#"{"results": [], "accuracy": 1}"#,
            "t/t.1-of-1/agent.jsonl"
        ));
        assert!(!claims(
            "report.json",
            r#"{"summary": {"passed": 1}}"#,
            "checkpoint_1/agent/stdout.jsonl"
        ));
        assert!(!claims("report.json", "{\"cut", "session.jsonl"));
        assert!(!claims("results.json", "{\"cut", "made__tinycalc-1.traj"));
    }
}
