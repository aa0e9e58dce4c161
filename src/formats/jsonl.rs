//! Lines of a JSONL file, each with its place.

use crate::run::{Place, SourceId, Warning};

/// The non-blank lines of `bytes` with their places, carriage returns and a byte-order mark left out.
pub fn lines(source: SourceId, bytes: &[u8]) -> impl Iterator<Item = (Place, &[u8])> {
    let mut start = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let mut line = 0u32;
    std::iter::from_fn(move || {
        while start < bytes.len() {
            let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at);
            let text = bytes[start..end].strip_suffix(b"\r").unwrap_or(&bytes[start..end]);
            let place = Place {
                source,
                line: line + 1,
                part: 0,
                start: start as u64,
                len: text.len() as u64,
            };
            line = line.saturating_add(1);
            start = end + 1;
            if !text.trim_ascii().is_empty() {
                return Some((place, text));
            }
        }
        None
    })
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
}
