//! A folder as git keeps it: its entries one after the other, in order.
//!
//! A run reads a folder again after every turn that changed something below it, and most of its entries are the same as
//! before. So a folder remembers where blocks of its entries start, and its next version is compared with it block by
//! block ([`Differences`]): only blocks that changed are taken apart. That also checks the next version, since what is
//! equal was checked before.

use std::cmp::Ordering;

use trajview_run::files::{Blob, BlobId};

/// The entries of a folder, each of which can be read, in git's order.
#[derive(Debug, Clone)]
pub struct TreeBytes {
    bytes: Blob,
    /// Where each block starts; the first at 0.
    blocks: Vec<u32>,
}

/// Bytes after which a new block starts, and below which one is joined with its neighbour.
const BLOCK: usize = 2 << 10;
const SMALL_BLOCK: usize = BLOCK / 4;

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

    /// How git sorts: a folder as if its name ended in a slash.
    fn order(&self, other: &Self) -> Ordering {
        let both = self.name.len().min(other.name.len());
        let rest = |entry: &Self| entry.is_folder().then_some(b'/');
        self.name[..both].cmp(&other.name[..both]).then_with(|| {
            let own = self.name[both..].iter().copied().chain(rest(self));
            own.cmp(other.name[both..].iter().copied().chain(rest(other)))
        })
    }
}

impl Default for TreeBytes {
    fn default() -> Self {
        Self { bytes: Blob::from([]), blocks: vec![] }
    }
}

impl TreeBytes {
    /// Checks that every entry can be read and that they are in order. The error says what is wrong.
    pub fn new(bytes: Blob) -> Result<Self, &'static str> {
        let none = Self::default();
        let mut all = Differences::new(&none, &bytes);
        while all.find_next()?.is_some() {}
        let blocks = all.blocks;
        Ok(Self { bytes, blocks })
    }

    /// In git's order.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        entries_of(&self.bytes)
    }

    pub fn size(&self) -> usize {
        self.bytes.len()
    }
}

/// The entries of a folder before and after; None on the side where there is none.
pub type Difference<'a> = (Option<Entry<'a>>, Option<Entry<'a>>);

/// A folder on its way to its next version: which entries differ, in git's order. What is read of the next version is
/// checked as [`TreeBytes::new`] does it.
pub struct Differences<'a> {
    old: &'a TreeBytes,
    new: &'a [u8],
    /// How far both are read.
    old_at: usize,
    new_at: usize,
    /// The block of the old one that starts at or after that place.
    block: usize,
    /// What was read last of the new one.
    last: Last<'a>,
    /// Where the blocks of the new one start.
    blocks: Vec<u32>,
    /// What was compared so far: entries, and bytes that were equal in blocks by the half KiB.
    work: u64,
}

