//! A table in every form: in columns, as Markdown, as LaTeX, as CSV.

use std::{borrow::Cow, io};

use rayon::prelude::*;

use trajview_tui::widgets::text;

use super::{Form, Out, Piece, csv_row, inert, plain};

mod tex;

/// Between two columns of text.
const GAP: &str = "  ";

/// A column: its head, and what a row has there.
pub type Column<'a, R> = (&'a str, &'a (dyn Fn(&R) -> String + Sync));

/// A column of a folded table is not broken below so many letters.
const NARROWEST: usize = 24;

/// Rows that are laid out at a time, on all cores.
const AT_A_TIME: usize = 2048;

/// Fewer rows are laid out by one thread.
const MANY_ROWS: usize = 256;

/// Rows under heads. As text it is as wide as it is, or folded where the terminal is narrower.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
    /// How many of the first columns say what a row is of.
    keys: usize,
}

/// Columns that stand side by side, by number, each with its width.
type Fold = Vec<(usize, usize)>;

impl Table {
    /// A head that starts with `>` makes a column of numbers.
    pub fn new(heads: &[&'static str]) -> Self {
        Self::headed(heads.iter().map(|head| (*head).to_owned()).collect())
    }

    /// The same with heads that are made up as the program goes.
    pub fn headed(heads: Vec<String>) -> Self {
        Self { heads, rows: vec![], keys: 1 }
    }

    /// So many of the first columns say what a row is of: they begin each part of a folded table. One, unless said.
    pub fn keyed(self, keys: usize) -> Self {
        Self { keys, ..self }
    }

    /// A row for each thing, a cell for each column.
    pub fn of<'r, R: Sync + 'r>(
        columns: &[Column<'_, R>],
        rows: impl IntoIterator<Item = &'r R>,
    ) -> Self {
        let table = Self::headed(columns.iter().map(|(head, _)| (*head).to_owned()).collect());
        let rows: Vec<&R> = rows.into_iter().collect();
        let cells = |row: &&R| columns.iter().map(|(_, of)| shown(of(row))).collect();
        let rows = rows.par_iter().with_min_len(MANY_ROWS).map(cells).collect();
        Self { rows, ..table }
    }

    /// Written as Markdown, or as [`Out::write_as`] says: in columns, if nothing does.
    pub fn write(&self, is_markdown: bool, out: &mut Out) -> io::Result<()> {
        if out.keeps(|| Piece::Table(self.clone())) {
            return Ok(());
        }
        if let Some(saved) = &mut out.saved {
            saved.save(self)?;
        }
        match (is_markdown, out.form) {
            (true, _) | (false, Form::Markdown) => self.markdown(out),
            (false, Form::Tex) => tex::lines(self).iter().try_for_each(|line| out.plain_line(line)),
            (false, Form::Text) => self.print(out),
        }
    }

    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells.into_iter().map(shown).collect());
    }

    /// In columns; in several parts below each other where the terminal is narrower than all of them.
    pub fn print(&self, out: &mut Out) -> io::Result<()> {
        if out.keeps(|| Piece::Table(self.clone())) {
            return Ok(());
        }
        let folds = self.folds(out.columns());
        for (at, fold) in folds.iter().enumerate() {
            if at > 0 {
                out.plain_line("")?;
            }
            let format = |row: &Vec<String>| self.format(row, fold);
            let heads = format(&self.plain_heads());
            heads.iter().try_for_each(|line| out.plain_line(line))?;
            for rows in self.rows.chunks(AT_A_TIME) {
                let lines = rows.par_iter().with_min_len(MANY_ROWS).map(format);
                let lines: Vec<Vec<String>> = lines.collect();
                lines.iter().flatten().try_for_each(|line| out.plain_line(line))?;
            }
        }
        Ok(())
    }

