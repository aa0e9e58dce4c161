//! What is audited: of which kind, in which judging; which of it waits for a label, and which verdicts were seen before
//! theirs was in.
//!
//! Once the audit was looked at, the replay says nothing of components that wait for a label. The scores say all there
//! is, and who looks there is free to; the labels that follow are not blind, and the audit says so. What was seen is brought
//! to the rater's file once they audit, so that it is known in the next session too.

use std::{collections::BTreeSet, sync::Arc};

use trajview_metrics::lifeline::moment;
use trajview_run::rubric::{
    Codebook, Criterion, Evidence, ItemKey, JudgedState, Judgement, Label, LabelOn, Rubric, Scored,
    Unit, Verdict, VerdictId,
};
use trajview_study::{
    items::{self, AuditItem, Ground, Source},
    queue::Plan,
};

use super::{Session, study::StudyQueue};

#[derive(Debug, Default)]
pub struct Audited {
    unit: Unit,
    /// File of the judging that is audited, where it was flipped to.
    judging: Option<String>,
    queue: Queue,
    /// What a study says of the levels, in the place of what the run's own files say.
    pub codebook: Option<Arc<Codebook>>,
    /// Whether components were audited on screen.
    has_begun: bool,
    /// The study that the run is of, where one is worked on; it goes from run to run.
    pub(super) study: Option<Box<StudyQueue>>,
    /// Verdicts that were on screen since the program started.
    seen: BTreeSet<VerdictId>,
    /// Those that are not on their way to the rater's file yet.
    unsaved: BTreeSet<VerdictId>,
}

/// The queue as it was drawn last; drawing costs more than looking.
#[derive(Debug, Default)]
struct Queue {
    of: Option<DrawnFrom>,
    source: Option<Source>,
    items: Vec<AuditItem>,
    /// Files of all judgings of the unit that can be audited.
    files: Vec<String>,
}

#[derive(Debug, PartialEq)]
struct DrawnFrom {
    rubric: Known,
    unit: Unit,
    source: Option<Source>,
    seed: u64,
    /// Signals, and rows of decisions, as far as they are known.
    process: (Option<usize>, Option<usize>),
}

/// A rubric, equal to itself alone: it is read again where a file beside the run may have changed.
#[derive(Debug)]
struct Known(Arc<Rubric>);

impl PartialEq for Known {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Audited {
    /// From now on this judgement is audited.
    pub fn look_at(&mut self, judgement: &str) {
        if self.judging.as_deref() != Some(judgement) {
            self.judging = Some(judgement.to_owned());
        }
    }

    /// The audit is on screen: from now on what waits for a label is hidden elsewhere.
    pub fn begin(&mut self) {
        self.has_begun |= self.unit == Unit::Component;
    }

    /// Remembers verdicts on components that were on screen: judgement and component.
    pub fn see(&mut self, verdicts: impl IntoIterator<Item = (String, String)>) {
        let verdicts = verdicts.into_iter();
        self.see_all(verdicts.map(|(file, id)| VerdictId::of(&file, (&id).into())));
    }

    /// Remembers verdicts that were on screen.
    pub fn see_all(&mut self, verdicts: impl IntoIterator<Item = VerdictId>) {
        for verdict in verdicts {
            if !self.seen.contains(&verdict) {
                self.unsaved.insert(verdict.clone());
                self.seen.insert(verdict);
            }
        }
    }

    /// Another rater sits here now: what was on screen is for their file too.
    pub fn see_again(&mut self) {
        self.unsaved.clone_from(&self.seen);
    }

    /// What was on screen and was not asked for here before.
    pub fn take_unsaved(&mut self) -> BTreeSet<VerdictId> {
        std::mem::take(&mut self.unsaved)
    }

    pub const fn unit(&self) -> Unit {
        self.unit
    }
}

impl Session {
    fn ground(&self) -> Option<Ground<'_>> {
        let known = |it: Option<Result<_, &str>>| it.and_then(Result::ok);
        let worked = &self.scores.worked;
        Some(Ground {
            run: &self.run,
            rubric: self.rubric.known()?,
            process: known(worked.report()).flatten(),
            decisions: worked.decisions().and_then(Result::ok).flatten(),
        })
    }

