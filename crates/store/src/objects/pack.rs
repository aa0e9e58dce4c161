//! A pack and its index. The pack stays on the disk and is read where an object is wanted.

use std::{
    fs,
    io::{self, BufRead, Read},
    path::Path,
    sync::OnceLock,
};

use flate2::{Crc, bufread::ZlibDecoder};
use sha1::{Digest, Sha1};

use crate::{bytes::read_at, disk};
use trajview_run::files::BlobId;

use super::{Kind, Object, damaged, delta, file_inside, index::Index, recent::Recent, unpack};

/// Bytes an index may have, which is two million objects.
const MOST_INDEX: u64 = 64 << 20;

/// Deltas from an object to the one that is whole; git writes 50, and 250 where it is asked to.
const MOST_CHAIN: usize = 4_096;

/// Bytes that may be unpacked on the way to one object.
const MOST_WORK: u64 = 512 << 20;

/// The sum a pack ends with.
const TAIL: u64 = 20;

#[derive(Debug)]
pub struct Pack {
    /// Of the index.
    pub name: String,
    /// Tells packs apart among the objects that are kept.
    number: usize,
    index: Index,
    /// Rows of the index in the order of their offsets, once they are wanted.
    by_offset: OnceLock<Vec<u32>>,
    file: fs::File,
    /// Bytes before the trailing sum.
    end: u64,
}

/// What stands at an offset of a pack.
#[derive(Debug, Clone, Copy)]
struct Packed {
    base: Base,
    /// Unpacked, of the object or of its delta.
    size: u64,
    /// Where it starts, and where its packed bytes do.
    start: u64,
    data: u64,
}

/// Unpacked bytes and the checksum of what they were packed to.
type Unpacked = (Vec<u8>, u32);

#[derive(Debug, Clone, Copy)]
enum Base {
    Whole(Kind),
    At(u64),
    Named(BlobId),
}

impl Pack {
    /// The pack that belongs to an index. The error is a sentence.
    pub fn open(index: &Path, number: usize) -> Result<Self, String> {
        let name = disk::name_of(index).to_owned();
        let shown = format!("objects/pack/{name}");
        let mut bytes = vec![];
        let file = file_inside(index, &shown)?;
        let read = file.take(MOST_INDEX + 1).read_to_end(&mut bytes);
        read.map_err(|_| format!("{shown} cannot be read"))?;
        if bytes.len() as u64 > MOST_INDEX {
            return Err(format!("{shown} is bigger than {} MiB", MOST_INDEX >> 20));
        }
        let index_read = Index::new(bytes).map_err(|why| damaged(&shown, why))?;
        let packed = index.with_extension("pack");
        let shown = format!("objects/pack/{}", disk::name_of(&packed));
        let file = file_inside(&packed, &shown)?;
        let len = file.metadata().map_or(0, |meta| meta.len());
        let end = len.saturating_sub(TAIL);
        let mut pack =
            Self { name, number, index: index_read, by_offset: OnceLock::new(), file, end };
        pack.check().map_err(|why| damaged(&shown, why))?;
        pack.end = len - TAIL;
        Ok(pack)
    }

