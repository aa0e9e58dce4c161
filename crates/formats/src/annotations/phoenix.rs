//! Span annotations of Phoenix as a table, a row a score: `span_id` is the run, the annotation's name the item, its
//! `identifier` the rater.
//!
//! What its client takes has `score`, `label` and `explanation`, what it gives has `result.score` and so on; both are read.
//! The names are those of arize-phoenix-client 3.5.0.

use serde_json::Value;

use crate::csv;

use super::{
    AnnotatedState, Annotation, AnnotationAnswer, AnnotationFile, AnnotationSource,
    cells::CellTable,
};

/// The columns that Phoenix's client takes.
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
const ITEM_COLUMNS: [&str; 2] = ["annotation_name", "name"];

const RUN_COLUMNS: [&str; 2] = ["span_id", "context.span_id"];

pub fn is_export(text: &str) -> bool {
    let table = CellTable::head_line(text);
    let has_any = |columns: &[&str]| columns.iter().any(|name| table.has_columns(&[name]));
    has_any(&RUN_COLUMNS)
        && has_any(&ITEM_COLUMNS)
        && has_any(&["score", "label", "result.score", "result.label"])
}

pub fn read_scores(text: &str) -> AnnotationFile {
    let table = CellTable::parse_text(text);
    let mut read = AnnotationFile { wrong: table.wrong.clone(), ..AnnotationFile::default() };
    for row in &table.rows {
        let mut wrong = |what: String| read.wrong.push(format!("{}: {what}", row.place));
        let Some(run) = table.first_text(row, &RUN_COLUMNS) else {
            wrong("names no span (span_id)".into());
            continue;
        };
        let Some(item) = table.first_text(row, &ITEM_COLUMNS) else {
            wrong("names no annotation (annotation_name)".into());
            continue;
        };
        let label = table.first_text(row, &["label", "result.label"]);
        let score = table.first_cell(row, &["score", "result.score"]);
        let answer = match score.map(|it| (it, it.parse::<f64>())) {
            Some((_, Ok(score))) if score.is_finite() => {
                Some(AnnotationAnswer::Score(score, label))
            }
            Some((words, _)) => {
                wrong(format!("{words:?} is not a score"));
                continue;
            }
            None => label.as_deref().and_then(AnnotationAnswer::from_word),
        };
        let Some(answer) = answer else {
            wrong(format!("{item} has neither score nor label"));
            continue;
        };
        let source = match table.first_cell(row, &["annotator_kind"]) {
            Some("LLM" | "CODE" | "DECISION" | "AGENT") => AnnotationSource::Judge,
            _ => AnnotationSource::Human,
        };
        read.annotations.push(Annotation {
            place: row.place.clone(),
            run,
            item,
            by: table.first_text(row, &["identifier", "user_id"]),
            source,
            answer,
            note: table.first_text(row, &["explanation", "result.explanation"]),
            state: AnnotatedState::from_metadata(&table.object_cell(row, "metadata")),
            at: table.first_text(row, &["created_at"]),
            ..Annotation::default()
        });
    }
    read
}

pub fn write_scores(annotations: &[Annotation]) -> String {
    let mut text = csv::csv_line(COLUMNS.map(str::to_owned));
    for it in annotations {
        let kind = if it.source == AnnotationSource::Human { "HUMAN" } else { "LLM" };
        text += &csv::csv_line([
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
