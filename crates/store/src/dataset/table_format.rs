//! The forms that tables are written in, and read again by [`super::merge_shards()`].

use std::{
    fs::File,
    io::{self, BufReader},
    path::Path,
};

use trajview_run::worded_enum::worded;

#[cfg(feature = "parquet")]
use super::parquet;
use super::{
    cell::DataRow, column_choice::ColumnChoice, columns::DataTable, csv, data_folder::PartFile,
    jsonl,
};

worded! {
    /// A form of files; its word is how their names end.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum TableFormat {
        /// A Parquet file with the schema in the metadata of the file, compressed with zstd.
        Parquet = "parquet",
        Csv = "csv",
        /// A file of JSON lines: an object a row.
        Jsonl = "jsonl",
    }
}

/// A writer of one table in one form.
pub enum PartWriter {
    /// See [`TableFormat::Parquet`].
    #[cfg(feature = "parquet")]
    Parquet(Box<parquet::ParquetWriter>),
    /// See [`TableFormat::Csv`].
    Csv(csv::CsvWriter),
    /// See [`TableFormat::Jsonl`].
    Jsonl(jsonl::JsonlWriter),
}

impl PartWriter {
    /// Begins a table with these columns in a file.
    ///
    /// # Errors
    ///
    /// Where the file cannot be written, or the program was built without the form.
    pub fn new(form: TableFormat, columns: ColumnChoice, file: PartFile) -> io::Result<Self> {
        match form {
            #[cfg(feature = "parquet")]
            TableFormat::Parquet => {
                Ok(Self::Parquet(Box::new(parquet::ParquetWriter::new(columns, file)?)))
            }
            #[cfg(not(feature = "parquet"))]
            TableFormat::Parquet => Err(io::Error::other(WITHOUT_PARQUET)),
            TableFormat::Csv => Ok(Self::Csv(csv::CsvWriter::new(columns, file)?)),
            TableFormat::Jsonl => Ok(Self::Jsonl(jsonl::JsonlWriter::new(columns, file))),
        }
    }

    /// Adds a row of all columns of the table; rows come sorted by task and run.
    ///
    /// # Errors
    ///
    /// Where the file cannot be written.
    pub fn write_row(&mut self, row: &DataRow) -> io::Result<()> {
        match self {
            #[cfg(feature = "parquet")]
            Self::Parquet(writer) => writer.write_row(row),
            Self::Csv(writer) => writer.write_row(row),
            Self::Jsonl(writer) => writer.write_row(row),
        }
    }

    /// Returns the file with all rows in it.
    ///
    /// # Errors
    ///
    /// Where the file cannot be written.
    pub fn finish(self) -> io::Result<PartFile> {
        match self {
            #[cfg(feature = "parquet")]
            Self::Parquet(writer) => writer.finish(),
            Self::Csv(writer) => Ok(writer.finish()),
            Self::Jsonl(writer) => Ok(writer.finish()),
        }
    }
}

#[cfg(not(feature = "parquet"))]
const WITHOUT_PARQUET: &str =
    "this trajview was built without Parquet; --csv and --jsonl write tables too";

/// The rows of a file, one after the other; what cannot be read is a sentence.
pub type DataRows = Box<dyn Iterator<Item = Result<DataRow, String>>>;

/// Opens a table that was written in a form. Each row has all columns of the table; one that the file does not have is
/// missing.
///
/// # Errors
///
/// A sentence, where it cannot be read or was not written by this program.
pub fn read_rows(form: TableFormat, table: DataTable, path: &Path) -> Result<DataRows, String> {
    read_with_columns(form, table, path).map(|(_, rows)| rows)
}

/// Works as [`read_rows()`], with the columns that the file has; None where it cannot tell, as a file without lines.
///
/// # Errors
///
/// A sentence, where it cannot be read or was not written by this program.
pub(super) fn read_with_columns(
    form: TableFormat,
    table: DataTable,
    path: &Path,
) -> Result<(Option<ColumnChoice>, DataRows), String> {
    let file = File::open(path).map_err(|why| why.to_string())?;
    let known = |(columns, rows): (ColumnChoice, DataRows)| (Some(columns), rows);
    match form {
        #[cfg(feature = "parquet")]
        TableFormat::Parquet => parquet::read_rows(table, file).map(known),
        #[cfg(not(feature = "parquet"))]
        TableFormat::Parquet => Err(WITHOUT_PARQUET.into()),
        TableFormat::Csv => csv::read_rows(table, BufReader::new(file)).map(known),
        TableFormat::Jsonl => jsonl::read_rows(table, BufReader::new(file)),
    }
}

/// Returns the sentence about a file with columns that the table does not have.
pub(super) fn foreign_columns(table: DataTable) -> String {
    format!("the columns are not those of {} in this version of trajview", table.word())
}

/// Works as [`read_rows()`], of a table that another version of trajview may have written: columns are found by their
/// names, and one that was not written yet is missing in each row. Where some are named the others need not be read.
///
/// # Errors
///
/// A sentence, where it cannot be read or was not written by this program.
#[cfg_attr(not(feature = "parquet"), expect(unused_variables, reason = "of lines all is read"))]
pub(crate) fn read_rows_by_name(
    form: TableFormat,
    table: DataTable,
    path: &Path,
    columns: &[&str],
) -> Result<DataRows, String> {
    match form {
        #[cfg(feature = "parquet")]
        TableFormat::Parquet => {
            let file = File::open(path).map_err(|why| why.to_string())?;
            parquet::read_rows_by_name(table, file, columns)
        }
        TableFormat::Jsonl => {
            let file = File::open(path).map_err(|why| why.to_string())?;
            Ok(jsonl::read_rows_by_name(table, BufReader::new(file)))
        }
        TableFormat::Csv => {
            let file = File::open(path).map_err(|why| why.to_string())?;
            csv::read_rows_by_name(table, BufReader::new(file))
        }
        #[cfg(not(feature = "parquet"))]
        TableFormat::Parquet => read_rows(form, table, path),
    }
}
