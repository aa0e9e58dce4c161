//! A study at the screen: one queue over many runs, and the open one of its runs.
//!
//! The session belongs to the open run; the study moves from session to session with the rater's labels in the other
//! runs, so that none is lost on the way. Unsaved labels are saved wherever the rater is by then. An adjudicator
//! works through the things that raters scored differently in the same way.

mod gold;

use std::{collections::BTreeMap, sync::Arc};

use trajview_run::rubric::{Judgement, JudgementLabel, Label, LabelFile};
use trajview_study::{
    audit_items::{AuditItem, JudgingSource},
    loaded_study::{LoadedStudy, RaterProgress, StudyItem, StudyRun},
};

use super::{
    Session,
    effect::Effect,
    label_protocol::{SavedLabels, ScorePairs},
    labels::RaterLabels,
    pending::Pending,
    question::Question,
    request::{RequestId, RequestIds},
};

pub use gold::GoldLabels;

/// The queue of whoever sits at the screen.
#[derive(Debug)]
pub struct StudyQueue {
    pub studied: Arc<LoadedStudy>,
    /// Numbers of [`LoadedStudy::items`], in the order of this rater; of an adjudicator those that are put before them.
    numbers: Vec<usize>,
    /// Place in the queue.
    at: usize,
    pub mode: StudyMode,
    /// The rater's labels in the runs that are not open.
    closed_run_labels: BTreeMap<usize, RaterLabels>,
    /// Number of the run that is open; None before the first is.
    open: Option<usize>,
    run_opening: RunOpening,
    pub gold: GoldLabels,
    /// True where the verdicts of judges are shown to the adjudicator.
    pub shows_verdicts: bool,
    /// Numbers of the things that were labelled since the study was opened, the last one last.
    labelled_here: Vec<usize>,
    /// True where the labels of raters are to be read again, since they may have changed after the study was opened.
    is_stale: bool,
    reading: Pending<()>,
}

/// The work on the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StudyMode {
    #[default]
    Labelling,
    /// Settling the things on which raters differ.
    Adjudicating,
}

/// The state of opening the run of the chosen item.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum RunOpening {
    /// It is open, or is to be opened next.
    #[default]
    Free,
    Asked(RequestId, usize),
    /// A sentence.
    Failed(usize, String),
}

impl StudyQueue {
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Returns the place in the queue, counted from 0.
    pub(crate) const fn queue_position(&self) -> usize {
        self.at
    }

    /// Returns the thing at a place in the queue, counted from 0.
    pub(crate) fn item_at(&self, at: usize) -> Option<&StudyItem> {
        self.studied.items.get(*self.numbers.get(at)?)
    }

    /// Returns the index of the thing that is looked at among all things of the sample.
    pub(crate) fn chosen_number(&self) -> Option<usize> {
        self.numbers.get(self.at).copied()
    }

    /// Returns the thing that is looked at.
    pub fn chosen_item(&self) -> Option<&StudyItem> {
        self.item_at(self.at)
    }

    /// Returns the run of the thing that is looked at.
    pub fn chosen_run(&self) -> Option<&StudyRun> {
        self.studied.run_of(self.chosen_item()?)
    }

    /// Returns whether the run of the chosen item is open.
    pub fn is_open(&self) -> bool {
        self.chosen_item().is_some_and(|item| Some(item.run) == self.open)
    }

    /// Returns whether any run is open.
    pub(crate) const fn has_run(&self) -> bool {
        self.open.is_some()
    }

    /// Returns the reason why the run of the chosen item cannot be opened.
    pub(crate) fn why_not_open(&self) -> Option<&str> {
        match &self.run_opening {
            RunOpening::Failed(run, why)
                if self.chosen_item().is_some_and(|item| item.run == *run) =>
            {
                Some(why)
            }
            _ => None,
        }
    }

    /// Returns the run that is to be opened now, with its index: that of the thing that is looked at. None where it is
    /// open, or another is being opened.
    pub(crate) fn to_open(&self) -> Option<(usize, &StudyRun)> {
        let run = self.chosen_item()?.run;
        let is_under_way = match &self.run_opening {
            RunOpening::Free => false,
            RunOpening::Asked(..) => true, // one after the other: the newest wish comes next
            RunOpening::Failed(failed, _) => *failed == run,
        };
        let is_wanted = self.open != Some(run) && !is_under_way;
        Some((run, self.studied.runs.get(run)?)).filter(|_| is_wanted)
    }

