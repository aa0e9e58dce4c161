//! `components.json` and `exposure.json`.

use std::collections::BTreeSet;

use crate::SourceBytes;
use trajview_run::{
    Warning,
    rubric::{
        Blocker, Checklist, Codebook, Component, Exposure, FULL_SCORE, LabelUnit, Recoverability,
        SEVERE,
    },
};

use super::{
    codebook,
    fields::{self, RubricFields},
};

/// Reads the checklist, and the codebook in its file.
pub fn read_components(
    file: &SourceBytes<'_>,
    warnings: &mut Vec<Warning>,
) -> (Option<Checklist>, Option<Codebook>) {
    let Some(document) = fields::read_document(file, "trajview.components/1", warnings) else {
        return (None, None);
    };
    let components = distinct_by_id(
        file,
        fields::objects_in_list(file, &document, "components", warnings),
        warnings,
    );
    let mut problems = vec![];
    let mut read = |(id, fields): (String, RubricFields<'_>)| Component {
        blocker: fields.object("blocker").map(|it| read_blocker(&id, &it, &mut problems)),
        id,
        name: fields.text_or_empty("name"),
        intent: fields.text_or_empty("intent"),
        formula: fields.text_or_empty("formula"),
        inputs: fields.text_or_empty("inputs"),
        outputs: fields.text_or_empty("outputs"),
        connects_to: fields.strings_of("connects_to"),
        committed_at_turn: fields.count_from_one("committed_at_turn"),
    };
    let [task, judge] = ["task", "judge"].map(|it| RubricFields::new(&document).as_written(it));
    let components: Vec<Component> = components.into_iter().map(&mut read).collect();
    let known = |id: &String| components.iter().any(|it| it.id == *id);
    for component in &components {
        let of = component.blocker.iter().flat_map(|it| &it.capped_components);
        problems.extend(of.filter(|id| !known(id)).map(|id| {
            format!("{}: its blocker caps {id}, which the checklist lacks", component.id)
        }));
    }
    warnings.extend(problems.into_iter().map(|what| Warning { place: file.name.into(), what }));
    let checklist = Checklist { task, judge, components };
    let table = document.get("codebook").and_then(|it| it.as_object());
    let (codebook, wrong) = table
        .map_or((None, vec![]), |it| codebook::read_codebook(it, LabelUnit::Component, file.name));
    let codebook_warnings = wrong.into_iter().map(|what| format!("codebook: {what}"));
    warnings.extend(codebook_warnings.map(|what| Warning { place: file.name.into(), what }));
    (Some(checklist), codebook)
}

/// Reads a blocker such as `{"at_most": 1, "caps": 2, "of": ["C04"], "weight": 0.5}`. Without values it applies to scores
/// of 1 or less, caps at that score, and counts the mean wholly.
fn read_blocker(id: &str, fields: &RubricFields<'_>, problems: &mut Vec<String>) -> Blocker {
    let mut number = |name: &str, most: f64, usual: f64| match fields.finite_number(name) {
        Some(value) if (0.0..=most).contains(&value) => value,
        Some(value) => {
            problems.push(format!(
                "{id}: {name} of its blocker is {value}, which is not from 0 to {most}; {usual} counts"
            ));
            usual
        }
        None => usual,
    };
    let full = f64::from(FULL_SCORE);
    let at_most = number("at_most", full, f64::from(SEVERE));
    let (caps, weight) = (number("caps", full, at_most), number("weight", 1.0, 1.0));
    Blocker { at_most, caps, capped_components: fields.strings_of("of"), weight }
}

pub fn read_exposure(file: &SourceBytes<'_>, warnings: &mut Vec<Warning>) -> Option<Exposure> {
    let document = fields::read_document(file, "trajview.exposure/1", warnings)?;
    let entries = distinct_by_id(
        file,
        fields::objects_in_list(file, &document, "components", warnings),
        warnings,
    );
    let mut components = vec![];
    for (id, fields) in entries {
        let mut by_turn = vec![];
        for entry in fields.objects_of("by_turn") {
            match (entry.count_from_one("turn"), entry.score("level")) {
                (Some(turn), Ok(Some(level))) => by_turn.push((turn, level)),
                (_, Err(what)) => warnings
                    .push(Warning { place: file.name.into(), what: format!("{id}: {what}") }),
                _ => warnings.push(Warning {
                    place: file.name.into(),
                    what: format!("{id}: an entry without a turn or without a level"),
                }),
            }
        }
        by_turn.sort_by_key(|&(turn, _)| turn);
        components.push(Recoverability { id, by_turn });
    }
    Some(Exposure { components })
}

/// Returns the entries with their ids; the first of an id counts. Adds a warning for each entry that is left out.
fn distinct_by_id<'a>(
    file: &SourceBytes<'_>,
    entries: Vec<(usize, RubricFields<'a>)>,
    warnings: &mut Vec<Warning>,
) -> Vec<(String, RubricFields<'a>)> {
    let mut seen = BTreeSet::new();
    let mut found = vec![];
    for (number, fields) in entries {
        let problem = match fields.trimmed_id("id") {
            Some(id) if seen.insert(id.clone()) => {
                found.push((id, fields));
                continue;
            }
            Some(id) => {
                format!("components, entry {number}: {id} is there already; the first one counts")
            }
            None => format!("components, entry {number}: has no id"),
        };
        warnings.push(Warning { place: file.name.into(), what: problem });
    }
    found
}
