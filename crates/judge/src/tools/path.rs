//! Paths as a judge names them. Nothing but a relative path below the snapshot's root is taken.

use crate::snapshot::Snapshot;
use trajview_run::{RepoPath, files::FileMode};

/// A place in the snapshot.
#[derive(Debug, PartialEq, Eq)]
pub enum Place {
    Root,
    File(RepoPath),
    Folder(RepoPath),
}

/// The place that a path names; the root without one. The error is a sentence.
pub fn place(path: Option<&str>, snapshot: &Snapshot) -> Result<Place, String> {
    let Some(path) = path.map(str::trim).filter(|path| !path.is_empty()) else {
        return Ok(Place::Root);
    };
    if is_outside(path) {
        return Err("the path leaves the snapshot; name one relative to its root".into());
    }
    let Some(inside) = RepoPath::new(path) else {
        return match path.split('/').all(|part| part == "." || part.is_empty()) {
            true => Ok(Place::Root),
            false => Err("not a path".into()),
        };
    };
    if let Some(link) = link_on_the_way(&inside, snapshot) {
        return Err(format!("{link} is a link; links are not followed"));
    }
    let files = &snapshot.tree().files;
    if files.contains_key(&inside) {
        return Ok(Place::File(inside));
    }
    let below = format!("{inside}/");
    let is_folder = files.keys().any(|file| file.as_str().starts_with(&below));
    match is_folder {
        true => Ok(Place::Folder(inside)),
        false => Err(format!("{inside}: no such file or folder in the snapshot")),
    }
}

/// Absolute on any system, a home folder, an address, or with `..` in it, even where it would come back inside.
fn is_outside(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':');
    let starts = ["/", "\\", "~", "file:"].iter().any(|start| path.starts_with(start));
    let climbs = path.split(['/', '\\']).any(|part| part.trim() == "..");
    drive || starts || climbs || path.contains("://") || path.contains('\0')
}

/// The first part of the path that is a link in the snapshot.
fn link_on_the_way(path: &RepoPath, snapshot: &Snapshot) -> Option<RepoPath> {
    let text = path.as_str();
    let ends = text.match_indices('/').map(|(at, _)| at).chain([text.len()]);
    ends.filter_map(|end| RepoPath::new(&text[..end])).find(|part| {
        let file = snapshot.tree().files.get(part);
        file.is_some_and(|file| file.mode == FileMode::Link)
    })
}

impl Place {
    /// The files at this place, links and other repositories left out.
    pub fn files<'a>(&self, snapshot: &'a Snapshot) -> Vec<&'a RepoPath> {
        let files = snapshot.tree().files.iter();
        let readable = files
            .filter(|(_, file)| matches!(file.mode, FileMode::Regular | FileMode::Executable))
            .map(|(path, _)| path);
        readable.filter(|path| self.has(path)).collect()
    }

    /// Whether a file is here or below.
    pub fn has(&self, path: &RepoPath) -> bool {
        match self {
            Self::Root => true,
            Self::File(file) => file == path,
            Self::Folder(folder) => path
                .as_str()
                .strip_prefix(folder.as_str())
                .is_some_and(|rest| rest.starts_with('/')),
        }
    }
}
