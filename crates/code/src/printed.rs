//! What a program printed, as a terminal shows it in the end: the words, and apart from them how they look.
//!
//! [`shown`] obeys what lays text over the text of the same line (carriage return, backspace, erasing to the end of the
//! line), so that of a progress bar its last state is left, and takes the looks (SGR, ECMA-48 8.3.117) out of the words.
//! Every other sequence that is whole is left out: nothing of it would be seen. What is no whole sequence stays among the
//! words, where the screen writes a sign for it as for every character that is not seen.
//!
//! Line ends are never touched: lines have the numbers that they have in what was recorded.

use std::{borrow::Cow, ops::Range};

/// One of the terminal's colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Colour {
    /// Of the 256.
    Indexed(u8),
    Rgb([u8; 3]),
}

/// How a piece of text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    /// None for what letters are in anyway.
    pub letters: Option<Colour>,
    pub ground: Option<Colour>,
    pub is_bold: bool,
    pub is_faint: bool,
    pub is_italic: bool,
    pub is_underlined: bool,
    pub is_reversed: bool,
    pub is_crossed_out: bool,
}

/// Words, and how some of them look.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Printed {
    pub text: String,
    /// Bytes of the text, in order and apart; what looks like nothing in particular is left out.
    pub looks: Vec<(Range<usize>, Look)>,
}

const ESCAPE: char = '\u{1b}';

/// Longer lines are left as they are: to lay one out takes many times its size.
const MOST_LINE: usize = 1 << 20;

/// The words as they are shown.
pub fn words(text: &str) -> Cow<'_, str> {
    shown(text).map_or(Cow::Borrowed(text), |printed| Cow::Owned(printed.text))
}

/// The text as it is shown, and how it looks; None where it has nothing to obey and is shown as it is.
pub fn shown(text: &str) -> Option<Printed> {
    if !has_orders(text) {
        return None;
    }
    let (mut printed, mut look) = (Printed::default(), Look::default());
    for line in text.split_inclusive('\n') {
        let words = line.strip_suffix("\r\n").or_else(|| line.strip_suffix('\n')).unwrap_or(line);
        let end = &line[words.len()..];
        if has_orders(words) && words.len() <= MOST_LINE {
            let mut row = Row { look, ..Row::default() };
            row.print(words);
            row.cells.iter().for_each(|(c, look)| printed.push(c.encode_utf8(&mut [0; 4]), *look));
            look = row.look;
        } else {
            printed.push(words, look);
        }
        printed.push(end, Look::default());
    }
    Some(printed)
}

/// Whether anything in it is to be obeyed. Carriage returns of line ends are not.
fn has_orders(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr3_iter(0x1b, 0x08, b'\r', bytes)
        .any(|at| bytes[at] != b'\r' || bytes.get(at + 1) != Some(&b'\n'))
}

impl Printed {
    fn push(&mut self, words: &str, look: Look) {
        let start = self.text.len();
        self.text.push_str(words);
        if look == Look::default() || words.is_empty() {
            return;
        }
        match self.looks.last_mut() {
            Some((range, last)) if range.end == start && *last == look => {
                range.end = self.text.len();
            }
            _ => self.looks.push((start..self.text.len(), look)),
        }
    }
}

/// Those of the looks that some bytes of the text have, cut to these bytes and counted from the first of them.
pub fn looks_in<'l>(
    looks: &'l [(Range<usize>, Look)],
    bytes: &Range<usize>,
) -> impl Iterator<Item = (Range<usize>, Look)> + use<'l> {
    let bytes = bytes.clone();
    let first = looks.partition_point(|(range, _)| range.end <= bytes.start);
    let end = bytes.end;
    let seen = looks[first..].iter().take_while(move |(range, _)| range.start < end);
    seen.map(move |(range, look)| {
        let (start, end) = (range.start.max(bytes.start), range.end.min(bytes.end));
        (start - bytes.start..end - bytes.start, *look)
    })
}

/// A line that is being printed: a character a cell.
#[derive(Default)]
struct Row {
    cells: Vec<(char, Look)>,
    cursor: usize,
    look: Look,
}

impl Row {
    fn print(&mut self, words: &str) {
        let mut rest = words;
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            match c {
                '\r' => self.cursor = 0,
                '\u{8}' => self.cursor = self.cursor.saturating_sub(1),
                ESCAPE => match Sequence::at(rest) {
                    Some((sequence, len)) => {
                        self.obey(sequence);
                        rest = &rest[len..];
                    }
                    None => self.put(c),
                },
                c => self.put(c),
            }
        }
    }

    fn put(&mut self, c: char) {
        let cell = (c, self.look);
        match self.cells.get_mut(self.cursor) {
            Some(place) => *place = cell,
            None => self.cells.push(cell), // the cursor is never further than the end
        }
        self.cursor += 1;
    }

    fn obey(&mut self, sequence: Sequence<'_>) {
        match sequence {
            Sequence::Look(parameters) => self.look.change(parameters),
            Sequence::EraseRest => self.cells.truncate(self.cursor),
            Sequence::EraseLine => {
                self.cells.clear();
                self.cursor = 0;
            }
            Sequence::Other => {}
        }
    }
}

