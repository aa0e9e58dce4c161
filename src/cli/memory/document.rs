//! The rows of `memory`: JSON, CSV and tables. Absent values are null, never 0.

use std::{io, iter};

use crate::cli::output::{Json, Out, OutputTable, TableColumn, cell_or_dash, record};
use trajview_metrics::memory::{
    CardState, CitedPlaceState, MemoryCost, MemoryEvent, MemoryTimeline,
    memory_timeline::{EventCounts, GivenCard},
};
use trajview_run::{Run, format_number};

/// Makes the document of the memory over a run. `at` is the moment of `state` and `stale`, as requested, and `done` the
/// number of turns done then.
pub(crate) fn memory_document(
    path: &str,
    run: &Run,
    course: &MemoryTimeline,
    (at, done): (&str, usize),
) -> Json {
    let turns = course.turns.iter().zip(1..).map(|(turn, number)| {
        record! {
            turn: number,
            events: turn.counts,
            cost: turn.cost,
            // The share of stale cards among those given in the turn.
            stale_when_given: turn.when_given.stale_rate(),
            // The share of stale cards among all given so far, after the turn.
            stale: turn.after.stale_rate(),
            // The number of cards that the shares are computed from.
            known_when_given: turn.when_given.known,
            known: turn.after.known,
        }
    });
    let others = course.events.iter().filter(|event| event.card().is_none());
    record! {
        schema: "trajview.memory/1",
        run: run.id,
        path: path,
        at: at,
        turns_done: done,
        events_by_kind: EventCounts::from_events(&course.events),
        // Sums over all events but cards. Null if one of them has no value.
        cost: MemoryCost::from_events(&course.events),
        // Shares of the cards whose cited files are known, 0 to 1. Null if there is none.
        stale_when_given: course.when_given().stale_rate(),
        stale: course.at_moment().stale_rate(),
        turns: turns.collect::<Vec<_>>(),
        cards: Json::list(&course.cards, |given| card_row(course, given)),
        // Events that are no cards.
        events: Json::list(others, event_row),
    }
}

/// Makes the memory of a run in the output of `score`: of the whole run.
pub(crate) fn memory_score_row(course: &MemoryTimeline) -> Json {
    record! {
        events: course.events.len(),
        events_by_kind: EventCounts::from_events(&course.events),
        cost: MemoryCost::from_events(&course.events),
        stale_when_given: course.when_given().stale_rate(),
        stale: course.at_moment().stale_rate(),
    }
}

fn event_row(event: &MemoryEvent) -> Json {
    record! {
        kind: event.what.kind_word(),
        turn: event.turn + 1,
        step: event.step.map(|_| event.step_label()),
        at: event.at.map(|at| at.to_string()),
        words: event.what.summary_line(),
        cost: event.cost,
    }
}

fn card_row(course: &MemoryTimeline, given: &GivenCard) -> Json {
    let event = &course.events[given.event];
    let card = event.card().cloned().unwrap_or_default();
    record! {
        turn: event.turn + 1,
        step: event.step.map(|_| event.step_label()),
        id: card.id,
        claim_boundary: card.claim_boundary,
        logic_sketch: card.logic_sketch,
        assumptions: card.assumptions,
        when_given: CardState::of_card(&given.when_given),
        state: CardState::of_card(&given.at_moment),
        spans: Json::list(card.spans.iter().enumerate(), |(at, span)| {
            record! {
                artifact: span.artifact,
                // First and last line, from 1.
                span: span.lines,
                version: span.version.as_ref().map(|version| version.version_text()),
                // The turns done at the cited state. Null if it is no state of the run.
                cited: given.cited[at],
                snippet: span.snippet,
                when_given: place_record(&given.when_given[at]),
                state: place_record(&given.at_moment[at]),
            }
        }),
    }
}

fn place_record(found: &CitedPlaceState) -> Json {
    record! {
        state: found.state,
        path: found.place.as_ref().map(|(path, _)| path),
        line: found.place.as_ref().map(|(_, line)| line),
        is_gone: found.is_gone,
    }
}

pub(crate) const CSV_COLUMNS: &str = "turn step kind card? words artifact? first? last? version? when_given? state? path? line? tokens? seconds? cost_usd?";

