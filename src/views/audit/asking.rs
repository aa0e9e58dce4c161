//! What the audit is missing: the rater's labels, a label that is to be saved, places that look like the component, the
//! file on screen, the interval of an agreement.

use std::sync::Arc;

use crate::{
    metrics::absence::Place,
    session::{
        ask::{Answers, Numbers, Request},
        effect::Effect,
        question::{Answer, Question},
        views::View,
    },
    shell::replay::Replay,
};

use super::code::MOST_SPOTS;

/// Of a judgement and a component, before and after its verdict is shown.
type About = (String, String, bool);

/// Places as far as they are known.
#[derive(Debug)]
pub struct Places(Answers<About, Arc<Vec<Place>>>);

/// More components than one audit has.
const KEPT: usize = 1024;

impl Default for Places {
    fn default() -> Self {
        Self(Answers::of(KEPT))
    }
}

impl Replay {
    pub(crate) fn ask_audit(&mut self, numbers: &mut Numbers) -> Vec<Effect> {
        let mut effects = vec![];
        // Whatever is looked at, what was said is brought to the disk.
        effects.extend(self.ask_to_save(numbers));
        if self.session.view != View::Audit || !self.session.is_whole {
            return effects;
        }
        effects.extend(self.ask_for_labels(numbers));
        effects.extend(self.ask_for_places(numbers));
        effects.extend(self.ask_for_code(numbers));
        effects.extend(self.ask_for_agreement(numbers));
        effects
    }

    fn ask_to_save(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        self.session.labels.ask_to_save(numbers)
    }

    fn ask_for_labels(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        self.session.labels.ask_for_labels(numbers)
    }

    fn ask_for_places(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        self.session.timeline.ready()?;
        let done = self.session.audited_turn()? + 1;
        let component = self.audited_component()?.clone();
        let verdict = self.revealed().cloned();
        let about = self.places_about()?;
        let run = self.session.run.clone();
        let question = || Question::Places { run, done, component, verdict };
        self.audit.places.0.ask(numbers, about, question)
    }

    fn places_about(&self) -> Option<About> {
        let (judgement, id) = (self.session.audited()?, self.audited_id()?);
        Some((judgement.file.clone(), id.to_owned(), self.revealed().is_some()))
    }

    /// Places that look like the component; None while they are not known.
    pub fn places_alike(&self) -> Option<&Result<Arc<Vec<Place>>, String>> {
        self.audit.places.0.get(&self.places_about()?)
    }

    /// The file that the code shows: its text, then who wrote it and its colours.
    fn ask_for_code(&mut self, numbers: &mut Numbers) -> Vec<Effect> {
        let key = self.audit_file();
        key.map(|key| self.session.ask_file(numbers, key)).unwrap_or_default()
    }

    fn ask_for_agreement(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        let [blind, _] = self.audit_pairs();
        self.audit.agreement.ask(numbers, blind)
    }

    pub(crate) fn take_for_audit(&mut self, request: Request, answer: Answer) {
        match answer {
            Answer::SaveLabel(saved) => {
                if let Some(stands) = self.session.labels.take_saved(request, saved) {
                    self.tell_what_stands(&stands);
                }
            }
            Answer::Places(places) => {
                let most = |places: Arc<Vec<Place>>| match places.len() > MOST_SPOTS {
                    true => Arc::new(places[..MOST_SPOTS].to_vec()),
                    false => places,
                };
                self.audit.places.0.take(request, places.map(most));
            }
            Answer::Agreement(kappa) => self.audit.agreement.take(request, kappa.ok()),
            _ => {} // asked elsewhere
        }
    }
}
