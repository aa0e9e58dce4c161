//! What a rule says of itself.

use ast_grep_config::Severity;
use serde::Serialize;

use super::{Rules, scan::Rule};
use trajview_code::tree::Grammar;

/// A rule as people see it. Words that its file does not have are empty or None.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RuleFacts<'r> {
    pub id: &'r str,
    pub language: &'static str,
    /// `metadata.category`.
    pub category: Option<String>,
    /// hint, info, warning or error
    pub severity: &'static str,
    /// What it found, in one line.
    pub message: &'r str,
    /// Why that can be shorter.
    pub why: Option<&'r str>,
    /// Code that it matches.
    pub before: Option<String>,
    /// The same, said shorter; it matches this no longer.
    pub after: Option<String>,
}

impl Rules {
    /// Every rule that runs, in the order of languages and files.
    pub fn facts(&self) -> impl Iterator<Item = RuleFacts<'_>> {
        self.sets.iter().flat_map(|(grammar, set)| set.rules().map(|rule| facts(*grammar, rule)))
    }

    /// The rule of that id, of whatever language.
    pub fn find(&self, id: &str) -> Option<RuleFacts<'_>> {
        self.facts().find(|facts| facts.id == id)
    }
}

fn facts(grammar: Grammar, rule: &Rule) -> RuleFacts<'_> {
    let said = |key: &str| Some(rule.said.metadata.get(key)?.as_str()?.to_owned());
    RuleFacts {
        id: &rule.id,
        language: grammar.name(),
        category: said("category"),
        severity: severity(&rule.said.severity),
        message: &rule.said.message,
        why: rule.said.note.as_deref(),
        before: said("before"),
        after: said("after"),
    }
}

const fn severity(severity: &Severity) -> &'static str {
    match severity {
        Severity::Off => "off",
        Severity::Hint => "hint",
        Severity::Info => "info",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}
