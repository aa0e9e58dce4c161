//! Secrets that were found, each with its number, and how they are found again without what gave them away.
//!
//! All of them are searched in one pass: eight bytes of the text decide whether a secret can begin there, and the
//! sorted secrets decide which one. The cost grows with the length of the text, not with the number of secrets.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ops::Bound,
};

use super::secret_kinds::{SecretKind, SecretMatch};

/// A shorter secret is only taken out where it was found: it may be a word.
const SHORTEST: usize = 8;
/// The beginning of a secret that is taken for it, where a text was cut.
const SHORTEST_BEGINNING: usize = 5;

/// The shortest beginning of a secret of small letters alone, which may be a word.
const SHORTEST_OF_LETTERS: usize = 12;

/// Longest beginning that is searched before `…` within a text; a longer one is searched at its end only.
const LONGEST_BEGINNING: usize = 512;

#[derive(Debug, Default)]
pub struct KnownSecrets {
    numbers: HashMap<String, (SecretKind, usize)>,
    /// The secrets that are searched everywhere.
    words: BTreeMap<Box<[u8]>, SecretKind>,
    gate: PrefixGate,
    beginnings: HashSet<[u8; SHORTEST_BEGINNING]>,
    longest: usize,
}

impl KnownSecrets {
    /// Adds a secret where it is new, so that it is looked for from now on, and returns its number.
    pub fn number_of(&mut self, kind: SecretKind, secret: &str) -> usize {
        if is_looked_for(kind, secret) && !self.words.contains_key(secret.as_bytes()) {
            let first = secret.as_bytes().first_chunk().copied();
            self.beginnings.extend(first);
            self.longest = self.longest.max(secret.len());
            self.gate.mark_beginning_of(secret.as_bytes());
            self.words.insert(secret.as_bytes().into(), kind);
        }
        self.number_alone(kind, secret)
    }

    /// Numbers a secret, where it is new, and returns its number. It is removed at its place only, and searched nowhere
    /// else.
    pub(crate) fn number_alone(&mut self, kind: SecretKind, secret: &str) -> usize {
        if let Some((_, number)) = self.numbers.get(secret) {
            return *number;
        }
        let next = self.numbers.len() + 1;
        self.numbers.insert(secret.to_owned(), (kind, next));
        next
    }

    /// Returns whether no secret is searched.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub(crate) fn kinds_and_numbers(&self) -> impl Iterator<Item = (SecretKind, usize)> + '_ {
        self.numbers.values().copied()
    }

    /// Returns the known secrets in a text; at the end of a text and before `…` also the beginning of one.
    pub(crate) fn find_known(&self, text: &str, is_end: bool) -> Vec<SecretMatch> {
        if self.words.is_empty() {
            return vec![];
        }
        let mut all = self.whole_matches(text);
        let within = ["…", "..."].iter().flat_map(|sign| text.match_indices(sign));
        // A row of dots is no word that was cut.
        let within = within.map(|(at, _)| at).filter(|at| !text[..*at].ends_with('.'));
        let within = within.filter_map(|end| self.beginning_at(text, end, LONGEST_BEGINNING));
        all.extend(within);
        all.extend(is_end.then(|| self.beginning_at(text, text.len(), usize::MAX)).flatten());
        all
    }

    /// Returns the matches from the left, the longest at each place; they do not overlap.
    fn whole_matches(&self, text: &str) -> Vec<SecretMatch> {
        let bytes = text.as_bytes();
        let (mut all, mut at) = (vec![], 0);
        while let Some(first) = bytes[at..].first_chunk() {
            let found =
                self.gate.may_begin_secret(first).then(|| self.longest_at(&bytes[at..])).flatten();
            match found {
                Some((length, kind)) => {
                    all.push(SecretMatch { range: at..at + length, kind });
                    at += length;
                }
                None => at += 1,
            }
        }
        all
    }

    /// Returns the longest secret that these bytes begin with.
    fn longest_at(&self, rest: &[u8]) -> Option<(usize, SecretKind)> {
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

    /// Returns the longest beginning of a secret that the text ends with here, of so many bytes at most.
    fn beginning_at(&self, text: &str, end: usize, most: usize) -> Option<SecretMatch> {
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
                .then_some(SecretMatch { range: start..end, kind: *kind })
        })
    }
}

/// Says of eight bytes that no secret begins with them, or that one may.
#[derive(Debug, Default)]
struct PrefixGate(Vec<u64>);

impl PrefixGate {
    const BITS: u32 = 18;

    /// Marks the first eight bytes of a secret as a possible beginning; shorter secrets are ignored.
    fn mark_beginning_of(&mut self, word: &[u8]) {
        if let Some(first) = word.first_chunk() {
            self.0.resize(1 << (Self::BITS - 6), 0);
            let bit = Self::bit_of(first);
            self.0[bit >> 6] |= 1 << (bit & 63);
        }
    }

    fn may_begin_secret(&self, first: &[u8; SHORTEST]) -> bool {
        let bit = Self::bit_of(first);
        self.0.get(bit >> 6).is_some_and(|bits| bits >> (bit & 63) & 1 == 1)
    }

    /// Returns the bit of these bytes by Fibonacci hashing: the upper bits of a product.
    fn bit_of(first: &[u8; SHORTEST]) -> usize {
        (u64::from_le_bytes(*first).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - Self::BITS))
            as usize
    }
}

/// Returns whether a secret is searched everywhere. Words of prose after `password:` are not.
fn is_looked_for(kind: SecretKind, secret: &str) -> bool {
    let is_telling = match kind {
        SecretKind::HomeFolder | SecretKind::Name | SecretKind::Email | SecretKind::Unchecked => {
            false
        }
        SecretKind::Password | SecretKind::Secret | SecretKind::Header | SecretKind::UrlLogin => {
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

    fn known_secrets(words: &[String]) -> KnownSecrets {
        let mut known = KnownSecrets::default();
        for word in words {
            known.number_of(SecretKind::ApiKey, word);
        }
        known
    }

    proptest! {
        #[test]
        fn whatever_the_secrets_the_longest_at_each_place_is_found_from_the_left(
            words in proptest::collection::vec("[ab]{8,12}", 1..6),
            text in "[ab]{0,60}",
        ) {
            let found: Vec<_> = known_secrets(&words).whole_matches(&text).into_iter().map(|it| it.range).collect();

            let (mut expected, mut at) = (vec![], 0);
            while at < text.len() {
                let matching = words.iter().filter(|word| text[at..].starts_with(word.as_str()));
                match matching.map(String::len).max() {
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
        let mut known = KnownSecrets::default();

        let number = known.number_alone(SecretKind::RandomWord, "a1b2c3d4e5");
        assert!(known.find_known("a1b2c3d4e5", false).is_empty());

        assert_eq!(known.number_of(SecretKind::RandomWord, "a1b2c3d4e5"), number);
        assert_eq!(known.find_known("a1b2c3d4e5", false).len(), 1);
    }
}
