//! `labels/*.json` as we write them: new labels go into the file as it is, and what we do not know in it stays byte for
//! byte. One line a label, so that a person can read the file and a version control can tell what changed.

use std::collections::BTreeMap;

use serde_json::{
    Map, Value,
    value::{RawValue, to_raw_value},
};

use crate::{formats::Source, run::rubric::Label};

use super::{fields::Fields, labels};

const SCHEMA: &str = "trajview.labels/1";

/// An object as it is written, by field.
type Raw = BTreeMap<String, Box<RawValue>>;

/// The content of a rater's file with these labels in it. Each takes the place of the one that is
/// [of one](Label::is_of_one) with it, or is added at the end. The later of two labels of a component counts, so one
/// that takes a place before another of its component goes to the end instead.
///
/// The error, a sentence that begins with a verb, is about a file that is no file of labels: it is not to be written
/// over.
pub fn with(before: Option<&[u8]>, annotator: &str, new: &[Label]) -> Result<Vec<u8>, String> {
    let mut file = match before {
        Some(bytes) => read(bytes)?,
        None => Raw::new(),
    };
    let entries: Vec<Box<RawValue>> = match file.get("labels") {
        Some(labels) => serde_json::from_str(labels.get())
            .map_err(|_| "has labels that are no list; not written over")?,
        None => vec![],
    };
    let mut entries: Vec<Entry> = entries.into_iter().map(Entry::of).collect();
    for label in new {
        put(&mut entries, label).map_err(|why| format!("cannot be written: {why}"))?;
    }
    if !file.contains_key("annotator") {
        let named = to_raw_value(annotator).map_err(|why| format!("cannot be written: {why}"))?;
        file.insert("annotator".into(), named);
    }
    Ok(written(&file, &entries).into_bytes())
}

fn read(bytes: &[u8]) -> Result<Raw, String> {
    let file: Raw = serde_json::from_slice(bytes)
        .map_err(|why| format!("is no file of labels; not written over: {why}"))?;
    let schema = file.get("schema").and_then(|it| serde_json::from_str::<String>(it.get()).ok());
    match schema {
        Some(found) if found != SCHEMA => {
            Err(format!("says it is {found:?}, not {SCHEMA}; not written over"))
        }
        _ => Ok(file),
    }
}

/// An entry as it is written, and what it says.
struct Entry {
    text: Box<RawValue>,
    /// None where it is no label.
    label: Option<Label>,
}

impl Entry {
    fn of(text: Box<RawValue>) -> Self {
        let map: Option<Map<String, Value>> = serde_json::from_str(text.get()).ok();
        let label = map.and_then(|map| labels::label(&Fields::of(&map)).0);
        Self { text, label }
    }

    fn is(&self, is_it: impl Fn(&Label) -> bool) -> bool {
        self.label.as_ref().is_some_and(is_it)
    }
}

fn put(entries: &mut Vec<Entry>, label: &Label) -> serde_json::Result<()> {
    let known = entries.iter().rposition(|entry| entry.is(|known| known.is_of_one(label)));
    let before = known.map_or(RawValue::NULL, |at| &*entries[at].text);
    let new = Entry { text: changed(before, label)?, label: Some(label.clone()) };
    let same_component = |entry: &Entry| entry.is(|known| known.component == label.component);
    match known {
        Some(at) if !entries[at + 1..].iter().any(same_component) => entries[at] = new,
        Some(at) => {
            entries.remove(at);
            entries.push(new);
        }
        None => entries.push(new),
    }
    Ok(())
}

/// The entry with this label in it, fields that are none of ours kept.
fn changed(entry: &RawValue, label: &Label) -> serde_json::Result<Box<RawValue>> {
    let mut rest: Raw = serde_json::from_str::<Option<Raw>>(entry.get())?.unwrap_or_default();
    let mut line = String::from("{");
    for (name, value) in [
        ("component", to_raw_value(&label.component)?),
        ("judgement", to_raw_value(&label.judgement)?),
        ("commit", to_raw_value(&label.commit)?),
        ("turn", to_raw_value(&label.turn)?),
        ("score", to_raw_value(&label.score)?),
        ("blind", to_raw_value(&label.blind)?),
        ("reason", to_raw_value(&label.reason)?),
        ("note", to_raw_value(&label.note)?),
        ("at", to_raw_value(&label.at)?),
    ] {
        rest.remove(name);
        field(&mut line, name, &value);
    }
    for (name, value) in &rest {
        field(&mut line, name, value);
    }
    line.push('}');
    RawValue::from_string(line)
}

fn field(line: &mut String, name: &str, value: &RawValue) {
    if !line.ends_with('{') {
        line.push_str(", ");
    }
    line.push_str(&format!("{}: {}", Value::from(name), value.get()));
}

fn written(file: &Raw, entries: &[Entry]) -> String {
    let entries: Vec<String> =
        entries.iter().map(|entry| format!("    {}", entry.text.get().trim())).collect();
    let labels = match entries.as_slice() {
        [] => "[]".to_owned(),
        all => format!("[\n{}\n  ]", all.join(",\n")),
    };
    let mut text = format!("{{\n  \"schema\": \"{SCHEMA}\"");
    let annotator = file.get("annotator").map(|it| ("annotator", it.get().to_owned()));
    let is_ours = |name: &str| matches!(name, "schema" | "annotator" | "labels");
    let rest = file.iter().filter(|(name, _)| !is_ours(name));
    let rest = rest.map(|(name, value)| (name.as_str(), value.get().to_owned()));
    for (name, value) in annotator.into_iter().chain([("labels", labels)]).chain(rest) {
        text.push_str(&format!(",\n  {}: {value}", Value::from(name)));
    }
    text.push_str("\n}\n");
    text
}

/// Whose labels a file holds, as [`super::read`] says it: by its own words, else by its name.
pub fn annotator(file: &Source<'_>) -> Option<String> {
    labels::read(file, &mut vec![]).map(|labels| labels.annotator)
}
