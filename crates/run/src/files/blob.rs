//! Contents by name: a content's name is its git blob id, wherever it came from.

use std::{
    cell::RefCell,
    collections::{HashMap, VecDeque},
    fmt,
    sync::Arc,
};

use rayon::prelude::*;
use sha1::{Digest, Sha1};

use crate::{Edit, RecordPlace};
use trajview_code::{diff_stat, packing, patch::LineCounts, small_map::ShortWords, utf8};

use super::{RecordedChange, RecordedEdit, file_diff};

/// Bytes of one version of a file.
pub type Blob = Arc<[u8]>;

/// The git blob id of some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlobId(pub [u8; 20]);

impl BlobId {
    /// Returns the name git gives these bytes.
    pub fn for_bytes(bytes: &[u8]) -> Self {
        let mut hash = Sha1::new();
        hash.update(format!("blob {}\0", bytes.len()));
        hash.update(bytes);
        Self(hash.finalize().into())
    }
}

impl fmt::Display for BlobId {
    /// Writes 40 hex digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// A source of contents.
pub trait Blobs {
    /// Reads the bytes; an error is a sentence that says why they cannot be had.
    fn read_blob(&self, id: BlobId) -> Result<Blob, String>;

    /// Returns lines added and removed from one content to another, as far as they are known without reading either; None on a
    /// side is a file that is not there.
    fn line_counts(&self, _old: Option<BlobId>, _new: Option<BlobId>) -> Option<LineCounts> {
        None
    }
}

/// The bodies of recorded edits, which can be read again at any time.
pub trait EditBodies: fmt::Debug + Send + Sync {
    /// Returns the body of an edit. None where the record does not exist any more, or has no body.
    fn edit_body(&self, edit: &Edit) -> Option<RecordedEdit>;

    /// Returns whether the record is on the disk, so that its content need not be kept in memory.
    fn is_on_disk(&self, place: RecordPlace) -> bool;
}

/// The place of a content in the body of an edit, word for word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EditSide {
    /// The whole file before the edit.
    Before,
    /// The whole file that it writes.
    After,
}

/// Contents that were put together from recorded edits.
///
/// A run edits its files again and again, and every version has a name. Of the first version of a file its place in the
/// recording is kept, where all of it is there, else the version itself, packed where there are many. Of the others the
/// difference to the version before is kept, and now and then a whole version, so that no version is far from one.
/// Rebuilding a version takes microseconds.
#[derive(Debug, Default)]
pub struct MemoryBlobs {
    /// The source from which contents are read again; without it all are kept.
    bodies: Option<Arc<dyn EditBodies>>,
    /// A table has room for many more than there are, of which each takes little.
    contents: HashMap<BlobId, Box<StoredContent>, ShortWords>,
    /// The last ones put, as they are: the next edit is likely to be of one of them.
    recent: VecDeque<(BlobId, Blob)>,
    /// Kept whole, to be packed where they come to be many; the oldest first.
    to_pack: Vec<BlobId>,
    /// Bytes of those.
    unpacked: usize,
}

/// A content, and what is known of it without putting it together.
#[derive(Debug)]
struct StoredContent {
    storage: ContentStorage,
    /// Number of lines; None for a content that is not compared line by line.
    lines: Option<usize>,
    /// Number of lines that differ from the content before it, where that was cheap to count.
    after: Option<(BlobId, LineCounts)>,
}

#[derive(Debug)]
enum ContentStorage {
    Whole(Blob),
    /// Packed with zstd.
    Packed {
        packed: Box<[u8]>,
        len: usize,
    },
    /// Not stored: the content is read from the recording again.
    Recorded {
        edit: Box<Edit>,
        side: EditSide,
    },
    /// Another content with something else between its first and its last bytes.
    Changed {
        base: BlobId,
        first: usize,
        last: usize,
        middle: Box<[u8]>,
        far: u8,
    },
}

/// Changes to be carried out at most to have a content.
const MAX_CHANGE_CHAIN: u8 = 24;

/// Size in bytes below which packing is not worth it.
const MIN_PACKED_BYTES: usize = 512;

/// Whole contents are packed where they take more bytes than this, all but the last so many.
const MOST_UNPACKED_BYTES: usize = 12 << 20;
const LEFT_UNPACKED_BYTES: usize = 4 << 20;

/// Contents that are kept as they are: so many, and so many bytes of them.
const RECENT: usize = 32;
const RECENT_BYTES: usize = 4 << 20;

impl MemoryBlobs {
    /// Makes an empty store; a content in one of these bodies is not kept a second time.
    pub fn with_bodies(bodies: Arc<dyn EditBodies>) -> Self {
        Self { bodies: Some(bodies), ..Self::default() }
    }

