//! `labels/*.json`: what one human rater said.

use std::collections::BTreeSet;

use crate::Source;
use trajview_run::{
    Warning,
    rubric::{Confidence, Label, Labels, Scale, Unit, VerdictId},
};

use super::fields::{self, Fields};

pub fn read(file: &Source<'_>, warnings: &mut Vec<Warning>) -> Option<Labels> {
    let document = fields::document(file, "trajview.labels/1", warnings)?;
    let labels = entries(file, &document, "labels", warnings);
    let proposals = match document.contains_key("proposals") {
        true => entries(file, &document, "proposals", warnings),
        false => vec![],
    };
    let top = Fields::of(&document);
    let from_file = || file.name.trim_start_matches("labels/").trim_end_matches(".json").to_owned();
    Some(Labels {
        file: file.name.into(),
        annotator: top.id("annotator").unwrap_or_else(from_file),
        labels,
        proposals,
        seen: top.objects("seen").flat_map(|fields| seen(&fields)).collect(),
    })
}

fn entries(
    file: &Source<'_>,
    document: &serde_json::Map<String, serde_json::Value>,
    list: &str,
    warnings: &mut Vec<Warning>,
) -> Vec<Label> {
    let entries = fields::objects(file, document, list, warnings);
    let mut labels = vec![];
    for (number, fields) in entries {
        let (label, problem) = label(&fields);
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

/// One entry, and what is wrong with it; None where it names no component, or a unit that nobody knows.
pub fn label(fields: &Fields<'_>) -> (Option<Label>, Option<String>) {
    let Some(component) = fields.id("component") else { return (None, None) };
    let unit = match unit(fields) {
        Ok(unit) => unit,
        Err(what) => return (None, Some(what)),
    };
    let scale = fields.words("scale");
    let on = scale.as_deref().map(Scale::read).transpose();
    let (score, problem) = match on {
        Err(what) => (None, Some(what)),
        Ok(on) => match fields.score_on("score", on.unwrap_or(unit.scale())) {
            Ok(score) => (score, None),
            Err(what) => (None, Some(what)),
        },
    };
    let label = Label {
        component,
        unit,
        criterion: fields.id("criterion"),
        commit: fields.id("commit"),
        turn: fields.ordinal("turn"),
        judgement: fields.id("judgement"),
        score,
        scale,
        cannot_tell: score.is_none() && fields.flag("cannot_tell") == Some(true),
        confidence: fields.words("confidence").and_then(|word| Confidence::by_word(&word)),
        seen: fields.is_list("seen").then(|| fields.strings("seen")),
        blind: fields.flag("blind"),
        reason: fields.words("reason"),
        note: fields.words("note"),
        at: fields.words("at"),
    };
    (Some(label), problem)
}

/// The error is a sentence.
fn unit(fields: &Fields<'_>) -> Result<Unit, String> {
    let Some(word) = fields.words("unit") else { return Ok(Unit::default()) };
    Unit::by_word(&word).ok_or_else(|| {
        let known: Vec<&str> = Unit::ALL.into_iter().map(Unit::word).collect();
        format!("the unit {word:?} is none of {}", known.join(", "))
    })
}

/// One entry of what was seen: a judgement, and the items whose verdict was on screen.
fn seen(fields: &Fields<'_>) -> BTreeSet<VerdictId> {
    let (Some(judgement), Ok(unit)) = (fields.id("judgement"), unit(fields)) else {
        return BTreeSet::new();
    };
    let criterion = fields.id("criterion");
    let of =
        |item| VerdictId { judgement: judgement.clone(), unit, criterion: criterion.clone(), item };
    fields.strings("items").into_iter().map(of).collect()
}
