//! JSON read leniently: a field of the wrong type is an absent field, and a string stays undecoded until it is shown.
//!
//! Node writes lone surrogates where it cuts a string in two; [`Quoted`] reads them as U+FFFD, where serde would
//! refuse the line.

use std::{
    borrow::Cow,
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
};

use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::run::LABEL_CHARS;

/// A value that was skipped over; None also for `null`.
pub type Raw<'a> = Option<&'a RawValue>;

/// A short string; None where something else stands in its place.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Text<'a>(pub Option<Cow<'a, str>>);

/// `true`; false for anything else.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Flag(pub bool);

/// A count; None for anything that is not a whole number from 0 up.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Count(pub Option<u64>);

/// An amount; None for anything that is not a number.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct Amount(pub Option<f64>);

impl Text<'_> {
    pub fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }

    /// None where it is absent or empty.
    pub fn filled(&self) -> Option<&str> {
        self.0.as_deref().filter(|text| !text.is_empty())
    }

    pub fn boxed(&self) -> Option<Box<str>> {
        self.filled().map(Box::from)
    }
}

/// Any JSON value, of which one kind of scalar is wanted.
#[derive(Default)]
struct Scalar<'a> {
    text: Option<Cow<'a, str>>,
    flag: bool,
    count: Option<u64>,
    amount: Option<f64>,
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Scalar { text: Some(Cow::Borrowed(text)), ..Scalar::default() })
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Scalar { text: Some(Cow::Owned(text.to_owned())), ..Scalar::default() })
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(Scalar { flag, ..Scalar::default() })
    }

    fn visit_u64<E>(self, count: u64) -> Result<Self::Value, E> {
        Ok(Scalar { count: Some(count), amount: Some(count as f64), ..Scalar::default() })
    }

    fn visit_i64<E>(self, count: i64) -> Result<Self::Value, E> {
        Ok(Scalar { amount: Some(count as f64), ..Scalar::default() })
    }

    fn visit_f64<E>(self, amount: f64) -> Result<Self::Value, E> {
        Ok(Scalar { amount: Some(amount), ..Scalar::default() })
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Scalar::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar::default())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor).map(|scalar| Self(scalar.text))
    }
}

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor).map(|scalar| Self(scalar.flag))
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor).map(|scalar| Self(scalar.count))
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor).map(|scalar| Self(scalar.amount))
    }
}

/// An object read into `T`; `T`'s default for anything else, so that `null` and drift lose one value, not the line.
pub fn object<'a, T: Deserialize<'a> + Default>(raw: Raw<'a>) -> T {
    match raw {
        Some(raw) if raw.get().starts_with('{') => {
            serde_json::from_str(raw.get()).unwrap_or_default()
        }
        _ => T::default(),
    }
}

/// The elements of an array; none for anything else.
pub fn elements<'a>(raw: Raw<'a>) -> Vec<&'a RawValue> {
    match raw {
        Some(raw) if raw.get().starts_with('[') => {
            serde_json::from_str(raw.get()).unwrap_or_default()
        }
        _ => vec![],
    }
}

/// A JSON string as it stands in the file.
#[derive(Debug, Clone, Copy)]
pub struct Quoted<'a>(&'a str);

impl<'a> Quoted<'a> {
    /// None where the value is not a string.
    pub fn of(raw: Raw<'a>) -> Option<Self> {
        let inner = raw?.get().strip_prefix('"')?;
        Some(Self(inner.strip_suffix('"').unwrap_or(inner)))
    }

    /// Whether there are no words in it.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The whole text.
    pub fn text(self) -> String {
        let mut text = String::with_capacity(self.0.len());
        let mut rest = self.0;
        while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
            text.push_str(&rest[..at]);
            let mut escaped = Unescape(&rest[at..]);
            text.extend(escaped.next());
            rest = escaped.0;
        }
        text.push_str(rest);
        text
    }

    /// Size of the whole text in bytes of UTF-8, without decoding it.
    pub fn len(self) -> u64 {
        let text = self.0.as_bytes();
        // Where every escape is a letter after a backslash, counting is enough, and ten times faster.
        let is_plain = memchr::memmem::find(text, b"\\\\").is_none()
            && memchr::memmem::find(text, b"\\u").is_none();
        if is_plain {
            return (text.len() - memchr::memchr_iter(b'\\', text).count()) as u64;
        }
        let mut rest = self.0;
        let mut len = 0;
        while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
            let mut chars = Unescape(&rest[at..]);
            len += at + chars.next().map_or(0, char::len_utf8);
            rest = chars.0;
        }
        (len + rest.len()) as u64
    }

    /// The first `chars` characters.
    pub fn head(self, chars: usize) -> String {
        self.chars().take(chars).collect()
    }

    /// As [`crate::run::label`] of the whole text, decoding only what is kept.
    pub fn label(self) -> Box<str> {
        let line = self.chars().skip_while(|letter| letter.is_whitespace());
        let line: String = line.take_while(|letter| *letter != '\n').take(LABEL_CHARS).collect();
        line.trim_end().into()
    }

    /// Lines of the text; a last line without a line end counts.
    pub fn lines(self) -> u32 {
        let text = self.0.as_bytes();
        let mut escapes = memchr::memchr_iter(b'\\', text).peekable();
        let (mut ends, mut last_end) = (0, 0);
        while let Some(at) = escapes.next() {
            // The character after a backslash belongs to it, also where it is a backslash itself.
            if escapes.peek() == Some(&(at + 1)) {
                escapes.next();
            }
            if text.get(at + 1) == Some(&b'n') {
                (ends, last_end) = (ends + 1, at + 2);
            }
        }
        ends + u32::from(last_end < text.len())
    }

    /// Tells equal texts apart from others, leading and trailing space left out.
    pub fn fingerprint(self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.text().trim().hash(&mut hasher);
        hasher.finish()
    }

    fn chars(self) -> Unescape<'a> {
        Unescape(self.0)
    }
}

