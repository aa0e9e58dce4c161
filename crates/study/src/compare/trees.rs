//! The files of two runs set against each other: what is only in one, what differs, line by line.

use trajview_code::patch::LineCounts;
use trajview_run::files::{Blob, BlobId, Blobs, Change, FileDiff, Origin, Tree, compare, renames};

use super::files::{FileRow, file_rows};

/// The files of one run at a moment, and where their contents are had.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    pub tree: &'a Tree,
    pub contents: &'a dyn Blobs,
}

/// Contents of either run: they are named by what is in them.
struct Either<'a>([&'a dyn Blobs; 2]);

impl Blobs for Either<'_> {
    fn blob(&self, id: BlobId) -> Result<Blob, String> {
        let [a, b] = self.0;
        a.blob(id).or_else(|_| b.blob(id))
    }
}

/// What two runs ended with.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trees {
    /// One a file, by path.
    pub rows: Vec<FileRow>,
    /// What turns the first tree into the second, renames found.
    pub changes: Vec<Change>,
}

impl Trees {
    /// Reads every file that differs.
    pub fn of(a: Side<'_>, b: Side<'_>) -> Self {
        let contents = Either([a.contents, b.contents]);
        let changes = renames::find(a.tree.changes_to(b.tree, Origin::Recorded), &contents);
        let count = |change: &Change| compare::compare(change, &contents, 0).line_counts();
        let lines: Vec<Option<LineCounts>> = changes.iter().map(count).collect();
        let rows = file_rows(a.tree, &changes, &lines);
        Self { rows, changes }
    }

    /// The change behind a row; None for a file that is the same in both.
    #[cfg(test)]
    pub fn change_of(&self, row: &FileRow) -> Option<&Change> {
        self.changes.iter().find(|change| change.path.as_str() == row.path)
    }
}

/// One file of the two, line by line with `context` lines around each change.
pub fn diff_between(contents: [&dyn Blobs; 2], change: &Change, context: usize) -> FileDiff {
    compare::compare(change, &Either(contents), context)
}
