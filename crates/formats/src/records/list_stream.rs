//! A document that is too large to be held: the elements of its one long list are read one after the other, as the lines
//! of a log are, and the text around them becomes a document in which the list is empty.

use std::ops::Range;

use crate::jsonl::RandomAccessLog;
use trajview_run::{RecordPlace, SourceId};

/// Bytes that are read at a time.
pub const PIECE_BYTES: usize = 1 << 20;

/// The largest element that is read, and the largest text around the list, in bytes.
const MAX_HELD_BYTES: usize = 64 << 20;

/// A document without the elements of its list.
#[derive(Debug, Default)]
pub struct DocumentFrame {
    pub text: Vec<u8>,
    /// The offsets of the parts in the text, and their places in the file.
    parts: Vec<(usize, RecordPlace)>,
    /// Is true where the document was read to its end.
    pub is_whole: bool,
}

impl DocumentFrame {
    /// Returns the place in the file of a part of the text.
    pub fn place_of(&self, part: &str) -> RecordPlace {
        let start = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let at = self.parts.partition_point(|(begin, _)| *begin <= start);
        let (begin, place) =
            at.checked_sub(1).map_or((0, RecordPlace::default()), |at| self.parts[at]);
        let before = self.text.get(begin..start).unwrap_or_default();
        let lines = memchr::memchr_iter(b'\n', before).count() as u32;
        RecordPlace {
            start: place.start + before.len() as u64,
            len: part.len() as u64,
            ..place.moved_down(lines)
        }
    }
}

/// Passes the elements of a list to `element`, each with its place, until it returns false. The list is under a key of the
/// document, or is the document.
pub fn read_list_elements(
    log: &dyn RandomAccessLog,
    source: SourceId,
    list: &str,
    piece: usize,
    element: &mut dyn FnMut(RecordPlace, &[u8]) -> bool,
) -> DocumentFrame {
    let place = RecordPlace { source, line: 1, ..RecordPlace::default() };
    let mut scanner = ListScanner { key: format!("\"{list}\""), place, ..ListScanner::default() };
    let mut bytes = vec![0; piece];
    loop {
        let len = log.read_at(scanner.place.start, &mut bytes);
        let goes_on = scanner.scan_piece(&bytes[..len], element);
        if len < bytes.len() || !goes_on {
            let is_whole = goes_on && scanner.depth == 0 && !scanner.is_in_string;
            return scanner.into_frame(is_whole);
        }
    }
}

/// Groups elements into ranges of at most so many bytes; a longer element is a range of its own.
pub fn element_ranges(places: &[RecordPlace], bytes: usize) -> Vec<Range<usize>> {
    let (mut pieces, mut first) = (vec![], 0);
    for (at, place) in places.iter().enumerate() {
        if at > first && place_end(place) - places[first].start > bytes as u64 {
            pieces.push(first..at);
            first = at;
        }
    }
    pieces.extend((first < places.len()).then_some(first..places.len()));
    pieces
}

fn place_end(place: &RecordPlace) -> u64 {
    place.start + place.len
}

/// Maps each of some consecutive elements; bytes that the log does not have any more are missing.
pub fn map_elements<T>(
    log: &dyn RandomAccessLog,
    places: &[RecordPlace],
    of: impl Fn(RecordPlace, &[u8]) -> T,
) -> Vec<T> {
    let (Some(first), Some(last)) = (places.first(), places.last()) else { return vec![] };
    let mut bytes = vec![0; usize::try_from(place_end(last) - first.start).unwrap_or(0)];
    let len = log.read_at(first.start, &mut bytes);
    bytes.truncate(len);
    let element = |place: &RecordPlace| {
        let start = (place.start - first.start) as usize;
        let written = bytes.get(start..start + place.len as usize).unwrap_or_default();
        of(*place, written)
    };
    places.iter().map(element).collect()
}

/// The state of the scan of a document.
#[derive(Default)]
struct ListScanner {
    /// The key of the list, with its quotes.
    key: String,
    /// Lists and objects that are open.
    depth: usize,
    is_in_string: bool,
    /// Is true where the last byte that was read begins an escape.
    is_escaped: bool,
    /// The depth at which the elements of the list are; None while the list is not open.
    list: Option<usize>,
    element: Option<OpenElement>,
    around: DocumentFrame,
    /// The place of the next byte.
    place: RecordPlace,
}

/// An element that is open.
struct OpenElement {
    place: RecordPlace,
    /// The bytes of it in the pieces before.
    bytes: Vec<u8>,
}

