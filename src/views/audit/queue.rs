//! What is to be labelled, in the order that the seed gives, and how each thing stands.

use crate::{
    run::rubric::LabelOn,
    session::{Session, views::View},
    study::queue::Plan,
    views::audit::{Audit, areas::Areas},
    widgets::{layout::Layout, scroll::Motion},
};

use super::{Part, over_runs, reason::is_explained};

/// How a thing to be labelled stands. Says nothing of a verdict whose label is not in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Standing {
    Unlabelled,
    /// The verdict was seen, and the label taken back.
    TakenBack,
    Agrees(f64),
    /// The rater cannot tell, or the judge could not.
    Open,
    Differs {
        score: f64,
        is_explained: bool,
    },
    /// What raters differ on is settled so; None where it cannot be told.
    Settled(Option<f64>),
}

/// A row of the queue.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub id: String,
    /// Empty where no checklist names it.
    pub name: String,
    pub standing: Standing,
    /// Not on disk so far.
    pub is_unsaved: bool,
}

impl Standing {
    pub const fn is_labelled(self) -> bool {
        matches!(self, Self::Agrees(_) | Self::Open | Self::Differs { .. } | Self::Settled(_))
    }
}

/// How a label stands to the verdict that it checks.
pub fn standing_of(label: Option<LabelOn<'_>>, verdict: Option<u8>) -> Standing {
    let Some(label) = label else { return Standing::Unlabelled };
    if !label.is_answered() {
        return Standing::TakenBack;
    }
    match (label.score(), verdict.map(f64::from)) {
        (Some(score), Some(verdict)) if score == verdict => Standing::Agrees(score),
        (Some(score), Some(_)) => Standing::Differs { score, is_explained: is_explained(label) },
        (None, _) | (_, None) => Standing::Open,
    }
}

impl Audit {
    /// The seed that the queue is drawn with.
    pub fn audit_seed(&self) -> u64 {
        self.seed.unwrap_or(Plan::default().seed)
    }

    pub fn audit_entries(&self, session: &Session) -> Vec<Entry> {
        session.queued().iter().map(|id| self.entry(session, id)).collect()
    }

    fn entry(&self, session: &Session, id: &str) -> Entry {
        let checklist = session.rubric.known().and_then(|it| it.checklist.as_ref());
        let component = checklist.and_then(|it| it.components.iter().find(|it| it.id == id));
        Entry {
            id: id.to_owned(),
            name: component.map(|it| it.name.clone()).unwrap_or_default(),
            standing: self.standing(session, id),
            is_unsaved: session.audited().is_some_and(|it| session.labels.is_unsaved(it, id)),
        }
    }

    pub fn standing(&self, session: &Session, id: &str) -> Standing {
        let Some(judgement) = session.audited() else { return Standing::Unlabelled };
        let verdict = judgement.of(id).and_then(|verdict| verdict.score);
        standing_of(session.labels.of(judgement, id), verdict)
    }

    /// How many of the queue have a label.
    pub fn labelled_count(&self, session: &Session) -> usize {
        if session.study().is_some() {
            return over_runs::done_count(session);
        }
        session.queued().iter().filter(|id| self.standing(session, id).is_labelled()).count()
    }

    /// Once the labels are known, to the first thing without one; a component that was asked for comes first.
    pub(super) fn start(&mut self, session: &mut Session) {
        if session.study().is_some() {
            return; // it says itself where it begins
        }
        let is_known = session.labels.annotator().is_none() || session.labels.is_settled();
        if self.has_started || !is_known || session.queued().is_empty() {
            return;
        }
        self.has_started = true;
        if let Some(wanted) = self.chosen.clone() {
            if session.queued().contains(&wanted) {
                return;
            }
            session.notice =
                Some(format!("{wanted} is not in the queue: this judgement gives it no score"));
        }
        self.chosen = self.first_unlabelled(session).or_else(|| session.queued().first().cloned());
    }

    fn first_unlabelled(&self, session: &Session) -> Option<String> {
        session.queued().iter().find(|id| !self.standing(session, id).is_labelled()).cloned()
    }

    pub(super) fn settle_queue(&mut self, session: &mut Session, areas: &Areas) {
        if session.study().is_some() {
            return over_runs::settle(self, session, areas);
        }
        if !self.has_started {
            return; // which one comes first is not known before the labels are
        }
        let chosen = self.chosen.as_ref();
        let at = chosen.and_then(|id| session.queued().iter().position(|other| other == id));
        let at = at.unwrap_or_default();
        self.chosen = session.queued().get(at).cloned();
        let len = session.queued().len();
        self.rows.cursor = at;
        self.rows.follow(len, areas.height(Part::Queue));
    }

    pub(super) fn move_in_queue(&mut self, session: &mut Session, motion: Motion, layout: &Layout) {
        let height = self.areas(layout).height(Part::Queue);
        if session.study().is_some() {
            return over_runs::move_by(self, session, motion, height);
        }
        let at = motion.from(self.rows.cursor, session.queued().len(), height);
        self.go_to_queued(session, at);
    }

    /// Index into the queue.
    pub(super) fn go_to_queued(&mut self, session: &mut Session, at: usize) {
        if session.study().is_some() {
            return over_runs::go_to(self, session, at);
        }
        let id = session.queued().get(at).cloned();
        if id != self.chosen {
            self.prompt = None;
        }
        self.chosen = id;
    }

    /// The next ones without a label, round the end.
    pub(super) fn go_to_unlabelled(&mut self, session: &mut Session, count: usize) {
        if session.study().is_some() {
            return over_runs::go_to_open(self, session, count);
        }
        let (len, from) = (session.queued().len(), self.rows.cursor);
        let after = (1..=len).map(|step| (from + step) % len.max(1));
        let open: Vec<usize> = after
            .filter(|at| !self.standing(session, &session.queued()[*at]).is_labelled())
            .collect();
        match open.get(count.saturating_sub(1)).or(open.last()) {
            Some(at) if *at != from => self.go_to_queued(session, *at),
            Some(_) => session.notice = Some("this is the only one without a label".into()),
            None if len == 0 => {}
            None => session.notice = Some(format!("all {len} are labelled")),
        }
    }

    /// What the audit itself shows; the scores and the replay note what they show.
    pub(super) fn note_what_is_seen(&mut self, session: &mut Session) {
        if session.view != View::Audit {
            return;
        }
        session.audited.begin();
        if session.adjudicates() {
            return; // whoever settles labels of others is not blind to anything
        }
        if self.revealed(session).is_some()
            && let (Some(judgement), Some(id)) = (session.audited(), self.audited_id())
        {
            let pair = (judgement.file.clone(), id.to_owned());
            session.audited.see([pair]);
        }
    }

    /// Whether the next label of the component that is looked at would not be blind, and why.
    pub fn why_not_blind(&self, session: &Session) -> Option<&'static str> {
        let (judgement, id) = (session.audited()?, self.audited_id()?);
        let taken_back = session.labels.of(judgement, id).is_some_and(|it| !it.is_answered());
        match (taken_back, session.audited.was_seen(judgement, id)) {
            (true, _) => Some("a label was taken back after the verdict was seen"),
            (false, true) => Some("the verdict was on screen before"),
            (false, false) => None,
        }
    }
}
