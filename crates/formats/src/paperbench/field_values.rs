//! Single fields of a node, each read as far as it is what it should be.

use serde_json::value::RawValue;

use crate::raw_object::RawObject;
pub use crate::raw_object::string_text;
use trajview_run::rubric_tree::ModelTokens;

/// Returns the text of a value; None where it is blank.
pub fn non_blank_text(raw: &RawValue) -> Option<Box<str>> {
    string_text(raw).filter(|text| !text.trim().is_empty()).map(Into::into)
}

/// Returns the number; None for anything else, infinite numbers included.
pub fn number(raw: &RawValue) -> Option<f64> {
    let is_number = raw.get().starts_with(|c: char| c == '-' || c.is_ascii_digit());
    is_number.then(|| raw.get().parse().ok())?.filter(|number: &f64| number.is_finite())
}

/// Returns a whole number, 0 or more.
pub fn count(raw: &RawValue) -> Option<u64> {
    raw.get().parse().ok()
}

pub fn flag(raw: &RawValue) -> Option<bool> {
    raw.get().parse().ok()
}

pub fn is_null(raw: &RawValue) -> bool {
    raw.get() == "null"
}

/// Returns the kind of a value for a sentence: `a string`, `the number -3`.
pub fn value_description(raw: &RawValue) -> String {
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

/// Reads `{"gpt-x": {"in": 12, "out": 3}}`; models without numbers are left out.
pub fn tokens_by_model(raw: &RawValue) -> Vec<ModelTokens> {
    let models = RawObject::from_raw(raw).unwrap_or_default();
    let of_model = |(model, usage): (&str, &RawValue)| {
        let usage = RawObject::from_raw(usage)?;
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
