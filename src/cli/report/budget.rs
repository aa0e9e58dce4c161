//! Limits on the turns in a report. A recording may be of any size, and a report is for a browser: the rest is left
//! out, and the report names its size and the command that prints it.

use std::collections::BTreeSet;

use super::html_text;

/// Turns of a run that are in a report.
pub const MOST_TURNS: usize = 2000;

/// Rows of a table that a page shows.
pub const MOST_ROWS: usize = 2000;

/// Warnings of a run that a page shows.
pub const MOST_WARNINGS: usize = 200;

/// A diff that a verdict rests on is shown as far as this, in bytes.
pub(crate) const MOST_EVIDENCE_BYTES: usize = 1 << 20;

/// Files that are looked at for the curves of a run, each as often as there are moments; measuring more takes too long.
pub(crate) const MOST_MEASURED_FILES: usize = 5_000_000;

/// Bytes of markup for each part, somewhat more than it takes.
const TURN_MARKUP_BYTES: usize = 1200;
const STEP_MARKUP_BYTES: usize = 400;
const FILE_MARKUP_BYTES: usize = 500;
const LINE_MARKUP_BYTES: usize = 24;

/// The rest of the page that the turns of one run may use.
#[derive(Debug)]
pub struct PageBudget {
    /// Bytes of a text that are shown.
    pub text: usize,
    /// Files of a turn that are shown.
    pub files: usize,
    /// Bytes of the page.
    left: usize,
    /// Files that are shown in any case, because a verdict rests on them: turn and file, both from 1.
    required_files: BTreeSet<(usize, usize)>,
}

impl PageBudget {
    /// Makes a budget of `total` bytes.
    pub fn new(text: usize, files: usize, total: usize) -> Self {
        Self { text, files, left: total, required_files: BTreeSet::new() }
    }

    /// Returns the budget, with these files shown in any case.
    pub(crate) fn with_required_files(self, files: BTreeSet<(usize, usize)>) -> Self {
        Self { required_files: files, ..self }
    }

    pub(crate) const fn is_used_up(&self) -> bool {
        self.left == 0
    }

    /// Returns whether a file is shown after `shown` other files of its turn.
    pub(crate) fn shows_file(&self, turn: usize, file: usize, shown: usize) -> bool {
        self.required_files.contains(&(turn, file)) || !self.is_used_up() && shown < self.files
    }

    pub(crate) fn spend_bytes_of_turn<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) {
        self.spend_bytes(TURN_MARKUP_BYTES, texts);
    }

    /// Takes from the page's bytes the markup of a step and the shown, escaped part of each text.
    pub(crate) fn spend_bytes_of_step<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) {
        self.spend_bytes(STEP_MARKUP_BYTES, texts);
    }

    pub(crate) fn spend_bytes_of_file<'t>(&mut self, path: &'t str, patch: Option<&'t str>) {
        let lines =
            patch.map_or("", |patch| html_text::cut_text(patch, self.text).0).lines().count();
        self.spend_bytes(
            FILE_MARKUP_BYTES + lines * LINE_MARKUP_BYTES,
            [path, path, patch.unwrap_or_default()],
        );
    }

    fn spend_bytes<'t>(&mut self, markup: usize, texts: impl IntoIterator<Item = &'t str>) {
        let shown = |text| html_text::count_escaped_bytes(html_text::cut_text(text, self.text).0);
        let words: usize = texts.into_iter().map(shown).sum();
        self.left = self.left.saturating_sub(markup + words);
    }
}
