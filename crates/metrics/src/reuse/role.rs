//! Decides the role of a file by its path alone.

use serde::Serialize;

use crate::quality::QualityProfile;
use trajview_code::tree::Grammar;
use trajview_run::worded_enum::worded;

worded! {
    name;
    /// The role of a file.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum FileRole {
        /// Exports symbols, and may use those of others.
        Module = "module",
        /// Only uses symbols.
        Entry = "entry",
        /// Its uses do not count as reuse.
        Test = "test",
        /// Neither exports nor uses symbols.
        Other = "other",
    }
}

/// The reader for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReaderKind {
    Code(Grammar),
    /// `Cargo.toml`, which has the name of the package in code.
    Manifest,
    /// A file that registers symbols of a Python package by name: `pyproject.toml`, `setup.cfg`, `entry_points.txt`.
    EntryPoints,
}

impl ReaderKind {
    /// Returns a word that is different for each reader.
    pub fn name(self) -> &'static str {
        match self {
            Self::Code(grammar) => grammar.name(),
            Self::Manifest => "manifest",
            Self::EntryPoints => "entry points",
        }
    }

    /// Returns the reader for a file by its name; None for a language whose modules are not supported here.
    pub fn for_path(path: &str) -> Option<Self> {
        match path.rsplit('/').next() {
            Some("Cargo.toml") => return Some(Self::Manifest),
            Some("pyproject.toml" | "setup.cfg" | "entry_points.txt") => {
                return Some(Self::EntryPoints);
            }
            _ => {}
        }
        Grammar::for_path(path).filter(|&grammar| is_known(grammar)).map(Self::Code)
    }
}

/// Returns whether the modules of a language are supported.
fn is_known(grammar: Grammar) -> bool {
    match grammar {
        Grammar::JavaScript
        | Grammar::Python
        | Grammar::Rust
        | Grammar::Tsx
        | Grammar::TypeScript => true,
        Grammar::C
        | Grammar::Cpp
        | Grammar::Go
        | Grammar::Haskell
        | Grammar::Java
        | Grammar::Zig => false,
    }
}

/// Returns whether a file of a snapshot is read: files in a supported language, in the folders that the default
/// profile of code quality counts; installed packages are left out.
pub fn takes_path(path: &str) -> bool {
    let is_installed = path.split('/').any(|part| part == "site-packages");
    let folder = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    ReaderKind::for_path(path).is_some()
        && !is_installed
        && QualityProfile::Trajview.counts_file(&format!("{folder}a.py"))
}

/// Returns the role that a path alone determines, with the reason; None for a file that may be a module.
pub(super) fn role_by_path(path: &str) -> Option<(FileRole, &'static str)> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, end) = name.rsplit_once('.').unwrap_or((name, ""));
    let language = match end.to_ascii_lowercase().as_str() {
        "py" | "pyw" | "pyi" => ReuseLanguage::Python,
        "rs" => ReuseLanguage::Rust,
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => ReuseLanguage::Script,
        _ => return Some((FileRole::Other, "no module by its name")),
    };
    if folders.split('/').any(|folder| language.has_tests_in(folder)) {
        return Some((FileRole::Test, "lies in a folder of tests"));
    }
    match language {
        ReuseLanguage::Python => python_role(stem, end),
        ReuseLanguage::Rust => rust_role(stem),
        ReuseLanguage::Script => script_role(stem),
    }
}

#[derive(Clone, Copy)]
enum ReuseLanguage {
    Python,
    Rust,
    Script,
}

impl ReuseLanguage {
    fn has_tests_in(self, folder: &str) -> bool {
        let more: &[&str] = match self {
            Self::Python | Self::Rust => &[],
            Self::Script => &["__tests__", "__mocks__", "spec", "specs", "e2e", "cypress"],
        };
        ["test", "tests"].contains(&folder) || more.contains(&folder)
    }
}

fn python_role(stem: &str, end: &str) -> Option<(FileRole, &'static str)> {
    match stem {
        _ if end == "pyi" => Some((FileRole::Other, "a stub: types only")),
        "setup" => Some((FileRole::Other, "setup.py packs the modules")),
        "conftest" => Some((FileRole::Test, "conftest.py belongs to the tests")),
        "test" | "tests" => Some((FileRole::Test, NAMED_AS_TEST)),
        _ if stem.starts_with("test_") || stem.ends_with("_test") => {
            Some((FileRole::Test, NAMED_AS_TEST))
        }
        _ => None,
    }
}

fn rust_role(stem: &str) -> Option<(FileRole, &'static str)> {
    let is_test =
        matches!(stem, "test" | "tests") || stem.ends_with("_test") || stem.ends_with("_tests");
    is_test.then_some((FileRole::Test, NAMED_AS_TEST))
}

fn script_role(stem: &str) -> Option<(FileRole, &'static str)> {
    match stem.rsplit('.').next() {
        Some("d") if stem.contains('.') => {
            Some((FileRole::Other, "a declaration file: types only"))
        }
        Some("test" | "spec" | "tests" | "e2e" | "cy") => Some((FileRole::Test, NAMED_AS_TEST)),
        _ => None,
    }
}

const NAMED_AS_TEST: &str = "is named as a test";
