//! Reads the head of a file as JSON, though it may be cut off, to recognise its format.

use super::{
    FileHead,
    claude::text::lossy_text,
    json_object::JsonObject,
    jsonl,
    tape::{JsonTape, TapeValue},
};
use trajview_run::SourceId;

/// The number of lines at the start of a file that are examined.
const MAX_HEAD_LINES: usize = 24;

/// Returns whether one of the objects at the start of a file passes the test: the first lines of a log, a document itself,
/// or the first elements of a list. Nothing is parsed unless all of `needles` occur somewhere in the head.
pub fn any_object(
    head: &FileHead<'_>,
    needles: &[&str],
    is: impl Fn(&JsonObject<'_>) -> bool,
) -> bool {
    if !needles.iter().all(|needle| memchr::memmem::find(head.bytes, needle.as_bytes()).is_some()) {
        return false;
    }
    let mut found = false;
    visit_objects(head, &mut |object| {
        found |= is(object);
        !found
    });
    found
}

/// Returns whether all the objects at the start of a file, one at least, pass the test.
pub fn all_objects(
    head: &FileHead<'_>,
    needles: &[&str],
    is: impl Fn(&JsonObject<'_>) -> bool,
) -> bool {
    let (mut count, mut fits) = (0, true);
    let has = |needle: &&str| memchr::memmem::find(head.bytes, needle.as_bytes()).is_some();
    if needles.iter().all(has) {
        visit_objects(head, &mut |object| {
            count += 1;
            fits &= is(object);
            fits
        });
    }
    count > 0 && fits
}

/// Passes the objects at the start of a file to `take` until it returns false.
fn visit_objects(head: &FileHead<'_>, take: &mut dyn FnMut(&JsonObject<'_>) -> bool) {
    let lines = jsonl::lines_of_file(SourceId(0), head.bytes).take(MAX_HEAD_LINES);
    for (at, (_, line)) in lines.enumerate() {
        let text = lossy_text(line);
        let Some(tape) = JsonTape::parse(text.trim()) else {
            if at == 0 {
                visit_document(head.bytes, take);
            }
            return;
        };
        if !visit_value(tape.root(), take) {
            return;
        }
    }
}

fn visit_document(bytes: &[u8], take: &mut dyn FnMut(&JsonObject<'_>) -> bool) {
    let text = close_json(&lossy_text(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)));
    if let Some(tape) = JsonTape::parse(text.trim()) {
        visit_value(tape.root(), take);
    }
}

fn visit_value(value: TapeValue<'_>, take: &mut dyn FnMut(&JsonObject<'_>) -> bool) -> bool {
    if value.is_list() {
        return value
            .elements()
            .take(8)
            .filter_map(JsonObject::from_value)
            .all(|object| take(&object));
    }
    JsonObject::from_value(value).is_none_or(|object| take(&object))
}

/// Returns a JSON text that may be cut off, up to its last value, with every open string, list and object closed. A string
/// that is itself cut off ends at the cut, or before the escapes at the cut.
fn close_json(text: &str) -> String {
    let mut open: Vec<u8> = vec![];
    let mut safe = (0, 0);
    let (mut in_string, mut is_escaped, mut is_key) = (false, false, false);
    // Where the latest escapes that follow each other begin and end.
    let mut escapes = (0, 0);
    for (at, byte) in text.bytes().enumerate() {
        if in_string {
            match byte {
                _ if is_escaped => {
                    is_escaped = false;
                    escapes.1 = at + if byte == b'u' { 5 } else { 1 };
                }
                b'\\' => {
                    is_escaped = true;
                    if escapes.1 != at {
                        escapes.0 = at;
                    }
                    escapes.1 = text.len() + 1;
                }
                b'"' => {
                    in_string = false;
                    if !is_key {
                        safe = (at + 1, open.len());
                    }
                }
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => {
                open.push(byte);
                is_key = byte == b'{';
                safe = (at + 1, open.len());
            }
            b'}' | b']' => {
                open.pop();
                is_key = false;
                safe = (at + 1, open.len());
                if open.is_empty() {
                    break;
                }
            }
            b':' => is_key = false,
            b',' => {
                if safe.0 != at || safe.1 != open.len() {
                    safe = (at, open.len());
                }
                is_key = open.last() == Some(&b'{');
            }
            _ => {}
        }
    }
    let mut text = if in_string && !is_key {
        let end = if escapes.1 >= text.len() { escapes.0 } else { text.len() };
        text[..end].to_owned() + "\""
    } else {
        let (end, depth) = safe;
        open.truncate(depth);
        text[..end].to_owned()
    };
    text.extend(open.iter().rev().map(|byte| if *byte == b'{' { '}' } else { ']' }));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wherever_a_document_is_cut_its_beginning_is_json() {
        let whole = r#"{"a": "x\"y\ud83d\ude00\\", "list": [1, {"b": null, "c": [true, "é"]}], "last": 3.5}"#;
        for end in (1..=whole.len()).filter(|end| whole.is_char_boundary(*end)) {
            let text = close_json(&whole[..end]);
            assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{text}");
        }
        assert_eq!(close_json(whole), whole);
        assert_eq!(close_json(r#"{"a": "x", "b": [1, "tw"#), r#"{"a": "x", "b": [1, "tw"]}"#);
        assert_eq!(close_json(r#"{"a": "x", "ke"#), r#"{"a": "x"}"#);
        assert_eq!(close_json(r#"["\ud83d\ude"#), r#"[""]"#);
    }
}
