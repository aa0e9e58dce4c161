//! Every file at a moment, in folders that fold.

use std::collections::HashSet;

use crate::widgets::scroll::Motion;
use trajview_run::{
    RepoPath, Run,
    files::{Moment, Timeline},
};

/// One row of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    Folder {
        /// With a slash at the end.
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
    /// Whether the list of files shows it.
    pub is_shown: bool,
    pub cursor: usize,
    rows: Vec<Row>,
    /// Folders that are open.
    open: HashSet<String>,
    /// Sorted.
    paths: Vec<RepoPath>,
    /// The moment whose files these are.
    moment: Option<Moment>,
}

impl FileTree {
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub fn file_count(&self) -> usize {
        self.paths.len()
    }

    pub fn selected(&self) -> Option<&Row> {
        self.rows.get(self.cursor)
    }

    pub fn go(&mut self, motion: Motion, height: usize) {
        self.cursor = motion.from(self.cursor, self.rows.len(), height);
    }

    /// Opens or closes the selected folder.
    pub fn fold(&mut self) {
        let Some(Row::Folder { path, .. }) = self.selected() else { return };
        let path = path.clone();
        if !self.open.remove(&path) {
            self.open.insert(path);
        }
        self.cut();
    }

    /// Shows a file: its folders are opened, the cursor goes to it.
    pub fn reveal(&mut self, wanted: &RepoPath) {
        let slashes = wanted.as_str().match_indices('/');
        self.open.extend(slashes.map(|(at, _)| wanted.as_str()[..=at].to_owned()));
        self.cut();
        let is_wanted = |row: &Row| matches!(row, Row::File { path, .. } if path == wanted);
        if let Some(row) = self.rows.iter().position(is_wanted) {
            self.cursor = row;
        }
    }

    /// The files are to be listed anew, folders stay as they are.
    pub const fn forget(&mut self) {
        self.moment = None;
    }

    /// Brings the rows in step with the moment. Called after every message.
    pub fn settle(&mut self, run: &Run, moment: Moment, timeline: Option<&Timeline>) {
        let is_new = self.is_shown && self.moment != Some(moment);
        let Some(timeline) = timeline.filter(|_| is_new) else { return };
        self.moment = Some(moment);
        self.paths = timeline.tree_at(run, moment).files.into_keys().collect();
        self.cut();
    }

    /// Cuts the rows anew and stays on the same file, or folder.
    fn cut(&mut self) {
        let name = self.selected().map(|row| row.path().to_owned());
        self.rows.clear();
        push_rows(&self.paths, "", 0, &self.open, &mut self.rows);
        let same = name.and_then(|name| self.rows.iter().position(|row| row.path() == name));
        self.cursor = same.unwrap_or(self.cursor).min(self.rows.len().saturating_sub(1));
    }
}

impl Row {
    pub fn path(&self) -> &str {
        match self {
            Self::Folder { path, .. } => path,
            Self::File { path, .. } => path.as_str(),
        }
    }
}

/// Folders first, then files, each in the order of their names. All `paths` begin with `folder` and are sorted.
fn push_rows(
    paths: &[RepoPath],
    folder: &str,
    depth: usize,
    open: &HashSet<String>,
    rows: &mut Vec<Row>,
) {
    let rest = |path: &RepoPath| path.as_str().get(folder.len()..).unwrap_or_default().to_owned();
    let folder_of = |path: &RepoPath| rest(path).split_once('/').map(|(name, _)| name.to_owned());
    for inside in paths.chunk_by(|a, b| folder_of(a) == folder_of(b)) {
        let Some(name) = inside.first().and_then(folder_of) else { continue };
        let path = format!("{folder}{name}/");
        let is_open = open.contains(&path);
        rows.push(Row::Folder { path: path.clone(), depth, files: inside.len(), is_open });
        if is_open {
            push_rows(inside, &path, depth + 1, open, rows);
        }
    }
    let files = paths.iter().filter(|path| folder_of(path).is_none());
    rows.extend(files.map(|path| Row::File { path: path.clone(), depth }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_run::files::{BlobId, Tree, TreeFile};

    fn tree() -> FileTree {
        let file = TreeFile::known(BlobId::of(b""));
        let paths = ["a.txt", "a/b/c.py", "a/b/d.py", "a/e.py", "z.md"];
        let files = paths.map(|path| (RepoPath::new(path).unwrap(), file)).into();
        let timeline = Timeline { base: Tree { files }, ..Timeline::default() };
        let mut tree = FileTree { is_shown: true, ..FileTree::default() };
        tree.settle(&Run::default(), Moment::after(1), Some(&timeline));
        tree
    }

    fn shown(tree: &FileTree) -> Vec<&str> {
        tree.rows().iter().map(Row::path).collect()
    }

    #[test]
    fn folders_are_folded_and_counted() {
        let tree = tree();

        assert_eq!(shown(&tree), ["a/", "a.txt", "z.md"]);
        assert!(matches!(tree.selected(), Some(Row::Folder { files: 3, is_open: false, .. })));
    }

    #[test]
    fn a_folder_opens_and_closes() {
        let mut tree = tree();
        tree.fold();
        assert_eq!(shown(&tree), ["a/", "a/b/", "a/e.py", "a.txt", "z.md"]);

        tree.fold();
        assert_eq!(shown(&tree), ["a/", "a.txt", "z.md"]);
    }

    #[test]
    fn a_file_is_shown_with_every_folder_above_it_open() {
        let mut tree = tree();
        tree.reveal(&RepoPath::new("a/b/d.py").unwrap());

        assert_eq!(tree.selected().map(Row::path), Some("a/b/d.py"));
    }
}
