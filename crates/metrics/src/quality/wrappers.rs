//! Functions that only pass a call on, as `scb-check` finds them. Whether one counts depends on what the other files
//! define, so a file keeps what it would take to decide and [`combine`](super::combine) decides.
//!
//! Names are resolved as that tool resolves them, its short cuts included: a file's module is its path up to the first
//! folder without `__init__.py`, and of two functions with one qualified name 0.2.0 knows only the last.

mod check_013;
mod check_020;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{file::Span, profile::Profile, snapshot::File};

/// What a file says about names that only the whole snapshot can resolve. Empty outside the `scb-check` profiles.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Links {
    /// 0.1.3: functions that consist of one `return`.
    pub single_returns: Vec<Span>,
    /// 0.1.3: `name = other` at module level.
    pub aliases: Vec<Alias>,
    /// 0.2.0: classes and functions in the order they are met.
    pub symbols: Vec<Symbol>,
}

/// `name = other`, a wrapper if `other` is a function of the snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alias {
    pub span: Span,
    pub target: Target,
}

/// A dotted name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// Below the file's own module.
    Local(String),
    Global(String),
}

/// A class or function of 0.2.0. One with the same qualified name in a later file takes its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// Dotted, below the module.
    pub name: String,
    pub span: Span,
    /// Index into the callables of the file; None for a class.
    pub callable: Option<u32>,
    pub effects: Effects,
    pub forwards: Forwards,
    /// Names of the parameters, joined by commas; None in Python, where they tell no two functions apart.
    pub parameters: Option<String>,
}

/// Whether running a function may do more than compute from what it is given.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Effects {
    /// It raises, or calls something that has no name.
    pub certain: bool,
    /// What it calls: an effect unless the snapshot defines it.
    pub calls: Vec<Called>,
}

/// The name of what is called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Called {
    /// With the file's imports applied.
    pub global: String,
    /// As it stands there, if it has no dot: it may be the file's own.
    pub local: Option<String>,
}

/// What a function of one `return` hands back.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Forwards {
    /// Something of its own, or it is bound by a contract and may not be judged.
    #[default]
    Nothing,
    /// One of its parameters.
    Parameter,
    /// A call with all its parameters and nothing else.
    Call(Called),
}

/// What was decided about one file.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// In the order they start.
    pub wrappers: Vec<Span>,
    /// Indices of callables whose name a later one has taken.
    pub replaced: HashSet<usize>,
}

/// The wrappers of each file that counts, in the order of `files`; `paths` are those of all files of the snapshot.
pub fn found(files: &[File<'_>], paths: &HashSet<&str>, profile: Profile) -> Vec<Found> {
    let modules = || files.iter().map(|file| module(file.path, paths)).collect::<Vec<_>>();
    match profile {
        Profile::ScbPaper | Profile::Trajview => vec![Found::default(); files.len()],
        Profile::ScbCheck013 => check_013::found(files, &modules()),
        Profile::ScbCheck020 => check_020::found(files, &modules()),
    }
}

/// The dotted name a file is imported by. The snapshot's own folder has no name.
fn module(path: &str, paths: &HashSet<&str>) -> String {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    if !name.ends_with(".py") && !name.ends_with(".pyw") {
        return name.split_once('.').map_or(name, |(stem, _)| stem).to_owned();
    }
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let mut parts = packages(folder, paths);
    if name != "__init__.py" {
        parts.push(stem);
    }
    parts.join(".")
}

/// The folders above a file that are packages without a gap, outermost first.
fn packages<'a>(mut folder: &'a str, paths: &HashSet<&str>) -> Vec<&'a str> {
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

        assert_eq!(module("lib/a/b/c.py", &paths), "a.b.c");
        assert_eq!(module("lib/a/b/__init__.py", &paths), "a.b");
        assert_eq!(module("lib/d.py", &paths), "d");
        assert_eq!(module("lib/x.test.js", &paths), "x");
    }
}
