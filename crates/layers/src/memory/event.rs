//! What the memory did, an event a line: `memory.jsonl` of a bundle.

use serde::Serialize;
use serde_json::Value;

use super::{
    chunk::ChunkHead,
    evidence_card::{CardCheck, MadeCard},
};

/// An event before the request of a turn.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct LayerMemoryEvent {
    /// `routing`, `verification`, `expansion` or `card`.
    pub kind: &'static str,
    /// The turn before whose request it happened; counts from 1.
    pub turn: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entities: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chunks: Vec<String>,
    /// The id of the card that was checked; the card itself where one was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The tokens of the model's answer; for an expansion, the tokens of the given chunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// The events so far, as lines; the oldest leave where they are too many.
#[derive(Debug, Clone, Default)]
pub struct MemoryEvents {
    lines: Vec<String>,
    bytes: usize,
}

/// Bytes of the events of a run.
const MOST_BYTES: usize = 8 << 20;

/// Bytes of an event; a longer one is left out.
const MOST_OF_ONE: usize = 256 << 10;

impl LayerMemoryEvent {
    pub fn new(kind: &'static str, turn: usize) -> Self {
        Self { kind, turn, ..Self::default() }
    }

    /// Creates the event of a chunk that was not given, with the reason.
    pub(crate) fn failed_verification(head: &ChunkHead, why: String, turn: usize) -> Self {
        Self {
            artifact: Some(head.artifact.clone()),
            chunks: vec![head.chunk_key()],
            passed: Some(false),
            why: Some(why),
            ..Self::new("verification", turn)
        }
    }

    /// Returns the events of a card: its checks and the card itself.
    pub fn for_card(made: &MadeCard, turn: usize) -> Vec<Self> {
        let id = Value::String(made.card.id.clone());
        let check = |check: &CardCheck| Self {
            card: Some(id.clone()),
            artifact: Some(check.artifact.clone()),
            passed: Some(check.passed),
            why: check.why.clone(),
            ..Self::new("verification", turn)
        };
        let mut all: Vec<Self> = made.checks.iter().map(check).collect();
        let is_asked = made.spent.calls > 0;
        all.push(Self {
            card: serde_json::to_value(&made.card).ok(),
            tokens: made.spent.output_tokens,
            seconds: is_asked.then_some(made.spent.seconds),
            cost_usd: made.spent.cost_usd,
            ..Self::new("card", turn)
        });
        all
    }
}

impl MemoryEvents {
    pub(crate) fn add_events(&mut self, events: impl IntoIterator<Item = LayerMemoryEvent>) {
        // Strings and numbers alone: nothing in it can fail to be written.
        let lines = events.into_iter().filter_map(|event| serde_json::to_string(&event).ok());
        lines.for_each(|line| self.push(line));
    }

    fn push(&mut self, line: String) {
        if line.len() > MOST_OF_ONE {
            return;
        }
        self.bytes += line.len() + 1;
        self.lines.push(line);
        let mut leaving = 0;
        while self.bytes > MOST_BYTES && leaving < self.lines.len() {
            self.bytes -= self.lines[leaving].len() + 1;
            leaving += 1;
        }
        self.lines.drain(..leaving);
    }

    /// Returns the events as JSON, one line each.
    pub(crate) fn jsonl_text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    /// Parses the text of [`Self::jsonl_text`]; lines that are not JSON objects are left out.
    pub(crate) fn from_jsonl(text: &str) -> Self {
        let mut events = Self::default();
        for line in text.lines() {
            if serde_json::from_str::<serde_json::Map<String, Value>>(line).is_ok() {
                events.push(line.to_owned());
            }
        }
        events
    }
}
