//! Rows whose columns the settings name: they are read as if they had the published names.

use std::sync::{PoisonError, RwLock};

use trajview_formats::ColumnNames;

/// The columns of the settings; empty until they are read.
static COLUMN_SETTINGS: RwLock<ColumnNames> =
    RwLock::new(ColumnNames { id: vec![], messages: vec![], patch: vec![], solved: vec![] });

/// Sets the names of columns of rows, for as long as the program runs.
pub fn set_columns(columns: ColumnNames) {
    *COLUMN_SETTINGS.write().unwrap_or_else(PoisonError::into_inner) = columns;
}

/// Passes the columns of the settings to a function, and returns its result.
pub(crate) fn with_columns<T>(then: impl FnOnce(&ColumnNames) -> T) -> T {
    then(&COLUMN_SETTINGS.read().unwrap_or_else(PoisonError::into_inner))
}

/// Returns whether a file of lines starts with a row that has its messages in a column that the settings name.
pub fn has_named_columns(head: &[u8]) -> bool {
    with_columns(|columns| columns.has_named_messages(head))
}

/// Returns the name that a column is read under.
#[cfg(feature = "parquet")]
pub(crate) fn published_name(name: &str) -> &str {
    with_columns(|columns| columns.published_name(name)).unwrap_or(name)
}
