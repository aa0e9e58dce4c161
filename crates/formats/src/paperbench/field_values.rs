//! Single fields of a node, given as they are written, each read as far as it is what it should be.

use std::borrow::Cow;

use crate::{
    json_object::{JsonObject, literal_text},
    tape::{JsonTape, TapeValue},
};
use trajview_run::rubric_tree::ModelTokens;

/// Returns the text of a value; None where it is blank.
pub fn non_blank_text(written: &str) -> Option<Box<str>> {
    literal_text(written).filter(|text| !text.trim().is_empty()).map(Into::into)
}

/// Returns the number; None for anything else, infinite numbers included.
pub fn number(written: &str) -> Option<f64> {
    let is_number = written.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    is_number.then(|| written.parse().ok())?.filter(|number: &f64| number.is_finite())
}

/// Returns a whole number, 0 or more.
pub fn count(written: &str) -> Option<u64> {
    written.parse().ok()
}

pub fn flag(written: &str) -> Option<bool> {
    written.parse().ok()
}

pub fn is_null(written: &str) -> bool {
    written == "null"
}

/// Returns the kind of a value for a sentence: `a string`, `the number -3`.
pub fn value_description(written: &str) -> String {
    match written.as_bytes().first() {
        Some(b'"') => match written {
            "\"N\"" => "NaN".into(),
            "\"Infin.\"" | "\"-Infin.\"" => "infinite".into(),
            _ => "a string".into(),
        },
        Some(b'{') => "an object".into(),
        Some(b'[') => "a list".into(),
        Some(b'n') => "null".into(),
        Some(b't' | b'f') => written.into(),
        _ => written.chars().take(24).collect(),
    }
}

/// Reads `{"gpt-x": {"in": 12, "out": 3}}`; models without numbers are left out.
pub fn tokens_by_model(written: &str) -> Vec<ModelTokens> {
    let tape = JsonTape::parse(written);
    let models = JsonObject::from_tape(&tape).unwrap_or_default();
    let of_model = |(model, usage): (Cow<'_, str>, TapeValue<'_>)| {
        let usage = JsonObject::from_value(usage)?;
        let count = |names: [&str; 2]| names.iter().find_map(|name| usage.number(name));
        let (input, output) = (count(["in", "input_tokens"]), count(["out", "output_tokens"]));
        (input.is_some() || output.is_some()).then(|| ModelTokens {
            model: model.into(),
            input: input.unwrap_or(0),
            output: output.unwrap_or(0),
        })
    };
    models.fields().filter_map(of_model).collect()
}
