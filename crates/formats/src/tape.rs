//! One JSON text, read once, with the positions of its values.
//!
//! An index wants few of a record's values, and most of a record is a few long strings. [`JsonTape::parse`] goes over the
//! text one time, checks all of it, and writes down where each value begins and ends; of a string also how many
//! escapes and line ends it has, so that it need not be read again to be measured. A value that is needed later is found
//! without another look at what is skipped.
//!
//! A text is JSON where serde accepts it: a property test compares the two, and [`serde_error`] lets serde report
//! what is wrong. Strings are not decoded here, and half a surrogate pair is no mistake.

mod specials;

#[cfg(test)]
mod tests;

use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::not_finite;
use specials::ByteBlock;

pub use specials::Backslashes;

/// Values nested deeper than this are checked and can be had as text, but not looked into.
const MAX_DEPTH: usize = 24;

/// More values than this in one record are not read: a record is no bigger in memory than some times its own size.
const MAX_VALUES: usize = 1 << 20;

/// A JSON text and the positions of its values.
#[derive(Debug)]
pub struct JsonTape<'a> {
    text: &'a str,
    nodes: Vec<TapeNode>,
    /// The number of values that are NaN or Infinity.
    not_finite: usize,
}

/// One value; the first byte of its text is its kind.
#[derive(Debug, Clone, Copy)]
struct TapeNode {
    start: u32,
    end: u32,
    /// For a list or an object, the node after its last value; for a string, the number of line ends in it.
    next: u32,
    /// For a string, the number of its escapes of two characters, and the first two marks below; for a list or an object,
    /// the third mark.
    escapes: u32,
}

/// Marks a string that has escapes by number.
const HAS_NUMBERS: u32 = 1 << 31;
/// Marks a string that ends with a line end.
const ENDS_A_LINE: u32 = 1 << 30;
/// Marks a list or an object.
const HOLDS_OTHERS: u32 = 1 << 29;

impl<'a> JsonTape<'a> {
    /// Parses a text; None where it is not one JSON value with white space around it, or too much for one record. NaN and
    /// Infinity are values that are null.
    pub fn parse(text: &'a str) -> Option<Self> {
        u32::try_from(text.len()).ok()?;
        let strict = Self::parse_with(text, AllowedNumbers::Finite);
        strict.or_else(|| {
            let may_have = not_finite::may_contain(text.as_bytes());
            may_have.then(|| Self::parse_with(text, AllowedNumbers::Any)).flatten()
        })
    }

    fn parse_with(text: &'a str, numbers: AllowedNumbers) -> Option<Self> {
        let nodes = Vec::with_capacity((text.len() / 128).clamp(16, 1024));
        let bytes = text.as_bytes();
        let mut reader = TapeReader { bytes, at: 0, nodes, open: vec![], numbers, not_finite: 0 };
        reader.read_values()?;
        Some(Self { text, nodes: reader.nodes, not_finite: reader.not_finite })
    }

    /// Returns a copy that has its text.
    pub(crate) fn to_stored(&self) -> StoredTape {
        StoredTape {
            text: self.text.into(),
            nodes: self.nodes.clone(),
            not_finite: self.not_finite,
        }
    }

    /// Returns the number of values that are NaN or Infinity and read as null.
    pub const fn not_finite(&self) -> usize {
        self.not_finite
    }

    /// Returns the one value of the text.
    pub const fn root(&self) -> TapeValue<'_> {
        TapeValue { tape: self, at: 0 }
    }
}

/// A tape together with its text, for a text that is looked at several times.
#[derive(Debug)]
pub(crate) struct StoredTape {
    text: Box<str>,
    nodes: Vec<TapeNode>,
    not_finite: usize,
}

impl StoredTape {
    pub(crate) fn as_tape(&self) -> JsonTape<'_> {
        JsonTape { text: &self.text, nodes: self.nodes.clone(), not_finite: self.not_finite }
    }
}

/// Returns serde's reason why a text is not an object.
pub fn serde_error(text: &str) -> serde_json::Error {
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
pub struct TapeValue<'t> {
    tape: &'t JsonTape<'t>,
    at: u32,
}

/// The text between the quotes of a string, with its escapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StringContents<'t> {
    pub text: &'t str,
    /// Escapes of two characters, `\n` and the like.
    pub letters: u32,
    /// Is true where there are escapes by number, `\u0020`.
    pub has_numbers: bool,
    /// The number of escapes that are `
    /// `.
    pub line_ends: u32,
    /// Is true where a line end is at the end.
    pub ends_a_line: bool,
}

