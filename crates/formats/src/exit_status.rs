//! The end of an agent in its own words, and the verdict in the row of a data set.
//!
//! SWE-agent writes `submitted`, `exit_cost`, `exit_context`, `submitted (exit_cost)`; mini-swe-agent the class of the
//! exception that ended it: `Submitted`, `LimitsExceeded`, `TimeExceeded`; evaluations of OpenHands the text of an error. An
//! agent that submitted its changes was not scored by that: whether they pass is in the files of a harness.

use trajview_run::{Outcome, TrialResult, first_line_label};

use crate::{
    format::file_name,
    json_object::{JsonObject, string_text},
    tape::TapeValue,
};

/// Words of a status that say that a kind of budget was spent.
const LIMIT_WORDS: [&str; 13] = [
    "cost",
    "costs",
    "context",
    "limit",
    "limits",
    "token",
    "tokens",
    "budget",
    "iteration",
    "iterations",
    "steps",
    "turns",
    "length",
];
/// Words of a status that say that something broke.
const ERROR_WORDS: [&str; 11] = [
    "error",
    "errors",
    "exception",
    "api",
    "format",
    "environment",
    "failed",
    "failure",
    "crash",
    "crashed",
    "stuck",
];
/// Words of a status of an agent that ended without submitting, of its own accord or by a person's.
const STOP_WORDS: [&str; 8] = [
    "command",
    "forfeit",
    "early",
    "skipped",
    "interruption",
    "interrupted",
    "cancelled",
    "aborted",
];

/// Returns the result of a run that ended with that status and was not scored.
pub fn result_of_status(status: &str) -> TrialResult {
    let label = first_line_label(status);
    let words = status_words(status);
    let has = |all: &[&str]| words.iter().any(|word| all.contains(&word.as_str()));
    let is_submitted = words.first().is_some_and(|first| {
        matches!(first.as_str(), "submit" | "submitted" | "finish" | "finished" | "completed")
    });
    if is_submitted {
        let notes = match status.split_once('(') {
            Some((_, rest)) => {
                let why = rest.trim_end().trim_end_matches(')');
                vec![format!("the agent ended with {why}; its changes were submitted").into()]
            }
            None => vec![],
        };
        return TrialResult { outcome: Some(Outcome::Unscored), notes, ..TrialResult::default() };
    }
    let outcome = if has(&["time", "timeout", "timeouts"]) {
        Some(Outcome::Timeout)
    } else if has(&LIMIT_WORDS) && !has(&["rate"]) {
        Some(Outcome::Limit)
    } else if has(&ERROR_WORDS) || is_class_name(status) && !has(&STOP_WORDS) {
        Some(Outcome::Error)
    } else if has(&STOP_WORDS) {
        Some(Outcome::Unscored)
    } else {
        None
    };
    let is_broken = outcome.is_some_and(Outcome::is_broken);
    let note = || format!("the agent ended with the status {label}").into();
    TrialResult {
        outcome,
        notes: if is_broken { vec![] } else { vec![note()] },
        error: is_broken.then_some(label),
        ..TrialResult::default()
    }
}

/// Returns the result of a run that ended with that error, a text for people.
pub fn result_of_error(error: &str) -> TrialResult {
    let lower = error.to_lowercase();
    let has = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    let outcome = if has(&[
        "maximum iteration",
        "maximum budget",
        "budget exceeded",
        "context window",
        "context length",
        "maxiterationsreached",
    ]) {
        Outcome::Limit
    } else if has(&["timeout", "timed out"]) {
        Outcome::Timeout
    } else {
        Outcome::Error
    };
    TrialResult {
        outcome: Some(outcome),
        error: Some(first_line_label(error)),
        ..TrialResult::default()
    }
}

