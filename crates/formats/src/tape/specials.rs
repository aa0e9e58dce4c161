//! Looking for the end of a string, many bytes at a time.

#![allow(
    unsafe_code,
    reason = "SSE2 has functions of its own, and every processor of x86-64 has SSE2"
)]

/// Bytes of a text by 64 at a time: those that mean something within a string are some tens of bytes apart as a rule.
pub struct ByteBlock {
    bytes: [u8; Self::BYTES],
    /// A bit for each quote, each backslash and each byte that a string may not contain.
    pub specials: u64,
}

/// The special bytes of a block by their kinds.
pub struct SpecialBytes {
    pub quotes: u64,
    pub backslashes: u64,
    /// Bytes that a string may not contain.
    pub controls: u64,
}

impl ByteBlock {
    pub const BYTES: usize = 64;

    /// Creates the block of bytes that begins at `from`; None after the end of the text.
    pub fn from_bytes(bytes: &[u8], from: usize) -> Option<Self> {
        let rest = bytes.get(from..).filter(|rest| !rest.is_empty())?;
        let bytes = match rest.first_chunk() {
            Some(whole) => *whole,
            None => {
                // Nothing ends a string, and nothing is wrong with it, that is not there.
                let mut padded = [b' '; Self::BYTES];
                padded[..rest.len()].copy_from_slice(rest);
                padded
            }
        };
        Some(Self { specials: bits_by_sixteen(&bytes, special_bits), bytes })
    }

    /// Returns whether the first special byte is a quote.
    pub fn ends_with_first_special(&self) -> bool {
        let at = self.specials.trailing_zeros() as usize;
        self.bytes.get(at) == Some(&b'"')
    }

    pub fn special_bytes(&self) -> SpecialBytes {
        let (quotes, backslashes) = (self.bits_of_byte(b'"'), self.bits_of_byte(b'\\'));
        SpecialBytes { quotes, backslashes, controls: self.specials & !quotes & !backslashes }
    }

    /// Returns a bit for each byte that is this one.
    pub fn bits_of_byte(&self, byte: u8) -> u64 {
        bits_by_sixteen(&self.bytes, |part| equal_bits(part, byte))
    }
}

fn bits_by_sixteen(bytes: &[u8; ByteBlock::BYTES], of: impl Fn(&[u8; 16]) -> u16) -> u64 {
    let (parts, _) = bytes.as_chunks::<16>();
    parts.iter().rev().fold(0, |found, part| found << 16 | u64::from(of(part)))
}

/// Searches a text for the backslashes that begin an escape.
pub struct Backslashes<'a> {
    bytes: &'a [u8],
    /// The offset of the current 64 bytes.
    at: usize,
    /// One bit a byte, those passed taken out.
    found: u64,
}

impl<'a> Backslashes<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, found: Self::backslash_bits(bytes, 0) }
    }

    fn backslash_bits(bytes: &[u8], at: usize) -> u64 {
        ByteBlock::from_bytes(bytes, at).map_or(0, |block| block.bits_of_byte(b'\\'))
    }

    /// Returns the offset of the first backslash from `from` on; None where there is none any more. `from` is never
    /// before that of the last call.
    #[inline]
    pub fn next_from(&mut self, from: usize) -> Option<usize> {
        if let passed @ 0..64 = from - self.at {
            self.found &= u64::MAX << passed;
            if self.found != 0 {
                return Some(self.at + self.found.trailing_zeros() as usize);
            }
        } else {
            (self.at, self.found) = (from, Self::backslash_bits(self.bytes, from));
        }
        self.next_block()
    }

    fn next_block(&mut self) -> Option<usize> {
        while self.found == 0 {
            self.at += ByteBlock::BYTES;
            if self.at >= self.bytes.len() {
                return None;
            }
            self.found = Self::backslash_bits(self.bytes, self.at);
        }
        Some(self.at + self.found.trailing_zeros() as usize)
    }
}

#[cfg(target_arch = "x86_64")]
fn special_bits(bytes: &[u8; 16]) -> u16 {
    // SAFETY: every processor of this kind has SSE2, the only requirement.
    unsafe { sse2::special_bits(bytes) }
}

#[cfg(target_arch = "x86_64")]
fn equal_bits(bytes: &[u8; 16], byte: u8) -> u16 {
    // SAFETY: every processor of this kind has SSE2, the only requirement.
    unsafe { sse2::equal_bits(bytes, byte) }
}

