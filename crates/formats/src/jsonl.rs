//! Lines of a JSONL file, each with its place.

use std::{
    collections::BTreeSet,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use super::PieceExecutor;
use trajview_run::{RecordPlace, SourceId, Warning};

/// Bytes of a JSONL file from the start of a line on.
#[derive(Debug, Clone, Copy)]
pub struct LogPiece<'a> {
    pub bytes: &'a [u8],
    /// The offset of the bytes in the file.
    pub start: u64,
    /// Lines of the file before them.
    pub lines_before: u32,
}

impl<'a> LogPiece<'a> {
    /// Returns a whole file.
    pub const fn whole_file(bytes: &'a [u8]) -> Self {
        Self { bytes, start: 0, lines_before: 0 }
    }

    /// Returns the non-blank lines with their places, carriage returns and a byte-order mark left out.
    pub fn lines(self, source: SourceId) -> PieceLines<'a> {
        let has_mark = self.start == 0 && self.bytes.starts_with(b"\xef\xbb\xbf");
        let at = if has_mark { 3 } else { 0 };
        PieceLines { bytes: self.bytes, at, start: self.start, line: self.lines_before, source }
    }
}

/// See [`LogPiece::lines`].
#[derive(Debug, Clone)]
pub struct PieceLines<'a> {
    bytes: &'a [u8],
    at: usize,
    start: u64,
    /// Number of the line given last, blank ones counted.
    line: u32,
    source: SourceId,
}

impl<'a> Iterator for PieceLines<'a> {
    type Item = (RecordPlace, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(rest) = self.bytes.get(self.at..).filter(|rest| !rest.is_empty()) {
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let text = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
            self.line = self.line.saturating_add(1);
            let place = RecordPlace {
                source: self.source,
                line: self.line,
                part: 0,
                start: self.start + self.at as u64,
                len: text.len() as u64,
            };
            self.at += end + 1;
            if !text.trim_ascii().is_empty() {
                return Some((place, text));
            }
        }
        None
    }
}

/// Returns the non-blank lines of a whole file; see [`LogPiece::lines`].
pub fn lines_of_file(source: SourceId, bytes: &[u8]) -> impl Iterator<Item = (RecordPlace, &[u8])> {
    LogPiece::whole_file(bytes).lines(source)
}

/// A log that is read in pieces, such as a file on the disk.
pub trait RandomAccessLog: Sync {
    /// Returns its size in bytes, as it was when it was found.
    fn size(&self) -> u64;

    /// Fills `into` with the bytes from `start` on and returns their number, which is smaller than asked for only at the
    /// end of the log.
    fn read_at(&self, start: u64, into: &mut [u8]) -> usize;
}

/// The source of lines: bytes in memory, or a log that is read in pieces.
#[derive(Clone, Copy)]
pub enum LogInput<'a> {
    InMemory(LogPiece<'a>),
    /// The whole of it.
    Stored(&'a dyn RandomAccessLog),
}

impl<'a> LogInput<'a> {
    pub const fn whole_file(bytes: &'a [u8]) -> Self {
        Self::InMemory(LogPiece::whole_file(bytes))
    }

    /// Returns the number of bytes.
    pub fn size(&self) -> u64 {
        match self {
            Self::InMemory(piece) => piece.bytes.len() as u64,
            Self::Stored(log) => log.size(),
        }
    }
}

/// Reads one line, given its place and whether it is the last one. The line number does not yet include the lines before
/// the piece.
pub type LineReader<'r, T> = dyn Fn(RecordPlace, &[u8], bool) -> Option<T> + Sync + 'r;

/// Lines of a log that are read: a log of 2 GB has as many if they have 500 bytes each.
pub const MAX_LINES: u32 = 4_000_000;

/// Bytes that the index of a recording may take, about: as many of any, a share of the bytes of its logs beside, and
/// never more than the most. Sessions of working agents take less than half of that share.
const BASE_INDEX_BYTES: usize = 48 << 20;
const INDEX_SHARE: u64 = 5;
const MAX_INDEX_BYTES: usize = 320 << 20;

/// The result of reading a line, with the size that the index needs for it.
pub trait IndexSize {
    /// Returns bytes that the index will take of it, about.
    fn index_bytes(&self) -> usize;
}

/// The memory that the index of a recording may still take. Lines of a few bytes that each need some hundred bytes of index
/// are not read to their end.
#[derive(Debug, Clone)]
pub struct IndexBudget {
    /// Bytes that may still be kept.
    left: usize,
    /// Bytes that may still be granted for logs that are read.
    ungranted: usize,
    /// Logs that were not read to their end.
    cut: BTreeSet<SourceId>,
}

impl Default for IndexBudget {
    fn default() -> Self {
        let ungranted = MAX_INDEX_BYTES - BASE_INDEX_BYTES;
        Self { left: BASE_INDEX_BYTES, ungranted, cut: BTreeSet::new() }
    }
}

impl IndexBudget {
    /// Takes so many bytes from the budget; returns false where fewer are left.
    pub fn try_spend(&mut self, bytes: usize) -> bool {
        self.left.checked_sub(bytes).map(|left| self.left = left).is_some()
    }

    /// Adds to the budget the share that a log of this size allows.
    pub fn grant_for_log(&mut self, bytes: u64) {
        let share = usize::try_from(bytes / INDEX_SHARE).unwrap_or(usize::MAX).min(self.ungranted);
        self.left += share;
        self.ungranted -= share;
    }
}

/// The extent to which a log was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum ReadExtent {
    Whole,
    /// It has more than [`MAX_LINES`], or more than the budget allows. What follows this line is left out.
    CutAfter(u32),
    /// It was cut before, and is read no more.
    StillCut,
}

