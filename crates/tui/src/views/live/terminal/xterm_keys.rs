//! Encodes keys and text for a program in a terminal: xterm's sequences, in the mode that the program requested.
//!
//! A modified special key has the number `1 + shift + 2 alt + 4 ctrl` (xterm's control sequences, "PC-Style Function
//! Keys"); a character with alt follows an escape; with ctrl it is a control character where there is one.
//! [`super::kitty_keys`] encodes keys for a program that requested more.

use alacritty_terminal::term::TermMode;

use crate::widgets::{
    key::{BaseKey, Key},
    key_event::{KeyEvent, KeySymbol},
};

use super::{
    TerminalScreen,
    keyboard_modes::OtherKeys,
    kitty_keys::{self, KeyEncoding},
};

const ESC: u8 = 0x1b;

/// Sequences around pasted text, where the program requested them.
const PASTE_BRACKETS: (&str, &str) = ("\x1b[200~", "\x1b[201~");

impl TerminalScreen {
    /// Returns the bytes of a key event; a press also scrolls to the end. Empty where the program receives nothing.
    pub fn press_key(&mut self, event: impl Into<KeyEvent>) -> Vec<u8> {
        let event = event.into();
        if event.is_down() {
            self.scroll_history(crate::widgets::scroll::Motion::End);
        }
        let modes = self.term_modes();
        let flags = self.keyboard.current_flags(modes);
        if !flags.is_empty() {
            match kitty_keys::encode_key(event, flags) {
                KeyEncoding::Bytes(bytes) => return bytes,
                KeyEncoding::Nothing => return vec![],
                KeyEncoding::Legacy => {}
            }
        }
        let Some(key) = event.binding_key().filter(|_| event.is_down()) else { return vec![] };
        let other = match self.keyboard.other_keys() {
            _ if matches!(event.symbol, KeySymbol::Control(_)) => None,
            OtherKeys::No => None,
            OtherKeys::Unknown => kitty_keys::other_key(key, false),
            OtherKeys::All => kitty_keys::other_key(key, true),
        };
        other.unwrap_or_else(|| key_bytes(key, modes))
    }

    /// Returns the bytes of pasted text. The program can distinguish it from typing where it requested that; no content
    /// can end the paste early.
    pub(crate) fn paste_text(&mut self, text: &str) -> Vec<u8> {
        self.scroll_history(crate::widgets::scroll::Motion::End);
        let is_kept = |c: &char| !c.is_control() || matches!(c, '\n' | '\r' | '\t');
        let text: String = text.chars().filter(is_kept).collect();
        // A line ends as the return key ends it.
        let text = text.replace("\r\n", "\r").replace('\n', "\r");
        if self.term_modes().contains(TermMode::BRACKETED_PASTE) {
            return format!("{}{text}{}", PASTE_BRACKETS.0, PASTE_BRACKETS.1).into_bytes();
        }
        text.into_bytes()
    }

    /// Returns the bytes for a change of focus; empty where the program did not request them.
    pub(crate) fn focus_bytes(&self, has_it: bool) -> &'static [u8] {
        match (self.term_modes().contains(TermMode::FOCUS_IN_OUT), has_it) {
            (false, _) => b"",
            (true, true) => b"\x1b[I",
            (true, false) => b"\x1b[O",
        }
    }
}

fn key_bytes(key: Key, modes: TermMode) -> Vec<u8> {
    match key.code {
        BaseKey::Char(c) => character_bytes(c, key),
        BaseKey::Enter => with_alt(key, b"\r"),
        BaseKey::Esc => with_alt(key, &[ESC]),
        BaseKey::Tab => with_alt(key, b"\t"),
        BaseKey::Backspace => with_alt(key, if key.ctrl { b"\x08" } else { b"\x7f" }),
        BaseKey::BackTab => b"\x1b[Z".to_vec(),
        BaseKey::Up => arrow_bytes(b'A', key, modes),
        BaseKey::Down => arrow_bytes(b'B', key, modes),
        BaseKey::Right => arrow_bytes(b'C', key, modes),
        BaseKey::Left => arrow_bytes(b'D', key, modes),
        BaseKey::Home => arrow_bytes(b'H', key, modes),
        BaseKey::End => arrow_bytes(b'F', key, modes),
        BaseKey::Insert => numbered_bytes(2, key),
        BaseKey::Delete => numbered_bytes(3, key),
        BaseKey::PageUp => numbered_bytes(5, key),
        BaseKey::PageDown => numbered_bytes(6, key),
        BaseKey::F(number) => function_bytes(number, key),
    }
}

fn with_alt(key: Key, bytes: &[u8]) -> Vec<u8> {
    let mut all = if key.alt { vec![ESC] } else { vec![] };
    all.extend_from_slice(bytes);
    all
}

