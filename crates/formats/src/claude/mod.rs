//! Reads the logs of Claude Code, in its two dialects.
//!
//! [`super::claude_session`] reads the session log below `~/.claude/projects`, [`super::claude_stream`] what
//! `claude -p --output-format stream-json` prints. Both hold the same messages in slightly different envelopes, so
//! the reading is shared and lives here, in the order in which a byte travels:
//!
//! 1. [`json`]: pieces of JSON that forgive drift, and strings that are not decoded before somebody needs them.
//! 2. [`record`]: the shapes of the records.
//! 3. [`line`](mod@line): one line becomes one small [`line::ClassifiedLine`]. Lines do not know of each other, so this, the
//!    expensive part, could be done in any order. [`events`] reads records that are not messages, and [`ignored_kinds`] lists what is
//!    bookkeeping.
//! 4. [`fold`]: the lines, in order, become a [`trajview_run::Run`]; the two dialects differ in what opens a turn and
//!    in whose token counts are right, which is what their own files decide. [`subagents`] ties agents to the calls
//!    that started them.
//! 5. [`edits`] and [`text`]: the way back, from a record to the body of an edit and to words.
//!
//! A new version's new record type is one row in [`ignored_kinds`].

pub(super) mod edits;
pub(super) mod events;
pub(super) mod fold;
pub(super) mod ignored_kinds;
pub(super) mod json;
pub(super) mod line;
pub(super) mod record;
pub(super) mod subagents;
pub(super) mod text;

#[cfg(test)]
pub(super) mod tests;
