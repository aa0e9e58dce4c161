//! A folder as git keeps it: its entries one after the other, in order.
//!
//! A run reads a folder again after every turn that changed something below it, and most of its entries are the same as
//! before. So a folder remembers where blocks of its entries start, and its next version is compared with it block by
//! block ([`TreeDifferences`]): only blocks that changed are taken apart. That also checks the next version, since what
//! is equal was checked before.

use std::cmp::Ordering;

use trajview_run::files::{Blob, BlobId};

/// The entries of a folder, each of which can be read, in git's order.
#[derive(Debug, Clone)]
pub struct TreeBytes {
    bytes: Blob,
    /// The start of each block; the first is 0.
    blocks: Vec<u32>,
}

/// The number of bytes after which a new block starts, and below which one is joined with its neighbour.
const BLOCK: usize = 2 << 10;
const SMALL_BLOCK: usize = BLOCK / 4;

/// One file, link, submodule or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GitTreeEntry<'a> {
    pub mode: u32,
    pub name: &'a [u8],
    pub id: BlobId,
}

impl GitTreeEntry<'_> {
    pub const fn is_folder(&self) -> bool {
        self.mode == 0o040000
    }

    /// Compares as git sorts: a folder as if its name ended in a slash.
    fn git_order(&self, other: &Self) -> Ordering {
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
    /// Checks that every entry can be read and that they are in order. The error is the reason.
    pub fn new(bytes: Blob) -> Result<Self, &'static str> {
        let none = Self::default();
        let mut all = TreeDifferences::new(&none, &bytes);
        while all.find_next()?.is_some() {}
        let blocks = all.blocks;
        Ok(Self { bytes, blocks })
    }

    /// Returns the entries in git's order.
    pub fn entries(&self) -> impl Iterator<Item = GitTreeEntry<'_>> {
        parse_entries(&self.bytes)
    }

    pub fn byte_size(&self) -> usize {
        self.bytes.len()
    }
}

/// The entries of a folder before and after; None on the side where there is none.
pub type EntryDifference<'a> = (Option<GitTreeEntry<'a>>, Option<GitTreeEntry<'a>>);

/// A comparison of a folder with its next version: the entries that differ, in git's order. The next version is checked
/// as in [`TreeBytes::new`].
pub struct TreeDifferences<'a> {
    old: &'a TreeBytes,
    new: &'a [u8],
    /// The position up to which both are read, in bytes.
    old_at: usize,
    new_at: usize,
    /// The block of the old one that starts at or after that place.
    block: usize,
    /// The last part of the new version that was read.
    last: LastRead<'a>,
    /// The starts of the blocks of the new version.
    blocks: Vec<u32>,
    /// The work so far: entries, and equal bytes of blocks by the half KiB.
    work: u64,
}

/// The part of a folder before the next entry.
enum LastRead<'a> {
    Nothing,
    Entry(GitTreeEntry<'a>),
    /// A block that the old version has too.
    Block(&'a [u8]),
}

impl<'a> TreeDifferences<'a> {
    pub fn new(old: &'a TreeBytes, new: &'a [u8]) -> Self {
        let last = LastRead::Nothing;
        Self { old, new, old_at: 0, new_at: 0, block: 0, last, blocks: vec![], work: 0 }
    }

    /// Returns the next entry that differs; None at the end. The error is the problem of the new version.
    pub(crate) fn find_next(&mut self) -> Result<Option<EntryDifference<'a>>, &'static str> {
        loop {
            if self.skip_block()? {
                continue;
            }
            self.work += 1;
            let old = parse_entry(&self.old.bytes[self.old_at..]);
            let rest = &self.new[self.new_at..];
            if rest.is_empty() && old.is_none() {
                return Ok(None);
            }
            let new = match rest {
                [] => None,
                rest => Some(parse_entry(rest).ok_or("an entry is broken")?),
            };
            let order = match (&old, &new) {
                (Some((old, _)), Some((new, _))) => old.git_order(new),
                (Some(_), None) => Ordering::Less,
                (None, _) => Ordering::Greater,
            };
            let old = old.filter(|_| order.is_le()).map(|(entry, size)| {
                self.old_at += size;
                entry
            });
            let new = match new.filter(|_| order.is_ge()) {
                Some((entry, size)) => Some(self.take_entry(entry, size)?),
                None => None,
            };
            if old != new {
                return Ok(Some((old, new)));
            }
        }
    }

    /// Returns the work since the last call, and counts anew.
    pub(crate) fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.work)
    }

    /// Returns the new version, given once more to be kept; to be called at the end.
    pub(crate) fn into_tree(self, new: Blob) -> TreeBytes {
        TreeBytes { bytes: new, blocks: self.blocks }
    }

    /// Skips the next block of the old version where the new one has the same.
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
        if let (LastRead::Entry(last), Some((entry, _))) = (&self.last, parse_entry(block)) {
            require_order(last, &entry)?;
        }
        let is_short = self.open_block() < SMALL_BLOCK && block.len() < 2 * BLOCK;
        self.start_block(!is_short);
        self.last = LastRead::Block(&self.new[self.new_at..self.new_at + block.len()]);
        self.work += 1 + block.len() as u64 / 512;
        self.old_at = end;
        self.new_at += block.len();
        Ok(true)
    }

    /// Takes the next entry of the new version.
    fn take_entry(
        &mut self,
        entry: GitTreeEntry<'a>,
        size: usize,
    ) -> Result<GitTreeEntry<'a>, &'static str> {
        let last = match self.last {
            LastRead::Nothing => None,
            LastRead::Entry(last) => Some(last),
            LastRead::Block(block) => parse_entries(block).last(),
        };
        last.map_or(Ok(()), |last| require_order(&last, &entry))?;
        self.start_block(self.open_block() >= BLOCK);
        self.last = LastRead::Entry(entry);
        self.new_at += size;
        Ok(entry)
    }

    /// Returns the bytes since the last start of a block.
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

