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
        let Some(component) = fields.id("component") else {
            warn(format!("labels, entry {number}: names no component"));
            continue;
        };
        let score = fields.score("score").unwrap_or_else(|what| {
            warn(format!("{component}: {what}"));
            None
        });
        labels.push(Label {
            component,
            commit: fields.id("commit"),
            turn: fields.ordinal("turn"),
            judgement: fields.id("judgement"),
            score,
            blind: fields.flag("blind"),
            reason: fields.words("reason"),
            note: fields.words("note"),
            at: fields.words("at"),
        });
    }
    let named = Fields::of(&document).id("annotator");
    let from_file = || file.name.trim_start_matches("labels/").trim_end_matches(".json").to_owned();
    Some(Labels { file: file.name.into(), annotator: named.unwrap_or_else(from_file), labels })
}
