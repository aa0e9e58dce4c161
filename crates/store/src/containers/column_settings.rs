//! Rows whose columns the settings name: they are read as if they had the published names.

use std::sync::{PoisonError, RwLock};

use serde_json::{Map, Value, value::RawValue};

use trajview_formats::ColumnNames;

use super::members::ROW_IDS;

/// The columns of the settings; empty until they are read.
static COLUMN_SETTINGS: RwLock<ColumnNames> =
    RwLock::new(ColumnNames { id: vec![], messages: vec![], patch: vec![], solved: vec![] });

/// Sets the names of columns of rows, for as long as the program runs.
pub fn set_columns(columns: ColumnNames) {
    *COLUMN_SETTINGS.write().unwrap_or_else(PoisonError::into_inner) = columns;
}

fn with_columns<T>(then: impl FnOnce(&ColumnNames) -> T) -> T {
    then(&COLUMN_SETTINGS.read().unwrap_or_else(PoisonError::into_inner))
}

/// Returns the columns that name a run, those of the settings first.
pub(crate) fn id_columns() -> Vec<String> {
    let published = ROW_IDS.iter().map(|name| (*name).to_owned());
    with_columns(|columns| columns.id.iter().cloned().chain(published).collect())
}

/// Returns whether a file of lines starts with a row that has its messages in a column that the settings name.
pub fn has_named_messages(head: &[u8]) -> bool {
    with_columns(|columns| {
        let has = |name: &String| {
            let key = Value::from(name.as_str()).to_string();
            memchr::memmem::find(head, key.as_bytes()).is_some()
        };
        head.trim_ascii_start().starts_with(b"{") && columns.messages.iter().any(has)
    })
}

/// Returns the name that a column is read under.
pub fn published_name(name: &str) -> &str {
    with_columns(|columns| columns.published_name(name)).unwrap_or(name)
}

/// Returns a row with the published names; None where none of its columns is named in the settings, or where it is no
/// object.
pub(crate) fn with_published_names(row: &[u8]) -> Option<Vec<u8>> {
    if with_columns(ColumnNames::is_empty) {
        return None;
    }
    let fields: std::collections::BTreeMap<String, &RawValue> = serde_json::from_slice(row).ok()?;
    if fields.keys().all(|name| published_name(name) == name) {
        return None;
    }
    // A column that the settings name takes the place of one that has its name already.
    let (own, named): (Vec<_>, Vec<_>) =
        fields.into_iter().partition(|(name, _)| published_name(name) == name);
    let mut row = Map::new();
    for (name, value) in own.into_iter().chain(named) {
        row.insert(published_name(&name).to_owned(), serde_json::from_str(value.get()).ok()?);
    }
    serde_json::to_vec(&row).ok()
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
        assert!(with_published_names(br#"{"log": []}"#).is_none(), "the settings are silent");
    }
}
