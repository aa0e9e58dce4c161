//! The table of scores that Langfuse's screen exports, a row a score: `traceId` is the run, `name` the item.
//!
//! `source` is ANNOTATION for people, EVAL for judges and API for what a program sent. What Langfuse has no column for
//! stands in `metadata`, a JSON object.

use serde_json::Value;

use crate::csv;

use super::{Annotation, Answer, Read, Source, State, cells::Table};

/// As they are exported, with the author as later versions have it.
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

pub fn is(text: &str) -> bool {
    let table = Table::head_of(text);
    table.has(&["name", "value"]) && (table.has(&["traceId"]) || table.has(&["sessionId"]))
}

pub fn read(text: &str) -> Read {
    let table = Table::read(text);
    let mut read = Read { wrong: table.wrong.clone(), ..Read::default() };
    for row in &table.rows {
        let mut wrong = |what: &str| read.wrong.push(format!("{}: {what}", row.place));
        let Some(run) = table.text(row, &["traceId", "sessionId"]) else {
            wrong("names no trace (traceId)");
            continue;
        };
        let Some(item) = table.text(row, &["name"]) else {
            wrong("names no score (name)");
            continue;
        };
        let (value, word) = (table.cell(row, &["value"]), table.cell(row, &["stringValue"]));
        let number = value.and_then(|it| it.parse().ok()).filter(|it: &f64| it.is_finite());
        let kind = table.cell(row, &["dataType"]).unwrap_or("NUMERIC").to_ascii_uppercase();
        let answer = match (kind.as_str(), number, word) {
            ("BOOLEAN", Some(number), _) => Some(Answer::Is(number != 0.0)),
            ("NUMERIC", Some(number), word) => Some(Answer::Score(number, word.map(Into::into))),
            (_, _, Some(word)) => Answer::of_word(word),
            _ => value.and_then(Answer::of_word),
        };
        let Some(answer) = answer else {
            wrong(&format!("{item} has neither value nor stringValue"));
            continue;
        };
        let metadata = table.object(row, "metadata");
        let said_by = metadata.get("annotator").and_then(Value::as_str).map(str::to_owned);
        let author = ["authorUserName", "authorUserEmail", "author", "authorUserId"];
        let source = match table.cell(row, &["source"]) {
            Some("EVAL") => Source::Judge,
            Some("API") if metadata.get("source").and_then(Value::as_str) == Some("judge") => {
                Source::Judge
            }
            _ => Source::Human,
        };
        read.annotations.push(Annotation {
            place: row.place.clone(),
            run,
            item,
            by: table.text(row, &author).or(said_by),
            source,
            answer,
            note: table.text(row, &["comment"]),
            state: State::of(&metadata),
            at: table.text(row, &["timestamp"]),
            ..Annotation::default()
        });
    }
    read
}

pub fn write(annotations: &[Annotation]) -> String {
    let mut text = csv::row(COLUMNS.map(str::to_owned));
    for it in annotations {
        let mut metadata = it.state.metadata();
        metadata.extend(it.by.as_ref().map(|by| ("annotator".to_owned(), Value::from(&**by))));
        let kind = match &it.answer {
            Answer::Score(..) => "NUMERIC",
            Answer::Is(_) => "BOOLEAN",
            Answer::Word(_) | Answer::CannotTell => "CATEGORICAL",
        };
        let id = format!("{}/{}/{}", it.run, it.item, it.by.as_deref().unwrap_or_default());
        let source = if it.source == Source::Human { "ANNOTATION" } else { "EVAL" };
        text += &csv::row(COLUMNS.map(|column| match column {
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
