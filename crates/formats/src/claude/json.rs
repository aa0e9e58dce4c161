//! JSON read leniently: a field of the wrong type is an absent field, and a string stays undecoded until it is shown.
//!
//! Node writes lone surrogates where it cuts a string in two; they are read as U+FFFD, where serde would refuse the
//! line. Of a key that occurs twice the last value counts, as in JavaScript.

use std::{
    borrow::Cow,
    hash::{DefaultHasher, Hash, Hasher},
};

use crate::tape::{Backslashes, StringContents, TapeValue};
use trajview_run::LABEL_CHARS;

/// A value that was skipped over; None also for `null`.
pub type RawField<'a> = Option<TapeValue<'a>>;

/// A short string; None for a value of another type.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct TextField<'a>(pub Option<Cow<'a, str>>);

/// `true`; false for anything else.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct FlagField(pub bool);

/// A count; None for anything that is not a whole number from 0 up.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct CountField(pub Option<u64>);

/// An amount; None for anything that is not a number.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct AmountField(pub Option<f64>);

impl TextField<'_> {
    pub fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }

    /// Returns the text; None where it is absent or empty.
    pub fn non_empty(&self) -> Option<&str> {
        self.0.as_deref().filter(|text| !text.is_empty())
    }

    pub fn non_empty_box(&self) -> Option<Box<str>> {
        self.non_empty().map(Box::from)
    }
}

/// A type that is read from a field, whatever the value of the field.
pub trait LenientField<'a>: Default {
    fn from_value(value: TapeValue<'a>) -> Self;
}

impl<'a> LenientField<'a> for RawField<'a> {
    fn from_value(value: TapeValue<'a>) -> Self {
        Some(value).filter(|value| !value.is_null())
    }
}

impl<'a> LenientField<'a> for TextField<'a> {
    fn from_value(value: TapeValue<'a>) -> Self {
        Self(value.string_contents().map(contents_text))
    }
}

