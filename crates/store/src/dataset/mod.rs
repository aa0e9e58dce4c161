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
#[cfg(feature = "sql")]
mod row_filter;
mod columns;
mod csv;
mod exported_tables;
mod data_folder;
mod table_format;
#[cfg(all(feature = "parquet", feature = "sql"))]
mod sqlite_scan;
mod jsonl;
mod merge;
#[cfg(feature = "parquet")]
mod parquet;
mod shard;
mod run_spool;
#[cfg(feature = "sql")]
mod sql;
#[cfg(test)]
mod tests;
mod waiting_rows;

pub use cell::{DataCell, DataRow};
#[cfg(feature = "sql")]
pub use row_filter::RowFilter;
pub use columns::{DataColumn, DataKind, SCHEMA_VERSION, DataTable, table_columns, columns_json, point_numbers};
pub use exported_tables::ExportedTables;
pub use data_folder::{DataFolder, ExistingPart, PartName, PartFile, PublishedPart};
pub use table_format::{TableFormat, PartWriter, DataRows, read_rows};
pub use merge::{MergedPart, merge_shards};
#[cfg(feature = "parquet")]
pub use parquet::schema_of;
pub use shard::{Shard, shard_id};
pub use run_spool::{RunRows, RunSpool};
#[cfg(feature = "sql")]
pub use sql::{QueryAnswer, QueryError, QueryDatabase, tables_named_in};
pub use waiting_rows::WaitingRows;
