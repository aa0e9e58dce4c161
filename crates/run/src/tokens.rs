//! Tokens, counted once.

use std::ops::Add;

use serde::{Deserialize, Serialize};

/// Token counts; None is "not recorded", which is not 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tokens {
    /// Everything the model read, cached input included.
    pub input: Option<u64>,
    /// The part of `input` that came from the prompt cache.
    pub cached_input: Option<u64>,
    /// Everything the model wrote, reasoning included.
    pub output: Option<u64>,
    /// The part of `output` that is reasoning.
    pub reasoning: Option<u64>,
    /// The part of `input` that was written to the prompt cache, for whatever time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<u64>,
    /// The part of `cache_write` that is kept for one hour; the rest is kept for the time that the vendor keeps it unasked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_1h: Option<u64>,
}

impl Tokens {
    pub fn is_recorded(&self) -> bool {
        *self != Self::default()
    }
}

impl Tokens {
    /// The counts one by one with those of another.
    fn with(self, other: Self, of: fn(Option<u64>, Option<u64>) -> Option<u64>) -> Self {
        Self {
            input: of(self.input, other.input),
            cached_input: of(self.cached_input, other.cached_input),
            output: of(self.output, other.output),
            reasoning: of(self.reasoning, other.reasoning),
            cache_write: of(self.cache_write, other.cache_write),
            cache_write_1h: of(self.cache_write_1h, other.cache_write_1h),
        }
    }

    /// Read and written, cached ones included; None where neither is recorded.
    pub fn total(self) -> Option<u64> {
        match (self.input, self.output) {
            (Some(input), Some(output)) => Some(input.saturating_add(output)),
            (input, output) => input.or(output),
        }
    }

    /// Of each kind the larger count.
    pub fn or_more(self, other: Self) -> Self {
        self.with(other, Ord::max)
    }

    /// What came since `before`, where both are counted from one start.
    pub fn since(self, before: Self) -> Self {
        self.with(before, |now, before| Some(now?.saturating_sub(before.unwrap_or(0))))
    }
}

impl Add for Tokens {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.with(other, |a, b| match (a, b) {
            (Some(a), Some(b)) => Some(a.saturating_add(b)),
            (a, b) => a.or(b),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn not_recorded_stays_not_recorded_in_a_sum() {
        let one = Tokens { input: Some(3), ..Tokens::default() };
        let two = Tokens { input: Some(4), output: Some(1), ..Tokens::default() };
        assert_eq!(one + two, Tokens { input: Some(7), output: Some(1), ..Tokens::default() });
    }
}
