//! The list of what a memory gave the agent: a row an event, and of a card one for each place that it cites.

use crate::session::{
    Session,
    replay_opening::{LineAim, OpeningTarget, ReplayOpening},
};
use trajview_metrics::memory::{
    CardState, CitedPlaceState, CitedSpan, MemoryCost, MemoryEvent, MemoryEventKind,
    MemoryTimeline,
    memory_timeline::{EventCounts, GivenCard, StaleCount},
};
use trajview_run::{EditPath, RepoPath, StepId, format_number};

use super::rows::ProcessRow;

/// Returns the sums first, then the events in the order of their turns.
pub(crate) fn memory_rows(session: &Session, course: &MemoryTimeline) -> Vec<ProcessRow> {
    let mut cards = course.cards.iter().peekable();
    let mut rows = memory_sums(course);
    for (at, event) in course.events.iter().enumerate() {
        match cards.next_if(|card| card.event == at) {
            Some(given) => rows.extend(card_rows(session, event, given)),
            None => rows.push(event_row(session, event)),
        }
    }
    rows
}

fn memory_sums(course: &MemoryTimeline) -> Vec<ProcessRow> {
    let row = |kind: &str, words: String, is_loud| {
        (!words.is_empty()).then(|| ProcessRow {
            kind: kind.into(),
            text: words,
            is_loud,
            ..ProcessRow::default()
        })
    };
    let (given, now) = (course.when_given(), course.at_moment());
    let stale = match course.cards.as_slice() {
        [] => String::new(),
        _ => format!("{} · at the end {}", stale_cards_text(given), stale_cards_text(now)),
    };
    let counts = if course.events.is_empty() { String::new() } else { cost_words(course) };
    [
        row("stale when given", stale, given.stale > 0),
        row("stale by turn", stale_share_by_turn(course), false),
        row("events", counts, false),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn stale_cards_text(count: StaleCount) -> String {
    match count.stale_rate() {
        Some(rate) => {
            format!(
                "{} of {} cards ({})",
                count.stale,
                count.known,
                format_number::whole_percent(rate)
            )
        }
        None => "not known".into(),
    }
}

/// Returns the share of all cards given so far that is stale, where it changes.
fn stale_share_by_turn(course: &MemoryTimeline) -> String {
    let mut last = None;
    let mut said = vec![];
    for (turn, number) in course.turns.iter().zip(1..) {
        let rate = turn.after.stale_rate();
        if let Some(rate) = rate.filter(|_| rate != last) {
            said.push(format!("turn {number} {}", format_number::whole_percent(rate)));
        }
        last = rate;
    }
    said.join(" → ")
}

fn cost_words(course: &MemoryTimeline) -> String {
    let EventCounts { routing, verification, expansion, cards } =
        EventCounts::from_events(&course.events);
    let MemoryCost { tokens, seconds, cost_usd } = MemoryCost::from_events(&course.events);
    let kinds = format!(
        "routing {routing} · verification {verification} · expansion {expansion} · cards {cards}"
    );
    let parts = [
        Some(kinds),
        tokens.map(|it| format!("{} tokens", format_number::with_thousands(it))),
        seconds.map(format_number::duration_text),
        cost_usd.map(format_number::dollars_text),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// Returns a row with the place that it opens: the step of the event, or the request of its turn.
fn row_at_event(session: &Session, event: &MemoryEvent) -> (ProcessRow, ReplayOpening) {
    let step = event.step.and_then(|step| step.step_id(&session.run));
    let first = StepId { turn: event.turn, subagent: None, step: 0 };
    let target = step.map_or(OpeningTarget::Request, OpeningTarget::Step);
    let row = ProcessRow {
        place: event.step_label(),
        step: Some(step.unwrap_or(first)),
        ..ProcessRow::default()
    };
    (row, ReplayOpening::at_turn(event.turn, target))
}

fn event_row(session: &Session, event: &MemoryEvent) -> ProcessRow {
    let (row, opening) = row_at_event(session, event);
    let is_loud = matches!(event.what, MemoryEventKind::Verification { passed: Some(false), .. });
    let kind = event.what.kind_word().to_owned();
    ProcessRow { kind, text: event.what.summary_line(), target: Some(opening), is_loud, ..row }
}

fn card_rows(session: &Session, event: &MemoryEvent, given: &GivenCard) -> Vec<ProcessRow> {
    let spans = event.card().map_or(&[][..], |card| &card.spans);
    if spans.is_empty() {
        return vec![event_row(session, event)];
    }
    let words = event.what.summary_line();
    let found = given.when_given.iter().zip(&given.at_moment).zip(&given.cited);
    let row = |(span, ((when_given, now), cited)): (
        &CitedSpan,
        ((&CitedPlaceState, &CitedPlaceState), &Option<usize>),
    )| {
        let (row, opening) = row_at_event(session, event);
        let version = match (&span.version, cited) {
            (Some(version), None) => {
                format!(" · {} is not a state of this run", version.version_text())
            }
            _ => String::new(),
        };
        let later = match now == when_given {
            true => String::new(),
            false => format!(" · at the end {}", now.state_text(&span.artifact)),
        };
        let place = cited_state_text(when_given, span);
        ProcessRow {
            kind: format!("card · {}", when_given.state.word()),
            text: format!("{}{place}{later}{version} · {words}", span.place_text()),
            target: Some(
                cited.and_then(|done| cited_opening(session, span, done)).unwrap_or(opening),
            ),
            is_loud: [when_given, now].iter().any(|it| it.state == CardState::Stale),
            ..row
        }
    };
    spans.iter().zip(found).map(row).collect()
}

/// Returns the state of the cited place at the time when the snippet was given, as far as the kind of row does not show
/// it.
fn cited_state_text(found: &CitedPlaceState, span: &CitedSpan) -> String {
    let words = found.state_text(&span.artifact);
    if words == found.state.word() { String::new() } else { format!(" · {words}") }
}

/// Returns the cited lines in the file as it was after so many turns. Before the first turn they are the old side of
/// its change.
fn cited_opening(session: &Session, span: &CitedSpan, done: usize) -> Option<ReplayOpening> {
    let root = session.run.origin.root.as_deref();
    let path: RepoPath = EditPath::from_recorded(&span.artifact, root).repo_path()?.clone();
    let line = span.lines.map_or(1, |(first, _)| first);
    let Some(turn) = done.checked_sub(1) else {
        let first = session.timeline.ready().and_then(|timeline| timeline.turns.first());
        let is_changed = first.is_some_and(|turn| turn.changes.iter().any(|it| it.path == path));
        return Some(match is_changed {
            true => ReplayOpening::at_turn(
                0,
                OpeningTarget::Change { path, aim: Some(LineAim::Old(line)) },
            ),
            false => ReplayOpening::at_line(0, path, line),
        });
    };
    Some(ReplayOpening::at_line(turn, path, line))
}
