//! Code with its names and values taken out, as a hash: two pieces are clones where these are equal.
//!
//! A file is normalised once, into one word a node with the number of its children, which says of a list of nodes what
//! tree they are; a piece is a part of that list. Names are numbered anew in each piece, by their first place in it.

use super::{
    hash::{self, Stream},
    kinds::{IDENTIFIER, Kinds, LITERAL, OPERATOR},
};
use trajview_code::{flat::Flat, short::ByWord};

/// What becomes of a node below a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Kept,
    /// Left out with all below it.
    Dropped,
    /// Its children take its place.
    Opened,
}

/// How a profile normalises.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    pub text: &'a str,
    pub flat: &'a Flat<'a>,
    pub kinds: &'a Kinds,
}

/// A file, normalised.
pub struct Normal<'a, F> {
    source: Source<'a>,
    fate: F,
    words: Vec<Word>,
    /// How many words stand before each entry; one more at the end.
    before: Vec<u32>,
    names: ByWord<'a, u32>,
    /// By name: the piece that it was last met in, and its number there.
    numbers: Vec<(u32, u32)>,
    pieces: u32,
}

/// A node that is kept.
#[derive(Debug, Clone, Copy)]
struct Word {
    of_kind: u64,
    /// Of those that are kept.
    children: u32,
    /// Which name it is, and [`NO_NAME`] where it is none.
    name: u32,
}

const NO_NAME: u32 = u32::MAX;

impl<'a, F: Fn(usize) -> Fate> Normal<'a, F> {
    pub fn of(source: Source<'a>, fate: F) -> Self {
        let (words, before) = (Vec::with_capacity(source.flat.len()), vec![]);
        let mut normal = Self {
            source,
            fate,
            words,
            before,
            names: ByWord::default(),
            numbers: vec![],
            pieces: 0,
        };
        normal.before = normal.add(0, source.flat.len());
        normal
    }

    /// Of the piece that begins at an entry.
    pub fn hash(&mut self, at: usize) -> u128 {
        let after = self.source.flat.entries[at].after as usize;
        let (first, last) = (self.before[at] as usize, self.before[after] as usize);
        let is_kept = self.before[at] < self.before[at + 1];
        if is_kept {
            return self.hash_of(first, last);
        }
        // It lies in what is left out, or takes the place of what it lies in, and is a piece all the same.
        let first = self.words.len();
        self.add(at, after);
        self.hash_of(first, self.words.len())
    }

    fn hash_of(&mut self, first: usize, last: usize) -> u128 {
        let mut stream = Stream::default();
        self.pieces += 1;
        let mut next = 0;
        for word in &self.words[first..last] {
            if word.name == NO_NAME {
                stream.feed(hash::with(word.of_kind, word.children));
                continue;
            }
            let (piece, number) = &mut self.numbers[word.name as usize];
            if *piece != self.pieces {
                (*piece, *number) = (self.pieces, next);
                next += 1;
            }
            stream.feed(hash::with(word.of_kind, *number));
        }
        stream.finish()
    }

    /// The words of some entries, the first of which is kept; how many stand before each of them.
    fn add(&mut self, first: usize, last: usize) -> Vec<u32> {
        let flat = self.source.flat;
        let count = |words: &Vec<Word>| u32::try_from(words.len()).unwrap_or(u32::MAX);
        let mut before = Vec::with_capacity(last - first + 1);
        // By entry: the word that its children are counted at.
        let mut holders: Vec<u32> = vec![0; last - first];
        let mut next = first;
        for at in first..last {
            before.push(count(&self.words));
            if at < next {
                continue;
            }
            let entry = &flat.entries[at];
            let holder = (at > first).then(|| holders[entry.parent as usize - first]);
            match holder.map_or(Fate::Kept, |_| (self.fate)(at)) {
                Fate::Dropped => next = entry.after as usize,
                Fate::Opened => holders[at - first] = holder.unwrap_or_default(),
                Fate::Kept => {
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

    /// Whether what lies in the node counts too.
    fn add_word(&mut self, at: usize) -> bool {
        let Source { text, flat, kinds } = self.source;
        let kind = flat.entries[at].kind;
        let (mut of_kind, mut name) = (kinds.word(kind), NO_NAME);
        if kinds.has(kind, IDENTIFIER) {
            let next = u32::try_from(self.names.len()).unwrap_or(NO_NAME - 1);
            name = *self.names.entry(flat.text_of(text, at)).or_insert(next);
            if name == next {
                self.numbers.push((0, 0));
            }
            of_kind = VARIABLE;
        } else if kinds.has(kind, OPERATOR) {
            of_kind = hash::of(flat.text_of(text, at).as_bytes());
        }
        self.words.push(Word { of_kind, children: 0, name });
        !kinds.has(kind, IDENTIFIER | OPERATOR | LITERAL)
    }
}

/// What stands for a name, beside its number; no kind has this word.
const VARIABLE: u64 = 0x2456_4152;
