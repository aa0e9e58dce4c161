//! `run.json` as it lies in a bundle.

use serde::Deserialize;

/// `run.json`. Everything but the schema may be missing.
#[derive(Debug, Deserialize)]
pub struct BundleManifest {
    pub schema: String,
    pub id: Option<String>,
    pub title: Option<String>,
    pub task: Option<ManifestTask>,
    pub condition: Option<String>,
    pub platform: Option<String>,
    pub agent: Option<ManifestAgent>,
    pub model: Option<String>,
    pub provenance: Option<String>,
    pub started_at: Option<String>,
    pub ended_at: Option<String>,
    #[serde(default)]
    pub checkpoints: Vec<ManifestCheckpoint>,
    #[serde(default)]
    pub turns: Vec<ManifestTurn>,
    /// Everything else.
    #[serde(flatten)]
    pub rest: serde_json::Map<String, serde_json::Value>,
}

/// The task of the run.
#[derive(Debug, Deserialize)]
pub struct ManifestTask {
    pub id: Option<String>,
    pub title: Option<String>,
    pub venue: Option<String>,
}

/// The agent that worked.
#[derive(Debug, Deserialize)]
pub struct ManifestAgent {
    pub name: Option<String>,
    pub version: Option<String>,
}

/// A checkpoint and its last turn.
#[derive(Debug, Deserialize)]
pub struct ManifestCheckpoint {
    pub id: Option<String>,
    /// The checkpoint's last turn, counts from 1.
    pub turn: usize,
    pub label: Option<String>,
}

/// A turn and the commit at its end.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ManifestTurn {
    pub turn: usize,
    pub commit: Option<String>,
    pub started_at: Option<String>,
    pub ended_at: Option<String>,
    /// File name below `session/`.
    pub session: Option<String>,
    pub first_line: Option<u32>,
    pub last_line: Option<u32>,
    pub layer: Option<serde_json::Value>,
    /// Is true where a person typed the request into the agent's terminal: it is not in the script.
    #[serde(default)]
    pub typed: bool,
    /// The lines that a person typed during the turn.
    #[serde(default)]
    pub typed_within: Vec<String>,
    /// Is true where the agent was started anew for the turn.
    #[serde(default)]
    pub without_memory: bool,
    /// Everything else.
    #[serde(flatten)]
    pub rest: serde_json::Map<String, serde_json::Value>,
}
