//! `session/terminal.cast`: the output of the agent's terminal, as asciicast 2.

use std::{
    fs::{File, OpenOptions},
    io::{Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    time::Instant,
};

use serde_json::json;

use super::secrets::{SecretCover, Secrets};

/// The terminals of one run, one after the other in one file. Recording ends when the file cannot be written.
#[derive(Debug)]
pub struct TerminalRecording {
    path: PathBuf,
    size: (u16, u16),
    secrets: Secrets,
    /// The largest recording that is written (bytes).
    max_bytes: u64,
    open_file: Option<OpenCastFile>,
}

#[derive(Debug)]
struct OpenCastFile {
    file: File,
    began: Instant,
    /// Seconds that the file had before this run appended to it.
    before: f64,
    cover: SecretCover,
    /// The bytes of an incomplete character at the end.
    part: Vec<u8>,
    /// Bytes in the file.
    written: u64,
    max_bytes: u64,
}

/// The largest recording (bytes): as much as is kept of an agent's output in a turn, and half of what is read of a bundle
/// again.
const MAX_BYTES: u64 = 64 << 20;

/// The largest part of its end that is read to find the time of its last event (bytes).
const LAST_BYTES: u64 = 1 << 20;

impl TerminalRecording {
    pub fn new(bundle: &Path, size: (u16, u16), secrets: Secrets) -> Self {
        let path = bundle.join("session/terminal.cast");
        Self { path, size, secrets, max_bytes: MAX_BYTES, open_file: None }
    }

    /// Returns why the recording has ended before the run; None while it goes on.
    pub(crate) fn end_reason(&self) -> Option<String> {
        let open = self.open_file.as_ref().filter(|open| open.written >= open.max_bytes)?;
        Some(format!(
            "session/terminal.cast ends before the run: only {} MB are recorded, or less if the disk is full",
            open.max_bytes >> 20
        ))
    }

    /// Records output of the terminal, and returns it without secrets, to be shown. The file is created with the first
    /// output.
    pub(crate) fn record_output(&mut self, bytes: &[u8]) -> Vec<u8> {
        if self.open_file.is_none() {
            self.open_file = self.open_file().ok();
        }
        let Some(open) = &mut self.open_file else {
            let mut bytes = bytes.to_vec();
            self.secrets.cover(&mut bytes);
            return bytes;
        };
        let bytes = open.cover.cover_piece(bytes);
        open.write_output(&bytes);
        bytes
    }

    /// Records and returns the kept bytes, because the terminal is at rest.
    pub(crate) fn flush_held(&mut self) -> Vec<u8> {
        let Some(open) = &mut self.open_file else { return vec![] };
        let bytes = open.cover.take_rest();
        open.write_output(&bytes);
        bytes
    }

    /// Records a change of the size (columns, rows).
    pub fn resize(&mut self, size: (u16, u16)) {
        self.size = size;
        if let Some(open) = &mut self.open_file {
            open.write_event("r", &format!("{}x{}", size.0, size.1));
        }
    }

    /// Writes a marker, as players show it: the turn that begins here.
    pub(crate) fn add_marker(&mut self, words: &str) {
        let words = self.secrets.hide(words);
        if let Some(open) = &mut self.open_file {
            open.write_event("m", &words);
        }
    }

    fn open_file(&self) -> std::io::Result<OpenCastFile> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let before = last_bytes(&self.path, LAST_BYTES).unwrap_or_default();
        let mut file = OpenOptions::new().append(true).create(true).open(&self.path)?;
        if !before.is_empty() && !before.ends_with('\n') {
            writeln!(file)?; // an event that was being written when the run was killed is none
        }
        if file.metadata()?.len() == 0 {
            let (width, height) = self.size;
            let timestamp = jiff::Timestamp::now().as_second();
            let head =
                json!({"version": 2, "width": width, "height": height, "timestamp": timestamp});
            writeln!(file, "{head}")?;
        }
        let cover = SecretCover::new(self.secrets.clone());
        let (part, began, written) = (vec![], Instant::now(), file.metadata()?.len());
        let (before, most) = (last_time(&before), self.max_bytes);
        Ok(OpenCastFile { file, began, before, cover, part, written, max_bytes: most })
    }
}

/// Returns whether a bundle has the recording of a terminal.
pub fn is_recorded(bundle: &Path) -> bool {
    bundle.join("session/terminal.cast").is_file()
}

