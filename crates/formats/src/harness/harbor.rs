//! Harbor, the harness of terminal-bench 2: `result.json` of a trial, with the verifier's files beside it.
//!
//! | file | read for |
//! |---|---|
//! | `result.json` | task, rewards, exception, times, tokens, cost |
//! | `verifier/ctrf.json` | the tests by name |
//! | `verifier/reward.json`, `verifier/reward.txt` | a note, where they differ from the record |
//! | `exception.txt` | the exception, where the record lacks it |
//! | `config.json` | task, agent and model of a trial that left no record |
//!
//! Newer records state whether their reward counts (`reward_valid`): of a trial that an exception of the provider or of the
//! environment broke it does not, whatever the verifier wrote.
//!
//! A trial in steps has exceptions, tokens, cost and times in `step_results`; the verifier's result of the trial is chosen
//! or made from theirs. Where the trial itself has no exception, that of the last step with one is the trial's; a number that
//! it lacks is the sum over its steps, where each step that has such a part has it.
//!
//! Harbor states no range of a reward. By its convention a verifier writes 0 to 1, most of them 0 or 1: 1 and more is
//! passed, 0 and less failed, and between them is partial. Of several rewards the one named `reward` decides; without it all
//! of them do.

use serde_json::Value;

use trajview_run::{
    Outcome, Run, StatedTotals, Time, Tokens, TrialResult, Warning, first_line_label,
};

use super::{Harness, RecordFile, RepeatKey, TrialFacts, TrialFiles, ctrf};
use crate::{NotUnderstood, json_object::JsonFields};

/// The harness of terminal-bench 2.
pub struct Harbor;

/// The name as [`trajview_run::RunOrigin::harness`] has it.
pub(super) const NAME: &str = "Harbor";

/// The record of a trial, and what the harness writes before it starts.
const RECORD: &str = "result.json";
pub(super) const CONFIG: &str = "config.json";

/// The phases of a trial, of which the record has the beginning and the end.
const PHASES: [&str; 4] = ["environment_setup", "agent_setup", "agent_execution", "verifier"];

impl Harness for Harbor {
    fn name(&self) -> &'static str {
        NAME
    }

    fn record_names(&self) -> &'static [&'static str] {
        &[RECORD, CONFIG]
    }

    fn claims_record(&self, record: &RecordFile, log: &str) -> bool {
        // An interrupted write leaves an empty or a cut record.
        let is_in_trial = log.starts_with("agent/") || log.starts_with("steps/");
        if record.name == CONFIG {
            return is_trial_config(record.bytes());
        }
        is_trial_record(record.bytes()) || is_in_trial && record.json().is_err()
    }

    fn sidecar_paths(&self, _log: &str) -> Vec<String> {
        ["verifier/ctrf.json", "verifier/reward.json", "verifier/reward.txt", "exception.txt"]
            .map(str::to_owned)
            .into()
    }

    fn read_trial(
        &self,
        files: &TrialFiles<'_>,
        _run: &Run,
    ) -> Result<Option<TrialFacts>, NotUnderstood> {
        if files.record.name == CONFIG {
            return read_config(files).map(Some);
        }
        let record = require_trial(files.record.json().map_err(|why| not_json(&why))?)?;
        // The times of the trial have those of the environment and of the verifier in them.
        let agent_times =
            record.get("agent_execution").filter(|it| time_of(it, "started_at").is_some());
        let times = agent_times.unwrap_or(record);
        let mut facts = TrialFacts {
            result: read_result(record, files),
            ended_at: time_of(times, "finished_at"),
            started_at: time_of(times, "started_at"),
            agent: agent_of(record),
            model: model_of(record),
            stated: totals_of(record),
            ..TrialFacts::default()
        };
        for phase in PHASES {
            let seconds = sum_of(record, phase, |part| {
                let time = |key| Time::parse(part.text(key)?);
                time("finished_at")?.seconds_since(time("started_at")?)
            });
            facts.add_value(&files.record.name, format!("{phase}_seconds"), seconds);
        }
        if let Some(report) = files.sidecar("verifier/ctrf.json") {
            facts.tests = ctrf::read_report(&report.name, report.bytes());
            if facts.tests.is_none() {
                let what = "not a test report (CTRF); it is left out".into();
                facts.warnings.push(Warning { place: report.name.clone(), what });
            }
        }
        Ok(Some(facts))
    }

    fn repeat_group<'n>(&self, folder: &'n str) -> Option<&'n str> {
        // `<the first 32 letters of the task>__<7 letters>`
        folder.rsplit_once("__").map(|(task, _)| task)
    }

    fn read_repeat(&self, record: &RecordFile) -> Option<RepeatKey> {
        let record = require_trial(record.json().ok()?).ok()?;
        let agent = agent_of(record).map(|(name, _)| name);
        Some(RepeatKey {
            of: [record.text("task_name").map(str::to_owned), agent, model_of(record)],
            started_at: time_of(record, "started_at"),
        })
    }
}

