//! `diff.json`: the harness' comparison of the workspace before and after a checkpoint.
//!
//! Text files only, and what it ignored (virtual environments, caches) is not in it. The body of each file's change is
//! read again when the files are put together: see [`trajview_code::patch::parse_difflib`] for how it is stored.

use trajview_code::patch;
use trajview_run::{
    Edit, EditKind, EditPath, SourceId, Warning,
    checkpoint_record::{ChangedFile, RecordedChanges},
    files::{RecordedChange, RecordedEdit},
};

use super::{
    super::{SourceBytes, json_object::JsonObject, nested_logs::place_within, tape::JsonTape},
    evaluation::parse_object,
    values,
};

/// Reads the changed files. Adds a warning for each that is left out; the error is a sentence.
pub fn read_changes(
    source: SourceBytes<'_>,
    id: SourceId,
    warnings: &mut Vec<Warning>,
) -> Result<RecordedChanges, String> {
    let text = std::str::from_utf8(source.bytes).map_err(|_| "is not UTF-8".to_owned())?;
    let tape = parse_object(text)?;
    let object = JsonObject::from_value(tape.root()).unwrap_or_default();
    let diffs = object.object("file_diffs").ok_or("has no file_diffs")?;
    let mut files = vec![];
    for (path, raw) in diffs.fields() {
        let place = place_within(text.as_bytes(), raw.get(), id);
        let warn =
            |what: String| Warning { place: format!("{}:{}", source.name, place.line), what };
        let Some(diff) = JsonObject::from_value(raw) else {
            warnings.push(warn(format!("the change of {path} is not an object")));
            // It did change: nobody may say that it did not.
            let (path, kind) = (EditPath::from_recorded(&path, None), EditKind::Modify);
            let edit = Edit { path, kind, from: None, added: None, removed: None, place };
            files.push(ChangedFile { edit, is_binary: false, old_size: None, new_size: None });
            continue;
        };
        let lines =
            |key| diff.get(key).and_then(values::lenient_count).and_then(|n| u32::try_from(n).ok());
        let edit = Edit {
            path: EditPath::from_recorded(&path, None),
            kind: change_kind(&diff),
            from: None,
            added: lines("lines_added"),
            removed: lines("lines_removed"),
            place,
        };
        let is_binary = diff.flag("is_binary") == Some(true);
        if let Some(what) = line_count_mismatch(&diff, &edit).filter(|_| !is_binary) {
            warnings.push(warn(format!("{path}: {what}")));
        }
        let size = |key| diff.get(key).and_then(values::lenient_count);
        let (old_size, new_size) = (size("old_size"), size("new_size"));
        files.push(ChangedFile { edit, is_binary, old_size, new_size });
    }
    Ok(RecordedChanges { source: source.name.into(), files })
}

fn change_kind(diff: &JsonObject<'_>) -> EditKind {
    match diff.first_text(&["change_type", "status"]).as_deref() {
        Some("created" | "added") => EditKind::Create,
        Some("deleted" | "removed") => EditKind::Delete,
        _ => EditKind::Modify,
    }
}

/// Returns a sentence where the line counts of a diff and of its text differ.
fn line_count_mismatch(diff: &JsonObject<'_>, edit: &Edit) -> Option<String> {
    let counted = patch::line_counts(&patch::parse_difflib(&diff.text("diff_text")?));
    let (added, removed) = (edit.added? as usize, edit.removed? as usize);
    (counted.added != added || counted.removed != removed).then(|| {
        format!(
            "states +{added} −{removed} lines, its text has +{} −{}",
            counted.added, counted.removed
        )
    })
}

/// Returns the body of one file's change.
pub fn edit_body(record: &str, edit: &Edit) -> Option<RecordedEdit> {
    let tape = JsonTape::parse(record);
    let diff = JsonObject::from_tape(&tape)?;
    let text = diff.text("diff_text");
    let change = match (edit.kind, text) {
        (EditKind::Delete, _) => RecordedChange::Delete,
        (_, None) => RecordedChange::NotRecorded,
        (EditKind::Create, Some(text)) => {
            let made = patch::apply_exactly("", &patch::parse_difflib(&text));
            made.map_or(RecordedChange::NotRecorded, RecordedChange::Write)
        }
        (EditKind::Modify | EditKind::Rename, Some(text)) => {
            RecordedChange::Patch(patch::parse_difflib(&text))
        }
    };
    Some(RecordedEdit { before: None, change })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_created_file_is_told_whole() {
        let text = r#"{"file_diffs": {"a.py": {"change_type": "created", "is_binary": false, "lines_added": 2,
            "lines_removed": 0, "diff_text": "--- a.py\n+++ a.py\n@@ -0,0 +1,2 @@\n+one\n\n+two\n"}}}"#;
        let source = SourceBytes { name: "diff.json", bytes: text.as_bytes() };
        let mut warnings = vec![];

        let found = read_changes(source, SourceId(0), &mut warnings).unwrap();

        let edit = &found.files[0].edit;
        let record = std::str::from_utf8(edit.place.bytes_in(text.as_bytes())).unwrap();
        let change = RecordedChange::Write("one\ntwo\n".into());
        assert_eq!(edit_body(record, edit), Some(RecordedEdit { before: None, change }));
        assert_eq!(warnings, []);
    }

    #[test]
    fn a_count_that_its_text_does_not_have_is_a_warning() {
        let text = r#"{"file_diffs": {
            "../a": {"change_type": "modified", "lines_added": 2, "lines_removed": 0, "diff_text": "@@ -1,0 +2 @@\n+x\n"}}}"#;
        let source = SourceBytes { name: "diff.json", bytes: text.as_bytes() };
        let mut warnings = vec![];

        let found = read_changes(source, SourceId(0), &mut warnings).unwrap();

        assert_eq!(found.files[0].edit.path.repo_path(), None);
        assert_eq!(warnings[0].place, "diff.json:2");
        assert_eq!(warnings[0].what, "../a: states +2 −0 lines, its text has +1 −0");
    }
}
