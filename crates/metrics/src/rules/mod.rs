//! Rules in ast-grep's YAML: patterns of code that takes many lines and could take few.
//!
//! The built-in set is in `assets/rules`. A file or folder of the user replaces it completely. A rule that cannot be
//! loaded becomes a [`RuleProblem`] with its place, and the others run.

mod direct;
mod facts;
mod load;
mod plain_tree;
mod scan;

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

pub use facts::RuleFacts;
pub use load::RuleProblem;
pub use scan::{CommentHandling, RuleMatch, ScanResult};

use load::RuleDocument;
use scan::LanguageRules;
use trajview_assets::RULES;
use trajview_code::{flat_tree::FlatTree, tree::Grammar};

/// The source that is shown for the built-in rules; no path has this name.
const BUILT_IN_SOURCE: &str = "built in";

/// A set of rules, ready to scan; create it once and share it between threads.
#[derive(Debug, Default)]
pub struct RuleSet {
    source: String,
    sha256: String,
    fingerprint: String,
    problems: Vec<RuleProblem>,
    sets: BTreeMap<Grammar, LanguageRules>,
}

impl RuleSet {
    /// Returns a set without rules, which never matches.
    pub fn none() -> Self {
        Self { source: "none".into(), ..Self::default() }
    }

    /// Returns the built-in set.
    pub fn built_in() -> Self {
        let texts = RULES.iter().map(|file| file.text);
        Self::from_documents(BUILT_IN_SOURCE, texts, &load::built_in_documents())
    }

    /// Loads rules from the texts of files, each with its name; `source` is the source that the user sees. Rules that
    /// cannot be loaded are in [`problems`](Self::problems).
    pub fn load(source: &str, files: &[(&str, &str)]) -> Self {
        let documents = files.iter().flat_map(|(file, text)| load::split_documents(file, text));
        let documents: Vec<RuleDocument<'_>> = documents.collect();
        Self::from_documents(source, files.iter().map(|(_, text)| *text), &documents)
    }

    fn from_documents<'t>(
        source: &str,
        texts: impl Iterator<Item = &'t str>,
        documents: &[RuleDocument<'_>],
    ) -> Self {
        let mut hash = Sha256::new();
        texts.for_each(|text| hash.update(text));
        let sha256 = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let ((rules, problems), fingerprint) =
            rayon::join(|| load::load_all(documents), || load::rules_fingerprint(documents));
        let mut by_grammar: BTreeMap<Grammar, Vec<_>> = BTreeMap::new();
        rules
            .into_iter()
            .for_each(|(grammar, rule)| by_grammar.entry(grammar).or_default().push(rule));
        let sets = by_grammar
            .into_iter()
            .map(|(grammar, rules)| (grammar, LanguageRules::new(rules)))
            .collect();
        Self { source: source.into(), sha256, fingerprint, problems, sets }
    }

    /// Returns the source of the rules: `built in`, `none` or the name that the user gave.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the number of rules that run.
    pub fn rule_count(&self) -> usize {
        self.sets.values().map(LanguageRules::len).sum()
    }

    /// Returns the hash of the texts in the given order, in hex; empty where there are no rules.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Returns a hash of the documents alone. It does not depend on their distribution over files, their order,
    /// trailing white space and comments, nor on severity, weight and message, which change no number.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Returns whether this is the built-in set.
    pub fn is_built_in(&self) -> bool {
        self.source == BUILT_IN_SOURCE
    }

    /// Returns the rules that do not run, with the reasons.
    pub fn problems(&self) -> &[RuleProblem] {
        &self.problems
    }

    /// Returns every match in a file, sorted by start. `flat` is the flat tree of `text`.
    pub(crate) fn scan_file(
        &self,
        grammar: Grammar,
        text: &str,
        flat: &FlatTree<'_>,
        comments: CommentHandling,
    ) -> ScanResult<'_> {
        let set = self.sets.get(&grammar);
        set.map_or_else(ScanResult::default, |set| set.scan_file((grammar, text), flat, comments))
    }
}

#[cfg(test)]
mod tests;