/// Returns the warning about a log with more lines than are read.
pub fn too_long_message(line: u32) -> String {
    format!("too many records; everything after line {line} is omitted")
}

/// A line that was read, with its number in its piece.
type NumberedItem<T> = (u32, T);

/// Reads one line as [`LineReader`] does, with the number of the line in its piece.
type NumberedLineReader<'r, T> =
    dyn Fn((RecordPlace, &[u8])) -> Option<NumberedItem<T>> + Sync + 'r;

/// Reads every line by itself with `read`, in parallel, and passes each result to `take` in the order of the file, with the
/// number of lines before its piece, until the budget is spent. `read` receives whether a line is the last of the input.
pub fn each_line<T: Send + IndexSize>(
    source: SourceId,
    input: LogInput<'_>,
    executor: &dyn PieceExecutor,
    budget: &mut IndexBudget,
    read: &LineReader<'_, T>,
    take: &mut dyn FnMut(u32, T),
) -> ReadExtent {
    if budget.cut.contains(&source) {
        return ReadExtent::StillCut;
    }
    budget.grant_for_log(input.size());
    let end = end_of_content(input);
    let read = |(place, line): (RecordPlace, &[u8])| {
        Some((place.line, read(place, line, place.start + place.len >= end)?))
    };
    let before = if let LogInput::InMemory(whole) = input { whole.lines_before } else { 0 };
    let mut taker = LineTaker { take, before, budget: &mut budget.left, cut_after: None };
    let cut = InputPieces { input, size: executor.piece_bytes().max(1) };
    match input {
        LogInput::InMemory(whole) if executor.worker_count() < 2 || cut.piece_count() < 2 => {
            let mut lines = LogPiece { lines_before: 0, ..whole }.lines(source);
            let mut some = lines.by_ref().filter_map(read);
            while taker.cut_after.is_none()
                && let Some(one) = some.next()
            {
                taker.take_line(one);
            }
            taker.advance_lines(lines.line);
        }
        _ => read_in_pieces(source, &cut, executor, &read, &mut taker),
    }
    match taker.cut_after {
        None => ReadExtent::Whole,
        Some(line) => {
            budget.cut.insert(source);
            ReadExtent::CutAfter(line)
        }
    }
}

fn read_in_pieces<T: Send + IndexSize>(
    source: SourceId,
    cut: &InputPieces<'_>,
    executor: &dyn PieceExecutor,
    read: &NumberedLineReader<'_, T>,
    taker: &mut LineTaker<'_, T>,
) {
    let done: Vec<Mutex<(u32, Vec<NumberedItem<T>>)>> =
        (0..cut.piece_count()).map(|_| Mutex::default()).collect();
    let buffers = Mutex::new(vec![]);
    // The piece in which the last line is that is taken.
    let last = AtomicUsize::new(usize::MAX);
    let work = |at: usize| {
        if at > last.load(Ordering::Relaxed) {
            return;
        }
        let mut buffer = lock_despite_panic(&buffers).pop().unwrap_or_default();
        let mut lines = cut.read_piece(at, &mut buffer).lines(source);
        let made: Vec<NumberedItem<T>> = lines.by_ref().filter_map(read).collect();
        *lock_despite_panic(&done[at]) = (lines.line, made);
        if buffer.capacity() < cut.size * 4 {
            lock_despite_panic(&buffers).push(buffer);
        }
    };
    let mut then = |at: usize| {
        let (lines, made) = std::mem::take(&mut *lock_despite_panic(&done[at]));
        made.into_iter().for_each(|one| taker.take_line(one));
        taker.advance_lines(lines);
        if taker.cut_after.is_some() {
            last.fetch_min(at, Ordering::Relaxed);
        }
    };
    executor.in_order(cut.piece_count(), &work, &mut then);
}

