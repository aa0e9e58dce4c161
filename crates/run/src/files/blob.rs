//! Contents by name: a content's name is its git blob id, wherever it came from.

use std::{
    cell::RefCell,
    collections::{HashMap, VecDeque},
    fmt,
    sync::Arc,
};

use rayon::prelude::*;
use sha1::{Digest, Sha1};

use crate::{Edit, Place};
use trajview_code::{counts, packing, patch::LineCounts, short::ShortWords, utf8};

use super::{RecordedChange, RecordedEdit, compare};

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

    /// Lines added and removed from one content to another, as far as they are known without reading either; None on a
    /// side is a file that is not there.
    fn line_counts(&self, _old: Option<BlobId>, _new: Option<BlobId>) -> Option<LineCounts> {
        None
    }
}

/// The bodies of recorded edits, which can be read again at any time.
pub trait EditBodies: fmt::Debug + Send + Sync {
    /// None where the record is not there any more, or says nothing of the edit.
    fn body(&self, edit: &Edit) -> Option<RecordedEdit>;

    /// Whether a record is left on the disk, so that what it holds need not be kept in memory.
    fn is_on_disk(&self, place: Place) -> bool;
}

/// Where a content stands in the body of an edit, word for word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The whole file before the edit.
    Before,
    /// The whole file that it writes.
    After,
}

/// Contents that were put together from recorded edits.
///
/// A run edits its files again and again, and every version has a name. Of the first version of a file is kept where it
/// stands in the recording, where all of it does, else the version itself, packed where there are many, and of the others
/// what was changed in the version before; now and then a whole one, so that no version is far from one. Putting a version
/// together again takes microseconds.
#[derive(Debug, Default)]
pub struct MemoryBlobs {
    /// What contents are read from again; without it all are kept.
    bodies: Option<Arc<dyn EditBodies>>,
    /// A table has room for many more than there are, of which each takes little.
    kept: HashMap<BlobId, Box<Content>, ShortWords>,
    /// The last ones put, as they are: the next edit is likely to be of one of them.
    recent: VecDeque<(BlobId, Blob)>,
    /// Kept whole, to be packed where they come to be many; the oldest first.
    to_pack: Vec<BlobId>,
    /// Bytes of those.
    unpacked: usize,
}

/// A content, and what is known of it without putting it together.
#[derive(Debug)]
struct Content {
    kept: Kept,
    /// None for what is not compared line by line.
    lines: Option<usize>,
    /// How many lines differ from the content that it was first put after, where that was plain to see.
    after: Option<(BlobId, LineCounts)>,
}

