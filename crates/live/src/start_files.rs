//! The files that a run starts with and the commands that prepared them, as they are recorded.

use serde::{Deserialize, Serialize};

use trajview_store::start_files::{CopiedFiles, LeftOutNames};

/// The files before the first request, as `run.json` has them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StartFiles {
    /// The commit of the bundle that has the files.
    pub commit: String,
    /// Their source; null for an empty workspace that commands prepare.
    pub source: Option<CopiedFiles>,
    /// Files of the workspace that are not in the commit, some of their names where there are many.
    pub not_recorded: LeftOutNames,
    /// Files in the commit in which a key was covered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub covered: Vec<String>,
    /// The commands that prepared them, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<SetupRow>,
}

/// One command that prepared the workspace.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SetupRow {
    pub command: String,
    /// `exit code 0`.
    pub exit: String,
    pub is_fine: bool,
    pub seconds: f64,
    /// Its output, without keys; the middle of a long one is left out.
    pub output: String,
    /// The commit of the bundle with what it changed; null where it failed.
    pub commit: Option<String>,
    /// Paths that it changed, of those that are recorded; some of them where there are many.
    pub changed: Vec<String>,
}

/// The name of the patch in a bundle: from the state before turn 1 to that after the last turn that counts.
pub const PATCH_FILE: &str = "changes.patch";

impl StartFiles {
    /// Returns the commit of the files as the agent found them.
    pub(crate) fn last_commit(&self) -> &str {
        let made = self.setup.iter().rev().find_map(|row| row.commit.as_deref());
        made.unwrap_or(&self.commit)
    }

    /// Returns whether the workspace had files or history that no commit of the bundle has.
    pub(crate) fn has_unrecorded_files(&self) -> bool {
        let has_history = self.source.as_ref().is_some_and(|it| it.has_history);
        has_history || self.not_recorded.count > 0 || !self.setup.is_empty()
    }

    /// Returns the source of the files as text; None for an empty workspace.
    pub fn origin_text(&self) -> Option<String> {
        let source = self.source.as_ref()?;
        let place = source.repository.as_ref().or(source.folder.as_ref())?;
        let revision = source.revision.as_ref().map(|it| format!(" at {it}"));
        let changed = match source.changed {
            Some(1) => ", with 1 changed file".to_owned(),
            Some(count @ 2..) => format!(", with {count} changed files"),
            _ => String::new(),
        };
        let history = if source.has_history { ", with its history" } else { "" };
        let revision = revision.unwrap_or_default();
        Some(format!("it started from {place}{revision}{changed}{history}"))
    }

    /// Adds the row of a command, and drops the rows of failed ones, so that they run again.
    pub(crate) fn add_setup_row(&mut self, row: SetupRow) {
        self.setup.retain(|it| it.is_fine);
        self.setup.push(row);
    }
}

impl SetupRow {
    /// Returns the command and its result as text.
    pub fn summary_text(&self) -> String {
        let Self { command, exit, seconds, .. } = self;
        let changed = match (self.is_fine, self.changed.len()) {
            (false, _) => String::new(),
            (true, 1) => ", 1 file changed".into(),
            (true, count) => format!(", {count} files changed"),
        };
        format!("setup: {command}: {exit}, {seconds:.1} s{changed}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_before_turn_1_is_that_after_the_last_command_that_did_well() {
        let row = |commit: Option<&str>| SetupRow {
            is_fine: commit.is_some(),
            commit: commit.map(str::to_owned),
            ..SetupRow::default()
        };
        let mut base = StartFiles { commit: "b".into(), ..StartFiles::default() };
        assert_eq!(base.last_commit(), "b");
        base.add_setup_row(row(Some("one")));
        base.add_setup_row(row(None));
        assert_eq!((base.last_commit(), base.setup.len()), ("one", 2));

        base.add_setup_row(row(Some("two")));

        assert_eq!((base.last_commit(), base.setup.len()), ("two", 2));
    }
}
