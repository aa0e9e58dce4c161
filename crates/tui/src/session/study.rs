//! A study at the screen: one queue over many runs, and which of its runs is open.
//!
//! The session is of the run that is open; the study goes from session to session with what the rater said in the other
//! runs, so that nothing of it is lost on the way. What is on its way to the disk goes there wherever the rater is by then.
//! Whoever adjudicates works through the things that raters scored differently in the same way.

mod gold;

use std::{collections::BTreeMap, sync::Arc};

use trajview_run::rubric::{Label, LabelOn, Labels};
use trajview_study::{
    items::{AuditItem, Source},
    studied::{Progress, Studied, StudyItem, StudyRun},
};

use super::{
    Session,
    ask::Pending,
    effect::Effect,
    labels::RaterLabels,
    question::Question,
    request::{Numbers, Request},
    saved::{Pairs, Saved},
};

pub use gold::GoldLabels;

/// The queue of whoever sits at the screen.
#[derive(Debug)]
pub struct StudyQueue {
    pub studied: Arc<Studied>,
    /// Numbers of [`Studied::items`], in the order of this rater; of an adjudicator those that are put before them.
    numbers: Vec<usize>,
    /// Place in the queue.
    at: usize,
    pub mode: Mode,
    /// What the rater said in the runs that are not open.
    away: BTreeMap<usize, RaterLabels>,
    /// Number of the run that is open; None before the first is.
    open: Option<usize>,
    way: Way,
    pub gold: GoldLabels,
    /// Whether the verdicts of judges are shown to the adjudicator.
    pub shows_verdicts: bool,
    /// Numbers of the things that were labelled since the study was opened, the last one last.
    given: Vec<usize>,
    /// Whether what raters said is to be read again: they may have gone on since the study was opened.
    is_old: bool,
    reading: Pending<()>,
}

/// What is done with the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    #[default]
    Labelling,
    /// What raters differ on is settled.
    Adjudicating,
}

/// How far the run of the item that is looked at is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum Way {
    /// It is open, or is to be opened next.
    #[default]
    Free,
    Asked(Request, usize),
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

    /// Place in the queue, counts from 0.
    pub const fn at(&self) -> usize {
        self.at
    }

    /// The thing at a place in the queue.
    pub fn item(&self, at: usize) -> Option<&StudyItem> {
        self.studied.items.get(*self.numbers.get(at)?)
    }

    /// Number of the thing that is looked at among all things of the sample.
    pub fn number(&self) -> Option<usize> {
        self.numbers.get(self.at).copied()
    }

    /// The thing that is looked at.
    pub fn chosen(&self) -> Option<&StudyItem> {
        self.item(self.at)
    }

    /// Its run.
    pub fn chosen_run(&self) -> Option<&StudyRun> {
        self.studied.run_of(self.chosen()?)
    }

    /// Whether the run of the thing that is looked at is open.
    pub fn is_open(&self) -> bool {
        self.chosen().is_some_and(|item| Some(item.run) == self.open)
    }

    /// Whether any run is.
    pub const fn has_run(&self) -> bool {
        self.open.is_some()
    }

    /// Why the run of the thing that is looked at is not open, where it cannot be.
    pub fn why_not_open(&self) -> Option<&str> {
        match &self.way {
            Way::Failed(run, why) if self.chosen().is_some_and(|item| item.run == *run) => {
                Some(why)
            }
            _ => None,
        }
    }

    /// The run that is to be opened now, if any: that of the thing that is looked at.
    pub fn to_open(&self) -> Option<(usize, &StudyRun)> {
        let run = self.chosen()?.run;
        let is_under_way = match &self.way {
            Way::Free => false,
            Way::Asked(..) => true, // one after the other: the newest wish comes next
            Way::Failed(failed, _) => *failed == run,
        };
        let is_wanted = self.open != Some(run) && !is_under_way;
        Some((run, self.studied.runs.get(run)?)).filter(|_| is_wanted)
    }

    pub fn opening(&mut self, request: Request, run: usize) {
        self.way = Way::Asked(request, run);
    }

    /// The run that was asked for under this number.
    pub fn awaited(&self, request: Request) -> Option<usize> {
        match self.way {
            Way::Asked(asked, run) if asked == request => Some(run),
            _ => None,
        }
    }

    pub fn failed(&mut self, run: usize, why: String) {
        self.way = Way::Failed(run, why);
    }

    /// The run that is open: the judging that is audited by what is looked at, and what of it is in the queue.
    pub(super) fn of_open_run(&self) -> Option<(Source, Vec<AuditItem>)> {
        let chosen = self.chosen().filter(|item| Some(item.run) == self.open)?;
        let mut judged = self.studied.run_of(chosen)?.judged.iter();
        let source = &judged.find(|it| it.source.file == chosen.item.judgement)?.source;
        let all = (0..self.len()).filter_map(|at| self.item(at));
        let is_here = |it: &&StudyItem| it.run == chosen.run && it.item.judgement == source.file;
        Some((source.clone(), all.filter(is_here).map(|it| it.item.clone()).collect()))
    }

    /// The place of an item of the run that is open.
    fn place_of(&self, is_item: impl Fn(&AuditItem) -> bool) -> Option<usize> {
        let is_it = |at: &usize| {
            let item = self.item(*at);
            item.is_some_and(|it| Some(it.run) == self.open && is_item(&it.item))
        };
        if is_it(&self.at) {
            return Some(self.at);
        }
        (0..self.len()).find(is_it)
    }
}

