//! Tables as CSV: an empty cell is null, `""` is an empty text; else as [`trajview_formats::csv`] writes every table.

use std::{
    borrow::Cow,
    io::{self, BufRead, Write},
};

use trajview_formats::csv;

use super::{
    cell::{DataCell, DataRow},
    column_choice::ColumnChoice,
    columns::{DataColumn, DataKind, DataTable, table_columns},
    data_folder::PartFile,
    table_format::{DataRows, foreign_columns},
};

/// A writer of a table as CSV.
pub struct CsvWriter {
    columns: ColumnChoice,
    file: PartFile,
}

impl CsvWriter {
    pub fn new(columns: ColumnChoice, mut file: PartFile) -> io::Result<Self> {
        let header = csv::csv_line(columns.columns().map(|column| column.name.to_owned()));
        file.write_all(header.as_bytes())?;
        Ok(Self { columns, file })
    }

    pub fn write_row(&mut self, row: &DataRow) -> io::Result<()> {
        let cells = self.columns.chosen_cells(row).map(|cell| match cell {
            DataCell::Missing => None,
            DataCell::Text(words) => Some(Cow::Borrowed(words.as_str())),
            DataCell::Integer(number) => Some(number.to_string().into()),
            DataCell::Real(number) => Some(number.to_string().into()),
            DataCell::Bool(is_so) => Some(is_so.to_string().into()),
        });
        self.file.write_all(csv::csv_line_with_missing(cells).as_bytes())
    }

    pub fn finish(self) -> PartFile {
        self.file
    }
}

/// Reads what [`CsvWriter`] wrote, with the columns of the file.
pub fn read_rows(
    table: DataTable,
    mut file: impl BufRead + 'static,
) -> Result<(ColumnChoice, DataRows), String> {
    let names = read_record(&mut file)?.unwrap_or_default();
    let columns = names.iter().map(|name| name.as_deref().unwrap_or_default());
    let columns = ColumnChoice::from_names(table, columns).map_err(|_| foreign_columns(table))?;
    if columns.columns().count() != names.len() || columns.is_empty() {
        return Err(foreign_columns(table));
    }
    Ok((columns, rows_below(&names, table, file)))
}

/// Works as [`read_rows`], of a table that another version may have written: a column that it does not have is missing
/// in each row.
pub(super) fn read_rows_by_name(
    table: DataTable,
    mut file: impl BufRead + 'static,
) -> Result<DataRows, String> {
    let names = read_record(&mut file)?.unwrap_or_default();
    let is_known = |name: &Option<String>| {
        table_columns(table).iter().any(|column| name.as_deref() == Some(column.name))
    };
    if !names.iter().any(is_known) {
        return Err(format!("the columns are not those of {}", table.word()));
    }
    Ok(rows_below(&names, table, file))
}

/// Reads the rows below a header with these names.
fn rows_below(
    names: &[Option<String>],
    table: DataTable,
    mut file: impl BufRead + 'static,
) -> DataRows {
    let columns = table_columns(table);
    let place =
        |column: &DataColumn| names.iter().position(|name| name.as_deref() == Some(column.name));
    let places: Vec<Option<usize>> = columns.iter().map(place).collect();
    let count = names.len();
    let row = move |mut cells: Vec<Option<String>>| -> Result<DataRow, String> {
        if cells.len() != count {
            return Err(format!("a row of {} cells; expected {count}", cells.len()));
        }
        let cell = |(place, column): (&Option<usize>, &DataColumn)| {
            parse_cell(column, place.and_then(|at| cells[at].take()))
        };
        places.iter().zip(columns).map(cell).collect()
    };
    let mut records = std::iter::from_fn(move || read_record(&mut file).transpose());
    Box::new(std::iter::from_fn(move || Some(records.next()?.and_then(&row))))
}

fn parse_cell(column: &DataColumn, cell: Option<String>) -> Result<DataCell, String> {
    let Some(words) = cell else { return Ok(DataCell::Missing) };
    let wrong = || format!("{}: expected {}, found {words:?}", column.name, column.kind.word());
    match column.kind {
        DataKind::Text | DataKind::Json => {
            Ok(DataCell::Text(csv::unescape_formula(&words).to_owned()))
        }
        DataKind::Integer => words.parse().map(DataCell::Integer).map_err(|_| wrong()),
        DataKind::Real => words.parse().map(DataCell::Real).map_err(|_| wrong()),
        DataKind::Bool => words.parse().map(DataCell::Bool).map_err(|_| wrong()),
    }
}

/// Returns the next record; None at the end. A cell without quotes that is empty is None.
fn read_record(file: &mut impl BufRead) -> Result<Option<Vec<Option<String>>>, String> {
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
    Ok(Some(split_cells(text.strip_suffix('\r').unwrap_or(text))))
}

fn split_cells(record: &str) -> Vec<Option<String>> {
    let (mut cells, mut rest) = (vec![], record);
    loop {
        let (cell, after) = match rest.strip_prefix('"') {
            Some(quoted) => {
                let (cell, after) = split_at_quote(quoted);
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

/// Splits a quoted cell, given without its first quote, from the text after its last quote.
fn split_at_quote(quoted: &str) -> (String, &str) {
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
