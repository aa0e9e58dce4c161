//! The documents that the program prints, beside the schemas in `docs/schemas`.
//!
//! Every test that runs the program with `--json` checks them. With `TRAJVIEW_WRITE_PAGES` it makes the schemas wider instead: a
//! new field or type is added to the file, where it gets its description.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::PathBuf,
    sync::{Arc, LazyLock, Mutex},
};

use jsonschema::Validator;
use serde_json::{Deserializer, Map, Value, json};

use super::project_path;

pub const TO_WRITE: &str = "TRAJVIEW_WRITE_PAGES=1 cargo test --test commands schemas";

/// Whether the schemas are to be written again.
pub fn is_to_write() -> bool {
    std::env::var_os("TRAJVIEW_WRITE_PAGES").is_some()
}

pub fn schema_path(name: &str) -> PathBuf {
    project_path("docs/schemas").join(format!("{name}.json"))
}

/// All schemas by the names of their files.
pub fn all_schemas() -> BTreeMap<String, Value> {
    let files = fs::read_dir(project_path("docs/schemas")).unwrap().map(|it| it.unwrap().path());
    let read = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let schema = serde_json::from_slice(&fs::read(&path).unwrap());
        (name, schema.unwrap_or_else(|why| panic!("{}: {why}", path.display())))
    };
    files.map(read).collect()
}

/// The documents of an output: one, or several after each other. None where it is not JSON.
pub fn documents(out: &str) -> Vec<Value> {
    Deserializer::from_str(out).into_iter().collect::<Result<_, _>>().unwrap_or_default()
}

/// `score` of `trajview.score/1`; None for a document of another program.
pub fn schema_name(document: &Value) -> Option<&str> {
    let schema = document.get("schema")?.as_str()?.strip_prefix("trajview.")?;
    Some(schema.split('/').next().unwrap_or(schema))
}

/// What is wrong with a document by its schema; nothing for a document of another program.
pub fn problem(document: &Value) -> Option<String> {
    let name = schema_name(document)?;
    let Some(validator) = validator(name) else {
        return Some(format!("docs/schemas/{name}.json is missing; write it: {TO_WRITE}"));
    };
    let problems = validator.iter_errors(document).take(5);
    let problems: Vec<String> =
        problems.map(|it| format!("{}: {:.300}", it.instance_path(), it.to_string())).collect();
    let words = problems.join("\n");
    (!problems.is_empty())
        .then(|| format!("not as in docs/schemas/{name}.json:\n{words}\n{TO_WRITE}"))
}

/// # Panics
///
/// If the output of `--json` is not as its schema describes it.
pub fn check_output(arguments: &[&str], out: &str) {
    // The schemas are of documents of the samples; other recordings may have fields that no sample has.
    let is_of_samples = arguments.iter().any(|it| it.starts_with("sample-runs"));
    if arguments.contains(&"--json") && (is_of_samples || is_to_write()) {
        documents(out).iter().for_each(|document| check_document(document, &arguments.join(" ")));
    }
}

/// # Panics
///
/// If a document is not as its schema describes it, but where schemas are to be written.
pub fn check_document(document: &Value, place: &str) {
    match problem(document) {
        Some(_) if is_to_write() => widen_file(document),
        Some(problem) => panic!("{place}: {problem}"),
        None => {}
    }
}

/// The validator of a schema; None where there is no schema.
fn validator(name: &str) -> Option<Arc<Validator>> {
    static VALIDATORS: LazyLock<Mutex<HashMap<String, Option<Arc<Validator>>>>> =
        LazyLock::new(Mutex::default);
    let mut all = VALIDATORS.lock().unwrap();
    let make = || {
        let schema = serde_json::from_slice(&fs::read(schema_path(name)).ok()?).unwrap();
        Some(Arc::new(jsonschema::validator_for(&schema).expect("the schema is one")))
    };
    all.entry(name.to_owned()).or_insert_with(make).clone()
}

