//! Runs all rules of a language over one file.

use std::{collections::HashMap, fmt, sync::OnceLock};

use ast_grep_config::{CombinedScan, RuleConfig, Severity};
use ast_grep_core::{AstGrep, Doc, Matcher, matcher::MatcherExt, tree_sitter::StrDoc};
use ast_grep_language::SupportLang;
use serde_json::Value;
use tree_sitter::{Node, Tree};

use super::{
    direct::{DirectRule, PatternWords, ScannedFile},
    load,
    plain_tree::{PlainDoc, PlainNode},
};
use trajview_code::{
    flat_tree::FlatTree,
    tree::{self, Grammar},
};

/// A rule that runs.
pub struct ScanRule {
    pub id: String,
    pub texts: RuleTexts,
    language: SupportLang,
    /// The rule as tests, where it can be matched without the library.
    direct: Option<DirectRule>,
    /// The kinds of the nodes that it may match.
    kinds: Vec<usize>,
    /// The document, for the library.
    text: String,
    /// None where the library rejects it after all.
    library: OnceLock<Option<Box<RuleConfig<SupportLang>>>>,
}

/// The texts and the metadata of a rule.
#[derive(Debug)]
pub struct RuleTexts {
    pub severity: Severity,
    pub message: String,
    pub note: Option<String>,
    /// An object, or null where it has none.
    pub metadata: Value,
}

impl ScanRule {
    /// Creates a rule that the library only loads when it is needed; `text` is its document.
    pub(crate) fn from_direct(
        (id, language): (String, SupportLang),
        texts: RuleTexts,
        (direct, kinds): (DirectRule, Vec<u16>),
        text: String,
    ) -> Self {
        let kinds = kinds.into_iter().map(usize::from).collect();
        Self { id, texts, language, direct: Some(direct), kinds, text, library: OnceLock::new() }
    }

    /// Creates a rule that the library matches.
    pub(crate) fn of_library(id: String, config: RuleConfig<SupportLang>) -> Self {
        let texts = RuleTexts {
            severity: config.severity.clone(),
            message: config.message.clone(),
            note: config.note.clone(),
            // The library does not expose metadata, but serialises it; values without a JSON form are dropped.
            metadata: serde_json::to_value(&config.metadata).unwrap_or_default(),
        };
        let kinds: Vec<usize> =
            config.matcher.potential_kinds().iter().flat_map(|kinds| kinds.iter()).collect();
        // A flat tree has no list of the nodes that the grammar could not read.
        let is_listed = !kinds.contains(&usize::from(u16::MAX));
        let direct = is_listed.then(|| DirectRule::from_config(&config)).flatten();
        let language = config.language;
        let library = OnceLock::from(Some(Box::new(config)));
        Self { id, texts, language, direct, kinds, text: String::new(), library }
    }

    /// Returns the kinds of the nodes that it may match, in no order.
    #[cfg(test)]
    pub fn kinds(&self) -> &[usize] {
        &self.kinds
    }

    fn library_rule(&self) -> Option<&RuleConfig<SupportLang>> {
        let load = || load::library_config(&self.text).ok().map(Box::new);
        self.library.get_or_init(load).as_deref()
    }
}

/// The rules of one language.
#[derive(Debug)]
pub struct LanguageRules {
    rules: Vec<ScanRule>,
    /// Indices of the rules that may match a kind of node, by kind.
    by_kind: Vec<Vec<usize>>,
    /// The words in their patterns.
    words: PatternWords,
}

/// The treatment of comments in the code by patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CommentHandling {
    /// Comments are skipped, as in current ast-grep.
    #[default]
    PassedOver,
    /// `$NAME` matches a comment like any other node, as in ast-grep 0.42.
    Taken,
}

/// The matches in a file.
#[derive(Debug, Clone, Default)]
pub struct ScanResult<'r> {
    /// All matches, sorted by start.
    pub all: Vec<RuleMatch<'r>>,
    /// The matches that no `ast-grep-ignore` comment suppresses.
    pub unsuppressed: Vec<RuleMatch<'r>>,
}