fn require_order(first: &GitTreeEntry<'_>, second: &GitTreeEntry<'_>) -> Result<(), &'static str> {
    if first.git_order(second).is_lt() { Ok(()) } else { Err("its entries are not in order") }
}

fn parse_entries(mut bytes: &[u8]) -> impl Iterator<Item = GitTreeEntry<'_>> {
    std::iter::from_fn(move || {
        let (entry, size) = parse_entry(bytes)?;
        bytes = &bytes[size..];
        Some(entry)
    })
}

/// Returns the first entry and its size: octal mode, a space, a name, a zero byte, 20 bytes of id.
fn parse_entry(bytes: &[u8]) -> Option<(GitTreeEntry<'_>, usize)> {
    let space = bytes.iter().take(8).position(|byte| *byte == b' ')?;
    let mode = u32::from_str_radix(std::str::from_utf8(&bytes[..space]).ok()?, 8).ok()?;
    let rest = &bytes[space + 1..];
    let end = memchr::memchr(0, rest).filter(|end| *end > 0)?;
    let id = rest.get(end + 1..end + 21)?;
    let size = space + 1 + end + 21;
    Some((GitTreeEntry { mode, name: &rest[..end], id: BlobId(id.try_into().ok()?) }, size))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::{collection::vec, prelude::*};

    use super::*;

    /// The name in git's order, with the kind and the content under it.
    type TestFiles = BTreeMap<Vec<u8>, (bool, u8)>;

    fn bytes_of(files: &TestFiles) -> Blob {
        let entry = |(key, (is_folder, content)): (&Vec<u8>, &(bool, u8))| {
            let name = key.strip_suffix(b"/").unwrap_or(key);
            let mode: &[u8] = if *is_folder { b"40000 " } else { b"100644 " };
            [mode, name, b"\0", &[*content; 20]].concat()
        };
        files.iter().flat_map(entry).collect::<Vec<u8>>().into()
    }

    /// Adds a file or folder whose name may be the beginning of another.
    fn put_name(files: &mut TestFiles, (name, is_folder, content): (u16, bool, u8)) {
        let name = format!("{}{}", "a.b-c0"[..usize::from(name % 7).min(6)].to_owned(), name / 7);
        let key = if is_folder { format!("{name}/") } else { name };
        files.insert(key.into_bytes(), (is_folder, content));
    }

    fn key_of(entry: &GitTreeEntry<'_>) -> Vec<u8> {
        [entry.name, if entry.is_folder() { b"/" } else { b"" }].concat()
    }

    /// Returns the two contents of each name that differs.
    fn plain_differences(
        old: &TestFiles,
        new: &TestFiles,
    ) -> Vec<(Vec<u8>, Option<u8>, Option<u8>)> {
        let names: std::collections::BTreeSet<&Vec<u8>> = old.keys().chain(new.keys()).collect();
        let content =
            |files: &TestFiles, name: &Vec<u8>| files.get(name).map(|(_, content)| *content);
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
            let mut files = TestFiles::new();
            first.into_iter().for_each(|file| put_name(&mut files, file));
            let mut tree = TreeBytes::new(bytes_of(&files)).unwrap();
            for (come, gone) in versions {
                let before = files.clone();
                come.into_iter().for_each(|file| put_name(&mut files, file));
                for at in gone {
                    if let Some(name) = files.keys().nth(at).cloned() {
                        files.remove(&name);
                    }
                }
                let bytes = bytes_of(&files);
                let mut differences = TreeDifferences::new(&tree, &bytes);
                let mut found = vec![];
                while let Some((old, new)) = differences.find_next().unwrap() {
                    let name = key_of(&new.or(old).unwrap());
                    found.push((name, old.map(|it| it.id.0[0]), new.map(|it| it.id.0[0])));
                }
                prop_assert_eq!(found, plain_differences(&before, &files));
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
            let mut files = TestFiles::new();
            first.into_iter().for_each(|file| put_name(&mut files, file));
            let tree = TreeBytes::new(bytes_of(&files)).unwrap();
            let mut bytes = bytes_of(&files).to_vec();
            for (at, byte) in changes {
                *at.get_mut(&mut bytes) = byte;
            }
            let bytes = Blob::from(bytes);

            let mut differences = TreeDifferences::new(&tree, &bytes);
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
        let mut files = TestFiles::new();
        (0..20_000_u32).for_each(|at| {
            files.insert(format!("file_{at:05}").into_bytes(), (false, 1));
        });
        let tree = TreeBytes::new(bytes_of(&files)).unwrap();
        files.insert(b"file_07000".to_vec(), (false, 2));
        files.insert(b"file_07000b".to_vec(), (false, 3));
        files.remove(b"file_19000".as_slice());
        let bytes = bytes_of(&files);

        let mut differences = TreeDifferences::new(&tree, &bytes);
        let mut found = 0;
        while differences.find_next().unwrap().is_some() {
            found += 1;
        }

        assert_eq!(found, 3);
        assert!(differences.take_work() < 3_000);
    }
}