impl Session {
    /// The study whose queue is worked, where it is one.
    pub fn study(&self) -> Option<&StudyQueue> {
        self.audited.study.as_deref()
    }

    pub fn study_mut(&mut self) -> Option<&mut StudyQueue> {
        self.audited.study.as_deref_mut()
    }

    /// Begins to work on a study. A component is where to begin, where one of the queue is called so.
    pub fn begin_study(&mut self, studied: Arc<Studied>, component: Option<&str>) {
        let rater = self.labels.annotator().map(str::to_owned);
        self.audited.study = Some(Box::new(StudyQueue {
            gold: GoldLabels::of(&studied),
            studied,
            numbers: vec![],
            at: 0,
            mode: Mode::default(),
            away: BTreeMap::new(),
            open: None,
            way: Way::Free,
            shows_verdicts: false,
            given: vec![],
            is_old: false,
            reading: Pending::default(),
        }));
        self.audit_as_study();
        let Some(rater) = rater else { return };
        if let Err(why) = self.be_rater(&rater) {
            self.notice = Some(why);
        }
        self.start_in_study(component);
    }

    /// To the first thing without a label, or to a component.
    fn start_in_study(&mut self, component: Option<&str>) {
        let Some(study) = self.study() else { return };
        let named = |id: &str| {
            (0..study.len()).find(|at| study.item(*at).is_some_and(|it| it.item.id == id))
        };
        let open = (0..study.len()).find(|at| !self.is_done(*at));
        let at = component.and_then(named).or(open).unwrap_or_default();
        self.go_in_study(at);
    }

    /// From now on this person labels, or settles what others differ on. Refused, with a sentence, while labels of another
    /// are not saved, and to who has no part in the study.
    pub fn be_rater(&mut self, name: &str) -> Result<(), String> {
        if self.study().is_none() {
            return self.labels.be(name);
        }
        self.may_change_hands()?;
        self.fold_labels();
        let Some(mut study) = self.audited.study.take() else { return Ok(()) };
        let design = &study.studied.design;
        let (labels, settles) = (design.has_rater(name), study.studied.may_adjudicate(name));
        if !labels && !settles {
            let why = format!(
                "{name} is none of the raters of {} ({})",
                study.studied.name,
                design.raters.join(", ")
            );
            self.audited.study = Some(study);
            return Err(why);
        }
        study.mode = if labels { Mode::Labelling } else { Mode::Adjudicating };
        study.is_old = !labels && study.has_run(); // before, everything was just read
        study.away.clear();
        study.given.clear();
        for (at, run) in study.studied.runs.iter().enumerate() {
            let known = run.labels_of(name).cloned().unwrap_or_default();
            study.away.insert(at, RaterLabels::kept_in(&run.place, name, known));
        }
        let own = study.open.and_then(|open| study.away.remove(&open));
        self.labels = own.unwrap_or_else(|| RaterLabels::called(name));
        self.audited.study = Some(study);
        self.draw_study();
        Ok(())
    }

