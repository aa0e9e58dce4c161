//! `run.json` as it lies in a bundle.

use serde::Deserialize;

/// `run.json`. Everything but the schema may be missing.
#[derive(Debug, Deserialize)]
pub struct Manifest {
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

/// What was worked on.
#[derive(Debug, Deserialize)]
pub struct ManifestTask {
    pub id: Option<String>,
    pub title: Option<String>,
    pub venue: Option<String>,
}

/// Who worked.
#[derive(Debug, Deserialize)]
pub struct ManifestAgent {
    pub name: Option<String>,
    pub version: Option<String>,
}

/// Where a checkpoint ends.
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
    /// Whether a person typed the request into the agent's terminal: it is not in the script.
    #[serde(default)]
    pub typed: bool,
    /// What a person typed while it was under way.
    #[serde(default)]
    pub typed_within: Vec<String>,
    /// Whether the agent was started anew for it.
    #[serde(default)]
    pub without_memory: bool,
    /// Everything else.
    #[serde(flatten)]
    pub rest: serde_json::Map<String, serde_json::Value>,
}
