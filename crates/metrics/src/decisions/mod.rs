//! Decisions of a project, and the search for those that apply to a text or a file (Continuity).
//!
//! [`DecisionStore`] is Continuity's file of decisions with its code links; [`retrieval_key`] builds the retrieval key of a text;
//! [`ranking`] finds the decisions for it; [`step_decisions`] does so for every step of a run; [`extraction`] extracts decisions from a
//! run's own requests; [`decision_verdicts`] has the verdicts of judges on whether the code keeps them.

pub mod decision_verdicts;
pub mod extraction;
pub mod ranking;
pub mod retrieval_key;
pub mod retrieval_quality;
pub mod step_decisions;

pub use decision_verdicts::DecisionVerdict;
pub use step_decisions::DecisionLane;

use std::{collections::HashMap, path::PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use trajview_formats::JsonFields;
use trajview_formats::not_finite;

/// A decision, as stored.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    pub id: String,
    pub question: String,
    pub answer: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Ids of the decisions that it replaces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supersedes: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub superseded_by: Vec<String>,
    /// Paths and globs to which the decision applies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// The decisions of a project in the order of their file, and the files that are linked to them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DecisionStore {
    pub decisions: Vec<Decision>,
    /// Pairs of a path and the ids that are linked to it.
    pub links: Vec<(String, Vec<String>)>,
    /// Sentences about entries that could not be read.
    pub warnings: Vec<String>,
    /// The file that it was read from.
    pub origin: Option<PathBuf>,
    /// The line of the file in which each decision begins, counted from 1, keyed by the decision's id.
    pub lines: HashMap<String, usize>,
}

impl Decision {
    /// Returns the question and the answer as one text. Its hash tells whether a verdict is still about the same
    /// decision.
    pub fn text_to_hash(&self) -> String {
        format!("{}\n{}", self.question.trim(), self.answer.trim())
    }

    /// Returns whether another decision replaced it, or its status says that it is out of date; such a decision counts
    /// less.
    pub fn is_past(&self) -> bool {
        let status = self.status.as_deref().unwrap_or_default().to_ascii_lowercase();
        matches!(status.as_str(), "superseded" | "outdated" | "deprecated")
    }
}

impl DecisionStore {
    /// Parses a JSON array, or an object `{decisions: []}`. The error is a sentence. An entry without an id is left
    /// out with a warning; of two entries with the same id the first counts.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim_start_matches('\u{feff}');
        let document: Value = serde_json::from_str(&not_finite::readable_json(text))
            .map_err(|why| format!("no JSON: {why}"))?;
        let list = match &document {
            Value::Array(list) => list,
            other => other
                .list("decisions")
                .ok_or("expected a list of decisions, or an object with `decisions`")?,
        };
        let mut store = Self { lines: lines_by_id(text), ..Self::default() };
        for (number, value) in (1..).zip(list) {
            let decision = parse_decision(value);
            match decision {
                Some(it) if store.find_decision(&it.id).is_some() => {
                    store.warnings.push(format!("decision {number}: the id {} is taken", it.id));
                }
                Some(decision) => store.decisions.push(decision),
                None => store.warnings.push(format!("decision {number}: it has no id")),
            }
        }
        Ok(store)
    }

    /// Adds the links of a `code-links.json`. The error is a sentence.
    pub fn add_links(&mut self, text: &str) -> Result<(), String> {
        let document: Value = serde_json::from_str(&not_finite::readable_json(text))
            .map_err(|why| format!("no JSON: {why}"))?;
        for link in document.list("links").ok_or("expected an object with `links`")? {
            let path = link.pointer("/location/filePath").and_then(Value::as_str);
            let ids = link.list("linkedDecisionIds");
            if let (Some(path), Some(ids)) = (path, ids) {
                let ids = ids.iter().filter_map(Value::as_str).map(str::to_owned);
                self.links.push((path.to_owned(), ids.collect()));
            }
        }
        Ok(())
    }

    /// Returns the decision of that id.
    pub fn find_decision(&self, id: &str) -> Option<&Decision> {
        self.decisions.iter().find(|decision| decision.id == id)
    }

    /// Returns the chains of decisions in which each replaced the one before it. A decision alone is no chain; a
    /// circle is cut.
    pub fn supersession_chains(&self) -> Vec<Vec<&Decision>> {
        let after = |decision: &Decision| {
            let by = decision.superseded_by.iter().find_map(|id| self.find_decision(id));
            by.or_else(|| self.decisions.iter().find(|it| it.supersedes.contains(&decision.id)))
        };
        let is_first = |decision: &&Decision| {
            decision.supersedes.is_empty()
                && !self.decisions.iter().any(|it| it.superseded_by.contains(&decision.id))
        };
        let firsts = self.decisions.iter().filter(is_first);
        let chain = |first| {
            let mut chain: Vec<&Decision> = vec![first];
            while let Some(next) = chain.last().and_then(|last| after(last)) {
                if chain.iter().any(|it| it.id == next.id) {
                    break;
                }
                chain.push(next);
            }
            chain
        };
        firsts.map(chain).filter(|chain| chain.len() > 1).collect()
    }
}

