//! Excludes runs that cannot have hits by the bytes of their files, so that they are not read as records.
//!
//! No run is excluded where a format does not promise how words are written in its records (see [`TextLayout`]), nor by
//! anything that is no word: patterns, filters, short words and those of other scripts.

use trajview_formats::{
    SourceBytes,
    search_prefilter::{NeedleSightings, SearchNeedle, TextLayout, is_unclear},
};
use trajview_run::lookup::Lookup;

use super::super::{
    file_bytes::{FileBytes, LogOnDisk},
    recording_files::FoundRecording,
};
use trajview_formats::jsonl::RandomAccessLog as _;

/// A quick test of files, by letters that every run with hits has.
pub struct RunSieve {
    needles: Vec<SearchNeedle>,
}

/// The most words that are searched; the longest are taken.
const MOST_NEEDLES: usize = 3;

/// The number of bytes that are searched together; a run with a line longer than [`MOST_LINE`] may have hits.
const BLOCK: usize = 1 << 20;
const MOST_LINE: usize = 32 << 20;

impl RunSieve {
    pub(crate) fn for_lookup(lookup: &Lookup) -> Self {
        let words = lookup.text_words();
        let mut needles: Vec<SearchNeedle> =
            words.iter().filter_map(|word| SearchNeedle::from_word(&word.text)).collect();
        needles.sort_by_key(|needle| std::cmp::Reverse(needle.letter_count()));
        needles.truncate(MOST_NEEDLES);
        Self { needles }
    }

    /// Returns false only for a run that can be read and has no hits.
    pub(crate) fn may_have_hits(
        &self,
        recording: &FoundRecording,
        keep_going: &dyn Fn() -> bool,
    ) -> bool {
        let spelling = recording.format.text_layout();
        if self.needles.is_empty() || spelling == TextLayout::Free || !is_readable(recording) {
            return true;
        }
        let mut seen = vec![NeedleSightings::default(); self.needles.len()];
        for file in &recording.files {
            let clear = read_lines(&file.bytes, &mut |lines| {
                for (needle, seen) in self.needles.iter().zip(&mut seen) {
                    needle.look_at_lines(lines, spelling, seen);
                }
                keep_going()
                    && !seen.iter().all(|seen| seen.is_whole)
                    && !is_unclear(lines, spelling)
            });
            if !clear {
                return true;
            }
        }
        seen.iter().all(NeedleSightings::may_be_there)
    }
}

/// Returns whether reading the run is certain to give one: its first line alone does.
fn is_readable(recording: &FoundRecording) -> bool {
    let Some(main) = recording.files.first() else { return false };
    let Some(end) = memchr::memchr(b'\n', &main.bytes) else { return false };
    let first = SourceBytes { name: &main.name, bytes: &main.bytes[..=end] };
    recording.format.index_run(&[first]).is_ok()
}

/// Passes on all lines of a file, several at a time, until `keep_going` is false. Returns whether all were passed on:
/// what cannot be read, or is one line without an end, is not.
fn read_lines(bytes: &FileBytes, keep_going: &mut dyn FnMut(&[u8]) -> bool) -> bool {
    let disk = match bytes {
        FileBytes::InMemory(bytes) => return keep_going(bytes),
        FileBytes::OnDisk(disk) => disk,
    };
    let log = LogOnDisk::new(disk);
    let (mut block, mut start, mut kept) = (vec![0; BLOCK], 0, 0);
    while start < disk.len {
        let read = log.read_at(start, &mut block[kept..]);
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
        if !keep_going(&block[..end]) {
            return false;
        }
        block.copy_within(end..kept, 0);
        kept -= end;
    }
    true
}