/// Returns whether a text has the fields of a trial's record; a cut record has them too. That of a job may have those of its
/// trials.
fn is_trial_record(bytes: &[u8]) -> bool {
    let has = |key: &str| memchr::memmem::find(bytes, key.as_bytes()).is_some();
    has("\"task_name\"")
        && has("\"trial_name\"")
        && (has("\"trial_uri\"") || has("_result\""))
        && !has("\"n_total_trials\"")
}

/// Returns whether a text has the fields of the configuration of a trial.
pub(super) fn is_trial_config(bytes: &[u8]) -> bool {
    let has = |key: &str| memchr::memmem::find(bytes, key.as_bytes()).is_some();
    has("\"trial_name\"") && has("\"trials_dir\"") && has("\"task\"")
}

/// Returns the task that the configuration of a trial names: a package, or the last folder of a path.
pub(super) fn task_of_config(config: &Value) -> Option<&str> {
    let task = config.object("task")?;
    let folder = |path: &'_ str| {
        path.trim_end_matches(['/', '\\']).rfind(['/', '\\']).map_or(0, |at| at + 1)
    };
    task.text("name").or_else(|| {
        let path = task.text("path")?;
        Some(path[folder(path)..].trim_end_matches(['/', '\\']))
    })
}

/// Returns the facts about a trial that left no record: it is at work, or was killed.
fn read_config(files: &TrialFiles<'_>) -> Result<TrialFacts, NotUnderstood> {
    let config = files.record.json().map_err(|why| not_json(&why))?;
    let agent = config.object("agent");
    let exception = exception_of_text(files);
    let result = TrialResult {
        task: task_of_config(config).map(Into::into),
        outcome: exception.as_ref().map(|(kind, _)| outcome_of_exception(kind)),
        error: exception.as_ref().map(exception_label),
        notes: vec![
            format!("the trial has no {RECORD} that can be read: it has not ended, or was killed")
                .into(),
        ],
        source: files.record.name.as_str().into(),
        ..TrialResult::default()
    };
    Ok(TrialFacts {
        result,
        agent: agent.and_then(|it| it.text("name")).map(|name| (name.to_owned(), None)),
        model: agent.and_then(|it| it.text("model_name")).map(str::to_owned),
        ..TrialFacts::default()
    })
}

/// Returns type and message of the exception that is in a file beside the record.
fn exception_of_text(files: &TrialFiles<'_>) -> Option<(String, String)> {
    let text = String::from_utf8_lossy(files.sidecar("exception.txt")?.bytes()).into_owned();
    let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
    let (kind, message) = line.split_once(": ").unwrap_or((line, ""));
    Some((kind.trim().to_owned(), message.to_owned()))
}

pub(super) fn read_record(bytes: &[u8]) -> Result<Value, NotUnderstood> {
    let record: Value = serde_json::from_slice(bytes).map_err(|why| not_json(&why))?;
    require_trial(&record)?;
    Ok(record)
}

fn not_json(why: &dyn std::fmt::Display) -> NotUnderstood {
    NotUnderstood(format!("not the JSON of a trial: {why}"))
}

/// Returns the record if it is that of a trial.
fn require_trial(record: &Value) -> Result<&Value, NotUnderstood> {
    let is_trial = record.text("task_name").is_some() && record.text("trial_name").is_some();
    if is_trial { Ok(record) } else { Err(NotUnderstood("it names no task and no trial".into())) }
}

pub(super) fn time_of(record: &Value, key: &str) -> Option<Time> {
    Time::parse(record.text(key)?)
}

