//! The statistics of the turn on screen: the cost and the changes of the run so far.
//!
//! All values are measured or recorded; a missing value is marked as missing. To show another number add a row to
//! [`TURN_STATS`]; scores of components are added as soon as they are judged.

use std::collections::HashSet;

use crate::session::{
    Session,
    curve_points::{self, CurveAxis},
    curve_values,
};
use trajview_metrics::Number;
use trajview_run::{Time, Tokens, files::RunMoment};

/// A number with its name.
pub struct TurnStat {
    pub label: fn() -> &'static str,
    pub value: fn(&Session) -> TurnStatValue,
}

#[derive(Debug, Clone, PartialEq)]
pub enum TurnStatValue {
    Tokens {
        read: u64,
        written: u64,
    },
    Dollars(f64),
    Count(usize),
    Seconds(f64),
    /// Both count from 1.
    Progress {
        checkpoint: [usize; 2],
        turn: [usize; 2],
    },
    /// One point a turn of the whole run; None where a turn records none.
    Curve(Vec<Option<f64>>),
    /// A value and its curve so far, one point a turn; None where it is not recorded or not known yet.
    Score(String, Vec<Option<f64>>),
    /// The recording cannot tell.
    NotRecorded,
    /// A number of the code that could not be measured.
    NotMeasured,
    /// The value is being computed.
    Waiting,
}

pub(crate) const TURN_STATS: &[TurnStat] = &[
    TurnStat {
        label: || Number::Erosion.label(),
        value: |session| score_value(session, Number::Erosion),
    },
    TurnStat {
        label: || Number::Verbosity.label(),
        value: |session| score_value(session, Number::Verbosity),
    },
    TurnStat { label: || Number::Tokens.label(), value: token_value },
    TurnStat { label: || Number::Cost.label(), value: cost_value },
    TurnStat { label: || Number::Duration.label(), value: duration_value },
    TurnStat { label: || "files", value: file_count_value },
    TurnStat { label: || "errors", value: error_count_value },
    TurnStat { label: || "checkpoint", value: checkpoint_value },
    TurnStat { label: || "lines/turn", value: churn_curve },
    TurnStat { label: || "tokens/turn", value: token_curve },
];

/// Returns the value as the curves have it, with the points up to the playhead.
fn score_value(session: &Session, number: Number) -> TurnStatValue {
    let points = curve_points::points_of_run(&session.run, CurveAxis::Turns);
    let known = session.scores.measured_at(RunMoment::after_turns(session.turn + 1)).is_some();
    let at = points.iter().position(|point| point.done == session.turn + 1);
    let Some((at, point)) = at.and_then(|at| Some((at, points.get(at)?))) else {
        return TurnStatValue::NotMeasured;
    };
    match curve_values::value_text_at(number, session, point) {
        Some(said) => {
            let so_far = points.get(..=at).unwrap_or_default();
            TurnStatValue::Score(said, curve_values::values_at(number, session, so_far))
        }
        None if known || session.scores.failed.is_some() => TurnStatValue::NotMeasured,
        None => TurnStatValue::Waiting,
    }
}

/// Returns the turns up to the one on screen.
fn turns_so_far(session: &Session) -> &[trajview_run::Turn] {
    session.run.turns.get(..=session.turn).unwrap_or_default()
}

/// Returns whether the turn on screen is the last, so that totals of the run apply to it.
fn is_last_turn(session: &Session) -> bool {
    session.turn + 1 == session.run.turns.len()
}

fn token_value(session: &Session) -> TurnStatValue {
    let counted = turns_so_far(session).iter().filter(|turn| turn.is_counted());
    let sum = match is_last_turn(session) {
        true => session.run.tokens(),
        false => counted.fold(Tokens::default(), |sum, turn| sum + turn.tokens),
    };
    match (sum.input, sum.output) {
        (Some(read), Some(written)) => TurnStatValue::Tokens { read, written },
        _ => TurnStatValue::NotRecorded,
    }
}

fn cost_value(session: &Session) -> TurnStatValue {
    if is_last_turn(session) {
        return session.run.cost_usd().map_or(TurnStatValue::NotRecorded, TurnStatValue::Dollars);
    }
    let counted = turns_so_far(session).iter().filter(|turn| turn.is_counted());
    let costs = counted.filter_map(|turn| turn.cost_usd);
    costs.reduce(|sum, cost| sum + cost).map_or(TurnStatValue::NotRecorded, TurnStatValue::Dollars)
}

/// Returns the time from the first request to the end of the turn.
fn duration_value(session: &Session) -> TurnStatValue {
    let turns = turns_so_far(session);
    let start = session.run.started_at.or_else(|| turns.first()?.started_at);
    let end: Option<Time> = turns.last().and_then(|turn| turn.ended_at);
    let seconds = end.zip(start).and_then(|(end, start)| end.seconds_since(start));
    seconds.map_or(TurnStatValue::NotRecorded, TurnStatValue::Seconds)
}

fn file_count_value(session: &Session) -> TurnStatValue {
    let Some(timeline) = session.timeline.ready() else { return waiting_for_files(session) };
    let turns = timeline.turns.iter().take(session.turn + 1);
    let paths: HashSet<_> = turns.flat_map(|turn| &turn.changes).map(|it| &it.path).collect();
    TurnStatValue::Count(paths.len())
}

fn waiting_for_files(session: &Session) -> TurnStatValue {
    match session.timeline {
        crate::session::pending::Loading::Failed(_) => TurnStatValue::NotRecorded,
        _ => TurnStatValue::Waiting,
    }
}

fn error_count_value(session: &Session) -> TurnStatValue {
    TurnStatValue::Count(
        session.turn_counts.iter().take(session.turn + 1).map(|digest| digest.errors).sum(),
    )
}

fn checkpoint_value(session: &Session) -> TurnStatValue {
    let run = &session.run;
    let index = run.turns.get(session.turn).and_then(|turn| turn.checkpoint);
    let found = index.and_then(|index| Some((index, run.checkpoints.get(index)?)));
    let Some((index, checkpoint)) = found else { return TurnStatValue::NotRecorded };
    let first = run.first_turn_of(index);
    TurnStatValue::Progress {
        checkpoint: [index + 1, run.checkpoints.len()],
        turn: [
            (session.turn + 1).saturating_sub(first),
            (checkpoint.last_turn + 1).saturating_sub(first),
        ],
    }
}

/// Returns lines added and removed.
fn churn_curve(session: &Session) -> TurnStatValue {
    let turns = 0..session.run.turns.len();
    let points = turns.map(|turn| match session.lines_of_turn(turn) {
        Some(lines) => Some((lines.added + lines.removed) as f64),
        None => session.changed_nothing(turn).then_some(0.0),
    });
    curve_value(points.collect())
}

fn token_curve(session: &Session) -> TurnStatValue {
    let turns = session.run.turns.iter();
    curve_value(turns.map(|turn| turn.tokens.total().map(|tokens| tokens as f64)).collect())
}

fn curve_value(points: Vec<Option<f64>>) -> TurnStatValue {
    if points.iter().all(Option::is_none) {
        TurnStatValue::NotRecorded
    } else {
        TurnStatValue::Curve(points)
    }
}
