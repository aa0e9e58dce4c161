//! JSON objects read one level at a time, as leniently as a drifting log asks for.
//!
//! A derived struct refuses a line for one field of another type, or for a key that stands twice. An
//! [`Object`] keeps every field as raw text and reads it when asked; what has another type is as good as absent.

use std::{borrow::Cow, fmt, num::NonZero};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// The fields of one object in the order of the text.
#[derive(Debug, Clone, Default)]
pub struct Object<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Object<'a> {
    /// None where `text` is not an object.
    pub fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    pub fn of(raw: &'a RawValue) -> Option<Self> {
        if raw.get().starts_with('{') { Self::parse(raw.get()) } else { None }
    }

    /// The first field of that name that is not null.
    pub fn get(&self, key: &str) -> Option<&'a RawValue> {
        let found = self.0.iter().find(|(name, value)| name == key && value.get() != "null");
        found.map(|(_, value)| *value)
    }

    pub fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(name, _)| name == key)
    }

    pub fn object(&self, key: &str) -> Option<Self> {
        Self::of(self.get(key)?)
    }

    /// The string's characters.
    pub fn text(&self, key: &str) -> Option<Cow<'a, str>> {
        text(self.get(key)?)
    }

    /// The first of these fields that is a string.
    pub fn text_of(&self, keys: &[&str]) -> Option<Cow<'a, str>> {
        keys.iter().find_map(|key| self.text(key))
    }

    pub fn boxed(&self, key: &str) -> Option<Box<str>> {
        self.text(key).filter(|text| !text.is_empty()).map(Into::into)
    }

    pub fn number(&self, key: &str) -> Option<u64> {
        self.get(key)?.get().parse().ok()
    }

    pub fn integer(&self, key: &str) -> Option<i32> {
        self.get(key)?.get().parse().ok()
    }

    pub fn flag(&self, key: &str) -> Option<bool> {
        self.get(key)?.get().parse().ok()
    }

    /// The elements of an array; none where the field is something else.
    pub fn array(&self, key: &str) -> Vec<&'a RawValue> {
        self.get(key).map(array).unwrap_or_default()
    }

    pub fn fields(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), *value))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut fields = Vec::with_capacity(8);
                while let Some(Text(key)) = map.next_key()? {
                    fields.push((key, map.next_value()?));
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(Fields).map(Self)
    }
}

/// A string that borrows where it holds no escape; serde's own `Cow` always copies.
struct Text<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Chars;
        impl<'de> Visitor<'de> for Chars {
            type Value = Cow<'de, str>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Cow::Borrowed(text))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Cow::Owned(text.to_owned()))
            }
        }
        deserializer.deserialize_str(Chars).map(Self)
    }
}

/// The characters of a string value. One with half a surrogate pair in it, which is no text in Rust, is given as
/// it is written.
pub fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    let inner = inner(raw)?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    Some(unescaped(inner).map_or(Cow::Borrowed(inner), Cow::Owned))
}

/// The text between a string's quotes with its escapes resolved; None where one of them is half a pair. As serde
/// does it, in one piece of memory and with long strides between the escapes.
fn unescaped(inner: &str) -> Option<String> {
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        let escape = *rest.as_bytes().get(at + 1)?;
        rest = rest.get(at + 2..)?;
        text.push(match escape {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'"' | b'\\' | b'/' => char::from(escape),
            b'u' => {
                let first = unit(&mut rest)?;
                let pair = (0xd800..0xdc00).contains(&first);
                if pair {
                    rest = rest.strip_prefix("\\u")?;
                    let second = unit(&mut rest)?.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
                    char::from_u32(0x10000 + ((first - 0xd800) << 10) + second)?
                } else {
                    char::from_u32(first)?
                }
            }
            _ => return None,
        });
    }
    text.push_str(rest);
    Some(text)
}

