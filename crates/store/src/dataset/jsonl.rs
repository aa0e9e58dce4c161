//! Tables as JSON lines: an object a row, with every column; null is null. Columns of JSON are text here as well, as
//! they are in the other forms.

use std::{
    collections::HashMap,
    io::{self, BufRead, Write},
};

use serde_json::value::RawValue;

use super::{
    cell::{DataCell, DataRow},
    columns::{DataColumn, DataKind, DataTable, table_columns},
    data_folder::PartFile,
    table_format::DataRows,
};

/// A writer of a table as JSON lines.
pub struct JsonlWriter {
    table: DataTable,
    file: PartFile,
    line: Vec<u8>,
}

impl JsonlWriter {
    pub const fn new(table: DataTable, file: PartFile) -> Self {
        Self { table, file, line: vec![] }
    }

    pub fn write_row(&mut self, row: &DataRow) -> io::Result<()> {
        self.line.clear();
        for (column, cell) in table_columns(self.table).iter().zip(row) {
            self.line.push(if self.line.is_empty() { b'{' } else { b',' });
            serde_json::to_writer(&mut self.line, column.name)?;
            self.line.push(b':');
            match cell {
                DataCell::Missing => self.line.extend(b"null"),
                DataCell::Text(words) => serde_json::to_writer(&mut self.line, words)?,
                DataCell::Integer(number) => serde_json::to_writer(&mut self.line, number)?,
                DataCell::Real(number) => serde_json::to_writer(&mut self.line, number)?,
                DataCell::Bool(is_so) => serde_json::to_writer(&mut self.line, is_so)?,
            }
        }
        self.line.extend(b"}\n");
        self.file.write_all(&self.line)
    }

    pub fn finish(self) -> PartFile {
        self.file
    }
}

/// Reads what [`JsonlWriter`] wrote.
pub fn read_rows(table: DataTable, file: impl BufRead + 'static) -> DataRows {
    rows_of_lines(file, move |line| parse_row(table, line))
}

/// Works as [`read_rows`]; a field that is not there is missing.
pub(crate) fn read_rows_by_name(table: DataTable, file: impl BufRead + 'static) -> DataRows {
    rows_of_lines(file, move |line| {
        let fields: HashMap<String, &RawValue> =
            serde_json::from_slice(line).map_err(|why| why.to_string())?;
        let cell = |column: &DataColumn| match fields.get(column.name) {
            None => Ok(DataCell::Missing),
            Some(value) => parse_cell(column, value.get()),
        };
        table_columns(table).iter().map(cell).collect()
    })
}

fn rows_of_lines(
    mut file: impl BufRead + 'static,
    row: impl Fn(&[u8]) -> Result<DataRow, String> + 'static,
) -> DataRows {
    let mut line = vec![];
    Box::new(std::iter::from_fn(move || {
        line.clear();
        match file.read_until(b'\n', &mut line) {
            Ok(0) => None,
            Ok(_) => Some(row(&line)),
            Err(why) => Some(Err(why.to_string())),
        }
    }))
}

fn parse_row(table: DataTable, line: &[u8]) -> Result<DataRow, String> {
    // Numbers are read from their digits: serde_json may round a float by its last digit.
    let fields: HashMap<String, &RawValue> =
        serde_json::from_slice(line).map_err(|why| why.to_string())?;
    let cell = |column: &DataColumn| match fields.get(column.name) {
        None => Err(format!("no field {} of {}", column.name, table.word())),
        Some(value) => parse_cell(column, value.get()),
    };
    table_columns(table).iter().map(cell).collect()
}

fn parse_cell(column: &DataColumn, value: &str) -> Result<DataCell, String> {
    if value == "null" {
        return Ok(DataCell::Missing);
    }
    let wrong = || format!("{}: expected {}, found {value}", column.name, column.kind.word());
    match column.kind {
        DataKind::Text | DataKind::Json => {
            serde_json::from_str(value).map(DataCell::Text).map_err(|_| wrong())
        }
        DataKind::Integer => value.parse().map(DataCell::Integer).map_err(|_| wrong()),
        DataKind::Real => value.parse().map(DataCell::Real).map_err(|_| wrong()),
        DataKind::Bool => value.parse().map(DataCell::Bool).map_err(|_| wrong()),
    }
}
