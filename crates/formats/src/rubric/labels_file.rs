//! `labels/*.json` as we write them: new labels go into the file as it is, and what we do not know in it stays byte for
//! byte. One line a label, so that a person can read the file and a version control can tell what changed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{
    Map, Value,
    value::{RawValue, to_raw_value},
};

use crate::SourceBytes;
use trajview_run::rubric::{Label, LabelUnit, VerdictId, score_text as score_written};

use super::{fields::RubricFields, labels};

const SCHEMA: &str = "trajview.labels/1";

/// An object as it is written, by field.
type RawObjectFields = BTreeMap<String, Box<RawValue>>;

/// The labels, proposals and seen verdicts to be added to a file of labels.
#[derive(Debug, Clone, Copy, Default)]
pub struct LabelsToAdd<'a> {
    /// A label removes the proposal of its item.
    pub labels: &'a [Label],
    /// A proposal without content removes the proposal of its item.
    pub proposals: &'a [Label],
    pub seen: &'a [VerdictId],
}

/// Returns the content of a rater's file with these labels in it. Each replaces the label [about the
/// same](Label::is_about_the_same) item of the same state, or is added at the end. The later of two labels of an item counts, so a label that would
/// replace one before another of its item is added at the end instead.
///
/// The error, a sentence that begins with a verb, is about a file that is no file of labels: it is not to be written
/// over.
pub fn add_labels(
    before: Option<&[u8]>,
    annotator: &str,
    new: LabelsToAdd<'_>,
) -> Result<Vec<u8>, String> {
    let mut file = match before {
        Some(bytes) => read_file(bytes)?,
        None => RawObjectFields::new(),
    };
    let mut labels = file_entries(&file, "labels")?;
    let mut proposals = file_entries(&file, "proposals")?;
    let mut seen = file_entries(&file, "seen")?;
    let cannot = |why: serde_json::Error| format!("cannot be written: {why}");
    for label in new.labels {
        put_label(&mut labels, label).map_err(cannot)?;
        proposals.retain(|it| !it.has_label(|known| known.is_about_the_same(label)));
    }
    for proposal in new.proposals {
        proposals.retain(|it| !it.has_label(|known| known.is_about_the_same(proposal)));
        if proposal.has_content() {
            put_label(&mut proposals, proposal).map_err(cannot)?;
        }
    }
    for it in new.seen {
        put_seen(&mut seen, it).map_err(cannot)?;
    }
    if !file.contains_key("annotator") {
        file.insert("annotator".into(), to_raw_value(annotator).map_err(cannot)?);
    }
    Ok(file_text(
        &file,
        &[("labels", &labels[..]), ("proposals", &proposals[..]), ("seen", &seen[..])],
    )
    .into_bytes())
}

/// Returns the entries of a list; none where there is no such list.
fn file_entries(file: &RawObjectFields, list: &str) -> Result<Vec<LabelEntry>, String> {
    let Some(raw) = file.get(list) else { return Ok(vec![]) };
    let entries: Vec<Box<RawValue>> = serde_json::from_str(raw.get())
        .map_err(|_| format!("has no list of {list}; not overwritten"))?;
    Ok(entries.into_iter().map(LabelEntry::from_raw).collect())
}

fn read_file(bytes: &[u8]) -> Result<RawObjectFields, String> {
    let file: RawObjectFields = serde_json::from_slice(bytes)
        .map_err(|why| format!("is not a file of labels; not overwritten: {why}"))?;
    let schema = file.get("schema").and_then(|it| serde_json::from_str::<String>(it.get()).ok());
    match schema {
        Some(found) if found != SCHEMA => {
            Err(format!("has the schema {found:?}, not {SCHEMA}; not overwritten"))
        }
        _ => Ok(file),
    }
}

/// An entry as it is written, and its label.
struct LabelEntry {
    text: Box<RawValue>,
    /// None where it is no label.
    label: Option<Label>,
}

impl LabelEntry {
    fn from_raw(text: Box<RawValue>) -> Self {
        let map: Option<Map<String, Value>> = serde_json::from_str(text.get()).ok();
        let label = map.and_then(|map| labels::read_label(&RubricFields::new(&map)).0);
        Self { text, label }
    }

    fn has_label(&self, is_it: impl Fn(&Label) -> bool) -> bool {
        self.label.as_ref().is_some_and(is_it)
    }
}

fn put_label(entries: &mut Vec<LabelEntry>, label: &Label) -> serde_json::Result<()> {
    let known =
        entries.iter().rposition(|entry| entry.has_label(|known| known.takes_place_of(label)));
    let before = known.map_or(RawValue::NULL, |at| &*entries[at].text);
    let new = LabelEntry { text: changed_entry(before, label)?, label: Some(label.clone()) };
    let same_item =
        |entry: &LabelEntry| entry.has_label(|known| known.item_key() == label.item_key());
    match known {
        Some(at) if !entries[at + 1..].iter().any(same_item) => entries[at] = new,
        Some(at) => {
            entries.remove(at);
            entries.push(new);
        }
        None => entries.push(new),
    }
    Ok(())
}