impl<'t> TapeValue<'t> {
    fn node(self) -> Option<&'t TapeNode> {
        self.tape.nodes.get(self.at as usize)
    }

    /// Returns the value as it is written.
    pub fn get(self) -> &'t str {
        let node = self.node();
        node.and_then(|node| self.tape.text.get(node.start as usize..node.end as usize))
            .unwrap_or_default()
    }

    fn first_byte(self) -> u8 {
        let start = self.node().map(|node| node.start as usize);
        start.and_then(|start| self.tape.text.as_bytes().get(start)).copied().unwrap_or_default()
    }

    /// Returns whether the value is null, or NaN or Infinity in its place.
    pub fn is_null(self) -> bool {
        matches!(self.first_byte(), b'n' | b'N' | b'I') || self.get().starts_with("-I")
    }

    pub fn is_string(self) -> bool {
        self.first_byte() == b'"'
    }

    pub fn is_list(self) -> bool {
        self.first_byte() == b'['
    }

    pub fn is_object(self) -> bool {
        self.first_byte() == b'{'
    }

    pub fn is_number(self) -> bool {
        matches!(self.first_byte(), b'-' | b'0'..=b'9') && !self.is_null()
    }

    /// Returns the contents of a string; None for another value.
    pub fn string_contents(self) -> Option<StringContents<'t>> {
        let node = self.node().filter(|_| self.is_string())?;
        Some(StringContents {
            text: self.tape.text.get(node.start as usize + 1..node.end as usize - 1)?,
            letters: node.escapes & (HOLDS_OTHERS - 1),
            has_numbers: node.escapes & HAS_NUMBERS != 0,
            line_ends: node.next,
            ends_a_line: node.escapes & ENDS_A_LINE != 0,
        })
    }

    /// Returns the elements of a list; none of anything else.
    pub fn elements(self) -> TapeChildren<'t> {
        if self.is_list() {
            self.children()
        } else {
            TapeChildren { at: 0, end: 0, ..self.children() }
        }
    }

    /// Keys and values of an object in the order of the text; none of anything else.
    pub fn fields(self) -> impl Iterator<Item = (StringContents<'t>, TapeValue<'t>)> {
        let mut children = self.children();
        if !self.is_object() {
            children.end = children.at;
        }
        std::iter::from_fn(move || Some((children.next()?.string_contents()?, children.next()?)))
    }

    /// Returns the fields whose key is written like this, and those whose key has escapes and may be equal.
    pub fn fields_that_may_match(
        self,
        key: &str,
    ) -> impl Iterator<Item = (StringContents<'t>, TapeValue<'t>)> {
        let mut children = self.children();
        if !self.is_object() {
            children.end = children.at;
        }
        std::iter::from_fn(move || {
            loop {
                let (name, value) = (children.next()?, children.next()?);
                if name.may_be_text(key) {
                    return Some((name.string_contents()?, value));
                }
            }
        })
    }

    /// Returns whether a string is this text, or has escapes and may be.
    fn may_be_text(self, text: &str) -> bool {
        self.node().is_some_and(|node| {
            let len = (node.end - node.start) as usize;
            node.escapes != 0
                || len == text.len() + 2
                    && self.tape.text.as_bytes().get(node.start as usize + 1..node.end as usize - 1)
                        == Some(text.as_bytes())
        })
    }

    fn children(self) -> TapeChildren<'t> {
        let end = self.node().map_or(0, |node| node.next);
        TapeChildren { tape: self.tape, at: self.at + 1, end }
    }

    /// Returns the position after it and all that is in it.
    fn next_position(self) -> u32 {
        match self.node() {
            Some(node) if node.escapes & HOLDS_OTHERS != 0 => node.next.max(self.at + 1),
            _ => self.at + 1,
        }
    }
}

/// Values that follow each other.
#[derive(Debug, Clone)]
pub struct TapeChildren<'t> {
    tape: &'t JsonTape<'t>,
    at: u32,
    end: u32,
}

impl<'t> Iterator for TapeChildren<'t> {
    type Item = TapeValue<'t>;

    fn next(&mut self) -> Option<TapeValue<'t>> {
        let value = TapeValue { tape: self.tape, at: self.at };
        if self.at >= self.end {
            return None;
        }
        self.at = value.next_position();
        Some(value)
    }
}

impl StringContents<'_> {
    pub const fn has_escapes(&self) -> bool {
        self.has_numbers || self.letters > 0
    }
}