    pub(crate) fn begin_opening(&mut self, request: RequestId, run: usize) {
        self.run_opening = RunOpening::Asked(request, run);
    }

    /// Returns the run that was requested under this number.
    pub(crate) fn awaited_run(&self, request: RequestId) -> Option<usize> {
        match self.run_opening {
            RunOpening::Asked(asked, run) if asked == request => Some(run),
            _ => None,
        }
    }

    pub(crate) fn fail_opening(&mut self, run: usize, why: String) {
        self.run_opening = RunOpening::Failed(run, why);
    }

    /// Returns the judging of the open run that is audited by what is looked at, and what of it is in the queue. None
    /// where what is looked at is of another run.
    pub(super) fn items_of_open_run(&self) -> Option<(JudgingSource, Vec<AuditItem>)> {
        let chosen = self.chosen_item().filter(|item| Some(item.run) == self.open)?;
        let mut judged = self.studied.run_of(chosen)?.judgings.iter();
        let source = &judged.find(|it| it.source.file == chosen.item.judgement)?.source;
        let all = (0..self.len()).filter_map(|at| self.item_at(at));
        let is_here = |it: &&StudyItem| it.run == chosen.run && it.item.judgement == source.file;
        Some((source.clone(), all.filter(is_here).map(|it| it.item.clone()).collect()))
    }

    /// Returns the place in the queue of an item of the run that is open: that which is looked at where it is one, else
    /// the first.
    fn position_of(&self, is_item: impl Fn(&AuditItem) -> bool) -> Option<usize> {
        let is_it = |at: &usize| {
            let item = self.item_at(*at);
            item.is_some_and(|it| Some(it.run) == self.open && is_item(&it.item))
        };
        if is_it(&self.at) {
            return Some(self.at);
        }
        (0..self.len()).find(is_it)
    }
}

impl Session {
    /// Returns the study whose queue is worked; None in the audit of one run.
    pub fn study_queue(&self) -> Option<&StudyQueue> {
        self.audit.study.as_deref()
    }

    pub(crate) fn study_mut(&mut self) -> Option<&mut StudyQueue> {
        self.audit.study.as_deref_mut()
    }

    /// Begins to work on a study. A component is where to begin, where one of the queue is called so.
    pub fn begin_study(&mut self, studied: Arc<LoadedStudy>, component: Option<&str>) {
        let rater = self.labels.annotator().map(str::to_owned);
        self.audit.study = Some(Box::new(StudyQueue {
            gold: GoldLabels::from_study(&studied),
            studied,
            numbers: vec![],
            at: 0,
            mode: StudyMode::default(),
            closed_run_labels: BTreeMap::new(),
            open: None,
            run_opening: RunOpening::Free,
            shows_verdicts: false,
            labelled_here: vec![],
            is_stale: false,
            reading: Pending::default(),
        }));
        self.audit_as_study();
        let Some(rater) = rater else { return };
        if let Err(why) = self.set_rater(&rater) {
            self.notice = Some(why);
        }
        self.start_in_study(component);
    }

    /// Moves to the first thing without a label, or to a component.
    pub(crate) fn start_in_study(&mut self, component: Option<&str>) {
        let Some(study) = self.study_queue() else { return };
        let named = |id: &str| {
            (0..study.len()).find(|at| study.item_at(*at).is_some_and(|it| it.item.id == id))
        };
        let open = (0..study.len()).find(|at| !self.is_done(*at));
        let at = component.and_then(named).or(open).unwrap_or_default();
        self.go_in_study(at);
    }

