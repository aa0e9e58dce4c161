//! The harness of SWE-bench and the evaluations that write its forms: whether the changes of an agent solved an instance.
//!
//! | file | form | read for |
//! |---|---|---|
//! | `report.json` beside the log or in a folder of the instance, `<log>.eval.json` | `{instance: {resolved, tests_status}}`, or one instance alone | the verdict, the tests by name |
//! | `run_instance.log`, where the harness left no report | its own log | why the evaluation broke |
//! | `<model>.<run>.json`, `output.report.json`, `results.json`, a report of `sb-cli` | `{resolved_ids, unresolved_ids, error_ids, empty_patch_ids, ...}`; before 2024-06 `{resolved, applied, no_generation, ...}` | the verdict |
//! | `preds.json`, `all_preds.jsonl`, `<log>.pred` | `{instance: {model_patch}}`, a list or lines of these | whether changes were submitted |
//!
//! The report of the instance counts most, then that of the run; where another file says something else, it is a note. An
//! instance that was submitted and is in no report was not scored. The status with which the agent itself ended is a note
//! beside a verdict.
//!
//! The harness keeps its evaluations apart from the logs ([`PLACES`]), by run and model. Of several, those count that have a
//! name of the log's agent: the model in its predictions or in the log, a folder that the log is in. Where none has one, they
//! count if they are all of one model.

use std::collections::BTreeSet;

use serde_json::Value;

use trajview_run::{Outcome, Run, TrialResult, Warning};

use super::{
    EvaluationPlaces, Harness, RecordFile, TrialFacts, TrialFiles,
    swe_bench_verdict::{Verdict, VerdictRank},
};
use crate::{
    FileHead, NotUnderstood, exit_status::log_stem, format::file_name, json_object::JsonFields,
};

/// The harness of SWE-bench.
pub struct SweBench;

/// The log that the harness writes about one instance.
pub(super) const INSTANCE_LOG: &str = "run_instance.log";

/// The files that a run of an evaluation leaves in its folder.
const RECORD_NAMES: [&str; 6] = [
    "report.json",
    "output.report.json",
    "results.json",
    "preds.json",
    "all_preds.jsonl",
    "metadata.yaml",
];

/// The folder of the evaluations of the harness, with folders by run, model and instance.
const RUN_EVALUATION: &str = "run_evaluation";

/// Where evaluations are, apart from the logs.
static PLACES: EvaluationPlaces = EvaluationPlaces {
    folders: &["logs/run_evaluation/*/*", "run_evaluation/*/*", "eval_outputs", "logs"],
    records: &["report.json", INSTANCE_LOG],
    report_folders: &["", "sb-cli-reports"],
    is_report_name,
    is_run_report,
    instances_of_log: |log| {
        let mut names = log_names(log);
        names.retain(|name| name.contains("__"));
        names
    },
};

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
        if file_name(&record.name) == INSTANCE_LOG {
            return is_instance_log(record.bytes());
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
        paths.extend(log_names(log).iter().map(|name| format!("{name}/report.json")));
        paths.extend(log_stem(log).map(|stem| format!("{stem}.pred")));
        paths
    }

    fn evaluations(&self) -> Option<&'static EvaluationPlaces> {
        Some(&PLACES)
    }

    fn own_record_depth(&self, record: &str) -> usize {
        // `<instance>/report.json`, below `logs/run_evaluation/<run>/<model>` in the folder of the harness itself.
        let folders: Vec<&str> = record.rsplit('/').skip(1).collect();
        match folders.get(3) == Some(&RUN_EVALUATION) {
            true => 5 + usize::from(folders.get(4) == Some(&"logs")),
            false => 2,
        }
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
        let mut agent = AgentNames::of_log(files.log, run.model.as_deref());
        let mut facts = TrialFacts::default();
        for file in std::iter::once(files.record).chain(others) {
            if file_name(&file.name) == INSTANCE_LOG {
                verdicts.extend(Verdict::of_instance_log(file, &names));
                continue;
            }
            match read_file(file) {
                Ok(value) => {
                    if file.name.ends_with(".pred") {
                        agent.0.extend(value.text("model_name_or_path").map(plain_name));
                    }
                    verdicts.extend(
                        names.iter().find_map(|name| Verdict::find(value, name, &file.name)),
                    );
                }
                Err(why) => facts.warnings.push(Warning { place: file.name.clone(), what: why }),
            }
        }
        keep_own_evaluations(&mut verdicts, &agent)?;
        // Equal ones stay in the order of the files.
        verdicts.sort_by_key(|verdict| verdict.rank);
        let mut verdicts = verdicts.into_iter();
        let Some(best) = verdicts.next() else { return no_verdict(facts) };
        if best.rank == VerdictRank::Submission && run.trial.is_some() {
            return no_verdict(facts);
        }
        let others: Vec<Verdict> = verdicts.collect();
        facts.tests = best.tests;
        let evaluation = EvaluationName::of_file(&best.result.source);
        facts.model = evaluation.filter(|it| it.run.is_some()).and_then(|it| it.model());
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

/// Returns a name as the harness writes it in paths, in lower case: of `openai/gpt-5` `openai__gpt-5`.
fn plain_name(name: &str) -> String {
    name.replace('/', "__").to_lowercase()
}

/// The names that an evaluation may have for the agent of a log.
struct AgentNames(Vec<String>);

impl AgentNames {
    fn of_log(log: &str, model: Option<&str>) -> Self {
        let folders = log.split('/').rev().skip(1).filter(|name| !name.is_empty());
        // An instance in the report of a run has that report above it.
        let folders = folders.map(|name| log_stem(name).unwrap_or(name));
        Self(folders.chain(model).map(plain_name).collect())
    }

    /// Returns whether one of the names is that model: `gpt-5` is `openai__gpt-5` too.
    fn have(&self, model: &str) -> bool {
        let last = |name: &str| name.rsplit("__").next().unwrap_or(name).to_owned();
        self.0.iter().any(|name| name == model || last(name) == last(model))
    }
}

/// The names in the path of a file with evaluations.
struct EvaluationName<'p> {
    /// The folder of the run, where it has one.
    run: Option<&'p str>,
    /// The folder of the model, else the name of the report without its ending: model and run, or data set and run.
    model: &'p str,
}

