//! One value, and how it is made of the JSON that the commands print.

use std::io::{self, BufRead, Read};

use serde_json::Value;

use super::columns::{DataColumn, DataKind, DataTable, table_columns};

/// A value of a column; what is not known is [`DataCell::Missing`], never 0 and never empty text.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum DataCell {
    #[default]
    Missing,
    Text(String),
    Integer(i64),
    /// A finite number.
    Real(f64),
    Bool(bool),
}

/// The cells of one row, one for each column of its table.
pub type DataRow = Vec<DataCell>;

impl DataCell {
    /// Returns the value as JSON.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Missing => Value::Null,
            Self::Text(words) => words.clone().into(),
            Self::Integer(number) => (*number).into(),
            Self::Real(number) => (*number + 0.0).into(), // -0.0 is 0
            Self::Bool(is_so) => (*is_so).into(),
        }
    }

    /// Returns the value of a column in the JSON of a row; missing where it is not of the column's type.
    pub fn from_json(column: &DataColumn, row: &Value) -> Self {
        let Some(value) = json_at(row, column.from).filter(|value| !value.is_null()) else {
            return Self::Missing;
        };
        let found = match (column.kind, value) {
            (DataKind::Text, Value::String(words)) => Some(Self::Text(words.clone())),
            (DataKind::Text | DataKind::Json, other) => {
                Some(Self::Text(without_sign_of_zero(other)))
            }
            (DataKind::Integer, other) => whole_number(other).map(Self::Integer),
            (DataKind::Real, other) => other.as_f64().map(|number| Self::Real(number + 0.0)),
            (DataKind::Bool, other) => other.as_bool().map(Self::Bool),
        };
        found.unwrap_or_default()
    }

    /// Returns the bytes of its text; a number counts as 8.
    pub fn byte_size(&self) -> usize {
        match self {
            Self::Text(words) => words.len(),
            Self::Missing | Self::Integer(_) | Self::Real(_) | Self::Bool(_) => 8,
        }
    }

    /// Returns its text; None for everything else.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(words) => Some(words),
            Self::Missing | Self::Integer(_) | Self::Real(_) | Self::Bool(_) => None,
        }
    }
}

/// Returns a value as JSON; where it is a float, zero has no sign.
fn without_sign_of_zero(value: &Value) -> String {
    match value.as_f64().filter(|_| value.is_f64()) {
        Some(number) => Value::from(number + 0.0).to_string(),
        None => value.to_string(),
    }
}

/// Returns the value at a place, as [`Value::pointer`] does. Places of columns name fields alone, and none has a
/// character that is escaped there.
fn json_at<'v>(row: &'v Value, place: &str) -> Option<&'v Value> {
    let fields = place.split('/').skip(1);
    fields.into_iter().try_fold(row, |value, field| value.as_object()?.get(field))
}

/// Returns the row of a table that some JSON makes.
pub(crate) fn row_from_json(table: DataTable, value: &Value) -> DataRow {
    table_columns(table).iter().map(|column| DataCell::from_json(column, value)).collect()
}

/// Returns a number that is whole, however JSON has it; None where it does not fit.
fn whole_number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| {
        let number = value.as_f64()?;
        let is_whole = number.fract() == 0.0 && number.abs() < MOST_EXACT;
        is_whole.then_some(number as i64)
    })
}

/// Every whole number below this is exact as a float.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// Writes cells as bytes for the spool: a mark for each type, then the value.
pub fn write_row(row: &[DataCell], bytes: &mut Vec<u8>) {
    for cell in row {
        match cell {
            DataCell::Missing => bytes.push(0),
            DataCell::Text(words) => {
                bytes.push(1);
                bytes.extend((words.len() as u64).to_le_bytes());
                bytes.extend(words.as_bytes());
            }
            DataCell::Integer(number) => {
                bytes.push(2);
                bytes.extend(number.to_le_bytes());
            }
            DataCell::Real(number) => {
                bytes.push(3);
                bytes.extend(number.to_le_bytes());
            }
            DataCell::Bool(is_so) => bytes.push(4 + u8::from(*is_so)),
        }
    }
}

/// Returns the next row of so many cells; None at the end.
pub fn read_row(bytes: &mut impl BufRead, count: usize) -> io::Result<Option<DataRow>> {
    if bytes.fill_buf()?.is_empty() {
        return Ok(None);
    }
    (0..count).map(|_| read_cell(bytes)).collect::<io::Result<DataRow>>().map(Some)
}

fn read_cell(bytes: &mut impl Read) -> io::Result<DataCell> {
    let [mark] = read_array(bytes)?;
    match mark {
        0 => Ok(DataCell::Missing),
        1 => {
            let length = u64::from_le_bytes(read_array(bytes)?);
            let mut words = String::new();
            bytes.take(length).read_to_string(&mut words)?;
            Ok(DataCell::Text(words))
        }
        2 => Ok(DataCell::Integer(i64::from_le_bytes(read_array(bytes)?))),
        3 => Ok(DataCell::Real(f64::from_le_bytes(read_array(bytes)?))),
        4 => Ok(DataCell::Bool(false)),
        _ => Ok(DataCell::Bool(true)),
    }
}

fn read_array<const N: usize>(bytes: &mut impl Read) -> io::Result<[u8; N]> {
    let mut some = [0; N];
    bytes.read_exact(&mut some).map(|()| some)
}
