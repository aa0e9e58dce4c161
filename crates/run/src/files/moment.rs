//! Moments of a run: after so many turns, or in the middle of one, after one of its steps.

use std::collections::BTreeMap;

use super::{Change, Timeline, Tree, TurnFiles, replay};
use crate::{Run, StepId};

/// A moment of a run. What shell commands, people and hooks changed is known at the end of a turn, not between its steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
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

    /// After each of these counts of turns.
    pub fn after_each(turns: &[usize]) -> Vec<Self> {
        turns.iter().copied().map(Self::after).collect()
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

    /// The moments at which files are recorded to have changed, in order, each step with its number in its turn: after every
    /// step that edited, and at the end of a turn where it is not as its last edit left it, or ends with an edit.
    pub fn moments_of_edits(&self, run: &Run) -> Vec<(Moment, Option<usize>)> {
        let mut moments = vec![];
        for (turn, files) in self.turns.iter().enumerate() {
            let numbers = run.step_numbers(turn);
            let mut ends_with_edit = false;
            for (step, _) in &files.steps {
                let Some(number) = numbers.get(step) else { continue };
                ends_with_edit = *number == numbers.len();
                if !ends_with_edit {
                    let step = Some(*step);
                    moments.push((Moment { turns: turn, step }, Some(*number)));
                }
            }
            if ends_with_edit || !files.is_as_edited() {
                moments.push((Moment::after(turn + 1), None));
            }
        }
        moments
    }

    /// Shows the tree at each of these moments, each once, and whether nothing in the recording says what the files were
    /// then: first at the ends of turns, then at the moments within them.
    pub fn visit_moments(
        &self,
        run: &Run,
        moments: &[Moment],
        mut look: impl FnMut(Moment, &Tree, bool),
    ) {
        let ends = moments.iter().filter(|moment| moment.step.is_none());
        let ends: Vec<usize> = ends.map(|moment| moment.turns).collect();
        if !ends.is_empty() {
            self.visit(&ends, |done, tree, is_untold| look(Moment::after(done), tree, is_untold));
        }
        let mut within: BTreeMap<usize, Vec<StepId>> = BTreeMap::new();
        for step in moments.iter().filter_map(|moment| moment.step) {
            within.entry(step.turn).or_default().push(step);
        }
        for (turn, mut steps) in within {
            let numbers = run.step_numbers(turn);
            steps.sort_by_key(|step| numbers.get(step));
            steps.dedup();
            let before = turn.checked_sub(1).and_then(|before| self.turns.get(before));
            let is_untold = before.is_some_and(|before| before.is_untold);
            let mut tree = self.tree_after(turn);
            let edits = self.turns.get(turn).map_or(&[][..], |files| &files.steps);
            let mut edits = edits.iter().peekable();
            for step in steps {
                let number = numbers.get(&step);
                while let Some((_, changes)) = edits.next_if(|(id, _)| numbers.get(id) <= number) {
                    changes.iter().for_each(|change| tree.apply(change));
                }
                look(Moment { turns: turn, step: Some(step) }, &tree, is_untold);
            }
        }
    }

    /// The files at a moment.
    pub fn tree_at(&self, run: &Run, moment: Moment) -> Tree {
        let mut tree = self.tree_after(moment.turns);
        let edits = moment.step.into_iter().flat_map(|step| self.edits_until(run, step));
        edits.flat_map(|(_, changes)| changes).for_each(|change| tree.apply(change));
        tree
    }
}

impl TurnFiles {
    /// Whether the turn's last recorded edit left the files as they are at its end.
    fn is_as_edited(&self) -> bool {
        let edits: Vec<Change> =
            self.steps.iter().flat_map(|(_, changes)| changes).cloned().collect();
        let at_the_end = |changes: &[Change]| {
            let mut tree = Tree::default();
            changes.iter().for_each(|change| tree.apply(change));
            tree
        };
        at_the_end(&replay::net(&edits)) == at_the_end(&self.changes)
    }
}
