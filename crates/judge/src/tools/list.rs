//! The files below a folder.

use crate::snapshot::{Found, Snapshot};
use trajview_run::{RepoPath, files::FileMode};

use super::{
    Arguments,
    path::{self, Place},
};

/// More entries are counted, not listed.
const MOST: usize = 400;

pub fn run(arguments: &Arguments<'_>, snapshot: &Snapshot) -> Result<String, String> {
    let place = path::place(arguments.text("path")?, snapshot)?;
    let files: Vec<&RepoPath> =
        snapshot.tree().files.keys().filter(|path| place.has(path)).collect();
    if files.is_empty() {
        return Ok("the snapshot has no files".into());
    }
    let mut lines: Vec<String> =
        files.iter().take(MOST).map(|path| format!("{path} ({})", size(path, snapshot))).collect();
    if files.len() > MOST {
        let what = format!("(and {} more; name a folder)", files.len() - MOST);
        lines.push(what);
    }
    let head = match place {
        Place::Root => format!("{} files", files.len()),
        Place::File(path) | Place::Folder(path) => format!("{path}: {} files", files.len()),
    };
    Ok(format!("{head}\n{}", lines.join("\n")))
}

fn size(path: &RepoPath, snapshot: &Snapshot) -> String {
    if snapshot.tree().files.get(path).is_some_and(|file| file.mode == FileMode::Link) {
        return "link, not followed".into();
    }
    match snapshot.text(path) {
        Found::Text(text) => match text.lines().count() {
            1 => "1 line".into(),
            count => format!("{count} lines"),
        },
        Found::Not(why) => why,
    }
}
