//! `labels/*.json`: the labels of one human rater.

use std::collections::BTreeSet;

use crate::SourceBytes;
use trajview_run::{
    Warning,
    rubric::{Confidence, Label, LabelFile, LabelUnit, ScoreScale, VerdictId},
};

use super::fields::{self, RubricFields};

pub fn read_labels(file: &SourceBytes<'_>, warnings: &mut Vec<Warning>) -> Option<LabelFile> {
    let document = fields::read_document(file, "trajview.labels/1", warnings)?;
    let labels = read_entries(file, &document, "labels", warnings);
    let proposals = match document.contains_key("proposals") {
        true => read_entries(file, &document, "proposals", warnings),
        false => vec![],
    };
    let top = RubricFields::new(&document);
    let from_file = || file.name.trim_start_matches("labels/").trim_end_matches(".json").to_owned();
    Some(LabelFile {
        file: file.name.into(),
        annotator: top.trimmed_id("annotator").unwrap_or_else(from_file),
        labels,
        proposals,
        seen: top.objects_of("seen").flat_map(|fields| read_seen(&fields)).collect(),
    })
}

fn read_entries(
    file: &SourceBytes<'_>,
    document: &serde_json::Map<String, serde_json::Value>,
    list: &str,
    warnings: &mut Vec<Warning>,
) -> Vec<Label> {
    let entries = fields::objects_in_list(file, document, list, warnings);
    let mut labels = vec![];
    for (number, fields) in entries {
        let (label, problem) = read_label(&fields);
        let what = match (&label, problem) {
            (None, None) => Some(format!("{list}, entry {number}: names no component")),
            (None, Some(what)) => Some(format!("{list}, entry {number}: {what}")),
            (Some(label), what) => what.map(|what| format!("{}: {what}", label.component)),
        };
        warnings.extend(what.map(|what| Warning { place: file.name.into(), what }));
        labels.extend(label);
    }
    labels
}

/// Returns one entry, and what is wrong with it; None where it names no component, or a unit that nobody knows.
pub fn read_label(fields: &RubricFields<'_>) -> (Option<Label>, Option<String>) {
    let Some(component) = fields.trimmed_id("component") else { return (None, None) };
    let unit = match read_unit(fields) {
        Ok(unit) => unit,
        Err(what) => return (None, Some(what)),
    };
    let scale = fields.as_written("scale");
    let on = scale.as_deref().map(ScoreScale::parse).transpose();
    let (score, problem) = match on {
        Err(what) => (None, Some(what)),
        Ok(on) => match fields.score_on("score", on.unwrap_or(unit.default_scale())) {
            Ok(score) => (score, None),
            Err(what) => (None, Some(what)),
        },
    };
    let label = Label {
        component,
        unit,
        criterion: fields.trimmed_id("criterion"),
        commit: fields.trimmed_id("commit"),
        turn: fields.count_from_one("turn"),
        judgement: fields.trimmed_id("judgement"),
        score,
        scale,
        cannot_tell: score.is_none() && fields.flag("cannot_tell") == Some(true),
        confidence: fields.as_written("confidence").and_then(|word| Confidence::by_word(&word)),
        seen: fields.is_list("seen").then(|| fields.strings_of("seen")),
        blind: fields.flag("blind"),
        reason: fields.as_written("reason"),
        note: fields.as_written("note"),
        at: fields.as_written("at"),
    };
    (Some(label), problem)
}

/// Reads the unit of a label. The error is a sentence.
fn read_unit(fields: &RubricFields<'_>) -> Result<LabelUnit, String> {
    let Some(word) = fields.as_written("unit") else { return Ok(LabelUnit::default()) };
    LabelUnit::by_word(&word).ok_or_else(|| {
        let known: Vec<&str> = LabelUnit::ALL.into_iter().map(LabelUnit::word).collect();
        format!("the unit {word:?} is none of {}", known.join(", "))
    })
}

/// Returns one entry of what was seen: a judgement, and the items whose verdict was on screen.
fn read_seen(fields: &RubricFields<'_>) -> BTreeSet<VerdictId> {
    let (Some(judgement), Ok(unit)) = (fields.trimmed_id("judgement"), read_unit(fields)) else {
        return BTreeSet::new();
    };
    let criterion = fields.trimmed_id("criterion");
    let of =
        |item| VerdictId { judgement: judgement.clone(), unit, criterion: criterion.clone(), item };
    fields.strings_of("items").into_iter().map(of).collect()
}
