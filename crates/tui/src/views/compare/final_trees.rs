//! The files that both runs ended with, and the one that is compared line by line.

use std::sync::Arc;

use crate::{
    session::{
        arrangement::Arrangement,
        files::{coloured_texts::ColouredSides, compared_file::ComparedFile},
        pending::{CachedAnswers, Loading},
        request::{RequestId, Sentence},
    },
    widgets::{
        pane::{ListPane, PaneRoom},
        scroll::Motion,
    },
};
use trajview_run::{
    RepoPath,
    files::{FileChange, FileDiff},
};
use trajview_study::compare::{ComparedTrees, FilePresence, FileRow};

use super::empty_answers;

#[derive(Debug)]
pub struct CompareFiles {
    pub trees: Loading<ComparedTrees>,
    /// Indices of rows in the order in which they are listed.
    pub order: Vec<usize>,
    pub sort: FileSort,
    pub list: ListPane,
    /// The file that was chosen before the files were read.
    wanted: Option<RepoPath>,
    pub open: Option<OpenComparison>,
    pub(crate) compared: CachedAnswers<String, Arc<ComparedFile>>,
    pub(crate) colours: CachedAnswers<String, ColouredSides>,
}

/// A file that is compared line by line.
#[derive(Debug)]
pub struct OpenComparison {
    /// The path as its row has it.
    pub path: String,
    pub lines: ListPane,
    /// First character shown of each line.
    pub column: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FileSort {
    /// Sorts by status, differences first, then by path.
    #[default]
    Standing,
    /// Sorts by lines that differ, most first.
    Lines,
    Path,
}

impl Default for CompareFiles {
    fn default() -> Self {
        Self {
            trees: Loading::Nothing,
            order: vec![],
            sort: FileSort::default(),
            list: ListPane::default(),
            wanted: None,
            open: None,
            compared: empty_answers(),
            colours: empty_answers(),
        }
    }
}

impl FileSort {
    pub(crate) const fn sort_text(self) -> &'static str {
        match self {
            Self::Standing => "differences first",
            Self::Lines => "most lines first",
            Self::Path => "by path",
        }
    }
}

impl CompareFiles {
    pub fn file_rows(&self) -> &[FileRow] {
        self.trees.ready().map_or(&[], |trees| trees.rows.as_slice())
    }

    /// Returns the row at the cursor.
    pub(crate) fn selected_row(&self) -> Option<&FileRow> {
        self.file_rows().get(*self.order.get(self.list.cursor())?)
    }

    /// Selects a file by its path in either run, at the latest when the files are read; a file that is open is left alone.
    pub(crate) fn choose_file(&mut self, path: &RepoPath) {
        let is_it = |row: &FileRow| {
            row.path == path.as_str() || row.from.as_ref().is_some_and(|from| from == path.as_str())
        };
        let is_read = self.trees.ready().is_some();
        let row = self.order.iter().position(|at| self.file_rows().get(*at).is_some_and(is_it));
        self.wanted = (!is_read).then(|| path.clone());
        if let Some(row) = row {
            self.list.choose(row);
        }
    }

    /// Returns the change of the open file.
    pub(crate) fn open_change(&self) -> Option<&FileChange> {
        let open = self.open.as_ref()?;
        let trees = self.trees.ready()?;
        trees.changes.iter().find(|change| change.path.as_str() == open.path)
    }

    pub const fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Returns the comparison of the open file, if it has arrived.
    pub(crate) fn open_comparison(&self) -> Option<&Result<Arc<ComparedFile>, String>> {
        self.compared.get(&self.open.as_ref()?.path)
    }

    pub(crate) fn open_colours(&self) -> Option<&ColouredSides> {
        self.colours.get(&self.open.as_ref()?.path)?.as_ref().ok()
    }

    fn open_row_count(&self) -> usize {
        self.open_comparison().and_then(|it| it.as_ref().ok()).map_or(0, |it| it.rows.len())
    }

