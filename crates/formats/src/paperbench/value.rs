//! Single fields of a node, each read as far as it is what it should be.

use serde_json::value::RawValue;

use crate::json::Object;
pub use crate::json::text;
use trajview_run::rubric_tree::ModelTokens;

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

/// `{"gpt-x": {"in": 12, "out": 3}}`; models without numbers are left out.
pub fn tokens(raw: &RawValue) -> Vec<ModelTokens> {
    let models = Object::of(raw).unwrap_or_default();
    let of_model = |(model, usage): (&str, &RawValue)| {
        let usage = Object::of(usage)?;
        let count = |names: [&str; 2]| names.iter().find_map(|name| count(usage.get(name)?));
        let (input, output) = (count(["in", "input_tokens"]), count(["out", "output_tokens"]));
        (input.is_some() || output.is_some()).then(|| ModelTokens {
            model: model.into(),
            input: input.unwrap_or(0),
            output: output.unwrap_or(0),
        })
    };
    models.fields().filter_map(of_model).collect()
}
