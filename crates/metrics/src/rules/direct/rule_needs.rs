//! Conditions that a file, and a node, must meet so that a rule can match: kinds of nodes, and words. Most rules need
//! a few names that most files, and most nodes of the other files, do not have, so the rules are not tried there.

use std::{borrow::Cow, collections::HashMap};

use super::{
    DirectRule, NodeTest, ScannedFile,
    kinds::KindSet,
    pattern::{ERROR, PatternGoal},
    relation::RelatedNodes,
    test_order::MAX_UTIL_DEPTH,
};
use trajview_code::{flat_tree::FlatTree, small_map::ShortWords};

/// A condition on a whole file, or on a node with everything inside it.
#[derive(Debug, Default)]
pub enum RuleNeeds {
    /// No condition.
    #[default]
    Nothing,
    /// A node of one of these kinds.
    Kinds(KindSet),
    /// One of the [`PatternWords`], by its number.
    Word(usize),
    All(Vec<RuleNeeds>),
    Any(Vec<RuleNeeds>),
}

/// The texts of the nodes without holes in all patterns of a set of rules, by kind.
#[derive(Debug, Default)]
pub struct PatternWords {
    kinds: Vec<WordsOfKind>,
    count: usize,
}

/// The words of one kind.
#[derive(Debug)]
struct WordsOfKind {
    kind: u16,
    /// The length of the longest word in bytes.
    longest: usize,
    numbers: HashMap<Box<str>, usize, ShortWords>,
}

/// The kinds and words of a file, as far as rules need them.
#[derive(Debug)]
pub struct PresentParts {
    kinds: KindSet,
    /// By number: whether the file has the word.
    words: Vec<bool>,
    /// By number: the nodes that are that word, in order.
    nodes: Vec<Vec<u32>>,
}

/// The scope in which a condition must be met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NeedScope {
    InFile,
    InNode,
}

impl PatternWords {
    /// Returns the number of a word, which is added where it is new.
    fn word_number(&mut self, kind: u16, text: &str) -> usize {
        let existing = self.kinds.iter().position(|words| words.kind == kind);
        let at = existing.unwrap_or_else(|| {
            self.kinds.push(WordsOfKind { kind, longest: 0, numbers: HashMap::default() });
            self.kinds.len() - 1
        });
        let words = &mut self.kinds[at];
        if let Some(number) = words.numbers.get(text) {
            return *number;
        }
        words.longest = words.longest.max(text.len());
        words.numbers.insert(text.into(), self.count);
        self.count += 1;
        self.count - 1
    }

    /// Finds the words and kinds of a file. `nodes` returns the nodes of a kind.
    pub(crate) fn present_in_file<'f>(
        &self,
        flat: &FlatTree<'_>,
        text: &str,
        nodes: impl Fn(u16) -> &'f [u32],
    ) -> PresentParts {
        let count = u16::try_from(flat.kind_count()).unwrap_or(u16::MAX);
        let kinds = KindSet::from_kinds((0..count).filter(|&kind| !nodes(kind).is_empty()));
        let (mut words, mut of_word) = (vec![false; self.count], vec![vec![]; self.count]);
        for of in &self.kinds {
            for &at in nodes(of.kind) {
                let text = flat.text_of(text, at as usize);
                if text.len() <= of.longest
                    && let Some(&number) = of.numbers.get(text)
                {
                    words[number] = true;
                    of_word[number].push(at);
                }
            }
        }
        PresentParts { kinds, words, nodes: of_word }
    }
}

impl RuleNeeds {
    /// Combines conditions; words come first, since most files lack one.
    fn all_of(needs: Vec<Self>) -> Self {
        let mut all = vec![];
        for needs in needs {
            match needs {
                Self::Nothing => {}
                Self::All(inner) => all.extend(inner),
                needs => all.push(needs),
            }
        }
        all.sort_by_key(|needs| match needs {
            Self::Word(_) => 0,
            Self::Nothing | Self::Kinds(_) => 1,
            Self::All(_) | Self::Any(_) => 2,
        });
        Self::All(all)
    }

