//! Comma-separated values (RFC 4180), read strictly: a cell in quotes is kept to the letter.

use crate::csv;

/// A row and the line it begins on, which counts from 1.
pub struct LabelsTableLine {
    pub line: usize,
    pub cells: Vec<String>,
}

/// Splits a text into rows; empty ones are skipped. [`find_divider`] finds the character between cells. Blanks around a
/// cell without quotes are removed. The mistakes are sentences with their lines.
pub fn split_rows(text: &str) -> (Vec<LabelsTableLine>, Vec<String>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let divider = find_divider(text);
    let mut reader = CellReader { divider, rest: text, line: 1 };
    let (mut rows, mut wrong) = (vec![], vec![]);
    while !reader.rest.is_empty() {
        let line = reader.line;
        match reader.read_row() {
            Ok(cells) if cells.iter().all(String::is_empty) => {}
            Ok(cells) => rows.push(LabelsTableLine { line, cells }),
            Err(why) => wrong.push(format!("line {line}: {why}")),
        }
    }
    (rows, wrong)
}

/// Returns the character that divides the cells of a table: of comma, semicolon (as spreadsheets of many countries write)
/// and tab the most frequent in the first line, outside quotes; of equally frequent ones the first of these.
pub fn find_divider(text: &str) -> char {
    let head = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let bare: String = head.split('"').step_by(2).collect(); // what is in quotes divides nothing
    let count = |divider: &char| bare.matches(*divider).count();
    ['\t', ';', ','].into_iter().max_by_key(count).unwrap_or(',')
}

struct CellReader<'a> {
    divider: char,
    rest: &'a str,
    line: usize,
}

impl CellReader<'_> {
    fn read_row(&mut self) -> Result<Vec<String>, String> {
        let mut cells = vec![];
        let mut wrong = None;
        loop {
            let cell = self.read_cell().unwrap_or_else(|why| {
                wrong.get_or_insert(why);
                String::new()
            });
            cells.push(csv::unescape_formula(&cell).to_owned());
            if !self.rest.starts_with(self.divider) {
                break;
            }
            self.rest = &self.rest[self.divider.len_utf8()..];
        }
        let end = ["\r\n", "\n", "\r"].into_iter().find(|end| self.rest.starts_with(end));
        if let Some(end) = end {
            self.rest = &self.rest[end.len()..];
            self.line += 1;
        }
        wrong.map_or(Ok(cells), Err)
    }

    /// Reads a cell, up to the divider or the end of the line.
    fn read_cell(&mut self) -> Result<String, String> {
        let blanks = |c: char| c == ' ' || (c == '\t' && self.divider != '\t');
        let start = self.rest.trim_start_matches(blanks);
        if let Some(quoted) = start.strip_prefix('"') {
            self.rest = quoted;
            let cell = self.read_quoted()?;
            let after = self.read_plain();
            return match after.trim() {
                "" => Ok(cell),
                more => Err(format!("unexpected {more:?} after a quoted cell")),
            };
        }
        Ok(self.read_plain().trim().to_owned())
    }

    fn read_plain(&mut self) -> &str {
        let divider = self.divider;
        let is_end = |c: char| c == divider || c == '\n' || c == '\r';
        let (cell, rest) = self.rest.split_at(self.rest.find(is_end).unwrap_or(self.rest.len()));
        self.rest = rest;
        cell
    }

    /// Reads a cell in quotes, after the first quote. A cell without a closing quote takes all the rest.
    fn read_quoted(&mut self) -> Result<String, String> {
        let mut cell = String::new();
        while let Some(at) = self.rest.find('"') {
            let (text, rest) = self.rest.split_at(at);
            self.line += text.matches('\n').count();
            cell.push_str(text);
            self.rest = &rest[1..];
            match self.rest.strip_prefix('"') {
                Some(rest) => {
                    cell.push('"');
                    self.rest = rest;
                }
                None => return Ok(cell),
            }
        }
        self.rest = "";
        Err("a quote begins that never ends".into())
    }
}
