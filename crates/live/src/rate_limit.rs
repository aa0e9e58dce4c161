//! Recognises turns that failed because of a rate limit of their model.

use std::sync::LazyLock;

use regex::Regex;

/// Messages of servers and agents about a rate limit.
static RATE_LIMIT_PATTERN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(429|529)\b|rate[ _-]?limit|too many requests|overloaded")
        .expect("a pattern of ours")
});

/// Returns whether a turn failed because of a rate limit.
pub(crate) fn is_rate_limited(why: &str) -> bool {
    RATE_LIMIT_PATTERN.is_match(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_servers_say_is_understood() {
        for why in
            ["HTTP 429", "API Error: Rate limit reached", "overloaded_error", "Too Many Requests"]
        {
            assert!(is_rate_limited(why), "{why}");
        }
        for why in ["exit code 1", "4290 tokens", "no model"] {
            assert!(!is_rate_limited(why), "{why}");
        }
    }
}
