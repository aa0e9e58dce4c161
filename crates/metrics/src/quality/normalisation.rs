//! Hashes code without its names and values: two pieces are clones where their hashes are equal.
//!
//! A file is normalised once, into one word per node with the number of its children, so that the list of words
//! determines the tree; a piece is a part of that list. Names are numbered anew in each piece, by first occurrence.

use super::{
    hash::{self, HashStream},
    kinds::{GrammarKinds, IDENTIFIER, LITERAL, OPERATOR},
};
use trajview_code::{flat_tree::FlatTree, small_map::WordMap};

/// The treatment of a node below a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeFate {
    Kept,
    /// Left out together with all nodes below it.
    Dropped,
    /// Its children take its place.
    Opened,
}

/// The input of the normalisation.
#[derive(Clone, Copy)]
pub struct NormalSource<'a> {
    pub text: &'a str,
    pub flat: &'a FlatTree<'a>,
    pub kinds: &'a GrammarKinds,
}

/// A file, normalised.
pub struct NormalisedFile<'a, F> {
    source: NormalSource<'a>,
    fate: F,
    words: Vec<NodeWord>,
    /// The number of words before each entry, with one more element at the end.
    before: Vec<u32>,
    names: WordMap<'a, u32>,
    /// By name: the last piece in which it occurred, and its number there.
    numbers: Vec<(u32, u32)>,
    pieces: u32,
}

/// A node that is kept.
#[derive(Debug, Clone, Copy)]
struct NodeWord {
    of_kind: u64,
    /// The number of children that are kept.
    children: u32,
    /// The number of the name, or [`NO_NAME`] for a node that is no name.
    name: u32,
}

const NO_NAME: u32 = u32::MAX;

impl<'a, F: Fn(usize) -> NodeFate> NormalisedFile<'a, F> {
    /// Normalises a file; `fate` decides the treatment of each node.
    pub fn new(source: NormalSource<'a>, fate: F) -> Self {
        let (words, before) = (Vec::with_capacity(source.flat.len()), vec![]);
        let mut normal = Self {
            source,
            fate,
            words,
            before,
            names: WordMap::default(),
            numbers: vec![],
            pieces: 0,
        };
        normal.before = normal.add_entries(0, source.flat.len());
        normal
    }

    /// Returns the hash of the piece that begins at an entry.
    pub(crate) fn hash_piece(&mut self, at: usize) -> u128 {
        let after = self.source.flat.entries[at].after as usize;
        let (first, last) = (self.before[at] as usize, self.before[after] as usize);
        let is_kept = self.before[at] < self.before[at + 1];
        if is_kept {
            return self.hash_words(first, last);
        }
        // The entry itself is left out or replaced by its children, and is a piece nevertheless.
        let first = self.words.len();
        self.add_entries(at, after);
        self.hash_words(first, self.words.len())
    }

    /// Returns the hash of a range of words, with the names in it numbered anew.
    fn hash_words(&mut self, first: usize, last: usize) -> u128 {
        let mut stream = HashStream::default();
        self.pieces += 1;
        let mut next = 0;
        for word in &self.words[first..last] {
            if word.name == NO_NAME {
                stream.feed_word(hash::hash_with_number(word.of_kind, word.children));
                continue;
            }
            let (piece, number) = &mut self.numbers[word.name as usize];
            if *piece != self.pieces {
                (*piece, *number) = (self.pieces, next);
                next += 1;
            }
            stream.feed_word(hash::hash_with_number(word.of_kind, *number));
        }
        stream.into_hash()
    }

    /// Adds the words of some entries, the first of which is kept; returns the number of words before each of them.
    fn add_entries(&mut self, first: usize, last: usize) -> Vec<u32> {
        let flat = self.source.flat;
        let count = |words: &Vec<NodeWord>| u32::try_from(words.len()).unwrap_or(u32::MAX);
        let mut before = Vec::with_capacity(last - first + 1);
        // By entry: the word at which its children are counted.
        let mut holders: Vec<u32> = vec![0; last - first];
        let mut next = first;
        for at in first..last {
            before.push(count(&self.words));
            if at < next {
                continue;
            }
            let entry = &flat.entries[at];
            let holder = (at > first).then(|| holders[entry.parent as usize - first]);
            match holder.map_or(NodeFate::Kept, |_| (self.fate)(at)) {
                NodeFate::Dropped => next = entry.after as usize,
                NodeFate::Opened => holders[at - first] = holder.unwrap_or_default(),
                NodeFate::Kept => {
                    holders[at - first] = count(&self.words);
                    if let Some(holder) = holder {
                        self.words[holder as usize].children += 1;
                    }
                    if !self.add_word(at) {
                        next = entry.after as usize;
                    }
                }
            }
        }
        before.push(count(&self.words));
        before
    }

    /// Adds the word of a node; returns whether the nodes inside it count too.
    fn add_word(&mut self, at: usize) -> bool {
        let NormalSource { text, flat, kinds } = self.source;
        let kind = flat.entries[at].kind;
        let (mut of_kind, mut name) = (kinds.kind_word(kind), NO_NAME);
        if kinds.has_flags(kind, IDENTIFIER) {
            let next = u32::try_from(self.names.len()).unwrap_or(NO_NAME - 1);
            name = *self.names.entry(flat.text_of(text, at)).or_insert(next);
            if name == next {
                self.numbers.push((0, 0));
            }
            of_kind = VARIABLE;
        } else if kinds.has_flags(kind, OPERATOR) {
            of_kind = hash::hash_bytes(flat.text_of(text, at).as_bytes());
        }
        self.words.push(NodeWord { of_kind, children: 0, name });
        !kinds.has_flags(kind, IDENTIFIER | OPERATOR | LITERAL)
    }
}

/// The word that stands for a name, together with its number; no kind has this word.
const VARIABLE: u64 = 0x2456_4152;
