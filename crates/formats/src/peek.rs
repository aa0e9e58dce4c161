//! The beginning of a file as JSON, though it is cut off somewhere: what a format is known by.

use super::{
    Head,
    claude::text::readable,
    jsonl,
    object::Object,
    tape::{Tape, Value},
};
use trajview_run::SourceId;

/// So many lines are looked at.
const LINES: usize = 24;

/// Whether one of the objects at the start of a file is what is looked for: of a log its first lines, of a document
/// itself, or the first elements of a list. Nothing is parsed unless all of `needles` stand somewhere in the head.
pub fn any(head: &Head<'_>, needles: &[&str], is: impl Fn(&Object<'_>) -> bool) -> bool {
    if !needles.iter().all(|needle| memchr::memmem::find(head.bytes, needle.as_bytes()).is_some()) {
        return false;
    }
    let mut found = false;
    each(head, &mut |object| {
        found |= is(object);
        !found
    });
    found
}

/// Whether all the objects at the start of a file, one at least, are what is looked for.
pub fn all(head: &Head<'_>, needles: &[&str], is: impl Fn(&Object<'_>) -> bool) -> bool {
    let (mut count, mut fits) = (0, true);
    let has = |needle: &&str| memchr::memmem::find(head.bytes, needle.as_bytes()).is_some();
    if needles.iter().all(has) {
        each(head, &mut |object| {
            count += 1;
            fits &= is(object);
            fits
        });
    }
    count > 0 && fits
}

/// The objects at the start of a file until `take` has seen enough.
fn each(head: &Head<'_>, take: &mut dyn FnMut(&Object<'_>) -> bool) {
    let lines = jsonl::lines(SourceId(0), head.bytes).take(LINES);
    for (at, (_, line)) in lines.enumerate() {
        let text = readable(line);
        let Some(tape) = Tape::read(text.trim()) else {
            if at == 0 {
                document(head.bytes, take);
            }
            return;
        };
        if !value(tape.root(), take) {
            return;
        }
    }
}

fn document(bytes: &[u8], take: &mut dyn FnMut(&Object<'_>) -> bool) {
    let text = closed(&readable(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)));
    if let Some(tape) = Tape::read(text.trim()) {
        value(tape.root(), take);
    }
}

fn value(value: Value<'_>, take: &mut dyn FnMut(&Object<'_>) -> bool) -> bool {
    if value.is_list() {
        return value.elements().take(8).filter_map(Object::of).all(|object| take(&object));
    }
    Object::of(value).is_none_or(|object| take(&object))
}

/// A JSON text that may be cut off, up to its last value, with what is open closed: a text that is itself cut off ends where
/// it is cut, or before the signs written as escapes that stand there.
fn closed(text: &str) -> String {
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
            let text = closed(&whole[..end]);
            assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{text}");
        }
        assert_eq!(closed(whole), whole);
        assert_eq!(closed(r#"{"a": "x", "b": [1, "tw"#), r#"{"a": "x", "b": [1, "tw"]}"#);
        assert_eq!(closed(r#"{"a": "x", "ke"#), r#"{"a": "x"}"#);
        assert_eq!(closed(r#"["\ud83d\ude"#), r#"[""]"#);
    }
}
