//! The state of the audit: the unit and the judging that are audited, the items that wait for a label, and the
//! verdicts that were seen before their label was given.
//!
//! Once the audit was opened, the replay hides verdicts on components that wait for a label. The scores view shows
//! everything, and the rater is free to look there; the labels that follow are not blind, and the audit says so. Seen
//! verdicts are saved to the rater's file once they audit, so that the next session knows them too.

use std::{collections::BTreeSet, sync::Arc};

use trajview_metrics::lifeline::turns_done_at;
use trajview_run::rubric::{
    Codebook, Criterion, Evidence, ItemKey, JudgedState, Judgement, JudgementLabel, Label,
    LabelUnit, Rubric, Verdict, VerdictId, VerdictScore,
};
use trajview_study::{
    audit_items::{self, AuditInputs, AuditItem, JudgingSource},
    queue::QueuePlan,
};

use super::{Session, audit_correction::AuditCorrection, study::StudyQueue};

#[derive(Debug, Default)]
pub struct AuditState {
    unit: LabelUnit,
    /// File of the judging that is audited, where it was flipped to.
    judging: Option<String>,
    pub(super) queue: DrawnQueue,
    /// The corrected mean of the audited judgement, by the labels of whoever sits here.
    pub(super) correction: Option<Box<AuditCorrection>>,
    /// Half the width of the interval that labels are planned for.
    pub(super) wanted_width: Option<f64>,
    /// The codebook of a study, which replaces the run's own.
    pub codebook: Option<Arc<Codebook>>,
    /// True once components were audited on screen.
    has_begun: bool,
    /// The study that the run belongs to, where one is worked on; it moves from run to run.
    pub(super) study: Option<Box<StudyQueue>>,
    /// Verdicts that were on screen since the program started.
    seen: BTreeSet<VerdictId>,
    /// The seen verdicts that are not on their way to the rater's file yet.
    unsaved: BTreeSet<VerdictId>,
}

/// The queue as it was drawn last; drawing costs more than looking.
#[derive(Debug, Default)]
pub(super) struct DrawnQueue {
    drawn_from: Option<DrawnFrom>,
    source: Option<JudgingSource>,
    pub(super) items: Vec<AuditItem>,
    /// Files of all judgings of the unit that can be audited.
    files: Vec<String>,
}

#[derive(Debug, PartialEq)]
struct DrawnFrom {
    rubric: SameRubric,
    unit: LabelUnit,
    source: Option<JudgingSource>,
    seed: u64,
    /// Signals, and rows of decisions, as far as they are known.
    process: (Option<usize>, Option<usize>),
}

/// A rubric, equal to itself alone: it is read again where a file beside the run may have changed.
#[derive(Debug)]
struct SameRubric(Arc<Rubric>);

impl PartialEq for SameRubric {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl AuditState {
    /// Audits this judgement from now on.
    pub(crate) fn audit_judgement(&mut self, judgement: &str) {
        if self.judging.as_deref() != Some(judgement) {
            self.judging = Some(judgement.to_owned());
        }
    }

    /// Hides elsewhere, from now on, what waits for a label, in an audit of components.
    pub(crate) fn begin_audit(&mut self) {
        self.has_begun |= self.unit == LabelUnit::Component;
    }

    /// Remembers verdicts on components that were on screen: judgement and component.
    pub(crate) fn see_verdicts(&mut self, verdicts: impl IntoIterator<Item = (String, String)>) {
        let verdicts = verdicts.into_iter();
        self.remember_verdicts(verdicts.map(|(file, id)| VerdictId::for_item(&file, (&id).into())));
    }

    /// Remembers verdicts that were on screen.
    pub(crate) fn remember_verdicts(&mut self, verdicts: impl IntoIterator<Item = VerdictId>) {
        for verdict in verdicts {
            if !self.seen.contains(&verdict) {
                self.unsaved.insert(verdict.clone());
                self.seen.insert(verdict);
            }
        }
    }

    /// Marks what was on screen as not saved, since another rater sits here now: it is for their file too.
    pub(crate) fn mark_all_unsaved(&mut self) {
        self.unsaved.clone_from(&self.seen);
    }

    /// Takes the seen verdicts that are not saved yet.
    pub(crate) fn take_unsaved(&mut self) -> BTreeSet<VerdictId> {
        std::mem::take(&mut self.unsaved)
    }

