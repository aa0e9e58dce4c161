//! The values of the curves: the numbers that have a curve, the origin of each, and its text. The properties of a
//! number are in its row of [`trajview_metrics::numbers`].

use crate::session::code_measures::MeasuredMoment;
use trajview_metrics::{
    Number,
    exposure::ExposureAtTurn,
    memory::MemoryTimeline,
    numbers::{
        CURVES, NumberInput, NumberStyle,
        facts::{MomentFacts, ReuseCounts, TestScores, TurnCounts, TurnUsage, VerdictSummary},
    },
    process::ProcessNumbers,
    quality::QualitySnapshot,
};
use trajview_run::{Step, step_pace};

use super::{Session, curve_points::RunPoint, judged_points};

/// The origin of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueOrigin {
    /// Computed by us, with a profile.
    Computed,
    /// Counted by us in the recorded changes.
    Counted,
    /// Read from a file of the recording.
    Recorded,
    /// From a judge's or an auditor's scores, in a file beside the recording.
    Judged,
}

/// The value at a point of a curve, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PointValue {
    Value(f64),
    /// The point is still to be measured.
    NotYet,
    /// A gap.
    NotRecorded,
}

impl PointValue {
    pub const fn from_measured(measured: Option<&MeasuredMoment>, value: Option<f64>) -> Self {
        match (measured, value) {
            (_, Some(value)) => Self::Value(value),
            (Some(_), None) => Self::NotRecorded,
            (None, None) => Self::NotYet,
        }
    }

    pub const fn as_number(self) -> Option<f64> {
        match self {
            Self::Value(value) => Some(value),
            Self::NotYet | Self::NotRecorded => None,
        }
    }
}

