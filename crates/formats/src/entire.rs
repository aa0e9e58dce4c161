//! Where Entire keeps the logs of sessions in a repository: on a branch of checkpoints, in folders
//! `<first two digits>/<the others>/<number>`, without the number in older ones. Commits name their checkpoints.

use serde_json::Value;

use crate::json_object::JsonFields;

/// The branch of checkpoints, in the repository that made them and in a clone of it.
pub const REFERENCES: [&str; 2] =
    ["refs/heads/entire/checkpoints/v1", "refs/remotes/origin/entire/checkpoints/v1"];

/// The file of a checkpoint with the log of its session so far.
pub const LOG: &str = "full.jsonl";

/// The file of a checkpoint with its session and its time.
pub const METADATA: &str = "metadata.json";

/// The line of a commit message that names a checkpoint of the commit.
const TRAILER: &str = "Entire-Checkpoint:";

/// Returns the ids of the checkpoints that a commit message names.
pub fn checkpoints_in(message: &str) -> impl Iterator<Item = &str> {
    message.lines().filter_map(|line| line.trim().strip_prefix(TRAILER)).map(str::trim)
}

/// The facts about a checkpoint.
#[derive(Debug, Default)]
pub struct CheckpointMetadata {
    pub session_id: Option<String>,
    /// The time, by which checkpoints are sorted as texts; empty where it is not recorded.
    pub created_at: String,
}

impl CheckpointMetadata {
    pub fn parse(metadata: &[u8]) -> Self {
        let metadata: Value = serde_json::from_slice(metadata).unwrap_or_default();
        let text = |key: &str| metadata.text(key).map(str::to_owned);
        Self { session_id: text("session_id"), created_at: text("created_at").unwrap_or_default() }
    }
}
