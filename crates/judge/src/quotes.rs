//! Looks for what a judge copied from the code, at the lines that it named, then in the rest of the file.
//!
//! White space does not count, nor do the line numbers that the tool `read` writes before each line.

use trajview_run::rubric::QuoteCheck;

/// Fewer characters than this are in nearly every file: they show nothing.
const FEWEST_CHARACTERS: usize = 3;

const CUT_MARK: &str = " (cut)";

/// Returns where a file has a quote; None where the quote is too short to show anything. Lines count from 1.
pub(crate) fn check_quote(
    quote: &str,
    text: &str,
    lines: Option<(usize, usize)>,
) -> Option<QuoteCheck> {
    let compact = CompactText::new(text);
    // The tool `read` ends a line that it cuts with this.
    let quote = quote.trim_end().trim_end_matches(CUT_MARK);
    let as_written = without_white_space(quote);
    if as_written.chars().count() < FEWEST_CHARACTERS {
        return None;
    }
    let unnumbered = without_line_numbers(quote).map(|quote| without_white_space(&quote));
    let unnumbered = unnumbered.filter(|quote| quote.chars().count() >= FEWEST_CHARACTERS);
    let checks: Vec<QuoteCheck> = [Some(as_written), unnumbered]
        .iter()
        .flatten()
        .map(|it| compact.find_quote(it, lines))
        .collect();
    let best = |check: &QuoteCheck| checks.iter().copied().find(|it| it.word() == check.word());
    best(&QuoteCheck::Found)
        .or_else(|| best(&QuoteCheck::Moved(0, 0)))
        .or(Some(QuoteCheck::Missing))
}

/// A text without white space, with the place where each of its lines begins in it.
struct CompactText {
    text: String,
    line_starts: Vec<usize>,
}

impl CompactText {
    fn new(text: &str) -> Self {
        let mut compact = Self { text: String::with_capacity(text.len()), line_starts: vec![] };
        for line in text.lines() {
            compact.line_starts.push(compact.text.len());
            compact.text.extend(line.chars().filter(|c| !c.is_whitespace()));
        }
        compact
    }

    fn find_quote(&self, quote: &str, lines: Option<(usize, usize)>) -> QuoteCheck {
        let range = match lines {
            None => 0..self.text.len(),
            Some((start, end)) => self.line_start(start)..self.line_start(end.saturating_add(1)),
        };
        if self.text.get(range).is_some_and(|text| text.contains(quote)) {
            return QuoteCheck::Found;
        }
        match self.text.find(quote) {
            Some(at) => QuoteCheck::Moved(self.line_at(at), self.line_at(at + quote.len() - 1)),
            None => QuoteCheck::Missing,
        }
    }

    /// Returns the place of a line, that of the end for lines beyond it.
    fn line_start(&self, line: usize) -> usize {
        self.line_starts.get(line.saturating_sub(1)).copied().unwrap_or(self.text.len())
    }

    /// Returns the line, from 1, that has a place; empty lines have none.
    fn line_at(&self, place: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= place)
    }
}

fn without_white_space(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Returns a quote without the numbers before its lines; None where a line has no number, or they do not rise: code may begin
/// with a number too.
fn without_line_numbers(quote: &str) -> Option<String> {
    let lines = quote.lines().filter(|line| !line.trim().is_empty());
    let lines = lines.map(numbered_line).collect::<Option<Vec<_>>>()?;
    let is_rising = lines.is_sorted_by(|(before, _), (number, _)| before < number);
    is_rising.then(|| lines.iter().map(|(_, code)| *code).collect::<Vec<_>>().join("\n"))
}

/// Returns the number before a line, and the rest: of `  12  x = 1` 12 and `x = 1`.
fn numbered_line(line: &str) -> Option<(u64, &str)> {
    let line = line.trim_start();
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = line[..line.len() - rest.len()].parse().ok()?;
    let separators = ["  ", "\t", ":", "|"];
    let code = separators.iter().find_map(|it| rest.strip_prefix(*it));
    Some((number, code.or(rest.trim().is_empty().then_some(""))?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CODE: &str = "def f(a):\n    b = a + 1\n\n    return b\n\ndef g():\n    return f(2)\n";

    #[test]
    fn a_quote_is_found_at_its_lines_or_moved_or_missing_whatever_its_white_space() {
        let check = |quote: &str, lines| check_quote(quote, CODE, lines);

        assert_eq!(check("b = a + 1", Some((2, 2))), Some(QuoteCheck::Found));
        assert_eq!(check("b=a+1\nreturn  b", Some((1, 4))), Some(QuoteCheck::Found));
        assert_eq!(check("return f(2)", Some((1, 4))), Some(QuoteCheck::Moved(7, 7)));
        assert_eq!(check("b = a + 1\n\nreturn b", Some((6, 99))), Some(QuoteCheck::Moved(2, 4)));
        assert_eq!(check("b = a - 1", Some((2, 2))), Some(QuoteCheck::Missing));
        assert_eq!(check("return f(2)", None), Some(QuoteCheck::Found));
        assert_eq!(check("return f(2)", Some((90, 95))), Some(QuoteCheck::Moved(7, 7)));
    }

    #[test]
    fn numbers_before_the_lines_of_a_quote_do_not_count() {
        let quote = "    2      b = a + 1\n    3  \n    4      return b";

        assert_eq!(check_quote(quote, CODE, Some((2, 4))), Some(QuoteCheck::Found));
        assert_eq!(check_quote("    3\n    4      return b", CODE, None), Some(QuoteCheck::Found));
        assert_eq!(check_quote("return f(2) (cut)", CODE, None), Some(QuoteCheck::Found));
    }

    #[test]
    fn a_quote_of_two_characters_shows_nothing() {
        assert_eq!(check_quote(" ) :", CODE, Some((1, 1))), None);
        assert_eq!(check_quote("", CODE, None), None);
    }

    proptest! {
        #[test]
        fn whatever_the_texts_a_check_returns(
            quote in "[a-zé0-9 :\n]{0,12}",
            text in "[a-zé0-9 :\n]{0,40}",
            start in 1_usize..9,
            more in 0_usize..9,
        ) {
            if let Some(QuoteCheck::Moved(first, last)) =
                check_quote(&quote, &text, Some((start, start + more)))
            {
                prop_assert!(1 <= first && first <= last && last <= text.lines().count());
            }
        }
    }
}
