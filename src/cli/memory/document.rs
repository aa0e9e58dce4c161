//! The JSON and CSV of `memory`. Absent values are null, never 0.

use serde::Serialize;
use serde_json::{Value, json};

use trajview_metrics::memory::{
    CardState, CitedPlaceState, CitedSpan, MemoryCost, MemoryEvent, MemoryTimeline,
    memory_timeline::{EventCounts, GivenCard},
};
use trajview_run::Run;

/// The columns of CSV: a row for each event, and of a card one for each cited place.
pub(crate) const CSV_COLUMNS: &str = "turn step kind card? words artifact? first? last? version? when_given? state? path? line? tokens? seconds? cost_usd?";

/// The memory over a run.
#[derive(Serialize)]
pub struct MemoryDocument {
    schema: &'static str,
    run: String,
    path: String,
    /// The moment of `state` and `stale`, as requested, and the number of turns done then.
    pub at: String,
    turns_done: usize,
    pub events_by_kind: EventCounts,
    /// Sums over all events but cards. Null if one of them has no value.
    pub cost: MemoryCost,
    /// Shares of the cards whose cited files are known, 0 to 1. Null if there is none.
    stale_when_given: Option<f64>,
    stale: Option<f64>,
    pub turns: Vec<MemoryTurnRow>,
    pub cards: Vec<MemoryCardRow>,
    /// Events that are no cards.
    events: Vec<MemoryEventRow>,
}

#[derive(Serialize)]
pub struct MemoryTurnRow {
    pub turn: usize,
    pub events: EventCounts,
    pub cost: MemoryCost,
    /// The share of stale cards among those given in the turn.
    pub stale_when_given: Option<f64>,
    /// The share of stale cards among all given so far, after the turn.
    pub stale: Option<f64>,
    /// The number of cards that the shares are computed from.
    known_when_given: usize,
    known: usize,
}

#[derive(Serialize)]
pub struct MemoryEventRow {
    kind: &'static str,
    turn: usize,
    step: Option<String>,
    at: Option<String>,
    words: String,
    cost: MemoryCost,
}

#[derive(Serialize)]
pub struct MemoryCardRow {
    pub turn: usize,
    pub step: Option<String>,
    pub id: String,
    pub claim_boundary: String,
    logic_sketch: String,
    assumptions: Vec<String>,
    when_given: CardState,
    state: CardState,
    pub spans: Vec<CitedSpanRow>,
}

#[derive(Serialize)]
pub struct CitedSpanRow {
    artifact: String,
    /// First and last line, from 1.
    span: Option<(usize, usize)>,
    #[serde(skip)]
    pub place: String,
    pub version: Option<String>,
    /// The turns done at the cited state. Null if it is no state of the run.
    cited: Option<usize>,
    snippet: String,
    pub when_given: CitedStateRow,
    #[serde(rename = "state")]
    pub now: CitedStateRow,
}

#[derive(Serialize)]
pub struct CitedStateRow {
    state: CardState,
    #[serde(skip)]
    pub words: String,
    path: Option<String>,
    line: Option<usize>,
    is_gone: bool,
}

impl MemoryDocument {
    pub fn new(
        path: String,
        run: &Run,
        course: &MemoryTimeline,
        (at, done): (&str, usize),
    ) -> Self {
        let turns = course.turns.iter().zip(1..).map(|(turn, number)| MemoryTurnRow {
            turn: number,
            events: turn.counts,
            cost: turn.cost,
            stale_when_given: turn.when_given.stale_rate(),
            stale: turn.after.stale_rate(),
            known_when_given: turn.when_given.known,
            known: turn.after.known,
        });
        let others = course.events.iter().filter(|event| event.card().is_none());
        Self {
            schema: "trajview.memory/1",
            run: run.id.clone(),
            path,
            at: at.to_owned(),
            turns_done: done,
            events_by_kind: EventCounts::from_events(&course.events),
            cost: MemoryCost::from_events(&course.events),
            stale_when_given: course.when_given().stale_rate(),
            stale: course.at_moment().stale_rate(),
            turns: turns.collect(),
            cards: course.cards.iter().map(|given| MemoryCardRow::new(course, given)).collect(),
            events: others.map(MemoryEventRow::new).collect(),
        }
    }

