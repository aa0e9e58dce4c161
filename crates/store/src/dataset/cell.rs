//! One value, and how it is made of the JSON that the commands print.

use std::io::{self, BufRead, Read};

use serde_json::Value;

use super::columns::{Column, Kind, Table, columns};

/// A value of a column; what is not known is [`Cell::Missing`], never 0 and never empty text.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Cell {
    #[default]
    Missing,
    Text(String),
    Whole(i64),
    /// Finite.
    Real(f64),
    Truth(bool),
}

/// The cells of one row, one for each column of its table.
pub type Row = Vec<Cell>;

impl Cell {
    /// The value of a column in the JSON of a row; missing where it is not of the column's type.
    pub fn of(column: &Column, row: &Value) -> Self {
        let Some(value) = at(row, column.from).filter(|value| !value.is_null()) else {
            return Self::Missing;
        };
        let found = match (column.kind, value) {
            (Kind::Text, Value::String(words)) => Some(Self::Text(words.clone())),
            (Kind::Text | Kind::Json, other) => Some(Self::Text(without_sign_of_zero(other))),
            (Kind::Whole, other) => whole(other).map(Self::Whole),
            (Kind::Real, other) => other.as_f64().map(|number| Self::Real(number + 0.0)),
            (Kind::Truth, other) => other.as_bool().map(Self::Truth),
        };
        found.unwrap_or_default()
    }

    /// Bytes of its text; what numbers take is next to nothing.
    pub fn size(&self) -> usize {
        match self {
            Self::Text(words) => words.len(),
            Self::Missing | Self::Whole(_) | Self::Real(_) | Self::Truth(_) => 8,
        }
    }

    /// Its text; None for everything else.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(words) => Some(words),
            Self::Missing | Self::Whole(_) | Self::Real(_) | Self::Truth(_) => None,
        }
    }
}

/// A value as JSON; where it is a float, zero has no sign.
fn without_sign_of_zero(value: &Value) -> String {
    match value.as_f64().filter(|_| value.is_f64()) {
        Some(number) => Value::from(number + 0.0).to_string(),
        None => value.to_string(),
    }
}

/// What stands at a place, as [`Value::pointer`] has it; places of columns name fields alone, and none has a sign that is
/// written otherwise there.
fn at<'v>(row: &'v Value, place: &str) -> Option<&'v Value> {
    let fields = place.split('/').skip(1);
    fields.into_iter().try_fold(row, |value, field| value.as_object()?.get(field))
}

/// The row of a table that some JSON makes.
pub fn row_of(table: Table, value: &Value) -> Row {
    columns(table).iter().map(|column| Cell::of(column, value)).collect()
}

/// A number that is whole, however JSON has it; None where it does not fit.
fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        let number = value.as_f64()?;
        let is_whole = number.fract() == 0.0 && number.abs() < MOST_EXACT;
        is_whole.then_some(number as i64)
    })
}

/// Below this every whole number is a float of its own.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// Cells as bytes, for the spool: a mark for each type, then the value.
pub fn write(row: &[Cell], bytes: &mut Vec<u8>) {
    for cell in row {
        match cell {
            Cell::Missing => bytes.push(0),
            Cell::Text(words) => {
                bytes.push(1);
                bytes.extend((words.len() as u64).to_le_bytes());
                bytes.extend(words.as_bytes());
            }
            Cell::Whole(number) => {
                bytes.push(2);
                bytes.extend(number.to_le_bytes());
            }
            Cell::Real(number) => {
                bytes.push(3);
                bytes.extend(number.to_le_bytes());
            }
            Cell::Truth(is_so) => bytes.push(4 + u8::from(*is_so)),
        }
    }
}

/// The next row of so many cells; None at the end.
pub fn read(bytes: &mut impl BufRead, count: usize) -> io::Result<Option<Row>> {
    if bytes.fill_buf()?.is_empty() {
        return Ok(None);
    }
    (0..count).map(|_| read_cell(bytes)).collect::<io::Result<Row>>().map(Some)
}

fn read_cell(bytes: &mut impl Read) -> io::Result<Cell> {
    let [mark] = read_some(bytes)?;
    match mark {
        0 => Ok(Cell::Missing),
        1 => {
            let length = u64::from_le_bytes(read_some(bytes)?);
            let mut words = String::new();
            bytes.take(length).read_to_string(&mut words)?;
            Ok(Cell::Text(words))
        }
        2 => Ok(Cell::Whole(i64::from_le_bytes(read_some(bytes)?))),
        3 => Ok(Cell::Real(f64::from_le_bytes(read_some(bytes)?))),
        4 => Ok(Cell::Truth(false)),
        _ => Ok(Cell::Truth(true)),
    }
}

fn read_some<const N: usize>(bytes: &mut impl Read) -> io::Result<[u8; N]> {
    let mut some = [0; N];
    bytes.read_exact(&mut some).map(|()| some)
}
