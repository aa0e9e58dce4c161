//! Looking for the end of a string, many bytes at a time.

/// The bytes that mean something within a string: quotes, backslashes, and those that may not stand there. Found for
/// 64 bytes at a time, as they are some tens of bytes apart as a rule.
pub struct Specials<'a> {
    bytes: &'a [u8],
    /// Where the 64 bytes begin.
    at: usize,
    /// One bit a byte, those passed taken out.
    found: u64,
}

impl<'a> Specials<'a> {
    pub fn from(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, found: found_in(bytes, at) }
    }

    /// None where there is none any more.
    pub fn next(&mut self) -> Option<usize> {
        while self.found == 0 {
            self.at += 64;
            if self.at >= self.bytes.len() {
                return None;
            }
            self.found = found_in(self.bytes, self.at);
        }
        let at = self.at + self.found.trailing_zeros() as usize;
        (at < self.bytes.len()).then_some(at)
    }

    /// Passes what is before `at`.
    pub fn go_to(&mut self, at: usize) {
        match at - self.at {
            passed @ 0..64 => self.found &= u64::MAX << passed,
            _ => *self = Self::from(self.bytes, at),
        }
    }
}

fn found_in(bytes: &[u8], at: usize) -> u64 {
    if let Some(Ok(all)) = bytes.get(at..at + 64).map(<&[u8; 64]>::try_from) {
        return specials_of(all);
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let mut all = [b' '; 64];
    all[..rest.len()].copy_from_slice(rest);
    specials_of(&all)
}

fn specials_of(bytes: &[u8; 64]) -> u64 {
    let (parts, _) = bytes.as_chunks::<16>();
    parts.iter().rev().fold(0, |found, part| found << 16 | u64::from(specials_of_16(part)))
}

#[cfg(target_arch = "x86_64")]
fn specials_of_16(bytes: &[u8; 16]) -> u16 {
    // SAFETY: every processor of this kind has SSE2, and nothing else is asked of it.
    unsafe { specials_by_sse2(bytes) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
fn specials_by_sse2(bytes: &[u8; 16]) -> u16 {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x,
        _mm_set1_epi8,
    };
    let both = u128::from_le_bytes(*bytes);
    let bytes = _mm_set_epi64x((both >> 64) as i64, both as i64);
    let quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'"' as i8));
    let backslashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'\\' as i8));
    let controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
    _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quotes, backslashes), controls)) as u16
}

#[cfg(not(target_arch = "x86_64"))]
fn specials_of_16(bytes: &[u8; 16]) -> u16 {
    let both = u128::from_le_bytes(*bytes);
    specials_of_8(both as u64) | specials_of_8((both >> 64) as u64) << 8
}

/// The same without instructions of a particular processor.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn specials_of_8(word: u64) -> u16 {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const LOW: u64 = ONES * 0x7f;
    // The high bit of each byte that is not zero, or not below a space.
    let not_zero = |word: u64| ((word & LOW) + LOW) | word;
    let quote = not_zero(word ^ (ONES * b'"' as u64));
    let backslash = not_zero(word ^ (ONES * b'\\' as u64));
    let printed = ((word & LOW) + ONES * 0x60) | word;
    let found = !(quote & backslash & printed) & !LOW;
    ((found >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn special_bytes_are_found_one_after_the_other(
            bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200), at in 0usize..80,
        ) {
            let is_special = |at: &usize| matches!(bytes[*at], b'"' | b'\\' | 0..0x20);
            let one_by_one: Vec<usize> = (at..bytes.len()).filter(is_special).collect();
            let mut specials = Specials::from(&bytes, at);
            let found: Vec<usize> = std::iter::from_fn(|| {
                let at = specials.next()?;
                specials.go_to(at + 1);
                Some(at)
            }).collect();
            proptest::prop_assert_eq!(found, one_by_one);
        }

        #[test]
        fn without_the_processors_help_the_same_is_found(word in proptest::prelude::any::<[u8; 8]>()) {
            let mut whole = [b' '; 16];
            whole[..8].copy_from_slice(&word);
            let by_words = specials_of_8(u64::from_le_bytes(word));
            proptest::prop_assert_eq!(by_words, specials_of_16(&whole));
        }
    }
}
