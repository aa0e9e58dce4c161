//! Both sides of a change beside each other: the old lines to the left of those they became.

use ratatui::{
    style::Style,
    text::{Line, Span},
};
use std::ops::Range;

use crate::widgets::{
    line::{own, width_of},
    theme::Meaning,
};
use trajview_code::diff::DiffLine;

use super::diff_rows::{Rows, looks};

/// Which column of the two.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Old,
    New,
}

impl Rows<'_> {
    /// ` 40   old text     │ 41 + new text`
    pub(super) fn pair<'w>(
        &self,
        hunk: usize,
        old: Option<usize>,
        new: Option<usize>,
        words_at: impl Fn(usize, usize) -> &'w [Range<usize>],
        is_cursor: bool,
    ) -> Line<'static> {
        let line = |at: Option<usize>| {
            let at = at?;
            Some((self.compared.line_of(hunk, at)?, words_at(hunk, at)))
        };
        self.beside(line(old), line(new), is_cursor)
    }

    pub(super) fn equal_pair(&self, line: &DiffLine, is_cursor: bool) -> Line<'static> {
        self.beside(Some((line, &[])), Some((line, &[])), is_cursor)
    }

    fn beside(
        &self,
        old: Option<(&DiffLine, &[Range<usize>])>,
        new: Option<(&DiffLine, &[Range<usize>])>,
        is_cursor: bool,
    ) -> Line<'static> {
        let left = self.width.saturating_sub(2) / 2;
        let right = self.width.saturating_sub(2 + left);
        let mut spans = vec![self.cursor(is_cursor)];
        spans.extend(self.half(old, Side::Old, left));
        spans.push(own("│", self.theme.of(Meaning::Border)));
        spans.extend(self.half(new, Side::New, right));
        Line::from(spans)
    }

    /// One column of a row, as wide as it has to be.
    fn half(
        &self,
        line: Option<(&DiffLine, &[Range<usize>])>,
        side: Side,
        width: usize,
    ) -> Vec<Span<'static>> {
        let mut spans = vec![];
        if let Some((line, words)) = line {
            let (sign, looks, word) = looks(line.kind);
            let looks = self.theme.of(looks);
            let number = if side == Side::Old { line.old } else { line.new };
            spans.push(own(self.number(number), self.theme.of(Meaning::Muted)));
            spans.push(own(format!(" {sign} "), looks));
            let room = width.saturating_sub(width_of(&spans));
            let marks = if side == Side::New { self.marks(line, room) } else { vec![] };
            spans.extend(self.words_and_marks((line, words), (looks, word), marks, room));
        }
        let blank = width.saturating_sub(width_of(&spans));
        spans.push(own(" ".repeat(blank), Style::default()));
        spans
    }
}