/// The characters of a JSON string's inside.
struct Unescape<'a>(&'a str);

impl Iterator for Unescape<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        let first = self.0.chars().next()?;
        self.0 = &self.0[first.len_utf8()..];
        if first != '\\' {
            return Some(first);
        }
        let escape = self.0.chars().next()?;
        self.0 = &self.0[escape.len_utf8()..];
        Some(match escape {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => self.unicode(),
            other => other,
        })
    }
}

impl Unescape<'_> {
    fn unicode(&mut self) -> char {
        let Some(high) = self.hex() else { return char::REPLACEMENT_CHARACTER };
        if !(0xd800..0xdc00).contains(&high) {
            return char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER);
        }
        let after_high = self.0;
        if let Some(rest) = after_high.strip_prefix("\\u") {
            self.0 = rest;
            if let Some(low) = self.hex().filter(|low| (0xdc00..0xe000).contains(low)) {
                let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                return char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
            }
            self.0 = after_high;
        }
        char::REPLACEMENT_CHARACTER
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.0.get(..4)?;
        let code = u32::from_str_radix(digits, 16).ok()?;
        self.0 = &self.0[4..];
        Some(code)
    }
}

/// A value with line breaks and indents, base64 left out; as it stands in the file where it nests too deep.
pub fn indented(raw: &RawValue) -> String {
    let parsed = serde_json::from_str::<serde_json::Value>(raw.get());
    let printed = parsed.map(without_blobs).and_then(|value| serde_json::to_string_pretty(&value));
    printed.unwrap_or_else(|_| raw.get().to_owned())
}

fn without_blobs(value: serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::String(text) if is_blob(&text) => {
            Value::String(format!("[{} characters of base64]", text.len()))
        }
        Value::Array(list) => Value::Array(list.into_iter().map(without_blobs).collect()),
        Value::Object(map) => {
            Value::Object(map.into_iter().map(|(key, value)| (key, without_blobs(value))).collect())
        }
        other => other,
    }
}

/// Long, and of the alphabet of base64 only.
fn is_blob(text: &str) -> bool {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_".contains(&byte);
    text.len() > 1024 && text.bytes().all(is_base64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    #[test]
    fn a_string_is_measured_and_labelled_without_decoding_it() {
        for text in
            ["", "plain", "a\nb", "\n\n  tab\there \r\nnext", "\\n is not a line end", "a\n"]
        {
            let json = quoted(&serde_json::to_string(text).unwrap());
            let string = Quoted::of(Some(&json)).unwrap();
            assert_eq!(string.text(), text);
            assert_eq!(string.len(), text.len() as u64);
            assert_eq!(string.label(), crate::run::label(text));
            assert_eq!(string.lines() as usize, text.lines().count(), "{text:?}");
        }
    }

    #[test]
    fn half_a_surrogate_pair_is_a_replacement_character() {
        let json = quoted(r#""cut \ud83d here, \ud83d\ude00 whole, \ud83d\n""#);
        let string = Quoted::of(Some(&json)).unwrap();
        assert_eq!(string.text(), "cut \u{fffd} here, 😀 whole, \u{fffd}\n");
        assert_eq!(string.len(), string.text().len() as u64);
    }

    #[test]
    fn a_field_of_the_wrong_type_is_absent() {
        #[derive(Deserialize)]
        struct Drift<'a> {
            #[serde(borrow)]
            text: Text<'a>,
            flag: Flag,
            count: Count,
        }
        let drift: Drift<'_> =
            serde_json::from_str(r#"{"text":{"a":[1]},"flag":"yes","count":-1}"#).unwrap();
        assert_eq!((drift.text.0, drift.flag.0, drift.count.0), (None, false, None));
    }
}
