//! The components and tests that the two runs lost: one row each, and the lifelines that they are found in.

use crate::{
    session::{
        effect::Effect,
        pending::{Loading, Pending},
        question::Question,
        request::{RequestId, RequestIds, Sentence},
    },
    widgets::pane::ListPane,
};
use std::{collections::BTreeMap, sync::Arc};

use trajview_metrics::lifeline::{FollowedComponent, Lifeline, components_to_follow};
use trajview_study::compare::{ComparedLoss, ComparedRun, LossInRun, compared_losses};

use super::ComparisonView;

/// The table of losses, and the search for them.
#[derive(Debug, Default)]
pub struct CompareLosses {
    pub rows: Vec<ComparedLoss>,
    pub pane: ListPane,
    /// The components whose lifelines each run has, by the position of the run.
    followed: Vec<Option<Vec<FollowedComponent>>>,
    pending: Pending<(usize, Vec<FollowedComponent>)>,
    /// The reasons why the lifelines of a run cannot be computed, by the position of the run.
    pub(crate) failed: BTreeMap<usize, String>,
}

impl CompareLosses {
    /// Returns the chosen loss.
    pub(crate) fn selected_row(&self) -> Option<&ComparedLoss> {
        self.rows.get(self.pane.cursor())
    }

    /// Returns the chosen loss in the run at this side of the pair.
    pub(crate) fn selected_loss(&self, side: usize) -> Option<&LossInRun> {
        self.selected_row()?.fates.get(side)?.as_loss()
    }
}

impl ComparisonView {
    /// Asks for the lifelines of the two runs, then of the others, one run at a time.
    pub(super) fn ask_lifelines(&mut self, numbers: &mut RequestIds) -> Option<Effect> {
        if !self.losses.pending.is_free() {
            return None;
        }
        let runs = self.pair.into_iter().chain(0..self.all_parties().len());
        let mut runs = runs.filter(|run| !self.losses.failed.contains_key(run));
        let (run, components) = runs.find_map(|run| {
            let party = self.all_parties().get(run)?;
            let components = components_to_follow(&party.run, &party.rubric, party.judgement());
            let is_known =
                self.losses.followed.get(run).and_then(Option::as_ref) == Some(&components);
            (!is_known && !components.is_empty()).then_some((run, components))
        })?;
        let path = self.paths.get(run)?.clone();
        let question = Question::PartyLifelines { path, components: components.clone() };
        Some(self.losses.pending.ask_question(numbers, (run, components), question))
    }

    pub(super) fn take_lifelines(
        &mut self,
        request: RequestId,
        answer: Result<Arc<Vec<Lifeline>>, Sentence>,
    ) {
        let Some((run, components)) = self.losses.pending.take_answered(request) else { return };
        let Loading::Ready(parties) = &mut self.parties else { return };
        let Some(party) = parties.get_mut(run) else { return };
        match answer {
            Ok(lifelines) => {
                party.lifelines = Some(lifelines);
                self.losses.followed.resize(self.paths.len(), None);
                self.losses.followed[run] = Some(components);
            }
            Err(why) => {
                self.losses.failed.insert(run, why);
            }
        }
        self.list_losses();
    }

    /// Lists the losses of the two runs again; the chosen one stays chosen.
    pub(super) fn list_losses(&mut self) {
        let key = |row: &ComparedLoss| (row.kind, row.id.clone(), row.name.clone());
        let chosen = self.losses.selected_row().map(key);
        let rows = self.compared_parties().map(|pair| compared_losses(&pair));
        self.losses.rows = rows.unwrap_or_default();
        let at = self.losses.rows.iter().position(|row| Some(key(row)) == chosen);
        self.losses.pane.choose(at.unwrap_or_default());
    }

    /// Returns the reason why the lifelines of one of the two runs cannot be computed.
    pub(crate) fn lifeline_failure(&self) -> Option<&String> {
        self.pair.iter().find_map(|run| self.losses.failed.get(run))
    }

    /// Returns whether the lifelines of both runs are there, or none are to be had.
    pub(crate) fn has_lifelines(&self) -> bool {
        let is_done = |party: &&ComparedRun| {
            party.lifelines.is_some()
                || components_to_follow(&party.run, &party.rubric, party.judgement()).is_empty()
        };
        self.compared_parties().is_some_and(|pair| pair.iter().all(is_done))
    }
}
