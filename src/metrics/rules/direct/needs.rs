//! What must be somewhere in a file for a rule to match in it: kinds of nodes, and words. Most rules are about a few names
//! that most files do not have, and are not tried there.

use std::collections::HashMap;

use super::{
    Direct, File, Test,
    kinds::KindSet,
    pattern::{ERROR, Goal},
    tidy::MOST_OPEN,
};
use crate::code::{flat::Flat, short::ShortWords};

/// A condition on a whole file.
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
    words: Vec<bool>,
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
        let mut words = vec![false; self.count];
        for of in &self.kinds {
            for &at in nodes(of.kind) {
                let text = flat.text_of(text, at as usize);
                if text.len() <= of.longest
                    && let Some(&number) = of.numbers.get(text)
                {
                    words[number] = true;
                }
            }
        }
        Has { kinds, words }
    }
}

impl Needs {
    pub fn are_met(&self, file: &File<'_>) -> bool {
        match self {
            Self::Nothing => true,
            Self::Kinds(kinds) => kinds.meets(&file.has.kinds),
            Self::Word(number) => file.has.words[*number],
            Self::All(needs) => needs.iter().all(|needs| needs.are_met(file)),
            Self::Any(needs) => needs.iter().any(|needs| needs.are_met(file)),
        }
    }
}

impl Direct {
    /// Notes what the rule needs, in the words of the set that it is in.
    pub fn note_needs(&mut self, words: &mut Words) {
        self.needs = self.test.needs(&self.utils, 0, words);
    }
}

impl Test {
    fn needs(&self, utils: &[Self], open: usize, words: &mut Words) -> Needs {
        match self {
            Self::Kinds(kinds) => Needs::Kinds(kinds.clone()),
            Self::Pattern(pattern) => {
                let kind = pattern.kind.map(|kind| Needs::Kinds(KindSet::of([kind])));
                let mut all: Vec<Needs> = kind.into_iter().collect();
                pattern.goal.add_needs(&mut all, words);
                Needs::All(all)
            }
            Self::All(tests) => {
                Needs::All(tests.iter().map(|test| test.needs(utils, open, words)).collect())
            }
            Self::Any(tests) => {
                Needs::Any(tests.iter().map(|test| test.needs(utils, open, words)).collect())
            }
            Self::Util(place) if open < MOST_OPEN => {
                utils.get(*place).map_or(Needs::Nothing, |test| test.needs(utils, open + 1, words))
            }
            Self::Relation(relation) => relation.test.needs(utils, open, words),
            Self::Regex(_) | Self::Nth(_) | Self::Not(_) | Self::Util(_) => Needs::Nothing,
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
