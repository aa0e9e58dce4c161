//! What is read once of a recorded terminal. A recording that grows is read on from where it ended.

use std::{
    collections::HashMap,
    fs,
    hash::{DefaultHasher, Hasher},
    io,
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use trajview_formats::asciicast::{CastEvent, CastEventKind, CastHeader, CastReader, NotAnEvent};
use trajview_run::{RecordPlace, SourceId, terminal_recording::PieceStart};

use super::{
    archive::Archive,
    file_bytes::{FileBytes, FileIdentity},
};

/// The longest printed line that is compared with the records of steps.
const MOST_PRINTED_BYTES: usize = 4 << 20;

/// The shortest record that is looked for among the printed lines: shorter ones are printed by chance.
pub(super) const LEAST_RECORD_BYTES: u64 = 40;

/// The most printed lines that may be records of steps.
const MOST_RECORDS: usize = 500_000;

/// The most bytes of a line that was shown, and of memory of all of them.
const MOST_SHOWN_LINE: usize = 400;
const MOST_SHOWN_BYTES: usize = 4 << 20;

/// The bytes of memory of a shown line without its text: the line, and what the allocator adds to the text.
const SHOWN_LINE_BYTES: usize = size_of::<ShownLine>() + 16;

/// The numbers of first and of last bytes that are compared to see that what was read is still there.
const HEAD_BYTES: u64 = 4 << 10;
const TAIL_BYTES: u64 = 256;

/// The most recordings that are remembered in case they grow.
const MOST_REMEMBERED: usize = 4;

/// The values that differ from run to run for one recording.
pub(super) struct ScanRequest {
    pub(super) header: CastHeader,
    /// The position after the header.
    pub(super) first: u64,
    /// Positions at which the time is wanted, in order.
    pub(super) positions: Vec<u64>,
    pub(super) with_text: bool,
}

/// The events of a recording as far as it was read.
#[derive(Debug, Clone)]
pub(super) struct CastScan {
    header: CastHeader,
    reader: CastReader,
    bytes_read: u64,
    /// The beginning of the last event.
    last_event: u64,
    pub(super) pieces: Vec<PieceStart>,
    line_number: usize,
    /// The number of lines that are no events, and the first.
    pub(super) damaged: (usize, usize),
    /// The times of the markers of turns, which count from 1.
    pub(super) markers: Vec<(f64, usize)>,
    /// The time of the last event before each of the requested positions.
    pub(super) times_before: HashMap<u64, f64>,
    pub(super) text: Option<ShownText>,
}

/// The text that a terminal showed.
#[derive(Debug, Clone, Default)]
pub(super) struct ShownText {
    /// The time at which a long line was last printed, by its hash.
    pub(super) records: HashMap<u64, f64>,
    /// Lines that were shown or typed.
    pub(super) lines: Vec<ShownLine>,
    /// The bytes of memory of the lines.
    bytes: usize,
    printed: OpenLine,
    typed: OpenLine,
    /// The time of the last output.
    last_output: f64,
}

/// A line without its end.
#[derive(Debug, Clone, Default)]
struct OpenLine {
    bytes: Vec<u8>,
    /// The time of the last output before the line.
    before: f64,
}

#[derive(Debug, Clone)]
pub(super) struct ShownLine {
    /// The time of the last output before the line.
    pub(super) before: f64,
    /// Without control sequences.
    pub(super) text: Box<str>,
}

/// A file as it was when its scan began.
#[derive(Debug, Clone, Copy)]
struct FileState {
    identity: FileIdentity,
    size: u64,
    modified: Option<SystemTime>,
}

/// A file that was read to its end.
struct RememberedScan {
    state: FileState,
    /// The first and the last of the bytes that were read.
    ends: [Vec<u8>; 2],
    scan: CastScan,
}

static REMEMBERED_SCANS: Mutex<Vec<RememberedScan>> = Mutex::new(vec![]);

impl FileState {
    fn of_file(file: &fs::File) -> io::Result<Self> {
        let meta = file.metadata()?;
        let identity = FileIdentity::from_metadata(&meta);
        Ok(Self { identity, size: meta.len(), modified: meta.modified().ok() })
    }

    /// Returns whether the file is as it was before, or is longer.
    fn may_continue(&self, before: &Self) -> bool {
        self.size > before.size || (self.size, self.modified) == (before.size, before.modified)
    }
}

impl CastScan {
    fn new(request: &ScanRequest) -> Self {
        Self {
            header: request.header,
            reader: CastReader::at_time(&request.header, 0.0),
            bytes_read: request.first,
            last_event: 0,
            pieces: vec![],
            line_number: 1,
            damaged: (0, 1),
            markers: vec![],
            times_before: HashMap::new(),
            text: request.with_text.then(ShownText::default),
        }
    }

    /// Returns the time of the last event.
    pub(super) const fn seconds(&self) -> f64 {
        self.reader.seconds
    }

    /// Returns whether this scan has what is requested, as far as it was read.
    fn fits(&self, request: &ScanRequest) -> bool {
        let mut passed = request.positions.iter().take_while(|at| **at <= self.last_event);
        self.header == request.header
            && self.text.is_some() == request.with_text
            && passed.all(|at| self.times_before.contains_key(at))
    }

    /// Reads whole lines that follow those that were read.
    fn take_lines(&mut self, lines: &[u8], positions: &[u64]) {
        let mut passed = positions.partition_point(|at| *at <= self.last_event);
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            self.line_number += 1;
            let before = self.reader.seconds;
            match self.reader.read_line(line) {
                Ok(Some(event)) => {
                    while let Some(at) = positions.get(passed).filter(|at| **at <= self.bytes_read)
                    {
                        self.times_before.insert(*at, before);
                        passed += 1;
                    }
                    self.last_event = self.bytes_read;
                    self.note_event(&event);
                }
                Ok(None) => {}
                Err(NotAnEvent) if self.damaged.0 == 0 => self.damaged = (1, self.line_number),
                Err(NotAnEvent) => self.damaged.0 += 1,
            }
            self.bytes_read += line.len() as u64;
        }
    }

    fn note_event(&mut self, event: &CastEvent) {
        if event.kind == CastEventKind::Marker {
            let turn = event.text.strip_prefix("turn ").and_then(|it| it.parse().ok());
            self.markers.extend(turn.map(|turn| (event.seconds, turn)));
        }
        if let Some(text) = &mut self.text {
            text.note_event(event);
        }
    }
}

