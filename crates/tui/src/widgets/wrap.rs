//! Long lines cut into rows, before anything is made safe or drawn.
//!
//! Widths here are upper bounds: a tab or an invisible character takes at most this many cells once the screen has
//! made it visible, so a row never overflows its panel.

use std::ops::Range;

use unicode_width::UnicodeWidthChar;

/// Cells that an escaped control or invisible character takes at most.
const MAX_ESCAPED_CELLS: usize = 10;
const MAX_TAB_CELLS: usize = 4;

/// Returns byte ranges of the rows of `line` (without its line end) when `width` cells are there; at least one.
pub(crate) fn wrap_line(line: &str, width: usize) -> Vec<Range<usize>> {
    if line.len() <= width && line.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return std::iter::once(0..line.len()).collect();
    }
    let width = width.max(1);
    let (mut rows, mut start, mut used, mut word) = (vec![], 0, 0, None);
    for (at, c) in line.char_indices() {
        let cells = max_width(c);
        if used + cells > width && at > start {
            let cut = word.take().filter(|word| *word > start).unwrap_or(at);
            rows.push(start..cut);
            start = cut;
            used = line[cut..at].chars().map(max_width).sum();
        }
        used += cells;
        if c == ' ' {
            word = Some(at + 1);
        }
    }
    rows.push(start..line.len());
    rows
}

/// Returns the rows of a text: the number of the line, which counts from 0, and the bytes of the row in the text.
pub(crate) fn wrap_text(text: &str, width: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
    line_ranges(text).enumerate().flat_map(move |(line, bytes)| {
        let rows = wrap_line(&text[bytes.clone()], width);
        rows.into_iter().map(move |row| (line, bytes.start + row.start..bytes.start + row.end))
    })
}

/// Returns the bytes of each line, line ends not included; the same lines as [`str::lines`].
pub(crate) fn line_ranges(text: &str) -> impl Iterator<Item = Range<usize>> {
    let base = text.as_ptr() as usize;
    text.lines().map(move |line| {
        let start = line.as_ptr() as usize - base;
        start..start + line.len()
    })
}

/// Returns the most cells that a character takes on the screen.
fn max_width(c: char) -> usize {
    match c {
        '\t' => MAX_TAB_CELLS,
        ' '..='~' => 1,
        c => match c.width() {
            Some(0) | None => MAX_ESCAPED_CELLS,
            Some(cells) => cells,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row_texts(line: &str, width: usize) -> Vec<&str> {
        wrap_line(line, width).into_iter().map(|range| &line[range]).collect()
    }

    #[test]
    fn words_stay_whole_where_they_fit() {
        assert_eq!(row_texts("add the noise schedule", 10), ["add the ", "noise ", "schedule"]);
        assert_eq!(row_texts("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(row_texts("", 4), [""]);
    }

    #[test]
    fn wide_characters_take_two_cells() {
        assert_eq!(row_texts("漢字漢字", 4), ["漢字", "漢字"]);
    }

    #[test]
    fn rows_put_together_are_the_line() {
        for line in ["a\tb c\u{202e}d e f 漢 字", "   ", "x y"] {
            for width in 0..9 {
                assert_eq!(row_texts(line, width).concat(), line);
            }
        }
    }
}