    pub(crate) fn take_diff(&mut self, request: RequestId, diff: Result<FileDiff, Sentence>) {
        let cut = |diff| {
            Arc::new(ComparedFile::changes_only(diff).with_arrangement(Arrangement::Columns))
        };
        self.compared.take_answer(request, diff.map(cut));
    }

    /// Opens the file at the cursor; the reason where there is nothing to open.
    pub(crate) fn open_selected(&mut self) -> Result<(), String> {
        let row = self.selected_row().ok_or("no file selected")?;
        match row.presence {
            FilePresence::Same if row.from.is_none() => Err("the same in both runs".into()),
            FilePresence::NotRecorded => Err("no run recorded its content".into()),
            _ => {
                let path = row.path.clone();
                self.open = Some(OpenComparison { path, lines: ListPane::default(), column: 0 });
                Ok(())
            }
        }
    }

    pub fn close_file(&mut self) {
        self.open = None;
    }

    /// Returns the rows on screen: the lines of the open file, else the files.
    pub(crate) fn shown_pane(&mut self) -> &mut ListPane {
        self.open.as_mut().map_or(&mut self.list, |open| &mut open.lines)
    }

    /// Goes from hunk to hunk of the open file, else from file to file.
    pub(crate) fn step_to_hunk(&mut self, motion: Motion) {
        let hunks: Vec<usize> = match self.open_comparison() {
            Some(Ok(compared)) => compared.hunk_rows().collect(),
            _ => vec![],
        };
        let Some(open) = &mut self.open else { return };
        let cursor = open.lines.cursor();
        let wanted = match motion {
            Motion::Up(count) => {
                let before: Vec<_> = hunks.iter().filter(|row| **row < cursor).collect();
                before.get(before.len().saturating_sub(count)).map(|row| **row)
            }
            Motion::Down(count) => {
                hunks.iter().filter(|row| **row > cursor).take(count).last().copied()
            }
            _ => None,
        };
        if let Some(row) = wanted {
            open.lines.show_below(0, row);
        }
    }

    pub(crate) const fn go_sideways(&mut self, motion: Motion) {
        if let Some(open) = &mut self.open {
            match motion {
                Motion::Up(columns) => open.column = open.column.saturating_sub(columns),
                Motion::Down(columns) => open.column = open.column.saturating_add(columns),
                _ => {}
            }
        }
    }

    pub(crate) fn use_next_sort(&mut self) {
        self.sort = match self.sort {
            FileSort::Standing => FileSort::Lines,
            FileSort::Lines => FileSort::Path,
            FileSort::Path => FileSort::Standing,
        };
        self.sort_rows();
    }

    /// Sorts the rows; the chosen file stays chosen.
    pub(crate) fn sort_rows(&mut self) {
        let chosen = self.order.get(self.list.cursor()).copied();
        let rows = self.file_rows();
        let mut order: Vec<usize> = (0..rows.len()).collect();
        let lines = |row: &FileRow| row.lines.map_or(0, |lines| lines.added + lines.removed);
        match self.sort {
            FileSort::Standing => order.sort_by_key(|at| standing_rank(rows[*at].presence)),
            FileSort::Lines => order.sort_by_key(|at| std::cmp::Reverse(lines(&rows[*at]))),
            FileSort::Path => {}
        }
        let found = order.iter().position(|at| Some(*at) == chosen);
        self.list.choose(found.unwrap_or_default());
        self.order = order;
        if let Some(path) = self.wanted.take() {
            self.choose_file(&path);
        }
    }

    pub(crate) fn settle_rows(&mut self, room: PaneRoom) {
        let rows = self.open_row_count();
        self.list.settle(room, self.order.len());
        if let Some(open) = &mut self.open {
            open.lines.settle(room, rows);
        }
    }
}

const fn standing_rank(standing: FilePresence) -> u8 {
    match standing {
        FilePresence::OnlyA => 0,
        FilePresence::OnlyB => 1,
        FilePresence::Differs => 2,
        FilePresence::NotRecorded => 3,
        FilePresence::Same => 4,
    }
}