/// Puts what was seen into the entry of its judgement, unit and criterion.
fn put_seen(entries: &mut Vec<LabelEntry>, new: &VerdictId) -> serde_json::Result<()> {
    let items = |entry: &LabelEntry| -> Option<BTreeSet<String>> {
        let map: Map<String, Value> = serde_json::from_str(entry.text.get()).ok()?;
        let fields = RubricFields::new(&map);
        let unit = fields.as_written("unit").unwrap_or_else(|| LabelUnit::default().word().into());
        let is_it = fields.trimmed_id("judgement").as_deref() == Some(&new.judgement)
            && unit == new.unit.word()
            && fields.trimmed_id("criterion") == new.criterion;
        is_it.then(|| fields.strings_of("items").into_iter().collect())
    };
    let known = entries.iter().position(|entry| items(entry).is_some());
    let mut all = known.and_then(|at| items(&entries[at])).unwrap_or_default();
    if !all.insert(new.item.clone()) {
        return Ok(());
    }
    let before = known.map_or(RawValue::NULL, |at| &*entries[at].text);
    let is_default = new.unit == LabelUnit::default();
    let line = line_with(
        before,
        &[
            ("judgement", Some(to_raw_value(&new.judgement)?)),
            ("unit", (!is_default).then(|| to_raw_value(new.unit.word())).transpose()?),
            ("criterion", new.criterion.as_ref().map(to_raw_value).transpose()?),
            ("items", Some(to_raw_value(&all)?)),
        ],
    )?;
    let entry = LabelEntry { text: line, label: None };
    match known {
        Some(at) => entries[at] = entry,
        None => entries.push(entry),
    }
    Ok(())
}

/// Returns the entry with this label in it; unknown fields are kept. The first fields of the format are always written;
/// later ones only where they have a value.
fn changed_entry(entry: &RawValue, label: &Label) -> serde_json::Result<Box<RawValue>> {
    let unit = (label.unit != LabelUnit::default()).then(|| to_raw_value(label.unit.word()));
    let confidence = label.confidence.map(|it| to_raw_value(it.word()));
    let score = label.score.map_or_else(|| "null".to_owned(), score_written);
    line_with(
        entry,
        &[
            ("component", Some(to_raw_value(&label.component)?)),
            ("unit", unit.transpose()?),
            ("criterion", label.criterion.as_ref().map(to_raw_value).transpose()?),
            ("judgement", Some(to_raw_value(&label.judgement)?)),
            ("commit", Some(to_raw_value(&label.commit)?)),
            ("turn", Some(to_raw_value(&label.turn)?)),
            ("score", Some(RawValue::from_string(score)?)),
            ("scale", label.scale.as_ref().map(to_raw_value).transpose()?),
            ("cannot_tell", label.cannot_tell.then(|| to_raw_value(&true)).transpose()?),
            ("confidence", confidence.transpose()?),
            ("blind", Some(to_raw_value(&label.blind)?)),
            ("seen", label.seen.as_ref().map(to_raw_value).transpose()?),
            ("reason", Some(to_raw_value(&label.reason)?)),
            ("note", Some(to_raw_value(&label.note)?)),
            ("at", Some(to_raw_value(&label.at)?)),
        ],
    )
}

/// Returns an object in one line: these fields first, without those that have no value, then the rest of what was
/// there.
fn line_with(
    before: &RawValue,
    fields: &[(&str, Option<Box<RawValue>>)],
) -> serde_json::Result<Box<RawValue>> {
    let mut rest: RawObjectFields =
        serde_json::from_str::<Option<RawObjectFields>>(before.get())?.unwrap_or_default();
    let mut line = String::from("{");
    for (name, value) in fields {
        rest.remove(*name);
        if let Some(value) = value {
            push_field(&mut line, name, value);
        }
    }
    for (name, value) in &rest {
        push_field(&mut line, name, value);
    }
    line.push('}');
    RawValue::from_string(line)
}

fn push_field(line: &mut String, name: &str, value: &RawValue) {
    if !line.ends_with('{') {
        line.push_str(", ");
    }
    line.push_str(&format!("{}: {}", Value::from(name), value.get()));
}

fn file_text(file: &RawObjectFields, lists: &[(&str, &[LabelEntry])]) -> String {
    let list = |entries: &[LabelEntry]| {
        let entries: Vec<String> =
            entries.iter().map(|entry| format!("    {}", entry.text.get().trim())).collect();
        match entries.as_slice() {
            [] => "[]".to_owned(),
            all => format!("[\n{}\n  ]", all.join(",\n")),
        }
    };
    let is_written = |name: &str, entries: &[LabelEntry]| {
        name == "labels" || !entries.is_empty() || file.contains_key(name)
    };
    let lists = lists.iter().filter(|(name, entries)| is_written(name, entries));
    let lists: Vec<(&str, String)> = lists.map(|(name, entries)| (*name, list(entries))).collect();
    let mut text = format!("{{\n  \"schema\": \"{SCHEMA}\"");
    let annotator = file.get("annotator").map(|it| ("annotator", it.get().to_owned()));
    let is_ours = |name: &str| {
        matches!(name, "schema" | "annotator") || lists.iter().any(|(list, _)| *list == name)
    };
    let rest = file.iter().filter(|(name, _)| !is_ours(name));
    let rest: Vec<(&str, String)> =
        rest.map(|(name, value)| (name.as_str(), value.get().to_owned())).collect();
    for (name, value) in annotator.into_iter().chain(lists.iter().cloned()).chain(rest) {
        text.push_str(&format!(",\n  {}: {value}", Value::from(name)));
    }
    text.push_str("\n}\n");
    text
}

/// Returns the rater of a file, as [`super::read_rubric`] finds it: by the file's own field, else by its name.
pub fn annotator_of_file(file: &SourceBytes<'_>) -> Option<String> {
    labels::read_labels(file, &mut vec![]).map(|labels| labels.annotator)
}

#[cfg(test)]
mod tests;
