//! Tells a renamed file from a deleted and a created one.

use std::collections::HashMap;

use crate::EditKind;

use super::{Blob, Blobs, ChangeOrigin, ChangeVersion, FileChange, FileMode, TreeFile};

/// Pairs looked at, at most: deleted files times created files of one turn.
const MOST_PAIRS: usize = 4_096;

/// The largest file whose lines are compared, in bytes; bigger ones are renames only where they are equal.
const COMPARE_LIMIT: usize = 1 << 20;

/// Makes one rename of a deleted and a created file that are alike, the most alike first: equal contents, or at least
/// half of the bytes in equal lines, which is git's threshold (its measure counts chunks, ours counts lines).
pub fn pair_renames(changes: Vec<FileChange>, blobs: &dyn Blobs) -> Vec<FileChange> {
    let has = |kind| changes.iter().any(|change| change.kind == kind);
    if !(has(EditKind::Delete) && has(EditKind::Create)) {
        return changes;
    }
    let of_kind = |kind| changes.iter().enumerate().filter(move |(_, change)| change.kind == kind);
    let side = |(at, file): (usize, Option<TreeFile>)| {
        Some(RenameSide::read_file(at, file?, blobs)).flatten()
    };
    let deleted: Vec<RenameSide> = of_kind(EditKind::Delete)
        .map(|(at, change)| (at, change.file_before()))
        .filter_map(side)
        .collect();
    let created: Vec<RenameSide> = of_kind(EditKind::Create)
        .map(|(at, change)| (at, change.file_after()))
        .filter_map(side)
        .collect();
    if deleted.len() * created.len() > MOST_PAIRS {
        return changes;
    }
    let mut pairs: Vec<(f64, usize, usize)> = vec![];
    for (old, new) in deleted.iter().flat_map(|old| created.iter().map(move |new| (old, new))) {
        let likeness = old.similarity_to(new);
        if likeness >= 0.5 {
            pairs.push((likeness, old.at, new.at));
        }
    }
    // Stable: among equals the order of the paths decides.
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    join_pairs(changes, &pairs)
}

fn join_pairs(changes: Vec<FileChange>, pairs: &[(f64, usize, usize)]) -> Vec<FileChange> {
    let mut changes: Vec<Option<FileChange>> = changes.into_iter().map(Some).collect();
    for &(_, old, new) in pairs {
        if changes[old].is_none()
            || changes[new].as_ref().is_none_or(|change| change.from.is_some())
        {
            continue;
        }
        if let (Some(deleted), Some(created)) = (changes[old].take(), changes[new].as_mut()) {
            created.version =
                ChangeVersion::Whole { old: deleted.file_before(), new: created.file_after() };
            created.origin = if deleted.origin == created.origin {
                created.origin
            } else {
                ChangeOrigin::Partly
            };
            created.kind = EditKind::Rename;
            created.from = Some(deleted.path);
        }
    }
    changes.into_iter().flatten().collect()
}

/// One version of a file with its lines counted.
struct RenameSide {
    at: usize,
    file: TreeFile,
    blob: Blob,
}

impl RenameSide {
    /// Reads one version of a file. None without a content to compare; an empty file is one of these, since all empty
    /// files are alike.
    fn read_file(at: usize, file: TreeFile, blobs: &dyn Blobs) -> Option<Self> {
        let id = file.blob_id().filter(|_| file.mode != FileMode::Submodule)?;
        let blob = blobs.read_blob(id).ok().filter(|blob| !blob.is_empty())?;
        Some(Self { at, file, blob })
    }

    /// Returns 0–1: the share of the larger side's bytes that are in lines of both.
    fn similarity_to(&self, other: &Self) -> f64 {
        if self.file.content == other.file.content {
            return 1.0;
        }
        let larger = self.blob.len().max(other.blob.len());
        let smaller = self.blob.len().min(other.blob.len());
        if larger > COMPARE_LIMIT || smaller * 2 < larger {
            return 0.0;
        }
        let mut lines: HashMap<&[u8], usize> = HashMap::new();
        for line in self.blob.split_inclusive(|byte| *byte == b'\n') {
            *lines.entry(line).or_default() += 1;
        }
        let common = other.blob.split_inclusive(|byte| *byte == b'\n').filter(|line| {
            lines.get_mut(line).filter(|left| **left > 0).map(|left| *left -= 1).is_some()
        });
        let shared: usize = common.map(<[u8]>::len).sum();
        // A shade below equal, so that an exact twin is taken first.
        (shared as f64 / larger as f64).min(0.999)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        RepoPath,
        files::{MemoryBlobs, SourceTree},
    };

    /// Returns the changes of a turn from one list of (path, text) to another, after renames are paired, as `kind from
    /// → path`.
    fn found_changes(before: &[(&str, &str)], after: &[(&str, &str)]) -> Vec<String> {
        let mut blobs = MemoryBlobs::default();
        let mut tree = |files: &[(&str, &str)]| {
            let file = |(path, text): &(&str, &str)| {
                (RepoPath::new(path).unwrap(), TreeFile::with_blob(blobs.insert(text.as_bytes())))
            };
            SourceTree { files: files.iter().map(file).collect() }
        };
        let (old, new) = (tree(before), tree(after));
        let changes = pair_renames(old.changes_to(&new, ChangeOrigin::Recorded), &blobs);
        let words = |change: &FileChange| match &change.from {
            Some(from) => format!("{} {from} → {}", change.kind.word(), change.path),
            None => format!("{} {}", change.kind.word(), change.path),
        };
        changes.iter().map(words).collect()
    }

    #[test]
    fn a_moved_file_with_an_edit_is_a_rename() {
        let before = [("core.py", "import os\nimport sys\nprint(1)\n")];
        let after = [("ops.py", "import os\nimport sys\nprint(2)\n")];
        assert_eq!(found_changes(&before, &after), ["rename core.py → ops.py"]);
    }

    #[test]
    fn a_file_that_shares_little_is_not_a_rename() {
        let before = [("core.py", "import os\nprint(1)\n")];
        let after = [("ops.py", "def add(a, b):\n    return a + b\n")];
        assert_eq!(found_changes(&before, &after), ["delete core.py", "create ops.py"]);
    }

    #[test]
    fn the_most_alike_pair_is_taken_first() {
        let before = [("a", "1\n2\n3\n4\n"), ("b", "1\n2\n3\n5\n")];
        let after = [("c", "1\n2\n3\n5\n")];
        assert_eq!(found_changes(&before, &after), ["delete a", "rename b → c"]);
    }

    #[test]
    fn empty_files_are_not_renames_of_one_another() {
        let changes = found_changes(&[("a/__init__.py", "")], &[("b/__init__.py", "")]);
        assert_eq!(changes, ["delete a/__init__.py", "create b/__init__.py"]);
    }
}
