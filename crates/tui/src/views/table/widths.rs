//! How wide each column has to be and whether any run has a value there, kept up to date run by run: laying out all
//! columns anew with each answer would cost a table of thousands minutes.

use crate::session::columns::{Column, Kind};
use trajview_metrics::Number;

use super::{row::Row, values::Known};

/// Cells of a value that was measured before, brackets included.
pub const BEFORE: usize = 8;

/// Cells of a column of words at most, whatever the screen.
const WIDEST: usize = 60;

/// What the cells of all runs amount to.
#[derive(Debug)]
pub struct Widths {
    /// What is counted of each run, in the order of the runs and of the columns.
    counted: Vec<Vec<Cell>>,
    columns: Vec<Sum>,
}

impl Default for Widths {
    fn default() -> Self {
        Self { counted: vec![], columns: Column::all().map(|_| Sum::default()).collect() }
    }
}

/// What one run has in one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Cell {
    /// In characters, not more than a column may have: there may be a hundred thousand runs.
    width: u8,
    /// There is a value, or one may come.
    is_filled: bool,
}

/// The cells of a column.
#[derive(Debug, Default)]
struct Sum {
    filled: usize,
    /// How many cells are so wide.
    of_width: Vec<usize>,
}

impl Widths {
    /// Counts a run as it is now; `at` is its index, at most one behind the last that was counted.
    pub fn count(&mut self, at: usize, row: &Row) {
        if at == self.counted.len() {
            self.counted.push(vec![Cell::default(); self.columns.len()]);
            self.columns.iter_mut().for_each(|sum| sum.add(Cell::default()));
        }
        let Some(cells) = self.counted.get_mut(at) else { return };
        for ((cell, sum), column) in cells.iter_mut().zip(&mut self.columns).zip(Column::all()) {
            let now = Cell::of(row, column);
            if now != *cell {
                sum.remove(*cell);
                sum.add(now);
                *cell = now;
            }
        }
    }

    /// The widest cell of a column, in characters.
    pub fn widest(&self, column: Column) -> usize {
        let counts = &self.columns[column.place()].of_width;
        counts.iter().rposition(|count| *count > 0).unwrap_or_default()
    }

    /// No run has a value there, and none will come.
    pub fn is_empty(&self, column: Column) -> bool {
        self.columns[column.place()].filled == 0
    }
}

impl Cell {
    fn of(row: &Row, column: Column) -> Self {
        let about = column.about();
        let before = if row.before.is_some() { BEFORE } else { 0 };
        let most = match about.kind {
            // Words may take what other columns leave.
            Kind::Words => WIDEST,
            Kind::Number => about.most.max(about.title.chars().count() + 1) + before,
        };
        match row.shown(column) {
            Known::Known(shown) => {
                let is_filled = column != Column::Number(Number::Warnings) || !shown.is_empty();
                let width = shown.chars().take(most).count();
                Self { width: u8::try_from(width).unwrap_or(u8::MAX), is_filled }
            }
            Known::Coming => Self { width: 0, is_filled: true },
            Known::Missing => Self::default(),
        }
    }
}

impl Sum {
    fn add(&mut self, cell: Cell) {
        let width = usize::from(cell.width);
        if self.of_width.len() <= width {
            self.of_width.resize(width + 1, 0);
        }
        self.of_width[width] += 1;
        self.filled += usize::from(cell.is_filled);
    }

    /// Of a cell that was added before.
    fn remove(&mut self, cell: Cell) {
        self.of_width[usize::from(cell.width)] -= 1;
        self.filled -= usize::from(cell.is_filled);
    }
}