impl ShownText {
    fn note_event(&mut self, event: &CastEvent) {
        let (line, ends): (_, &[u8]) = match event.kind {
            CastEventKind::Output => (&mut self.printed, b"\n"),
            CastEventKind::Input => (&mut self.typed, b"\r\n"),
            _ => return,
        };
        let mut line = std::mem::take(line);
        let mut parts = event.text.as_bytes().split(|byte| ends.contains(byte)).peekable();
        let mut before = self.last_output;
        while let Some(part) = parts.next() {
            if line.bytes.is_empty() {
                line.before = before;
            }
            if line.bytes.len() + part.len() <= MOST_PRINTED_BYTES {
                line.bytes.extend_from_slice(part);
            }
            if parts.peek().is_some() {
                self.end_line(&line, event);
                line.bytes.clear();
                before = event.seconds;
            }
        }
        match event.kind {
            CastEventKind::Input => self.typed = line,
            _ => {
                self.printed = line;
                self.last_output = event.seconds;
            }
        }
    }

    fn end_line(&mut self, line: &OpenLine, event: &CastEvent) {
        let is_long = line.bytes.trim_ascii().len() as u64 >= LEAST_RECORD_BYTES;
        let hash = record_hash(&line.bytes);
        let is_known = || self.records.len() < MOST_RECORDS || self.records.contains_key(&hash);
        if event.kind == CastEventKind::Output && is_long && is_known() {
            self.records.insert(hash, event.seconds);
        }
        let start = &line.bytes[..line.bytes.len().min(MOST_SHOWN_LINE * 4)];
        for part in start.split(|byte| *byte == b'\r') {
            let text = plain_text(&String::from_utf8_lossy(part));
            let bytes = text.len() + SHOWN_LINE_BYTES;
            if text.is_empty() || self.bytes + bytes > MOST_SHOWN_BYTES {
                continue;
            }
            self.bytes += bytes;
            self.lines.push(ShownLine { before: line.before, text: text.into() });
        }
    }
}

/// Returns the hash by which a printed line is compared with a record.
pub(super) fn record_hash(line: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(line.trim_ascii());
    hasher.finish()
}