fn character_bytes(c: char, key: Key) -> Vec<u8> {
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

/// Returns the modifier number of a key; None for a key without modifiers.
fn modifier_code(key: Key) -> Option<u8> {
    let sum = u8::from(key.shift) + 2 * u8::from(key.alt) + 4 * u8::from(key.ctrl);
    (sum > 0).then_some(sum + 1)
}

fn arrow_bytes(letter: u8, key: Key, modes: TermMode) -> Vec<u8> {
    let letter = char::from(letter);
    match modifier_code(key) {
        Some(modifier) => format!("\x1b[1;{modifier}{letter}").into_bytes(),
        None if modes.contains(TermMode::APP_CURSOR) => format!("\x1bO{letter}").into_bytes(),
        None => format!("\x1b[{letter}").into_bytes(),
    }
}

fn numbered_bytes(number: u8, key: Key) -> Vec<u8> {
    match modifier_code(key) {
        Some(modifier) => format!("\x1b[{number};{modifier}~").into_bytes(),
        None => format!("\x1b[{number}~").into_bytes(),
    }
}

fn function_bytes(number: u8, key: Key) -> Vec<u8> {
    let letter = match number {
        1..=4 => char::from(b'P' + number - 1),
        5 => return numbered_bytes(15, key),
        6..=10 => return numbered_bytes(number + 11, key),
        11..=14 => return numbered_bytes(number + 12, key),
        15 | 16 => return numbered_bytes(number + 13, key),
        17..=20 => return numbered_bytes(number + 14, key),
        _ => return vec![],
    };
    match modifier_code(key) {
        Some(modifier) => format!("\x1b[1;{modifier}{letter}").into_bytes(),
        None => format!("\x1bO{letter}").into_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Size;

    use super::*;

    fn bytes_for_press(setup: &str, key: impl Into<KeyEvent>) -> String {
        let mut terminal = TerminalScreen::new(Size { width: 20, height: 4 });
        terminal.feed(setup.as_bytes());
        String::from_utf8(terminal.press_key(key)).unwrap()
    }

    #[test]
    fn keys_are_those_of_xterm() {
        let plain = |code| bytes_for_press("", Key::without_modifiers(code));
        assert_eq!(plain(BaseKey::Char('é')), "é");
        assert_eq!(plain(BaseKey::Enter), "\r");
        assert_eq!(plain(BaseKey::Backspace), "\x7f");
        assert_eq!(plain(BaseKey::BackTab), "\x1b[Z");
        assert_eq!(plain(BaseKey::Up), "\x1b[A");
        assert_eq!(plain(BaseKey::Delete), "\x1b[3~");
        let numbers = [1, 4, 5, 6, 10, 11, 12].map(|number| plain(BaseKey::F(number)));
        assert_eq!(
            numbers,
            ["\x1bOP", "\x1bOS", "\x1b[15~", "\x1b[17~", "\x1b[21~", "\x1b[23~", "\x1b[24~"]
        );
        assert_eq!(plain(BaseKey::F(60)), "");
    }

    #[test]
    fn modified_keys_say_so() {
        let key = |code, (shift, alt, ctrl)| Key { code, ctrl, alt, shift };
        assert_eq!(bytes_for_press("", key(BaseKey::Up, (true, false, false))), "\x1b[1;2A");
        assert_eq!(bytes_for_press("", key(BaseKey::Left, (false, false, true))), "\x1b[1;5D");
        assert_eq!(bytes_for_press("", key(BaseKey::PageUp, (false, true, true))), "\x1b[5;7~");
        assert_eq!(bytes_for_press("", key(BaseKey::F(2), (true, false, false))), "\x1b[1;2Q");
        assert_eq!(bytes_for_press("", key(BaseKey::Char('x'), (false, true, false))), "\x1bx");
        assert_eq!(bytes_for_press("", key(BaseKey::Enter, (false, true, false))), "\x1b\r");
        assert_eq!(bytes_for_press("", Key::with_ctrl('c')), "\x03");
        assert_eq!(bytes_for_press("", Key::with_ctrl('[')), "\x1b");
        assert_eq!(bytes_for_press("", Key::with_ctrl(' ')), "\0");
    }

    #[test]
    fn the_arrows_follow_the_mode_of_the_program() {
        assert_eq!(bytes_for_press("\x1b[?1h", Key::without_modifiers(BaseKey::Up)), "\x1bOA");
        assert_eq!(bytes_for_press("\x1b[?1h", Key::without_modifiers(BaseKey::Home)), "\x1bOH");
        assert_eq!(
            bytes_for_press("\x1b[?1h\x1b[?1l", Key::without_modifiers(BaseKey::Up)),
            "\x1b[A"
        );
    }

    #[test]
    fn a_paste_is_marked_where_wanted_and_cannot_end_itself() {
        let mut terminal = TerminalScreen::new(Size { width: 20, height: 4 });
        assert_eq!(terminal.paste_text("a\r\nb\nc"), b"a\rb\rc");
        terminal.feed(b"\x1b[?2004h");
        assert_eq!(terminal.paste_text("a\x1b[201~rm"), b"\x1b[200~a[201~rm\x1b[201~");
    }

    #[test]
    fn focus_is_told_to_those_who_ask() {
        let mut terminal = TerminalScreen::new(Size { width: 20, height: 4 });
        assert_eq!(terminal.focus_bytes(true), b"");
        terminal.feed(b"\x1b[?1004h");
        assert_eq!(
            (terminal.focus_bytes(true), terminal.focus_bytes(false)),
            (&b"\x1b[I"[..], &b"\x1b[O"[..])
        );
    }
}
