//! The change of one file: which one is shown, which rows it takes, how far it is scrolled.

use std::sync::Arc;

use regex::Regex;

use crate::{
    session::{
        arrangement::Arrangement,
        cache::Cache,
        files::{
            DiffKey, Files, Scope,
            compared::{Compared, Row},
        },
    },
    widgets::scroll::{Motion, Scroll},
};
use trajview_run::RepoPath;

/// Lines of unchanged text around a change.
pub const CONTEXT: usize = 3;

/// What the diff follows: whatever was moved last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Follows {
    #[default]
    Turn,
    /// The selected step, where it changed files; else its turn.
    Step,
}

/// What the panel shows of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum View {
    #[default]
    Change,
    /// This file as it is after the turn, with the turns that wrote its lines.
    File(RepoPath),
}

/// Columns that the panel needs for two texts beside each other, borders included.
pub const ROOM_FOR_COLUMNS: u16 = 120;

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    NextHunk(usize),
    PreviousHunk(usize),
    Right(usize),
    Left(usize),
    /// Between the turn's change and the selected step's own.
    Switch,
    /// Both sides below or beside each other.
    Arrange,
    /// Opens the fold at the cursor, or closes it.
    Fold,
    FoldAll,
    /// Between the change and the file with the turns that wrote it.
    SwitchView,
    /// What the cursor stands on: a fold, a line that somebody wrote.
    Enter,
    /// To where a jump came from.
    Back,
}

