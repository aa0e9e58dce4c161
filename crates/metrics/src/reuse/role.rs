//! What a file counts as, by its path alone.

use serde::Serialize;

use crate::quality::Profile;
use trajview_code::tree::Grammar;
use trajview_run::values::worded;

worded! {
    name;
    /// What a file counts as.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Role {
        /// Offers symbols, and may use those of others.
        Module = "module",
        /// Only uses.
        Entry = "entry",
        /// Its uses make nothing reused.
        Test = "test",
        /// Neither offers nor uses.
        Other = "other",
    }
}

/// What reads a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    Code(Grammar),
    /// `Cargo.toml`: it says what code calls the package.
    Manifest,
    /// What registers symbols of a Python package by their names: `pyproject.toml`, `setup.cfg`, `entry_points.txt`.
    EntryPoints,
}

impl Form {
    /// One word, another for each.
    pub fn name(self) -> &'static str {
        match self {
            Self::Code(grammar) => grammar.name(),
            Self::Manifest => "manifest",
            Self::EntryPoints => "entry points",
        }
    }

    /// By the name of a file; None of a language whose modules are not known here.
    pub fn of(path: &str) -> Option<Self> {
        match path.rsplit('/').next() {
            Some("Cargo.toml") => return Some(Self::Manifest),
            Some("pyproject.toml" | "setup.cfg" | "entry_points.txt") => {
                return Some(Self::EntryPoints);
            }
            _ => {}
        }
        Grammar::of(path).filter(|&grammar| is_known(grammar)).map(Self::Code)
    }
}

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

/// Whether a file of a snapshot is looked at: those in a language whose modules are known here, below the folders that
/// the default profile of code quality takes; installed packages are not.
pub fn takes(path: &str) -> bool {
    let is_installed = path.split('/').any(|part| part == "site-packages");
    let folder = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    Form::of(path).is_some() && !is_installed && Profile::Trajview.takes(&format!("{folder}a.py"))
}

/// What a path alone says; None of a file that is a module as far as its path goes.
pub(super) fn by_path(path: &str) -> Option<(Role, &'static str)> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, end) = name.rsplit_once('.').unwrap_or((name, ""));
    let language = match end.to_ascii_lowercase().as_str() {
        "py" | "pyw" | "pyi" => Language::Python,
        "rs" => Language::Rust,
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => Language::Script,
        _ => return Some((Role::Other, "no module by its name")),
    };
    if folders.split('/').any(|folder| language.has_tests_in(folder)) {
        return Some((Role::Test, "lies in a folder of tests"));
    }
    match language {
        Language::Python => python(stem, end),
        Language::Rust => rust(stem),
        Language::Script => script(stem),
    }
}

#[derive(Clone, Copy)]
enum Language {
    Python,
    Rust,
    Script,
}

impl Language {
    fn has_tests_in(self, folder: &str) -> bool {
        let more: &[&str] = match self {
            Self::Python | Self::Rust => &[],
            Self::Script => &["__tests__", "__mocks__", "spec", "specs", "e2e", "cypress"],
        };
        ["test", "tests"].contains(&folder) || more.contains(&folder)
    }
}

fn python(stem: &str, end: &str) -> Option<(Role, &'static str)> {
    match stem {
        _ if end == "pyi" => Some((Role::Other, "a stub: types only")),
        "setup" => Some((Role::Other, "setup.py packs the modules")),
        "conftest" => Some((Role::Test, "conftest.py belongs to the tests")),
        "test" | "tests" => Some((Role::Test, NAMED_AS_TEST)),
        _ if stem.starts_with("test_") || stem.ends_with("_test") => {
            Some((Role::Test, NAMED_AS_TEST))
        }
        _ => None,
    }
}

fn rust(stem: &str) -> Option<(Role, &'static str)> {
    let is_test =
        matches!(stem, "test" | "tests") || stem.ends_with("_test") || stem.ends_with("_tests");
    is_test.then_some((Role::Test, NAMED_AS_TEST))
}

fn script(stem: &str) -> Option<(Role, &'static str)> {
    match stem.rsplit('.').next() {
        Some("d") if stem.contains('.') => Some((Role::Other, "a declaration file: types only")),
        Some("test" | "spec" | "tests" | "e2e" | "cy") => Some((Role::Test, NAMED_AS_TEST)),
        _ => None,
    }
}

const NAMED_AS_TEST: &str = "is named as a test";
