//! The table of scores that Langfuse's screen exports, a row a score: `traceId` is the run, `name` the item.
//!
//! `source` is ANNOTATION for people, EVAL for judges and API for what a program sent. What Langfuse has no column for
//! is in `metadata`, a JSON object.

use serde_json::Value;

use crate::csv;
use crate::json_object::JsonFields;

use super::{
    AnnotatedState, Annotation, AnnotationAnswer, AnnotationFile, AnnotationSource,
    cells::CellTable,
};

/// The columns of an export, with the author as later versions have it.
const COLUMNS: [&str; 17] = [
    "id",
    "traceId",
    "sessionId",
    "datasetRunId",
    "timestamp",
    "source",
    "name",
    "dataType",
    "value",
    "stringValue",
    "comment",
    "metadata",
    "observationId",
    "traceName",
    "userId",
    "environment",
    "authorUserName",
];

pub fn is_export(text: &str) -> bool {
    let table = CellTable::head_line(text);
    table.has_columns(&["name", "value"])
        && (table.has_columns(&["traceId"]) || table.has_columns(&["sessionId"]))
}

pub fn read_scores(text: &str) -> AnnotationFile {
    let table = CellTable::parse_text(text);
    let mut read = AnnotationFile { wrong: table.wrong.clone(), ..AnnotationFile::default() };
    for row in &table.rows {
        let mut wrong = |what: &str| read.wrong.push(format!("{}: {what}", row.place));
        let Some(run) = table.first_text(row, &["traceId", "sessionId"]) else {
            wrong("names no trace (traceId)");
            continue;
        };
        let Some(item) = table.first_text(row, &["name"]) else {
            wrong("names no score (name)");
            continue;
        };
        let (value, word) =
            (table.first_cell(row, &["value"]), table.first_cell(row, &["stringValue"]));
        let number = value.and_then(|it| it.parse().ok()).filter(|it: &f64| it.is_finite());
        let kind = table.first_cell(row, &["dataType"]).unwrap_or("NUMERIC").to_ascii_uppercase();
        let answer = match (kind.as_str(), number, word) {
            ("BOOLEAN", Some(number), _) => Some(AnnotationAnswer::Flag(number != 0.0)),
            ("NUMERIC", Some(number), word) => {
                Some(AnnotationAnswer::Score(number, word.map(Into::into)))
            }
            (_, _, Some(word)) => AnnotationAnswer::from_word(word),
            _ => value.and_then(AnnotationAnswer::from_word),
        };
        let Some(answer) = answer else {
            wrong(&format!("{item} has neither value nor stringValue"));
            continue;
        };
        let metadata = table.object_cell(row, "metadata");
        let said_by = metadata.text("annotator").map(str::to_owned);
        let author = ["authorUserName", "authorUserEmail", "author", "authorUserId"];
        let source = match table.first_cell(row, &["source"]) {
            Some("EVAL") => AnnotationSource::Judge,
            Some("API") if metadata.text("source") == Some("judge") => AnnotationSource::Judge,
            _ => AnnotationSource::Human,
        };
        read.annotations.push(Annotation {
            place: row.place.clone(),
            run,
            item,
            by: table.first_text(row, &author).or(said_by),
            source,
            answer,
            note: table.first_text(row, &["comment"]),
            state: AnnotatedState::from_metadata(&metadata),
            at: table.first_text(row, &["timestamp"]),
            ..Annotation::default()
        });
    }
    read
}

pub fn write_scores(annotations: &[Annotation]) -> String {
    let mut text = csv::csv_line(COLUMNS.map(str::to_owned));
    for it in annotations {
        let mut metadata = it.state.metadata();
        metadata.extend(it.by.as_ref().map(|by| ("annotator".to_owned(), Value::from(&**by))));
        let kind = match &it.answer {
            AnnotationAnswer::Score(..) => "NUMERIC",
            AnnotationAnswer::Flag(_) => "BOOLEAN",
            AnnotationAnswer::Word(_) | AnnotationAnswer::CannotTell => "CATEGORICAL",
        };
        let id = format!("{}/{}/{}", it.run, it.item, it.by.as_deref().unwrap_or_default());
        let source = if it.source == AnnotationSource::Human { "ANNOTATION" } else { "EVAL" };
        text += &csv::csv_line(COLUMNS.map(|column| match column {
            "id" => id.clone(),
            "traceId" => it.run.clone(),
            "timestamp" => it.at.clone().unwrap_or_default(),
            "source" => source.to_owned(),
            "name" => it.item.clone(),
            "dataType" => kind.to_owned(),
            "value" => it.answer.score().map(|score| score.to_string()).unwrap_or_default(),
            "stringValue" => it.answer.word().unwrap_or_default().to_owned(),
            "comment" => it.note.clone().unwrap_or_default(),
            "metadata" => Value::Object(metadata.clone()).to_string(),
            "authorUserName" => it.by.clone().unwrap_or_default(),
            _ => String::new(),
        }));
    }
    text
}
