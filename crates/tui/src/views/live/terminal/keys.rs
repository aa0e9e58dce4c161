//! Keys and text as a program in a terminal hears them: xterm's sequences, in the mode the program asked for.
//!
//! A modified special key carries `1 + shift + 2 alt + 4 ctrl` (xterm's control sequences, "PC-Style Function Keys"); a
//! character with alt follows an escape; with ctrl it is a control character where there is one. A program that asked for more than
//! that is told in [`super::kitty`]'s way.

use alacritty_terminal::term::TermMode;

use crate::widgets::{
    key::{Code, Key},
    key_event::{KeyEvent, Symbol},
};

use super::{
    Terminal,
    keyboard::OtherKeys,
    kitty::{self, Encoding},
};

const ESC: u8 = 0x1b;

/// Around pasted text, where the program asked to be told.
const PASTE: (&str, &str) = ("\x1b[200~", "\x1b[201~");

impl Terminal {
    /// Something done with a key; a press also ends a look at the history. Empty where the program hears nothing of it.
    pub fn press(&mut self, event: impl Into<KeyEvent>) -> Vec<u8> {
        let event = event.into();
        if event.is_down() {
            self.scroll(crate::widgets::scroll::Motion::End);
        }
        let modes = self.modes();
        let flags = self.keyboard.flags(modes);
        if !flags.is_empty() {
            match kitty::encode(event, flags) {
                Encoding::Bytes(bytes) => return bytes,
                Encoding::Nothing => return vec![],
                Encoding::Legacy => {}
            }
        }
        let Some(key) = event.key().filter(|_| event.is_down()) else { return vec![] };
        let other = match self.keyboard.other_keys() {
            _ if matches!(event.symbol, Symbol::Control(_)) => None,
            OtherKeys::No => None,
            OtherKeys::Unknown => kitty::other_key(key, false),
            OtherKeys::All => kitty::other_key(key, true),
        };
        other.unwrap_or_else(|| bytes_of(key, modes))
    }

    /// Pasted text. The program can tell it from typing where it asked to; nothing in it can end the paste.
    pub fn paste(&mut self, text: &str) -> Vec<u8> {
        self.scroll(crate::widgets::scroll::Motion::End);
        let is_kept = |c: &char| !c.is_control() || matches!(c, '\n' | '\r' | '\t');
        let text: String = text.chars().filter(is_kept).collect();
        // A line ends as the return key ends it.
        let text = text.replace("\r\n", "\r").replace('\n', "\r");
        if self.modes().contains(TermMode::BRACKETED_PASTE) {
            return format!("{}{text}{}", PASTE.0, PASTE.1).into_bytes();
        }
        text.into_bytes()
    }

    /// What the program hears when the keyboard comes to it or leaves it; nothing unless it asked.
    pub fn focus(&self, has_it: bool) -> &'static [u8] {
        match (self.modes().contains(TermMode::FOCUS_IN_OUT), has_it) {
            (false, _) => b"",
            (true, true) => b"\x1b[I",
            (true, false) => b"\x1b[O",
        }
    }
}

fn bytes_of(key: Key, modes: TermMode) -> Vec<u8> {
    match key.code {
        Code::Char(c) => character(c, key),
        Code::Enter => with_alt(key, b"\r"),
        Code::Esc => with_alt(key, &[ESC]),
        Code::Tab => with_alt(key, b"\t"),
        Code::Backspace => with_alt(key, if key.ctrl { b"\x08" } else { b"\x7f" }),
        Code::BackTab => b"\x1b[Z".to_vec(),
        Code::Up => arrow(b'A', key, modes),
        Code::Down => arrow(b'B', key, modes),
        Code::Right => arrow(b'C', key, modes),
        Code::Left => arrow(b'D', key, modes),
        Code::Home => arrow(b'H', key, modes),
        Code::End => arrow(b'F', key, modes),
        Code::Insert => numbered(2, key),
        Code::Delete => numbered(3, key),
        Code::PageUp => numbered(5, key),
        Code::PageDown => numbered(6, key),
        Code::F(number) => function(number, key),
    }
}

fn with_alt(key: Key, bytes: &[u8]) -> Vec<u8> {
    let mut all = if key.alt { vec![ESC] } else { vec![] };
    all.extend_from_slice(bytes);
    all
}

fn character(c: char, key: Key) -> Vec<u8> {
    let mut buffer = [0; 4];
    if !key.ctrl {
        return with_alt(key, c.encode_utf8(&mut buffer).as_bytes());
    }
    let control = match c {
        'a'..='z' | 'A'..='Z' => Some(c.to_ascii_lowercase() as u8 - b'a' + 1),
        ' ' | '@' | '2' => Some(0),
        '[' | '3' => Some(ESC),
        '\\' | '4' => Some(0x1c),
        ']' | '5' => Some(0x1d),
        '^' | '6' => Some(0x1e),
        '_' | '7' | '/' | '-' => Some(0x1f),
        '?' | '8' => Some(0x7f),
        _ => None,
    };
    match control {
        Some(byte) => with_alt(key, &[byte]),
        None => with_alt(key, c.encode_utf8(&mut buffer).as_bytes()),
    }
}

