//! A table in every form: in columns, as Markdown, as LaTeX, as CSV.

use std::{borrow::Cow, io};

use rayon::prelude::*;

use trajview_tui::widgets::text;

use super::{Out, OutputPiece, TableForm, csv_row, escape_markdown, safe_line};

mod tex;

pub(crate) use trajview_figures::escape_tex;

/// The gap between two columns of text.
const GAP: &str = "  ";

/// A column: its head, and what a row has there.
pub type TableColumn<'a, R> = (&'a str, &'a (dyn Fn(&R) -> String + Sync));

/// A column of a folded table is not broken below so many letters.
const NARROWEST_COLUMN: usize = 24;

/// Rows that are laid out at a time, on all cores.
const ROWS_AT_A_TIME: usize = 2048;

/// Fewer rows are laid out by one thread.
const MANY_ROWS: usize = 256;

/// Rows under heads. As text it is as wide as it is, or folded where the terminal is narrower.
#[derive(Debug, Clone, PartialEq)]
pub struct OutputTable {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
    /// The number of leading columns that are the key of a row.
    keys: usize,
}

/// Columns next to each other: the index and width of each.
type FoldedColumns = Vec<(usize, usize)>;

impl OutputTable {
    /// Makes a head that starts with `>` makes a column of numbers.
    pub fn new(heads: &[&'static str]) -> Self {
        Self::with_heads(heads.iter().map(|head| (*head).to_owned()).collect())
    }

    /// Makes a table with heads that are computed at run time.
    pub(crate) fn with_heads(heads: Vec<String>) -> Self {
        Self { heads, rows: vec![], keys: 1 }
    }

    /// Sets the number of leading columns that are the key of a row: they begin each part of a folded table. The
    /// default is one.
    pub(crate) fn with_keys(self, keys: usize) -> Self {
        Self { keys, ..self }
    }

    /// Makes a row for each thing, a cell for each column.
    pub fn from_rows<'r, R: Sync + 'r>(
        columns: &[TableColumn<'_, R>],
        rows: impl IntoIterator<Item = &'r R>,
    ) -> Self {
        let table = Self::with_heads(columns.iter().map(|(head, _)| (*head).to_owned()).collect());
        let rows: Vec<&R> = rows.into_iter().collect();
        let cells = |row: &&R| columns.iter().map(|(_, cell_of)| safe_cell(cell_of(row))).collect();
        let rows = rows.par_iter().with_min_len(MANY_ROWS).map(cells).collect();
        Self { rows, ..table }
    }

    /// Makes a row for each thing, a cell for each column that is shown.
    pub(crate) fn from_shown<'a, R: Sync + 'a>(
        columns: impl IntoIterator<Item = (bool, TableColumn<'a, R>)>,
        rows: impl IntoIterator<Item = &'a R>,
    ) -> Self {
        let shown = columns.into_iter().filter(|(is_shown, _)| *is_shown);
        let shown: Vec<TableColumn<'a, R>> = shown.map(|(_, column)| column).collect();
        Self::from_rows(&shown, rows)
    }

    /// Writes the table as Markdown, or in the form set by [`Out::set_table_form`]; the default is columns.
    pub fn write_table(&self, is_markdown: bool, out: &mut Out) -> io::Result<()> {
        if out.capture_piece(|| OutputPiece::Table(self.clone())) {
            return Ok(());
        }
        if let Some(saved) = &mut out.saved {
            saved.save_table(self)?;
        }
        match (is_markdown, out.form) {
            (true, _) | (false, TableForm::Markdown) => self.print_markdown(out),
            (false, TableForm::Tex) => {
                let lines = tex::tex_lines(self);
                let lines = match &mut out.tex_float {
                    Some(float) => float.float_lines(lines),
                    None => lines,
                };
                lines.iter().try_for_each(|line| out.print_table_line(line))
            }
            (false, TableForm::Text) => self.print_columns(out),
        }
    }

    pub fn add_row(&mut self, cells: Vec<String>) {
        self.rows.push(cells.into_iter().map(safe_cell).collect());
    }

    /// Prints the table in columns; in several parts below each other where the terminal is narrower than all of them.
    pub(crate) fn print_columns(&self, out: &mut Out) -> io::Result<()> {
        if out.capture_piece(|| OutputPiece::Table(self.clone())) {
            return Ok(());
        }
        let folds = self.fold_columns(out.terminal_columns());
        for (at, fold) in folds.iter().enumerate() {
            if at > 0 {
                out.print_table_line("")?;
            }
            let format = |row: &Vec<String>| self.row_lines(row, fold);
            let heads = format(&self.plain_heads());
            heads.iter().try_for_each(|line| out.print_table_line(line))?;
            for rows in self.rows.chunks(ROWS_AT_A_TIME) {
                let lines = rows.par_iter().with_min_len(MANY_ROWS).map(format);
                let lines: Vec<Vec<String>> = lines.collect();
                lines.iter().flatten().try_for_each(|line| out.print_table_line(line))?;
            }
        }
        Ok(())
    }

    /// Divides the columns into parts that fit next to each other.
    fn fold_columns(&self, columns: Option<usize>) -> Vec<FoldedColumns> {
        let widths = self.column_widths();
        let all_columns: FoldedColumns = widths.iter().copied().enumerate().collect();
        let Some(columns) = columns.filter(|columns| self.total_width() > *columns) else {
            return vec![all_columns];
        };
        let (keys, rest) = all_columns.split_at(self.keys.min(all_columns.len()));
        let room = if rest.is_empty() { columns } else { columns / 2 };
        let mut keys = keys.to_vec();
        while width_of_columns(&keys) > room {
            match keys.iter_mut().max_by_key(|(_, width)| *width) {
                Some((_, width)) if *width > 1 => *width -= 1,
                _ => break,
            }
        }
        let mut folds = vec![keys.clone()];
        for (column, width) in rest {
            let least = (*width).min(NARROWEST_COLUMN);
            let is_full =
                |fold: &FoldedColumns| width_of_columns(fold) + GAP.len() + least > columns;
            if folds.last().is_some_and(|fold| fold.len() > keys.len() && is_full(fold)) {
                folds.push(keys.clone());
            }
            if let Some(fold) = folds.last_mut() {
                let left = columns.saturating_sub(width_of_columns(fold) + GAP.len()).max(1);
                fold.push((*column, least.min(left)));
            }
        }
        for fold in &mut folds {
            let mut left = columns.saturating_sub(width_of_columns(fold));
            for (column, width) in fold.iter_mut() {
                let more = widths[*column].saturating_sub(*width).min(left);
                *width += more;
                left -= more;
            }
        }
        folds
    }

    /// Returns the width in columns that the table takes as text.
    pub(crate) fn total_width(&self) -> usize {
        width_of_columns(&self.column_widths().into_iter().enumerate().collect::<FoldedColumns>())
    }

    /// Returns the heads; that of a column of numbers begins with `>`.
    pub fn heads(&self) -> &[String] {
        &self.heads
    }

    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    fn plain_heads(&self) -> Vec<String> {
        self.heads.iter().map(|head| head.trim_start_matches('>').to_owned()).collect()
    }

    fn column_widths(&self) -> Vec<usize> {
        let heads = self.plain_heads();
        let width = |column: usize| {
            let cells = std::iter::once(&heads).chain(&self.rows).filter_map(|row| row.get(column));
            cells.map(|cell| text::width(cell)).max().unwrap_or(0)
        };
        match self.rows.len() {
            ..MANY_ROWS => (0..heads.len()).map(width).collect(),
            _ => (0..heads.len()).into_par_iter().map(width).collect(),
        }
    }

    /// Returns the lines of one row: as many as its longest cell takes.
    fn row_lines(&self, row: &[String], fold: &FoldedColumns) -> Vec<String> {
        self.row_in_one_line(row, fold)
            .map_or_else(|| self.row_in_several_lines(row, fold), |line| vec![line])
    }

    /// Returns the row in one line. None if a cell is wider than its column.
    fn row_in_one_line(&self, row: &[String], fold: &FoldedColumns) -> Option<String> {
        let mut line = String::with_capacity(width_of_columns(fold));
        for (at, (column, width)) in fold.iter().enumerate() {
            let cell = row.get(*column).map_or("", String::as_str);
            let cell_width = text::width(cell);
            if cell_width > (*width).max(1) {
                return None;
            }
            let gap = width.saturating_sub(cell_width);
            let (before, after) = if self.is_number(*column) { (gap, 0) } else { (0, gap) };
            line.push_str(if at == 0 { "" } else { GAP });
            line.extend(std::iter::repeat_n(' ', before));
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', after));
        }
        line.truncate(line.trim_end().len());
        Some(line)
    }

    fn row_in_several_lines(&self, row: &[String], fold: &FoldedColumns) -> Vec<String> {
        let parts = |(column, width): &(usize, usize)| -> Vec<&str> {
            let cell = row.get(*column).map_or("", String::as_str);
            let ranges = text::wrap_safe_text(cell, (*width).max(1)).into_iter();
            ranges.map(|range| cell.get(range).unwrap_or_default()).collect()
        };
        let cells: Vec<Vec<&str>> = fold.iter().map(parts).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        let line = |at: usize| {
            let cells = cells.iter().zip(fold).map(|(cell, (column, width))| {
                let cell = cell.get(at).copied().unwrap_or_default();
                let gap = " ".repeat(width.saturating_sub(text::width(cell)));
                if self.is_number(*column) {
                    format!("{gap}{cell}")
                } else {
                    format!("{cell}{gap}")
                }
            });
            cells.collect::<Vec<_>>().join(GAP).trim_end().to_owned()
        };
        (0..height).map(line).collect()
    }

    fn is_number(&self, column: usize) -> bool {
        self.heads.get(column).is_some_and(|head| head.starts_with('>'))
    }

    pub(crate) fn print_markdown(&self, out: &mut Out) -> io::Result<()> {
        if out.capture_piece(|| OutputPiece::Table(self.clone())) {
            return Ok(());
        }
        self.markdown_lines().iter().try_for_each(|line| out.print_table_line(line))
    }

    fn markdown_lines(&self) -> Vec<String> {
        let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
        let rule = |column: usize| if self.is_number(column) { "---:" } else { "---" }.to_owned();
        let rule = row((0..self.heads.len()).map(rule).collect());
        let shown =
            |cells: &Vec<String>| row(cells.iter().map(|cell| markdown_cell(cell)).collect());
        [shown(&self.plain_heads()), rule].into_iter().chain(self.rows.iter().map(shown)).collect()
    }

    /// Returns the texts of the table's files, each with its file extension.
    pub fn file_texts(&self) -> [(&'static str, String); 3] {
        let heads = self.plain_heads();
        let rows = std::iter::once(&heads).chain(&self.rows);
        let csv = rows.map(|row| csv_row(row.iter().cloned())).collect();
        let text = |lines: Vec<String>| lines.join("\n") + "\n";
        [("csv", csv), ("md", text(self.markdown_lines())), ("tex", text(tex::tex_lines(self)))]
    }
}

/// Returns a cell as it is shown.
fn safe_cell(cell: String) -> String {
    match safe_line(&cell) {
        Cow::Borrowed(same) if same.len() == cell.len() => cell,
        shown => shown.into_owned(),
    }
}

/// Returns the width in columns of text that these columns take, with the gaps between them.
fn width_of_columns(fold: &FoldedColumns) -> usize {
    let widths = fold.iter().map(|(_, width)| width).sum::<usize>();
    widths + GAP.len() * fold.len().saturating_sub(1)
}

/// Returns a cell that Markdown shows as it is written here; a bar in it begins no other cell.
fn markdown_cell(cell: &str) -> String {
    escape_markdown(cell).replace('|', "\\|")
}
