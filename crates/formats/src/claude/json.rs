//! JSON read leniently: a field of the wrong type is an absent field, and a string stays undecoded until it is shown.
//!
//! Node writes lone surrogates where it cuts a string in two; they are read as U+FFFD, where serde would refuse the
//! line. Of a key that stands twice the last value counts, as in JavaScript.

use std::{
    borrow::Cow,
    hash::{DefaultHasher, Hash, Hasher},
};

use crate::tape::{Backslashes, Inside, Value};
use trajview_run::LABEL_CHARS;

/// A value that was skipped over; None also for `null`.
pub type Raw<'a> = Option<Value<'a>>;

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

/// What a field holds, whatever stands in it.
pub trait Field<'a>: Default {
    fn read(value: Value<'a>) -> Self;
}

impl<'a> Field<'a> for Raw<'a> {
    fn read(value: Value<'a>) -> Self {
        Some(value).filter(|value| !value.is_null())
    }
}

impl<'a> Field<'a> for Text<'a> {
    fn read(value: Value<'a>) -> Self {
        Self(value.inside().map(text_of))
    }
}

fn text_of(inside: Inside<'_>) -> Cow<'_, str> {
    if inside.has_escapes() {
        Cow::Owned(Quoted(inside).text())
    } else {
        Cow::Borrowed(inside.text)
    }
}

impl<'a> Field<'a> for Flag {
    fn read(value: Value<'a>) -> Self {
        Self(value.get() == "true")
    }
}

impl<'a> Field<'a> for Count {
    fn read(value: Value<'a>) -> Self {
        Self(value.get().parse().ok())
    }
}

impl<'a> Field<'a> for Amount {
    fn read(value: Value<'a>) -> Self {
        Self(serde_json::from_str(value.get()).ok().filter(|_| value.is_number()))
    }
}

/// What is read from the fields of an object.
pub trait Fields<'a>: Default {
    fn take(&mut self, key: &str, value: Value<'a>);
}

/// A struct of which each field is read from the field of an object with the name that follows it. Of a name that
/// stands twice the last counts.
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

        impl<$a> $crate::claude::json::Fields<$a> for $name<$a> {
            fn take(&mut self, key: &str, value: $crate::tape::Value<$a>) {
                match key {
                    $($key => self.$field = $crate::claude::json::Field::read(value),)*
                    _ => {}
                }
            }
        }
    };
}
pub(crate) use record;

/// An object read into `T`; `T`'s default for anything else, so that `null` and drift lose one value, not the line.
pub fn object<'a, T: Fields<'a>>(raw: Raw<'a>) -> T {
    let mut made = T::default();
    for (key, value) in raw.into_iter().flat_map(Value::fields) {
        made.take(&text_of(key), value);
    }
    made
}

/// One field of an object; its default where there is none.
pub fn field<'a, T: Field<'a>>(raw: Raw<'a>, name: &str) -> T {
    let mut fields = raw.into_iter().flat_map(Value::fields);
    let found = fields.find(|(key, _)| key.text == name);
    found.map(|(_, value)| T::read(value)).unwrap_or_default()
}

/// The elements of an array; none for anything else.
pub fn elements<'a>(raw: Raw<'a>) -> impl Iterator<Item = Value<'a>> + use<'a> {
    raw.into_iter().flat_map(Value::elements)
}

/// A JSON string as it stands in the file.
#[derive(Debug, Clone, Copy)]
pub struct Quoted<'a>(Inside<'a>);

impl<'a> Quoted<'a> {
    /// None where the value is not a string.
    pub fn of(raw: Raw<'a>) -> Option<Self> {
        Some(Self(raw?.inside()?))
    }

    /// Whether there are no words in it.
    pub fn is_empty(self) -> bool {
        self.0.text.is_empty()
    }

    /// The whole text.
    pub fn text(self) -> String {
        let inside = self.0.text;
        if !self.0.has_escapes() {
            return inside.to_owned();
        }
        let mut text = String::with_capacity(inside.len());
        let (mut backslashes, mut done) = (Backslashes::of(inside.as_bytes()), 0);
        while let Some(at) = backslashes.next_from(done) {
            text.push_str(&inside[done..at]);
            if let Some(letter) = inside.as_bytes().get(at + 1).and_then(|escape| plain(*escape)) {
                text.push(letter);
                done = at + 2;
                continue;
            }
            let mut escaped = Unescape(&inside[at..]);
            text.extend(escaped.next());
            done = inside.len() - escaped.0.len();
        }
        text.push_str(&inside[done..]);
        text
    }