    pub const fn unit(&self) -> LabelUnit {
        self.unit
    }

    /// Returns the seed that the queue was drawn with.
    pub(super) fn drawn_seed(&self) -> u64 {
        self.queue.drawn_from.as_ref().map_or(QueuePlan::default().seed, |it| it.seed)
    }

    /// Returns whether components were audited on screen.
    pub(crate) const fn has_begun(&self) -> bool {
        self.has_begun
    }
}

impl Session {
    fn audit_inputs(&self) -> Option<AuditInputs<'_>> {
        let known = |it: Option<Result<_, &str>>| it.and_then(Result::ok);
        let worked = &self.scores.process;
        Some(AuditInputs {
            run: &self.run,
            rubric: self.rubric.known_rubric()?,
            process: known(worked.report()).flatten(),
            decisions: worked.decisions().and_then(Result::ok).flatten(),
        })
    }

    /// Returns the judging that is audited: the one that was flipped to, else the one that speaks for the run, else the
    /// last.
    fn current_source(&self) -> Option<JudgingSource> {
        let ground = self.audit_inputs()?;
        let mut all = audit_items::audit_sources(ground, self.audit.unit);
        let shown = || match self.audit.unit {
            LabelUnit::Component => self.default_judgement(ground.rubric).map(|it| it.file.clone()),
            _ => None,
        };
        let is_there = |file: &Option<String>| all.iter().any(|it| Some(&it.file) == file.as_ref());
        let wanted = Some(self.audit.judging.clone()).filter(is_there).or_else(|| Some(shown()));
        let at =
            all.iter().position(|it| Some(&it.file) == wanted.as_ref().and_then(Option::as_ref));
        match at {
            Some(at) => Some(all.swap_remove(at)),
            None => all.pop(),
        }
    }

    /// Returns the judgement of components that is audited where none was chosen: by a codebook the one that was given
    /// by it, else the one whose numbers the scores show. A newer one does not take the place of that.
    fn default_judgement<'a>(&'a self, rubric: &'a Rubric) -> Option<&'a Judgement> {
        let by_codebook = rubric.judgement_to_show_by(self.audit_codebook())?;
        let is_the_runs = rubric.judgement_to_show().is_some_and(|it| it.file == by_codebook.file);
        if is_the_runs { self.rubric.run_judgement() } else { Some(by_codebook) }
    }

    /// Returns the judging whose items are in the queue.
    pub(crate) fn audit_source(&self) -> Option<&JudgingSource> {
        self.audit.queue.source.as_ref()
    }

    /// Returns the judgement that is audited; None where it is not verdicts of a judgement.
    pub(crate) fn audited_judgement(&self) -> Option<&Judgement> {
        let rubric = self.rubric.known_rubric()?;
        let all = rubric.judgements_of_unit(self.audit.unit);
        let flipped = self.audit.judging.as_ref();
        let wanted = flipped.and_then(|file| all.iter().find(|it| it.file == *file));
        let of_components = self.audit.unit == LabelUnit::Component;
        let speaks = || self.default_judgement(rubric).filter(|_| of_components);
        let has_score = |it: &&Judgement| it.verdicts.iter().any(Verdict::is_scored);
        wanted.or_else(speaks).or_else(|| all.iter().rfind(has_score))
    }

    /// Returns the number of the audited judging and the number of all; both count from 1.
    pub(crate) fn audited_number(&self) -> Option<(usize, usize)> {
        let queue = &self.audit.queue;
        let file = &queue.source.as_ref()?.file;
        let at = queue.files.iter().position(|it| it == file)?;
        Some((at + 1, queue.files.len()))
    }

    /// Moves to another judging that can be audited, by count, and returns its description as a sentence.
    ///
    /// # Errors
    /// Returns a sentence where there is no other.
    pub(crate) fn flip_audited_judging(&mut self, by: isize) -> Result<String, String> {
        if self.study_queue().is_some() {
            return Err("the study says which judgement is audited".into());
        }
        let (number, count) = self.audited_number().ok_or("no judgements of this run yet")?;
        if count == 1 {
            return Err("this run has one judgement with scores".into());
        }
        let at = (number as isize - 1 + by).rem_euclid(count as isize) as usize;
        let file = self.audit.queue.files.get(at).cloned();
        let words =
            format!("judgement {} of {count}: {}", at + 1, file.as_deref().unwrap_or_default());
        self.audit.judging = file;
        Ok(words)
    }

