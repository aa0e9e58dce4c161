//! The outcomes of an adjudicator: those on disk, and those being saved, one at a time in their order.

use std::collections::{BTreeMap, VecDeque};

use crate::session::{
    effect::Effect,
    pending::Pending,
    question::Question,
    request::{RequestId, RequestIds},
};
use trajview_run::rubric::GoldLabel;
use trajview_study::loaded_study::{LoadedStudy, StudyItem};

#[derive(Debug, Default)]
pub struct GoldLabels {
    /// The outcomes by run, as they were on disk last.
    kept: BTreeMap<usize, Vec<GoldLabel>>,
    /// The unsaved outcomes with their runs.
    unsaved: VecDeque<(usize, GoldLabel)>,
    /// The reason why the first unsaved outcome could not be saved.
    failed: Option<String>,
    pending: Pending<usize>,
}

impl GoldLabels {
    pub(crate) fn from_study(studied: &LoadedStudy) -> Self {
        let runs = studied.runs.iter().enumerate();
        Self {
            kept: runs.map(|(at, run)| (at, run.rubric.gold.clone())).collect(),
            ..Self::default()
        }
    }

    pub(crate) fn unsaved_count(&self) -> usize {
        self.unsaved.len()
    }

    /// Returns the reason why the last outcome is not on disk.
    pub(crate) fn why_not_saved(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    /// Returns all outcomes for a thing, the latest last.
    pub(crate) fn outcomes_of<'a>(&'a self, item: &StudyItem) -> Vec<&'a GoldLabel> {
        let (key, commit) = (item.item_key(), item.item.commit.as_deref());
        let kept = self.kept.get(&item.run).into_iter().flatten();
        let unsaved = self.unsaved.iter().filter(|(run, _)| *run == item.run).map(|(_, gold)| gold);
        kept.chain(unsaved).filter(|gold| gold.is_on(key, commit)).collect()
    }

    /// Returns the outcome that counts for a thing.
    pub(crate) fn outcome_of<'a>(&'a self, item: &StudyItem) -> Option<&'a GoldLabel> {
        self.outcomes_of(item).pop().filter(|gold| gold.is_answered())
    }

    /// Returns whether the latest outcome for a thing is unsaved.
    pub(crate) fn is_unsaved(&self, item: &StudyItem) -> bool {
        let (key, commit) = (item.item_key(), item.item.commit.as_deref());
        self.unsaved.iter().any(|(run, gold)| *run == item.run && gold.is_on(key, commit))
    }

    /// Adds an outcome to save next, and retries after a failure.
    pub(crate) fn put_outcome(&mut self, run: usize, gold: GoldLabel) {
        self.failed = None;
        self.unsaved.push_back((run, gold));
    }

    pub(crate) fn try_again(&mut self) {
        self.failed = None;
    }

    /// Returns the effect that saves the outcome that is to be saved now, if any.
    pub(crate) fn ask_to_save(
        &mut self,
        studied: &LoadedStudy,
        numbers: &mut RequestIds,
    ) -> Option<Effect> {
        if self.failed.is_some() || !self.pending.is_free() {
            return None;
        }
        let (run, gold) = self.unsaved.front()?.clone();
        let place = studied.runs.get(run)?.labels_folder.clone();
        Some(self.pending.ask_question(
            numbers,
            run,
            Question::SaveGold { place, gold: Box::new(gold) },
        ))
    }

    pub(crate) fn take_saved(&mut self, request: RequestId, saved: Result<Vec<GoldLabel>, String>) {
        let Some(run) = self.pending.take_answered(request) else { return };
        match saved {
            Ok(all) => {
                self.unsaved.pop_front();
                self.kept.insert(run, all);
            }
            Err(why) => self.failed = Some(why),
        }
    }

    /// Puts what is on disk into a study.
    pub(super) fn fold_into(&self, studied: &mut LoadedStudy) {
        for (run, gold) in &self.kept {
            if let Some(run) = studied.runs.get_mut(*run) {
                run.rubric.gold.clone_from(gold);
            }
        }
    }
}
