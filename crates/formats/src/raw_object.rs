//! JSON objects read one level at a time, leniently: what has another type is as good as absent.
//!
//! As the Codex formats read theirs, with serde in place of a list of positions: these are documents of megabytes with
//! many small values, of which one is looked at after the other.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

use crate::json_object::resolve_escapes;

/// The fields of one object in the order of the text.
#[derive(Debug, Clone, Default)]
pub struct RawObject<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> RawObject<'a> {
    /// Parses an object; None where `text` is none.
    pub fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    pub fn from_raw(raw: &'a RawValue) -> Option<Self> {
        if raw.get().starts_with('{') { Self::parse(raw.get()) } else { None }
    }

    /// Returns the first field of that name that is not null.
    pub fn get(&self, key: &str) -> Option<&'a RawValue> {
        let found = self.0.iter().find(|(name, value)| name == key && value.get() != "null");
        found.map(|(_, value)| *value)
    }

    pub fn object(&self, key: &str) -> Option<Self> {
        Self::from_raw(self.get(key)?)
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

    pub fn integer(&self, key: &str) -> Option<i32> {
        self.get(key)?.get().parse().ok()
    }

    pub fn flag(&self, key: &str) -> Option<bool> {
        self.get(key)?.get().parse().ok()
    }

    /// Returns the elements of an array; none where the field is something else.
    pub fn elements_of(&self, key: &str) -> Vec<&'a RawValue> {
        self.get(key).map(raw_elements).unwrap_or_default()
    }

    pub fn fields(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(name, value)| (name.as_ref(), *value))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawObject<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut fields = Vec::with_capacity(8);
                while let Some(key) = map.next_key::<&RawValue>()? {
                    fields.push((string_text(key).unwrap_or_default(), map.next_value()?));
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(Fields).map(Self)
    }
}

/// Returns the characters of a string value. One with half a surrogate pair in it, which is no text in Rust, is given
/// as it is written.
pub fn string_text(raw: &RawValue) -> Option<Cow<'_, str>> {
    let inner = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    Some(resolve_escapes(inner).map_or(Cow::Borrowed(inner), Cow::Owned))
}

pub fn raw_elements(raw: &RawValue) -> Vec<&RawValue> {
    serde_json::from_str(raw.get()).unwrap_or_default()
}
