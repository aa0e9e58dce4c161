//! Lines of a JSONL file, each with its place.

use std::sync::{Mutex, MutexGuard, PoisonError};

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
    pub fn lines(self, source: SourceId) -> impl Iterator<Item = (Place, &'a [u8])> {
        let Self { bytes, start: offset, lines_before: mut line } = self;
        let mut start = if offset == 0 && bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        std::iter::from_fn(move || {
            while start < bytes.len() {
                let end =
                    memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at);
                let text = bytes[start..end].strip_suffix(b"\r").unwrap_or(&bytes[start..end]);
                line = line.saturating_add(1);
                let place = Place {
                    source,
                    line,
                    part: 0,
                    start: offset + start as u64,
                    len: text.len() as u64,
                };
                start = end + 1;
                if !text.trim_ascii().is_empty() {
                    return Some((place, text));
                }
            }
            None
        })
    }
}

/// The non-blank lines of a whole file; see [`Piece::lines`].
pub fn lines(source: SourceId, bytes: &[u8]) -> impl Iterator<Item = (Place, &[u8])> {
    Piece::whole(bytes).lines(source)
}

/// Makes something of one line; told where it stands and whether it is the last one.
pub type Reads<'r, T> = dyn Fn(Place, &[u8], bool) -> Option<T> + Sync + 'r;

/// Reads every line by itself with `read`, by as many hands as there are, and gives what comes of it to `take` in the
/// order of the file. `read` is told whether a line is the last of the piece.
pub fn each_line<T: Send>(
    source: SourceId,
    whole: Piece<'_>,
    hands: &dyn Hands,
    read: &Reads<'_, T>,
    take: &mut dyn FnMut(T),
) {
    let size = hands.piece_bytes().max(1);
    let end = whole.start + whole.bytes.trim_ascii_end().len() as u64;
    let read = |(place, line): (Place, &[u8])| read(place, line, place.start + place.len >= end);
    if hands.count() < 2 || whole.bytes.len() <= size {
        whole.lines(source).filter_map(read).for_each(take);
        return;
    }
    let cut = Cut { whole, size, lines_before: Mutex::new(vec![whole.lines_before]) };
    let done: Vec<Mutex<Vec<T>>> = (0..cut.pieces()).map(|_| Mutex::default()).collect();
    let work = |at: usize| {
        let piece = cut.piece(at);
        let mut made = Vec::with_capacity(piece.bytes.len() / 2048);
        made.extend(piece.lines(source).filter_map(read));
        *held(&done[at]) = made;
    };
    let mut then =
        |at: usize| std::mem::take(&mut *held(&done[at])).into_iter().for_each(&mut *take);
    hands.in_order(cut.pieces(), &work, &mut then);
}

/// A panic of another hand is told by whoever lent the hands.
fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file cut after line ends: a piece has the lines that start within its share of the bytes.
struct Cut<'a> {
    whole: Piece<'a>,
    size: usize,
    /// Of each piece, as far as they are counted.
    lines_before: Mutex<Vec<u32>>,
}

impl<'a> Cut<'a> {
    const fn pieces(&self) -> usize {
        self.whole.bytes.len().div_ceil(self.size)
    }

    fn start_of(&self, piece: usize) -> usize {
        let (bytes, share) = (self.whole.bytes, piece.saturating_mul(self.size));
        let Some(before) = share.checked_sub(1).filter(|before| *before < bytes.len()) else {
            return share.min(bytes.len());
        };
        memchr::memchr(b'\n', &bytes[before..]).map_or(bytes.len(), |at| before + at + 1)
    }

    fn bytes_of(&self, piece: usize) -> &'a [u8] {
        &self.whole.bytes[self.start_of(piece)..self.start_of(piece + 1)]
    }

    fn piece(&self, at: usize) -> Piece<'a> {
        let mut counted = held(&self.lines_before);
        while let Some(before) = counted.last().filter(|_| counted.len() <= at) {
            let lines = memchr::memchr_iter(b'\n', self.bytes_of(counted.len() - 1)).count();
            let next = before.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
            counted.push(next);
        }
        let lines_before = counted[at];
        drop(counted);
        Piece {
            bytes: self.bytes_of(at),
            start: self.whole.start + self.start_of(at) as u64,
            lines_before,
        }
    }
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

    #[test]
    fn lines_know_their_number_and_their_bytes() {
        let bytes = b"\xef\xbb\xbf{}\r\n\n  \n[1]";
        let found: Vec<_> =
            lines(SourceId(2), bytes).map(|(place, text)| (place.line, text)).collect();
        assert_eq!(found, [(1, &b"{}"[..]), (4, b"[1]")]);
        assert!(lines(SourceId(2), bytes).all(|(place, text)| place.of(bytes) == text));
    }

    /// Two hands, of which the second is always done first.
    struct Backwards {
        piece_bytes: usize,
    }

    impl Hands for Backwards {
        fn count(&self) -> usize {
            2
        }

        fn piece_bytes(&self) -> usize {
            self.piece_bytes
        }

        fn in_order(
            &self,
            pieces: usize,
            work: &(dyn Fn(usize) + Sync),
            then: &mut dyn FnMut(usize),
        ) {
            (0..pieces).rev().for_each(work);
            (0..pieces).for_each(then);
        }
    }

    fn read(bytes: &[u8], hands: &dyn Hands) -> Vec<(Place, Vec<u8>, bool)> {
        let (mut all, whole) = (vec![], Piece::whole(bytes));
        let one = |place: Place, line: &[u8], is_last: bool| Some((place, line.to_vec(), is_last));
        each_line(SourceId(1), whole, hands, &one, &mut |line| all.push(line));
        all
    }

    proptest::proptest! {
        #[test]
        fn wherever_a_file_is_cut_its_lines_are_the_same(
            text in "(\u{feff})?[ab\r\n ]{0,60}",
            size in 1usize..20,
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
