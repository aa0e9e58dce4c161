//! Reading documents that other people's servers wrote: what is missing is absent, never a panic.

use serde_json::Value;

use crate::{answer::cut, fault::Fault};

/// Characters of an error that are shown.
const MOST_SAID: usize = 300;

/// What a document says went wrong; None where it says nothing of the kind.
pub fn error_of(document: &Value) -> Option<String> {
    let error = document.get("error").filter(|error| !error.is_null());
    let is_error = document.get("type").and_then(Value::as_str) == Some("error");
    let error = error.or_else(|| is_error.then_some(document))?;
    let said = error.get("message").or_else(|| error.get("detail")).unwrap_or(error);
    let said = said.as_str().map_or_else(|| said.to_string(), str::to_owned);
    Some(one_line(&said))
}

/// The document that one event of a stream carries.
pub fn piece(data: &str) -> Result<Value, Fault> {
    serde_json::from_str(data).map_err(|_| {
        let shown = shown(data.as_bytes());
        Fault::Garbage(format!("expected JSON in the stream, found {shown}"))
    })
}

/// Some of a body that is not what it should be.
pub fn shown(body: &[u8]) -> String {
    let head = &body[..body.len().min(MOST_SAID * 4)];
    match one_line(&String::from_utf8_lossy(head)) {
        said if said.is_empty() => "nothing".into(),
        said => said,
    }
}

fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    cut(&line, MOST_SAID)
}

/// The text of a field; empty where there is none.
pub fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The entries of a list; none where there is no list.
pub fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub fn count(value: &Value, name: &str) -> Option<u64> {
    value.get(name).and_then(Value::as_u64)
}
