//! The events of a memory in a run: `memory.jsonl` of a bundle.
//!
//! This is not the memory of this process, which is `store::memory_trim`.

use std::path::Path;

use trajview_metrics::memory::{self, MemoryFile};
use trajview_run::Warning;

use super::{containers, disk, entries::is_plain_file, file_bytes};

/// The file of a bundle.
pub(crate) const FILE_NAME: &str = "memory.jsonl";

/// The most bytes of the file that are read.
const MOST_BYTES: u64 = 64 << 20;

/// Returns the events of a bundle whose run has so many turns; None where it has no `memory.jsonl`.
pub fn recorded_events(bundle: &Path, turns: usize) -> Option<MemoryFile> {
    let path = bundle.join(FILE_NAME);
    if !is_plain_file(&path) {
        return None;
    }
    let read = match disk::symlink_metadata(&path) {
        Ok(_) => disk::open_file(&path).map(|file| file_bytes::read_within(file, MOST_BYTES)),
        Err(why) => {
            containers::place_inside(&path).ok_or(why).and_then(|place| place.read(MOST_BYTES))
        }
    };
    let (bytes, problem) = read.unwrap_or_else(|why| {
        (vec![], Some(format!("cannot be read: {}", file_bytes::error_reason(&why))))
    });
    let mut recorded = memory::read_memory_events(&bytes, FILE_NAME, turns);
    recorded.warnings.extend(problem.map(|what| Warning { place: FILE_NAME.into(), what }));
    Some(recorded)
}
