//! The model that helps a layer: asked with a text, it gives a text. Layers know nothing of servers and keys.

use serde::{Deserialize, Serialize};

/// Who can be asked.
pub trait Helper {
    /// Whether a model is set up and its budget is not used up. Where it is not, layers do without and say so.
    fn is_available(&self) -> bool;

    /// The error is a sentence.
    fn ask(&mut self, prompt: &Prompt) -> Result<Answer, String>;
}

/// What it is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prompt {
    /// What it is for, in a word or two, for the record: `forecast`.
    pub purpose: &'static str,
    /// Said above everything: what it is to do and in which form it answers.
    pub system: String,
    pub text: String,
}

/// What it gave.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    pub text: String,
    pub spent: Spent,
}

/// What asking cost; None where it was not told.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Spent {
    pub calls: usize,
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    /// US dollars.
    pub cost_usd: Option<f64>,
    pub seconds: f64,
}

impl Spent {
    /// Both together; a part that one of them does not tell is that of the other.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.saturating_add(b)),
            (a, b) => a.or(b),
        };
        let cost_usd = match (self.cost_usd, other.cost_usd) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
        Self {
            calls: self.calls + other.calls,
            input_tokens: sum(self.input_tokens, other.input_tokens),
            output_tokens: sum(self.output_tokens, other.output_tokens),
            cost_usd,
            seconds: self.seconds + other.seconds,
        }
    }
}

/// Where no model is set up.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHelper;

impl Helper for NoHelper {
    fn is_available(&self) -> bool {
        false
    }

    fn ask(&mut self, _prompt: &Prompt) -> Result<Answer, String> {
        Err("no helper model is set up".into())
    }
}