    /// Returns the rows of CSV.
    pub(crate) fn csv_values(&self) -> Vec<Value> {
        let event = |it: &MemoryEventRow| {
            json!({"turn": it.turn, "step": it.step, "kind": it.kind, "words": it.words,
                "tokens": it.cost.tokens, "seconds": it.cost.seconds, "cost_usd": it.cost.cost_usd})
        };
        let cards = self.cards.iter().flat_map(|card| {
            card.spans.iter().map(move |span| {
                json!({"turn": card.turn, "step": card.step, "kind": "card", "card": card.id,
                    "words": card.claim_boundary, "artifact": span.artifact,
                    "first": span.span.map(|(first, _)| first), "last": span.span.map(|(_, last)| last),
                    "version": span.version, "when_given": span.when_given.state,
                    "state": span.now.state, "path": span.now.path, "line": span.now.line})
            })
        });
        self.events.iter().map(event).chain(cards).collect()
    }
}

impl MemoryTurnRow {
    pub(crate) fn has_events(&self) -> bool {
        self.events != EventCounts::default()
    }
}

impl MemoryEventRow {
    fn new(event: &MemoryEvent) -> Self {
        Self {
            kind: event.what.kind_word(),
            turn: event.turn + 1,
            step: event.step.map(|_| event.step_label()),
            at: event.at.map(|at| at.to_string()),
            words: event.what.summary_line(),
            cost: event.cost,
        }
    }
}

impl MemoryCardRow {
    fn new(course: &MemoryTimeline, given: &GivenCard) -> Self {
        let event = &course.events[given.event];
        let card = event.card().cloned().unwrap_or_default();
        let span = |(at, span): (usize, &CitedSpan)| CitedSpanRow {
            artifact: span.artifact.clone(),
            span: span.lines,
            place: span.place_text(),
            version: span.version.as_ref().map(|version| version.version_text()),
            cited: given.cited[at],
            snippet: span.snippet.clone(),
            when_given: CitedStateRow::new(&given.when_given[at], span),
            now: CitedStateRow::new(&given.at_moment[at], span),
        };
        Self {
            turn: event.turn + 1,
            step: event.step.map(|_| event.step_label()),
            when_given: CardState::of_card(&given.when_given),
            state: CardState::of_card(&given.at_moment),
            spans: card.spans.iter().enumerate().map(span).collect(),
            id: card.id,
            claim_boundary: card.claim_boundary,
            logic_sketch: card.logic_sketch,
            assumptions: card.assumptions,
        }
    }

    /// Returns `12.3`, or `12`.
    pub fn place_text(&self) -> String {
        self.step.clone().unwrap_or_else(|| self.turn.to_string())
    }
}

impl CitedStateRow {
    fn new(found: &CitedPlaceState, span: &CitedSpan) -> Self {
        Self {
            state: found.state,
            words: found.state_text(&span.artifact),
            path: found.place.as_ref().map(|(path, _)| path.clone()),
            line: found.place.as_ref().map(|(_, line)| *line),
            is_gone: found.is_gone,
        }
    }
}

/// The memory of a run in the output of `score`.
#[derive(Serialize)]
pub struct MemoryScoreRow {
    events: usize,
    events_by_kind: EventCounts,
    cost: MemoryCost,
    /// 0 to 1. Null if no card with known files was given.
    stale_when_given: Option<f64>,
    /// The share of stale cards at the end of the run.
    stale: Option<f64>,
}

impl MemoryScoreRow {
    pub fn new(course: &MemoryTimeline) -> Self {
        Self {
            events: course.events.len(),
            events_by_kind: EventCounts::from_events(&course.events),
            cost: MemoryCost::from_events(&course.events),
            stale_when_given: course.when_given().stale_rate(),
            stale: course.at_moment().stale_rate(),
        }
    }
}
