//! What the components are missing: what the run is judged by, the lifelines, the reuse, the files of the evidence.

use crate::{
    session::{Session, effect::Effect, files::DiffKey, request::Numbers, views::View},
    views::scores::{Scores, Shows, components::Components},
};

/// Files of one verdict's evidence that are shown; a judge points at a few.
pub const MOST_FILES: usize = 8;

impl Scores {
    pub(crate) fn ask(&mut self, session: &mut Session, numbers: &mut Numbers) -> Vec<Effect> {
        let is_seen = session.view == View::Scores;
        let is_back = is_seen && !self.components.was_seen;
        self.components.was_seen = is_seen;
        let mut effects = vec![];
        effects.extend(session.ask_rubric(numbers, is_back));
        let is_shown = self.shown(session) == Some(Shows::Components);
        if is_seen && is_shown {
            effects.extend(session.ask_lifelines(numbers));
            effects.extend(ask_evidence(&self.components, session, numbers));
            effects.extend(session.ask_reuse(numbers));
        }
        effects
    }
}

/// The files of the chosen verdict's evidence at the judged turn: their text, then who wrote it and its colours.
fn ask_evidence(
    components: &Components,
    session: &mut Session,
    numbers: &mut Numbers,
) -> Vec<Effect> {
    let mut effects = vec![];
    for key in evidence_files(components, session) {
        let is_there = session.files.has(&key);
        effects.extend(session.ask_file(numbers, key));
        if !is_there {
            break;
        }
    }
    effects
}

fn evidence_files(components: &Components, session: &Session) -> Vec<DiffKey> {
    let evidence = components.verdict(session).map_or(&[][..], |verdict| &verdict.evidence);
    let mut files: Vec<DiffKey> = vec![];
    for key in evidence.iter().filter_map(|it| session.judged_file(&it.path)) {
        if !files.contains(&key) && files.len() < MOST_FILES {
            files.push(key);
        }
    }
    files
}
