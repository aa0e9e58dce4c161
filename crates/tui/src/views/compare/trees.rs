//! The files that both runs ended with, and the one that is compared line by line.

use std::sync::Arc;

use crate::{
    session::{
        arrangement::Arrangement,
        ask::{Answers, Loading},
        files::{compared::Compared, texts::Sides},
        request::{Request, Sentence},
    },
    widgets::scroll::{Motion, Scroll},
};
use trajview_run::files::{Change, FileDiff};
use trajview_study::compare::{FileRow, Standing, Trees};

use super::answers;

#[derive(Debug)]
pub struct Files {
    pub trees: Loading<Trees>,
    /// Indices of rows in the order in which they are listed.
    pub order: Vec<usize>,
    pub sort: Sort,
    pub scroll: Scroll,
    pub open: Option<Open>,
    pub(crate) compared: Answers<String, Arc<Compared>>,
    pub(crate) colours: Answers<String, Sides>,
}

/// A file that is compared line by line.
#[derive(Debug)]
pub struct Open {
    /// As its row has it.
    pub path: String,
    pub scroll: Scroll,
    /// First character shown of each line.
    pub column: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// What differs first, by path.
    #[default]
    Standing,
    /// By lines that differ, most first.
    Lines,
    Path,
}

impl Default for Files {
    fn default() -> Self {
        Self {
            trees: Loading::Nothing,
            order: vec![],
            sort: Sort::default(),
            scroll: Scroll::default(),
            open: None,
            compared: answers(),
            colours: answers(),
        }
    }
}

impl Sort {
    pub const fn words(self) -> &'static str {
        match self {
            Self::Standing => "what differs first",
            Self::Lines => "most lines first",
            Self::Path => "by path",
        }
    }
}

impl Files {
    pub fn rows(&self) -> &[FileRow] {
        self.trees.ready().map_or(&[], |trees| trees.rows.as_slice())
    }

    /// The row at the cursor.
    pub fn selected(&self) -> Option<&FileRow> {
        self.rows().get(*self.order.get(self.scroll.cursor)?)
    }

    /// The change of the file that is open.
    pub fn change(&self) -> Option<&Change> {
        let open = self.open.as_ref()?;
        let trees = self.trees.ready()?;
        trees.changes.iter().find(|change| change.path.as_str() == open.path)
    }

    pub const fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// The comparison of the file that is open, if it has arrived.
    pub fn compared(&self) -> Option<&Result<Arc<Compared>, String>> {
        self.compared.get(&self.open.as_ref()?.path)
    }

    pub fn colours(&self) -> Option<&Sides> {
        self.colours.get(&self.open.as_ref()?.path)?.as_ref().ok()
    }

    fn rows_of_open(&self) -> usize {
        self.compared().and_then(|it| it.as_ref().ok()).map_or(0, |it| it.rows.len())
    }

    pub fn take(&mut self, request: Request, diff: Result<FileDiff, Sentence>) {
        let cut = |diff| Arc::new(Compared::of(diff).arranged(Arrangement::Columns));
        self.compared.take(request, diff.map(cut));
    }

    /// Opens the file at the cursor; the reason where there is nothing to open.
    pub(crate) fn open_selected(&mut self) -> Result<(), String> {
        let row = self.selected().ok_or("no file is chosen")?;
        match row.standing {
            Standing::Same if row.from.is_none() => Err("the same in both runs".into()),
            Standing::NotRecorded => Err("its content is recorded in neither run".into()),
            _ => {
                let path = row.path.clone();
                self.open = Some(Open { path, scroll: Scroll::default(), column: 0 });
                Ok(())
            }
        }
    }

    pub fn close(&mut self) {
        self.open = None;
    }

    pub fn go(&mut self, motion: Motion, height: usize) {
        let (count, rows) = (self.order.len(), self.rows_of_open());
        match &mut self.open {
            Some(open) => open.scroll.cursor = motion.from(open.scroll.cursor, rows, height),
            None => self.scroll.cursor = motion.from(self.scroll.cursor, count, height),
        }
    }

    pub fn turn(&mut self, motion: Motion, height: usize) {
        let (count, rows) = (self.order.len(), self.rows_of_open());
        match &mut self.open {
            Some(open) => open.scroll.turn(motion, rows, height),
            None => self.scroll.turn(motion, count, height),
        }
    }

    /// From hunk to hunk of the file that is open, else from file to file.
    pub fn step(&mut self, motion: Motion) {
        let hunks: Vec<usize> = match self.compared() {
            Some(Ok(compared)) => compared.hunk_rows().collect(),
            _ => vec![],
        };
        let Some(open) = &mut self.open else { return };
        let cursor = open.scroll.cursor;
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
            open.scroll = Scroll { cursor: row, top: row };
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

    pub(crate) fn sort_otherwise(&mut self) {
        self.sort = match self.sort {
            Sort::Standing => Sort::Lines,
            Sort::Lines => Sort::Path,
            Sort::Path => Sort::Standing,
        };
        self.arrange();
    }

    /// The chosen file stays chosen.
    pub(crate) fn arrange(&mut self) {
        let chosen = self.order.get(self.scroll.cursor).copied();
        let rows = self.rows();
        let mut order: Vec<usize> = (0..rows.len()).collect();
        let lines = |row: &FileRow| row.lines.map_or(0, |lines| lines.added + lines.removed);
        match self.sort {
            Sort::Standing => order.sort_by_key(|at| standing_rank(rows[*at].standing)),
            Sort::Lines => order.sort_by_key(|at| std::cmp::Reverse(lines(&rows[*at]))),
            Sort::Path => {}
        }
        let found = order.iter().position(|at| Some(*at) == chosen);
        self.scroll.cursor = found.unwrap_or_default();
        self.order = order;
    }

    pub fn settle(&mut self, height: usize) {
        let (count, rows) = (self.order.len(), self.rows_of_open());
        self.scroll.follow(count, height);
        if let Some(open) = &mut self.open {
            open.scroll.follow(rows, height);
        }
    }
}

const fn standing_rank(standing: Standing) -> u8 {
    match standing {
        Standing::OnlyA => 0,
        Standing::OnlyB => 1,
        Standing::Differs => 2,
        Standing::NotRecorded => 3,
        Standing::Same => 4,
    }
}