impl ListScanner {
    /// Scans a piece; returns whether more is wanted.
    fn scan_piece(
        &mut self,
        piece: &[u8],
        element: &mut dyn FnMut(RecordPlace, &[u8]) -> bool,
    ) -> bool {
        let (mut at, mut from) = (0, 0);
        if self.around.parts.is_empty() {
            self.around.parts.push((0, self.place));
        }
        let mut counted = 0;
        while let Some(&byte) = piece.get(at) {
            if self.is_in_string {
                at = self.scan_string(piece, at);
                if !self.is_in_string && self.list == Some(self.depth) {
                    if !self.end_element(&piece[from..at], element) {
                        return false;
                    }
                    from = at;
                }
                continue;
            }
            if self.list == Some(self.depth) {
                let is_between = matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | b',' | b']');
                if is_between && self.element.is_some() {
                    // A number, or a word.
                    if !self.end_element(&piece[from..at], element) {
                        return false;
                    }
                    from = at;
                } else if !is_between && self.element.is_none() {
                    self.place.line += count_lines(&piece[counted..at]);
                    counted = at;
                    let start = self.place.start + at as u64;
                    self.element = Some(OpenElement {
                        place: RecordPlace { start, ..self.place },
                        bytes: vec![],
                    });
                    from = at;
                }
            }
            at += 1;
            match byte {
                b'"' => self.is_in_string = true,
                b'[' if self.list.is_none() && self.depth <= 1 => {
                    self.keep_bytes(&piece[from..at]);
                    from = at;
                    self.depth += 1;
                    self.list = Some(self.depth).filter(|_| self.begins_list());
                }
                b'{' | b'[' => self.depth += 1,
                b']' if self.list == Some(self.depth) => {
                    self.list = None;
                    self.depth -= 1;
                    from = at - 1;
                    self.place.line += count_lines(&piece[counted..from]);
                    counted = from;
                    let start = self.place.start + from as u64;
                    let part = (self.around.text.len(), RecordPlace { start, ..self.place });
                    self.around.parts.push(part);
                }
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.list == Some(self.depth) {
                        if !self.end_element(&piece[from..at], element) {
                            return false;
                        }
                        from = at;
                    }
                }
                _ => {}
            }
        }
        self.place.line += count_lines(&piece[counted..]);
        self.place.start += piece.len() as u64;
        self.keep_bytes(&piece[from..]);
        let held = self.element.as_ref().map_or(0, |element| element.bytes.len());
        held.max(self.around.text.len()) <= MAX_HELD_BYTES
    }

    /// Continues within a string; returns the offset after it, or after the piece.
    fn scan_string(&mut self, piece: &[u8], at: usize) -> usize {
        if std::mem::take(&mut self.is_escaped) {
            return at + 1;
        }
        match memchr::memchr2(b'"', b'\\', &piece[at..]) {
            None => piece.len(),
            Some(found) => {
                let is_end = piece[at + found] == b'"';
                (self.is_in_string, self.is_escaped) = (!is_end, !is_end);
                at + found + 1
            }
        }
    }

    /// Returns whether the last bracket begins the list.
    fn begins_list(&self) -> bool {
        let before = self.around.text.strip_suffix(b"[").unwrap_or_default().trim_ascii_end();
        let key = before.strip_suffix(b":").unwrap_or_default().trim_ascii_end();
        self.depth == 1 || self.depth == 2 && key.ends_with(self.key.as_bytes())
    }

    fn end_element(
        &mut self,
        last: &[u8],
        element: &mut dyn FnMut(RecordPlace, &[u8]) -> bool,
    ) -> bool {
        let Some(OpenElement { place, mut bytes }) = self.element.take() else { return true };
        let whole = if bytes.is_empty() {
            last
        } else {
            bytes.extend_from_slice(last);
            &bytes
        };
        element(RecordPlace { len: whole.len() as u64, ..place }, whole)
    }

    /// Keeps the bytes of a piece that are still needed.
    fn keep_bytes(&mut self, bytes: &[u8]) {
        match &mut self.element {
            Some(element) => element.bytes.extend_from_slice(bytes),
            None if self.list == Some(self.depth) => {}
            None => self.around.text.extend_from_slice(bytes),
        }
    }

    /// Returns the frame; a document that is cut off is closed.
    fn into_frame(mut self, is_whole: bool) -> DocumentFrame {
        if !is_whole && self.list.is_some() {
            let is_list = self.list == Some(1);
            self.around.text.extend_from_slice(if is_list { b"]" } else { b"]}" });
        }
        DocumentFrame { is_whole, ..self.around }
    }
}

