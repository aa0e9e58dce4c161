//! The files that two runs ended with.

use trajview_code::patch::LineCounts;
use trajview_run::{
    EditKind,
    files::{FileChange, FileContent, SourceTree},
    worded_enum::worded,
};

/// A file of the two final trees.
#[derive(Debug, Clone, PartialEq)]
pub struct FileRow {
    /// The path in the second run where the file exists there, else in the first.
    pub path: String,
    /// The path in the first run, where the file has another name there; found by content.
    pub from: Option<String>,
    pub presence: FilePresence,
    /// The lines that only the second run has, and those that only the first has; None for files without countable
    /// lines.
    pub lines: Option<LineCounts>,
}

worded! {
    words;
    /// The runs that have a file, and whether its contents are equal.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum FilePresence {
        OnlyA = "only in a",
        OnlyB = "only in b",
        /// Both runs have the file, with different contents.
        Differs = "differs",
        Same = "same",
        /// Both runs have the file; neither recorded its content.
        NotRecorded = "content not recorded",
    }
}

/// Returns a row for each file, by path. `changes` turn the first tree into the second, with renames found; `lines`
/// has one entry for each change.
pub fn file_rows(
    first: &SourceTree,
    changes: &[FileChange],
    lines: &[Option<LineCounts>],
) -> Vec<FileRow> {
    let changed = changes.iter().enumerate().map(|(at, change)| FileRow {
        path: change.path.to_string(),
        from: change.from.as_ref().map(ToString::to_string),
        presence: match change.kind {
            EditKind::Create => FilePresence::OnlyB,
            EditKind::Delete => FilePresence::OnlyA,
            EditKind::Modify => FilePresence::Differs,
            EditKind::Rename if change.file_before() == change.file_after() => FilePresence::Same,
            EditKind::Rename => FilePresence::Differs,
        },
        lines: lines.get(at).copied().flatten(),
    });
    let is_changed = |path: &trajview_run::RepoPath| {
        changes.iter().any(|change| change.path == *path || change.from.as_ref() == Some(path))
    };
    let same = first.files.iter().filter(|(path, _)| !is_changed(path)).map(|(path, file)| {
        let is_known = file.content != FileContent::NotRecorded;
        FileRow {
            path: path.to_string(),
            from: None,
            presence: if is_known { FilePresence::Same } else { FilePresence::NotRecorded },
            lines: is_known.then_some(LineCounts { added: 0, removed: 0 }),
        }
    });
    let mut rows: Vec<FileRow> = changed.chain(same).collect();
    rows.sort_by(|one, other| one.path.cmp(&other.path));
    rows
}
