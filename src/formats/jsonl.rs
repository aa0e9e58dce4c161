//! Lines of a JSONL file, each with its place.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use super::Hands;
use crate::run::{Place, SourceId, Warning};

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

impl Input<'_> {
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

/// Lines of a log that are read: ten times what the longest sessions have.
pub const MOST_LINES: u32 = 200_000;

/// Whether a log was read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Extent {
    Whole,
    /// It has more than [`MOST_LINES`].
    Cut,
}

/// What to say of a log with more lines than are read.
pub fn too_long() -> String {
    format!("has more than {MOST_LINES} lines; the rest is left out")
}

/// A line that was read, with its number in its piece.
type Numbered<T> = (u32, T);

/// Reads every line by itself with `read`, by as many hands as there are, and gives what comes of it to `take` in the
/// order of the file, with the lines that were before its piece. `read` is told whether a line is the last of the input.
pub fn each_line<T: Send>(
    source: SourceId,
    input: Input<'_>,
    hands: &dyn Hands,
    read: &Reads<'_, T>,
    take: &mut dyn FnMut(u32, T),
) -> Extent {
    let cut = Cut { input, size: hands.piece_bytes().max(1) };
    let end = end_of(input);
    let read = |(place, line): (Place, &[u8])| {
        Some((place.line, read(place, line, place.start + place.len >= end)?))
    };
    let before = if let Input::Held(whole) = input { whole.lines_before } else { 0 };
    let mut taker = Taker { take, before, is_cut: false };
    if let Input::Held(whole) = input
        && (hands.count() < 2 || cut.pieces() < 2)
    {
        let own = Piece { lines_before: 0, ..whole };
        let most = MOST_LINES.saturating_sub(before);
        let mut lines = own.lines(source);
        let known = lines.by_ref().take_while(|(place, _)| place.line <= most);
        known.filter_map(read).for_each(|one| taker.take(one));
        taker.end(lines.line);
        return taker.extent();
    }
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
        let known = lines.by_ref().take_while(|(place, _)| place.line <= MOST_LINES);
        let made: Vec<Numbered<T>> = known.filter_map(read).collect();
        if lines.line > MOST_LINES {
            last.fetch_min(at, Ordering::Relaxed);
        }
        *held(&done[at]) = (lines.line, made);
        if buffer.capacity() < cut.size * 4 {
            held(&buffers).push(buffer);
        }
    };
    let mut then = |at: usize| {
        let (lines, made) = std::mem::take(&mut *held(&done[at]));
        made.into_iter().for_each(|one| taker.take(one));
        taker.end(lines);
        if taker.is_cut {
            last.fetch_min(at, Ordering::Relaxed);
        }
    };
    hands.in_order(cut.pieces(), &work, &mut then);
    taker.extent()
}

/// Takes lines until there are too many.
struct Taker<'t, T> {
    take: &'t mut dyn FnMut(u32, T),
    /// Lines before the piece.
    before: u32,
    is_cut: bool,
}

impl<T> Taker<'_, T> {
    fn take(&mut self, (line, one): Numbered<T>) {
        if self.before.saturating_add(line) <= MOST_LINES {
            (self.take)(self.before, one);
        }
    }

    /// A piece of so many lines is done.
    fn end(&mut self, lines: u32) {
        self.before = self.before.saturating_add(lines);
        self.is_cut |= self.before > MOST_LINES;
    }

    const fn extent(&self) -> Extent {
        if self.is_cut { Extent::Cut } else { Extent::Whole }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Backwards;

    #[test]
    fn lines_know_their_number_and_their_bytes() {
        let bytes = b"\xef\xbb\xbf{}\r\n\n  \n[1]";
        let found: Vec<_> =
            lines(SourceId(2), bytes).map(|(place, text)| (place.line, text)).collect();
        assert_eq!(found, [(1, &b"{}"[..]), (4, b"[1]")]);
        assert!(lines(SourceId(2), bytes).all(|(place, text)| place.of(bytes) == text));
    }

    fn read(bytes: &[u8], hands: &dyn Hands) -> Vec<(Place, Vec<u8>, bool)> {
        let (mut all, whole): (Vec<(Place, Vec<u8>, bool)>, _) = (vec![], Piece::whole(bytes));
        let one = |place: Place, line: &[u8], is_last: bool| Some((place, line.to_vec(), is_last));
        for input in [Input::Held(whole), Input::Log(&Elsewhere(bytes))] {
            let mut of_input = vec![];
            let extent = each_line(SourceId(1), input, hands, &one, &mut |before,
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

    struct Elsewhere<'a>(&'a [u8]);

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

    #[test]
    fn a_log_of_too_many_lines_is_read_so_far_whoever_reads_it() {
        let log = b"{}\n".repeat(MOST_LINES as usize + 5);
        let whole = Piece::whole(&log);
        let hands: [&dyn Hands; 2] = [&super::super::OneHand, &Backwards { piece_bytes: 1 << 18 }];
        for (input, hands) in [
            (Input::Held(whole), hands[0]),
            (Input::Held(whole), hands[1]),
            (Input::Log(&Elsewhere(&log)), hands[1]),
            (
                Input::Held(Piece { lines_before: MOST_LINES - 7, bytes: &log[..36], ..whole }),
                hands[0],
            ),
        ] {
            let mut last = 0;
            let read = |place: Place, _: &[u8], _| Some(place.line);
            let extent = each_line(SourceId(0), input, hands, &read, &mut |before, line| {
                last = before + line;
            });
            assert_eq!((extent, last), (Extent::Cut, MOST_LINES));
        }
        let most = &log[..3 * MOST_LINES as usize];
        let read = |_: Place, _: &[u8], _| Some(());
        let input = Input::Held(Piece::whole(most));
        let extent = each_line(SourceId(0), input, hands[1], &read, &mut |_, ()| {});
        assert_eq!(extent, Extent::Whole);
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
