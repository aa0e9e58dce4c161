//! Contents by name: a content's name is its git blob id, wherever it came from.

use std::{
    cell::RefCell,
    collections::{HashMap, VecDeque},
    fmt,
    sync::Arc,
};

use sha1::{Digest, Sha1};
use zstd::bulk::{Compressor, Decompressor};

use crate::code::short::ShortWords;

/// Bytes of one version of a file.
pub type Blob = Arc<[u8]>;

/// The git blob id of some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlobId(pub [u8; 20]);

impl BlobId {
    /// The name git gives these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let mut hash = Sha1::new();
        hash.update(format!("blob {}\0", bytes.len()));
        hash.update(bytes);
        Self(hash.finalize().into())
    }
}

impl fmt::Display for BlobId {
    /// 40 hex digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// Where contents are read from.
pub trait Blobs {
    /// The bytes; an error is a sentence that says why they cannot be had.
    fn blob(&self, id: BlobId) -> Result<Blob, String>;
}

/// Contents that were put together from recorded edits.
///
/// A run edits its files again and again, and every version has a name. Kept are the first version of a file, packed,
/// and of the others what was changed in the version before; now and then a whole one, so that no version is far from
/// one. Putting a version together again takes microseconds.
#[derive(Debug, Default)]
pub struct MemoryBlobs {
    kept: HashMap<BlobId, Kept, ShortWords>,
    /// The last ones put, as they are: the next edit is likely to be of one of them.
    recent: VecDeque<(BlobId, Blob)>,
}

#[derive(Debug)]
enum Kept {
    Whole(Box<[u8]>),
    /// With zstd.
    Packed {
        packed: Box<[u8]>,
        len: usize,
    },
    /// Another content with something else between its first and its last bytes.
    Changed {
        of: BlobId,
        first: usize,
        last: usize,
        middle: Box<[u8]>,
        far: u8,
    },
}

/// Changes to be carried out at most to have a content.
const FARTHEST: u8 = 24;

/// Smaller contents are not worth packing.
const PACKED_FROM: usize = 512;

/// Contents that are kept as they are: so many, and so many bytes of them.
const RECENT: usize = 32;
const RECENT_BYTES: usize = 4 << 20;

impl MemoryBlobs {
    pub fn put(&mut self, bytes: &[u8]) -> BlobId {
        self.put_after(None, bytes)
    }

    /// As [`MemoryBlobs::put`], of a content that `before` became.
    pub fn put_after(&mut self, before: Option<BlobId>, bytes: &[u8]) -> BlobId {
        let id = BlobId::of(bytes);
        if !self.kept.contains_key(&id) {
            let kept = before.and_then(|before| self.changed(before, bytes));
            self.kept.insert(id, kept.unwrap_or_else(|| Kept::whole(bytes)));
        }
        self.remember(id, bytes);
        id
    }

    /// None where this content was never put.
    pub fn get(&self, id: BlobId) -> Option<Blob> {
        if let Some((_, blob)) = self.recent.iter().find(|(known, _)| *known == id) {
            return Some(Arc::clone(blob));
        }
        let (mut changes, mut at) = (vec![], id);
        let mut bytes = loop {
            match self.kept.get(&at)? {
                Kept::Whole(bytes) => break bytes.to_vec(),
                Kept::Packed { packed, len } => break unpacked(at, packed, *len)?,
                Kept::Changed { of, first, last, middle, .. } => {
                    changes.push((*first, *last, middle));
                    at = *of;
                }
            }
        };
        for (first, last, middle) in changes.into_iter().rev() {
            let end = bytes.len().checked_sub(last)?;
            bytes.splice(first..end, middle.iter().copied());
        }
        Some(bytes.into())
    }

    fn changed(&self, of: BlobId, bytes: &[u8]) -> Option<Kept> {
        let far = match self.kept.get(&of)? {
            Kept::Changed { far, .. } => far + 1,
            Kept::Whole(_) | Kept::Packed { .. } => 1,
        };
        let before = self.get(of).filter(|_| far <= FARTHEST)?;
        let same = |pairs: &mut dyn Iterator<Item = (&u8, &u8)>| {
            pairs.take_while(|(old, new)| old == new).count()
        };
        let first = same(&mut before.iter().zip(bytes));
        let last = same(&mut before[first..].iter().rev().zip(bytes[first..].iter().rev()));
        let middle = &bytes[first..bytes.len() - last];
        let is_small = middle.len() < bytes.len() / 8;
        is_small.then(|| Kept::Changed { of, first, last, middle: middle.into(), far })
    }