/// Returns the agent's name and version.
fn agent_of(record: &Value) -> Option<(String, Option<String>)> {
    let info = record.object("agent_info");
    let configured = || record.object("config")?.object("agent");
    let name = info.and_then(|it| it.text("name")).or_else(|| configured()?.text("name"))?;
    let version = info.and_then(|it| it.text("version")).filter(|it| *it != "unknown");
    Some((name.to_owned(), version.map(str::to_owned)))
}

fn model_of(record: &Value) -> Option<String> {
    let info = || record.object("agent_info")?.object("model_info")?.text("name");
    let configured = || record.object("config")?.object("agent")?.text("model_name");
    configured().or_else(info).map(str::to_owned)
}

/// Returns the tokens and the cost of the agent; its input has the cached input in it.
fn totals_of(record: &Value) -> StatedTotals {
    let count = |key: &str| {
        let sum = sum_of(record, "agent_result", |it| it.number(key).map(u128::from))?;
        u64::try_from(sum).ok()
    };
    let tokens = Tokens {
        input: count("n_input_tokens"),
        cached_input: count("n_cache_tokens"),
        output: count("n_output_tokens"),
        ..Tokens::default()
    };
    let cost = sum_of(record, "agent_result", |it| it.float("cost_usd"));
    StatedTotals { tokens, cost_usd: cost.filter(|it| it.is_finite()) }
}

/// Returns a number in a part of a trial, else the sum over its steps; None where a step that has the part lacks the number. A
/// step in which the agent did not start has no such part.
fn sum_of<N: std::iter::Sum>(
    record: &Value,
    part: &str,
    number: impl Fn(&serde_json::Map<String, Value>) -> Option<N>,
) -> Option<N> {
    if let Some(own) = record.object(part).and_then(&number) {
        return Some(own);
    }
    let parts = record.elements_of("step_results").iter().filter_map(|step| step.object(part));
    let parts: Vec<_> = parts.collect();
    if parts.is_empty() { None } else { parts.into_iter().map(number).sum() }
}

fn read_result(record: &Value, files: &TrialFiles<'_>) -> TrialResult {
    let is_valid = record.flag("reward_valid") != Some(false);
    let recorded = rewards_of(record);
    let scored = share_of(&recorded).filter(|_| is_valid);
    let mut rewards = if is_valid { recorded.clone() } else { vec![] };
    let reward = (!rewards.is_empty()).then(|| rewards.remove(0));
    let in_step = || {
        let mut steps = record.elements_of("step_results").iter().rev();
        steps.find_map(|step| Some((exception_of(step)?, step_name(step))))
    };
    let (exception, step) = match exception_of(record).map(|it| (it, None)).or_else(in_step) {
        Some((exception, step)) => (Some(exception), step),
        None => (None, None),
    };
    let exception = exception.or_else(|| exception_of_text(files));
    let mut result = TrialResult {
        task: record.text("task_name").map(Into::into),
        outcome: outcome_of(record, scored, exception.as_ref()),
        error: exception.as_ref().map(exception_label),
        source: files.record.name.as_str().into(),
        ..TrialResult::default()
    };
    if let (Some(_), Some((kind, _))) = (&reward, &exception) {
        let place = step.map(|name| format!(" in the step {name}")).unwrap_or_default();
        result.notes.push(
            format!("{kind} was raised{place}, and the verifier gave its reward all the same")
                .into(),
        );
    }
    if let Some((_, reward)) = recorded.first().filter(|_| !is_valid) {
        let note = format!(
            "the verifier gave {reward}, which the harness does not count after this exception"
        );
        result.notes.push(note.into());
    }
    for name in ["verifier/reward.json", "verifier/reward.txt"] {
        let Some(file) = files.sidecar(name) else { continue };
        let text = String::from_utf8_lossy(file.bytes());
        let written = match serde_json::from_str::<Value>(&text) {
            Ok(Value::Number(number)) => number.as_f64(),
            Ok(Value::Object(named)) => first_reward(named_rewards(&named)).map(|it| it.1),
            _ => None,
        };
        let recorded = recorded.first();
        if let Some(written) = written.filter(|it| Some(*it) != recorded.map(|it| it.1)) {
            let recorded = match recorded {
                Some((_, reward)) => format!("the record has {reward}"),
                None => "the record has no reward".into(),
            };
            result.notes.push(format!("{name} has the reward {written}, {recorded}").into());
        }
    }
    (result.reward_name, result.reward) = reward.unzip();
    result.other_rewards = rewards;
    result
}

