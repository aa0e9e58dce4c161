//! A folder as git keeps it: its entries one after the other, in order.

use crate::run::files::{Blob, BlobId};

/// The entries of a folder.
#[derive(Debug, Clone)]
pub struct TreeBytes(Blob);

/// One file, link, submodule or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    pub mode: u32,
    pub name: &'a [u8],
    pub id: BlobId,
}

impl Entry<'_> {
    pub const fn is_folder(&self) -> bool {
        self.mode == 0o040000
    }

    /// What git sorts by: a folder as if its name ended in a slash.
    pub fn key(&self) -> impl Iterator<Item = u8> {
        self.name.iter().copied().chain(self.is_folder().then_some(b'/'))
    }
}

impl TreeBytes {
    /// Checks that every entry can be read and that they are in order. The error says what is wrong.
    pub fn new(bytes: Blob) -> Result<Self, &'static str> {
        let mut rest = &bytes[..];
        let mut last: Option<Entry<'_>> = None;
        while !rest.is_empty() {
            let (entry, after) = first(rest).ok_or("an entry is broken")?;
            if last.is_some_and(|last| !last.key().lt(entry.key())) {
                return Err("its entries are not in order");
            }
            (last, rest) = (Some(entry), after);
        }
        Ok(Self(bytes))
    }

    /// In git's order.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let mut rest = &self.0[..];
        std::iter::from_fn(move || {
            let (entry, after) = first(rest)?;
            rest = after;
            Some(entry)
        })
    }
}

/// The first entry and what follows: octal mode, a space, a name, a zero byte, 20 bytes of id.
fn first(bytes: &[u8]) -> Option<(Entry<'_>, &[u8])> {
    let space = bytes.iter().take(8).position(|byte| *byte == b' ')?;
    let mode = u32::from_str_radix(std::str::from_utf8(&bytes[..space]).ok()?, 8).ok()?;
    let rest = &bytes[space + 1..];
    let end = memchr::memchr(0, rest).filter(|end| *end > 0)?;
    let (id, after) = rest[end + 1..].split_at_checked(20)?;
    Some((Entry { mode, name: &rest[..end], id: BlobId(id.try_into().ok()?) }, after))
}
