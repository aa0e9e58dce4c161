//! `gold.json`: what adjudication settled. Outcomes are added at the end and nothing before them is changed, byte for
//! byte; one line each.

use serde::Serialize;
use serde_json::{Map, Value, value::RawValue};

use crate::Source;
use trajview_run::{
    Warning,
    rubric::{Gold, GoldSource, Unit},
};

use super::fields::{self, Fields};

const SCHEMA: &str = "trajview.gold/1";

pub fn read(file: &Source<'_>, warnings: &mut Vec<Warning>) -> Vec<Gold> {
    let Some(document) = fields::document(file, SCHEMA, warnings) else { return vec![] };
    let mut all = vec![];
    for (number, fields) in fields::objects(file, &document, "gold", warnings) {
        match gold(&fields) {
            Ok(gold) => all.push(gold),
            Err(what) => {
                let what = format!("gold, entry {number}: {what}");
                warnings.push(Warning { place: file.name.into(), what });
            }
        }
    }
    all
}

/// One entry. The error is a sentence.
fn gold(fields: &Fields<'_>) -> Result<Gold, String> {
    let component = fields.id("component").ok_or("names no component")?;
    let unit = match fields.words("unit") {
        Some(word) => Unit::by_word(&word).ok_or_else(|| format!("no unit is called {word:?}"))?,
        None => Unit::default(),
    };
    let mut gold = Gold {
        component,
        unit,
        criterion: fields.id("criterion"),
        commit: fields.id("commit"),
        turn: fields.ordinal("turn"),
        scale: fields.words("scale"),
        cannot_tell: fields.flag("cannot_tell") == Some(true),
        by: fields.words("by"),
        note: fields.words("note"),
        at: fields.words("at"),
        ..Gold::default()
    };
    gold.score = fields.score_on("score", gold.scale_of())?;
    for source in fields.objects("from") {
        let Some(annotator) = source.id("annotator") else { continue };
        gold.from.push(GoldSource {
            annotator,
            score: source.score_on("score", gold.scale_of()).unwrap_or_default(),
            reason: source.words("reason"),
            note: source.words("note"),
        });
    }
    Ok(gold)
}

/// The content of the file with these outcomes at its end.
///
/// The error, a sentence that begins with a verb, is about a file that is no file of gold labels: it is not to be written
/// over.
pub fn with(before: Option<&[u8]>, new: &[Gold]) -> Result<Vec<u8>, String> {
    let (mut rest, mut entries) = match before {
        Some(bytes) => known(bytes)?,
        None => (Map::new(), vec![]),
    };
    for gold in new {
        let line = serde_json::to_string(&Entry::of(gold));
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

/// What is beside the outcomes, and these as they are written.
fn known(bytes: &[u8]) -> Result<(Map<String, Value>, Vec<String>), String> {
    #[derive(serde::Deserialize)]
    struct Outcomes<'a> {
        #[serde(borrow, default)]
        gold: Vec<&'a RawValue>,
    }
    let wrong =
        |why: serde_json::Error| format!("is no file of gold labels; not written over: {why}");
    let mut rest: Map<String, Value> = serde_json::from_slice(bytes).map_err(wrong)?;
    match rest.get("schema").and_then(Value::as_str) {
        Some(found) if found != SCHEMA => {
            return Err(format!("says it is {found:?}, not {SCHEMA}; not written over"));
        }
        _ => {}
    }
    let Outcomes { gold } = serde_json::from_slice(bytes).map_err(wrong)?;
    rest.remove("gold");
    Ok((rest, gold.into_iter().map(|it| it.get().to_owned()).collect()))
}

/// An outcome as it is written; what is not there is left out.
#[derive(Serialize)]
struct Entry<'a> {
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
    from: Vec<SourceEntry<'a>>,
}

#[derive(Serialize)]
struct SourceEntry<'a> {
    annotator: &'a str,
    score: Option<Value>,
    reason: Option<&'a str>,
    note: Option<&'a str>,
}

impl<'a> Entry<'a> {
    fn of(gold: &'a Gold) -> Self {
        let source = |it: &'a GoldSource| SourceEntry {
            annotator: &it.annotator,
            score: it.score.map(number),
            reason: it.reason.as_deref(),
            note: it.note.as_deref(),
        };
        Self {
            component: &gold.component,
            unit: (gold.unit != Unit::default()).then(|| gold.unit.word()),
            criterion: gold.criterion.as_deref(),
            commit: gold.commit.as_deref(),
            turn: gold.turn,
            score: gold.score.map(number),
            scale: gold.scale.as_deref(),
            cannot_tell: gold.cannot_tell,
            by: gold.by.as_deref(),
            note: gold.note.as_deref(),
            at: gold.at.as_deref(),
            from: gold.from.iter().map(source).collect(),
        }
    }
}

/// A whole number has no point.
fn number(score: f64) -> Value {
    let is_whole = score.fract() == 0.0 && (0.0..=1e9).contains(&score);
    if is_whole { Value::from(score as u64) } else { Value::from(score) }
}
