//! A delta: how an object is made of another one and of new bytes.

use super::{MOST_BYTES, too_big_text};

/// Returns the object that a delta makes of its base. The error is the reason.
pub(crate) fn apply_delta(base: &[u8], delta: &[u8]) -> Result<Vec<u8>, String> {
    let broken = || "its delta is broken".to_owned();
    let mut delta = DeltaBytes(delta);
    let from = delta.read_size().ok_or_else(broken)?;
    let to = delta.read_size().ok_or_else(broken)?;
    if from != base.len() as u64 {
        return Err(broken());
    }
    if to > MOST_BYTES {
        return Err(too_big_text(to));
    }
    let mut made = Vec::with_capacity(to.min(1 << 20) as usize);
    while let Some(first) = delta.next_byte() {
        let part = match first {
            0 => None,
            1..0x80 => delta.take_bytes(usize::from(first)),
            _ => delta.copied_part(first, base),
        };
        let part = part.ok_or_else(broken)?;
        if (made.len() + part.len()) as u64 > to {
            return Err(broken());
        }
        made.extend_from_slice(part);
    }
    if made.len() as u64 == to { Ok(made) } else { Err(broken()) }
}

struct DeltaBytes<'a>(&'a [u8]);

impl<'a> DeltaBytes<'a> {
    fn next_byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn take_bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// Reads a size of seven bits a byte, the least significant first.
    fn read_size(&mut self) -> Option<u64> {
        let (mut size, mut shift) = (0_u64, 0);
        loop {
            let byte = self.next_byte()?;
            if shift > 56 {
                return None;
            }
            size |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(size);
            }
        }
    }

    /// Returns the part of the base that an instruction names: its bits say which bytes of offset and length follow.
    fn copied_part<'b>(&mut self, first: u8, base: &'b [u8]) -> Option<&'b [u8]>
    where
        'a: 'b,
    {
        let mut fields = [0_usize; 2];
        for bit in 0..7 {
            if first & (1 << bit) != 0 {
                let (field, byte) = if bit < 4 { (0, bit) } else { (1, bit - 4) };
                fields[field] |= usize::from(self.next_byte()?) << (8 * byte);
            }
        }
        let [offset, length] = fields;
        let length = if length == 0 { 0x10000 } else { length };
        base.get(offset..offset.checked_add(length)?)
    }
}
