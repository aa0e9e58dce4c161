//! What the recorder of a live run writes down of a turn beside the agent's own log: how far it came, and why.

use crate::values::worded;
use serde::Serialize;

worded! {
    /// How far a turn came.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum TurnState {
        /// Its request was sent, and nothing more is recorded.
        Begun = "begun",
        Done = "done",
        /// It failed and counts all the same, because the run was told to keep what failed.
        Kept = "kept",
        /// It was stopped or took too long, and does not count.
        Cut = "cut",
        Failed = "failed",
        /// It was never asked.
        Skipped = "skipped",
    }
}

impl TurnState {
    /// Whether the turn belongs to what the run did: only then it is part of sums, curves and the run's end.
    pub const fn counts(self) -> bool {
        matches!(self, Self::Done | Self::Kept)
    }

    /// The words on screen; empty for what needs none.
    pub const fn words(self) -> &'static str {
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

/// What `run.json` says of one turn. Everything may be missing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct TurnRecord {
    pub state: Option<TurnState>,
    /// Why it does not count, or counts though it failed; a sentence.
    pub why: Option<String>,
    /// How the agent's process ended: `exit code 0`.
    pub exit: Option<String>,
    /// Counts from 1.
    pub attempt: Option<u64>,
    /// What the agent was not allowed to do.
    pub denied: Vec<String>,
    /// Errors that the agent reported.
    pub troubles: Vec<String>,
    /// What it wrote outside its workspace.
    pub outside: Vec<String>,
    /// Files that are not in the commit, and why.
    pub not_recorded: Vec<String>,
}

/// The one of [`RunRecord::conduct`] that runs of one condition alone have in common.
pub const PROMPTS: &str = "prompts";

/// What `run.json` says of the run as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct RunRecord {
    /// `running`, `finished`, or `stopped` and why.
    pub state: Option<String>,
    /// Sentences about what it began with, before the first turn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub start: Vec<String>,
    /// Sentences about the run.
    pub remarks: Vec<String>,
    /// First lines of the requests that were never asked.
    #[serde(rename = "skipped_requests")]
    pub skipped: Vec<Box<str>>,
    /// What runs that are compared should have in common: the limits, the permissions, how often a turn was done again. Each
    /// with its name in words; what the recorder does not tell is not there.
    #[serde(skip)]
    pub conduct: Vec<(&'static str, String)>,
}
