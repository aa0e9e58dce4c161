//! Words that look drawn at random, of a kind that no shape tells.
//!
//! The rule: a run of at least 20 letters of base64 or base64url (`A-Za-z0-9+/_-`), and one of
//!
//! - hexadecimal digits alone, letters and digits both, at least 3.0 bits a letter (Shannon, over the letters of the word);
//! - a letter and a digit, at least 3.5 bits a letter, and parts of less than 3.4 letters on average, where a part ends
//!   between a small and a large letter and between a letter and a digit: `getUserById2FromDatabase` is a name, `aK3x9Qz…` is none.
//!
//! Not random are: the recording's own hashes and ids, which the caller names; hashes that the text names as such (`commit`, `sha256:`, `integrity` before
//! it); UUIDs; names and paths, of which every part between `/`, `_`, `-` and `+` is a word, a number or a word with a
//! number, or is too short to be a secret.

use std::{collections::HashSet, ops::Range};

use super::secret_kinds::{SecretKind, SecretMatch};

const SHORTEST: usize = 20;
const LEAST_BITS_OF_HEX: f64 = 3.0;
const LEAST_BITS: f64 = 3.5;
const LONGEST_PART: f64 = 3.4;

pub(crate) fn find_random(text: &str, own_words: &HashSet<String>) -> Vec<SecretMatch> {
    let is_letter =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-');
    let words = letter_runs(text, is_letter).filter(|range| {
        let word = &text[range.clone()];
        is_random(word) && !is_own(word, own_words) && !is_named_hash(&text[..range.start], word)
    });
    words.map(|range| SecretMatch { range, kind: SecretKind::RandomWord }).collect()
}

/// Returns runs of letters that pass the test, as long as a random word is at least.
pub(crate) fn letter_runs(
    text: &str,
    is_letter: impl Fn(u8) -> bool,
) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            if !is_letter(bytes[at]) {
                at += 1;
                continue;
            }
            let start = at;
            while at < bytes.len() && is_letter(bytes[at]) {
                at += 1;
            }
            if at - start >= SHORTEST {
                return Some(start..at);
            }
        }
        None
    })
}

/// Returns Shannon entropy over the letters of the word, in bits a letter.
pub(crate) fn entropy_bits(word: &str) -> f64 {
    let mut counts = [0_u32; 256];
    word.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let all = word.len() as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / all)
        .map(|share| -share * share.log2())
        .sum()
}

fn is_random(word: &str) -> bool {
    let bytes = word.as_bytes();
    let has = |condition: fn(&u8) -> bool| bytes.iter().any(condition);
    if !has(u8::is_ascii_digit) || !has(u8::is_ascii_alphabetic) {
        return false;
    }
    let parts = || word.split(['/', '_', '-', '+']).filter(|part| !part.is_empty());
    if parts().any(|part| part.len() >= SHORTEST && is_hex(part)) {
        return true;
    }
    if parts().all(is_of_a_name) || is_uuid(word) {
        return false;
    }
    let long = parts().filter(|part| part.len() >= SHORTEST).any(is_drawn);
    let is_whole = !word.contains('/') && is_drawn(word);
    // A path of names, with one part that is a short hash, is no secret; base64 with a slash in it is.
    let shortest_of_path = parts().map(str::len).max().unwrap_or(0);
    long || is_whole
        || (word.contains('/') && shortest_of_path >= 9 && is_drawn(word) && !is_path(word))
}

fn is_hex(part: &str) -> bool {
    let bytes = part.as_bytes();
    let has = |condition: fn(&u8) -> bool| bytes.iter().any(condition);
    bytes.iter().all(u8::is_ascii_hexdigit)
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && !(has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase))
        && entropy_bits(part) >= LEAST_BITS_OF_HEX
}

fn is_drawn(word: &str) -> bool {
    let has = |condition: fn(&u8) -> bool| word.as_bytes().iter().any(condition);
    has(u8::is_ascii_digit)
        && has(u8::is_ascii_alphabetic)
        && entropy_bits(word) >= LEAST_BITS
        && (word.len() as f64) < LONGEST_PART * word_parts(word) as f64
}

