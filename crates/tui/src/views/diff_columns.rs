//! Draws both sides of a change next to each other: the old lines to the left of the new ones.

use ratatui::{
    style::Style,
    text::{Line, Span},
};
use std::ops::Range;

use crate::widgets::{
    line::{spans_width, trusted_span},
    theme::Meaning,
};
use trajview_code::diff::DiffLine;

use super::diff_rows::{ComparisonRows, line_appearance};

/// One of the two columns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DiffSide {
    Old,
    New,
}

impl ComparisonRows<'_> {
    /// Returns ` 40   old text     │ 41 + new text`.
    pub(super) fn pair_line<'w>(
        &self,
        hunk: usize,
        old: Option<usize>,
        new: Option<usize>,
        words_at: impl Fn(usize, usize) -> &'w [Range<usize>],
        is_cursor: bool,
    ) -> Line<'static> {
        let line = |at: Option<usize>| {
            let at = at?;
            Some((self.compared.hunk_line(hunk, at)?, words_at(hunk, at)))
        };
        self.side_by_side(line(old), line(new), is_cursor)
    }

    pub(super) fn equal_pair(&self, line: &DiffLine, is_cursor: bool) -> Line<'static> {
        self.side_by_side(Some((line, &[])), Some((line, &[])), is_cursor)
    }

    fn side_by_side(
        &self,
        old: Option<(&DiffLine, &[Range<usize>])>,
        new: Option<(&DiffLine, &[Range<usize>])>,
        is_cursor: bool,
    ) -> Line<'static> {
        let left = self.width.saturating_sub(2) / 2;
        let right = self.width.saturating_sub(2 + left);
        let mut spans = vec![self.cursor_span(is_cursor)];
        spans.extend(self.half_spans(old, DiffSide::Old, left));
        spans.push(trusted_span("│", self.theme.style_for(Meaning::Border)));
        spans.extend(self.half_spans(new, DiffSide::New, right));
        Line::from(spans)
    }

    /// Returns one column of a row, padded to its width.
    fn half_spans(
        &self,
        line: Option<(&DiffLine, &[Range<usize>])>,
        side: DiffSide,
        width: usize,
    ) -> Vec<Span<'static>> {
        let mut spans = vec![];
        if let Some((line, words)) = line {
            let (sign, looks, word) = line_appearance(line.kind);
            let looks = self.theme.style_for(looks);
            let number = if side == DiffSide::Old { line.old } else { line.new };
            spans
                .push(trusted_span(self.number_text(number), self.theme.style_for(Meaning::Muted)));
            spans.push(trusted_span(format!(" {sign} "), looks));
            let room = width.saturating_sub(spans_width(&spans));
            let marks = if side == DiffSide::New { self.mark_spans(line, room) } else { vec![] };
            spans.extend(self.words_and_marks((line, words), (looks, word), marks, room));
        }
        let blank = width.saturating_sub(spans_width(&spans));
        spans.push(trusted_span(" ".repeat(blank), Style::default()));
        spans
    }
}
