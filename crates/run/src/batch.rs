//! Many runs that are made one beside the other from one plan: what each of them is, and how far it is. The words that the
//! maker of the runs, the command and the screen share.

use serde::{Deserialize, Serialize};

use super::{Tokens, values::worded};

worded! {
    /// What becomes of a run at the moment.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum BatchState {
        /// It was not begun yet, or goes on as soon as there is room for it.
        #[default]
        Waiting = "waiting",
        /// It waits for a moment: its last turn failed, or its agent may not be asked so soon.
        Resting = "resting",
        Running = "running",
        /// Another process makes it.
        Elsewhere = "elsewhere",
        /// Its code is scored, or a judge is asked.
        Judging = "judging",
        /// Every request was asked.
        Done = "done",
        /// A person stopped it.
        Stopped = "stopped",
        /// A limit was reached before its next request.
        Budget = "budget",
        /// It failed as often as the plan allows.
        Failed = "failed",
    }
}

impl BatchState {
    /// Whether nothing more happens to it unless somebody does something.
    pub const fn is_settled(self) -> bool {
        matches!(self, Self::Done | Self::Stopped | Self::Budget | Self::Failed)
    }

    /// Whether somebody has to do something before it can be whole.
    pub const fn waits_for_a_person(self) -> bool {
        matches!(self, Self::Stopped | Self::Budget | Self::Failed)
    }
}

/// Which combination of the plan a run is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Combination {
    pub script: String,
    pub agent: String,
    pub model: Option<String>,
    /// With its layers: `emergent+memory`.
    pub condition: String,
    /// Counts from 1.
    pub repeat: u32,
}

/// What a run has used, turns that do not count included.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Used {
    pub tokens: Tokens,
    /// US dollars, as the agent reports them; None where it does not.
    pub cost_usd: Option<f64>,
    /// The agent's working time.
    pub seconds: f64,
}

impl Used {
    /// Both together.
    pub fn and(self, other: Self) -> Self {
        let cost_usd = match (self.cost_usd, other.cost_usd) {
            (Some(a), Some(b)) => Some(a + b),
            (one, none) => one.or(none),
        };
        let tokens = self.tokens + other.tokens;
        Self { tokens, cost_usd, seconds: self.seconds + other.seconds }
    }
}

/// How far a run is.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct BatchProgress {
    pub state: BatchState,
    /// A sentence, where there is something to say of the state.
    pub why: Option<String>,
    /// Turns that count.
    pub turns: usize,
    /// Requests in all.
    pub requests: usize,
    /// How often a turn failed, all turns together.
    pub failures: usize,
    /// Turns that failed and stand all the same.
    pub kept: usize,
    #[serde(flatten)]
    pub used: Used,
}

/// A score of the code or of a judge, as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BatchScore {
    /// After which checkpoint or turn it holds: `c1`, `turn 6`.
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
    pub combination: Combination,
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
        let priced = Used { cost_usd: Some(1.5), seconds: 2.0, ..Used::default() };

        assert_eq!(Used::default().and(Used::default()).cost_usd, None);
        assert_eq!(Used::default().and(priced).cost_usd, Some(1.5));
    }
}
