//! Tokens, counted once.

use std::ops::Add;

use serde::{Deserialize, Serialize};

/// Token counts; None is "not recorded", which is not 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tokens {
    /// All input of the model, cached input included.
    pub input: Option<u64>,
    /// The part of `input` that came from the prompt cache.
    pub cached_input: Option<u64>,
    /// All output of the model, reasoning included.
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
    /// Returns the counts one by one with those of another.
    fn combine_with(
        self,
        other: Self,
        combine: fn(Option<u64>, Option<u64>) -> Option<u64>,
    ) -> Self {
        Self {
            input: combine(self.input, other.input),
            cached_input: combine(self.cached_input, other.cached_input),
            output: combine(self.output, other.output),
            reasoning: combine(self.reasoning, other.reasoning),
            cache_write: combine(self.cache_write, other.cache_write),
            cache_write_1h: combine(self.cache_write_1h, other.cache_write_1h),
        }
    }

    /// Returns input and output together, cached input included; None where one of them is not recorded.
    pub fn total(self) -> Option<u64> {
        Some(self.input?.saturating_add(self.output?))
    }

    /// Returns the recorded of input and output together, the least that the total can be; None where neither is.
    pub fn recorded_sum(self) -> Option<u64> {
        self.total().or(self.input).or(self.output)
    }

    /// Returns for each kind the larger count.
    pub fn max_each(self, other: Self) -> Self {
        self.combine_with(other, Ord::max)
    }

    /// Returns the tokens since `before`, where both are counted from one start.
    pub fn difference_from(self, before: Self) -> Self {
        self.combine_with(before, |now, before| Some(now?.saturating_sub(before.unwrap_or(0))))
    }
}

impl Add for Tokens {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.combine_with(other, |a, b| match (a, b) {
            (Some(a), Some(b)) => Some(a.saturating_add(b)),
            (a, b) => a.or(b),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_the_tokens_is_no_total() {
        let both = Tokens { input: Some(3), output: Some(1), ..Tokens::default() };
        let one = Tokens { output: None, ..both };

        assert_eq!((both.total(), both.recorded_sum()), (Some(4), Some(4)));
        assert_eq!((one.total(), one.recorded_sum()), (None, Some(3)));
        assert_eq!(Tokens::default().recorded_sum(), None);
    }

    #[test]
    fn not_recorded_stays_not_recorded_in_a_sum() {
        let one = Tokens { input: Some(3), ..Tokens::default() };
        let two = Tokens { input: Some(4), output: Some(1), ..Tokens::default() };
        assert_eq!(one + two, Tokens { input: Some(7), output: Some(1), ..Tokens::default() });
    }
}
