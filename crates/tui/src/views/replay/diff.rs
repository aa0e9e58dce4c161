//! The change of one file: which one is shown, which rows it takes, how far it is scrolled.

use std::sync::Arc;

use regex::Regex;

use crate::{
    session::{
        arrangement::Arrangement,
        cache::LruCache,
        files::{
            DiffKey, DiffScope, FileCache,
            compared_file::{ComparedFile, DiffRow},
        },
    },
    widgets::{
        pane::{ListPane, PaneRoom},
        scroll::Motion,
    },
};
use trajview_run::RepoPath;

/// Lines of unchanged text around a change.
pub const CONTEXT_LINES: usize = 3;

/// The selection that the diff follows: the one that moved last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DiffFollows {
    #[default]
    Turn,
    /// The selected step, where it changed files; else its turn.
    Step,
}

/// The content of the diff panel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum DiffContent {
    #[default]
    Change,
    /// This file as it is after the turn, with the turns that wrote its lines.
    File(RepoPath),
}

/// Columns that the panel needs for two texts beside each other, borders included.
pub(crate) const ROOM_FOR_COLUMNS: u16 = 120;

#[derive(Debug, Clone, PartialEq)]
pub enum DiffMessage {
    NextHunk(usize),
    PreviousHunk(usize),
    Right(usize),
    Left(usize),
    /// Switches between the turn's change and the selected step's own.
    Switch,
    /// Both sides below or beside each other.
    Arrange,
    /// Opens the fold at the cursor, or closes it.
    Fold,
    FoldAll,
    /// Switches between the change and the file with the turns that wrote it.
    SwitchView,
    /// Acts on the row at the cursor: a fold, or a line with a known writer.
    Enter,
}

/// A row to go to when the comparison is here.
#[derive(Debug)]
enum DiffScrollTarget {
    /// A line of the new text, counts from 1.
    Line(usize),
    /// A line of the old text, counts from 1.
    Old(usize),
    /// The first line added with this text.
    Added(String),
    /// The first added line with a match, else the first line with one.
    Words(Box<Regex>),
    /// The first added line of these of the new text, else the first of them; both count from 1.
    Within(usize, usize),
}

/// Comparisons whose folds are remembered.
const MAX_REMEMBERED_CUTS: usize = 128;

#[derive(Debug)]
pub struct DiffPanel {
    pub follows: DiffFollows,
    pub list: ListPane,
    /// First character shown of each line.
    pub column: usize,
    pub view: DiffContent,
    /// The arrangement that the user chose; see [`ComparedFile::arrangement`] for the one that fits.
    pub arrangement: Arrangement,
    /// True where marks are shown beside the lines.
    pub has_marks: bool,
    shown_key: Option<DiffKey>,
    target: Option<DiffScrollTarget>,
    /// The position to restore when this comparison is loaded: its key, the rows, the first column.
    restore: Option<(DiffKey, ListPane, usize)>,
    /// The shown comparison with its folds, if it has arrived.
    current: Option<Arc<ComparedFile>>,
    /// Comparisons that were cut here: arranged otherwise, with folds open.
    cuts: LruCache<DiffKey, Result<Arc<ComparedFile>, String>>,
}

impl Default for DiffPanel {
    fn default() -> Self {
        Self {
            follows: DiffFollows::default(),
            list: ListPane::default(),
            column: 0,
            view: DiffContent::default(),
            arrangement: Arrangement::default(),
            has_marks: true,
            shown_key: None,
            target: None,
            restore: None,
            current: None,
            cuts: LruCache::with_limit(MAX_REMEMBERED_CUTS),
        }
    }
}

