//! terminal-bench 1: `results.json` of a trial, and that of its job with the same object for each trial in `results`.
//!
//! The verifier's word is `is_resolved`, null where it did not come to one; `failure_mode` says why. No number is recorded,
//! so there is no reward. The agent and the model are in `run_metadata.json` or `tb.lock` of the job.

use serde_json::Value;

use trajview_run::{
    Outcome, Run, StatedTotals, Time, Tokens, TrialResult, checkpoint_record::TestOutcome,
};

use super::{Harness, RecordFile, TrialFacts, TrialFiles, ctrf};
use crate::{NotUnderstood, json_object::JsonFields};

/// The harness of terminal-bench 1.
pub struct TerminalBench;

/// The file with the record, of a trial and of a job.
pub(super) const RECORD: &str = "results.json";

/// The file of a job that names its agent and model, and the lock file that has the arguments of the command.
const METADATA: &str = "run_metadata.json";
const LOCK_FILE: &str = "tb.lock";

impl Harness for TerminalBench {
    fn name(&self) -> &'static str {
        "terminal-bench 1"
    }

    fn record_names(&self) -> &'static [&'static str] {
        &[RECORD]
    }

    fn claims_record(&self, record: &RecordFile, log: &str) -> bool {
        let is_in_trial = ["sessions/", "agent-logs/"].iter().any(|folder| log.starts_with(folder));
        ["\"trial_name\"", "\"is_resolved\"", "\"task_id\""].iter().all(|key| record.has_text(key))
            || is_in_trial && record.json().is_err()
    }

    fn sidecar_paths(&self, log: &str) -> Vec<String> {
        // An element of the job's record, else a file of `<task>/<trial>/`.
        let is_of_job = log.strip_prefix(RECORD).is_some_and(|rest| rest.starts_with('/'));
        let job = if is_of_job { "" } else { "../../" };
        [METADATA, LOCK_FILE].map(|name| format!("{job}{name}")).into()
    }

    fn read_trial(
        &self,
        files: &TrialFiles<'_>,
        _run: &Run,
    ) -> Result<Option<TrialFacts>, NotUnderstood> {
        let record = files
            .record
            .json()
            .map_err(|why| NotUnderstood(format!("not the JSON of a trial: {why}")))?;
        let record = match record.list("results") {
            // The record of the whole job: the trial is the one whose folder the log is in.
            Some(trials) => {
                let is_of_log = |it: &&Value| {
                    let name = it.text("trial_name").unwrap_or_default();
                    files.log.split('/').any(|part| part == name)
                };
                let Some(trial) = trials.iter().find(is_of_log) else { return Ok(None) };
                trial
            }
            None => record,
        };
        if record.text("task_id").is_none() {
            return Ok(None);
        }
        let mut facts = read_facts(record, &files.record.name);
        for sidecar in &files.sidecars {
            read_job(sidecar, &mut facts);
        }
        Ok(Some(facts))
    }
}

/// Reads the agent and the model of a job.
fn read_job(sidecar: &RecordFile, facts: &mut TrialFacts) {
    let Ok(job) = sidecar.json() else { return };
    let arguments = job.object("invocation").map(|it| it.texts_of("args")).unwrap_or_default();
    let argument = |names: [&str; 2]| {
        let at = arguments.iter().position(|it| names.contains(&option_name(it)))?;
        match arguments[at].split_once('=') {
            Some((_, value)) => Some(value.to_owned()),
            None => arguments.get(at + 1).cloned(),
        }
    };
    let agent = job.text("agent_name").map(str::to_owned).or_else(|| argument(["--agent", "-a"]));
    let model = job.text("model_name").map(str::to_owned).or_else(|| argument(["--model", "-m"]));
    facts.agent = facts.agent.take().or(agent.map(|name| (name, None)));
    facts.model = facts.model.take().or(model);
}

/// Returns the name of an option: of `--agent=terminus` too.
fn option_name(argument: &str) -> &str {
    argument.split_once('=').map_or(argument, |(name, _)| name)
}

fn read_facts(record: &Value, source: &str) -> TrialFacts {
    let time = |key: &str| Time::parse(record.text(key)?);
    // The harness writes 0 where the agent did not count.
    let count = |key: &str| record.number(key).filter(|it| *it > 0);
    let tokens = Tokens {
        input: count("total_input_tokens"),
        output: count("total_output_tokens"),
        ..Tokens::default()
    };
    let mut facts = TrialFacts {
        result: read_result(record, source),
        started_at: time("trial_started_at"),
        ended_at: time("trial_ended_at"),
        stated: StatedTotals { tokens, cost_usd: None },
        ..TrialFacts::default()
    };
    for (phase, start, end) in [
        ("agent_seconds", "agent_started_at", "agent_ended_at"),
        ("test_seconds", "test_started_at", "test_ended_at"),
    ] {
        let seconds = time(start).zip(time(end)).and_then(|(start, end)| end.seconds_since(start));
        facts.add_value(source, phase, seconds);
    }
    facts.tests = record.object("parser_results").map(|tests| {
        let outcome = |status: &Value| match status.as_str() {
            Some("passed") => TestOutcome::Passed,
            Some("failed") => TestOutcome::Failed,
            _ => TestOutcome::Skipped,
        };
        let case = |(name, status): (&String, &Value)| ctrf::named_case(name, outcome(status));
        ctrf::tests_of(source, tests.iter().take(ctrf::MOST_TESTS).map(case).collect())
    });
    facts
}