/// Makes the schema file of a document allow it as well. New fields wait for a description.
pub fn widen_file(document: &Value) {
    static WRITING: Mutex<()> = Mutex::new(());
    let _writing = WRITING.lock().unwrap();
    let Some(name) = schema_name(document) else { return };
    let path = schema_path(name);
    let schema = fs::read(&path).ok().map(|bytes| serde_json::from_slice(&bytes).unwrap());
    let mut schema: Map<String, Value> = schema.unwrap_or_else(|| new_schema(name, document));
    let mut waiting = vec![];
    widen(&mut schema, document, &mut waiting);
    while let Some((name, value)) = waiting.pop() {
        let definition = schema["$defs"][&name].as_object_mut().expect("it is defined");
        widen(definition, &value, &mut waiting);
    }
    fs::write(path, canonical_text(schema.into())).unwrap();
}

fn new_schema(name: &str, document: &Value) -> Map<String, Value> {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": format!("urn:trajview:{name}:1"),
        "title": document["schema"],
        "description": "",
        "type": "object",
        "properties": { "schema": { "const": document["schema"], "description": "The name and version of the document." } },
        "required": document.as_object().unwrap().keys().collect::<Vec<_>>(),
        "additionalProperties": false,
    });
    schema.as_object().unwrap().clone()
}

/// The text of a schema file: fields in the order of their names.
pub fn canonical_text(schema: Value) -> String {
    fn sorted(value: Value) -> Value {
        match value {
            Value::Object(fields) => {
                let fields: BTreeMap<_, _> =
                    fields.into_iter().map(|(name, value)| (name, sorted(value))).collect();
                fields.into_iter().collect::<Map<_, _>>().into()
            }
            Value::Array(items) => items.into_iter().map(sorted).collect(),
            other => other,
        }
    }
    format!("{:#}\n", sorted(schema))
}

/// Makes a schema allow a value. `waiting` takes what a definition must allow.
fn widen(schema: &mut Map<String, Value>, value: &Value, waiting: &mut Vec<(String, Value)>) {
    if schema.contains_key("const") || schema.contains_key("enum") {
        return;
    }
    if let Some(several) = schema.get_mut("anyOf").and_then(Value::as_array_mut) {
        let at = usize::from(!value.is_object());
        return widen(several[at].as_object_mut().unwrap(), value, waiting);
    }
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let name = name.rsplit('/').next().unwrap().to_owned();
        if value.is_object() {
            waiting.push((name, value.clone()));
        } else {
            let reference = schema.remove("$ref");
            let other = json!({ "type": kind(value) });
            schema.insert("anyOf".into(), json!([{ "$ref": reference }, other]));
        }
        return;
    }
    add_kind(schema, kind(value));
    match value {
        Value::Array(items) => items.iter().for_each(|item| {
            let items = schema.entry("items").or_insert_with(|| json!({}));
            widen(items.as_object_mut().unwrap(), item, waiting);
        }),
        Value::Object(fields) => widen_object(schema, fields, waiting),
        _ => {}
    }
}

fn widen_object(
    schema: &mut Map<String, Value>,
    fields: &Map<String, Value>,
    waiting: &mut Vec<(String, Value)>,
) {
    if let Some(each) = schema.get_mut("additionalProperties").and_then(Value::as_object_mut) {
        return fields.values().for_each(|value| widen(each, value, waiting));
    }
    if !schema.contains_key("properties") {
        schema.insert("properties".into(), json!({}));
        schema.insert("required".into(), fields.keys().cloned().collect());
        schema.insert("additionalProperties".into(), false.into());
    }
    let required = schema["required"].as_array_mut().unwrap();
    required.retain(|name| fields.contains_key(name.as_str().unwrap()));
    let properties = schema["properties"].as_object_mut().unwrap();
    for (name, value) in fields {
        let property = properties.entry(name).or_insert_with(|| json!({ "description": "" }));
        widen(property.as_object_mut().unwrap(), value, waiting);
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Adds a type to those that a schema has. A whole number is a number.
fn add_kind(schema: &mut Map<String, Value>, kind: &str) {
    let mut kinds: Vec<String> = match schema.get("type") {
        None => vec![],
        Some(Value::String(one)) => vec![one.clone()],
        Some(several) => serde_json::from_value(several.clone()).unwrap(),
    };
    let is_number = kinds.iter().any(|known| known == "number");
    let is_named = kinds.iter().any(|known| known == kind);
    if !(is_named || kind == "integer" && is_number) {
        kinds.push(kind.to_owned());
    }
    if kind == "number" {
        kinds.retain(|known| known != "integer");
    }
    let kinds = if let [one] = kinds.as_slice() { json!(one) } else { json!(kinds) };
    schema.insert("type".into(), kinds);
}
