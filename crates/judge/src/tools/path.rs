//! Paths as a judge names them. Nothing but a relative path below the snapshot's root is taken.

use crate::snapshot::CodeSnapshot;
use trajview_run::{RepoPath, files::FileMode};

/// A place in the snapshot.
#[derive(Debug, PartialEq, Eq)]
pub enum SnapshotPlace {
    Root,
    File(RepoPath),
    Folder(RepoPath),
}

/// Returns the place that a path names; the root without one. The error is a sentence.
pub(crate) fn resolve_path(
    path: Option<&str>,
    snapshot: &CodeSnapshot,
) -> Result<SnapshotPlace, String> {
    let Some(path) = path.map(str::trim).filter(|path| !path.is_empty()) else {
        return Ok(SnapshotPlace::Root);
    };
    if is_outside(path) {
        return Err("the path leaves the snapshot; name one relative to its root".into());
    }
    let Some(inside) = RepoPath::new(path) else {
        return match path.split('/').all(|part| part == "." || part.is_empty()) {
            true => Ok(SnapshotPlace::Root),
            false => Err("not a path".into()),
        };
    };
    if let Some(link) = link_on_the_way(&inside, snapshot) {
        return Err(format!("{link} is a link; links are not followed"));
    }
    let files = &snapshot.tree().files;
    if files.contains_key(&inside) {
        return Ok(SnapshotPlace::File(inside));
    }
    let below = format!("{inside}/");
    let is_folder = files.keys().any(|file| file.as_str().starts_with(&below));
    match is_folder {
        true => Ok(SnapshotPlace::Folder(inside)),
        false => Err(format!("{inside}: no such file or folder in the snapshot")),
    }
}

/// Returns whether the path is absolute on any system, a home folder, an address, or has `..` in it, even where it would come back inside.
fn is_outside(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':');
    let starts = ["/", "\\", "~", "file:"].iter().any(|start| path.starts_with(start));
    let climbs = path.split(['/', '\\']).any(|part| part.trim() == "..");
    drive || starts || climbs || path.contains("://") || path.contains('\0')
}

/// Returns the first part of the path that is a link in the snapshot.
fn link_on_the_way(path: &RepoPath, snapshot: &CodeSnapshot) -> Option<RepoPath> {
    let text = path.as_str();
    let ends = text.match_indices('/').map(|(at, _)| at).chain([text.len()]);
    ends.filter_map(|end| RepoPath::new(&text[..end])).find(|part| {
        let file = snapshot.tree().files.get(part);
        file.is_some_and(|file| file.mode == FileMode::Link)
    })
}

impl SnapshotPlace {
    /// Returns the files at this place, links and other repositories left out.
    pub(crate) fn readable_files<'a>(&self, snapshot: &'a CodeSnapshot) -> Vec<&'a RepoPath> {
        let files = snapshot.tree().files.iter();
        let readable = files
            .filter(|(_, file)| matches!(file.mode, FileMode::Regular | FileMode::Executable))
            .map(|(path, _)| path);
        readable.filter(|path| self.contains_file(path)).collect()
    }

    /// Returns whether a file is here or below.
    pub(crate) fn contains_file(&self, path: &RepoPath) -> bool {
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
