//! The files beside a recording with its rubric and its judgements: `components.json`,
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
    rubric::{Checklist, Judgement, LabelUnit, Rubric},
};

use super::SourceBytes;

pub use fields::MAX_BYTES;

/// Returns whether [`read_rubric`] reads a file of a bundle, named relative to the bundle with `/` between parts.
pub fn is_rubric_file(name: &str) -> bool {
    RubricFile::from_name(name).is_some()
}

enum RubricFile {
    Components,
    Exposure,
    Gold,
    Judgement,
    Labels,
}

impl RubricFile {
    fn from_name(name: &str) -> Option<Self> {
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

/// Reads the files of a rubric, in whatever order they come. Files of other names are ignored.
pub fn read_rubric(files: &[SourceBytes<'_>]) -> Rubric {
    let mut files: Vec<_> = files.iter().collect();
    files.sort_by_key(|file| file.name);
    let mut rubric = Rubric::default();
    for file in files {
        let Some(part) = RubricFile::from_name(file.name) else { continue };
        let warnings = &mut rubric.warnings;
        match part {
            RubricFile::Components => {
                let (checklist, codebook) = checklist::read_components(file, warnings);
                (rubric.checklist, rubric.codebook) = (checklist, codebook.map(Box::new));
            }
            RubricFile::Exposure => rubric.exposure = checklist::read_exposure(file, warnings),
            RubricFile::Gold => rubric.gold = gold::read_gold(file, warnings),
            RubricFile::Judgement => match judgement::read_judgement(file, warnings) {
                Some(judgement::JudgementContent::Scores(it)) if it.test.is_some() => {
                    rubric.judge_tests.push(it);
                }
                Some(judgement::JudgementContent::Scores(it)) => rubric.judgements.push(it),
                Some(judgement::JudgementContent::Flags(it)) => rubric.flaggings.push(it),
                Some(judgement::JudgementContent::Decisions(it)) => rubric.decisions.push(it),
                Some(judgement::JudgementContent::Process(it)) => rubric.process.push(it),
                None => {}
            },
            RubricFile::Labels => rubric.labels.extend(labels::read_labels(file, warnings)),
        }
    }
    let Rubric { judgements, judge_tests, decisions, process, .. } = &mut rubric;
    for judgements in [judgements, judge_tests, decisions, process] {
        judgements.sort_by(|a, b| a.created_at.cmp(&b.created_at));
    }
    rubric.flaggings.sort_by(|a, b| a.created_at.cmp(&b.created_at));
    let strangers = unknown_ids(&rubric);
    rubric.warnings.extend(strangers);
    rubric
}

/// Returns warnings about ids that the checklist does not have, and about components without a verdict in a judgement that
/// was to cover them.
fn unknown_ids(rubric: &Rubric) -> Vec<Warning> {
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
        unknown("exposure.json", &entry.id, "the exposure of a component");
    }
    for judgement in rubric.judgements.iter().chain(&rubric.judge_tests) {
        for verdict in &judgement.verdicts {
            unknown(&judgement.file, &verdict.component, "has a verdict on");
        }
    }
    for labels in &rubric.labels {
        let of_components = labels.labels.iter().filter(|label| label.unit == LabelUnit::Component);
        let ids: BTreeSet<&str> = of_components.map(|label| label.component.as_str()).collect();
        for id in ids {
            unknown(&labels.file, id, "has a label for");
        }
    }
    warnings.extend(unused_judge_warning(rubric));
    warnings.extend(missing_verdicts(rubric));
    warnings
}

/// Returns a warning where the checklist names a judge and every judgement of all components is another judge's.
fn unused_judge_warning(rubric: &Rubric) -> Option<Warning> {
    let judge = rubric.result_judge()?;
    let is_whole = rubric.judgements.iter().any(|it| rubric.is_covered_by(it));
    let what = format!(
        "names the judge {judge}, who has no judgement of every component: no other judge's scores count unless --judge names them"
    );
    (is_whole && rubric.result_judgement().is_none())
        .then(|| Warning { place: "components.json".into(), what })
}

/// Returns warnings about components without a verdict in a judgement that was to cover them.
pub fn missing_verdicts(rubric: &Rubric) -> Vec<Warning> {
    let Some(checklist) = &rubric.checklist else { return vec![] };
    let silence = |judgement: &Judgement| {
        let silent = list_unjudged(checklist, |id| {
            judgement.verdict_on(id).is_some() || !judgement.asks_about(id)
        });
        let what = format!("has no verdict on {silent}");
        (!silent.is_empty()).then(|| Warning { place: judgement.file.clone(), what })
    };
    rubric.judgements.iter().filter_map(silence).collect()
}

/// Lists components without a verdict: `C03, C04 and 2 more`.
fn list_unjudged(checklist: &Checklist, is_judged: impl Fn(&str) -> bool) -> String {
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
