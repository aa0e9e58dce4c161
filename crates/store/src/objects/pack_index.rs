//! The index of a pack, version 2: which objects it has, and where.

use sha1::{Digest, Sha1};

use trajview_run::files::BlobId;

/// The number of bytes before the sorted ids: magic, version and the 256 counts by first byte.
const HEAD_BYTES: usize = 8 + 256 * 4;

/// The number of bytes an object has in the tables: id, checksum of its packed bytes, offset.
const ROW_BYTES: usize = 20 + 4 + 4;

/// The sums of the pack and of the index itself.
const TAIL_BYTES: usize = 20 + 20;

#[derive(Debug)]
pub struct PackIndex {
    bytes: Vec<u8>,
    count: usize,
}

impl PackIndex {
    /// Checks everything that later calls rely upon. The error is the reason.
    pub fn new(bytes: Vec<u8>) -> Result<Self, &'static str> {
        if bytes.len() < HEAD_BYTES + TAIL_BYTES || !bytes.starts_with(b"\xfftOc\0\0\0\x02") {
            return Err("it is not an index of version 2");
        }
        let count = read_u32(&bytes, HEAD_BYTES - 4) as usize;
        let rows = count.checked_mul(ROW_BYTES).ok_or("its size is not the one it states")?;
        let far = (bytes.len() - HEAD_BYTES - TAIL_BYTES).checked_sub(rows);
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

    /// Returns whether the ids are sorted and counted as the table of first bytes has them.
    fn is_in_order(&self) -> bool {
        let is_sorted = (1..self.count).all(|at| self.id(at - 1).0 < self.id(at).0);
        let mut counted = [0_u32; 256];
        (0..self.count).for_each(|at| counted[usize::from(self.id(at).0[0])] += 1);
        let mut so_far = 0;
        is_sorted
            && (0..256).all(|first| {
                so_far += counted[first];
                so_far == read_u32(&self.bytes, 8 + first * 4)
            })
    }

    pub(crate) const fn object_count(&self) -> usize {
        self.count
    }

    /// Returns the id of an object, counted from 0 and below the count.
    pub fn id(&self, at: usize) -> BlobId {
        let start = HEAD_BYTES + at * 20;
        BlobId(self.bytes[start..start + 20].try_into().expect("the slice has 20 bytes"))
    }

    pub fn row_of(&self, id: BlobId) -> Option<usize> {
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

    /// Returns the ids that begin with these hex digits.
    pub(crate) fn ids_with_prefix(&self, hex: &str) -> Vec<BlobId> {
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

    /// Returns the checksum (CRC-32) of an object as it is packed.
    pub(crate) fn checksum_at(&self, at: usize) -> u32 {
        read_u32(&self.bytes, HEAD_BYTES + self.count * 20 + at * 4)
    }

    /// Returns all rows in the order of their offsets.
    pub(crate) fn rows_by_offset(&self) -> Vec<u32> {
        let mut rows: Vec<u32> = (0..).take(self.count).collect();
        rows.sort_by_cached_key(|row| self.offset_at(*row as usize));
        rows
    }

    /// Returns the start of an object in the pack; None where the table of far offsets has no such row.
    pub(crate) fn offset_at(&self, at: usize) -> Option<u64> {
        let near = read_u32(&self.bytes, HEAD_BYTES + self.count * 24 + at * 4);
        if near & (1 << 31) == 0 {
            return Some(u64::from(near));
        }
        let row = HEAD_BYTES + self.count * ROW_BYTES + (near & !(1 << 31)) as usize * 8;
        if row + 8 > self.bytes.len() - TAIL_BYTES {
            return None;
        }
        Some(
            u64::from(read_u32(&self.bytes, row)) << 32 | u64::from(read_u32(&self.bytes, row + 4)),
        )
    }

    /// Returns the sum that the pack has to end with.
    pub(crate) fn pack_sum(&self) -> &[u8] {
        &self.bytes[self.bytes.len() - TAIL_BYTES..self.bytes.len() - 20]
    }
}

/// Reads four bytes, the most significant first.
fn read_u32(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().expect("the slice has 4 bytes"))
}
