//! NaN and Infinity in JSON, as Python's `json` writes them.
//!
//! They are no JSON, and their values are no numbers: a reader of a recorded document takes them for null and warns of it.
//! A text is looked through for them only where it does not read as JSON.

use std::borrow::Cow;

use serde::de::DeserializeOwned;

/// The values that are read as null.
const TOKENS: [&[u8]; 3] = [b"-Infinity", b"Infinity", b"NaN"];

/// Returns the length of the token at the start of `rest`; None where there is none.
pub fn token_len(rest: &[u8]) -> Option<usize> {
    TOKENS.iter().find(|token| rest.starts_with(token)).map(|token| token.len())
}

/// Returns whether a text may contain NaN or an infinity, by a search in its bytes.
pub fn may_contain(text: &[u8]) -> bool {
    ["NaN", "Infinity"].iter().any(|token| memchr::memmem::find(text, token.as_bytes()).is_some())
}

/// Returns the text with null for each NaN and infinity outside of strings, and how many there were; None where there
/// is none.
pub fn with_nulls(text: &str) -> Option<(String, usize)> {
    with_replacements(text, |_| "null")
}

/// Returns the text with a replacement for each NaN and infinity outside of strings, and how many there were; None
/// where there is none.
pub(crate) fn with_replacements(
    text: &str,
    replacement: fn(&str) -> &'static str,
) -> Option<(String, usize)> {
    if !may_contain(text.as_bytes()) {
        return None;
    }
    let bytes = text.as_bytes();
    let (mut out, mut count, mut done, mut at) = (String::with_capacity(text.len()), 0, 0, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => at = end_of_string(bytes, at),
            b'-' | b'I' | b'N' => match token_len(&bytes[at..]) {
                Some(len) => {
                    out.push_str(&text[done..at]);
                    out.push_str(replacement(&text[at..at + len]));
                    (count, at) = (count + 1, at + len);
                    done = at;
                }
                None => at += 1,
            },
            _ => at += 1,
        }
    }
    out.push_str(&text[done..]);
    (count > 0).then_some((out, count))
}

/// Returns the place after the string that begins at `at`.
pub(crate) fn end_of_string(bytes: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

/// Reads a document; the second value is the number of its values that are NaN or Infinity, which are null in it.
///
/// # Errors
///
/// Returns serde's error for a text that is no JSON otherwise.
pub fn read_json<T: DeserializeOwned>(text: &[u8]) -> serde_json::Result<(T, usize)> {
    let why = match serde_json::from_slice(text) {
        Ok(value) => return Ok((value, 0)),
        Err(why) => why,
    };
    let cleaned = std::str::from_utf8(text).ok().and_then(with_nulls);
    let read = cleaned.and_then(|(text, count)| Some((serde_json::from_str(&text).ok()?, count)));
    read.ok_or(why)
}

/// Returns the text as JSON: with null for each value that is no number.
pub fn readable_json(text: &str) -> Cow<'_, str> {
    with_nulls(text).map_or(Cow::Borrowed(text), |(text, _)| Cow::Owned(text))
}

/// Returns the words of a warning for so many values.
pub fn warning_text(count: usize) -> String {
    let values = if count == 1 { "value is" } else { "values are" };
    format!("{count} {values} NaN or Infinity: read as null")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn a_value_that_is_no_number_is_null_and_words_stay_words() {
        let text =
            r#"{"a": NaN, "b": [Infinity, -Infinity, -1], "c": "NaN, \"Infinity\" \\", "NaN": 1}"#;

        let (value, count) = read_json::<Value>(text.as_bytes()).unwrap();

        let expected =
            json!({ "a": null, "b": [null, null, -1], "c": "NaN, \"Infinity\" \\", "NaN": 1 });
        assert_eq!((value, count), (expected, 3));
    }

    #[test]
    fn what_is_no_json_for_another_reason_says_so() {
        assert!(read_json::<Value>(b"{\"a\": NaN").is_err());
        assert!(read_json::<Value>(b"{\"a\": NaNs}").is_err());
        assert_eq!(read_json::<Value>(b"[1]").unwrap(), (json!([1]), 0));
    }

    proptest::proptest! {
        #[test]
        fn whatever_the_text_it_is_looked_through(text in "[NaInfty\"\\\\{}:, -]{0,40}") {
            let _ = with_nulls(&text);
        }
    }
}
