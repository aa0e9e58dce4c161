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
        let relative = below(path, root).unwrap_or_else(|| match root.is_some_and(is_windows) {
            true => slashed(path).replace('\\', "/"),
            false => slashed(path).into_owned(),
        });
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

/// What follows the root in a path below it, as recorded on any system. A drive has a large or a small letter, the shells of
/// Windows write it as a folder (`/c/`, `/mnt/c/`), and names there are the same in large and small letters.
pub fn below(path: &str, root: Option<&str>) -> Option<String> {
    let (path, root) = (slashed(path), slashed(root?));
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

/// Whether a path begins with a drive or names a computer, as those of Windows do.
fn is_windows(path: &str) -> bool {
    let bytes = path.as_bytes();
    let has_drive = bytes.get(1) == Some(&b':') && bytes[0].is_ascii_alphabetic();
    has_drive || path.starts_with("\\\\") || path.starts_with("//")
}

/// A recorded path without its `file://`, and with `/` between the parts of a Windows path.
fn slashed(path: &str) -> Cow<'_, str> {
    let path = match path.strip_prefix("file://") {
        Some(of_url) => of_address(of_url),
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

/// The path of a `file:` address, which has a `/` before a drive and may have its colon as a number.
fn of_address(path: &str) -> Cow<'_, str> {
    let drive =
        |path: &str| path.strip_prefix('/').filter(|rest| is_windows(rest)).map(str::to_owned);
    let colon = path.replacen("%3A", ":", 1).replacen("%3a", ":", 1);
    match drive(path).or_else(|| drive(&colon)) {
        Some(path) => Cow::Owned(path),
        None => Cow::Borrowed(path),
    }
}

/// A path of a shell on Windows (`/c/p`, `/mnt/c/p`, `/cygdrive/c/p`) with the drive it stands for, and with `/` only.
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
            assert_eq!(EditPath::sort(path, root), inside("src/a.py"), "{path}");
        }
        let share = Some("\\\\server\\share\\p");
        for path in [
            "\\\\server\\share\\p\\a.py",
            "//SERVER/share/p/a.py",
            "\\\\?\\UNC\\server\\share\\p\\a.py",
        ] {
            assert_eq!(EditPath::sort(path, share), inside("a.py"), "{path}");
        }
        for path in
            ["D:\\Users\\u\\p\\a.py", "C:\\Users\\u\\pq\\a.py", "..\\a.py", "\\\\server\\a.py"]
        {
            assert_eq!(EditPath::sort(path, root), EditPath::Outside(path.into()), "{path}");
        }
    }

    #[test]
    fn a_path_that_leaves_the_workspace_is_kept_as_words() {
        for path in ["/etc/passwd", "../x", "a/../../x", "C:\\x", "/world/a.py", "", "/w"] {
            assert_eq!(EditPath::sort(path, Some("/w")), EditPath::Outside(path.into()), "{path}");
        }
    }
}
