//! Phrases that a wallet is made of: twelve words or more, all of the list of BIP-39.
//!
//! A phrase is a run of words of the list with nothing else between them but spaces, commas, quotes and numbers. Prose has no such
//! run: `the`, `of`, `is` are not in the list. A run is one where it is as long as a phrase is and is not in the order of the alphabet
//! as a list is, or where a part of it has the checksum that a phrase has, or where the words before speak of one.

use std::{collections::HashMap, ops::Range, sync::LazyLock};

use regex::Regex;
use sha2::{Digest, Sha256};

use super::secret_kinds::{SecretKind, SecretMatch, compile_pattern};

/// The English list of BIP-39; `assets/words/bip39-english.LICENSE` has its licence.
const LIST: &str = trajview_assets::SEED_WORDS;

static PLACES: LazyLock<HashMap<&str, u16>> = LazyLock::new(|| LIST.lines().zip(0..).collect());

const LENGTHS: [usize; 5] = [12, 15, 18, 21, 24];

/// Bytes before a phrase in which it may be called one.
const NEAR: usize = 80;

pub(crate) fn find_phrases(text: &str) -> Vec<SecretMatch> {
    let mut all = vec![];
    let mut run: Vec<(Range<usize>, u16)> = vec![];
    for word in word_ranges(text) {
        let goes_on = run.last().is_none_or(|(last, _)| is_between(&text[last.end..word.start]));
        let place = word_number(&text[word.clone()]);
        if place.is_none() || !goes_on {
            all.extend(phrase_in_run(text, &run));
            run.clear();
        }
        run.extend(place.map(|place| (word, place)));
    }
    all.extend(phrase_in_run(text, &run));
    all
}

/// Returns the number of a word in the list that seed phrases are made of; None where it is not in it.
fn word_number(word: &str) -> Option<u16> {
    match word.len() {
        3..=8 if word.bytes().all(|byte| byte.is_ascii_lowercase()) => PLACES.get(word).copied(),
        3..=8 => PLACES.get(word.to_ascii_lowercase().as_str()).copied(),
        _ => None,
    }
}

/// Returns words of ASCII letters, as long as those of the list.
fn word_ranges(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() && !bytes[at].is_ascii_alphabetic() {
            at += 1;
        }
        let start = at;
        while at < bytes.len() && bytes[at].is_ascii_alphabetic() {
            at += 1;
        }
        (at > start).then_some(start..at)
    })
}

/// Returns whether the text between two words has no other word.
fn is_between(text: &str) -> bool {
    const MOST: usize = 12;
    text.len() <= MOST
        && text.bytes().all(|byte| {
            byte.is_ascii_whitespace() || byte.is_ascii_digit() || b",.;:)\"'`|+-\\".contains(&byte)
        })
        && !text.contains("\n\n\n")
}

/// Returns the phrase in a run, from its first word to its last.
fn phrase_in_run(text: &str, run: &[(Range<usize>, u16)]) -> Option<SecretMatch> {
    let (first, last) = (run.first()?, run.last()?);
    if run.len() < LENGTHS[0] {
        return None;
    }
    let places: Vec<u16> = run.iter().map(|(_, place)| *place).collect();
    let is_listed = |places: &[u16]| places.windows(2).all(|two| two[0] < two[1]);
    let is_whole = |places: &[u16]| !is_listed(places) && has_checksum(places);
    let is_phrase = (LENGTHS.contains(&run.len()) && !is_listed(&places))
        || is_named(&text[..first.0.end])
        || LENGTHS.iter().any(|length| places.windows(*length).any(is_whole));
    is_phrase.then_some(SecretMatch { range: first.0.start..last.0.end, kind: SecretKind::Secret })
}

fn is_named(before: &str) -> bool {
    static NAMES: LazyLock<Regex> = LazyLock::new(|| {
        let names = r"(?i)mnemonic|(?:seed|recovery|secret|backup|wallet)[ _-]?(?:phrase|words?)|\bseed\b|\bwallet\b";
        compile_pattern(names)
    });
    let near =
        before.char_indices().rev().take(NEAR).last().map_or(before, |(at, _)| &before[at..]);
    NAMES.is_match(near)
}

/// Returns whether the checksum is right. A word has eleven bits; of every 33 bits the last is from the SHA-256 of the others.
fn has_checksum(places: &[u16]) -> bool {
    let bits = places.iter().flat_map(|place| (0..11).rev().map(move |bit| place >> bit & 1 == 1));
    let bits: Vec<bool> = bits.collect();
    let (entropy, check) = bits.split_at(bits.len() / 33 * 32);
    let byte = |bits: &[bool]| bits.iter().fold(0_u8, |sum, bit| sum << 1 | u8::from(*bit));
    let digest = Sha256::digest(entropy.chunks(8).map(byte).collect::<Vec<u8>>());
    check.iter().enumerate().all(|(at, bit)| (digest[at / 8] >> (7 - at % 8) & 1 == 1) == *bit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found_phrases(text: &str) -> Vec<&str> {
        find_phrases(text).into_iter().map(|it| &text[it.range]).collect()
    }

    /// A phrase from the test vectors of BIP-39.
    const PHRASE: &str =
        "legal winner thank year wave sausage worth useful legal winner thank yellow";

    #[test]
    fn a_phrase_is_found_in_a_line_in_quotes_and_numbered() {
        let numbered: Vec<String> =
            PHRASE.split(' ').zip(1..).map(|(word, at)| format!("{at}. {word}\n")).collect();
        let quoted = format!("[\"{}\"]", PHRASE.replace(' ', "\", \""));

        assert_eq!(found_phrases(&format!("it is {PHRASE}, of course")), [PHRASE]);
        assert_eq!(found_phrases(&numbered.concat()).len(), 1);
        assert_eq!(found_phrases(&quoted).len(), 1);
        let places: Vec<u16> = PHRASE.split(' ').map(|word| PLACES[word]).collect();
        assert!(
            has_checksum(&places)
                && !has_checksum(
                    &places[..11].iter().chain(&places[..1]).copied().collect::<Vec<_>>()
                )
        );
    }

    #[test]
    fn prose_and_the_list_itself_are_no_phrase() {
        let prose = "the model can change any file about which the person would ask, and cost is part of it";

        assert!(find_phrases(prose).is_empty());
        assert!(find_phrases(&LIST.lines().take(13).collect::<Vec<_>>().join("\n")).is_empty());
    }
}
