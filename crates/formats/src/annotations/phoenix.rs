//! Span annotations of Phoenix as a table, a row a score: `span_id` is the run, the annotation's name the item, its
//! `identifier` the rater.
//!
//! What its client takes has `score`, `label` and `explanation`, what it gives has `result.score` and so on; both are read.
//! The names are those of arize-phoenix-client 3.5.0.

use serde_json::Value;

use crate::csv;

use super::{Annotation, Answer, Read, Source, State, cells::Table};

/// As its client takes them.
const COLUMNS: [&str; 9] = [
    "span_id",
    "annotation_name",
    "annotator_kind",
    "label",
    "score",
    "explanation",
    "metadata",
    "identifier",
    "created_at",
];

/// The item.
const NAMES: [&str; 2] = ["annotation_name", "name"];

const RUN: [&str; 2] = ["span_id", "context.span_id"];

pub fn is(text: &str) -> bool {
    let table = Table::head_of(text);
    let has_any = |columns: &[&str]| columns.iter().any(|name| table.has(&[name]));
    has_any(&RUN) && has_any(&NAMES) && has_any(&["score", "label", "result.score", "result.label"])
}

pub fn read(text: &str) -> Read {
    let table = Table::read(text);
    let mut read = Read { wrong: table.wrong.clone(), ..Read::default() };
    for row in &table.rows {
        let mut wrong = |what: String| read.wrong.push(format!("{}: {what}", row.place));
        let Some(run) = table.text(row, &RUN) else {
            wrong("names no span (span_id)".into());
            continue;
        };
        let Some(item) = table.text(row, &NAMES) else {
            wrong("names no annotation (annotation_name)".into());
            continue;
        };
        let label = table.text(row, &["label", "result.label"]);
        let score = table.cell(row, &["score", "result.score"]);
        let answer = match score.map(|it| (it, it.parse::<f64>())) {
            Some((_, Ok(score))) if score.is_finite() => Some(Answer::Score(score, label)),
            Some((words, _)) => {
                wrong(format!("{words:?} is no score"));
                continue;
            }
            None => label.as_deref().and_then(Answer::of_word),
        };
        let Some(answer) = answer else {
            wrong(format!("{item} has neither score nor label"));
            continue;
        };
        let source = match table.cell(row, &["annotator_kind"]) {
            Some("LLM" | "CODE" | "DECISION" | "AGENT") => Source::Judge,
            _ => Source::Human,
        };
        read.annotations.push(Annotation {
            place: row.place.clone(),
            run,
            item,
            by: table.text(row, &["identifier", "user_id"]),
            source,
            answer,
            note: table.text(row, &["explanation", "result.explanation"]),
            state: State::of(&table.object(row, "metadata")),
            at: table.text(row, &["created_at"]),
            ..Annotation::default()
        });
    }
    read
}

pub fn write(annotations: &[Annotation]) -> String {
    let mut text = csv::row(COLUMNS.map(str::to_owned));
    for it in annotations {
        let kind = if it.source == Source::Human { "HUMAN" } else { "LLM" };
        text += &csv::row([
            it.run.clone(),
            it.item.clone(),
            kind.to_owned(),
            it.answer.word().unwrap_or_default().to_owned(),
            it.answer.score().map(|score| score.to_string()).unwrap_or_default(),
            it.note.clone().unwrap_or_default(),
            Value::Object(it.state.metadata()).to_string(),
            it.by.clone().unwrap_or_default(),
            it.at.clone().unwrap_or_default(),
        ]);
    }
    text
}
