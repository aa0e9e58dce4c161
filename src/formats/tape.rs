//! One JSON text, read once: where its values stand.
//!
//! An index wants few of a record's values, and most of a record is a few long strings. [`Tape::read`] goes over the
//! text one time, checks all of it, and writes down where each value begins and ends; of a string also how many
//! escapes and line ends it has, so that it need not be read again to be measured. What is asked for later is found
//! without another look at what is skipped.
//!
//! What is JSON is what serde says: a property test holds the two against each other, and [`why_not`] lets serde tell
//! what is wrong. Strings are not decoded here, and half a surrogate pair is no mistake.

use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Values nested deeper than this are checked and can be had as text, but not looked into.
const DEPTH: usize = 24;

/// More values than this in one record are not read: a record is no bigger in memory than some times its own size.
const MOST_VALUES: usize = 1 << 22;

/// A JSON text and where its values stand.
#[derive(Debug)]
pub struct Tape<'a> {
    text: &'a str,
    nodes: Vec<Node>,
}

/// One value; the first byte of its text says what it is.
#[derive(Debug, Clone, Copy)]
struct Node {
    start: u32,
    end: u32,
    /// Of a list or an object: the node after all that is in it. Of a string: the line ends in it.
    next: u32,
    /// Of a string: its escapes of two characters, and the two marks below.
    escapes: u32,
}

/// A string has escapes by number.
const HAS_NUMBERS: u32 = 1 << 31;
/// A string ends with a line end.
const ENDS_A_LINE: u32 = 1 << 30;

impl<'a> Tape<'a> {
    /// None where the text is not one JSON value with white space around it, or too much for one record.
    pub fn read(text: &'a str) -> Option<Self> {
        u32::try_from(text.len()).ok()?;
        let nodes = Vec::with_capacity((text.len() / 128).clamp(16, 1024));
        let mut reader = Reader { bytes: text.as_bytes(), at: 0, nodes, open: vec![] };
        reader.all()?;
        Some(Self { text, nodes: reader.nodes })
    }

    /// The one value of the text.
    pub const fn root(&self) -> Value<'_> {
        Value { tape: self, at: 0 }
    }
}

/// Why a text is not an object, as serde says it.
pub fn why_not(text: &str) -> serde_json::Error {
    match serde_json::from_str::<AnyObject>(text) {
        Err(why) => why,
        Ok(AnyObject) => Error::custom("more values than are read of one record"),
    }
}

struct AnyObject;

impl<'de> serde::Deserialize<'de> for AnyObject {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = AnyObject;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<AnyObject, M::Error> {
                while map.next_entry::<IgnoredAny, &RawValue>()?.is_some() {}
                Ok(AnyObject)
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// A value of a tape.
#[derive(Debug, Clone, Copy)]
pub struct Value<'t> {
    tape: &'t Tape<'t>,
    at: u32,
}

/// What stands between the quotes of a string, escapes and all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inside<'t> {
    pub text: &'t str,
    /// Escapes of two characters, `\n` and the like.
    pub letters: u32,
    /// Whether there are escapes by number, `\u0020`.
    pub has_numbers: bool,
    /// How many of the escapes are `\n`.
    pub line_ends: u32,
    /// Whether the last one is at the end.
    pub ends_a_line: bool,
}

impl<'t> Value<'t> {
    fn node(self) -> Option<&'t Node> {
        self.tape.nodes.get(self.at as usize)
    }

    /// As it is written.
    pub fn get(self) -> &'t str {
        let node = self.node();
        node.and_then(|node| self.tape.text.get(node.start as usize..node.end as usize))
            .unwrap_or_default()
    }

    fn first(self) -> u8 {
        let start = self.node().map(|node| node.start as usize);
        start.and_then(|start| self.tape.text.as_bytes().get(start)).copied().unwrap_or_default()
    }

    pub fn is_null(self) -> bool {
        self.first() == b'n'
    }

    pub fn is_string(self) -> bool {
        self.first() == b'"'
    }

    pub fn is_list(self) -> bool {
        self.first() == b'['
    }

    pub fn is_object(self) -> bool {
        self.first() == b'{'
    }

    pub fn is_number(self) -> bool {
        matches!(self.first(), b'-' | b'0'..=b'9')
    }

    /// None where the value is no string.
    pub fn inside(self) -> Option<Inside<'t>> {
        let node = self.node().filter(|_| self.is_string())?;
        Some(Inside {
            text: self.tape.text.get(node.start as usize + 1..node.end as usize - 1)?,
            letters: node.escapes & !(HAS_NUMBERS | ENDS_A_LINE),
            has_numbers: node.escapes & HAS_NUMBERS != 0,
            line_ends: node.next,
            ends_a_line: node.escapes & ENDS_A_LINE != 0,
        })
    }

    /// The elements of a list; none of anything else.
    pub fn elements(self) -> Children<'t> {
        if self.is_list() { self.children() } else { Children { at: 0, end: 0, ..self.children() } }
    }

    /// Keys and values of an object in the order of the text; none of anything else.
    pub fn fields(self) -> impl Iterator<Item = (Inside<'t>, Value<'t>)> {
        let mut children = self.children();
        if !self.is_object() {
            children.end = children.at;
        }
        std::iter::from_fn(move || Some((children.next()?.inside()?, children.next()?)))
    }

    fn children(self) -> Children<'t> {
        let end = self.node().map_or(0, |node| node.next);
        Children { tape: self.tape, at: self.at + 1, end }
    }

    /// The position after it and all that is in it.
    fn after(self) -> u32 {
        match self.node() {
            Some(node) if matches!(self.first(), b'[' | b'{') => node.next.max(self.at + 1),
            _ => self.at + 1,
        }
    }
}

