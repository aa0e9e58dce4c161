//! What the two Codex formats share: lenient JSON, tool calls as a person reads them, observations.

pub(super) mod call;
pub(super) mod outcome;

/// The agent's name in [`trajview_run::Agent`].
pub(super) const AGENT: &str = "codex";
