//! A table as LaTeX sets it with the package booktabs.

use std::borrow::Cow;

use super::{OutputTable, escape_tex};

/// Writes the lines of a `tabular`. Columns of numbers are right-aligned; a number with its interval becomes three columns.
pub(crate) fn tex_lines(table: &OutputTable) -> Vec<String> {
    let table = &one_number_a_cell(table);
    let columns = 0..table.heads.len();
    let sides: String =
        columns.map(|column| if table.is_number(column) { 'r' } else { 'l' }).collect();
    let begin = format!("\\begin{{tabular}}{{{sides}}}");
    let heads = tex_row(&table.plain_heads());
    let rows = table.rows.iter().map(|cells| tex_row(cells));
    let before = [begin, "\\toprule".into(), heads, "\\midrule".into()];
    let after = ["\\bottomrule".into(), "\\end{tabular}".into()];
    before.into_iter().chain(rows).chain(after).collect()
}

/// Returns the table with the numbers and the ends of intervals in columns of their own.
fn one_number_a_cell(table: &OutputTable) -> OutputTable {
    let column = |at: usize| table.rows.iter().filter_map(move |row| row.get(at));
    let is_split = |at: usize| {
        column(at).any(|cell| interval_parts(cell).is_some())
            && column(at).all(|cell| is_single(cell) || interval_parts(cell).is_some())
    };
    let split: Vec<bool> = (0..table.heads.len()).map(is_split).collect();
    let mut heads = vec![];
    for (head, is_split) in table.heads.iter().zip(&split) {
        match is_split {
            true => heads.extend([
                format!(">{}", head.trim_start_matches('>')),
                ">low".into(),
                ">high".into(),
            ]),
            false => heads.push(head.clone()),
        }
    }
    let cells = |row: &Vec<String>| -> Vec<String> {
        let parts = row.iter().enumerate().flat_map(|(at, cell)| {
            match (split.get(at) == Some(&true), interval_parts(cell)) {
                (false, _) => vec![cell.clone()],
                (true, Some(parts)) => parts.map(str::to_owned).to_vec(),
                (true, None) => vec![cell.clone(), "-".into(), "-".into()],
            }
        });
        parts.collect()
    };
    let rows = table.rows.iter().map(cells).collect();
    OutputTable { heads, rows, ..table.clone() }
}

/// Returns the three numbers of `0.612 [0.430, 0.794]`.
fn interval_parts(cell: &str) -> Option<[&str; 3]> {
    let (value, ends) = cell.strip_suffix(']')?.split_once(" [")?;
    let (low, high) = ends.split_once(", ")?;
    let parts = [value, low, high];
    parts.iter().all(|part| is_number(part)).then_some(parts)
}

fn is_number(words: &str) -> bool {
    words.trim_start_matches('+').parse::<f64>().is_ok()
}

/// Returns whether a cell has one number or none.
fn is_single(cell: &str) -> bool {
    cell.is_empty() || cell == "-" || is_number(cell)
}

/// Returns `\\` takes what follows in brackets for a length, on the next line too.
fn tex_row(cells: &[String]) -> String {
    let row = cells
        .iter()
        .map(|cell| escape_tex(&with_minus_signs(cell)))
        .collect::<Vec<_>>()
        .join(" & ");
    let is_option = row.trim_start().starts_with(['[', '*']);
    format!("{}{row} \\\\", if is_option { "{}" } else { "" })
}

/// Returns a cell of numbers, such as `-0.136 [-0.2, 0.1]`, with minus signs instead of hyphens; other cells as they are.
fn with_minus_signs(cell: &str) -> Cow<'_, str> {
    let is_numeric = |letter: char| letter.is_ascii_digit() || "+-.,[]% ".contains(letter);
    match cell.contains(|letter: char| letter.is_ascii_digit()) && cell.chars().all(is_numeric) {
        true => before_digits(cell).into(),
        false => cell.into(),
    }
}

/// Replaces each hyphen that begins a number.
fn before_digits(cell: &str) -> String {
    let mut last = ' ';
    let mut letters = cell.chars().peekable();
    let mut shown = String::with_capacity(cell.len());
    while let Some(letter) = letters.next() {
        let begins = matches!(last, ' ' | '[') && letters.peek().is_some_and(char::is_ascii_digit);
        shown.push(if letter == '-' && begins { '−' } else { letter });
        last = letter;
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_latex_has_rules_and_shows_every_letter() {
        let mut table = OutputTable::new(&["raters_n", ">50 %"]);
        table.add_row(vec!["[a] & {b}".into(), "-0.5".into()]);

        assert_eq!(
            tex_lines(&table),
            [
                r"\begin{tabular}{lr}",
                r"\toprule",
                r"raters\_n & 50 \% \\",
                r"\midrule",
                r"{}[a] \& \{b\} & $-$0.5 \\",
                r"\bottomrule",
                r"\end{tabular}",
            ]
        );
    }

    #[test]
    fn a_number_with_its_interval_is_in_three_columns() {
        let mut table = OutputTable::new(&["metric", "mean gap"]);
        table.add_row(vec!["erosion".into(), "-0.136 [-0.200, 0.100]".into()]);
        table.add_row(vec!["if50".into(), "-".into()]);

        let lines = tex_lines(&table);

        assert_eq!(lines[0], r"\begin{tabular}{lrrr}");
        assert_eq!(lines[2], r"metric & mean gap & low & high \\");
        assert_eq!(lines[4], r"erosion & $-$0.136 & $-$0.200 & 0.100 \\");
        assert_eq!(lines[5], r"if50 & - & - & - \\");
    }

    #[test]
    fn numbers_have_minus_signs_and_names_and_dates_their_hyphens() {
        let shown = |cell: &str| escape_tex(&with_minus_signs(cell));

        assert_eq!(shown("-0.167 [-0.375, -0.042]"), "$-$0.167 [$-$0.375, $-$0.042]");
        for cell in ["-", "2026-11-21", "gpt-5.5", "cut-45"] {
            assert_eq!(shown(cell), cell);
        }
    }

    #[test]
    fn what_latex_would_obey_is_written_out() {
        assert_eq!(
            escape_tex(r"C:\x_1^2 ~ $5 #1 <b>"),
            r"C:\textbackslash{}x\_1\textasciicircum{}2 \textasciitilde{} \$5 \#1 \textless{}b\textgreater{}"
        );
    }
}
