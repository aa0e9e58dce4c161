//! A pack and its index. The pack stays on the disk and is read where an object is wanted.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::Path,
};

use flate2::bufread::ZlibDecoder;
use sha1::{Digest, Sha1};

use crate::{
    run::files::BlobId,
    store::{bytes::read_at, find},
};

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
    /// Where the packed bytes start.
    data: u64,
}

#[derive(Debug, Clone, Copy)]
enum Base {
    Whole(Kind),
    At(u64),
    Named(BlobId),
}

impl Pack {
    /// The pack that belongs to an index. The error is a sentence.
    pub fn open(index: &Path, number: usize) -> Result<Self, String> {
        let name = find::name_of(index).to_owned();
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
        let shown = format!("objects/pack/{}", find::name_of(&packed));
        let file = file_inside(&packed, &shown)?;
        let len = file.metadata().map_or(0, |meta| meta.len());
        let mut pack =
            Self { name, number, index: index_read, file, end: len.saturating_sub(TAIL) };
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

    pub fn offset_of(&self, id: BlobId) -> Option<u64> {
        Some(self.index.offset(self.index.find(id)?).unwrap_or(u64::MAX))
    }

    /// The object at an offset. The error is a sentence.
    pub fn read(&self, offset: u64, recent: &Recent) -> Result<Object, String> {
        let said = |why: String| self.damaged(&format!("at byte {offset}: {why}"));
        let (mut object, chain) = self.chain(offset, recent).map_err(said)?;
        let mut work = 0;
        for packed in chain.into_iter().rev() {
            let delta = self.unpack(packed.1).map_err(said)?;
            let bytes = delta::apply(&object.bytes, &delta).map_err(said)?;
            work += (bytes.len() + delta.len()) as u64;
            if work > MOST_WORK {
                let most = MOST_WORK >> 20;
                return Err(said(format!(
                    "more than {most} MiB would have to be unpacked for it; no more are read"
                )));
            }
            object = Object { kind: object.kind, bytes: bytes.into() };
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
                    let object = Object { kind, bytes: self.unpack(packed)?.into() };
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

    fn unpack(&self, packed: Packed) -> Result<Vec<u8>, String> {
        unpack(ZlibDecoder::new(self.from(packed.data)), packed.size)
    }

    fn from(&self, start: u64) -> impl BufRead {
        BufReader::with_capacity(8 << 10, Section { pack: self, at: start })
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
        Some(Packed { base, size, data: offset + (there - rest.len()) as u64 })
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

/// The bytes of a pack from one place on.
struct Section<'a> {
    pack: &'a Pack,
    at: u64,
}

impl Read for Section<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let there = self.pack.end.saturating_sub(self.at).min(into.len() as u64) as usize;
        read_at(&self.pack.file, &mut into[..there], self.at)?;
        self.at += there as u64;
        Ok(there)
    }
}
