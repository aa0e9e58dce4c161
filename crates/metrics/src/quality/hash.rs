//! A hash of 128 bits for normalised text. Two texts that differ have other hashes for all practical purposes; nobody
//! gains by making two that do not.

const START: u64 = 0x6c62_272e_07bb_0142;
const ONE: u64 = 0x9e37_79b9_7f4a_7c15;
const TWO: u64 = 0xd1b5_4a32_d192_ed03;

/// Of a word.
pub fn of(bytes: &[u8]) -> u64 {
    bytes.iter().fold(START, |hash, &byte| mix(hash, u64::from(byte), ONE))
}

/// Of a word and a number.
pub fn with(word: u64, number: u32) -> u64 {
    mix(word, u64::from(number), TWO)
}

/// Of a list of words, fed one by one.
#[derive(Debug, Clone, Copy)]
pub struct Stream(u64, u64);

impl Default for Stream {
    fn default() -> Self {
        Self(START, !START)
    }
}

impl Stream {
    pub fn feed(&mut self, word: u64) {
        self.0 = mix(self.0, word, ONE);
        self.1 = mix(self.1, word, TWO);
    }

    pub fn finish(self) -> u128 {
        let (one, two) = (mix(self.0, self.1, TWO), mix(self.1, self.0, ONE));
        u128::from(one) << 64 | u128::from(two)
    }
}

/// Multiplying carries a change upwards, turning brings it down again.
fn mix(hash: u64, word: u64, odd: u64) -> u64 {
    (hash ^ word).wrapping_mul(odd).rotate_left(29)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn short_words_have_different_hashes() {
        let words = (0..=u16::MAX).map(|word| of(&word.to_le_bytes()));

        assert_eq!(words.collect::<HashSet<_>>().len(), 1 << 16);
    }

    #[test]
    fn the_order_of_words_matters() {
        let stream = |words: [&[u8]; 2]| {
            let mut stream = Stream::default();
            words.iter().for_each(|word| stream.feed(of(word)));
            stream.finish()
        };

        assert_ne!(stream([b"a", b"b"]), stream([b"b", b"a"]));
    }
}
