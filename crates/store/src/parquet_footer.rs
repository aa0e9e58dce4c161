//! Checks of the footer of a Parquet file that its reader relies on.
//!
//! The reader makes a tree of the columns by functions that call themselves: a footer of a few hundred kilobytes that
//! nests columns a hundred thousand deep would end the program. So the list of columns is checked here first.

use std::io::{self, Read, Seek, SeekFrom};

/// The most levels of columns inside each other; no known table has more.
const MOST_DEEP: usize = 100;

/// The most bytes of a footer: that of a table of a million row groups has some hundred megabytes.
const MOST_BYTES: u64 = 512 << 20;

/// Checks the footer of a file of `len` bytes. Errors where the reader must not have the file.
pub(crate) fn check_footer(file: &mut (impl Read + Seek), len: u64) -> io::Result<()> {
    const END: u64 = 8;
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "its footer is damaged");
    let start = len.checked_sub(END).ok_or_else(damaged)?;
    let mut end = [0; END as usize];
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut end)?;
    let size = u64::from(u32::from_le_bytes([end[0], end[1], end[2], end[3]]));
    let start = start.checked_sub(size).filter(|_| size <= MOST_BYTES).ok_or_else(damaged)?;
    let mut footer = vec![0; size as usize];
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut footer)?;
    match column_depth(&footer) {
        Some(depth) if depth <= MOST_DEEP => Ok(()),
        Some(_) => {
            Err(io::Error::new(io::ErrorKind::InvalidData, "its columns are nested too deep"))
        }
        None => Err(damaged()),
    }
}

/// Returns how deep the columns are nested; None where the footer does not have it.
fn column_depth(footer: &[u8]) -> Option<usize> {
    /// The field of the file's metadata with the columns, and the one of a column with the number of those in it.
    const COLUMNS: i64 = 2;
    const CHILDREN: i64 = 5;
    let mut compact = CompactReader(footer);
    let mut field = 0;
    while let Some(kind) = compact.next_field(&mut field)? {
        if field != COLUMNS || kind != CompactReader::LIST {
            compact.skip_value(kind, 0)?;
            continue;
        }
        // How many columns are still to come, of each that is open.
        let (mut open, mut deepest) = (vec![], 0);
        let (count, _) = compact.read_list()?;
        for _ in 0..count {
            let (mut field, mut children) = (0, 0);
            while let Some(kind) = compact.next_field(&mut field)? {
                match field {
                    CHILDREN => children = compact.read_signed()?,
                    _ => compact.skip_value(kind, 0)?,
                }
            }
            while open.last() == Some(&0) {
                open.pop();
            }
            if let Some(left) = open.last_mut() {
                *left -= 1;
            }
            if children > 0 {
                open.push(children);
            }
            deepest = deepest.max(open.len());
        }
        return Some(deepest);
    }
    None
}

/// The rest of something in Thrift's compact protocol.
struct CompactReader<'a>(&'a [u8]);

impl CompactReader<'_> {
    const LIST: u8 = 9;

    fn read_byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn skip_bytes(&mut self, count: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(count).ok()?..)?;
        Some(())
    }

    fn read_varint(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0_u64, 0);
        loop {
            let byte = self.read_byte()?;
            number |= u64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
    }

    fn read_signed(&mut self) -> Option<i64> {
        let number = self.read_varint()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// Returns the type of the next field and updates `field` to its number; None inside at the end of the fields.
    fn next_field(&mut self, field: &mut i64) -> Option<Option<u8>> {
        let head = self.read_byte()?;
        if head == 0 {
            return Some(None);
        }
        *field = match head >> 4 {
            0 => self.read_signed()?,
            step => field.checked_add(i64::from(step))?,
        };
        Some(Some(head & 0x0f))
    }

    /// Returns how many elements a list has, and their kind.
    fn read_list(&mut self) -> Option<(u64, u8)> {
        let head = self.read_byte()?;
        let count = match head >> 4 {
            0x0f => self.read_varint()?,
            count => u64::from(count),
        };
        Some((count, head & 0x0f))
    }

    /// Skips a value; None where it is none, or is nested too deep for a footer.
    fn skip_value(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > 16 {
            return None;
        }
        match kind {
            1 | 2 => Some(()),
            3 => self.skip_bytes(1),
            4..=6 => self.read_varint().map(drop),
            7 => self.skip_bytes(8),
            8 => {
                let count = self.read_varint()?;
                self.skip_bytes(count)
            }
            9 | 10 => {
                let (count, kind) = self.read_list()?;
                // Truths have a byte each in a list.
                let kind = if matches!(kind, 1 | 2) { 3 } else { kind };
                (0..count).try_for_each(|_| self.skip_value(kind, depth + 1))
            }
            11 => {
                let count = self.read_varint()?;
                let kinds = if count == 0 { 0 } else { self.read_byte()? };
                (0..count).try_for_each(|_| {
                    self.skip_value(kinds >> 4, depth + 1)?;
                    self.skip_value(kinds & 0x0f, depth + 1)
                })
            }
            12 => {
                let mut field = 0;
                while let Some(kind) = self.next_field(&mut field)? {
                    self.skip_value(kind, depth + 1)?;
                }
                Some(())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a file whose columns lie so deep in one another.
    fn nested_file(deep: usize) -> Vec<u8> {
        // Version 1, then a list of columns with a name and one child each, but the last.
        let mut footer = vec![0x15, 0x02, 0x19, 0xfc];
        let count = deep + 1;
        footer.extend([
            count as u8 & 0x7f | 0x80,
            (count >> 7) as u8 & 0x7f | 0x80,
            (count >> 14) as u8,
        ]);
        for at in 0..count {
            footer.extend([0x48, 1, b'a']);
            footer.extend(if at < deep { &[0x15, 0x02, 0x00][..] } else { &[0x00] });
        }
        footer.push(0);
        let size = (footer.len() as u32).to_le_bytes();
        [&b"PAR1"[..], &footer, &size, b"PAR1"].concat()
    }

    fn check_bytes(file: &[u8]) -> Result<(), String> {
        check_footer(&mut io::Cursor::new(file), file.len() as u64).map_err(|why| why.to_string())
    }

    #[test]
    fn columns_nested_a_hundred_thousand_deep_never_reach_the_reader() {
        assert_eq!(check_bytes(&nested_file(3)), Ok(()));
        assert_eq!(column_depth(&nested_file(3)[4..]), Some(3));
        assert_eq!(
            check_bytes(&nested_file(100_000)),
            Err("its columns are nested too deep".into())
        );
    }

    #[test]
    fn a_footer_that_ends_too_soon_is_damaged() {
        let whole = nested_file(3);
        for cut in 0..whole.len() {
            let mut short = whole[..cut].to_vec();
            short.extend(&whole[whole.len() - 8..]);
            assert!(check_bytes(&short).is_err() || cut >= whole.len() - 9, "{cut}");
        }
    }
}