/// Values that stand next to each other.
#[derive(Debug, Clone)]
pub struct Children<'t> {
    tape: &'t Tape<'t>,
    at: u32,
    end: u32,
}

impl<'t> Iterator for Children<'t> {
    type Item = Value<'t>;

    fn next(&mut self) -> Option<Value<'t>> {
        let value = Value { tape: self.tape, at: self.at };
        if self.at >= self.end {
            return None;
        }
        self.at = value.after();
        Some(value)
    }
}

impl Inside<'_> {
    pub const fn has_escapes(&self) -> bool {
        self.has_numbers || self.letters > 0
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    nodes: Vec<Node>,
    /// The lists and objects around: positions of their nodes, or one of the two below.
    open: Vec<u32>,
}

/// A list or an object too deep to have a node for each of its values.
const DEEP_LIST: u32 = u32::MAX;
const DEEP_OBJECT: u32 = u32::MAX - 1;

impl Reader<'_> {
    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or_default()
    }

    fn space(&mut self) {
        while matches!(self.peek(), b' ' | b'\n' | b'\t' | b'\r') {
            self.at += 1;
        }
    }

    fn all(&mut self) -> Option<()> {
        loop {
            self.space();
            let is_whole = match self.peek() {
                b'{' => self.open(DEEP_OBJECT, b'}')?,
                b'[' => self.open(DEEP_LIST, b']')?,
                b'"' => self.string().map(|()| true)?,
                _ => self.scalar().map(|()| true)?,
            };
            if is_whole && !self.goes_on()? {
                self.space();
                return (self.at == self.bytes.len()).then_some(());
            }
        }
    }

    /// Whether nothing is in it.
    fn open(&mut self, deep: u32, end: u8) -> Option<bool> {
        let node = self.push(self.at, self.at)?;
        self.open.push(if self.open.len() < DEPTH { node } else { deep });
        self.at += 1;
        self.space();
        if self.peek() == end {
            return Some(true);
        }
        if end == b'}' {
            self.key()?;
        }
        Some(false)
    }

    /// After a value: closes what ends here. Whether another value follows.
    fn goes_on(&mut self) -> Option<bool> {
        while let Some(&open) = self.open.last() {
            self.space();
            let is_object = match open {
                DEEP_OBJECT => true,
                DEEP_LIST => false,
                node => {
                    self.bytes.get(self.nodes.get(node as usize)?.start as usize) == Some(&b'{')
                }
            };
            match (self.peek(), is_object) {
                (b',', false) => {
                    self.at += 1;
                    return Some(true);
                }
                (b',', true) => {
                    self.at += 1;
                    self.space();
                    self.key()?;
                    return Some(true);
                }
                (b'}', true) | (b']', false) => {
                    self.at += 1;
                    self.close(open);
                }
                _ => return None,
            }
        }
        Some(false)
    }

    fn close(&mut self, open: u32) {
        self.open.pop();
        let next = self.nodes.len() as u32;
        let end = self.at as u32;
        // What is too deep to be closed by itself ends with the innermost value that has a node.
        if let Some(node) = self.nodes.get_mut(open as usize) {
            (node.end, node.next) = (end, next);
        } else if self.open.len() == DEPTH
            && let Some(last) = self.nodes.last_mut()
        {
            (last.end, last.next) = (end, next);
        }
    }

    fn key(&mut self) -> Option<()> {
        if self.peek() != b'"' {
            return None;
        }
        self.string()?;
        self.space();
        let has_colon = self.peek() == b':';
        self.at += 1;
        has_colon.then_some(())
    }

    /// The position of the new node; that of none where it would be too deep.
    fn push(&mut self, start: usize, end: usize) -> Option<u32> {
        let at = self.nodes.len();
        if self.open.len() <= DEPTH {
            if at >= MOST_VALUES {
                return None;
            }
            let (start, end) = (start as u32, end as u32);
            self.nodes.push(Node { start, end, next: at as u32 + 1, escapes: 0 });
        }
        Some(at as u32)
    }

    fn string(&mut self) -> Option<()> {
        let start = self.at;
        let (mut escapes, mut line_ends, mut last_line_end) = (0u32, 0u32, 0);
        let mut has_numbers = false;
        let mut specials = Specials::from(self.bytes, start + 1);
        let end = loop {
            let at = specials.next()?;
            match self.bytes[at] {
                b'"' => break at,
                b'\\' => {}
                _ => return None,
            }
            let escape = *self.bytes.get(at + 1)?;
            if escape == b'u' {
                let digits = self.bytes.get(at + 2..at + 6)?;
                if !digits.iter().all(u8::is_ascii_hexdigit) {
                    return None;
                }
                has_numbers = true;
                specials.go_to(at + 6);
                continue;
            }
            if !matches!(escape, b'n' | b't' | b'"' | b'\\' | b'r' | b'/' | b'b' | b'f') {
                return None;
            }
            escapes += 1;
            if escape == b'n' {
                line_ends += 1;
                last_line_end = at + 2;
            }
            specials.go_to(at + 2);
        };
        self.at = end + 1;
        let node = self.push(start, self.at)? as usize;
        if let Some(node) = self.nodes.get_mut(node) {
            node.next = line_ends;
            node.escapes = escapes.min(ENDS_A_LINE - 1)
                | if has_numbers { HAS_NUMBERS } else { 0 }
                | if last_line_end == end { ENDS_A_LINE } else { 0 };
        }
        Some(())
    }

    fn scalar(&mut self) -> Option<()> {
        let start = self.at;
        let rest = self.bytes.get(start..)?;
        let len = match rest.first()? {
            b't' if rest.starts_with(b"true") => 4,
            b'f' if rest.starts_with(b"false") => 5,
            b'n' if rest.starts_with(b"null") => 4,
            b'-' | b'0'..=b'9' => number(rest)?,
            _ => return None,
        };
        self.at += len;
        self.push(start, self.at).map(|_| ())
    }
}

