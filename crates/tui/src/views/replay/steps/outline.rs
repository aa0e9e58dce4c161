//! The steps of a turn as a tree: chooses the listed ones by folds, the entered agent and the filter.
//!
//! A sub-agent is folded at first: its steps are a run of their own and would bury those of the agent that started it.

use std::collections::HashSet;

use super::StepFilter;
use trajview_run::{Run, StepId};

/// Sub-agents within sub-agents beyond this are listed at one depth.
const MAX_DEPTH: usize = 32;

/// Every step of one turn in playing order, a sub-agent's after the step that started it.
#[derive(Debug, Default)]
pub struct StepOutline {
    entries: Vec<OutlineEntry>,
    /// Sub-agents whose steps are listed in place, by the step that started them.
    open: HashSet<StepId>,
    /// The step that started the sub-agent whose steps are the list.
    pub entered: Option<StepId>,
    pub filter: StepFilter,
    /// Listed whatever its kind: a search led to it.
    revealed: Option<StepId>,
}

#[derive(Debug, Clone, Copy)]
struct OutlineEntry {
    id: StepId,
    depth: usize,
    is_chosen: [bool; StepFilter::ALL.len()],
}

impl StepOutline {
    /// Loads the steps of a turn; folds and the filter stay.
    pub(crate) fn load_turn(&mut self, run: &Run, turn: usize) {
        self.entries =
            run.steps_of_turn(turn).into_iter().map(|id| outline_entry(run, id)).collect();
        let (entered, revealed) = (self.entered.take(), self.revealed.take());
        self.entered = entered.filter(|id| self.position_of(*id).is_some());
        self.revealed = revealed.filter(|id| self.position_of(*id).is_some());
    }

    /// Returns the listed steps and their depths in sub-agents.
    pub(crate) fn listed_items(&self) -> (Vec<StepId>, Vec<usize>) {
        let (mut items, mut depths) = (vec![], vec![]);
        let entries = self.entries_in_view();
        let base = entries.first().map_or(0, |first| first.depth);
        let mut folded_at: Option<usize> = None;
        for (index, entry) in entries.iter().enumerate() {
            if folded_at.is_some_and(|depth| entry.depth > depth) {
                continue;
            }
            folded_at = None;
            let is_head = self.entered.is_some() && index == 0;
            if is_head || self.is_listed(entry) {
                items.push(entry.id);
                depths.push(entry.depth - base.min(entry.depth));
            }
            let folds =
                self.filter == StepFilter::All && !is_head && !self.open.contains(&entry.id);
            if folds {
                folded_at = Some(entry.depth);
            }
        }
        (items, depths)
    }

    /// Returns the number of steps that the filter hides here.
    pub(crate) fn hidden_count(&self) -> usize {
        let entries = self.entries_in_view();
        let heads = usize::from(self.entered.is_some());
        entries.iter().skip(heads).filter(|entry| !self.is_listed(entry)).count()
    }

    /// Returns the number of all steps of the turn.
    pub fn step_count(&self) -> usize {
        self.entries.len()
    }

    /// Returns the number of a step among all of the turn; counts from 0.
    pub(crate) fn position_of(&self, id: StepId) -> Option<usize> {
        self.entries.iter().position(|entry| entry.id == id)
    }

    pub fn step_at(&self, position: usize) -> Option<StepId> {
        self.entries.get(position).map(|entry| entry.id)
    }

    /// Returns the number of steps below the one that started a sub-agent; 0 for any other.
    pub(crate) fn steps_below(&self, id: StepId) -> usize {
        let Some(position) = self.position_of(id) else { return 0 };
        let depth = self.entries[position].depth;
        self.entries[position + 1..].iter().take_while(|entry| entry.depth > depth).count()
    }

    pub fn is_open(&self, id: StepId) -> bool {
        self.open.contains(&id)
    }

    pub(crate) fn toggle_open(&mut self, id: StepId) {
        if !self.open.remove(&id) {
            self.open.insert(id);
        }
    }

    /// Closes the sub-agents of every turn.
    pub(crate) fn close_subagents(&mut self) {
        self.open.clear();
    }

    /// Opens every sub-agent of the loaded turn.
    pub(crate) fn open_subagents(&mut self) {
        let heads = self.entries.windows(2).filter(|pair| pair[1].depth > pair[0].depth);
        self.open.extend(heads.map(|pair| pair[0].id));
    }

    /// Lists steps of these kinds, and no others.
    pub(crate) fn set_filter(&mut self, kinds: StepFilter) {
        self.filter = kinds;
        self.revealed = None;
    }

    /// Makes a step listed: leaves a sub-agent it is not in, opens those it is in, makes an exception for its kind.
    pub(crate) fn list_step(&mut self, id: StepId) {
        let Some(position) = self.position_of(id) else { return };
        let ancestors = self.ancestors_at(position);
        if self.entered.is_some_and(|entered| entered != id && !ancestors.contains(&entered)) {
            self.entered = None;
        }
        self.open.extend(ancestors);
        self.revealed = Some(id);
    }

    /// Returns the steps that started the sub-agents around a step, the innermost first.
    pub(crate) fn ancestors_of_step(&self, id: StepId) -> Vec<StepId> {
        self.position_of(id).map(|position| self.ancestors_at(position)).unwrap_or_default()
    }

    fn ancestors_at(&self, position: usize) -> Vec<StepId> {
        let Some(entry) = self.entries.get(position) else { return vec![] };
        let (mut depth, mut found) = (entry.depth, vec![]);
        for before in self.entries[..position].iter().rev() {
            if before.depth < depth {
                depth = before.depth;
                found.push(before.id);
            }
        }
        found
    }

    fn is_listed(&self, entry: &OutlineEntry) -> bool {
        entry.is_chosen[self.filter as usize] || self.revealed == Some(entry.id)
    }

    fn entries_in_view(&self) -> &[OutlineEntry] {
        let Some(start) = self.entered.and_then(|id| self.position_of(id)) else {
            return &self.entries;
        };
        let end = start + 1 + self.steps_below(self.entries[start].id);
        &self.entries[start..end]
    }
}

fn outline_entry(run: &Run, id: StepId) -> OutlineEntry {
    let parent = |agent: usize| run.subagents.get(agent)?.parent?.subagent;
    // A recording may name an agent as its own ancestor.
    let depth = std::iter::successors(id.subagent, |agent| parent(*agent)).take(MAX_DEPTH).count();
    let step = run.step(id);
    let is_chosen = StepFilter::ALL.map(|kinds| step.is_some_and(|step| kinds.matches_step(step)));
    OutlineEntry { id, depth, is_chosen }
}