/// Returns the beginning of a line without control sequences and what was deleted.
fn plain_text(line: &str) -> String {
    let mut text = String::new();
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => skip_control_sequence(&mut letters),
            '\u{8}' | '\u{7f}' => {
                text.pop();
            }
            _ if letter.is_control() && letter != '\t' => {}
            _ if text.len() < MOST_SHOWN_LINE => text.push(letter),
            _ => break,
        }
    }
    text.truncate(text.trim_end().len());
    text
}

fn skip_control_sequence(letters: &mut std::str::Chars<'_>) {
    match letters.next() {
        Some('[') => {
            letters.find(|letter| ('@'..='~').contains(letter));
        }
        // A title ends with a bell or with `ESC \`.
        Some(']' | 'P' | '_' | '^' | 'X') => {
            letters.find(|letter| matches!(letter, '\u{7}' | '\\'));
        }
        Some('(' | ')' | '#' | '%') => {
            letters.next();
        }
        _ => {}
    }
}

impl Archive {
    /// Reads the events of a recording. Of one on the disk that was read before, and is longer now, the addition is read.
    pub(super) fn scan_cast(&self, source: SourceId, request: &ScanRequest) -> CastScan {
        let state = match self.files.get(source.0 as usize) {
            Some(FileBytes::OnDisk(disk)) => FileState::of_file(&disk.file).ok(),
            _ => None,
        };
        let known = state.as_ref().and_then(|it| self.remembered_scan(source, it, request));
        let mut scan = known.unwrap_or_else(|| CastScan::new(request));
        let size = self.source_size(source);
        while scan.bytes_read < size {
            if scan.pieces.is_empty() {
                scan.begin_piece();
            }
            let start = scan.pieces.last().map_or(0, |piece| piece.start);
            match self.piece_rest(source, start, scan.bytes_read) {
                Some(bytes) if scan.bytes_read + bytes.len() as u64 == size => {
                    let end = memchr::memrchr(b'\n', &bytes).map_or(0, |end| end + 1);
                    scan.take_lines(&bytes[..end], &request.positions);
                    if let Some(state) = state {
                        self.remember_scan(source, state, &scan);
                    }
                    // The last line may go on later.
                    scan.take_lines(&bytes[end..], &request.positions);
                    return scan;
                }
                Some(bytes) => scan.take_lines(&bytes, &request.positions),
                None if scan.bytes_read > start => scan.begin_piece(),
                None => break, // it became shorter
            }
        }
        if let Some(state) = state {
            self.remember_scan(source, state, &scan);
        }
        scan
    }

    /// Takes the scan of a file out of those that are remembered, if the file begins as it did.
    fn remembered_scan(
        &self,
        source: SourceId,
        state: &FileState,
        request: &ScanRequest,
    ) -> Option<CastScan> {
        let mut all = REMEMBERED_SCANS.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|it| it.state.identity == state.identity)?;
        let known = all.remove(at);
        let is_same = state.may_continue(&known.state)
            && known.ends == self.ends_of(source, known.scan.bytes_read);
        (is_same && known.scan.fits(request)).then_some(known.scan)
    }

    fn remember_scan(&self, source: SourceId, state: FileState, scan: &CastScan) {
        let ends = self.ends_of(source, scan.bytes_read);
        let mut all = REMEMBERED_SCANS.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|it| it.state.identity != state.identity);
        if all.len() == MOST_REMEMBERED {
            all.remove(0);
        }
        all.push(RememberedScan { state, ends, scan: scan.clone() });
    }

    /// Returns the first and the last of the bytes before `end`.
    fn ends_of(&self, source: SourceId, end: u64) -> [Vec<u8>; 2] {
        [0..end.min(HEAD_BYTES), end.saturating_sub(TAIL_BYTES)..end].map(|part| {
            let (start, len) = (part.start, part.end - part.start);
            let place = RecordPlace { source, start, len, ..RecordPlace::default() };
            self.record_bytes(place).into_owned()
        })
    }
}

impl CastScan {
    fn begin_piece(&mut self) {
        self.pieces.push(PieceStart { start: self.bytes_read, seconds: self.reader.seconds });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_lines_count_with_the_memory_that_each_takes() {
        let mut shown = ShownText::default();
        let text = "y\n".repeat(MOST_SHOWN_BYTES / 32);

        shown.note_event(&CastEvent { seconds: 1.0, kind: CastEventKind::Output, text });

        assert_eq!(shown.lines.len(), MOST_SHOWN_BYTES / (1 + SHOWN_LINE_BYTES));
        assert_eq!((shown.lines[0].before, &*shown.lines[0].text), (0.0, "y"));
    }
}
