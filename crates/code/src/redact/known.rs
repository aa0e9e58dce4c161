//! Secrets that were found, each with its number, and how they are found again without what gave them away.
//!
//! All of them are looked for in one pass: eight bytes of the text say whether a secret can begin there, and the sorted secrets say which.
//! What that takes goes with the length of the text, however many there are.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ops::Bound,
};

use super::kinds::{Kind, Match};

/// A shorter secret is only taken out where it was found: it may be a word.
const SHORTEST: usize = 8;
/// The beginning of a secret that is taken for it, where a text was cut.
const SHORTEST_BEGINNING: usize = 5;

/// Where it has small letters alone, and may be a word.
const SHORTEST_OF_LETTERS: usize = 12;

/// A longer beginning is only looked for at the end of a text, not before `…` within it.
const LONGEST_BEGINNING: usize = 512;

#[derive(Debug, Default)]
pub struct Known {
    numbers: HashMap<String, (Kind, usize)>,
    /// What is looked for everywhere.
    words: BTreeMap<Box<[u8]>, Kind>,
    gate: Gate,
    beginnings: HashSet<[u8; SHORTEST_BEGINNING]>,
    longest: usize,
}

impl Known {
    /// The number of a secret; a new one gets the next. It is looked for from now on.
    pub fn number(&mut self, kind: Kind, secret: &str) -> usize {
        if is_looked_for(kind, secret) && !self.words.contains_key(secret.as_bytes()) {
            let first = secret.as_bytes().first_chunk().copied();
            self.beginnings.extend(first);
            self.longest = self.longest.max(secret.len());
            self.gate.open_for(secret.as_bytes());
            self.words.insert(secret.as_bytes().into(), kind);
        }
        self.number_alone(kind, secret)
    }

    /// The number of what is taken out where it stands, and is looked for nowhere else.
    pub fn number_alone(&mut self, kind: Kind, secret: &str) -> usize {
        if let Some((_, number)) = self.numbers.get(secret) {
            return *number;
        }
        let next = self.numbers.len() + 1;
        self.numbers.insert(secret.to_owned(), (kind, next));
        next
    }

    /// Whether nothing is looked for.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub fn numbered(&self) -> impl Iterator<Item = (Kind, usize)> + '_ {
        self.numbers.values().copied()
    }

    /// Where the text has what was found before; at the end of a text and before `…` also the beginning of it.
    pub fn found(&self, text: &str, is_end: bool) -> Vec<Match> {
        if self.words.is_empty() {
            return vec![];
        }
        let mut all = self.whole(text);
        let within = ["…", "..."].iter().flat_map(|sign| text.match_indices(sign));
        // A row of dots is no word that was cut.
        let within = within.map(|(at, _)| at).filter(|at| !text[..*at].ends_with('.'));
        let within = within.filter_map(|end| self.beginning(text, end, LONGEST_BEGINNING));
        all.extend(within);
        all.extend(is_end.then(|| self.beginning(text, text.len(), usize::MAX)).flatten());
        all
    }

    /// From the left, the longest at each place; they do not overlap.
    fn whole(&self, text: &str) -> Vec<Match> {
        let bytes = text.as_bytes();
        let (mut all, mut at) = (vec![], 0);
        while let Some(first) = bytes[at..].first_chunk() {
            let found =
                self.gate.is_open_for(first).then(|| self.longest_at(&bytes[at..])).flatten();
            match found {
                Some((length, kind)) => {
                    all.push(Match { range: at..at + length, kind });
                    at += length;
                }
                None => at += 1,
            }
        }
        all
    }

    /// The longest secret that these bytes begin with.
    fn longest_at(&self, rest: &[u8]) -> Option<(usize, Kind)> {
        let mut limit = &rest[..rest.len().min(self.longest)];
        loop {
            let up_to = (Bound::Unbounded, Bound::Included(limit));
            let (word, kind) = self.words.range::<[u8], _>(up_to).next_back()?;
            let common = word.iter().zip(limit).take_while(|(one, other)| one == other).count();
            if common == word.len() {
                return Some((common, *kind));
            }
            if common < SHORTEST {
                return None;
            }
            // What begins these bytes and is less than this word begins this word too.
            limit = &limit[..common];
        }
    }

    /// The longest beginning of a secret that the text ends with here, of so many bytes at most.
    fn beginning(&self, text: &str, end: usize, most: usize) -> Option<Match> {
        let before = &text.as_bytes()[..end];
        let from = end.saturating_sub(self.longest.min(most));
        let to = end.saturating_sub(SHORTEST_BEGINNING - 1);
        (from..to).find_map(|start| {
            let rest = &before[start..];
            self.beginnings.get(rest.first_chunk::<SHORTEST_BEGINNING>()?)?;
            let from_here = (Bound::Included(rest), Bound::Unbounded);
            let (word, kind) = self.words.range::<[u8], _>(from_here).next()?;
            let is_telling =
                rest.len() >= SHORTEST_OF_LETTERS || !rest.iter().all(u8::is_ascii_lowercase);
            (word.starts_with(rest) && is_telling && text.is_char_boundary(start))
                .then_some(Match { range: start..end, kind: *kind })
        })
    }
}

