//! A file of a harness, with what was made of its bytes: a report that thousands of logs share is parsed once for all of
//! them.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use serde_json::Value;

use crate::rigorbench::scores::{RigorScore, read_scores};

/// A file that a harness wrote. Its copies share the content, and what was made of it.
#[derive(Debug, Clone)]
pub struct RecordFile {
    /// Relative to the folder of the record.
    pub name: String,
    content: Arc<RecordContent>,
}

/// The bytes of a file, and what was made of them when it was first needed.
#[derive(Debug, Default)]
struct RecordContent {
    bytes: Vec<u8>,
    json: OnceLock<Result<Value, String>>,
    lines: OnceLock<Option<Value>>,
    scores: OnceLock<Vec<RigorScore>>,
    /// The strings that are short enough for a name.
    names: OnceLock<HashSet<Box<[u8]>>>,
    /// Whether the file has these texts.
    texts: Mutex<HashMap<&'static str, bool>>,
    /// See [`RecordFile::memory_estimate`].
    memory: OnceLock<usize>,
}

/// The bytes of memory of a value or a key in a parsed document, without its text: the value, what a map adds, and what the
/// allocator adds to each text.
const VALUE_BYTES: usize = 64;

/// The number of bytes up to which it is quicker to search a file for a name than to collect all names.
const SEARCHED: usize = 64 << 10;

/// The longest string that is collected as a name, in bytes.
const LONGEST_NAME: usize = 256;

impl RecordFile {
    pub fn new(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        let content = RecordContent { bytes, ..RecordContent::default() };
        Self { name: name.into(), content: Arc::new(content) }
    }

    /// Returns the same content under another name: another folder may be nearer to the log that it is read for.
    #[must_use]
    pub fn with_name(&self, name: impl Into<String>) -> Self {
        Self { name: name.into(), content: Arc::clone(&self.content) }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.content.bytes
    }

    /// Returns the bytes of memory that the file and its parsed document take. Every value but the first of a list or of an
    /// object follows a comma, the first one a bracket or a brace, and every one with a key a colon.
    pub fn memory_estimate(&self) -> usize {
        *self.content.memory.get_or_init(|| {
            let bytes = self.bytes();
            2 * bytes.len() + VALUE_BYTES * (1 + separators_in(bytes))
        })
    }

    /// Returns the document; the error is serde's reason.
    pub(super) fn json(&self) -> Result<&Value, &str> {
        let parse = || serde_json::from_slice(self.bytes()).map_err(|why| why.to_string());
        self.content.json.get_or_init(parse).as_ref().map_err(String::as_str)
    }

    /// Returns the values of the lines that are JSON, as a list; None where no line is.
    pub(super) fn json_lines(&self) -> Option<&Value> {
        let parse = || {
            let text = String::from_utf8_lossy(self.bytes());
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            let values: Vec<Value> =
                lines.filter_map(|line| serde_json::from_str(line).ok()).collect();
            (!values.is_empty()).then(|| values.into())
        };
        self.content.lines.get_or_init(parse).as_ref()
    }

    /// Returns the scores in a score file of RigorBench; none in another file.
    pub(super) fn rigor_scores(&self) -> &[RigorScore] {
        let parse = || read_scores(&String::from_utf8_lossy(self.bytes())).unwrap_or_default();
        self.content.scores.get_or_init(parse)
    }

    /// Returns whether the file has this text anywhere.
    pub(super) fn has_text(&self, text: &'static str) -> bool {
        let mut texts = self.content.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let has = || memchr::memmem::find(self.bytes(), text.as_bytes()).is_some();
        *texts.entry(text).or_insert_with(has)
    }

    /// Returns whether the file has a string or a key that is this name.
    pub(super) fn has_name(&self, name: &str) -> bool {
        if self.bytes().len() <= SEARCHED || name.len() > LONGEST_NAME {
            let quoted = format!("\"{name}\"");
            return memchr::memmem::find(self.bytes(), quoted.as_bytes()).is_some();
        }
        let names = self.content.names.get_or_init(|| names_in(self.bytes()));
        names.contains(name.as_bytes())
    }
}

/// Returns the strings of a JSON text, or of lines of JSON, that are not longer than a name.
fn names_in(bytes: &[u8]) -> HashSet<Box<[u8]>> {
    let mut names = HashSet::new();
    let mut rest = bytes;
    while let Some(start) = memchr::memchr(b'"', rest) {
        rest = &rest[start + 1..];
        let Some(end) = string_end(rest) else { break };
        if end <= LONGEST_NAME {
            names.insert(rest[..end].into());
        }
        rest = &rest[end + 1..];
    }
    names
}

/// Returns the number of commas, colons, opening brackets and braces of a JSON text that are outside of strings.
fn separators_in(bytes: &[u8]) -> usize {
    let (mut count, mut rest) = (0, bytes);
    loop {
        let end = memchr::memchr(b'"', rest).unwrap_or(rest.len());
        count += memchr::memchr2_iter(b',', b':', &rest[..end]).count();
        count += memchr::memchr2_iter(b'[', b'{', &rest[..end]).count();
        let Some(inside) = rest.get(end + 1..) else { return count };
        let Some(end) = string_end(inside) else { return count };
        rest = &inside[end + 1..];
    }
}

/// Returns where the string that begins here ends.
fn string_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_in_a_long_file_as_in_a_short_one() {
        let text = |padding: usize| {
            format!(
                r#"{{"a__b-1": {{"model_patch": "x \"no__name-1\" {}"}}, "list": ["c__d-2", "e\\"]}}"#,
                "y".repeat(padding)
            )
        };
        for padding in [1, SEARCHED] {
            let file = RecordFile::new("preds.json", text(padding).into_bytes());

            assert!(["a__b-1", "c__d-2", "list"].iter().all(|name| file.has_name(name)));
            assert!(["no__name-1", "b-1", "c__d"].iter().all(|name| !file.has_name(name)));
        }
    }

    #[test]
    fn a_file_of_many_small_values_takes_more_memory_than_one_of_a_long_text() {
        let numbers = format!("[{}1]", "1,".repeat(10_000));
        let text = format!("[\"{}\"]", "a, \\\"b: ".repeat(2_000));
        let estimate =
            |text: &str| RecordFile::new("a.json", text.as_bytes().to_vec()).memory_estimate();

        assert!(estimate(&numbers) > 10_000 * size_of::<Value>());
        assert_eq!(estimate(&text), 2 * text.len() + 2 * VALUE_BYTES);
        assert_eq!(estimate("[\"cut \\"), 14 + 2 * VALUE_BYTES);
    }

    #[test]
    fn copies_of_a_file_share_what_was_parsed() {
        let file = RecordFile::new("a.json", br#"{"a": 1}"#.to_vec());
        let copy = file.with_name("b.json");

        assert!(std::ptr::eq(file.json().unwrap(), copy.json().unwrap()));
        assert!(RecordFile::new("a.jsonl", b"no json".to_vec()).json_lines().is_none());
    }
}
