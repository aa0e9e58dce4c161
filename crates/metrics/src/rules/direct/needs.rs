//! What must be somewhere in a file for a rule to match in it, and in a node for it to match that: kinds of nodes, and words.
//! Most rules are about a few names that most files, and most nodes of the rest, do not have, and are not tried there.

use std::{borrow::Cow, collections::HashMap};

use super::{
    Direct, File, Test,
    kinds::KindSet,
    pattern::{ERROR, Goal},
    relation::Of,
    tidy::MOST_OPEN,
};
use trajview_code::{flat::Flat, short::ShortWords};

/// A condition on a whole file, or on a node with all that lies in it.
#[derive(Debug, Default)]
pub enum Needs {
    /// None.
    #[default]
    Nothing,
    /// A node of one of these kinds.
    Kinds(KindSet),
    /// One of [`Words`], by its number.
    Word(usize),
    All(Vec<Needs>),
    Any(Vec<Needs>),
}

/// The nodes without holes of all patterns of a set of rules: their texts, by kind.
#[derive(Debug, Default)]
pub struct Words {
    kinds: Vec<OfKind>,
    count: usize,
}

/// Those of one kind.
#[derive(Debug)]
struct OfKind {
    kind: u16,
    /// Bytes of the longest.
    longest: usize,
    numbers: HashMap<Box<str>, usize, ShortWords>,
}

/// What a file has of what is needed.
#[derive(Debug)]
pub struct Has {
    kinds: KindSet,
    /// By number: whether the word is there.
    words: Vec<bool>,
    /// By number: the nodes that are that word, in order.
    nodes: Vec<Vec<u32>>,
}

/// Where what is needed must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    InFile,
    InNode,
}

impl Words {
    fn number(&mut self, kind: u16, text: &str) -> usize {
        let known = self.kinds.iter().position(|of| of.kind == kind);
        let at = known.unwrap_or_else(|| {
            self.kinds.push(OfKind { kind, longest: 0, numbers: HashMap::default() });
            self.kinds.len() - 1
        });
        let of = &mut self.kinds[at];
        if let Some(number) = of.numbers.get(text) {
            return *number;
        }
        of.longest = of.longest.max(text.len());
        of.numbers.insert(text.into(), self.count);
        self.count += 1;
        self.count - 1
    }

    /// `nodes` are those of a kind.
    pub fn of_file<'f>(
        &self,
        flat: &Flat<'_>,
        text: &str,
        nodes: impl Fn(u16) -> &'f [u32],
    ) -> Has {
        let count = u16::try_from(flat.kinds()).unwrap_or(u16::MAX);
        let kinds = KindSet::of((0..count).filter(|&kind| !nodes(kind).is_empty()));
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
        Has { kinds, words, nodes: of_word }
    }
}

impl Needs {
    /// All of these; words first, as most files lack one.
    fn all(needs: Vec<Self>) -> Self {
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

    pub fn are_met(&self, file: &File<'_>) -> bool {
        match self {
            Self::Nothing => true,
            Self::Kinds(kinds) => kinds.meets(&file.has.kinds),
            Self::Word(number) => file.has.words[*number],
            Self::All(needs) => needs.iter().all(|needs| needs.are_met(file)),
            Self::Any(needs) => needs.iter().any(|needs| needs.are_met(file)),
        }
    }

    /// Nodes of the file one of which must be in a node, or be it, for this to be met there: in order, and as few as they
    /// come. None where that is not known.
    pub fn rarest<'f>(&self, file: &'f File<'_>) -> Option<Cow<'f, [u32]>> {
        match self {
            Self::Nothing => None,
            Self::Kinds(kinds) => kinds.only().map(|kind| file.of_kind(kind).into()),
            Self::Word(number) => Some(file.has.nodes[*number].as_slice().into()),
            Self::All(needs) => {
                let all = needs.iter().filter_map(|needs| needs.rarest(file));
                all.min_by_key(|nodes| nodes.len())
            }
            Self::Any(needs) => {
                let all = needs.iter().map(|needs| needs.rarest(file));
                let mut nodes: Vec<u32> = all.collect::<Option<Vec<_>>>()?.concat();
                nodes.sort_unstable();
                Some(nodes.into())
            }
        }
    }
}

impl Direct {
    /// Notes what the rule needs, in the words of the set that it is in.
    pub fn note_needs(&mut self, words: &mut Words) {
        self.needs = self.test.needs(&self.utils, 0, (words, Where::InFile));
        self.needs_in_node = self.test.needs(&self.utils, 0, (words, Where::InNode));
    }
}

impl Test {
    fn needs(&self, utils: &[Self], open: usize, (words, place): (&mut Words, Where)) -> Needs {
        let mut of_all = |tests: &[Self]| -> Vec<Needs> {
            tests.iter().map(|test| test.needs(utils, open, (&mut *words, place))).collect()
        };
        match self {
            Self::Kinds(kinds) => Needs::Kinds(kinds.clone()),
            Self::Pattern(pattern) => {
                let kind = pattern.kind.map(|kind| Needs::Kinds(KindSet::of([kind])));
                let mut all: Vec<Needs> = kind.into_iter().collect();
                pattern.goal.add_needs(&mut all, words);
                Needs::all(all)
            }
            Self::All(tests) => Needs::all(of_all(tests)),
            Self::Any(tests) => Needs::Any(of_all(tests)),
            Self::Util(at) if open < MOST_OPEN => utils
                .get(*at)
                .map_or(Needs::Nothing, |test| test.needs(utils, open + 1, (words, place))),
            Self::Relation(relation) if place == Where::InFile || relation.of == Of::Below => {
                relation.test.needs(utils, open, (words, place))
            }
            Self::Relation(_) | Self::Regex(_) | Self::Nth(_) | Self::Not(_) | Self::Util(_) => {
                Needs::Nothing
            }
        }
    }
}

impl Goal {
    /// What has no name may be passed over after `$$$`.
    fn add_needs(&self, all: &mut Vec<Needs>, words: &mut Words) {
        match self {
            Self::Leaf { kind, is_named: true, text } if *kind != ERROR => {
                all.push(Needs::Word(words.number(*kind, text)));
            }
            Self::Inner { kind, children } => {
                if *kind != ERROR {
                    all.push(Needs::Kinds(KindSet::of([*kind])));
                }
                children.iter().for_each(|goal| goal.add_needs(all, words));
            }
            Self::Leaf { .. } | Self::Hole { .. } | Self::Many { .. } => {}
        }
    }
}
