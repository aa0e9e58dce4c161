//! The beginning of a big log, to have something to show while the whole is read.

use std::path::Path;

use trajview_formats::{SequentialExecutor, SourceBytes};

use super::{
    archive::OpenedRecording,
    file_bytes::{self, FileAccess, FileBytes},
    open::complete_recording,
    recording_files::{self, FoundRecording},
};

/// The least bytes of a recording whose beginning is shown first; a smaller one is read whole at once.
const LEAST_SIZE: u64 = 8 << 20;

/// The number of bytes of each log that are read: a few milliseconds' worth.
const FIRST_BYTES: u64 = 1 << 20;

/// The most bytes in which the end of the last line is searched.
const LONGEST_LINE: u64 = 16 << 20;

/// Opens the run as far as the first lines of its logs go. None where the recording is small, is no log of lines or has
/// no whole line at its beginning. The last step may lack its observation.
pub fn open_head(path: &Path) -> Option<OpenedRecording> {
    let recording = recording_files::find_recording(path, FileAccess::OnDisk).ok()?;
    let size: u64 = recording.files.iter().map(|file| file.bytes.file_size()).sum();
    if size < LEAST_SIZE || recording.format.incremental_reader().is_none() {
        return None;
    }
    let beginnings: Vec<Vec<u8>> =
        recording.files.iter().map(|file| first_lines(&file.bytes)).collect::<Option<_>>()?;
    let run = recording
        .format
        .index_run_with(&sources_of(&recording, &beginnings), &SequentialExecutor)
        .ok()?;
    (!run.turns.is_empty()).then(|| complete_recording(run, recording))
}

fn sources_of<'a>(
    recording: &'a FoundRecording,
    beginnings: &'a [Vec<u8>],
) -> Vec<SourceBytes<'a>> {
    let named = recording.files.iter().zip(beginnings);
    named.map(|(file, bytes)| SourceBytes { name: &file.name, bytes }).collect()
}

/// Returns whole lines from the start of a file; all of a small one.
fn first_lines(bytes: &FileBytes) -> Option<Vec<u8>> {
    let FileBytes::OnDisk(disk) = bytes else { return Some(bytes.to_vec()) };
    let mut size = FIRST_BYTES;
    loop {
        let mut lines = vec![0; disk.len.min(size) as usize];
        file_bytes::read_at(&disk.file, &mut lines, 0).ok()?;
        if disk.len <= size {
            return Some(lines);
        }
        if let Some(end) = memchr::memrchr(b'\n', &lines) {
            lines.truncate(end + 1);
            return Some(lines);
        }
        if size >= LONGEST_LINE {
            return None;
        }
        size *= 4;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log_text(turns: usize, words: &str) -> String {
        let line = |turn| {
            format!(
                "{{\"parentUuid\":null,\"isSidechain\":false,\"sessionId\":\"s\",\"message\":{{\"role\":\"user\",\
                 \"content\":\"request {turn} {words}\"}},\"type\":\"user\",\"uuid\":\"u{turn}\"}}\n"
            )
        };
        (1..=turns).map(line).collect()
    }

    fn opened_head(text: &str) -> Option<OpenedRecording> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        std::fs::write(&path, text).unwrap();
        open_head(&path)
    }

    #[test]
    fn the_beginning_of_a_big_log_is_the_beginning_of_its_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        std::fs::write(&path, log_text(10_000, &"x".repeat(1000))).unwrap();

        let (head, whole) = (open_head(&path).unwrap(), super::super::open(&path).unwrap());

        let turns = head.run.turns.len();
        assert!((800..1000).contains(&turns), "{turns}");
        assert_eq!(head.run.turns[..turns - 1], whole.run.turns[..turns - 1]);
        assert_eq!(head.run.warnings, []);
        assert!(head.archive.request_with_added(&head.run, 7).starts_with("request 8 xxx"));
    }

    #[test]
    fn a_small_log_and_one_without_lines_have_no_beginning_of_their_own() {
        assert!(opened_head(&log_text(3, "words")).is_none());
        assert!(opened_head(&log_text(1, &"x".repeat(20 << 20))).is_none());
    }

    #[test]
    fn a_first_line_that_is_long_is_read_to_its_end() {
        let head =
            opened_head(&(log_text(1, &"x".repeat(3 << 20)) + &log_text(9000, &"x".repeat(1000))));
        assert!(head.is_some_and(|head| head.run.turns.len() > 1));
    }
}
