//! The selected file of the turn (or of the step).

use std::cmp::Reverse;

use crate::session::turn_counts::LineTotals;
use trajview_metrics::lifeline;
use trajview_run::{RepoPath, files::FileChange};

#[derive(Debug, Default)]
pub struct FileList {
    /// The file that was selected last; it stays selected through turns that do not change it.
    wanted: Option<RepoPath>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum FileListMessage {
    Next(usize),
    Previous(usize),
    /// Opens the selection.
    Open,
    /// Switches between the files that changed and all files.
    SwitchTree,
}

impl FileList {
    /// Returns the index into `changes` of the file that was selected last, where it is among them.
    pub(super) fn wanted_index(&self, changes: &[FileChange]) -> Option<usize> {
        let is_wanted = |change: &FileChange| {
            self.wanted
                .as_ref()
                .is_some_and(|path| *path == change.path || change.from.as_ref() == Some(path))
        };
        changes.iter().position(is_wanted)
    }

    /// Returns the file that was selected last; None before one is.
    pub(crate) const fn selected_path(&self) -> Option<&RepoPath> {
        self.wanted.as_ref()
    }

    pub(crate) fn select_path(&mut self, path: RepoPath) {
        self.wanted = Some(path);
    }
}

/// Returns the index of the change to show first: the one with the most changed lines that is not of a test, given the
/// lines of a change by its index; None where they are not known.
pub(super) fn main_change(
    changes: &[FileChange],
    lines: impl Fn(usize) -> Option<LineTotals>,
) -> usize {
    let size = |index: usize| lines(index).map_or(0, |lines| lines.added + lines.removed);
    let is_test = |index: usize| lifeline::is_test(&changes[index].path);
    let rank = |index: &usize| (is_test(*index), Reverse(size(*index)));
    (0..changes.len()).min_by_key(rank).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::{
        EditKind,
        files::{ChangeOrigin, ChangeVersion},
    };

    #[test]
    fn the_first_file_is_the_one_with_most_changed_lines_that_is_not_a_test() {
        let change = |path: &str| FileChange {
            path: RepoPath::new(path).unwrap(),
            from: None,
            kind: EditKind::Modify,
            version: ChangeVersion::Part(vec![]),
            origin: ChangeOrigin::Recorded,
        };
        let changes = ["README.md", "src/loss.py", "tests/test_loss.py"].map(change);
        let lines = [Some((2, 0)), Some((14, 37)), Some((90, 0))];
        let lines =
            |index: usize| lines[index].map(|(added, removed)| LineTotals { added, removed });

        assert_eq!(main_change(&changes, lines), 1);
        assert_eq!(
            main_change(&changes, |_| None),
            0,
            "without counts the first that is not a test"
        );
        assert_eq!(main_change(&changes[2..], |_| None), 0, "a test where nothing else changed");
        assert_eq!(main_change(&[], |_| None), 0);
    }
}
