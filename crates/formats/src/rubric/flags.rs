//! `judgements/*.json` of the rubric [`RUBRIC`]: places that a judge objected to.

use serde_json::{Map, Value};

use crate::Source;
use trajview_run::{
    Warning,
    flags::{Flag, Flagging, Group, RUBRIC},
};

use super::{
    fields::{self, Fields},
    judgement,
};

/// Whether a judgement flags places: it names this rubric, or has flags and no scores.
pub fn has_flags(document: &Map<String, Value>) -> bool {
    let list = |name: &str| document.get(name).and_then(Value::as_array);
    let is_named = document.get("rubric").and_then(Value::as_str) == Some(RUBRIC);
    is_named || (list("flags").is_some() && list("scores").is_none_or(Vec::is_empty))
}

pub fn read(
    file: &Source<'_>,
    document: &Map<String, Value>,
    warnings: &mut Vec<Warning>,
) -> Flagging {
    let top = Fields::of(document);
    let mut flags = vec![];
    for (number, fields) in fields::objects(file, document, "flags", warnings) {
        match flag(&fields) {
            Some(flag) => flags.push(flag),
            None => warnings.push(Warning {
                place: file.name.into(),
                what: format!("flags, entry {number}: names no criterion and no file"),
            }),
        }
    }
    let judge = top.object("judge");
    Flagging {
        file: file.name.into(),
        criteria_sha256: judge.as_ref().and_then(|fields| fields.words("criteria_sha256")),
        judge: judge.map(|fields| judgement::judge(&fields)).unwrap_or_default(),
        run: top.words("run"),
        commit: top.id("commit"),
        turn: top.ordinal("turn"),
        created_at: top.words("created_at"),
        repeat: top.object("repeat").and_then(|fields| judgement::repeat(&fields)),
        lines_of_code: top.count("lines_of_code"),
        groups: top.objects("groups").filter_map(|fields| group(&fields)).collect(),
        flags,
    }
}

/// None where it names no criterion, or no file.
fn flag(fields: &Fields<'_>) -> Option<Flag> {
    let text = |name: &str| fields.words(name).map(String::into_boxed_str);
    let start = fields.ordinal("start");
    let end = fields.ordinal("end").or(start);
    let lines = start.zip(end).map(|(start, end)| (start.min(end) as u64, start.max(end) as u64));
    let confidence = fields.number("confidence").filter(|it| (1.0..=5.0).contains(it));
    Some(Flag {
        criterion: fields.id("criterion")?.into(),
        category: text("category"),
        kind: text("type"),
        path: fields.id("path")?.into(),
        start: lines.map(|(start, _)| start),
        end: lines.map(|(_, end)| end),
        confidence,
        explanation: text("explanation"),
        carried_from: text("carried_from"),
        ..Flag::default()
    })
}

fn group(fields: &Fields<'_>) -> Option<Group> {
    Some(Group {
        id: fields.id("group")?,
        trace: fields.objects("trace").map(|fields| judgement::look(&fields)).collect(),
        tokens: fields.count("tokens"),
        seconds: fields.number("seconds"),
        error: fields.words("error"),
        is_fault: fields.flag("fault").unwrap_or_default(),
    })
}
