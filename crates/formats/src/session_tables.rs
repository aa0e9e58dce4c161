//! Sessions in a database: which tables are a tool's, and how their rows become the text that its format reads.
//!
//! The store opens the database and answers [`TableRows`]. To add a tool's database, implement [`SessionTables`] beside
//! its format and add a line to the list.

use serde_json::{Map, Value};

use crate::{cursor, goose, kiro, opencode, otel};

/// A row by its columns.
pub type TableRow = Map<String, Value>;

/// The reason why a database cannot be read.
pub type TableError = String;

/// A table and one of its columns.
pub type TableColumn = (&'static str, &'static str);

/// The rows of a database that is open.
pub trait TableRows {
    /// Returns whether there is a table of that name.
    fn has_table(&self, table: &str) -> Result<bool, TableError>;

    /// Returns the rows of a table with this value in a column.
    fn rows_where(
        &self,
        column: TableColumn,
        value: &str,
        order: &str,
    ) -> Result<Vec<TableRow>, TableError>;

    /// Returns the second values of the rows of a query whose first value is this one. The query is made once for all
    /// values.
    fn values_by_first(&self, query: &'static str, first: &str) -> Result<Vec<String>, TableError>;
}

/// The tables in which a tool keeps its sessions.
pub trait SessionTables: Sync {
    /// Returns the query for the ids of the sessions that are runs, where tables of these names are the tool's.
    fn sessions_query(&self, tables: &[String]) -> Option<String>;

    /// Returns whether the database has messages of the session with this id, which may be that of a sub-agent. The
    /// default is false, for tools that never moved logs into a database.
    fn has_session(&self, _rows: &dyn TableRows, _id: &str) -> Result<bool, TableError> {
        Ok(false)
    }

    /// Returns a session as the values that the format reads, each a line.
    fn session_lines(&self, rows: &dyn TableRows, id: &str) -> Result<Vec<Value>, TableError>;
}

/// The databases that are read, in the order in which they may claim a file.
pub const SESSION_TABLES: &[&dyn SessionTables] = &[
    &opencode::OpenCodeTables,
    &cursor::CursorTables,
    &kiro::KiroTables,
    &otel::SpanTables,
    &goose::GooseTables,
];

/// Returns whether all these tables are there.
pub(crate) fn has_tables(tables: &[String], names: &[&str]) -> bool {
    names.iter().all(|name| tables.iter().any(|table| table == name))
}
