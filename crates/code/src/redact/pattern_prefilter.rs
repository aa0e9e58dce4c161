//! Finds the patterns that a text can contain at all. Nearly every text has none: one automaton for all in one pass is
//! many times as fast as a pass for each. It does not change the matches of a pattern.

use std::sync::LazyLock;

use regex::bytes::{RegexSet, RegexSetBuilder, SetMatches};

use super::{assigned_secrets, secret_shapes};

/// Longest text for the automaton; a longer one is searched by each pattern, which skips from one mark to the next.
const LONGEST: usize = 4 << 10;

/// Bytes that the automaton may take for what it has worked out of itself.
const MOST_BYTES: usize = 8 << 20;

/// All patterns for texts of ASCII, and the place of each among them; None of one that takes a letter outside ASCII.
struct PatternSet {
    patterns: RegexSet,
    places: Vec<Option<usize>>,
}

static SET: LazyLock<PatternSet> = LazyLock::new(|| {
    let (mut written, mut places) = (vec![], vec![]);
    for pattern in secret_shapes::shape_patterns()
        .map(str::to_owned)
        .chain(assigned_secrets::assigned_patterns())
    {
        let is_ascii = !pattern.contains(r"\p{");
        places.push(is_ascii.then_some(written.len()));
        // Only what is left out of a class is not ASCII, and is not there to be left out.
        written.extend(is_ascii.then(|| pattern.replace('…', "")));
    }
    let mut builder = RegexSetBuilder::new(&written);
    let patterns = builder.unicode(false).dfa_size_limit(MOST_BYTES).build();
    PatternSet { patterns: patterns.expect("each is a pattern"), places }
});

// A set that threads share makes each wait for the other.
thread_local! {
    static OF_THREAD: RegexSet = SET.patterns.clone();
}

/// The patterns that are in a text.
pub struct PossiblePatterns(Option<SetMatches>);

impl PossiblePatterns {
    /// Returns the patterns in the text; all of them where the test takes as long as the search.
    pub fn in_text(text: &str) -> Self {
        let is_quick = text.len() <= LONGEST && text.is_ascii();
        Self(is_quick.then(|| OF_THREAD.with(|set| set.matches(text.as_bytes()))))
    }

    /// Returns whether the text may have the shape of this place in [`secret_shapes::shape_patterns`].
    pub(crate) fn has_shape(&self, at: usize) -> bool {
        self.may_have(at)
    }

    /// Returns whether the text may have the pattern of this place in [`assigned_secrets::assigned_patterns`].
    pub(crate) fn has_assigned(&self, at: usize) -> bool {
        self.may_have(secret_shapes::shape_patterns().count() + at)
    }

    fn may_have(&self, at: usize) -> bool {
        let Some(matches) = &self.0 else { return true };
        SET.places[at].is_some_and(|place| matches.matched(place))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;

    /// Parts of which secrets and what is near to them are made.
    const PARTS: [&str; 40] = [
        "AKIA",
        "ABCDEFGH12345678",
        "ghp_",
        "sk-",
        "ant-",
        "xoxb-",
        "hooks.slack.com/",
        "services/",
        "AIza",
        "whsec_",
        "hf_",
        "SG.",
        ".",
        "eyJ",
        "-----BEGIN ",
        "PRIVATE KEY-----",
        "authorization",
        ": ",
        "bearer ",
        "x-api-key",
        "cookie: a=",
        "https://",
        "user:pass",
        "@",
        "example.com",
        "?sig=",
        "/home/",
        "/Users/",
        "%2Fhome%2F",
        "C:\\Users\\",
        "projects/",
        "-home-me",
        "password",
        "=",
        "--token ",
        "DEPLOY_KEY",
        "\"'`",
        "hunter2hunter2",
        "9",
        " ",
    ];

    static BY_THEMSELVES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
        let all = secret_shapes::shape_patterns()
            .map(str::to_owned)
            .chain(assigned_secrets::assigned_patterns());
        all.map(|pattern| Regex::new(&pattern).unwrap()).collect()
    });

    proptest! {
        #[test]
        fn a_text_has_a_pattern_exactly_where_the_pattern_by_itself_says_so(
            parts in prop::collection::vec(0..PARTS.len(), 0..12),
        ) {
            let text: String = parts.into_iter().map(|at| PARTS[at]).collect();
            let suspects = PossiblePatterns::in_text(&text);
            for (at, pattern) in BY_THEMSELVES.iter().enumerate() {
                let by_itself = pattern.is_match(&text);
                prop_assert_eq!(suspects.may_have(at), by_itself, "{} in {}", pattern, text);
            }
        }
    }

    #[test]
    fn a_text_with_letters_outside_ascii_is_looked_through_for_all() {
        assert!(
            PossiblePatterns::in_text("ä").0.is_none()
                && PossiblePatterns::in_text("a").0.is_some()
        );
    }
}
