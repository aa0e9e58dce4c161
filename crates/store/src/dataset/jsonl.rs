//! Tables as JSON lines: an object a row, with every column; null is null. Columns of JSON are text here as well, as
//! they are in the other forms.

use std::{
    collections::HashMap,
    fmt,
    io::{self, BufRead, Read as _, Write},
};

use serde::{
    Deserializer as _,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::value::RawValue;

use super::{
    cell::{DataCell, DataRow},
    column_choice::ColumnChoice,
    columns::{DataColumn, DataKind, DataTable, table_columns},
    data_folder::PartFile,
    table_format::{DataRows, foreign_columns},
};

/// A writer of a table as JSON lines.
pub struct JsonlWriter {
    columns: ColumnChoice,
    file: PartFile,
    line: Vec<u8>,
}

impl JsonlWriter {
    pub const fn new(columns: ColumnChoice, file: PartFile) -> Self {
        Self { columns, file, line: vec![] }
    }

    pub fn write_row(&mut self, row: &DataRow) -> io::Result<()> {
        self.line.clear();
        for (column, cell) in self.columns.columns().zip(self.columns.chosen_cells(row)) {
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

/// Reads what [`JsonlWriter`] wrote, with the columns of the file: those of its first line; None without a line.
pub fn read_rows(
    table: DataTable,
    mut file: impl BufRead + 'static,
) -> Result<(Option<ColumnChoice>, DataRows), String> {
    let mut first = vec![];
    file.read_until(b'\n', &mut first).map_err(|why| why.to_string())?;
    if first.is_empty() {
        return Ok((None, Box::new(std::iter::empty())));
    }
    let names = field_names(&first)?;
    let columns = ColumnChoice::from_names(table, names.iter().map(String::as_str))
        .map_err(|_| foreign_columns(table))?;
    let lines = io::Cursor::new(first).chain(file);
    let of_rows = columns.clone();
    Ok((Some(columns), rows_of_lines(lines, move |line| parse_row(&of_rows, line))))
}

/// Returns the names of the fields of an object, in its order.
fn field_names(line: &[u8]) -> Result<Vec<String>, String> {
    struct NamesVisitor;
    impl<'de> Visitor<'de> for NamesVisitor {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Vec<String>, A::Error> {
            let mut names = vec![];
            while let Some((name, _)) = fields.next_entry::<String, IgnoredAny>()? {
                names.push(name);
            }
            Ok(names)
        }
    }
    let mut reader = serde_json::Deserializer::from_slice(line);
    reader.deserialize_map(NamesVisitor).map_err(|why| why.to_string())
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

fn parse_row(columns: &ColumnChoice, line: &[u8]) -> Result<DataRow, String> {
    // Numbers are read from their digits: serde_json may round a float by its last digit.
    let fields: HashMap<String, &RawValue> =
        serde_json::from_slice(line).map_err(|why| why.to_string())?;
    let cell = |column: &DataColumn| match fields.get(column.name) {
        None => Err(format!("no field {} of {}", column.name, columns.table().word())),
        Some(value) => parse_cell(column, value.get()),
    };
    Ok(columns.whole_row(columns.columns().map(cell).collect::<Result<Vec<_>, String>>()?))
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