    /// Sets the person who labels or adjudicates. Refuses with a sentence while labels of another person are unsaved,
    /// and for somebody without a role in the study.
    pub(crate) fn set_rater(&mut self, name: &str) -> Result<(), String> {
        if self.study_queue().is_none() {
            return self.labels.set_annotator(name);
        }
        self.check_all_saved()?;
        self.fold_labels();
        let Some(mut study) = self.audit.study.take() else { return Ok(()) };
        let design = &study.studied.design;
        let (labels, settles) = (design.has_rater(name), study.studied.may_adjudicate(name));
        if !labels && !settles {
            let why = format!(
                "{name} is not a rater of {} ({})",
                study.studied.name,
                design.raters.join(", ")
            );
            self.audit.study = Some(study);
            return Err(why);
        }
        study.mode = if labels { StudyMode::Labelling } else { StudyMode::Adjudicating };
        study.is_stale = !labels && study.has_run(); // before, everything was just read
        study.closed_run_labels.clear();
        study.labelled_here.clear();
        for (at, run) in study.studied.runs.iter().enumerate() {
            let known = run.labels_of(name).cloned().unwrap_or_default();
            study
                .closed_run_labels
                .insert(at, RaterLabels::in_folder(&run.labels_folder, name, known));
        }
        let run_labels = study.open.and_then(|open| study.closed_run_labels.remove(&open));
        self.labels = run_labels.unwrap_or_else(|| RaterLabels::for_rater(name));
        self.audit.study = Some(study);
        self.reset_study_queue();
        Ok(())
    }

    /// Checks that nothing is unsaved.
    fn check_all_saved(&self) -> Result<(), String> {
        let Some(study) = self.study_queue() else { return Ok(()) };
        let waits = |it: &RaterLabels| it.unsaved_count() > 0;
        if waits(&self.labels)
            || study.closed_run_labels.values().any(waits)
            || study.gold.unsaved_count() > 0
        {
            let name = self.labels.annotator().unwrap_or_default();
            return Err(format!("labels of {name} are not saved yet"));
        }
        Ok(())
    }

    /// Returns the number of unsaved labels of closed runs and unsaved outcomes of adjudication.
    pub(crate) fn unsaved_elsewhere(&self) -> usize {
        let Some(study) = self.study_queue() else { return 0 };
        let away: usize = study.closed_run_labels.values().map(RaterLabels::unsaved_count).sum();
        away + study.gold.unsaved_count()
    }

    /// Merges the labels of this session into the study, which the next person starts from.
    fn fold_labels(&mut self) {
        let Some(mut study) = self.audit.study.take() else { return };
        let open = study.open.map(|open| (open, &self.labels));
        let all = study.closed_run_labels.iter().map(|(run, labels)| (*run, labels)).chain(open);
        let said: Vec<_> =
            all.filter_map(|(run, it)| Some((run, it.saved_labels()?.clone()))).collect();
        let studied = Arc::make_mut(&mut study.studied);
        for (run, labels) in said.into_iter().filter(|(_, it)| !it.labels.is_empty()) {
            let Some(run) = studied.runs.get_mut(run) else { continue };
            run.rubric.labels.retain(|it| it.annotator != labels.annotator);
            run.rubric.labels.push(labels);
        }
        study.gold.fold_into(studied);
        self.audit.study = Some(study);
    }

    /// Arranges the queue of the study for the rater and the mode, and lets a run be opened again that could not be.
    fn reset_study_queue(&mut self) {
        self.arrange_study_queue();
        if let Some(study) = self.study_mut() {
            study.run_opening = RunOpening::Free;
        }
    }

    /// Arranges the queue like [`Self::reset_study_queue`], while a run may be opening.
    pub(super) fn arrange_study_queue(&mut self) {
        let name = self.labels.annotator().unwrap_or_default().to_owned();
        let Some(study) = self.study_mut() else { return };
        let before = study.chosen_number();
        study.numbers = match study.mode {
            StudyMode::Labelling => study.studied.queue_of(&name),
            StudyMode::Adjudicating => {
                study.studied.adjudication_cases().iter().map(|case| case.number).collect()
            }
        };
        study.at = study.numbers.iter().position(|it| Some(*it) == before).unwrap_or_default();
    }

    /// Puts the items without a label into this order, which has their numbers; labelled ones stay first, as they are.
    pub(super) fn arrange_study_by(&mut self, order: &[usize]) {
        let Some(study) = self.study_queue() else { return };
        let places: BTreeMap<usize, usize> =
            order.iter().enumerate().map(|(place, number)| (*number, place + 1)).collect();
        let rank = |at: usize| {
            let place = places.get(&study.numbers[at]).copied().unwrap_or(usize::MAX);
            if self.is_done(at) { 0 } else { place }
        };
        let mut ranked: Vec<(usize, usize)> =
            (0..study.len()).map(|at| (rank(at), study.numbers[at])).collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        let chosen = study.chosen_number();
        let numbers: Vec<usize> = ranked.into_iter().map(|(_, number)| number).collect();
        if let Some(study) = self.study_mut() {
            study.at = numbers.iter().position(|it| Some(*it) == chosen).unwrap_or_default();
            study.numbers = numbers;
        }
    }