    pub fn insert(&mut self, bytes: &[u8]) -> BlobId {
        self.insert_after(None, bytes, None)
    }

    /// Inserts a content, as [`MemoryBlobs::insert`], with the content `before` that it replaces, and the edit whose
    /// body has it, where there is one.
    pub(crate) fn insert_after(
        &mut self,
        before: Option<BlobId>,
        bytes: &[u8],
        place_in_edit: Option<(&Edit, EditSide)>,
    ) -> BlobId {
        self.insert_with_id(BlobId::for_bytes(bytes), before, bytes, place_in_edit)
    }

    /// Inserts a content whose id is known already.
    pub(crate) fn insert_with_id(
        &mut self,
        id: BlobId,
        before: Option<BlobId>,
        bytes: &[u8],
        place_in_edit: Option<(&Edit, EditSide)>,
    ) -> BlobId {
        let blob = Blob::from(bytes);
        if !self.contents.contains_key(&id) {
            let content = self.new_content(before, &blob, place_in_edit);
            let is_whole = matches!(content.storage, ContentStorage::Whole(_));
            self.contents.insert(id, Box::new(content));
            if is_whole && bytes.len() >= MIN_PACKED_BYTES {
                self.to_pack.push(id);
                self.unpacked += bytes.len();
            }
        }
        if self.unpacked > MOST_UNPACKED_BYTES {
            self.pack_oldest();
        }
        self.remember_recent(id, blob);
        id
    }

    /// Packs the oldest of the contents that are kept whole, on all cores.
    fn pack_oldest(&mut self) {
        let len = |id: &BlobId| match self.contents.get(id).map(|content| &content.storage) {
            Some(ContentStorage::Whole(bytes)) => bytes.len(),
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
        let pack = |id: &BlobId| match &self.contents.get(id)?.storage {
            ContentStorage::Whole(bytes) => Some((*id, ContentStorage::packed_from(bytes)?)),
            ContentStorage::Packed { .. }
            | ContentStorage::Recorded { .. }
            | ContentStorage::Changed { .. } => None,
        };
        let packed: Vec<(BlobId, ContentStorage)> = oldest.par_iter().filter_map(pack).collect();
        for (id, packed) in packed {
            if let Some(content) = self.contents.get_mut(&id) {
                content.storage = packed;
            }
        }
    }

    fn new_content(
        &self,
        before: Option<BlobId>,
        bytes: &Blob,
        place_in_edit: Option<(&Edit, EditSide)>,
    ) -> StoredContent {
        let lines = file_diff::comparable_lines(bytes);
        let before =
            before.and_then(|base| Some((base, self.contents.get(&base)?, self.get(base)?)));
        let whole = || ContentStorage::Whole(Arc::clone(bytes));
        let Some((base, content, old)) = before else {
            let storage = self.recorded_storage(bytes, place_in_edit).unwrap_or_else(whole);
            return StoredContent { storage, lines, after: None };
        };
        let is_text = |bytes: &[u8]| utf8::as_text(bytes).is_some();
        let is_plain = lines.and(content.lines).is_some() && is_text(&old) && is_text(bytes);
        let counts = is_plain.then(|| diff_stat::at_a_glance(&old, bytes)).flatten();
        let storage = content.storage.changed_from(base, &old, bytes);
        let storage = storage
            .or_else(|| self.recorded_storage(bytes, place_in_edit))
            .or_else(|| ContentStorage::packed_from(bytes));
        StoredContent {
            storage: storage.unwrap_or_else(whole),
            lines,
            after: counts.map(|counts| (base, counts)),
        }
    }

    /// Returns the content's place in the recording; None where the content has to be kept.
    fn recorded_storage(
        &self,
        bytes: &[u8],
        place_in_edit: Option<(&Edit, EditSide)>,
    ) -> Option<ContentStorage> {
        let (edit, side) = place_in_edit.filter(|_| bytes.len() >= MIN_PACKED_BYTES)?;
        let is_on_disk = self.bodies.as_ref().is_some_and(|it| it.is_on_disk(edit.place));
        is_on_disk.then(|| ContentStorage::Recorded { edit: Box::new(edit.clone()), side })
    }

    /// Reads a content that is not kept, read again; None where the recording has become another one since.
    fn read_again(&self, id: BlobId, edit: &Edit, side: EditSide) -> Option<Vec<u8>> {
        let body = self.bodies.as_ref()?.edit_body(edit)?;
        let text = match (side, body.change) {
            (EditSide::Before, _) => body.before?,
            (EditSide::After, RecordedChange::Write(text)) => text,
            (EditSide::After, _) => return None,
        };
        Some(text.into_bytes()).filter(|bytes| BlobId::for_bytes(bytes) == id)
    }

    /// Returns a content; None where it was never inserted.
    pub fn get(&self, id: BlobId) -> Option<Blob> {
        if let Some((_, blob)) = self.recent.iter().find(|(other, _)| *other == id) {
            return Some(Arc::clone(blob));
        }
        let (mut changes, mut at) = (vec![], id);
        let mut bytes = loop {
            match &self.contents.get(&at)?.storage {
                ContentStorage::Whole(blob) if changes.is_empty() => return Some(Arc::clone(blob)),
                ContentStorage::Whole(bytes) => break bytes.to_vec(),
                ContentStorage::Packed { packed, len } => {
                    break make_or_cached(at, || packing::unpack_bytes(packed, *len).ok())?;
                }
                ContentStorage::Recorded { edit, side } => {
                    break make_or_cached(at, || self.read_again(at, edit, *side))?;
                }
                ContentStorage::Changed { base, first, last, middle, .. } => {
                    changes.push((*first, *last, middle));
                    at = *base;
                }
            }
        };
        for (first, last, middle) in changes.into_iter().rev() {
            let end = bytes.len().checked_sub(last)?;
            bytes.splice(first..end, middle.iter().copied());
        }
        Some(bytes.into())
    }

    fn remember_recent(&mut self, id: BlobId, blob: Blob) {
        self.recent.retain(|(other, _)| *other != id);
        self.recent.push_back((id, blob));
        let mut size: usize = self.recent.iter().map(|(_, blob)| blob.len()).sum();
        while self.recent.len() > RECENT || size > RECENT_BYTES {
            size -= self.recent.pop_front().map_or(size, |(_, blob)| blob.len());
        }
    }
}

impl ContentStorage {
    /// Returns the difference to a content that is kept so; None where the difference is large, or the chain of
    /// differences is too long.
    fn changed_from(&self, base: BlobId, before: &[u8], bytes: &[u8]) -> Option<Self> {
        let far = match self {
            Self::Changed { far, .. } => far + 1,
            Self::Whole(_) | Self::Packed { .. } | Self::Recorded { .. } => 1,
        };
        if far > MAX_CHANGE_CHAIN {
            return None;
        }
        let first = diff_stat::common_start(before, bytes);
        let last = diff_stat::common_end(&before[first..], &bytes[first..]);
        let middle = &bytes[first..bytes.len() - last];
        let is_small = middle.len() < bytes.len() / 8;
        is_small.then(|| Self::Changed { base, first, last, middle: middle.into(), far })
    }

