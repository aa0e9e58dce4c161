//! The members of an `.eval` archive: a sample a file, or a folder with a sample in pieces.

use serde_json::{Map, Value, json};

use crate::format::file_name;
use crate::{json_object::JsonFields, not_finite};
use trajview_run::RepoPath;

/// Returns whether an archive with these members is a log of Inspect.
pub fn is_inspect_log(all: &[String]) -> bool {
    all.iter().any(|name| name == "header.json" || name.starts_with("_journal/"))
}

/// Returns the folder of a sample in pieces, by the name of one of its pieces: it ends with the epoch.
fn folder_of_pieces(rest: &str) -> Option<&str> {
    let ends_with_epoch = |folder: &str| {
        let epoch = folder.rsplit_once("_epoch_").map_or("", |(_, epoch)| epoch);
        !epoch.is_empty() && epoch.bytes().all(|byte| byte.is_ascii_digit())
    };
    let slashes = rest.match_indices('/').map(|(at, _)| at);
    slashes.map(|at| &rest[..at]).find(|folder| ends_with_epoch(folder))
}

/// Returns the samples of an Inspect log, each with the file that it is, or the folder of its pieces, which ends with a
/// slash.
pub fn samples(all: &[String]) -> Vec<(String, String)> {
    let below = all.iter().filter_map(|name| Some((name, name.strip_prefix("samples/")?)));
    let mut members: Vec<(String, String)> = below
        .filter_map(|(name, rest)| {
            if let Some(folder) = folder_of_pieces(rest) {
                return Some((folder.to_owned(), format!("samples/{folder}/")));
            }
            // The id of a sample may have slashes in it.
            let is_sample = rest.ends_with(".json") && RepoPath::new(rest).is_some();
            is_sample.then(|| (rest.to_owned(), name.clone()))
        })
        .collect();
    members.sort();
    members.dedup();
    members
}

/// The field of a sample with the facts of its log.
pub(super) const LOG_FACTS: &str = "trajview:log";

/// The most scores of a log whose metrics are read, and the most metrics of each.
const MAX_METRICS: usize = 64;

/// Returns the facts about all samples in the header of a log, as a text for [`with_log_facts`]: the task, and the metrics of
/// each scorer. None where it is no header. `source` is the name of the file.
pub fn log_facts(header: &[u8], source: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Header {
        eval: Map<String, Value>,
        #[serde(default)]
        results: Value,
    }
    let (header, _): (Header, usize) = not_finite::read_json(header).ok()?;
    let of_score = |score: &Value| {
        let metrics = score.object("metrics").into_iter().flatten().take(MAX_METRICS);
        let metrics: Map<String, Value> = metrics
            .filter_map(|(name, metric)| {
                let value = metric.get("value").unwrap_or(metric);
                value.is_number().then(|| (name.clone(), value.clone()))
            })
            .collect();
        json!({ "name": score.text("name"), "scorer": score.text("scorer"), "metrics": metrics })
    };
    let scores: Vec<Value> =
        header.results.elements_of("scores").iter().take(MAX_METRICS).map(of_score).collect();
    let facts = json!({ "source": source, "task": header.eval.text("task"), "scores": scores });
    serde_json::to_string(&facts).ok()
}

/// Returns a sample with the facts of its log in a field of its own.
pub fn with_log_facts(sample: &[u8], facts: &str) -> Vec<u8> {
    let start = sample.len() - sample.trim_ascii_start().len();
    let fields =
        sample[start..].strip_prefix(b"{").filter(|it| it.trim_ascii_start().starts_with(b"\""));
    let Some(fields) = fields else { return sample.to_vec() };
    let field = format!("{{\"{LOG_FACTS}\":{facts},");
    [&sample[..start], field.as_bytes(), fields].concat()
}

/// A sample that is written in pieces.
#[derive(Default)]
pub struct SamplePieces {
    fields: Map<String, Value>,
    messages: Vec<Value>,
    events: Vec<Value>,
    attachments: Map<String, Value>,
}

impl SamplePieces {
    /// Adds a piece by its name below the folder of the sample; pieces come in order. The error is a sentence.
    pub fn add_piece(&mut self, name: &str, content: &[u8]) -> Result<(), String> {
        let key = file_name(name).trim_end_matches(".json").to_owned();
        let value: Value = match not_finite::read_json(content) {
            Ok((value, _)) => value,
            Err(_) if name.starts_with("attachments/") => String::from_utf8_lossy(content).into(),
            Err(why) => return Err(format!("{name} in it is not JSON: {why}")),
        };
        match (name.split('/').next().unwrap_or_default(), value) {
            ("sample.json" | "metadata.json", Value::Object(fields)) => self.fields.extend(fields),
            ("messages", Value::Array(list)) => self.messages.extend(list),
            ("events", Value::Array(list)) if key.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.events.extend(list);
            }
            ("attachments", Value::Object(all)) => self.attachments.extend(all),
            ("attachments", value) => {
                self.attachments.insert(key, value);
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the sample: its own fields, and the messages of all pieces in order.
    pub fn into_sample(self) -> Value {
        let mut sample = self.fields;
        sample.insert("messages".into(), self.messages.into());
        sample.insert("events".into(), self.events.into());
        sample.insert("attachments".into(), self.attachments.into());
        Value::Object(sample)
    }
}
