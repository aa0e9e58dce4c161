//! The notes of a live run's recorder on a turn, beside the agent's own log: how far it came, and why.

use crate::worded_enum::worded;
use serde::{Deserialize, Serialize};

worded! {
    /// The progress of a turn.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum TurnState {
        /// Its request was sent, and nothing more is recorded.
        #[default]
        Begun = "begun",
        Done = "done",
        /// The turn failed and counts all the same, because the run was to keep failures.
        Kept = "kept",
        /// The turn was stopped or took too long, and does not count.
        Cut = "cut",
        Failed = "failed",
        /// The request was never sent.
        Skipped = "skipped",
    }
}

impl TurnState {
    /// Returns whether the turn belongs to the run's work: only then it is part of sums, curves and the run's end.
    pub const fn is_counted(self) -> bool {
        matches!(self, Self::Done | Self::Kept)
    }

    /// Returns the words on screen; empty for what needs none.
    pub const fn display_text(self) -> &'static str {
        match self {
            Self::Done => "",
            Self::Begun => "not over",
            Self::Kept => "failed, kept",
            Self::Cut => "cut",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// The data of `run.json` about one turn. Everything may be missing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct TurnRecord {
    pub state: Option<TurnState>,
    /// The reason why the turn does not count, or counts though it failed; a sentence.
    pub why: Option<String>,
    /// The end of the agent's process: `exit code 0`.
    pub exit: Option<String>,
    /// Counts from 1.
    pub attempt: Option<u64>,
    /// Actions that the agent was not allowed to do.
    pub denied: Vec<String>,
    /// Errors that the agent reported.
    pub troubles: Vec<String>,
    /// Files that it wrote outside its workspace.
    pub outside: Vec<String>,
    /// Files that are not in the commit, and why.
    pub not_recorded: Vec<String>,
}

/// The one of [`RunRecord::conduct`] that runs of one condition alone have in common.
pub const PROMPTS: &str = "prompts";

/// The data of `run.json` about the run as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct RunRecord {
    /// `running`, `finished`, or `stopped` and why.
    pub state: Option<String>,
    /// Sentences about what it began with, before the first turn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub start: Vec<String>,
    /// Sentences about the run.
    pub remarks: Vec<String>,
    /// First lines of the requests that were never sent.
    #[serde(rename = "skipped_requests")]
    pub skipped: Vec<Box<str>>,
    /// Conditions that compared runs should have in common: the limits, the permissions, the number of retries of a
    /// turn. Each with its name in words; a condition that is not recorded is missing.
    #[serde(skip)]
    pub conduct: Vec<(&'static str, String)>,
}
