//! What a file counts as, by its path alone.

use serde::Serialize;

use crate::{code::tree::Grammar, metrics::quality::Profile};

/// What a file counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Offers symbols, and may use those of others.
    Module,
    /// Only uses.
    Entry,
    /// Its uses make nothing reused.
    Test,
    /// Neither offers nor uses.
    Other,
}

impl Role {
    /// As a table shows it and JSON writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Module => "module",
            Self::Entry => "entry",
            Self::Test => "test",
            Self::Other => "other",
        }
    }
}

/// Whether a file of a snapshot is looked at: those the default profile of code quality takes, in a language whose
/// modules are known here; installed packages are not.
pub fn takes(path: &str) -> bool {
    let is_known = Grammar::of(path).is_some_and(|grammar| match grammar {
        Grammar::Python | Grammar::JavaScript | Grammar::TypeScript | Grammar::Tsx => true,
        Grammar::C | Grammar::Cpp | Grammar::Go | Grammar::Java | Grammar::Rust => false,
    });
    let is_installed = path.split('/').any(|part| part == "site-packages");
    is_known && !is_installed && Profile::Trajview.takes(path)
}

/// What a path alone says; None of a file that is a module as far as its path goes.
pub(super) fn by_path(path: &str) -> Option<(Role, &'static str)> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, end) = name.rsplit_once('.').unwrap_or((name, ""));
    let language = match end.to_ascii_lowercase().as_str() {
        "py" | "pyw" | "pyi" => Language::Python,
        "js" | "mjs" | "cjs" | "jsx" | "ts" | "mts" | "cts" | "tsx" => Language::Script,
        _ => return Some((Role::Other, "no module by its name")),
    };
    if folders.split('/').any(|folder| language.has_tests_in(folder)) {
        return Some((Role::Test, "lies in a folder of tests"));
    }
    match language {
        Language::Python => python(stem, end),
        Language::Script => script(stem),
    }
}

#[derive(Clone, Copy)]
enum Language {
    Python,
    Script,
}

impl Language {
    fn has_tests_in(self, folder: &str) -> bool {
        let more: &[&str] = match self {
            Self::Python => &[],
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

fn script(stem: &str) -> Option<(Role, &'static str)> {
    match stem.rsplit('.').next() {
        Some("d") if stem.contains('.') => Some((Role::Other, "a declaration file: types only")),
        Some("test" | "spec" | "tests" | "e2e" | "cy") => Some((Role::Test, NAMED_AS_TEST)),
        _ => None,
    }
}

const NAMED_AS_TEST: &str = "is named as a test";