#[cfg(target_arch = "x86_64")]
mod sse2 {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x,
        _mm_set1_epi8,
    };

    #[target_feature(enable = "sse2")]
    fn load_bytes(bytes: &[u8; 16]) -> __m128i {
        let both = u128::from_le_bytes(*bytes);
        _mm_set_epi64x((both >> 64) as i64, both as i64)
    }

    #[target_feature(enable = "sse2")]
    pub fn special_bits(bytes: &[u8; 16]) -> u16 {
        let bytes = load_bytes(bytes);
        let quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'"' as i8));
        let backslashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'\\' as i8));
        let controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
        _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quotes, backslashes), controls)) as u16
    }

    #[target_feature(enable = "sse2")]
    pub fn equal_bits(bytes: &[u8; 16], byte: u8) -> u16 {
        _mm_movemask_epi8(_mm_cmpeq_epi8(load_bytes(bytes), _mm_set1_epi8(byte as i8))) as u16
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn special_bits(bytes: &[u8; 16]) -> u16 {
    by_eight(bytes, specials_of_8)
}

#[cfg(not(target_arch = "x86_64"))]
fn equal_bits(bytes: &[u8; 16], byte: u8) -> u16 {
    by_eight(bytes, |word| equal_of_8(word, byte))
}

#[cfg(any(test, not(target_arch = "x86_64")))]
fn by_eight(bytes: &[u8; 16], of: impl Fn(u64) -> u16) -> u16 {
    let both = u128::from_le_bytes(*bytes);
    of(both as u64) | of((both >> 64) as u64) << 8
}

/// Returns the special bytes among eight, one bit each, without instructions of a particular processor.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn specials_of_8(word: u64) -> u16 {
    let printed = ((word & LOW) + ONES * 0x60) | word;
    high_bits(
        !(not_zero(word ^ (ONES * u64::from(b'"')))
            & not_zero(word ^ (ONES * u64::from(b'\\')))
            & printed),
    )
}

#[cfg(any(test, not(target_arch = "x86_64")))]
fn equal_of_8(word: u64, byte: u8) -> u16 {
    high_bits(!not_zero(word ^ (ONES * u64::from(byte))))
}

#[cfg(any(test, not(target_arch = "x86_64")))]
const ONES: u64 = u64::from_ne_bytes([1; 8]);
#[cfg(any(test, not(target_arch = "x86_64")))]
const LOW: u64 = ONES * 0x7f;

/// Returns the high bit of each byte that is not zero.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn not_zero(word: u64) -> u64 {
    ((word & LOW) + LOW) | word
}

#[cfg(any(test, not(target_arch = "x86_64")))]
fn high_bits(found: u64) -> u16 {
    (((found & !LOW) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u16
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn special_bytes_of_a_block_are_found(bytes in prop::collection::vec(any::<u8>(), 0..200), from in 0usize..80) {
            let Some(block) = ByteBlock::from_bytes(&bytes, from) else {
                prop_assert!(from >= bytes.len());
                return Ok(());
            };
            let bits = |is: fn(u8) -> bool| {
                let all = bytes[from..].iter().take(64).enumerate();
                all.filter(|(_, byte)| is(**byte)).fold(0, |bits, (at, _)| bits | 1_u64 << at)
            };
            let marks = block.special_bytes();
            prop_assert_eq!(block.specials, bits(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)));
            prop_assert_eq!(marks.quotes, bits(|byte| byte == b'"'));
            prop_assert_eq!(marks.backslashes, bits(|byte| byte == b'\\'));
            prop_assert_eq!(marks.controls, bits(|byte| byte < 0x20));
            prop_assert_eq!(block.bits_of_byte(b'n'), bits(|byte| byte == b'n'));
        }

        #[test]
        fn backslashes_are_found_one_after_the_other(
            text in prop::collection::vec(prop::sample::select(b"\\ab".to_vec()), 0..300), stride in 1usize..90,
        ) {
            let (mut backslashes, mut from) = (Backslashes::new(&text), 0);
            while from < text.len() {
                let found = backslashes.next_from(from);
                prop_assert_eq!(found, text[from..].iter().position(|byte| *byte == b'\\').map(|at| from + at));
                let Some(at) = found else { break };
                from = at + stride;
            }
        }

        #[test]
        fn without_the_processors_help_the_same_is_found(bytes: [u8; 16], byte: u8) {
            prop_assert_eq!(by_eight(&bytes, specials_of_8), special_bits(&bytes));
            prop_assert_eq!(by_eight(&bytes, |word| equal_of_8(word, byte)), equal_bits(&bytes, byte));
            prop_assert_eq!(by_eight(&bytes, |word| equal_of_8(word, bytes[3])), equal_bits(&bytes, bytes[3]));
        }
    }
}
