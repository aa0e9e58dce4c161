//! The forms that tables are written in, and read again by [`super::merge()`].

use std::{
    fs::File,
    io::{self, BufReader},
    path::Path,
};

use trajview_run::values::worded;

#[cfg(feature = "parquet")]
use super::parquet;
use super::{cell::Row, columns::Table, csv, folder::PartFile, jsonl};

worded! {
    /// A form of files; its word is how their names end.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Form {
        /// With the schema in the metadata of the file, compressed with zstd.
        Parquet = "parquet",
        Csv = "csv",
        /// JSON lines: an object a row.
        Jsonl = "jsonl",
    }
}

/// Writes one table in one form.
pub enum PartWriter {
    /// See [`Form::Parquet`].
    #[cfg(feature = "parquet")]
    Parquet(Box<parquet::Writer>),
    /// See [`Form::Csv`].
    Csv(csv::Writer),
    /// See [`Form::Jsonl`].
    Jsonl(jsonl::Writer),
}

impl PartWriter {
    /// Begins a table in a file.
    ///
    /// # Errors
    ///
    /// Where the file cannot be written, or the program was built without the form.
    pub fn new(form: Form, table: Table, file: PartFile) -> io::Result<Self> {
        match form {
            #[cfg(feature = "parquet")]
            Form::Parquet => Ok(Self::Parquet(Box::new(parquet::Writer::new(table, file)?))),
            #[cfg(not(feature = "parquet"))]
            Form::Parquet => Err(io::Error::other(WITHOUT_PARQUET)),
            Form::Csv => Ok(Self::Csv(csv::Writer::new(table, file)?)),
            Form::Jsonl => Ok(Self::Jsonl(jsonl::Writer::new(table, file))),
        }
    }

    /// Adds a row; rows come sorted by task and run.
    ///
    /// # Errors
    ///
    /// Where the file cannot be written.
    pub fn row(&mut self, row: &Row) -> io::Result<()> {
        match self {
            #[cfg(feature = "parquet")]
            Self::Parquet(writer) => writer.row(row),
            Self::Csv(writer) => writer.row(row),
            Self::Jsonl(writer) => writer.row(row),
        }
    }

    /// The file with all rows in it.
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
pub type Rows = Box<dyn Iterator<Item = Result<Row, String>>>;

/// Opens a table that was written in a form.
///
/// # Errors
///
/// A sentence, where it cannot be read or is none of ours.
pub fn rows(form: Form, table: Table, path: &Path) -> Result<Rows, String> {
    let file = File::open(path).map_err(|why| why.to_string())?;
    match form {
        #[cfg(feature = "parquet")]
        Form::Parquet => parquet::rows(table, file),
        #[cfg(not(feature = "parquet"))]
        Form::Parquet => Err(WITHOUT_PARQUET.into()),
        Form::Csv => csv::rows(table, BufReader::new(file)),
        Form::Jsonl => Ok(jsonl::rows(table, BufReader::new(file))),
    }
}

/// As [`rows()`], of a table that another version of trajview may have written: columns are found by their names, and one
/// that was not written yet is missing in each row. Where some are named the others need not be read.
///
/// # Errors
///
/// A sentence, where it cannot be read or is none of ours.
#[cfg_attr(not(feature = "parquet"), expect(unused_variables, reason = "of lines all is read"))]
pub fn rows_by_name(
    form: Form,
    table: Table,
    path: &Path,
    wanted: &[&str],
) -> Result<Rows, String> {
    match form {
        #[cfg(feature = "parquet")]
        Form::Parquet => {
            let file = File::open(path).map_err(|why| why.to_string())?;
            parquet::rows_by_name(table, file, wanted)
        }
        Form::Jsonl => {
            let file = File::open(path).map_err(|why| why.to_string())?;
            Ok(jsonl::rows_by_name(table, BufReader::new(file)))
        }
        form => rows(form, table, path),
    }
}
