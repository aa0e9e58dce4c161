//! Validation sets of Inspect Scout (JSON, JSON lines, YAML or CSV): a case a transcript, with the value that a scanner
//! is expected to give.
//!
//! `target` is one value, or an object with a value for each item (`target_C07` as a column); `labels` (`label_C07`)
//! states for each item whether it is there. We write JSON, since a table would have empty cells for what was not
//! labelled, and Scout takes those for values. The names of the fields are those of inspect_scout 0.6.1.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::json_object::JsonFields;
use crate::{not_finite, rigorbench::parse_yaml};

use super::{AnnotatedState, Annotation, AnnotationAnswer, AnnotationFile, cells::CellTable};

/// A case without items is about the run as a whole.
pub const WHOLE_RUN_TARGET: &str = "target";

const TARGET_PREFIX: &str = "target_";
const LABEL_PREFIX: &str = "label_";

pub fn is_validation_set(text: &str) -> bool {
    match parse_cases(text) {
        Some(Ok(cases)) => cases.iter().any(|(_, case)| {
            case.contains_key("id") && (case.contains_key("target") || case.contains_key("labels"))
        }),
        Some(Err(_)) => false,
        None => {
            let table = CellTable::head_line(text);
            let is_target = table.has_columns(&[WHOLE_RUN_TARGET])
                || [TARGET_PREFIX, LABEL_PREFIX]
                    .iter()
                    .any(|start| table.columns_starting_with(start).next().is_some());
            table.has_columns(&["id"]) && is_target
        }
    }
}

pub fn read_validation_set(text: &str) -> AnnotationFile {
    match parse_cases(text) {
        None => read_table(text),
        Some(Err(why)) => AnnotationFile { wrong: vec![why], ..AnnotationFile::default() },
        Some(Ok(cases)) => {
            let mut read = AnnotationFile::default();
            for (place, case) in cases {
                read_case(&place, &case, &mut read);
            }
            read
        }
    }
}

/// The place of a case in the file, and its fields.
type ScoutCase = (String, Map<String, Value>);

/// Returns the cases of a JSON list, of JSON lines or of a YAML list; None where the text is none of them.
fn parse_cases(text: &str) -> Option<Result<Vec<ScoutCase>, String>> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if text.starts_with('[') {
        let all: Vec<Value> = match serde_json::from_str(&not_finite::readable_json(text)) {
            Ok(all) => all,
            Err(why) => return Some(Err(format!("is not JSON: {why}"))),
        };
        return Some(Ok(flatten_splits(all)));
    }
    if !text.starts_with('{') {
        return match parse_yaml(text) {
            Ok(Value::Array(all)) => Some(Ok(flatten_splits(all))),
            _ => None,
        };
    }
    let mut all = vec![];
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str(&not_finite::readable_json(line)) {
            Ok(Value::Object(case)) => all.push((format!("line {number}"), case)),
            Ok(_) => return Some(Err(format!("line {number}: is not an object"))),
            Err(why) => return Some(Err(format!("line {number}: is not JSON: {why}"))),
        }
    }
    Some(Ok(all))
}

/// Returns all cases; those below a split (`{"split": "dev", "cases": [...]}`) are cases like others.
fn flatten_splits(all: Vec<Value>) -> Vec<ScoutCase> {
    let mut cases = vec![];
    for (number, value) in (1..).zip(all) {
        let Value::Object(case) = value else {
            cases.push((format!("case {number}"), Map::new()));
            continue;
        };
        match case.get("cases") {
            Some(Value::Array(below)) => {
                for (inner, case) in (1..).zip(below) {
                    let place = format!("case {number}, its case {inner}");
                    cases.push((place, case.as_object().cloned().unwrap_or_default()));
                }
            }
            _ => cases.push((format!("case {number}"), case)),
        }
    }
    cases
}