#[derive(Debug)]
enum Kept {
    Whole(Blob),
    /// With zstd.
    Packed {
        packed: Box<[u8]>,
        len: usize,
    },
    /// Not at all: it is read from the recording again.
    Recorded {
        edit: Box<Edit>,
        side: Side,
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

/// Whole contents are packed where they take more bytes than this, all but the last so many.
const MOST_UNPACKED_BYTES: usize = 12 << 20;
const LEFT_UNPACKED_BYTES: usize = 4 << 20;

/// Contents that are kept as they are: so many, and so many bytes of them.
const RECENT: usize = 32;
const RECENT_BYTES: usize = 4 << 20;

impl MemoryBlobs {
    /// None yet; what stands in these bodies is not kept a second time.
    pub fn beside(bodies: Arc<dyn EditBodies>) -> Self {
        Self { bodies: Some(bodies), ..Self::default() }
    }

    pub fn put(&mut self, bytes: &[u8]) -> BlobId {
        self.put_after(None, bytes, None)
    }

    /// As [`MemoryBlobs::put`], of a content that `before` became, and that stands in the body of an edit, where one is
    /// named.
    pub fn put_after(
        &mut self,
        before: Option<BlobId>,
        bytes: &[u8],
        stands: Option<(&Edit, Side)>,
    ) -> BlobId {
        self.put_named(BlobId::of(bytes), before, bytes, stands)
    }

    /// The same of a content whose id is known already.
    pub fn put_named(
        &mut self,
        id: BlobId,
        before: Option<BlobId>,
        bytes: &[u8],
        stands: Option<(&Edit, Side)>,
    ) -> BlobId {
        let blob = Blob::from(bytes);
        if !self.kept.contains_key(&id) {
            let content = self.content(before, &blob, stands);
            let is_whole = matches!(content.kept, Kept::Whole(_));
            self.kept.insert(id, Box::new(content));
            if is_whole && bytes.len() >= PACKED_FROM {
                self.to_pack.push(id);
                self.unpacked += bytes.len();
            }
        }
        if self.unpacked > MOST_UNPACKED_BYTES {
            self.pack();
        }
        self.remember(id, blob);
        id
    }

    /// Packs the oldest of the contents that are kept whole, on all cores.
    fn pack(&mut self) {
        let len = |id: &BlobId| match self.kept.get(id).map(|content| &content.kept) {
            Some(Kept::Whole(bytes)) => bytes.len(),
            _ => 0,
        };
        let mut count = 0;
        while self.unpacked > LEFT_UNPACKED_BYTES
            && let Some(id) = self.to_pack.get(count)
        {
            self.unpacked -= len(id).min(self.unpacked);
            count += 1;
        }
        let oldest: Vec<BlobId> = self.to_pack.drain(..count).collect();
        let pack = |id: &BlobId| match &self.kept.get(id)?.kept {
            Kept::Whole(bytes) => Some((*id, Kept::packed(bytes)?)),
            Kept::Packed { .. } | Kept::Recorded { .. } | Kept::Changed { .. } => None,
        };
        let packed: Vec<(BlobId, Kept)> = oldest.par_iter().filter_map(pack).collect();
        for (id, packed) in packed {
            if let Some(content) = self.kept.get_mut(&id) {
                content.kept = packed;
            }
        }
    }

    fn content(
        &self,
        before: Option<BlobId>,
        bytes: &Blob,
        stands: Option<(&Edit, Side)>,
    ) -> Content {
        let lines = compare::lines_of(bytes);
        let before = before.and_then(|of| Some((of, self.kept.get(&of)?, self.get(of)?)));
        let whole = || Kept::Whole(Arc::clone(bytes));
        let Some((of, content, old)) = before else {
            let kept = self.recorded(bytes, stands).unwrap_or_else(whole);
            return Content { kept, lines, after: None };
        };
        let is_text = |bytes: &[u8]| utf8::text(bytes).is_some();
        let is_plain = lines.and(content.lines).is_some() && is_text(&old) && is_text(bytes);
        let counts = is_plain.then(|| counts::at_a_glance(&old, bytes)).flatten();
        let kept = content.kept.changed(of, &old, bytes);
        let kept = kept.or_else(|| self.recorded(bytes, stands)).or_else(|| Kept::packed(bytes));
        Content {
            kept: kept.unwrap_or_else(whole),
            lines,
            after: counts.map(|counts| (of, counts)),
        }
    }

    /// None where the content is to be kept.
    fn recorded(&self, bytes: &[u8], stands: Option<(&Edit, Side)>) -> Option<Kept> {
        let (edit, side) = stands.filter(|_| bytes.len() >= PACKED_FROM)?;
        let is_on_disk = self.bodies.as_ref().is_some_and(|it| it.is_on_disk(edit.place));
        is_on_disk.then(|| Kept::Recorded { edit: Box::new(edit.clone()), side })
    }

    /// A content that is not kept, read again; None where the recording has become another one since.
    fn read_again(&self, id: BlobId, edit: &Edit, side: Side) -> Option<Vec<u8>> {
        let body = self.bodies.as_ref()?.body(edit)?;
        let text = match (side, body.change) {
            (Side::Before, _) => body.before?,
            (Side::After, RecordedChange::Write(text)) => text,
            (Side::After, _) => return None,
        };
        Some(text.into_bytes()).filter(|bytes| BlobId::of(bytes) == id)
    }

    /// None where this content was never put.
    pub fn get(&self, id: BlobId) -> Option<Blob> {
        if let Some((_, blob)) = self.recent.iter().find(|(known, _)| *known == id) {
            return Some(Arc::clone(blob));
        }
        let (mut changes, mut at) = (vec![], id);
        let mut bytes = loop {
            match &self.kept.get(&at)?.kept {
                Kept::Whole(blob) if changes.is_empty() => return Some(Arc::clone(blob)),
                Kept::Whole(bytes) => break bytes.to_vec(),
                Kept::Packed { packed, len } => {
                    break made_again(at, || packing::unpack(packed, *len).ok())?;
                }
                Kept::Recorded { edit, side } => {
                    break made_again(at, || self.read_again(at, edit, *side))?;
                }
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

    fn remember(&mut self, id: BlobId, blob: Blob) {
        self.recent.retain(|(known, _)| *known != id);
        self.recent.push_back((id, blob));
        let mut size: usize = self.recent.iter().map(|(_, blob)| blob.len()).sum();
        while self.recent.len() > RECENT || size > RECENT_BYTES {
            size -= self.recent.pop_front().map_or(size, |(_, blob)| blob.len());
        }
    }
}

impl Kept {
    /// What was changed in a content that is kept so; None where that is much of it, or too much was changed in it before.
    fn changed(&self, of: BlobId, before: &[u8], bytes: &[u8]) -> Option<Self> {
        let far = match self {
            Self::Changed { far, .. } => far + 1,
            Self::Whole(_) | Self::Packed { .. } | Self::Recorded { .. } => 1,
        };
        if far > FARTHEST {
            return None;
        }
        let first = counts::common_start(before, bytes);
        let last = counts::common_end(&before[first..], &bytes[first..]);
        let middle = &bytes[first..bytes.len() - last];
        let is_small = middle.len() < bytes.len() / 8;
        is_small.then(|| Self::Changed { of, first, last, middle: middle.into(), far })
    }

    /// None for what packs badly.
    fn packed(bytes: &[u8]) -> Option<Self> {
        if bytes.len() < PACKED_FROM {
            return None;
        }
        let packed = packing::pack(bytes).ok()?;
        let is_small = packed.len() < bytes.len() / 4 * 3;
        is_small.then(|| Self::Packed { packed: packed.into(), len: bytes.len() })
    }
}

thread_local! {
    /// The content that was unpacked or read last: the versions of a file, asked for one after the other, are put together out of the
    /// same.
    static MADE_LAST: RefCell<Option<(BlobId, Box<[u8]>)>> = const { RefCell::new(None) };
}

/// A content that is longer is made again each time.
const MOST_HELD: usize = 1 << 20;

fn made_again(id: BlobId, make: impl FnOnce() -> Option<Vec<u8>>) -> Option<Vec<u8>> {
    MADE_LAST.with_borrow_mut(|made| {
        if let Some((_, bytes)) = made.as_ref().filter(|(last, _)| *last == id) {
            return Some(bytes.to_vec());
        }
        let bytes = make()?;
        *made = (bytes.len() <= MOST_HELD).then(|| (id, bytes.as_slice().into()));
        Some(bytes)
    })
}

impl Blobs for MemoryBlobs {
    fn blob(&self, id: BlobId) -> Result<Blob, String> {
        self.get(id).ok_or_else(|| format!("content {id} is not in the recording"))
    }

    fn line_counts(&self, old: Option<BlobId>, new: Option<BlobId>) -> Option<LineCounts> {
        let lines = |side: Option<BlobId>| match side {
            Some(id) => self.kept.get(&id)?.lines,
            None => Some(0),
        };
        let (removed, added) = (lines(old)?, lines(new)?);
        match (old, new) {
            (Some(old), Some(new)) if old == new => Some(LineCounts::default()),
            (Some(old), Some(new)) => {
                self.kept.get(&new)?.after.filter(|(of, _)| *of == old).map(|(_, counts)| counts)
            }
            _ => Some(LineCounts { added, removed }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trajview_code::diff;

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
                last = blobs.put_after(Some(last), &text, None);
                versions.push((last, text.clone()));
            }
            for (id, text) in &versions {
                proptest::prop_assert_eq!(BlobId::of(text), *id);
                proptest::prop_assert_eq!(&*blobs.get(*id).unwrap(), &**text);
            }
            for two in versions.windows(2) {
                let [(old, before), (new, after)] = two else { unreachable!() };
                let told = [
                    (blobs.line_counts(Some(*old), Some(*new)), &before[..], &after[..]),
                    (blobs.line_counts(None, Some(*new)), &[], &after[..]),
                    (blobs.line_counts(Some(*old), None), &before[..], &[]),
                ];
                for (counts, old, new) in told {
                    let diff = diff::diff_bytes(old, new, 0);
                    let counted = LineCounts { added: diff.added, removed: diff.removed };
                    proptest::prop_assert!(counts.is_none_or(|counts| counts == counted));
                }
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
            last = blobs.put_after(Some(last), lines.concat().as_bytes(), None);
        }

        let size = |kept: &Kept| match kept {
            Kept::Whole(bytes) => bytes.len(),
            Kept::Packed { packed, .. } => packed.len(),
            Kept::Recorded { .. } => 0,
            Kept::Changed { middle, .. } => middle.len(),
        };
        assert!(
            blobs.kept.values().map(|content| size(&content.kept)).sum::<usize>()
                < 20 * lines.concat().len()
        );
        assert_eq!(&*blobs.get(last).unwrap(), lines.concat().as_bytes());
    }

    #[test]
    fn contents_that_come_to_be_many_are_packed_and_can_be_had_again() {
        let mut blobs = MemoryBlobs::default();
        let text = |at: usize| format!("def function_{at}(a, b):\n").repeat(20_000).into_bytes();

        let ids: Vec<BlobId> = (0..40).map(|at| blobs.put(&text(at))).collect();

        let is_packed = |id: &&BlobId| matches!(blobs.kept[*id].kept, Kept::Packed { .. });
        assert!(ids.iter().filter(is_packed).count() > 10);
        assert!(blobs.unpacked <= MOST_UNPACKED_BYTES);
        for (at, id) in ids.iter().enumerate() {
            assert!(*blobs.get(*id).unwrap() == *text(at));
        }
    }

    /// Bodies on a disk, by the line of the edit.
    #[derive(Debug)]
    struct OnDisk(std::sync::Mutex<Vec<String>>);

    impl EditBodies for OnDisk {
        fn body(&self, edit: &Edit) -> Option<RecordedEdit> {
            let text = self.0.lock().unwrap().get(edit.place.line as usize)?.clone();
            Some(RecordedEdit { before: None, change: RecordedChange::Write(text) })
        }

        fn is_on_disk(&self, _: Place) -> bool {
            true
        }
    }

    #[test]
    fn a_content_that_stands_in_the_recording_is_read_from_there_again() {
        let text = |at: usize| format!("def function_{at}(a, b):\n").repeat(100);
        let texts = (0..3).map(text).collect();
        let bodies = Arc::new(OnDisk(std::sync::Mutex::new(texts)));
        let mut blobs = MemoryBlobs::beside(Arc::clone(&bodies) as Arc<dyn EditBodies>);
        let edit = |line| Edit {
            path: crate::EditPath::sort("a.py", None),
            kind: crate::EditKind::Modify,
            from: None,
            added: None,
            removed: None,
            place: Place { line, ..Place::default() },
        };

        let first = blobs.put_after(None, text(0).as_bytes(), Some((&edit(0), Side::After)));
        let other = blobs.put_after(Some(first), text(1).as_bytes(), Some((&edit(1), Side::After)));
        let changed = text(0).replacen("(a, b)", "(a)", 1);
        let changed_id = blobs.put_after(Some(first), changed.as_bytes(), None);
        blobs.recent.clear();

        let is_recorded = |id| matches!(blobs.kept[&id].kept, Kept::Recorded { .. });
        assert_eq!([first, other, changed_id].map(is_recorded), [true, true, false]);
        assert_eq!(&*blobs.get(other).unwrap(), text(1).as_bytes());
        assert_eq!(&*blobs.get(changed_id).unwrap(), changed.as_bytes());

        bodies.0.lock().unwrap()[1] = text(2);

        assert_eq!(&*blobs.get(first).unwrap(), text(0).as_bytes());
        assert!(blobs.get(other).is_none());
    }

    #[test]
    fn a_content_that_was_never_put_is_not_there() {
        let mut blobs = MemoryBlobs::default();
        let never = BlobId::of(b"never");

        let id = blobs.put_after(Some(never), b"put", None);

        assert!(blobs.get(never).is_none());
        assert_eq!(&*blobs.get(id).unwrap(), b"put");
    }
}
