//! Every file at a moment, in folders that fold.

use std::collections::HashSet;

use crate::widgets::scroll::Motion;
use trajview_run::{
    RepoPath, Run,
    files::{RunMoment, Timeline},
};

/// One row of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileTreeRow {
    Folder {
        /// Path of the folder, with a slash at the end.
        path: String,
        depth: usize,
        /// Files in it and below.
        files: usize,
        is_open: bool,
    },
    File {
        path: RepoPath,
        depth: usize,
    },
}

#[derive(Debug, Default)]
pub struct FileTree {
    /// True if the list of files shows the tree.
    pub is_shown: bool,
    pub cursor: usize,
    rows: Vec<FileTreeRow>,
    /// Folders that are open.
    open: HashSet<String>,
    /// Sorted.
    paths: Vec<RepoPath>,
    /// The moment to which the files belong.
    moment: Option<RunMoment>,
}

impl FileTree {
    pub fn tree_rows(&self) -> &[FileTreeRow] {
        &self.rows
    }

    pub fn file_count(&self) -> usize {
        self.paths.len()
    }

    pub(crate) fn selected_row(&self) -> Option<&FileTreeRow> {
        self.rows.get(self.cursor)
    }

    pub(crate) fn move_cursor(&mut self, motion: Motion, height: usize) {
        self.cursor = motion.target_row(self.cursor, self.rows.len(), height);
    }

    /// Opens or closes the selected folder.
    pub(crate) fn toggle_folder(&mut self) {
        let Some(FileTreeRow::Folder { path, .. }) = self.selected_row() else { return };
        let path = path.clone();
        if !self.open.remove(&path) {
            self.open.insert(path);
        }
        self.rebuild_rows();
    }

    /// Shows a file: opens its folders and moves the cursor to it.
    pub(crate) fn reveal_file(&mut self, file: &RepoPath) {
        let slashes = file.as_str().match_indices('/');
        self.open.extend(slashes.map(|(at, _)| file.as_str()[..=at].to_owned()));
        self.rebuild_rows();
        let is_wanted =
            |row: &FileTreeRow| matches!(row, FileTreeRow::File { path, .. } if path == file);
        if let Some(row) = self.rows.iter().position(is_wanted) {
            self.cursor = row;
        }
    }

    /// Clears the moment, so that the files are listed again. Folders keep their state.
    pub(crate) const fn forget_moment(&mut self) {
        self.moment = None;
    }

    /// Brings the rows in step with the moment. Called after every message.
    pub(crate) fn settle_tree(
        &mut self,
        run: &Run,
        moment: RunMoment,
        timeline: Option<&Timeline>,
    ) {
        let is_new = self.is_shown && self.moment != Some(moment);
        let Some(timeline) = timeline.filter(|_| is_new) else { return };
        self.moment = Some(moment);
        self.paths = timeline.tree_at(run, moment).files.into_keys().collect();
        self.rebuild_rows();
    }

    /// Builds the rows again and keeps the cursor on the same file or folder.
    fn rebuild_rows(&mut self) {
        let name = self.selected_row().map(|row| row.row_path().to_owned());
        self.rows.clear();
        push_rows(&self.paths, "", 0, &self.open, &mut self.rows);
        let same = name.and_then(|name| self.rows.iter().position(|row| row.row_path() == name));
        self.cursor = same.unwrap_or(self.cursor).min(self.rows.len().saturating_sub(1));
    }
}

impl FileTreeRow {
    pub(crate) fn row_path(&self) -> &str {
        match self {
            Self::Folder { path, .. } => path,
            Self::File { path, .. } => path.as_str(),
        }
    }
}

/// Adds rows: folders first, then files, each in the order of their names. All `paths` begin with `folder` and are
/// sorted.
fn push_rows(
    paths: &[RepoPath],
    folder: &str,
    depth: usize,
    open: &HashSet<String>,
    rows: &mut Vec<FileTreeRow>,
) {
    let rest = |path: &RepoPath| path.as_str().get(folder.len()..).unwrap_or_default().to_owned();
    let folder_of = |path: &RepoPath| rest(path).split_once('/').map(|(name, _)| name.to_owned());
    for inside in paths.chunk_by(|a, b| folder_of(a) == folder_of(b)) {
        let Some(name) = inside.first().and_then(folder_of) else { continue };
        let path = format!("{folder}{name}/");
        let is_open = open.contains(&path);
        rows.push(FileTreeRow::Folder { path: path.clone(), depth, files: inside.len(), is_open });
        if is_open {
            push_rows(inside, &path, depth + 1, open, rows);
        }
    }
    let files = paths.iter().filter(|path| folder_of(path).is_none());
    rows.extend(files.map(|path| FileTreeRow::File { path: path.clone(), depth }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::files::{BlobId, SourceTree, TreeFile};

    fn tree() -> FileTree {
        let file = TreeFile::with_blob(BlobId::for_bytes(b""));
        let paths = ["a.txt", "a/b/c.py", "a/b/d.py", "a/e.py", "z.md"];
        let files = paths.map(|path| (RepoPath::new(path).unwrap(), file)).into();
        let timeline = Timeline { base: SourceTree { files }, ..Timeline::default() };
        let mut tree = FileTree { is_shown: true, ..FileTree::default() };
        tree.settle_tree(&Run::default(), RunMoment::after_turns(1), Some(&timeline));
        tree
    }

    fn shown(tree: &FileTree) -> Vec<&str> {
        tree.tree_rows().iter().map(FileTreeRow::row_path).collect()
    }

    #[test]
    fn folders_are_folded_and_counted() {
        let tree = tree();

        assert_eq!(shown(&tree), ["a/", "a.txt", "z.md"]);
        assert!(matches!(
            tree.selected_row(),
            Some(FileTreeRow::Folder { files: 3, is_open: false, .. })
        ));
    }

    #[test]
    fn a_folder_opens_and_closes() {
        let mut tree = tree();
        tree.toggle_folder();
        assert_eq!(shown(&tree), ["a/", "a/b/", "a/e.py", "a.txt", "z.md"]);

        tree.toggle_folder();
        assert_eq!(shown(&tree), ["a/", "a.txt", "z.md"]);
    }

    #[test]
    fn a_file_is_shown_with_every_folder_above_it_open() {
        let mut tree = tree();
        tree.reveal_file(&RepoPath::new("a/b/d.py").unwrap());

        assert_eq!(tree.selected_row().map(FileTreeRow::row_path), Some("a/b/d.py"));
    }
}
