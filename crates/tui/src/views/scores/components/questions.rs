//! Asks for the data that the components view lacks: the judgements, the lifelines, the reuse, the files of the
//! evidence.

use crate::{
    session::{Session, effect::Effect, files::DiffKey, request::RequestIds},
    views::scores::components::ComponentsView,
};

/// Files of one verdict's evidence that are shown; a judge points at a few.
pub(crate) const MOST_EVIDENCE_FILES: usize = 8;

/// Asks for the files of the chosen verdict's evidence at the judged turn: their text, then who wrote it and its
/// colours.
pub(in crate::views::scores) fn ask_evidence(
    components: &ComponentsView,
    session: &mut Session,
    numbers: &mut RequestIds,
) -> Vec<Effect> {
    let mut effects = vec![];
    for key in evidence_files(components, session) {
        let is_there = session.files.has_compared(&key);
        effects.extend(session.ask_file(numbers, key));
        if !is_there {
            break;
        }
    }
    effects
}

fn evidence_files(components: &ComponentsView, session: &Session) -> Vec<DiffKey> {
    let evidence = components.chosen_verdict(session).map_or(&[][..], |verdict| &verdict.evidence);
    let mut files: Vec<DiffKey> = vec![];
    for key in evidence.iter().filter_map(|it| session.judged_file(&it.path)) {
        if !files.contains(&key) && files.len() < MOST_EVIDENCE_FILES {
            files.push(key);
        }
    }
    files
}
