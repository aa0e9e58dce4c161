//! Asks for the missing data of the audit: the rater's labels, a label to save, places similar to the component, the
//! shown file, the interval of an agreement.

use std::sync::Arc;

use crate::{
    session::{
        Session,
        effect::Effect,
        pending::CachedAnswers,
        question::{Answer, Question},
        request::{RequestId, RequestIds},
        views::View,
    },
    views::audit::AuditView,
};
use trajview_metrics::absence::CandidatePlace;
use trajview_run::rubric::LabelUnit;

use super::judged_code::MAX_SPOTS;

/// Judgement, component, and whether the verdict is shown.
type PlacesKey = (String, String, bool);

/// Places as far as they are known.
#[derive(Debug)]
pub struct SimilarPlaces(CachedAnswers<PlacesKey, Arc<Vec<CandidatePlace>>>);

/// More components than one audit has.
const MAX_KEPT_ANSWERS: usize = 1024;

impl Default for SimilarPlaces {
    fn default() -> Self {
        Self(CachedAnswers::with_limit(MAX_KEPT_ANSWERS))
    }
}

impl AuditView {
    pub(super) fn ask_to_save(
        &mut self,
        session: &mut Session,
        numbers: &mut RequestIds,
    ) -> Option<Effect> {
        if session.view == View::Audit {
            session.note_seen();
        }
        session.labels.ask_to_save(numbers)
    }

    /// Asks for signals and the text of decisions, where those are audited.
    pub(super) fn ask_for_process(
        &mut self,
        session: &mut Session,
        numbers: &mut RequestIds,
    ) -> Option<Effect> {
        let run = session.run.clone();
        match session.audit.unit() {
            LabelUnit::Signal => session.scores.process.ask_process(numbers, &run),
            LabelUnit::Decision => session.scores.process.ask_decisions(numbers, &run),
            LabelUnit::Component | LabelUnit::Leaf | LabelUnit::Flag | LabelUnit::Process => None,
        }
    }

    pub(super) fn ask_for_labels(
        &mut self,
        session: &mut Session,
        numbers: &mut RequestIds,
    ) -> Option<Effect> {
        session.labels.ask_for_labels(numbers)
    }

    pub(super) fn ask_for_places(
        &mut self,
        session: &mut Session,
        numbers: &mut RequestIds,
    ) -> Option<Effect> {
        session.timeline.ready()?;
        let item = self.audited_item(session).filter(|it| it.unit == LabelUnit::Component)?;
        let done = session.turn_of_item(item)? + 1;
        let component = self.audited_component(session)?.clone();
        let is_shown = self.revealed_verdict(session).is_some();
        let judgement = session.audited_judgement().filter(|_| is_shown);
        let verdict = judgement.and_then(|it| it.verdict_on(&item.id)).cloned();
        let about = self.places_key(session)?;
        let run = session.run.clone();
        let question = || Question::Places { run, done, component, verdict };
        self.places.0.ask_once(numbers, about, question)
    }

    fn places_key(&self, session: &Session) -> Option<PlacesKey> {
        let item = self.audited_item(session).filter(|it| it.unit == LabelUnit::Component)?;
        Some((item.judgement.clone(), item.id.clone(), self.revealed_verdict(session).is_some()))
    }

    /// Returns the places that look like the component; None while they are not known.
    pub(crate) fn similar_places(
        &self,
        session: &Session,
    ) -> Option<&Result<Arc<Vec<CandidatePlace>>, String>> {
        self.places.0.get(&self.places_key(session)?)
    }

    /// Asks for the shown file: its text, then its writers and its colours.
    pub(super) fn ask_for_code(
        &mut self,
        session: &mut Session,
        numbers: &mut RequestIds,
    ) -> Vec<Effect> {
        let key = self.audit_file(session);
        key.map(|key| session.ask_file(numbers, key)).unwrap_or_default()
    }

    pub(super) fn ask_for_agreement(
        &mut self,
        session: &mut Session,
        numbers: &mut RequestIds,
    ) -> Option<Effect> {
        if session.audit.unit().is_raised() {
            return None;
        }
        let [blind, _] = super::agreement::audit_pairs(self, session);
        self.agreement.ask_kappa(numbers, blind)
    }

    pub(crate) fn take_answer(
        &mut self,
        session: &mut Session,
        request: RequestId,
        answer: Answer,
    ) {
        match answer {
            Answer::SaveLabel(saved) => {
                if let Some(stands) = session.take_saved(request, saved) {
                    self.report_existing_label(session, &stands);
                }
            }
            Answer::SaveGold(saved) => {
                if let Some(study) = session.study_mut() {
                    study.gold.take_saved(request, saved);
                }
            }
            Answer::StudyLabels(labels) => session.take_study_labels(request, labels),
            Answer::Places(places) => {
                let most = |places: Arc<Vec<CandidatePlace>>| match places.len() > MAX_SPOTS {
                    true => Arc::new(places[..MAX_SPOTS].to_vec()),
                    false => places,
                };
                self.places.0.take_answer(request, places.map(most));
            }
            Answer::Agreement(kappa) => self.agreement.take_kappa(request, kappa.ok()),
            _ => {} // asked elsewhere
        }
    }
}
