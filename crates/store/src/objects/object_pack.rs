//! A pack and its index. The pack stays on the disk and is read where an object is wanted.

use std::{
    fs,
    io::{self, BufRead, Read},
    path::Path,
    sync::OnceLock,
};

use flate2::{Crc, bufread::ZlibDecoder};
use sha1::{Digest, Sha1};

use crate::{disk, file_bytes::read_at};
use trajview_run::files::BlobId;

use super::{
    GitObject, ObjectKind, damage_text, delta, open_regular_file, pack_index::PackIndex,
    recent_objects::RecentObjects, unpack_sized,
};

/// The most bytes an index may have, which is two million objects.
const MOST_INDEX: u64 = 64 << 20;

/// The longest chain of deltas to a whole object; git writes 50, and 250 on request.
const MOST_CHAIN: usize = 4_096;

/// The most bytes that are unpacked for one object.
const MOST_WORK: u64 = 512 << 20;

/// The sum a pack ends with.
const TAIL_BYTES: u64 = 20;

#[derive(Debug)]
pub struct ObjectPack {
    /// The file name of the index.
    pub name: String,
    /// The number of the pack, by which the kept objects of different packs are told apart.
    number: usize,
    index: PackIndex,
    /// The rows of the index in the order of their offsets, once they are needed.
    by_offset: OnceLock<Vec<u32>>,
    file: fs::File,
    /// The number of bytes before the trailing sum.
    end: u64,
}

/// The head of an object at an offset of a pack.
#[derive(Debug, Clone, Copy)]
struct PackEntry {
    base: EntryBase,
    /// The unpacked size of the object or of its delta.
    size: u64,
    /// The start of the object, and that of its packed bytes.
    start: u64,
    data: u64,
}

/// The unpacked bytes, and the checksum of the packed ones.
type UnpackedEntry = (Vec<u8>, u32);

#[derive(Debug, Clone, Copy)]
enum EntryBase {
    Whole(ObjectKind),
    At(u64),
    Named(BlobId),
}

impl ObjectPack {
    /// Opens the pack that belongs to an index. The error is a sentence.
    pub fn open(index: &Path, number: usize) -> Result<Self, String> {
        let name = disk::name_of(index).to_owned();
        let shown_path = format!("objects/pack/{name}");
        let mut bytes = vec![];
        let file = open_regular_file(index, &shown_path)?;
        let read = file.take(MOST_INDEX + 1).read_to_end(&mut bytes);
        read.map_err(|_| format!("{shown_path} cannot be read"))?;
        if bytes.len() as u64 > MOST_INDEX {
            return Err(format!("{shown_path} is bigger than {} MiB", MOST_INDEX >> 20));
        }
        let index_read = PackIndex::new(bytes).map_err(|why| damage_text(&shown_path, why))?;
        let packed = index.with_extension("pack");
        let shown_path = format!("objects/pack/{}", disk::name_of(&packed));
        let file = open_regular_file(&packed, &shown_path)?;
        let len = file.metadata().map_or(0, |meta| meta.len());
        let end = len.saturating_sub(TAIL_BYTES);
        let mut pack =
            Self { name, number, index: index_read, by_offset: OnceLock::new(), file, end };
        pack.check_ends().map_err(|why| damage_text(&shown_path, why))?;
        pack.end = len - TAIL_BYTES;
        Ok(pack)
    }