/// What stands before the next entry.
enum Last<'a> {
    Nothing,
    Entry(Entry<'a>),
    /// A block that the old version has too.
    Block(&'a [u8]),
}

impl<'a> Differences<'a> {
    pub fn new(old: &'a TreeBytes, new: &'a [u8]) -> Self {
        let last = Last::Nothing;
        Self { old, new, old_at: 0, new_at: 0, block: 0, last, blocks: vec![], work: 0 }
    }

    /// The next entry that is not the same on both sides; None at the end. The error says what is wrong with the new
    /// version.
    pub fn find_next(&mut self) -> Result<Option<Difference<'a>>, &'static str> {
        loop {
            if self.skip_block()? {
                continue;
            }
            self.work += 1;
            let old = first(&self.old.bytes[self.old_at..]);
            let rest = &self.new[self.new_at..];
            if rest.is_empty() && old.is_none() {
                return Ok(None);
            }
            let new = match rest {
                [] => None,
                rest => Some(first(rest).ok_or("an entry is broken")?),
            };
            let order = match (&old, &new) {
                (Some((old, _)), Some((new, _))) => old.order(new),
                (Some(_), None) => Ordering::Less,
                (None, _) => Ordering::Greater,
            };
            let old = old.filter(|_| order.is_le()).map(|(entry, size)| {
                self.old_at += size;
                entry
            });
            let new = match new.filter(|_| order.is_ge()) {
                Some((entry, size)) => Some(self.take(entry, size)?),
                None => None,
            };
            if old != new {
                return Ok(Some((old, new)));
            }
        }
    }

    /// What was compared since the last call.
    pub fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.work)
    }

    /// The new version, given once more to be kept; to be called at the end.
    pub fn into_tree(self, new: Blob) -> TreeBytes {
        TreeBytes { bytes: new, blocks: self.blocks }
    }

    /// Goes over the next block of the old version where the new one has the same.
    fn skip_block(&mut self) -> Result<bool, &'static str> {
        let starts = &self.old.blocks;
        while starts.get(self.block).is_some_and(|start| (*start as usize) < self.old_at) {
            self.block += 1;
        }
        if starts.get(self.block).is_none_or(|start| *start as usize != self.old_at) {
            return Ok(false);
        }
        let end = starts.get(self.block + 1).map_or(self.old.bytes.len(), |next| *next as usize);
        let block = &self.old.bytes[self.old_at..end];
        if !self.new[self.new_at..].starts_with(block) {
            return Ok(false);
        }
        // After another block of the old version it is in order, as it was there.
        if let (Last::Entry(last), Some((entry, _))) = (&self.last, first(block)) {
            in_order(last, &entry)?;
        }
        let is_short = self.open_block() < SMALL_BLOCK && block.len() < 2 * BLOCK;
        self.start_block(!is_short);
        self.last = Last::Block(&self.new[self.new_at..self.new_at + block.len()]);
        self.work += 1 + block.len() as u64 / 512;
        self.old_at = end;
        self.new_at += block.len();
        Ok(true)
    }

    /// Takes the next entry of the new version.
    fn take(&mut self, entry: Entry<'a>, size: usize) -> Result<Entry<'a>, &'static str> {
        let last = match self.last {
            Last::Nothing => None,
            Last::Entry(last) => Some(last),
            Last::Block(block) => entries_of(block).last(),
        };
        last.map_or(Ok(()), |last| in_order(&last, &entry))?;
        self.start_block(self.open_block() >= BLOCK);
        self.last = Last::Entry(entry);
        self.new_at += size;
        Ok(entry)
    }

    /// Bytes since the last start of a block.
    fn open_block(&self) -> usize {
        self.new_at - self.blocks.last().map_or(0, |start| *start as usize)
    }

    fn start_block(&mut self, is_wanted: bool) {
        // No object has 4 GiB; in one that had, the last block would be long.
        if let Ok(start) = u32::try_from(self.new_at)
            && (is_wanted || self.blocks.is_empty())
        {
            self.blocks.push(start);
        }
    }
}

fn in_order(first: &Entry<'_>, second: &Entry<'_>) -> Result<(), &'static str> {
    if first.order(second).is_lt() { Ok(()) } else { Err("its entries are not in order") }
}

fn entries_of(mut bytes: &[u8]) -> impl Iterator<Item = Entry<'_>> {
    std::iter::from_fn(move || {
        let (entry, size) = first(bytes)?;
        bytes = &bytes[size..];
        Some(entry)
    })
}

