//! The files of two runs set against each other: what is only in one, what differs, line by line.

use trajview_code::patch::LineCounts;
use trajview_run::files::{
    Blob, BlobId, Blobs, ChangeOrigin, FileChange, FileDiff, SourceTree, file_diff, renames,
};

use super::files::{FileRow, file_rows};

/// The files of one run at a moment, and where their contents are had.
#[derive(Clone, Copy)]
pub struct TreeSide<'a> {
    pub tree: &'a SourceTree,
    pub contents: &'a dyn Blobs,
}

/// Contents of either run: they are named by what is in them.
struct EitherBlobs<'a>([&'a dyn Blobs; 2]);

impl Blobs for EitherBlobs<'_> {
    fn read_blob(&self, id: BlobId) -> Result<Blob, String> {
        let [a, b] = self.0;
        a.read_blob(id).or_else(|_| b.read_blob(id))
    }
}

/// The files that two runs ended with.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ComparedTrees {
    /// The rows, one for each file, by path.
    pub rows: Vec<FileRow>,
    /// The changes that turn the first tree into the second, with renames found.
    pub changes: Vec<FileChange>,
}

impl ComparedTrees {
    /// Reads every file that differs.
    pub fn compare_sides(a: TreeSide<'_>, b: TreeSide<'_>) -> Self {
        let contents = EitherBlobs([a.contents, b.contents]);
        let changes =
            renames::pair_renames(a.tree.changes_to(b.tree, ChangeOrigin::Recorded), &contents);
        let count =
            |change: &FileChange| file_diff::diff_change(change, &contents, 0).line_counts();
        let lines: Vec<Option<LineCounts>> = changes.iter().map(count).collect();
        let rows = file_rows(a.tree, &changes, &lines);
        Self { rows, changes }
    }

    /// Returns the change behind a row; None for a file that is the same in both.
    #[cfg(test)]
    pub fn change_of(&self, row: &FileRow) -> Option<&FileChange> {
        self.changes.iter().find(|change| change.path.as_str() == row.path)
    }
}

/// Compares one file of the two runs line by line, with `context` lines around each change.
pub fn diff_between(contents: [&dyn Blobs; 2], change: &FileChange, context: usize) -> FileDiff {
    file_diff::diff_change(change, &EitherBlobs(contents), context)
}
