//! Shared by the two Codex formats: lenient JSON, tool calls for a reader, observations.

pub(super) mod call;
pub(super) mod outcome;

/// The agent's name in [`trajview_run::Agent`].
pub(super) const AGENT: &str = "codex";
