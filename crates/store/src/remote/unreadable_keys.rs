//! Keys that cannot be paths: with an empty part, `.`, `..` or a control character in them.
//!
//! A store allows them, and one of them would make the whole page of a list unreadable. They are taken out of it before
//! it is read, and counted; what they name is not to be opened by any path.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of keys that were left out so far.
static LEFT_OUT: AtomicUsize = AtomicUsize::new(0);

/// Returns how many keys were left out since the last call.
pub fn left_out() -> usize {
    LEFT_OUT.swap(0, Ordering::Relaxed)
}

/// Returns whether a query asks for a list: that of S3 and Google, or that of Azure.
pub fn is_list(query: &str) -> bool {
    query.split('&').any(|part| part == "list-type=2" || part == "comp=list")
}

/// The element of an object in a list, and the element of its name.
const ENTRIES: [(&str, &str); 2] = [("Contents", "Key"), ("Blob", "Name")];

/// Returns the page of a list without the objects whose keys cannot be paths. What is no list, or has none of them,
/// stays as it is.
pub(crate) fn without_unreadable(page: Vec<u8>) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(&page) else { return page };
    // Some lists have characters that XML cannot express.
    let readable = match roxmltree::Document::parse(text) {
        Ok(document) => without_ranges(text, &unreadable_objects(&document)),
        Err(_) => {
            let readable = without_ranges(text, &unreadable_in_text(text)).unwrap_or_default();
            let ranges = roxmltree::Document::parse(&readable).map(|it| unreadable_objects(&it));
            let ranges = ranges.unwrap_or_default();
            without_ranges(&readable, &ranges).or(Some(readable))
        }
    };
    match readable {
        Some(readable) if !readable.is_empty() => readable.into_bytes(),
        _ => page,
    }
}

/// Returns the text without some of it; None where nothing is to be cut.
fn without_ranges(text: &str, taken: &[std::ops::Range<usize>]) -> Option<String> {
    if taken.is_empty() {
        return None;
    }
    LEFT_OUT.fetch_add(taken.len(), Ordering::Relaxed);
    let (mut left, mut from) = (String::with_capacity(text.len()), 0);
    for range in taken {
        left.push_str(&text[from..range.start]);
        from = range.end;
    }
    left.push_str(&text[from..]);
    Some(left)
}

/// Returns the ranges of the text of objects whose keys cannot be paths, in order.
fn unreadable_objects(document: &roxmltree::Document<'_>) -> Vec<std::ops::Range<usize>> {
    let mut ranges = vec![];
    for node in document.descendants() {
        let name = node.tag_name().name();
        let Some((_, named)) = ENTRIES.iter().find(|(entry, _)| *entry == name) else { continue };
        let key = node.children().find(|child| child.tag_name().name() == *named);
        if key.and_then(|key| key.text()).is_none_or(|key| !is_readable(key)) {
            ranges.push(node.range());
        }
    }
    ranges
}

/// Works as [`unreadable_objects`], of a text that is no XML for the characters that it has.
fn unreadable_in_text(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut ranges = vec![];
    for (entry, _) in ENTRIES {
        let (open, close) = (format!("<{entry}>"), format!("</{entry}>"));
        let mut at = 0;
        while let Some(start) = text[at..].find(&open).map(|start| at + start) {
            let Some(end) = text[start..].find(&close) else { break };
            let end = start + end + close.len();
            let is_bad = |it: char| it.is_control() && !matches!(it, '\n' | '\r' | '\t');
            let is_escaped = |number: &str| {
                let number = number.split(';').next().unwrap_or_default();
                let code = match number.strip_prefix('x') {
                    Some(hex) => u32::from_str_radix(hex, 16),
                    None => number.parse(),
                };
                code.ok().is_none_or(|code| char::from_u32(code).is_none_or(char::is_control))
            };
            let object = &text[start..end];
            if object.contains(is_bad) || object.split("&#").skip(1).any(is_escaped) {
                ranges.push(start..end);
            }
            at = end;
        }
    }
    ranges
}

/// Returns whether a key can be a path. One slash at its end is that of a mark for a folder.
fn is_readable(key: &str) -> bool {
    let key = key.strip_suffix('/').unwrap_or(key);
    !key.is_empty()
        && !key.chars().any(char::is_control)
        && key.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list_page(keys: &[&str]) -> String {
        let one = |key: &&str| format!("<Contents><Key>{key}</Key><Size>1</Size></Contents>");
        let all: String = keys.iter().map(one).collect();
        format!("<ListBucketResult><Name>b</Name>{all}<KeyCount>9</KeyCount></ListBucketResult>")
    }

    fn keys_left(keys: &[&str]) -> String {
        String::from_utf8(without_unreadable(list_page(keys).into_bytes())).unwrap()
    }

    #[test]
    fn keys_that_cannot_be_paths_are_taken_out_of_a_list() {
        let keys =
            ["a.jsonl", "../up", "a//b", "/absolute", "x/./y", "runs/", "a/&#10;b", "s &amp; t"];

        assert_eq!(keys_left(&keys), list_page(&["a.jsonl", "runs/", "s &amp; t"]));
    }

    #[test]
    fn characters_that_xml_does_not_have_take_only_their_object_with_them() {
        assert_eq!(keys_left(&["a", "b\u{1b}[31m", "c"]), list_page(&["a", "c"]));
        assert_eq!(keys_left(&["a", "b&#x1b;", "c"]), list_page(&["a", "c"]));
    }

    #[test]
    fn a_list_of_azure_is_read_too() {
        let blob = |name: &str| format!("<Blob><Name>{name}</Name></Blob>");
        let page = |blobs: &str| {
            format!("<EnumerationResults><Blobs>{blobs}</Blobs></EnumerationResults>")
        };
        let all = page(&(blob("a") + &blob("../b")));

        assert_eq!(without_unreadable(all.into_bytes()), page(&blob("a")).into_bytes());
    }

    #[test]
    fn what_is_no_list_stays_as_it_is() {
        assert_eq!(without_unreadable(b"\xff\xfe".to_vec()), b"\xff\xfe");
        assert!(is_list("list-type=2&prefix=a") && is_list("restype=container&comp=list"));
        assert!(!is_list("x-id=GetObject"));
    }

    #[test]
    fn a_page_nested_a_hundred_thousand_deep_is_read_on_any_stack() {
        let page = "<a>".repeat(100_000) + &"</a>".repeat(100_000);
        let read = std::thread::Builder::new().stack_size(256 << 10);
        let read = read.spawn(move || without_unreadable(page.into_bytes()).len()).unwrap();
        assert_eq!(read.join().unwrap(), 700_000);
    }
}
