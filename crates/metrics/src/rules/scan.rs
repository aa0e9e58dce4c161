//! Running all rules of a language over one file.

use std::{collections::HashMap, fmt, sync::OnceLock};

use ast_grep_config::{CombinedScan, RuleConfig, Severity};
use ast_grep_core::{AstGrep, Doc, Matcher, matcher::MatcherExt, tree_sitter::StrDoc};
use ast_grep_language::SupportLang;
use serde_json::Value;
use tree_sitter::{Node, Tree};

use super::{
    direct::{Direct, File, Words},
    load,
    plain::{PlainDoc, PlainNode},
};
use trajview_code::{
    flat::Flat,
    tree::{self, Grammar},
};

/// A rule that runs.
pub struct Rule {
    pub id: String,
    pub said: Said,
    language: SupportLang,
    /// The same, where it can be matched without the library.
    direct: Option<Direct>,
    /// Kinds of the nodes that it may match.
    kinds: Vec<usize>,
    /// The document, for the library.
    text: String,
    /// None where the library does not take it after all.
    library: OnceLock<Option<Box<RuleConfig<SupportLang>>>>,
}

/// What a rule says of itself.
#[derive(Debug)]
pub struct Said {
    pub severity: Severity,
    pub message: String,
    pub note: Option<String>,
    /// An object, or null where it has none.
    pub metadata: Value,
}

impl Rule {
    /// A rule that the library is not asked about until it is needed; `text` is its document.
    pub fn direct(
        (id, language): (String, SupportLang),
        said: Said,
        (direct, kinds): (Direct, Vec<u16>),
        text: String,
    ) -> Self {
        let kinds = kinds.into_iter().map(usize::from).collect();
        Self { id, said, language, direct: Some(direct), kinds, text, library: OnceLock::new() }
    }

    pub fn of_library(id: String, config: RuleConfig<SupportLang>) -> Self {
        let said = Said {
            severity: config.severity.clone(),
            message: config.message.clone(),
            note: config.note.clone(),
            // The library keeps metadata to itself, but writes it down; what JSON has no word for is not ours.
            metadata: serde_json::to_value(&config.metadata).unwrap_or_default(),
        };
        let kinds: Vec<usize> =
            config.matcher.potential_kinds().iter().flat_map(|kinds| kinds.iter()).collect();
        // A flat tree has no list of the nodes that the grammar could not read.
        let is_listed = !kinds.contains(&usize::from(u16::MAX));
        let direct = is_listed.then(|| Direct::read(&config)).flatten();
        let language = config.language;
        let library = OnceLock::from(Some(Box::new(config)));
        Self { id, said, language, direct, kinds, text: String::new(), library }
    }

    /// Kinds of the nodes that it may match, in no order.
    #[cfg(test)]
    pub fn kinds(&self) -> &[usize] {
        &self.kinds
    }

    fn library(&self) -> Option<&RuleConfig<SupportLang>> {
        let load = || load::config(&self.text).ok().map(Box::new);
        self.library.get_or_init(load).as_deref()
    }
}

/// The rules of one language.
#[derive(Debug)]
pub struct Set {
    rules: Vec<Rule>,
    /// Indices of the rules that may match a kind of node, by kind.
    by_kind: Vec<Vec<usize>>,
    /// That their patterns have.
    words: Words,
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
    pub fn new(mut rules: Vec<Rule>) -> Self {
        let mut words = Words::default();
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

    /// In the order of the files.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }

    /// `flat` is of the tree of `text`. The library takes a tree that it owns: one is parsed for it, where a rule needs it.
    pub fn scan(
        &self,
        (grammar, text): (Grammar, &str),
        flat: &Flat<'_>,
        comments: Comments,
    ) -> Found<'_> {
        let Some(lang) = self.rules.first().map(|rule| rule.language) else {
            return Found::default();
        };
        let mut all = self.direct(text, flat, comments);
        let may_ignore = memchr::memmem::find(text.as_bytes(), b"ast-grep-ignore").is_some();
        let mut kept = None;
        let needs_library = may_ignore || !self.are_all_direct(flat);
        let tree = needs_library.then(|| tree::parse(grammar, text.as_bytes())).flatten();
        if let Some(tree) = tree {
            let doc = StrDoc { src: text.to_owned(), lang, tree };
            let by_library = match comments {
                Comments::PassedOver => self.by_library(&AstGrep::doc(doc), flat, may_ignore),
                Comments::Taken => self.by_library(&AstGrep::doc(PlainDoc(doc)), flat, may_ignore),
            };
            all.extend(by_library.all);
            kept = may_ignore.then_some(by_library.kept);
        }
        all.sort_unstable();
        let kept = kept.unwrap_or_else(|| all.clone());
        Found { all, kept }
    }

    /// Whether no rule is left to the library. Of what is as wide as nothing the tree may not find the parent and the
    /// brothers again, and the library asks the tree.
    fn is_direct(&self, rule: usize, flat: &Flat<'_>) -> bool {
        !flat.has_empty && self.rules[rule].direct.is_some()
    }

    fn are_all_direct(&self, flat: &Flat<'_>) -> bool {
        (0..self.rules.len()).all(|rule| self.is_direct(rule, flat))
    }