/// The length of the number that `text` begins with.
fn number(text: &[u8]) -> Option<usize> {
    let digits = |from: usize| {
        let rest = text.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let start = usize::from(text.first() == Some(&b'-'));
    let mut at = digits(start);
    let has_leading_zero = text.get(start) == Some(&b'0') && at > start + 1;
    if at == start || has_leading_zero {
        return None;
    }
    if text.get(at) == Some(&b'.') {
        let end = digits(at + 1);
        if end == at + 1 {
            return None;
        }
        at = end;
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        let first = at + 1 + usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
        let end = digits(first);
        if end == first {
            return None;
        }
        at = end;
    }
    Some(at)
}

/// The bytes that mean something within a string: quotes, backslashes, and those that may not stand there. Found for
/// 64 bytes at a time, as they are some tens of bytes apart as a rule.
struct Specials<'a> {
    bytes: &'a [u8],
    /// Where the 64 bytes begin.
    at: usize,
    /// One bit a byte, those passed taken out.
    found: u64,
}

impl<'a> Specials<'a> {
    fn from(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, found: found_in(bytes, at) }
    }

    /// None where there is none any more.
    fn next(&mut self) -> Option<usize> {
        while self.found == 0 {
            self.at += 64;
            if self.at >= self.bytes.len() {
                return None;
            }
            self.found = found_in(self.bytes, self.at);
        }
        let at = self.at + self.found.trailing_zeros() as usize;
        (at < self.bytes.len()).then_some(at)
    }

    /// Passes what is before `at`.
    fn go_to(&mut self, at: usize) {
        match at - self.at {
            passed @ 0..64 => self.found &= u64::MAX << passed,
            _ => *self = Self::from(self.bytes, at),
        }
    }
}

