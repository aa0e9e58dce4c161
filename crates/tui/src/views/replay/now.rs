//! The turn on screen in numbers: what the run has cost and changed so far.
//!
//! Only what is measured or recorded; a value that is not there says so. To show another number add a row to
//! [`ROWS`]: components will stand here as soon as they are judged.

use std::collections::HashSet;

use crate::session::{
    Session,
    points::{self, Axis},
    series,
};
use trajview_metrics::Number;
use trajview_run::{Time, Tokens, files::Moment};

/// A number with its name.
pub struct Row {
    pub label: fn() -> &'static str,
    pub value: fn(&Session) -> Value,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
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
    /// It is being worked out.
    Waiting,
}

pub const ROWS: &[Row] = &[
    Row { label: || Number::Erosion.label(), value: |session| score(session, Number::Erosion) },
    Row { label: || Number::Verbosity.label(), value: |session| score(session, Number::Verbosity) },
    Row { label: || Number::Tokens.label(), value: tokens },
    Row { label: || Number::Cost.label(), value: cost },
    Row { label: || Number::Duration.label(), value: time },
    Row { label: || "files", value: files },
    Row { label: || "errors", value: errors },
    Row { label: || "checkpoint", value: checkpoint },
    Row { label: || "churn/turn", value: churn },
    Row { label: || "tokens/turn", value: tokens_by_turn },
];

/// As the curves have it, with the points up to the playhead.
fn score(session: &Session, number: Number) -> Value {
    let points = points::of(&session.run, Axis::Turns);
    let known = session.scores.at(Moment::after(session.turn + 1)).is_some();
    let at = points.iter().position(|point| point.done == session.turn + 1);
    let Some((at, point)) = at.and_then(|at| Some((at, points.get(at)?))) else {
        return Value::NotRecorded;
    };
    match series::said_at(number, session, point) {
        Some(said) => {
            let so_far = points.get(..=at).unwrap_or_default();
            Value::Score(said, series::values(number, session, so_far))
        }
        None if known || session.scores.failed.is_some() => Value::NotRecorded,
        None => Value::Waiting,
    }
}

/// The turns up to the one on screen.
fn so_far(session: &Session) -> &[trajview_run::Turn] {
    session.run.turns.get(..=session.turn).unwrap_or_default()
}

/// Whether the turn on screen is the last: what is stated of the run holds after it.
fn is_at_the_end(session: &Session) -> bool {
    session.turn + 1 == session.run.turns.len()
}

fn tokens(session: &Session) -> Value {
    let counted = so_far(session).iter().filter(|turn| turn.counts());
    let sum = match is_at_the_end(session) {
        true => session.run.tokens(),
        false => counted.fold(Tokens::default(), |sum, turn| sum + turn.tokens),
    };
    match (sum.input, sum.output) {
        (Some(read), Some(written)) => Value::Tokens { read, written },
        _ => Value::NotRecorded,
    }
}

fn cost(session: &Session) -> Value {
    if is_at_the_end(session) {
        return session.run.cost_usd().map_or(Value::NotRecorded, Value::Dollars);
    }
    let counted = so_far(session).iter().filter(|turn| turn.counts());
    let costs = counted.filter_map(|turn| turn.cost_usd);
    costs.reduce(|sum, cost| sum + cost).map_or(Value::NotRecorded, Value::Dollars)
}

/// From the first request to the end of the turn.
fn time(session: &Session) -> Value {
    let turns = so_far(session);
    let start = session.run.started_at.or_else(|| turns.first()?.started_at);
    let end: Option<Time> = turns.last().and_then(|turn| turn.ended_at);
    let seconds = end.zip(start).and_then(|(end, start)| end.seconds_since(start));
    seconds.map_or(Value::NotRecorded, Value::Seconds)
}

fn files(session: &Session) -> Value {
    let Some(timeline) = session.timeline.ready() else { return waiting_for_files(session) };
    let turns = timeline.turns.iter().take(session.turn + 1);
    let paths: HashSet<_> = turns.flat_map(|turn| &turn.changes).map(|it| &it.path).collect();
    Value::Count(paths.len())
}

fn waiting_for_files(session: &Session) -> Value {
    match session.timeline {
        crate::session::ask::Loading::Failed(_) => Value::NotRecorded,
        _ => Value::Waiting,
    }
}

fn errors(session: &Session) -> Value {
    Value::Count(session.digests.iter().take(session.turn + 1).map(|digest| digest.errors).sum())
}

fn checkpoint(session: &Session) -> Value {
    let run = &session.run;
    let index = run.turns.get(session.turn).and_then(|turn| turn.checkpoint);
    let found = index.and_then(|index| Some((index, run.checkpoints.get(index)?)));
    let Some((index, checkpoint)) = found else { return Value::NotRecorded };
    let first = run.first_turn_of(index);
    Value::Progress {
        checkpoint: [index + 1, run.checkpoints.len()],
        turn: [
            (session.turn + 1).saturating_sub(first),
            (checkpoint.last_turn + 1).saturating_sub(first),
        ],
    }
}

/// Lines added and removed.
fn churn(session: &Session) -> Value {
    let turns = 0..session.run.turns.len();
    let points = turns.map(|turn| match session.lines_of_turn(turn) {
        Some(lines) => Some((lines.added + lines.removed) as f64),
        None => session.left_all_alone(turn).then_some(0.0),
    });
    curve(points.collect())
}

fn tokens_by_turn(session: &Session) -> Value {
    let turns = session.run.turns.iter();
    curve(turns.map(|turn| Some((turn.tokens.input? + turn.tokens.output?) as f64)).collect())
}

fn curve(points: Vec<Option<f64>>) -> Value {
    if points.iter().all(Option::is_none) { Value::NotRecorded } else { Value::Curve(points) }
}
