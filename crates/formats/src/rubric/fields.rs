//! Fields of JSON objects that other people wrote: each is read as far as it is what it should be.

use serde_json::{Map, Value};

use crate::json_object::JsonFields;
use crate::{SourceBytes, not_finite};
use trajview_run::{
    Warning,
    rubric::{FULL_SCORE, ScoreScale},
};

/// Larger files are not read.
pub const MAX_BYTES: u64 = 8 << 20;

/// An object and where it is.
pub struct RubricFields<'a> {
    map: &'a Map<String, Value>,
}

/// Returns the document of a file; None where it is not a JSON object. Adds warnings, also for another schema, which is
/// read as this one.
pub fn read_document(
    file: &SourceBytes<'_>,
    schema: &str,
    warnings: &mut Vec<Warning>,
) -> Option<Map<String, Value>> {
    let mut warn = |what: String| warnings.push(Warning { place: file.name.into(), what });
    match not_finite::read_json::<Value>(file.bytes) {
        Ok((Value::Object(map), no_numbers)) => {
            if no_numbers > 0 {
                warn(not_finite::warning_text(no_numbers));
            }
            match map.text("schema") {
                Some(found) if found != schema => {
                    warn(format!("has the schema {found:?}; it is read as {schema}"))
                }
                None => warn(format!("does not name its schema; it is read as {schema}")),
                Some(_) => {}
            }
            Some(map)
        }
        Ok(_) => {
            warn("is not a JSON object".into());
            None
        }
        Err(why) => {
            warn(format!("is not JSON: {why}"));
            None
        }
    }
}

/// Returns the objects of a list with their positions, counted from 1. Adds a warning for each entry that is none, and
/// where there is no list.
pub fn objects_in_list<'a>(
    file: &SourceBytes<'_>,
    document: &'a Map<String, Value>,
    list: &str,
    warnings: &mut Vec<Warning>,
) -> Vec<(usize, RubricFields<'a>)> {
    let mut warn = |what: String| warnings.push(Warning { place: file.name.into(), what });
    let Some(entries) = document.list(list) else {
        warn(format!("has no list {list:?}"));
        return vec![];
    };
    let mut found = vec![];
    for (number, entry) in (1..).zip(entries) {
        match entry.as_object() {
            Some(map) => found.push((number, RubricFields { map })),
            None => warn(format!("{list}, entry {number}: is not an object")),
        }
    }
    found
}

impl<'a> RubricFields<'a> {
    pub const fn new(map: &'a Map<String, Value>) -> Self {
        Self { map }
    }

    fn present_value(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// Returns the text of a field; numbers and lists as they are written.
    pub fn as_written(&self, name: &str) -> Option<String> {
        self.present_value(name).map(|value| match value {
            Value::String(text) => text.clone(),
            Value::Array(list) if list.iter().all(Value::is_string) => {
                list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
            }
            other => other.to_string(),
        })
    }

    /// Returns the text as [`Self::as_written`] does; empty where there is none.
    pub fn text_or_empty(&self, name: &str) -> String {
        self.as_written(name).unwrap_or_default()
    }

    /// Returns an id: text or a number; None where it is missing or blank.
    pub fn trimmed_id(&self, name: &str) -> Option<String> {
        self.as_written(name).map(|id| id.trim().to_owned()).filter(|id| !id.is_empty())
    }

    /// Returns a whole number that is not negative, as a number or in quotes.
    pub fn count(&self, name: &str) -> Option<u64> {
        whole_number(self.present_value(name)?)
    }

    /// Returns a count as [`Self::count`] does, from 1.
    pub fn count_from_one(&self, name: &str) -> Option<usize> {
        self.count(name)
            .and_then(|number| usize::try_from(number).ok())
            .filter(|&number| number > 0)
    }

    /// Returns a finite number.
    pub fn finite_number(&self, name: &str) -> Option<f64> {
        self.map.float(name).filter(|number| number.is_finite())
    }

    pub fn flag(&self, name: &str) -> Option<bool> {
        self.map.flag(name)
    }

    pub fn is_list(&self, name: &str) -> bool {
        self.map.list(name).is_some()
    }

    pub fn object(&self, name: &str) -> Option<Self> {
        self.map.object(name).map(Self::new)
    }

    /// Returns the objects of a list, others left out.
    pub fn objects_of(&self, name: &str) -> impl Iterator<Item = Self> + use<'a> {
        self.map.elements_of(name).iter().filter_map(|value| value.as_object().map(Self::new))
    }

    /// Returns the strings of a list.
    pub fn strings_of(&self, name: &str) -> Vec<String> {
        self.map.texts_of(name)
    }

    /// Returns a score of the rubric of five levels. The error is a sentence; no score at all is `Ok(None)`.
    pub fn score(&self, name: &str) -> Result<Option<u8>, String> {
        self.score_to(name, FULL_SCORE)
    }

    /// Reads a score as [`Self::score`] does, on a scale with another end.
    pub fn score_to(&self, name: &str, full: u8) -> Result<Option<u8>, String> {
        let Some(value) = self.present_value(name) else { return Ok(None) };
        match whole_number(value)
            .and_then(|score| u8::try_from(score).ok())
            .filter(|score| *score <= full)
        {
            Some(score) => Ok(Some(score)),
            None => Err(format!("the {name} {value} is not on the scale 0..{full}")),
        }
    }

    /// Reads a score as [`Self::score`] does, on any scale.
    pub fn score_on(&self, name: &str, scale: ScoreScale) -> Result<Option<f64>, String> {
        let Some(value) = self.present_value(name) else { return Ok(None) };
        let number = || value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
        match number().filter(|score| scale.contains_score(*score)) {
            Some(score) => Ok(Some(score)),
            None => Err(format!("the {name} {value} is not on the scale {scale}")),
        }
    }
}

/// Reads a whole number: `3`, `3.0` or `"3"`.
fn whole_number(value: &Value) -> Option<u64> {
    let float = || {
        let number = value.as_f64()?;
        (number >= 0.0 && number.fract() == 0.0 && number < 9e15).then_some(number as u64)
    };
    value.as_u64().or_else(float).or_else(|| value.as_str()?.trim().parse().ok())
}
