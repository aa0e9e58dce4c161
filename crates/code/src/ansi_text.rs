//! The output of a program as a terminal shows it in the end: the text, and apart from it the styles.
//!
//! [`parse_ansi`] obeys what lays text over the text of the same line (carriage return, backspace, erasing to the end of the
//! line), so that of a progress bar its last state is left, and takes the looks (SGR, ECMA-48 8.3.117) out of the words.
//! Every other sequence that is whole is left out: nothing of it would be seen. What is no whole sequence stays among the
//! words, where the screen writes a sign for it as for every character that is not seen.
//!
//! Line ends are never touched: lines have the numbers that they have in what was recorded.

use std::{borrow::Cow, ops::Range};

/// One of the terminal's colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AnsiColour {
    /// One of the 256 colours.
    Indexed(u8),
    Rgb([u8; 3]),
}

/// The style of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextStyle {
    /// The colour of the letters; None for the default.
    pub foreground: Option<AnsiColour>,
    pub background: Option<AnsiColour>,
    pub is_bold: bool,
    pub is_faint: bool,
    pub is_italic: bool,
    pub is_underlined: bool,
    pub is_reversed: bool,
    pub is_crossed_out: bool,
}

/// Words, and how some of them look.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnsiText {
    pub text: String,
    /// Bytes of the text, in order and apart; what looks like nothing in particular is left out.
    pub styles: Vec<(Range<usize>, TextStyle)>,
}

const ESCAPE: char = '\u{1b}';

/// Longest line that is laid out, in bytes: that takes many times its size.
const MOST_LINE: usize = 1 << 20;

/// Returns the text as a terminal shows it, without its styles.
pub fn plain_text(text: &str) -> Cow<'_, str> {
    parse_ansi(text).map_or(Cow::Borrowed(text), |printed| Cow::Owned(printed.text))
}

/// Returns the text as a terminal shows it, with its styles; None where it has no control character and is shown as it is.
pub fn parse_ansi(text: &str) -> Option<AnsiText> {
    if !has_control(text) {
        return None;
    }
    let (mut printed, mut look) = (AnsiText::default(), TextStyle::default());
    for line in text.split_inclusive('\n') {
        let words = line.strip_suffix("\r\n").or_else(|| line.strip_suffix('\n')).unwrap_or(line);
        let end = &line[words.len()..];
        if has_control(words) && words.len() <= MOST_LINE {
            let mut row = TerminalLine { look, ..TerminalLine::default() };
            row.print_text(words);
            row.cells.iter().for_each(|(c, look)| printed.push(c.encode_utf8(&mut [0; 4]), *look));
            look = row.look;
        } else {
            printed.push(words, look);
        }
        printed.push(end, TextStyle::default());
    }
    Some(printed)
}

/// Returns whether the text has a control character with an effect. Carriage returns of line ends have none.
fn has_control(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr3_iter(0x1b, 0x08, b'\r', bytes)
        .any(|at| bytes[at] != b'\r' || bytes.get(at + 1) != Some(&b'\n'))
}

impl AnsiText {
    fn push(&mut self, words: &str, look: TextStyle) {
        let start = self.text.len();
        self.text.push_str(words);
        if look == TextStyle::default() || words.is_empty() {
            return;
        }
        match self.styles.last_mut() {
            Some((range, last)) if range.end == start && *last == look => {
                range.end = self.text.len();
            }
            _ => self.styles.push((start..self.text.len(), look)),
        }
    }
}

/// Returns the styles of some bytes of the text, cut to these bytes and counted from the first of them.
pub fn styles_in<'l>(
    looks: &'l [(Range<usize>, TextStyle)],
    bytes: &Range<usize>,
) -> impl Iterator<Item = (Range<usize>, TextStyle)> + use<'l> {
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
struct TerminalLine {
    cells: Vec<(char, TextStyle)>,
    cursor: usize,
    look: TextStyle,
}

impl TerminalLine {
    fn print_text(&mut self, words: &str) {
        let mut rest = words;
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            match c {
                '\r' => self.cursor = 0,
                '\u{8}' => self.cursor = self.cursor.saturating_sub(1),
                ESCAPE => match EscapeSequence::parse_at_start(rest) {
                    Some((sequence, len)) => {
                        self.apply_sequence(sequence);
                        rest = &rest[len..];
                    }
                    None => self.put_char(c),
                },
                c => self.put_char(c),
            }
        }
    }

    fn put_char(&mut self, c: char) {
        let cell = (c, self.look);
        match self.cells.get_mut(self.cursor) {
            Some(place) => *place = cell,
            None => self.cells.push(cell), // the cursor is never further than the end
        }
        self.cursor += 1;
    }

    fn apply_sequence(&mut self, sequence: EscapeSequence<'_>) {
        match sequence {
            EscapeSequence::Look(parameters) => self.look.apply_parameters(parameters),
            EscapeSequence::EraseRest => self.cells.truncate(self.cursor),
            EscapeSequence::EraseLine => {
                self.cells.clear();
                self.cursor = 0;
            }
            EscapeSequence::Other => {}
        }
    }
}