    /// Returns whether a file meets the condition.
    pub(crate) fn are_met(&self, file: &ScannedFile<'_>) -> bool {
        match self {
            Self::Nothing => true,
            Self::Kinds(kinds) => kinds.overlaps_with(&file.has.kinds),
            Self::Word(number) => file.has.words[*number],
            Self::All(needs) => needs.iter().all(|needs| needs.are_met(file)),
            Self::Any(needs) => needs.iter().any(|needs| needs.are_met(file)),
        }
    }

    /// Returns nodes of the file of which one must be in a node, or be it, so that the condition is met there: in
    /// order, and the smallest such list. None where there is no such list.
    pub(crate) fn rarest_nodes<'f>(&self, file: &'f ScannedFile<'_>) -> Option<Cow<'f, [u32]>> {
        match self {
            Self::Nothing => None,
            Self::Kinds(kinds) => kinds.only_kind().map(|kind| file.nodes_of_kind(kind).into()),
            Self::Word(number) => Some(file.has.nodes[*number].as_slice().into()),
            Self::All(needs) => {
                let all = needs.iter().filter_map(|needs| needs.rarest_nodes(file));
                all.min_by_key(|nodes| nodes.len())
            }
            Self::Any(needs) => {
                let all = needs.iter().map(|needs| needs.rarest_nodes(file));
                let mut nodes: Vec<u32> = all.collect::<Option<Vec<_>>>()?.concat();
                nodes.sort_unstable();
                Some(nodes.into())
            }
        }
    }
}

impl DirectRule {
    /// Records the conditions of the rule, in the words of its set of rules.
    pub(crate) fn note_needs(&mut self, words: &mut PatternWords) {
        self.needs = self.test.collect_needs(&self.utils, 0, (words, NeedScope::InFile));
        self.needs_in_node = self.test.collect_needs(&self.utils, 0, (words, NeedScope::InNode));
    }
}

impl NodeTest {
    /// Returns the condition that a match of the test implies, and adds the words in it to the pattern's words.
    fn collect_needs(
        &self,
        utils: &[Self],
        open: usize,
        (words, place): (&mut PatternWords, NeedScope),
    ) -> RuleNeeds {
        let mut of_all = |tests: &[Self]| -> Vec<RuleNeeds> {
            tests.iter().map(|test| test.collect_needs(utils, open, (&mut *words, place))).collect()
        };
        match self {
            Self::Kinds(kinds) => RuleNeeds::Kinds(kinds.clone()),
            Self::Pattern(pattern) => {
                let kind = pattern.kind.map(|kind| RuleNeeds::Kinds(KindSet::from_kinds([kind])));
                let mut all: Vec<RuleNeeds> = kind.into_iter().collect();
                pattern.goal.add_needs(&mut all, words);
                RuleNeeds::all_of(all)
            }
            Self::All(tests) => RuleNeeds::all_of(of_all(tests)),
            Self::Any(tests) => RuleNeeds::Any(of_all(tests)),
            Self::Util(at) if open < MAX_UTIL_DEPTH => {
                utils.get(*at).map_or(RuleNeeds::Nothing, |test| {
                    test.collect_needs(utils, open + 1, (words, place))
                })
            }
            Self::Relation(relation)
                if place == NeedScope::InFile || relation.related == RelatedNodes::Below =>
            {
                relation.test.collect_needs(utils, open, (words, place))
            }
            Self::Relation(_) | Self::Regex(_) | Self::Nth(_) | Self::Not(_) | Self::Util(_) => {
                RuleNeeds::Nothing
            }
        }
    }
}

impl PatternGoal {
    /// Adds the conditions of a pattern's node. Nodes without a name are left out, since they may be skipped after
    /// `$$$`.
    fn add_needs(&self, all: &mut Vec<RuleNeeds>, words: &mut PatternWords) {
        match self {
            Self::Leaf { kind, is_named: true, text } if *kind != ERROR => {
                all.push(RuleNeeds::Word(words.word_number(*kind, text)));
            }
            Self::Inner { kind, children } => {
                if *kind != ERROR {
                    all.push(RuleNeeds::Kinds(KindSet::from_kinds([*kind])));
                }
                children.iter().for_each(|goal| goal.add_needs(all, words));
            }
            Self::Leaf { .. } | Self::Hole { .. } | Self::Many { .. } => {}
        }
    }
}