    /// Whether nothing waits to be saved.
    fn may_change_hands(&self) -> Result<(), String> {
        let Some(study) = self.study() else { return Ok(()) };
        let waits = |it: &RaterLabels| it.unsaved_count() > 0;
        if waits(&self.labels) || study.away.values().any(waits) || study.gold.unsaved_count() > 0 {
            let name = self.labels.annotator().unwrap_or_default();
            return Err(format!("labels of {name} are not saved yet"));
        }
        Ok(())
    }

    /// How many labels of runs that are not open, and outcomes of adjudication, are not on disk so far.
    pub fn unsaved_elsewhere(&self) -> usize {
        let Some(study) = self.study() else { return 0 };
        let away: usize = study.away.values().map(RaterLabels::unsaved_count).sum();
        away + study.gold.unsaved_count()
    }

    /// Puts what was said at this screen into the study, where the next person at it is counted from.
    fn fold_labels(&mut self) {
        let Some(mut study) = self.audited.study.take() else { return };
        let open = study.open.map(|open| (open, &self.labels));
        let all = study.away.iter().map(|(run, labels)| (*run, labels)).chain(open);
        let said: Vec<_> = all.filter_map(|(run, it)| Some((run, it.kept()?.clone()))).collect();
        let studied = Arc::make_mut(&mut study.studied);
        for (run, labels) in said.into_iter().filter(|(_, it)| !it.labels.is_empty()) {
            let Some(run) = studied.runs.get_mut(run) else { continue };
            run.rubric.labels.retain(|it| it.annotator != labels.annotator);
            run.rubric.labels.push(labels);
        }
        study.gold.fold_into(studied);
        self.audited.study = Some(study);
    }

    /// Sets up the queue of whoever sits here, as the mode wants it.
    fn draw_study(&mut self) {
        self.arrange_study();
        if let Some(study) = self.study_mut() {
            study.way = Way::Free;
        }
    }

    /// As [`Self::draw_study`], while a run may be on its way.
    fn arrange_study(&mut self) {
        let name = self.labels.annotator().unwrap_or_default().to_owned();
        let Some(study) = self.study_mut() else { return };
        let before = study.number();
        study.numbers = match study.mode {
            Mode::Labelling => study.studied.queue_of(&name),
            Mode::Adjudicating => study.studied.cases().iter().map(|case| case.number).collect(),
        };
        study.at = study.numbers.iter().position(|it| Some(*it) == before).unwrap_or_default();
    }

    /// Reads what raters said again, where that is wanted.
    pub fn ask_for_study_labels(&mut self, numbers: &mut Numbers) -> Option<Effect> {
        let study = self.study_mut().filter(|it| it.is_old && it.reading.is_free())?;
        study.is_old = false;
        let places = study.studied.runs.iter().map(|run| run.place.clone()).collect();
        Some(study.reading.ask(numbers, (), Question::StudyLabels { places }))
    }

    /// Takes what raters have said by now; what the one at the screen said is known better here.
    pub fn take_study_labels(&mut self, request: Request, said: Result<Vec<Vec<Labels>>, String>) {
        let own = self.labels.annotator().unwrap_or_default().to_owned();
        let Some(study) = self.study_mut() else { return };
        let (Some(()), Ok(said)) = (study.reading.answered(request), said) else { return };
        let is_own = |labels: &Labels| labels.annotator == own;
        for (run, said) in Arc::make_mut(&mut study.studied).runs.iter_mut().zip(said) {
            run.rubric.labels.retain(is_own);
            run.rubric.labels.extend(said.into_iter().filter(|labels| !is_own(labels)));
        }
        if self.adjudicates() {
            self.arrange_study();
        }
    }

    /// From labelling to settling, and back. The error is a sentence.
    pub fn turn_study(&mut self) -> Result<Mode, String> {
        if self.study().is_none() {
            return Err("labels are settled in a study: `trajview STUDY.toml`".into());
        }
        self.may_change_hands()?;
        self.fold_labels();
        let Some(study) = self.study() else { return Err(String::new()) };
        let name = self.labels.annotator().unwrap_or_default().to_owned();
        let design = &study.studied.design;
        let next = match study.mode {
            Mode::Labelling if !study.studied.may_adjudicate(&name) => {
                return Err(match &design.adjudicator {
                    Some(who) => format!("{who} settles what raters of this study differ on"),
                    None => {
                        format!("{name} labels in this study, and is shown no labels of others")
                    }
                });
            }
            Mode::Labelling => Mode::Adjudicating,
            Mode::Adjudicating if !design.has_rater(&name) => {
                if let Some(study) = self.study_mut() {
                    study.is_old = true;
                }
                return Err(format!(
                    "{name} settles what raters differ on, and labels nothing in this study; what they said is read again"
                ));
            }
            Mode::Adjudicating => Mode::Labelling,
        };
        if let Some(study) = self.study_mut() {
            study.mode = next;
            study.is_old = next == Mode::Adjudicating;
        }
        self.draw_study();
        self.start_in_study(None);
        Ok(next)
    }