/// The sequence after an escape.
enum EscapeSequence<'t> {
    /// Its parameters.
    Look(&'t str),
    EraseRest,
    /// Erases the line; the cursor returns to its beginning, since programs write an erased line anew.
    EraseLine,
    Other,
}

impl<'t> EscapeSequence<'t> {
    /// Reads the sequence that the text begins with, and how many bytes it takes; None where it is not whole.
    fn parse_at_start(text: &'t str) -> Option<(Self, usize)> {
        let bytes = text.as_bytes();
        match *bytes.first()? {
            b'[' => Self::parse_control(text),
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

    /// Parses `[`, parameters and a letter, and returns the sequence with its length in bytes; None where it is not
    /// whole.
    fn parse_control(text: &'t str) -> Option<(Self, usize)> {
        let bytes = &text.as_bytes()[1..];
        let parameters = bytes.iter().take_while(|byte| (b'0'..=b'?').contains(byte)).count();
        let rest = &bytes[parameters..];
        let others = rest.iter().take_while(|byte| (b' '..=b'/').contains(byte)).count();
        let last = *rest.get(others).filter(|byte| (b'@'..=b'~').contains(byte))?;
        let parameter_text = &text[1..1 + parameters];
        let is_private = others > 0 || parameter_text.starts_with(['<', '=', '>', '?']);
        let sequence = match (last, parameter_text) {
            _ if is_private => Self::Other,
            (b'm', _) => Self::Look(parameter_text),
            (b'K', "" | "0") => Self::EraseRest,
            (b'K', "2") => Self::EraseLine,
            _ => Self::Other,
        };
        Some((sequence, 1 + parameters + others + 1))
    }
}

/// Returns the end of a sequence's string, the terminator included: the string terminator, or a bell where one may end
/// it.
fn string_end(bytes: &[u8], by_bell: bool) -> Option<usize> {
    let is_end = |at: &usize| bytes[*at] == 0x1b || by_bell;
    let at = memchr::memchr2_iter(0x1b, 0x07, bytes).find(is_end)?;
    match (bytes[at], bytes.get(at + 1)) {
        (0x07, _) => Some(at + 1),
        (_, Some(b'\\')) => Some(at + 2),
        _ => None,
    }
}

impl TextStyle {
    /// Obeys the parameters of an SGR; those that say something else are passed over.
    fn apply_parameters(&mut self, parameters: &str) {
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
                        38 => self.foreground = colour.or(self.foreground),
                        48 => self.background = colour.or(self.background),
                        _ => {} // of the underline
                    }
                }
                4 => self.is_underlined = parts.next() != Some("0"),
                code => self.apply_code(code),
            }
        }
    }

    fn apply_code(&mut self, code: u16) {
        let colour = |from: u16, plus: u8| Some(AnsiColour::Indexed((code - from) as u8 + plus));
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
            30..=37 => self.foreground = colour(30, 0),
            39 => self.foreground = None,
            40..=47 => self.background = colour(40, 0),
            49 => self.background = None,
            90..=97 => self.foreground = colour(90, 8),
            100..=107 => self.background = colour(100, 8),
            _ => {}
        }
    }
}

/// Returns the colour of `5;208` or `2;255;135;0`: what follows `38;`.
fn colour_of<'t>(parts: &mut impl Iterator<Item = &'t str>) -> Option<AnsiColour> {
    let mut number = || parts.next().and_then(|part| part.parse::<u8>().ok());
    match number()? {
        5 => number().map(AnsiColour::Indexed),
        2 => {
            let rgb = [number(), number(), number()];
            Some(AnsiColour::Rgb([rgb[0]?, rgb[1]?, rgb[2]?]))
        }
        _ => None,
    }
}

