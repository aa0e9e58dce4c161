//! `session/terminal.cast`: what the agent's terminal showed, as asciicast 2.

use std::{
    fs::{File, OpenOptions},
    io::{Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    time::Instant,
};

use serde_json::json;

use super::secrets::{Cover, Secrets};

/// Terminals of one run, one after the other in one file. A recording that cannot be written is given up, in words.
#[derive(Debug)]
pub struct Cast {
    path: PathBuf,
    size: (u16, u16),
    secrets: Secrets,
    /// A longer recording is not written on (bytes).
    most: u64,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    file: File,
    began: Instant,
    /// Seconds in the file before we went on with it.
    before: f64,
    cover: Cover,
    /// The beginning of a character whose end has not come.
    part: Vec<u8>,
    /// Bytes in the file.
    written: u64,
    most: u64,
}

/// How long a recording may become (bytes): as much as of what an agent prints in a turn, and half of what is read of a bundle again.
const MOST_BYTES: u64 = 64 << 20;

/// What is read of its end to know when its last event was (bytes).
const LAST_BYTES: u64 = 1 << 20;

impl Cast {
    pub fn new(bundle: &Path, size: (u16, u16), secrets: Secrets) -> Self {
        let path = bundle.join("session/terminal.cast");
        Self { path, size, secrets, most: MOST_BYTES, open: None }
    }

    /// Why what the terminal shows is not kept any more; None while it is.
    pub fn problem(&self) -> Option<String> {
        let open = self.open.as_ref().filter(|open| open.written >= open.most)?;
        Some(format!(
            "session/terminal.cast ends before the run does: {} MB of it are kept, and no more than the disk takes",
            open.most >> 20
        ))
    }

    /// Output of the terminal, and what of it may be shown: the same without secrets. Nothing is written before the first of it.
    pub fn output(&mut self, bytes: &[u8]) -> Vec<u8> {
        if self.open.is_none() {
            self.open = self.begin().ok();
        }
        let Some(open) = &mut self.open else {
            let mut bytes = bytes.to_vec();
            self.secrets.cover(&mut bytes);
            return bytes;
        };
        let bytes = open.cover.take(bytes);
        open.output(&bytes);
        bytes
    }

    /// The terminal rests: what was held, because more of it could have come, is let go.
    pub fn rest(&mut self) -> Vec<u8> {
        let Some(open) = &mut self.open else { return vec![] };
        let bytes = open.cover.rest();
        open.output(&bytes);
        bytes
    }

    pub fn resize(&mut self, size: (u16, u16)) {
        self.size = size;
        if let Some(open) = &mut self.open {
            open.event("r", &format!("{}x{}", size.0, size.1));
        }
    }

    /// A marker, as players show it: which turn begins here.
    pub fn mark(&mut self, words: &str) {
        let words = self.secrets.hide(words);
        if let Some(open) = &mut self.open {
            open.event("m", &words);
        }
    }

    fn begin(&self) -> std::io::Result<Open> {
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
        let cover = Cover::new(self.secrets.clone());
        let (part, began, written) = (vec![], Instant::now(), file.metadata()?.len());
        let (before, most) = (last_time(&before), self.most);
        Ok(Open { file, began, before, cover, part, written, most })
    }
}

/// What is read of a recording's end at most (bytes).
const MOST_READ: u64 = 8 << 20;

/// What the terminal was sent in the end, as far back as is read; None without a recording. Lines that are no events are
/// passed over.
pub fn output_of(bundle: &Path) -> Option<Vec<u8>> {
    let text = last_bytes(&bundle.join("session/terminal.cast"), MOST_READ)?;
    let events =
        text.lines().filter_map(|line| serde_json::from_str::<(f64, String, String)>(line).ok());
    let output = events.filter(|(_, kind, _)| kind == "o").map(|(.., data)| data);
    Some(output.collect::<String>().into_bytes())
}

/// The lines at the end of a file, those that are whole; None where there is none.
fn last_bytes(path: &Path, most: u64) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let from = file.metadata().ok()?.len().saturating_sub(most);
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = vec![];
    file.take(most).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    // What is not read from the start begins within a line.
    let within = if from > 0 { text.find('\n').map_or(text.len(), |at| at + 1) } else { 0 };
    Some(text[within..].to_owned())
}

