//! What the forms of the screen said last, task by task: one small file in the platform's cache folder. Keys never come
//! here, only names of the variables that hold them. Whoever deletes the file loses some typing and nothing else.

use std::{collections::BTreeMap, fs, path::PathBuf};

use serde::{Deserialize, Serialize};

use super::write;

const SCHEMA: &str = "trajview.forms/1";

/// More tasks than this are not remembered.
const MOST_TASKS: usize = 200;

/// A file longer than this is none of ours.
const MOST_BYTES: u64 = 16 << 20;

#[derive(Debug, Default, Serialize, Deserialize)]
struct Forms {
    schema: String,
    /// The newest last.
    tasks: Vec<(String, BTreeMap<String, String>)>,
}

fn path() -> Option<PathBuf> {
    Some(super::user_folders::cache()?.join("trajview").join("forms.json"))
}

fn all() -> Forms {
    let path = path().filter(|path| fs::metadata(path).is_ok_and(|it| it.len() <= MOST_BYTES));
    let bytes = path.and_then(|path| fs::read(path).ok());
    let forms = bytes.and_then(|bytes| serde_json::from_slice::<Forms>(&bytes).ok());
    forms.filter(|forms| forms.schema == SCHEMA).unwrap_or_default()
}

/// Fields and values of the last form about a task; nothing where there was none.
pub fn read(task: &str) -> Vec<(String, String)> {
    let found = all().tasks.into_iter().find(|(name, _)| name == task);
    found.map_or_else(Vec::new, |(_, said)| said.into_iter().collect())
}

/// Remembers a form. Where that cannot be done the next form is as if this one had never been.
pub fn write(task: &str, said: &[(String, String)]) {
    let Some(path) = path() else { return };
    let mut forms = all();
    forms.schema = SCHEMA.into();
    forms.tasks.retain(|(name, _)| name != task);
    forms.tasks.push((task.to_owned(), said.iter().cloned().collect()));
    let more = forms.tasks.len().saturating_sub(MOST_TASKS);
    forms.tasks.drain(..more);
    let Ok(bytes) = serde_json::to_vec_pretty(&forms) else { return };
    let folder = path.parent().map(fs::create_dir_all);
    if folder.is_some_and(|made| made.is_ok()) {
        let _ = write::replace(&path, &bytes); // it is only a convenience
    }
}