impl<'p> EvaluationName<'p> {
    /// Returns None for a file that is not named after a run.
    fn of_file(path: &'p str) -> Option<Self> {
        let parts: Vec<&str> = path.rsplit('/').collect();
        if let [_, _, model, run, RUN_EVALUATION, ..] = parts[..] {
            return Some(Self { run: Some(run), model });
        }
        let is_fixed = RECORD_NAMES.contains(&parts[0]) || parts[0].starts_with("output.");
        let model = parts[0].strip_suffix(".json").filter(|_| !is_fixed)?;
        let is_report = parts.len() == 1 || parts[1] == "sb-cli-reports";
        (is_report && is_report_name(parts[0])).then_some(Self { run: None, model })
    }

    fn is_of(&self, agent: &AgentNames) -> bool {
        let (model, run) = (self.model.to_lowercase(), self.run.map(str::to_lowercase));
        if let Some(run) = run {
            let of_report = |name: &String| {
                name.strip_prefix(&model).and_then(|it| it.strip_prefix('.')) == Some(&run)
                    || name.strip_suffix(&run).is_some_and(|rest| rest.ends_with("__"))
            };
            return agent.have(&model) || agent.0.contains(&run) || agent.0.iter().any(of_report);
        }
        agent.0.iter().any(|name| {
            let rest = model.strip_prefix(name.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
                || model.strip_suffix(name.as_str()).is_some_and(|rest| rest.ends_with("__"))
        }) || model.rmatch_indices('.').any(|(at, _)| agent.have(&model[..at]))
    }

    /// Returns the name of the model alone.
    fn model(&self) -> Option<String> {
        match self.run {
            Some(_) => Some(self.model.to_owned()),
            None => Some(self.model.rsplit_once('.')?.0.to_owned()),
        }
    }
}

/// Keeps, of the verdicts of runs of the harness, those of the log's agent. An error where several models have one, and none
/// is known to be that of the log.
fn keep_own_evaluations(
    verdicts: &mut Vec<Verdict>,
    agent: &AgentNames,
) -> Result<(), NotUnderstood> {
    let files: Vec<Box<str>> = verdicts.iter().map(|it| it.result.source.clone()).collect();
    let named: Vec<EvaluationName<'_>> =
        files.iter().filter_map(|file| EvaluationName::of_file(file)).collect();
    if named.iter().any(|it| it.is_of(agent)) {
        verdicts.retain(|verdict| {
            EvaluationName::of_file(&verdict.result.source).is_none_or(|it| it.is_of(agent))
        });
        return Ok(());
    }
    let models: BTreeSet<String> = named.iter().filter_map(EvaluationName::model).collect();
    if models.len() < 2 {
        return Ok(());
    }
    verdicts.retain(|verdict| EvaluationName::of_file(&verdict.result.source).is_none());
    if verdicts.iter().any(|it| it.rank < VerdictRank::Submission) {
        return Ok(());
    }
    let models: Vec<String> = models.into_iter().take(4).collect();
    let models = models.join(", ");
    Err(NotUnderstood(format!(
        "evaluations of several models have this instance ({models}), and the log names none of them; put the log into a folder named after its own"
    )))
}

/// Returns whether a file may be the report of a whole run by its name: `<model>.<run>.json`, and of sb-cli
/// `<data set>__<split>__<run>.json`.
fn is_report_name(name: &str) -> bool {
    name.strip_suffix(".json").is_some_and(|stem| {
        let is_other = stem.ends_with(".response") || log_stem(stem).is_some();
        (stem.contains('.') || stem.contains("__")) && !is_other
    })
}

/// Returns whether a file is the report of a whole run.
pub(super) fn is_run_report(head: &FileHead<'_>) -> bool {
    let has = |needle: &str| memchr::memmem::find(head.bytes, needle.as_bytes()).is_some();
    is_report_name(head.name)
        && head.text().starts_with(b"{")
        && (has("\"resolved_ids\"") || has("\"total_instances\"") && has("\"submitted_instances\""))
}

/// Returns whether a text is what the harness logs about an instance.
pub(super) fn is_instance_log(bytes: &[u8]) -> bool {
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let has = |needle: &str| memchr::memmem::find(line, needle.as_bytes()).is_some();
    line.first().is_some_and(u8::is_ascii_digit) && (has(" - INFO - ") || has(" - ERROR - "))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit_status;
    use trajview_run::{Task, checkpoint_record::PassCount};

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