impl DiffPanel {
    /// Returns a comparison with its folds; without folds where it has none, or where a newer comparison replaced it.
    pub(crate) fn cut_comparison<'a>(
        &'a self,
        files: &'a FileCache,
        key: &DiffKey,
    ) -> Option<&'a Result<Arc<ComparedFile>, String>> {
        let known = files.compared_file(key)?;
        let is_of_known = |cut: &&Result<Arc<ComparedFile>, String>| match (cut, known) {
            (Ok(cut), Ok(known)) => Arc::ptr_eq(&cut.diff, &known.diff),
            _ => false,
        };
        self.cuts.get(key).filter(is_of_known).or(Some(known))
    }

    /// Returns the shown comparison, if it has arrived.
    pub(crate) const fn current_comparison(&self) -> Option<&Arc<ComparedFile>> {
        self.current.as_ref()
    }

    /// Returns the row under the cursor.
    pub(crate) fn cursor_row(&self) -> Option<DiffRow> {
        self.current_comparison()?.rows.get(self.list.cursor()).copied()
    }

    /// Returns the number of the line under the cursor in the new text.
    pub fn line_number(&self) -> Option<usize> {
        self.current_comparison()?.new_number(self.cursor_row()?)
    }

    pub(crate) fn aim_at_new_line(&mut self, line: usize) {
        self.target = Some(DiffScrollTarget::Line(line));
    }

    pub(crate) fn aim_at_old_line(&mut self, line: usize) {
        self.target = Some(DiffScrollTarget::Old(line));
    }

    pub(crate) fn aim_at_added(&mut self, text: String) {
        self.target = Some(DiffScrollTarget::Added(text));
    }

    pub(crate) fn aim_at_words(&mut self, words: Regex) {
        self.target = Some(DiffScrollTarget::Words(Box::new(words)));
    }

    pub(crate) fn aim_within(&mut self, first: usize, last: usize) {
        self.target = Some(DiffScrollTarget::Within(first, last));
    }

    /// Goes back to where a comparison was scrolled to, as soon as it is here.
    pub(crate) fn restore_when_loaded(&mut self, key: DiffKey, list: ListPane, column: usize) {
        self.restore = Some((key, list, column));
    }

    pub fn update(&mut self, message: DiffMessage) {
        match message {
            DiffMessage::NextHunk(count) => self.hunk_after(count),
            DiffMessage::PreviousHunk(count) => self.hunk_before(count),
            DiffMessage::Right(columns) => self.column = self.column.saturating_add(columns),
            DiffMessage::Left(columns) => self.column = self.column.saturating_sub(columns),
            DiffMessage::Switch => {
                self.follows = match self.follows {
                    DiffFollows::Turn => DiffFollows::Step,
                    DiffFollows::Step => DiffFollows::Turn,
                }
            }
            DiffMessage::Arrange => {
                self.arrangement = match self.arrangement {
                    Arrangement::Unified => Arrangement::Columns,
                    Arrangement::Columns => Arrangement::Unified,
                }
            }
            DiffMessage::Fold => self.toggle_fold(),
            DiffMessage::FoldAll => self.cut_again(ComparedFile::with_all_gaps_toggled),
            DiffMessage::SwitchView | DiffMessage::Enter => {} // these need the run
        }
    }

    /// Moves the cursor over rows; `To` is a line of the new text.
    pub(crate) fn move_cursor(&mut self, motion: Motion) {
        let Some(compared) = self.current_comparison() else { return };
        match motion {
            Motion::To(line) => self.list.choose(compared.row_of_line(line)),
            motion => self.list.move_cursor(motion),
        }
    }

    /// Updates cursor and window for the shown comparison. Called after every message.
    pub(crate) fn settle_rows(
        &mut self,
        key: Option<DiffKey>,
        files: &FileCache,
        room: PaneRoom,
        arrangement: Arrangement,
    ) {
        if self.shown_key != key {
            if !is_same_file(self.shown_key.as_ref(), key.as_ref()) {
                self.list = ListPane::default(); // no rows before the other file is read
                self.column = 0;
            }
            self.shown_key = key;
        }
        let shown = self.shown_key.as_ref().and_then(|key| self.cut_comparison(files, key));
        self.current = shown.and_then(|compared| compared.as_ref().ok()).cloned();
        let Some(compared) = self.current_comparison() else { return };
        if compared.arrangement() != arrangement && !compared.is_whole_file() {
            self.cut_again(|compared| compared.with_arrangement(arrangement));
        }
        let Some(compared) = self.current_comparison().cloned() else { return };
        if let Some((_, list, column)) =
            self.restore.take().filter(|(key, ..)| self.shown_key.as_ref() == Some(key))
        {
            (self.list, self.column) = (list, column);
        }
        self.list.choose(match self.target.take() {
            Some(DiffScrollTarget::Line(line)) => compared.row_of_line(line),
            Some(DiffScrollTarget::Old(line)) => compared.row_of_old_line(line),
            Some(DiffScrollTarget::Added(text)) => {
                compared.row_that_adds(&text).unwrap_or_default()
            }
            Some(DiffScrollTarget::Words(words)) => compared.row_with(&words).unwrap_or_default(),
            Some(DiffScrollTarget::Within(first, last)) => {
                let added = compared.row_added_within(first, last);
                added.unwrap_or_else(|| compared.row_of_line(first))
            }
            None => self.list.cursor(),
        });
        self.list.settle(room, compared.rows.len());
        self.column = self.column.min(compared.widest_line().saturating_sub(1));
    }

    fn toggle_fold(&mut self) {
        let gap = self
            .cursor_row()
            .zip(self.current_comparison())
            .and_then(|(row, it)| it.nearest_gap(row));
        let Some(gap) = gap else { return };
        let is_head =
            self.cursor_row().zip(self.current_comparison()).and_then(|(row, it)| it.gap_of(row))
                == Some(gap);
        let before = self.list;
        let rows = self.current_comparison().map_or(0, |compared| compared.rows.len());
        self.cut_again(|compared| compared.with_gap_toggled(gap));
        let has_more = self.current_comparison().is_some_and(|compared| compared.rows.len() > rows);
        if is_head && has_more {
            self.list = before; // the cursor stands on the first line that was folded
        }
    }

    /// Cuts the shown comparison again and stays on the same line, at the same height of the screen.
    fn cut_again(&mut self, cut: impl FnOnce(&ComparedFile) -> ComparedFile) {
        let Some((key, compared)) = self.shown_key.clone().zip(self.current_comparison().cloned())
        else {
            return;
        };
        let row = self.cursor_row();
        let above = self.list.rows_above();
        let cut = cut(&compared);
        let cursor = row.and_then(|row| cut.row_matching(row)).unwrap_or_default();
        self.list.show_below(above, cursor);
        let cut = Arc::new(cut);
        self.current = Some(cut.clone());
        self.cuts.insert(key, Ok(cut));
    }

    fn hunk_after(&mut self, count: usize) {
        let Some(compared) = self.current_comparison() else { return };
        let after = compared.hunk_rows().filter(|row| *row > self.list.cursor());
        if let Some(row) = after.take(count).last() {
            self.list.show_below(0, row);
        }
    }

    fn hunk_before(&mut self, count: usize) {
        let Some(compared) = self.current_comparison() else { return };
        let before: Vec<_> = compared.hunk_rows().filter(|row| *row < self.list.cursor()).collect();
        if let Some(row) = before.get(before.len().saturating_sub(count)) {
            self.list.show_below(0, *row);
        }
    }

    /// Moves the cursor to a line of the new text, counted from 1; what begins outside the window comes to its top.
    pub(crate) fn go_to_line(&mut self, line: usize) {
        let Some(compared) = self.current_comparison() else { return };
        let row = compared.row_of_line(line);
        match self.list.visible_rows().contains(&row) {
            true => self.list.choose(row),
            false => self.list.show_below(0, row),
        }
    }
}

/// Returns whether both keys are the same whole file at two moments, so that the scroll position is kept.
fn is_same_file(old: Option<&DiffKey>, new: Option<&DiffKey>) -> bool {
    let is_at = |key: &&DiffKey| matches!(key.scope, DiffScope::At(_));
    let paths = old.filter(is_at).zip(new.filter(is_at));
    paths.is_some_and(|(old, new)| old.path == new.path)
}