/// A match: the id of a rule, and the first and last line, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RuleMatch<'r> {
    pub start: u32,
    pub end: u32,
    pub rule: &'r str,
}

impl LanguageRules {
    pub fn new(mut rules: Vec<ScanRule>) -> Self {
        let mut words = PatternWords::default();
        let direct = rules.iter_mut().filter_map(|rule| rule.direct.as_mut());
        direct.for_each(|rule| rule.note_needs(&mut words));
        let mut by_kind: Vec<Vec<usize>> = vec![];
        for (at, rule) in rules.iter().enumerate() {
            for &kind in &rule.kinds {
                by_kind.resize_with(by_kind.len().max(kind + 1), Vec::new);
                by_kind[kind].push(at);
            }
        }
        Self { rules, by_kind, words }
    }

    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Returns the rules in the order of the files.
    pub fn rules(&self) -> impl Iterator<Item = &ScanRule> {
        self.rules.iter()
    }

    /// Returns the matches in a file. `flat` is the flat tree of `text`. The library needs a tree of its own, which is
    /// parsed only where a rule needs the library.
    pub(crate) fn scan_file(
        &self,
        (grammar, text): (Grammar, &str),
        flat: &FlatTree<'_>,
        comments: CommentHandling,
    ) -> ScanResult<'_> {
        let Some(lang) = self.rules.first().map(|rule| rule.language) else {
            return ScanResult::default();
        };
        let mut all = self.direct_matches(text, flat, comments);
        let may_ignore = memchr::memmem::find(text.as_bytes(), b"ast-grep-ignore").is_some();
        let mut unsuppressed = None;
        let needs_library = may_ignore || !self.are_all_direct(flat);
        let tree = needs_library.then(|| tree::parse_tree(grammar, text.as_bytes())).flatten();
        if let Some(tree) = tree {
            let doc = StrDoc { src: text.to_owned(), lang, tree };
            let by_library = match comments {
                CommentHandling::PassedOver => {
                    self.library_matches(&AstGrep::doc(doc), flat, may_ignore)
                }
                CommentHandling::Taken => {
                    self.library_matches(&AstGrep::doc(PlainDoc(doc)), flat, may_ignore)
                }
            };
            all.extend(by_library.all);
            unsuppressed = may_ignore.then_some(by_library.unsuppressed);
        }
        all.sort_unstable();
        let unsuppressed = unsuppressed.unwrap_or_else(|| all.clone());
        ScanResult { all, unsuppressed }
    }

    /// Returns whether a rule is matched without the library. For nodes of width zero the tree may not find the parent
    /// and the siblings, which the library fetches from the tree.
    fn is_direct(&self, rule: usize, flat: &FlatTree<'_>) -> bool {
        !flat.has_empty && self.rules[rule].direct.is_some()
    }

    fn are_all_direct(&self, flat: &FlatTree<'_>) -> bool {
        (0..self.rules.len()).all(|rule| self.is_direct(rule, flat))
    }

    /// Returns the matches of the rules that need no library.
    fn direct_matches(
        &self,
        text: &str,
        flat: &FlatTree<'_>,
        comments: CommentHandling,
    ) -> Vec<RuleMatch<'_>> {
        let mut matches = vec![];
        if flat.has_empty {
            return matches;
        }
        let file =
            ScannedFile::new(flat, text, comments == CommentHandling::PassedOver, &self.words);
        for rule in &self.rules {
            let Some(direct) = rule.direct.as_ref().filter(|direct| direct.may_match(&file)) else {
                continue;
            };
            for &kind in &rule.kinds {
                let nodes = file.nodes_of_kind(u16::try_from(kind).unwrap_or(u16::MAX));
                if nodes.is_empty() {
                    continue;
                }
                for at in direct.matching_nodes(&file, nodes) {
                    let node = flat.node(at);
                    let (start, end) = (node.start_position().row, node.end_position().row);
                    matches.push(match_at_lines(&rule.id, start, end));
                }
            }
        }
        matches
    }

    /// Returns the matches of the library: `all` has those of the rules that are left to it, `unsuppressed` those of
    /// all rules where comments may suppress some, else none.
    fn library_matches<D: LibraryTree>(
        &self,
        root: &AstGrep<D>,
        flat: &FlatTree<'_>,
        may_ignore: bool,
    ) -> ScanResult<'_> {
        let mut all = vec![];
        let theirs = FlatTree::from_node(root.root().get_doc().syntax_tree().root_node());
        for (at, entry) in theirs.entries.iter().enumerate() {
            for &rule in self.by_kind.get(usize::from(entry.kind)).into_iter().flatten() {
                if self.is_direct(rule, flat) {
                    continue;
                }
                let rule = &self.rules[rule];
                let Some(config) = rule.library_rule() else { continue };
                if let Some(hit) =
                    config.matcher.match_node(root.adopt(D::wrap_node(theirs.node(at))))
                {
                    all.push(match_at_lines(
                        &rule.id,
                        hit.start_pos().line(),
                        hit.end_pos().line(),
                    ));
                }
            }
        }
        let unsuppressed = if may_ignore { self.unsuppressed_matches(root) } else { vec![] };
        ScanResult { all, unsuppressed }
    }

    /// Returns the matches that are not suppressed, by the library's own scan, which interprets ignoring comments.
    fn unsuppressed_matches<D: LibraryTree>(&self, root: &AstGrep<D>) -> Vec<RuleMatch<'_>> {
        let configs =
            || self.rules.iter().filter_map(|rule| Some((rule.library_rule()?, &rule.id)));
        let ids: HashMap<*const RuleConfig<SupportLang>, &str> =
            configs().map(|(config, id)| (&raw const *config, id.as_str())).collect();
        let scan = CombinedScan::new(configs().map(|(config, _)| config).collect());
        let mut matches = vec![];
        for (config, hits) in scan.scan(root, false).matches {
            let id = ids.get(&(&raw const *config)).copied().unwrap_or_default();
            let at = |hit: &ast_grep_core::NodeMatch<'_, D>| {
                match_at_lines(id, hit.start_pos().line(), hit.end_pos().line())
            };
            matches.extend(hits.iter().map(at));
        }
        matches.sort_unstable();
        matches
    }
}

