//! The model that helps a layer: a text in, a text out. Layers know nothing of servers and keys.

use serde::{Deserialize, Serialize};

/// A model that layers can ask.
pub trait HelperModel {
    /// Returns whether a model is set up and its budget is not used up. Otherwise layers work without one and say so.
    fn is_available(&self) -> bool;

    /// Sends a prompt to the model, and returns its answer. The error is a sentence.
    fn ask_model(&mut self, prompt: &HelperPrompt) -> Result<HelperAnswer, String>;
}

/// A question for the helper model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HelperPrompt {
    /// The purpose in a word or two, for the record: `forecast`.
    pub purpose: &'static str,
    /// Said above everything: what it is to do and in which form it answers.
    pub system: String,
    pub text: String,
}

/// The answer of the helper model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HelperAnswer {
    pub text: String,
    pub spent: HelperCost,
}

/// The cost of asking; None for what the server did not report.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HelperCost {
    pub calls: usize,
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    /// US dollars.
    pub cost_usd: Option<f64>,
    pub seconds: f64,
}

impl HelperCost {
    /// Adds the two; a number that only one of them has is taken from it.
    #[must_use]
    pub fn combined_with(self, other: Self) -> Self {
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

/// The helper where no model is set up.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoHelper;

impl HelperModel for NoHelper {
    fn is_available(&self) -> bool {
        false
    }

    fn ask_model(&mut self, _prompt: &HelperPrompt) -> Result<HelperAnswer, String> {
        Err("no helper model is set up".into())
    }
}
