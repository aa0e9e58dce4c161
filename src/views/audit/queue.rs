//! What is to be labelled, in the order that the seed gives, and how each thing stands.

use crate::{
    shell::replay::Replay,
    study::queue::Plan,
    views::audit::areas::Areas,
    widgets::{layout::Layout, scroll::Motion},
};

use super::{Part, reason::is_explained};

/// How a thing to be labelled stands. Says nothing of a verdict whose label is not in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Unlabelled,
    /// The verdict was seen, and the label taken back.
    TakenBack,
    Agrees(u8),
    Differs {
        score: u8,
        is_explained: bool,
    },
}

/// A row of the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
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
        matches!(self, Self::Agrees(_) | Self::Differs { .. })
    }
}

impl Replay {
    /// The seed that the queue is drawn with.
    pub fn audit_seed(&self) -> u64 {
        self.audit.seed.unwrap_or(Plan::default().seed)
    }

    pub fn audit_entries(&self) -> Vec<Entry> {
        self.session.queued().iter().map(|id| self.entry(id)).collect()
    }

    fn entry(&self, id: &str) -> Entry {
        let checklist = self.session.rubric.known().and_then(|it| it.checklist.as_ref());
        let component = checklist.and_then(|it| it.components.iter().find(|it| it.id == id));
        Entry {
            id: id.to_owned(),
            name: component.map(|it| it.name.clone()).unwrap_or_default(),
            standing: self.standing(id),
            is_unsaved: self
                .session
                .audited()
                .is_some_and(|it| self.session.labels.is_unsaved(it, id)),
        }
    }

    pub fn standing(&self, id: &str) -> Standing {
        let Some(judgement) = self.session.audited() else { return Standing::Unlabelled };
        let Some(label) = self.session.labels.of(judgement, id) else {
            return Standing::Unlabelled;
        };
        let Some(score) = label.score else { return Standing::TakenBack };
        let verdict = judgement.of(id).and_then(|verdict| verdict.score);
        match verdict == Some(score) {
            true => Standing::Agrees(score),
            false => Standing::Differs { score, is_explained: is_explained(label) },
        }
    }

    /// How many of the queue have a label.
    pub fn labelled_count(&self) -> usize {
        self.session.queued().iter().filter(|id| self.standing(id).is_labelled()).count()
    }

    /// Once the labels are known, to the first thing without one; a component that was asked for comes first.
    pub(super) fn start(&mut self) {
        let is_known =
            self.session.labels.annotator().is_none() || self.session.labels.is_settled();
        if self.audit.has_started || !is_known || self.session.queued().is_empty() {
            return;
        }
        self.audit.has_started = true;
        if let Some(wanted) = self.audit.chosen.clone() {
            if self.session.queued().contains(&wanted) {
                return;
            }
            self.session.notice =
                Some(format!("{wanted} is not in the queue: this judgement gives it no score"));
        }
        self.audit.chosen =
            self.first_unlabelled().or_else(|| self.session.queued().first().cloned());
    }

    fn first_unlabelled(&self) -> Option<String> {
        self.session.queued().iter().find(|id| !self.standing(id).is_labelled()).cloned()
    }

    pub(super) fn settle_queue(&mut self, areas: &Areas) {
        if !self.audit.has_started {
            return; // which one comes first is not known before the labels are
        }
        let chosen = self.audit.chosen.as_ref();
        let at = chosen.and_then(|id| self.session.queued().iter().position(|other| other == id));
        let at = at.unwrap_or_default();
        self.audit.chosen = self.session.queued().get(at).cloned();
        let len = self.session.queued().len();
        self.audit.rows.cursor = at;
        self.audit.rows.follow(len, areas.height(Part::Queue));
    }

    pub(super) fn move_in_queue(&mut self, motion: Motion, layout: &Layout) {
        let height = Areas::of(layout, self.audit.part).height(Part::Queue);
        let at = motion.from(self.audit.rows.cursor, self.session.queued().len(), height);
        self.go_to_queued(at);
    }

    /// Index into the queue.
    pub(super) fn go_to_queued(&mut self, at: usize) {
        let id = self.session.queued().get(at).cloned();
        if id != self.audit.chosen {
            self.audit.asks = None;
        }
        self.audit.chosen = id;
    }

    /// The next ones without a label, round the end.
    pub(super) fn go_to_unlabelled(&mut self, count: usize) {
        let (len, from) = (self.session.queued().len(), self.audit.rows.cursor);
        let after = (1..=len).map(|step| (from + step) % len.max(1));
        let open: Vec<usize> =
            after.filter(|at| !self.standing(&self.session.queued()[*at]).is_labelled()).collect();
        match open.get(count.saturating_sub(1)).or(open.last()) {
            Some(at) if *at != from => self.go_to_queued(*at),
            Some(_) => self.session.notice = Some("this is the only one without a label".into()),
            None if len == 0 => {}
            None => self.session.notice = Some(format!("all {len} are labelled")),
        }
    }
}