/// A tree of the library, with access to the syntax tree and its nodes.
trait LibraryTree: Doc<Source = String, Lang = SupportLang> {
    fn syntax_tree(&self) -> &Tree;

    fn wrap_node(node: Node<'_>) -> Self::Node<'_>;
}

impl LibraryTree for StrDoc<SupportLang> {
    fn syntax_tree(&self) -> &Tree {
        &self.tree
    }

    fn wrap_node(node: Node<'_>) -> Self::Node<'_> {
        node
    }
}

impl LibraryTree for PlainDoc {
    fn syntax_tree(&self) -> &Tree {
        &self.0.tree
    }

    fn wrap_node(node: Node<'_>) -> Self::Node<'_> {
        PlainNode(node)
    }
}

fn match_at_lines(rule: &str, start: usize, end: usize) -> RuleMatch<'_> {
    let line = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
    RuleMatch { start: line(start), end: line(end), rule }
}

impl fmt::Debug for ScanRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rule({})", self.id)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods)] // tests may read the disk

    use std::{collections::BTreeSet, fs, path::Path, sync::LazyLock};

    use proptest::prelude::*;

    use super::*;
    use crate::rules::RuleSet;

    static RULES: LazyLock<RuleSet> = LazyLock::new(RuleSet::built_in);

    /// The examples of the built-in rules: code that they match, and code that they do not match.
    static PIECES: LazyLock<Vec<String>> = LazyLock::new(|| {
        RULES.rule_facts().flat_map(|rule| [rule.before, rule.after]).flatten().collect()
    });

