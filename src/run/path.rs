//! Paths out of a recording, made harmless.
//!
//! A recording may name `/etc/passwd` or `../../x`. Nothing outside the recorded workspace is ever
//! followed; such a path is kept as words only ([`EditPath::Outside`]).

use std::{
    borrow::Cow,
    fmt,
    path::{Path, PathBuf},
};

/// A path inside the workspace: relative, `/` between parts, no `.`, no `..`, never empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RepoPath(Box<str>);

/// Where an edit went.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EditPath {
    Inside(RepoPath),
    /// Outside the workspace, as recorded: shown, never part of the tree.
    Outside(Box<str>),
}

impl RepoPath {
    /// `path` as a repository path; None where it is absolute, empty or climbs out.
    pub fn new(path: &str) -> Option<Self> {
        let is_absolute = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
        if is_absolute || path.contains('\0') {
            return None;
        }
        parts_of(path)
            .map(|parts| parts.join("/"))
            .filter(|path| !path.is_empty())
            .map(|path| Self(path.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last part.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }
}

impl EditPath {
    /// Sorts a recorded path: `root` is the folder the agent worked in, as recorded.
    pub fn sort(path: &str, root: Option<&str>) -> Self {
        let (clean, root) = (slashed(path), root.map(slashed));
        let below_root = root.and_then(|root| {
            let rest = clean.strip_prefix(root.trim_end_matches('/'))?;
            rest.strip_prefix('/').map(|rest| rest.trim_start_matches('/').to_owned())
        });
        let relative = below_root.unwrap_or_else(|| clean.into_owned());
        RepoPath::new(&relative).map_or_else(|| Self::Outside(path.into()), Self::Inside)
    }

    pub fn inside(&self) -> Option<&RepoPath> {
        match self {
            Self::Inside(path) => Some(path),
            Self::Outside(_) => None,
        }
    }

    pub fn as_str(&self) -> &str {
        match self {
            Self::Inside(path) => path.as_str(),
            Self::Outside(path) => path,
        }
    }
}

/// A recorded path without its `file://`, and with `/` between the parts of a Windows path.
fn slashed(path: &str) -> Cow<'_, str> {
    let path = path.strip_prefix("file://").unwrap_or(path);
    let is_windows = path.as_bytes().get(1) == Some(&b':') || path.starts_with("\\\\");
    if is_windows { Cow::Owned(path.replace('\\', "/")) } else { Cow::Borrowed(path) }
}

/// None where `..` climbs above the start.
fn parts_of(path: &str) -> Option<Vec<&str>> {
    let mut parts = vec![];
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts)
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for EditPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The innermost folder that all of these files of the disk are in; None where there is none, or no file.
pub fn shared_folder(paths: &[PathBuf]) -> Option<&Path> {
    let mut folder = paths.first()?.parent()?;
    while !paths.iter().all(|path| path.starts_with(folder)) {
        folder = folder.parent()?;
    }
    Some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside(path: &str) -> EditPath {
        EditPath::Inside(RepoPath::new(path).unwrap())
    }

    #[test]
    fn a_path_below_the_root_becomes_relative() {
        assert_eq!(EditPath::sort("/w/src/a.py", Some("/w")), inside("src/a.py"));
        assert_eq!(EditPath::sort("/w/src/./b/../a.py", Some("/w/")), inside("src/a.py"));
        assert_eq!(EditPath::sort("file:///w/a.py", Some("file:///w")), inside("a.py"));
        assert_eq!(EditPath::sort("C:\\w\\src\\a.py", Some("C:\\w")), inside("src/a.py"));
    }

    #[test]
    fn a_path_that_leaves_the_workspace_is_kept_as_words() {
        for path in ["/etc/passwd", "../x", "a/../../x", "C:\\x", "/world/a.py", "", "/w"] {
            assert_eq!(EditPath::sort(path, Some("/w")), EditPath::Outside(path.into()), "{path}");
        }
    }
}
