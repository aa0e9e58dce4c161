//! What is to be labelled, in the order that the seed gives, and how each thing stands.

use crate::{
    session::{Session, views::View},
    views::audit::{Audit, areas::Areas},
    widgets::{layout::Layout, scroll::Motion},
};
use trajview_run::rubric::{Label, LabelOn, Unit, VerdictId};
use trajview_study::{items::AuditItem, queue::Plan};

use super::{Chosen, Part, over_runs, reason::is_explained};

/// How a thing to be labelled stands. Says nothing of a verdict whose label is not in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Standing {
    Unlabelled,
    /// A score, or that the rater cannot tell, is put down and not committed.
    Proposed(Option<f64>),
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
    /// Empty where nothing names it.
    pub name: String,
    /// Whether the name says where it is.
    pub is_raised: bool,
    pub standing: Standing,
    /// Not on disk so far.
    pub is_unsaved: bool,
}

impl Entry {
    pub fn of(item: &AuditItem, standing: Standing, is_unsaved: bool) -> Self {
        let has_criteria = !item.unit.is_raised() && item.criterion.is_some();
        let criterion = item.criterion.iter().filter(|_| has_criteria);
        let name = criterion.map(String::as_str).chain([item.title.as_str()]);
        Self {
            id: item.id.clone(),
            is_raised: item.unit.is_raised(),
            name: name.collect::<Vec<_>>().join(": "),
            standing,
            is_unsaved,
        }
    }
}

impl Standing {
    pub const fn is_labelled(self) -> bool {
        matches!(self, Self::Agrees(_) | Self::Open | Self::Differs { .. } | Self::Settled(_))
    }
}

/// How a label stands to the verdict that it checks; without one, what was put down and not committed.
pub fn standing_of(
    label: Option<LabelOn<'_>>,
    proposal: Option<&Label>,
    verdict: Option<f64>,
) -> Standing {
    let Some(label) = label.filter(|label| label.is_answered()) else {
        return match (proposal.filter(|it| it.is_answered()), label) {
            (Some(proposal), _) => Standing::Proposed(proposal.score),
            (None, Some(_)) => Standing::TakenBack,
            (None, None) => Standing::Unlabelled,
        };
    };
    match (label.score(), verdict) {
        (Some(score), Some(verdict)) if score == verdict => Standing::Agrees(score),
        (Some(score), Some(_)) => Standing::Differs { score, is_explained: is_explained(label) },
        (Some(score), None) => Standing::Settled(Some(score)),
        (None, _) => Standing::Open,
    }
}

impl Audit {
    /// The seed that the queue is drawn with.
    pub fn audit_seed(&self) -> u64 {
        self.seed.unwrap_or(Plan::default().seed)
    }

    pub fn audit_entries(&self, session: &Session) -> Vec<Entry> {
        session.queued().iter().map(|item| self.entry(session, item)).collect()
    }

    fn entry(&self, session: &Session, item: &AuditItem) -> Entry {
        let is_unsaved = session.labels.is_unsaved(item.state(), item.key());
        Entry::of(item, self.standing(session, item), is_unsaved)
    }

    pub fn standing(&self, session: &Session, item: &AuditItem) -> Standing {
        let label = session.labels.of(item.state(), item.key());
        let proposal = session.labels.proposal_of(item.state(), item.key());
        standing_of(label, proposal, item.said.score)
    }

    /// How many of the queue have a label.
    pub fn labelled_count(&self, session: &Session) -> usize {
        if session.study().is_some() {
            return over_runs::done_count(session);
        }
        session.queued().len() - session.unlabelled_count()
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
            if let Some(item) = session.queued().iter().find(|item| item.id == wanted.id) {
                self.chosen = Some(Chosen::of(item));
                return;
            }
            session.notice = Some(format!(
                "{} is not in the queue: this judgement gives it no score",
                wanted.id
            ));
        }
        let first = || session.queued().first().map(Chosen::of);
        self.chosen = self.first_unlabelled(session).or_else(first);
    }

    fn first_unlabelled(&self, session: &Session) -> Option<Chosen> {
        let open = |item: &&AuditItem| !self.standing(session, item).is_labelled();
        session.queued().iter().find(open).map(Chosen::of)
    }

    pub(super) fn settle_queue(&mut self, session: &mut Session, areas: &Areas) {
        if session.study().is_some() {
            return over_runs::settle(self, session, areas);
        }
        if !self.has_started {
            return; // which one comes first is not known before the labels are
        }
        let chosen = self.chosen.as_ref();
        let at = chosen.and_then(|it| session.queued().iter().position(|other| it.is(other)));
        let at = at.unwrap_or_default();
        self.chosen = session.queued().get(at).map(Chosen::of);
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
        let chosen = session.queued().get(at).map(Chosen::of);
        if chosen != self.chosen {
            self.prompt = None;
        }
        self.chosen = chosen;
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

    /// What the audit itself shows, and what the process view says of decisions and parts; the scores and the replay note
    /// what they show.
    pub(super) fn note_what_is_seen(&mut self, session: &mut Session) {
        if session.view == View::Process {
            return note_process_shown(session);
        }
        if session.view != View::Audit {
            return;
        }
        session.audited.begin();
        if session.adjudicates() {
            return; // whoever settles labels of others is not blind to anything
        }
        if self.revealed(session).is_some()
            && let Some(item) = self.audited_item(session)
        {
            let verdict = VerdictId::of(&item.judgement, item.key());
            session.audited.see_all([verdict]);
        }
    }

    /// Whether the next label of the component that is looked at would not be blind, and why.
    pub fn why_not_blind(&self, session: &Session) -> Option<&'static str> {
        let item = self.audited_item(session)?;
        let label = session.labels.of(item.state(), item.key());
        let taken_back = label.is_some_and(|it| !it.is_answered());
        match (taken_back, session.was_seen(&item.judgement, item.key())) {
            _ if item.unit.is_raised() => Some("it is here because it was raised"),
            (true, _) => Some("a label was taken back after the verdict was seen"),
            (false, true) => Some("the verdict was on screen before"),
            (false, false) => None,
        }
    }
}

/// What judges said of decisions and of parts of process stands in the process view.
fn note_process_shown(session: &mut Session) {
    let Some(rubric) = session.rubric.shared().cloned() else { return };
    for (unit, judgements) in
        [(Unit::Decision, &rubric.decisions), (Unit::Process, &rubric.process)]
    {
        for judgement in judgements {
            let id = |component: &String| VerdictId {
                judgement: judgement.file.clone(),
                unit,
                criterion: None,
                item: component.clone(),
            };
            session.audited.see_all(judgement.verdicts.iter().map(|it| id(&it.component)));
        }
    }
}
