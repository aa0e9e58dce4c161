//! The queue of items to label, in the order of the seed, with the status of each.

use crate::{
    session::{Session, views::View},
    views::audit::{AuditView, agreement::waiting_while_hidden, areas::AuditAreas},
    widgets::{layout::ScreenLayout, scroll::Motion, text},
};
use trajview_run::rubric::{JudgementLabel, Label, LabelUnit, VerdictId};
use trajview_study::{audit_items::AuditItem, queue::QueuePlan};

use super::{AuditPart, ChosenItem, disagreement_reasons::is_explained, study_queue};

/// The status of an item to label. It reveals nothing of a verdict before the label is given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LabelStatus {
    Unlabelled,
    /// A proposed score, or a proposed "cannot tell", which is not committed.
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
    /// The gold label of an adjudicated item; None where it cannot be told.
    Settled(Option<f64>),
}

/// A row of the queue.
#[derive(Debug, Clone, PartialEq)]
pub struct QueueEntry {
    pub id: String,
    /// Empty where nothing names it.
    pub name: String,
    /// True where the name already contains the place.
    pub is_raised: bool,
    pub status: LabelStatus,
    /// Not on disk so far.
    pub is_unsaved: bool,
}

impl QueueEntry {
    pub fn new(item: &AuditItem, standing: LabelStatus, is_unsaved: bool) -> Self {
        let has_criteria = !item.unit.is_raised() && item.criterion.is_some();
        let criterion = item.criterion.iter().filter(|_| has_criteria);
        let name = criterion.map(String::as_str).chain([item.title.as_str()]);
        Self {
            id: item.id.clone(),
            is_raised: item.unit.is_raised(),
            name: name.collect::<Vec<_>>().join(": "),
            status: standing,
            is_unsaved,
        }
    }
}

impl LabelStatus {
    pub const fn is_labelled(self) -> bool {
        matches!(self, Self::Agrees(_) | Self::Open | Self::Differs { .. } | Self::Settled(_))
    }
}

/// Compares a label with its verdict; without a label returns the status of the proposal.
pub(crate) fn label_status(
    label: Option<JudgementLabel<'_>>,
    proposal: Option<&Label>,
    verdict: Option<f64>,
) -> LabelStatus {
    let Some(label) = label.filter(|label| label.is_answered()) else {
        return match (proposal.filter(|it| it.is_answered()), label) {
            (Some(proposal), _) => LabelStatus::Proposed(proposal.score),
            (None, Some(_)) => LabelStatus::TakenBack,
            (None, None) => LabelStatus::Unlabelled,
        };
    };
    match (label.score(), verdict) {
        (Some(score), Some(verdict)) if score == verdict => LabelStatus::Agrees(score),
        (Some(score), Some(_)) => LabelStatus::Differs { score, is_explained: is_explained(label) },
        (Some(score), None) => LabelStatus::Settled(Some(score)),
        (None, _) => LabelStatus::Open,
    }
}

impl AuditView {
    /// Returns the seed that the queue is drawn with.
    pub(crate) fn audit_seed(&self) -> u64 {
        self.seed.unwrap_or(QueuePlan::default().seed)
    }

    pub(crate) fn audit_entries(&self, session: &Session) -> Vec<QueueEntry> {
        session.queued_items().iter().map(|item| self.queue_entry(session, item)).collect()
    }

    fn queue_entry(&self, session: &Session, item: &AuditItem) -> QueueEntry {
        let is_unsaved = session.labels.is_unsaved(item.judged_state(), item.item_key());
        QueueEntry::new(item, self.item_status(session, item), is_unsaved)
    }

    pub(crate) fn item_status(&self, session: &Session, item: &AuditItem) -> LabelStatus {
        let label = session.labels.label_on(item.judged_state(), item.item_key());
        let proposal = session.labels.proposal_of(item.judged_state(), item.item_key());
        label_status(label, proposal, item.verdict.score)
    }

    /// Returns the number of labelled items in the queue.
    pub(crate) fn labelled_count(&self, session: &Session) -> usize {
        if session.study_queue().is_some() {
            return study_queue::done_count(session);
        }
        session.queued_items().len() - session.unlabelled_count()
    }

    /// Returns the lines over the queue: the corrected mean and the plan, in one line where there is room.
    pub(super) fn lines_over_queue(&self, session: &Session, layout: &ScreenLayout) -> Vec<String> {
        let sees_judge = waiting_while_hidden(self, session).is_none();
        let lines = session.audit_correction().map(|it| it.lines(sees_judge)).unwrap_or_default();
        let joined = lines.join(" · ");
        let room = usize::from(layout.body.width.saturating_sub(2));
        if lines.len() > 1 && text::width(&joined) <= room { vec![joined] } else { lines }
    }

    /// Plans labels, and goes to the first of them.
    pub(super) fn plan_labels(&mut self, session: &mut Session, half_width: Option<f64>) {
        if let Err(why) = session.plan_labels(half_width) {
            session.notice = Some(why);
            return;
        }
        if session.study_queue().is_some() {
            session.start_in_study(None);
        } else if let Some(first) = self.first_unlabelled(session) {
            (self.chosen, self.prompt) = (Some(first), None);
        }
        if half_width.is_none() {
            session.notice = Some("no plan: the queue has the order in which it was drawn".into());
        }
    }