    /// The judging that is audited: the one that was flipped to, else the one that speaks for the run, else the last.
    fn source(&self) -> Option<Source> {
        let ground = self.ground()?;
        let mut all = items::sources(ground, self.audited.unit);
        let shown = || match self.audited.unit {
            Unit::Component => self.speaks_in_audit(ground.rubric).map(|it| it.file.clone()),
            _ => None,
        };
        let is_there = |file: &Option<String>| all.iter().any(|it| Some(&it.file) == file.as_ref());
        let wanted = Some(self.audited.judging.clone()).filter(is_there).or_else(|| Some(shown()));
        let at =
            all.iter().position(|it| Some(&it.file) == wanted.as_ref().and_then(Option::as_ref));
        match at {
            Some(at) => Some(all.swap_remove(at)),
            None => all.pop(),
        }
    }

    /// The judgement of components that is audited where none was chosen: by a codebook the one that was given by it, else the
    /// one whose numbers the scores show. A newer one does not take the place of that.
    fn speaks_in_audit<'a>(&'a self, rubric: &'a Rubric) -> Option<&'a Judgement> {
        let by_codebook = rubric.shown_by(self.codebook())?;
        let is_the_runs = rubric.shown().is_some_and(|it| it.file == by_codebook.file);
        if is_the_runs { self.rubric.speaking() } else { Some(by_codebook) }
    }

    /// The judging whose items are in the queue.
    pub fn audit_source(&self) -> Option<&Source> {
        self.audited.queue.source.as_ref()
    }

    /// The judgement that is audited, where verdicts of a judgement are.
    pub fn audited(&self) -> Option<&Judgement> {
        let rubric = self.rubric.known()?;
        let all = match self.audited.unit {
            Unit::Component => &rubric.judgements,
            Unit::Decision => &rubric.decisions,
            Unit::Process => &rubric.process,
            Unit::Leaf | Unit::Flag | Unit::Signal => return None,
        };
        let flipped = self.audited.judging.as_ref();
        let wanted = flipped.and_then(|file| all.iter().find(|it| it.file == *file));
        let of_components = self.audited.unit == Unit::Component;
        let speaks = || self.speaks_in_audit(rubric).filter(|_| of_components);
        let has_score = |it: &&Judgement| it.verdicts.iter().any(Verdict::is_scored);
        wanted.or_else(speaks).or_else(|| all.iter().rfind(has_score))
    }

    /// Which of how many it is; both count from 1.
    pub fn audited_number(&self) -> Option<(usize, usize)> {
        let queue = &self.audited.queue;
        let file = &queue.source.as_ref()?.file;
        let at = queue.files.iter().position(|it| it == file)?;
        Some((at + 1, queue.files.len()))
    }

    /// To another judging that can be audited, by count. Which one that is, as a sentence.
    ///
    /// # Errors
    /// Where there is no other; a sentence.
    pub fn flip_audited(&mut self, by: isize) -> Result<String, String> {
        if self.study().is_some() {
            return Err("the study says which judgement is audited".into());
        }
        let (number, count) = self.audited_number().ok_or("nothing has judged this run yet")?;
        if count == 1 {
            return Err("this run has one judgement with scores".into());
        }
        let at = (number as isize - 1 + by).rem_euclid(count as isize) as usize;
        let file = self.audited.queue.files.get(at).cloned();
        let words =
            format!("judgement {} of {count}: {}", at + 1, file.as_deref().unwrap_or_default());
        self.audited.judging = file;
        Ok(words)
    }

    /// Audits things of another kind.
    pub fn audit_unit(&mut self, unit: Unit) {
        if self.audited.unit != unit {
            (self.audited.unit, self.audited.judging) = (unit, None);
        }
    }

    /// The kinds of things that there are to be audited. Signals are worked out when they are asked for.
    pub fn units_to_audit(&self) -> Vec<Unit> {
        let Some(ground) = self.ground() else { return vec![] };
        let is_there = |unit: &Unit| {
            let is_open = *unit == Unit::Signal && self.scores.worked.report().is_none();
            is_open || !items::sources(ground, *unit).is_empty()
        };
        Unit::ALL.into_iter().filter(is_there).collect()
    }

    /// What holds for the levels of what is audited: what a study says, else the run's own files, else the built-in words.
    pub fn codebook(&self) -> &Codebook {
        let own = || self.rubric.known()?.codebook.as_deref();
        let of_run = || own().filter(|_| self.audited.unit == Unit::Component);
        let of_study = self.audited.codebook.as_deref();
        of_study.or_else(of_run).unwrap_or_else(|| Codebook::built_in(self.audited.unit))
    }

    /// That of the study that is worked, where it has one and is of components.
    pub fn codebook_of_study(&self) -> Option<Arc<Codebook>> {
        self.audited.codebook.clone().filter(|_| self.audited.unit == Unit::Component)
    }

