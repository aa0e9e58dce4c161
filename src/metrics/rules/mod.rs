//! Rules in ast-grep's YAML: patterns of code that says in many lines what could be said in few.
//!
//! The built-in set lies in `assets/rules`. A file or folder of the user's takes its place whole.

/// The files of `assets/rules`: name and text.
pub static BUILT_IN: &[(&str, &str)] = &[];

/// A set of rules, ready to scan.
#[derive(Debug, Default)]
pub struct Rules {
    source: String,
    count: usize,
    sha256: String,
    problems: Vec<Problem>,
}

/// A rule that could not be loaded; the others run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file it stands in.
    pub file: String,
    /// Its id, or `rule 3` where it has none.
    pub rule: String,
    /// Where it begins, counted from 1.
    pub line: usize,
    pub what: String,
}

impl Rules {
    /// No rules: nothing is ever hit.
    pub fn none() -> Self {
        Self { source: "none".into(), ..Self::default() }
    }

    /// The set of this house.
    pub fn built_in() -> Self {
        Self::load("built in", BUILT_IN)
    }

    /// Rules out of the texts of files, each with its name; `source` is what the user is told they come from. What
    /// cannot be loaded is in [`problems`](Self::problems).
    pub fn load(source: &str, _files: &[(&str, &str)]) -> Self {
        Self { source: source.into(), ..Self::default() }
    }

    /// Where they come from: `built in`, `none` or what the user named.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// How many run.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Of their texts in the order they were given, in hex; empty where there are none.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Those that do not run, and why.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}
