//! Handles text that is no proper JSON: numbers of Python that JSON does not know. Also lists the keys of a document that
//! was not read yet.

use std::borrow::Cow;

/// Values that Python's `json` writes for numbers that are none. Each is replaced by a string of the same length, which no
/// field takes for a number.
const STRANGE_NUMBERS: [(&str, &str); 3] =
    [("-Infinity", "\"-Infin.\""), ("Infinity", "\"Infin.\""), ("NaN", "\"N\"")];

/// Returns the text with every such number put so, places unchanged, and how many there were.
pub fn without_strange_numbers(text: &str) -> (Cow<'_, str>, usize) {
    let is_there = |word: &str| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some();
    if !is_there("NaN") && !is_there("Infinity") {
        return (Cow::Borrowed(text), 0);
    }
    let (mut out, mut count, mut rest) = (String::with_capacity(text.len()), 0, text);
    while let Some(at) = rest.find(['"', 'N', 'I', '-']) {
        let (before, here) = rest.split_at(at);
        out.push_str(before);
        let taken = match STRANGE_NUMBERS.iter().find(|(word, _)| here.starts_with(word)) {
            Some((word, other)) => {
                out.push_str(other);
                count += 1;
                word.len()
            }
            None => {
                let len = if here.starts_with('"') { string_len(here.as_bytes()) } else { 1 };
                out.push_str(&here[..len]);
                len
            }
        };
        rest = &here[taken..];
    }
    out.push_str(rest);
    (Cow::Owned(out), count)
}

/// Returns bytes of the string that begins here, its quotes included; all there is where it does not end.
fn string_len(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

/// Returns the keys of the outermost object, as far as the beginning of a file shows them.
pub fn outer_keys(head: &[u8]) -> Vec<&[u8]> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let (mut keys, mut depth, mut at) = (vec![], 0_usize, 0);
    if head.trim_ascii_start().first() != Some(&b'{') {
        return keys;
    }
    while let Some(byte) = head.get(at) {
        let mut len = 1;
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                len = string_len(&head[at..]);
                let after = head.get(at + len..).unwrap_or_default().trim_ascii_start();
                if depth == 1 && after.first() == Some(&b':') {
                    keys.push(&head[at + 1..at + len - 1]);
                }
            }
            _ => {}
        }
        at += len;
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_none_become_words_of_the_same_length() {
        let text = r#"{"a": NaN, "b": [-Infinity, Infinity, -1], "c": "NaN \" Infinity"}"#;

        let (out, count) = without_strange_numbers(text);

        let wanted = r#"{"a": "N", "b": ["-Infin.", "Infin.", -1], "c": "NaN \" Infinity"}"#;
        assert_eq!(out, wanted);
        assert_eq!((out.len(), count), (text.len(), 3));
    }

    #[test]
    fn a_text_without_such_numbers_is_left_alone() {
        assert!(matches!(without_strange_numbers("{\"a\": 1}"), (Cow::Borrowed(_), 0)));
    }

    #[test]
    fn the_outer_keys_are_those_of_the_first_object_only() {
        let head = br#" {"id": "a:\"b\"", "sub_tasks": [{"weight": 1, "x": {"#;
        let keys = outer_keys(head);
        assert_eq!(keys, [&b"id"[..], b"sub_tasks"]);
        assert!(outer_keys(b"[{\"id\": 1}]").is_empty());
        assert!(outer_keys(b"{\"unfinished").is_empty());
    }
}
