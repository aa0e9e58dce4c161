//! Finds the search matches in one row of a text that was cut into rows.

use std::ops::Range;

use regex::Regex;

/// A match, or its part within the row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowHit {
    /// Bytes from the row's first.
    pub in_row: Range<usize>,
    /// Bytes from the line's first, as [`trajview_run::search::SearchHit::range`] counts.
    pub in_line: Range<usize>,
}

/// Longer lines are looked through a row at a time: looking through a megabyte for each row would be felt.
const MAX_SEARCHED_LINE: usize = 1 << 16;

/// Returns the matches that overlap `row`, a range of bytes of `words`.
pub(crate) fn hits_in_row(regex: &Regex, words: &str, row: &Range<usize>) -> Vec<RowHit> {
    let line = line_around(words, row);
    let looked_at = if line.len() > MAX_SEARCHED_LINE { row.clone() } else { line.clone() };
    let Some(text) = words.get(looked_at.clone()) else { return vec![] };
    let found = regex.find_iter(text).filter(|found| !found.is_empty());
    found
        .map(|found| looked_at.start + found.start()..looked_at.start + found.end())
        .filter(|found| found.start < row.end && row.start < found.end)
        .map(|found| RowHit {
            in_row: found.start.max(row.start) - row.start..found.end.min(row.end) - row.start,
            in_line: found.start - line.start..found.end - line.start,
        })
        .collect()
}

fn line_around(words: &str, row: &Range<usize>) -> Range<usize> {
    let before = words.get(..row.start).unwrap_or_default();
    let after = words.get(row.end..).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let end = after.find('\n').map_or(words.len(), |at| row.end + at);
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &str = "step one\nthe joint loss falls\nstep two";

    #[test]
    fn a_match_over_two_rows_is_seen_in_both() {
        let regex = Regex::new("joint loss").unwrap();
        let parts = |row| hits_in_row(&regex, WORDS, &row);

        let first = RowHit { in_row: 4..10, in_line: 4..14 };
        let second = RowHit { in_row: 0..4, in_line: 4..14 };
        assert_eq!(parts(9..19), [first]);
        assert_eq!(parts(19..29), [second]);
        assert_eq!(parts(0..8), []);
    }

    #[test]
    fn a_line_of_a_megabyte_is_looked_through_a_row_at_a_time() {
        let words = "loss ".repeat(200_000);
        let regex = Regex::new("loss").unwrap();

        let found = hits_in_row(&regex, &words, &(500_000..500_010));

        let second = RowHit { in_row: 5..9, in_line: 500_005..500_009 };
        assert_eq!(found.get(1), Some(&second));
    }
}