    /// By what an item is labelled. The criterion of a flag and of a signal is not one of the codebook's.
    pub fn criterion_of(&self, item: &AuditItem) -> Option<&Criterion> {
        let book = self.codebook();
        let named = item.criterion.as_deref().and_then(|id| book.criterion(Some(id)));
        named.or_else(|| book.criterion(None))
    }

    /// The turn after which the code of an item was judged, counts from 0; None where the run has no such moment.
    pub fn turn_of_item(&self, item: &AuditItem) -> Option<usize> {
        moment(&self.run, item.turn, item.commit.as_deref())?.checked_sub(1)
    }

    /// The turn after which the audited code was judged, counts from 0; None where the run has no such moment.
    pub fn audited_turn(&self) -> Option<usize> {
        let source = self.audited.queue.source.as_ref()?;
        moment(&self.run, source.turn, source.commit.as_deref())?.checked_sub(1)
    }

    /// Draws the queue with a seed, where something about it is new.
    pub fn draw_queue(&mut self, seed: Option<u64>) {
        if self.study().is_some() {
            return self.draw_queue_of_study();
        }
        let Some(rubric) = self.rubric.shared().cloned() else { return };
        let source = self.source();
        let Some(ground) = self.ground() else { return };
        let of = DrawnFrom {
            rubric: Known(rubric),
            unit: self.audited.unit,
            source: source.clone(),
            seed: seed.unwrap_or(Plan::default().seed),
            process: (
                ground.process.map(|it| it.signals.len()),
                ground.decisions.map(|it| it.rows.len()),
            ),
        };
        if self.audited.queue.of.as_ref() == Some(&of) {
            return;
        }
        let items = source.as_ref().map(|it| items::of(ground, of.unit, &it.file));
        let items = items::by_criteria(items.unwrap_or_default(), self.codebook());
        let files = items::sources(ground, of.unit).into_iter().map(|it| it.file).collect();
        let items = items::drawn(items, Plan { seed: of.seed, ..Plan::default() });
        self.audited.queue = Queue { of: Some(of), source, items, files };
    }

    /// The queue of the run that is open is what the study's queue has of it, in the judging that is looked at.
    fn draw_queue_of_study(&mut self) {
        let Some((source, items)) = self.study().and_then(StudyQueue::of_open_run) else {
            self.audited.queue = Queue::default();
            return;
        };
        let files = vec![source.file.clone()];
        self.audited.queue = Queue { of: None, source: Some(source), items, files };
    }

    /// What a study says of what is labelled, and by what.
    pub(super) fn audit_as(&mut self, unit: Unit, codebook: Option<Arc<Codebook>>) {
        self.audit_unit(unit);
        self.audited.codebook = codebook;
    }

    /// Whether what a judge wrote of an item is one text for several criteria, of which some wait for a label.
    pub fn waits_for_criteria(&self, item: &AuditItem) -> bool {
        let of_it = self.queued().iter().filter(|it| it.id == item.id && it.unit == item.unit);
        let waits = |it: &AuditItem| self.labels.given_to(it.state(), it.key()).is_none();
        item.criterion.is_some() && !item.unit.is_raised() && of_it.into_iter().any(waits)
    }

    /// What is in the queue, in its order.
    pub fn queued(&self) -> &[AuditItem] {
        &self.audited.queue.items
    }

    /// How many items of the queue have no label.
    pub fn unlabelled_count(&self) -> usize {
        let is_open = |it: &&AuditItem| self.labels.given_to(it.state(), it.key()).is_none();
        self.queued().iter().filter(is_open).count()
    }

    /// Places that the rater marked and that the audited judging does not flag: each with its criterion.
    pub fn missed_flags(&self) -> Vec<(Evidence, String)> {
        let source = self.audit_source().filter(|_| self.audited.unit == Unit::Flag);
        let Some(source) = source else { return vec![] };
        let marked = self.labels.accepted_flags(&source.file, source.commit.as_deref());
        let is_missed =
            |label: &&Label| !self.queued().iter().any(|item| item.key() == label.item());
        let place = |label: &Label| {
            let place = items::place_named(&label.component);
            (place, label.criterion.clone().unwrap_or_default())
        };
        marked.into_iter().filter(is_missed).map(place).collect()
    }