/// Returns the named rewards of a record or of one of its steps, the one named `reward` first.
fn rewards_of(record: &Value) -> Vec<(Box<str>, f64)> {
    let rewards = record.object("verifier_result").and_then(|it| it.object("rewards"));
    rewards.map(named_rewards).unwrap_or_default()
}

fn named_rewards(named: &serde_json::Map<String, Value>) -> Vec<(Box<str>, f64)> {
    let number = |value: &Value| value.as_f64().or_else(|| value.as_bool().map(f64::from));
    let mut rewards: Vec<(Box<str>, f64)> = named
        .iter()
        .filter_map(|(name, value)| Some((name.as_str().into(), number(value)?)))
        .filter(|(_, reward)| reward.is_finite())
        .collect();
    rewards.sort_by_key(|(name, _)| **name != *"reward");
    rewards
}

/// Returns the number by which several rewards are one outcome: the one named `reward`, else their common value or one between
/// 0 and 1 where they differ.
fn share_of(rewards: &[(Box<str>, f64)]) -> Option<f64> {
    let (name, first) = rewards.first()?;
    let is_same = |(_, reward): &(Box<str>, f64)| {
        (*reward >= 1.0, *reward > 0.0) == (*first >= 1.0, *first > 0.0)
    };
    match **name == *"reward" || rewards.iter().all(is_same) {
        true => Some(*first),
        false => Some(0.5),
    }
}

fn first_reward(rewards: Vec<(Box<str>, f64)>) -> Option<(Box<str>, f64)> {
    rewards.into_iter().next()
}

/// Returns type and message of a recorded exception.
fn exception_of(record: &Value) -> Option<(String, String)> {
    let info = record.object("exception_info")?;
    let kind = info.text("exception_type")?.to_owned();
    Some((kind, info.text("exception_message").unwrap_or_default().to_owned()))
}

/// Returns the outcome of a trial or of a step: the verifier's word, else that of the exception. None where the trial has
/// not ended.
fn outcome_of(
    record: &Value,
    reward: Option<f64>,
    exception: Option<&(String, String)>,
) -> Option<Outcome> {
    match (reward, exception) {
        (Some(reward), _) if reward >= 1.0 => Some(Outcome::Passed),
        (Some(reward), _) if reward > 0.0 => Some(Outcome::Partial),
        (Some(_), _) => Some(Outcome::Failed),
        (None, Some((kind, _))) => Some(outcome_of_exception(kind)),
        (None, None) => {
            let has_ended = record.field("finished_at").is_some_and(|it| !it.is_null())
                || record.object("agent_result").is_some();
            has_ended.then_some(Outcome::Unscored)
        }
    }
}

/// Returns the outcome of a trial that an exception ended: of the agent's own time and room it says so; the time of the
/// environment, of the set-up and of the verifier is an error.
fn outcome_of_exception(kind: &str) -> Outcome {
    let kind = kind.rsplit('.').next().unwrap_or(kind);
    // Names of Harbor (`harbor.llms.base`, `harbor.agents.installed.base`), of LiteLLM and of agents.
    const LIMITS: [&str; 9] = [
        "LengthExceeded",
        "ContextWindowExceeded",
        "TokenExceeded",
        "LimitExceeded",
        "LimitsExceeded",
        "BudgetExceeded",
        "MaxTurns",
        "MaxSteps",
        "CostLimit",
    ];
    // What the machine or the provider limits is no limit of the run.
    const OF_OTHERS: [&str; 2] = ["Rate", "Memory"];
    let has = |parts: &[&str]| parts.iter().any(|part| kind.contains(part));
    match kind {
        "AgentTimeoutError" => Outcome::Timeout,
        _ if has(&LIMITS) && !has(&OF_OTHERS) => Outcome::Limit,
        _ => Outcome::Error,
    }
}

fn step_name(step: &Value) -> Option<&str> {
    step.text("step_name").or_else(|| step.text("name"))
}

/// One step of a trial with several.
pub(super) struct TrialStep {
    /// The name of its folder below `steps`.
    pub name: String,
    pub outcome: Option<Outcome>,
    /// Its rewards by name, the first first.
    pub rewards: Vec<(Box<str>, f64)>,
    pub error: Option<Box<str>>,
}