    /// Checks head and tail against the index. The error is the reason.
    fn check_ends(&self) -> Result<(), &'static str> {
        let (mut head, mut sum) = ([0; 12], [0; TAIL_BYTES as usize]);
        let is_read = read_at(&self.file, &mut head, 0).is_ok()
            && self.end >= head.len() as u64
            && read_at(&self.file, &mut sum, self.end).is_ok();
        if !is_read || !head.starts_with(b"PACK\0\0\0\x02") {
            return Err("it is not a pack of version 2");
        }
        if head[8..] != u32::try_from(self.index.object_count()).unwrap_or(u32::MAX).to_be_bytes() {
            return Err("it has not as many objects as its index");
        }
        if sum != *self.index.pack_sum() {
            return Err("its checksum is not the one in its index");
        }
        Ok(())
    }

    /// Reads the whole pack. The error is a sentence.
    pub(crate) fn check_sum(&self) -> Result<(), String> {
        let (mut hash, mut buffer, mut at) = (Sha1::new(), vec![0; 1 << 16], 0);
        while at < self.end {
            let part = (self.end - at).min(buffer.len() as u64) as usize;
            let read = read_at(&self.file, &mut buffer[..part], at);
            read.map_err(|_| self.damage_text("it became shorter"))?;
            hash.update(&buffer[..part]);
            at += part as u64;
        }
        let is_right = hash.finalize()[..] == *self.index.pack_sum();
        if is_right { Ok(()) } else { Err(self.damage_text("its checksum is wrong")) }
    }

    fn damage_text(&self, why: &str) -> String {
        damage_text(&format!("objects/pack/{}", self.name.replace(".idx", ".pack")), why)
    }

    /// Returns every object by its id, with its offset.
    pub fn all_entries(&self) -> impl Iterator<Item = (BlobId, u64)> {
        let offset = |at| self.index.offset_at(at).unwrap_or(u64::MAX);
        (0..self.index.object_count()).map(move |at| (self.index.id(at), offset(at)))
    }

    /// Returns the objects whose ids begin with these hex digits.
    pub(crate) fn ids_with_prefix(&self, hex: &str) -> Vec<BlobId> {
        self.index.ids_with_prefix(hex)
    }

    pub(crate) fn offset_of(&self, id: BlobId) -> Option<u64> {
        Some(self.index.offset_at(self.index.row_of(id)?).unwrap_or(u64::MAX))
    }

    /// Returns the object at an offset. The error is a sentence.
    pub(crate) fn read_at_offset(
        &self,
        offset: u64,
        recent: &RecentObjects,
    ) -> Result<GitObject, String> {
        let at_offset = |why: String| self.damage_text(&format!("at byte {offset}: {why}"));
        let (mut object, chain) = self.delta_chain(offset, recent).map_err(at_offset)?;
        let mut work = 0;
        for packed in chain.into_iter().rev() {
            let (delta, check) = self.unpack_entry(packed.1).map_err(at_offset)?;
            let bytes = delta::apply_delta(&object.bytes, &delta).map_err(at_offset)?;
            work += (bytes.len() + delta.len()) as u64;
            if work > MOST_WORK {
                let most = MOST_WORK >> 20;
                return Err(at_offset(format!(
                    "more than {most} MiB would have to be unpacked for it; no more are read"
                )));
            }
            let is_sound = object.is_sound && self.is_listed(packed.0, check);
            object = GitObject { kind: object.kind, bytes: bytes.into(), is_sound };
            recent.put((self.number, packed.0), &object);
        }
        Ok(object)
    }

    /// Returns the first object of the chain that is whole or cached, and the deltas from the wanted one back to it.
    fn delta_chain(
        &self,
        offset: u64,
        recent: &RecentObjects,
    ) -> Result<(GitObject, Vec<(u64, PackEntry)>), String> {
        let (mut at, mut chain) = (offset, vec![]);
        while chain.len() < MOST_CHAIN {
            if let Some(cached) = recent.get((self.number, at)) {
                return Ok((cached, chain));
            }
            let packed = self.entry_at(at).ok_or("no object starts there")?;
            let base = match packed.base {
                EntryBase::Whole(kind) => {
                    let (bytes, check) = self.unpack_entry(packed)?;
                    let is_sound = kind == ObjectKind::Tree && self.is_listed(at, check);
                    let object = GitObject { kind, bytes: bytes.into(), is_sound };
                    recent.put((self.number, at), &object);
                    return Ok((object, chain));
                }
                EntryBase::At(base) => base,
                EntryBase::Named(id) => self.offset_of(id).ok_or("its base is not in the pack")?,
            };
            chain.push((at, packed));
            at = base;
        }
        Err(format!("it is a delta of a delta more than {MOST_CHAIN} times"))
    }

    fn unpack_entry(&self, packed: PackEntry) -> Result<UnpackedEntry, String> {
        let mut section = PackSection::new(self, packed.start);
        section.skip(packed.data - packed.start).map_err(|_| "it became shorter")?;
        let bytes = unpack_sized(ZlibDecoder::new(&mut section), packed.size)?;
        Ok((bytes, section.check.sum()))
    }

    /// Returns whether the index has this checksum for what is packed at an offset.
    fn is_listed(&self, offset: u64, check: u32) -> bool {
        let rows = self.by_offset.get_or_init(|| self.index.rows_by_offset());
        let at =
            rows.binary_search_by_key(&Some(offset), |row| self.index.offset_at(*row as usize));
        at.is_ok_and(|at| self.index.checksum_at(rows[at] as usize) == check)
    }

    /// Reads what precedes packed bytes: a type, a size, and for a delta its base.
    fn entry_at(&self, offset: u64) -> Option<PackEntry> {
        let mut head = [0; 64];
        let there = self.end.checked_sub(offset)?.min(head.len() as u64) as usize;
        read_at(&self.file, &mut head[..there], offset).ok()?;
        let mut rest = head[..there].iter().copied();
        let first = rest.next()?;
        let (mut size, mut shift, mut more) = (u64::from(first & 0x0f), 4, first & 0x80 != 0);
        while more {
            let byte = rest.next().filter(|_| shift <= 53)?;
            size |= u64::from(byte & 0x7f) << shift;
            (shift, more) = (shift + 7, byte & 0x80 != 0);
        }
        let base = match first >> 4 & 7 {
            6 => EntryBase::At(offset.checked_sub(read_distance(&mut rest)?)?),
            7 => {
                let mut id = [0; 20];
                for byte in &mut id {
                    *byte = rest.next()?;
                }
                EntryBase::Named(BlobId(id))
            }
            number => EntryBase::Whole(ObjectKind::from_pack_number(number)?),
        };
        Some(PackEntry { base, size, start: offset, data: offset + (there - rest.len()) as u64 })
    }
}