    /// Whether the verdict on a component waits for a label, so that nothing of it may be shown beside the code.
    pub fn is_hidden_by_the_audit(&self, id: &str) -> bool {
        let audited = self.audited.has_begun.then(|| self.audited_of_components()).flatten();
        audited.is_some_and(|judgement| {
            let scores = judgement.of(id).map(Verdict::scores).unwrap_or_default();
            let waits = |it: &Scored<'_>| {
                let key = ItemKey { criterion: it.criterion, ..ItemKey::from(id) };
                self.labels.given_to(judgement, key).is_none()
            };
            scores.iter().any(waits)
        })
    }

    fn audited_of_components(&self) -> Option<&Judgement> {
        match self.audited.unit {
            Unit::Component => self.audited(),
            _ => self.rubric.speaking(),
        }
    }

    /// Whether a verdict was on screen, in this session or in one before.
    pub fn was_seen(&self, file: &str, item: ItemKey<'_>) -> bool {
        let is_it = |it: &VerdictId| it.judgement == file && it.shows(item);
        self.audited.seen.iter().any(is_it) || self.labels.has_seen(file, item)
    }

    /// The judgings whose verdict on an item was on screen, by file. What was raised is there because it was judged.
    pub fn seen_of(&self, item: &AuditItem) -> Vec<String> {
        let key = item.key();
        let here = self.audited.seen.iter().filter(|it| it.shows(key));
        let mut files: BTreeSet<String> = here.map(|it| it.judgement.clone()).collect();
        files.extend(self.labels.files_seen(key));
        if item.unit.is_raised() && !item.judgement.is_empty() {
            files.insert(item.judgement.clone());
        }
        files.into_iter().collect()
    }

    /// The label of the rater at the screen on a component, in the judgement that is looked at. Labels of others are on no
    /// screen: whoever sees them is no independent rater any more. None while nobody said who the rater is.
    pub fn own_label_of<'a>(&'a self, id: &'a str) -> Option<LabelOn<'a>> {
        let annotator = self.labels.annotator()?;
        let own = self.rubric.known()?.labels.iter().find(|it| it.annotator == annotator)?;
        let label = match self.rubric.judgement() {
            Some(judgement) => own.on(judgement, id),
            None => {
                let last = own.labels.iter().rfind(|label| label.item() == id.into());
                let state = last.map(|label| JudgedState {
                    file: label.judgement.as_deref().unwrap_or_default(),
                    commit: label.commit.as_deref(),
                    turn: label.turn,
                });
                state.and_then(|state| own.on(state, id))
            }
        };
        label.filter(|label| label.is_answered())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::session::request::Numbers;
    use trajview_run::{Run, rubric::Rubric};

    fn judgement(file: &str) -> Judgement {
        let verdict =
            |id: &str| Verdict { component: id.into(), score: Some(2), ..Verdict::default() };
        let verdicts = vec![verdict("C1"), verdict("C2")];
        Judgement { file: file.into(), verdicts, ..Judgement::default() }
    }

    fn session(files: &[&str]) -> Session {
        let mut session = Session::of(Run::default().into());
        let asked = session.ask_rubric(&mut Numbers::default(), false).unwrap();
        let judgements = files.iter().map(|file| judgement(file)).collect();
        let rubric = Rubric { judgements, ..Rubric::default() };
        session.rubric.take(asked.request().unwrap(), Ok(Arc::new(rubric)));
        session.draw_queue(None);
        session
    }

    #[test]
    fn what_waits_for_a_label_is_hidden_once_the_audit_was_looked_at() {
        let mut session = session(&["a"]);
        assert!(!session.is_hidden_by_the_audit("C1"));

        session.audited.begin();
        let label = Label {
            component: "C1".into(),
            judgement: Some("a".into()),
            score: Some(2.0),
            ..Label::default()
        };
        session.labels.put(label);

        assert!(!session.is_hidden_by_the_audit("C1") && session.is_hidden_by_the_audit("C2"));
    }

    #[test]
    fn the_audit_goes_round_the_judgements_with_scores() {
        let mut one = session(&["a"]);
        let mut two = session(&["a", "b"]);
        let first = two.audited_number().unwrap();

        assert_eq!(one.flip_audited(1), Err("this run has one judgement with scores".into()));
        assert!(two.flip_audited(1).is_ok());
        two.draw_queue(None);
        assert_ne!(two.audited_number().unwrap(), first);
        assert!(two.flip_audited(1).is_ok());
        two.draw_queue(None);
        assert_eq!(two.audited_number().unwrap(), first);
    }

    #[test]
    fn a_verdict_that_was_on_screen_was_seen_in_its_judgement_alone() {
        let mut audited = Audited::default();
        audited.see([("a".into(), "C1".into())]);

        assert_eq!(audited.take_unsaved(), [VerdictId::of("a", "C1".into())].into());
        assert_eq!(audited.take_unsaved(), BTreeSet::new());
        assert!(!audited.seen.contains(&VerdictId::of("b", "C1".into())));
    }
}
