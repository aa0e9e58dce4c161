//! Evaluations of a run: events `gen_ai.evaluation.result`, as events of spans or as log records. They are recorded scores of
//! whoever evaluated the run, with the log as their source.

use super::{Json, OtelSpan};
use trajview_run::{
    Outcome, TrialResult,
    checkpoint_record::{MeasureValue, RecordedMeasure},
};

/// The name of the event.
pub(super) const EVENT_NAME: &str = "gen_ai.evaluation.result";

/// The most evaluations of a log that are read.
const MOST_EVALUATIONS: usize = 1_000;

/// One evaluation of a span.
pub(super) struct Evaluation {
    name: String,
    value: Option<f64>,
    label: Option<String>,
    explanation: Option<String>,
    /// The reason why there is no score.
    error: Option<String>,
}

impl Evaluation {
    /// Returns the evaluations that a span or a log record has.
    pub(super) fn all_of(span: &OtelSpan<'_>) -> Vec<Self> {
        let is_one = |event: &OtelSpan<'_>| event.name() == EVENT_NAME;
        let itself = span.event_name().filter(|name| name == EVENT_NAME);
        let mut found: Vec<Self> = itself.map(|_| Self::from_event(span)).into_iter().collect();
        found.extend(span.span_events().iter().filter(|it| is_one(it)).map(Self::from_event));
        found
    }

    fn from_event(event: &OtelSpan<'_>) -> Self {
        let text = |key: &str| event.text_attribute(key).map(|text| text.into_owned());
        let value = match event.json_attribute("gen_ai.evaluation.score.value") {
            Some(Json::Number(number)) => number.as_f64(),
            Some(Json::String(text)) => text.parse().ok(),
            _ => None,
        };
        Self {
            name: text("gen_ai.evaluation.name").unwrap_or_else(|| "evaluation".to_owned()),
            value: value.filter(|value| value.is_finite()),
            label: text("gen_ai.evaluation.score.label"),
            explanation: text("gen_ai.evaluation.explanation"),
            error: text("error.type"),
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        match self.label.as_deref()? {
            "pass" => Some(Outcome::Passed),
            "fail" => Some(Outcome::Failed),
            label => Outcome::by_word(label),
        }
    }
}

/// Returns every value of the evaluations; a name that occurs again has a number.
pub(super) fn recorded_values(evaluations: &[Evaluation]) -> Vec<RecordedMeasure> {
    let mut values = vec![];
    for (at, evaluation) in evaluations.iter().take(MOST_EVALUATIONS).enumerate() {
        let before = evaluations[..at].iter().filter(|it| it.name == evaluation.name).count();
        let name = match before {
            0 => evaluation.name.clone(),
            before => format!("{} #{}", evaluation.name, before + 1),
        };
        let mut add = |part: &str, value: Option<MeasureValue>| {
            values.extend(value.map(|value| RecordedMeasure {
                source: "".into(),
                name: format!("{name}{part}").into(),
                value,
                metric: None,
                doubt: None,
            }));
        };
        let text = |text: &Option<String>| text.as_deref().map(|it| MeasureValue::Text(it.into()));
        add("", evaluation.value.map(MeasureValue::Number));
        add(".label", text(&evaluation.label));
        add(".explanation", text(&evaluation.explanation));
        add(".error", text(&evaluation.error));
    }
    values
}

/// Returns the scores of the whole run: those of names that occur once. The outcome is the label of an evaluation, where one
/// alone has an outcome as its label.
pub(super) fn trial_result(evaluations: &[Evaluation]) -> Option<TrialResult> {
    let is_single =
        |it: &&Evaluation| evaluations.iter().filter(|other| other.name == it.name).count() == 1;
    let single: Vec<&Evaluation> =
        evaluations.iter().take(MOST_EVALUATIONS).filter(is_single).collect();
    let labelled: Vec<&&Evaluation> = single.iter().filter(|it| it.outcome().is_some()).collect();
    let verdict = match labelled.as_slice() {
        [only] => Some(**only),
        _ => None,
    };
    let is_verdict = |it: &Evaluation| verdict.is_some_and(|verdict| std::ptr::eq(verdict, it));
    let others = single.iter().copied().filter(|it| !is_verdict(it));
    let mut rewards = verdict.into_iter().chain(others);
    let mut rewards =
        rewards.by_ref().filter_map(|it| Some((Box::from(it.name.as_str()), it.value?)));
    let first = match verdict {
        Some(verdict) if verdict.value.is_none() => None,
        _ => rewards.next(),
    };
    let other_rewards: Vec<(Box<str>, f64)> = rewards.collect();
    let outcome = verdict.and_then(Evaluation::outcome);
    if first.is_none() && outcome.is_none() && other_rewards.is_empty() {
        return None;
    }
    let (reward_name, reward) = first.unzip();
    Some(TrialResult { outcome, reward, reward_name, other_rewards, ..TrialResult::default() })
}
