//! What a memory gave the agent of a run: retrieval events and evidence cards, and whether the cards still held (PaperGuru).
//!
//! [`read()`] reads `memory.jsonl` of a bundle, an event a line. [`stands`] finds a card's snippet in a file; [`states`] says of
//! a card whether it is current, moved or stale; [`course`] sums up events and stale cards turn by turn. Whoever calls brings
//! the files of each moment (`store::memory_events`).

pub mod course;
mod read;
pub mod stands;
pub mod states;

pub use course::Course;
pub use read::{Recorded, read};
pub use states::{Found, State};

use serde::Serialize;

use trajview_run::{Run, StepId, Time};

/// Something that the memory did.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The turn before whose request it happened, or in which its step is; counts from 0.
    pub turn: usize,
    /// The step before which it happened; None for before the turn's request.
    pub step: Option<StepAt>,
    pub at: Option<Time>,
    pub cost: Cost,
    pub what: What,
}

/// A step as a person names it: `12.3` is the third of turn 12.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepAt {
    /// Counts from 0.
    pub turn: usize,
    /// Counts from 1.
    pub number: usize,
}

/// What an event took, as recorded; None where it is not.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Cost {
    pub tokens: Option<u64>,
    pub seconds: Option<f64>,
    pub cost_usd: Option<f64>,
}

/// The kinds of events.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A query became entities and chunks.
    Routing { query: Option<String>, entities: Vec<String>, chunks: Vec<String> },
    /// A card or a file was checked against its source.
    Verification {
        card: Option<String>,
        artifact: Option<String>,
        passed: Option<bool>,
        why: Option<String>,
    },
    /// The content of chunks was read.
    Expansion { chunks: Vec<String> },
    /// A card was given to the agent.
    Card(Card),
}

/// An evidence card: a claim and the places in files that it rests on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Card {
    pub id: String,
    pub claim_boundary: String,
    pub logic_sketch: String,
    pub assumptions: Vec<String>,
    pub spans: Vec<Span>,
}

/// A place in a file that a card cites, with the words that stood there.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Span {
    /// The path of the file.
    pub artifact: String,
    /// First and last line, from 1, both included; None for anywhere in the file.
    pub lines: Option<(usize, usize)>,
    pub snippet: String,
    /// None where the card does not say.
    pub version: Option<Version>,
}

/// The state of the files that a card cites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Version {
    /// After so many turns.
    Turn(usize),
    /// A commit, whole or its beginning.
    Commit(String),
}

impl Event {
    /// The card that it gave; None for other events.
    pub const fn card(&self) -> Option<&Card> {
        match &self.what {
            What::Card(card) => Some(card),
            What::Routing { .. } | What::Verification { .. } | What::Expansion { .. } => None,
        }
    }

    /// `12.3`, or `12` where it happened before the request.
    pub fn place(&self) -> String {
        match self.step {
            Some(step) => format!("{}.{}", step.turn + 1, step.number),
            None => (self.turn + 1).to_string(),
        }
    }
}

impl What {
    /// The word in JSON and on screen.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Routing { .. } => "routing",
            Self::Verification { .. } => "verification",
            Self::Expansion { .. } => "expansion",
            Self::Card(_) => "card",
        }
    }

    /// What happened, in one line; of a card its claim.
    pub fn words(&self) -> String {
        match self {
            Self::Routing { query, entities, chunks } => {
                let query = query.as_deref().unwrap_or_default();
                let found = format!("{} · {}", listed("entities", entities), counted(chunks));
                if query.is_empty() { found } else { format!("{query} → {found}") }
            }
            Self::Verification { card, artifact, passed, why } => {
                let passed = match passed {
                    Some(true) => "passed",
                    Some(false) => "failed",
                    None => "outcome not recorded",
                };
                let of = [card.as_deref(), artifact.as_deref()].into_iter().flatten();
                let of = of.collect::<Vec<_>>().join(" ");
                let why = why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
                format!("{of} {passed}{why}").trim_start().to_owned()
            }
            Self::Expansion { chunks } => listed("chunks", chunks),
            Self::Card(card) => format!("{}: {}", card.id, card.claim_boundary),
        }
    }
}

fn listed(what: &str, names: &[String]) -> String {
    if names.is_empty() { format!("no {what}") } else { names.join(", ") }
}

fn counted(chunks: &[String]) -> String {
    if let [_] = chunks { "1 chunk".to_owned() } else { format!("{} chunks", chunks.len()) }
}

impl Span {
    /// `a.py:3-5`, or the path alone.
    pub fn place(&self) -> String {
        match self.lines {
            Some((first, last)) if first == last => format!("{}:{first}", self.artifact),
            Some((first, last)) => format!("{}:{first}-{last}", self.artifact),
            None => self.artifact.clone(),
        }
    }
}

impl Version {
    /// How many turns were done at it; None where it is no state of the run.
    pub fn turns_done(&self, run: &Run) -> Option<usize> {
        match self {
            Self::Turn(done) => (*done <= run.turns.len()).then_some(*done),
            Self::Commit(commit) => {
                let is_it = |known: &str| known.starts_with(commit.as_str());
                let mut turns = run.turns.iter();
                let turn = turns.position(|turn| turn.commit.as_deref().is_some_and(is_it));
                let is_start = || run.origin.start_commit.as_deref().is_some_and(is_it);
                turn.map(|turn| turn + 1).or_else(|| is_start().then_some(0))
            }
        }
    }

    /// `turn 12`, or the first digits of a commit.
    pub fn words(&self) -> String {
        match self {
            Self::Turn(done) => format!("turn {done}"),
            Self::Commit(commit) => commit.chars().take(10).collect(),
        }
    }
}

impl StepAt {
    /// The step of the run; None where it has none of that number.
    pub fn of(self, run: &Run) -> Option<StepId> {
        let steps = run.steps_of_turn(self.turn);
        steps.get(self.number.checked_sub(1)?).copied()
    }
}
