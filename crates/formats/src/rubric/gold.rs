//! `gold.json`: what adjudication settled. Outcomes are added at the end and nothing before them is changed, byte for
//! byte; one line each.

use serde::Serialize;
use serde_json::{Map, Value, value::RawValue};

use crate::SourceBytes;
use crate::json_object::JsonFields;
use trajview_run::{
    Warning,
    rubric::{GoldLabel, GoldSource, LabelUnit},
};

use super::fields::{self, RubricFields};

const SCHEMA: &str = "trajview.gold/1";

pub fn read_gold(file: &SourceBytes<'_>, warnings: &mut Vec<Warning>) -> Vec<GoldLabel> {
    let Some(document) = fields::read_document(file, SCHEMA, warnings) else { return vec![] };
    let mut all = vec![];
    for (number, fields) in fields::objects_in_list(file, &document, "gold", warnings) {
        match read_gold_entry(&fields) {
            Ok(gold) => all.push(gold),
            Err(what) => {
                let what = format!("gold, entry {number}: {what}");
                warnings.push(Warning { place: file.name.into(), what });
            }
        }
    }
    all
}

/// Returns one entry. The error is a sentence.
fn read_gold_entry(fields: &RubricFields<'_>) -> Result<GoldLabel, String> {
    let component = fields.trimmed_id("component").ok_or("names no component")?;
    let unit = match fields.as_written("unit") {
        Some(word) => {
            LabelUnit::by_word(&word).ok_or_else(|| format!("no unit is called {word:?}"))?
        }
        None => LabelUnit::default(),
    };
    let mut gold = GoldLabel {
        component,
        unit,
        criterion: fields.trimmed_id("criterion"),
        commit: fields.trimmed_id("commit"),
        turn: fields.count_from_one("turn"),
        scale: fields.as_written("scale"),
        cannot_tell: fields.flag("cannot_tell") == Some(true),
        by: fields.as_written("by"),
        note: fields.as_written("note"),
        at: fields.as_written("at"),
        ..GoldLabel::default()
    };
    gold.score = fields.score_on("score", gold.label_scale())?;
    for source in fields.objects_of("from") {
        let Some(annotator) = source.trimmed_id("annotator") else { continue };
        gold.from.push(GoldSource {
            annotator,
            score: source.score_on("score", gold.label_scale()).unwrap_or_default(),
            reason: source.as_written("reason"),
            note: source.as_written("note"),
        });
    }
    Ok(gold)
}

/// Returns the content of the file with these outcomes at its end.
///
/// The error, a sentence that begins with a verb, is about a file that is no file of gold labels: it is not to be
/// written over.
pub fn add_gold(before: Option<&[u8]>, new: &[GoldLabel]) -> Result<Vec<u8>, String> {
    let (mut rest, mut entries) = match before {
        Some(bytes) => read_existing(bytes)?,
        None => (Map::new(), vec![]),
    };
    for gold in new {
        let line = serde_json::to_string(&GoldEntry::from_gold(gold));
        entries.push(line.map_err(|why| format!("cannot be written: {why}"))?);
    }
    rest.remove("schema");
    let lines: Vec<String> = entries.iter().map(|entry| format!("    {entry}")).collect();
    let list =
        if lines.is_empty() { "[]".to_owned() } else { format!("[\n{}\n  ]", lines.join(",\n")) };
    let mut text = format!("{{\n  \"schema\": \"{SCHEMA}\",\n  \"gold\": {list}");
    for (name, value) in rest {
        text.push_str(&format!(",\n  {}: {value}", Value::from(name)));
    }
    text.push_str("\n}\n");
    Ok(text.into_bytes())
}

/// Reads an existing file: the fields beside the outcomes, and the outcomes as they are written.
fn read_existing(bytes: &[u8]) -> Result<(Map<String, Value>, Vec<String>), String> {
    #[derive(serde::Deserialize)]
    struct Outcomes<'a> {
        #[serde(borrow, default)]
        gold: Vec<&'a RawValue>,
    }
    let wrong =
        |why: serde_json::Error| format!("is not a file of gold labels; not overwritten: {why}");
    let mut rest: Map<String, Value> = serde_json::from_slice(bytes).map_err(wrong)?;
    match rest.text("schema") {
        Some(found) if found != SCHEMA => {
            return Err(format!("has the schema {found:?}, not {SCHEMA}; not overwritten"));
        }
        _ => {}
    }
    let Outcomes { gold } = serde_json::from_slice(bytes).map_err(wrong)?;
    rest.remove("gold");
    Ok((rest, gold.into_iter().map(|it| it.get().to_owned()).collect()))
}

/// An outcome as it is written; what is not there is left out.
#[derive(Serialize)]
struct GoldEntry<'a> {
    component: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    criterion: Option<&'a str>,
    commit: Option<&'a str>,
    turn: Option<usize>,
    score: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    scale: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cannot_tell: bool,
    by: Option<&'a str>,
    note: Option<&'a str>,
    at: Option<&'a str>,
    from: Vec<GoldSourceEntry<'a>>,
}

#[derive(Serialize)]
struct GoldSourceEntry<'a> {
    annotator: &'a str,
    score: Option<Value>,
    reason: Option<&'a str>,
    note: Option<&'a str>,
}

impl<'a> GoldEntry<'a> {
    fn from_gold(gold: &'a GoldLabel) -> Self {
        let source = |it: &'a GoldSource| GoldSourceEntry {
            annotator: &it.annotator,
            score: it.score.map(number_value),
            reason: it.reason.as_deref(),
            note: it.note.as_deref(),
        };
        Self {
            component: &gold.component,
            unit: (gold.unit != LabelUnit::default()).then(|| gold.unit.word()),
            criterion: gold.criterion.as_deref(),
            commit: gold.commit.as_deref(),
            turn: gold.turn,
            score: gold.score.map(number_value),
            scale: gold.scale.as_deref(),
            cannot_tell: gold.cannot_tell,
            by: gold.by.as_deref(),
            note: gold.note.as_deref(),
            at: gold.at.as_deref(),
            from: gold.from.iter().map(source).collect(),
        }
    }
}

/// Returns a score as JSON; a whole number has no point.
fn number_value(score: f64) -> Value {
    let is_whole = score.fract() == 0.0 && (0.0..=1e9).contains(&score);
    if is_whole { Value::from(score as u64) } else { Value::from(score) }
}