fn read_case(place: &str, case: &Map<String, Value>, read: &mut AnnotationFile) {
    let mut wrong = |what: &str| read.wrong.push(format!("{place}: {what}"));
    let run = match case.get("id") {
        Some(Value::String(id)) if !id.is_empty() => id.clone(),
        Some(Value::Array(_)) => return wrong("is of several transcripts; a score is of one run"),
        _ => return wrong("names no transcript (id)"),
    };
    if let Some(predicate) = case.text("predicate")
        && predicate != "eq"
    {
        return wrong(&format!("its target uses {predicate}: not a score"));
    }
    let mut found = vec![];
    match (case.get("target"), case.get("labels")) {
        (Some(Value::Object(items)), _) => {
            found.extend(items.iter().map(|(item, value)| (item.clone(), value.clone())));
        }
        (Some(value), _) if !value.is_null() => {
            found.push((WHOLE_RUN_TARGET.to_owned(), value.clone()))
        }
        (_, Some(Value::Object(items))) => {
            let is = |value: &Value| Value::Bool(value.as_bool().unwrap_or(false));
            found.extend(items.iter().map(|(item, value)| (item.clone(), is(value))));
        }
        _ => return wrong("has neither target nor labels"),
    }
    let text = |name: &str| case.text(name).map(str::to_owned);
    let notes = case.object("notes");
    for (item, value) in found {
        let Some(answer) = AnnotationAnswer::from_json(&value) else {
            read.wrong.push(format!("{place}: the target of {item} is not a score"));
            continue;
        };
        read.annotations.push(Annotation {
            place: place.to_owned(),
            run: run.clone(),
            note: notes.and_then(|it| it.get(&item)).and_then(Value::as_str).map(str::to_owned),
            item,
            by: text("annotator"),
            answer,
            state: AnnotatedState::from_metadata(case),
            ..Annotation::default()
        });
    }
}

fn read_table(text: &str) -> AnnotationFile {
    let table = CellTable::parse_text(text);
    let mut read = AnnotationFile { wrong: table.wrong.clone(), ..AnnotationFile::default() };
    if !table.has_columns(&["id"]) {
        read.wrong.insert(0, "line 1: no column is called id".into());
        return read;
    }
    for row in &table.rows {
        let text = |name: &str| table.first_cell(row, &[name]).map(Value::from);
        let mut case = Map::new();
        for name in ["id", "predicate", "annotator", "commit"] {
            case.extend(text(name).map(|value| (name.to_owned(), value)));
        }
        let mut items = Map::new();
        for (start, field) in [(TARGET_PREFIX, "target"), (LABEL_PREFIX, "labels")] {
            for item in table.columns_starting_with(start) {
                let column = format!("{start}{item}");
                let Some(cell) = table.first_cell(row, &[&column]) else { continue };
                let value = match field {
                    "labels" => Value::Bool(["true", "True", "1"].contains(&cell)),
                    _ => Value::from(cell),
                };
                items.insert(item.to_owned(), value);
            }
        }
        match (items.is_empty(), text(WHOLE_RUN_TARGET)) {
            (true, Some(value)) => {
                case.insert("target".into(), value);
            }
            (true, None) => continue, // a row that was not filled in
            (false, _) => {
                case.insert("target".into(), Value::Object(items));
            }
        }
        read_case(&row.place, &case, &mut read);
    }
    read
}

/// Writes a case for each run and state of it: its scores are one object. The rater and the state are fields that Scout
/// ignores.
pub fn write_validation_set(annotations: &[Annotation]) -> Result<String, String> {
    let mut cases: BTreeMap<(&str, Option<&str>), Map<String, Value>> = BTreeMap::new();
    for it in annotations {
        let key = (it.run.as_str(), it.state.commit.as_deref());
        let case = cases.entry(key).or_insert_with(|| {
            let mut case = Map::from_iter([
                ("id".to_owned(), json!(it.run)),
                ("target".to_owned(), json!({})),
            ]);
            let mut state = it.state.metadata();
            state.retain(|name, _| ["commit", "turn"].contains(&name.as_str()));
            case.extend(state);
            case.extend(it.by.as_ref().map(|by| ("annotator".to_owned(), json!(by))));
            case
        });
        let value = match (&it.answer, it.answer.score()) {
            (AnnotationAnswer::Flag(is), _) => json!(is),
            (_, Some(score)) => number_value(score),
            (_, None) => json!(it.answer.word()),
        };
        let target = case.get_mut("target").and_then(Value::as_object_mut);
        let before = target.and_then(|target| target.insert(it.item.clone(), value));
        if before.is_some() {
            return Err(format!(
                "{} of {} has several scores, and a validation set of Scout has one; choose a rater with --rater NAME",
                it.item, it.run
            ));
        }
        if let Some(note) = &it.note {
            let notes = case.entry("notes").or_insert_with(|| json!({}));
            if let Some(notes) = notes.as_object_mut() {
                notes.insert(it.item.clone(), json!(note));
            }
        }
    }
    let cases: Vec<Value> = cases.into_values().map(Value::Object).collect();
    Ok(format!("{:#}\n", Value::Array(cases)))
}

/// Returns a score as an integer where it is one, since Scout distinguishes 3 from 3.0.
fn number_value(score: f64) -> Value {
    let whole = score as i64;
    if whole as f64 == score { json!(whole) } else { json!(score) }
}
