//! What is known of a run at a moment of a comparison, and what there is between two runs.

use super::{Party, Subtraction, judged};
use trajview_metrics::{
    Number,
    exposure::AtTurn,
    faithfulness::Faithfulness,
    numbers::facts::{Counted, Facts, Reused, Spent, Tested, Verdicts},
    process::Processed,
    quality::Snapshot,
};
use trajview_run::{card, recorded::Tests, rubric::Judgement};

/// One number of two runs, and what there is between them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outcome {
    pub a: Option<f64>,
    pub b: Option<f64>,
    /// In the sense of the subtraction; None where either is missing.
    pub delta: Option<f64>,
    /// The position of the run that does better; None where they are equal, one is missing, or neither way is better.
    pub better: Option<usize>,
}

impl Outcome {
    /// Of two runs at the end.
    pub fn of(number: Number, [a, b]: [&Party; 2], subtraction: Subtraction) -> Self {
        Self::between(number, [a.value(number), b.value(number)], subtraction)
    }

    /// Of two values; the subtraction names them by the positions it was made with, lower first.
    pub fn between(number: Number, [a, b]: [Option<f64>; 2], subtraction: Subtraction) -> Self {
        let Subtraction { from, taken, .. } = subtraction;
        let (first, second) = (from.min(taken), from.max(taken));
        let by = a.zip(b).map(|(a, b)| a - b).filter(|by| by.is_finite());
        let better = by.and_then(|by| number.better().gains(by));
        let better = better.map(|is_first| if is_first { first } else { second });
        Self { a, b, delta: by.map(|by| if from == first { by } else { -by }), better }
    }
}

impl Party {
    /// At the end of the run; what is judged, at the state that was judged, IF50 with the DIR of that state. None where
    /// it is not recorded, not judged or not measured (yet).
    pub fn value(&self, number: Number) -> Option<f64> {
        number.value(&AtEnd(self))
    }

    /// After so many turns. Verdicts and tests are of the moment at which somebody judged or tested, and of no other.
    pub fn value_at(&self, number: Number, done: usize) -> Option<f64> {
        number.value(&At { party: self, done })
    }

    fn verdicts_of(&self, judgement: &Judgement) -> Verdicts {
        let dir = self.dir_at(judged::done_at(&self.run, judgement));
        Verdicts::of(&Faithfulness::of(judgement, self.rubric.checklist.as_ref()), dir)
    }

    fn dir_at(&self, done: usize) -> Option<f64> {
        self.reuse.get(&done).copied().flatten()?.dir
    }

    /// The judgement of the judge that speaks on the state after so many turns: one that covers the checklist, or the
    /// very one that speaks.
    fn judgement_at(&self, done: usize) -> Option<&Judgement> {
        let speaks = self.judgement()?;
        let all = self.rubric.judgements.iter().rev();
        let mut here = all.filter(|it| judged::done_at(&self.run, it) == done);
        here.find(|it| {
            let is_whole = it.judge.name == speaks.judge.name && self.rubric.covers(it);
            is_whole || std::ptr::eq(*it, speaks)
        })
    }

    /// The tests of the last checkpoint that has some.
    fn last_tests(&self) -> Option<&Tests> {
        let states = self.run.checkpoints.iter().rev();
        let records = states.flat_map(|it| [&it.after_skill, &it.recorded].into_iter().flatten());
        records.filter_map(|record| record.tests.as_ref()).next()
    }
}

/// A run after so many turns.
struct At<'a> {
    party: &'a Party,
    done: usize,
}

/// A run as it ended.
struct AtEnd<'a>(&'a Party);

impl AtEnd<'_> {
    fn end(&self) -> At<'_> {
        At { party: self.0, done: self.0.run.turns.len() }
    }
}

impl Facts for At<'_> {
    fn code(&self) -> Option<&Snapshot> {
        self.party.code_at(self.done)
    }

    fn reuse(&self) -> Option<Reused> {
        self.party.reuse.get(&self.done).copied().flatten()
    }

    fn verdicts(&self) -> Option<Verdicts> {
        Some(self.party.verdicts_of(self.party.judgement_at(self.done)?))
    }

    fn exposed(&self) -> Option<AtTurn> {
        let rubric = &self.party.rubric;
        AtTurn::of(rubric.exposure.as_ref()?, rubric.checklist.as_ref(), self.done)
    }

    fn tested(&self) -> Option<Tested> {
        Tested::of(self.party.run.record_at(self.done)?.tests.as_ref()?)
    }

    fn counted(&self) -> Counted {
        Counted { turns: Some(self.done as f64), ..Counted::default() }
    }

    fn spent(&self) -> Spent {
        Spent::of(self.party.run.turns.get(..self.done).unwrap_or_default())
    }

    /// It is of the whole run.
    fn process(&self) -> Option<Processed> {
        None
    }
}

impl Facts for AtEnd<'_> {
    fn code(&self) -> Option<&Snapshot> {
        self.0.code()
    }

    fn reuse(&self) -> Option<Reused> {
        self.end().reuse()
    }

    fn verdicts(&self) -> Option<Verdicts> {
        Some(self.0.verdicts_of(self.0.judgement()?))
    }

    fn exposed(&self) -> Option<AtTurn> {
        self.end().exposed()
    }

    fn tested(&self) -> Option<Tested> {
        Tested::of(self.0.last_tests()?)
    }

    /// Over the turns that count, as every table of runs has it.
    fn counted(&self) -> Counted {
        let run = &self.0.run;
        let turns = (!run.is_rubric_tree_alone()).then(|| run.counted_turns().count() as f64);
        Counted { turns, ..self.end().counted() }
    }

    /// The same.
    fn spent(&self) -> Spent {
        let run = &self.0.run;
        Spent {
            tokens: card::both(run.tokens()).map(|tokens| tokens as f64),
            cost_usd: run.cost_usd(),
            seconds: run.duration_s(),
            ..self.end().spent()
        }
    }

    fn process(&self) -> Option<Processed> {
        self.0.process
    }
}
