//! Rules in ast-grep's YAML: patterns of code that says in many lines what could be said in few.
//!
//! The built-in set lies in `assets/rules`. A file or folder of the user's takes its place whole. A rule that cannot be
//! loaded is a [`Problem`] with its place, and the others run.

mod built_in;
mod direct;
mod facts;
mod load;
mod plain;
mod plain_yaml;
mod scan;

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

pub use built_in::BUILT_IN;
pub use facts::RuleFacts;
pub use load::Problem;
pub use scan::{Comments, Found, Match};

use scan::Set;
use trajview_code::{flat::Flat, tree::Grammar};

/// What the user is told the built-in rules come from; no path is called so.
const BUILT_IN_SOURCE: &str = "built in";

/// A set of rules, ready to scan; to be made once and shared between threads.
#[derive(Debug, Default)]
pub struct Rules {
    source: String,
    sha256: String,
    fingerprint: String,
    problems: Vec<Problem>,
    sets: BTreeMap<Grammar, Set>,
}

impl Rules {
    /// No rules: nothing is ever hit.
    pub fn none() -> Self {
        Self { source: "none".into(), ..Self::default() }
    }

    /// The set of this house.
    pub fn built_in() -> Self {
        Self::load(BUILT_IN_SOURCE, BUILT_IN)
    }

    /// Rules out of the texts of files, each with its name; `source` is what the user is told they come from. What
    /// cannot be loaded is in [`problems`](Self::problems).
    pub fn load(source: &str, files: &[(&str, &str)]) -> Self {
        let mut hash = Sha256::new();
        files.iter().for_each(|(_, text)| hash.update(text));
        let sha256 = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let ((rules, problems), fingerprint) =
            rayon::join(|| load::all(files), || load::fingerprint(files));
        let mut by_grammar: BTreeMap<Grammar, Vec<_>> = BTreeMap::new();
        rules
            .into_iter()
            .for_each(|(grammar, rule)| by_grammar.entry(grammar).or_default().push(rule));
        let sets =
            by_grammar.into_iter().map(|(grammar, rules)| (grammar, Set::new(rules))).collect();
        Self { source: source.into(), sha256, fingerprint, problems, sets }
    }

    /// Where they come from: `built in`, `none` or what the user named.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// How many run.
    pub fn count(&self) -> usize {
        self.sets.values().map(Set::len).sum()
    }

    /// Of their texts in the order they were given, in hex; empty where there are none.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Of the documents alone: the same however they are spread over files, ordered, indented at the end or commented,
    /// and whatever their severity, weight and message, which move no number.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Whether they are the set of this house.
    pub fn is_built_in(&self) -> bool {
        self.source == BUILT_IN_SOURCE
    }

    /// Those that do not run, and why.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Every match in a file, in the order they start. `flat` is of the tree of `text`.
    pub fn scan(
        &self,
        grammar: Grammar,
        text: &str,
        flat: &Flat<'_>,
        comments: Comments,
    ) -> Found<'_> {
        let set = self.sets.get(&grammar);
        set.map_or_else(Found::default, |set| set.scan((grammar, text), flat, comments))
    }
}

#[cfg(test)]
mod tests;
