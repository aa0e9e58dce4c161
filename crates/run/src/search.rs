//! The query of a search within a run, and its hits.

use std::ops::Range;

use super::StepId;

/// A pattern to search in all text of the recording, folded or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchQuery {
    pub pattern: String,
    pub syntax: QuerySyntax,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QuerySyntax {
    /// The pattern as typed. Ignores case unless it has an upper-case letter.
    #[default]
    Literal,
    /// Rust's `regex` syntax; same rule for case.
    Regex,
}

/// One match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchHit {
    pub turn: usize,
    pub place: HitPlace,
    /// Line of the text with the match, counts from 0.
    pub line: usize,
    /// Bytes within that line.
    pub range: Range<usize>,
}

/// The text of a match, in reading order within a turn.
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

impl SearchQuery {
    /// Returns the pattern as a regular expression; the error is a sentence for the search line.
    pub fn compile_pattern(&self) -> Result<regex::Regex, String> {
        let source = match self.syntax {
            QuerySyntax::Literal => regex::escape(&self.pattern),
            QuerySyntax::Regex => self.pattern.clone(),
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
pub struct QueryMatcher {
    regex: regex::Regex,
    /// A match within a line is a match of the whole text too: nothing in the pattern speaks of a text's ends.
    is_free: bool,
}

impl QueryMatcher {
    /// Prepares a query. The error is a sentence for the search line.
    pub fn for_query(query: &SearchQuery) -> Result<Self, String> {
        let without_negations = query.pattern.replace("[^", "[");
        let speaks_of_ends =
            ["^", "$", r"\A", r"\z"].iter().any(|anchor| without_negations.contains(anchor));
        let is_free = query.syntax == QuerySyntax::Literal || !speaks_of_ends;
        Ok(Self { regex: query.compile_pattern()?, is_free })
    }

    /// Returns every match, as [`matches_in`]; a text without any is skipped several times faster than line by line.
    pub fn matches_in<'t>(
        &'t self,
        text: &'t str,
    ) -> impl Iterator<Item = (usize, Range<usize>)> + 't {
        let text = if self.is_free && !self.regex.is_match(text) { "" } else { text };
        matches_in(&self.regex, text)
    }
}

/// Returns every match in one text, as (line counting from 0, bytes within that line). Empty matches are left out.
pub fn matches_in<'t>(
    regex: &'t regex::Regex,
    text: &'t str,
) -> impl Iterator<Item = (usize, Range<usize>)> + 't {
    text.lines().enumerate().flat_map(move |(line, words)| {
        regex
            .find_iter(words)
            .filter(|matched| !matched.is_empty())
            .map(move |matched| (line, matched.range()))
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
            let syntax = if is_literal { QuerySyntax::Literal } else { QuerySyntax::Regex };
            let query = SearchQuery { pattern: pattern.into(), syntax };
            let regex = query.compile_pattern().unwrap();
            proptest::prop_assert_eq!(
                QueryMatcher::for_query(&query).unwrap().matches_in(&text).collect::<Vec<_>>(),
                matches_in(&regex, &text).collect::<Vec<_>>()
            );
        }
    }
}
