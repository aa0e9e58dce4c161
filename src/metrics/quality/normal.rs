//! Code with its names and values taken out, as a hash: two pieces are clones where these are equal.

use std::collections::HashMap;

use super::{
    flat::Flat,
    hash::{self, Stream},
    kinds::{IDENTIFIER, Kinds, LITERAL, OPERATOR},
};

/// How a profile normalises.
pub struct Normal<'a> {
    pub text: &'a str,
    pub flat: &'a Flat<'a>,
    pub kinds: &'a Kinds,
    pub fate: &'a dyn Fn(usize) -> Fate,
}

/// What becomes of a node below a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Kept,
    /// Left out with all below it.
    Dropped,
    /// Its children take its place.
    Opened,
}

/// Around the children of a node: words no kind has.
const OPEN: u128 = 1;
const CLOSE: u128 = 2;

impl Normal<'_> {
    /// Of the piece that begins at an entry.
    pub fn hash(&self, at: usize) -> u128 {
        let mut stream = Stream::default();
        let mut names: HashMap<&str, u128> = HashMap::new();
        // Ends of the nodes whose children are being fed.
        let mut open: Vec<usize> = vec![];
        let (mut next, end) = (at, self.flat.entries[at].after as usize);
        while next < end {
            close(&mut stream, &mut open, next);
            let after = self.flat.entries[next].after as usize;
            let fate = if next == at { Fate::Kept } else { (self.fate)(next) };
            next = match fate {
                Fate::Dropped => after,
                Fate::Opened => next + 1,
                Fate::Kept => self.feed(next, &mut stream, &mut names, &mut open),
            };
        }
        close(&mut stream, &mut open, usize::MAX);
        stream.finish()
    }

    /// Feeds one node; the index of the entry to go on with.
    fn feed<'s>(
        &'s self,
        at: usize,
        stream: &mut Stream,
        names: &mut HashMap<&'s str, u128>,
        open: &mut Vec<usize>,
    ) -> usize {
        let entry = &self.flat.entries[at];
        let after = entry.after as usize;
        if self.kinds.has(entry.kind, IDENTIFIER) {
            let name = self.text.get(entry.node.byte_range()).unwrap_or_default();
            let number = names.len() as u128;
            let number = *names.entry(name).or_insert(number);
            stream.feed(hash::of(b"$VAR"));
            stream.feed(number);
            return after;
        }
        if self.kinds.has(entry.kind, OPERATOR) {
            let text = self.text.get(entry.node.byte_range()).unwrap_or_default();
            stream.feed(hash::of(text.as_bytes()));
            return after;
        }
        stream.feed(self.kinds.word(entry.kind));
        if self.kinds.has(entry.kind, LITERAL) {
            return after;
        }
        if self.has_kept_child(at) {
            stream.feed(OPEN);
            open.push(after);
        }
        at + 1
    }

    fn has_kept_child(&self, at: usize) -> bool {
        self.flat.children(at).any(|child| match (self.fate)(child) {
            Fate::Kept => true,
            Fate::Dropped => false,
            // No profile opens a node that has nothing in it.
            Fate::Opened => true,
        })
    }
}

fn close(stream: &mut Stream, open: &mut Vec<usize>, before: usize) {
    while open.pop_if(|end| *end <= before).is_some() {
        stream.feed(CLOSE);
    }
}
