//! The turn on screen in numbers: what the run has cost and changed so far.
//!
//! Only what is measured or recorded; a value that is not there says so. To show another number add a row to
//! [`ROWS`]: components will stand here as soon as they are judged.

use std::collections::HashSet;

use crate::{
    metrics::Number,
    run::{Time, Tokens},
    session::{
        points::{self, Axis},
        series,
    },
    shell::replay::Replay,
};

/// A number with its name.
pub struct Row {
    pub label: fn() -> &'static str,
    pub value: fn(&Replay) -> Value,
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
    Row { label: || Number::Erosion.label(), value: |replay| score(replay, Number::Erosion) },
    Row { label: || Number::Verbosity.label(), value: |replay| score(replay, Number::Verbosity) },
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
fn score(replay: &Replay, number: Number) -> Value {
    let points = points::of(&replay.session.run, Axis::Turns);
    let known = replay.session.scores.at(replay.session.turn + 1).is_some();
    let at = points.iter().position(|point| point.done == replay.session.turn + 1);
    let Some((at, point)) = at.and_then(|at| Some((at, points.get(at)?))) else {
        return Value::NotRecorded;
    };
    match series::said_at(number, &replay.session, point) {
        Some(said) => {
            let so_far = points.get(..=at).unwrap_or_default();
            Value::Score(said, series::values(number, &replay.session, so_far))
        }
        None if known || replay.session.scores.failed.is_some() => Value::NotRecorded,
        None => Value::Waiting,
    }
}

/// The turns up to the one on screen.
fn so_far(replay: &Replay) -> &[crate::run::Turn] {
    replay.session.run.turns.get(..=replay.session.turn).unwrap_or_default()
}

fn tokens(replay: &Replay) -> Value {
    let counted = so_far(replay).iter().filter(|turn| turn.counts());
    let sum = counted.fold(Tokens::default(), |sum, turn| sum + turn.tokens);
    match (sum.input, sum.output) {
        (Some(read), Some(written)) => Value::Tokens { read, written },
        _ => Value::NotRecorded,
    }
}

fn cost(replay: &Replay) -> Value {
    let counted = so_far(replay).iter().filter(|turn| turn.counts());
    let costs = counted.filter_map(|turn| turn.cost_usd);
    costs.reduce(|sum, cost| sum + cost).map_or(Value::NotRecorded, Value::Dollars)
}

/// From the first request to the end of the turn.
fn time(replay: &Replay) -> Value {
    let turns = so_far(replay);
    let start = replay.session.run.started_at.or_else(|| turns.first()?.started_at);
    let end: Option<Time> = turns.last().and_then(|turn| turn.ended_at);
    let seconds = end.zip(start).and_then(|(end, start)| end.seconds_since(start));
    seconds.map_or(Value::NotRecorded, Value::Seconds)
}

fn files(replay: &Replay) -> Value {
    let Some(timeline) = replay.session.timeline.ready() else { return waiting_for_files(replay) };
    let turns = timeline.turns.iter().take(replay.session.turn + 1);
    let paths: HashSet<_> = turns.flat_map(|turn| &turn.changes).map(|it| &it.path).collect();
    Value::Count(paths.len())
}

fn waiting_for_files(replay: &Replay) -> Value {
    match replay.session.timeline {
        crate::session::ask::Loading::Failed(_) => Value::NotRecorded,
        _ => Value::Waiting,
    }
}

fn errors(replay: &Replay) -> Value {
    Value::Count(
        replay
            .session
            .digests
            .iter()
            .take(replay.session.turn + 1)
            .map(|digest| digest.errors)
            .sum(),
    )
}

fn checkpoint(replay: &Replay) -> Value {
    let run = &replay.session.run;
    let index = run.turns.get(replay.session.turn).and_then(|turn| turn.checkpoint);
    let found = index.and_then(|index| Some((index, run.checkpoints.get(index)?)));
    let Some((index, checkpoint)) = found else { return Value::NotRecorded };
    let first = run.first_turn_of(index);
    Value::Progress {
        checkpoint: [index + 1, run.checkpoints.len()],
        turn: [
            (replay.session.turn + 1).saturating_sub(first),
            (checkpoint.last_turn + 1).saturating_sub(first),
        ],
    }
}

/// Lines added and removed.
fn churn(replay: &Replay) -> Value {
    let turns = 0..replay.session.run.turns.len();
    let points = turns.map(|turn| match replay.session.lines_of_turn(turn) {
        Some(lines) => Some((lines.added + lines.removed) as f64),
        None => replay.session.left_all_alone(turn).then_some(0.0),
    });
    curve(points.collect())
}

fn tokens_by_turn(replay: &Replay) -> Value {
    let turns = replay.session.run.turns.iter();
    curve(turns.map(|turn| Some((turn.tokens.input? + turn.tokens.output?) as f64)).collect())
}

fn curve(points: Vec<Option<f64>>) -> Value {
    if points.iter().all(Option::is_none) { Value::NotRecorded } else { Value::Curve(points) }
}

/// Whether the panel is on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shown {
    /// Where there is room.
    #[default]
    Auto,
    Yes,
    No,
}