    /// Asks for the labels of all raters again, where they are stale.
    pub(crate) fn ask_for_study_labels(&mut self, numbers: &mut RequestIds) -> Option<Effect> {
        let study = self.study_mut().filter(|it| it.is_stale && it.reading.is_free())?;
        study.is_stale = false;
        let places = study.studied.runs.iter().map(|run| run.labels_folder.clone()).collect();
        Some(study.reading.ask_question(numbers, (), Question::StudyLabels { places }))
    }

    /// Takes the current labels of all raters; those of the current rater are better known here.
    pub(crate) fn take_study_labels(
        &mut self,
        request: RequestId,
        labels_by_run: Result<Vec<Vec<LabelFile>>, String>,
    ) {
        let annotator = self.labels.annotator().unwrap_or_default().to_owned();
        let Some(study) = self.study_mut() else { return };
        let (Some(()), Ok(labels_by_run)) = (study.reading.take_answered(request), labels_by_run)
        else {
            return;
        };
        let is_own = |labels: &LabelFile| labels.annotator == annotator;
        for (run, label_files) in
            Arc::make_mut(&mut study.studied).runs.iter_mut().zip(labels_by_run)
        {
            run.rubric.labels.retain(is_own);
            run.rubric.labels.extend(label_files.into_iter().filter(|labels| !is_own(labels)));
        }
        if self.is_adjudicating() {
            self.arrange_study_queue();
        }
    }

    /// Switches between labelling and adjudicating. The error is a sentence.
    pub(crate) fn switch_study_mode(&mut self) -> Result<StudyMode, String> {
        if self.study_queue().is_none() {
            return Err("only a study has adjudication: `trajview STUDY.toml`".into());
        }
        self.check_all_saved()?;
        self.fold_labels();
        let Some(study) = self.study_queue() else { return Err(String::new()) };
        let name = self.labels.annotator().unwrap_or_default().to_owned();
        let design = &study.studied.design;
        let next = match study.mode {
            StudyMode::Labelling if !study.studied.may_adjudicate(&name) => {
                return Err(match &design.adjudicator {
                    Some(who) => format!("{who} adjudicates this study"),
                    None => {
                        format!("{name} is a rater of this study and cannot see labels of others")
                    }
                });
            }
            StudyMode::Labelling => StudyMode::Adjudicating,
            StudyMode::Adjudicating if !design.has_rater(&name) => {
                if let Some(study) = self.study_mut() {
                    study.is_stale = true;
                }
                return Err(format!(
                    "{name} adjudicates this study and does not label in it; labels reloaded"
                ));
            }
            StudyMode::Adjudicating => StudyMode::Labelling,
        };
        if let Some(study) = self.study_mut() {
            study.mode = next;
            study.is_stale = next == StudyMode::Adjudicating;
        }
        self.reset_study_queue();
        self.start_in_study(None);
        Ok(next)
    }

    /// Returns whether the user is adjudicating.
    pub(crate) fn is_adjudicating(&self) -> bool {
        self.study_queue().is_some_and(|study| study.mode == StudyMode::Adjudicating)
    }

    /// Moves to a place in the queue.
    pub(crate) fn go_in_study(&mut self, at: usize) {
        if let Some(study) = self.study_mut().filter(|study| at < study.len()) {
            study.at = at;
            if let RunOpening::Failed(..) = study.run_opening {
                study.run_opening = RunOpening::Free;
            }
        }
    }

    /// Moves to a thing of the open run, where the queue has it.
    pub(crate) fn go_to_item_in_study(&mut self, is_item: impl Fn(&AuditItem) -> bool) {
        if let Some(at) = self.study_queue().and_then(|study| study.position_of(is_item)) {
            self.go_in_study(at);
        }
    }