/// The first entry and its size: octal mode, a space, a name, a zero byte, 20 bytes of id.
fn first(bytes: &[u8]) -> Option<(Entry<'_>, usize)> {
    let space = bytes.iter().take(8).position(|byte| *byte == b' ')?;
    let mode = u32::from_str_radix(std::str::from_utf8(&bytes[..space]).ok()?, 8).ok()?;
    let rest = &bytes[space + 1..];
    let end = memchr::memchr(0, rest).filter(|end| *end > 0)?;
    let id = rest.get(end + 1..end + 21)?;
    let size = space + 1 + end + 21;
    Some((Entry { mode, name: &rest[..end], id: BlobId(id.try_into().ok()?) }, size))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::{collection::vec, prelude::*};

    use super::*;

    /// The name in git's order, and what stands in the folder under it.
    type Files = BTreeMap<Vec<u8>, (bool, u8)>;

    fn bytes_of(files: &Files) -> Blob {
        let entry = |(key, (is_folder, content)): (&Vec<u8>, &(bool, u8))| {
            let name = key.strip_suffix(b"/").unwrap_or(key);
            let mode: &[u8] = if *is_folder { b"40000 " } else { b"100644 " };
            [mode, name, b"\0", &[*content; 20]].concat()
        };
        files.iter().flat_map(entry).collect::<Vec<u8>>().into()
    }

    /// Names of which some are the beginning of others, files and folders.
    fn put(files: &mut Files, (name, is_folder, content): (u16, bool, u8)) {
        let name = format!("{}{}", "a.b-c0"[..usize::from(name % 7).min(6)].to_owned(), name / 7);
        let key = if is_folder { format!("{name}/") } else { name };
        files.insert(key.into_bytes(), (is_folder, content));
    }

    fn key_of(entry: &Entry<'_>) -> Vec<u8> {
        [entry.name, if entry.is_folder() { b"/" } else { b"" }].concat()
    }

    /// What the two have under each name that is not the same in both.
    fn plainly(old: &Files, new: &Files) -> Vec<(Vec<u8>, Option<u8>, Option<u8>)> {
        let names: std::collections::BTreeSet<&Vec<u8>> = old.keys().chain(new.keys()).collect();
        let content = |files: &Files, name: &Vec<u8>| files.get(name).map(|(_, content)| *content);
        let both = |name: &Vec<u8>| (name.clone(), content(old, name), content(new, name));
        names.into_iter().map(both).filter(|(_, old, new)| old != new).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn whatever_becomes_of_a_folder_the_entries_that_differ_are_found(
            first in vec((0_u16..4000, any::<bool>(), 0_u8..9), 0..900),
            versions in vec(
                (vec((0_u16..4000, any::<bool>(), 0_u8..9), 0..40), vec(0_usize..900, 0..40)),
                1..12,
            ),
        ) {
            let mut files = Files::new();
            first.into_iter().for_each(|file| put(&mut files, file));
            let mut tree = TreeBytes::new(bytes_of(&files)).unwrap();
            for (come, gone) in versions {
                let before = files.clone();
                come.into_iter().for_each(|file| put(&mut files, file));
                for at in gone {
                    if let Some(name) = files.keys().nth(at).cloned() {
                        files.remove(&name);
                    }
                }
                let bytes = bytes_of(&files);
                let mut differences = Differences::new(&tree, &bytes);
                let mut found = vec![];
                while let Some((old, new)) = differences.find_next().unwrap() {
                    let name = key_of(&new.or(old).unwrap());
                    found.push((name, old.map(|it| it.id.0[0]), new.map(|it| it.id.0[0])));
                }
                prop_assert_eq!(found, plainly(&before, &files));
                tree = differences.into_tree(Blob::clone(&bytes));
                prop_assert!(tree.blocks.is_sorted_by(|a, b| a < b));
                prop_assert_eq!(tree.entries().count(), files.len());
            }
        }

        #[test]
        fn whatever_is_wrong_with_the_next_version_is_found_as_if_it_were_read_alone(
            first in vec((0_u16..4000, any::<bool>(), 0_u8..9), 1..400),
            changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        ) {
            let mut files = Files::new();
            first.into_iter().for_each(|file| put(&mut files, file));
            let tree = TreeBytes::new(bytes_of(&files)).unwrap();
            let mut bytes = bytes_of(&files).to_vec();
            for (at, byte) in changes {
                *at.get_mut(&mut bytes) = byte;
            }
            let bytes = Blob::from(bytes);

            let mut differences = Differences::new(&tree, &bytes);
            let outcome = loop {
                match differences.find_next() {
                    Ok(Some(_)) => {}
                    Ok(None) => break None,
                    Err(why) => break Some(why),
                }
            };

            prop_assert_eq!(outcome, TreeBytes::new(bytes).err());
        }
    }

    /// Each turn used to take apart the whole folder: minutes for thousands of turns.
    #[test]
    fn what_stayed_the_same_in_a_big_folder_is_not_taken_apart() {
        let mut files = Files::new();
        (0..20_000_u32).for_each(|at| {
            files.insert(format!("file_{at:05}").into_bytes(), (false, 1));
        });
        let tree = TreeBytes::new(bytes_of(&files)).unwrap();
        files.insert(b"file_07000".to_vec(), (false, 2));
        files.insert(b"file_07000b".to_vec(), (false, 3));
        files.remove(b"file_19000".as_slice());
        let bytes = bytes_of(&files);

        let mut differences = Differences::new(&tree, &bytes);
        let mut found = 0;
        while differences.find_next().unwrap().is_some() {
            found += 1;
        }

        assert_eq!(found, 3);
        assert!(differences.take_work() < 3_000);
    }
}
