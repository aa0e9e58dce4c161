//! Moments of a run: after so many turns, or in the middle of one, after one of its steps.

use std::borrow::Cow;

use super::{Timeline, Tree, TurnFiles, replay};
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

    /// After a step; the last step of a turn ends it.
    pub fn after_step(run: &Run, step: StepId) -> Self {
        match run.steps_of_turn(step.turn).last() {
            Some(last) if *last == step => Self::after(step.turn + 1),
            _ => Self { turns: step.turn, step: Some(step) },
        }
    }

    /// Before a step: after the one that is played before it.
    pub fn before_step(run: &Run, step: StepId) -> Self {
        let order = run.steps_of_turn(step.turn);
        let at = order.iter().position(|id| *id == step).unwrap_or_default();
        Self { turns: step.turn, step: at.checked_sub(1).map(|before| order[before]) }
    }
}

impl Timeline {
    /// The run up to a moment: in the middle of a turn that turn is the last, with what its steps up to there did.
    pub fn until(&self, run: &Run, moment: Moment) -> Cow<'_, Self> {
        if moment.step.is_none() && moment.turns >= self.turns.len() {
            return Cow::Borrowed(self);
        }
        let mut turns = self.turns[..moment.turns.min(self.turns.len())].to_vec();
        if let Some(step) = moment.step
            && let Some(turn) = self.turns.get(moment.turns)
        {
            let numbers = run.step_numbers(moment.turns);
            let is_done = |id: &StepId| numbers.get(id) <= numbers.get(&step);
            let done = turn.steps.iter().filter(|(id, _)| is_done(id));
            let steps: Vec<_> = done.cloned().collect();
            let all: Vec<_> =
                steps.iter().flat_map(|(_, changes)| changes.iter().cloned()).collect();
            turns.push(TurnFiles { changes: replay::net(&all), steps, is_untold: turn.is_untold });
        }
        Cow::Owned(Self {
            from: self.from,
            base: self.base.clone(),
            turns,
            warnings: self.warnings.clone(),
        })
    }

    /// The files at a moment.
    pub fn tree_at(&self, run: &Run, moment: Moment) -> Tree {
        match moment.step {
            None => self.tree_after(moment.turns),
            Some(_) => {
                let until = self.until(run, moment);
                until.tree_after(until.turns.len())
            }
        }
    }
}