fn contents_text(inside: StringContents<'_>) -> Cow<'_, str> {
    if inside.has_escapes() {
        Cow::Owned(QuotedText(inside).text())
    } else {
        Cow::Borrowed(inside.text)
    }
}

impl<'a> LenientField<'a> for FlagField {
    fn from_value(value: TapeValue<'a>) -> Self {
        Self(value.get() == "true")
    }
}

impl<'a> LenientField<'a> for CountField {
    fn from_value(value: TapeValue<'a>) -> Self {
        Self(value.get().parse().ok())
    }
}

impl<'a> LenientField<'a> for AmountField {
    fn from_value(value: TapeValue<'a>) -> Self {
        Self(serde_json::from_str(value.get()).ok().filter(|_| value.is_number()))
    }
}

/// A type that is read from the fields of an object.
pub trait LenientRecord<'a>: Default {
    fn take_field(&mut self, key: &str, value: TapeValue<'a>);
}

/// Defines a struct whose fields are read from the fields of an object with the name that follows. Of a name that occurs
/// twice the last counts.
macro_rules! record {
    (
        $(#[$about:meta])*
        pub struct $name:ident<$a:lifetime> {
            $($(#[$note:meta])* $field:ident: $kind:ty = $key:literal,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Default)]
        pub struct $name<$a> {
            $($(#[$note])* pub $field: $kind,)*
        }

        impl<$a> $crate::claude::json::LenientRecord<$a> for $name<$a> {
            fn take_field(&mut self, key: &str, value: $crate::tape::TapeValue<$a>) {
                match key {
                    $($key => self.$field = $crate::claude::json::LenientField::from_value(value),)*
                    _ => {}
                }
            }
        }
    };
}
pub(crate) use record;

/// Returns an object read into `T`; `T`'s default for anything else, so that `null` and drift lose one value, not the
/// line.
pub fn read_object<'a, T: LenientRecord<'a>>(raw: RawField<'a>) -> T {
    let mut made = T::default();
    for (key, value) in raw.into_iter().flat_map(TapeValue::fields) {
        made.take_field(&contents_text(key), value);
    }
    made
}

/// Returns one field of an object; its default where there is none.
pub fn read_field<'a, T: LenientField<'a>>(raw: RawField<'a>, name: &str) -> T {
    let mut fields = raw.into_iter().flat_map(TapeValue::fields);
    let found = fields.find(|(key, _)| key.text == name);
    found.map(|(_, value)| T::from_value(value)).unwrap_or_default()
}

/// Returns the elements of an array; none for anything else.
pub fn list_elements<'a>(raw: RawField<'a>) -> impl Iterator<Item = TapeValue<'a>> + use<'a> {
    raw.into_iter().flat_map(TapeValue::elements)
}

/// A JSON string as it is written in the file.
#[derive(Debug, Clone, Copy)]
pub struct QuotedText<'a>(StringContents<'a>);

impl<'a> QuotedText<'a> {
    /// Returns the text of a string; None where the value is not a string.
    pub fn from_raw(raw: RawField<'a>) -> Option<Self> {
        Some(Self(raw?.string_contents()?))
    }

    /// Returns whether the string is empty.
    pub fn is_empty(self) -> bool {
        self.0.text.is_empty()
    }

    /// Returns the whole text.
    pub fn text(self) -> String {
        let inside = self.0.text;
        if !self.0.has_escapes() {
            return inside.to_owned();
        }
        let mut text = String::with_capacity(inside.len());
        let (mut backslashes, mut done) = (Backslashes::new(inside.as_bytes()), 0);
        while let Some(at) = backslashes.next_from(done) {
            text.push_str(&inside[done..at]);
            if let Some(letter) =
                inside.as_bytes().get(at + 1).and_then(|escape| short_escape_char(*escape))
            {
                text.push(letter);
                done = at + 2;
                continue;
            }
            let mut escaped = UnescapedChars(&inside[at..]);
            text.extend(escaped.next());
            done = inside.len() - escaped.0.len();
        }
        text.push_str(&inside[done..]);
        text
    }

    /// Returns size of the whole text in bytes of UTF-8, without decoding it.
    pub fn len(self) -> u64 {
        let mut rest = self.0.text;
        if !self.0.has_numbers {
            return rest.len() as u64 - u64::from(self.0.letters);
        }
        let mut len = 0;
        while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
            let mut chars = UnescapedChars(&rest[at..]);
            len += at + chars.next().map_or(0, char::len_utf8);
            rest = chars.0;
        }
        (len + rest.len()) as u64
    }

    /// Returns the first `chars` characters.
    pub fn first_chars(self, chars: usize) -> String {
        let mut head = String::new();
        self.unescaped_chars().copy_chars(chars, &mut head);
        head
    }

    /// Returns the label of the whole text, decoding only the characters that it needs.
    pub fn label(self) -> Box<str> {
        let mut letters = self.unescaped_chars();
        let mut rest = letters;
        while letters.next().is_some_and(char::is_whitespace) {
            rest = letters;
        }
        let mut line = String::with_capacity(LABEL_CHARS);
        rest.copy_line(LABEL_CHARS, &mut line);
        line.trim_end().into()
    }

    /// Returns lines of the text; a last line without a line end counts.
    pub fn line_count(self) -> u32 {
        let has_last = !self.0.ends_a_line && !self.0.text.is_empty();
        self.0.line_ends + u32::from(has_last)
    }

    /// Returns a number that equal texts share; leading and trailing space do not count.
    pub fn fingerprint(self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.text().trim().hash(&mut hasher);
        hasher.finish()
    }

    fn unescaped_chars(self) -> UnescapedChars<'a> {
        UnescapedChars(self.0.text)
    }
}

/// Returns the character of a short escape; None for other letters.
fn short_escape_char(escape: u8) -> Option<char> {
    Some(match escape {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'"' | b'\\' | b'/' => char::from(escape),
        _ => return None,
    })
}

/// The characters of a JSON string's inside.
#[derive(Clone, Copy)]
struct UnescapedChars<'a>(&'a str);

impl UnescapedChars<'_> {
    /// Copies the first `chars` characters.
    fn copy_chars(self, chars: usize, into: &mut String) {
        self.copy_until(None, chars, into);
    }

    /// Copies the first characters of the first line.
    fn copy_line(self, chars: usize, into: &mut String) {
        self.copy_until(Some('\n'), chars, into);
    }

    fn copy_until(mut self, end: Option<char>, mut chars: usize, into: &mut String) {
        while chars > 0 {
            // Characters without an escape, one byte each; a line end is never one.
            let is_plain = |byte: &u8| byte.is_ascii() && *byte != b'\\';
            let plain = self.0.bytes().take(chars).take_while(is_plain).count();
            let (plain, rest) = self.0.split_at(plain);
            into.push_str(plain);
            chars -= plain.len();
            self.0 = rest;
            if chars > 0 {
                match self.next().filter(|letter| Some(*letter) != end) {
                    Some(letter) => into.push(letter),
                    None => return,
                }
                chars -= 1;
            }
        }
    }
}

impl Iterator for UnescapedChars<'_> {
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
            'u' => self.read_unicode_escape(),
            other => other,
        })
    }
}