    /// Returns the matches of the rules themselves, and those of the library, which tries every rule at every node of
    /// its kinds.
    fn both_ways(text: &str) -> (Vec<RuleMatch<'static>>, Vec<RuleMatch<'static>>) {
        scan_both_ways(&RULES.sets[&Grammar::Python], text, CommentHandling::PassedOver)
    }

    fn scan_both_ways<'r>(
        set: &'r LanguageRules,
        text: &str,
        comments: CommentHandling,
    ) -> (Vec<RuleMatch<'r>>, Vec<RuleMatch<'r>>) {
        let tree = tree::parse_tree(Grammar::Python, text.as_bytes()).unwrap();
        let ours = set
            .scan_file((Grammar::Python, text), &FlatTree::from_node(tree.root_node()), comments)
            .all;
        let doc = StrDoc { src: text.to_owned(), lang: SupportLang::Python, tree: tree.clone() };
        let theirs = match comments {
            CommentHandling::PassedOver => set.unsuppressed_matches(&AstGrep::doc(doc)),
            CommentHandling::Taken => set.unsuppressed_matches(&AstGrep::doc(PlainDoc(doc))),
        };
        (ours, theirs)
    }

    fn indent_lines(text: &str) -> String {
        text.lines().map(|line| format!("    {line}\n")).collect()
    }

    /// Rules of every form, each matching some of [`CODE`].
    const FORMS: &str = include_str!("direct/forms.yml");

    const CODE: &str = include_str!("direct/forms.py");

    fn real_files() -> Vec<String> {
        let recorder = Path::new(trajview_testing::project()).join("sample-runs/recorder");
        let files = fs::read_dir(recorder).unwrap().flatten().map(|entry| entry.path());
        let files = files.filter(|path| path.extension().is_some_and(|end| end == "py"));
        files.map(|path| fs::read_to_string(path).unwrap()).collect()
    }

    #[test]
    fn the_rules_themselves_match_where_the_library_does() {
        let real = real_files();
        assert!(real.len() > 3);

        for text in PIECES.iter().chain(&real).chain([&PIECES.concat()]) {
            let (ours, theirs) = both_ways(text);
            assert_eq!(ours, theirs, "{text}");
        }
    }

    #[test]
    fn every_form_of_a_rule_matches_where_the_library_does() {
        let rules = RuleSet::load("forms", &[("forms.yml", FORMS)]);
        assert_eq!(rules.problems(), []);
        let set = &rules.sets[&Grammar::Python];
        let by_library: Vec<&str> = (set.rules.iter())
            .filter_map(|rule| rule.direct.is_none().then_some(rule.id.as_str()))
            .collect();
        assert_eq!(by_library, ["left-to-the-library", "left-to-the-library-too"]);

        let pieces = PIECES.concat();
        for comments in [CommentHandling::PassedOver, CommentHandling::Taken] {
            for text in real_files().iter().map(String::as_str).chain([CODE, &pieces]) {
                let (ours, theirs) = scan_both_ways(set, text, comments);
                assert_eq!(ours, theirs, "{comments:?}: {text}");
            }
        }
        let hit: BTreeSet<&str> = scan_both_ways(set, CODE, CommentHandling::PassedOver)
            .0
            .iter()
            .map(|hit| hit.rule)
            .collect();
        let all: BTreeSet<&str> = set.rules.iter().map(|rule| rule.id.as_str()).collect();
        assert_eq!(all.difference(&hit).copied().collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn where_a_node_has_no_text_the_library_matches() {
        let tree = tree::parse_tree(Grammar::Python, CODE.as_bytes()).unwrap();
        let mut flat = FlatTree::from_node(tree.root_node());
        let found = |flat: &FlatTree<'_>| {
            RULES.scan_file(Grammar::Python, CODE, flat, CommentHandling::Taken).all
        };
        let ours = found(&flat);

        flat.has_empty = true;

        assert!(!ours.is_empty());
        assert_eq!(found(&flat), ours);
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
            let nest = |code: String, head: &&str| format!("{head}{}{}", indent_lines(&code), tail(head));
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