struct TapeReader<'a> {
    bytes: &'a [u8],
    at: usize,
    nodes: Vec<TapeNode>,
    /// The lists and objects around: positions of their nodes, or one of the two below.
    open: Vec<u32>,
    numbers: AllowedNumbers,
    not_finite: usize,
}

/// The numbers that a text may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AllowedNumbers {
    Finite,
    /// NaN and Infinity too.
    Any,
}

/// A list or an object too deep to have a node for each of its values.
const DEEP_LIST: u32 = u32::MAX;
const DEEP_OBJECT: u32 = u32::MAX - 1;

impl TapeReader<'_> {
    fn peek_byte(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or_default()
    }

    fn skip_space(&mut self) {
        while matches!(self.peek_byte(), b' ' | b'\n' | b'\t' | b'\r') {
            self.at += 1;
        }
    }

    fn read_values(&mut self) -> Option<()> {
        loop {
            self.skip_space();
            let is_whole = match self.peek_byte() {
                b'{' => self.open_container(DEEP_OBJECT, b'}')?,
                b'[' => self.open_container(DEEP_LIST, b']')?,
                b'"' => self.read_string().map(|()| true)?,
                _ => self.read_scalar().map(|()| true)?,
            };
            if is_whole && !self.continues_after_value()? {
                self.skip_space();
                return (self.at == self.bytes.len()).then_some(());
            }
        }
    }

    /// Opens a list or an object; returns whether it is empty.
    fn open_container(&mut self, deep: u32, end: u8) -> Option<bool> {
        let node = self.push_node(self.at, self.at)?;
        if let Some(node) = self.nodes.get_mut(node as usize) {
            node.escapes = HOLDS_OTHERS;
        }
        self.open.push(if self.open.len() < MAX_DEPTH { node } else { deep });
        self.at += 1;
        self.skip_space();
        if self.peek_byte() == end {
            return Some(true);
        }
        if end == b'}' {
            self.read_key()?;
        }
        Some(false)
    }

    /// Closes the lists and objects that end after a value; returns whether another value follows.
    fn continues_after_value(&mut self) -> Option<bool> {
        while let Some(&open) = self.open.last() {
            self.skip_space();
            let is_object = match open {
                DEEP_OBJECT => true,
                DEEP_LIST => false,
                node => {
                    self.bytes.get(self.nodes.get(node as usize)?.start as usize) == Some(&b'{')
                }
            };
            match (self.peek_byte(), is_object) {
                (b',', false) => {
                    self.at += 1;
                    return Some(true);
                }
                (b',', true) => {
                    self.at += 1;
                    self.skip_space();
                    self.read_key()?;
                    return Some(true);
                }
                (b'}', true) | (b']', false) => {
                    self.at += 1;
                    self.close_container(open);
                }
                _ => return None,
            }
        }
        Some(false)
    }

    fn close_container(&mut self, open: u32) {
        self.open.pop();
        let next = self.nodes.len() as u32;
        let end = self.at as u32;
        // What is too deep to be closed by itself ends with the innermost value that has a node.
        if let Some(node) = self.nodes.get_mut(open as usize) {
            (node.end, node.next) = (end, next);
        } else if self.open.len() == MAX_DEPTH
            && let Some(last) = self.nodes.last_mut()
        {
            (last.end, last.next) = (end, next);
        }
    }

    fn read_key(&mut self) -> Option<()> {
        if self.peek_byte() != b'"' {
            return None;
        }
        self.read_string()?;
        self.skip_space();
        let has_colon = self.peek_byte() == b':';
        self.at += 1;
        has_colon.then_some(())
    }

    /// Returns the position of the new node; that of none where it would be too deep.
    fn push_node(&mut self, start: usize, end: usize) -> Option<u32> {
        let at = self.nodes.len();
        if self.open.len() <= MAX_DEPTH {
            // A node has 16 bytes: of a long text at most twice its size.
            if at >= MAX_VALUES.max(self.bytes.len() / 8) {
                return None;
            }
            let (start, end) = (start as u32, end as u32);
            self.nodes.push(TapeNode { start, end, next: at as u32 + 1, escapes: 0 });
        }
        Some(at as u32)
    }

    fn read_string(&mut self) -> Option<()> {
        let start = self.at;
        let mut seen = StringEscapes::default();
        let mut from = start + 1;
        let end = loop {
            let block = ByteBlock::from_bytes(self.bytes, from)?;
            match seen.take_block(self.bytes, from, &block)? {
                Some(end) => break end,
                None => from += ByteBlock::BYTES,
            }
        };
        self.at = end + 1;
        let node = self.push_node(start, self.at)? as usize;
        if let Some(node) = self.nodes.get_mut(node) {
            node.next = seen.line_ends;
            node.escapes = seen.letters.min(HOLDS_OTHERS - 1)
                | if seen.has_numbers { HAS_NUMBERS } else { 0 }
                | if seen.last_line_end == end { ENDS_A_LINE } else { 0 };
        }
        Some(())
    }

    fn read_scalar(&mut self) -> Option<()> {
        let start = self.at;
        let rest = self.bytes.get(start..)?;
        let len = match rest.first()? {
            b't' if rest.starts_with(b"true") => 4,
            b'f' if rest.starts_with(b"false") => 5,
            b'n' if rest.starts_with(b"null") => 4,
            b'-' | b'I' | b'N'
                if self.numbers == AllowedNumbers::Any && not_finite::token_len(rest).is_some() =>
            {
                self.not_finite += 1;
                not_finite::token_len(rest)?
            }
            b'-' | b'0'..=b'9' => number_len(rest)?,
            _ => return None,
        };
        self.at += len;
        self.push_node(start, self.at).map(|_| ())
    }
}