/// Returns type and message of an exception in one line.
fn exception_label((kind, message): &(String, String)) -> Box<str> {
    match message.trim() {
        "" => first_line_label(kind),
        message => first_line_label(&format!("{kind}: {message}")),
    }
}

/// Returns the steps of a record in their order; none where the trial is not in steps.
pub(super) fn steps_of(record: &Value) -> Vec<TrialStep> {
    const MOST_STEPS: usize = 1_000;
    let named = |step: &Value| {
        let name = step_name(step)?.to_owned();
        let rewards = rewards_of(step);
        let exception = exception_of(step);
        let outcome = outcome_of(step, share_of(&rewards), exception.as_ref());
        let error = exception.as_ref().map(exception_label);
        Some(TrialStep { name, outcome, rewards, error })
    };
    record.elements_of("step_results").iter().take(MOST_STEPS).filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result_of(fields: &str, sidecars: &[(&str, &str)]) -> TrialResult {
        facts_of(fields, sidecars).result
    }

    fn facts_of(fields: &str, sidecars: &[(&str, &str)]) -> TrialFacts {
        let record = format!(
            "{{\"task_name\": \"t\", \"trial_name\": \"t__1\", \"trial_uri\": \"u\", \"finished_at\": \"2026-01-01T00:00:00Z\"{fields}}}"
        );
        let files = TrialFiles {
            log: "agent/trajectory.json",
            record: &RecordFile::new("result.json", record.into_bytes()),
            sidecars: sidecars
                .iter()
                .map(|(name, text)| RecordFile::new(*name, text.as_bytes().to_vec()))
                .collect(),
        };
        Harbor.read_trial(&files, &Run::default()).unwrap().unwrap()
    }

    const STEPS: &str = r#", "agent_result": null, "step_results": [
        {"step_name": "one", "agent_result": {"n_input_tokens": 10, "n_output_tokens": 1, "cost_usd": 0.5},
         "agent_execution": {"started_at": "2026-01-01T00:00:00Z", "finished_at": "2026-01-01T00:00:10Z"}},
        {"step_name": "two", "agent_result": {"n_input_tokens": 5, "n_output_tokens": null, "cost_usd": 0.25},
         "agent_execution": {"started_at": "2026-01-01T00:01:00Z", "finished_at": "2026-01-01T00:01:05Z"},
         "exception_info": {"exception_type": "AgentTimeoutError", "exception_message": "late"}}]"#;

    #[test]
    fn a_step_that_raised_ends_its_trial_and_is_a_note_beside_a_reward() {
        let ended = result_of(STEPS, &[]);
        assert_eq!((ended.outcome, ended.reward), (Some(Outcome::Timeout), None));
        assert_eq!(ended.error.as_deref(), Some("AgentTimeoutError: late"));

        let mean = r#", "verifier_result": {"rewards": {"reward": 0.5}}"#;
        let scored = result_of(&format!("{STEPS}{mean}"), &[]);
        assert_eq!((scored.outcome, scored.reward), (Some(Outcome::Partial), Some(0.5)));
        let note = "AgentTimeoutError was raised in the step two, and the verifier gave its reward all the same";
        assert_eq!(scored.notes, [note.into()]);
    }

    #[test]
    fn numbers_of_steps_are_added_where_each_step_has_one() {
        let facts = facts_of(STEPS, &[]);

        let tokens = facts.stated.tokens;
        assert_eq!((tokens.input, tokens.output, tokens.cached_input), (Some(15), None, None));
        assert_eq!(facts.stated.cost_usd, Some(0.75));
        let values: Vec<_> =
            facts.values.iter().map(|it| (&*it.name, it.value.as_number())).collect();
        assert_eq!(values, [("agent_execution_seconds", Some(15.0))]);
        let own = STEPS.replacen("null", r#"{"n_input_tokens": 7}"#, 1);
        assert_eq!(facts_of(&own, &[]).stated.tokens.input, Some(7), "the trial's own number");
    }

    #[test]
    fn the_run_took_as_long_as_the_agent_and_without_its_times_as_long_as_the_trial() {
        let minutes = |facts: &TrialFacts| {
            [facts.started_at, facts.ended_at].map(|time| time.map(|it| it.0 / 60_000 % 60))
        };
        let time = |minute: u8| format!("\"2026-01-01T00:{minute:02}:00Z\"");
        let phase = |start: u8, end: &str| {
            format!(
                ", \"started_at\": {}, \"agent_execution\": {{\"started_at\": {}, \"finished_at\": {end}}}",
                time(1),
                time(start)
            )
        };

        assert_eq!(minutes(&facts_of(&phase(5, &time(9)), &[])), [Some(5), Some(9)]);
        assert_eq!(minutes(&facts_of(&phase(5, "null"), &[])), [Some(5), None]);
        let whole = facts_of(&format!(", \"started_at\": {}", time(1)), &[]);
        assert_eq!(minutes(&whole), [Some(1), Some(0)]);
        let without = facts_of(", \"agent_execution\": null", &[]);
        assert_eq!(minutes(&without), [None, Some(0)]);
    }

    #[test]
    fn the_verifier_has_the_last_word_and_an_exception_counts_where_it_has_none() {
        let raised = |kind: &str| {
            format!(
                ", \"exception_info\": {{\"exception_type\": \"{kind}\", \"exception_message\": \"m\"}}"
            )
        };
        let reward = |reward: &str| {
            format!(", \"verifier_result\": {{\"rewards\": {{\"reward\": {reward}}}}}")
        };
        let cases = [
            (reward("1.0"), Some(Outcome::Passed)),
            (reward("0.5"), Some(Outcome::Partial)),
            (reward("0"), Some(Outcome::Failed)),
            (reward("1") + &raised("AgentTimeoutError"), Some(Outcome::Passed)),
            (raised("AgentTimeoutError"), Some(Outcome::Timeout)),
            (raised("VerifierTimeoutError"), Some(Outcome::Error)),
            (raised("harbor.llms.base.ContextLengthExceededError"), Some(Outcome::Limit)),
            (raised("RateLimitExceededError"), Some(Outcome::Error)),
            (raised("RuntimeError"), Some(Outcome::Error)),
            (String::new(), Some(Outcome::Unscored)),
            (", \"verifier_result\": {\"rewards\": null}".into(), Some(Outcome::Unscored)),
        ];
        for (fields, expected) in cases {
            assert_eq!(result_of(&fields, &[]).outcome, expected, "{fields}");
        }
    }

    #[test]
    fn each_exception_of_the_harness_has_its_outcome() {
        let outcomes = [
            (Outcome::Timeout, &["AgentTimeoutError"][..]),
            (
                Outcome::Limit,
                &[
                    "ContextLengthExceededError",
                    "ContextWindowExceededError",
                    "OutputLengthExceededError",
                    "OutputTokenExceededError",
                    "BudgetExceededError",
                    "MaxTurnsExceeded",
                ],
            ),
            (
                Outcome::Error,
                &[
                    "AgentSetupTimeoutError",
                    "EnvironmentStartTimeoutError",
                    "VerifierTimeoutError",
                    "VerifierOutputParseError",
                    "RewardFileNotFoundError",
                    "RewardFileEmptyError",
                    "DownloadVerifierDirError",
                    "AddTestsDirError",
                    "NonZeroAgentExitCodeError",
                    "AgentSafetyRefusalError",
                    "AgentAuthenticationError",
                    "ApiRateLimitError",
                    "ApiUsageLimitError",
                    "ApiOverloadedError",
                    "NetworkConnectionError",
                    "ModelNotFoundError",
                    "MemoryLimitExceededError",
                    "HealthcheckError",
                    "CancelledError",
                ],
            ),
        ];
        for (outcome, kinds) in outcomes {
            for kind in kinds {
                assert_eq!(outcome_of_exception(kind), outcome, "{kind}");
            }
        }
    }

    #[test]
    fn a_reward_that_a_verifier_wrote_before_it_failed_is_a_note_and_no_reward() {
        let fields = ", \"exception_info\": {\"exception_type\": \"VerifierTimeoutError\", \"exception_message\": \"late\"}";

        let result = result_of(fields, &[("verifier/reward.txt", "1\n")]);

        assert_eq!((result.outcome, result.reward), (Some(Outcome::Error), None));
        assert_eq!(result.error.as_deref(), Some("VerifierTimeoutError: late"));
        let notes: Vec<&str> = result.notes.iter().map(|it| &**it).collect();
        assert_eq!(notes, ["verifier/reward.txt has the reward 1, the record has no reward"]);
    }

    #[test]
    fn several_rewards_without_that_name_are_passed_or_failed_where_all_are() {
        let outcome = |rewards: &str| {
            let fields = format!(", \"verifier_result\": {{\"rewards\": {rewards}}}");
            let result = result_of(&fields, &[]);
            (result.outcome.unwrap().word(), result.reward)
        };

        assert_eq!(outcome(r#"{"a": 1, "b": 1.0}"#), ("passed", Some(1.0)));
        assert_eq!(outcome(r#"{"a": 0, "b": 0}"#), ("failed", Some(0.0)));
        assert_eq!(outcome(r#"{"a": 1, "b": 0}"#), ("partial", Some(1.0)));
        assert_eq!(outcome(r#"{"a": 0, "reward": 1}"#), ("passed", Some(1.0)));
    }

    #[test]
    fn a_reward_that_the_harness_does_not_count_is_a_note() {
        let fields = ", \"verifier_result\": {\"rewards\": {\"reward\": 0}}, \"reward_valid\": false, \"exception_info\": \
                      {\"exception_type\": \"ApiRateLimitError\", \"exception_message\": \"429\", \"policy\": {\"has_valid_reward\": false}}";

        let result = result_of(fields, &[("verifier/reward.txt", "0")]);

        assert_eq!((result.outcome, result.reward), (Some(Outcome::Error), None));
        let notes: Vec<&str> = result.notes.iter().map(|it| &**it).collect();
        let note = "the verifier gave 0, which the harness does not count after this exception";
        assert_eq!(notes, [note]);
        let counted = result_of(&fields.replace("false", "true"), &[]);
        assert_eq!((counted.outcome, counted.reward), (Some(Outcome::Failed), Some(0.0)));
    }

    #[test]
    fn a_step_in_which_the_agent_did_not_start_adds_nothing() {
        let broken = r#", {"step_name": "three", "agent_result": null, "agent_execution": null}]"#;
        let facts = facts_of(&STEPS.replace("}]", &format!("}}{broken}")), &[]);

        assert_eq!((facts.stated.tokens.input, facts.stated.cost_usd), (Some(15), Some(0.75)));
    }

    #[test]
    fn a_trial_without_a_record_has_the_task_of_its_configuration() {
        let facts = |config: &str, sidecars: &[(&str, &str)]| {
            let record = RecordFile::new(CONFIG, config.as_bytes().to_vec());
            assert!(Harbor.claims_record(&record, "agent/s.jsonl"));
            let sidecars = sidecars
                .iter()
                .map(|(name, text)| RecordFile::new(*name, text.as_bytes().to_vec()))
                .collect();
            let files = TrialFiles { log: "agent/s.jsonl", record: &record, sidecars };
            Harbor.read_trial(&files, &Run::default()).unwrap().unwrap()
        };
        let config = r#"{"task": {"path": "tasks/sum-columns/"}, "trial_name": "sum__1", "trials_dir": "jobs/j",
            "agent": {"name": "made", "model_name": "m/x"}}"#;

        let killed = facts(config, &[]);
        assert_eq!(
            (killed.result.task.as_deref(), killed.result.outcome),
            (Some("sum-columns"), None)
        );
        assert_eq!(
            (killed.agent, killed.model.as_deref()),
            (Some(("made".into(), None)), Some("m/x"))
        );
        let raised = facts(config, &[("exception.txt", "Traceback\nAgentTimeoutError: late\n")]);
        assert_eq!(raised.result.outcome, Some(Outcome::Timeout));
        let package =
            facts(&config.replace(r#""path": "tasks/sum-columns/""#, r#""name": "org/sum""#), &[]);
        assert_eq!(package.result.task.as_deref(), Some("org/sum"));
    }

    #[test]
    fn of_several_rewards_the_one_with_that_name_is_first() {
        let result = result_of(
            ", \"verifier_result\": {\"rewards\": {\"a\": 0.2, \"reward\": 1, \"z\": true}}",
            &[],
        );

        assert_eq!((result.reward_name.as_deref(), result.reward), (Some("reward"), Some(1.0)));
        assert_eq!(result.other_rewards, [("a".into(), 0.2), ("z".into(), 1.0)]);
    }
}
