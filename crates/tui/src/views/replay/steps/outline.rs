//! The steps of a turn as a tree: which of them are listed, given what is folded, entered and chosen.
//!
//! A sub-agent is folded until it is asked for: its steps are a run of their own and would bury those of the agent
//! that started it.

use std::collections::HashSet;

use super::{Item, Kinds};
use trajview_run::{Run, StepId};

/// Sub-agents within sub-agents beyond this are listed at one depth.
const DEEPEST: usize = 32;

/// Every step of one turn in playing order, a sub-agent's after the step that started it.
#[derive(Debug, Default)]
pub struct Outline {
    entries: Vec<Entry>,
    /// What the turn was asked, where it was asked something.
    request: Option<Item>,
    /// What stood before the request.
    layer: Option<Item>,
    /// Sub-agents whose steps are listed in place, by the step that started them.
    open: HashSet<StepId>,
    /// The step that started the sub-agent whose steps are the list.
    pub entered: Option<StepId>,
    pub kinds: Kinds,
    /// Listed whatever its kind: a search led to it.
    revealed: Option<StepId>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    id: StepId,
    depth: usize,
    is_chosen: [bool; Kinds::ALL.len()],
}

impl Outline {
    /// Takes up the steps of a turn; what is folded and chosen stays.
    pub fn read(&mut self, run: &Run, turn: usize) {
        self.entries = run.steps_of_turn(turn).into_iter().map(|id| entry(run, id)).collect();
        let found = run.turns.get(turn);
        let is_asked = found.is_some_and(|it| it.request.is_some() || !it.title.is_empty());
        self.request = is_asked.then_some(Item::Request(turn));
        self.layer = found.and_then(|it| it.layer.as_ref()).map(|_| Item::Layer(turn));
        let (entered, revealed) = (self.entered.take(), self.revealed.take());
        self.entered = entered.filter(|id| self.position(*id).is_some());
        self.revealed = revealed.filter(|id| self.position(*id).is_some());
    }

    /// What is listed, and how deep in sub-agents each stands.
    pub fn listed(&self) -> (Vec<Item>, Vec<usize>) {
        let (mut items, mut depths) = (vec![], vec![]);
        if self.entered.is_none() && matches!(self.kinds, Kinds::All | Kinds::Messages) {
            items.extend(self.layer.into_iter().chain(self.request));
            depths.extend(items.iter().map(|_| 0));
        }
        let entries = self.entries_in_view();
        let base = entries.first().map_or(0, |first| first.depth);
        let mut folded_at: Option<usize> = None;
        for (index, entry) in entries.iter().enumerate() {
            if folded_at.is_some_and(|depth| entry.depth > depth) {
                continue;
            }
            folded_at = None;
            let is_head = self.entered.is_some() && index == 0;
            if is_head || self.shows(entry) {
                items.push(Item::Step(entry.id));
                depths.push(entry.depth - base.min(entry.depth));
            }
            let folds = self.kinds == Kinds::All && !is_head && !self.open.contains(&entry.id);
            if folds {
                folded_at = Some(entry.depth);
            }
        }
        (items, depths)
    }

    /// How many steps the choice of kinds leaves out here.
    pub fn hidden(&self) -> usize {
        let entries = self.entries_in_view();
        let heads = usize::from(self.entered.is_some());
        entries.iter().skip(heads).filter(|entry| !self.shows(entry)).count()
    }

    /// Every step of the turn.
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    /// Number of a step among all of the turn; counts from 0.
    pub fn position(&self, id: StepId) -> Option<usize> {
        self.entries.iter().position(|entry| entry.id == id)
    }

    pub fn at(&self, position: usize) -> Option<StepId> {
        self.entries.get(position).map(|entry| entry.id)
    }

    /// How many steps stand below the one that started a sub-agent; 0 for any other.
    pub fn below(&self, id: StepId) -> usize {
        let Some(position) = self.position(id) else { return 0 };
        let depth = self.entries[position].depth;
        self.entries[position + 1..].iter().take_while(|entry| entry.depth > depth).count()
    }

    pub fn is_open(&self, id: StepId) -> bool {
        self.open.contains(&id)
    }

    pub fn open_or_close(&mut self, id: StepId) {
        if !self.open.remove(&id) {
            self.open.insert(id);
        }
    }

    pub fn close_all(&mut self) {
        self.open.clear();
    }

    pub fn open_all(&mut self) {
        let heads = self.entries.windows(2).filter(|pair| pair[1].depth > pair[0].depth);
        self.open.extend(heads.map(|pair| pair[0].id));
    }

    /// Lists steps of these kinds, and no others.
    pub fn choose(&mut self, kinds: Kinds) {
        self.kinds = kinds;
        self.revealed = None;
    }

    /// Makes a step listed: leaves a sub-agent it is not in, opens those it is in, makes an exception for its kind.
    pub fn reveal(&mut self, id: StepId) {
        let Some(position) = self.position(id) else { return };
        let ancestors = self.ancestors(position);
        if self.entered.is_some_and(|entered| entered != id && !ancestors.contains(&entered)) {
            self.entered = None;
        }
        self.open.extend(ancestors);
        self.revealed = Some(id);
    }

    /// The steps that started the sub-agents which a step stands in, the innermost first.
    pub fn ancestors_of(&self, id: StepId) -> Vec<StepId> {
        self.position(id).map(|position| self.ancestors(position)).unwrap_or_default()
    }

    fn ancestors(&self, position: usize) -> Vec<StepId> {
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

    fn shows(&self, entry: &Entry) -> bool {
        entry.is_chosen[self.kinds as usize] || self.revealed == Some(entry.id)
    }

    fn entries_in_view(&self) -> &[Entry] {
        let Some(start) = self.entered.and_then(|id| self.position(id)) else {
            return &self.entries;
        };
        let end = start + 1 + self.below(self.entries[start].id);
        &self.entries[start..end]
    }
}

fn entry(run: &Run, id: StepId) -> Entry {
    let parent = |agent: usize| run.subagents.get(agent)?.parent?.subagent;
    // A recording may name an agent as its own ancestor.
    let depth = std::iter::successors(id.subagent, |agent| parent(*agent)).take(DEEPEST).count();
    let step = run.step(id);
    let is_chosen = Kinds::ALL.map(|kinds| step.is_some_and(|step| kinds.has(step)));
    Entry { id, depth, is_chosen }
}