    /// Audits things of another kind.
    pub(crate) fn audit_unit(&mut self, unit: LabelUnit) {
        if self.audit.unit != unit {
            (self.audit.unit, self.audit.judging) = (unit, None);
        }
    }

    /// Returns the units that can be audited. Signals count before they are computed.
    pub(crate) fn units_to_audit(&self) -> Vec<LabelUnit> {
        let Some(ground) = self.audit_inputs() else { return vec![] };
        let is_there = |unit: &LabelUnit| {
            let is_open = *unit == LabelUnit::Signal && self.scores.process.report().is_none();
            is_open || !audit_items::audit_sources(ground, *unit).is_empty()
        };
        LabelUnit::ALL.into_iter().filter(is_there).collect()
    }

    /// Returns the codebook of the audited unit: the study's, else the run's own, else the built-in one.
    pub(crate) fn audit_codebook(&self) -> &Codebook {
        let recorded_codebook = || self.rubric.known_rubric()?.codebook.as_deref();
        let of_run = || recorded_codebook().filter(|_| self.audit.unit == LabelUnit::Component);
        let of_study = self.audit.codebook.as_deref();
        of_study.or_else(of_run).unwrap_or_else(|| Codebook::built_in(self.audit.unit))
    }

    /// Returns the codebook of the current study, where it has one and labels components.
    pub(crate) fn codebook_of_study(&self) -> Option<Arc<Codebook>> {
        self.audit.codebook.clone().filter(|_| self.audit.unit == LabelUnit::Component)
    }

    /// Returns the criterion by which an item is labelled. The criterion of a flag or a signal is not one of the
    /// codebook's.
    pub(crate) fn criterion_of(&self, item: &AuditItem) -> Option<&Criterion> {
        let book = self.audit_codebook();
        let named = item.criterion.as_deref().and_then(|id| book.criterion_by_id(Some(id)));
        named.or_else(|| book.criterion_by_id(None))
    }

    /// Returns the turn after which the code of an item was judged, counted from 0; None where the run has no such
    /// moment.
    pub(crate) fn turn_of_item(&self, item: &AuditItem) -> Option<usize> {
        turns_done_at(&self.run, item.turn, item.commit.as_deref())?.checked_sub(1)
    }

    /// Returns the turn after which the audited code was judged, counted from 0; None where the run has no such moment.
    pub(crate) fn audited_turn(&self) -> Option<usize> {
        let source = self.audit.queue.source.as_ref()?;
        turns_done_at(&self.run, source.turn, source.commit.as_deref())?.checked_sub(1)
    }

    /// Draws the queue with a seed, where something about it is new.
    pub fn draw_queue(&mut self, seed: Option<u64>) {
        if self.study_queue().is_some() {
            return self.draw_queue_of_study();
        }
        let Some(rubric) = self.rubric.shared_rubric().cloned() else { return };
        let source = self.current_source();
        let Some(ground) = self.audit_inputs() else { return };
        let drawn_from = DrawnFrom {
            rubric: SameRubric(rubric),
            unit: self.audit.unit,
            source: source.clone(),
            seed: seed.unwrap_or(QueuePlan::default().seed),
            process: (
                ground.process.map(|it| it.signals.len()),
                ground.decisions.map(|it| it.rows.len()),
            ),
        };
        if self.audit.queue.drawn_from.as_ref() == Some(&drawn_from) {
            return;
        }
        let items =
            source.as_ref().map(|it| audit_items::audit_items(ground, drawn_from.unit, &it.file));
        let items =
            audit_items::split_by_criteria(items.unwrap_or_default(), self.audit_codebook());
        let files = audit_items::audit_sources(ground, drawn_from.unit)
            .into_iter()
            .map(|it| it.file)
            .collect();
        let items = audit_items::draw_items(
            items,
            QueuePlan { seed: drawn_from.seed, ..QueuePlan::default() },
        );
        self.audit.queue = DrawnQueue { drawn_from: Some(drawn_from), source, items, files };
        self.audit.correction = None;
    }

