//! The tables of fields as JSON schemas: those in `docs/schemas` say what `trajview check` accepts. The descriptions are
//! those of the files. `TRAJVIEW_WRITE_PAGES=1 cargo test -p trajview-formats shapes` writes the files again.
#![allow(clippy::disallowed_methods)] // tests may read the disk

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::{Value, json};

use super::{
    COMPONENTS, EXPOSURE, FLAGGING, FULL_SCORE, FieldNeed, FieldShape, GOLD, JUDGEMENT, LABELS,
    ValueShape,
};

/// The files, with what a document of each may be.
const FILES: [(&str, &[&[FieldShape]]); 5] = [
    ("components", &[COMPONENTS]),
    ("exposure", &[EXPOSURE]),
    ("gold", &[GOLD]),
    ("judgement", &[JUDGEMENT, FLAGGING]),
    ("labels", &[LABELS]),
];

/// Makes the schema of an object. `before` is the schema in the file, for its descriptions.
fn object_schema(fields: &[FieldShape], before: &Value) -> Value {
    let mut properties = BTreeMap::new();
    for FieldShape(name, shape, need) in fields {
        let before = &before["properties"][*name];
        let mut schema = value_schema(shape, before);
        if *need == FieldNeed::May {
            allow_null(&mut schema);
        }
        schema["description"] = before.get("description").cloned().unwrap_or_else(|| "".into());
        properties.insert(*name, schema);
    }
    let needed = fields.iter().filter(|field| field.2 == FieldNeed::Must).map(|field| field.0);
    json!({
        "type": "object",
        "properties": properties,
        "patternProperties": { "^//": { "description": "a comment" } },
        "required": needed.collect::<Vec<_>>(),
        "additionalProperties": false,
    })
}

fn value_schema(shape: &ValueShape, before: &Value) -> Value {
    match shape {
        ValueShape::Schema(name) => json!({ "const": name }),
        ValueShape::Text => json!({ "type": "string" }),
        ValueShape::Id => json!({ "type": "string", "pattern": "\\S" }),
        ValueShape::OneOf(words) => json!({ "enum": words }),
        ValueShape::Time => json!({ "type": "string", "format": "date-time" }),
        ValueShape::Count => json!({ "type": "integer", "minimum": 0 }),
        ValueShape::Ordinal => json!({ "type": "integer", "minimum": 1 }),
        ValueShape::Number => json!({ "type": "number" }),
        ValueShape::Flag => json!({ "type": "boolean" }),
        ValueShape::Score => json!({ "type": "integer", "minimum": 0, "maximum": FULL_SCORE }),
        ValueShape::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        ValueShape::Any => json!({}),
        ValueShape::Object(fields) => object_schema(fields, before),
        ValueShape::Objects(fields) => {
            json!({ "type": "array", "items": object_schema(fields, &before["items"]) })
        }
    }
}

fn allow_null(schema: &mut Value) {
    if let Some(kind) = schema.get("type").cloned() {
        schema["type"] = json!([kind, "null"]);
    }
    if let Some(words) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        words.push(Value::Null);
    }
}

/// Makes the schema of a file from its tables.
fn file_schema(name: &str, tables: &[&[FieldShape]], before: &Value) -> Value {
    let mut schema = match tables {
        [only] => object_schema(only, before),
        several => {
            let each = several.iter().enumerate();
            let each = each.map(|(at, fields)| object_schema(fields, &before["anyOf"][at]));
            json!({ "type": "object", "anyOf": each.collect::<Vec<_>>() })
        }
    };
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["$id"] = format!("urn:trajview:{name}:1").into();
    schema["title"] = format!("trajview.{name}/1").into();
    schema["description"] = before.get("description").cloned().unwrap_or_else(|| "".into());
    schema
}

/// Returns a document with the fields of each object in the order of their names.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields: BTreeMap<_, _> =
                fields.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            fields.into_iter().collect::<serde_json::Map<_, _>>().into()
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        other => other,
    }
}

#[test]
fn the_schemas_of_rubric_files_are_those_of_their_tables() {
    for (name, tables) in FILES {
        let path = format!("{}/docs/schemas/{name}.json", trajview_testing::project());
        let text = fs::read_to_string(&path).unwrap_or_default();
        let before = serde_json::from_str(&text).unwrap_or_default();
        let schema = sorted(file_schema(name, tables, &before));
        let made = format!("{schema:#}\n");
        if std::env::var_os("TRAJVIEW_WRITE_PAGES").is_some() {
            fs::write(Path::new(&path), made).unwrap();
        } else {
            let write = "TRAJVIEW_WRITE_PAGES=1 cargo test -p trajview-formats shapes";
            assert!(made == text, "{path} is stale; write it again: {write}");
        }
    }
}
