//! What was said between us and a judge about one component, in no particular protocol.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use trajview_run::rubric::Codebook;

use super::{given, scale::Scale};

/// Everything a judge is sent for one reply.
#[derive(Debug, Clone, Default)]
pub struct Conversation {
    /// Said once, above everything.
    pub system: String,
    /// From the question on, in order.
    pub entries: Vec<Entry>,
    /// Whether the judge may still look; the verdict it may always give.
    pub may_look: bool,
    /// What it answers in the end.
    pub scale: Scale,
    /// What it scores by where that is a codebook's.
    pub codebook: Option<Arc<Codebook>>,
    /// Whether it answers in words alone: then no tool is offered, and the scale counts for nothing.
    pub wants_text: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// Our words.
    Said(String),
    /// The judge's.
    Replied(Reply),
    /// What its calls gave, in the order of the calls.
    Results(Vec<Outcome>),
}

/// One reply of a judge.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    pub text: String,
    pub calls: Vec<Call>,
    pub usage: Usage,
    /// Whether it ended at the bound on its length.
    pub is_cut: bool,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Call {
    /// As the judge's server names it; empty where the protocol has none.
    pub id: String,
    pub name: String,
    /// An object; the raw words where they are no JSON.
    pub arguments: Value,
}

/// What a call gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// That of the call.
    pub id: String,
    pub text: String,
    pub is_error: bool,
}

/// Tokens of one reply; None where the server does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Usage {
    /// What was sent, cached parts included.
    #[serde(rename = "input_tokens")]
    pub input: Option<u64>,
    #[serde(rename = "output_tokens")]
    pub output: Option<u64>,
}

impl Usage {
    /// None where nothing was told.
    pub fn total(self) -> Option<u64> {
        match (self.input, self.output) {
            (None, None) => None,
            (input, output) => Some(input.unwrap_or(0).saturating_add(output.unwrap_or(0))),
        }
    }
}

impl Conversation {
    /// Of the arguments of the call that ends it.
    pub fn schema(&self) -> Value {
        self.codebook.as_ref().map_or_else(|| self.scale.schema(), |book| given::schema(book))
    }

    /// The answer of a judge that can call nothing.
    pub fn example(&self) -> String {
        let own = || self.scale.example().to_owned();
        self.codebook.as_ref().map_or_else(own, |book| book.example())
    }

    /// About as many bytes as it takes to send it, in whatever protocol.
    pub fn bytes(&self) -> usize {
        /// The tools and their schemas; and what stands around each entry.
        const TOOLS: usize = 4_000;
        const AROUND: usize = 200;
        let call = |call: &Call| call.name.len() + call.arguments.to_string().len() + AROUND;
        let entry = |entry: &Entry| match entry {
            Entry::Said(text) => text.len() + AROUND,
            Entry::Replied(it) => it.text.len() + it.calls.iter().map(call).sum::<usize>() + AROUND,
            Entry::Results(results) => results.iter().map(|it| it.text.len() + AROUND).sum(),
        };
        TOOLS + self.system.len() + self.entries.iter().map(entry).sum::<usize>()
    }
}

/// The arguments of a call out of their words: an object of its own where there are none.
pub fn arguments(words: &str) -> Value {
    match words.trim() {
        "" => Value::Object(serde_json::Map::new()),
        words => serde_json::from_str(words).unwrap_or_else(|_| Value::String(words.to_owned())),
    }
}
