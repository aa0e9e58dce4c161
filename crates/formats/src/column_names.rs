//! Names of the columns of a data set, with those of publishers who used names of their own.

use std::collections::BTreeMap;

use serde_json::{Map, Value, value::RawValue};

/// The fields that name a row, best first: those that tell runs apart.
const ROW_IDS: [&str; 7] =
    ["trajectory_id", "transcript_id", "session_id", "instance_id", "run_id", "uuid", "id"];

/// Columns by what they mean, as the settings name them; those that are read without being named are not in here.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ColumnNames {
    /// Columns with the id of a run.
    pub id: Vec<String>,
    /// A list of messages, or a text with one in it.
    pub messages: Vec<String>,
    /// The diff at the end of the run.
    pub patch: Vec<String>,
    /// Columns that say whether the run solved its task.
    pub solved: Vec<String>,
}

impl ColumnNames {
    /// Returns the published name of a column that the settings name; None where they do not.
    pub fn published_name(&self, name: &str) -> Option<&'static str> {
        let is_in = |all: &[String]| all.iter().any(|it| it == name);
        match () {
            () if is_in(&self.messages) => Some("messages"),
            () if is_in(&self.id) => Some("trajectory_id"),
            () if is_in(&self.patch) => Some("model_patch"),
            () if is_in(&self.solved) => Some("resolved"),
            () => None,
        }
    }

    /// Returns the columns that name a run, those of the settings first.
    pub fn id_columns(&self) -> Vec<String> {
        let published = ROW_IDS.iter().map(|name| (*name).to_owned());
        self.id.iter().cloned().chain(published).collect()
    }

    /// Returns whether a file of lines starts with a row that has its messages in a column that the settings name.
    pub fn has_named_messages(&self, head: &[u8]) -> bool {
        let has = |name: &String| {
            let key = Value::from(name.as_str()).to_string();
            memchr::memmem::find(head, key.as_bytes()).is_some()
        };
        head.trim_ascii_start().starts_with(b"{") && self.messages.iter().any(has)
    }

    /// Returns a row with the published names; None where none of its columns is named in the settings, or where it is no
    /// object.
    pub fn with_published_names(&self, row: &[u8]) -> Option<Vec<u8>> {
        if *self == Self::default() {
            return None;
        }
        let fields: BTreeMap<String, &RawValue> = serde_json::from_slice(row).ok()?;
        let published_name = |name: &str| self.published_name(name).filter(|it| *it != name);
        // A column that the settings name takes the place of one that has its name already.
        let (named, own): (Vec<_>, Vec<_>) =
            fields.into_iter().partition(|(name, _)| published_name(name).is_some());
        if named.is_empty() {
            return None;
        }
        let mut row = Map::new();
        for (name, value) in own.into_iter().chain(named) {
            let name = published_name(&name).map_or(name, str::to_owned);
            row.insert(name, serde_json::from_str(value.get()).ok()?);
        }
        serde_json::to_vec(&row).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_under_the_published_names() {
        let named = |name: &str| vec![name.to_owned()];
        let columns =
            ColumnNames { id: named("key"), messages: named("log"), ..ColumnNames::default() };
        assert_eq!(columns.published_name("log"), Some("messages"));
        assert_eq!(columns.published_name("logs"), None);
        let row = br#"{"log": [1], "messages": 2, "x": 3}"#;
        let published = columns.with_published_names(row).unwrap();
        assert_eq!(published, br#"{"messages":[1],"x":3}"#);
        assert_eq!(columns.with_published_names(br#"{"messages": 2}"#), None);
        assert_eq!(ColumnNames::default().with_published_names(row), None);
    }
}
