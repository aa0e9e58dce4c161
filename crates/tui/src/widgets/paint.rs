//! One line of recorded text with several layers of style on it: syntax, changed words, hits.

use std::ops::Range;

use ratatui::{
    style::Style,
    text::{Line, Span},
};

use super::{
    line::{head, own},
    text,
    theme::Writing,
};

/// Bytes of a line and how they look; a later layer is laid over an earlier one.
pub type Layer = (Range<usize>, Style);

/// Bytes of a line that are looked at; a screen is never wider than what they take.
const MOST: usize = 1 << 14;

/// `words` made safe and cut into pieces, each with the styles of all layers over it; what stands for something unseen
/// looks like the sign of `writing`.
pub fn paint(
    words: &str,
    base: Style,
    layers: &[Layer],
    writing: impl Into<Writing>,
) -> Vec<Span<'static>> {
    let writing = writing.into();
    let safe = text::safe_line(words, writing.tab_width, writing.signs);
    let layers = layers.iter().map(|(range, style)| (safe.range(range.clone()), *style));
    let layers: Vec<Layer> =
        layers.chain(safe.signs().map(|range| (range, writing.sign))).collect();
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
            own(safe.text.get(piece).unwrap_or_default(), style)
        })
        .collect()
}

/// The part of a line that a panel can show at all when `column` characters are scrolled away: very long lines are
/// not worth painting whole. Ends on a character boundary.
pub fn visible(words: &str, column: usize) -> &str {
    let most = MOST.saturating_add(column.saturating_mul(4));
    if words.len() <= most {
        return words;
    }
    let end = (0..=most).rev().find(|at| words.is_char_boundary(*at)).unwrap_or_default();
    &words[..end]
}

/// `spans` from cell `column` on, in `width` cells; `›` stands where more follows, `‹` where something went before.
pub fn window(
    spans: Vec<Span<'static>>,
    column: usize,
    width: usize,
    mark: Style,
) -> Line<'static> {
    let mut shown = skip_cells(spans, column);
    if column > 0 && !shown.is_empty() {
        shown = skip_cells(shown, 1);
        shown.insert(0, own("‹", mark));
    }
    let (mut kept, mut left) = (vec![], width);
    for span in shown {
        let taken = head(&span.content, left);
        let is_whole = taken.len() == span.content.len();
        left -= text::width(taken);
        kept.push(Span::styled(taken.to_owned(), span.style));
        if !is_whole {
            return Line::from(with_end(kept, width, mark));
        }
    }
    Line::from(kept)
}

/// Puts `›` into the last cell.
fn with_end(spans: Vec<Span<'static>>, width: usize, mark: Style) -> Vec<Span<'static>> {
    let mut room = width.saturating_sub(1);
    let mut kept = vec![];
    for span in spans {
        let taken = head(&span.content, room).to_owned();
        room -= text::width(&taken);
        kept.push(Span::styled(taken, span.style));
    }
    kept.push(own(" ".repeat(room), Style::default()));
    kept.push(own("›", mark));
    kept
}

/// Leaves out the first cells; a wide character cut in half leaves a blank.
fn skip_cells(spans: Vec<Span<'static>>, cells: usize) -> Vec<Span<'static>> {
    let mut left = cells;
    let mut kept = vec![];
    for span in spans {
        if left == 0 {
            kept.push(span);
            continue;
        }
        let gone = head(&span.content, left);
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

    fn shown(words: &str, column: usize, width: usize) -> String {
        let spans = paint(words, Style::default(), &[], Style::default());
        window(spans, column, width, Style::default()).to_string()
    }

    #[test]
    fn a_long_line_says_that_it_goes_on() {
        assert_eq!(shown("return loss", 0, 11), "return loss");
        assert_eq!(shown("return loss", 0, 8), "return ›");
        assert_eq!(shown("return loss", 4, 5), "‹n l›");
        assert_eq!(shown("return loss", 99, 5), "");
    }

    #[test]
    fn wide_characters_are_never_cut_in_half() {
        assert_eq!(shown("漢字漢字", 0, 5), "漢字›");
        assert_eq!(shown("漢字漢字", 0, 4), "漢 ›");
    }

    #[test]
    fn later_layers_lie_over_earlier_ones() {
        let layers = [(0..6, Style::new().fg(Color::Red)), (4..8, Style::new().fg(Color::Blue))];
        let spans = paint("mse(loss)", Style::default(), &layers, Style::default());
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
