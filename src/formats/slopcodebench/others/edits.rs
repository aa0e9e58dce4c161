//! Edits out of the arguments of a call: what was asked for, where nothing says what came of it.

use crate::run::{
    Edit, EditKind, EditPath, Place,
    files::{RecordedChange, RecordedEdit, Replacement},
};

use super::{
    super::json::Object,
    record::{Record, What},
};

/// Where the harness lets agents work.
const ROOT: &str = "/workspace";

const WRITES: [&str; 3] = ["write_file", "write", "create"];
const REPLACES: [&str; 4] = ["replace", "edit", "edit_file", "str_replace"];

pub fn of_call(name: &str, arguments: &str, place: Place) -> Vec<Edit> {
    let Some(arguments) = Object::parse(arguments) else { return vec![] };
    let Some((path, change)) = asked(name, &arguments) else { return vec![] };
    let lines = |text: &str| u32::try_from(text.lines().count()).ok();
    let (kind, added, removed) = match &change {
        RecordedChange::Write(text) => (EditKind::Create, lines(text), None),
        RecordedChange::Replace(parts) => {
            let sum = |of: fn(&Replacement) -> &str| {
                u32::try_from(parts.iter().map(|part| of(part).lines().count()).sum::<usize>()).ok()
            };
            (EditKind::Modify, sum(|part| &part.new), sum(|part| &part.old))
        }
        _ => (EditKind::Modify, None, None),
    };
    let path = EditPath::sort(&path, Some(ROOT));
    vec![Edit { path, kind, from: None, added, removed, place }]
}

fn asked(name: &str, arguments: &Object<'_>) -> Option<(String, RecordedChange)> {
    let path = arguments.text_of(&["file_path", "filePath", "path", "absolute_path"])?;
    if WRITES.contains(&name)
        && let Some(text) = arguments.text_of(&["content", "file_text"])
    {
        return Some((path.into(), RecordedChange::Write(text.into())));
    }
    if !REPLACES.contains(&name) {
        return None;
    }
    let old = arguments.text_of(&["old_string", "oldString", "old_str"])?.into();
    let new = arguments.text_of(&["new_string", "newString", "new_str"])?.into();
    let all = ["replace_all", "replaceAll"].iter().any(|key| arguments.flag(key) == Some(true));
    Some((path.into(), RecordedChange::Replace(vec![Replacement { old, new, all }])))
}

/// The body of an edit, from the record of its call.
pub fn body(record: &str) -> Option<RecordedEdit> {
    let What::Called(call) = Record::of(&Object::parse(record)?).what else { return None };
    let (_, change) = asked(&call.name, &Object::parse(&call.arguments)?)?;
    Some(RecordedEdit { before: None, change })
}