    /// Goes to the first item without a label once the labels are known; a requested component is first.
    pub(super) fn choose_first_item(&mut self, session: &mut Session) {
        if session.study_queue().is_some() {
            return; // it says itself where it begins
        }
        let is_known = session.labels.annotator().is_none() || session.labels.is_settled();
        if self.has_started || !is_known || session.queued_items().is_empty() {
            return;
        }
        self.has_started = true;
        if let Some(wanted) = self.chosen.clone() {
            if let Some(item) = session.queued_items().iter().find(|item| item.id == wanted.id) {
                self.chosen = Some(ChosenItem::for_item(item));
                return;
            }
            session.notice = Some(format!(
                "{} is not in the queue: this judgement gives it no score",
                wanted.id
            ));
        }
        let first = || session.queued_items().first().map(ChosenItem::for_item);
        self.chosen = self.first_unlabelled(session).or_else(first);
    }

    fn first_unlabelled(&self, session: &Session) -> Option<ChosenItem> {
        let open = |item: &&AuditItem| !self.item_status(session, item).is_labelled();
        session.queued_items().iter().find(open).map(ChosenItem::for_item)
    }

    pub(super) fn settle_queue(&mut self, session: &mut Session, areas: &AuditAreas) {
        if session.study_queue().is_some() {
            return study_queue::settle_study_queue(self, session, areas);
        }
        let len = session.queued_items().len();
        if !self.has_started {
            // Which one comes first is not known before the labels are.
            return self.rows.settle(areas.part_room(AuditPart::Queue), len);
        }
        let chosen = self.chosen.as_ref();
        let at = chosen
            .and_then(|it| session.queued_items().iter().position(|other| it.matches_item(other)));
        let at = at.unwrap_or_default();
        self.chosen = session.queued_items().get(at).map(ChosenItem::for_item);
        self.rows.choose(at);
        self.rows.settle(areas.part_room(AuditPart::Queue), len);
    }

    pub(super) fn move_in_queue(&mut self, session: &mut Session, motion: Motion) {
        let at = self.rows.target_row(motion);
        self.go_to_queued(session, at);
    }

    /// Goes to an index of the queue.
    pub(super) fn go_to_queued(&mut self, session: &mut Session, at: usize) {
        if session.study_queue().is_some() {
            return study_queue::go_to_index(self, session, at);
        }
        let chosen = session.queued_items().get(at).map(ChosenItem::for_item);
        if chosen != self.chosen {
            self.prompt = None;
        }
        self.chosen = chosen;
    }

    /// Goes to the next items without a label; wraps around at the end.
    pub(super) fn go_to_unlabelled(&mut self, session: &mut Session, count: usize) {
        if session.study_queue().is_some() {
            return study_queue::go_to_unfinished(self, session, count);
        }
        let (len, from) = (session.queued_items().len(), self.rows.cursor());
        let after = (1..=len).map(|step| (from + step) % len.max(1));
        let open: Vec<usize> = after
            .filter(|at| !self.item_status(session, &session.queued_items()[*at]).is_labelled())
            .collect();
        match open.get(count.saturating_sub(1)).or(open.last()) {
            Some(at) if *at != from => self.go_to_queued(session, *at),
            Some(_) => session.notice = Some("this is the only one without a label".into()),
            None if len == 0 => {}
            None => session.notice = Some(format!("all {len} are labelled")),
        }
    }

    /// Records the verdicts that the audit shows, and those on decisions and parts in the process view; the scores and
    /// the replay record theirs.
    pub(super) fn note_what_is_seen(&mut self, session: &mut Session) {
        if session.view == View::Process {
            return note_process_shown(session);
        }
        if session.view != View::Audit {
            return;
        }
        session.audit.begin_audit();
        if session.is_adjudicating() {
            return; // whoever settles labels of others is not blind to anything
        }
        if self.revealed_verdict(session).is_some()
            && let Some(item) = self.audited_item(session)
        {
            let verdict = VerdictId::for_item(&item.judgement, item.item_key());
            session.audit.remember_verdicts([verdict]);
        }
    }

    /// Returns the reason why the next label of the current component would not be blind; None where it would be.
    pub(crate) fn why_not_blind(&self, session: &Session) -> Option<&'static str> {
        let item = self.audited_item(session)?;
        let label = session.labels.label_on(item.judged_state(), item.item_key());
        let taken_back = label.is_some_and(|it| !it.is_answered());
        match (taken_back, session.was_seen(&item.judgement, item.item_key())) {
            _ if item.unit.is_raised() => Some("only raised items are in the queue"),
            (true, _) => Some("a label was undone after the verdict was seen"),
            (false, true) => Some("the verdict was on screen before"),
            (false, false) => None,
        }
    }
}

/// Records that the verdicts on decisions and on parts of process were shown in the process view.
fn note_process_shown(session: &mut Session) {
    let Some(rubric) = session.rubric.shared_rubric().cloned() else { return };
    for (unit, judgements) in
        [(LabelUnit::Decision, &rubric.decisions), (LabelUnit::Process, &rubric.process)]
    {
        for judgement in judgements {
            let id = |component: &String| VerdictId {
                judgement: judgement.file.clone(),
                unit,
                criterion: None,
                item: component.clone(),
            };
            session.audit.remember_verdicts(judgement.verdicts.iter().map(|it| id(&it.component)));
        }
    }
}
