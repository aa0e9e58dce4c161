//! The selected file of the turn (or of the step).

use std::{
    cell::RefCell,
    cmp::Reverse,
    sync::{Arc, Weak},
};

use crate::session::{
    Session,
    files::DiffScope,
    turn_counts::{ChangeLineCounts, LineTotals, TurnEditCounts},
};
use trajview_metrics::lifeline;
use trajview_run::{
    RepoPath, Run,
    files::{FileChange, Timeline},
};

#[derive(Debug, Default)]
pub struct FileList {
    /// The file that was selected last; it stays selected through turns that do not change it.
    wanted: Option<RepoPath>,
    /// The main change found last: it is wanted several times a frame, and a turn can change 100,000 files.
    last_main: RefCell<Option<(MainChangeSources, usize)>>,
}

/// Everything that the main change of a turn or step depends on.
#[derive(Debug)]
struct MainChangeSources {
    scope: DiffScope,
    run: Weak<Run>,
    timeline: Weak<Timeline>,
    counts: Option<Weak<ChangeLineCounts>>,
}

impl MainChangeSources {
    /// Returns the sources in a session; None where the changes are not of one turn or step.
    fn for_session(session: &Session, scope: DiffScope) -> Option<Self> {
        let (DiffScope::Turn(_) | DiffScope::Step(_)) = scope else { return None };
        Some(Self {
            scope,
            run: Arc::downgrade(&session.run),
            timeline: Arc::downgrade(session.timeline.ready()?),
            counts: session.counts.ready().map(Arc::downgrade),
        })
    }

    fn is_same(&self, other: &Self) -> bool {
        let is_same_counts = match (&self.counts, &other.counts) {
            (Some(counts), Some(others)) => counts.ptr_eq(others),
            (counts, others) => counts.is_none() && others.is_none(),
        };
        let is_same_run = self.run.ptr_eq(&other.run) && self.timeline.ptr_eq(&other.timeline);
        self.scope == other.scope && is_same_run && is_same_counts
    }
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
        let wanted = self.wanted.as_ref()?;
        changes
            .iter()
            .position(|change| *wanted == change.path || change.from.as_ref() == Some(wanted))
    }

    /// Returns the index of the change to show where none is selected; see [`main_change`].
    pub(super) fn main_index(&self, session: &Session, scope: DiffScope) -> usize {
        let Some(sources) = MainChangeSources::for_session(session, scope) else {
            return main_change(session.changes_of(scope), |_| None);
        };
        if let Some((last_sources, index)) = &*self.last_main.borrow()
            && last_sources.is_same(&sources)
        {
            return *index;
        }
        let index = find_main_change(session, scope);
        *self.last_main.borrow_mut() = Some((sources, index));
        index
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
fn main_change(changes: &[FileChange], lines: impl Fn(usize) -> Option<LineTotals>) -> usize {
    let size = |index: usize| lines(index).map_or(0, |lines| lines.added + lines.removed);
    let is_test = |index: usize| lifeline::is_test(&changes[index].path);
    let rank = |index: &usize| (is_test(*index), Reverse(size(*index)));
    (0..changes.len()).min_by_key(rank).unwrap_or_default()
}

/// Returns the main change of a turn or step by the lines that are counted, else by those that its recorded edits wrote
/// and removed.
fn find_main_change(session: &Session, scope: DiffScope) -> usize {
    let changes = session.changes_of(scope);
    let edit_lines =
        |edits: &TurnEditCounts, index: usize| edits.files.get(&changes[index].path).copied();
    match scope {
        DiffScope::Turn(turn) => {
            let counts = session.counts.ready().and_then(|counts| counts.get(turn));
            let edits = session.turn_counts.get(turn);
            main_change(changes, |index| {
                let counted = counts.and_then(|counts| *counts.get(index)?);
                counted.map(LineTotals::from).or_else(|| edit_lines(edits?, index))
            })
        }
        DiffScope::Step(step) => {
            let edits = TurnEditCounts::for_steps(&session.run, &[step]);
            main_change(changes, |index| edit_lines(&edits, index))
        }
        DiffScope::Since { .. } | DiffScope::At(_) => main_change(changes, |_| None),
    }
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
