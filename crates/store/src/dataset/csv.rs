//! Tables as CSV: an empty cell is null, `""` is an empty text; else as [`trajview_formats::csv`] writes every table.

use std::{
    borrow::Cow,
    io::{self, BufRead, Write},
};

use trajview_formats::csv;

use super::{
    cell::{Cell, Row},
    columns::{Column, Kind, Table, columns},
    folder::PartFile,
    form::Rows,
};

/// Writes a table.
pub struct Writer(PartFile);

impl Writer {
    pub fn new(table: Table, mut file: PartFile) -> io::Result<Self> {
        file.write_all(head(table).as_bytes())?;
        Ok(Self(file))
    }

    pub fn row(&mut self, row: &Row) -> io::Result<()> {
        let cells = row.iter().map(|cell| match cell {
            Cell::Missing => None,
            Cell::Text(words) => Some(Cow::Borrowed(words.as_str())),
            Cell::Whole(number) => Some(number.to_string().into()),
            Cell::Real(number) => Some(number.to_string().into()),
            Cell::Truth(is_so) => Some(is_so.to_string().into()),
        });
        self.0.write_all(csv::row_with_missing(cells).as_bytes())
    }

    pub fn finish(self) -> PartFile {
        self.0
    }
}

fn head(table: Table) -> String {
    csv::row(columns(table).iter().map(|column| column.name.to_owned()))
}

/// Reads what [`Writer`] wrote.
pub fn rows(table: Table, mut file: impl BufRead + 'static) -> Result<Rows, String> {
    let names = record(&mut file)?.unwrap_or_default();
    let expected = columns(table).iter().map(|column| Some(column.name.to_owned()));
    if !names.into_iter().eq(expected) {
        let table = table.word();
        return Err(format!("the columns are not those of {table} in this version of trajview"));
    }
    let row = move |cells: Vec<Option<String>>| -> Result<Row, String> {
        let columns = columns(table);
        if cells.len() != columns.len() {
            return Err(format!("a row of {} cells; expected {}", cells.len(), columns.len()));
        }
        cells.into_iter().zip(columns).map(|(cell, column)| cell_of(column, cell)).collect()
    };
    let mut records = std::iter::from_fn(move || record(&mut file).transpose());
    Ok(Box::new(std::iter::from_fn(move || Some(records.next()?.and_then(&row)))))
}

fn cell_of(column: &Column, cell: Option<String>) -> Result<Cell, String> {
    let Some(words) = cell else { return Ok(Cell::Missing) };
    let wrong = || format!("{}: expected {}, found {words:?}", column.name, column.kind.word());
    match column.kind {
        Kind::Text | Kind::Json => Ok(Cell::Text(csv::said(&words).to_owned())),
        Kind::Whole => words.parse().map(Cell::Whole).map_err(|_| wrong()),
        Kind::Real => words.parse().map(Cell::Real).map_err(|_| wrong()),
        Kind::Truth => words.parse().map(Cell::Truth).map_err(|_| wrong()),
    }
}

/// The next record; None at the end. A cell without quotes that is empty is None.
fn record(file: &mut impl BufRead) -> Result<Option<Vec<Option<String>>>, String> {
    let mut bytes = vec![];
    // A record ends where a line ends outside of quotes: quotes of a whole record come in pairs.
    loop {
        let before = bytes.len();
        let read = file.read_until(b'\n', &mut bytes).map_err(|why| why.to_string())?;
        let is_even = memchr::memchr_iter(b'"', &bytes).count().is_multiple_of(2);
        match (read, is_even) {
            (0, true) if before == 0 => return Ok(None),
            (_, true) => break,
            (0, false) => return Err("it ends within quotes".into()),
            (_, false) => {}
        }
    }
    let text = String::from_utf8(bytes).map_err(|why| why.to_string())?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Ok(Some(cells(text.strip_suffix('\r').unwrap_or(text))))
}

fn cells(record: &str) -> Vec<Option<String>> {
    let (mut cells, mut rest) = (vec![], record);
    loop {
        let (cell, after) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let (cell, after) = until_quote(quoted);
                (Some(cell), after)
            }
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                let cell = Some(rest[..end].to_owned()).filter(|cell| !cell.is_empty());
                (cell, &rest[end..])
            }
        };
        cells.push(cell);
        match after.strip_prefix(',') {
            Some(more) => rest = more,
            None => return cells,
        }
    }
}

/// A quoted cell behind its first quote, and what stands behind its last.
fn until_quote(quoted: &str) -> (String, &str) {
    let (mut cell, mut rest) = (String::new(), quoted);
    loop {
        let Some((before, after)) = rest.split_once('"') else { return (cell + rest, "") };
        cell.push_str(before);
        match after.strip_prefix('"') {
            Some(more) => {
                cell.push('"');
                rest = more;
            }
            None => return (cell, after),
        }
    }
}