/// A row to go to when the comparison is here.
#[derive(Debug)]
enum Target {
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
const KEPT: usize = 128;

#[derive(Debug)]
pub struct Diff {
    pub follows: Follows,
    pub scroll: Scroll,
    /// First character shown of each line.
    pub column: usize,
    pub view: View,
    /// As asked for; see [`Compared::arrangement`] for what there is room for.
    pub arrangement: Arrangement,
    /// Whether the lines have marks.
    pub has_marks: bool,
    shown: Option<DiffKey>,
    target: Option<Target>,
    /// Where to go back to when this comparison is here.
    restore: Option<(DiffKey, Scroll, usize)>,
    /// What is shown, as it is cut, if it has arrived.
    current: Option<Arc<Compared>>,
    /// Comparisons that were cut here: arranged otherwise, with folds open.
    cuts: Cache<DiffKey, Result<Arc<Compared>, String>>,
}

impl Default for Diff {
    fn default() -> Self {
        Self {
            follows: Follows::default(),
            scroll: Scroll::default(),
            column: 0,
            view: View::default(),
            arrangement: Arrangement::default(),
            has_marks: true,
            shown: None,
            target: None,
            restore: None,
            current: None,
            cuts: Cache::of(KEPT),
        }
    }
}

impl Diff {
    /// A comparison as it is cut here; as it came where it was not, or where a newer one took its place.
    pub fn cut_of<'a>(
        &'a self,
        files: &'a Files,
        key: &DiffKey,
    ) -> Option<&'a Result<Arc<Compared>, String>> {
        let known = files.compared(key)?;
        let is_of_known = |cut: &&Result<Arc<Compared>, String>| match (cut, known) {
            (Ok(cut), Ok(known)) => Arc::ptr_eq(&cut.diff, &known.diff),
            _ => false,
        };
        self.cuts.get(key).filter(is_of_known).or(Some(known))
    }

    /// What is shown at the moment, if it has arrived.
    pub const fn current(&self) -> Option<&Arc<Compared>> {
        self.current.as_ref()
    }

    /// The row under the cursor.
    pub fn row(&self) -> Option<Row> {
        self.current()?.rows.get(self.scroll.cursor).copied()
    }

    /// Number of the line under the cursor in the new text.
    pub fn line_number(&self) -> Option<usize> {
        self.current()?.new_number(self.row()?)
    }

    pub fn aim_at(&mut self, line: usize) {
        self.target = Some(Target::Line(line));
    }

    pub fn aim_at_old(&mut self, line: usize) {
        self.target = Some(Target::Old(line));
    }

    pub fn aim_at_added(&mut self, text: String) {
        self.target = Some(Target::Added(text));
    }

    pub fn aim_at_words(&mut self, words: Regex) {
        self.target = Some(Target::Words(Box::new(words)));
    }

    pub fn aim_within(&mut self, first: usize, last: usize) {
        self.target = Some(Target::Within(first, last));
    }

    /// Goes back to where a comparison was scrolled to, as soon as it is here.
    pub fn restore(&mut self, key: DiffKey, scroll: Scroll, column: usize) {
        self.restore = Some((key, scroll, column));
    }

    pub fn update(&mut self, message: Message) {
        match message {
            Message::NextHunk(count) => self.hunk_after(count),
            Message::PreviousHunk(count) => self.hunk_before(count),
            Message::Right(columns) => self.column = self.column.saturating_add(columns),
            Message::Left(columns) => self.column = self.column.saturating_sub(columns),
            Message::Switch => {
                self.follows = match self.follows {
                    Follows::Turn => Follows::Step,
                    Follows::Step => Follows::Turn,
                }
            }
            Message::Arrange => {
                self.arrangement = match self.arrangement {
                    Arrangement::Unified => Arrangement::Columns,
                    Arrangement::Columns => Arrangement::Unified,
                }
            }
            Message::Fold => self.fold(),
            Message::FoldAll => self.recut(Compared::all_unfolded),
            Message::SwitchView | Message::Enter | Message::Back => {} // these need the run
        }
    }

    /// Moves the cursor over rows; `To` is a line of the new text.
    pub fn go(&mut self, motion: Motion, height: usize) {
        let Some(compared) = self.current() else { return };
        self.scroll.cursor = match motion {
            Motion::To(line) => compared.row_of_line(line),
            motion => motion.from(self.scroll.cursor, compared.rows.len(), height),
        };
    }

    /// Brings cursor and window in step with what is to be shown. Called after every message.
    pub fn settle(
        &mut self,
        key: Option<DiffKey>,
        files: &Files,
        height: usize,
        arrangement: Arrangement,
    ) {
        if self.shown != key {
            if !is_same_file(self.shown.as_ref(), key.as_ref()) {
                self.scroll = Scroll::default();
                self.column = 0;
            }
            self.shown = key;
        }
        let shown = self.shown.as_ref().and_then(|key| self.cut_of(files, key));
        self.current = shown.and_then(|compared| compared.as_ref().ok()).cloned();
        let Some(compared) = self.current() else { return };
        if compared.arrangement() != arrangement && !compared.is_whole_file() {
            self.recut(|compared| compared.arranged(arrangement));
        }
        let Some(compared) = self.current().cloned() else { return };
        if let Some((_, scroll, column)) =
            self.restore.take().filter(|(key, ..)| self.shown.as_ref() == Some(key))
        {
            (self.scroll, self.column) = (scroll, column);
        }
        match self.target.take() {
            Some(Target::Line(line)) => self.scroll.cursor = compared.row_of_line(line),
            Some(Target::Old(line)) => self.scroll.cursor = compared.row_of_old_line(line),
            Some(Target::Added(text)) => {
                self.scroll.cursor = compared.row_that_adds(&text).unwrap_or_default();
            }
            Some(Target::Words(words)) => {
                self.scroll.cursor = compared.row_with(&words).unwrap_or_default();
            }
            Some(Target::Within(first, last)) => {
                let added = compared.row_added_within(first, last);
                self.scroll.cursor = added.unwrap_or_else(|| compared.row_of_line(first));
            }
            None => {}
        }
        self.scroll.follow(compared.rows.len(), height);
        self.column = self.column.min(compared.widest().saturating_sub(1));
    }

    fn fold(&mut self) {
        let gap = self.row().zip(self.current()).and_then(|(row, it)| it.nearest_gap(row));
        let Some(gap) = gap else { return };
        let is_head =
            self.row().zip(self.current()).and_then(|(row, it)| it.gap_of(row)) == Some(gap);
        let before = self.scroll;
        let rows = self.current().map_or(0, |compared| compared.rows.len());
        self.recut(|compared| compared.unfolded(gap));
        let has_more = self.current().is_some_and(|compared| compared.rows.len() > rows);
        if is_head && has_more {
            self.scroll = before; // the cursor stands on the first line that was folded
        }
    }

    /// Cuts what is shown anew and stays on the same line, as far down the screen.
    fn recut(&mut self, cut: impl FnOnce(&Compared) -> Compared) {
        let Some((key, compared)) = self.shown.clone().zip(self.current().cloned()) else { return };
        let row = self.row();
        let above = self.scroll.cursor.saturating_sub(self.scroll.top);
        let cut = cut(&compared);
        let cursor = row.and_then(|row| cut.row_like(row)).unwrap_or_default();
        self.scroll = Scroll { cursor, top: cursor.saturating_sub(above) };
        let cut = Arc::new(cut);
        self.current = Some(cut.clone());
        self.cuts.put(key, Ok(cut));
    }

    fn hunk_after(&mut self, count: usize) {
        let Some(compared) = self.current() else { return };
        let after = compared.hunk_rows().filter(|row| *row > self.scroll.cursor);
        if let Some(row) = after.take(count).last() {
            self.show_from(row);
        }
    }

    fn hunk_before(&mut self, count: usize) {
        let Some(compared) = self.current() else { return };
        let before: Vec<_> = compared.hunk_rows().filter(|row| *row < self.scroll.cursor).collect();
        if let Some(row) = before.get(before.len().saturating_sub(count)) {
            self.show_from(*row);
        }
    }

    /// Moves the cursor to a line of the new text, counted from 1; what begins outside the window comes to its top.
    pub fn go_to_line(&mut self, line: usize, height: usize) {
        let Some(compared) = self.current() else { return };
        let row = compared.row_of_line(line);
        match (self.scroll.top..self.scroll.top + height).contains(&row) {
            true => self.scroll.cursor = row,
            false => self.show_from(row),
        }
    }

    /// A hunk is read from its head down, so that its head comes to the top.
    const fn show_from(&mut self, row: usize) {
        self.scroll = Scroll { cursor: row, top: row };
    }
}

/// A file that is read through the turns is not read from its beginning at each.
fn is_same_file(old: Option<&DiffKey>, new: Option<&DiffKey>) -> bool {
    let is_at = |key: &&DiffKey| matches!(key.scope, Scope::At(_));
    let paths = old.filter(is_at).zip(new.filter(is_at));
    paths.is_some_and(|(old, new)| old.path == new.path)
}
