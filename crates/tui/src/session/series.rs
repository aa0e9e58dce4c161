//! The values of the curves: which numbers have one, where each comes from, how it is said. What a number is stands in
//! its row of [`trajview_metrics::numbers`].

use crate::session::measured::Measured;
use trajview_metrics::{
    Number,
    exposure::AtTurn,
    memory::Course,
    numbers::{
        CURVES, Of, Style,
        facts::{Counted, Facts, Reused, Spent, Tested, Verdicts},
    },
    process::Processed,
    quality::Snapshot,
};
use trajview_run::{Step, pace};

use super::{Session, judged_points, points::Point};

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// By us, with a profile.
    Computed,
    /// Counted by us in the recorded changes.
    Counted,
    /// Read from a file of the recording.
    Recorded,
    /// Of a judge's or an auditor's scores, from a file beside the recording.
    Judged,
}

/// What is known of a point of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Known {
    Value(f64),
    /// It is still to be measured.
    NotYet,
    /// A gap.
    NotRecorded,
}

impl Known {
    pub const fn of(measured: Option<&Measured>, value: Option<f64>) -> Self {
        match (measured, value) {
            (_, Some(value)) => Self::Value(value),
            (Some(_), None) => Self::NotRecorded,
            (None, None) => Self::NotYet,
        }
    }

    pub const fn value(self) -> Option<f64> {
        match self {
            Self::Value(value) => Some(value),
            Self::NotYet | Self::NotRecorded => None,
        }
    }
}

impl Origin {
    pub fn of(number: Number) -> Self {
        match number.row().of {
            Of::Code(_)
            | Of::Reuse(_)
            | Of::Process(_)
            | Of::RubricTree(_)
            | Of::Raters
            | Of::Runs => Self::Computed,
            Of::Counted(_) => Self::Counted,
            Of::Tests(_) | Of::Spent(_) => Self::Recorded,
            Of::Judgement(_) | Of::Exposure(_) => Self::Judged,
        }
    }

    pub const fn word(self) -> &'static str {
        match self {
            Self::Computed => "computed",
            Self::Counted => "counted",
            Self::Recorded => "recorded",
            Self::Judged => "judged",
        }
    }
}

/// The curves that a run has: the judged ones only where it was judged or audited, that of a memory only where one gave cards,
/// that of the context only where model calls record their tokens.
pub fn listed(session: &Session) -> Vec<Number> {
    let has_judged = judged_points::has_judged_curves(session);
    let has_cards = memory(session).is_some_and(|course| !course.cards.is_empty());
    let has_context = session.run.turns.iter().any(|turn| pace::context_after(turn).is_some());
    let is_there = |number: &Number| match number.row().of {
        Of::Process(_) => has_cards,
        Of::Spent(_) if *number == Number::Context => has_context,
        _ => has_judged || Origin::of(*number) != Origin::Judged,
    };
    CURVES.iter().copied().filter(is_there).collect()
}

/// None where none is recorded, or it is not known yet.
fn memory(session: &Session) -> Option<&Course> {
    session.scores.worked.memory()?.ok()?
}

/// None where it is not recorded or not known yet.
pub fn value(number: Number, session: &Session, point: &Point) -> Option<f64> {
    number.value(&AtPoint { session, point })
}

/// With the profile or the rules before, where values of them are still shown.
pub fn value_before(number: Number, session: &Session, point: &Point) -> Option<f64> {
    let before = session.scores.before.as_ref()?.at(point.moment())?;
    number.of_code(before.snapshot.as_ref().ok()?)
}

/// All values in the order of the points, with why there is none where there is none.
pub fn known(number: Number, session: &Session, points: &[Point]) -> Vec<Known> {
    let known = |point: &Point| match (Origin::of(number), value(number, session, point)) {
        (Origin::Computed, value) if number.is_measured() => {
            Known::of(session.scores.at(point.moment()), value)
        }
        (_, Some(value)) => Known::Value(value),
        (_, None) => Known::NotRecorded,
    };
    points.iter().map(known).collect()
}

/// All values in the order of the points.
pub fn values(number: Number, session: &Session, points: &[Point]) -> Vec<Option<f64>> {
    points.iter().map(|point| value(number, session, point)).collect()
}

/// The value at a point as people read it: of tests how many of how many.
pub fn said_at(number: Number, session: &Session, point: &Point) -> Option<String> {
    let value = value(number, session, point)?;
    let tests = number.passed(&AtPoint { session, point });
    let tests = tests.map(|tests| format!("{}/{}", tests.passed, tests.total));
    Some(tests.unwrap_or_else(|| said(number, value)))
}

pub fn said(number: Number, value: f64) -> String {
    number.written(value, Style::Full)
}

/// With its sign; empty where nothing changed.
pub fn change_said(number: Number, by: f64) -> String {
    number.change_written(by, Style::Full).unwrap_or_default()
}

/// A run at a point of its curves.
struct AtPoint<'a> {
    session: &'a Session,
    point: &'a Point,
}

impl Facts for AtPoint<'_> {
    fn code(&self) -> Option<&Snapshot> {
        self.session.scores.at(self.point.moment())?.snapshot.as_ref().ok()
    }

    /// It is not worked out for every turn.
    fn reuse(&self) -> Option<Reused> {
        None
    }

    fn verdicts(&self) -> Option<Verdicts> {
        judged_points::verdicts(self.session, self.point)
    }

    fn exposed(&self) -> Option<AtTurn> {
        judged_points::exposed(self.session, self.point)
    }

    /// Of every test up to the checkpoint that ends at the point.
    fn tested(&self) -> Option<Tested> {
        Tested::of(self.session.run.record_at(self.point.ended()?)?.tests.as_ref()?)
    }

    /// Of the turns that lead to the point, or of the step.
    fn counted(&self) -> Counted {
        let run = &self.session.run;
        if self.point.turns.is_empty() {
            let step = self.point.step.and_then(|(step, _)| run.step(step));
            let churn = step.and_then(Step::churn).map(|lines| lines as f64);
            return Counted { churn, ..Counted::default() };
        }
        let of_turn = |turn: usize| match self.session.lines_of_turn(turn) {
            Some(lines) => Some(lines.added + lines.removed),
            None => self.session.left_all_alone(turn).then_some(0),
        };
        let turns = self.point.turns.clone();
        Counted {
            turns: Some(turns.len() as f64),
            checkpoints: None,
            churn: turns.map(of_turn).sum::<Option<usize>>().map(|lines| lines as f64),
            warnings: None,
        }
    }

    /// Of the turns that lead to the point; of a step the context alone.
    fn spent(&self) -> Spent {
        if let Some((step, _)) = self.point.step {
            let context = pace::context_at(&self.session.run, step).map(|tokens| tokens as f64);
            return Spent { context, ..Spent::default() };
        }
        let turns = self.session.run.turns.get(self.point.turns.clone());
        turns.filter(|turns| !turns.is_empty()).map(Spent::of).unwrap_or_default()
    }

    /// But for the memory it is of the whole run.
    fn process(&self) -> Option<Processed> {
        let stale_rate = memory(self.session)?.when_given_by(self.point.ended()?).rate();
        Some(Processed { stale_rate, ..Processed::default() })
    }
}
