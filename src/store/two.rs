//! Two recordings at once: their trees set side by side, a file of one against a file of the other.

use crate::{
    code::patch::LineCounts,
    run::{
        Run,
        files::{Blob, BlobId, Blobs, Change, FileDiff, Origin, Tree, compare, renames},
    },
};

use super::Archive;

/// A run and its archive, at a moment counted in turns done.
#[derive(Debug, Clone, Copy)]
pub struct At<'a> {
    pub run: &'a Run,
    pub archive: &'a Archive,
    pub done: usize,
}

/// Two of them.
#[derive(Debug, Clone, Copy)]
pub struct Two<'a> {
    pub a: At<'a>,
    pub b: At<'a>,
}

/// Contents of either recording: they are named by what is in them.
struct Either<'a>([&'a (dyn Blobs + Sync); 2]);

impl Blobs for Either<'_> {
    fn blob(&self, id: BlobId) -> Result<Blob, String> {
        let [a, b] = self.0;
        a.blob(id).or_else(|_| b.blob(id))
    }
}

impl At<'_> {
    /// The files at that moment. The error is a sentence.
    pub fn tree(&self) -> Result<Tree, String> {
        Ok(self.archive.timeline(self.run)?.tree_after(self.done))
    }
}

impl Two<'_> {
    /// What turns the first tree into the second, renames found. The error is a sentence.
    pub fn changes(&self) -> Result<Vec<Change>, String> {
        let changes = self.a.tree()?.changes_to(&self.b.tree()?, Origin::Recorded);
        self.with_blobs(|blobs| renames::find(changes, blobs))
    }

    /// One of them, line by line with `context` lines around.
    pub fn diff(&self, change: &Change, context: usize) -> FileDiff {
        self.with_blobs(|blobs| compare::compare(change, blobs, context))
            .unwrap_or_else(FileDiff::NotRecorded)
    }

    /// Lines that each change adds and removes; None for what has no lines to count.
    pub fn line_counts(&self, changes: &[Change]) -> Vec<Option<LineCounts>> {
        changes.iter().map(|change| self.diff(change, 0).line_counts()).collect()
    }

    fn with_blobs<T>(&self, read: impl FnOnce(&Either<'_>) -> T) -> Result<T, String> {
        let (a, b) = (self.a, self.b);
        a.archive.with_blobs(a.run, |of_a| {
            b.archive.with_blobs(b.run, |of_b| read(&Either([of_a, of_b])))
        })?
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{run::EditKind, store};

    #[test]
    fn the_sample_pair_ended_with_files_that_can_be_compared() {
        let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-runs");
        let [a, b] = ["codex-p12", "codex-p12-single-shot"]
            .map(|name| store::open(&samples.join(name)).unwrap());
        let at = |opened: &'_ store::Opened| opened.run.turns.len();
        let two = Two {
            a: At { run: &a.run, archive: &a.archive, done: at(&a) },
            b: At { run: &b.run, archive: &b.archive, done: at(&b) },
        };

        let changes = two.changes().unwrap();
        let lines = two.line_counts(&changes);

        let of = |kind| changes.iter().filter(|change| change.kind == kind).count();
        assert!(of(EditKind::Delete) > 0 && of(EditKind::Modify) > 0);
        assert!(lines.iter().all(Option::is_some));
        let same = Two { a: two.a, b: two.a };
        assert_eq!(same.changes(), Ok(vec![]));
    }
}
