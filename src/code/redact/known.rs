//! Secrets that were found, each with its number, and how they are found again without what gave them away.

use std::collections::HashMap;

use regex::Regex;

use super::{Kind, Match};

/// A shorter secret is only taken out where it was found: it may be a word.
const SHORTEST: usize = 8;
/// The beginning of a secret that is taken for it, where a text was cut.
const SHORTEST_BEGINNING: usize = 5;

/// Where it has small letters alone, and may be a word.
const SHORTEST_OF_LETTERS: usize = 12;

#[derive(Debug, Default)]
pub struct Known {
    numbers: HashMap<String, (Kind, usize)>,
    /// What is looked for everywhere, in the order in which it was found.
    words: Vec<(String, Kind)>,
    pattern: Option<Regex>,
    /// By their first letters, in the order of `words`.
    beginnings: HashMap<[u8; SHORTEST_BEGINNING], Vec<usize>>,
    longest: usize,
    /// How many words the pattern has.
    held: usize,
}

impl Known {
    /// The number of a secret; a new one gets the next.
    pub fn number(&mut self, kind: Kind, secret: &str) -> usize {
        let next = self.numbers.len() + 1;
        if let Some((_, number)) = self.numbers.get(secret) {
            return *number;
        }
        self.numbers.insert(secret.to_owned(), (kind, next));
        if is_looked_for(kind, secret) {
            let first = secret.as_bytes().first_chunk().copied();
            if let Some(first) = first {
                self.beginnings.entry(first).or_default().push(self.words.len());
            }
            self.longest = self.longest.max(secret.len());
            self.words.push((secret.to_owned(), kind));
        }
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
    pub fn found(&mut self, text: &str, is_end: bool) -> Vec<Match> {
        if self.words.is_empty() {
            return vec![];
        }
        // Making the pattern costs more than looking for a few words without it.
        if self.words.len() > self.held + self.held / 4 + 8 {
            let mut words: Vec<&str> = self.words.iter().map(|(word, _)| word.as_str()).collect();
            words.sort_by_key(|word| std::cmp::Reverse(word.len()));
            let words: Vec<String> = words.into_iter().map(regex::escape).collect();
            let built = regex::RegexBuilder::new(&words.join("|")).size_limit(1 << 30).build();
            self.pattern = built.ok();
            self.held = self.words.len();
        }
        let kind = |secret: &str| self.numbers.get(secret).map_or(Kind::Secret, |(kind, _)| *kind);
        let mut all: Vec<Match> = match &self.pattern {
            Some(pattern) => pattern
                .find_iter(text)
                .map(|it| Match { range: it.range(), kind: kind(it.as_str()) })
                .collect(),
            None => self.one_by_one(text, 0),
        };
        if self.pattern.is_some() {
            all.extend(self.one_by_one(text, self.held));
        }
        let mut ends: Vec<usize> = ["…", "..."]
            .iter()
            .flat_map(|sign| text.match_indices(sign).map(|(at, _)| at))
            .collect();
        ends.extend(is_end.then_some(text.len()));
        all.extend(ends.into_iter().filter_map(|end| self.beginning(text, end)));
        all
    }

    /// Those that the pattern does not have.
    fn one_by_one(&self, text: &str, from: usize) -> Vec<Match> {
        let found = |(word, kind): &(String, Kind)| {
            let at = text.match_indices(word.as_str()).map(|(at, word)| at..at + word.len());
            at.map(|range| Match { range, kind: *kind }).collect::<Vec<_>>()
        };
        self.words.iter().skip(from).flat_map(found).collect()
    }

    /// The longest beginning of a secret that the text ends with here.
    fn beginning(&self, text: &str, end: usize) -> Option<Match> {
        let before = &text.as_bytes()[..end];
        let from = end.saturating_sub(self.longest);
        let to = end.saturating_sub(SHORTEST_BEGINNING - 1);
        (from..to).find_map(|start| {
            let rest = &before[start..];
            let words = self.beginnings.get(rest.first_chunk()?)?.iter();
            let mut words = words.filter_map(|at| self.words.get(*at));
            let (_, kind) = words.find(|(word, _)| word.as_bytes().starts_with(rest))?;
            let is_telling =
                rest.len() >= SHORTEST_OF_LETTERS || !rest.iter().all(u8::is_ascii_lowercase);
            (is_telling && text.is_char_boundary(start))
                .then_some(Match { range: start..end, kind: *kind })
        })
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
