//! One line of recorded text with several layers of style on it: syntax, changed words, hits.

use std::ops::Range;

use ratatui::{
    style::Style,
    text::{Line, Span},
};

use super::{
    line::{fitting_prefix, trusted_span},
    text,
    theme::LineDisplay,
};

/// Bytes of a line and how they look; a later layer is laid over an earlier one.
pub type StyleLayer = (Range<usize>, Style);

/// The number of bytes of a line that are painted at most; no screen is wide enough to show more.
const MAX_PAINTED_BYTES: usize = 1 << 14;

/// Returns `words` in a safe form and cut into pieces, each with the styles of all layers over it; signs for invisible
/// characters have the style of `writing`.
pub(crate) fn paint_text(
    words: &str,
    base: Style,
    layers: &[StyleLayer],
    writing: impl Into<LineDisplay>,
) -> Vec<Span<'static>> {
    let writing = writing.into();
    let safe = text::safe_line(words, writing.tab_width, writing.signs);
    let layers = layers.iter().map(|(range, style)| (safe.safe_range(range.clone()), *style));
    let layers: Vec<StyleLayer> =
        layers.chain(safe.sign_ranges().map(|range| (range, writing.sign))).collect();
    let ends = layers.iter().flat_map(|(range, _)| [range.start, range.end]);
    let mut cuts: Vec<usize> = ends.chain([0, safe.text.len()]).collect();
    cuts.sort_unstable();
    cuts.dedup();
    let pieces = cuts.windows(2).map(|cut| cut[0]..cut[1]);
    pieces
        .map(|piece| {
            let over = layers
                .iter()
                .filter(|(range, _)| range.start <= piece.start && piece.end <= range.end);
            let style = over.fold(base, |style, (_, layer)| style.patch(*layer));
            trusted_span(safe.text.get(piece).unwrap_or_default(), style)
        })
        .collect()
}

/// Returns the part of a line that a panel can show at all when `column` characters are scrolled away: very long lines
/// are not worth painting whole. Ends on a character boundary.
pub(crate) fn paintable_prefix(words: &str, column: usize) -> &str {
    let most = MAX_PAINTED_BYTES.saturating_add(column.saturating_mul(4));
    if words.len() <= most {
        return words;
    }
    let end = (0..=most).rev().find(|at| words.is_char_boundary(*at)).unwrap_or_default();
    &words[..end]
}

/// Returns `spans` from cell `column` on, in `width` cells; `›` marks that more follows, `‹` that something precedes.
pub(crate) fn scrolled_line(
    spans: Vec<Span<'static>>,
    column: usize,
    width: usize,
    mark: Style,
) -> Line<'static> {
    let mut shown = skip_cells(spans, column);
    if column > 0 && !shown.is_empty() {
        shown = skip_cells(shown, 1);
        shown.insert(0, trusted_span("‹", mark));
    }
    let (mut kept, mut left) = (vec![], width);
    for span in shown {
        let taken = fitting_prefix(&span.content, left);
        let is_whole = taken.len() == span.content.len();
        left -= text::width(taken);
        kept.push(Span::styled(taken.to_owned(), span.style));
        if !is_whole {
            return Line::from(with_end_mark(kept, width, mark));
        }
    }
    Line::from(kept)
}

/// Puts `›` into the last cell.
fn with_end_mark(spans: Vec<Span<'static>>, width: usize, mark: Style) -> Vec<Span<'static>> {
    let mut room = width.saturating_sub(1);
    let mut fitted = vec![];
    for span in spans {
        let taken = fitting_prefix(&span.content, room).to_owned();
        room -= text::width(&taken);
        fitted.push(Span::styled(taken, span.style));
    }
    fitted.push(trusted_span(" ".repeat(room), Style::default()));
    fitted.push(trusted_span("›", mark));
    fitted
}

/// Returns the spans without the first cells; a wide character cut in half leaves a blank.
fn skip_cells(spans: Vec<Span<'static>>, cells: usize) -> Vec<Span<'static>> {
    let mut left = cells;
    let mut kept = vec![];
    for span in spans {
        if left == 0 {
            kept.push(span);
            continue;
        }
        let gone = fitting_prefix(&span.content, left);
        let rest = &span.content[gone.len()..];
        left -= text::width(gone);
        if rest.is_empty() {
            continue;
        }
        let mut rest = rest.chars();
        let half = if left > 0 { rest.next().map(|_| " ") } else { None };
        left = 0;
        kept.push(Span::styled(
            format!("{}{}", half.unwrap_or_default(), rest.as_str()),
            span.style,
        ));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::style::Color;

    fn shown_text(words: &str, column: usize, width: usize) -> String {
        let spans = paint_text(words, Style::default(), &[], Style::default());
        scrolled_line(spans, column, width, Style::default()).to_string()
    }

    #[test]
    fn a_long_line_says_that_it_goes_on() {
        assert_eq!(shown_text("return loss", 0, 11), "return loss");
        assert_eq!(shown_text("return loss", 0, 8), "return ›");
        assert_eq!(shown_text("return loss", 4, 5), "‹n l›");
        assert_eq!(shown_text("return loss", 99, 5), "");
    }

    #[test]
    fn wide_characters_are_never_cut_in_half() {
        assert_eq!(shown_text("漢字漢字", 0, 5), "漢字›");
        assert_eq!(shown_text("漢字漢字", 0, 4), "漢 ›");
    }

    #[test]
    fn later_layers_lie_over_earlier_ones() {
        let layers = [(0..6, Style::new().fg(Color::Red)), (4..8, Style::new().fg(Color::Blue))];
        let spans = paint_text("mse(loss)", Style::default(), &layers, Style::default());
        let seen: Vec<_> = spans.iter().map(|span| (&*span.content, span.style.fg)).collect();
        assert_eq!(
            seen,
            [
                ("mse(", Some(Color::Red)),
                ("lo", Some(Color::Blue)),
                ("ss", Some(Color::Blue)),
                (")", None)
            ]
        );
    }
}
