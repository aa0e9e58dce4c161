//! A hash of 128 bits for normalised text. Two texts that differ have other hashes for all practical purposes; nobody
//! gains by making two that do not.

const START: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const ODD: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b | 0x9e37_79b9_7f4a_7c15 << 64;

/// Of a word.
pub fn of(bytes: &[u8]) -> u128 {
    bytes.iter().fold(START, |hash, &byte| mix(hash, u128::from(byte)))
}

/// Of a list of words, fed one by one.
#[derive(Debug, Clone, Copy)]
pub struct Stream(u128);

impl Default for Stream {
    fn default() -> Self {
        Self(START)
    }
}

impl Stream {
    pub fn feed(&mut self, word: u128) {
        self.0 = mix(self.0, word);
    }

    pub fn finish(self) -> u128 {
        mix(mix(self.0, START), ODD)
    }
}

/// Multiplying carries a change upwards, turning brings it down again.
fn mix(hash: u128, word: u128) -> u128 {
    (hash ^ word).wrapping_mul(ODD).rotate_left(59)
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
