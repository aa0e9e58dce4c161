//! Packed rows that wait until the secrets of a run are complete, which its last row may reveal, and which are then
//! removed from all of them. A row comes back exactly as it was added, its floats to the bit, which a JSON text does
//! not promise.

use std::io::{self, BufRead, BufReader, Read};

use serde_json::{Map, Number, Value};

use super::{columns::DataTable, run_spool::pack_rows};

/// The number of bytes of rows that are compressed together.
const PACKED_TOGETHER: usize = 256 << 10;

/// A store of rows in the order in which they came.
#[derive(Debug, Default)]
pub struct WaitingRows {
    packed: Vec<u8>,
    open: Vec<u8>,
}

impl WaitingRows {
    pub fn push(&mut self, table: DataTable, row: &Value) {
        self.open.push(table as u8);
        write_json(row, &mut self.open);
        if self.open.len() >= PACKED_TOGETHER {
            pack_rows(&mut self.open, &mut self.packed);
        }
    }

    /// Passes every row to `row`.
    pub fn for_each_row(mut self, mut row: impl FnMut(DataTable, Value)) {
        pack_rows(&mut self.open, &mut self.packed);
        if self.packed.is_empty() {
            return; // no row is no frame, which zstd takes for one that is cut off
        }
        let frames = zstd::stream::read::Decoder::new(self.packed.as_slice());
        let mut rows = BufReader::new(frames.expect("memory can be read"));
        let written = "what was packed here can be read";
        while !rows.fill_buf().expect(written).is_empty() {
            let [table] = read_array(&mut rows).expect(written);
            let value = read_json(&mut rows).expect(written);
            row(DataTable::ALL[usize::from(table)], value);
        }
    }
}

fn write_json(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.push(0),
        Value::Bool(is_so) => out.push(1 + u8::from(*is_so)),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => {
            out.push(6);
            write_text(text, out);
        }
        Value::Array(items) => {
            out.push(7);
            out.extend((items.len() as u64).to_le_bytes());
            items.iter().for_each(|item| write_json(item, out));
        }
        Value::Object(fields) => {
            out.push(8);
            out.extend((fields.len() as u64).to_le_bytes());
            for (key, value) in fields {
                write_text(key, out);
                write_json(value, out);
            }
        }
    }
}

fn write_number(number: &Number, out: &mut Vec<u8>) {
    if let Some(number) = number.as_u64() {
        out.push(3);
        out.extend(number.to_le_bytes());
    } else if let Some(number) = number.as_i64() {
        out.push(4);
        out.extend(number.to_le_bytes());
    } else if let Some(number) = number.as_f64() {
        out.push(5);
        out.extend(number.to_le_bytes());
    } else {
        out.push(0); // there are no others
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}

fn read_json(rows: &mut impl Read) -> io::Result<Value> {
    let [mark] = read_array(rows)?;
    Ok(match mark {
        0 => Value::Null,
        1 => Value::Bool(false),
        2 => Value::Bool(true),
        3 => u64::from_le_bytes(read_array(rows)?).into(),
        4 => i64::from_le_bytes(read_array(rows)?).into(),
        5 => f64::from_le_bytes(read_array(rows)?).into(),
        6 => Value::String(read_text(rows)?),
        7 => {
            let count = u64::from_le_bytes(read_array(rows)?);
            Value::Array((0..count).map(|_| read_json(rows)).collect::<io::Result<_>>()?)
        }
        _ => {
            let count = u64::from_le_bytes(read_array(rows)?);
            let field = |_| Ok((read_text(rows)?, read_json(rows)?));
            Value::Object((0..count).map(field).collect::<io::Result<Map<String, Value>>>()?)
        }
    })
}

fn read_text(rows: &mut impl Read) -> io::Result<String> {
    let length = u64::from_le_bytes(read_array(rows)?);
    let mut text = String::new();
    rows.take(length).read_to_string(&mut text)?;
    Ok(text)
}

fn read_array<const N: usize>(rows: &mut impl Read) -> io::Result<[u8; N]> {
    let mut some = [0; N];
    rows.read_exact(&mut some).map(|()| some)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rows_come_back_as_they_went_in_and_in_their_order() {
        let long = "a text that is long enough to be packed ".repeat(10_000);
        let rows = [
            (DataTable::Runs, json!({"a": [null, true, false], "b": {"c": -1, "d": u64::MAX}})),
            (DataTable::Texts, json!({ "text": long })),
            (DataTable::Steps, json!({"took_s": 0.1 + 0.2, "least": 5e-324, "empty": ""})),
            (DataTable::Points, json!({"erosion": 0.123_456_789_012_345_68})),
        ];
        let mut waiting = WaitingRows::default();
        rows.iter().for_each(|(table, row)| waiting.push(*table, row));

        let mut back = vec![];
        waiting.for_each_row(|table, row| back.push((table, row)));

        assert_eq!(back, rows);
    }

    #[test]
    fn without_a_row_nothing_comes_back() {
        WaitingRows::default().for_each_row(|table, row| panic!("{table:?}: {row}"));
    }
}
