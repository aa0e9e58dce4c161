//! Reading documents that other people's servers wrote: what is missing is absent, never a panic.

use std::collections::HashMap;

use serde_json::{Value, value::RawValue};

use crate::{answer::cut_text, fault::JudgeFault};

/// Characters of an error that are shown.
const MOST_SAID: usize = 300;

/// Returns the error in a document; None where it has none.
pub fn error_of(document: &Value) -> Option<String> {
    let error = document.get("error").filter(|error| !error.is_null());
    let is_error = document.get("type").and_then(Value::as_str) == Some("error");
    let error = error.or_else(|| is_error.then_some(document))?;
    let message = error.get("message").or_else(|| error.get("detail")).unwrap_or(error);
    let message = message.as_str().map_or_else(|| message.to_string(), str::to_owned);
    Some(one_line(&message))
}

/// Reads the document that one event of a stream carries.
pub(crate) fn parse_event_data(data: &str) -> Result<Value, JudgeFault> {
    serde_json::from_str(data).map_err(|_| {
        let shown = excerpt_of(data.as_bytes());
        JudgeFault::Malformed(format!("expected JSON in the stream, found {shown}"))
    })
}

/// Returns some of a body that is not what it should be.
pub(crate) fn excerpt_of(body: &[u8]) -> String {
    let head = &body[..body.len().min(MOST_SAID * 4)];
    match one_line(&String::from_utf8_lossy(head)) {
        excerpt if excerpt.is_empty() => "nothing".into(),
        excerpt => excerpt,
    }
}

fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    cut_text(&line, MOST_SAID)
}

/// Returns the JSON text at a place of a document, as it was written: keys of objects, and numbers of entries of lists.
pub(crate) fn json_text_at<'a>(document: &'a str, place: &[&str]) -> Option<&'a str> {
    let mut text = document;
    for key in place {
        let found: &RawValue = match key.parse::<usize>() {
            Ok(number) => {
                let entries: Vec<&RawValue> = serde_json::from_str(text).ok()?;
                entries.get(number).copied()?
            }
            Err(_) => {
                let entries: HashMap<String, &RawValue> = serde_json::from_str(text).ok()?;
                entries.get(*key).copied()?
            }
        };
        text = found.get();
    }
    Some(text)
}

/// Returns the text of a field; empty where there is none.
pub fn text_field<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the entries of a list; none where there is no list.
pub(crate) fn list_field<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub(crate) fn count_field(value: &Value, name: &str) -> Option<u64> {
    value.get(name).and_then(Value::as_u64)
}
