//! The index of a pack, version 2: which objects it has, and where.

use sha1::{Digest, Sha1};

use trajview_run::files::BlobId;

/// Bytes before the sorted ids: magic, version and the 256 counts by first byte.
const HEAD: usize = 8 + 256 * 4;

/// Bytes an object has in the tables: id, checksum of its packed bytes, offset.
const ROW: usize = 20 + 4 + 4;

/// The sums of the pack and of the index itself.
const TAIL: usize = 20 + 20;

#[derive(Debug)]
pub struct Index {
    bytes: Vec<u8>,
    count: usize,
}

impl Index {
    /// Checks everything that is relied upon later. The error says what is wrong.
    pub fn new(bytes: Vec<u8>) -> Result<Self, &'static str> {
        if bytes.len() < HEAD + TAIL || !bytes.starts_with(b"\xfftOc\0\0\0\x02") {
            return Err("it is not an index of version 2");
        }
        let count = number(&bytes, HEAD - 4) as usize;
        let rows = count.checked_mul(ROW).ok_or("its size is not the one it states")?;
        let far = (bytes.len() - HEAD - TAIL).checked_sub(rows);
        if far.is_none_or(|far| far % 8 != 0 || far / 8 > count) {
            return Err("its size is not the one it states");
        }
        let (content, sum) = bytes.split_at(bytes.len() - 20);
        if Sha1::digest(content)[..] != *sum {
            return Err("its checksum is wrong");
        }
        let index = Self { bytes, count };
        if index.is_in_order() { Ok(index) } else { Err("its ids are not in order") }
    }

    /// Whether the ids are sorted and counted as the table of first bytes says.
    fn is_in_order(&self) -> bool {
        let is_sorted = (1..self.count).all(|at| self.id(at - 1).0 < self.id(at).0);
        let mut counted = [0_u32; 256];
        (0..self.count).for_each(|at| counted[usize::from(self.id(at).0[0])] += 1);
        let mut so_far = 0;
        is_sorted
            && (0..256).all(|first| {
                so_far += counted[first];
                so_far == number(&self.bytes, 8 + first * 4)
            })
    }

    pub const fn count(&self) -> usize {
        self.count
    }

    /// The id of an object, counted from 0 and below the count.
    pub fn id(&self, at: usize) -> BlobId {
        let start = HEAD + at * 20;
        BlobId(self.bytes[start..start + 20].try_into().expect("the slice has 20 bytes"))
    }

    pub fn find(&self, id: BlobId) -> Option<usize> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.id(middle).0.cmp(&id.0) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// The ids that begin with these hex digits.
    pub fn that_begin(&self, hex: &str) -> Vec<BlobId> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.id(middle).to_string().as_str() < hex {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        (low..self.count)
            .map(|at| self.id(at))
            .take_while(|id| id.to_string().starts_with(hex))
            .collect()
    }

    /// The checksum (CRC-32) of an object as it is packed.
    pub fn check(&self, at: usize) -> u32 {
        number(&self.bytes, HEAD + self.count * 20 + at * 4)
    }

    /// All rows in the order of their offsets.
    pub fn rows_by_offset(&self) -> Vec<u32> {
        let mut rows: Vec<u32> = (0..).take(self.count).collect();
        rows.sort_by_cached_key(|row| self.offset(*row as usize));
        rows
    }

    /// Where an object starts in the pack; None where the table of far offsets has no such row.
    pub fn offset(&self, at: usize) -> Option<u64> {
        let near = number(&self.bytes, HEAD + self.count * 24 + at * 4);
        if near & (1 << 31) == 0 {
            return Some(u64::from(near));
        }
        let row = HEAD + self.count * ROW + (near & !(1 << 31)) as usize * 8;
        if row + 8 > self.bytes.len() - TAIL {
            return None;
        }
        Some(u64::from(number(&self.bytes, row)) << 32 | u64::from(number(&self.bytes, row + 4)))
    }

    /// The sum that the pack has to end with.
    pub fn pack_sum(&self) -> &[u8] {
        &self.bytes[self.bytes.len() - TAIL..self.bytes.len() - 20]
    }
}

/// Four bytes, the most significant first.
fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().expect("the slice has 4 bytes"))
}
