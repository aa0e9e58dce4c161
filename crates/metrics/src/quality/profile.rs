//! The reference that the numbers follow.
//!
//! A number is never shown without its profile, because the same file has other values in another profile.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::rules::CommentHandling;
use trajview_code::tree::Grammar;
use trajview_run::worded_enum::worded;

worded! {
    name;
    /// The formulas, the files that count and the line rules of one reference.
    #[derive(
        Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord, Serialize, Deserialize,
    )]
    pub enum QualityProfile {
        /// SlopCodeBench's paper, version 1: Python, clones within a file, verbosity over physical lines.
        #[serde(rename = "scb-paper")]
        ScbPaper = "scb-paper",
        /// `scb-check check --report --include-all` 0.1.3: Python, clones across files, verbosity over source lines.
        #[serde(rename = "scb-check-0.1.3")]
        ScbCheck013 = "scb-check-0.1.3",
        /// The same command of 0.2.0: narrower wrappers, one callable per qualified name, and C++, Haskell,
        /// JavaScript, Rust, TypeScript and Zig.
        #[serde(rename = "scb-check-0.2.0")]
        ScbCheck020 = "scb-check-0.2.0",
        /// Ours: the paper's formulas, clones across files, every language compiled in.
        #[default]
        #[serde(rename = "trajview")]
        Trajview = "trajview",
    }
}

impl QualityProfile {
    /// Returns whether a file of a snapshot counts, by its path alone (relative to the snapshot, with `/`). A file
    /// that counts may still be skipped by [`measure_file`](super::measure_file()) because of its content.
    pub fn counts_file(self, path: &str) -> bool {
        self.grammar_of_file(path).is_some() && !path.split('/').any(|part| self.leaves_out(part))
    }

    /// Returns the grammar for a file of this name; None where the profile does not count such files.
    pub fn grammar_of_file(self, path: &str) -> Option<Grammar> {
        let grammar = Grammar::for_path(path)?;
        let takes = match self {
            Self::ScbPaper | Self::ScbCheck013 => file_suffix(path) == Some("py"),
            Self::ScbCheck020 => file_suffix(path)
                .is_some_and(|end| CHECK_020_READS.contains(&lower_case(end).as_str())),
            // For Haskell and Zig no table says which nodes add a path.
            Self::Trajview => !matches!(grammar, Grammar::Haskell | Grammar::Zig),
        };
        takes.then_some(grammar)
    }

    /// Returns the known differences from the reference, in sentences; none for our own profile.
    pub const fn known_differences(self) -> &'static [&'static str] {
        match self {
            Self::ScbPaper => &[
                "a file that CPython 3.12 cannot parse is excluded, recognised by a list of constructs: names after \\N, the content of the fields of an f-string, patterns of `case` and targets of an assignment are not checked",
                "where form feeds, U+0085 or U+2028 cut a line in two that Python's tokenizer cannot read, the paper's code counts lines that are neither blank nor a comment; here tokens are counted",
                "files that are links are measured there and not here",
                "the official rules are known by their number, 137",
            ],
            Self::ScbCheck013 | Self::ScbCheck020 => &[
                "where Python's tokenizer fails (tabs and blanks mixed, a form feed or U+0085 or U+2028 within a line), that tool ends without an answer; here the file is measured",
                "files of more than 1.25 MiB and files nested deeper than 5,000 nodes are left out here",
            ],
            Self::Trajview => &[],
        }
    }

    /// Returns whether verbosity is a share of all lines; else it is a share of the lines with code.
    pub(super) fn counts_physical_lines(self) -> bool {
        matches!(self, Self::ScbPaper | Self::Trajview)
    }

    /// Returns whether pieces in different files can be clones.
    pub(super) fn finds_clones_across_files(self) -> bool {
        !matches!(self, Self::ScbPaper)
    }

    /// Returns whether this is a release of `scb-check`.
    pub(super) fn is_scb_check(self) -> bool {
        matches!(self, Self::ScbCheck013 | Self::ScbCheck020)
    }

    /// Returns whether an `ast-grep-ignore` comment suppresses a match, as in the references. Our profile counts such
    /// comments and ignores them, because the measured agent may write them.
    pub(super) fn heeds_suppressions(self) -> bool {
        !matches!(self, Self::Trajview)
    }

    /// Returns whether rules are run over a file of this name. The rule engine of `scb-check` recognises Python by
    /// `.py` alone: `.pyw` and `.PY` files are measured but have no matches.
    pub(super) fn runs_rules_over(self, path: &str) -> bool {
        let is_python = Grammar::for_path(path) == Some(Grammar::Python);
        !self.is_scb_check() || !is_python || file_suffix(path) == Some("py")
    }

    /// Returns how patterns treat comments. The references run ast-grep 0.42.
    pub(super) fn comment_handling(self) -> CommentHandling {
        match self {
            Self::ScbPaper | Self::ScbCheck013 | Self::ScbCheck020 => CommentHandling::Taken,
            Self::Trajview => CommentHandling::PassedOver,
        }
    }

    /// Returns whether a folder or file of this name is excluded with everything below it.
    fn leaves_out(self, part: &str) -> bool {
        match self {
            Self::ScbPaper | Self::Trajview => {
                PAPER_LEAVES_OUT.contains(&part) || part.ends_with(".pyc")
            }
            Self::ScbCheck013 | Self::ScbCheck020 => CHECK_LEAVES_OUT.contains(&part),
        }
    }
}

/// Returns the text after the last dot of a file name; None where that dot begins the name.
fn file_suffix(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, suffix) = name.rsplit_once('.')?;
    (!stem.is_empty()).then_some(suffix)
}

fn lower_case(text: &str) -> String {
    text.to_ascii_lowercase()
}

#[rustfmt::skip]
const CHECK_020_READS: [&str; 16] = [
    "c++", "cc", "cpp", "cxx", "hh", "hpp", "hs", "hxx", "js", "mjs", "cjs", "py", "pyw", "rs", "ts", "zig",
];

#[rustfmt::skip]
const PAPER_LEAVES_OUT: [&str; 9] = [
    "__pycache__", "venv", ".venv", "virtualenv", ".virtualenv", ".git", "node_modules", ".tox", ".nox",
];

#[rustfmt::skip]
const CHECK_LEAVES_OUT: [&str; 14] = [
    ".git", ".venv", "venv", "env", ".env", "__pycache__", "build", "dist", "node_modules", "site-packages",
    ".mypy_cache", ".pytest_cache", ".ruff_cache", ".tox",
];

impl fmt::Display for QualityProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for QualityProfile {
    type Err = String;

    /// Fails on a name that is not in [`QualityProfile::ALL`]; the error lists the known names.
    fn from_str(name: &str) -> Result<Self, String> {
        Self::by_word(name).ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            format!("no profile is called {name}; known profiles: {known}")
        })
    }
}
