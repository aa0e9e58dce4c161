//! Code as a sequence of hashed words, so that two pieces can be compared whatever their formatting.
//!
//! Likeness counts the runs of three words that both pieces have ([`Shingles`]); the piece's own name counts as one
//! and the same word everywhere, so a renamed piece is like itself.

use super::file_facts::{CodeDefinition, FileFacts};

/// Hashes of things that have no word of their own.
pub(crate) const OPEN: u32 = 1;
pub(crate) const CLOSE: u32 = 2;
const OWN_NAME: u32 = 3;

/// Returns the hash of a word (FNV-1a); never one of the constants above.
pub fn hash_word(word: &[u8]) -> u32 {
    let hash = word
        .iter()
        .fold(0x811c_9dc5_u32, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    hash.max(OWN_NAME + 1)
}

/// Returns the hash of a sequence of words in which the definition's own name is replaced by a constant.
fn hash_tokens(tokens: impl Iterator<Item = u32>, own_name: u32) -> u64 {
    tokens.fold(0xcbf2_9ce4_8422_2325, |hash, token| {
        mix_hash(hash, u64::from(if token == own_name { OWN_NAME } else { token }))
    })
}

/// Returns the hash of all parts of a definition in a file of these words, with its own name replaced.
pub(crate) fn hash_definition(definition: &CodeDefinition, words: &[u32]) -> u64 {
    let own_name = hash_word(definition.simple_name().as_bytes());
    let parts = definition.parts.iter();
    let parts = parts.filter_map(|part| words.get(part.tokens.0 as usize..part.tokens.2 as usize));
    hash_tokens(parts.flatten().copied(), own_name)
}

fn mix_hash(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

/// The runs of three words of a body, each as often as it occurs, in ascending order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shingles(Vec<u64>);

impl Shingles {
    /// Takes the bodies of all parts; the head (name, parameters, bases) is left out.
    pub fn new(file: &FileFacts, definition: &CodeDefinition) -> Self {
        let own_name = hash_word(definition.simple_name().as_bytes());
        let word = |token: &u32| u64::from(if *token == own_name { OWN_NAME } else { *token });
        let mut all = vec![];
        for part in &definition.parts {
            let (_, body, end) = part.tokens;
            let tokens = file.tokens.get(body as usize..end as usize).unwrap_or_default();
            all.extend(tokens.windows(3).map(|run| run.iter().map(word).fold(7, mix_hash)));
        }
        all.sort_unstable();
        Self(all)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the number of runs that both have.
    pub(crate) fn common_count(&self, other: &Self) -> usize {
        let (mut a, mut b, mut count) = (0, 0, 0);
        while let (Some(left), Some(right)) = (self.0.get(a), other.0.get(b)) {
            count += usize::from(left == right);
            a += usize::from(left <= right);
            b += usize::from(right <= left);
        }
        count
    }

    /// Returns the shared part of the larger one, 0 to 1.
    pub(crate) fn likeness_to(&self, other: &Self) -> f64 {
        let larger = self.len().max(other.len());
        if larger == 0 || self.len().min(other.len()) * 4 < larger {
            return 0.0;
        }
        self.common_count(other) as f64 / larger as f64
    }

    /// Returns the runs without those that `other` has too.
    pub(crate) fn without_runs_of(&self, other: &Self) -> Self {
        let mut left = other.0.as_slice();
        let is_kept = |run: &u64| {
            let at = left.partition_point(|it| it < run);
            left = &left[at..];
            match left.first() {
                Some(first) if first == run => {
                    left = &left[1..];
                    false
                }
                _ => true,
            }
        };
        let mut remaining = self.0.clone();
        let mut is_kept = is_kept;
        remaining.retain(|run| is_kept(run));
        Self(remaining)
    }
}