/// Returns the rows of the CSV: one for each event, and of a card one for each cited place.
pub(crate) fn csv_rows(document: &Json) -> Vec<Json> {
    let events = document.rows("events").iter();
    let events = events.map(|event| record! { ..event, ..event.field("cost") });
    let cards = document.rows("cards").iter().flat_map(|card| {
        card.rows("spans").iter().map(move |span| {
            let now = span.field("state");
            record! {
                turn: card.field("turn"),
                step: card.field("step"),
                kind: "card",
                card: card.field("id"),
                words: card.field("claim_boundary"),
                artifact: span.field("artifact"),
                first: span.field("span.0"),
                last: span.field("span.1"),
                version: span.field("version"),
                when_given: span.field("when_given.state"),
                ..now,
            }
        })
    });
    events.chain(cards).collect()
}

pub(crate) fn print_memory(
    document: &Json,
    course: &MemoryTimeline,
    is_markdown: bool,
    out: &mut Out,
) -> io::Result<()> {
    turn_table(document.rows("turns")).write_table(is_markdown, out)?;
    out.print_line("")?;
    if !course.cards.is_empty() {
        card_table(course).write_table(is_markdown, out)?;
        out.print_line("")?;
    }
    let counts = document.field("events_by_kind");
    let counts = ["routing", "verification", "expansion", "cards"]
        .map(|kind| format!("{kind} {}", counts.cell(kind)))
        .join(", ");
    let cost = document.field("cost");
    let (tokens, time, usd) = (cost.thousands_cell("tokens"), time_cell(cost), usd_cell(cost));
    out.print_line(&format!("{counts} · tokens {tokens} · time {time} · cost {usd}"))?;
    let (given, now) = (course.when_given(), course.at_moment());
    out.print_line(&format!(
        "stale when given: {} ({} of {} cards with known files) · stale at {}: {} ({} of {})",
        document.share_cell("stale_when_given"),
        given.stale,
        given.known,
        document.cell("at"),
        document.share_cell("stale"),
        now.stale,
        now.known
    ))
}

fn time_cell(cost: &Json) -> String {
    cell_or_dash(cost.number("seconds").map(format_number::duration_text))
}

fn usd_cell(cost: &Json) -> String {
    cell_or_dash(cost.number("cost_usd").map(format_number::dollars_text))
}

/// Makes a table of the turns in which something happened, or after which another share is stale.
fn turn_table(turns: &[Json]) -> OutputTable {
    let stale_before = iter::once(&Json::Null).chain(turns.iter().map(|turn| turn.field("stale")));
    let shown = turns.iter().zip(stale_before).filter(|(turn, before)| {
        let has_events = turn.fields("events").iter().any(|(_, count)| count.count("") > 0);
        has_events || turn.field("stale") != *before
    });
    let columns: [TableColumn<'_, Json>; 10] = [
        (">turn", &|it| it.cell("turn")),
        (">routing", &|it| it.cell("events.routing")),
        (">verification", &|it| it.cell("events.verification")),
        (">expansion", &|it| it.cell("events.expansion")),
        (">cards", &|it| it.cell("events.cards")),
        (">tokens", &|it| it.thousands_cell("cost.tokens")),
        (">time", &|it| time_cell(it.field("cost"))),
        (">cost", &|it| usd_cell(it.field("cost"))),
        (">stale when given", &|it| it.share_cell("stale_when_given")),
        (">stale after", &|it| it.share_cell("stale")),
    ];
    OutputTable::from_rows(&columns, shown.map(|(turn, _)| turn))
}

/// Makes a table of the cards: a row for each cited place.
fn card_table(course: &MemoryTimeline) -> OutputTable {
    let mut table =
        OutputTable::new(&["turn", "card", "cites", "version", "when given", "now", "claim"]);
    for given in &course.cards {
        let event = &course.events[given.event];
        let card = event.card().cloned().unwrap_or_default();
        let turn = event.step.map_or_else(|| (event.turn + 1).to_string(), |_| event.step_label());
        if card.spans.is_empty() {
            let dash = || "-".to_owned();
            table.add_row(vec![
                turn,
                card.id,
                "nothing".into(),
                dash(),
                dash(),
                dash(),
                card.claim_boundary,
            ]);
            continue;
        }
        for (at, span) in card.spans.iter().enumerate() {
            let first = |words: &str| if at == 0 { words.to_owned() } else { String::new() };
            table.add_row(vec![
                first(&turn),
                first(&card.id),
                span.place_text(),
                cell_or_dash(span.version.as_ref().map(|version| version.version_text())),
                given.when_given[at].state_text(&span.artifact),
                given.at_moment[at].state_text(&span.artifact),
                first(&card.claim_boundary),
            ]);
        }
    }
    table
}
