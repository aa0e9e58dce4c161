//! Writes tables (CSV, RFC 4180), and reads cells that were written here.
//!
//! A spreadsheet takes a cell that begins with `=`, `+`, `-` or `@` for a formula and computes it, whatever it does to
//! other files or servers. A recording's words can begin so. Such a cell is written behind an apostrophe, which a
//! spreadsheet shows or hides but never computes; [`unescape_formula`] takes it off again. A number is no formula:
//! `-0.12` stays.

use std::borrow::Cow;

/// Characters that a spreadsheet takes for the beginning of a formula. Some programs take the wide forms too.
const FORMULA_STARTS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Returns one line with its end. A cell is quoted where a reader would take it otherwise: around dividers, quotes and
/// line ends, and where blanks are at its ends.
pub fn csv_line(cells: impl IntoIterator<Item = String>) -> String {
    join_cells(cells.into_iter().map(|cell| quote_cell(&cell).into_owned()))
}

/// Writes a line as [`csv_line`] does, for a table in which a missing value differs from an empty text: a missing value is
/// an empty cell, an empty text a pair of quotes.
pub fn csv_line_with_missing<'c>(cells: impl IntoIterator<Item = Option<Cow<'c, str>>>) -> String {
    join_cells(cells.into_iter().map(|cell| match cell {
        None => String::new(),
        Some(cell) if cell.is_empty() => "\"\"".into(),
        Some(cell) => quote_cell(&cell).into_owned(),
    }))
}

fn join_cells(cells: impl Iterator<Item = String>) -> String {
    cells.collect::<Vec<_>>().join(",") + "\r\n"
}

fn quote_cell(cell: &str) -> Cow<'_, str> {
    let cell = escape_formula(cell);
    let is_plain = !cell.contains([',', ';', '\t', '"', '\n', '\r']) && cell.trim() == cell;
    if is_plain { cell } else { Cow::Owned(format!("\"{}\"", cell.replace('"', "\"\""))) }
}

/// Puts an apostrophe before a cell that a spreadsheet would take for a formula.
fn escape_formula(cell: &str) -> Cow<'_, str> {
    match is_formula(cell) && !is_number(cell) {
        true => Cow::Owned(format!("'{cell}")),
        false => Cow::Borrowed(cell),
    }
}

/// Returns the text of a cell as it was before [`csv_line`] escaped it.
pub fn unescape_formula(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|cell| is_formula(cell)).unwrap_or(cell)
}

/// Returns whether a spreadsheet would take a cell for a formula. Apostrophes at the beginning are skipped, so that a text
/// with one of its own differs from an escaped one.
fn is_formula(cell: &str) -> bool {
    let text = cell.trim_start_matches('\'');
    if text.starts_with('\n') || text.starts_with("\r\n") {
        return false; // the first line is empty, and what follows it is no formula
    }
    text.starts_with(['\t', '\r'])
        || text
            .trim_start_matches(|c: char| c == '\'' || c.is_whitespace())
            .starts_with(FORMULA_STARTS)
}

fn is_number(cell: &str) -> bool {
    let is_digit = |c: char| matches!(c, '0'..='9' | '.' | 'e' | 'E' | '+' | '-');
    cell.chars().all(is_digit) && cell.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn row_text(cells: &[&str]) -> String {
        csv_line(cells.iter().map(|cell| (*cell).to_owned()))
    }

    #[test]
    fn a_cell_with_a_comma_or_a_quote_is_quoted() {
        assert_eq!(
            row_text(&["a", "b, c", "say \"d\"", " e", ""]),
            "a,\"b, c\",\"say \"\"d\"\"\",\" e\",\r\n"
        );
    }

    #[test]
    fn a_cell_that_a_spreadsheet_would_compute_is_written_behind_an_apostrophe() {
        assert_eq!(
            row_text(&["=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-a", "＝1", "\t=1", " =1"]),
            "'=1+1,'@SUM(A1),'+cmd|' /C calc'!A0,'-a,'＝1,\"'\t=1\",' =1\r\n"
        );
    }

    #[test]
    fn a_text_that_begins_with_a_line_is_written_as_it_is() {
        assert_eq!(row_text(&["\n=1", "\r\n- a"]), "\"\n=1\",\"\r\n- a\"\r\n");
    }

    #[test]
    fn numbers_and_other_words_are_written_as_they_are() {
        assert_eq!(
            row_text(&["-0.12", "+3", "-1e-9", "a=b", "'quoted'", "it's", ""]),
            "-0.12,+3,-1e-9,a=b,'quoted',it's,\r\n"
        );
    }

    #[test]
    fn a_number_that_is_none_is_no_number() {
        assert_eq!(row_text(&["-inf", "-1-2", "-"]), "'-inf,'-1-2,'-\r\n");
    }

    proptest! {
        #[test]
        fn whatever_the_cell_it_says_the_same_when_it_is_read(
            cell in prop_oneof!["['=+@ \t\r\n-]{0,4}[a1=+'-]{0,3}", "\\PC{0,8}"],
        ) {
            let written = escape_formula(&cell);

            prop_assert_eq!(unescape_formula(&written), &*cell);
        }
    }
}
