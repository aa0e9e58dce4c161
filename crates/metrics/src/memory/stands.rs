//! Where a card's snippet stands in a file: whole lines, white space at line ends aside.

use super::Span;

/// Where a snippet stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stands {
    /// At the cited lines; its first line, from 1.
    Cited(usize),
    /// Elsewhere in the file; the nearest to the cited lines.
    Elsewhere(usize),
    Nowhere,
}

/// Lines of a snippet that are compared; a longer one is no snippet.
const MOST_LINES: usize = 1000;

/// Where the snippet of a cited place stands in a text; None for a snippet without words, which says nothing.
pub fn stands(span: &Span, text: &str) -> Option<Stands> {
    let snippet = lines(&span.snippet);
    let has_words = |line: &&str| !line.is_empty();
    let start = snippet.iter().position(has_words)?;
    let end = snippet.iter().rposition(has_words)? + 1;
    let snippet = &snippet[start..end];
    if snippet.len() > MOST_LINES {
        return None;
    }
    let all = lines(text);
    let Some((first, last)) = span.lines else {
        return Some(starts(&all, snippet).next().map_or(Stands::Nowhere, Stands::Cited));
    };
    let cited = all.get(first - 1..last.min(all.len())).unwrap_or_default();
    if let Some(line) = starts(cited, snippet).next() {
        return Some(Stands::Cited(first - 1 + line));
    }
    let nearest = starts(&all, snippet).min_by_key(|line| line.abs_diff(first));
    Some(nearest.map_or(Stands::Nowhere, Stands::Elsewhere))
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim_end).collect()
}

/// The lines, from 1, from which on the snippet stands; its first line may lack its indentation, as where it was cut out.
fn starts<'l>(lines: &'l [&str], snippet: &'l [&str]) -> impl Iterator<Item = usize> + 'l {
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

    fn of(lines: Option<(usize, usize)>, snippet: &str) -> Option<Stands> {
        let snippet = snippet.to_owned();
        stands(&Span { artifact: "a.py".into(), lines, snippet, version: None }, TEXT)
    }

    #[test]
    fn a_snippet_stands_at_its_lines_elsewhere_or_nowhere() {
        let snippet = "def f(x):\n    return x";
        assert_eq!(of(Some((3, 4)), snippet), Some(Stands::Cited(3)));
        assert_eq!(of(Some((1, 7)), snippet), Some(Stands::Cited(3)));
        assert_eq!(of(None, snippet), Some(Stands::Cited(3)));
        assert_eq!(of(Some((4, 5)), snippet), Some(Stands::Elsewhere(3)));
        assert_eq!(of(Some((90, 91)), snippet), Some(Stands::Elsewhere(3)));
        assert_eq!(of(Some((3, 4)), "def f(x):\n    return y"), Some(Stands::Nowhere));
    }

    #[test]
    fn of_several_places_the_nearest_counts_and_half_a_line_is_none() {
        assert_eq!(of(Some((6, 6)), "    return x"), Some(Stands::Elsewhere(7)));
        assert_eq!(of(Some((3, 3)), "return x\n"), Some(Stands::Elsewhere(4)));
        assert_eq!(of(Some((3, 3)), "def f"), Some(Stands::Nowhere));
        assert_eq!(of(Some((3, 3)), "  return x"), Some(Stands::Elsewhere(4)));
        assert_eq!(of(Some((3, 3)), "     return x"), Some(Stands::Nowhere));
        assert_eq!(of(Some((3, 3)), " \n"), None);
    }

    proptest! {
        #[test]
        fn whatever_the_text_its_own_lines_stand_where_they_are(
            lines in proptest::collection::vec("[ a-c]{0,3}x", 1..8),
            first in 0usize..8,
        ) {
            let first = first % lines.len();
            let span = Span {
                lines: Some((first + 1, lines.len())),
                snippet: lines[first..].join("\n"),
                ..Span::default()
            };
            prop_assert_eq!(stands(&span, &lines.join("\n")), Some(Stands::Cited(first + 1)));
        }

        #[test]
        fn whatever_text_and_snippet_it_returns(text in "\\PC{0,60}", snippet in "\\PC{0,20}", at in 1usize..9) {
            let span = Span { lines: Some((at, at + 1)), snippet, ..Span::default() };
            stands(&span, &text);
        }
    }
}
