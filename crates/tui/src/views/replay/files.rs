//! The selected file of the turn (or of the step).

use std::{
    cell::RefCell,
    cmp::Reverse,
    sync::{Arc, Weak},
};

use crate::session::{
    Session,
    cache::LruCache,
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
    main_changes: RefCell<MainChanges>,
}

/// The main changes found last, by scope: those of a turn and its neighbours are wanted several times a frame, and a turn
/// can change 100,000 files.
#[derive(Debug)]
struct MainChanges {
    sources: MainChangeSources,
    by_scope: LruCache<DiffScope, usize>,
}

impl Default for MainChanges {
    fn default() -> Self {
        let by_scope = LruCache::with_limit(MAX_MAIN_CHANGES);
        Self { sources: MainChangeSources::default(), by_scope }
    }
}

/// More than the turns and steps of which files are requested ahead.
const MAX_MAIN_CHANGES: usize = 8;

/// Everything that the main change of a turn or step depends on.
#[derive(Debug, Default)]
struct MainChangeSources {
    run: Weak<Run>,
    timeline: Weak<Timeline>,
    /// Of no counts while they are not known.
    counts: Weak<ChangeLineCounts>,
}

impl MainChangeSources {
    fn for_session(session: &Session) -> Self {
        Self {
            run: Arc::downgrade(&session.run),
            timeline: session.timeline.ready().map_or_else(Weak::new, Arc::downgrade),
            counts: session.counts.ready().map_or_else(Weak::new, Arc::downgrade),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        self.run.ptr_eq(&other.run)
            && self.timeline.ptr_eq(&other.timeline)
            && self.counts.ptr_eq(&other.counts)
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
        let (DiffScope::Turn(_) | DiffScope::Step(_)) = scope else {
            return find_main_change(session, scope); // its changes are an answer of its own
        };
        let mut found = self.main_changes.borrow_mut();
        let sources = MainChangeSources::for_session(session);
        if !found.sources.is_same(&sources) {
            *found = MainChanges { sources, ..MainChanges::default() };
        }
        if let Some(index) = found.by_scope.get(&scope) {
            return *index;
        }
        let index = find_main_change(session, scope);
        found.by_scope.insert(scope, index);
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

/// Returns the main change by the lines that are counted, else by those that the recorded edits of the turn or step
/// wrote and removed; other scopes have neither.
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
