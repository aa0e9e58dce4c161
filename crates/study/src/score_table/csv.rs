//! Values separated by commas (RFC 4180), semicolons or tabs, read leniently: any line ends, and quotes where they are.

use trajview_formats::{csv::unescape_formula, rubric::labels_table::find_divider};

/// A row and the line it begins on, which counts from 1. Empty rows are passed over.
pub struct CsvLine {
    pub line: usize,
    pub cells: Vec<String>,
}

/// Returns the rows of a text in CSV. A quote that never ends takes the rest.
pub(crate) fn parse_csv(text: &str) -> Vec<CsvLine> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let divider = find_divider(text);
    let mut reader = CsvReader { rows: vec![], cells: vec![], cell: String::new(), row_line: 1 };
    let (mut line, mut quoted) = (1, false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\n' {
            line += 1;
        }
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => reader.cell.extend(chars.next()),
            '"' if quoted => quoted = false,
            '"' if reader.cell.trim().is_empty() => {
                reader.cell.clear();
                quoted = true;
            }
            c if c == divider && !quoted => reader.end_cell(),
            '\n' if !quoted => reader.end_row(line),
            '\r' if !quoted => {}
            c => reader.cell.push(c),
        }
    }
    reader.end_row(line);
    reader.rows
}

struct CsvReader {
    rows: Vec<CsvLine>,
    cells: Vec<String>,
    cell: String,
    /// The line on which the row began.
    row_line: usize,
}

impl CsvReader {
    fn end_cell(&mut self) {
        self.cells.push(unescape_formula(std::mem::take(&mut self.cell).trim()).to_owned());
    }

    fn end_row(&mut self, next: usize) {
        self.end_cell();
        let cells = std::mem::take(&mut self.cells);
        let line = std::mem::replace(&mut self.row_line, next);
        if cells.iter().any(|cell| !cell.is_empty()) {
            self.rows.push(CsvLine { line, cells });
        }
    }
}
