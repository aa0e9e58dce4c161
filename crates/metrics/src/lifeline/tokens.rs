//! Code as a row of hashed words, so that two pieces can be told to be the same, or alike, whatever their formatting.
//!
//! Likeness counts runs of three words that both have ([`Shingles`]); the piece's own name counts as one and the same
//! word everywhere, so a renamed piece is like itself.

use super::facts::{Definition, FileFacts};

/// Stand for what has no word of its own.
pub const OPEN: u32 = 1;
pub const CLOSE: u32 = 2;
const OWN_NAME: u32 = 3;

/// Of a word (FNV-1a); never one of the constants above.
pub fn of(word: &[u8]) -> u32 {
    let hash = word
        .iter()
        .fold(0x811c_9dc5_u32, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    hash.max(OWN_NAME + 1)
}

/// Of a row of words, with one of them replaced.
fn hash(tokens: impl Iterator<Item = u32>, own_name: u32) -> u64 {
    tokens.fold(0xcbf2_9ce4_8422_2325, |hash, token| {
        mix(hash, u64::from(if token == own_name { OWN_NAME } else { token }))
    })
}

/// Of all parts of a definition, which are made of these words, its own name replaced.
pub fn of_definition(definition: &Definition, words: &[u32]) -> u64 {
    let own_name = of(definition.simple().as_bytes());
    let parts = definition.parts.iter();
    let parts = parts.filter_map(|part| words.get(part.tokens.0 as usize..part.tokens.2 as usize));
    hash(parts.flatten().copied(), own_name)
}

fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

/// The runs of three words of a body, each as often as it comes, in ascending order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shingles(Vec<u64>);

impl Shingles {
    /// Of the bodies of all parts; the head (name, parameters, bases) is left out.
    pub fn of(file: &FileFacts, definition: &Definition) -> Self {
        let own = of(definition.simple().as_bytes());
        let word = |token: &u32| u64::from(if *token == own { OWN_NAME } else { *token });
        let mut all = vec![];
        for part in &definition.parts {
            let (_, body, end) = part.tokens;
            let tokens = file.tokens.get(body as usize..end as usize).unwrap_or_default();
            all.extend(tokens.windows(3).map(|run| run.iter().map(word).fold(7, mix)));
        }
        all.sort_unstable();
        Self(all)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// How many runs both have.
    pub fn common(&self, other: &Self) -> usize {
        let (mut a, mut b, mut count) = (0, 0, 0);
        while let (Some(left), Some(right)) = (self.0.get(a), other.0.get(b)) {
            count += usize::from(left == right);
            a += usize::from(left <= right);
            b += usize::from(right <= left);
        }
        count
    }

    /// 0–1: the share of the larger that both have.
    pub fn likeness(&self, other: &Self) -> f64 {
        let larger = self.len().max(other.len());
        if larger == 0 || self.len().min(other.len()) * 4 < larger {
            return 0.0;
        }
        self.common(other) as f64 / larger as f64
    }

    /// Without as many of `other`'s runs.
    pub fn without(&self, other: &Self) -> Self {
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
        let mut kept = self.0.clone();
        let mut is_kept = is_kept;
        kept.retain(|run| is_kept(run));
        Self(kept)
    }
}
