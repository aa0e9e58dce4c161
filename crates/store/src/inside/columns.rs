//! Rows whose columns the settings name: they are read as if they had the published names.

use std::sync::{PoisonError, RwLock};

use serde_json::{Map, Value, value::RawValue};

use trajview_formats::Columns;

use super::members::ROW_IDS;

/// What the settings say; nothing until they are read.
static COLUMNS: RwLock<Columns> =
    RwLock::new(Columns { id: vec![], messages: vec![], patch: vec![], solved: vec![] });

/// What columns of rows are called, for as long as the program runs.
pub fn set_columns(columns: Columns) {
    *COLUMNS.write().unwrap_or_else(PoisonError::into_inner) = columns;
}

fn with<T>(then: impl FnOnce(&Columns) -> T) -> T {
    then(&COLUMNS.read().unwrap_or_else(PoisonError::into_inner))
}

/// Columns that name a run, the settings' own first.
pub fn ids() -> Vec<String> {
    let published = ROW_IDS.iter().map(|name| (*name).to_owned());
    with(|columns| columns.id.iter().cloned().chain(published).collect())
}

/// Whether a file of lines starts with a row that has its messages in a column that the settings name.
pub fn are_named_in(head: &[u8]) -> bool {
    with(|columns| {
        let has = |name: &String| {
            let key = Value::from(name.as_str()).to_string();
            memchr::memmem::find(head, key.as_bytes()).is_some()
        };
        head.trim_ascii_start().starts_with(b"{") && columns.messages.iter().any(has)
    })
}

/// The name that a column is read under.
pub fn read_as(name: &str) -> &str {
    with(|columns| columns.published(name)).unwrap_or(name)
}

/// A row with the published names; None where none of its columns is named in the settings, or where it is no object.
pub fn renamed(row: &[u8]) -> Option<Vec<u8>> {
    if with(Columns::is_empty) {
        return None;
    }
    let fields: std::collections::BTreeMap<String, &RawValue> = serde_json::from_slice(row).ok()?;
    if fields.keys().all(|name| read_as(name) == name) {
        return None;
    }
    // A column that the settings name takes the place of one that has its name already.
    let (own, named): (Vec<_>, Vec<_>) =
        fields.into_iter().partition(|(name, _)| read_as(name) == name);
    let mut row = Map::new();
    for (name, value) in own.into_iter().chain(named) {
        row.insert(read_as(&name).to_owned(), serde_json::from_str(value.get()).ok()?);
    }
    serde_json::to_vec(&row).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_under_the_published_names() {
        let named = |name: &str| vec![name.to_owned()];
        let columns = Columns { id: named("key"), messages: named("log"), ..Columns::default() };
        assert_eq!(columns.published("log"), Some("messages"));
        assert_eq!(columns.published("logs"), None);
        assert!(renamed(br#"{"log": []}"#).is_none(), "the settings are silent");
    }
}
