//! The result of a sample: its scores, the error that ended it, the limit that it ran into.
//!
//! Scores become numbers as in Inspect's own `value_to_float` (`inspect_ai/scorer/_metric.py`): `C` is 1, `P` 0.5, `I` and
//! `N` 0; `yes` and `true` are 1, `no` and `false` 0. A text without a number is 0 there and no number here. The reward is
//! that of the first scorer with a number, and the outcome follows it where it is a share: 1 passed, 0 failed, between
//! them partial. A number outside of 0 to 1, or one of a scorer whose mean is outside, has no outcome.
//!
//! Inspect scores samples that ran into a limit, so the score decides there and the limit is a note.

use std::borrow::Cow;

use trajview_run::{
    Outcome, TrialResult,
    checkpoint_record::{MeasureValue, RecordedMeasure},
    first_line_label,
};

use super::archive::LOG_FACTS;
use crate::{
    json_object::{JsonObject, string_text},
    tape::TapeValue,
};

/// The most scores of a sample that are read, and the most metrics of a log.
const MAX_SCORES: usize = 200;

/// Returns the result of a sample.
pub fn sample_result(sample: &JsonObject<'_>, recorded: &[RecordedMeasure]) -> TrialResult {
    let scores = SampleScores::read(sample);
    let mut notes = scores.notes;
    let error = sample.get("error").and_then(error_text);
    let limit = sample.get("limit").and_then(SampleLimit::read);
    let reward = scores.rewards.first().cloned();
    let of_score = reward.as_ref().map(|(name, value)| {
        let is_share = !has_mean_outside(recorded, name);
        if is_share { Outcome::from_share(*value) } else { None }
    });
    let outcome = match (&error, of_score, &limit) {
        (Some(_), ..) => Some(Outcome::Error),
        (None, Some(outcome), _) => outcome,
        (None, None, Some(limit)) => Some(limit.outcome()),
        (None, None, None) if scores.has_texts => None,
        (None, None, None) => Some(Outcome::Unscored),
    };
    if let Some(limit) = &limit {
        notes.push(limit.note());
    }
    if error.is_some() && reward.is_some() {
        notes.push("was scored although it ended with an error".into());
    }
    if let Some(retries) = retries_note(sample) {
        notes.push(retries);
    }
    let ended = limit.filter(|limit| reward.is_none() && limit.outcome().is_broken());
    TrialResult {
        attempt: sample.number("epoch").and_then(|epoch| u32::try_from(epoch).ok()),
        outcome,
        reward: reward.as_ref().map(|(_, value)| *value),
        reward_name: reward.map(|(name, _)| name),
        other_rewards: scores.rewards.into_iter().skip(1).collect(),
        error: error.or_else(|| ended.map(|limit| limit.note())),
        notes,
        ..TrialResult::default()
    }
}

/// Returns the values that the log states: how long the sample took, and the metrics of all samples.
pub fn recorded_values(sample: &JsonObject<'_>) -> Vec<RecordedMeasure> {
    let mut values = vec![];
    for name in ["total_time", "working_time"] {
        if let Some(seconds) = sample.float(name).filter(|seconds| seconds.is_finite()) {
            values.push(measure("", name.into(), MeasureValue::Number(seconds)));
        }
    }
    let Some(log) = sample.object(LOG_FACTS) else { return values };
    let source = log.text("source").unwrap_or_default();
    if let Some(task) = log.text("task") {
        values.push(measure(&source, "log.task".into(), MeasureValue::Text((&*task).into())));
    }
    for score in log.elements_of("scores").into_iter().filter_map(JsonObject::from_value) {
        let name = score.text("name").unwrap_or_default();
        // The metrics of one key of a dictionary have the name of the key.
        let scorer = score.text("scorer").filter(|scorer| !scorer.is_empty() && *scorer != name);
        let name = scorer.map(|scorer| format!("{scorer}.{name}").into()).unwrap_or(name);
        for (metric, value) in score.object("metrics").into_iter().flat_map(|it| it.fields()) {
            let number = value.get().parse::<f64>().ok().filter(|number| number.is_finite());
            if let (Some(number), true) = (number, values.len() < MAX_SCORES) {
                let name = format!("log.{name}.{metric}");
                values.push(measure(&source, name, MeasureValue::Number(number)));
            }
        }
    }
    values
}

