//! How much of the turns a report shows. A recording may be of any size, and a report is for a browser: what is more is left
//! out, and the report says how much it is and which command prints it.

use std::collections::BTreeSet;

use super::page;

/// Turns of a run that are in a report.
pub const TURNS: usize = 2000;

/// Rows of a table that a page shows.
pub const ROWS: usize = 2000;

/// Warnings of a run that a page shows.
pub const WARNINGS: usize = 200;

/// A diff that a verdict rests on is shown as far as this, in bytes.
pub const EVIDENCE_BYTES: usize = 1 << 20;

/// Files that are looked at for the curves of a run, each as often as there are moments; measuring more takes too long.
pub const MEASURED_FILES: usize = 5_000_000;

/// What markup takes beside the words, in bytes: somewhat more than what it does.
const TURN: usize = 1200;
const STEP: usize = 400;
const FILE: usize = 500;
const LINE: usize = 24;

/// What the turns of one run may still take of a page.
#[derive(Debug)]
pub struct Budget {
    /// Bytes of a text that are shown.
    pub text: usize,
    /// Files of a turn that are shown.
    pub files: usize,
    /// Bytes of the page.
    left: usize,
    /// Files that are shown in any case, because a verdict rests on them: turn and file, both from 1.
    wanted: BTreeSet<(usize, usize)>,
}

impl Budget {
    /// Of `total` bytes.
    pub fn new(text: usize, files: usize, total: usize) -> Self {
        Self { text, files, left: total, wanted: BTreeSet::new() }
    }

    /// The same, with these files shown in any case.
    pub fn with(self, wanted: BTreeSet<(usize, usize)>) -> Self {
        Self { wanted, ..self }
    }

    pub const fn is_used_up(&self) -> bool {
        self.left == 0
    }

    /// Whether a file is shown where `shown` files of its turn are shown already.
    pub fn has_file(&self, turn: usize, file: usize, shown: usize) -> bool {
        self.wanted.contains(&(turn, file)) || !self.is_used_up() && shown < self.files
    }

    pub fn take_turn<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) {
        self.take(TURN, texts);
    }

    pub fn take_step<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) {
        self.take(STEP, texts);
    }

    pub fn take_file<'t>(&mut self, path: &'t str, patch: Option<&'t str>) {
        let lines = patch.map_or("", |patch| page::cut(patch, self.text).0).lines().count();
        self.take(FILE + lines * LINE, [path, path, patch.unwrap_or_default()]);
    }

    fn take<'t>(&mut self, markup: usize, texts: impl IntoIterator<Item = &'t str>) {
        let shown = |text| page::escaped_bytes(page::cut(text, self.text).0);
        let words: usize = texts.into_iter().map(shown).sum();
        self.left = self.left.saturating_sub(markup + words);
    }
}