/// Says of eight bytes that no secret begins with them, or that one may.
#[derive(Debug, Default)]
struct Gate(Vec<u64>);

impl Gate {
    const BITS: u32 = 18;

    fn open_for(&mut self, word: &[u8]) {
        if let Some(first) = word.first_chunk() {
            self.0.resize(1 << (Self::BITS - 6), 0);
            let bit = Self::bit(first);
            self.0[bit >> 6] |= 1 << (bit & 63);
        }
    }

    fn is_open_for(&self, first: &[u8; SHORTEST]) -> bool {
        let bit = Self::bit(first);
        self.0.get(bit >> 6).is_some_and(|bits| bits >> (bit & 63) & 1 == 1)
    }

    /// Fibonacci hashing: the upper bits of a product.
    fn bit(first: &[u8; SHORTEST]) -> usize {
        (u64::from_le_bytes(*first).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - Self::BITS))
            as usize
    }
}

/// Words of prose that stood behind `password:` are not.
fn is_looked_for(kind: Kind, secret: &str) -> bool {
    let is_telling = match kind {
        Kind::HomeFolder | Kind::Name | Kind::Email | Kind::Unchecked => false,
        Kind::Password | Kind::Secret | Kind::Header | Kind::UrlLogin => {
            secret.bytes().any(|byte| !byte.is_ascii_alphabetic())
                && !secret.contains(|c: char| c.is_whitespace() || c == '(')
        }
        _ => true,
    };
    is_telling && secret.len() >= SHORTEST && !secret.contains('\n')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn knowing(words: &[String]) -> Known {
        let mut known = Known::default();
        for word in words {
            known.number(Kind::ApiKey, word);
        }
        known
    }

    proptest! {
        #[test]
        fn whatever_the_secrets_the_longest_at_each_place_is_found_from_the_left(
            words in proptest::collection::vec("[ab]{8,12}", 1..6),
            text in "[ab]{0,60}",
        ) {
            let found: Vec<_> = knowing(&words).whole(&text).into_iter().map(|it| it.range).collect();

            let (mut expected, mut at) = (vec![], 0);
            while at < text.len() {
                let here = words.iter().filter(|word| text[at..].starts_with(word.as_str()));
                match here.map(String::len).max() {
                    Some(length) => {
                        expected.push(at..at + length);
                        at += length;
                    }
                    None => at += 1,
                }
            }
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn what_is_only_taken_out_where_it_stands_is_looked_for_once_it_is_a_secret() {
        let mut known = Known::default();

        let number = known.number_alone(Kind::RandomWord, "a1b2c3d4e5");
        assert!(known.found("a1b2c3d4e5", false).is_empty());

        assert_eq!(known.number(Kind::RandomWord, "a1b2c3d4e5"), number);
        assert_eq!(known.found("a1b2c3d4e5", false).len(), 1);
    }
}
