//! What an adjudicator settled at the screen: as it is on disk, and what is on its way there, one at a time in its order.

use std::collections::{BTreeMap, VecDeque};

use crate::session::{
    ask::Pending,
    effect::Effect,
    question::Question,
    request::{Numbers, Request},
};
use trajview_run::rubric::Gold;
use trajview_study::studied::{Studied, StudyItem};

#[derive(Debug, Default)]
pub struct GoldLabels {
    /// By run, as they were on disk last.
    kept: BTreeMap<usize, Vec<Gold>>,
    /// With the runs that they are of.
    unsaved: VecDeque<(usize, Gold)>,
    /// Why the first of those could not be saved.
    failed: Option<String>,
    pending: Pending<usize>,
}

impl GoldLabels {
    pub fn of(studied: &Studied) -> Self {
        let runs = studied.runs.iter().enumerate();
        Self {
            kept: runs.map(|(at, run)| (at, run.rubric.gold.clone())).collect(),
            ..Self::default()
        }
    }

    pub fn unsaved_count(&self) -> usize {
        self.unsaved.len()
    }

    /// Why the last outcome is not on disk.
    pub fn why_not_saved(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    /// Everything that was settled of a thing, the last one last.
    pub fn history<'a>(&'a self, item: &StudyItem) -> Vec<&'a Gold> {
        let (key, commit) = (item.key(), item.item.commit.as_deref());
        let kept = self.kept.get(&item.run).into_iter().flatten();
        let unsaved = self.unsaved.iter().filter(|(run, _)| *run == item.run).map(|(_, gold)| gold);
        kept.chain(unsaved).filter(|gold| gold.is_on(key, commit)).collect()
    }

    /// What counts of a thing.
    pub fn of_item<'a>(&'a self, item: &StudyItem) -> Option<&'a Gold> {
        self.history(item).pop().filter(|gold| gold.is_answered())
    }

    /// Whether the last outcome of a thing is not on disk so far.
    pub fn is_unsaved(&self, item: &StudyItem) -> bool {
        let (key, commit) = (item.key(), item.item.commit.as_deref());
        self.unsaved.iter().any(|(run, gold)| *run == item.run && gold.is_on(key, commit))
    }

    /// To be saved next. What waited for a better moment is tried again.
    pub fn put(&mut self, run: usize, gold: Gold) {
        self.failed = None;
        self.unsaved.push_back((run, gold));
    }

    pub fn try_again(&mut self) {
        self.failed = None;
    }

    /// Has the outcome saved that is to be saved now, if any.
    pub fn ask_to_save(&mut self, studied: &Studied, numbers: &mut Numbers) -> Option<Effect> {
        if self.failed.is_some() || !self.pending.is_free() {
            return None;
        }
        let (run, gold) = self.unsaved.front()?.clone();
        let place = studied.runs.get(run)?.place.clone();
        Some(self.pending.ask(numbers, run, Question::SaveGold { place, gold: Box::new(gold) }))
    }

    pub fn take_saved(&mut self, request: Request, saved: Result<Vec<Gold>, String>) {
        let Some(run) = self.pending.answered(request) else { return };
        match saved {
            Ok(all) => {
                self.unsaved.pop_front();
                self.kept.insert(run, all);
            }
            Err(why) => self.failed = Some(why),
        }
    }

    /// Puts what is on disk into a study.
    pub(super) fn fold_into(&self, studied: &mut Studied) {
        for (run, gold) in &self.kept {
            if let Some(run) = studied.runs.get_mut(*run) {
                run.rubric.gold.clone_from(gold);
            }
        }
    }
}
