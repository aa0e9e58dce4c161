//! One response of the model, with its price.

use std::sync::Arc;

use trajview_run::{StepId, Tokens};

use super::price_reasons::{CostNotes, NoPriceReason};

/// The tokens of one response of the model, and their cost. Where the recording states more tokens than its steps
/// have, the rest of a turn or of a sub-agent is a charge without a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Charge {
    /// Index into [`trajview_run::Run::turns`]; the number of turns for tokens that the recording states for the run
    /// but for no turn.
    pub turn: usize,
    /// Index into [`trajview_run::Run::subagents`]; None for the main agent.
    pub agent: Option<usize>,
    /// Index into the steps of the agent in the turn; None for tokens that are on no step.
    pub step: Option<usize>,
    /// The model's name as recorded.
    pub model: Option<Arc<str>>,
    pub tokens: Tokens,
    pub priced: Result<ResponsePrice, NoPriceReason>,
}

/// The price of one response.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResponsePrice {
    pub usd: f64,
    /// Position of the row in the table of prices.
    pub row: usize,
    pub notes: CostNotes,
}

impl Charge {
    /// Returns the step that has the tokens; None where it is not known.
    pub fn step_id(&self) -> Option<StepId> {
        Some(StepId { turn: self.turn, subagent: self.agent, step: self.step? })
    }
}