    /// Checks head and tail against the index. The error says what is wrong.
    fn check(&self) -> Result<(), &'static str> {
        let (mut head, mut sum) = ([0; 12], [0; TAIL as usize]);
        let is_read = read_at(&self.file, &mut head, 0).is_ok()
            && self.end >= head.len() as u64
            && read_at(&self.file, &mut sum, self.end).is_ok();
        if !is_read || !head.starts_with(b"PACK\0\0\0\x02") {
            return Err("it is not a pack of version 2");
        }
        if head[8..] != u32::try_from(self.index.count()).unwrap_or(u32::MAX).to_be_bytes() {
            return Err("it has not as many objects as its index");
        }
        if sum != *self.index.pack_sum() {
            return Err("its checksum is not the one in its index");
        }
        Ok(())
    }

    /// Reads the whole pack. The error is a sentence.
    pub fn check_sum(&self) -> Result<(), String> {
        let (mut hash, mut buffer, mut at) = (Sha1::new(), vec![0; 1 << 16], 0);
        while at < self.end {
            let part = (self.end - at).min(buffer.len() as u64) as usize;
            let read = read_at(&self.file, &mut buffer[..part], at);
            read.map_err(|_| self.damaged("it became shorter"))?;
            hash.update(&buffer[..part]);
            at += part as u64;
        }
        let is_right = hash.finalize()[..] == *self.index.pack_sum();
        if is_right { Ok(()) } else { Err(self.damaged("its checksum is wrong")) }
    }

    fn damaged(&self, why: &str) -> String {
        damaged(&format!("objects/pack/{}", self.name.replace(".idx", ".pack")), why)
    }

    /// Every object, by its id, with its offset.
    pub fn entries(&self) -> impl Iterator<Item = (BlobId, u64)> {
        let offset = |at| self.index.offset(at).unwrap_or(u64::MAX);
        (0..self.index.count()).map(move |at| (self.index.id(at), offset(at)))
    }

    /// The objects whose ids begin with these hex digits.
    pub fn that_begin(&self, hex: &str) -> Vec<BlobId> {
        self.index.that_begin(hex)
    }

    pub fn offset_of(&self, id: BlobId) -> Option<u64> {
        Some(self.index.offset(self.index.find(id)?).unwrap_or(u64::MAX))
    }

    /// The object at an offset. The error is a sentence.
    pub fn read(&self, offset: u64, recent: &Recent) -> Result<Object, String> {
        let said = |why: String| self.damaged(&format!("at byte {offset}: {why}"));
        let (mut object, chain) = self.chain(offset, recent).map_err(said)?;
        let mut work = 0;
        for packed in chain.into_iter().rev() {
            let (delta, check) = self.unpack(packed.1).map_err(said)?;
            let bytes = delta::apply(&object.bytes, &delta).map_err(said)?;
            work += (bytes.len() + delta.len()) as u64;
            if work > MOST_WORK {
                let most = MOST_WORK >> 20;
                return Err(said(format!(
                    "more than {most} MiB would have to be unpacked for it; no more are read"
                )));
            }
            let is_sound = object.is_sound && self.is_listed(packed.0, check);
            object = Object { kind: object.kind, bytes: bytes.into(), is_sound };
            recent.put((self.number, packed.0), &object);
        }
        Ok(object)
    }

    /// The first object on the way that is whole or known, and the deltas from the wanted one back to it.
    fn chain(&self, offset: u64, recent: &Recent) -> Result<(Object, Vec<(u64, Packed)>), String> {
        let (mut at, mut chain) = (offset, vec![]);
        while chain.len() < MOST_CHAIN {
            if let Some(known) = recent.get((self.number, at)) {
                return Ok((known, chain));
            }
            let packed = self.packed(at).ok_or("no object starts there")?;
            let base = match packed.base {
                Base::Whole(kind) => {
                    let (bytes, check) = self.unpack(packed)?;
                    let is_sound = kind == Kind::Tree && self.is_listed(at, check);
                    let object = Object { kind, bytes: bytes.into(), is_sound };
                    recent.put((self.number, at), &object);
                    return Ok((object, chain));
                }
                Base::At(base) => base,
                Base::Named(id) => self.offset_of(id).ok_or("its base is not in the pack")?,
            };
            chain.push((at, packed));
            at = base;
        }
        Err(format!("it is a delta of a delta more than {MOST_CHAIN} times"))
    }

    fn unpack(&self, packed: Packed) -> Result<Unpacked, String> {
        let mut section = Section::new(self, packed.start);
        section.skip(packed.data - packed.start).map_err(|_| "it became shorter")?;
        let bytes = unpack(ZlibDecoder::new(&mut section), packed.size)?;
        Ok((bytes, section.check.sum()))
    }

    /// Whether the index has this checksum for what is packed at an offset.
    fn is_listed(&self, offset: u64, check: u32) -> bool {
        let rows = self.by_offset.get_or_init(|| self.index.rows_by_offset());
        let at = rows.binary_search_by_key(&Some(offset), |row| self.index.offset(*row as usize));
        at.is_ok_and(|at| self.index.check(rows[at] as usize) == check)
    }

    /// Reads what stands before packed bytes: a kind, a size, and for a delta what it is of.
    fn packed(&self, offset: u64) -> Option<Packed> {
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
            6 => Base::At(offset.checked_sub(distance(&mut rest)?)?),
            7 => {
                let mut id = [0; 20];
                for byte in &mut id {
                    *byte = rest.next()?;
                }
                Base::Named(BlobId(id))
            }
            number => Base::Whole(Kind::of_number(number)?),
        };
        Some(Packed { base, size, start: offset, data: offset + (there - rest.len()) as u64 })
    }
}

/// How far before a delta its base starts: seven bits a byte, the most significant first, each but the last one more.
fn distance(bytes: &mut impl Iterator<Item = u8>) -> Option<u64> {
    let mut byte = bytes.next()?;
    let mut far = u64::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        byte = bytes.next()?;
        far = far.checked_add(1)?.checked_mul(128)? | u64::from(byte & 0x7f);
    }
    Some(far).filter(|far| *far > 0)
}

/// The bytes of a pack from one place on, and the checksum of those that were used.
struct Section<'a> {
    pack: &'a Pack,
    /// What was read ahead stands before it.
    at: u64,
    ahead: Vec<u8>,
    used: usize,
    check: Crc,
}

/// Bytes that are read ahead.
const AHEAD: u64 = 8 << 10;

impl<'a> Section<'a> {
    fn new(pack: &'a Pack, at: u64) -> Self {
        Self { pack, at, ahead: vec![], used: 0, check: Crc::new() }
    }

    fn skip(&mut self, count: u64) -> io::Result<()> {
        io::copy(&mut self.take(count), &mut io::sink()).map(drop)
    }
}

impl BufRead for Section<'_> {
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

impl Read for Section<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(into)?;
        self.consume(count);
        Ok(count)
    }
}
