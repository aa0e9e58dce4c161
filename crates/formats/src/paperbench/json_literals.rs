//! Handles text that is no proper JSON: numbers of Python that JSON does not know. Also lists the keys of a document that
//! was not read yet.

use std::borrow::Cow;

use crate::not_finite;

/// Returns the text with a string of the same length, which no field takes for a number, in place of each value that is no
/// number, and how many there were.
pub fn without_strange_numbers(text: &str) -> (Cow<'_, str>, usize) {
    let replaced = not_finite::with_replacements(text, |token| match token {
        "-Infinity" => "\"-Infin.\"",
        "Infinity" => "\"Infin.\"",
        _ => "\"N\"",
    });
    replaced.map_or((Cow::Borrowed(text), 0), |(text, count)| (Cow::Owned(text), count))
}

/// Returns the keys of the outermost object, as far as the beginning of a file shows them.
pub fn outer_keys(head: &[u8]) -> Vec<&[u8]> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let (mut keys, mut depth, mut at) = (vec![], 0_usize, 0);
    if head.trim_ascii_start().first() != Some(&b'{') {
        return keys;
    }
    while let Some(byte) = head.get(at) {
        let mut next = at + 1;
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                next = not_finite::end_of_string(head, at);
                let after = head[next..].trim_ascii_start();
                if depth == 1 && after.first() == Some(&b':') {
                    keys.push(&head[at + 1..next - 1]);
                }
            }
            _ => {}
        }
        at = next;
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