impl UnescapedChars<'_> {
    fn read_unicode_escape(&mut self) -> char {
        let Some(high) = self.read_hex_digits() else { return char::REPLACEMENT_CHARACTER };
        if !(0xd800..0xdc00).contains(&high) {
            return char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER);
        }
        let after_high = self.0;
        if let Some(rest) = after_high.strip_prefix("\\u") {
            self.0 = rest;
            if let Some(low) = self.read_hex_digits().filter(|low| (0xdc00..0xe000).contains(low)) {
                let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                return char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
            }
            self.0 = after_high;
        }
        char::REPLACEMENT_CHARACTER
    }

    fn read_hex_digits(&mut self) -> Option<u32> {
        let digits = self.0.get(..4)?;
        let code = u32::from_str_radix(digits, 16).ok()?;
        self.0 = &self.0[4..];
        Some(code)
    }
}

/// Returns a value with line breaks and indents, without base64; as it is in the file where it is nested too deep.
pub fn indented_json(raw: TapeValue<'_>) -> String {
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

/// Returns whether a text is long and has only the alphabet of base64.
fn is_blob(text: &str) -> bool {
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_".contains(&byte);
    text.len() > 1024 && text.bytes().all(is_base64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::JsonTape;

    #[test]
    fn a_string_is_measured_and_labelled_without_decoding_it() {
        for text in
            ["", "plain", "a\nb", "\n\n  tab\there \r\nnext", "\\n is not a line end", "a\n"]
        {
            let json = serde_json::to_string(text).unwrap();
            let tape = JsonTape::parse(&json).unwrap();
            let string = QuotedText::from_raw(Some(tape.root())).unwrap();
            assert_eq!(string.text(), text);
            assert_eq!(string.len(), text.len() as u64);
            assert_eq!(string.label(), trajview_run::first_line_label(text));
            assert_eq!(string.line_count() as usize, text.lines().count(), "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn whatever_the_string_its_head_and_its_label_are_those_of_its_text(
            parts in proptest::collection::vec(
                proptest::prop_oneof!["[a-z ]{0,80}", "[a-zé😀 ]{0,3}", r#"\\[nrtbf"/\\]"#, r"\\u[0-9a-f]{4}"], 0..9,
            ),
            chars in 0_usize..200,
        ) {
            let literal = format!("\"{}\"", parts.concat());
            let tape = JsonTape::parse(&literal).unwrap();
            let string = QuotedText::from_raw(Some(tape.root())).unwrap();
            let text = string.text();
            let line = text.trim_start();
            let line: String = line.chars().take_while(|c| *c != '\n').take(LABEL_CHARS).collect();
            proptest::prop_assert_eq!(string.first_chars(chars), text.chars().take(chars).collect::<String>());
            proptest::prop_assert_eq!(&*string.label(), line.trim_end());
            proptest::prop_assert_eq!(string.len(), text.len() as u64);
        }
    }

    #[test]
    fn half_a_surrogate_pair_is_a_replacement_character() {
        let tape = JsonTape::parse(r#""cut \ud83d here, \ud83d\ude00 whole, \ud83d\n""#).unwrap();
        let string = QuotedText::from_raw(Some(tape.root())).unwrap();
        assert_eq!(string.text(), "cut \u{fffd} here, 😀 whole, \u{fffd}\n");
        assert_eq!(string.len(), string.text().len() as u64);
    }

    #[test]
    fn a_field_of_the_wrong_type_is_absent() {
        record! {
            pub struct DriftingRecord<'a> {
                text: TextField<'a> = "text",
                flag: FlagField = "flag",
                count: CountField = "count",
            }
        }
        let tape = JsonTape::parse(r#"{"text":{"a":[1]},"flag":"yes","count":-1}"#).unwrap();
        let drift: DriftingRecord<'_> = read_object(Some(tape.root()));
        assert_eq!((drift.text.0, drift.flag.0, drift.count.0), (None, false, None));
    }
}