/// Returns the result that the row of an evaluation or of a data set states: whether the task was solved, else how the agent
/// ended. None where it states neither.
pub fn result_of_row(row: &JsonObject<'_>) -> Option<TrialResult> {
    let text = |key: &str| row.text(key).filter(|text| !text.trim().is_empty());
    let test_result = row.object("test_result").unwrap_or_default();
    let report = test_result.object("report").or_else(|| row.object("report")).unwrap_or_default();
    let ended = text("exit_status").map(|status| result_of_status(&status));
    let ended = text("error").map(|error| result_of_error(&error)).or(ended);
    let broken = result_of_broken(|key| report.flag(key) == Some(true));
    let scored = match (verdict_of_row(row, &report), broken) {
        (Some((_, false)) | None, Some(broken)) => Some(broken),
        (None, None) => None,
        (Some((name, solved)), _) => Some(TrialResult {
            outcome: Some(if solved { Outcome::Passed } else { Outcome::Failed }),
            reward: Some(f64::from(u8::from(solved))),
            reward_name: Some(name.into()),
            ..TrialResult::default()
        }),
    };
    if let Some(mut result) = scored {
        if let Some(ended) = ended {
            result.notes = ended.notes;
            result
                .notes
                .extend(ended.error.map(|error| format!("the agent ended with: {error}").into()));
        }
        return Some(result);
    }
    let is_submitted = test_result.text("git_patch").is_some();
    let unscored = TrialResult { outcome: Some(Outcome::Unscored), ..TrialResult::default() };
    ended.or(is_submitted.then_some(unscored))
}

/// Returns the result of an evaluation that broke, by the flags of its report; a verifier that ran out of time is an error.
pub fn result_of_broken(has_flag: impl Fn(&str) -> bool) -> Option<TrialResult> {
    let key = ["test_timeout", "error_eval"].into_iter().find(|key| has_flag(key))?;
    let error = Some(format!("the evaluation ended with {key}").into());
    Some(TrialResult { outcome: Some(Outcome::Error), error, ..TrialResult::default() })
}

/// Returns the column that says whether the task was solved. `target` and `success` have other meanings in other data sets:
/// of these, only a flag counts, `target` only in a row about an instance or with the status of an agent.
fn verdict_of_row(row: &JsonObject<'_>, report: &JsonObject<'_>) -> Option<(&'static str, bool)> {
    let is_of_agent = row.has_field("instance_id") || row.has_field("exit_status");
    let resolved = || Some(("resolved", verdict_value(report.get("resolved")?)?));
    let solved = |key| Some((key, verdict_value(row.get(key)?)?));
    let flag = |key| Some((key, row.flag(key)?));
    resolved()
        .or_else(|| solved("resolved"))
        .or_else(|| solved("solved"))
        .or_else(|| flag("target").filter(|_| is_of_agent))
        .or_else(|| flag("success"))
}

/// Returns whether a column says that the task was solved: a flag, 1 or 0. Of texts and other numbers that is not known.
fn verdict_value(value: TapeValue<'_>) -> Option<bool> {
    let text = string_text(value);
    match text.as_deref().unwrap_or(value.get()) {
        "true" | "True" | "1" | "1.0" => Some(true),
        "false" | "False" | "0" | "0.0" => Some(false),
        _ => None,
    }
}

/// Returns the name of a log without its ending; None where it has none of these.
pub fn log_stem(name: &str) -> Option<&str> {
    [".traj.json", ".traj", ".jsonl", ".json"].iter().find_map(|end| name.strip_suffix(end))
}

/// Returns the id of a SWE-bench instance that a log is named after, `owner__repository-number`; None where it has another
/// name.
pub fn instance_of_name(source: &str) -> Option<String> {
    let stem = log_stem(file_name(source));
    stem.filter(|stem| stem.contains("__")).map(str::to_owned)
}