/// Four hex digits.
fn unit(rest: &mut &str) -> Option<u32> {
    let digits = rest.get(..4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
    *rest = &rest[4..];
    u32::from_str_radix(digits, 16).ok()
}

/// What stands between the quotes of a string value, escapes and all.
fn inner(raw: &RawValue) -> Option<&str> {
    raw.get().strip_prefix('"')?.strip_suffix('"')
}

pub fn array(raw: &RawValue) -> Vec<&RawValue> {
    serde_json::from_str(raw.get()).unwrap_or_default()
}

/// The start of a long string value, enough for a label; see [`crate::run::label`].
pub fn start_of(raw: &RawValue) -> Option<Cow<'_, str>> {
    const ENOUGH: usize = 2048;
    let inner = inner(raw)?;
    if inner.len() <= ENOUGH {
        return text(raw);
    }
    // A cut within a character is no text, and one within an escape no JSON; one of these ends is neither.
    let prefix = |end: usize| {
        let literal = format!("\"{}\"", inner.get(..end)?);
        let Text(start) = serde_json::from_str(&literal).ok()?;
        Some(start.into_owned())
    };
    let start = (ENOUGH - 24..=ENOUGH).rev().find_map(prefix);
    match start.filter(|start| !start.trim().is_empty()) {
        Some(start) => Some(Cow::Owned(start)),
        None => text(raw),
    }
}

/// A number that two strings share only when they say the same, without resolving their escapes. Several parts
/// count as one text.
pub fn print_of<'a>(parts: impl IntoIterator<Item = &'a RawValue>) -> Option<NonZero<u64>> {
    use std::hash::Hasher;
    let mut hasher = std::collections::hash_map::DefaultHasher::new();
    let mut is_empty = true;
    for part in parts.into_iter().filter_map(inner) {
        is_empty &= part.is_empty();
        hasher.write(part.as_bytes());
    }
    if is_empty { None } else { NonZero::new(hasher.finish()) }
}

/// A value as a person reads it: a string's characters, else indented JSON.
pub fn pretty(raw: &RawValue) -> String {
    if let Some(text) = text(raw) {
        return text.into_owned();
    }
    match serde_json::from_str::<serde_json::Value>(raw.get()) {
        Ok(value) => format!("{value:#}"),
        Err(_) => raw.get().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> Box<RawValue> {
        RawValue::from_string(text.to_owned()).unwrap()
    }

    #[test]
    fn a_key_that_stands_twice_and_a_field_of_another_type_do_no_harm() {
        let object = Object::parse(r#"{"a":null,"a":"x","n":"no number","d":{"e":[1]}}"#).unwrap();

        assert_eq!(object.text("a").as_deref(), Some("x"));
        assert_eq!(object.number("n"), None);
        assert_eq!(object.object("d").unwrap().array("e").len(), 1);
        assert!(object.object("a").is_none());
    }

    #[test]
    fn json_as_deep_as_a_well_is_only_skipped() {
        let deep = format!("{{\"x\":{}{},\"y\":1}}", "[".repeat(100_000), "]".repeat(100_000));

        assert_eq!(Object::parse(&deep).unwrap().number("y"), Some(1));
    }

    proptest::proptest! {
        #[test]
        fn a_text_is_what_serde_makes_of_it(
            parts in proptest::collection::vec(
                proptest::prop_oneof!["[a-zé😀]{0,3}", r#"\\[nrtbf"/\\]"#, r"\\u[0-9a-fA-F]{4}", r"\\ud83d\\ude[0-9]{2}"],
                0..8,
            ),
        ) {
            let literal = format!("\"{}\"", parts.concat());
            let by_serde: Option<String> = serde_json::from_str(&literal).ok();
            let raw = raw(&literal);
            let inner = &literal[1..literal.len() - 1];
            proptest::prop_assert_eq!(text(&raw).unwrap(), by_serde.as_deref().unwrap_or(inner));
        }
    }

    #[test]
    fn the_start_of_a_long_text_is_never_cut_within_an_escape() {
        for shift in 0..16 {
            let long = format!("\"{}{}\"", "a".repeat(shift), r"\\\ud83d\ude00é".repeat(400));
            let whole = text(&raw(&long)).unwrap().into_owned();
            let start = start_of(&raw(&long)).unwrap().into_owned();
            assert!(start.len() > 500 && whole.starts_with(&start), "{shift}");
        }
    }
}
