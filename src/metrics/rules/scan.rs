//! Running all rules of a language over one file in one walk.

use std::{collections::HashMap, fmt};

use ast_grep_config::{CombinedScan, RuleConfig};
use ast_grep_core::{AstGrep, Doc, Matcher, matcher::MatcherExt, tree_sitter::StrDoc};
use ast_grep_language::SupportLang;
use tree_sitter::{Node, Tree};

use super::{
    marks::{Marked, Words},
    needs::{Way, ways},
    plain::{PlainDoc, PlainNode},
};

/// A rule that runs.
pub struct Rule {
    pub id: String,
    pub config: RuleConfig<SupportLang>,
}

/// The rules of one language.
#[derive(Debug)]
pub struct Set {
    rules: Vec<Rule>,
    /// The ways of the rules that may match a kind of node, those of a rule together.
    by_kind: Vec<Vec<Try>>,
    words: Words,
}

/// A rule by its index, and a way in which it may match.
#[derive(Debug)]
struct Try {
    rule: usize,
    way: Way,
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
        let (mut by_kind, mut words): (Vec<Vec<_>>, _) = (vec![], Words::default());
        for (at, rule) in rules.iter().enumerate() {
            let ways = ways(&rule.config, &mut words);
            for kind in rule.config.matcher.potential_kinds().iter().flatten() {
                by_kind.resize_with(by_kind.len().max(kind + 1), Vec::new);
                let of_kind =
                    ways.iter().filter(|way| way.kind.is_none_or(|is| usize::from(is) == kind));
                by_kind[kind].extend(of_kind.map(|way| Try { rule: at, way: *way }));
            }
        }
        Self { rules, by_kind, words }
    }

    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// In the order of the files.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }

    pub fn scan(&self, text: &str, tree: &Tree, comments: Comments) -> Found<'_> {
        let Some(lang) = self.rules.first().map(|rule| rule.config.language) else {
            return Found::default();
        };
        let doc = StrDoc { src: text.to_owned(), lang, tree: tree.clone() };
        match comments {
            Comments::PassedOver => self.found(&AstGrep::doc(doc)),
            Comments::Taken => self.found(&AstGrep::doc(PlainDoc(doc))),
        }
    }

    fn found<D: Parsed>(&self, root: &AstGrep<D>) -> Found<'_> {
        let mut all = self.matches(root);
        all.sort_unstable();
        let may_ignore = root.root().text().contains("ast-grep-ignore");
        let kept = if may_ignore { self.kept(root) } else { all.clone() };
        Found { all, kept }
    }

    fn matches<D: Parsed>(&self, root: &AstGrep<D>) -> Vec<Match<'_>> {
        let doc = root.root().get_doc();
        let nodes = self.words.mark(doc.tree(), doc.get_source());
        let tries = self.tries(&nodes);
        let mut found = vec![];
        for marked in &nodes {
            let mut tried = None;
            for Try { rule: at, way } in tries.get(usize::from(marked.kind)).into_iter().flatten() {
                if tried == Some(*at) || !is_open(way, marked, &nodes) {
                    continue;
                }
                tried = Some(*at);
                let rule = &self.rules[*at];
                let node = root.adopt(D::node(marked.node));
                if let Some(hit) = rule.config.matcher.match_node(node) {
                    found.push(at_lines(&rule.id, hit.start_pos().line(), hit.end_pos().line()));
                }
            }
        }
        found
    }

    /// What may match in a file of these nodes, by kind.
    fn tries(&self, nodes: &[Marked<'_>]) -> Vec<Vec<&Try>> {
        let in_file = nodes.first().map(|root| root.family.within).unwrap_or_default();
        let is_there = |one: &&Try| one.way.in_file().are_in(&in_file);
        self.by_kind.iter().map(|tries| tries.iter().filter(is_there).collect()).collect()
    }

    /// The same by the library's own scan, which knows what an ignoring comment means.
    fn kept<D: Parsed>(&self, root: &AstGrep<D>) -> Vec<Match<'_>> {
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

/// Whether a way leads anywhere at a node. Of what is as wide as nothing the tree may not find the parent again.
fn is_open(way: &Way, at: &Marked<'_>, nodes: &[Marked<'_>]) -> bool {
    let family = &nodes[at.parent].family;
    way.node.is_in(&at.family) && (way.parent.is_in(family) || at.node.byte_range().is_empty())
}

