//! Lines of a JSONL file, each with its place.

use std::{
    collections::BTreeSet,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use super::Executor;
use trajview_run::{Place, SourceId, Warning};

/// Bytes of a JSONL file from the start of a line on.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'a> {
    pub bytes: &'a [u8],
    /// Where they start in the file.
    pub start: u64,
    /// Lines of the file before them.
    pub lines_before: u32,
}

impl<'a> Piece<'a> {
    /// A whole file.
    pub const fn whole(bytes: &'a [u8]) -> Self {
        Self { bytes, start: 0, lines_before: 0 }
    }

    /// The non-blank lines with their places, carriage returns and a byte-order mark left out.
    pub fn lines(self, source: SourceId) -> Lines<'a> {
        let has_mark = self.start == 0 && self.bytes.starts_with(b"\xef\xbb\xbf");
        let at = if has_mark { 3 } else { 0 };
        Lines { bytes: self.bytes, at, start: self.start, line: self.lines_before, source }
    }
}

/// See [`Piece::lines`].
#[derive(Debug, Clone)]
pub struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    start: u64,
    /// Number of the line given last, blank ones counted.
    line: u32,
    source: SourceId,
}

impl<'a> Iterator for Lines<'a> {
    type Item = (Place, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(rest) = self.bytes.get(self.at..).filter(|rest| !rest.is_empty()) {
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let text = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
            self.line = self.line.saturating_add(1);
            let place = Place {
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

/// The non-blank lines of a whole file; see [`Piece::lines`].
pub fn lines(source: SourceId, bytes: &[u8]) -> impl Iterator<Item = (Place, &[u8])> {
    Piece::whole(bytes).lines(source)
}

/// A log that lies elsewhere and is read in pieces.
pub trait Log: Sync {
    /// Its size in bytes, as it was when it was found.
    fn size(&self) -> u64;

    /// Fills `into` with what stands in it from `start` on, and says how many bytes that are: fewer than asked for
    /// only where it ends.
    fn read(&self, start: u64, into: &mut [u8]) -> usize;
}

/// What lines are read from.
#[derive(Clone, Copy)]
pub enum Input<'a> {
    Held(Piece<'a>),
    /// The whole of it.
    Log(&'a dyn Log),
}

impl<'a> Input<'a> {
    pub const fn whole(bytes: &'a [u8]) -> Self {
        Self::Held(Piece::whole(bytes))
    }

    /// Bytes.
    pub fn size(&self) -> u64 {
        match self {
            Self::Held(piece) => piece.bytes.len() as u64,
            Self::Log(log) => log.size(),
        }
    }
}

/// Makes something of one line; told where it stands and whether it is the last one. The lines before its piece are not
/// in the number of the line yet.
pub type Reads<'r, T> = dyn Fn(Place, &[u8], bool) -> Option<T> + Sync + 'r;

/// Lines of a log that are read: a log of 2 GB has as many if they have 500 bytes each.
pub const MOST_LINES: u32 = 4_000_000;

/// Bytes that the index of a recording may take, about: as many of any, a share of the bytes of its logs beside, and
/// never more than the most. Sessions of working agents take less than half of that share.
const KEPT_OF_ANY: usize = 48 << 20;
const KEPT_SHARE: u64 = 5;
const MOST_KEPT: usize = 320 << 20;

/// Something made of a line.
pub trait Kept {
    /// Bytes that the index will take of it, about.
    fn kept_bytes(&self) -> usize;
}

/// What may still be read of a recording: lines of a few bytes that each leave some hundred are not read to their end.
#[derive(Debug, Clone)]
pub struct Budget {
    /// Bytes that may still be kept.
    left: usize,
    /// Bytes that may still be granted for logs that are read.
    ungranted: usize,
    /// Logs that were not read to their end.
    cut: BTreeSet<SourceId>,
}

impl Default for Budget {
    fn default() -> Self {
        let ungranted = MOST_KEPT - KEPT_OF_ANY;
        Self { left: KEPT_OF_ANY, ungranted, cut: BTreeSet::new() }
    }
}

impl Budget {
    /// Takes so many bytes from what may be kept; whether there were as many.
    pub fn spend(&mut self, bytes: usize) -> bool {
        self.left.checked_sub(bytes).map(|left| self.left = left).is_some()
    }

    /// Grants what comes with so many bytes of a log.
    pub fn grant(&mut self, bytes: u64) {
        let share = usize::try_from(bytes / KEPT_SHARE).unwrap_or(usize::MAX).min(self.ungranted);
        self.left += share;
        self.ungranted -= share;
    }
}

/// Whether a log was read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Extent {
    Whole,
    /// It has more than [`MOST_LINES`], or more than the budget allows. What follows this line is left out.
    CutAfter(u32),
    /// It was cut before, and is read no more.
    StillCut,
}

/// What to say of a log with more lines than are read.
pub fn too_long(line: u32) -> String {
    format!("has more records than are read; what follows line {line} is left out")
}

/// A line that was read, with its number in its piece.
type Numbered<T> = (u32, T);

/// As [`Reads`], numbered, and told of the end of the input by itself.
type Makes<'r, T> = dyn Fn((Place, &[u8])) -> Option<Numbered<T>> + Sync + 'r;

/// Reads every line by itself with `read`, by as many hands as there are, and gives what comes of it to `take` in the
/// order of the file, with the lines that were before its piece, until the budget is spent. `read` is told whether a line is
/// the last of the input.
pub fn each_line<T: Send + Kept>(
    source: SourceId,
    input: Input<'_>,
    executor: &dyn Executor,
    budget: &mut Budget,
    read: &Reads<'_, T>,
    take: &mut dyn FnMut(u32, T),
) -> Extent {
    if budget.cut.contains(&source) {
        return Extent::StillCut;
    }
    budget.grant(input.size());
    let end = end_of(input);
    let read = |(place, line): (Place, &[u8])| {
        Some((place.line, read(place, line, place.start + place.len >= end)?))
    };
    let before = if let Input::Held(whole) = input { whole.lines_before } else { 0 };
    let mut taker = Taker { take, before, budget: &mut budget.left, cut_after: None };
    let cut = Cut { input, size: executor.piece_bytes().max(1) };
    match input {
        Input::Held(whole) if executor.count() < 2 || cut.pieces() < 2 => {
            let mut lines = Piece { lines_before: 0, ..whole }.lines(source);
            let mut some = lines.by_ref().filter_map(read);
            while taker.cut_after.is_none()
                && let Some(one) = some.next()
            {
                taker.take(one);
            }
            taker.end(lines.line);
        }
        _ => in_pieces(source, &cut, executor, &read, &mut taker),
    }
    match taker.cut_after {
        None => Extent::Whole,
        Some(line) => {
            budget.cut.insert(source);
            Extent::CutAfter(line)
        }
    }
}

fn in_pieces<T: Send + Kept>(
    source: SourceId,
    cut: &Cut<'_>,
    executor: &dyn Executor,
    read: &Makes<'_, T>,
    taker: &mut Taker<'_, T>,
) {
    let done: Vec<Mutex<(u32, Vec<Numbered<T>>)>> =
        (0..cut.pieces()).map(|_| Mutex::default()).collect();
    let buffers = Mutex::new(vec![]);
    // The piece in which the last line is that is taken.
    let last = AtomicUsize::new(usize::MAX);
    let work = |at: usize| {
        if at > last.load(Ordering::Relaxed) {
            return;
        }
        let mut buffer = held(&buffers).pop().unwrap_or_default();
        let mut lines = cut.piece(at, &mut buffer).lines(source);
        let made: Vec<Numbered<T>> = lines.by_ref().filter_map(read).collect();
        *held(&done[at]) = (lines.line, made);
        if buffer.capacity() < cut.size * 4 {
            held(&buffers).push(buffer);
        }
    };
    let mut then = |at: usize| {
        let (lines, made) = std::mem::take(&mut *held(&done[at]));
        made.into_iter().for_each(|one| taker.take(one));
        taker.end(lines);
        if taker.cut_after.is_some() {
            last.fetch_min(at, Ordering::Relaxed);
        }
    };
    executor.in_order(cut.pieces(), &work, &mut then);
}

/// Takes lines until there are too many.
struct Taker<'t, T> {
    take: &'t mut dyn FnMut(u32, T),
    /// Lines before the piece.
    before: u32,
    /// Bytes that may still be kept.
    budget: &'t mut usize,
    /// The last line that was taken, where that is not the last there is.
    cut_after: Option<u32>,
}

impl<T: Kept> Taker<'_, T> {
    fn take(&mut self, (line, one): Numbered<T>) {
        if self.cut_after.is_some() {
            return;
        }
        let number = self.before.saturating_add(line);
        match self.budget.checked_sub(one.kept_bytes()).filter(|_| number <= MOST_LINES) {
            Some(left) => {
                *self.budget = left;
                (self.take)(self.before, one);
            }
            None => self.cut_after = Some(number.saturating_sub(1)),
        }
    }

    /// A piece of so many lines is done.
    const fn end(&mut self, lines: u32) {
        self.before = self.before.saturating_add(lines);
    }
}

/// Where what is not blank ends.
fn end_of(input: Input<'_>) -> u64 {
    let log = match input {
        Input::Held(whole) => return whole.start + whole.bytes.trim_ascii_end().len() as u64,
        Input::Log(log) => log,
    };
    let (mut end, mut tail) = (log.size(), [0; 4096]);
    while end > 0 {
        let start = end.saturating_sub(tail.len() as u64);
        let tail = &mut tail[..(end - start) as usize];
        let there = log.read(start, tail);
        let kept = tail[..there].trim_ascii_end().len();
        if kept > 0 {
            return start + kept as u64;
        }
        end = start;
    }
    0
}

/// A panic of another hand is told by whoever lent the hands.
fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An input cut after line ends: a piece has the lines that start within its share of the bytes.
struct Cut<'a> {
    input: Input<'a>,
    size: usize,
}

impl<'a> Cut<'a> {
    fn pieces(&self) -> usize {
        usize::try_from(self.input.size().div_ceil(self.size as u64)).unwrap_or(usize::MAX)
    }