    /// Puts the queue into the order in which it was drawn.
    pub(super) fn restore_drawn_order(&mut self) {
        let seed = self.audit.drawn_seed();
        self.audit.queue.drawn_from = None;
        self.draw_queue(Some(seed));
        self.arrange_study_queue();
    }

    /// Sets the queue of the run to what the study's queue has of it, in the judging that is looked at; empty where it
    /// has nothing.
    fn draw_queue_of_study(&mut self) {
        let Some((source, items)) = self.study_queue().and_then(StudyQueue::items_of_open_run)
        else {
            self.audit.queue = DrawnQueue::default();
            return;
        };
        let files = vec![source.file.clone()];
        self.audit.queue = DrawnQueue { drawn_from: None, source: Some(source), items, files };
    }

    /// Sets the unit and the codebook of a study.
    pub(super) fn audit_as(&mut self, unit: LabelUnit, codebook: Option<Arc<Codebook>>) {
        self.audit_unit(unit);
        self.audit.codebook = codebook;
    }

    /// Returns whether a judge wrote one text about the item for several criteria, some of which wait for a label.
    pub(crate) fn waits_for_criteria(&self, item: &AuditItem) -> bool {
        let of_it =
            self.queued_items().iter().filter(|it| it.id == item.id && it.unit == item.unit);
        let waits =
            |it: &AuditItem| self.labels.answered_label(it.judged_state(), it.item_key()).is_none();
        item.criterion.is_some() && !item.unit.is_raised() && of_it.into_iter().any(waits)
    }

    /// Returns the items of the queue in its order.
    pub fn queued_items(&self) -> &[AuditItem] {
        &self.audit.queue.items
    }

    /// Returns the number of items in the queue without a label.
    pub(crate) fn unlabelled_count(&self) -> usize {
        let is_open = |it: &&AuditItem| {
            self.labels.answered_label(it.judged_state(), it.item_key()).is_none()
        };
        self.queued_items().iter().filter(is_open).count()
    }

    /// Returns the places that the rater marked and that the audited judging does not flag, each with its criterion.
    pub(crate) fn missed_flags(&self) -> Vec<(Evidence, String)> {
        let source = self.audit_source().filter(|_| self.audit.unit == LabelUnit::Flag);
        let Some(source) = source else { return vec![] };
        let marked = self.labels.accepted_flags(&source.file, source.commit.as_deref());
        let is_missed = |label: &&Label| {
            !self.queued_items().iter().any(|item| item.item_key() == label.item_key())
        };
        let place = |label: &Label| {
            let place = audit_items::place_from_id(&label.component);
            (place, label.criterion.clone().unwrap_or_default())
        };
        marked.into_iter().filter(is_missed).map(place).collect()
    }