    /// Size of the whole text in bytes of UTF-8, without decoding it.
    pub fn len(self) -> u64 {
        let mut rest = self.0.text;
        if !self.0.has_numbers {
            return rest.len() as u64 - u64::from(self.0.letters);
        }
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
        let mut head = String::new();
        self.chars().copy(chars, &mut head);
        head
    }

    /// As [`trajview_run::label`] of the whole text, decoding only what is kept.
    pub fn label(self) -> Box<str> {
        let mut letters = self.chars();
        let mut rest = letters;
        while letters.next().is_some_and(char::is_whitespace) {
            rest = letters;
        }
        let mut line = String::with_capacity(LABEL_CHARS);
        rest.copy_line(LABEL_CHARS, &mut line);
        line.trim_end().into()
    }

    /// Lines of the text; a last line without a line end counts.
    pub fn lines(self) -> u32 {
        let has_last = !self.0.ends_a_line && !self.0.text.is_empty();
        self.0.line_ends + u32::from(has_last)
    }

    /// Tells equal texts apart from others, leading and trailing space left out.
    pub fn fingerprint(self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.text().trim().hash(&mut hasher);
        hasher.finish()
    }

    fn chars(self) -> Unescape<'a> {
        Unescape(self.0.text)
    }
}

/// What a letter after a backslash stands for, where it stands for it alone.
fn plain(escape: u8) -> Option<char> {
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
struct Unescape<'a>(&'a str);

impl Unescape<'_> {
    /// Copies the first `chars` characters.
    fn copy(self, chars: usize, into: &mut String) {
        self.copy_until(None, chars, into);
    }

    /// The same, up to the first line end.
    fn copy_line(self, chars: usize, into: &mut String) {
        self.copy_until(Some('\n'), chars, into);
    }

    fn copy_until(mut self, end: Option<char>, mut chars: usize, into: &mut String) {
        while chars > 0 {
            // What stands for itself, one byte each; a line end never does.
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
pub fn indented(raw: Value<'_>) -> String {
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
    use crate::tape::Tape;

    #[test]
    fn a_string_is_measured_and_labelled_without_decoding_it() {
        for text in
            ["", "plain", "a\nb", "\n\n  tab\there \r\nnext", "\\n is not a line end", "a\n"]
        {
            let json = serde_json::to_string(text).unwrap();
            let tape = Tape::read(&json).unwrap();
            let string = Quoted::of(Some(tape.root())).unwrap();
            assert_eq!(string.text(), text);
            assert_eq!(string.len(), text.len() as u64);
            assert_eq!(string.label(), trajview_run::label(text));
            assert_eq!(string.lines() as usize, text.lines().count(), "{text:?}");
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
            let tape = Tape::read(&literal).unwrap();
            let string = Quoted::of(Some(tape.root())).unwrap();
            let text = string.text();
            let line = text.trim_start();
            let line: String = line.chars().take_while(|c| *c != '\n').take(LABEL_CHARS).collect();
            proptest::prop_assert_eq!(string.head(chars), text.chars().take(chars).collect::<String>());
            proptest::prop_assert_eq!(&*string.label(), line.trim_end());
            proptest::prop_assert_eq!(string.len(), text.len() as u64);
        }
    }

    #[test]
    fn half_a_surrogate_pair_is_a_replacement_character() {
        let tape = Tape::read(r#""cut \ud83d here, \ud83d\ude00 whole, \ud83d\n""#).unwrap();
        let string = Quoted::of(Some(tape.root())).unwrap();
        assert_eq!(string.text(), "cut \u{fffd} here, 😀 whole, \u{fffd}\n");
        assert_eq!(string.len(), string.text().len() as u64);
    }

    #[test]
    fn a_field_of_the_wrong_type_is_absent() {
        record! {
            pub struct Drift<'a> {
                text: Text<'a> = "text",
                flag: Flag = "flag",
                count: Count = "count",
            }
        }
        let tape = Tape::read(r#"{"text":{"a":[1]},"flag":"yes","count":-1}"#).unwrap();
        let drift: Drift<'_> = object(Some(tape.root()));
        assert_eq!((drift.text.0, drift.flag.0, drift.count.0), (None, false, None));
    }
}
