//! Reads the head of a file as JSON, though it may be cut off, to recognise its format.

use std::{cell::RefCell, rc::Rc};

use super::{
    FileHead,
    claude::text::lossy_text,
    json_object::JsonObject,
    jsonl,
    tape::{JsonTape, StoredTape, TapeValue},
};
use trajview_run::SourceId;

/// The number of lines at the start of a file that are examined.
const MAX_HEAD_LINES: usize = 24;

/// Returns whether one of the objects at the start of a file passes the test: the first lines of a log, a document itself,
/// or the first elements of a list. All of `needles` must occur somewhere in the head.
pub fn any_object(
    head: &FileHead<'_>,
    needles: &[&str],
    is: impl Fn(&JsonObject<'_>) -> bool,
) -> bool {
    let visit = || {
        let mut found = false;
        visit_objects(head, &mut |object| {
            found |= is(object);
            !found
        });
        found
    };
    passes_both(head, needles, visit)
}

/// Returns whether all the objects at the start of a file, one at least, pass the test. All of `needles` must occur
/// somewhere in the head.
pub fn all_objects(
    head: &FileHead<'_>,
    needles: &[&str],
    is: impl Fn(&JsonObject<'_>) -> bool,
) -> bool {
    let visit = || {
        let (mut count, mut fits) = (0, true);
        visit_objects(head, &mut |object| {
            count += 1;
            fits &= is(object);
            fits
        });
        count > 0 && fits
    };
    passes_both(head, needles, visit)
}

/// Returns whether a head has all of `needles`, and `visit` returns true. What costs less comes first: a head that was not
/// parsed yet is searched, and parsed only where it has the needles.
fn passes_both(head: &FileHead<'_>, needles: &[&str], visit: impl Fn() -> bool) -> bool {
    let has = |needle: &&str| memchr::memmem::find(head.bytes, needle.as_bytes()).is_some();
    match shared_texts(head.bytes) {
        Some(_) => visit() && needles.iter().all(has),
        None => needles.iter().all(has) && visit(),
    }
}

thread_local! {
    /// The head that [`with_shared_parse`] is called for on this thread.
    static SHARED_HEAD: RefCell<Option<SharedHead>> = const { RefCell::new(None) };
}

struct SharedHead {
    /// Where the bytes of the head begin, and their number: the head is borrowed for as long as it is shared.
    bytes: (*const u8, usize),
    texts: Rc<[StoredTape]>,
}

/// Calls `work`, during which this head is parsed once, however many formats look at it. A call for another head within
/// `work` ends the sharing, which costs time and nothing else.
pub(crate) fn with_shared_parse<T>(head: &FileHead<'_>, work: impl FnOnce() -> T) -> T {
    struct EndOnDrop;
    impl Drop for EndOnDrop {
        fn drop(&mut self) {
            SHARED_HEAD.set(None);
        }
    }
    let mut texts = vec![];
    parse_texts(head.bytes, &mut |tape| {
        texts.push(tape.to_stored());
        true
    });
    let bytes = (head.bytes.as_ptr(), head.bytes.len());
    SHARED_HEAD.set(Some(SharedHead { bytes, texts: texts.into() }));
    let _end = EndOnDrop;
    work()
}

fn shared_texts(bytes: &[u8]) -> Option<Rc<[StoredTape]>> {
    SHARED_HEAD.with_borrow(|shared| {
        let shared = shared.as_ref()?;
        (shared.bytes == (bytes.as_ptr(), bytes.len())).then(|| Rc::clone(&shared.texts))
    })
}

/// Passes the objects at the start of a file to `take` until it returns false.
fn visit_objects(head: &FileHead<'_>, take: &mut dyn FnMut(&JsonObject<'_>) -> bool) {
    match shared_texts(head.bytes) {
        Some(texts) => {
            let _ = texts.iter().all(|text| visit_value(text.as_tape().root(), take));
        }
        None => parse_texts(head.bytes, &mut |tape| visit_value(tape.root(), take)),
    }
}

/// Parses the first lines of a log, or the document, and passes each to `take` until it returns false.
fn parse_texts(bytes: &[u8], take: &mut dyn FnMut(&JsonTape<'_>) -> bool) {
    let lines = jsonl::lines_of_file(SourceId(0), bytes).take(MAX_HEAD_LINES);
    for (at, (_, line)) in lines.enumerate() {
        let text = lossy_text(line);
        let Some(tape) = JsonTape::parse(text.trim()) else {
            if at == 0 {
                parse_document(bytes, take);
            }
            return;
        };
        if !take(&tape) {
            return;
        }
    }
}

fn parse_document(bytes: &[u8], take: &mut dyn FnMut(&JsonTape<'_>) -> bool) {
    let text = lossy_text(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let whole = Some(text.trim()).filter(|text| text.ends_with(['}', ']']));
    if let Some(tape) = whole.and_then(JsonTape::parse) {
        take(&tape);
    } else if let Some(tape) = JsonTape::parse(close_json(&text).trim()) {
        take(&tape);
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
    fn a_head_that_is_parsed_once_for_all_formats_is_read_as_by_each_alone() {
        let log = "{\"a\": 1}\n{\"b\": [2]}\nno json\n{\"c\": 3}\n";
        let document = "{\n  \"a\": 1,\n  \"b\": [1, 2";
        let list = "[{\"a\": 1}, {\"c\": 2}]";
        for text in [log, document, list, "plain text", ""] {
            let head = FileHead { name: "x", bytes: text.as_bytes(), is_whole: true };
            let other = FileHead { name: "y", bytes: b"{\"d\": 4}", is_whole: true };
            let has = |head: &FileHead<'_>| {
                ["a", "b", "c", "d"].map(|key| any_object(head, &[], |it| it.has_field(key)))
            };
            let alone = has(&head);

            let (shared, within) = with_shared_parse(&head, || (has(&head), has(&other)));

            assert_eq!(shared, alone, "{text}");
            assert_eq!(within, has(&other), "another head is read as well");
            assert!(shared_texts(head.bytes).is_none(), "nothing is kept");
        }
    }

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