fn read_result(record: &Value, source: &str) -> TrialResult {
    let mode = record.text("failure_mode").filter(|mode| !["unset", "none"].contains(mode));
    let has_tests = record.object("parser_results").is_some();
    let by_mode = mode.map(outcome_of_mode);
    let has_ended = record.text("trial_ended_at").is_some();
    let outcome = match record.flag("is_resolved") {
        Some(true) => Some(Outcome::Passed),
        Some(false) if has_tests => Some(Outcome::Failed),
        Some(false) => by_mode.or(Some(Outcome::Failed)),
        None => by_mode.or(has_ended.then_some(Outcome::Unscored)),
    };
    let is_scored = outcome.is_some_and(Outcome::is_scored);
    let note = mode.filter(|_| is_scored).map(|mode| {
        format!("failure_mode is {mode}, and the tests gave their result all the same").into()
    });
    TrialResult {
        task: record.text("task_id").map(Into::into),
        attempt: record.text("trial_name").and_then(attempt_of),
        outcome,
        error: mode.map(Into::into),
        notes: note.into_iter().collect(),
        source: source.into(),
        ..TrialResult::default()
    }
}

/// Returns the outcome of a trial whose tests did not come to a result.
fn outcome_of_mode(mode: &str) -> Outcome {
    match mode {
        "agent_timeout" => Outcome::Timeout,
        "context_length_exceeded" | "output_length_exceeded" => Outcome::Limit,
        _ => Outcome::Error,
    }
}

/// Returns the number of the attempt in the name of a trial: `<task>.<attempt>-of-<attempts>.<run>`.
fn attempt_of(trial_name: &str) -> Option<u32> {
    split_trial_name(trial_name)?.1.parse().ok().filter(|it| *it > 0)
}

/// Splits the name of a trial into the task and the number of the attempt.
fn split_trial_name(trial_name: &str) -> Option<(&str, &str)> {
    let at = trial_name.rfind("-of-")?;
    let (task, attempt) = trial_name[..at].rsplit_once('.')?;
    attempt.bytes().all(|it| it.is_ascii_digit()).then_some((task, attempt))
}

/// Returns the folder of a trial below its job, by the name of the trial.
pub fn trial_folder(trial_name: &str) -> Option<String> {
    let (task, _) = split_trial_name(trial_name)?;
    Some(format!("{task}/{trial_name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_of_the_tests_counts_and_else_the_failure_mode() {
        let result = |fields: &str| {
            let record = format!(
                "{{\"task_id\": \"t.easy\", \"trial_name\": \"t.easy.2-of-3.run\", {fields}}}"
            );
            let result = read_result(&serde_json::from_str(&record).unwrap(), RECORD);
            assert_eq!((result.task.as_deref(), result.attempt), (Some("t.easy"), Some(2)));
            (result.outcome, result.error.is_some(), result.notes.len())
        };
        let tests = "\"parser_results\": {\"a\": \"failed\"}";

        for (fields, expected) in [
            (
                "\"is_resolved\": true, \"failure_mode\": \"unset\"".into(),
                (Some(Outcome::Passed), false, 0),
            ),
            (
                format!("\"is_resolved\": false, \"failure_mode\": \"agent_timeout\", {tests}"),
                (Some(Outcome::Failed), true, 1),
            ),
            (
                "\"is_resolved\": false, \"failure_mode\": \"agent_installation_failed\"".into(),
                (Some(Outcome::Error), true, 0),
            ),
            (
                "\"is_resolved\": null, \"failure_mode\": \"agent_timeout\"".into(),
                (Some(Outcome::Timeout), true, 0),
            ),
            (
                "\"is_resolved\": null, \"failure_mode\": \"test_timeout\"".into(),
                (Some(Outcome::Error), true, 0),
            ),
            (
                "\"is_resolved\": null, \"failure_mode\": \"context_length_exceeded\"".into(),
                (Some(Outcome::Limit), true, 0),
            ),
            ("\"is_resolved\": null, \"failure_mode\": \"unset\"".into(), (None, false, 0)),
        ] {
            assert_eq!(result(&fields), expected, "{fields}");
        }
        assert_eq!(trial_folder("t.easy.2-of-3.run").as_deref(), Some("t.easy/t.easy.2-of-3.run"));
        assert_eq!(trial_folder("anything"), None);
    }

    #[test]
    fn each_failure_mode_of_the_harness_has_its_outcome() {
        for (mode, expected) in [
            ("unset", Some(Outcome::Unscored)),
            ("none", Some(Outcome::Unscored)),
            ("unknown", Some(Outcome::Error)),
            ("test_timeout", Some(Outcome::Error)),
            ("agent_timeout", Some(Outcome::Timeout)),
            ("unknown_agent_error", Some(Outcome::Error)),
            ("parse_error", Some(Outcome::Error)),
            ("fatal_llm_parse_error", Some(Outcome::Error)),
            ("context_length_exceeded", Some(Outcome::Limit)),
            ("output_length_exceeded", Some(Outcome::Limit)),
            ("agent_installation_failed", Some(Outcome::Error)),
        ] {
            let record = serde_json::json!({
                "task_id": "t", "trial_name": "t.1-of-1.r", "is_resolved": null, "parser_results": null,
                "failure_mode": mode, "trial_ended_at": "2026-01-01T00:00:00Z",
            });
            assert_eq!(read_result(&record, RECORD).outcome, expected, "{mode}");
        }
    }

    #[test]
    fn agent_and_model_are_those_of_the_job() {
        for arguments in
            [r#""--model", "m/x", "--agent", "terminus""#, r#""--model=m/x", "--agent=terminus""#]
        {
            let mut facts = TrialFacts::default();
            let lock = format!("{{\"invocation\": {{\"args\": [\"run\", {arguments}]}}}}");

            read_job(&RecordFile::new(LOCK_FILE, lock.into_bytes()), &mut facts);

            assert_eq!(facts.agent, Some(("terminus".into(), None)));
            assert_eq!(facts.model.as_deref(), Some("m/x"));
        }
    }
}
