//! Tables of other tools: rows whose cells are named by the first line.

use serde_json::{Map, Value};

use crate::rubric::labels_table;

/// A table with its mistakes.
pub struct CellTable {
    heads: Vec<String>,
    pub rows: Vec<CellRow>,
    /// Sentences with their lines.
    pub wrong: Vec<String>,
}

/// A row that has something in it.
pub struct CellRow {
    /// `line 3`
    pub place: String,
    cells: Vec<String>,
}

impl CellTable {
    /// Returns the first line alone, which names the columns.
    pub fn head_line(text: &str) -> Self {
        let lines = text.trim_start_matches('\u{feff}').lines();
        Self::parse_text(lines.into_iter().find(|line| !line.trim().is_empty()).unwrap_or_default())
    }

    pub fn parse_text(text: &str) -> Self {
        let (lines, mut wrong) = labels_table::split_rows(text);
        let mut lines = lines.into_iter();
        let heads: Vec<String> = lines.next().map(|line| line.cells).unwrap_or_default();
        let mut rows = vec![];
        for line in lines {
            let place = format!("line {}", line.line);
            match line.cells.len() > heads.len() {
                true => wrong.push(format!(
                    "{place}: has {} cells, and the head has {}",
                    line.cells.len(),
                    heads.len()
                )),
                false => rows.push(CellRow { place, cells: line.cells }),
            }
        }
        Self { heads, rows, wrong }
    }

    /// Returns whether the first line names all of these columns.
    pub fn has_columns(&self, columns: &[&str]) -> bool {
        columns.iter().all(|name| self.heads.iter().any(|head| head == name))
    }

    /// Returns columns whose names begin so, with the rest of the name.
    pub fn columns_starting_with<'a>(&'a self, start: &'a str) -> impl Iterator<Item = &'a str> {
        self.heads.iter().filter_map(move |head| head.strip_prefix(start))
    }

    /// Returns the first of these columns that has something in this row.
    pub fn first_cell<'a>(&self, row: &'a CellRow, columns: &[&str]) -> Option<&'a str> {
        columns.iter().find_map(|name| {
            let at = self.heads.iter().position(|head| head == name)?;
            row.cells.get(at).map(|cell| cell.trim()).filter(|cell| !cell.is_empty())
        })
    }

    pub fn first_text(&self, row: &CellRow, columns: &[&str]) -> Option<String> {
        self.first_cell(row, columns).map(str::to_owned)
    }

    /// Returns the object in a cell of JSON; empty where there is none.
    pub fn object_cell(&self, row: &CellRow, column: &str) -> Map<String, Value> {
        let cell = self.first_cell(row, &[column]).unwrap_or_default();
        serde_json::from_str(cell).unwrap_or_default()
    }
}
