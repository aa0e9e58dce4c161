//! How every table of ours is written (CSV, RFC 4180), and what a cell that was read said.
//!
//! A spreadsheet takes a cell that begins with `=`, `+`, `-` or `@` for a formula and computes it, whatever it does to
//! other files or servers. A recording's words can begin so. Such a cell is written behind an apostrophe, which a
//! spreadsheet shows or hides but never computes; [`said`] takes it off again. A number is no formula: `-0.12` stays.

use std::borrow::Cow;

/// What a spreadsheet takes for the beginning of a formula; the wide forms as well, which some take for the narrow.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// One line with its end. A cell is quoted where a reader would take it otherwise: around dividers, quotes and line
/// ends, and where blanks are at its ends.
pub fn row(cells: impl IntoIterator<Item = String>) -> String {
    line(cells.into_iter().map(|cell| written(&cell).into_owned()))
}

/// As [`row`], for a table in which nothing is not the same as an empty text: the first is an empty cell, the second a
/// pair of quotes.
pub fn row_with_missing<'c>(cells: impl IntoIterator<Item = Option<Cow<'c, str>>>) -> String {
    line(cells.into_iter().map(|cell| match cell {
        None => String::new(),
        Some(cell) if cell.is_empty() => "\"\"".into(),
        Some(cell) => written(&cell).into_owned(),
    }))
}

fn line(cells: impl Iterator<Item = String>) -> String {
    cells.collect::<Vec<_>>().join(",") + "\r\n"
}

fn written(cell: &str) -> Cow<'_, str> {
    let cell = harmless(cell);
    let is_plain = !cell.contains([',', ';', '\t', '"', '\n', '\r']) && cell.trim() == cell;
    if is_plain { cell } else { Cow::Owned(format!("\"{}\"", cell.replace('"', "\"\""))) }
}

/// The cell as a spreadsheet may have it.
fn harmless(cell: &str) -> Cow<'_, str> {
    match is_formula(cell) && !is_number(cell) {
        true => Cow::Owned(format!("'{cell}")),
        false => Cow::Borrowed(cell),
    }
}

/// What a cell said before [`row`] wrote it.
pub fn said(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|cell| is_formula(cell)).unwrap_or(cell)
}

/// Behind any apostrophes, so that a text that has one of its own is told from one that was given one.
fn is_formula(cell: &str) -> bool {
    let text = cell.trim_start_matches('\'');
    if text.starts_with('\n') || text.starts_with("\r\n") {
        return false; // the first line is empty, and what follows it is no formula
    }
    text.starts_with(['\t', '\r'])
        || text.trim_start_matches(|c: char| c == '\'' || c.is_whitespace()).starts_with(FORMULA)
}

fn is_number(cell: &str) -> bool {
    let is_digit = |c: char| matches!(c, '0'..='9' | '.' | 'e' | 'E' | '+' | '-');
    cell.chars().all(is_digit) && cell.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(cells: &[&str]) -> String {
        row(cells.iter().map(|cell| (*cell).to_owned()))
    }

    #[test]
    fn a_cell_with_a_comma_or_a_quote_is_quoted() {
        assert_eq!(
            written(&["a", "b, c", "say \"d\"", " e", ""]),
            "a,\"b, c\",\"say \"\"d\"\"\",\" e\",\r\n"
        );
    }

    #[test]
    fn a_cell_that_a_spreadsheet_would_compute_is_written_behind_an_apostrophe() {
        assert_eq!(
            written(&["=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-a", "＝1", "\t=1", " =1"]),
            "'=1+1,'@SUM(A1),'+cmd|' /C calc'!A0,'-a,'＝1,\"'\t=1\",' =1\r\n"
        );
    }

    #[test]
    fn a_text_that_begins_with_a_line_is_written_as_it_is() {
        assert_eq!(written(&["\n=1", "\r\n- a"]), "\"\n=1\",\"\r\n- a\"\r\n");
    }

    #[test]
    fn numbers_and_other_words_are_written_as_they_are() {
        assert_eq!(
            written(&["-0.12", "+3", "-1e-9", "a=b", "'quoted'", "it's", ""]),
            "-0.12,+3,-1e-9,a=b,'quoted',it's,\r\n"
        );
    }

    #[test]
    fn a_number_that_is_none_is_no_number() {
        assert_eq!(written(&["-inf", "-1-2", "-"]), "'-inf,'-1-2,'-\r\n");
    }

    proptest! {
        #[test]
        fn whatever_the_cell_it_says_the_same_when_it_is_read(
            cell in prop_oneof!["['=+@ \t\r\n-]{0,4}[a1=+'-]{0,3}", "\\PC{0,8}"],
        ) {
            let written = harmless(&cell);

            prop_assert_eq!(said(&written), &*cell);
        }
    }
}
