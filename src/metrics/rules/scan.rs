//! Running all rules of a language over one file in one walk.

use std::{collections::HashMap, fmt};

use ast_grep_config::{CombinedScan, RuleConfig};
use ast_grep_core::{AstGrep, Doc, Matcher, matcher::MatcherExt, tree_sitter::StrDoc};
use ast_grep_language::SupportLang;

use super::plain::PlainDoc;

/// A rule that runs.
pub struct Rule {
    pub id: String,
    pub config: RuleConfig<SupportLang>,
}

/// The rules of one language.
#[derive(Debug)]
pub struct Set {
    rules: Vec<Rule>,
    /// Indices of the rules that may match a kind of node.
    by_kind: Vec<Vec<usize>>,
}

/// What a pattern does at a comment in the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Comments {
    /// It is not there, as in ast-grep today.
    #[default]
    PassedOver,
    /// `$NAME` takes it as any other node, as in ast-grep 0.42.
    Taken,
}

/// What was found in a file.
#[derive(Debug, Clone, Default)]
pub struct Found<'r> {
    /// Every match, in the order they start.
    pub all: Vec<Match<'r>>,
    /// Those that no `ast-grep-ignore` comment in the file speaks against.
    pub kept: Vec<Match<'r>>,
}

/// A match: the id of a rule, and the first and last line, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Match<'r> {
    pub start: u32,
    pub end: u32,
    pub rule: &'r str,
}

impl Set {
    pub fn new(rules: Vec<Rule>) -> Self {
        let mut by_kind: Vec<Vec<usize>> = vec![];
        for (at, rule) in rules.iter().enumerate() {
            for kind in rule.config.matcher.potential_kinds().iter().flatten() {
                by_kind.resize_with(by_kind.len().max(kind + 1), Vec::new);
                by_kind[kind].push(at);
            }
        }
        Self { rules, by_kind }
    }

    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// In the order of the files.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }

    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|rule| rule.id.as_str())
    }

    pub fn scan(&self, text: &str, tree: &tree_sitter::Tree, comments: Comments) -> Found<'_> {
        let Some(lang) = self.rules.first().map(|rule| rule.config.language) else {
            return Found::default();
        };
        let doc = StrDoc { src: text.to_owned(), lang, tree: tree.clone() };
        match comments {
            Comments::PassedOver => self.found(&AstGrep::doc(doc)),
            Comments::Taken => self.found(&AstGrep::doc(PlainDoc(doc))),
        }
    }

    fn found<D: Doc<Lang = SupportLang>>(&self, root: &AstGrep<D>) -> Found<'_> {
        let mut all = self.matches(root);
        all.sort_unstable();
        let may_ignore = root.root().text().contains("ast-grep-ignore");
        let kept = if may_ignore { self.kept(root) } else { all.clone() };
        Found { all, kept }
    }

    fn matches<D: Doc<Lang = SupportLang>>(&self, root: &AstGrep<D>) -> Vec<Match<'_>> {
        let mut found = vec![];
        for node in root.root().dfs() {
            for &at in self.by_kind.get(usize::from(node.kind_id())).into_iter().flatten() {
                let rule = &self.rules[at];
                if let Some(hit) = rule.config.matcher.match_node(node.clone()) {
                    found.push(at_lines(&rule.id, hit.start_pos().line(), hit.end_pos().line()));
                }
            }
        }
        found
    }

    /// The same by the library's own scan, which knows what an ignoring comment means.
    fn kept<D: Doc<Lang = SupportLang>>(&self, root: &AstGrep<D>) -> Vec<Match<'_>> {
        let ids: HashMap<*const RuleConfig<SupportLang>, &str> =
            self.rules.iter().map(|rule| (&raw const rule.config, rule.id.as_str())).collect();
        let scan = CombinedScan::new(self.rules.iter().map(|rule| &rule.config).collect());
        let mut kept = vec![];
        for (config, hits) in scan.scan(root, false).matches {
            let id = ids.get(&(&raw const *config)).copied().unwrap_or_default();
            let at = |hit: &ast_grep_core::NodeMatch<'_, D>| {
                at_lines(id, hit.start_pos().line(), hit.end_pos().line())
            };
            kept.extend(hits.iter().map(at));
        }
        kept.sort_unstable();
        kept
    }
}

fn at_lines(rule: &str, start: usize, end: usize) -> Match<'_> {
    let line = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
    Match { start: line(start), end: line(end), rule }
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rule({})", self.id)
    }
}
