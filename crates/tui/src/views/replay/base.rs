//! What the diff is measured from: the turn before, the start of a checkpoint or of the run, a marked turn.

use crate::session::{files::Scope, opening::Base, views::View};
use trajview_run::Run;

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// The next kind of base that there is here.
    Next,
    /// Measure from the end of the selected turn.
    MarkHere,
}

#[derive(Debug, Default)]
pub struct Bases {
    pub base: Base,
    /// The marked turn, counts from 0.
    pub mark: Option<usize>,
    /// What changes were measured from before the curves, or the scores, led to the replay.
    before_curves: Option<Base>,
    before_scores: Option<Base>,
}

impl Bases {
    pub fn update(&mut self, message: &Message, run: &Run, turn: usize) {
        match message {
            Message::MarkHere => {
                self.mark = Some(turn);
                self.base = Base::Mark;
            }
            Message::Next => self.base = self.next(run, turn),
        }
    }

    /// Measures from another base for a view that leads here.
    pub fn lend(&mut self, base: Base, view: View) {
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

    /// Measures from what it was before a view led here, once that is shown again.
    pub const fn give_back(&mut self, view: View) {
        let before = match view {
            View::Curves => self.before_curves.take(),
            View::Scores => self.before_scores.take(),
            _ => None,
        };
        if let Some(base) = before {
            self.base = base;
        }
    }

    fn next(&self, run: &Run, turn: usize) -> Base {
        const CYCLE: [Base; 4] = [Base::PreviousTurn, Base::Checkpoint, Base::Start, Base::Mark];
        let at = CYCLE.iter().position(|base| *base == self.base).unwrap_or_default();
        let after = CYCLE.iter().cycle().skip(at + 1).take(CYCLE.len());
        let there_is = |base: &&Base| self.moment(**base, run, turn).is_some();
        after.copied().collect::<Vec<_>>().iter().find(there_is).copied().unwrap_or_default()
    }

    /// Turns done at a base of a turn; None where there is no such base.
    fn moment(&self, base: Base, run: &Run, turn: usize) -> Option<usize> {
        match base {
            Base::PreviousTurn => Some(turn),
            Base::Checkpoint => {
                let checkpoint = run.turns.get(turn)?.checkpoint?;
                let known = checkpoint < run.checkpoints.len();
                known.then(|| run.first_turn_of(checkpoint).min(turn))
            }
            Base::Start => Some(0),
            Base::Mark => self.mark.map(|mark| mark + 1),
        }
    }

    /// What is compared while this turn is looked at.
    pub fn scope(&self, run: &Run, turn: usize) -> Scope {
        match self.moment(self.base, run, turn) {
            Some(done) if done != turn => Scope::Since { done, turn },
            _ => Scope::Turn(turn),
        }
    }

    /// `since turn 22`, `since checkpoint 3 began`.
    pub fn words(&self, run: &Run, turn: usize) -> String {
        let base = match self.moment(self.base, run, turn) {
            Some(_) => self.base,
            None => Base::PreviousTurn,
        };
        match (base, self.mark) {
            (Base::Checkpoint, _) => {
                let checkpoint = run.turns.get(turn).and_then(|turn| turn.checkpoint);
                format!("since checkpoint {} began", checkpoint.unwrap_or_default() + 1)
            }
            (Base::Mark, Some(mark)) if mark > turn => format!("back from turn {}", mark + 1),
            (Base::Mark, Some(mark)) => format!("since marked turn {}", mark + 1),
            (Base::PreviousTurn, _) if turn > 0 => format!("since turn {turn}"),
            (Base::PreviousTurn | Base::Start | Base::Mark, _) => "since the start".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::turns::tests::run;
    use trajview_run::Turn;

    fn based(keys: &[Message], turn: usize) -> Bases {
        let mut bases = Bases::default();
        keys.iter().for_each(|message| bases.update(message, &run(), turn));
        bases
    }

    #[test]
    fn bases_go_round() {
        use Message::Next;
        let words = |times: usize| based(&vec![Next; times], 3).words(&run(), 3);

        assert_eq!(
            [0, 1, 2, 3].map(words),
            ["since turn 3", "since checkpoint 2 began", "since the start", "since turn 3"]
        );
    }

    #[test]
    fn a_mark_is_the_base_until_another_is_chosen() {
        let bases = based(&[Message::MarkHere], 1);

        assert_eq!(bases.scope(&run(), 4), Scope::Since { done: 2, turn: 4 });
        assert_eq!(bases.scope(&run(), 2), Scope::Turn(2));
        assert_eq!(bases.words(&run(), 4), "since marked turn 2");
        assert_eq!(bases.words(&run(), 0), "back from turn 2");
    }

    #[test]
    fn at_the_first_turn_of_a_checkpoint_its_start_is_the_turn_before() {
        let bases = based(&[Message::Next], 2);

        assert_eq!(bases.scope(&run(), 2), Scope::Turn(2));
        assert_eq!(bases.words(&run(), 2), "since checkpoint 2 began");
    }

    #[test]
    fn a_run_without_checkpoints_has_no_checkpoint_to_measure_from() {
        let run = Run { turns: vec![Turn::default(); 3], ..Run::default() };
        let mut bases = Bases::default();
        bases.update(&Message::Next, &run, 1);

        assert_eq!(bases.base, Base::Start);
    }
}