/// What stands after an escape.
enum Sequence<'t> {
    /// Its parameters.
    Look(&'t str),
    EraseRest,
    /// The cursor goes to its beginning: what erases a line writes it anew.
    EraseLine,
    Other,
}

impl<'t> Sequence<'t> {
    /// The sequence that the text begins with, and how many bytes it takes; None where it is not whole.
    fn at(text: &'t str) -> Option<(Self, usize)> {
        let bytes = text.as_bytes();
        match *bytes.first()? {
            b'[' => Self::control(text),
            b']' => string_end(bytes, true).map(|end| (Self::Other, end)),
            b'P' | b'X' | b'^' | b'_' => string_end(bytes, false).map(|end| (Self::Other, end)),
            b' '..=b'/' => {
                let len = bytes.iter().take_while(|byte| (b' '..=b'/').contains(byte)).count();
                bytes
                    .get(len)
                    .filter(|byte| (b'0'..=b'~').contains(byte))
                    .map(|_| (Self::Other, len + 1))
            }
            b'0'..=b'~' => Some((Self::Other, 1)),
            _ => None,
        }
    }

    /// `[`, parameters, a letter.
    fn control(text: &'t str) -> Option<(Self, usize)> {
        let bytes = &text.as_bytes()[1..];
        let parameters = bytes.iter().take_while(|byte| (b'0'..=b'?').contains(byte)).count();
        let rest = &bytes[parameters..];
        let others = rest.iter().take_while(|byte| (b' '..=b'/').contains(byte)).count();
        let last = *rest.get(others).filter(|byte| (b'@'..=b'~').contains(byte))?;
        let given = &text[1..1 + parameters];
        let is_private = others > 0 || given.starts_with(['<', '=', '>', '?']);
        let sequence = match (last, given) {
            _ if is_private => Self::Other,
            (b'm', _) => Self::Look(given),
            (b'K', "" | "0") => Self::EraseRest,
            (b'K', "2") => Self::EraseLine,
            _ => Self::Other,
        };
        Some((sequence, 1 + parameters + others + 1))
    }
}

/// Where a string of a sequence ends, its end included: at the string terminator, and where a bell may end it there.
fn string_end(bytes: &[u8], by_bell: bool) -> Option<usize> {
    let is_end = |at: &usize| bytes[*at] == 0x1b || by_bell;
    let at = memchr::memchr2_iter(0x1b, 0x07, bytes).find(is_end)?;
    match (bytes[at], bytes.get(at + 1)) {
        (0x07, _) => Some(at + 1),
        (_, Some(b'\\')) => Some(at + 2),
        _ => None,
    }
}

impl Look {
    /// Obeys the parameters of an SGR; those that say something else are passed over.
    fn change(&mut self, parameters: &str) {
        let mut left = parameters.split(';');
        while let Some(parameter) = left.next() {
            let mut parts = parameter.split(':');
            let code: u16 = match parts.next() {
                None | Some("") => 0,
                Some(code) => code.parse().unwrap_or(u16::MAX),
            };
            match code {
                38 | 48 | 58 => {
                    let colour = match parameter.contains(':') {
                        true => colour_of_parts(&mut parts.clone()),
                        false => colour_of(&mut left),
                    };
                    match code {
                        38 => self.letters = colour.or(self.letters),
                        48 => self.ground = colour.or(self.ground),
                        _ => {} // of the underline
                    }
                }
                4 => self.is_underlined = parts.next() != Some("0"),
                code => self.set(code),
            }
        }
    }

    fn set(&mut self, code: u16) {
        let colour = |from: u16, plus: u8| Some(Colour::Indexed((code - from) as u8 + plus));
        match code {
            0 => *self = Self::default(),
            1 => self.is_bold = true,
            2 => self.is_faint = true,
            3 => self.is_italic = true,
            7 => self.is_reversed = true,
            9 => self.is_crossed_out = true,
            21 => self.is_underlined = true,
            22 => (self.is_bold, self.is_faint) = (false, false),
            23 => self.is_italic = false,
            24 => self.is_underlined = false,
            27 => self.is_reversed = false,
            29 => self.is_crossed_out = false,
            30..=37 => self.letters = colour(30, 0),
            39 => self.letters = None,
            40..=47 => self.ground = colour(40, 0),
            49 => self.ground = None,
            90..=97 => self.letters = colour(90, 8),
            100..=107 => self.ground = colour(100, 8),
            _ => {}
        }
    }
}

/// `5;208`, `2;255;135;0`: what follows `38;`.
fn colour_of<'t>(parts: &mut impl Iterator<Item = &'t str>) -> Option<Colour> {
    let mut number = || parts.next().and_then(|part| part.parse::<u8>().ok());
    match number()? {
        5 => number().map(Colour::Indexed),
        2 => {
            let rgb = [number(), number(), number()];
            Some(Colour::Rgb([rgb[0]?, rgb[1]?, rgb[2]?]))
        }
        _ => None,
    }
}

