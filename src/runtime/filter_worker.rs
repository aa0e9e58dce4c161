//! Filters the rows of a table by an expression in SQL: keeps the values that were sent, for as long as the program runs.

use std::sync::{Arc, Mutex, PoisonError};

#[cfg(feature = "sql")]
use trajview_store::dataset::{self, DataCell, RowFilter};
#[cfg(feature = "sql")]
use trajview_tui::session::sql_filter::{FilterKind, FilterValue};
use trajview_tui::session::{request::Sentence, sql_filter::FilterRequest};

/// The rows of the table; copies share them.
#[derive(Debug, Clone, Default)]
pub struct FilterWorker {
    #[cfg(feature = "sql")]
    rows: Arc<Mutex<Option<RowFilter>>>,
    #[cfg(not(feature = "sql"))]
    rows: Arc<Mutex<()>>,
}

impl FilterWorker {
    /// Takes the values, and returns the rows that fit the expression; None without one.
    ///
    /// # Errors
    ///
    /// A sentence when the expression cannot be evaluated.
    #[cfg(feature = "sql")]
    pub fn matching_rows(&self, request: FilterRequest) -> Result<Option<Vec<usize>>, Sentence> {
        let mut row_filter = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = |why: std::io::Error| format!("cannot store the values: {why}");
        if let Some(columns) = request.begins {
            let columns: Vec<(&str, dataset::DataKind)> =
                columns.into_iter().map(|(name, of)| (name, column_kind(of))).collect();
            *row_filter = Some(RowFilter::with_columns(&columns).map_err(failed)?);
        }
        let Some(rows) = row_filter.as_mut() else {
            return Err("nothing was sent of the rows".into());
        };
        let cells = |(row, values): (usize, Vec<FilterValue>)| {
            (row, values.into_iter().map(data_cell).collect())
        };
        rows.put_rows(request.rows.into_iter().map(cells)).map_err(failed)?;
        request.expression.map(|expression| rows.matching_rows(&expression)).transpose()
    }

    /// Returns the error that SQL is not built in.
    ///
    /// # Errors
    ///
    /// Always.
    #[cfg(not(feature = "sql"))]
    pub fn matching_rows(&self, _: FilterRequest) -> Result<Option<Vec<usize>>, Sentence> {
        drop(self.rows.lock().unwrap_or_else(PoisonError::into_inner));
        Err("this trajview was built without SQL; / narrows the table down too".into())
    }
}

#[cfg(feature = "sql")]
const fn column_kind(of: FilterKind) -> dataset::DataKind {
    match of {
        FilterKind::Text => dataset::DataKind::Text,
        FilterKind::Whole => dataset::DataKind::Integer,
        FilterKind::Real => dataset::DataKind::Real,
        FilterKind::Truth => dataset::DataKind::Bool,
    }
}

#[cfg(feature = "sql")]
fn data_cell(value: FilterValue) -> DataCell {
    match value {
        FilterValue::Missing => DataCell::Missing,
        FilterValue::Text(words) => DataCell::Text(words),
        FilterValue::Whole(number) => DataCell::Integer(number),
        FilterValue::Real(number) => DataCell::Real(number),
        FilterValue::Truth(is_so) => DataCell::Bool(is_so),
    }
}
