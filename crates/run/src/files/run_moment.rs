//! Moments of a run: after so many turns, or in the middle of one, after one of its steps.

use std::collections::BTreeMap;

use super::{FileChange, SourceTree, Timeline, TurnFiles, replay};
use crate::{Run, StepId};

/// A moment of a run. What shell commands, people and hooks changed is known at the end of a turn, not between its steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RunMoment {
    /// Turns that are done.
    pub turns: usize,
    /// The last step that is done of the turn after them; None where none is.
    pub step: Option<StepId>,
}

impl RunMoment {
    /// Makes the moment after so many turns.
    pub const fn after_turns(turns: usize) -> Self {
        Self { turns, step: None }
    }

    /// Returns the turn that ends here, counts from 0; None at the start and between two steps.
    pub const fn ended_turn(self) -> Option<usize> {
        match self.step {
            None => self.turns.checked_sub(1),
            Some(_) => None,
        }
    }

    /// Returns the last turn that anything here depends on, counts from 0.
    pub const fn last_turn(self) -> usize {
        match self.step {
            None => self.turns.saturating_sub(1),
            Some(step) => step.turn,
        }
    }

    /// Makes the moments after each of these counts of turns.
    pub fn after_each_count(turns: &[usize]) -> Vec<Self> {
        turns.iter().copied().map(Self::after_turns).collect()
    }

    /// Makes the moment after a step; the last step of a turn ends the turn.
    pub fn after_step(run: &Run, step: StepId) -> Self {
        match run.steps_of_turn(step.turn).last() {
            Some(last) if *last == step => Self::after_turns(step.turn + 1),
            _ => Self { turns: step.turn, step: Some(step) },
        }
    }
}

impl Timeline {
    /// Returns the recorded edits of a turn's steps up to one step, its own edits included, in playing order.
    fn edits_until(
        &self,
        run: &Run,
        step: StepId,
    ) -> impl Iterator<Item = &(StepId, Vec<FileChange>)> {
        let numbers = run.step_numbers(step.turn);
        let last = numbers.get(&step).copied();
        let steps = self.turns.get(step.turn).into_iter().flat_map(|turn| &turn.steps);
        steps.filter(move |(id, _)| numbers.get(id).copied() <= last)
    }

    /// Returns the run up to a step: the step's turn is the last, with what its steps up to there did.
    pub fn timeline_up_to(&self, run: &Run, step: StepId) -> Self {
        let done = step.turn.min(self.turns.len());
        let mut turns = self.turns[..done].to_vec();
        if let Some(turn) = self.turns.get(step.turn) {
            let steps: Vec<_> = self.edits_until(run, step).cloned().collect();
            let all: Vec<FileChange> =
                steps.iter().flat_map(|(_, changes)| changes).cloned().collect();
            turns.push(TurnFiles {
                changes: replay::net_changes(&all),
                steps,
                is_unknown: turn.is_unknown,
            });
        }
        Self { from: self.from, base: self.base.clone(), turns, warnings: self.warnings.clone() }
    }

    /// Returns the moments at which files are recorded to have changed, in order, each step with its number in its turn: after every
    /// step that edited, and at the end of a turn where it is not as its last edit left it, or ends with an edit.
    pub fn moments_of_edits(&self, run: &Run) -> Vec<(RunMoment, Option<usize>)> {
        let mut moments = vec![];
        for (turn, files) in self.turns.iter().enumerate() {
            let numbers = run.step_numbers(turn);
            let mut ends_with_edit = false;
            for (step, _) in &files.steps {
                let Some(number) = numbers.get(step) else { continue };
                ends_with_edit = *number == numbers.len();
                if !ends_with_edit {
                    let step = Some(*step);
                    moments.push((RunMoment { turns: turn, step }, Some(*number)));
                }
            }
            if ends_with_edit || !files.is_as_edited() {
                moments.push((RunMoment::after_turns(turn + 1), None));
            }
        }
        moments
    }

    /// Shows the tree at each of these moments, each once, and whether nothing in the recording says what the files were
    /// then: first at the ends of turns, then at the moments within them.
    pub fn visit_moments(
        &self,
        run: &Run,
        moments: &[RunMoment],
        mut look: impl FnMut(RunMoment, &SourceTree, bool),
    ) {
        let ends = moments.iter().filter(|moment| moment.step.is_none());
        let ends: Vec<usize> = ends.map(|moment| moment.turns).collect();
        if !ends.is_empty() {
            self.visit_turn_ends(&ends, |done, tree, is_untold| {
                look(RunMoment::after_turns(done), tree, is_untold)
            });
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
            let is_untold = before.is_some_and(|before| before.is_unknown);
            let mut tree = self.tree_after(turn);
            let edits = self.turns.get(turn).map_or(&[][..], |files| &files.steps);
            let mut edits = edits.iter().peekable();
            for step in steps {
                let number = numbers.get(&step);
                while let Some((_, changes)) = edits.next_if(|(id, _)| numbers.get(id) <= number) {
                    tree.apply_changes(changes);
                }
                look(RunMoment { turns: turn, step: Some(step) }, &tree, is_untold);
            }
        }
    }

    /// Returns the files at a moment.
    pub fn tree_at(&self, run: &Run, moment: RunMoment) -> SourceTree {
        let mut tree = self.tree_after(moment.turns);
        let edits = moment.step.into_iter().flat_map(|step| self.edits_until(run, step));
        edits.for_each(|(_, changes)| tree.apply_changes(changes));
        tree
    }
}

impl TurnFiles {
    /// Returns whether the turn's last recorded edit left the files as they are at its end.
    fn is_as_edited(&self) -> bool {
        let edits: Vec<FileChange> =
            self.steps.iter().flat_map(|(_, changes)| changes).cloned().collect();
        let at_the_end = |changes: &[FileChange]| {
            let mut tree = SourceTree::default();
            tree.apply_changes(changes);
            tree
        };
        at_the_end(&replay::net_changes(&edits)) == at_the_end(&self.changes)
    }
}
