//! What the audit is missing: the rater's labels, a label that is to be saved, places that look like the component, the
//! file on screen, the interval of an agreement.

use std::sync::Arc;

use crate::{
    session::{
        Session,
        ask::Answers,
        effect::Effect,
        question::{Answer, Question},
        request::{Numbers, Request},
        views::View,
    },
    views::audit::Audit,
};
use trajview_metrics::absence::Place;
use trajview_run::rubric::Unit;

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

impl Audit {
    pub(super) fn ask_to_save(
        &mut self,
        session: &mut Session,
        numbers: &mut Numbers,
    ) -> Option<Effect> {
        if session.view == View::Audit {
            session.note_seen();
        }
        session.labels.ask_to_save(numbers)
    }

    /// Signals and the words of decisions, where those are audited.
    pub(super) fn ask_for_process(
        &mut self,
        session: &mut Session,
        numbers: &mut Numbers,
    ) -> Option<Effect> {
        let run = session.run.clone();
        match session.audited.unit() {
            Unit::Signal => session.scores.worked.ask(numbers, &run),
            Unit::Decision => session.scores.worked.ask_decisions(numbers, &run),
            Unit::Component | Unit::Leaf | Unit::Flag | Unit::Process => None,
        }
    }

    pub(super) fn ask_for_labels(
        &mut self,
        session: &mut Session,
        numbers: &mut Numbers,
    ) -> Option<Effect> {
        session.labels.ask_for_labels(numbers)
    }

    pub(super) fn ask_for_places(
        &mut self,
        session: &mut Session,
        numbers: &mut Numbers,
    ) -> Option<Effect> {
        session.timeline.ready()?;
        let item = self.audited_item(session).filter(|it| it.unit == Unit::Component)?;
        let done = session.turn_of_item(item)? + 1;
        let component = self.audited_component(session)?.clone();
        let is_shown = self.revealed(session).is_some();
        let judgement = session.audited().filter(|_| is_shown);
        let verdict = judgement.and_then(|it| it.of(&item.id)).cloned();
        let about = self.places_about(session)?;
        let run = session.run.clone();
        let question = || Question::Places { run, done, component, verdict };
        self.places.0.ask(numbers, about, question)
    }

    fn places_about(&self, session: &Session) -> Option<About> {
        let item = self.audited_item(session).filter(|it| it.unit == Unit::Component)?;
        Some((item.judgement.clone(), item.id.clone(), self.revealed(session).is_some()))
    }

    /// Places that look like the component; None while they are not known.
    pub fn places_alike(&self, session: &Session) -> Option<&Result<Arc<Vec<Place>>, String>> {
        self.places.0.get(&self.places_about(session)?)
    }

    /// The file that the code shows: its text, then who wrote it and its colours.
    pub(super) fn ask_for_code(
        &mut self,
        session: &mut Session,
        numbers: &mut Numbers,
    ) -> Vec<Effect> {
        let key = self.audit_file(session);
        key.map(|key| session.ask_file(numbers, key)).unwrap_or_default()
    }

    pub(super) fn ask_for_agreement(
        &mut self,
        session: &mut Session,
        numbers: &mut Numbers,
    ) -> Option<Effect> {
        if session.audited.unit().is_raised() {
            return None;
        }
        let [blind, _] = super::agreement::audit_pairs(self, session);
        self.agreement.ask(numbers, blind)
    }

    pub fn take(&mut self, session: &mut Session, request: Request, answer: Answer) {
        match answer {
            Answer::SaveLabel(saved) => {
                if let Some(stands) = session.take_saved(request, saved) {
                    self.tell_what_stands(session, &stands);
                }
            }
            Answer::SaveGold(saved) => {
                if let Some(study) = session.study_mut() {
                    study.gold.take_saved(request, saved);
                }
            }
            Answer::StudyLabels(labels) => session.take_study_labels(request, labels),
            Answer::Places(places) => {
                let most = |places: Arc<Vec<Place>>| match places.len() > MOST_SPOTS {
                    true => Arc::new(places[..MOST_SPOTS].to_vec()),
                    false => places,
                };
                self.places.0.take(request, places.map(most));
            }
            Answer::Agreement(kappa) => self.agreement.take(request, kappa.ok()),
            _ => {} // asked elsewhere
        }
    }
}