    /// Packs a content; None where packing saves little.
    fn packed_from(bytes: &[u8]) -> Option<Self> {
        if bytes.len() < MIN_PACKED_BYTES {
            return None;
        }
        let packed = packing::pack_bytes(bytes).ok()?;
        let is_small = packed.len() < bytes.len() / 4 * 3;
        is_small.then(|| Self::Packed { packed: packed.into(), len: bytes.len() })
    }
}

thread_local! {
    /// The content that was unpacked or read last: the versions of a file are mostly requested one after the other and
    /// are rebuilt from the same content.
    static LAST_MADE: RefCell<Option<(BlobId, Box<[u8]>)>> = const { RefCell::new(None) };
}

/// A content that is longer is made again each time.
const MAX_CACHED_BYTES: usize = 1 << 20;

fn make_or_cached(id: BlobId, make: impl FnOnce() -> Option<Vec<u8>>) -> Option<Vec<u8>> {
    LAST_MADE.with_borrow_mut(|last_made| {
        if let Some((_, bytes)) = last_made.as_ref().filter(|(last, _)| *last == id) {
            return Some(bytes.to_vec());
        }
        let bytes = make()?;
        *last_made = (bytes.len() <= MAX_CACHED_BYTES).then(|| (id, bytes.as_slice().into()));
        Some(bytes)
    })
}

impl Blobs for MemoryBlobs {
    fn read_blob(&self, id: BlobId) -> Result<Blob, String> {
        self.get(id).ok_or_else(|| format!("content {id} is not in the recording"))
    }

