//! Runs as logs of Inspect: an `.eval` file for each task and model, with a sample for each run. [`inspect_sample`] makes
//! the sample, and an [`InspectLogWriter`] writes samples into the archive, as the recorder of Inspect does (version 2).
//!
//! Inspect demands some values that a recording may not have. Those are empty or say so: `unknown` for a model, an empty
//! `target`, and [`NO_DATE`] for the beginning of a log without times.

mod messages;
mod sample;

use std::{
    collections::{BTreeMap, HashSet},
    io::{self, Seek, Write},
};

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::{Map, Value, json};
use zip::{ZipWriter, write::SimpleFileOptions};

use super::sha256;

pub use sample::{InspectSample, inspect_sample};

/// The beginning of a log whose runs have no times: Inspect demands one.
pub(crate) const NO_DATE: &str = "1970-01-01T00:00:00.000Z";

/// The most characters of a text in the summary of a sample, as Inspect has it.
const SUMMARY_CHARS: usize = 1024;

/// Writes the samples of one task and one model into an archive.
pub struct InspectLogWriter<W: Write + Seek> {
    zip: ZipWriter<W>,
    task: String,
    model: String,
    summaries: Vec<Value>,
    /// The ids of samples with their epochs.
    taken: HashSet<(String, u32)>,
    agents: Vec<String>,
}

impl<W: Write + Seek> InspectLogWriter<W> {
    pub fn new(writer: W, task: &str, model: &str) -> Self {
        Self {
            zip: ZipWriter::new(writer),
            task: task.to_owned(),
            model: model.to_owned(),
            summaries: vec![],
            taken: HashSet::new(),
            agents: vec![],
        }
    }

    /// Writes a sample. Its epoch is the recorded attempt, or the first number that no sample of the same task has.
    ///
    /// # Errors
    ///
    /// If the archive cannot be written.
    pub fn add_sample(&mut self, sample: InspectSample) -> io::Result<()> {
        let InspectSample { id, attempt, agent, mut document, score_names, .. } = sample;
        let is_free = |epoch: &u32| !self.taken.contains(&(id.clone(), *epoch));
        let epoch = attempt.filter(is_free).or_else(|| (1..).find(is_free)).unwrap_or(u32::MAX);
        let uuid = short_id(&[&self.task, &self.model, &id, &epoch.to_string()]);
        document.insert("id".into(), id.clone().into());
        document.insert("epoch".into(), epoch.into());
        document.insert("uuid".into(), uuid.into());
        let name = format!("samples/{}_epoch_{epoch}.json", id.replace('\0', ""));
        self.summaries.push(sample_summary(&document));
        self.write_member(&name, &OrderedSample { fields: &document, score_names: &score_names })?;
        self.agents.extend(agent.filter(|agent| !self.agents.contains(agent)));
        self.taken.insert((id, epoch));
        Ok(())
    }

    /// Returns the number of samples so far.
    pub fn sample_count(&self) -> usize {
        self.summaries.len()
    }

    /// Returns the name that Inspect would give the file: `2026-03-01T10-00-00-00-00_task_id.eval`.
    pub fn file_name(&self) -> String {
        let is_plain = |letter: char| letter.is_alphanumeric() || ".+-".contains(letter);
        let plain = |text: &str| {
            let text = text.chars().map(|letter| if is_plain(letter) { letter } else { '-' });
            text.take(80).collect::<String>()
        };
        let created = self.created();
        let second = created.get(..19).unwrap_or_default();
        format!("{}+00-00_{}_{}.eval", plain(second), plain(&self.task), self.eval_id())
    }

    /// Writes the journal, the summaries and the header, and returns the writer.
    ///
    /// # Errors
    ///
    /// If the archive cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        let (eval, plan) = (self.eval_spec(), json!({ "name": "plan", "steps": [], "config": {} }));
        let summaries = Value::from(self.summaries.clone());
        let start = json!({ "version": 2, "eval": eval, "plan": plan });
        let count = self.summaries.len();
        let completed = self.summaries.iter().filter(|it| it["error"].is_null()).count();
        let header = json!({
            "version": 2,
            "status": "success",
            "eval": eval,
            "plan": plan,
            // Metrics over samples would be ours: none is recorded.
            "results": { "total_samples": count, "completed_samples": completed, "scores": [] },
            "stats": self.stats(),
        });
        for (name, document) in [
            ("_journal/start.json", &start),
            ("_journal/summaries/1.json", &summaries),
            ("summaries.json", &summaries),
            ("header.json", &header),
        ] {
            self.write_member(name, document)?;
        }
        Ok(self.zip.finish()?)
    }

    fn write_member(&mut self, name: &str, document: &impl Serialize) -> io::Result<()> {
        let options = SimpleFileOptions::default().large_file(true);
        self.zip.start_file(name, options)?;
        serde_json::to_writer(&mut self.zip, document)?;
        Ok(())
    }

    fn times(&self, key: &str) -> impl Iterator<Item = &str> {
        self.summaries.iter().filter_map(move |summary| summary[key].as_str())
    }

    fn created(&self) -> String {
        self.times("started_at").min().unwrap_or(NO_DATE).to_owned()
    }

    fn eval_id(&self) -> String {
        let samples = self.summaries.iter().filter_map(|it| it["uuid"].as_str());
        let parts: Vec<&str> =
            ["eval", &self.task, &self.model].into_iter().chain(samples).collect();
        short_id(&parts)
    }

    fn eval_spec(&self) -> Value {
        let mut ids: Vec<&str> = self.summaries.iter().filter_map(|it| it["id"].as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        let epochs = self.summaries.iter().filter_map(|it| it["epoch"].as_u64()).max();
        let eval_id = self.eval_id();
        let mut spec = json!({
            "eval_id": eval_id,
            "run_id": short_id(&["run", &eval_id]),
            "created": self.created(),
            "task": self.task,
            "task_id": short_id(&["task", &self.task]),
            "task_version": 0,
            "task_attribs": {},
            "task_args": {},
            "task_args_passed": {},
            "dataset": { "name": self.task, "samples": ids.len(), "sample_ids": ids },
            "model": self.model,
            "model_generate_config": {},
            "model_args": {},
            "config": { "epochs": epochs },
            "packages": { "trajview": env!("CARGO_PKG_VERSION") },
            "metadata": { "exported_by": "trajview" },
        });
        if let [agent] = self.agents.as_slice() {
            spec["solver"] = agent.clone().into();
        }
        if self.times("started_at").next().is_none() {
            spec["metadata"]["created"] = "not recorded".into();
        }
        spec
    }

    /// Makes the times and tokens of all samples; a model has tokens where every sample has them.
    fn stats(&self) -> Value {
        let mut usage: BTreeMap<String, Value> = BTreeMap::new();
        let has_usage =
            |it: &Value| it["model_usage"].as_object().is_some_and(|all| !all.is_empty());
        let counted = self.summaries.iter().filter(|_| self.summaries.iter().all(has_usage));
        for (model, tokens) in counted.filter_map(|it| it["model_usage"].as_object()).flatten() {
            match usage.get_mut(model) {
                Some(sum) => add_usage(sum, tokens),
                None => drop(usage.insert(model.clone(), tokens.clone())),
            }
        }
        json!({
            "started_at": self.times("started_at").min().unwrap_or_default(),
            "completed_at": self.times("completed_at").max().unwrap_or_default(),
            "model_usage": usage,
        })
    }
}

