//! Finds functions that only forward a call, like `scb-check`. Whether one counts depends on the definitions in the
//! other files, so the measure of a file has the facts that are needed, and [`combine_files`](super::combine_files) decides.
//!
//! Names are resolved as that tool resolves them, including its simplifications: a file's module is its path up to the
//! first folder without `__init__.py`, and of two functions with one qualified name 0.2.0 knows only the last.

mod check_013;
mod check_020;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{file_measure::SourceSpan, profile::QualityProfile, snapshot::SnapshotFile};

/// Facts of a file about names that only the whole snapshot can resolve. Empty outside the `scb-check` profiles.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct WrapperLinks {
    /// 0.1.3: functions that consist of one `return`.
    pub single_returns: Vec<SourceSpan>,
    /// 0.1.3: `name = other` at module level.
    pub aliases: Vec<NameAlias>,
    /// 0.2.0: classes and functions in order of occurrence.
    pub symbols: Vec<WrapperSymbol>,
}

/// `name = other`, a wrapper if `other` is a function of the snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameAlias {
    pub span: SourceSpan,
    pub target: AliasTarget,
}

/// A dotted name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum AliasTarget {
    /// Below the file's own module.
    Local(String),
    Global(String),
}

/// A class or function for 0.2.0. One with the same qualified name in a later file replaces it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrapperSymbol {
    /// Dotted, below the module.
    pub name: String,
    pub span: SourceSpan,
    /// Index into the callables of the file; None for a class.
    pub callable: Option<u32>,
    pub effects: CallEffects,
    pub forwards: ForwardedValue,
    /// Names of the parameters, joined by commas; None in Python, where they do not distinguish functions.
    pub parameters: Option<String>,
}

/// The side effects that running a function may have.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CallEffects {
    /// True where it raises, or calls something without a name.
    pub certain: bool,
    /// The functions that it calls: each is an effect unless the snapshot defines it.
    pub calls: Vec<CalledName>,
}

/// The name of a called function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalledName {
    /// The name with the file's imports applied.
    pub global: String,
    /// The name as written, if it has no dot: it may be defined in the same file.
    pub local: Option<String>,
}

/// The value that a function of one `return` returns.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum ForwardedValue {
    /// A value of its own; or the function is bound by a contract and does not count as a wrapper.
    #[default]
    Nothing,
    /// One of its parameters.
    Parameter,
    /// A call with all its parameters and nothing else.
    Call(CalledName),
}

/// The wrappers of one file.
#[derive(Debug, Clone, Default)]
pub struct FileWrappers {
    /// Sorted by start.
    pub wrappers: Vec<SourceSpan>,
    /// Indices of callables that a later one of the same name replaces.
    pub replaced: HashSet<usize>,
}

/// Returns the wrappers of each file that counts, in the order of `files`; `paths` are those of all files of the
/// snapshot.
pub(crate) fn find_wrappers(
    files: &[SnapshotFile<'_>],
    paths: &HashSet<&str>,
    profile: QualityProfile,
) -> Vec<FileWrappers> {
    let modules = || files.iter().map(|file| module_name(file.path, paths)).collect::<Vec<_>>();
    match profile {
        QualityProfile::ScbPaper | QualityProfile::Trajview => {
            vec![FileWrappers::default(); files.len()]
        }
        QualityProfile::ScbCheck013 => check_013::find_wrappers(files, &modules()),
        QualityProfile::ScbCheck020 => check_020::find_wrappers(files, &modules()),
    }
}

/// Returns the dotted name by which a file is imported. The snapshot's own folder has no name.
fn module_name(path: &str, paths: &HashSet<&str>) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    if !name.ends_with(".py") && !name.ends_with(".pyw") {
        return name.split_once('.').map_or(name, |(stem, _)| stem).to_owned();
    }
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let mut parts = package_folders(folder, paths);
    if name != "__init__.py" {
        parts.push(stem);
    }
    parts.join(".")
}

/// Returns the consecutive package folders above a file, outermost first.
fn package_folders<'a>(mut folder: &'a str, paths: &HashSet<&str>) -> Vec<&'a str> {
    let mut parts = vec![];
    loop {
        let door =
            if folder.is_empty() { "__init__.py".into() } else { format!("{folder}/__init__.py") };
        if !paths.contains(door.as_str()) {
            break;
        }
        let (above, name) = folder.rsplit_once('/').unwrap_or(("", folder));
        parts.push(name);
        if folder.is_empty() {
            break;
        }
        folder = above;
    }
    parts.reverse();
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_named_from_its_outermost_package() {
        let paths = HashSet::from(["lib/a/__init__.py", "lib/a/b/__init__.py", "lib/a/b/c.py"]);

        assert_eq!(module_name("lib/a/b/c.py", &paths), "a.b.c");
        assert_eq!(module_name("lib/a/b/__init__.py", &paths), "a.b");
        assert_eq!(module_name("lib/d.py", &paths), "d");
        assert_eq!(module_name("lib/x.test.js", &paths), "x");
    }
}