/// Returns the words of a status in lower case: of `exit_total_execution_time`, of `ContextWindowExceeded`.
fn status_words(status: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for letter in status.chars().take(200) {
        if !letter.is_alphanumeric() || letter.is_uppercase() && was_lower {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
        was_lower = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns whether a status is the name of a class, as of an exception.
fn is_class_name(status: &str) -> bool {
    status.starts_with(|first: char| first.is_ascii_uppercase())
        && status
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.'))
        && status.chars().any(|letter| letter.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::JsonTape;

    #[test]
    fn a_status_of_swe_agent_or_mini_swe_agent_is_an_outcome() {
        let outcome = |status: &str| result_of_status(status).outcome;
        let all = [
            (Outcome::Unscored, "submitted"),
            (Outcome::Unscored, "submitted (exit_context)"),
            (Outcome::Unscored, "Submitted"),
            (Outcome::Unscored, "exit_forfeit"),
            (Outcome::Unscored, "exit_command"),
            (Outcome::Unscored, "UserInterruption"),
            (Outcome::Limit, "exit_cost"),
            (Outcome::Limit, "exit_context"),
            (Outcome::Limit, "LimitsExceeded"),
            (Outcome::Limit, "ContextWindowExceededError"),
            (Outcome::Timeout, "exit_total_execution_time"),
            (Outcome::Timeout, "exit_command_timeout"),
            (Outcome::Timeout, "TimeExceeded"),
            (Outcome::Timeout, "TimeoutExpired"),
            (Outcome::Error, "exit_error"),
            (Outcome::Error, "exit_format"),
            (Outcome::Error, "exit_api"),
            (Outcome::Error, "exit_environment_error"),
            (Outcome::Error, "RuntimeError"),
            (Outcome::Error, "RateLimitError"),
            (Outcome::Error, "CalledProcess"),
        ];
        for (expected, status) in all {
            assert_eq!(outcome(status), Some(expected), "{status}");
        }
        assert_eq!(outcome("a status of tomorrow"), None);
        let limited = result_of_status("exit_cost");
        assert_eq!((limited.error.as_deref(), limited.notes.len()), (Some("exit_cost"), 0));
    }

    #[test]
    fn the_verdict_of_a_row_counts_more_than_the_end_of_the_agent() {
        let of = |row: &str| {
            let tape = JsonTape::parse(row);
            result_of_row(&JsonObject::from_tape(&tape).unwrap())
        };
        let outcome = |row: &str| of(row).and_then(|result| result.outcome);

        assert_eq!(outcome(r#"{"resolved": 1}"#), Some(Outcome::Passed));
        assert_eq!(
            outcome(r#"{"target": false, "exit_status": "submitted"}"#),
            Some(Outcome::Failed)
        );
        assert_eq!(outcome(r#"{"exit_status": "exit_cost"}"#), Some(Outcome::Limit));
        assert_eq!(
            outcome(
                r#"{"error": "RuntimeError: Agent reached maximum iteration", "test_result": {"git_patch": ""}}"#
            ),
            Some(Outcome::Limit)
        );
        assert_eq!(
            outcome(r#"{"error": null, "test_result": {"git_patch": "diff"}}"#),
            Some(Outcome::Unscored)
        );
        assert_eq!(
            outcome(r#"{"test_result": {"git_patch": "", "report": {"test_timeout": true}}}"#),
            Some(Outcome::Error)
        );
        let both = of(
            r#"{"error": "AgentStuckInLoopError: stuck", "test_result": {"report": {"resolved": true}}}"#,
        );
        let both = both.unwrap();
        assert_eq!((both.outcome, both.reward), (Some(Outcome::Passed), Some(1.0)));
        assert_eq!(both.notes, ["the agent ended with: AgentStuckInLoopError: stuck".into()]);
        assert_eq!(outcome(r#"{"messages": []}"#), None);
        assert_eq!(outcome(r#"{"target": "a text", "score": 3}"#), None);
        assert_eq!(
            outcome(r#"{"test_result": {"report": {"resolved": false, "error_eval": true}}}"#),
            Some(Outcome::Error)
        );
    }

    #[test]
    fn columns_that_mean_something_else_in_other_data_sets_are_no_verdict() {
        let outcome = |row: &str| {
            let tape = JsonTape::parse(row);
            result_of_row(&JsonObject::from_tape(&tape).unwrap()).and_then(|it| it.outcome)
        };

        for row in [
            r#"{"target": "1"}"#,
            r#"{"target": 1}"#,
            r#"{"target": true}"#,
            r#"{"target": "1", "instance_id": "i"}"#,
            r#"{"success": "true"}"#,
            r#"{"success": "1"}"#,
        ] {
            assert_eq!(outcome(row), None, "{row}");
        }
        assert_eq!(outcome(r#"{"target": true, "instance_id": "i"}"#), Some(Outcome::Passed));
        assert_eq!(outcome(r#"{"success": false}"#), Some(Outcome::Failed));
        assert_eq!(outcome(r#"{"resolved": "1"}"#), Some(Outcome::Passed));
    }
}