    fn remember(&mut self, id: BlobId, bytes: &[u8]) {
        self.recent.retain(|(known, _)| *known != id);
        self.recent.push_back((id, bytes.into()));
        let mut size: usize = self.recent.iter().map(|(_, blob)| blob.len()).sum();
        while self.recent.len() > RECENT || size > RECENT_BYTES {
            size -= self.recent.pop_front().map_or(size, |(_, blob)| blob.len());
        }
    }
}

impl Kept {
    fn whole(bytes: &[u8]) -> Self {
        if bytes.len() >= PACKED_FROM
            && let Some(packed) = packed(bytes)
            && packed.len() < bytes.len() / 4 * 3
        {
            return Self::Packed { packed: packed.into(), len: bytes.len() };
        }
        Self::Whole(bytes.into())
    }
}

thread_local! {
    /// zstd's working memory takes longer to make than most contents to pack.
    static PACKER: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static UNPACKER: RefCell<Unpacker> = const { RefCell::new(Unpacker { zstd: None, last: None }) };
}

/// Unpacks contents for a thread.
struct Unpacker {
    zstd: Option<Decompressor<'static>>,
    /// The last one: the versions of a file, asked for one after the other, are put together out of the same.
    last: Option<(BlobId, Box<[u8]>)>,
}

/// A content that is longer is unpacked each time.
const MOST_UNPACKED: usize = 1 << 20;

fn packed(bytes: &[u8]) -> Option<Vec<u8>> {
    PACKER.with_borrow_mut(|zstd| {
        if zstd.is_none() {
            *zstd = Compressor::new(1).ok();
        }
        zstd.as_mut()?.compress(bytes).ok()
    })
}

fn unpacked(id: BlobId, packed: &[u8], len: usize) -> Option<Vec<u8>> {
    UNPACKER.with_borrow_mut(|unpacker| {
        if let Some((_, bytes)) = unpacker.last.as_ref().filter(|(last, _)| *last == id) {
            return Some(bytes.to_vec());
        }
        if unpacker.zstd.is_none() {
            unpacker.zstd = Decompressor::new().ok();
        }
        let bytes = unpacker.zstd.as_mut()?.decompress(packed, len).ok()?;
        unpacker.last = (bytes.len() <= MOST_UNPACKED).then(|| (id, bytes.as_slice().into()));
        Some(bytes)
    })
}

impl Blobs for MemoryBlobs {
    fn blob(&self, id: BlobId) -> Result<Blob, String> {
        self.get(id).ok_or_else(|| format!("content {id} is not in the recording"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blob_has_the_name_git_gives_it() {
        assert_eq!(BlobId::of(b"").to_string(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(BlobId::of(b"hello\n").to_string(), "ce013625030ba8dba906f756967f9e9ca394464a");
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(40))]

        #[test]
        fn whatever_becomes_of_a_content_every_version_can_be_had_again(
            edits in proptest::collection::vec((0usize..900, 0usize..60, "[a-c\n]{0,60}"), 1..90),
        ) {
            let mut blobs = MemoryBlobs::default();
            let mut text = "a line of code\n".repeat(60).into_bytes();
            let mut last = blobs.put(&text);
            let mut versions = vec![(last, text.clone())];
            for (at, len, new) in edits {
                let start = at.min(text.len());
                let end = (start + len).min(text.len());
                text.splice(start..end, new.bytes());
                last = blobs.put_after(Some(last), &text);
                versions.push((last, text.clone()));
            }
            for (id, text) in versions {
                proptest::prop_assert_eq!(BlobId::of(&text), id);
                proptest::prop_assert_eq!(&*blobs.get(id).unwrap(), &*text);
            }
        }
    }

    #[test]
    fn a_thousand_versions_of_a_file_take_little_more_room_than_one() {
        let mut blobs = MemoryBlobs::default();
        let mut lines: Vec<String> = (0..1000).map(|at| format!("line {at} of a file\n")).collect();
        let mut last = blobs.put(lines.concat().as_bytes());
        for at in 0..1000 {
            lines[at] = format!("another line {at}\n");
            last = blobs.put_after(Some(last), lines.concat().as_bytes());
        }

        let size = |kept: &Kept| match kept {
            Kept::Whole(bytes) | Kept::Packed { packed: bytes, .. } => bytes.len(),
            Kept::Changed { middle, .. } => middle.len(),
        };
        assert!(blobs.kept.values().map(size).sum::<usize>() < 20 * lines.concat().len());
        assert_eq!(&*blobs.get(last).unwrap(), lines.concat().as_bytes());
    }

    #[test]
    fn a_content_that_was_never_put_is_not_there() {
        let mut blobs = MemoryBlobs::default();
        let never = BlobId::of(b"never");

        let id = blobs.put_after(Some(never), b"put");

        assert!(blobs.get(never).is_none());
        assert_eq!(&*blobs.get(id).unwrap(), b"put");
    }
}