fn count_lines(bytes: &[u8]) -> u32 {
    memchr::memchr_iter(b'\n', bytes).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jsonl::InMemoryLog;

    fn read_elements(text: &str, piece: usize) -> (Vec<(u32, String)>, String, bool) {
        let mut found = vec![];
        let around = read_list_elements(
            &InMemoryLog(text.as_bytes()),
            SourceId(0),
            "list",
            piece,
            &mut |place, bytes| {
                assert_eq!(place.bytes_in(text.as_bytes()), bytes);
                found.push((place.line, String::from_utf8(bytes.to_vec()).unwrap()));
                true
            },
        );
        (found, String::from_utf8(around.text).unwrap(), around.is_whole)
    }

    #[test]
    fn the_elements_of_a_list_and_what_stands_around_them_are_found_whatever_the_pieces() {
        let document = "{\"a\": [1, {\"list\": [2]}], \"list\" : [\n{\"b\": \"]\\\"}\"},\n 7,\"x\\\\\",[\n[],{}], null ] , \"c\": \"\\\"list\\\": [\"}\n";
        let found =
            [(2, "{\"b\": \"]\\\"}\"}"), (3, "7"), (3, "\"x\\\\\""), (3, "[\n[],{}]"), (4, "null")];
        let found: Vec<_> = found.map(|(line, text)| (line, text.to_owned())).into();
        let around = "{\"a\": [1, {\"list\": [2]}], \"list\" : [] , \"c\": \"\\\"list\\\": [\"}\n";

        for piece in 1..90 {
            assert_eq!(
                read_elements(document, piece),
                (found.clone(), around.to_owned(), true),
                "{piece}"
            );
        }
    }

    #[test]
    fn elements_that_are_read_again_are_those_that_were_found() {
        let text = "[1, {\"a\": 2},\n          \"xyz\" , [4, 5],\n{\"a\":\"0123456789\"}, 6]";
        let log = InMemoryLog(text.as_bytes());
        let mut found = vec![];
        read_list_elements(&log, SourceId(0), "list", 7, &mut |place, bytes| {
            found.push((place, bytes.to_vec()));
            true
        });
        let places: Vec<RecordPlace> = found.iter().map(|(place, _)| *place).collect();
        let longest = found.iter().map(|(_, bytes)| bytes.len()).max().unwrap();

        for bytes in 1..90 {
            let pieces = element_ranges(&places, bytes);
            let is_held = |piece: &Range<usize>| {
                let span = place_end(&places[piece.end - 1]) - places[piece.start].start;
                span <= bytes.max(longest) as u64
            };
            assert!(pieces.iter().all(is_held), "{bytes}");
            let again = pieces.into_iter().flat_map(|piece| {
                map_elements(&log, &places[piece], |place, bytes| (place, bytes.to_vec()))
            });
            assert_eq!(again.collect::<Vec<_>>(), found, "{bytes}");
        }
        let cut = InMemoryLog(&text.as_bytes()[..20]);
        let lost = map_elements(&cut, &places, |_, bytes| bytes.is_empty());
        assert_eq!(lost, [false, false, true, true, true, true]);
    }

    #[test]
    fn a_document_that_is_a_list_or_is_cut_off_gives_what_is_whole_of_it() {
        let one = vec![(1, "{\"a\":1}".to_owned())];
        for piece in 1..20 {
            assert_eq!(read_elements("[{\"a\":1}]", piece), (one.clone(), "[]".to_owned(), true));
            let cut = read_elements("{\"list\":[{\"a\":1},{\"a", piece);
            assert_eq!(cut, (one.clone(), "{\"list\":[]}".to_owned(), false));
            assert_eq!(read_elements("{\"b\":2}", piece), (vec![], "{\"b\":2}".to_owned(), true));
        }
    }

    #[test]
    fn what_stands_around_the_list_knows_its_place() {
        let text = "{\"a\": 1,\n\"list\": [\n{},\n{}\n],\n\"c\": 5}";
        for piece in 1..30 {
            let around = read_list_elements(
                &InMemoryLog(text.as_bytes()),
                SourceId(0),
                "list",
                piece,
                &mut |_, _| true,
            );
            let written = std::str::from_utf8(&around.text).unwrap();
            for (part, line) in [("1", 1), ("5", 6)] {
                let at = written.find(part).unwrap();
                let place = around.place_of(&written[at..=at]);
                assert_eq!(
                    (place.bytes_in(text.as_bytes()), place.line),
                    (part.as_bytes(), line),
                    "{piece}"
                );
            }
        }
    }
}
