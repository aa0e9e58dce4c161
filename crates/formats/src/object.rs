//! JSON objects read one level at a time, as leniently as a drifting log asks for.
//!
//! A derived struct refuses a line for one field of another type, or for a key that stands twice. An
//! [`Object`] knows where every field stands and reads it when asked; what has another type is as good as absent.

use std::{borrow::Cow, num::NonZero};

use crate::tape::{Backslashes, Inside, Tape, Value};

/// One object; its fields stand in the order of the text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Object<'a>(Option<Value<'a>>);

impl<'a> Object<'a> {
    /// The object that a whole text is; None where it is something else.
    pub fn on(tape: &'a Option<Tape<'a>>) -> Option<Self> {
        Self::of(tape.as_ref()?.root())
    }

    /// The object as a value; None for the empty one that stands for what is no object.
    pub const fn whole(&self) -> Option<Value<'a>> {
        self.0
    }

    pub fn of(raw: Value<'a>) -> Option<Self> {
        raw.is_object().then_some(Self(Some(raw)))
    }

    /// The first field of that name that is not null.
    pub fn get(&self, key: &str) -> Option<Value<'a>> {
        let mut found = self.named(key);
        found.find(|value| !value.is_null())
    }

    pub fn has(&self, key: &str) -> bool {
        self.named(key).next().is_some()
    }

    fn named(&self, key: &str) -> impl Iterator<Item = Value<'a>> {
        let fields = self.0.into_iter().flat_map(move |object| object.fields_called(key));
        fields.filter(move |(name, _)| is_named(*name, key)).map(|(_, value)| value)
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

    /// A number with or without a fraction.
    pub fn amount(&self, key: &str) -> Option<f64> {
        self.get(key)?.get().parse().ok()
    }

    pub fn integer(&self, key: &str) -> Option<i32> {
        self.get(key)?.get().parse().ok()
    }

    pub fn flag(&self, key: &str) -> Option<bool> {
        self.get(key)?.get().parse().ok()
    }

    /// The elements of an array; none where the field is something else.
    pub fn array(&self, key: &str) -> Vec<Value<'a>> {
        self.get(key).map(array).unwrap_or_default()
    }

    pub fn fields(&self) -> impl Iterator<Item = (Cow<'a, str>, Value<'a>)> + use<'a> {
        let fields = self.0.into_iter().flat_map(Value::fields);
        fields.map(|(name, value)| (characters(name), value))
    }
}

fn is_named(name: Inside<'_>, key: &str) -> bool {
    name.text == key || name.has_escapes() && characters(name) == key
}

