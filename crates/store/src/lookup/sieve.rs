//! Runs that cannot have what is looked for, told by the bytes of their files: those are not read as records.
//!
//! Nothing is concluded where a format does not promise how words stand in its records (see [`Spelling`]), nor from what
//! is no word: patterns, filters, short words and those of other scripts.

use trajview_formats::{
    Source,
    spelling::{Needle, Seen, Spelling, is_unclear},
};
use trajview_run::lookup::Lookup;

use super::super::{
    bytes::{Bytes, LogOnDisk},
    find::Found,
};
use trajview_formats::jsonl::Log as _;

/// Letters that every run with hits has.
pub struct Sieve {
    needles: Vec<Needle>,
}

/// More words than this are not looked at; the longest are.
const MOST_NEEDLES: usize = 3;

/// Bytes that are looked at together, and of a line at most: one that is longer may have anything.
const BLOCK: usize = 1 << 20;
const MOST_LINE: usize = 32 << 20;

impl Sieve {
    pub fn of(lookup: &Lookup) -> Self {
        let words = lookup.words_said();
        let mut needles: Vec<Needle> =
            words.iter().filter_map(|word| Needle::of(&word.text)).collect();
        needles.sort_by_key(|needle| std::cmp::Reverse(needle.letters()));
        needles.truncate(MOST_NEEDLES);
        Self { needles }
    }

    /// False where a run can be read, and has no hits.
    pub fn may_pass(&self, found: &Found, goes_on: &dyn Fn() -> bool) -> bool {
        let spelling = found.format.spelling();
        if self.needles.is_empty() || spelling == Spelling::Free || !is_surely_read(found) {
            return true;
        }
        let mut seen = vec![Seen::default(); self.needles.len()];
        for file in &found.files {
            let clear = lines_of(&file.bytes, &mut |lines| {
                for (needle, seen) in self.needles.iter().zip(&mut seen) {
                    needle.look(lines, spelling, seen);
                }
                goes_on() && !seen.iter().all(|seen| seen.is_whole) && !is_unclear(lines, spelling)
            });
            if !clear {
                return true;
            }
        }
        seen.iter().all(Seen::may_be_there)
    }
}

/// Whether reading the run is certain to give one: its first line alone does.
fn is_surely_read(found: &Found) -> bool {
    let Some(main) = found.files.first() else { return false };
    let Some(end) = memchr::memchr(b'\n', &main.bytes) else { return false };
    let first = Source { name: &main.name, bytes: &main.bytes[..=end] };
    found.format.index(&[first]).is_ok()
}

/// Gives all lines of a file, several at a time, until `goes_on` is false. Whether all were given: what cannot be read,
/// or is one line without an end, is not.
fn lines_of(bytes: &Bytes, goes_on: &mut dyn FnMut(&[u8]) -> bool) -> bool {
    let disk = match bytes {
        Bytes::Held(bytes) => return goes_on(bytes),
        Bytes::OnDisk(disk) => disk,
    };
    let log = LogOnDisk::of(disk);
    let (mut block, mut start, mut kept) = (vec![0; BLOCK], 0, 0);
    while start < disk.len {
        let read = log.read(start, &mut block[kept..]);
        if read == 0 {
            return false;
        }
        (start, kept) = (start + read as u64, kept + read);
        let end = match memchr::memrchr(b'\n', &block[..kept]) {
            _ if start >= disk.len => kept,
            Some(end) => end + 1,
            None if block.len() < MOST_LINE => {
                block.resize(block.len() * 2, 0);
                continue;
            }
            None => return false,
        };
        if !goes_on(&block[..end]) {
            return false;
        }
        block.copy_within(end..kept, 0);
        kept -= end;
    }
    true
}
