//! Single fields of a node, each read as far as it is what it should be.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::{formats::codex::json::unescaped, run::rubric_tree::ModelTokens};

/// The characters of a string; one with half a surrogate pair in it is given as it is written. None of anything else.
pub fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    let inner = raw.get().strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inner.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    Some(unescaped(inner).map_or(Cow::Borrowed(inner), Cow::Owned))
}

/// As [`text`]; None where there is nothing in it.
pub fn words(raw: &RawValue) -> Option<Box<str>> {
    text(raw).filter(|text| !text.trim().is_empty()).map(Into::into)
}

/// None of anything else, infinite numbers included.
pub fn number(raw: &RawValue) -> Option<f64> {
    let is_number = raw.get().starts_with(|c: char| c == '-' || c.is_ascii_digit());
    is_number.then(|| raw.get().parse().ok())?.filter(|number: &f64| number.is_finite())
}

/// A whole number, 0 or more.
pub fn count(raw: &RawValue) -> Option<u64> {
    raw.get().parse().ok()
}

pub fn flag(raw: &RawValue) -> Option<bool> {
    raw.get().parse().ok()
}

pub fn is_null(raw: &RawValue) -> bool {
    raw.get() == "null"
}

/// What it is, for a sentence: `a string`, `the number -3`.
pub fn kind(raw: &RawValue) -> String {
    match raw.get().as_bytes().first() {
        Some(b'"') => match raw.get() {
            "\"N\"" => "NaN".into(),
            "\"Infin.\"" | "\"-Infin.\"" => "infinite".into(),
            _ => "a string".into(),
        },
        Some(b'{') => "an object".into(),
        Some(b'[') => "a list".into(),
        Some(b'n') => "null".into(),
        Some(b't' | b'f') => raw.get().into(),
        _ => raw.get().chars().take(24).collect(),
    }
}

/// The fields of an object in the order of the text; None where it is none.
pub fn fields(raw: &RawValue) -> Option<Vec<(Cow<'_, str>, &RawValue)>> {
    if !raw.get().starts_with('{') {
        return None;
    }
    let mut found = vec![];
    let mut reader = serde_json::Deserializer::from_str(raw.get());
    let seen = serde::Deserializer::deserialize_map(&mut reader, Fields(&mut found));
    seen.ok().map(|()| found)
}

/// The field of that name that is not null.
pub fn field<'a>(fields: &[(Cow<'_, str>, &'a RawValue)], name: &str) -> Option<&'a RawValue> {
    fields.iter().find(|(key, value)| key == name && !is_null(value)).map(|(_, value)| *value)
}

struct Fields<'f, 'de>(&'f mut Vec<(Cow<'de, str>, &'de RawValue)>);

impl<'de> serde::de::Visitor<'de> for Fields<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: serde::de::MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(key) = map.next_key::<&RawValue>()? {
            self.0.push((text(key).unwrap_or_default(), map.next_value()?));
        }
        Ok(())
    }
}

/// `{"gpt-x": {"in": 12, "out": 3}}`; models without numbers are left out.
pub fn tokens(raw: &RawValue) -> Vec<ModelTokens> {
    let Some(models) = fields(raw) else { return vec![] };
    let of_model = |(model, usage): &(Cow<'_, str>, &RawValue)| {
        let usage = fields(usage)?;
        let count = |names: [&str; 2]| names.iter().find_map(|name| count(field(&usage, name)?));
        let (input, output) = (count(["in", "input_tokens"]), count(["out", "output_tokens"]));
        (input.is_some() || output.is_some()).then(|| ModelTokens {
            model: model.as_ref().into(),
            input: input.unwrap_or(0),
            output: output.unwrap_or(0),
        })
    };
    models.iter().filter_map(of_model).collect()
}