/// The characters of a string value. One with half a surrogate pair in it, which is no text in Rust, is given as
/// it is written.
pub fn text(raw: Value<'_>) -> Option<Cow<'_, str>> {
    raw.inside().map(characters)
}

fn characters(inside: Inside<'_>) -> Cow<'_, str> {
    if inside.has_escapes() {
        unescaped(inside.text).map_or(Cow::Borrowed(inside.text), Cow::Owned)
    } else {
        Cow::Borrowed(inside.text)
    }
}

/// Size of a string's characters in bytes of UTF-8; decodes it only where it has escapes by number.
pub fn size(raw: Value<'_>) -> Option<u64> {
    let inside = raw.inside()?;
    Some(if inside.has_numbers {
        characters(inside).len() as u64
    } else {
        inside.text.len() as u64 - u64::from(inside.letters)
    })
}

/// Lines of a string, as [`str::lines`] counts them.
pub fn lines(raw: Value<'_>) -> Option<usize> {
    let inside = raw.inside()?;
    Some(if inside.has_numbers {
        characters(inside).lines().count()
    } else {
        let has_last = !inside.ends_a_line && !inside.text.is_empty();
        inside.line_ends as usize + usize::from(has_last)
    })
}

/// The text between a string's quotes with its escapes resolved; None where one of them is half a pair. As serde
/// does it, in one piece of memory and with long strides between the escapes.
pub fn unescaped(inner: &str) -> Option<String> {
    let mut text = String::with_capacity(inner.len());
    let (mut backslashes, mut done) = (Backslashes::of(inner.as_bytes()), 0);
    while let Some(at) = backslashes.next_from(done) {
        text.push_str(&inner[done..at]);
        let escape = *inner.as_bytes().get(at + 1)?;
        let mut rest = inner.get(at + 2..)?;
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
        done = inner.len() - rest.len();
    }
    text.push_str(&inner[done..]);
    Some(text)
}

/// Four hex digits.
fn unit(rest: &mut &str) -> Option<u32> {
    let digits = rest.get(..4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
    *rest = &rest[4..];
    u32::from_str_radix(digits, 16).ok()
}

pub fn array(raw: Value<'_>) -> Vec<Value<'_>> {
    raw.elements().collect()
}

/// The start of a long string value, enough for a label; see [`trajview_run::label`].
pub fn start_of(raw: Value<'_>) -> Option<Cow<'_, str>> {
    let start = head_of(raw, 2048).filter(|start| !start.trim().is_empty());
    start.map_or_else(|| text(raw), Some)
}

/// The first characters of a string value, written in at most so many bytes; None where they hold half a pair.
pub fn head_of(raw: Value<'_>, most: usize) -> Option<Cow<'_, str>> {
    let inside = raw.inside()?;
    let start = head(inside.text, most);
    if inside.has_escapes() { unescaped(start).map(Cow::Owned) } else { Some(Cow::Borrowed(start)) }
}

/// The first bytes of what stands between quotes, cut neither within a character nor within an escape.
fn head(inner: &str, most: usize) -> &str {
    let bytes = inner.as_bytes();
    let mut at = 0;
    while let Some(escape) = memchr::memchr(b'\\', bytes.get(at..most).unwrap_or_default()) {
        let start = at + escape;
        let is_first_of_pair = matches!(bytes.get(start + 2), Some(b'd' | b'D'))
            && matches!(bytes.get(start + 3), Some(b'8' | b'9' | b'a' | b'b' | b'A' | b'B'));
        at = start
            + match bytes.get(start + 1) {
                Some(b'u') if is_first_of_pair => 12,
                Some(b'u') => 6,
                _ => 2,
            };
        if at > most {
            return &inner[..start];
        }
    }
    let end = (most.saturating_sub(3)..=most).rev().find(|end| inner.is_char_boundary(*end));
    &inner[..end.unwrap_or(inner.len())]
}

/// A number that two strings share only when they say the same, without resolving their escapes. Several parts
/// count as one text.
pub fn print_of<'a>(parts: impl IntoIterator<Item = Value<'a>>) -> Option<NonZero<u64>> {
    use std::hash::Hasher;
    let mut hasher = std::collections::hash_map::DefaultHasher::new();
    let mut is_empty = true;
    for part in parts.into_iter().filter_map(Value::inside) {
        is_empty &= part.text.is_empty();
        hasher.write(part.text.as_bytes());
    }
    if is_empty { None } else { NonZero::new(hasher.finish()) }
}

/// A value as a person reads it: a string's characters, else indented JSON.
pub fn pretty(raw: Value<'_>) -> String {
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

    fn tape(text: &str) -> Option<Tape<'_>> {
        Tape::read(text)
    }

    #[test]
    fn a_key_that_stands_twice_and_a_field_of_another_type_do_no_harm() {
        let tape = tape(r#"{"a":null,"\u0061":"x","n":"no number","d":{"e":[1]}}"#);
        let object = Object::on(&tape).unwrap();

        assert_eq!(object.text("a").as_deref(), Some("x"));
        assert_eq!(object.number("n"), None);
        assert_eq!(object.object("d").unwrap().array("e").len(), 1);
        assert!(object.object("a").is_none());
    }

    #[test]
    fn json_as_deep_as_a_well_is_only_skipped() {
        let deep = format!("{{\"x\":{}{},\"y\":1}}", "[".repeat(100_000), "]".repeat(100_000));

        assert_eq!(Object::on(&tape(&deep)).unwrap().number("y"), Some(1));
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
            let tape = tape(&literal).unwrap();
            let inner = &literal[1..literal.len() - 1];
            let told = by_serde.as_deref().unwrap_or(inner);
            proptest::prop_assert_eq!(text(tape.root()).unwrap(), told);
            proptest::prop_assert_eq!(size(tape.root()), Some(told.len() as u64));
            proptest::prop_assert_eq!(lines(tape.root()), Some(told.lines().count()));
        }
    }

    #[test]
    fn the_start_of_a_long_text_is_never_cut_within_an_escape() {
        for shift in 0..16 {
            let long = format!("\"{}{}\"", "a".repeat(shift), r"\\\ud83d\ude00é".repeat(400));
            let tape = tape(&long).unwrap();
            let whole = text(tape.root()).unwrap().into_owned();
            let start = start_of(tape.root()).unwrap().into_owned();
            assert!(start.len() > 500 && whole.starts_with(&start), "{shift}");
        }
    }
}