/// Returns parts between a small and a large letter, a letter and a digit, and at what is neither.
fn word_parts(word: &str) -> usize {
    let class = |byte: u8| match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        _ => 3,
    };
    let bytes = word.as_bytes();
    let ends = bytes.windows(2).filter(|two| match (class(two[0]), class(two[1])) {
        (2, 1) => false, // one word with a capital
        (one, next) => one != next && next != 3,
    });
    ends.count() + 1
}

/// Returns whether the part is a word, a number, a word with a number before or behind it, the beginning of a hash, a date with a time.
fn is_of_a_name(part: &str) -> bool {
    let bytes = part.as_bytes();
    let changes = bytes.windows(2).filter(|two| two[0].is_ascii_digit() != two[1].is_ascii_digit());
    let changes = changes.count();
    let is_short_hash = part.len() <= 12 && bytes.iter().all(u8::is_ascii_hexdigit);
    part.len() <= 8 || is_short_hash || changes == 0 || (changes <= 2 && part.len() < SHORTEST)
}

/// Returns whether most of it is names: a path may have a hash among its folders.
fn is_path(word: &str) -> bool {
    let parts: Vec<&str> = word.split('/').filter(|part| !part.is_empty()).collect();
    let names = parts.iter().filter(|part| part.split(['_', '-']).all(is_of_a_name)).count();
    names * 2 > parts.len() && parts.len() > 2
}

/// Returns whether a word is `054395ac-4290-4fcf-ab21-925712a16d08`, alone or as the end of a name.
fn is_uuid(word: &str) -> bool {
    const PARTS: [usize; 5] = [8, 4, 4, 4, 12];
    let parts: Vec<&str> = word.split(['-', '_', '/']).collect();
    let is_one = |parts: &[&str]| {
        parts.iter().zip(PARTS).all(|(part, length)| {
            part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
    };
    let found = parts.windows(PARTS.len()).position(is_one);
    found.is_some_and(|at| {
        let mut others = parts[..at].iter().chain(&parts[at + PARTS.len()..]);
        others.all(|part| is_of_a_name(part))
    })
}

fn is_own(word: &str, own_words: &HashSet<String>) -> bool {
    if own_words.contains(&word.to_ascii_lowercase()) {
        return true;
    }
    let parts = word.split(['/', '_', '-', '+']).filter(|part| part.len() >= SHORTEST);
    let mut parts = parts.peekable();
    parts.peek().is_some() && parts.all(|part| own_words.contains(&part.to_ascii_lowercase()))
}

/// Returns what is before the first of two hashes with dots between them, whose second is next: of the line `index A..B` of a patch
/// or of `commits A...B`.
fn before_hash_of_pair(before: &str, length: usize) -> Option<&str> {
    let first = before.strip_suffix("...").or_else(|| before.strip_suffix(".."))?;
    let (before, first) = first.split_at_checked(first.len().checked_sub(length)?)?;
    first.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(before)
}

/// Returns whether the words before announce a hash; only a word as long as a hash counts as one.
fn is_named_hash(before: &str, word: &str) -> bool {
    const NAMES: [&str; 17] = [
        "commit",
        "tree",
        "parent",
        "blob",
        "index",
        "object",
        "sha1",
        "sha256",
        "sha384",
        "sha512",
        "md5",
        "checksum",
        "integrity",
        "digest",
        "hash",
        "head",
        "revision",
    ];
    let is_digest =
        word.starts_with("sha256-") || word.starts_with("sha384-") || word.starts_with("sha512-");
    if is_digest {
        return true;
    }
    let is_as_long = [32, 40, 64, 96, 128].contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some(before_first) = before_hash_of_pair(before, word.len()) {
        return is_named_hash(before_first, word);
    }
    let near = before.char_indices().rev().take(14).last().map_or(before, |(at, _)| &before[at..]);
    let near = near.to_ascii_lowercase();
    let near = near.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
    is_as_long && NAMES.iter().any(|name| near.ends_with(name))
}