    /// The columns that stand side by side, part by part.
    fn folds(&self, columns: Option<usize>) -> Vec<Fold> {
        let widths = self.widths();
        let whole: Fold = widths.iter().copied().enumerate().collect();
        let Some(columns) = columns.filter(|columns| self.width() > *columns) else {
            return vec![whole];
        };
        let (keys, rest) = whole.split_at(self.keys.min(whole.len()));
        let room = if rest.is_empty() { columns } else { columns / 2 };
        let mut keys = keys.to_vec();
        while taken(&keys) > room {
            match keys.iter_mut().max_by_key(|(_, width)| *width) {
                Some((_, width)) if *width > 1 => *width -= 1,
                _ => break,
            }
        }
        let mut folds = vec![keys.clone()];
        for (column, width) in rest {
            let least = (*width).min(NARROWEST);
            let is_full = |fold: &Fold| taken(fold) + GAP.len() + least > columns;
            if folds.last().is_some_and(|fold| fold.len() > keys.len() && is_full(fold)) {
                folds.push(keys.clone());
            }
            if let Some(fold) = folds.last_mut() {
                let left = columns.saturating_sub(taken(fold) + GAP.len()).max(1);
                fold.push((*column, least.min(left)));
            }
        }
        for fold in &mut folds {
            let mut left = columns.saturating_sub(taken(fold));
            for (column, width) in fold.iter_mut() {
                let more = widths[*column].saturating_sub(*width).min(left);
                *width += more;
                left -= more;
            }
        }
        folds
    }

    /// Columns that it takes as text.
    pub fn width(&self) -> usize {
        taken(&self.widths().into_iter().enumerate().collect::<Fold>())
    }

    /// The heads; that of a column of numbers begins with `>`.
    pub fn heads(&self) -> &[String] {
        &self.heads
    }

    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    fn plain_heads(&self) -> Vec<String> {
        self.heads.iter().map(|head| head.trim_start_matches('>').to_owned()).collect()
    }

    fn widths(&self) -> Vec<usize> {
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

    /// The lines of one row: as many as its longest cell takes.
    fn format(&self, row: &[String], fold: &Fold) -> Vec<String> {
        self.one_line(row, fold).map_or_else(|| self.several_lines(row, fold), |line| vec![line])
    }

    /// None where a cell is wider than its column.
    fn one_line(&self, row: &[String], fold: &Fold) -> Option<String> {
        let mut line = String::with_capacity(taken(fold));
        for (at, (column, width)) in fold.iter().enumerate() {
            let cell = row.get(*column).map_or("", String::as_str);
            let taken = text::width(cell);
            if taken > (*width).max(1) {
                return None;
            }
            let gap = width.saturating_sub(taken);
            let (before, after) = if self.is_number(*column) { (gap, 0) } else { (0, gap) };
            line.push_str(if at == 0 { "" } else { GAP });
            line.extend(std::iter::repeat_n(' ', before));
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', after));
        }
        line.truncate(line.trim_end().len());
        Some(line)
    }

    fn several_lines(&self, row: &[String], fold: &Fold) -> Vec<String> {
        let parts = |(column, width): &(usize, usize)| -> Vec<&str> {
            let cell = row.get(*column).map_or("", String::as_str);
            let ranges = text::wrap(cell, (*width).max(1)).into_iter();
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

    pub fn markdown(&self, out: &mut Out) -> io::Result<()> {
        if out.keeps(|| Piece::Table(self.clone())) {
            return Ok(());
        }
        self.markdown_lines().iter().try_for_each(|line| out.plain_line(line))
    }

    fn markdown_lines(&self) -> Vec<String> {
        let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
        let rule = |column: usize| if self.is_number(column) { "---:" } else { "---" }.to_owned();
        let rule = row((0..self.heads.len()).map(rule).collect());
        let shown = |cells: &Vec<String>| row(cells.iter().map(|cell| markdown(cell)).collect());
        [shown(&self.plain_heads()), rule].into_iter().chain(self.rows.iter().map(shown)).collect()
    }

    /// What files of it hold, each with the end of its name.
    pub fn texts(&self) -> [(&'static str, String); 3] {
        let heads = self.plain_heads();
        let rows = std::iter::once(&heads).chain(&self.rows);
        let csv = rows.map(|row| csv_row(row.iter().cloned())).collect();
        let text = |lines: Vec<String>| lines.join("\n") + "\n";
        [("csv", csv), ("md", text(self.markdown_lines())), ("tex", text(tex::lines(self)))]
    }
}

/// A cell as it is shown.
fn shown(cell: String) -> String {
    match plain(&cell) {
        Cow::Borrowed(same) if same.len() == cell.len() => cell,
        shown => shown.into_owned(),
    }
}

/// Columns of text that these take.
fn taken(fold: &Fold) -> usize {
    let widths = fold.iter().map(|(_, width)| width).sum::<usize>();
    widths + GAP.len() * fold.len().saturating_sub(1)
}

/// A cell that Markdown shows as it is written here; a bar in it begins no other cell.
fn markdown(cell: &str) -> String {
    inert(cell).replace('|', "\\|")
}
