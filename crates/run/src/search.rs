//! What a search looks for, and where it was found.

use std::ops::Range;

use super::StepId;

/// Something to look for in everything the recording says, folded or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    pub pattern: String,
    pub syntax: Syntax,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Syntax {
    /// As typed. Ignores case unless the pattern holds an upper-case letter.
    #[default]
    Literal,
    /// Rust's `regex` syntax; same rule for case.
    Regex,
}

/// One match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub turn: usize,
    pub place: HitPlace,
    /// Line of the text it stands in, counts from 0.
    pub line: usize,
    /// Bytes within that line.
    pub range: Range<usize>,
}

/// The text a match stands in, in reading order within a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HitPlace {
    Request,
    Step(StepId, StepField),
}

/// The part of a step's text, in reading order; the fields of [`super::StepText`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StepField {
    Text,
    Arguments,
    Result,
}

impl Query {
    /// The pattern as a regular expression; the error is a sentence for the search line.
    pub fn compile(&self) -> Result<regex::Regex, String> {
        let source = match self.syntax {
            Syntax::Literal => regex::escape(&self.pattern),
            Syntax::Regex => self.pattern.clone(),
        };
        let built = regex::RegexBuilder::new(&source)
            .case_insensitive(!self.pattern.chars().any(char::is_uppercase))
            .size_limit(1 << 22)
            .build();
        built.map_err(|why| match why {
            regex::Error::CompiledTooBig(_) => "this pattern is too big".to_owned(),
            why => {
                let reason = why.to_string();
                let last = reason.lines().last().unwrap_or_default();
                last.trim_start_matches("error: ").to_owned()
            }
        })
    }
}

/// A query ready to look through many texts.
#[derive(Debug)]
pub struct Matcher {
    regex: regex::Regex,
    /// A match within a line is a match of the whole text too: nothing in the pattern speaks of a text's ends.
    is_free: bool,
}

impl Matcher {
    /// The error is a sentence for the search line.
    pub fn of(query: &Query) -> Result<Self, String> {
        let without_negations = query.pattern.replace("[^", "[");
        let speaks_of_ends =
            ["^", "$", r"\A", r"\z"].iter().any(|anchor| without_negations.contains(anchor));
        let is_free = query.syntax == Syntax::Literal || !speaks_of_ends;
        Ok(Self { regex: query.compile()?, is_free })
    }

    /// As [`matches_in`]; a text without any is passed over several times faster than line by line.
    pub fn matches_in<'t>(
        &'t self,
        text: &'t str,
    ) -> impl Iterator<Item = (usize, Range<usize>)> + 't {
        let text = if self.is_free && !self.regex.is_match(text) { "" } else { text };
        matches_in(&self.regex, text)
    }
}

/// Every match in one text, as (line counting from 0, bytes within that line). Empty matches are left out.
pub fn matches_in<'t>(
    regex: &'t regex::Regex,
    text: &'t str,
) -> impl Iterator<Item = (usize, Range<usize>)> + 't {
    text.lines().enumerate().flat_map(move |(line, words)| {
        regex
            .find_iter(words)
            .filter(|found| !found.is_empty())
            .map(move |found| (line, found.range()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATTERNS: [&str; 16] = [
        "a", "ab", "A", r"\bb", r"a\b", "^a", "b$", r"\Aa", r"b\z", "[^a]", "[^^]", r"\s", "a*",
        ".b", r"\Bb", "b|^a",
    ];

    proptest::proptest! {
        #[test]
        fn a_text_is_never_passed_over_that_has_a_match(
            text in "[abA \r\n]{0,24}",
            pattern in proptest::sample::select(PATTERNS.to_vec()),
            is_literal in proptest::bool::ANY,
        ) {
            let syntax = if is_literal { Syntax::Literal } else { Syntax::Regex };
            let query = Query { pattern: pattern.into(), syntax };
            let regex = query.compile().unwrap();
            proptest::prop_assert_eq!(
                Matcher::of(&query).unwrap().matches_in(&text).collect::<Vec<_>>(),
                matches_in(&regex, &text).collect::<Vec<_>>()
            );
        }
    }
}
