//! The beginning of a big log, to have something to show while the whole is read.

use std::path::Path;

use trajview_formats::{OneHand, Source};

use super::{
    archive::Opened,
    bytes::{self, Access, Bytes},
    find::{self, Found},
    open::opened,
};

/// A smaller recording is read whole sooner than anybody could look at its beginning.
const WORTH_IT: u64 = 8 << 20;

/// Bytes of each log that are read: a few milliseconds' worth.
const BEGINNING: u64 = 1 << 20;

/// Looked for the end of a line at most.
const LONGEST: u64 = 16 << 20;

/// The run as far as the first lines of its logs tell; None where the recording is small, is no log of lines or has
/// no whole line at its beginning. What stands at the cut may lack its observation.
pub fn open(path: &Path) -> Option<Opened> {
    let found = find::find(path, Access::OnDisk).ok()?;
    let size: u64 = found.files.iter().map(|file| file.bytes.size()).sum();
    if size < WORTH_IT || found.format.growing().is_none() {
        return None;
    }
    let beginnings: Vec<Vec<u8>> =
        found.files.iter().map(|file| beginning(&file.bytes)).collect::<Option<_>>()?;
    let run = found.format.index_with(&sources_of(&found, &beginnings), &OneHand).ok()?;
    (!run.turns.is_empty()).then(|| opened(run, found))
}

fn sources_of<'a>(found: &'a Found, beginnings: &'a [Vec<u8>]) -> Vec<Source<'a>> {
    let named = found.files.iter().zip(beginnings);
    named.map(|(file, bytes)| Source { name: &file.name, bytes }).collect()
}

/// Whole lines from the start of a file; all of a small one.
fn beginning(bytes: &Bytes) -> Option<Vec<u8>> {
    let Bytes::OnDisk(disk) = bytes else { return Some(bytes.to_vec()) };
    let mut size = BEGINNING;
    loop {
        let mut lines = vec![0; disk.len.min(size) as usize];
        bytes::read_at(&disk.file, &mut lines, 0).ok()?;
        if disk.len <= size {
            return Some(lines);
        }
        if let Some(end) = memchr::memrchr(b'\n', &lines) {
            lines.truncate(end + 1);
            return Some(lines);
        }
        if size >= LONGEST {
            return None;
        }
        size *= 4;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(turns: usize, words: &str) -> String {
        let line = |turn| {
            format!(
                "{{\"parentUuid\":null,\"isSidechain\":false,\"sessionId\":\"s\",\"message\":{{\"role\":\"user\",\
                 \"content\":\"request {turn} {words}\"}},\"type\":\"user\",\"uuid\":\"u{turn}\"}}\n"
            )
        };
        (1..=turns).map(line).collect()
    }

    fn opened_head(text: &str) -> Option<Opened> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        std::fs::write(&path, text).unwrap();
        open(&path)
    }

    #[test]
    fn the_beginning_of_a_big_log_is_the_beginning_of_its_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        std::fs::write(&path, log(10_000, &"x".repeat(1000))).unwrap();

        let (head, whole) = (open(&path).unwrap(), super::super::open(&path).unwrap());

        let turns = head.run.turns.len();
        assert!((800..1000).contains(&turns), "{turns}");
        assert_eq!(head.run.turns[..turns - 1], whole.run.turns[..turns - 1]);
        assert_eq!(head.run.warnings, []);
        assert!(head.archive.request(&head.run, 7).starts_with("request 8 xxx"));
    }

    #[test]
    fn a_small_log_and_one_without_lines_have_no_beginning_of_their_own() {
        assert!(opened_head(&log(3, "words")).is_none());
        assert!(opened_head(&log(1, &"x".repeat(20 << 20))).is_none());
    }

    #[test]
    fn a_first_line_that_is_long_is_read_to_its_end() {
        let head = opened_head(&(log(1, &"x".repeat(3 << 20)) + &log(9000, &"x".repeat(1000))));
        assert!(head.is_some_and(|head| head.run.turns.len() > 1));
    }
}
