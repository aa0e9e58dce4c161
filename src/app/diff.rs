//! The change of one file: which one is shown, which rows it takes, how far it is scrolled.

use std::sync::Arc;

use crate::{
    code::diff::{DiffLine, TextDiff},
    run::{RepoPath, StepId, files::FileDiff},
};

use super::{
    cache::Cache,
    digest::Lines,
    scroll::{Motion, Scroll},
};

/// Lines of unchanged text around a change.
pub const CONTEXT: usize = 3;

/// Whose change is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Everything a turn did; counts from 0.
    Turn(usize),
    /// What one step did.
    Step(StepId),
}

/// Names one comparison.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DiffKey {
    pub scope: Scope,
    pub path: RepoPath,
}

/// What the diff follows: whatever was moved last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Follows {
    #[default]
    Turn,
    /// The selected step, where it changed files; else its turn.
    Step,
}

/// A comparison, cut into rows.
#[derive(Debug, PartialEq)]
pub struct Compared {
    pub diff: FileDiff,
    pub rows: Vec<Row>,
    /// Characters of the longest line.
    widest: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Row {
    /// Index into [`TextDiff::hunks`].
    Hunk(usize),
    Line {
        hunk: usize,
        line: usize,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    NextHunk(usize),
    PreviousHunk(usize),
    Right(usize),
    Left(usize),
    /// Between the turn's change and the selected step's own.
    Switch,
}

/// More than are ever wanted at once; see `Replay::wanted_diffs`.
const KEPT: usize = 128;

#[derive(Debug)]
pub struct Diff {
    pub follows: Follows,
    pub scroll: Scroll,
    /// First character shown of each line.
    pub column: usize,
    shown: Option<DiffKey>,
    /// A line of the new text to go to when the comparison is here; counts from 1.
    target: Option<usize>,
    /// Where to go back to when this comparison is here.
    restore: Option<(DiffKey, Scroll, usize)>,
    cache: Cache<DiffKey, Result<Arc<Compared>, String>>,
}

impl Default for Diff {
    fn default() -> Self {
        Self {
            follows: Follows::default(),
            scroll: Scroll::default(),
            column: 0,
            shown: None,
            target: None,
            restore: None,
            cache: Cache::of(KEPT),
        }
    }
}

impl Diff {
    pub fn get(&self, key: &DiffKey) -> Option<&Result<Arc<Compared>, String>> {
        self.cache.get(key)
    }

    pub fn has(&self, key: &DiffKey) -> bool {
        self.cache.has(key)
    }

    pub fn put(&mut self, key: DiffKey, answer: Result<FileDiff, String>) {
        self.cache.put(key, answer.map(|diff| Arc::new(Compared::of(diff))));
    }

    /// Gives up what is no longer true.
    pub fn forget(&mut self, is_old: impl Fn(&DiffKey) -> bool) {
        self.cache.retain(|key| !is_old(key));
    }

    /// What is shown at the moment, if it has arrived.
    pub fn current(&self) -> Option<&Arc<Compared>> {
        self.get(self.shown.as_ref()?)?.as_ref().ok()
    }

    pub fn aim_at(&mut self, line: usize) {
        self.target = Some(line);
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
    pub fn settle(&mut self, key: Option<DiffKey>, height: usize) {
        if self.shown != key {
            self.shown = key;
            self.scroll = Scroll::default();
            self.column = 0;
        }
        let Some(compared) = self.current().cloned() else { return };
        if let Some((_, scroll, column)) =
            self.restore.take().filter(|(key, ..)| self.shown.as_ref() == Some(key))
        {
            (self.scroll, self.column) = (scroll, column);
        }
        if let Some(line) = self.target.take() {
            self.scroll.cursor = compared.row_of_line(line);
        }
        self.scroll.follow(compared.rows.len(), height);
        self.column = self.column.min(compared.widest.saturating_sub(1));
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

    /// A hunk is read from its head down, so that its head comes to the top.
    const fn show_from(&mut self, row: usize) {
        self.scroll = Scroll { cursor: row, top: row };
    }
}

impl Compared {
    pub fn of(diff: FileDiff) -> Self {
        let text = text_of(&diff);
        let rows = text.map(rows_of).unwrap_or_default();
        let lines = text.into_iter().flat_map(|text| &text.hunks).flat_map(|hunk| &hunk.lines);
        let widest = lines.map(|line| line.text.chars().count()).max().unwrap_or_default();
        Self { diff, rows, widest }
    }

    pub fn text(&self) -> Option<&TextDiff> {
        text_of(&self.diff)
    }

    pub fn lines(&self) -> Option<Lines> {
        self.text().map(|text| Lines { added: text.added, removed: text.removed })
    }

    pub fn line(&self, row: Row) -> Option<&DiffLine> {
        match row {
            Row::Hunk(_) => None,
            Row::Line { hunk, line } => self.text()?.hunks.get(hunk)?.lines.get(line),
        }
    }

    fn hunk_rows(&self) -> impl Iterator<Item = usize> {
        let rows = self.rows.iter().enumerate();
        rows.filter(|(_, row)| matches!(row, Row::Hunk(_))).map(|(row, _)| row)
    }

    /// The row of a line of the new text, or the first after it that is shown, or the last of all.
    fn row_of_line(&self, wanted: usize) -> usize {
        let reached = |row: &Row| {
            self.line(*row).and_then(|line| line.new).is_some_and(|number| number >= wanted)
        };
        let last = self.rows.len().saturating_sub(1);
        self.rows.iter().position(reached).unwrap_or(last)
    }
}

const fn text_of(diff: &FileDiff) -> Option<&TextDiff> {
    match diff {
        FileDiff::Text { diff, .. } | FileDiff::Hunks(diff) => Some(diff),
        FileDiff::Binary { .. } | FileDiff::TooBig { .. } | FileDiff::NotRecorded(_) => None,
    }
}

fn rows_of(text: &TextDiff) -> Vec<Row> {
    let hunks = text.hunks.iter().enumerate();
    hunks
        .flat_map(|(hunk, found)| {
            let lines = (0..found.lines.len()).map(move |line| Row::Line { hunk, line });
            std::iter::once(Row::Hunk(hunk)).chain(lines)
        })
        .collect()
}
