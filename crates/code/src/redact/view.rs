//! A text as a reader takes it: full-width letters as the plain ones, without what is not seen, and what an escape within a text in quotes means, such as `\n`. Each
//! place in it is known in the text itself.

use std::ops::Range;

use super::kinds::Match;

/// A text that was made of another.
#[derive(Debug)]
pub struct View {
    text: String,
    /// Where a place here and one there begin to run side by side: offsets in this text and in the other.
    places: Vec<(usize, usize)>,
}

impl View {
    /// The text with plain letters for full-width ones; None where it has none.
    pub fn plain(text: &str) -> Option<Self> {
        let is_other = |c: char| narrow(c).is_some() || is_unseen(c);
        if text.is_ascii() || !text.contains(is_other) {
            return None;
        }
        Some(Self::made(text, |rest| {
            let first = rest.chars().next()?;
            is_other(first).then(|| (narrow(first), first.len_utf8()))
        }))
    }

    /// The text with what its escapes mean; None where it has none.
    pub fn unescaped(text: &str) -> Option<Self> {
        let is_escaped = memchr::memchr_iter(b'\\', text.as_bytes())
            .any(|at| matches!(text.as_bytes().get(at + 1), Some(b'n' | b'"')));
        let meant = |rest: &str| escape(rest).map(|(letter, length)| (Some(letter), length));
        is_escaped.then(|| Self::made(text, meant))
    }

    fn made(text: &str, replaced: impl Fn(&str) -> Option<(Option<char>, usize)>) -> Self {
        let mut made = Self { text: String::with_capacity(text.len()), places: vec![(0, 0)] };
        let mut at = 0;
        while at < text.len() {
            if let Some((letter, length)) = replaced(&text[at..]) {
                made.places.push((made.text.len(), at));
                made.text.extend(letter);
                at += length;
                made.places.push((made.text.len(), at));
            } else {
                let length = text[at..].chars().next().map_or(1, char::len_utf8);
                made.text.push_str(&text[at..at + length]);
                at += length;
            }
        }
        made
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// What was found here, as it lies in the other text.
    pub fn original(&self, found: Vec<Match>) -> Vec<Match> {
        let there = |range: Range<usize>| self.there(range.start)..self.there(range.end);
        found.into_iter().map(|it| Match { range: there(it.range), kind: it.kind }).collect()
    }

    fn there(&self, at: usize) -> usize {
        let before = self.places.partition_point(|(here, _)| *here <= at);
        let (here, there) = self.places[before - 1]; // the first is that of both beginnings
        there + (at - here)
    }
}

/// The plain letter for a full-width one.
fn narrow(letter: char) -> Option<char> {
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

/// Whether it takes no room where it is shown.
const fn is_unseen(letter: char) -> bool {
    matches!(letter, '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}

/// What an escape at the beginning of a text means, and how long it is.
fn escape(text: &str) -> Option<(char, usize)> {
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
    use super::super::kinds::Kind;
    use super::*;

    #[test]
    fn what_is_found_in_a_view_lies_where_it_is_in_the_text() {
        for (view, text, found, expected) in [
            (View::unescaped as fn(&str) -> Option<View>, r#"a\nb \"cd\" e"#, "cd", "cd"),
            (View::unescaped, r#"\"\\n\u0041B\""#, "n\u{41}B", r"n\u0041B"),
            (View::plain, "äＡＫＩＡ：x", "AKIA", "ＡＫＩＡ"),
            (View::plain, "𝐀𝗞\u{200b}IA𝟏", "AKIA1", "𝐀𝗞\u{200b}IA𝟏"),
        ] {
            let view = view(text).unwrap();
            let at = view.text().find(found).unwrap();

            let there =
                view.original(vec![Match { range: at..at + found.len(), kind: Kind::ApiKey }]);

            assert_eq!(&text[there[0].range.clone()], expected);
        }
        assert!(View::plain("äb").is_none() && View::unescaped(r"C:\x").is_none());
    }
}
