//! The list of what a memory gave the agent: a row an event, and of a card one for each place that it cites.

use crate::session::{
    Session,
    opening::{Aim, Opening, Target},
};
use trajview_metrics::memory::{
    Cost, Course, Event, Found, Span, State, What,
    course::{Count, Counts, Given},
};
use trajview_run::{EditPath, RepoPath, StepId, figures};

use super::rows::Row;

/// The sums first, then the events in the order of their turns.
pub fn rows(session: &Session, course: &Course) -> Vec<Row> {
    let mut cards = course.cards.iter().peekable();
    let mut rows = sums(course);
    for (at, event) in course.events.iter().enumerate() {
        match cards.next_if(|card| card.event == at) {
            Some(given) => rows.extend(of_card(session, event, given)),
            None => rows.push(of_event(session, event)),
        }
    }
    rows
}

fn sums(course: &Course) -> Vec<Row> {
    let row = |kind: &str, words: String, is_loud| {
        (!words.is_empty()).then(|| Row { kind: kind.into(), words, is_loud, ..Row::default() })
    };
    let (given, now) = (course.when_given(), course.now());
    let stale = match course.cards.as_slice() {
        [] => String::new(),
        _ => format!("{} · at the end {}", of_cards(given), of_cards(now)),
    };
    let counts = if course.events.is_empty() { String::new() } else { took(course) };
    [
        row("stale when given", stale, given.stale > 0),
        row("stale by turn", by_turn(course), false),
        row("events", counts, false),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn of_cards(count: Count) -> String {
    match count.rate() {
        Some(rate) => {
            format!("{} of {} cards ({})", count.stale, count.known, figures::percent(rate))
        }
        None => "not known".into(),
    }
}

/// The share of all cards given so far that is stale, where it changes.
fn by_turn(course: &Course) -> String {
    let mut last = None;
    let mut said = vec![];
    for (turn, number) in course.turns.iter().zip(1..) {
        let rate = turn.after.rate();
        if let Some(rate) = rate.filter(|_| rate != last) {
            said.push(format!("turn {number} {}", figures::percent(rate)));
        }
        last = rate;
    }
    said.join(" → ")
}

fn took(course: &Course) -> String {
    let Counts { routing, verification, expansion, cards } = Counts::of(&course.events);
    let Cost { tokens, seconds, cost_usd } = Cost::of(&course.events);
    let kinds = format!(
        "routing {routing} · verification {verification} · expansion {expansion} · cards {cards}"
    );
    let parts = [
        Some(kinds),
        tokens.map(|it| format!("{} tokens", figures::count(it))),
        seconds.map(figures::duration),
        cost_usd.map(figures::dollars),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// Where a row stands: its step, or its turn's request.
fn at(session: &Session, event: &Event) -> (Row, Opening) {
    let step = event.step.and_then(|step| step.of(&session.run));
    let first = StepId { turn: event.turn, subagent: None, step: 0 };
    let target = step.map_or(Target::Request, Target::Step);
    let row = Row { at: event.place(), step: Some(step.unwrap_or(first)), ..Row::default() };
    (row, Opening::at(event.turn, target))
}

fn of_event(session: &Session, event: &Event) -> Row {
    let (row, opening) = at(session, event);
    let is_loud = matches!(event.what, What::Verification { passed: Some(false), .. });
    let kind = event.what.word().to_owned();
    Row { kind, words: event.what.words(), opens: Some(opening), is_loud, ..row }
}

fn of_card(session: &Session, event: &Event, given: &Given) -> Vec<Row> {
    let spans = event.card().map_or(&[][..], |card| &card.spans);
    if spans.is_empty() {
        return vec![of_event(session, event)];
    }
    let words = event.what.words();
    let found = given.when_given.iter().zip(&given.now).zip(&given.cited);
    let row = |(span, ((when_given, now), cited)): (&Span, ((&Found, &Found), &Option<usize>))| {
        let (row, opening) = at(session, event);
        let version = match (&span.version, cited) {
            (Some(version), None) => format!(" · {} is no state of this run", version.words()),
            _ => String::new(),
        };
        let later = match now == when_given {
            true => String::new(),
            false => format!(" · at the end {}", now.words(&span.artifact)),
        };
        let place = where_found(when_given, span);
        Row {
            kind: format!("card · {}", when_given.state.word()),
            words: format!("{}{place}{later}{version} · {words}", span.place()),
            opens: Some(cited.and_then(|done| cited_at(session, span, done)).unwrap_or(opening)),
            is_loud: [when_given, now].iter().any(|it| it.state == State::Stale),
            ..row
        }
    };
    spans.iter().zip(found).map(row).collect()
}

/// What the kind does not say of where a snippet stood when it was given.
fn where_found(found: &Found, span: &Span) -> String {
    let words = found.words(&span.artifact);
    if words == found.state.word() { String::new() } else { format!(" · {words}") }
}

/// The cited lines in the file as it was after so many turns. Before the first turn they are the old side of its change.
fn cited_at(session: &Session, span: &Span, done: usize) -> Option<Opening> {
    let root = session.run.origin.root.as_deref();
    let path: RepoPath = EditPath::sort(&span.artifact, root).inside()?.clone();
    let line = span.lines.map_or(1, |(first, _)| first);
    let Some(turn) = done.checked_sub(1) else {
        let first = session.timeline.ready().and_then(|timeline| timeline.turns.first());
        let is_changed = first.is_some_and(|turn| turn.changes.iter().any(|it| it.path == path));
        return Some(match is_changed {
            true => Opening::at(0, Target::Change { path, aim: Some(Aim::Old(line)) }),
            false => Opening::at_line(0, path, line),
        });
    };
    Some(Opening::at_line(turn, path, line))
}
