//! A text as a reader takes it: full-width letters as the plain ones, without what is not seen, and what an escape within a text in quotes means, such as `\n`. Each
//! place in it is known in the text itself.

use std::ops::Range;

use super::secret_kinds::SecretMatch;

/// A text that was made of another.
#[derive(Debug)]
pub struct ReadableView {
    text: String,
    /// Pairs of offsets in this text and in the other from which both run in parallel.
    places: Vec<(usize, usize)>,
}

impl ReadableView {
    /// Returns the text with plain letters for full-width ones; None where it has none.
    pub(crate) fn plain_letters(text: &str) -> Option<Self> {
        let is_other = |c: char| plain_letter(c).is_some() || is_unseen(c);
        if text.is_ascii() || !text.contains(is_other) {
            return None;
        }
        Some(Self::build_view(text, |rest| {
            let first = rest.chars().next()?;
            is_other(first).then(|| (plain_letter(first), first.len_utf8()))
        }))
    }

    /// Returns the text with what its escapes mean; None where it has none.
    pub fn without_escapes(text: &str) -> Option<Self> {
        let is_escaped = memchr::memchr_iter(b'\\', text.as_bytes())
            .any(|at| matches!(text.as_bytes().get(at + 1), Some(b'n' | b'"')));
        let meant =
            |rest: &str| leading_escape(rest).map(|(letter, length)| (Some(letter), length));
        is_escaped.then(|| Self::build_view(text, meant))
    }

    fn build_view(text: &str, replaced: impl Fn(&str) -> Option<(Option<char>, usize)>) -> Self {
        let mut view = Self { text: String::with_capacity(text.len()), places: vec![(0, 0)] };
        let mut at = 0;
        while at < text.len() {
            if let Some((letter, length)) = replaced(&text[at..]) {
                view.places.push((view.text.len(), at));
                view.text.extend(letter);
                at += length;
                view.places.push((view.text.len(), at));
            } else {
                let length = text[at..].chars().next().map_or(1, char::len_utf8);
                view.text.push_str(&text[at..at + length]);
                at += length;
            }
        }
        view
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the matches in this text as ranges of the other text.
    pub(crate) fn original_matches(&self, matches: Vec<SecretMatch>) -> Vec<SecretMatch> {
        let original =
            |range: Range<usize>| self.original_place(range.start)..self.original_place(range.end);
        matches
            .into_iter()
            .map(|it| SecretMatch { range: original(it.range), kind: it.kind })
            .collect()
    }

    fn original_place(&self, at: usize) -> usize {
        let before = self.places.partition_point(|(view_place, _)| *view_place <= at);
        let (view_place, original) = self.places[before - 1]; // the first is that of both beginnings
        original + (at - view_place)
    }
}

/// Returns the plain letter for a full-width one.
fn plain_letter(letter: char) -> Option<char> {
    const DISTANCE: u32 = 0xff01 - 0x21;
    match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(letter) - DISTANCE),
        // Bold, italic and the other letters and digits of mathematics.
        '\u{1d400}'..='\u{1d6a3}' => {
            let place = (u32::from(letter) - 0x1d400) % 52;
            char::from_u32(if place < 26 { 0x41 + place } else { 0x61 + place - 26 })
        }
        '\u{1d7ce}'..='\u{1d7ff}' => char::from_digit((u32::from(letter) - 0x1d7ce) % 10, 10),
        '\u{3000}' => Some(' '),
        '\u{fe55}' => Some(':'),
        '\u{fe66}' => Some('='),
        _ => None,
    }
}

/// Returns whether the letter takes no room on screen.
const fn is_unseen(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}

/// Returns the meaning of an escape at the beginning of a text, and its length.
fn leading_escape(text: &str) -> Option<(char, usize)> {
    let bytes = text.as_bytes();
    if bytes.first() != Some(&b'\\') {
        return None;
    }
    let letter = match bytes.get(1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'u' => {
            let code = u32::from_str_radix(text.get(2..6)?, 16).ok()?;
            return Some((char::from_u32(code)?, 6));
        }
        _ => return None,
    };
    Some((letter, 2))
}

#[cfg(test)]
mod tests {
    use super::super::secret_kinds::SecretKind;
    use super::*;

    #[test]
    fn what_is_found_in_a_view_lies_where_it_is_in_the_text() {
        for (view, text, searched, expected) in [
            (
                ReadableView::without_escapes as fn(&str) -> Option<ReadableView>,
                r#"a\nb \"cd\" e"#,
                "cd",
                "cd",
            ),
            (ReadableView::without_escapes, r#"\"\\n\u0041B\""#, "n\u{41}B", r"n\u0041B"),
            (ReadableView::plain_letters, "äＡＫＩＡ：x", "AKIA", "ＡＫＩＡ"),
            (ReadableView::plain_letters, "𝐀𝗞\u{200b}IA𝟏", "AKIA1", "𝐀𝗞\u{200b}IA𝟏"),
        ] {
            let view = view(text).unwrap();
            let at = view.text().find(searched).unwrap();

            let originals = view.original_matches(vec![SecretMatch {
                range: at..at + searched.len(),
                kind: SecretKind::ApiKey,
            }]);

            assert_eq!(&text[originals[0].range.clone()], expected);
        }
        assert!(
            ReadableView::plain_letters("äb").is_none()
                && ReadableView::without_escapes(r"C:\x").is_none()
        );
    }
}
