//! Turns that failed because their model was asked too often: it is to be left alone for a while.

use std::sync::LazyLock;

use regex::Regex;

/// What servers and agents say to who asks too often.
static TOO_OFTEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(429|529)\b|rate[ _-]?limit|too many requests|overloaded")
        .expect("a pattern of ours")
});

/// Whether a turn failed because its model was asked too often.
pub fn is_too_often(why: &str) -> bool {
    TOO_OFTEN.is_match(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_servers_say_is_understood() {
        for why in
            ["HTTP 429", "API Error: Rate limit reached", "overloaded_error", "Too Many Requests"]
        {
            assert!(is_too_often(why), "{why}");
        }
        for why in ["exit code 1", "4290 tokens", "no model"] {
            assert!(!is_too_often(why), "{why}");
        }
    }
}