/// Reads the distance from a delta back to its base: seven bits a byte, the most significant first, each but the last
/// one more.
fn read_distance(bytes: &mut impl Iterator<Item = u8>) -> Option<u64> {
    let mut byte = bytes.next()?;
    let mut far = u64::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        byte = bytes.next()?;
        far = far.checked_add(1)?.checked_mul(128)? | u64::from(byte & 0x7f);
    }
    Some(far).filter(|far| *far > 0)
}

/// The bytes of a pack from one place on, and the checksum of those that were used.
struct PackSection<'a> {
    pack: &'a ObjectPack,
    /// The end of the bytes that were read ahead.
    at: u64,
    ahead: Vec<u8>,
    used: usize,
    check: Crc,
}

/// The number of bytes that are read ahead.
const AHEAD: u64 = 8 << 10;

impl<'a> PackSection<'a> {
    fn new(pack: &'a ObjectPack, at: u64) -> Self {
        Self { pack, at, ahead: vec![], used: 0, check: Crc::new() }
    }

    fn skip(&mut self, count: u64) -> io::Result<()> {
        io::copy(&mut self.take(count), &mut io::sink()).map(drop)
    }
}

impl BufRead for PackSection<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.used == self.ahead.len() {
            let there = self.pack.end.saturating_sub(self.at).min(AHEAD);
            self.ahead.resize(there as usize, 0);
            self.used = 0;
            read_at(&self.pack.file, &mut self.ahead, self.at)?;
            self.at += there;
        }
        Ok(&self.ahead[self.used..])
    }

    fn consume(&mut self, count: usize) {
        self.check.update(&self.ahead[self.used..self.used + count]);
        self.used += count;
    }
}

impl Read for PackSection<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(into)?;
        self.consume(count);
        Ok(count)
    }
}