    /// The piece's bytes; those of a log are read into `buffer`.
    fn piece<'b>(&self, at: usize, buffer: &'b mut Vec<u8>) -> Piece<'b>
    where
        'a: 'b,
    {
        let share = at.saturating_mul(self.size);
        let (bytes, start) = match self.input {
            Input::Held(whole) => {
                let from = share.saturating_sub(1).min(whole.bytes.len());
                (&whole.bytes[from..], whole.start + from as u64)
            }
            Input::Log(log) => {
                let from = share.saturating_sub(1) as u64;
                self.read(log, from, share + self.size - 1 - from as usize, buffer);
                (&buffer[..], from)
            }
        };
        let wanted = share + self.size - share.saturating_sub(1) - 1;
        let found = own_lines(bytes, wanted, at == 0);
        Piece { bytes: &bytes[found.clone()], start: start + found.start as u64, lines_before: 0 }
    }

    /// From `start` on to the first line end after `wanted` bytes, or to the end of the log.
    fn read(&self, log: &dyn Log, start: u64, wanted: usize, buffer: &mut Vec<u8>) {
        let mut len = 0;
        let mut more = wanted + (self.size / 16).max(64);
        loop {
            buffer.resize(len + more, 0);
            let there = log.read(start + len as u64, &mut buffer[len..]);
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

/// A line that is longer is looked at twice, and asked for at once (bytes).
const LONG_LINE: usize = 4 << 20;

/// How many bytes there are from a place in a log to the end of its line, or to the end of the log.
fn line_end_after(log: &dyn Log, start: u64) -> u64 {
    let mut some = vec![0; 256 << 10];
    let mut at = start;
    loop {
        let there = log.read(at, &mut some);
        if let Some(end) = memchr::memchr(b'\n', &some[..there]) {
            return at + end as u64 + 1 - start;
        }
        at += there as u64;
        if there < some.len() {
            return at - start;
        }
    }
}

/// Of bytes that begin with the last one of the share before (but for the first share's): the lines that start within
/// the share, which ends before byte `wanted`.
fn own_lines(bytes: &[u8], wanted: usize, is_first: bool) -> std::ops::Range<usize> {
    let line_end = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        memchr::memchr(b'\n', rest).map_or(bytes.len(), |at| from + at + 1)
    };
    let start = if is_first { 0 } else { line_end(0) };
    let end = line_end(wanted);
    start.min(end)..end
}

/// A warning about the record at `place` of the file `name`.
pub fn warning(name: &str, place: Place, what: impl Into<String>) -> Warning {
    Warning { place: format!("{name}:{}", place.line), what: what.into() }
}

/// What to say of a line that is not JSON: the reason without serde's "at line 1 column n", with the column kept,
/// and whether it is a last line cut short (a log that is still being written, or whose writer was killed).
pub fn broken(error: &serde_json::Error, is_last: bool) -> String {
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
pub struct Elsewhere<'a>(pub &'a [u8]);

#[cfg(test)]
impl Log for Elsewhere<'_> {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn read(&self, start: u64, into: &mut [u8]) -> usize {
        let rest = self.0.get(start as usize..).unwrap_or_default();
        let len = rest.len().min(into.len());
        into[..len].copy_from_slice(&rest[..len]);
        len
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Backwards;

    #[test]
    fn lines_know_their_number_and_their_bytes() {
        let bytes = b"\xef\xbb\xbf{}\r\n\n  \n[1]";
        let found: Vec<_> =
            lines(SourceId(2), bytes).map(|(place, text)| (place.line, text)).collect();
        assert_eq!(found, [(1, &b"{}"[..]), (4, b"[1]")]);
        assert!(lines(SourceId(2), bytes).all(|(place, text)| place.of(bytes) == text));
    }

    fn read(bytes: &[u8], executor: &dyn Executor) -> Vec<(Place, Vec<u8>, bool)> {
        let (mut all, whole): (Vec<(Place, Vec<u8>, bool)>, _) = (vec![], Piece::whole(bytes));
        let one = |place: Place, line: &[u8], is_last: bool| Some((place, line.to_vec(), is_last));
        for input in [Input::Held(whole), Input::Log(&Elsewhere(bytes))] {
            let mut of_input = vec![];
            let budget = &mut Budget::default();
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
            assert_eq!(extent, Extent::Whole);
            assert!(all.is_empty() || all == of_input);
            all = of_input;
        }
        all
    }

    /// A line that the index keeps in so many bytes.
    struct Weighs(u32, usize);

    impl Kept for Weighs {
        fn kept_bytes(&self) -> usize {
            self.1
        }
    }

    impl Kept for (Place, Vec<u8>, bool) {
        fn kept_bytes(&self) -> usize {
            1
        }
    }

    fn budget_of(left: usize) -> Budget {
        Budget { left, ungranted: 0, ..Budget::default() }
    }

    /// The last line that is taken of `log`, read in each way there is.
    fn last_of(log: &[u8], lines_before: u32, budget: &Budget) -> Vec<(Extent, u32)> {
        let whole = Piece { lines_before, ..Piece::whole(log) };
        let executor: [&dyn Executor; 2] = [&super::super::OneHand, &Backwards { piece_bytes: 64 }];
        let read = |place: Place, line: &[u8], _| Some(Weighs(place.line, line.len()));
        let last = |input: Input<'_>, executor: &dyn Executor| {
            let (mut last, mut budget) = (0, budget.clone());
            let extent =
                each_line(SourceId(0), input, executor, &mut budget, &read, &mut |before, line| {
                    last = before + line.0;
                });
            (extent, last)
        };
        let mut all = vec![last(Input::Held(whole), executor[0])];
        if lines_before == 0 {
            all.push(last(Input::Held(whole), executor[1]));
            all.push(last(Input::Log(&Elsewhere(log)), executor[1]));
        }
        all
    }