/// What can be made of a tree's nodes.
trait Parsed: Doc<Source = String, Lang = SupportLang> {
    fn tree(&self) -> &Tree;

    fn node(node: Node<'_>) -> Self::Node<'_>;
}

impl Parsed for StrDoc<SupportLang> {
    fn tree(&self) -> &Tree {
        &self.tree
    }

    fn node(node: Node<'_>) -> Self::Node<'_> {
        node
    }
}

impl Parsed for PlainDoc {
    fn tree(&self) -> &Tree {
        &self.0.tree
    }

    fn node(node: Node<'_>) -> Self::Node<'_> {
        PlainNode(node)
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

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods)] // tests may read the disk

    use std::{fs, path::Path, sync::LazyLock};

    use proptest::prelude::*;

    use super::*;
    use crate::{
        code::tree::{self, Grammar},
        metrics::rules::Rules,
    };

    static RULES: LazyLock<Rules> = LazyLock::new(Rules::built_in);

    /// What the built-in rules say of themselves: code they match, and code they do not.
    static PIECES: LazyLock<Vec<String>> = LazyLock::new(|| {
        RULES.facts().flat_map(|rule| [rule.before, rule.after]).flatten().collect()
    });

    /// With what is looked for first, and by the library, which tries every rule at every node of its kinds.
    fn both_ways(text: &str) -> (Vec<Match<'static>>, Vec<Match<'static>>) {
        let set = &RULES.sets[&Grammar::Python];
        let tree = tree::parse(Grammar::Python, text.as_bytes()).unwrap();
        let root = AstGrep::doc(StrDoc { src: text.to_owned(), lang: SupportLang::Python, tree });
        let (mut ours, mut theirs) = (set.matches(&root), set.kept(&root));
        ours.sort_unstable();
        theirs.sort_unstable();
        (ours, theirs)
    }

    fn indented(text: &str) -> String {
        text.lines().map(|line| format!("    {line}\n")).collect()
    }

    #[test]
    fn looking_first_for_what_a_rule_needs_loses_no_match() {
        let recorder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample-runs/recorder");
        let files = fs::read_dir(recorder).unwrap().flatten().map(|entry| entry.path());
        let files = files.filter(|path| path.extension().is_some_and(|end| end == "py"));
        let real: Vec<String> = files.map(|path| fs::read_to_string(path).unwrap()).collect();
        assert!(real.len() > 3);

        for text in PIECES.iter().chain(&real).chain([&PIECES.concat()]) {
            let (ours, theirs) = both_ways(text);
            assert_eq!(ours, theirs, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
        #[test]
        fn however_code_is_nested_no_match_is_lost(
            picks in prop::collection::vec((any::<prop::sample::Index>(), 0..4_usize), 1..5)
        ) {
            let heads = ["def f(a, b=None):\n", "try:\n", "for x in xs:\n", "if isinstance(a, str):\n"];
            let tail = |head: &str| {
                if head.starts_with("try") { "except Exception:\n    pass\n" } else { "" }
            };
            let nest = |code: String, head: &&str| format!("{head}{}{}", indented(&code), tail(head));
            let piece = |(pick, depth): &(prop::sample::Index, usize)| {
                let code = PIECES[pick.index(PIECES.len())].clone();
                heads.iter().take(*depth).fold(code, nest)
            };
            let text: String = picks.iter().map(piece).collect();
            let (ours, theirs) = both_ways(&text);
            prop_assert_eq!(ours, theirs);
        }
    }
}