/// Returns the first line of each id.
fn lines_by_id(text: &str) -> HashMap<String, usize> {
    const KEY: &str = "\"id\"";
    let mut first_lines = HashMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        for (at, _) in line.match_indices(KEY) {
            let Some(rest) = line[at + KEY.len()..].trim_start().strip_prefix(':') else {
                continue;
            };
            let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
            if let Some(Ok(Value::String(id))) = values.next() {
                first_lines.entry(id).or_insert(number);
            }
        }
    }
    first_lines
}

fn parse_decision(value: &Value) -> Option<Decision> {
    let text = |key: &str| value.text(key).map(str::to_owned);
    let id = text("id").or_else(|| Some(value.integer("id")?.to_string()))?;
    let list = |key: &str| match value.get(key) {
        Some(Value::String(one)) => vec![one.clone()],
        Some(Value::Array(all)) => {
            all.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => vec![],
    };
    Some(Decision {
        question: text("question").unwrap_or_default(),
        answer: text("answer").unwrap_or_default(),
        timestamp: text("timestamp"),
        tags: list("tags"),
        status: text("status"),
        supersedes: list("supersedes"),
        superseded_by: list("supersededBy"),
        files: list("files"),
        id,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_read_whatever_is_missing() {
        let store = DecisionStore::parse(r#"{"decisions":[{"id":"a","tags":null,"supersededBy":"b"},{"question":"?"},{"id":"a"},{"id":"b","supersedes":["a"]},4]}"#).unwrap();

        assert_eq!(store.decisions.len(), 2);
        assert_eq!(store.warnings.len(), 3);
        let chains: Vec<Vec<&str>> = store
            .supersession_chains()
            .iter()
            .map(|chain| chain.iter().map(|it| it.id.as_str()).collect())
            .collect();
        assert_eq!(chains, [["a", "b"]]);
        let lines = DecisionStore::parse(
            "[\n {\"id\": \"a\"},\n {\"question\": \"?\",\n  \"id\" : \"b\"}]",
        )
        .unwrap()
        .lines;
        assert_eq!((lines.get("a"), lines.get("b")), (Some(&2), Some(&4)));
        assert!(DecisionStore::parse("{}").is_err() && DecisionStore::parse("[").is_err());
    }

    #[test]
    fn decisions_that_supersede_each_other_in_a_circle_end() {
        let store = DecisionStore::parse(r#"[{"id":"x","supersededBy":"a"},{"id":"a","supersededBy":"b"},{"id":"b","supersededBy":"a"}]"#).unwrap();
        assert_eq!(store.supersession_chains().iter().map(Vec::len).collect::<Vec<_>>(), [3]);
    }

    #[test]
    fn links_name_the_decisions_of_a_file() {
        let mut store = DecisionStore::parse(r#"[{"id":"a"}]"#).unwrap();
        store
            .add_links(
                r#"{"links":[{"location":{"filePath":"a.py"},"linkedDecisionIds":["a"]},{}]}"#,
            )
            .unwrap();
        assert_eq!(store.links, [("a.py".to_owned(), vec!["a".to_owned()])]);
    }
}
