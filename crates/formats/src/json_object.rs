//! JSON objects read one level at a time, as leniently as a drifting log asks for.
//!
//! A derived struct refuses a line for one field of another type, or for a key that occurs twice. An
//! [`JsonObject`] knows the place of every field and reads it on demand; a value of another type counts as absent.

use std::{borrow::Cow, num::NonZero};

use serde_json::{Map, Value};

use crate::tape::{Backslashes, JsonTape, StringContents, TapeValue};

/// One object; its fields are in the order of the text.
#[derive(Debug, Clone, Copy, Default)]
pub struct JsonObject<'a>(Option<TapeValue<'a>>);

impl<'a> JsonObject<'a> {
    /// Returns the object that a whole text is; None where it is something else.
    pub fn from_tape(tape: &'a Option<JsonTape<'a>>) -> Option<Self> {
        Self::from_value(tape.as_ref()?.root())
    }

    /// Returns the object as a value; None for the empty object that replaces a value of another type.
    pub const fn as_value(&self) -> Option<TapeValue<'a>> {
        self.0
    }

    pub fn from_value(raw: TapeValue<'a>) -> Option<Self> {
        raw.is_object().then_some(Self(Some(raw)))
    }

    /// Returns the first field of that name that is not null.
    pub fn get(&self, key: &str) -> Option<TapeValue<'a>> {
        let mut found = self.fields_named(key);
        found.find(|value| !value.is_null())
    }

    pub fn has_field(&self, key: &str) -> bool {
        self.fields_named(key).next().is_some()
    }

    fn fields_named(&self, key: &str) -> impl Iterator<Item = TapeValue<'a>> {
        let fields = self.0.into_iter().flat_map(move |object| object.fields_that_may_match(key));
        fields.filter(move |(name, _)| is_named(*name, key)).map(|(_, value)| value)
    }

    pub fn object(&self, key: &str) -> Option<Self> {
        Self::from_value(self.get(key)?)
    }

    /// Returns the string's characters.
    pub fn text(&self, key: &str) -> Option<Cow<'a, str>> {
        string_text(self.get(key)?)
    }

    /// Returns the first of these fields that is a string.
    pub fn first_text(&self, keys: &[&str]) -> Option<Cow<'a, str>> {
        keys.iter().find_map(|key| self.text(key))
    }

    pub fn non_empty_text(&self, key: &str) -> Option<Box<str>> {
        self.text(key).filter(|text| !text.is_empty()).map(Into::into)
    }

    pub fn number(&self, key: &str) -> Option<u64> {
        self.get(key)?.get().parse().ok()
    }

    /// Returns a number with or without a fraction.
    pub fn float(&self, key: &str) -> Option<f64> {
        self.get(key)?.get().parse().ok()
    }

    pub fn integer(&self, key: &str) -> Option<i32> {
        self.get(key)?.get().parse().ok()
    }

    pub fn flag(&self, key: &str) -> Option<bool> {
        self.get(key)?.get().parse().ok()
    }

    /// Returns the elements of an array; none where the field is something else.
    pub fn elements_of(&self, key: &str) -> Vec<TapeValue<'a>> {
        self.get(key).map(list_elements).unwrap_or_default()
    }

    pub fn fields(&self) -> impl Iterator<Item = (Cow<'a, str>, TapeValue<'a>)> + use<'a> {
        let fields = self.0.into_iter().flat_map(TapeValue::fields);
        fields.map(|(name, value)| (resolved_text(name), value))
    }
}

fn is_named(name: StringContents<'_>, key: &str) -> bool {
    name.text == key || name.has_escapes() && resolved_text(name) == key
}

/// The fields of an object that serde has read, by the names of [`JsonObject`]'s methods; a value of another type counts as
/// absent.
pub trait JsonFields {
    /// Returns the value of a field, null too.
    fn field(&self, key: &str) -> Option<&Value>;

    fn text(&self, key: &str) -> Option<&str> {
        self.field(key)?.as_str()
    }

