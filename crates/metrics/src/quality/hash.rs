//! A hash of 128 bits for normalised text. For all practical purposes different texts have different hashes; nobody
//! would gain from a collision.

const START: u64 = 0x6c62_272e_07bb_0142;
const ONE: u64 = 0x9e37_79b9_7f4a_7c15;
const TWO: u64 = 0xd1b5_4a32_d192_ed03;

/// Returns the hash of a word.
pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    bytes.iter().fold(START, |hash, &byte| mix_word(hash, u64::from(byte), ONE))
}

/// Returns the hash of a word and a number.
pub(crate) fn hash_with_number(word: u64, number: u32) -> u64 {
    mix_word(word, u64::from(number), TWO)
}

/// The hash of a list of words, fed one by one.
#[derive(Debug, Clone, Copy)]
pub struct HashStream(u64, u64);

impl Default for HashStream {
    fn default() -> Self {
        Self(START, !START)
    }
}

impl HashStream {
    pub(crate) fn feed_word(&mut self, word: u64) {
        self.0 = mix_word(self.0, word, ONE);
        self.1 = mix_word(self.1, word, TWO);
    }

    pub(crate) fn into_hash(self) -> u128 {
        let (one, two) = (mix_word(self.0, self.1, TWO), mix_word(self.1, self.0, ONE));
        u128::from(one) << 64 | u128::from(two)
    }
}

/// Mixes a word into a hash. The multiplication carries a change to the higher bits, the rotation brings it down
/// again.
fn mix_word(hash: u64, word: u64, odd: u64) -> u64 {
    (hash ^ word).wrapping_mul(odd).rotate_left(29)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn short_words_have_different_hashes() {
        let words = (0..=u16::MAX).map(|word| hash_bytes(&word.to_le_bytes()));

        assert_eq!(words.collect::<HashSet<_>>().len(), 1 << 16);
    }

    #[test]
    fn the_order_of_words_matters() {
        let stream = |words: [&[u8]; 2]| {
            let mut stream = HashStream::default();
            words.iter().for_each(|word| stream.feed_word(hash_bytes(word)));
            stream.into_hash()
        };

        assert_ne!(stream([b"a", b"b"]), stream([b"b", b"a"]));
    }
}
