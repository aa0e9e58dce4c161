//! `components.json` and `exposure.json`.

use std::collections::BTreeSet;

use crate::Source;
use trajview_run::{
    Warning,
    rubric::{
        Blocker, Checklist, Codebook, Component, Exposure, FULL, Recoverability, SEVERE, Unit,
    },
};

use super::{
    codebook,
    fields::{self, Fields},
};

/// The checklist, and what the file says of the levels.
pub fn components(
    file: &Source<'_>,
    warnings: &mut Vec<Warning>,
) -> (Option<Checklist>, Option<Codebook>) {
    let Some(document) = fields::document(file, "trajview.components/1", warnings) else {
        return (None, None);
    };
    let components =
        distinct(file, fields::objects(file, &document, "components", warnings), warnings);
    let mut problems = vec![];
    let mut read = |(id, fields): (String, Fields<'_>)| Component {
        blocker: fields.object("blocker").map(|it| blocker(&id, &it, &mut problems)),
        id,
        name: fields.text("name"),
        intent: fields.text("intent"),
        formula: fields.text("formula"),
        inputs: fields.text("inputs"),
        outputs: fields.text("outputs"),
        connects_to: fields.strings("connects_to"),
        committed_at_turn: fields.ordinal("committed_at_turn"),
    };
    let [task, judge] = ["task", "judge"].map(|it| Fields::of(&document).words(it));
    let components: Vec<Component> = components.into_iter().map(&mut read).collect();
    let known = |id: &String| components.iter().any(|it| it.id == *id);
    for component in &components {
        let of = component.blocker.iter().flat_map(|it| &it.of);
        problems.extend(of.filter(|id| !known(id)).map(|id| {
            format!("{}: its blocker caps {id}, which the checklist lacks", component.id)
        }));
    }
    warnings.extend(problems.into_iter().map(|what| Warning { place: file.name.into(), what }));
    let checklist = Checklist { task, judge, components };
    let table = document.get("codebook").and_then(|it| it.as_object());
    let (codebook, wrong) =
        table.map_or((None, vec![]), |it| codebook::read(it, Unit::Component, file.name));
    let told = wrong.into_iter().map(|what| format!("codebook: {what}"));
    warnings.extend(told.map(|what| Warning { place: file.name.into(), what }));
    (Some(checklist), codebook)
}

/// `{"at_most": 1, "caps": 2, "of": ["C04"], "weight": 0.5}`: fails with 1 or less unless it says otherwise, caps at that
/// score, the mean, whole.
fn blocker(id: &str, fields: &Fields<'_>, problems: &mut Vec<String>) -> Blocker {
    let mut number = |name: &str, most: f64, usual: f64| match fields.number(name) {
        Some(value) if (0.0..=most).contains(&value) => value,
        Some(value) => {
            problems.push(format!(
                "{id}: {name} of its blocker is {value}, which is not from 0 to {most}; {usual} counts"
            ));
            usual
        }
        None => usual,
    };
    let full = f64::from(FULL);
    let at_most = number("at_most", full, f64::from(SEVERE));
    let (caps, weight) = (number("caps", full, at_most), number("weight", 1.0, 1.0));
    Blocker { at_most, caps, of: fields.strings("of"), weight }
}

pub fn exposure(file: &Source<'_>, warnings: &mut Vec<Warning>) -> Option<Exposure> {
    let document = fields::document(file, "trajview.exposure/1", warnings)?;
    let entries =
        distinct(file, fields::objects(file, &document, "components", warnings), warnings);
    let mut components = vec![];
    for (id, fields) in entries {
        let mut by_turn = vec![];
        for entry in fields.objects("by_turn") {
            match (entry.ordinal("turn"), entry.score("level")) {
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

/// Entries by id; the first of an id counts, and what is left out is named.
fn distinct<'a>(
    file: &Source<'_>,
    entries: Vec<(usize, Fields<'a>)>,
    warnings: &mut Vec<Warning>,
) -> Vec<(String, Fields<'a>)> {
    let mut seen = BTreeSet::new();
    let mut found = vec![];
    for (number, fields) in entries {
        let problem = match fields.id("id") {
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