impl ValueOrigin {
    pub(crate) fn for_number(number: Number) -> Self {
        match number.row().input {
            NumberInput::Code(_)
            | NumberInput::Reuse(_)
            | NumberInput::Process(_)
            | NumberInput::RubricTree(_)
            | NumberInput::Raters
            | NumberInput::Runs => Self::Computed,
            NumberInput::Counted(_) => Self::Counted,
            NumberInput::Tests(_) | NumberInput::Spent(_) => Self::Recorded,
            NumberInput::Judgement(_) | NumberInput::Exposure(_) => Self::Judged,
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

/// Returns the numbers whose curves a run has: the judged ones only where it was judged or audited, that of a memory
/// only where one gave cards, that of the context only where model calls record their tokens.
pub fn listed_numbers(session: &Session) -> Vec<Number> {
    let has_judged = judged_points::has_judged_curves(session);
    let has_cards = memory_course(session).is_some_and(|course| !course.cards.is_empty());
    let has_context = session.run.turns.iter().any(|turn| step_pace::context_after(turn).is_some());
    let is_there = |number: &Number| match number.row().input {
        NumberInput::Process(_) => has_cards,
        NumberInput::Spent(_) if *number == Number::Context => has_context,
        _ => has_judged || ValueOrigin::for_number(*number) != ValueOrigin::Judged,
    };
    CURVES.iter().copied().filter(is_there).collect()
}

/// Returns the recorded memory; None where there is none, or it is not known yet.
fn memory_course(session: &Session) -> Option<&MemoryTimeline> {
    session.scores.process.memory()?.ok()?
}

/// Returns the value at a point; None where it is not recorded or not known yet.
pub fn value_at(number: Number, session: &Session, point: &RunPoint) -> Option<f64> {
    number.value_at(&FactsAtPoint { session, point })
}

/// Returns the value with the previous profile or rules, while their values are still shown.
pub(crate) fn value_before(number: Number, session: &Session, point: &RunPoint) -> Option<f64> {
    let before = session.scores.before.as_ref()?.measured_at(point.moment())?;
    number.value_of_code(before.snapshot.as_ref().ok()?)
}

/// Returns all values in the order of the points, with the reason where there is none.
pub(crate) fn point_values(
    number: Number,
    session: &Session,
    points: &[RunPoint],
) -> Vec<PointValue> {
    let known = |point: &RunPoint| match (
        ValueOrigin::for_number(number),
        value_at(number, session, point),
    ) {
        (ValueOrigin::Computed, value) if number.is_measured() => {
            PointValue::from_measured(session.scores.measured_at(point.moment()), value)
        }
        (_, Some(value)) => PointValue::Value(value),
        (_, None) => PointValue::NotRecorded,
    };
    points.iter().map(known).collect()
}

/// Returns the values at the points, in their order; None for one that is not known.
pub fn values_at(number: Number, session: &Session, points: &[RunPoint]) -> Vec<Option<f64>> {
    points.iter().map(|point| value_at(number, session, point)).collect()
}

/// Returns the value at a point as people read it, of tests as `passed/total`; None where it is not known.
pub(crate) fn value_text_at(number: Number, session: &Session, point: &RunPoint) -> Option<String> {
    let value = value_at(number, session, point)?;
    let tests = number.tests_passed(&FactsAtPoint { session, point });
    let tests = tests.map(|tests| format!("{}/{}", tests.passed, tests.total));
    Some(tests.unwrap_or_else(|| full_number_text(number, value)))
}

/// Returns a value of a number with all its digits and its unit, as the curves list it.
pub(crate) fn full_number_text(number: Number, value: f64) -> String {
    number.format_value(value, NumberStyle::Full)
}

/// Returns the text of a change with its sign; empty where nothing changed.
pub fn change_text(number: Number, by: f64) -> String {
    number.format_change(by, NumberStyle::Full).unwrap_or_default()
}

/// A run at a point of its curves.
struct FactsAtPoint<'a> {
    session: &'a Session,
    point: &'a RunPoint,
}

impl MomentFacts for FactsAtPoint<'_> {
    fn code_snapshot(&self) -> Option<&QualitySnapshot> {
        self.session.scores.measured_at(self.point.moment())?.snapshot.as_ref().ok()
    }

    /// Returns None: reuse is not computed for every turn.
    fn reuse_counts(&self) -> Option<ReuseCounts> {
        None
    }

    fn verdict_summary(&self) -> Option<VerdictSummary> {
        judged_points::verdicts_at(self.session, self.point)
    }

    fn exposure_shares(&self) -> Option<ExposureAtTurn> {
        judged_points::exposure_at(self.session, self.point)
    }

    /// Returns the results of all tests up to the checkpoint that ends at the point.
    fn test_results(&self) -> Option<TestScores> {
        TestScores::from_tests(
            self.session.run.record_at(self.point.ended_turns()?)?.tests.as_ref()?,
        )
    }

    /// Counts in the turns that lead to the point, or in the step.
    fn turn_counts(&self) -> TurnCounts {
        let run = &self.session.run;
        if self.point.turns.is_empty() {
            let step = self.point.step.and_then(|(step, _)| run.step(step));
            let churn = step.and_then(Step::lines_changed).map(|lines| lines as f64);
            return TurnCounts { churn, ..TurnCounts::default() };
        }
        let of_turn = |turn: usize| match self.session.lines_of_turn(turn) {
            Some(lines) => Some(lines.added + lines.removed),
            None => self.session.changed_nothing(turn).then_some(0),
        };
        let turns = self.point.turns.clone();
        TurnCounts {
            turns: Some(turns.len() as f64),
            checkpoints: None,
            churn: turns.map(of_turn).sum::<Option<usize>>().map(|lines| lines as f64),
            warnings: None,
        }
    }

    /// Returns the use of the turns that lead to the point; for a step only its context.
    fn turn_usage(&self) -> TurnUsage {
        if let Some((step, _)) = self.point.step {
            let context =
                step_pace::context_at(&self.session.run, step).map(|tokens| tokens as f64);
            return TurnUsage { context, ..TurnUsage::default() };
        }
        let turns = self.session.run.turns.get(self.point.turns.clone());
        turns.filter(|turns| !turns.is_empty()).map(TurnUsage::from_turns).unwrap_or_default()
    }

    /// Returns the numbers of the process up to the point, which is only that of the memory: the others are of the
    /// whole run.
    fn process_numbers(&self) -> Option<ProcessNumbers> {
        let stale_rate =
            memory_course(self.session)?.when_given_by(self.point.ended_turns()?).stale_rate();
        Some(ProcessNumbers { stale_rate, ..ProcessNumbers::default() })
    }
}