    fn line_counts(&self, old: Option<BlobId>, new: Option<BlobId>) -> Option<LineCounts> {
        let lines = |side: Option<BlobId>| match side {
            Some(id) => self.contents.get(&id)?.lines,
            None => Some(0),
        };
        let (removed, added) = (lines(old)?, lines(new)?);
        match (old, new) {
            (Some(old), Some(new)) if old == new => Some(LineCounts::default()),
            (Some(old), Some(new)) => self
                .contents
                .get(&new)?
                .after
                .filter(|(base, _)| *base == old)
                .map(|(_, counts)| counts),
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
        assert_eq!(BlobId::for_bytes(b"").to_string(), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(
            BlobId::for_bytes(b"hello\n").to_string(),
            "ce013625030ba8dba906f756967f9e9ca394464a"
        );
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(40))]

        #[test]
        fn whatever_becomes_of_a_content_every_version_can_be_had_again(
            edits in proptest::collection::vec((0usize..900, 0usize..60, "[a-c\n]{0,60}"), 1..90),
        ) {
            let mut blobs = MemoryBlobs::default();
            let mut text = "a line of code\n".repeat(60).into_bytes();
            let mut last = blobs.insert(&text);
            let mut versions = vec![(last, text.clone())];
            for (at, len, new) in edits {
                let start = at.min(text.len());
                let end = (start + len).min(text.len());
                text.splice(start..end, new.bytes());
                last = blobs.insert_after(Some(last), &text, None);
                versions.push((last, text.clone()));
            }
            for (id, text) in &versions {
                proptest::prop_assert_eq!(BlobId::for_bytes(text), *id);
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
        let mut last = blobs.insert(lines.concat().as_bytes());
        for at in 0..1000 {
            lines[at] = format!("another line {at}\n");
            last = blobs.insert_after(Some(last), lines.concat().as_bytes(), None);
        }

        let size = |storage: &ContentStorage| match storage {
            ContentStorage::Whole(bytes) => bytes.len(),
            ContentStorage::Packed { packed, .. } => packed.len(),
            ContentStorage::Recorded { .. } => 0,
            ContentStorage::Changed { middle, .. } => middle.len(),
        };
        assert!(
            blobs.contents.values().map(|content| size(&content.storage)).sum::<usize>()
                < 20 * lines.concat().len()
        );
        assert_eq!(&*blobs.get(last).unwrap(), lines.concat().as_bytes());
    }

    #[test]
    fn contents_that_come_to_be_many_are_packed_and_can_be_had_again() {
        let mut blobs = MemoryBlobs::default();
        let text = |at: usize| format!("def function_{at}(a, b):\n").repeat(20_000).into_bytes();

        let ids: Vec<BlobId> = (0..40).map(|at| blobs.insert(&text(at))).collect();

        let is_packed =
            |id: &&BlobId| matches!(blobs.contents[*id].storage, ContentStorage::Packed { .. });
        assert!(ids.iter().filter(is_packed).count() > 10);
        assert!(blobs.unpacked <= MOST_UNPACKED_BYTES);
        for (at, id) in ids.iter().enumerate() {
            assert!(*blobs.get(*id).unwrap() == *text(at));
        }
    }

    /// Bodies on a disk, by the line of the edit.
    #[derive(Debug)]
    struct DiskBodies(std::sync::Mutex<Vec<String>>);

    impl EditBodies for DiskBodies {
        fn edit_body(&self, edit: &Edit) -> Option<RecordedEdit> {
            let text = self.0.lock().unwrap().get(edit.place.line as usize)?.clone();
            Some(RecordedEdit { before: None, change: RecordedChange::Write(text) })
        }

        fn is_on_disk(&self, _: RecordPlace) -> bool {
            true
        }
    }

    #[test]
    fn a_content_that_stands_in_the_recording_is_read_from_there_again() {
        let text = |at: usize| format!("def function_{at}(a, b):\n").repeat(100);
        let texts = (0..3).map(text).collect();
        let bodies = Arc::new(DiskBodies(std::sync::Mutex::new(texts)));
        let mut blobs = MemoryBlobs::with_bodies(Arc::clone(&bodies) as Arc<dyn EditBodies>);
        let edit = |line| Edit {
            path: crate::EditPath::from_recorded("a.py", None),
            kind: crate::EditKind::Modify,
            from: None,
            added: None,
            removed: None,
            place: RecordPlace { line, ..RecordPlace::default() },
        };

        let first = blobs.insert_after(None, text(0).as_bytes(), Some((&edit(0), EditSide::After)));
        let other =
            blobs.insert_after(Some(first), text(1).as_bytes(), Some((&edit(1), EditSide::After)));
        let changed = text(0).replacen("(a, b)", "(a)", 1);
        let changed_id = blobs.insert_after(Some(first), changed.as_bytes(), None);
        blobs.recent.clear();

        let is_recorded =
            |id| matches!(blobs.contents[&id].storage, ContentStorage::Recorded { .. });
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
        let never = BlobId::for_bytes(b"never");

        let id = blobs.insert_after(Some(never), b"put", None);

        assert!(blobs.get(never).is_none());
        assert_eq!(&*blobs.get(id).unwrap(), b"put");
    }
}