/// Returns the whole lines at the end of a file; None when there is no file.
fn last_bytes(path: &Path, most: u64) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let from = file.metadata().ok()?.len().saturating_sub(most);
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = vec![];
    file.take(most).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    // Text that is not read from the start begins within a line.
    let within = if from > 0 { text.find('\n').map_or(text.len(), |at| at + 1) } else { 0 };
    Some(text[within..].to_owned())
}

/// Returns the time of the last whole event.
fn last_time(text: &str) -> f64 {
    let of = |line: &str| serde_json::from_str::<(f64, String, String)>(line).ok().map(|it| it.0);
    text.lines().rev().take(50).find_map(of).unwrap_or(0.0)
}

impl OpenCastFile {
    fn write_output(&mut self, bytes: &[u8]) {
        self.part.extend_from_slice(bytes);
        let end = whole_characters(&self.part);
        if end > 0 {
            let text = String::from_utf8_lossy(&self.part[..end]).into_owned();
            self.part.drain(..end);
            self.write_event("o", &text);
        }
    }

    fn write_event(&mut self, kind: &str, data: &str) {
        let time = self.before + self.began.elapsed().as_secs_f64();
        let line = json!([(time * 1e6).round() / 1e6, kind, data]).to_string();
        if self.written < self.max_bytes && writeln!(self.file, "{line}").is_ok() {
            self.written += line.len() as u64 + 1;
        } else {
            self.written = self.max_bytes; // more important writes report a full disk
        }
    }
}

/// Returns the number of bytes before an incomplete character at the end.
fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        Err(why) if why.error_len().is_none() => why.valid_up_to(),
        Err(_) => match std::str::from_utf8(&bytes[bytes.len().saturating_sub(3)..]) {
            Err(why) if why.error_len().is_none() => {
                bytes.len().saturating_sub(3) + why.valid_up_to()
            }
            _ => bytes.len(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_events(bundle: &Path) -> Vec<(f64, String, String)> {
        let text = std::fs::read_to_string(bundle.join("session/terminal.cast")).unwrap();
        let read = |line: &str| serde_json::from_str(line).unwrap();
        text.lines().skip(1).map(read).collect()
    }

    #[test]
    fn a_terminal_is_recorded_with_whole_characters_and_without_secrets() {
        let bundle = tempfile::tempdir().unwrap();
        let secrets = Secrets::new(["key-0123456789".to_owned()]);
        let mut cast = TerminalRecording::new(bundle.path(), (80, 24), secrets.clone());
        let shown = [
            cast.record_output(b"gr\xc3"),
            cast.record_output(b"\xbcn key-01234"),
            cast.record_output(b"56789 x"),
        ];
        cast.resize((100, 30));

        assert_eq!(String::from_utf8(shown.concat()).unwrap(), "gr\u{fc}n ************** x");
        let shown: Vec<_> =
            read_events(bundle.path()).into_iter().map(|(_, kind, data)| kind + &data).collect();
        assert_eq!(shown, ["ogr", "o\u{fc}n ", "o************** x", "r100x30"]);

        let last = read_events(bundle.path()).last().unwrap().0;
        let path = bundle.path().join("session/terminal.cast");
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, whole + "[12.5, \"o\", \"torn").unwrap();
        TerminalRecording::new(bundle.path(), (80, 24), secrets).record_output(b"again");
        let text = std::fs::read_to_string(&path).unwrap();
        let (before, after) = text.trim_end().rsplit_once('\n').unwrap();
        assert!(before.ends_with("\"torn"), "{before}");
        let after: (f64, String, String) = serde_json::from_str(after).unwrap();
        assert!(after.0 >= last && after.2 == "again");
    }

    #[test]
    fn a_recording_that_became_too_long_is_not_written_on_and_says_so() {
        let bundle = tempfile::tempdir().unwrap();
        let new = || TerminalRecording {
            max_bytes: 200,
            ..TerminalRecording::new(bundle.path(), (80, 24), Secrets::default())
        };
        let mut cast = new();
        cast.record_output(b"some words");
        assert_eq!(cast.end_reason(), None);

        (0..20).for_each(|_| drop(cast.record_output(b"some more words")));

        let long = std::fs::metadata(bundle.path().join("session/terminal.cast")).unwrap().len();
        assert!((200..300).contains(&long), "{long}");
        assert!(cast.end_reason().unwrap().starts_with("session/terminal.cast ends before"));
        assert_eq!(cast.record_output(b"shown"), b"shown");
        // Bytes of an earlier part of the run count too.
        let mut next = new();
        next.record_output(b"words");
        assert_eq!(
            std::fs::metadata(bundle.path().join("session/terminal.cast")).unwrap().len(),
            long
        );
        assert!(next.end_reason().is_some());
    }
}
