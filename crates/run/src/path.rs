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

/// The target of an edit.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EditPath {
    Inside(RepoPath),
    /// Outside the workspace, as recorded: shown, never part of the tree.
    Outside(Box<str>),
}

impl RepoPath {
    /// Returns `path` as a repository path; None where it is absolute, empty or climbs out.
    pub fn new(path: &str) -> Option<Self> {
        let is_absolute = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
        if is_absolute || path.contains('\0') {
            return None;
        }
        path_parts(path)
            .map(|parts| parts.join("/"))
            .filter(|path| !path.is_empty())
            .map(|path| Self(path.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the last part.
    pub fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }
}

impl EditPath {
    /// Sorts a recorded path: `root` is the folder the agent worked in, as recorded.
    pub fn from_recorded(path: &str, root: Option<&str>) -> Self {
        let relative =
            path_below(path, root).unwrap_or_else(|| match root.is_some_and(is_windows) {
                true => with_slashes(path).replace('\\', "/"),
                false => with_slashes(path).into_owned(),
            });
        RepoPath::new(&relative).map_or_else(|| Self::Outside(path.into()), Self::Inside)
    }

    pub fn repo_path(&self) -> Option<&RepoPath> {
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

/// Returns the part after the root for a path below it, as recorded on any system. A drive has a large or a small
/// letter, the shells of Windows write it as a folder (`/c/`, `/mnt/c/`), and names there are the same in large and
/// small letters.
pub fn path_below(path: &str, root: Option<&str>) -> Option<String> {
    let (path, root) = (with_slashes(path), with_slashes(root?));
    let root = root.trim_end_matches('/');
    let path = match is_windows(root) {
        true => Cow::Owned(with_drive(&path)),
        false => path,
    };
    let start = path.get(..root.len())?;
    let is_same = start == root || is_windows(root) && start.to_lowercase() == root.to_lowercase();
    let rest = path[root.len()..].strip_prefix('/').filter(|_| is_same)?;
    Some(rest.trim_start_matches('/').to_owned())
}

/// Returns whether a path begins with a drive or names a computer, as those of Windows do.
fn is_windows(path: &str) -> bool {
    let bytes = path.as_bytes();
    let has_drive = bytes.get(1) == Some(&b':') && bytes[0].is_ascii_alphabetic();
    has_drive || path.starts_with("\\\\") || path.starts_with("//")
}

/// Returns a recorded path without its `file://`, and with `/` between the parts of a Windows path.
fn with_slashes(path: &str) -> Cow<'_, str> {
    let path = match path.strip_prefix("file://") {
        Some(of_url) => path_of_file_url(of_url),
        None => Cow::Borrowed(path),
    };
    if !is_windows(&path) {
        return path;
    }
    let path = path.replace('\\', "/");
    // The long form of a path, and that of a share.
    let plain = match path.strip_prefix("//?/UNC/") {
        Some(share) => format!("//{share}"),
        None => path.strip_prefix("//?/").unwrap_or(&path).to_owned(),
    };
    Cow::Owned(plain)
}

/// Returns the path of a `file:` address, which has a `/` before a drive and may have its colon as a number.
fn path_of_file_url(path: &str) -> Cow<'_, str> {
    let drive =
        |path: &str| path.strip_prefix('/').filter(|rest| is_windows(rest)).map(str::to_owned);
    let colon = path.replacen("%3A", ":", 1).replacen("%3a", ":", 1);
    match drive(path).or_else(|| drive(&colon)) {
        Some(path) => Cow::Owned(path),
        None => Cow::Borrowed(path),
    }
}

/// Returns a path of a shell on Windows (`/c/p`, `/mnt/c/p`, `/cygdrive/c/p`) with its drive, and with `/` only.
fn with_drive(path: &str) -> String {
    let path = path.replace('\\', "/");
    let inner = ["/mnt/", "/cygdrive/", "/"].iter().find_map(|start| {
        let rest = path.strip_prefix(start)?;
        let (drive, rest) = rest.split_at_checked(1)?;
        let is_drive = drive.as_bytes()[0].is_ascii_alphabetic() && rest.starts_with('/');
        is_drive.then(|| format!("{drive}:{rest}"))
    });
    inner.unwrap_or(path)
}

/// Splits a path. None where `..` climbs above the start.
fn path_parts(path: &str) -> Option<Vec<&str>> {
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

/// Returns the innermost folder that all of these files of the disk are in; None where there is none, or no file.
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

    fn inside_path(path: &str) -> EditPath {
        EditPath::Inside(RepoPath::new(path).unwrap())
    }

    #[test]
    fn a_path_below_the_root_becomes_relative() {
        assert_eq!(EditPath::from_recorded("/w/src/a.py", Some("/w")), inside_path("src/a.py"));
        assert_eq!(
            EditPath::from_recorded("/w/src/./b/../a.py", Some("/w/")),
            inside_path("src/a.py")
        );
        assert_eq!(
            EditPath::from_recorded("file:///w/a.py", Some("file:///w")),
            inside_path("a.py")
        );
        assert_eq!(
            EditPath::from_recorded("C:\\w\\src\\a.py", Some("C:\\w")),
            inside_path("src/a.py")
        );
    }

    #[test]
    fn a_path_of_windows_is_below_the_root_however_it_is_written() {
        let root = Some("C:\\Users\\u\\p");
        for path in [
            "C:\\Users\\u\\p\\src\\a.py",
            "c:\\users\\u\\p\\src\\a.py",
            "C:/Users/u/p/src/a.py",
            "C:\\Users\\u\\p/src\\a.py",
            "\\\\?\\C:\\Users\\u\\p\\src\\a.py",
            "file:///C:/Users/u/p/src/a.py",
            "file:///c%3A/Users/u/p/src/a.py",
            "/c/Users/u/p/src/a.py",
            "/mnt/c/Users/u/p/src/a.py",
            "src\\a.py",
            ".\\src\\a.py",
        ] {
            assert_eq!(EditPath::from_recorded(path, root), inside_path("src/a.py"), "{path}");
        }
        let share = Some("\\\\server\\share\\p");
        for path in [
            "\\\\server\\share\\p\\a.py",
            "//SERVER/share/p/a.py",
            "\\\\?\\UNC\\server\\share\\p\\a.py",
        ] {
            assert_eq!(EditPath::from_recorded(path, share), inside_path("a.py"), "{path}");
        }
        for path in
            ["D:\\Users\\u\\p\\a.py", "C:\\Users\\u\\pq\\a.py", "..\\a.py", "\\\\server\\a.py"]
        {
            assert_eq!(
                EditPath::from_recorded(path, root),
                EditPath::Outside(path.into()),
                "{path}"
            );
        }
    }

    #[test]
    fn a_path_that_leaves_the_workspace_is_kept_as_words() {
        for path in ["/etc/passwd", "../x", "a/../../x", "C:\\x", "/world/a.py", "", "/w"] {
            assert_eq!(
                EditPath::from_recorded(path, Some("/w")),
                EditPath::Outside(path.into()),
                "{path}"
            );
        }
    }
}
