//! The description of a rule.

use ast_grep_config::Severity;
use serde::Serialize;

use super::{RuleSet, scan::ScanRule};
use trajview_code::tree::Grammar;

/// The description of a rule for people. Texts that its file does not have are empty or None.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleFacts<'r> {
    pub id: &'r str,
    pub language: &'static str,
    /// `metadata.category`.
    pub category: Option<String>,
    /// hint, info, warning or error
    pub severity: &'static str,
    /// The message about a match, in one line.
    pub message: &'r str,
    /// The reason why the code can be shorter.
    pub why: Option<&'r str>,
    /// An example of code that it matches.
    pub before: Option<String>,
    /// The same code in its shorter form, which it does not match.
    pub after: Option<String>,
}

impl RuleSet {
    /// Returns every rule that runs, in the order of languages and files.
    pub fn rule_facts(&self) -> impl Iterator<Item = RuleFacts<'_>> {
        self.sets
            .iter()
            .flat_map(|(grammar, set)| set.rules().map(|rule| facts_of_rule(*grammar, rule)))
    }

    /// Returns the rule of that id, of any language.
    pub fn find_rule(&self, id: &str) -> Option<RuleFacts<'_>> {
        self.rule_facts().find(|facts| facts.id == id)
    }
}

fn facts_of_rule(grammar: Grammar, rule: &ScanRule) -> RuleFacts<'_> {
    let metadata_text = |key: &str| Some(rule.texts.metadata.get(key)?.as_str()?.to_owned());
    RuleFacts {
        id: &rule.id,
        language: grammar.name(),
        category: metadata_text("category"),
        severity: severity_word(&rule.texts.severity),
        message: &rule.texts.message,
        why: rule.texts.note.as_deref(),
        before: metadata_text("before"),
        after: metadata_text("after"),
    }
}

const fn severity_word(severity: &Severity) -> &'static str {
    match severity {
        Severity::Off => "off",
        Severity::Hint => "hint",
        Severity::Info => "info",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}