/// The time of the last whole event.
fn last_time(text: &str) -> f64 {
    let of = |line: &str| serde_json::from_str::<(f64, String, String)>(line).ok().map(|it| it.0);
    text.lines().rev().take(50).find_map(of).unwrap_or(0.0)
}

impl Open {
    fn output(&mut self, bytes: &[u8]) {
        self.part.extend_from_slice(bytes);
        let end = whole_characters(&self.part);
        if end > 0 {
            let text = String::from_utf8_lossy(&self.part[..end]).into_owned();
            self.part.drain(..end);
            self.event("o", &text);
        }
    }

    fn event(&mut self, kind: &str, data: &str) {
        let time = self.before + self.began.elapsed().as_secs_f64();
        let line = json!([(time * 1e6).round() / 1e6, kind, data]).to_string();
        if self.written < self.most && writeln!(self.file, "{line}").is_ok() {
            self.written += line.len() as u64 + 1;
        } else {
            self.written = self.most; // a full disk is told by what matters more
        }
    }
}

/// Bytes up to the beginning of a character that is not whole yet.
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

    fn events(bundle: &Path) -> Vec<(f64, String, String)> {
        let text = std::fs::read_to_string(bundle.join("session/terminal.cast")).unwrap();
        let read = |line: &str| serde_json::from_str(line).unwrap();
        text.lines().skip(1).map(read).collect()
    }

    #[test]
    fn a_terminal_is_recorded_with_whole_characters_and_without_secrets() {
        let bundle = tempfile::tempdir().unwrap();
        let secrets = Secrets::new(["key-0123456789".to_owned()]);
        let mut cast = Cast::new(bundle.path(), (80, 24), secrets.clone());
        let shown =
            [cast.output(b"gr\xc3"), cast.output(b"\xbcn key-01234"), cast.output(b"56789 x")];
        cast.resize((100, 30));

        assert_eq!(String::from_utf8(shown.concat()).unwrap(), "gr\u{fc}n ************** x");
        let said: Vec<_> =
            events(bundle.path()).into_iter().map(|(_, kind, data)| kind + &data).collect();
        assert_eq!(said, ["ogr", "o\u{fc}n ", "o************** x", "r100x30"]);

        let last = events(bundle.path()).last().unwrap().0;
        let path = bundle.path().join("session/terminal.cast");
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, whole + "[12.5, \"o\", \"torn").unwrap();
        Cast::new(bundle.path(), (80, 24), secrets).output(b"again");
        let text = std::fs::read_to_string(&path).unwrap();
        let (before, after) = text.trim_end().rsplit_once('\n').unwrap();
        assert!(before.ends_with("\"torn"), "{before}");
        let after: (f64, String, String) = serde_json::from_str(after).unwrap();
        assert!(after.0 >= last && after.2 == "again");
    }

    #[test]
    fn a_recording_that_became_too_long_is_not_written_on_and_says_so() {
        let bundle = tempfile::tempdir().unwrap();
        let new = || Cast { most: 200, ..Cast::new(bundle.path(), (80, 24), Secrets::default()) };
        let mut cast = new();
        cast.output(b"some words");
        assert_eq!(cast.problem(), None);

        (0..20).for_each(|_| drop(cast.output(b"some more words")));

        let long = std::fs::metadata(bundle.path().join("session/terminal.cast")).unwrap().len();
        assert!((200..300).contains(&long), "{long}");
        assert!(cast.problem().unwrap().starts_with("session/terminal.cast ends before"));
        assert_eq!(cast.output(b"shown"), b"shown");
        // What was written counts for whoever goes on with it, too.
        let mut next = new();
        next.output(b"words");
        assert_eq!(
            std::fs::metadata(bundle.path().join("session/terminal.cast")).unwrap().len(),
            long
        );
        assert!(next.problem().is_some());
    }
}