    /// Returns whether everything about the chosen item is available: its run is open and the run's rubric is read.
    pub(crate) fn is_study_item_here(&self) -> bool {
        self.study_queue().is_none_or(StudyQueue::is_open)
            && (self.study_queue().is_none() || self.rubric.known_rubric().is_some())
    }

    /// Returns the rater's labels in a run of the study.
    pub(super) fn labels_in(&self, run: usize) -> Option<&RaterLabels> {
        let study = self.study_queue()?;
        if study.open == Some(run) { Some(&self.labels) } else { study.closed_run_labels.get(&run) }
    }

    /// Returns how many items of a judgement of the open run wait for a label of whoever sits here; None where nobody labels
    /// in a study.
    pub(super) fn open_in_study(&self, judgement: &Judgement) -> Option<usize> {
        let study = self.study_queue().filter(|it| it.mode == StudyMode::Labelling)?;
        let is_of = |item: &AuditItem| {
            let pooled = judgement.pooled.as_ref();
            item.judgement == judgement.file
                || pooled.is_some_and(|it| it.from.iter().any(|(file, _)| *file == item.judgement))
        };
        let is_here = |at: &usize| {
            study.item_at(*at).is_some_and(|it| Some(it.run) == study.open && is_of(&it.item))
        };
        Some((0..study.len()).filter(is_here).filter(|at| !self.is_done(*at)).count())
    }

    /// Returns the label of a thing in the study, one that was taken back included.
    pub(crate) fn study_label<'a>(&'a self, item: &'a StudyItem) -> Option<JudgementLabel<'a>> {
        self.labels_in(item.run)?.label_on(item.item.judged_state(), item.item_key())
    }

    /// Remembers that a thing of the run that is open was labelled, to be taken back.
    pub(crate) fn remember_in_study(&mut self, item: &AuditItem) {
        let is_it =
            |it: &AuditItem| it.item_key() == item.item_key() && it.judgement == item.judgement;
        let Some(study) = self.study_mut() else { return };
        let number = study.position_of(is_it).and_then(|at| study.numbers.get(at).copied());
        study.labelled_here.extend(number);
    }

    /// Takes the label back that was given last, whichever run it is of. Gives its place in the queue; None outside of a
    /// study, and where nothing that was labelled since it was opened is.
    pub(crate) fn take_back_in_study(&mut self) -> Option<usize> {
        loop {
            let number = self
                .study_mut()
                .filter(|it| it.mode == StudyMode::Labelling)?
                .labelled_here
                .pop()?;
            let study = self.study_queue()?;
            let at = study.numbers.iter().position(|it| *it == number)?;
            let item = study.item_at(at)?.clone();
            if !self.study_label(&item).is_some_and(JudgementLabel::is_answered) {
                continue; // taken back where it stands
            }
            let is_open = study.open == Some(item.run);
            let away = self.audit.study.as_deref_mut().filter(|_| !is_open);
            let labels = match away {
                Some(study) => study.closed_run_labels.get_mut(&item.run)?,
                None => &mut self.labels,
            };
            labels.take_back(item.item.judged_state(), item.item.item_key());
            return Some(at);
        }
    }

    /// Returns the proposal for a thing that is not committed.
    pub(crate) fn study_proposal(&self, item: &StudyItem) -> Option<&Label> {
        self.labels_in(item.run)?.proposal_of(item.item.judged_state(), item.item_key())
    }

    /// Returns whether the label of a thing is unsaved.
    pub(crate) fn is_unsaved_in_study(&self, item: &StudyItem) -> bool {
        let labels = self.labels_in(item.run);
        labels.is_some_and(|labels| labels.is_unsaved(item.item.judged_state(), item.item_key()))
    }

    /// Returns whether the thing at a place of the queue is labelled, or settled.
    pub fn is_done(&self, at: usize) -> bool {
        let Some(study) = self.study_queue() else { return false };
        let Some(item) = study.item_at(at) else { return false };
        match study.mode {
            StudyMode::Labelling => self.study_label(item).is_some_and(JudgementLabel::is_answered),
            StudyMode::Adjudicating => study.gold.outcome_of(item).is_some(),
        }
    }

