//! The files that two runs ended with.

use trajview_code::patch::LineCounts;
use trajview_run::{
    EditKind,
    files::{Change, Content, Tree},
    values::worded,
};

/// One file of the final trees.
#[derive(Debug, Clone, PartialEq)]
pub struct FileRow {
    /// In the second run where it is there, else in the first.
    pub path: String,
    /// In the first run, where it has another name there: found by its content.
    pub from: Option<String>,
    pub standing: Standing,
    /// Lines of the second run that the first lacks, and the other way round; None for what has no lines to count.
    pub lines: Option<LineCounts>,
}

worded! {
    words;
    /// Where a file is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Standing {
        OnlyA = "only in a",
        OnlyB = "only in b",
        /// In both, and not the same.
        Differs = "differs",
        Same = "same",
        /// In both; what is in it is not recorded in either.
        NotRecorded = "content not recorded",
    }
}

/// One row a file, by path. `changes` turn the first tree into the second, renames found; `lines` has one entry a
/// change.
pub fn file_rows(first: &Tree, changes: &[Change], lines: &[Option<LineCounts>]) -> Vec<FileRow> {
    let changed = changes.iter().enumerate().map(|(at, change)| FileRow {
        path: change.path.to_string(),
        from: change.from.as_ref().map(ToString::to_string),
        standing: match change.kind {
            EditKind::Create => Standing::OnlyB,
            EditKind::Delete => Standing::OnlyA,
            EditKind::Modify => Standing::Differs,
            EditKind::Rename if change.before() == change.after() => Standing::Same,
            EditKind::Rename => Standing::Differs,
        },
        lines: lines.get(at).copied().flatten(),
    });
    let is_changed = |path: &trajview_run::RepoPath| {
        changes.iter().any(|change| change.path == *path || change.from.as_ref() == Some(path))
    };
    let same = first.files.iter().filter(|(path, _)| !is_changed(path)).map(|(path, file)| {
        let is_known = file.content != Content::NotRecorded;
        FileRow {
            path: path.to_string(),
            from: None,
            standing: if is_known { Standing::Same } else { Standing::NotRecorded },
            lines: is_known.then_some(LineCounts { added: 0, removed: 0 }),
        }
    });
    let mut rows: Vec<FileRow> = changed.chain(same).collect();
    rows.sort_by(|one, other| one.path.cmp(&other.path));
    rows
}