/// Passes lines on until the limit of lines or of memory is reached.
struct LineTaker<'t, T> {
    take: &'t mut dyn FnMut(u32, T),
    /// Lines before the piece.
    before: u32,
    /// Bytes that may still be kept.
    budget: &'t mut usize,
    /// The last line that was taken, where that is not the last there is.
    cut_after: Option<u32>,
}

impl<T: IndexSize> LineTaker<'_, T> {
    fn take_line(&mut self, (line, one): NumberedItem<T>) {
        if self.cut_after.is_some() {
            return;
        }
        let number = self.before.saturating_add(line);
        match self.budget.checked_sub(one.index_bytes()).filter(|_| number <= MAX_LINES) {
            Some(left) => {
                *self.budget = left;
                (self.take)(self.before, one);
            }
            None => self.cut_after = Some(number.saturating_sub(1)),
        }
    }

    /// Counts the lines of a piece that is done.
    const fn advance_lines(&mut self, lines: u32) {
        self.before = self.before.saturating_add(lines);
    }
}

/// Returns the offset after the last byte that is no white space.
fn end_of_content(input: LogInput<'_>) -> u64 {
    let log = match input {
        LogInput::InMemory(whole) => {
            return whole.start + whole.bytes.trim_ascii_end().len() as u64;
        }
        LogInput::Stored(log) => log,
    };
    let (mut end, mut tail) = (log.size(), [0; 4096]);
    while end > 0 {
        let start = end.saturating_sub(tail.len() as u64);
        let tail = &mut tail[..(end - start) as usize];
        let there = log.read_at(start, tail);
        let kept = tail[..there].trim_ascii_end().len();
        if kept > 0 {
            return start + kept as u64;
        }
        end = start;
    }
    0
}

/// Locks a mutex; a panic of another worker is reported by the executor.
fn lock_despite_panic<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An input cut after line ends: a piece has the lines that start within its share of the bytes.
struct InputPieces<'a> {
    input: LogInput<'a>,
    size: usize,
}

impl<'a> InputPieces<'a> {
    fn piece_count(&self) -> usize {
        usize::try_from(self.input.size().div_ceil(self.size as u64)).unwrap_or(usize::MAX)
    }

    /// Returns the piece's bytes; those of a log are read into `buffer`.
    fn read_piece<'b>(&self, at: usize, buffer: &'b mut Vec<u8>) -> LogPiece<'b>
    where
        'a: 'b,
    {
        let share = at.saturating_mul(self.size);
        let (bytes, start) = match self.input {
            LogInput::InMemory(whole) => {
                let from = share.saturating_sub(1).min(whole.bytes.len());
                (&whole.bytes[from..], whole.start + from as u64)
            }
            LogInput::Stored(log) => {
                let from = share.saturating_sub(1) as u64;
                self.read_to_line_end(log, from, share + self.size - 1 - from as usize, buffer);
                (&buffer[..], from)
            }
        };
        let wanted = share + self.size - share.saturating_sub(1) - 1;
        let found = lines_starting_within(bytes, wanted, at == 0);
        LogPiece {
            bytes: &bytes[found.clone()],
            start: start + found.start as u64,
            lines_before: 0,
        }
    }

    /// Reads from `start` to the first line end after `wanted` bytes, or to the end of the log.
    fn read_to_line_end(
        &self,
        log: &dyn RandomAccessLog,
        start: u64,
        wanted: usize,
        buffer: &mut Vec<u8>,
    ) {
        let mut len = 0;
        let mut more = wanted + (self.size / 16).max(64);
        loop {
            buffer.resize(len + more, 0);
            let there = log.read_at(start + len as u64, &mut buffer[len..]);
            let looked_at = len.max(wanted);
            len += there;
            let has_end = memchr::memchr(b'\n', buffer.get(looked_at..len).unwrap_or_default());
            // A piece that lies within one line has none that starts in it.
            let is_within =
                start > 0 && memchr::memchr(b'\n', &buffer[..len.min(wanted)]).is_none();
            if there < more || has_end.is_some() || is_within {
                return buffer.truncate(len);
            }
            more = len;
            if len > LONG_LINE {
                // Grown by halves, such a line would leave as much behind as it is long.
                more = line_end_after(log, start + len as u64) as usize + 1;
                buffer.reserve_exact(more);
            }
        }
    }
}