/// Returns the colour of `5:208` or `2::255:135:0`: the space of colours may be left out, and is of no interest.
fn colour_of_parts<'t>(parts: &mut impl Iterator<Item = &'t str>) -> Option<AnsiColour> {
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

    fn styled_pieces(text: &str) -> Vec<(String, TextStyle)> {
        let printed = parse_ansi(text).unwrap();
        let piece = |(range, look): &(Range<usize>, TextStyle)| {
            (printed.text[range.clone()].to_owned(), *look)
        };
        printed.styles.iter().map(piece).collect()
    }

    #[test]
    fn looks_are_taken_out_of_the_words() {
        let red = TextStyle { foreground: Some(AnsiColour::Indexed(1)), ..TextStyle::default() };
        let bold = TextStyle { is_bold: true, ..red };

        assert_eq!(plain_text("a \x1b[31mred \x1b[1mbold\x1b[0m z"), "a red bold z");
        assert_eq!(
            styled_pieces("a \x1b[31mred \x1b[1mbold\x1b[m z"),
            [("red ".into(), red), ("bold".into(), bold)]
        );
        // From one line into the next.
        assert_eq!(styled_pieces("\x1b[31ma\nb"), [("a".into(), red), ("b".into(), red)]);
    }

    #[test]
    fn colours_are_of_16_of_256_or_of_all() {
        let letters = |text: &str| styled_pieces(text)[0].1.foreground;
        assert_eq!(letters("\x1b[94mx"), Some(AnsiColour::Indexed(12)));
        assert_eq!(letters("\x1b[1;38;5;208mx"), Some(AnsiColour::Indexed(208)));
        assert_eq!(letters("\x1b[38;2;1;2;3mx"), Some(AnsiColour::Rgb([1, 2, 3])));
        assert_eq!(letters("\x1b[38:2::1:2:3mx"), Some(AnsiColour::Rgb([1, 2, 3])));
        assert_eq!(letters("\x1b[38:2:1:2:3mx"), Some(AnsiColour::Rgb([1, 2, 3])));
        assert_eq!(parse_ansi("\x1b[38;2;1;2mx\x1b[38;5;999my").unwrap().styles, []);
    }

    #[test]
    fn of_a_progress_bar_the_last_state_is_left() {
        assert_eq!(plain_text(" 10%\r 50%\r100%\ndone"), "100%\ndone");
        assert_eq!(plain_text("a long line\rshort\x1b[K"), "short");
        assert_eq!(plain_text("a long line\r\x1b[2Kshort"), "short");
        assert_eq!(plain_text("abcdef\rxy"), "xycdef");
        assert_eq!(plain_text("100%\r"), "100%");
        assert_eq!(plain_text("wait |\u{8}/\u{8}-\u{8} ok"), "wait  ok");
        // Line ends of Windows are none.
        assert_eq!(parse_ansi("one\r\ntwo\r\n"), None);
    }

    #[test]
    fn what_would_do_something_else_is_left_out_and_what_is_not_whole_is_seen() {
        let link = "\x1b]8;;https://example.org\x1b\\here\x1b]8;;\x07!";
        assert_eq!(plain_text(link), "here!");
        assert_eq!(plain_text("\x1b[2J\x1b[3;4H\x1b[?25la\x1b(B\x1b7\x1bPq#0\x1b\\b"), "ab");
        assert_eq!(plain_text("\x1b]0;title and no end"), "\x1b]0;title and no end");
        assert_eq!(plain_text("\x1b[31"), "\x1b[31");
        assert_eq!(plain_text("\x1b漢\x1b"), "\x1b漢\x1b");
    }

    #[test]
    fn the_looks_of_a_row_are_counted_from_its_beginning() {
        let printed = parse_ansi("ab\x1b[1mcdef\x1b[0mg").unwrap();
        let rows: Vec<_> = styles_in(&printed.styles, &(3..5)).map(|(range, _)| range).collect();
        assert_eq!((rows.len(), rows.first()), (1, Some(&(0..2))));
        assert_eq!(styles_in(&printed.styles, &(6..7)).count(), 0);
    }

    proptest! {
        #[test]
        fn whatever_is_printed_lines_keep_their_numbers_and_looks_are_in_order(
            text in "[a漢\u{1b}\\[\\]0-9;:mKJP\\\\\u{7}\u{8}\r\n]{0,60}",
        ) {
            let before = text.matches('\n').count();
            let printed = parse_ansi(&text).unwrap_or(AnsiText { text: text.clone(), styles: vec![] });
            prop_assert_eq!(printed.text.matches('\n').count(), before);
            let mut end = 0;
            for (range, _) in &printed.styles {
                prop_assert!(range.start >= end && range.end > range.start);
                prop_assert!(printed.text.is_char_boundary(range.start));
                prop_assert!(printed.text.is_char_boundary(range.end));
                end = range.end;
            }
        }
    }
}
