//! Moments of a run: after so many turns, or in the middle of one, after one of its steps.

use super::{Change, Timeline, Tree, TurnFiles, replay};
use crate::run::{Run, StepId};

/// A moment of a run. What shell commands, people and hooks changed is known at the end of a turn, not between its steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Moment {
    /// Turns that are done.
    pub turns: usize,
    /// The last step that is done of the turn after them; None where none is.
    pub step: Option<StepId>,
}

impl Moment {
    /// After so many turns.
    pub const fn after(turns: usize) -> Self {
        Self { turns, step: None }
    }

    /// The turn that ends here, counts from 0; None at the start and between two steps.
    pub const fn turn(self) -> Option<usize> {
        match self.step {
            None => self.turns.checked_sub(1),
            Some(_) => None,
        }
    }

    /// The last turn that anything here depends on, counts from 0.
    pub const fn last_turn(self) -> usize {
        match self.step {
            None => self.turns.saturating_sub(1),
            Some(step) => step.turn,
        }
    }

    /// After a step; the last step of a turn ends it.
    pub fn after_step(run: &Run, step: StepId) -> Self {
        match run.steps_of_turn(step.turn).last() {
            Some(last) if *last == step => Self::after(step.turn + 1),
            _ => Self { turns: step.turn, step: Some(step) },
        }
    }
}

impl Timeline {
    /// What the steps of a turn are recorded to have edited up to one of them, its own edits included, in playing order.
    fn edits_until(&self, run: &Run, step: StepId) -> impl Iterator<Item = &(StepId, Vec<Change>)> {
        let numbers = run.step_numbers(step.turn);
        let last = numbers.get(&step).copied();
        let steps = self.turns.get(step.turn).into_iter().flat_map(|turn| &turn.steps);
        steps.filter(move |(id, _)| numbers.get(id).copied() <= last)
    }

    /// The run up to a step: the step's turn is the last, with what its steps up to there did.
    pub fn until(&self, run: &Run, step: StepId) -> Self {
        let done = step.turn.min(self.turns.len());
        let mut turns = self.turns[..done].to_vec();
        if let Some(turn) = self.turns.get(step.turn) {
            let steps: Vec<_> = self.edits_until(run, step).cloned().collect();
            let all: Vec<Change> = steps.iter().flat_map(|(_, changes)| changes).cloned().collect();
            turns.push(TurnFiles { changes: replay::net(&all), steps, is_untold: turn.is_untold });
        }
        Self { from: self.from, base: self.base.clone(), turns, warnings: self.warnings.clone() }
    }

    /// The files at a moment.
    pub fn tree_at(&self, run: &Run, moment: Moment) -> Tree {
        let mut tree = self.tree_after(moment.turns);
        let edits = moment.step.into_iter().flat_map(|step| self.edits_until(run, step));
        edits.flat_map(|(_, changes)| changes).for_each(|change| tree.apply(change));
        tree
    }
}