/// The length in bytes above which the end of a line is searched first, so that the line is read at once.
const LONG_LINE: usize = 4 << 20;

/// Returns the number of bytes from a place in a log to the end of its line, or to the end of the log.
fn line_end_after(log: &dyn RandomAccessLog, start: u64) -> u64 {
    let mut some = vec![0; 256 << 10];
    let mut at = start;
    loop {
        let there = log.read_at(at, &mut some);
        if let Some(end) = memchr::memchr(b'\n', &some[..there]) {
            return at + end as u64 + 1 - start;
        }
        at += there as u64;
        if there < some.len() {
            return at - start;
        }
    }
}

/// Returns the range of the lines that start within a share of the log. The bytes begin with the last byte of the share
/// before (but for the first share), and the share ends before byte `wanted`.
fn lines_starting_within(bytes: &[u8], wanted: usize, is_first: bool) -> std::ops::Range<usize> {
    let line_end = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        memchr::memchr(b'\n', rest).map_or(bytes.len(), |at| from + at + 1)
    };
    let start = if is_first { 0 } else { line_end(0) };
    let end = line_end(wanted);
    start.min(end)..end
}

/// Returns a warning about the record at `place` of the file `name`.
pub fn warning_at(name: &str, place: RecordPlace, what: impl Into<String>) -> Warning {
    Warning { place: format!("{name}:{}", place.line), what: what.into() }
}

/// Returns the warning about a line that is not JSON: serde's reason with the column alone, and whether it is a last line
/// that is cut off (a log that is still being written, or whose writer was killed).
pub fn json_error_text(error: &serde_json::Error, is_last: bool) -> String {
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or(&reason);
    if is_last && error.is_eof() {
        format!("the last line is cut off ({reason} at column {})", error.column())
    } else {
        format!("not JSON: {reason} at column {}", error.column())
    }
}

/// A log that is read piece by piece, as one on the disk is.
#[cfg(test)]
pub struct InMemoryLog<'a>(pub &'a [u8]);