/// The escapes of a string, as far as it was read.
#[derive(Default)]
struct StringEscapes {
    /// The number of escapes of two characters; escapes by number are not counted.
    letters: u32,
    line_ends: u32,
    /// The place after the last line end.
    last_line_end: usize,
    has_numbers: bool,
    /// Is true where the last byte that was read begins an escape.
    is_open: bool,
}

impl StringEscapes {
    /// Reads a block that begins at `from`; returns the end of the string where it is in the block, and None where the
    /// block contains a byte that a string may not.
    fn take_block(
        &mut self,
        bytes: &[u8],
        from: usize,
        block: &ByteBlock,
    ) -> Option<Option<usize>> {
        if !self.is_open && block.ends_with_first_special() {
            return Some(Some(from + block.specials.trailing_zeros() as usize));
        }
        if !self.is_open && block.specials == 0 {
            return Some(None);
        }
        let marks = block.special_bytes();
        let (escaped, is_open) = escaped_by(marks.backslashes, self.is_open);
        let ends = marks.quotes & !escaped;
        // All before the end, or all.
        let within = (ends & ends.wrapping_neg()).wrapping_sub(1);
        if marks.controls & within != 0 {
            return None;
        }
        let escaped = escaped & within;
        if escaped != 0 {
            let line_ends = block.bits_of_byte(b'n') & escaped;
            self.letters += escaped.count_ones();
            self.line_ends += line_ends.count_ones();
            if line_ends != 0 {
                self.last_line_end = from + 64 - line_ends.leading_zeros() as usize;
            }
            let mut others = escaped & !line_ends & !marks.quotes & !marks.backslashes;
            while others != 0 {
                self.check_escape(bytes, from + others.trailing_zeros() as usize)?;
                others &= others - 1;
            }
        }
        self.is_open = is_open;
        Some((ends != 0).then(|| from + ends.trailing_zeros() as usize))
    }

    /// Checks an escape that is neither a line end nor a quote nor a backslash.
    fn check_escape(&mut self, bytes: &[u8], at: usize) -> Option<()> {
        match bytes.get(at)? {
            b't' | b'r' | b'/' | b'b' | b'f' => {}
            b'u' => {
                let digits = bytes.get(at + 1..at + 5)?;
                if !digits.iter().all(u8::is_ascii_hexdigit) {
                    return None;
                }
                self.letters -= 1;
                self.has_numbers = true;
            }
            _ => return None,
        }
        Some(())
    }
}

/// Returns the bytes of a block that follow a backslash which begins an escape, and whether the last of them begins
/// one. `is_open` is that of the block before.
const fn escaped_by(backslashes: u64, is_open: bool) -> (u64, bool) {
    let mut escaped = is_open as u64;
    let mut left = backslashes & !escaped;
    if left & left << 1 == 0 {
        return (escaped | left << 1, left >> 63 == 1);
    }
    let mut is_open = false;
    while left != 0 {
        let first = left & left.wrapping_neg();
        is_open = first >> 63 == 1;
        escaped |= first << 1;
        left &= !(first | first << 1);
    }
    (escaped, is_open)
}

/// Returns the length of the number that `text` begins with.
fn number_len(text: &[u8]) -> Option<usize> {
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
