//! Tables as JSON lines: an object a row, with every column; null is null. Columns of JSON are text here as well, as they are
//! in the other forms.

use std::{
    collections::HashMap,
    io::{self, BufRead, Write},
};

use serde_json::value::RawValue;

use super::{
    cell::{Cell, Row},
    columns::{Column, Kind, Table, columns},
    folder::PartFile,
    form::Rows,
};

/// Writes a table.
pub struct Writer {
    table: Table,
    file: PartFile,
    line: Vec<u8>,
}

impl Writer {
    pub const fn new(table: Table, file: PartFile) -> Self {
        Self { table, file, line: vec![] }
    }

    pub fn row(&mut self, row: &Row) -> io::Result<()> {
        self.line.clear();
        for (column, cell) in columns(self.table).iter().zip(row) {
            self.line.push(if self.line.is_empty() { b'{' } else { b',' });
            serde_json::to_writer(&mut self.line, column.name)?;
            self.line.push(b':');
            match cell {
                Cell::Missing => self.line.extend(b"null"),
                Cell::Text(words) => serde_json::to_writer(&mut self.line, words)?,
                Cell::Whole(number) => serde_json::to_writer(&mut self.line, number)?,
                Cell::Real(number) => serde_json::to_writer(&mut self.line, number)?,
                Cell::Truth(is_so) => serde_json::to_writer(&mut self.line, is_so)?,
            }
        }
        self.line.extend(b"}\n");
        self.file.write_all(&self.line)
    }

    pub fn finish(self) -> PartFile {
        self.file
    }
}

/// Reads what [`Writer`] wrote.
pub fn rows(table: Table, file: impl BufRead + 'static) -> Rows {
    lines(file, move |line| row(table, line))
}

/// As [`rows`]; a field that is not there is missing.
pub fn rows_by_name(table: Table, file: impl BufRead + 'static) -> Rows {
    lines(file, move |line| {
        let fields: HashMap<String, &RawValue> =
            serde_json::from_slice(line).map_err(|why| why.to_string())?;
        let cell = |column: &Column| match fields.get(column.name) {
            None => Ok(Cell::Missing),
            Some(value) => cell_of(column, value.get()),
        };
        columns(table).iter().map(cell).collect()
    })
}

fn lines(
    mut file: impl BufRead + 'static,
    row: impl Fn(&[u8]) -> Result<Row, String> + 'static,
) -> Rows {
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

fn row(table: Table, line: &[u8]) -> Result<Row, String> {
    // Numbers are read from their digits: serde_json may round a float by its last digit.
    let fields: HashMap<String, &RawValue> =
        serde_json::from_slice(line).map_err(|why| why.to_string())?;
    let cell = |column: &Column| match fields.get(column.name) {
        None => Err(format!("no field {} of {}", column.name, table.word())),
        Some(value) => cell_of(column, value.get()),
    };
    columns(table).iter().map(cell).collect()
}

fn cell_of(column: &Column, value: &str) -> Result<Cell, String> {
    if value == "null" {
        return Ok(Cell::Missing);
    }
    let wrong = || format!("{}: expected {}, found {value}", column.name, column.kind.word());
    match column.kind {
        Kind::Text | Kind::Json => serde_json::from_str(value).map(Cell::Text).map_err(|_| wrong()),
        Kind::Whole => value.parse().map(Cell::Whole).map_err(|_| wrong()),
        Kind::Real => value.parse().map(Cell::Real).map_err(|_| wrong()),
        Kind::Truth => value.parse().map(Cell::Truth).map_err(|_| wrong()),
    }
}
