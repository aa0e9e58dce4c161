//! `run.json` of a bundle, as it is written and read.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub const SCHEMA: &str = "trajview.run/1";

/// `run.json`. Everything but the schema may be missing. The recorder of a live run writes turns `T`, a start `S` and
/// other values `R` of its own types; a reader takes them as plain values, so that one of a wrong type costs only itself.
#[derive(Debug, Serialize, Deserialize)]
pub struct RunFile<T = RunFileTurn, S = Value, R = Map<String, Value>> {
    pub schema: String,
    pub id: Option<String>,
    pub title: Option<String>,
    pub task: Option<RunFileTask>,
    /// With the layers that treat it: `emergent+projectguard`.
    pub condition: Option<String>,
    pub platform: Option<String>,
    pub agent: Option<RunFileAgent>,
    pub model: Option<String>,
    pub provenance: Option<String>,
    pub started_at: Option<String>,
    /// Null while it runs.
    pub ended_at: Option<String>,
    /// `running`, `finished`, or `stopped` and why; only of a live run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    /// The start files; absent when the workspace was empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<S>,
    /// The harness' result of the run, as [`TrialResult`](super::TrialResult) is written; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial: Option<Value>,
    /// An empty list, which nobody reads.
    #[serde(default)]
    pub languages: Value,
    #[serde(default)]
    pub checkpoints: Vec<RunFileCheckpoint>,
    #[serde(default)]
    pub turns: Vec<T>,
    #[serde(flatten)]
    pub rest: R,
}

/// The task of the run.
#[derive(Debug, Serialize, Deserialize)]
pub struct RunFileTask {
    pub id: Option<String>,
    pub title: Option<String>,
    pub venue: Option<String>,
}

/// The agent that worked.
#[derive(Debug, Serialize, Deserialize)]
pub struct RunFileAgent {
    pub name: Option<String>,
    pub version: Option<String>,
}

/// A checkpoint and its last turn.
#[derive(Debug, Serialize, Deserialize)]
pub struct RunFileCheckpoint {
    pub id: Option<String>,
    /// The checkpoint's last turn, counts from 1.
    pub turn: usize,
    pub label: Option<String>,
}

/// A turn and the commit at its end.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RunFileTurn {
    /// Counts from 1.
    pub turn: usize,
    pub commit: Option<String>,
    pub started_at: Option<String>,
    pub ended_at: Option<String>,
    /// The log: a file name below `session/`.
    pub session: Option<String>,
    pub first_line: Option<u32>,
    pub last_line: Option<u32>,
    /// A text, an object or a list of them.
    pub layer: Option<Value>,
    /// True where a person typed the request into the agent's terminal: it is not in the script.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub typed: bool,
    /// The lines that a person typed during the turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub typed_within: Vec<String>,
    /// True where the agent was started anew for the turn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_memory: bool,
    /// Everything else.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}
