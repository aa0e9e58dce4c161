//! The numbers that runs are compared by, at any moment: the same list heads the comparison and gives its curves.

use super::{Party, Subtraction, judged};
use crate::{
    metrics::{
        Better,
        faithfulness::{Faithfulness, if50},
        quality::Snapshot,
    },
    run::{recorded::Passed, rubric::Judgement},
};

/// One number of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fact {
    Mcf,
    Dir,
    If50,
    /// Components with a score of 0 or 1.
    Severe,
    Erosion,
    Verbosity,
    /// Share of the tests that pass.
    Tests,
    Loc,
    /// Read and written, from the beginning.
    Tokens,
    Turns,
    Mass,
    Callables,
    HighCc,
}

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

impl Fact {
    pub const ALL: [Self; 13] = [
        Self::Mcf,
        Self::Dir,
        Self::If50,
        Self::Severe,
        Self::Erosion,
        Self::Verbosity,
        Self::Tests,
        Self::Loc,
        Self::Tokens,
        Self::Turns,
        Self::Mass,
        Self::Callables,
        Self::HighCc,
    ];

    /// The word in JSON and in tables for programs.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Mcf => "mcf",
            Self::Dir => "dir",
            Self::If50 => "if50",
            Self::Severe => "severe",
            Self::Erosion => "erosion",
            Self::Verbosity => "verbosity",
            Self::Mass => "mass",
            Self::Loc => "loc",
            Self::Callables => "callables",
            Self::HighCc => "high_cc",
            Self::Tests => "tests",
            Self::Tokens => "tokens",
            Self::Turns => "turns",
        }
    }

    /// As people call it.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Mcf => "MCF",
            Self::Dir => "DIR",
            Self::If50 => "IF50",
            Self::Severe => "severe failures",
            Self::Erosion => "erosion",
            Self::Verbosity => "verbosity",
            Self::Mass => "mass",
            Self::Loc => "lines of code",
            Self::Callables => "callables",
            Self::HighCc => "CC above 10",
            Self::Tests => "tests passed",
            Self::Tokens => "tokens",
            Self::Turns => "turns",
        }
    }

    pub const fn better(self) -> Better {
        match self {
            Self::Mcf | Self::Dir | Self::If50 | Self::Tests => Better::Higher,
            Self::Severe | Self::Erosion | Self::Verbosity | Self::HighCc => Better::Lower,
            Self::Mass | Self::Loc | Self::Callables | Self::Tokens | Self::Turns => {
                Better::Neither
            }
        }
    }

    /// Whether it is worked out from the code, so that it has to be measured first.
    pub const fn is_measured(self) -> bool {
        matches!(
            self,
            Self::Dir
                | Self::Erosion
                | Self::Verbosity
                | Self::Mass
                | Self::Loc
                | Self::Callables
                | Self::HighCc
        )
    }

    /// At the end of the run; what is judged, at the state that was judged, IF50 with the DIR of that state. None where
    /// it is not recorded, not judged or not measured (yet).
    pub fn of(self, party: &Party) -> Option<f64> {
        match self {
            Self::Mcf | Self::If50 | Self::Severe => self.of_verdicts(party, party.judgement()?),
            Self::Tests => tests(party).map(|passed| passed.share())?,
            _ => self.at(party, party.run.turns.len()),
        }
    }

    /// After so many turns. Verdicts and tests are of the moment at which somebody judged or tested, and of no other.
    pub fn at(self, party: &Party, done: usize) -> Option<f64> {
        let measured = |value: fn(&Snapshot) -> f64| party.code_at(done).map(value);
        match self {
            Self::Mcf | Self::If50 | Self::Severe => {
                self.of_verdicts(party, judgement_at(party, done)?)
            }
            Self::Dir => party.reuse.get(&done).copied().flatten(),
            Self::Erosion => measured(|it| it.erosion),
            Self::Verbosity => measured(|it| it.verbosity),
            Self::Mass => measured(|it| it.totals.mass),
            Self::Loc => measured(|it| it.totals.loc as f64),
            Self::Callables => measured(|it| it.totals.callables as f64),
            Self::HighCc => measured(|it| it.totals.high_cc as f64),
            Self::Tests => tests_at(party, done)?.share(),
            Self::Tokens => tokens(party, done),
            Self::Turns => Some(done as f64),
        }
    }

    fn of_verdicts(self, party: &Party, judgement: &Judgement) -> Option<f64> {
        let scores = Faithfulness::of(judgement, party.rubric.checklist.as_ref());
        match self {
            Self::Severe => (scores.judged > 0).then(|| scores.severe() as f64),
            Self::If50 => {
                let dir = Self::Dir.at(party, judged::done_at(&party.run, judgement))?;
                Some(if50(scores.mcf()?, dir))
            }
            _ => scores.mcf(),
        }
    }

    /// Of two runs at the end.
    pub fn outcome(self, parties: [&Party; 2], subtraction: Subtraction) -> Outcome {
        self.between(parties.map(|party| self.of(party)), subtraction)
    }

    /// Of two values; the subtraction names them by the positions it was made with, lower first.
    pub fn between(self, [a, b]: [Option<f64>; 2], subtraction: Subtraction) -> Outcome {
        let Subtraction { from, taken, .. } = subtraction;
        let (first, second) = (from.min(taken), from.max(taken));
        let by = a.zip(b).map(|(a, b)| a - b).filter(|by| by.is_finite());
        let better = by.filter(|by| *by != 0.0).and_then(|by| match self.better() {
            Better::Neither => None,
            Better::Higher => Some(if by > 0.0 { first } else { second }),
            Better::Lower => Some(if by < 0.0 { first } else { second }),
        });
        Outcome { a, b, delta: by.map(|by| if from == first { by } else { -by }), better }
    }
}

