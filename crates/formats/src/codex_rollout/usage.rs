//! Tokens, counted once.
//!
//! `token_count` has a running total and the last response; it comes once or twice a response, again at the
//! start of a turn, and its total may start over when a process does. `token_usage_record` reports the same
//! response before it.

use super::record::{TokenCount, UsageRecord};
use trajview_run::Tokens;

#[derive(Debug, Default)]
pub struct TokenCounter {
    total: Option<Tokens>,
    /// Responses with a `token_usage_record` and no `token_count` yet.
    unpaired: Vec<Tokens>,
    /// Something was counted since the turn began.
    is_turn_counted: bool,
}

impl TokenCounter {
    pub const fn begin_turn(&mut self) {
        self.is_turn_counted = false;
    }

    /// Counts a record, and returns the tokens that it is the first to report; None where they are already counted.
    pub fn new_tokens(&mut self, usage: &UsageRecord) -> Option<Tokens> {
        let new = match usage {
            UsageRecord::Count(Some(counted)) => self.tokens_since_last(**counted),
            UsageRecord::Count(None) => {
                self.total = None; // a new process, which may count from zero
                None
            }
            UsageRecord::Response(tokens) => {
                self.unpaired.push(**tokens);
                Some(**tokens)
            }
            UsageRecord::Plain(tokens) => Some(**tokens),
            UsageRecord::Turn(tokens) => (!self.is_turn_counted).then_some(**tokens),
        };
        let new = new.filter(Tokens::is_recorded);
        self.is_turn_counted |= new.is_some();
        new
    }

    /// Records a count, and returns the tokens that it adds to the one before; None where they are counted already.
    fn tokens_since_last(&mut self, counted: TokenCount) -> Option<Tokens> {
        let before = self.total;
        self.total = counted.total.or(before);
        if counted.total.is_some() && before == counted.total {
            return None;
        }
        let paired = self.unpaired.iter().rposition(|response| Some(*response) == counted.last);
        if let Some(paired) = paired {
            self.unpaired.drain(..=paired);
            return None;
        }
        match (before, counted.total, counted.last) {
            // A total equal to its last response starts over.
            (Some(_), Some(total), Some(last)) if total == last => Some(last),
            (Some(before), Some(total), last) => {
                tokens_minus(total, before).or(last).or(Some(total))
            }
            (None, total, last) => last.or(total),
            (Some(_), None, last) => last,
        }
    }
}

/// Returns the difference of two counts; None where a count has gone down: it has started over.
fn tokens_minus(total: Tokens, before: Tokens) -> Option<Tokens> {
    let field = |total: Option<u64>, before: Option<u64>| match (total, before) {
        (Some(total), before) => total.checked_sub(before.unwrap_or(0)).map(Some),
        (None, _) => Some(None),
    };
    Some(Tokens {
        input: field(total.input, before.input)?,
        cached_input: field(total.cached_input, before.cached_input)?,
        output: field(total.output, before.output)?,
        reasoning: field(total.reasoning, before.reasoning)?,
        cache_write: field(total.cache_write, before.cache_write)?,
        cache_write_1h: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens_with_output(output: u64) -> Tokens {
        Tokens { input: Some(output * 10), output: Some(output), ..Tokens::default() }
    }

    fn count(total: u64, last: u64) -> UsageRecord {
        let counted = TokenCount {
            total: Some(tokens_with_output(total)),
            last: Some(tokens_with_output(last)),
            window: None,
        };
        UsageRecord::Count(Some(Box::new(counted)))
    }

    fn output_counts(usages: &[UsageRecord]) -> Vec<u64> {
        let mut counter = TokenCounter::default();
        usages.iter().filter_map(|usage| counter.new_tokens(usage)?.output).collect()
    }

    #[test]
    fn a_total_told_twice_counts_once() {
        assert_eq!(output_counts(&[count(3, 3), count(3, 3), count(5, 2), count(5, 2)]), [3, 2]);
    }

    #[test]
    fn a_total_that_starts_over_does_not_lose_its_first_response() {
        assert_eq!(
            output_counts(&[count(9, 9), UsageRecord::Count(None), count(4, 4), count(6, 2)]),
            [9, 4, 2]
        );
        assert_eq!(output_counts(&[count(9, 9), count(4, 4), count(20, 16)]), [9, 4, 16]);
        assert_eq!(output_counts(&[count(3, 3), count(8, 8)]), [3, 8]);
    }

    #[test]
    fn a_total_carried_over_from_an_earlier_log_is_not_ours() {
        assert_eq!(output_counts(&[count(100, 7), count(102, 2)]), [7, 2]);
    }

    #[test]
    fn a_response_told_by_two_records_counts_once() {
        let usages = [
            UsageRecord::Response(tokens_with_output(3).into()),
            count(3, 3),
            UsageRecord::Response(tokens_with_output(4).into()),
            UsageRecord::Response(tokens_with_output(5).into()),
            count(12, 5),
            count(14, 2),
        ];
        assert_eq!(output_counts(&usages), [3, 4, 5, 2]);
    }

    #[test]
    fn a_turns_own_sum_counts_only_where_nothing_else_does() {
        assert_eq!(
            output_counts(&[count(3, 3), UsageRecord::Turn(tokens_with_output(3).into())]),
            [3]
        );
        assert_eq!(output_counts(&[UsageRecord::Turn(tokens_with_output(3).into())]), [3]);
    }
}
