//! The JSON schemas of answers. Their keys come in the order in which a judge is to answer, also in the bytes of a request:
//! the evidence, then the rationale, then the level, so that the level follows from the reason.

use serde::{Serialize, Serializer};
use serde_json::{Value, json, value::RawValue};

/// The key of the confidence in an answer.
pub(crate) const CONFIDENCE: &str = "confidence";

/// The schema of an object whose keys are all required, in their order.
#[derive(Serialize)]
struct ObjectSchema<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    properties: OrderedSchemas<'a>,
    required: Vec<&'a str>,
    #[serde(rename = "additionalProperties")]
    allows_others: bool,
}

#[derive(Serialize)]
struct ListSchema {
    #[serde(rename = "type")]
    kind: &'static str,
    description: &'static str,
    items: Box<RawValue>,
}

struct OrderedSchemas<'a>(Vec<(&'a str, Box<RawValue>)>);

impl Serialize for OrderedSchemas<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(key, schema)| (key, schema)))
    }
}

/// Returns the JSON text of a schema that has no order of its own.
pub(crate) fn to_raw_schema(schema: &impl Serialize) -> Box<RawValue> {
    // Schemas have texts as keys only, so that writing them cannot fail.
    serde_json::value::to_raw_value(schema).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// Returns the schema of an object with these keys, all of them required.
pub(crate) fn object_schema(fields: Vec<(&str, Box<RawValue>)>) -> Box<RawValue> {
    to_raw_schema(&ObjectSchema {
        kind: "object",
        required: fields.iter().map(|(key, _)| *key).collect(),
        properties: OrderedSchemas(fields),
        allows_others: false,
    })
}

/// Returns the schema of a list.
pub(crate) fn list_schema(description: &'static str, items: Box<RawValue>) -> Box<RawValue> {
    to_raw_schema(&ListSchema { kind: "array", description, items })
}

/// Returns the schema of a verdict: evidence and rationale, and what is given last under a key.
///
/// With `asks_confidence` a confidence follows it.
pub(crate) fn reasoned_schema(
    key: &str,
    given_schema: Box<RawValue>,
    asks_confidence: bool,
) -> Box<RawValue> {
    let quote = json!({
        "type": "string",
        "description": "the one to three lines that show it, copied exactly, without line numbers",
    });
    let mut fields = place_fields();
    fields.push(("quote", to_raw_schema(&quote)));
    let rationale = json!({"type": "string", "description": "two to five sentences"});
    let confidence = json!({
        "type": "number",
        "minimum": 0,
        "maximum": 1,
        "description": "the probability that an expert gives the same answer",
    });
    let confidence = asks_confidence.then(|| (CONFIDENCE, to_raw_schema(&confidence)));
    let fields = vec![
        ("evidence", list_schema("the lines it rests on", object_schema(fields))),
        ("rationale", to_raw_schema(&rationale)),
        (key, given_schema),
    ];
    object_schema(fields.into_iter().chain(confidence).collect())
}

/// Returns the keys that name lines of a file.
pub(crate) fn place_fields() -> Vec<(&'static str, Box<RawValue>)> {
    let line = || to_raw_schema(&json!({"type": "integer", "minimum": 1}));
    let path: Value = json!({"type": "string"});
    vec![("path", to_raw_schema(&path)), ("start", line()), ("end", line())]
}