fn found_in(bytes: &[u8], at: usize) -> u64 {
    if let Some(Ok(all)) = bytes.get(at..at + 64).map(<&[u8; 64]>::try_from) {
        return specials_of(all);
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let mut all = [b' '; 64];
    all[..rest.len()].copy_from_slice(rest);
    specials_of(&all)
}

fn specials_of(bytes: &[u8; 64]) -> u64 {
    let (parts, _) = bytes.as_chunks::<16>();
    parts.iter().rev().fold(0, |found, part| found << 16 | u64::from(specials_of_16(part)))
}

#[cfg(target_arch = "x86_64")]
fn specials_of_16(bytes: &[u8; 16]) -> u16 {
    // SAFETY: every processor of this kind has SSE2, and nothing else is asked of it.
    unsafe { specials_by_sse2(bytes) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
fn specials_by_sse2(bytes: &[u8; 16]) -> u16 {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x,
        _mm_set1_epi8,
    };
    let both = u128::from_le_bytes(*bytes);
    let bytes = _mm_set_epi64x((both >> 64) as i64, both as i64);
    let quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'"' as i8));
    let backslashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'\\' as i8));
    let controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
    _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quotes, backslashes), controls)) as u16
}

#[cfg(not(target_arch = "x86_64"))]
fn specials_of_16(bytes: &[u8; 16]) -> u16 {
    let both = u128::from_le_bytes(*bytes);
    specials_of_8(both as u64) | specials_of_8((both >> 64) as u64) << 8
}