/// What a modified key carries; None for a plain one.
fn modifier(key: Key) -> Option<u8> {
    let sum = u8::from(key.shift) + 2 * u8::from(key.alt) + 4 * u8::from(key.ctrl);
    (sum > 0).then_some(sum + 1)
}

fn arrow(letter: u8, key: Key, modes: TermMode) -> Vec<u8> {
    let letter = char::from(letter);
    match modifier(key) {
        Some(modifier) => format!("\x1b[1;{modifier}{letter}").into_bytes(),
        None if modes.contains(TermMode::APP_CURSOR) => format!("\x1bO{letter}").into_bytes(),
        None => format!("\x1b[{letter}").into_bytes(),
    }
}

fn numbered(number: u8, key: Key) -> Vec<u8> {
    match modifier(key) {
        Some(modifier) => format!("\x1b[{number};{modifier}~").into_bytes(),
        None => format!("\x1b[{number}~").into_bytes(),
    }
}

fn function(number: u8, key: Key) -> Vec<u8> {
    let letter = match number {
        1..=4 => char::from(b'P' + number - 1),
        5 => return numbered(15, key),
        6..=10 => return numbered(number + 11, key),
        11..=14 => return numbered(number + 12, key),
        15 | 16 => return numbered(number + 13, key),
        17..=20 => return numbered(number + 14, key),
        _ => return vec![],
    };
    match modifier(key) {
        Some(modifier) => format!("\x1b[1;{modifier}{letter}").into_bytes(),
        None => format!("\x1bO{letter}").into_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Size;

    use super::*;

    fn pressed(setup: &str, key: impl Into<KeyEvent>) -> String {
        let mut terminal = Terminal::new(Size { width: 20, height: 4 });
        terminal.feed(setup.as_bytes());
        String::from_utf8(terminal.press(key)).unwrap()
    }

    #[test]
    fn keys_are_those_of_xterm() {
        let plain = |code| pressed("", Key::plain(code));
        assert_eq!(plain(Code::Char('é')), "é");
        assert_eq!(plain(Code::Enter), "\r");
        assert_eq!(plain(Code::Backspace), "\x7f");
        assert_eq!(plain(Code::BackTab), "\x1b[Z");
        assert_eq!(plain(Code::Up), "\x1b[A");
        assert_eq!(plain(Code::Delete), "\x1b[3~");
        let numbers = [1, 4, 5, 6, 10, 11, 12].map(|number| plain(Code::F(number)));
        assert_eq!(
            numbers,
            ["\x1bOP", "\x1bOS", "\x1b[15~", "\x1b[17~", "\x1b[21~", "\x1b[23~", "\x1b[24~"]
        );
        assert_eq!(plain(Code::F(60)), "");
    }

    #[test]
    fn modified_keys_say_so() {
        let key = |code, (shift, alt, ctrl)| Key { code, ctrl, alt, shift };
        assert_eq!(pressed("", key(Code::Up, (true, false, false))), "\x1b[1;2A");
        assert_eq!(pressed("", key(Code::Left, (false, false, true))), "\x1b[1;5D");
        assert_eq!(pressed("", key(Code::PageUp, (false, true, true))), "\x1b[5;7~");
        assert_eq!(pressed("", key(Code::F(2), (true, false, false))), "\x1b[1;2Q");
        assert_eq!(pressed("", key(Code::Char('x'), (false, true, false))), "\x1bx");
        assert_eq!(pressed("", key(Code::Enter, (false, true, false))), "\x1b\r");
        assert_eq!(pressed("", Key::ctrl('c')), "\x03");
        assert_eq!(pressed("", Key::ctrl('[')), "\x1b");
        assert_eq!(pressed("", Key::ctrl(' ')), "\0");
    }

    #[test]
    fn the_arrows_follow_the_mode_of_the_program() {
        assert_eq!(pressed("\x1b[?1h", Key::plain(Code::Up)), "\x1bOA");
        assert_eq!(pressed("\x1b[?1h", Key::plain(Code::Home)), "\x1bOH");
        assert_eq!(pressed("\x1b[?1h\x1b[?1l", Key::plain(Code::Up)), "\x1b[A");
    }

    #[test]
    fn a_paste_is_marked_where_wanted_and_cannot_end_itself() {
        let mut terminal = Terminal::new(Size { width: 20, height: 4 });
        assert_eq!(terminal.paste("a\r\nb\nc"), b"a\rb\rc");
        terminal.feed(b"\x1b[?2004h");
        assert_eq!(terminal.paste("a\x1b[201~rm"), b"\x1b[200~a[201~rm\x1b[201~");
    }

    #[test]
    fn focus_is_told_to_those_who_ask() {
        let mut terminal = Terminal::new(Size { width: 20, height: 4 });
        assert_eq!(terminal.focus(true), b"");
        terminal.feed(b"\x1b[?1004h");
        assert_eq!((terminal.focus(true), terminal.focus(false)), (&b"\x1b[I"[..], &b"\x1b[O"[..]));
    }
}
