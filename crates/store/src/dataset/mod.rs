//! Runs as tables for other programs: Parquet, CSV and JSON lines.
//!
//! [`table_columns()`] declares every table once: each column with its type, its unit, its meaning and the place of its
//! value in the JSON of the commands. A [`DataRow`] is made of that JSON, so that a value in a table is the one a
//! command prints. A [`RunSpool`] keeps the rows of all runs on disk until all are complete; they are then written
//! sorted by task and run, each table as one immutable part of the folder ([`DataFolder`]), named by its [`Shard`] and
//! by its content. [`merge_shards()`] joins the parts of all shards into what one export of all runs writes, byte for
//! byte. [`ExportedTables`] finds the tables of a folder again, and a [`QueryDatabase`] queries them in place.
//!
//! A new column is one row of `columns.rs`. A new form is one more [`TableFormat`] with its [`PartWriter`] and its
//! reader.

mod cell;
mod column_choice;
mod columns;
mod csv;
mod data_folder;
mod exported_tables;
mod jsonl;
mod merge;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "sql")]
mod row_filter;
mod run_spool;
mod shard;
#[cfg(feature = "sql")]
mod sql;
#[cfg(all(feature = "parquet", feature = "sql"))]
mod sqlite_scan;
mod table_format;
#[cfg(test)]
mod tests;
mod waiting_rows;

pub use cell::{DataCell, DataRow};
pub use column_choice::{ColumnChoice, choose_columns};
pub use columns::{DataColumn, DataKind, DataTable, SCHEMA_VERSION, table_columns, table_numbers};
pub use data_folder::{DataFolder, ExistingPart, PartFile, PartName, PublishedPart};
pub use exported_tables::ExportedTables;
pub use merge::{MergedPart, merge_shards};
#[cfg(feature = "parquet")]
pub use parquet::schema_of;
#[cfg(feature = "sql")]
pub use row_filter::RowFilter;
pub use run_spool::{RunRows, RunSpool};
pub use shard::{Shard, shard_id};
#[cfg(feature = "sql")]
pub use sql::{QueryAnswer, QueryDatabase, QueryError, tables_named_in};
pub use table_format::{DataRows, PartWriter, TableFormat, read_rows};
pub use waiting_rows::WaitingRows;