/// The judgement of the judge that speaks on the state after so many turns: one that covers the checklist, or the very
/// one that speaks.
fn judgement_at(party: &Party, done: usize) -> Option<&Judgement> {
    let speaks = party.judgement()?;
    let all = party.rubric.judgements.iter().rev();
    let mut here = all.filter(|it| judged::done_at(&party.run, it) == done);
    here.find(|it| {
        let is_whole = it.judge.name == speaks.judge.name && party.rubric.covers(it);
        is_whole || std::ptr::eq(*it, speaks)
    })
}

/// What the last checkpoint with recorded tests says; none where the harness failed and not the code.
pub fn tests(party: &Party) -> Option<Passed> {
    let states = party.run.checkpoints.iter().rev();
    let records = states.flat_map(|it| [&it.after_skill, &it.recorded].into_iter().flatten());
    let tests = records.filter_map(|record| record.tests.as_ref()).next()?;
    Some(tests.strict).filter(|passed| !tests.infrastructure_failure && passed.total > 0)
}

/// Of the state after so many turns.
fn tests_at(party: &Party, done: usize) -> Option<Passed> {
    let tests = party.run.record_at(done)?.tests.as_ref()?;
    Some(tests.strict).filter(|passed| !tests.infrastructure_failure && passed.total > 0)
}

/// None where a turn does not record what it took.
fn tokens(party: &Party, done: usize) -> Option<f64> {
    let turns = party.run.turns.get(..done)?;
    turns
        .iter()
        .map(|turn| Some(turn.tokens.input?.saturating_add(turn.tokens.output?) as f64))
        .sum()
}

impl Fact {
    /// As people read it; `-` where there is none.
    pub fn said(self, value: Option<f64>) -> String {
        let Some(value) = value else { return "-".into() };
        match self {
            Self::Mcf | Self::Dir | Self::If50 => format!("{value:.3}"),
            Self::Erosion | Self::Verbosity => format!("{value:.4}"),
            Self::Tests => format!("{:.0} %", value * 100.0),
            Self::Mass => format!("{value:.1}"),
            Self::Severe
            | Self::Loc
            | Self::Callables
            | Self::HighCc
            | Self::Tokens
            | Self::Turns => format!("{value:.0}"),
        }
    }

    /// A difference with its sign; `0` where nothing can be seen of it.
    pub fn delta_said(self, delta: f64) -> String {
        let words = self.said(Some(delta.abs()));
        match (words == self.said(Some(0.0)), delta < 0.0) {
            (true, _) => "0".into(),
            (false, true) => format!("−{words}"),
            (false, false) => format!("+{words}"),
        }
    }
}