    /// Returns the progress of the queue, run by run; runs without a thing in it are left out.
    pub(crate) fn study_progress(&self) -> BTreeMap<usize, RaterProgress> {
        let mut by_run: BTreeMap<usize, RaterProgress> = BTreeMap::new();
        let Some(study) = self.study_queue() else { return by_run };
        for at in 0..study.len() {
            let Some(item) = study.item_at(at) else { continue };
            let progress = by_run.entry(item.run).or_default();
            progress.all += 1;
            progress.done += usize::from(self.is_done(at));
        }
        by_run
    }

    /// Returns the scores of the judges and the rater for the same things of the whole study: labelled before the
    /// verdict was seen, and after. Only those of one criterion where it is named.
    pub(crate) fn study_pairs(&self, criterion: Option<&str>) -> [ScorePairs; 2] {
        let (mut blind, mut open) = (vec![], vec![]);
        let scale = self.audit_codebook().criterion_by_id(criterion).map(|it| it.scale);
        let scale = scale.unwrap_or(self.audit.unit().default_scale());
        let with = |scores| ScorePairs { scale, scores };
        let Some(study) = self.study_queue() else { return [with(blind), with(open)] };
        let is_wanted =
            |item: &&StudyItem| criterion.is_none() || item.item.criterion.as_deref() == criterion;
        for item in (0..study.len()).filter_map(|at| study.item_at(at)).filter(is_wanted) {
            let label = self.study_label(item).filter(|label| label.is_answered());
            let (Some(label), Some(verdict)) = (label, item.item.verdict.score) else { continue };
            let Some(score) = label.score() else { continue };
            if label.label.label_scale() != scale {
                continue; // on another scale nothing compares
            }
            let pairs = if label.is_blind() == Some(true) { &mut blind } else { &mut open };
            pairs.push((verdict, score));
        }
        [with(blind), with(open)]
    }

    /// Returns the effects that save labels of closed runs and gold labels, and read the labels of others again.
    pub(crate) fn ask_in_study(&mut self, numbers: &mut RequestIds) -> Vec<Effect> {
        let read = self.ask_for_study_labels(numbers);
        let Some(study) = self.study_mut() else { return vec![] };
        let away = study.closed_run_labels.values_mut();
        let mut effects: Vec<Effect> =
            away.filter_map(|labels| labels.ask_to_save(numbers)).collect();
        effects.extend(study.gold.ask_to_save(&study.studied, numbers));
        effects.extend(read);
        effects
    }

    /// Takes the result of saving a label, of any run; returns the label that won where another program saved first.
    pub(crate) fn take_saved(
        &mut self,
        request: RequestId,
        saved: Result<SavedLabels, String>,
    ) -> Option<Label> {
        if !self.labels.awaits_save(request)
            && let Some(study) = self.audit.study.as_deref_mut()
            && let Some(labels) =
                study.closed_run_labels.values_mut().find(|labels| labels.awaits_save(request))
        {
            return labels.take_saved(request, saved);
        }
        self.labels.take_saved(request, saved)
    }

    /// Leaves the open run; its labels move with the study.
    pub(crate) fn leave_study(&mut self) -> Option<Box<StudyQueue>> {
        self.note_seen();
        let mut study = self.audit.study.take()?;
        if let Some(open) = study.open.take() {
            study.closed_run_labels.insert(open, std::mem::take(&mut self.labels));
        }
        Some(study)
    }

    /// Goes on with a study in the run of this number, which is the one of this session.
    pub(crate) fn join_study(&mut self, mut study: Box<StudyQueue>, run: usize) {
        if let Some(labels) = study.closed_run_labels.remove(&run) {
            self.labels = labels;
        }
        (study.open, study.run_opening) = (Some(run), RunOpening::Free);
        self.audit.study = Some(study);
        self.audit_as_study();
    }

    /// Sets the unit and the codebook of the study.
    fn audit_as_study(&mut self) {
        let Some(design) = self.study_queue().map(|study| &study.studied.design) else { return };
        let (unit, codebook) = (design.unit, design.codebook.clone());
        self.audit_as(unit, codebook.map(Arc::new));
    }

    /// Brings what was on screen to the rater's file. Whoever settles labels of others has none.
    pub(crate) fn note_seen(&mut self) {
        if self.labels.is_settled() && !self.is_adjudicating() {
            let seen = self.audit.take_unsaved();
            self.labels.add_seen(seen);
        }
    }
}

#[cfg(test)]
mod tests;
