//! Takes a file with several runs apart: where each is, and what it is called.

use std::collections::HashMap;

use serde_json::value::RawValue;

use crate::{json_object::JsonObject, not_finite, tape::JsonTape};

/// Returns the name of a row: the value of the first of `ids` that is in its beginning.
pub fn row_name(head: &[u8], ids: &[String]) -> Option<String> {
    ids.iter().find_map(|key| {
        let needle = format!("\"{key}\"");
        let at = memchr::memmem::find(head, needle.as_bytes())? + needle.len();
        let rest = head.get(at..)?.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        match rest.first()? {
            b'"' => {
                let end = memchr::memchr(b'"', rest.get(1..)?)?;
                Some(String::from_utf8_lossy(&rest[1..=end]).into_owned())
            }
            b'0'..=b'9' => {
                let end = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
                Some(String::from_utf8_lossy(&rest[..end]).into_owned())
            }
            _ => None,
        }
    })
}

/// Returns the texts of the elements of the list under that key of a document, of the list that it is where the key is
/// empty; None where it has no such list.
pub fn list_elements<'t>(document: &'t str, key: &str) -> Option<Vec<&'t str>> {
    // A document may have more values than a tape holds, or such as are no numbers.
    elements_by_serde(document, key).or_else(|| elements_by_tape(document, key))
}

fn elements_by_serde<'t>(document: &'t str, key: &str) -> Option<Vec<&'t str>> {
    let list = if key.is_empty() {
        document
    } else {
        let fields: HashMap<String, &RawValue> = serde_json::from_str(document).ok()?;
        fields.get(key)?.get()
    };
    let list: Vec<&RawValue> = serde_json::from_str(list).ok()?;
    Some(list.into_iter().map(RawValue::get).collect())
}

/// Returns the elements of the list in a field, or of a document that is a list for an empty key, as they are written;
/// None where there is no such list.
fn elements_by_tape<'t>(document: &'t str, key: &str) -> Option<Vec<&'t str>> {
    let tape = JsonTape::parse(document)?;
    let list =
        if key.is_empty() { tape.root() } else { JsonObject::from_value(tape.root())?.get(key)? };
    let text = |value: &str| {
        let at = value.as_ptr() as usize - document.as_ptr() as usize;
        document.get(at..at + value.len())
    };
    list.elements().map(|element| text(element.get())).collect()
}

/// The field of a document with several runs that names one of them.
pub(crate) const RUN_FIELD: &str = "trajview:run";

/// Returns the names of the fields of the object under that key of a document, in order; None where it has no such object.
pub fn field_names(document: &str, key: &str) -> Option<Vec<String>> {
    let tape = JsonTape::parse(document.trim_start_matches('\u{feff}').trim())?;
    let object = JsonObject::from_value(tape.root())?.object(key)?;
    Some(object.fields().map(|(name, _)| name.into_owned()).collect())
}

/// Returns a document, an object with fields, for one of its runs: with the run's name in a field of its own.
pub fn with_run_field(document: &str, run: &str) -> Vec<u8> {
    let fields = document.trim_start_matches('\u{feff}').trim_start();
    let fields = fields.strip_prefix('{').unwrap_or(fields);
    format!("{{\"{RUN_FIELD}\":{},{fields}", serde_json::Value::from(run)).into_bytes()
}

/// Returns the name of an element: that of a trial, `<id>_epoch_<epoch>` of a sample of Inspect, the UUID of a conversation.
pub fn element_name(element: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct SampleName {
        #[serde(default)]
        id: serde_json::Value,
        epoch: Option<u64>,
        uuid: Option<serde_json::Value>,
        trial_name: Option<serde_json::Value>,
    }
    let (SampleName { id, epoch, uuid, trial_name }, _) =
        not_finite::read_json(element.as_bytes()).ok()?;
    if let Some(name) = trial_name.as_ref().and_then(serde_json::Value::as_str) {
        return Some(name.to_owned());
    }
    if id.is_null() {
        return uuid?.as_str().map(str::to_owned);
    }
    let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    Some(format!("{id}_epoch_{}", epoch.unwrap_or(1)))
}
