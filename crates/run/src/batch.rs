//! Many runs that are made one beside the other from one plan: what each of them is, and how far it is. The words that the
//! maker of the runs, the command and the screen share.

use serde::{Deserialize, Serialize};

use super::{Tokens, worded_enum::worded};

worded! {
    /// The state of a run.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum BatchState {
        /// The run has not begun, or goes on as soon as there is room for it.
        #[default]
        Waiting = "waiting",
        /// The run pauses: its last turn failed, or its agent refuses requests for a while.
        Resting = "resting",
        Running = "running",
        /// Another process makes it.
        Elsewhere = "elsewhere",
        /// The code of the run is scored, or a judge works.
        Judging = "judging",
        /// Every request was sent.
        Done = "done",
        /// A person stopped it.
        Stopped = "stopped",
        /// A limit was reached before its next request.
        Budget = "budget",
        /// The run failed as often as the plan allows.
        Failed = "failed",
    }
}

impl BatchState {
    /// Returns whether nothing more happens to the run without a person.
    pub const fn is_settled(self) -> bool {
        matches!(self, Self::Done | Self::Stopped | Self::Budget | Self::Failed)
    }

    /// Returns whether a person has to act before the run can be complete.
    pub const fn waits_for_a_person(self) -> bool {
        matches!(self, Self::Stopped | Self::Budget | Self::Failed)
    }
}

/// The combination of the plan that a run is made from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct PlanCombination {
    pub script: String,
    pub agent: String,
    pub model: Option<String>,
    /// The condition with its layers: `emergent+memory`.
    pub condition: String,
    /// Counts from 1.
    pub repeat: u32,
}

/// The resources that a run has used, turns that do not count included.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct BatchUsage {
    pub tokens: Tokens,
    /// US dollars, as the agent reports them; None where it does not.
    pub cost_usd: Option<f64>,
    /// The agent's working time.
    pub seconds: f64,
}

impl BatchUsage {
    /// Returns the sum of both.
    pub fn plus_usage(self, other: Self) -> Self {
        let cost_usd = match (self.cost_usd, other.cost_usd) {
            (Some(a), Some(b)) => Some(a + b),
            (one, none) => one.or(none),
        };
        let tokens = self.tokens + other.tokens;
        Self { tokens, cost_usd, seconds: self.seconds + other.seconds }
    }
}

/// The progress of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct BatchProgress {
    pub state: BatchState,
    /// A sentence, where there is something to say of the state.
    pub why: Option<String>,
    /// Turns that count.
    pub turns: usize,
    /// Requests in all.
    pub requests: usize,
    /// Number of failures, all turns together.
    pub failures: usize,
    /// Turns that failed and count all the same.
    pub kept: usize,
    #[serde(flatten)]
    pub used: BatchUsage,
}

/// A score of the code or of a judge, as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BatchScore {
    /// The checkpoint or turn after which the score was measured: `c1`, `turn 6`.
    pub after: String,
    /// `erosion`, `verbosity`, `mcf`.
    pub number: String,
    pub value: Option<f64>,
}

/// A run of a batch.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct BatchRow {
    /// Stays the same as long as the combination of the plan does.
    pub id: String,
    /// The folder of its bundle.
    pub folder: String,
    #[serde(flatten)]
    pub combination: PlanCombination,
    #[serde(flatten)]
    pub progress: BatchProgress,
    /// Tests that passed after the last tested checkpoint, and all.
    pub tests: Option<(u64, u64)>,
    pub scores: Vec<BatchScore>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_reported_is_not_nothing() {
        let priced = BatchUsage { cost_usd: Some(1.5), seconds: 2.0, ..BatchUsage::default() };

        assert_eq!(BatchUsage::default().plus_usage(BatchUsage::default()).cost_usd, None);
        assert_eq!(BatchUsage::default().plus_usage(priced).cost_usd, Some(1.5));
    }
}