    /// Returns whether the verdict on a component waits for a label, so that nothing of it may be shown beside the
    /// code.
    pub(crate) fn is_hidden_by_the_audit(&self, id: &str) -> bool {
        let audited = self.audit.has_begun.then(|| self.audited_of_components()).flatten();
        audited.is_some_and(|judgement| {
            let scores = judgement.verdict_on(id).map(Verdict::given_scores).unwrap_or_default();
            let waits = |it: &VerdictScore<'_>| {
                let key = ItemKey { criterion: it.criterion, ..ItemKey::from(id) };
                self.labels.answered_label(judgement, key).is_none()
            };
            scores.iter().any(waits)
        })
    }

    /// Returns whether the rater has begun to label this judgement, and components of it wait for a label.
    pub(crate) fn has_waiting_components(&self, judgement: &Judgement) -> bool {
        let waits = |it: &&Verdict| self.labels.answered_label(judgement, &*it.component).is_none();
        let scored: Vec<&Verdict> =
            judgement.verdicts.iter().filter(|it| it.score.is_some()).collect();
        let waiting = scored.iter().copied().filter(waits).count();
        (1..scored.len()).contains(&waiting)
    }

    fn audited_of_components(&self) -> Option<&Judgement> {
        match self.audit.unit {
            LabelUnit::Component => self.audited_judgement(),
            _ => self.rubric.run_judgement(),
        }
    }

    /// Returns whether a verdict was on screen, in this session or in an earlier one.
    pub fn was_seen(&self, file: &str, item: ItemKey<'_>) -> bool {
        let is_it = |it: &VerdictId| it.judgement == file && it.shows_item(item);
        self.audit.seen.iter().any(is_it) || self.labels.has_seen(file, item)
    }

    /// Returns the files of the judgings whose verdict on an item was on screen. What was raised is there because it
    /// was judged.
    pub(crate) fn judgings_seen(&self, item: &AuditItem) -> Vec<String> {
        let key = item.item_key();
        let here = self.audit.seen.iter().filter(|it| it.shows_item(key));
        let mut files: BTreeSet<String> = here.map(|it| it.judgement.clone()).collect();
        files.extend(self.labels.files_seen(key));
        if item.unit.is_raised() && !item.judgement.is_empty() {
            files.insert(item.judgement.clone());
        }
        files.into_iter().collect()
    }

    /// Returns the current rater's label of a component, in the shown judgement. Labels of others are never shown: a
    /// rater who sees them is no longer independent. None while the rater is unknown.
    pub(crate) fn own_label_of<'a>(&'a self, id: &'a str) -> Option<JudgementLabel<'a>> {
        let annotator = self.labels.annotator()?;
        let label_file =
            self.rubric.known_rubric()?.labels.iter().find(|it| it.annotator == annotator)?;
        let label = match self.rubric.shown_judgement() {
            Some(judgement) => label_file.label_for(judgement, id),
            None => {
                let last = label_file.labels.iter().rfind(|label| label.item_key() == id.into());
                let state = last.map(|label| JudgedState {
                    file: label.judgement.as_deref().unwrap_or_default(),
                    commit: label.commit.as_deref(),
                    turn: label.turn,
                });
                state.and_then(|state| label_file.label_for(state, id))
            }
        };
        label.filter(|label| label.is_answered())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::session::request::RequestIds;
    use trajview_run::{Run, rubric::Rubric};

    fn judgement_in(file: &str) -> Judgement {
        let verdict =
            |id: &str| Verdict { component: id.into(), score: Some(2), ..Verdict::default() };
        let verdicts = vec![verdict("C1"), verdict("C2")];
        Judgement { file: file.into(), verdicts, ..Judgement::default() }
    }

    fn session_with(files: &[&str]) -> Session {
        let mut session = Session::new(Run::default().into());
        let asked = session.ask_rubric(&mut RequestIds::default(), false).unwrap();
        let judgements = files.iter().map(|file| judgement_in(file)).collect();
        let rubric = Rubric { judgements, ..Rubric::default() };
        session.rubric.take_answer(asked.request_id().unwrap(), Ok(Arc::new(rubric)));
        session.draw_queue(None);
        session
    }

    #[test]
    fn what_waits_for_a_label_is_hidden_once_the_audit_was_looked_at() {
        let mut session = session_with(&["a"]);
        assert!(!session.is_hidden_by_the_audit("C1"));

        session.audit.begin_audit();
        let label = Label {
            component: "C1".into(),
            judgement: Some("a".into()),
            score: Some(2.0),
            ..Label::default()
        };
        session.labels.put_label(label);

        assert!(!session.is_hidden_by_the_audit("C1") && session.is_hidden_by_the_audit("C2"));
    }

    #[test]
    fn the_audit_goes_round_the_judgements_with_scores() {
        let mut one = session_with(&["a"]);
        let mut two = session_with(&["a", "b"]);
        let first = two.audited_number().unwrap();

        assert_eq!(
            one.flip_audited_judging(1),
            Err("this run has one judgement with scores".into())
        );
        assert!(two.flip_audited_judging(1).is_ok());
        two.draw_queue(None);
        assert_ne!(two.audited_number().unwrap(), first);
        assert!(two.flip_audited_judging(1).is_ok());
        two.draw_queue(None);
        assert_eq!(two.audited_number().unwrap(), first);
    }

    #[test]
    fn a_verdict_that_was_on_screen_was_seen_in_its_judgement_alone() {
        let mut audited = AuditState::default();
        audited.see_verdicts([("a".into(), "C1".into())]);

        assert_eq!(audited.take_unsaved(), [VerdictId::for_item("a", "C1".into())].into());
        assert_eq!(audited.take_unsaved(), BTreeSet::new());
        assert!(!audited.seen.contains(&VerdictId::for_item("b", "C1".into())));
    }
}
