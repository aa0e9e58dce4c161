//! `labels/*.json`: what one human rater said.

use crate::{
    formats::Source,
    run::{
        Warning,
        rubric::{Label, Labels},
    },
};

use super::fields::{self, Fields};

pub fn read(file: &Source<'_>, warnings: &mut Vec<Warning>) -> Option<Labels> {
    let document = fields::document(file, "trajview.labels/1", warnings)?;
    let entries = fields::objects(file, &document, "labels", warnings);
    let mut warn = |what: String| warnings.push(Warning { place: file.name.into(), what });
    let mut labels = vec![];
    for (number, fields) in entries {
        let (label, problem) = label(&fields);
        match (&label, problem) {
            (None, _) => warn(format!("labels, entry {number}: names no component")),
            (Some(label), Some(what)) => warn(format!("{}: {what}", label.component)),
            (Some(_), None) => {}
        }
        labels.extend(label);
    }
    let named = Fields::of(&document).id("annotator");
    let from_file = || file.name.trim_start_matches("labels/").trim_end_matches(".json").to_owned();
    Some(Labels { file: file.name.into(), annotator: named.unwrap_or_else(from_file), labels })
}

/// One entry, and what is wrong with its score; None where it names no component.
pub fn label(fields: &Fields<'_>) -> (Option<Label>, Option<String>) {
    let Some(component) = fields.id("component") else { return (None, None) };
    let (score, problem) = match fields.score("score") {
        Ok(score) => (score, None),
        Err(what) => (None, Some(what)),
    };
    let label = Label {
        component,
        commit: fields.id("commit"),
        turn: fields.ordinal("turn"),
        judgement: fields.id("judgement"),
        score,
        blind: fields.flag("blind"),
        reason: fields.words("reason"),
        note: fields.words("note"),
        at: fields.words("at"),
    };
    (Some(label), problem)
}
