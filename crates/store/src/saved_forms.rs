//! The last values of the forms on screen, by task: one small file in the platform's cache folder. It never contains
//! keys, only names of the variables that hold them. Deleting the file costs some typing and nothing else.

use std::{collections::BTreeMap, fs, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::write;

const SCHEMA: &str = "trajview.forms/1";

/// The most tasks that are remembered.
const MOST_TASKS: usize = 200;

/// The most bytes of the file; a longer one was not written here.
const MOST_BYTES: u64 = 16 << 20;

#[derive(Debug, Default, Serialize, Deserialize)]
struct SavedForms {
    schema: String,
    /// The newest last.
    tasks: Vec<(String, BTreeMap<String, String>)>,
}

fn forms_path() -> Option<PathBuf> {
    Some(super::user_folders::cache_folder()?.join("trajview").join("forms.json"))
}

fn read_all() -> SavedForms {
    let path =
        forms_path().filter(|path| fs::metadata(path).is_ok_and(|it| it.len() <= MOST_BYTES));
    let bytes = path.and_then(|path| fs::read(path).ok());
    let forms = bytes.and_then(|bytes| serde_json::from_slice::<SavedForms>(&bytes).ok());
    forms.filter(|forms| forms.schema == SCHEMA).unwrap_or_default()
}

/// Returns the fields and values of the last form of a task; empty where there was none.
pub fn read_form(task: &str) -> Vec<(String, String)> {
    let found = read_all().tasks.into_iter().find(|(name, _)| name == task);
    found.map_or_else(Vec::new, |(_, values)| values.into_iter().collect())
}

/// Remembers a form. Where that cannot be done the next form is as if this one had never been.
pub fn write_form(task: &str, values: &[(String, String)]) {
    let Some(path) = forms_path() else { return };
    let mut forms = read_all();
    forms.schema = SCHEMA.into();
    forms.tasks.retain(|(name, _)| name != task);
    forms.tasks.push((task.to_owned(), values.iter().cloned().collect()));
    let more = forms.tasks.len().saturating_sub(MOST_TASKS);
    forms.tasks.drain(..more);
    let Ok(bytes) = serde_json::to_vec_pretty(&forms) else { return };
    let folder = path.parent().map(fs::create_dir_all);
    if folder.is_some_and(|made| made.is_ok()) {
        let _ = write::replace_file(&path, &bytes); // it is only a convenience
    }
}
