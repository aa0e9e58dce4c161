//! The files beside a recording that say what it is judged by and what was said of it: `components.json`,
//! `exposure.json`, `judgements/*.json`, `labels/*.json` and `gold.json` of a run bundle.
//!
//! Read leniently: an entry that cannot be used is a warning with its file, and the rest counts.

mod checklist;
pub mod codebook;
mod fields;
mod flags;
pub mod gold;
mod judgement;
mod labels;
pub mod labels_file;
pub mod labels_table;
pub mod strict;

use std::collections::BTreeSet;

use trajview_run::{
    Warning,
    rubric::{Checklist, Judgement, Rubric, Unit},
};

use super::Source;

pub use fields::MOST_BYTES;

/// Whether a file of a bundle, named relative to it with `/` between parts, is read by [`read`].
pub fn is_part(name: &str) -> bool {
    Part::of(name).is_some()
}

enum Part {
    Components,
    Exposure,
    Gold,
    Judgement,
    Labels,
}

impl Part {
    fn of(name: &str) -> Option<Self> {
        match name.split_once('/') {
            None if name == "components.json" => Some(Self::Components),
            None if name == "exposure.json" => Some(Self::Exposure),
            None if name == "gold.json" => Some(Self::Gold),
            Some(("judgements", file)) if file.ends_with(".json") => Some(Self::Judgement),
            Some(("labels", file)) if file.ends_with(".json") => Some(Self::Labels),
            _ => None,
        }
    }
}

/// Reads the files that are there, in whatever order. Files of other names are left alone.
pub fn read(files: &[Source<'_>]) -> Rubric {
    let mut files: Vec<_> = files.iter().collect();
    files.sort_by_key(|file| file.name);
    let mut rubric = Rubric::default();
    for file in files {
        let Some(part) = Part::of(file.name) else { continue };
        let warnings = &mut rubric.warnings;
        match part {
            Part::Components => {
                let (checklist, codebook) = checklist::components(file, warnings);
                (rubric.checklist, rubric.codebook) = (checklist, codebook.map(Box::new));
            }
            Part::Exposure => rubric.exposure = checklist::exposure(file, warnings),
            Part::Gold => rubric.gold = gold::read(file, warnings),
            Part::Judgement => match judgement::read(file, warnings) {
                Some(judgement::Read::Scores(it)) => rubric.judgements.push(it),
                Some(judgement::Read::Flags(it)) => rubric.flaggings.push(it),
                Some(judgement::Read::Decisions(it)) => rubric.decisions.push(it),
                Some(judgement::Read::Process(it)) => rubric.process.push(it),
                None => {}
            },
            Part::Labels => rubric.labels.extend(labels::read(file, warnings)),
        }
    }
    for judgements in [&mut rubric.judgements, &mut rubric.decisions, &mut rubric.process] {
        judgements.sort_by(|a, b| a.created_at.cmp(&b.created_at));
    }
    rubric.flaggings.sort_by(|a, b| a.created_at.cmp(&b.created_at));
    let strangers = strangers(&rubric);
    rubric.warnings.extend(strangers);
    rubric
}

/// Ids that the checklist does not have, and components that a judgement was asked about and says nothing of.
fn strangers(rubric: &Rubric) -> Vec<Warning> {
    let Some(checklist) = &rubric.checklist else { return vec![] };
    let known: BTreeSet<&str> = checklist.components.iter().map(|it| it.id.as_str()).collect();
    let mut warnings = vec![];
    let mut unknown = |place: &str, id: &str, what: &str| {
        if !known.contains(id) {
            let what = format!("{what} {id}, which components.json does not have");
            warnings.push(Warning { place: place.into(), what });
        }
    };
    for component in &checklist.components {
        for id in &component.connects_to {
            unknown("components.json", id, &format!("{} connects to", component.id));
        }
    }
    for entry in rubric.exposure.iter().flat_map(|exposure| &exposure.components) {
        unknown("exposure.json", &entry.id, "says how far one can recover");
    }
    for judgement in &rubric.judgements {
        for verdict in &judgement.verdicts {
            unknown(&judgement.file, &verdict.component, "has a verdict on");
        }
    }
    for labels in &rubric.labels {
        let of_components = labels.labels.iter().filter(|label| label.unit == Unit::Component);
        let ids: BTreeSet<&str> = of_components.map(|label| label.component.as_str()).collect();
        for id in ids {
            unknown(&labels.file, id, "has a label for");
        }
    }
    warnings.extend(unheeded_judge(rubric));
    warnings.extend(silences(rubric));
    warnings
}

/// The checklist names a judge, and every judgement of all components is another's.
fn unheeded_judge(rubric: &Rubric) -> Option<Warning> {
    let judge = rubric.judge()?;
    let is_whole = rubric.judgements.iter().any(|it| rubric.covers(it));
    let what = format!(
        "names the judge {judge}, who has no judgement of every component: no other judge's scores count unless --judge names them"
    );
    (is_whole && rubric.chosen().is_none())
        .then(|| Warning { place: "components.json".into(), what })
}

/// Components that a judgement was asked about and says nothing of.
pub fn silences(rubric: &Rubric) -> Vec<Warning> {
    let Some(checklist) = &rubric.checklist else { return vec![] };
    let silence = |judgement: &Judgement| {
        let silent =
            unjudged(checklist, |id| judgement.of(id).is_some() || !judgement.asks_about(id));
        let what = format!("has no verdict on {silent}");
        (!silent.is_empty()).then(|| Warning { place: judgement.file.clone(), what })
    };
    rubric.judgements.iter().filter_map(silence).collect()
}

/// `C03, C04 and 2 more`
fn unjudged(checklist: &Checklist, is_judged: impl Fn(&str) -> bool) -> String {
    let ids: Vec<&str> =
        checklist.components.iter().map(|it| it.id.as_str()).filter(|id| !is_judged(id)).collect();
    match ids.as_slice() {
        [shown @ .., _] if ids.len() > 8 => {
            format!("{} and {} more", shown[..7].join(", "), ids.len() - 7)
        }
        all => all.join(", "),
    }
}

#[cfg(test)]
mod tests;
