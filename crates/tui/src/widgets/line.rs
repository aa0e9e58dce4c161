//! Lines that fit: pieces of text put side by side and cut to a width.

use std::borrow::Cow;

use ratatui::{
    style::Style,
    text::{Line, Span},
};
use trajview_run::LABEL_CHARS;

use super::text;

const ELLIPSIS: &str = "…";

/// Returns a label as it is shown: one that was cut when the recording was read ends with its last whole word and `…`.
pub(crate) fn shown_label(label: &str) -> Cow<'_, str> {
    if label.chars().count() < LABEL_CHARS {
        return Cow::Borrowed(label);
    }
    let whole = label.rsplit_once(' ').map_or(label, |(start, _)| start);
    Cow::Owned(format!("{}…", whole.trim_end()))
}

/// Returns a span of the program's own text, which is safe as it is.
pub(crate) fn trusted_span(words: impl Into<String>, style: Style) -> Span<'static> {
    Span::styled(words.into(), style)
}

/// Returns a span of recorded text, with invisible characters replaced.
pub(crate) fn recorded_span(words: &str, style: Style) -> Span<'static> {
    Span::styled(safe_string(words), style)
}

/// Returns one line of recorded text, with invisible characters replaced.
pub(crate) fn safe_string(words: &str) -> String {
    text::safe(words).to_string()
}

pub(crate) fn spans_width(spans: &[Span]) -> usize {
    spans.iter().map(|span| text::width(&span.content)).sum()
}

/// Returns `spans` in at most `width` cells; a cut ends with `…`.
pub(crate) fn fit_spans(spans: Vec<Span<'static>>, width: usize) -> Vec<Span<'static>> {
    if spans_width(&spans) <= width {
        return spans;
    }
    let Some(mut left) = width.checked_sub(1) else { return vec![] };
    let mut fitted = vec![];
    for span in spans {
        let taken = fitting_prefix(&span.content, left);
        left -= text::width(taken);
        let is_whole = taken.len() == span.content.len();
        let style = span.style;
        let words = if is_whole { taken.to_owned() } else { format!("{taken}{ELLIPSIS}") };
        fitted.push(Span::styled(words, style));
        if !is_whole {
            break;
        }
    }
    fitted
}

/// Returns `spans` in exactly `cells` cells, the last of them blank; none in no cells.
pub(crate) fn padded_spans(spans: Vec<Span<'static>>, cells: usize) -> Vec<Span<'static>> {
    let mut padded = fit_spans(spans, cells.saturating_sub(1));
    let blank = cells.saturating_sub(spans_width(&padded));
    padded.push(Span::raw(" ".repeat(blank)));
    padded
}

/// Returns the longest start of `words` that fits in `width` cells, never cutting a character.
pub(crate) fn fitting_prefix(words: &str, width: usize) -> &str {
    let end = text::truncate(words, width, "").len();
    words.get(..end).unwrap_or(words)
}

/// Returns `words` in at most `width` cells; a cut at the front is marked with `…`, since the end of a path is more
/// useful.
pub(crate) fn fit_text_end(words: &str, width: usize) -> String {
    if text::width(words) <= width {
        return words.to_owned();
    }
    let Some(room) = width.checked_sub(1) else { return String::new() };
    format!("{ELLIPSIS}{}", text::fitting_suffix(words, room))
}

/// Puts `left` and `right` at the two ends of `width` cells; `left` is cut first.
pub(crate) fn left_and_right(
    left: Vec<Span<'static>>,
    right: Vec<Span<'static>>,
    width: usize,
) -> Line<'static> {
    let right = fit_spans(right, width);
    let taken = spans_width(&right);
    let gap = usize::from(taken > 0);
    let mut spans = fit_spans(left, width.saturating_sub(taken + gap));
    let blank = width.saturating_sub(taken + spans_width(&spans));
    spans.push(Span::raw(" ".repeat(blank)));
    spans.extend(right);
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_that_was_cut_ends_with_its_last_whole_word() {
        let long = format!("{} endi", "word ".repeat(23));
        assert_eq!(shown_label(&long), format!("{}…", "word ".repeat(23).trim_end()));
        assert_eq!(shown_label("a short label"), "a short label");
        assert_eq!(shown_label(&"x".repeat(LABEL_CHARS)), format!("{}…", "x".repeat(LABEL_CHARS)));
    }

    fn plain_spans(words: &str) -> Vec<Span<'static>> {
        vec![trusted_span(words, Style::default())]
    }

    #[test]
    fn the_left_side_gives_way_to_the_right() {
        assert_eq!(
            left_and_right(plain_spans("combine losses"), plain_spans("+34"), 12).to_string(),
            "combine… +34"
        );
        assert_eq!(
            left_and_right(plain_spans("fix"), plain_spans("+3"), 8).to_string(),
            "fix   +3"
        );
        assert_eq!(left_and_right(plain_spans("fix"), plain_spans("+3"), 1).to_string(), "…");
    }

    #[test]
    fn a_path_keeps_its_end() {
        assert_eq!(fit_text_end("src/diffusion/joint.py", 12), "…on/joint.py");
        assert_eq!(fit_text_end("漢字/漢字", 4), "…漢"[..3].to_owned() + "字");
    }

    /// The function once measured the rest again from each letter on, which took minutes for this line.
    #[test]
    fn the_end_of_a_long_line_costs_no_more_than_reading_it() {
        let words = "a very long line ".repeat(100_000);

        assert_eq!(fit_text_end(&words, 10), "…ong line ");
    }
}