    /// The matches of the rules that need no library.
    fn direct(&self, text: &str, flat: &Flat<'_>, comments: Comments) -> Vec<Match<'_>> {
        let mut found = vec![];
        if flat.has_empty {
            return found;
        }
        let file = File::new(flat, text, comments == Comments::PassedOver, &self.words);
        for rule in &self.rules {
            let Some(direct) = rule.direct.as_ref().filter(|direct| direct.may_match(&file)) else {
                continue;
            };
            for &kind in &rule.kinds {
                let nodes = file.of_kind(u16::try_from(kind).unwrap_or(u16::MAX));
                if nodes.is_empty() {
                    continue;
                }
                for at in direct.matching(&file, nodes) {
                    let node = flat.node(at);
                    let (start, end) = (node.start_position().row, node.end_position().row);
                    found.push(at_lines(&rule.id, start, end));
                }
            }
        }
        found
    }

    /// `all` are the matches of the rules that are left to the library, `kept` those of all rules.
    fn by_library<D: Parsed>(
        &self,
        root: &AstGrep<D>,
        flat: &Flat<'_>,
        may_ignore: bool,
    ) -> Found<'_> {
        let mut all = vec![];
        let theirs = Flat::of(root.root().get_doc().tree().root_node());
        for (at, entry) in theirs.entries.iter().enumerate() {
            for &rule in self.by_kind.get(usize::from(entry.kind)).into_iter().flatten() {
                if self.is_direct(rule, flat) {
                    continue;
                }
                let rule = &self.rules[rule];
                let Some(config) = rule.library() else { continue };
                if let Some(hit) = config.matcher.match_node(root.adopt(D::node(theirs.node(at)))) {
                    all.push(at_lines(&rule.id, hit.start_pos().line(), hit.end_pos().line()));
                }
            }
        }
        let kept = if may_ignore { self.kept(root) } else { vec![] };
        Found { all, kept }
    }

    /// The same by the library's own scan, which knows what an ignoring comment means.
    fn kept<D: Parsed>(&self, root: &AstGrep<D>) -> Vec<Match<'_>> {
        let configs = || self.rules.iter().filter_map(|rule| Some((rule.library()?, &rule.id)));
        let ids: HashMap<*const RuleConfig<SupportLang>, &str> =
            configs().map(|(config, id)| (&raw const *config, id.as_str())).collect();
        let scan = CombinedScan::new(configs().map(|(config, _)| config).collect());
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

    use std::{collections::BTreeSet, fs, path::Path, sync::LazyLock};

    use proptest::prelude::*;

    use super::*;
    use crate::rules::Rules;

    static RULES: LazyLock<Rules> = LazyLock::new(Rules::built_in);

    /// What the built-in rules say of themselves: code they match, and code they do not.
    static PIECES: LazyLock<Vec<String>> = LazyLock::new(|| {
        RULES.facts().flat_map(|rule| [rule.before, rule.after]).flatten().collect()
    });

    /// By the rules themselves, and by the library, which tries every rule at every node of its kinds.
    fn both_ways(text: &str) -> (Vec<Match<'static>>, Vec<Match<'static>>) {
        ways(&RULES.sets[&Grammar::Python], text, Comments::PassedOver)
    }

    fn ways<'r>(set: &'r Set, text: &str, comments: Comments) -> (Vec<Match<'r>>, Vec<Match<'r>>) {
        let tree = tree::parse(Grammar::Python, text.as_bytes()).unwrap();
        let ours = set.scan((Grammar::Python, text), &Flat::of(tree.root_node()), comments).all;
        let doc = StrDoc { src: text.to_owned(), lang: SupportLang::Python, tree: tree.clone() };
        let theirs = match comments {
            Comments::PassedOver => set.kept(&AstGrep::doc(doc)),
            Comments::Taken => set.kept(&AstGrep::doc(PlainDoc(doc))),
        };
        (ours, theirs)
    }

    fn indented(text: &str) -> String {
        text.lines().map(|line| format!("    {line}\n")).collect()
    }

    /// Every form that a rule may have, each matching some of [`CODE`].
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
        let rules = Rules::load("forms", &[("forms.yml", FORMS)]);
        assert_eq!(rules.problems(), []);
        let set = &rules.sets[&Grammar::Python];
        let by_library: Vec<&str> = (set.rules.iter())
            .filter_map(|rule| rule.direct.is_none().then_some(rule.id.as_str()))
            .collect();
        assert_eq!(by_library, ["left-to-the-library", "left-to-the-library-too"]);

        let pieces = PIECES.concat();
        for comments in [Comments::PassedOver, Comments::Taken] {
            for text in real_files().iter().map(String::as_str).chain([CODE, &pieces]) {
                let (ours, theirs) = ways(set, text, comments);
                assert_eq!(ours, theirs, "{comments:?}: {text}");
            }
        }
        let hit: BTreeSet<&str> =
            ways(set, CODE, Comments::PassedOver).0.iter().map(|hit| hit.rule).collect();
        let all: BTreeSet<&str> = set.rules.iter().map(|rule| rule.id.as_str()).collect();
        assert_eq!(all.difference(&hit).copied().collect::<Vec<_>>(), [""; 0]);
    }

    #[test]
    fn where_a_node_has_no_text_the_library_matches() {
        let tree = tree::parse(Grammar::Python, CODE.as_bytes()).unwrap();
        let mut flat = Flat::of(tree.root_node());
        let found = |flat: &Flat<'_>| RULES.scan(Grammar::Python, CODE, flat, Comments::Taken).all;
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