/// `5:208`, `2::255:135:0`: the space of colours may be left out, and is of no interest.
fn colour_of_parts<'t>(parts: &mut impl Iterator<Item = &'t str>) -> Option<Colour> {
    let parts: Vec<&str> = parts.take(8).collect();
    match parts.as_slice() {
        ["2", _, red, green, blue, ..] => colour_of(&mut ["2", red, green, blue].into_iter()),
        parts => colour_of(&mut parts.iter().copied()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn looks(text: &str) -> Vec<(String, Look)> {
        let printed = shown(text).unwrap();
        let piece =
            |(range, look): &(Range<usize>, Look)| (printed.text[range.clone()].to_owned(), *look);
        printed.looks.iter().map(piece).collect()
    }

    #[test]
    fn looks_are_taken_out_of_the_words() {
        let red = Look { letters: Some(Colour::Indexed(1)), ..Look::default() };
        let bold = Look { is_bold: true, ..red };

        assert_eq!(words("a \x1b[31mred \x1b[1mbold\x1b[0m z"), "a red bold z");
        assert_eq!(
            looks("a \x1b[31mred \x1b[1mbold\x1b[m z"),
            [("red ".into(), red), ("bold".into(), bold)]
        );
        // From one line into the next.
        assert_eq!(looks("\x1b[31ma\nb"), [("a".into(), red), ("b".into(), red)]);
    }

    #[test]
    fn colours_are_of_16_of_256_or_of_all() {
        let letters = |text: &str| looks(text)[0].1.letters;
        assert_eq!(letters("\x1b[94mx"), Some(Colour::Indexed(12)));
        assert_eq!(letters("\x1b[1;38;5;208mx"), Some(Colour::Indexed(208)));
        assert_eq!(letters("\x1b[38;2;1;2;3mx"), Some(Colour::Rgb([1, 2, 3])));
        assert_eq!(letters("\x1b[38:2::1:2:3mx"), Some(Colour::Rgb([1, 2, 3])));
        assert_eq!(letters("\x1b[38:2:1:2:3mx"), Some(Colour::Rgb([1, 2, 3])));
        assert_eq!(shown("\x1b[38;2;1;2mx\x1b[38;5;999my").unwrap().looks, []);
    }

    #[test]
    fn of_a_progress_bar_the_last_state_is_left() {
        assert_eq!(words(" 10%\r 50%\r100%\ndone"), "100%\ndone");
        assert_eq!(words("a long line\rshort\x1b[K"), "short");
        assert_eq!(words("a long line\r\x1b[2Kshort"), "short");
        assert_eq!(words("abcdef\rxy"), "xycdef");
        assert_eq!(words("100%\r"), "100%");
        assert_eq!(words("wait |\u{8}/\u{8}-\u{8} ok"), "wait  ok");
        // Line ends of Windows are none.
        assert_eq!(shown("one\r\ntwo\r\n"), None);
    }

    #[test]
    fn what_would_do_something_else_is_left_out_and_what_is_not_whole_is_seen() {
        let link = "\x1b]8;;https://example.org\x1b\\here\x1b]8;;\x07!";
        assert_eq!(words(link), "here!");
        assert_eq!(words("\x1b[2J\x1b[3;4H\x1b[?25la\x1b(B\x1b7\x1bPq#0\x1b\\b"), "ab");
        assert_eq!(words("\x1b]0;title and no end"), "\x1b]0;title and no end");
        assert_eq!(words("\x1b[31"), "\x1b[31");
        assert_eq!(words("\x1b漢\x1b"), "\x1b漢\x1b");
    }

    #[test]
    fn the_looks_of_a_row_are_counted_from_its_beginning() {
        let printed = shown("ab\x1b[1mcdef\x1b[0mg").unwrap();
        let rows: Vec<_> = looks_in(&printed.looks, &(3..5)).map(|(range, _)| range).collect();
        assert_eq!((rows.len(), rows.first()), (1, Some(&(0..2))));
        assert_eq!(looks_in(&printed.looks, &(6..7)).count(), 0);
    }

    proptest! {
        #[test]
        fn whatever_is_printed_lines_keep_their_numbers_and_looks_are_in_order(
            text in "[a漢\u{1b}\\[\\]0-9;:mKJP\\\\\u{7}\u{8}\r\n]{0,60}",
        ) {
            let before = text.matches('\n').count();
            let printed = shown(&text).unwrap_or(Printed { text: text.clone(), looks: vec![] });
            prop_assert_eq!(printed.text.matches('\n').count(), before);
            let mut end = 0;
            for (range, _) in &printed.looks {
                prop_assert!(range.start >= end && range.end > range.start);
                prop_assert!(printed.text.is_char_boundary(range.start));
                prop_assert!(printed.text.is_char_boundary(range.end));
                end = range.end;
            }
        }
    }
}