    #[test]
    fn a_log_is_read_until_its_index_is_as_large_as_it_may_be_whoever_reads_it() {
        let log = b"{}\n".repeat(500);
        let enough = last_of(&log, 0, &budget_of(1000));
        let too_little = last_of(&log, 0, &budget_of(401));

        assert!(enough.iter().all(|read| *read == (Extent::Whole, 500)), "{enough:?}");
        assert!(too_little.iter().all(|read| *read == (Extent::CutAfter(200), 200)));
    }

    #[test]
    fn a_larger_log_may_have_a_larger_index_and_none_more_than_the_most() {
        let after = |logs: &[u64]| {
            let mut budget = Budget::default();
            logs.iter().for_each(|size| budget.grant(*size));
            budget.left
        };
        assert_eq!(after(&[24 << 20]), KEPT_OF_ANY + (24 << 20) / 5);
        assert_eq!(after(&[1 << 30, 1 << 30]), MOST_KEPT);
    }

    #[test]
    fn a_log_of_more_lines_than_anybody_writes_is_read_so_far() {
        let log = b"{}\n".repeat(12);
        let read = last_of(&log, MOST_LINES - 7, &Budget::default());
        assert_eq!(read, [(Extent::CutAfter(MOST_LINES), MOST_LINES)]);
        assert_eq!(last_of(&log, MOST_LINES - 12, &Budget::default())[0].0, Extent::Whole);
    }