/// Returns the name of the task whose samples the log has: ids of samples are numbers from 1 in many of them.
pub fn log_task<'t>(sample: &JsonObject<'t>) -> Option<Cow<'t, str>> {
    sample.object(LOG_FACTS)?.text("task").filter(|task| !task.trim().is_empty())
}

fn measure(source: &str, name: String, value: MeasureValue) -> RecordedMeasure {
    RecordedMeasure { source: source.into(), name: name.into(), value, metric: None, doubt: None }
}

/// Returns whether the log states a mean of that score which no share can have.
fn has_mean_outside(recorded: &[RecordedMeasure], reward: &str) -> bool {
    let names = ["accuracy", "mean"].map(|metric| format!("log.{reward}.{metric}"));
    let mut means = recorded.iter().filter(|value| names.iter().any(|name| **name == *value.name));
    means.any(|mean| mean.value.as_number().is_some_and(|mean| !(0.0..=1.0).contains(&mean)))
}

#[derive(Default)]
struct SampleScores {
    rewards: Vec<(Box<str>, f64)>,
    notes: Vec<Box<str>>,
    /// A scorer gave a text that is no number.
    has_texts: bool,
}

impl SampleScores {
    fn read(sample: &JsonObject<'_>) -> Self {
        let mut scores = Self::default();
        for (scorer, score) in sample.object("scores").into_iter().flat_map(|it| it.fields()) {
            scores.add_score(&scorer, score);
        }
        // The one score of the first versions.
        if let Some(score) = sample.get("score") {
            scores.add_score("score", score);
        }
        scores
    }

    fn add_score(&mut self, scorer: &str, score: TapeValue<'_>) {
        let value = JsonObject::from_value(score).and_then(|score| score.get("value"));
        let value = value.unwrap_or(score);
        if let Some(parts) = JsonObject::from_value(value) {
            for (key, part) in parts.fields() {
                self.add_value(format!("{scorer}.{key}"), part);
            }
        } else if value.is_list() {
            for (at, part) in value.elements().enumerate() {
                self.add_value(format!("{scorer}.{at}"), part);
            }
        } else {
            self.add_value(scorer.to_owned(), value);
        }
    }

    fn add_value(&mut self, name: String, value: TapeValue<'_>) {
        if self.rewards.len() + self.notes.len() >= MAX_SCORES {
            return;
        }
        match (score_number(value), string_text(value)) {
            (Some(number), _) => self.rewards.push((name.into(), number)),
            (None, Some(text)) => {
                self.has_texts = true;
                let note = format!("the score {name} is no number: {}", first_line_label(&text));
                self.notes.push(note.into());
            }
            (None, None) => {}
        }
    }
}

/// Returns a score as a number; None for one that Inspect calls unscored (NaN, null), and for a text without a number.
fn score_number(value: TapeValue<'_>) -> Option<f64> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let Some(text) = string_text(value) else {
        return match value.get() {
            "true" => Some(1.0),
            "false" => Some(0.0),
            text => number(text),
        };
    };
    match &*text {
        "C" => Some(1.0),
        "P" => Some(0.5),
        "I" | "N" => Some(0.0),
        text if text.eq_ignore_ascii_case("yes") || text.eq_ignore_ascii_case("true") => Some(1.0),
        text if text.eq_ignore_ascii_case("no") || text.eq_ignore_ascii_case("false") => Some(0.0),
        text => number(text),
    }
}

/// Returns the message of an error: an object with one, or the message itself.
fn error_text(error: TapeValue<'_>) -> Option<Box<str>> {
    if error.is_null() {
        return None;
    }
    let message = match JsonObject::from_value(error) {
        Some(error) => error.text("message").unwrap_or(Cow::Borrowed("error without a message")),
        None => string_text(error)?,
    };
    Some(first_line_label(&message))
}

/// The limit that stopped a sample.
struct SampleLimit {
    kind: Box<str>,
    most: Option<f64>,
}

