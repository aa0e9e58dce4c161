//! The JSON and CSV of `memory`. Absent values are null, never 0.

use serde::Serialize;
use serde_json::{Value, json};

use trajview_metrics::memory::{
    Cost, Course, Event, Found, Span, State,
    course::{Counts, Given},
};
use trajview_run::Run;

/// The columns of CSV: a row for each event, and of a card one for each cited place.
pub const CSV: &str = "turn step kind card words artifact first last version when_given state path line tokens seconds cost_usd";

/// The memory over a run.
#[derive(Serialize)]
pub struct Memory {
    schema: &'static str,
    run: String,
    path: String,
    /// The moment of `state` and `stale`, as it was asked for, and how many turns are done then.
    pub at: String,
    turns_done: usize,
    pub events_by_kind: Counts,
    /// The sums over all events but cards; null where one of them does not say.
    pub cost: Cost,
    /// Shares of the cards whose cited files are known, 0 to 1; null where there is none.
    stale_when_given: Option<f64>,
    stale: Option<f64>,
    pub turns: Vec<TurnRow>,
    pub cards: Vec<CardRow>,
    /// Events that are no cards.
    events: Vec<EventRow>,
}

#[derive(Serialize)]
pub struct TurnRow {
    pub turn: usize,
    pub events: Counts,
    pub cost: Cost,
    /// Of the cards given in the turn.
    pub stale_when_given: Option<f64>,
    /// Of all cards given so far, after the turn.
    pub stale: Option<f64>,
    /// How many the shares are of.
    known_when_given: usize,
    known: usize,
}

#[derive(Serialize)]
pub struct EventRow {
    kind: &'static str,
    turn: usize,
    step: Option<String>,
    at: Option<String>,
    words: String,
    cost: Cost,
}

#[derive(Serialize)]
pub struct CardRow {
    pub turn: usize,
    pub step: Option<String>,
    pub id: String,
    pub claim_boundary: String,
    logic_sketch: String,
    assumptions: Vec<String>,
    when_given: State,
    state: State,
    pub spans: Vec<SpanRow>,
}

#[derive(Serialize)]
pub struct SpanRow {
    artifact: String,
    /// First and last line, from 1.
    span: Option<(usize, usize)>,
    #[serde(skip)]
    pub place: String,
    pub version: Option<String>,
    /// The turns done at the cited state; null where it is no state of the run.
    cited: Option<usize>,
    snippet: String,
    pub when_given: FoundRow,
    #[serde(rename = "state")]
    pub now: FoundRow,
}

#[derive(Serialize)]
pub struct FoundRow {
    state: State,
    #[serde(skip)]
    pub words: String,
    path: Option<String>,
    line: Option<usize>,
    is_gone: bool,
}

impl Memory {
    pub fn of(path: String, run: &Run, course: &Course, (at, done): (&str, usize)) -> Self {
        let turns = course.turns.iter().zip(1..).map(|(turn, number)| TurnRow {
            turn: number,
            events: turn.counts,
            cost: turn.cost,
            stale_when_given: turn.when_given.rate(),
            stale: turn.after.rate(),
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
            events_by_kind: Counts::of(&course.events),
            cost: Cost::of(&course.events),
            stale_when_given: course.when_given().rate(),
            stale: course.now().rate(),
            turns: turns.collect(),
            cards: course.cards.iter().map(|given| CardRow::of(course, given)).collect(),
            events: others.map(EventRow::of).collect(),
        }
    }

    /// The rows of CSV.
    pub fn flat(&self) -> Vec<Value> {
        let event = |it: &EventRow| {
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

impl TurnRow {
    pub fn has_events(&self) -> bool {
        self.events != Counts::default()
    }
}

impl EventRow {
    fn of(event: &Event) -> Self {
        Self {
            kind: event.what.word(),
            turn: event.turn + 1,
            step: event.step.map(|_| event.place()),
            at: event.at.map(|at| at.to_string()),
            words: event.what.words(),
            cost: event.cost,
        }
    }
}

impl CardRow {
    fn of(course: &Course, given: &Given) -> Self {
        let event = &course.events[given.event];
        let card = event.card().cloned().unwrap_or_default();
        let span = |(at, span): (usize, &Span)| SpanRow {
            artifact: span.artifact.clone(),
            span: span.lines,
            place: span.place(),
            version: span.version.as_ref().map(|version| version.words()),
            cited: given.cited[at],
            snippet: span.snippet.clone(),
            when_given: FoundRow::of(&given.when_given[at], span),
            now: FoundRow::of(&given.now[at], span),
        };
        Self {
            turn: event.turn + 1,
            step: event.step.map(|_| event.place()),
            when_given: State::of_card(&given.when_given),
            state: State::of_card(&given.now),
            spans: card.spans.iter().enumerate().map(span).collect(),
            id: card.id,
            claim_boundary: card.claim_boundary,
            logic_sketch: card.logic_sketch,
            assumptions: card.assumptions,
        }
    }

    /// `12.3`, or `12`.
    pub fn at(&self) -> String {
        self.step.clone().unwrap_or_else(|| self.turn.to_string())
    }
}

impl FoundRow {
    fn of(found: &Found, span: &Span) -> Self {
        Self {
            state: found.state,
            words: found.words(&span.artifact),
            path: found.place.as_ref().map(|(path, _)| path.clone()),
            line: found.place.as_ref().map(|(_, line)| *line),
            is_gone: found.is_gone,
        }
    }
}

/// What `score` says of a run's memory.
#[derive(Serialize)]
pub struct ScoreRow {
    events: usize,
    events_by_kind: Counts,
    cost: Cost,
    /// 0 to 1; null where no card with known files was given.
    stale_when_given: Option<f64>,
    /// At the end of the run.
    stale: Option<f64>,
}

impl ScoreRow {
    pub fn of(course: &Course) -> Self {
        Self {
            events: course.events.len(),
            events_by_kind: Counts::of(&course.events),
            cost: Cost::of(&course.events),
            stale_when_given: course.when_given().rate(),
            stale: course.now().rate(),
        }
    }
}
