//! Which patterns can be in a text at all. Nearly every text has none of them: asking one automaton for all in one pass is many
//! times as fast as asking each for itself. What a pattern finds is not changed by it.

use std::sync::LazyLock;

use regex::bytes::{RegexSet, RegexSetBuilder, SetMatches};

use super::{assigned, shapes};

/// A longer text is looked through by each pattern: that skips from one mark of it to the next.
const LONGEST: usize = 4 << 10;

/// Bytes that the automaton may take for what it has worked out of itself.
const MOST_BYTES: usize = 8 << 20;

/// All patterns for texts of ASCII, and the place of each among them; None of one that takes a letter outside ASCII.
struct Set {
    patterns: RegexSet,
    places: Vec<Option<usize>>,
}

static SET: LazyLock<Set> = LazyLock::new(|| {
    let (mut written, mut places) = (vec![], vec![]);
    for pattern in shapes::patterns().map(str::to_owned).chain(assigned::patterns()) {
        let is_ascii = !pattern.contains(r"\p{");
        places.push(is_ascii.then_some(written.len()));
        // Only what is left out of a class is not ASCII, and is not there to be left out.
        written.extend(is_ascii.then(|| pattern.replace('…', "")));
    }
    let mut builder = RegexSetBuilder::new(&written);
    let patterns = builder.unicode(false).dfa_size_limit(MOST_BYTES).build();
    Set { patterns: patterns.expect("each is a pattern"), places }
});

// A set that threads share makes each wait for the other.
thread_local! {
    static OF_THREAD: RegexSet = SET.patterns.clone();
}

/// The patterns that are in a text.
pub struct Suspects(Option<SetMatches>);

impl Suspects {
    /// Those that are in the text; all where that takes as long as looking for them.
    pub fn of(text: &str) -> Self {
        let is_quick = text.len() <= LONGEST && text.is_ascii();
        Self(is_quick.then(|| OF_THREAD.with(|set| set.matches(text.as_bytes()))))
    }

    /// Whether the text may have the shape of this place in [`shapes::patterns`].
    pub fn has_shape(&self, at: usize) -> bool {
        self.has(at)
    }

    /// Whether the text may have the pattern of this place in [`assigned::patterns`].
    pub fn has_assigned(&self, at: usize) -> bool {
        self.has(shapes::patterns().count() + at)
    }

    fn has(&self, at: usize) -> bool {
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
        let all = shapes::patterns().map(str::to_owned).chain(assigned::patterns());
        all.map(|pattern| Regex::new(&pattern).unwrap()).collect()
    });

    proptest! {
        #[test]
        fn a_text_has_a_pattern_exactly_where_the_pattern_by_itself_says_so(
            parts in prop::collection::vec(0..PARTS.len(), 0..12),
        ) {
            let text: String = parts.into_iter().map(|at| PARTS[at]).collect();
            let suspects = Suspects::of(&text);
            for (at, pattern) in BY_THEMSELVES.iter().enumerate() {
                let by_itself = pattern.is_match(&text);
                prop_assert_eq!(suspects.has(at), by_itself, "{} in {}", pattern, text);
            }
        }
    }

    #[test]
    fn a_text_with_letters_outside_ascii_is_looked_through_for_all() {
        assert!(Suspects::of("ä").0.is_none() && Suspects::of("a").0.is_some());
    }
}