impl SampleLimit {
    fn read(limit: TapeValue<'_>) -> Option<Self> {
        match JsonObject::from_value(limit) {
            Some(limit) => Some(Self {
                kind: limit.text("type").as_deref().unwrap_or("unnamed").into(),
                most: limit.float("limit").filter(|most| most.is_finite()),
            }),
            None => Some(Self { kind: string_text(limit)?.into(), most: None }),
        }
    }

    /// Returns the outcome of a sample that it stopped and nobody scored.
    fn outcome(&self) -> Outcome {
        match &*self.kind {
            "time" | "working" => Outcome::Timeout,
            // A person stopped it.
            "operator" => Outcome::Unscored,
            _ => Outcome::Limit,
        }
    }

    fn note(&self) -> Box<str> {
        let most = self.most.map(|most| format!(" of {most}")).unwrap_or_default();
        match &*self.kind {
            "operator" => "was stopped by the operator".into(),
            kind => format!("was stopped by its {} limit{most}", first_line_label(kind)).into(),
        }
    }
}

fn retries_note(sample: &JsonObject<'_>) -> Option<Box<str>> {
    let retries = sample.elements_of("error_retries");
    let last = retries.last().and_then(|it| JsonObject::from_value(*it)?.text("message"));
    let last = first_line_label(&last?);
    Some(format!("was tried again after {} errors, the last: {last}", retries.len()).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, SourceBytes, records::RecordLog};

    fn result_of(fields: &str) -> TrialResult {
        let text = format!(
            r#"{{"id": "s1", "epoch": 2, "input": "x", "target": "", "messages": [{{"role": "user", "content": "x"}}]{fields}}}"#
        );
        let source = SourceBytes { name: "logs/s1_epoch_2", bytes: text.as_bytes() };
        let run = RecordLog(&super::super::Inspect).index_run(&[source]).unwrap();
        *run.trial.unwrap()
    }

    fn ends(fields: &str) -> (Option<Outcome>, Option<f64>) {
        let result = result_of(fields);
        (result.outcome, result.reward)
    }

    #[test]
    fn scores_are_numbers_as_inspect_itself_makes_them() {
        let of = |value: &str| ends(&format!(r#", "scores": {{"check": {{"value": {value}}}}}"#));

        assert_eq!(of("\"C\""), (Some(Outcome::Passed), Some(1.0)));
        assert_eq!(of("\"P\""), (Some(Outcome::Partial), Some(0.5)));
        assert_eq!(of("\"I\""), (Some(Outcome::Failed), Some(0.0)));
        assert_eq!(of("\"N\""), (Some(Outcome::Failed), Some(0.0)));
        assert_eq!(of("true"), (Some(Outcome::Passed), Some(1.0)));
        assert_eq!(of("\"Yes\""), (Some(Outcome::Passed), Some(1.0)));
        assert_eq!(of("0.25"), (Some(Outcome::Partial), Some(0.25)));
        assert_eq!(of("7.5"), (None, Some(7.5)), "its range is not known");
        assert_eq!(of("\"B+\""), (None, None));
        assert_eq!(of("NaN"), (Some(Outcome::Unscored), None));
        assert_eq!(of("null"), (Some(Outcome::Unscored), None));
    }

    #[test]
    fn dictionaries_and_further_scorers_are_rewards_by_name() {
        let result = result_of(
            r#", "scores": {"match": {"value": {"exact": "I", "fuzzy": 1, "none": null}}, "grade": {"value": [1, 0.5]}}"#,
        );

        assert_eq!(
            (result.reward_name.as_deref(), result.reward),
            (Some("match.exact"), Some(0.0))
        );
        let others: Vec<(&str, f64)> =
            result.other_rewards.iter().map(|(name, value)| (&**name, *value)).collect();
        assert_eq!(others, [("match.fuzzy", 1.0), ("grade.0", 1.0), ("grade.1", 0.5)]);
        assert_eq!((result.attempt, result.task.as_deref()), (Some(2), Some("s1")));
        assert_eq!(&*result.source, "s1_epoch_2");
    }

    #[test]
    fn a_limit_decides_only_where_nobody_scored() {
        let limit = |kind: &str| format!(r#", "limit": {{"type": "{kind}", "limit": 100}}"#);
        let scored =
            result_of(&format!(r#"{}, "scores": {{"c": {{"value": 1}}}}"#, limit("token")));

        assert_eq!(scored.outcome, Some(Outcome::Passed));
        assert_eq!(scored.notes, ["was stopped by its token limit of 100".into()]);
        assert_eq!(ends(&limit("token")).0, Some(Outcome::Limit));
        assert_eq!(ends(&limit("cost")).0, Some(Outcome::Limit));
        assert_eq!(ends(&limit("time")).0, Some(Outcome::Timeout));
        assert_eq!(ends(&limit("working")).0, Some(Outcome::Timeout));
        assert_eq!(ends(&limit("operator")).0, Some(Outcome::Unscored));
        assert_eq!(ends(r#", "limit": "message""#).0, Some(Outcome::Limit));
        assert_eq!(ends("").0, Some(Outcome::Unscored));
    }

    #[test]
    fn an_error_is_an_error_with_its_first_line() {
        let result = result_of(
            r#", "error": {"message": "ValueError('no sandbox')\nmore", "traceback": "t"}, "scores": {}"#,
        );

        assert_eq!(result.outcome, Some(Outcome::Error));
        assert_eq!(result.error.as_deref(), Some("ValueError('no sandbox')"));
        assert_eq!(result.reward, None);
    }

    #[test]
    fn the_metrics_of_the_log_are_recorded_values_and_tell_the_range() {
        let facts = super::super::archive::log_facts(
            br#"{"version": 2, "status": "success", "eval": {"task": "kept", "model": "m"}, "results": {"scores": [
                {"name": "grade", "scorer": "grade", "reducer": "mean", "metrics": {"mean": {"name": "mean", "value": 6.5}, "stderr": {"value": 0.25}}}]}}"#,
            "header.json",
        );
        let sample = br#" {"id": 3, "epoch": 1, "input": "", "target": "", "messages": [{"role": "user", "content": "x"}], "scores": {"grade": {"value": 1}}}"#;
        let bytes = super::super::archive::with_log_facts(sample, &facts.unwrap());
        let source = SourceBytes { name: "3_epoch_1", bytes: &bytes };
        let run = RecordLog(&super::super::Inspect).index_run(&[source]).unwrap();

        let recorded: Vec<(&str, &str)> =
            run.recorded.iter().map(|it| (&*it.source, &*it.name)).collect();
        let expected = [
            ("header.json", "log.task"),
            ("header.json", "log.grade.mean"),
            ("header.json", "log.grade.stderr"),
        ];
        assert_eq!(recorded, expected);
        let task = run.task.unwrap();
        assert_eq!((&*task.id, task.venue.as_deref()), ("3", Some("kept")));
        let trial = run.trial.unwrap();
        assert_eq!((trial.outcome, trial.reward), (None, Some(1.0)), "a mean of 6.5 is no share");
        assert_eq!(run.origin.harness.as_deref(), Some("Inspect"));
    }

    #[test]
    fn the_metrics_of_a_dictionary_tell_the_range_of_its_keys() {
        let facts = super::super::archive::log_facts(
            br#"{"eval": {"task": "t"}, "results": {"scores": [{"name": "style", "scorer": "judge",
                "metrics": {"mean": {"value": 7.5}}}]}}"#,
            "header.json",
        );
        let sample = br#"{"id": 3, "epoch": 1, "input": "", "messages": [{"role": "user", "content": "x"}], "scores": {"judge": {"value": {"style": 1}}}}"#;
        let bytes = super::super::archive::with_log_facts(sample, &facts.unwrap());
        let source = SourceBytes { name: "3_epoch_1", bytes: &bytes };
        let run = RecordLog(&super::super::Inspect).index_run(&[source]).unwrap();

        assert_eq!(&*run.recorded[1].name, "log.judge.style.mean");
        let trial = run.trial.unwrap();
        assert_eq!((trial.outcome, trial.reward_name.as_deref()), (None, Some("judge.style")));
    }
}
