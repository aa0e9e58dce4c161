//! Finds a card's snippet in a file, by whole lines without the white space at line ends.

use super::CitedSpan;

/// The position of a snippet in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnippetPosition {
    /// At the cited lines; the number of its first line, from 1.
    Cited(usize),
    /// Elsewhere in the file; the first line of the occurrence nearest to the cited lines.
    Elsewhere(usize),
    Nowhere,
}

/// The most lines of a snippet; a longer text is not searched.
const MAX_SNIPPET_LINES: usize = 1000;

/// Returns the position of a cited place's snippet in a text; None for a snippet without words, or one that is too
/// long.
pub fn find_snippet(span: &CitedSpan, text: &str) -> Option<SnippetPosition> {
    let snippet = trimmed_lines(&span.snippet);
    let has_words = |line: &&str| !line.is_empty();
    let start = snippet.iter().position(has_words)?;
    let end = snippet.iter().rposition(has_words)? + 1;
    let snippet = &snippet[start..end];
    if snippet.len() > MAX_SNIPPET_LINES {
        return None;
    }
    let all = trimmed_lines(text);
    let Some((first, last)) = span.lines else {
        return Some(
            snippet_starts(&all, snippet)
                .next()
                .map_or(SnippetPosition::Nowhere, SnippetPosition::Cited),
        );
    };
    let cited = all.get(first - 1..last.min(all.len())).unwrap_or_default();
    if let Some(line) = snippet_starts(cited, snippet).next() {
        return Some(SnippetPosition::Cited(first - 1 + line));
    }
    let nearest = snippet_starts(&all, snippet).min_by_key(|line| line.abs_diff(first));
    Some(nearest.map_or(SnippetPosition::Nowhere, SnippetPosition::Elsewhere))
}

fn trimmed_lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).collect()
}

/// Returns the lines, from 1, at which the snippet begins; its first line may lack its indentation, as after a partial
/// copy.
fn snippet_starts<'l>(lines: &'l [&str], snippet: &'l [&str]) -> impl Iterator<Item = usize> + 'l {
    let windows = lines.windows(snippet.len()).zip(1..);
    let is_it = |window: &[&str]| {
        window[0].ends_with(snippet[0])
            && window[0].trim_start() == snippet[0].trim_start()
            && window[1..] == snippet[1..]
    };
    windows.filter(move |(window, _)| is_it(window)).map(|(_, line)| line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "import a\n\ndef f(x):   \n    return x\n\ndef g(x):\n    return x\n";

    fn snippet_position(lines: Option<(usize, usize)>, snippet: &str) -> Option<SnippetPosition> {
        let snippet = snippet.to_owned();
        find_snippet(&CitedSpan { artifact: "a.py".into(), lines, snippet, version: None }, TEXT)
    }

    #[test]
    fn a_snippet_stands_at_its_lines_elsewhere_or_nowhere() {
        let snippet = "def f(x):\n    return x";
        assert_eq!(snippet_position(Some((3, 4)), snippet), Some(SnippetPosition::Cited(3)));
        assert_eq!(snippet_position(Some((1, 7)), snippet), Some(SnippetPosition::Cited(3)));
        assert_eq!(snippet_position(None, snippet), Some(SnippetPosition::Cited(3)));
        assert_eq!(snippet_position(Some((4, 5)), snippet), Some(SnippetPosition::Elsewhere(3)));
        assert_eq!(snippet_position(Some((90, 91)), snippet), Some(SnippetPosition::Elsewhere(3)));
        assert_eq!(
            snippet_position(Some((3, 4)), "def f(x):\n    return y"),
            Some(SnippetPosition::Nowhere)
        );
    }

    #[test]
    fn of_several_places_the_nearest_counts_and_half_a_line_is_none() {
        assert_eq!(
            snippet_position(Some((6, 6)), "    return x"),
            Some(SnippetPosition::Elsewhere(7))
        );
        assert_eq!(
            snippet_position(Some((3, 3)), "return x\n"),
            Some(SnippetPosition::Elsewhere(4))
        );
        assert_eq!(snippet_position(Some((3, 3)), "def f"), Some(SnippetPosition::Nowhere));
        assert_eq!(
            snippet_position(Some((3, 3)), "  return x"),
            Some(SnippetPosition::Elsewhere(4))
        );
        assert_eq!(snippet_position(Some((3, 3)), "     return x"), Some(SnippetPosition::Nowhere));
        assert_eq!(snippet_position(Some((3, 3)), " \n"), None);
    }

    proptest! {
        #[test]
        fn whatever_the_text_its_own_lines_stand_where_they_are(
            lines in proptest::collection::vec("[ a-c]{0,3}x", 1..8),
            first in 0usize..8,
        ) {
            let first = first % lines.len();
            let span = CitedSpan {
                lines: Some((first + 1, lines.len())),
                snippet: lines[first..].join("\n"),
                ..CitedSpan::default()
            };
            prop_assert_eq!(find_snippet(&span, &lines.join("\n")), Some(SnippetPosition::Cited(first + 1)));
        }

        #[test]
        fn whatever_text_and_snippet_it_returns(text in "\\PC{0,60}", snippet in "\\PC{0,20}", at in 1usize..9) {
            let span = CitedSpan { lines: Some((at, at + 1)), snippet, ..CitedSpan::default() };
            find_snippet(&span, &text);
        }
    }
}
