//! One response of the model, with its price.

use std::sync::Arc;

use trajview_run::{StepId, Tokens};

use super::why::{Notes, Why};

/// The tokens of one response of the model, and what they cost. Where the recording tells more tokens than its steps have,
/// what is left of a turn, or of a sub-agent, is a charge without a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Charge {
    /// Index into [`trajview_run::Run::turns`]; their number for what the recording states of the run and of no turn.
    pub turn: usize,
    /// Index into [`trajview_run::Run::subagents`]; None for the main agent.
    pub agent: Option<usize>,
    /// Index into the steps of the agent in the turn; None for what is on no step.
    pub step: Option<usize>,
    /// As recorded.
    pub model: Option<Arc<str>>,
    pub tokens: Tokens,
    pub priced: Result<Priced, Why>,
}

/// What a response costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Priced {
    pub usd: f64,
    /// Position of the row in the table of prices.
    pub row: usize,
    pub notes: Notes,
}

impl Charge {
    /// The step that holds the tokens.
    pub fn id(&self) -> Option<StepId> {
        Some(StepId { turn: self.turn, subagent: self.agent, step: self.step? })
    }
}