    fn number(&self, key: &str) -> Option<u64> {
        self.field(key)?.as_u64()
    }

    fn integer(&self, key: &str) -> Option<i64> {
        self.field(key)?.as_i64()
    }

    fn float(&self, key: &str) -> Option<f64> {
        self.field(key)?.as_f64()
    }

    fn flag(&self, key: &str) -> Option<bool> {
        self.field(key)?.as_bool()
    }

    fn object(&self, key: &str) -> Option<&Map<String, Value>> {
        self.field(key)?.as_object()
    }

    fn list(&self, key: &str) -> Option<&Vec<Value>> {
        self.field(key)?.as_array()
    }

    /// Returns the elements of an array; none where the field is something else.
    fn elements_of(&self, key: &str) -> &[Value] {
        self.list(key).map_or(&[], Vec::as_slice)
    }

    /// Returns the strings of an array.
    fn texts_of(&self, key: &str) -> Vec<String> {
        self.elements_of(key).iter().filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

impl JsonFields for Map<String, Value> {
    fn field(&self, key: &str) -> Option<&Value> {
        self.get(key)
    }
}

impl JsonFields for Value {
    fn field(&self, key: &str) -> Option<&Value> {
        self.get(key)
    }
}

/// Returns the characters of a string value. One with half a surrogate pair in it, which is no text in Rust, is given
/// as it is written.
pub fn string_text(raw: TapeValue<'_>) -> Option<Cow<'_, str>> {
    raw.string_contents().map(resolved_text)
}

/// Returns the characters of a string that is written like this, with its quotes.
pub fn literal_text(written: &str) -> Option<Cow<'_, str>> {
    let inner = written.strip_prefix('"')?.strip_suffix('"')?;
    Some(resolve_escapes(inner).map_or(Cow::Borrowed(inner), Cow::Owned))
}

fn resolved_text(inside: StringContents<'_>) -> Cow<'_, str> {
    if inside.has_escapes() {
        resolve_escapes(inside.text).map_or(Cow::Borrowed(inside.text), Cow::Owned)
    } else {
        Cow::Borrowed(inside.text)
    }
}

/// Returns size of a string's characters in bytes of UTF-8; decodes it only where it has escapes by number.
pub fn text_byte_count(raw: TapeValue<'_>) -> Option<u64> {
    let inside = raw.string_contents()?;
    Some(if inside.has_numbers {
        resolved_text(inside).len() as u64
    } else {
        inside.text.len() as u64 - u64::from(inside.letters)
    })
}

/// Returns lines of a string, as [`str::lines`] counts them.
pub fn text_line_count(raw: TapeValue<'_>) -> Option<usize> {
    let inside = raw.string_contents()?;
    Some(if inside.has_numbers {
        resolved_text(inside).lines().count()
    } else {
        let has_last = !inside.ends_a_line && !inside.text.is_empty();
        inside.line_ends as usize + usize::from(has_last)
    })
}

/// Returns the text between a string's quotes with its escapes resolved; None where one of them is half a pair. As
/// serde does it, in one piece of memory and with long strides between the escapes.
pub fn resolve_escapes(inner: &str) -> Option<String> {
    let mut text = String::with_capacity(inner.len());
    let (mut backslashes, mut done) = (Backslashes::new(inner.as_bytes()), 0);
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
                let first = take_hex_unit(&mut rest)?;
                let pair = (0xd800..0xdc00).contains(&first);
                if pair {
                    rest = rest.strip_prefix("\\u")?;
                    let second =
                        take_hex_unit(&mut rest)?.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
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

/// Takes four hex digits from the beginning of a text, and returns their number; None, without a change, where there
/// are none.
fn take_hex_unit(rest: &mut &str) -> Option<u32> {
    let digits = rest.get(..4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
    *rest = &rest[4..];
    u32::from_str_radix(digits, 16).ok()
}

pub fn list_elements(raw: TapeValue<'_>) -> Vec<TapeValue<'_>> {
    raw.elements().collect()
}

/// Returns the start of a long string value, enough for a label; see [`trajview_run::first_line_label`].
pub fn text_start(raw: TapeValue<'_>) -> Option<Cow<'_, str>> {
    let start = text_head(raw, 2048).filter(|start| !start.trim().is_empty());
    start.map_or_else(|| string_text(raw), Some)
}

/// Returns the first characters of a string value, written in at most so many bytes; None where they hold half a pair.
pub fn text_head(raw: TapeValue<'_>, most: usize) -> Option<Cow<'_, str>> {
    let inside = raw.string_contents()?;
    let start = cut_at_character(inside.text, most);
    if inside.has_escapes() {
        resolve_escapes(start).map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(start))
    }
}

/// Returns the first bytes of the text between quotes, cut neither within a character nor within an escape.
fn cut_at_character(inner: &str, most: usize) -> &str {
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

/// Returns a number that two strings share only when they say the same, without resolving their escapes. Several parts
/// count as one text.
pub fn text_fingerprint<'a>(
    parts: impl IntoIterator<Item = TapeValue<'a>>,
) -> Option<NonZero<u64>> {
    use std::hash::Hasher;
    let mut hasher = std::collections::hash_map::DefaultHasher::new();
    let mut is_empty = true;
    for part in parts.into_iter().filter_map(TapeValue::string_contents) {
        is_empty &= part.text.is_empty();
        hasher.write(part.text.as_bytes());
    }
    if is_empty { None } else { NonZero::new(hasher.finish()) }
}

/// Returns a value as a person reads it: a string's characters, else indented JSON.
pub fn readable_value(raw: TapeValue<'_>) -> String {
    if let Some(text) = string_text(raw) {
        return text.into_owned();
    }
    match serde_json::from_str::<Value>(raw.get()) {
        Ok(value) => format!("{value:#}"),
        Err(_) => raw.get().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_tape(text: &str) -> Option<JsonTape<'_>> {
        JsonTape::parse(text)
    }

    #[test]
    fn a_key_that_stands_twice_and_a_field_of_another_type_do_no_harm() {
        let tape = parse_tape(r#"{"a":null,"\u0061":"x","n":"no number","d":{"e":[1]}}"#);
        let object = JsonObject::from_tape(&tape).unwrap();

        assert_eq!(object.text("a").as_deref(), Some("x"));
        assert_eq!(object.number("n"), None);
        assert_eq!(object.object("d").unwrap().elements_of("e").len(), 1);
        assert!(object.object("a").is_none());
    }

    #[test]
    fn json_as_deep_as_a_well_is_only_skipped() {
        let deep = format!("{{\"x\":{}{},\"y\":1}}", "[".repeat(100_000), "]".repeat(100_000));

        assert_eq!(JsonObject::from_tape(&parse_tape(&deep)).unwrap().number("y"), Some(1));
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
            let tape = parse_tape(&literal).unwrap();
            let inner = &literal[1..literal.len() - 1];
            let expected = by_serde.as_deref().unwrap_or(inner);
            proptest::prop_assert_eq!(string_text(tape.root()).unwrap(), expected);
            proptest::prop_assert_eq!(text_byte_count(tape.root()), Some(expected.len() as u64));
            proptest::prop_assert_eq!(text_line_count(tape.root()), Some(expected.lines().count()));
        }
    }

    #[test]
    fn the_start_of_a_long_text_is_never_cut_within_an_escape() {
        for shift in 0..16 {
            let long = format!("\"{}{}\"", "a".repeat(shift), r"\\\ud83d\ude00é".repeat(400));
            let tape = parse_tape(&long).unwrap();
            let whole = string_text(tape.root()).unwrap().into_owned();
            let start = text_start(tape.root()).unwrap().into_owned();
            assert!(start.len() > 500 && whole.starts_with(&start), "{shift}");
        }
    }
}
