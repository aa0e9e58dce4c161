//! Moving from turn to turn and from checkpoint to checkpoint.

use trajview_run::Run;

#[derive(Debug, Clone, PartialEq)]
pub enum TurnMessage {
    Next(usize),
    Previous(usize),
    /// The first turn of the checkpoint after this one.
    NextCheckpoint(usize),
    /// The first turn of this checkpoint, or of the one before where we are there already.
    PreviousCheckpoint(usize),
    /// Counts from 1.
    To(usize),
}

impl TurnMessage {
    /// Returns the turn that is meant by number or by count, whether or not the run has it; counts from 0 as `turn`
    /// does.
    pub(crate) const fn wanted_turn(&self, turn: usize) -> Option<usize> {
        match *self {
            Self::Next(count) => Some(turn.saturating_add(count)),
            Self::To(number) => Some(number.saturating_sub(1)),
            _ => None,
        }
    }

    /// Returns the turn that this leads to from `turn`; both count from 0.
    pub(crate) fn target_turn(&self, run: &Run, turn: usize) -> usize {
        let last = run.turns.len().saturating_sub(1);
        let starts = || (0..run.checkpoints.len()).map(|index| run.first_turn_of(index));
        let wanted = match *self {
            Self::Next(count) => turn.saturating_add(count),
            Self::Previous(count) => turn.saturating_sub(count),
            Self::NextCheckpoint(count) => starts()
                .filter(|start| *start > turn && *start <= last)
                .take(count)
                .last()
                .unwrap_or(turn),
            Self::PreviousCheckpoint(count) => {
                let before: Vec<_> = starts().filter(|start| *start < turn).collect();
                before.get(before.len().saturating_sub(count)).copied().unwrap_or(turn)
            }
            Self::To(number) => number.saturating_sub(1),
        };
        wanted.min(last)
    }
}

/// One row of the list of turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnListRow {
    /// A checkpoint begins; index into [`Run::checkpoints`].
    Checkpoint(usize),
    /// Index into [`Run::turns`].
    Turn(usize),
}

/// Returns the rows of the list: every turn, each checkpoint's name above its first.
pub fn turn_rows(run: &Run) -> Vec<TurnListRow> {
    let mut rows = Vec::with_capacity(run.turns.len() + run.checkpoints.len());
    let mut before = None;
    for (index, turn) in run.turns.iter().enumerate() {
        let checkpoint = turn.checkpoint.filter(|found| *found < run.checkpoints.len());
        if checkpoint != before {
            rows.extend(checkpoint.map(TurnListRow::Checkpoint));
            before = checkpoint;
        }
        rows.push(TurnListRow::Turn(index));
    }
    rows
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use trajview_run::{Checkpoint, Turn};

    /// Two checkpoints, of two turns and of three.
    pub(crate) fn run_of_five_turns() -> Run {
        let turn = |checkpoint| Turn { checkpoint: Some(checkpoint), ..Turn::default() };
        let checkpoint = |last_turn| Checkpoint { last_turn, ..Checkpoint::default() };
        Run {
            turns: [0, 0, 1, 1, 1].map(turn).to_vec(),
            checkpoints: [1, 4].map(checkpoint).to_vec(),
            ..Run::default()
        }
    }

    #[test]
    fn checkpoints_are_entered_at_their_first_turn() {
        assert_eq!(TurnMessage::NextCheckpoint(1).target_turn(&run_of_five_turns(), 0), 2);
        assert_eq!(TurnMessage::NextCheckpoint(1).target_turn(&run_of_five_turns(), 3), 3);
        assert_eq!(TurnMessage::PreviousCheckpoint(1).target_turn(&run_of_five_turns(), 3), 2);
        assert_eq!(TurnMessage::PreviousCheckpoint(1).target_turn(&run_of_five_turns(), 2), 0);
    }

    #[test]
    fn a_checkpoints_name_stands_above_its_first_turn() {
        use TurnListRow::{Checkpoint as C, Turn as T};
        assert_eq!(turn_rows(&run_of_five_turns()), [C(0), T(0), T(1), C(1), T(2), T(3), T(4)]);
    }

    #[test]
    fn an_empty_run_has_nowhere_to_go() {
        assert_eq!(TurnMessage::Next(3).target_turn(&Run::default(), 0), 0);
        assert_eq!(TurnMessage::To(9).target_turn(&Run::default(), 0), 0);
    }
}