#[cfg(test)]
impl RandomAccessLog for InMemoryLog<'_> {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, start: u64, into: &mut [u8]) -> usize {
        let rest = self.0.get(start as usize..).unwrap_or_default();
        let len = rest.len().min(into.len());
        into[..len].copy_from_slice(&rest[..len]);
        len
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReversedExecutor;

    #[test]
    fn lines_know_their_number_and_their_bytes() {
        let bytes = b"\xef\xbb\xbf{}\r\n\n  \n[1]";
        let found: Vec<_> =
            lines_of_file(SourceId(2), bytes).map(|(place, text)| (place.line, text)).collect();
        assert_eq!(found, [(1, &b"{}"[..]), (4, b"[1]")]);
        assert!(
            lines_of_file(SourceId(2), bytes).all(|(place, text)| place.bytes_in(bytes) == text)
        );
    }

    fn read_both_ways(
        bytes: &[u8],
        executor: &dyn PieceExecutor,
    ) -> Vec<(RecordPlace, Vec<u8>, bool)> {
        let (mut all, whole): (Vec<(RecordPlace, Vec<u8>, bool)>, _) =
            (vec![], LogPiece::whole_file(bytes));
        let one =
            |place: RecordPlace, line: &[u8], is_last: bool| Some((place, line.to_vec(), is_last));
        for input in [LogInput::InMemory(whole), LogInput::Stored(&InMemoryLog(bytes))] {
            let mut of_input = vec![];
            let budget = &mut IndexBudget::default();
            let extent =
                each_line(SourceId(1), input, executor, budget, &one, &mut |before,
                                                                            (
                    mut place,
                    line,
                    is_last,
                )| {
                    place.line += before;
                    of_input.push((place, line, is_last));
                });
            assert_eq!(extent, ReadExtent::Whole);
            assert!(all.is_empty() || all == of_input);
            all = of_input;
        }
        all
    }

    /// A line that the index keeps in so many bytes.
    struct SizedLine(u32, usize);

    impl IndexSize for SizedLine {
        fn index_bytes(&self) -> usize {
            self.1
        }
    }

    impl IndexSize for (RecordPlace, Vec<u8>, bool) {
        fn index_bytes(&self) -> usize {
            1
        }
    }

    fn budget_with(left: usize) -> IndexBudget {
        IndexBudget { left, ungranted: 0, ..IndexBudget::default() }
    }

    /// Returns the last line that is taken of `log`, for each executor and kind of input.
    fn last_lines_taken(
        log: &[u8],
        lines_before: u32,
        budget: &IndexBudget,
    ) -> Vec<(ReadExtent, u32)> {
        let whole = LogPiece { lines_before, ..LogPiece::whole_file(log) };
        let executor: [&dyn PieceExecutor; 2] =
            [&super::super::SequentialExecutor, &ReversedExecutor { piece_bytes: 64 }];
        let read = |place: RecordPlace, line: &[u8], _| Some(SizedLine(place.line, line.len()));
        let last = |input: LogInput<'_>, executor: &dyn PieceExecutor| {
            let (mut last, mut budget) = (0, budget.clone());
            let extent =
                each_line(SourceId(0), input, executor, &mut budget, &read, &mut |before, line| {
                    last = before + line.0;
                });
            (extent, last)
        };
        let mut all = vec![last(LogInput::InMemory(whole), executor[0])];
        if lines_before == 0 {
            all.push(last(LogInput::InMemory(whole), executor[1]));
            all.push(last(LogInput::Stored(&InMemoryLog(log)), executor[1]));
        }
        all
    }

    #[test]
    fn a_log_is_read_until_its_index_is_as_large_as_it_may_be_whoever_reads_it() {
        let log = b"{}\n".repeat(500);
        let enough = last_lines_taken(&log, 0, &budget_with(1000));
        let too_little = last_lines_taken(&log, 0, &budget_with(401));

        assert!(enough.iter().all(|read| *read == (ReadExtent::Whole, 500)), "{enough:?}");
        assert!(too_little.iter().all(|read| *read == (ReadExtent::CutAfter(200), 200)));
    }

    #[test]
    fn a_larger_log_may_have_a_larger_index_and_none_more_than_the_most() {
        let after = |logs: &[u64]| {
            let mut budget = IndexBudget::default();
            logs.iter().for_each(|size| budget.grant_for_log(*size));
            budget.left
        };
        assert_eq!(after(&[24 << 20]), BASE_INDEX_BYTES + (24 << 20) / 5);
        assert_eq!(after(&[1 << 30, 1 << 30]), MAX_INDEX_BYTES);
    }

    #[test]
    fn a_log_of_more_lines_than_anybody_writes_is_read_so_far() {
        let log = b"{}\n".repeat(12);
        let read = last_lines_taken(&log, MAX_LINES - 7, &IndexBudget::default());
        assert_eq!(read, [(ReadExtent::CutAfter(MAX_LINES), MAX_LINES)]);
        assert_eq!(
            last_lines_taken(&log, MAX_LINES - 12, &IndexBudget::default())[0].0,
            ReadExtent::Whole
        );
    }

    #[test]
    fn a_log_that_was_cut_is_cut_once_and_read_no_more() {
        let mut budget = budget_with(3);
        let read = |_: RecordPlace, _: &[u8], _| Some(SizedLine(0, 2));
        let mut taken = 0;
        let mut again = |source| {
            let input = LogInput::InMemory(LogPiece::whole_file(b"{}\n{}\n"));
            let executor = &super::super::SequentialExecutor;
            each_line(SourceId(source), input, executor, &mut budget, &read, &mut |_, _| taken += 1)
        };
        let extents = [again(0), again(0), again(1)];
        assert_eq!(
            extents,
            [ReadExtent::CutAfter(1), ReadExtent::StillCut, ReadExtent::CutAfter(0)]
        );
        assert_eq!(taken, 1);
    }

    proptest::proptest! {
        #[test]
        fn wherever_a_file_is_cut_its_lines_are_the_same(
            text in "(\u{feff})?[ab\r\n ]{0,200}",
            size in 1usize..150,
        ) {
            let whole = read_both_ways(text.as_bytes(), &super::super::SequentialExecutor);
            proptest::prop_assert_eq!(&whole, &read_both_ways(text.as_bytes(), &ReversedExecutor { piece_bytes: size }));
            proptest::prop_assert_eq!(
                whole.iter().map(|(_, _, is_last)| *is_last).collect::<Vec<_>>(),
                (1..=whole.len()).map(|at| at == whole.len()).collect::<Vec<_>>()
            );
        }
    }
}
