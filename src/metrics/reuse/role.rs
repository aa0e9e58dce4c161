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
    let is_known = Grammar::of(path).is_some_and(|grammar| matches!(grammar, Grammar::Python));
    let is_installed = path.split('/').any(|part| part == "site-packages");
    is_known && !is_installed && Profile::Trajview.takes(path)
}

/// What a path alone says; None of a file that is a module as far as its path goes.
pub(super) fn by_path(path: &str) -> Option<(Role, &'static str)> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    if folders.split('/').any(|folder| TEST_FOLDERS.contains(&folder)) {
        return Some((Role::Test, "lies in a folder of tests"));
    }
    let (stem, end) = name.rsplit_once('.').unwrap_or((name, ""));
    match end {
        "py" | "pyw" => python(stem),
        "pyi" => Some((Role::Other, "a stub: types only")),
        _ => Some((Role::Other, "no module by its name")),
    }
}

fn python(stem: &str) -> Option<(Role, &'static str)> {
    match stem {
        "setup" => Some((Role::Other, "setup.py packs the modules")),
        "conftest" => Some((Role::Test, "conftest.py belongs to the tests")),
        "test" | "tests" => Some((Role::Test, "is named as a test")),
        _ if stem.starts_with("test_") || stem.ends_with("_test") => {
            Some((Role::Test, "is named as a test"))
        }
        _ => None,
    }
}

const TEST_FOLDERS: [&str; 3] = ["test", "tests", "__tests__"];
