//! The files below a folder.

use crate::snapshot::CodeSnapshot;
use trajview_run::{RepoPath, files::FileMode};

use super::{
    ToolArguments,
    path::{self, SnapshotPlace},
};

/// Largest number of listed entries; more are counted.
const MOST: usize = 400;

/// Lists the files below a path of the snapshot, a line each. The error is a sentence for the judge.
pub fn list_files(
    arguments: &ToolArguments<'_>,
    snapshot: &CodeSnapshot,
) -> Result<String, String> {
    let place = path::resolve_path(arguments.text_argument("path")?, snapshot)?;
    let files: Vec<&RepoPath> =
        snapshot.tree().files.keys().filter(|path| place.contains_file(path)).collect();
    if files.is_empty() {
        return Ok("the snapshot has no files".into());
    }
    let mut lines: Vec<String> = files
        .iter()
        .take(MOST)
        .map(|path| format!("{path} ({})", size_text(path, snapshot)))
        .collect();
    if files.len() > MOST {
        let what = format!("(and {} more; name a folder)", files.len() - MOST);
        lines.push(what);
    }
    let head = match place {
        SnapshotPlace::Root => format!("{} files", files.len()),
        SnapshotPlace::File(path) | SnapshotPlace::Folder(path) => {
            format!("{path}: {} files", files.len())
        }
    };
    Ok(format!("{head}\n{}", lines.join("\n")))
}

fn size_text(path: &RepoPath, snapshot: &CodeSnapshot) -> String {
    if snapshot.tree().files.get(path).is_some_and(|file| file.mode == FileMode::Link) {
        return "link, not followed".into();
    }
    match snapshot.text_of(path) {
        Ok(text) => match text.lines().count() {
            1 => "1 line".into(),
            count => format!("{count} lines"),
        },
        Err(why) => why,
    }
}