    /// Whether what raters differ on is being settled.
    pub fn adjudicates(&self) -> bool {
        self.study().is_some_and(|study| study.mode == Mode::Adjudicating)
    }

    /// To a place in the queue.
    pub fn go_in_study(&mut self, at: usize) {
        if let Some(study) = self.study_mut().filter(|study| at < study.len()) {
            study.at = at;
            if let Way::Failed(..) = study.way {
                study.way = Way::Free;
            }
        }
    }

    /// To a thing of the run that is open, where the queue has it.
    pub fn go_to_item_in_study(&mut self, is_item: impl Fn(&AuditItem) -> bool) {
        if let Some(at) = self.study().and_then(|study| study.place_of(is_item)) {
            self.go_in_study(at);
        }
    }

    /// Whether everything on the thing that is looked at is there: its run is open and what it is judged by is read.
    pub fn is_study_item_here(&self) -> bool {
        self.study().is_none_or(StudyQueue::is_open)
            && (self.study().is_none() || self.rubric.known().is_some())
    }

    /// What the rater said in a run of the study.
    fn labels_in(&self, run: usize) -> Option<&RaterLabels> {
        let study = self.study()?;
        if study.open == Some(run) { Some(&self.labels) } else { study.away.get(&run) }
    }

    /// The label of a thing in the study, one that was taken back included.
    pub fn study_label<'a>(&'a self, item: &'a StudyItem) -> Option<LabelOn<'a>> {
        self.labels_in(item.run)?.of(item.item.state(), item.key())
    }

    /// Remembers that a thing of the run that is open was labelled, to be taken back.
    pub fn remember_in_study(&mut self, item: &AuditItem) {
        let is_it = |it: &AuditItem| it.key() == item.key() && it.judgement == item.judgement;
        let Some(study) = self.study_mut() else { return };
        let number = study.place_of(is_it).and_then(|at| study.numbers.get(at).copied());
        study.given.extend(number);
    }

    /// Takes the label back that was given last, whichever run it is of. Gives its place in the queue; None outside of a
    /// study, and where nothing that was labelled since it was opened is.
    pub fn take_back_in_study(&mut self) -> Option<usize> {
        loop {
            let number = self.study_mut().filter(|it| it.mode == Mode::Labelling)?.given.pop()?;
            let study = self.study()?;
            let at = study.numbers.iter().position(|it| *it == number)?;
            let item = study.item(at)?.clone();
            if !self.study_label(&item).is_some_and(LabelOn::is_answered) {
                continue; // taken back where it stands
            }
            let is_open = study.open == Some(item.run);
            let away = self.audited.study.as_deref_mut().filter(|_| !is_open);
            let labels = match away {
                Some(study) => study.away.get_mut(&item.run)?,
                None => &mut self.labels,
            };
            labels.take_back(item.item.state(), item.item.key());
            return Some(at);
        }
    }

    /// What was put down of a thing and not committed.
    pub fn study_proposal(&self, item: &StudyItem) -> Option<&Label> {
        self.labels_in(item.run)?.proposal_of(item.item.state(), item.key())
    }

    /// Whether the label of a thing is not on disk so far.
    pub fn is_unsaved_in_study(&self, item: &StudyItem) -> bool {
        let labels = self.labels_in(item.run);
        labels.is_some_and(|labels| labels.is_unsaved(item.item.state(), item.key()))
    }

    /// Whether the thing at a place of the queue is labelled, or settled.
    pub fn is_done(&self, at: usize) -> bool {
        let Some(study) = self.study() else { return false };
        let Some(item) = study.item(at) else { return false };
        match study.mode {
            Mode::Labelling => self.study_label(item).is_some_and(LabelOn::is_answered),
            Mode::Adjudicating => study.gold.of_item(item).is_some(),
        }
    }

