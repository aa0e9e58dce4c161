//! `judgements/*.json` of the rubric [`RUBRIC`]: places that a judge objected to.

use serde_json::{Map, Value};

use crate::SourceBytes;
use crate::json_object::JsonFields;
use trajview_run::{
    Warning,
    flags::{Flag, FlagGroup, Flagging, RUBRIC},
};

use super::{
    fields::{self, RubricFields},
    judgement,
};

/// Returns whether a judgement flags places: it names this rubric, or has flags and no scores.
pub fn has_flags(document: &Map<String, Value>) -> bool {
    let list = |name: &str| document.list(name);
    let is_named = document.text("rubric") == Some(RUBRIC);
    is_named || (list("flags").is_some() && list("scores").is_none_or(Vec::is_empty))
}

pub fn read_flagging(
    file: &SourceBytes<'_>,
    document: &Map<String, Value>,
    warnings: &mut Vec<Warning>,
) -> Flagging {
    let top = RubricFields::new(document);
    let mut flags = vec![];
    for (number, fields) in fields::objects_in_list(file, document, "flags", warnings) {
        match read_flag(&fields) {
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
        criteria_sha256: judge.as_ref().and_then(|fields| fields.as_written("criteria_sha256")),
        judge: judge.map(|fields| judgement::read_judge(&fields)).unwrap_or_default(),
        run: top.as_written("run"),
        commit: top.trimmed_id("commit"),
        turn: top.count_from_one("turn"),
        created_at: top.as_written("created_at"),
        repeat: top.object("repeat").and_then(|fields| judgement::read_repeat(&fields)),
        lines_of_code: top.count("lines_of_code"),
        groups: top.objects_of("groups").filter_map(|fields| read_group(&fields)).collect(),
        flags,
    }
}

/// Reads a flag; None where it names no criterion, or no file.
fn read_flag(fields: &RubricFields<'_>) -> Option<Flag> {
    let text = |name: &str| fields.as_written(name).map(String::into_boxed_str);
    let start = fields.count_from_one("start");
    let end = fields.count_from_one("end").or(start);
    let lines = start.zip(end).map(|(start, end)| (start.min(end) as u64, start.max(end) as u64));
    let confidence = fields.finite_number("confidence").filter(|it| (1.0..=5.0).contains(it));
    Some(Flag {
        criterion: fields.trimmed_id("criterion")?.into(),
        category: text("category"),
        kind: text("type"),
        path: fields.trimmed_id("path")?.into(),
        start: lines.map(|(start, _)| start),
        end: lines.map(|(_, end)| end),
        confidence,
        explanation: text("explanation"),
        carried_from: text("carried_from"),
        ..Flag::default()
    })
}

fn read_group(fields: &RubricFields<'_>) -> Option<FlagGroup> {
    Some(FlagGroup {
        id: fields.trimmed_id("group")?,
        trace: fields.objects_of("trace").map(|fields| judgement::read_look(&fields)).collect(),
        tokens: fields.count("tokens"),
        seconds: fields.finite_number("seconds"),
        error: fields.as_written("error"),
        is_fault: fields.flag("fault").unwrap_or_default(),
    })
}
