//! The memory of a run's agent: retrieval events and evidence cards, and whether the cards were still valid
//! (PaperGuru).
//!
//! [`read_memory_events()`] reads `memory.jsonl` of a bundle, one event per line. [`snippet_position`] finds a card's snippet in a file;
//! [`card_states`] decides whether a card is current, moved or stale; [`memory_timeline`] sums up events and stale cards turn by
//! turn. Callers pass the files of each moment (`analysis::memory`).

pub mod card_states;
mod memory_file;
pub mod memory_timeline;
pub mod snippet_position;

pub use card_states::{CardState, CitedPlaceState};
pub use memory_file::{MemoryFile, read_memory_events};
pub use memory_timeline::MemoryTimeline;

use serde::Serialize;

use trajview_run::{Run, StepId, Time};

/// An event of the memory.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryEvent {
    /// The turn before whose request it happened, or in which its step is; counts from 0.
    pub turn: usize,
    /// The step before which it happened; None for before the turn's request.
    pub step: Option<StepNumber>,
    pub at: Option<Time>,
    pub cost: MemoryCost,
    pub what: MemoryEventKind,
}

/// A step as a person names it: `12.3` is the third of turn 12.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepNumber {
    /// Counts from 0.
    pub turn: usize,
    /// Counts from 1.
    pub number: usize,
}

/// The cost of an event as recorded; None where it is not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct MemoryCost {
    pub tokens: Option<u64>,
    pub seconds: Option<f64>,
    pub cost_usd: Option<f64>,
}

/// The kinds of events.
#[derive(Debug, Clone, PartialEq)]
pub enum MemoryEventKind {
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
    Card(EvidenceCard),
}

/// An evidence card: a claim and the places in files that support it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EvidenceCard {
    pub id: String,
    pub claim_boundary: String,
    pub logic_sketch: String,
    pub assumptions: Vec<String>,
    pub spans: Vec<CitedSpan>,
}

/// A place in a file that a card cites, with the text that was there.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CitedSpan {
    /// The path of the file.
    pub artifact: String,
    /// First and last line, from 1, both included; None for anywhere in the file.
    pub lines: Option<(usize, usize)>,
    pub snippet: String,
    /// None where the card does not say.
    pub version: Option<CitedVersion>,
}

/// The state of the files that a card cites.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CitedVersion {
    /// The state after this many turns.
    Turn(usize),
    /// A commit id, complete or its beginning.
    Commit(String),
}

impl MemoryEvent {
    /// Returns the card that the event gave; None for other events.
    pub const fn card(&self) -> Option<&EvidenceCard> {
        match &self.what {
            MemoryEventKind::Card(card) => Some(card),
            MemoryEventKind::Routing { .. }
            | MemoryEventKind::Verification { .. }
            | MemoryEventKind::Expansion { .. } => None,
        }
    }

    /// Returns the step as `12.3`, or the turn as `12` where the event happened before the request.
    pub fn step_label(&self) -> String {
        match self.step {
            Some(step) => format!("{}.{}", step.turn + 1, step.number),
            None => (self.turn + 1).to_string(),
        }
    }
}

impl MemoryEventKind {
    /// Returns the word in JSON and on screen.
    pub const fn kind_word(&self) -> &'static str {
        match self {
            Self::Routing { .. } => "routing",
            Self::Verification { .. } => "verification",
            Self::Expansion { .. } => "expansion",
            Self::Card(_) => "card",
        }
    }

    /// Returns the event in one line; for a card its claim.
    pub fn summary_line(&self) -> String {
        match self {
            Self::Routing { query, entities, chunks } => {
                let query = query.as_deref().unwrap_or_default();
                let entities_and_chunks = format!(
                    "{} · {}",
                    join_or_none("entities", entities),
                    chunk_count_text(chunks)
                );
                if query.is_empty() {
                    entities_and_chunks
                } else {
                    format!("{query} → {entities_and_chunks}")
                }
            }
            Self::Verification { card, artifact, passed, why } => {
                let passed = match passed {
                    Some(true) => "passed",
                    Some(false) => "failed",
                    None => "outcome not recorded",
                };
                let subjects = [card.as_deref(), artifact.as_deref()].into_iter().flatten();
                let subjects = subjects.collect::<Vec<_>>().join(" ");
                let why = why.as_deref().map(|why| format!(": {why}")).unwrap_or_default();
                format!("{subjects} {passed}{why}").trim_start().to_owned()
            }
            Self::Expansion { chunks } => join_or_none("chunks", chunks),
            Self::Card(card) => format!("{}: {}", card.id, card.claim_boundary),
        }
    }
}

fn join_or_none(what: &str, names: &[String]) -> String {
    if names.is_empty() { format!("no {what}") } else { names.join(", ") }
}

fn chunk_count_text(chunks: &[String]) -> String {
    if let [_] = chunks { "1 chunk".to_owned() } else { format!("{} chunks", chunks.len()) }
}

impl CitedSpan {
    /// Returns the place as `a.py:3-5`, or the path alone.
    pub fn place_text(&self) -> String {
        match self.lines {
            Some((first, last)) if first == last => format!("{}:{first}", self.artifact),
            Some((first, last)) => format!("{}:{first}-{last}", self.artifact),
            None => self.artifact.clone(),
        }
    }
}

impl CitedVersion {
    /// Returns the number of turns done at the version; None where it is no state of the run.
    pub fn turns_done(&self, run: &Run) -> Option<usize> {
        match self {
            Self::Turn(done) => (*done <= run.turns.len()).then_some(*done),
            Self::Commit(commit) => {
                let is_it = |recorded: &str| recorded.starts_with(commit.as_str());
                let mut turns = run.turns.iter();
                let turn = turns.position(|turn| turn.commit.as_deref().is_some_and(is_it));
                let is_start = || run.origin.start_commit.as_deref().is_some_and(is_it);
                turn.map(|turn| turn + 1).or_else(|| is_start().then_some(0))
            }
        }
    }

    /// Returns the version as `turn 12`, or the first digits of a commit.
    pub fn version_text(&self) -> String {
        match self {
            Self::Turn(done) => format!("turn {done}"),
            Self::Commit(commit) => commit.chars().take(10).collect(),
        }
    }
}

impl StepNumber {
    /// Returns the id of the step; None where the run has no step of that number.
    pub fn step_id(self, run: &Run) -> Option<StepId> {
        let steps = run.steps_of_turn(self.turn);
        steps.get(self.number.checked_sub(1)?).copied()
    }
}