/// A sample with its fields in the order of Inspect, by whose first ones a sample is known, and the main score first.
struct OrderedSample<'a> {
    fields: &'a Map<String, Value>,
    score_names: &'a [String],
}

impl Serialize for OrderedSample<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        const FIRST: [&str; 6] = ["id", "epoch", "input", "target", "messages", "output"];
        let mut map = serializer.serialize_map(Some(self.fields.len()))?;
        for (name, value) in FIRST.iter().filter_map(|name| self.fields.get_key_value(*name)) {
            map.serialize_entry(name, value)?;
        }
        for (name, value) in self.fields.iter().filter(|(name, _)| !FIRST.contains(&name.as_str()))
        {
            match value.as_object().filter(|_| name == "scores") {
                Some(scores) => {
                    map.serialize_entry(name, &OrderedScores(scores, self.score_names))?
                }
                None => map.serialize_entry(name, value)?,
            }
        }
        map.end()
    }
}

/// Scores, in the order of their names.
struct OrderedScores<'a>(&'a Map<String, Value>, &'a [String]);

impl Serialize for OrderedScores<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.1.iter().filter_map(|name| self.0.get_key_value(name)))
    }
}

/// Adds tokens; a kind that one of the two does not record is null.
fn add_usage(sum: &mut Value, tokens: &Value) {
    for (kind, count) in sum.as_object_mut().into_iter().flatten() {
        let other = &tokens[&**kind];
        *count = match (count.as_u64(), other.as_u64(), count.as_f64(), other.as_f64()) {
            (Some(one), Some(two), ..) => (one + two).into(),
            (_, _, Some(one), Some(two)) => (one + two).into(),
            _ => Value::Null,
        };
    }
}

/// Returns the summary of a sample: its fields without messages and events, with short texts.
fn sample_summary(sample: &Map<String, Value>) -> Value {
    const FIELDS: [&str; 12] = [
        "id",
        "epoch",
        "input",
        "target",
        "metadata",
        "scores",
        "model_usage",
        "started_at",
        "completed_at",
        "total_time",
        "uuid",
        "error",
    ];
    let mut summary: Map<String, Value> = FIELDS
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), sample.get(name)?.clone())))
        .collect();
    summary.entry("input").and_modify(shorten_text);
    if let Some(Value::Object(metadata)) = summary.get_mut("metadata") {
        metadata.retain(|_, value| !value.is_array() && !value.is_object());
        metadata.values_mut().for_each(shorten_text);
    }
    if let Some(message) = sample.get("error").and_then(|error| error.get("message")) {
        summary.insert("error".into(), message.clone());
    }
    let count = sample.get("messages").and_then(Value::as_array).map_or(0, Vec::len);
    summary.insert("completed".into(), true.into());
    summary.insert("message_count".into(), count.into());
    summary.into()
}

fn shorten_text(value: &mut Value) {
    if let Some(text) = value.as_str()
        && let Some((end, _)) = text.char_indices().nth(SUMMARY_CHARS)
    {
        *value = format!("{}...", &text[..end]).into();
    }
}

/// Returns an id in the form of Inspect's, 22 letters and digits, that is the same for the same parts.
fn short_id(parts: &[&str]) -> String {
    const LETTERS: &[u8; 57] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    let digest = sha256(parts.join("\n").as_bytes());
    let mut number = u128::from_str_radix(&digest[..32], 16).unwrap_or_default();
    let mut letters = vec![];
    for _ in 0..22 {
        letters.push(char::from(LETTERS[(number % 57) as usize]));
        number /= 57;
    }
    letters.into_iter().collect()
}
