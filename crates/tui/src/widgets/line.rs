//! Lines that fit: pieces of text put side by side and cut to a width.

use ratatui::{
    style::Style,
    text::{Line, Span},
};

use super::text;

const ELLIPSIS: &str = "…";

/// A piece of text that is ours.
pub fn own(words: impl Into<String>, style: Style) -> Span<'static> {
    Span::styled(words.into(), style)
}

/// A piece of somebody else's text, made harmless.
pub fn recorded(words: &str, style: Style) -> Span<'static> {
    Span::styled(safe(words), style)
}

/// One line of somebody else's text, made harmless.
pub fn safe(words: &str) -> String {
    text::safe(words).to_string()
}

pub fn width_of(spans: &[Span]) -> usize {
    spans.iter().map(|span| text::width(&span.content)).sum()
}

/// `spans` in at most `width` cells; what is cut off ends with `…`.
pub fn fit(spans: Vec<Span<'static>>, width: usize) -> Vec<Span<'static>> {
    if width_of(&spans) <= width {
        return spans;
    }
    let Some(mut left) = width.checked_sub(1) else { return vec![] };
    let mut kept = vec![];
    for span in spans {
        let taken = head(&span.content, left);
        left -= text::width(taken);
        let is_whole = taken.len() == span.content.len();
        let style = span.style;
        let words = if is_whole { taken.to_owned() } else { format!("{taken}{ELLIPSIS}") };
        kept.push(Span::styled(words, style));
        if !is_whole {
            break;
        }
    }
    kept
}

/// As much of the start of `words` as fits in `width` cells; never part of a character.
pub fn head(words: &str, width: usize) -> &str {
    let end = text::truncate(words, width, "").len();
    words.get(..end).unwrap_or(words)
}

/// `words` in at most `width` cells; what is cut off at the front begins with `…`: the end of a path tells more.
pub fn fit_end(words: &str, width: usize) -> String {
    if text::width(words) <= width {
        return words.to_owned();
    }
    let Some(room) = width.checked_sub(1) else { return String::new() };
    format!("{ELLIPSIS}{}", text::end_of(words, room))
}

/// `left` and `right` at the two ends of `width` cells; `left` gives way.
pub fn sides(left: Vec<Span<'static>>, right: Vec<Span<'static>>, width: usize) -> Line<'static> {
    let right = fit(right, width);
    let taken = width_of(&right);
    let gap = usize::from(taken > 0);
    let mut spans = fit(left, width.saturating_sub(taken + gap));
    let blank = width.saturating_sub(taken + width_of(&spans));
    spans.push(Span::raw(" ".repeat(blank)));
    spans.extend(right);
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(words: &str) -> Vec<Span<'static>> {
        vec![own(words, Style::default())]
    }

    #[test]
    fn the_left_side_gives_way_to_the_right() {
        assert_eq!(sides(plain("combine losses"), plain("+34"), 12).to_string(), "combine… +34");
        assert_eq!(sides(plain("fix"), plain("+3"), 8).to_string(), "fix   +3");
        assert_eq!(sides(plain("fix"), plain("+3"), 1).to_string(), "…");
    }

    #[test]
    fn a_path_keeps_its_end() {
        assert_eq!(fit_end("src/diffusion/joint.py", 12), "…on/joint.py");
        assert_eq!(fit_end("漢字/漢字", 4), "…漢"[..3].to_owned() + "字");
    }

    /// It used to measure the rest again from each letter on: minutes for this one.
    #[test]
    fn the_end_of_a_long_line_costs_no_more_than_reading_it() {
        let words = "a very long line ".repeat(100_000);

        assert_eq!(fit_end(&words, 10), "…ong line ");
    }
}
