//! The base of the diff: the turn before, the start of a checkpoint or of the run, a marked turn.

use crate::session::{files::DiffScope, replay_opening::DiffBase, views::View};
use trajview_run::Run;

#[derive(Debug, Clone, PartialEq)]
pub enum BaseMessage {
    /// The next kind of base that there is here.
    Next,
    /// Measure from the end of the selected turn.
    MarkHere,
}

#[derive(Debug, Default)]
pub struct DiffBases {
    pub base: DiffBase,
    /// The marked turn, counts from 0.
    pub mark: Option<usize>,
    /// The base before the curves, or the scores, led to the replay.
    before_curves: Option<DiffBase>,
    before_scores: Option<DiffBase>,
}

impl DiffBases {
    pub fn update(&mut self, message: &BaseMessage, run: &Run, turn: usize) {
        match message {
            BaseMessage::MarkHere => {
                self.mark = Some(turn);
                self.base = DiffBase::Mark;
            }
            BaseMessage::Next => self.base = self.next_base(run, turn),
        }
    }

    /// Measures from another base for a view that leads here.
    pub(crate) fn set_for_view(&mut self, base: DiffBase, view: View) {
        let before = std::mem::replace(&mut self.base, base);
        match view {
            View::Curves => {
                self.before_curves.get_or_insert(before);
            }
            View::Scores if before != base => {
                self.before_scores.get_or_insert(before);
            }
            _ => {}
        }
    }

    /// Restores the base from before a view led here, once that view is shown again.
    pub(crate) const fn restore_after_view(&mut self, view: View) {
        let before = match view {
            View::Curves => self.before_curves.take(),
            View::Scores => self.before_scores.take(),
            _ => None,
        };
        if let Some(base) = before {
            self.base = base;
        }
    }

    fn next_base(&self, run: &Run, turn: usize) -> DiffBase {
        const CYCLE: [DiffBase; 4] =
            [DiffBase::PreviousTurn, DiffBase::Checkpoint, DiffBase::Start, DiffBase::Mark];
        let at = CYCLE.iter().position(|base| *base == self.base).unwrap_or_default();
        let after = CYCLE.iter().cycle().skip(at + 1).take(CYCLE.len());
        let there_is = |base: &&DiffBase| self.turns_at_base(**base, run, turn).is_some();
        after.copied().collect::<Vec<_>>().iter().find(there_is).copied().unwrap_or_default()
    }

    /// Returns the number of turns done at a base of a turn; None where there is no such base.
    fn turns_at_base(&self, base: DiffBase, run: &Run, turn: usize) -> Option<usize> {
        match base {
            DiffBase::PreviousTurn => Some(turn),
            DiffBase::Checkpoint => {
                let checkpoint = run.turns.get(turn)?.checkpoint?;
                let known = checkpoint < run.checkpoints.len();
                known.then(|| run.first_turn_of(checkpoint).min(turn))
            }
            DiffBase::Start => Some(0),
            DiffBase::Mark => self.mark.map(|mark| mark + 1),
        }
    }

    /// Returns the scope of the comparison for this turn.
    pub(crate) fn compared_scope(&self, run: &Run, turn: usize) -> DiffScope {
        match self.turns_at_base(self.base, run, turn) {
            Some(done) if done != turn => DiffScope::Since { done, turn },
            _ => DiffScope::Turn(turn),
        }
    }

    /// Returns `diff: turn 22 → 23`, `diff: start of checkpoint 3 → turn 23`.
    pub(crate) fn span_text(&self, run: &Run, turn: usize) -> String {
        let to = format!("turn {}", turn + 1);
        match (self.base_here(run, turn), self.mark) {
            (DiffBase::Checkpoint, _) => {
                let checkpoint = run.turns.get(turn).and_then(|turn| turn.checkpoint);
                format!("diff: start of checkpoint {} → {to}", checkpoint.unwrap_or_default() + 1)
            }
            (DiffBase::Mark, Some(mark)) => {
                format!("diff: marked turn {} → {}", mark + 1, turn + 1)
            }
            (DiffBase::PreviousTurn, _) if turn > 0 => format!("diff: turn {turn} → {}", turn + 1),
            (DiffBase::PreviousTurn | DiffBase::Start | DiffBase::Mark, _) => {
                format!("diff: start → {to}")
            }
        }
    }

    /// Returns the base that holds at a turn.
    fn base_here(&self, run: &Run, turn: usize) -> DiffBase {
        self.turns_at_base(self.base, run, turn).map_or(DiffBase::PreviousTurn, |_| self.base)
    }

    /// Returns `since turn 22`, `since checkpoint 3 began`.
    pub(crate) fn base_text(&self, run: &Run, turn: usize) -> String {
        match (self.base_here(run, turn), self.mark) {
            (DiffBase::Checkpoint, _) => {
                let checkpoint = run.turns.get(turn).and_then(|turn| turn.checkpoint);
                format!("since checkpoint {} began", checkpoint.unwrap_or_default() + 1)
            }
            (DiffBase::Mark, Some(mark)) if mark > turn => format!("back from turn {}", mark + 1),
            (DiffBase::Mark, Some(mark)) => format!("since marked turn {}", mark + 1),
            (DiffBase::PreviousTurn, _) if turn > 0 => format!("since turn {turn}"),
            (DiffBase::PreviousTurn | DiffBase::Start | DiffBase::Mark, _) => {
                "since the start".into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::turns::tests::run_of_five_turns;
    use trajview_run::Turn;

    fn bases_after(keys: &[BaseMessage], turn: usize) -> DiffBases {
        let mut bases = DiffBases::default();
        keys.iter().for_each(|message| bases.update(message, &run_of_five_turns(), turn));
        bases
    }

    #[test]
    fn bases_go_round() {
        use BaseMessage::Next;
        let words =
            |times: usize| bases_after(&vec![Next; times], 3).base_text(&run_of_five_turns(), 3);

        assert_eq!(
            [0, 1, 2, 3].map(words),
            ["since turn 3", "since checkpoint 2 began", "since the start", "since turn 3"]
        );
    }

    #[test]
    fn a_mark_is_the_base_until_another_is_chosen() {
        let bases = bases_after(&[BaseMessage::MarkHere], 1);

        assert_eq!(
            bases.compared_scope(&run_of_five_turns(), 4),
            DiffScope::Since { done: 2, turn: 4 }
        );
        assert_eq!(bases.compared_scope(&run_of_five_turns(), 2), DiffScope::Turn(2));
        assert_eq!(bases.base_text(&run_of_five_turns(), 4), "since marked turn 2");
        assert_eq!(bases.base_text(&run_of_five_turns(), 0), "back from turn 2");
    }

    #[test]
    fn at_the_first_turn_of_a_checkpoint_its_start_is_the_turn_before() {
        let bases = bases_after(&[BaseMessage::Next], 2);

        assert_eq!(bases.compared_scope(&run_of_five_turns(), 2), DiffScope::Turn(2));
        assert_eq!(bases.base_text(&run_of_five_turns(), 2), "since checkpoint 2 began");
    }

    #[test]
    fn a_run_without_checkpoints_has_no_checkpoint_to_measure_from() {
        let run = Run { turns: vec![Turn::default(); 3], ..Run::default() };
        let mut bases = DiffBases::default();
        bases.update(&BaseMessage::Next, &run, 1);

        assert_eq!(bases.base, DiffBase::Start);
    }
}