/// The same without instructions of a particular processor.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn specials_of_8(word: u64) -> u16 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const LOW: u64 = ONES * 0x7f;
    // The high bit of each byte that is not zero, or not below a space.
    let not_zero = |word: u64| ((word & LOW) + LOW) | word;
    let quote = not_zero(word ^ (ONES * b'"' as u64));
    let backslash = not_zero(word ^ (ONES * b'\\' as u64));
    let printed = ((word & LOW) + ONES * 0x60) | word;
    let found = !(quote & backslash & printed) & !LOW;
    ((found >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_json(text: &str) -> bool {
        serde_json::from_str::<&RawValue>(text).is_ok()
    }

    /// Every value of the tape is the value that serde reads there.
    fn same(value: Value<'_>, theirs: &RawValue) {
        assert_eq!(value.get(), theirs.get());
        if value.is_list() {
            let elements: Vec<&RawValue> = serde_json::from_str(theirs.get()).unwrap();
            assert_eq!(value.elements().count(), elements.len());
            value.elements().zip(elements).for_each(|(ours, theirs)| same(ours, theirs));
        }
        if value.is_object() {
            let ours: Vec<(String, &str)> = value
                .fields()
                .map(|(key, value)| (format!("\"{}\"", key.text), value.get()))
                .collect();
            let theirs: Pairs<'_> = serde_json::from_str(theirs.get()).unwrap();
            assert_eq!(ours, theirs.0);
            for (_, field) in value.fields() {
                same(field, serde_json::from_str(field.get()).unwrap());
            }
        }
        if let Some(inside) = value.inside()
            && let Ok(text) = serde_json::from_str::<String>(theirs.get())
        {
            let by_number = inside.text.matches("\\u").count();
            assert_eq!(inside.has_escapes(), inside.text != text);
            if by_number == 0 {
                assert_eq!(inside.text.len() - inside.letters as usize, text.len());
                assert_eq!(inside.line_ends as usize, text.matches('\n').count());
                assert_eq!(inside.ends_a_line, text.ends_with('\n'));
            }
        }
    }

    struct Pairs<'a>(Vec<(String, &'a str)>);

    impl<'de: 'a, 'a> serde::Deserialize<'de> for Pairs<'a> {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct All;
            impl<'de> Visitor<'de> for All {
                type Value = Vec<(String, &'de str)>;

                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("an object")
                }

                fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                    let mut pairs = vec![];
                    while let Some(key) = map.next_key::<String>()? {
                        let key = serde_json::to_string(&key).unwrap_or_default();
                        pairs.push((key, map.next_value::<&RawValue>()?.get()));
                    }
                    Ok(pairs)
                }
            }
            deserializer.deserialize_map(All).map(Self)
        }
    }

    fn json() -> impl proptest::strategy::Strategy<Value = String> {
        use proptest::prelude::*;
        let scalar = prop_oneof![
            Just("null".to_owned()),
            Just("true".to_owned()),
            "-?(0|[1-9][0-9]{0,3})(\\.[0-9]{1,2})?([eE][+-]?[0-9]{1,2})?",
            r#""([a-z é😀,:\{\}\[\]]|\\[nrtbf"/\\]|\\u[0-9a-f]{4}){0,24}""#,
        ];
        scalar.prop_recursive(5, 60, 6, |inner| {
            let list = prop::collection::vec(inner.clone(), 0..6)
                .prop_map(|all| format!("[ {}]", all.join(" ,")));
            let field =
                ("[a-z]{0,3}", inner).prop_map(|(key, value)| format!("\"{key}\" : {value}"));
            let object = prop::collection::vec(field, 0..6)
                .prop_map(|all| format!("{{{} }}", all.join(", ")));
            prop_oneof![list, object]
        })
    }

    proptest::proptest! {
        #[test]
        fn of_whatever_document_the_values_are_those_serde_finds(text in json()) {
            let tape = Tape::read(&text).unwrap();
            same(tape.root(), serde_json::from_str(&text).unwrap());
        }

        #[test]
        fn whatever_the_text_it_is_json_exactly_where_serde_says_so(
            text in r#"([\[\]\{\}:, \t]|"|"[a\\n]{0,9}"|-|[0-9.eE+]{1,3}|true|nul|null|\\u00|\\|\x01|é){0,14}"#,
        ) {
            proptest::prop_assert_eq!(Tape::read(&text).is_some(), is_json(&text));
        }

        #[test]
        fn a_document_with_one_byte_changed_is_json_exactly_where_serde_says_so(
            text in json(), at in 0usize..200, byte in proptest::char::any(),
        ) {
            let mut letters: Vec<char> = text.chars().collect();
            let at = at % letters.len();
            for change in [Some(byte), Some('"'), Some('}'), Some('\\'), None] {
                match change {
                    Some(letter) => letters[at] = letter,
                    None => letters.truncate(at),
                }
                let text: String = letters.iter().collect();
                proptest::prop_assert_eq!(Tape::read(&text).is_some(), is_json(&text), "{}", text);
            }
        }

        #[test]
        fn special_bytes_are_found_one_after_the_other(
            bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200), at in 0usize..80,
        ) {
            let is_special = |at: &usize| matches!(bytes[*at], b'"' | b'\\' | 0..0x20);
            let one_by_one: Vec<usize> = (at..bytes.len()).filter(is_special).collect();
            let mut specials = Specials::from(&bytes, at);
            let found: Vec<usize> = std::iter::from_fn(|| {
                let at = specials.next()?;
                specials.go_to(at + 1);
                Some(at)
            }).collect();
            proptest::prop_assert_eq!(found, one_by_one);
        }

        #[test]
        fn without_the_processors_help_the_same_is_found(word in proptest::prelude::any::<[u8; 8]>()) {
            let mut whole = [b' '; 16];
            whole[..8].copy_from_slice(&word);
            let by_words = specials_of_8(u64::from_le_bytes(word));
            proptest::prop_assert_eq!(by_words, specials_of_16(&whole));
        }
    }

    #[test]
    fn json_as_deep_as_a_well_is_checked_and_not_looked_into() {
        for (open, close) in [("[", "]"), ("{\"k\":", "}")] {
            let deep = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
            let text = format!("{{\"x\":{deep},\"y\":[2]}}");
            let tape = Tape::read(&text).unwrap();
            let fields: Vec<_> = tape.root().fields().collect();

            assert!(tape.nodes.len() < 100);
            assert_eq!(fields[0].1.get(), deep);
            assert_eq!(fields[1].1.elements().next().map(Value::get), Some("2"));
            assert!(Tape::read(&text[..text.len() - 1]).is_none());
            let mut value = tape.root();
            for _ in 0..DEPTH {
                let inner = if value.is_list() {
                    value.elements().next()
                } else {
                    value.fields().next().map(|(_, value)| value)
                };
                value = inner.unwrap();
                assert!(is_json(value.get()));
            }
            assert!(value.elements().next().is_none() && value.fields().next().is_none());
        }
    }

    #[test]
    fn more_values_than_a_record_has_are_not_held() {
        let text = format!("{{\"x\":[{}1]}}", "1,".repeat(MOST_VALUES));

        assert!(Tape::read(&text).is_none());
        assert_eq!(why_not(&text).to_string(), "more values than are read of one record");
    }

    #[test]
    fn what_is_wrong_is_told_in_serdes_words() {
        assert_eq!(
            why_not("{\"a\":1").to_string(),
            "EOF while parsing an object at line 1 column 6"
        );
        assert!(why_not("[1]").to_string().contains("expected an object"));
    }
}