    /// How far the queue is, run by run; those of which nothing is in it are left out.
    pub fn study_progress(&self) -> BTreeMap<usize, Progress> {
        let mut by_run: BTreeMap<usize, Progress> = BTreeMap::new();
        let Some(study) = self.study() else { return by_run };
        for at in 0..study.len() {
            let Some(item) = study.item(at) else { continue };
            let progress = by_run.entry(item.run).or_default();
            progress.all += 1;
            progress.done += usize::from(self.is_done(at));
        }
        by_run
    }

    /// What the judges and the rater gave to the same things of the whole study: labelled before the verdict was seen, and
    /// after. Of one criterion where it is named.
    pub fn study_pairs(&self, criterion: Option<&str>) -> [Pairs; 2] {
        let (mut blind, mut open) = (vec![], vec![]);
        let scale = self.codebook().criterion(criterion).map(|it| it.scale);
        let scale = scale.unwrap_or(self.audited.unit().scale());
        let with = |scores| Pairs { scale, scores };
        let Some(study) = self.study() else { return [with(blind), with(open)] };
        let is_wanted =
            |item: &&StudyItem| criterion.is_none() || item.item.criterion.as_deref() == criterion;
        for item in (0..study.len()).filter_map(|at| study.item(at)).filter(is_wanted) {
            let label = self.study_label(item).filter(|label| label.is_answered());
            let (Some(label), Some(verdict)) = (label, item.item.said.score) else { continue };
            let Some(score) = label.score() else { continue };
            if label.given.scale_of() != scale {
                continue; // on another scale nothing compares
            }
            let pairs = if label.blind() == Some(true) { &mut blind } else { &mut open };
            pairs.push((verdict, score));
        }
        [with(blind), with(open)]
    }

    /// Labels of other runs and gold labels, to be brought to the disk, and what others said, to be read again.
    pub fn ask_in_study(&mut self, numbers: &mut Numbers) -> Vec<Effect> {
        let read = self.ask_for_study_labels(numbers);
        let Some(study) = self.study_mut() else { return vec![] };
        let away = study.away.values_mut();
        let mut effects: Vec<Effect> =
            away.filter_map(|labels| labels.ask_to_save(numbers)).collect();
        effects.extend(study.gold.ask_to_save(&study.studied, numbers));
        effects.extend(read);
        effects
    }

    /// Takes what became of a label, whichever run it is of; gives the label that stands where another program was first.
    pub fn take_saved(&mut self, request: Request, saved: Result<Saved, String>) -> Option<Label> {
        if !self.labels.awaits(request)
            && let Some(study) = self.audited.study.as_deref_mut()
            && let Some(labels) = study.away.values_mut().find(|labels| labels.awaits(request))
        {
            return labels.take_saved(request, saved);
        }
        self.labels.take_saved(request, saved)
    }

    /// Leaves the run that is open; what was said in it goes with the study.
    pub fn leave_study(&mut self) -> Option<Box<StudyQueue>> {
        self.note_seen();
        let mut study = self.audited.study.take()?;
        if let Some(open) = study.open.take() {
            study.away.insert(open, std::mem::take(&mut self.labels));
        }
        Some(study)
    }

    /// Goes on with a study in the run of this number, which is the one of this session.
    pub fn join_study(&mut self, mut study: Box<StudyQueue>, run: usize) {
        if let Some(labels) = study.away.remove(&run) {
            self.labels = labels;
        }
        (study.open, study.way) = (Some(run), Way::Free);
        self.audited.study = Some(study);
        self.audit_as_study();
    }

    /// What is labelled, and by what, is as the study says.
    fn audit_as_study(&mut self) {
        let Some(design) = self.study().map(|study| &study.studied.design) else { return };
        let (unit, codebook) = (design.unit, design.codebook.clone());
        self.audit_as(unit, codebook.map(Arc::new));
    }

    /// Brings what was on screen to the rater's file. Whoever settles labels of others has none.
    pub fn note_seen(&mut self) {
        if self.labels.is_settled() && !self.adjudicates() {
            let seen = self.audited.take_unsaved();
            self.labels.see(seen);
        }
    }
}

#[cfg(test)]
mod tests;