    #[test]
    fn a_log_that_was_cut_is_cut_once_and_read_no_more() {
        let mut budget = budget_of(3);
        let read = |_: Place, _: &[u8], _| Some(Weighs(0, 2));
        let mut taken = 0;
        let mut again = |source| {
            let input = Input::Held(Piece::whole(b"{}\n{}\n"));
            let executor = &super::super::OneHand;
            each_line(SourceId(source), input, executor, &mut budget, &read, &mut |_, _| taken += 1)
        };
        let extents = [again(0), again(0), again(1)];
        assert_eq!(extents, [Extent::CutAfter(1), Extent::StillCut, Extent::CutAfter(0)]);
        assert_eq!(taken, 1);
    }

    proptest::proptest! {
        #[test]
        fn wherever_a_file_is_cut_its_lines_are_the_same(
            text in "(\u{feff})?[ab\r\n ]{0,200}",
            size in 1usize..150,
        ) {
            let whole = read(text.as_bytes(), &super::super::OneHand);
            proptest::prop_assert_eq!(&whole, &read(text.as_bytes(), &Backwards { piece_bytes: size }));
            proptest::prop_assert_eq!(
                whole.iter().map(|(_, _, is_last)| *is_last).collect::<Vec<_>>(),
                (1..=whole.len()).map(|at| at == whole.len()).collect::<Vec<_>>()
            );
        }
    }
}
