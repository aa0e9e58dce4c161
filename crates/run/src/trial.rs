//! The result of a trial: what a harness measured of one run at a task.
//!
//! Every value is *recorded*: a reader of `formats` takes it from the harness' own files, nothing here is computed from
//! the log. A value that the harness does not state is None, which is neither 0 nor a failure.

use serde::{Deserialize, Serialize};

use super::worded_enum::worded;

worded! {
    /// The end of a trial, as the harness states it. The list is closed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Outcome {
        /// The verifier ran and accepted the work.
        Passed = "passed",
        /// The verifier ran and refused the work.
        Failed = "failed",
        /// The verifier ran and gave a part of the reward.
        Partial = "partial",
        /// The agent, the environment or the verifier raised.
        Error = "error",
        /// The agent ran out of time; a verifier that did is an error.
        Timeout = "timeout",
        /// The agent ran out of tokens, turns or money.
        Limit = "limit",
        /// The agent ran, and nobody scored its work.
        Unscored = "unscored",
    }
}

impl Outcome {
    /// Returns true where a verifier gave its verdict: passed, failed or partial.
    pub const fn is_scored(self) -> bool {
        matches!(self, Self::Passed | Self::Failed | Self::Partial)
    }

    /// Returns true where the trial ended without a verdict because something broke or ran out: error, timeout or limit.
    pub const fn is_broken(self) -> bool {
        matches!(self, Self::Error | Self::Timeout | Self::Limit)
    }
}

/// The result of one run at a task, as its harness recorded it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TrialResult {
    /// The task's id in the harness: `task_name`, `instance_id`, the id of a sample.
    pub task: Option<Box<str>>,
    /// The number of the repeat or epoch; counts from 1.
    pub attempt: Option<u32>,
    pub outcome: Option<Outcome>,
    /// The verifier's number, in the range of the harness; where it gave several, the first.
    pub reward: Option<f64>,
    /// The name of [`Self::reward`], where the harness names it.
    pub reward_name: Option<Box<str>>,
    /// The other named rewards and scores, in the harness' order.
    pub other_rewards: Vec<(Box<str>, f64)>,
    /// The error in one line: the exception's type and message, the agent's exit status.
    pub error: Option<Box<str>>,
    /// Facts that do not agree with the result, a sentence each: a reward that was written before the verifier failed.
    pub notes: Vec<Box<str>>,
    /// The file that the result was read from, relative to the trial.
    pub source: Box<str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_is_scored_broken_or_neither() {
        let kinds = Outcome::ALL.map(|it| (it.word(), it.is_scored(), it.is_broken()));

        let expected = [
            ("passed", true, false),
            ("failed", true, false),
            ("partial", true, false),
            ("error", false, true),
            ("timeout", false, true),
            ("limit", false, true),
            ("unscored", false, false),
        ];
        assert_eq!(kinds, expected);
    }
}
