//! Runs as tables for other programs: Parquet, CSV and JSON lines.
//!
//! [`columns()`] declares every table once: each column with its type, its unit, what it means and where in the JSON of the
//! commands its value stands. A [`Row`] is made of that JSON, so that a value in a table is the one a command prints. A
//! [`Spool`] keeps the rows of all runs on disk until all are there; they are then written sorted by task and run, each
//! table as one immutable part of the folder ([`DataFolder`]), named by its [`Shard`] and by its content. [`merge()`] joins the
//! parts of all shards into what one export of all runs writes, byte for byte. [`Exported`] finds the tables of a folder again,
//! and a [`Database`] asks them where they lie.
//!
//! A new column is one row of `columns.rs`. A new form is one more [`Form`] with its [`PartWriter`] and its reader.

mod cell;
#[cfg(feature = "sql")]
mod chooser;
mod columns;
mod csv;
mod exported;
mod folder;
mod form;
#[cfg(all(feature = "parquet", feature = "sql"))]
mod in_place;
mod jsonl;
mod merge;
#[cfg(feature = "parquet")]
mod parquet;
mod shard;
mod spool;
#[cfg(feature = "sql")]
mod sql;
#[cfg(test)]
mod tests;
mod waiting;

pub use cell::{Cell, Row};
#[cfg(feature = "sql")]
pub use chooser::Chooser;
pub use columns::{Column, Kind, SCHEMA, Table, columns, described, point_numbers};
pub use exported::Exported;
pub use folder::{DataFolder, Existing, Part, PartFile, Published};
pub use form::{Form, PartWriter, Rows, rows};
pub use merge::{Merged, merge};
#[cfg(feature = "parquet")]
pub use parquet::schema_of;
pub use shard::{Shard, id_of};
pub use spool::{RunRows, Spool};
#[cfg(feature = "sql")]
pub use sql::{Answer, AskError, Database, named_in};
pub use waiting::WaitingRows;
