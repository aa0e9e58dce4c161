//! The widths of the columns, and whether any run has a value in them. They are updated run by run, since computing
//! them anew with each answer would take minutes for a table of thousands.

use crate::session::columns::{ColumnKind, RunTableColumn};
use trajview_metrics::Number;

use super::{row::RunRow, values::KnownValue};

/// Cells of a value that was measured before, brackets included.
pub(crate) const EARLIER_VALUE_CELLS: usize = 8;

/// Cells of a column of words at most, whatever the screen.
const WIDEST_WORDS: usize = 60;

/// The totals of the cells of all runs.
#[derive(Debug)]
pub struct ColumnWidths {
    /// The counted cells of each run, in the order of the runs and of the columns.
    run_cells: Vec<Vec<CellFill>>,
    columns: Vec<ColumnFill>,
}

impl Default for ColumnWidths {
    fn default() -> Self {
        Self {
            run_cells: vec![],
            columns: RunTableColumn::all_columns().map(|_| ColumnFill::default()).collect(),
        }
    }
}

/// The cell of one run in one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct CellFill {
    /// Width in characters, at most the maximum of the column. It is small since there may be a hundred thousand runs.
    width: u8,
    /// True if there is a value, or one may arrive.
    is_filled: bool,
}

/// The cells of a column.
#[derive(Debug, Default)]
struct ColumnFill {
    filled: usize,
    /// Number of cells of each width.
    of_width: Vec<usize>,
}

impl ColumnWidths {
    /// Counts a run as it is now; `at` is its index, at most one behind the last that was counted.
    pub(crate) fn count_row(&mut self, at: usize, row: &RunRow) {
        if at == self.run_cells.len() {
            self.run_cells.push(vec![CellFill::default(); self.columns.len()]);
            self.columns.iter_mut().for_each(|sum| sum.add_cell(CellFill::default()));
        }
        let Some(cells) = self.run_cells.get_mut(at) else { return };
        for ((cell, sum), column) in
            cells.iter_mut().zip(&mut self.columns).zip(RunTableColumn::all_columns())
        {
            let now = CellFill::for_column(row, column);
            if now != *cell {
                sum.remove_cell(*cell);
                sum.add_cell(now);
                *cell = now;
            }
        }
    }

    /// Returns the widest cell of a column, in characters.
    pub(crate) fn widest_cell(&self, column: RunTableColumn) -> usize {
        let counts = &self.columns[column.column_index()].of_width;
        counts.iter().rposition(|count| *count > 0).unwrap_or_default()
    }

    /// Returns true if no run has a value in the column and none will arrive.
    pub fn is_empty(&self, column: RunTableColumn) -> bool {
        self.columns[column.column_index()].filled == 0
    }
}

impl CellFill {
    fn for_column(row: &RunRow, column: RunTableColumn) -> Self {
        let column_info = column.column_info();
        let before = if row.earlier_scores.is_some() { EARLIER_VALUE_CELLS } else { 0 };
        let most = match column_info.kind {
            // Words may take what other columns leave.
            ColumnKind::Words => WIDEST_WORDS,
            ColumnKind::Number => {
                column_info.max_cells.max(column_info.title.chars().count() + 1) + before
            }
        };
        match row.shown_text(column) {
            KnownValue::Known(shown) => {
                let is_filled =
                    column != RunTableColumn::Number(Number::Warnings) || !shown.is_empty();
                let width = shown.chars().take(most).count();
                Self { width: u8::try_from(width).unwrap_or(u8::MAX), is_filled }
            }
            KnownValue::Coming => Self { width: 0, is_filled: true },
            KnownValue::Missing => Self::default(),
        }
    }
}

impl ColumnFill {
    fn add_cell(&mut self, cell: CellFill) {
        let width = usize::from(cell.width);
        if self.of_width.len() <= width {
            self.of_width.resize(width + 1, 0);
        }
        self.of_width[width] += 1;
        self.filled += usize::from(cell.is_filled);
    }

    /// Removes a cell that was added before.
    fn remove_cell(&mut self, cell: CellFill) {
        self.of_width[usize::from(cell.width)] -= 1;
        self.filled -= usize::from(cell.is_filled);
    }
}
