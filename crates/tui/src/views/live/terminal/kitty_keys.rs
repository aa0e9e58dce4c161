//! Encodes keys for a program that requested the kitty keyboard protocol
//! (<https://sw.kovidgoyal.net/kitty/keyboard-protocol/>): `CSI number:shifted ; modifiers:event ; text u`, and other
//! endings for some keys. [`super::xterm_keys`] encodes the keys that keep their old bytes.

use crate::widgets::{
    key::{BaseKey, Key},
    key_event::{KeyAction, KeyEvent, KeySymbol, Modifiers, lower_char, upper_char},
};

use super::keyboard_modes::KeyboardFlags;

/// The name of a key in the protocol.
enum KittyKeyName {
    /// A character without its shift, and with it where it is known.
    Text { plain: char, shifted: Option<char> },
    /// A number, and what its sequence ends with.
    Function(u32, char),
}

/// The bytes that are sent to a program for a key.
#[derive(Debug, PartialEq, Eq)]
pub enum KeyEncoding {
    Bytes(Vec<u8>),
    Nothing,
    /// The bytes are the same as without the protocol.
    Legacy,
}

/// Encodes a key event; `flags` are the current ones.
pub(crate) fn encode_key(event: KeyEvent, flags: KeyboardFlags) -> KeyEncoding {
    let action = match event.action {
        KeyAction::Release if !flags.has_any(KeyboardFlags::EVENTS) => return KeyEncoding::Nothing,
        KeyAction::Repeat if !flags.has_any(KeyboardFlags::EVENTS) => KeyAction::Press,
        action => action,
    };
    let event = KeyEvent { action, ..event };
    let tells_all = flags.has_any(KeyboardFlags::ALL_KEYS);
    let held = event.modifiers.without_locks();
    match event.symbol {
        // These keys share one byte, so the key itself is unknown.
        KeySymbol::Control(_) => KeyEncoding::Legacy,
        _ if tells_all => KeyEncoding::Bytes(key_sequence(event, flags)),
        KeySymbol::Number(number) if is_modifier(number) => KeyEncoding::Nothing,
        // A shell in which a program left the protocol on can still be typed into.
        KeySymbol::Code(BaseKey::Enter | BaseKey::Tab | BaseKey::Backspace) if held.is_empty() => {
            if event.is_down() {
                KeyEncoding::Legacy
            } else {
                KeyEncoding::Nothing
            }
        }
        KeySymbol::Code(BaseKey::Enter | BaseKey::Tab | BaseKey::BackTab | BaseKey::Backspace)
            if !event.is_down() =>
        {
            KeyEncoding::Nothing
        }
        KeySymbol::Code(BaseKey::Char(c)) | KeySymbol::Keypad(BaseKey::Char(c))
            if event.is_down() && is_text(event) =>
        {
            let shown = typed_char(c, event.modifiers).unwrap_or(c);
            KeyEncoding::Bytes(shown.to_string().into_bytes())
        }
        KeySymbol::Code(_) | KeySymbol::Keypad(_)
            if !flags.has_any(KeyboardFlags::DISAMBIGUATE) && action == KeyAction::Press =>
        {
            KeyEncoding::Legacy
        }
        _ => KeyEncoding::Bytes(key_sequence(event, flags)),
    }
}

/// Returns whether the key types text: only shift and the locks are down.
fn is_text(event: KeyEvent) -> bool {
    event.modifiers.without_locks().with_modifiers(Modifiers::SHIFT, false).is_empty()
}

/// Returns the character that is typed; None where only the keyboard's layout determines it.
fn typed_char(c: char, modifiers: Modifiers) -> Option<char> {
    let (shift, locked) =
        (modifiers.has_any(Modifiers::SHIFT), modifiers.has_any(Modifiers::CAPS_LOCK));
    match (upper_char(c), shift, locked) {
        (Some(capital), ..) if shift != locked => Some(capital),
        (None, true, _) if lower_char(c).is_none() => None,
        _ => Some(c),
    }
}

fn key_sequence(event: KeyEvent, flags: KeyboardFlags) -> Vec<u8> {
    let KeyEvent { symbol, mut modifiers, action } = event;
    if let KeySymbol::Code(BaseKey::BackTab) = symbol {
        modifiers = modifiers.with_modifiers(Modifiers::SHIFT, true);
    }
    let name = kitty_key_name(symbol, modifiers);
    let (number, end) = match name {
        // A capital is its small letter with shift.
        KittyKeyName::Text { plain, shifted } => {
            modifiers = modifiers.with_modifiers(
                Modifiers::SHIFT,
                shifted.is_some() || modifiers.has_any(Modifiers::SHIFT),
            );
            (u32::from(plain), 'u')
        }
        KittyKeyName::Function(number, end) => (number, end),
    };
    let alternate = match name {
        KittyKeyName::Text { shifted, .. } if flags.has_any(KeyboardFlags::ALTERNATES) => shifted,
        _ => None,
    };
    let text = match name {
        KittyKeyName::Text { plain, shifted }
            if flags.has_any(KeyboardFlags::TEXT)
                && action != KeyAction::Release
                && is_text(event) =>
        {
            shifted
                .filter(|_| !modifiers.has_any(Modifiers::CAPS_LOCK))
                .or_else(|| typed_char(plain, modifiers))
        }
        _ => None,
    };
    let event = match action {
        KeyAction::Press => None,
        KeyAction::Repeat => Some(2),
        KeyAction::Release => Some(3),
    };
    let mut fields = vec![match alternate {
        Some(alternate) => format!("{number}:{}", u32::from(alternate)),
        None => number.to_string(),
    }];
    let value = u32::from(modifiers.0) + 1;
    let second = match event {
        Some(event) => format!("{value}:{event}"),
        None if value > 1 => value.to_string(),
        None => String::new(),
    };
    if !second.is_empty() || text.is_some() {
        fields.push(second);
    }
    fields.extend(text.map(|text| u32::from(text).to_string()));
    // A single number 1 is the default and is left out.
    let fields = if fields == ["1"] { String::new() } else { fields.join(";") };
    format!("\x1b[{fields}{end}").into_bytes()
}

fn kitty_key_name(symbol: KeySymbol, modifiers: Modifiers) -> KittyKeyName {
    let code = match symbol {
        KeySymbol::Number(number) => return KittyKeyName::Function(number, 'u'),
        KeySymbol::Keypad(code) => match keypad_number(code) {
            Some(number) => return KittyKeyName::Function(number, 'u'),
            None => code,
        },
        KeySymbol::Code(code) | KeySymbol::Control(code) => code,
    };
    let (number, end) = match code {
        BaseKey::Char(c) => {
            let shift = modifiers.has_any(Modifiers::SHIFT);
            return match lower_char(c) {
                Some(plain) => KittyKeyName::Text { plain, shifted: Some(c) },
                None => KittyKeyName::Text { plain: c, shifted: upper_char(c).filter(|_| shift) },
            };
        }
        BaseKey::Esc => (27, 'u'),
        BaseKey::Enter => (13, 'u'),
        BaseKey::Tab | BaseKey::BackTab => (9, 'u'),
        BaseKey::Backspace => (127, 'u'),
        BaseKey::Insert => (2, '~'),
        BaseKey::Delete => (3, '~'),
        BaseKey::Left => (1, 'D'),
        BaseKey::Right => (1, 'C'),
        BaseKey::Up => (1, 'A'),
        BaseKey::Down => (1, 'B'),
        BaseKey::PageUp => (5, '~'),
        BaseKey::PageDown => (6, '~'),
        BaseKey::Home => (1, 'H'),
        BaseKey::End => (1, 'F'),
        BaseKey::F(1) => (1, 'P'),
        BaseKey::F(2) => (1, 'Q'),
        BaseKey::F(3) => (13, '~'), // `CSI R` is where the cursor is
        BaseKey::F(4) => (1, 'S'),
        BaseKey::F(5) => (15, '~'),
        BaseKey::F(number @ 6..=10) => (u32::from(number) + 11, '~'),
        BaseKey::F(number @ 11..=12) => (u32::from(number) + 12, '~'),
        BaseKey::F(number) => (57376 + u32::from(number.saturating_sub(13)), 'u'),
    };
    KittyKeyName::Function(number, end)
}

/// Returns the number of a key of the keypad; None where the protocol knows none.
fn keypad_number(code: BaseKey) -> Option<u32> {
    Some(match code {
        BaseKey::Char(digit @ '0'..='9') => 57399 + u32::from(digit) - u32::from('0'),
        BaseKey::Char('.') => 57409,
        BaseKey::Char('/') => 57410,
        BaseKey::Char('*') => 57411,
        BaseKey::Char('-') => 57412,
        BaseKey::Char('+') => 57413,
        BaseKey::Enter => 57414,
        BaseKey::Char('=') => 57415,
        BaseKey::Char(',') => 57416,
        BaseKey::Left => 57417,
        BaseKey::Right => 57418,
        BaseKey::Up => 57419,
        BaseKey::Down => 57420,
        BaseKey::PageUp => 57421,
        BaseKey::PageDown => 57422,
        BaseKey::Home => 57423,
        BaseKey::End => 57424,
        BaseKey::Insert => 57425,
        BaseKey::Delete => 57426,
        _ => return None,
    })
}

/// Returns whether the key is a modifier or a lock.
const fn is_modifier(number: u32) -> bool {
    matches!(number, 57358..=57360 | 57441..=57454)
}

/// Encodes a key for xterm's `modifyOtherKeys`: `CSI 27 ; modifiers ; code ~`. None for a key that keeps its usual
/// bytes. With `every` keys that have bytes of their own are encoded too.
pub(crate) fn other_key(key: Key, every: bool) -> Option<Vec<u8>> {
    let (code, has_bytes) = match key.code {
        BaseKey::Char(c) if key.ctrl => (c, has_control(c)),
        BaseKey::Char(c) if key.alt => (c, true),
        BaseKey::Enter => ('\r', !key.ctrl && !key.shift),
        BaseKey::Tab => ('\t', !key.ctrl),
        BaseKey::Backspace => ('\x7f', !key.shift),
        BaseKey::Esc => ('\x1b', !key.ctrl && !key.shift),
        _ => return None,
    };
    let shift = key.shift || matches!(key.code, BaseKey::Char(c) if lower_char(c).is_some());
    let value = 1 + u32::from(shift) + 2 * u32::from(key.alt) + 4 * u32::from(key.ctrl);
    let is_told = value > 1 && (every || !has_bytes);
    is_told.then(|| format!("\x1b[27;{value};{}~", u32::from(code)).into_bytes())
}

/// Returns whether control turns the character into a byte.
const fn has_control(c: char) -> bool {
    matches!(c, 'a'..='z' | 'A'..='Z' | ' ' | '@' | '['..='_' | '2'..='8' | '/' | '-' | '?')
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Size;

    use super::{super::TerminalScreen, *};

    /// Modifiers as the protocol adds them up.
    const SHIFT: u8 = 1;
    const ALT: u8 = 2;
    const CTRL: u8 = 4;
    const SUPER: u8 = 8;
    const CAPS: u8 = 64;
    const NUM: u8 = 128;

    const fn code_event(code: BaseKey, modifiers: u8) -> KeyEvent {
        let symbol = KeySymbol::Code(code);
        KeyEvent { symbol, modifiers: Modifiers(modifiers), action: KeyAction::Press }
    }

    const fn letter_event(c: char, modifiers: u8) -> KeyEvent {
        code_event(BaseKey::Char(c), modifiers)
    }

    const fn number_event(number: u32, modifiers: u8) -> KeyEvent {
        KeyEvent { symbol: KeySymbol::Number(number), ..code_event(BaseKey::Enter, modifiers) }
    }

    const fn on_keypad(on: BaseKey) -> KeyEvent {
        KeyEvent { symbol: KeySymbol::Keypad(on), ..code_event(BaseKey::Enter, 0) }
    }

    const fn repeated(event: KeyEvent) -> KeyEvent {
        KeyEvent { action: KeyAction::Repeat, ..event }
    }

    const fn released(event: KeyEvent) -> KeyEvent {
        KeyEvent { action: KeyAction::Release, ..event }
    }

    /// Returns the bytes that a program receives for a key after it has written `setup`; a sequence without its `CSI`.
    fn sequence_for(setup: &str, event: KeyEvent) -> String {
        let mut terminal = TerminalScreen::new(Size { width: 20, height: 4 });
        terminal.feed(setup.as_bytes());
        String::from_utf8(terminal.press_key(event)).unwrap().replace("\x1b[", "CSI ")
    }

    fn assert_sequences(setup: &str, rows: &[(KeyEvent, &str)]) {
        for (event, expected) in rows {
            assert_eq!(sequence_for(setup, *event), *expected, "{event:?} after {setup:?}");
        }
    }

    #[test]
    fn keys_that_are_no_text_are_told_apart() {
        assert_sequences(
            "\x1b[>1u",
            &[
                (letter_event('a', 0), "a"),
                (letter_event('A', 0), "A"),
                (letter_event('é', 0), "é"),
                (letter_event('a', CAPS), "A"),
                (code_event(BaseKey::Enter, 0), "\r"),
                (code_event(BaseKey::Enter, NUM), "\r"),
                (code_event(BaseKey::Tab, 0), "\t"),
                (code_event(BaseKey::Backspace, 0), "\x7f"),
                (code_event(BaseKey::Enter, SHIFT), "CSI 13;2u"),
                (code_event(BaseKey::Enter, ALT), "CSI 13;3u"),
                (code_event(BaseKey::Enter, CTRL), "CSI 13;5u"),
                (code_event(BaseKey::BackTab, 0), "CSI 9;2u"),
                (code_event(BaseKey::Tab, CTRL), "CSI 9;5u"),
                (code_event(BaseKey::Backspace, CTRL), "CSI 127;5u"),
                (code_event(BaseKey::Esc, 0), "CSI 27u"),
                (code_event(BaseKey::Esc, ALT), "CSI 27;3u"),
                (letter_event('i', CTRL), "CSI 105;5u"),
                (letter_event('c', CTRL), "CSI 99;5u"),
                (letter_event('c', CTRL | NUM), "CSI 99;133u"),
                (letter_event('A', CTRL), "CSI 97;6u"),
                (letter_event('a', CTRL | SHIFT), "CSI 97;6u"),
                (letter_event('1', CTRL | SHIFT), "CSI 49;6u"),
                (letter_event('[', ALT), "CSI 91;3u"),
                (letter_event('X', ALT), "CSI 120;4u"),
                (letter_event(' ', CTRL), "CSI 32;5u"),
                (letter_event('s', SUPER), "CSI 115;9u"),
                (released(letter_event('c', CTRL)), ""),
                (repeated(letter_event('c', CTRL)), "CSI 99;5u"),
                (number_event(57441, SHIFT), ""),
            ],
        );
    }

    /// `ctrl-_` and `ctrl-7`, say.
    #[test]
    fn keys_that_the_terminal_around_us_does_not_tell_apart_stay_the_byte_that_they_share() {
        let shared = |c, modifiers| KeyEvent {
            symbol: KeySymbol::Control(BaseKey::Char(c)),
            ..letter_event(c, modifiers)
        };
        for setup in ["", "\x1b[>1u", "\x1b[>31u", "\x1b[>4;2m"] {
            let rows = [(shared('7', CTRL), "\x1f"), (shared('h', CTRL), "\x08")];
            assert_sequences(setup, &rows);
            assert_sequences(setup, &[(shared('4', CTRL | ALT), "\x1b\x1c")]);
        }
    }

    #[test]
    fn functional_keys_have_the_numbers_of_the_protocol() {
        assert_sequences(
            "\x1b[?1h\x1b[>1u",
            &[
                (code_event(BaseKey::Up, 0), "CSI A"),
                (code_event(BaseKey::Left, CTRL), "CSI 1;5D"),
                (code_event(BaseKey::Home, 0), "CSI H"),
                (code_event(BaseKey::End, SHIFT | ALT), "CSI 1;4F"),
                (code_event(BaseKey::Insert, 0), "CSI 2~"),
                (code_event(BaseKey::Delete, 0), "CSI 3~"),
                (code_event(BaseKey::PageUp, SHIFT), "CSI 5;2~"),
                (code_event(BaseKey::PageDown, 0), "CSI 6~"),
                (code_event(BaseKey::F(1), 0), "CSI P"),
                (code_event(BaseKey::F(2), CTRL), "CSI 1;5Q"),
                (code_event(BaseKey::F(3), 0), "CSI 13~"),
                (code_event(BaseKey::F(4), 0), "CSI S"),
                (code_event(BaseKey::F(5), 0), "CSI 15~"),
                (code_event(BaseKey::F(6), 0), "CSI 17~"),
                (code_event(BaseKey::F(10), 0), "CSI 21~"),
                (code_event(BaseKey::F(11), 0), "CSI 23~"),
                (code_event(BaseKey::F(12), 0), "CSI 24~"),
                (code_event(BaseKey::F(13), 0), "CSI 57376u"),
                (code_event(BaseKey::F(35), 0), "CSI 57398u"),
                (number_event(57363, 0), "CSI 57363u"),
                (number_event(57428, 0), "CSI 57428u"),
                (on_keypad(BaseKey::Char('5')), "5"),
                (on_keypad(BaseKey::Enter), "CSI 57414u"),
                (on_keypad(BaseKey::Left), "CSI 57417u"),
                (on_keypad(BaseKey::Delete), "CSI 57426u"),
            ],
        );
    }

    #[test]
    fn repeats_and_releases_are_told_where_wanted() {
        assert_sequences(
            "\x1b[>3u",
            &[
                (letter_event('a', 0), "a"),
                (repeated(letter_event('a', 0)), "a"),
                (released(letter_event('a', 0)), "CSI 97;1:3u"),
                (released(letter_event('A', 0)), "CSI 97;2:3u"),
                (repeated(letter_event('c', CTRL)), "CSI 99;5:2u"),
                (released(code_event(BaseKey::Esc, 0)), "CSI 27;1:3u"),
                (released(code_event(BaseKey::Up, 0)), "CSI 1;1:3A"),
                (repeated(code_event(BaseKey::Delete, CTRL)), "CSI 3;5:2~"),
                (repeated(code_event(BaseKey::Enter, 0)), "\r"),
                (released(code_event(BaseKey::Enter, 0)), ""),
                (released(code_event(BaseKey::Enter, SHIFT)), ""),
                (released(code_event(BaseKey::Tab, 0)), ""),
                (released(code_event(BaseKey::Backspace, 0)), ""),
            ],
        );
        assert_sequences(
            "\x1b[>2u",
            &[
                (code_event(BaseKey::Esc, 0), "\x1b"),
                (letter_event('c', CTRL), "\x03"),
                (released(letter_event('c', CTRL)), "CSI 99;5:3u"),
            ],
        );
    }

    #[test]
    fn the_shifted_character_is_told_where_wanted() {
        assert_sequences(
            "\x1b[>5u",
            &[
                (letter_event('A', CTRL), "CSI 97:65;6u"),
                (letter_event('a', CTRL | SHIFT), "CSI 97:65;6u"),
                (letter_event('a', CTRL), "CSI 97;5u"),
                (letter_event('!', CTRL), "CSI 33;5u"),
                (code_event(BaseKey::Enter, SHIFT), "CSI 13;2u"),
            ],
        );
    }

    #[test]
    fn every_key_is_a_sequence_where_wanted_with_its_text() {
        assert_sequences(
            "\x1b[>8u",
            &[
                (letter_event('a', 0), "CSI 97u"),
                (letter_event('A', 0), "CSI 97;2u"),
                (letter_event('1', SHIFT), "CSI 49;2u"),
                (code_event(BaseKey::Enter, 0), "CSI 13u"),
                (code_event(BaseKey::Tab, 0), "CSI 9u"),
                (code_event(BaseKey::Backspace, 0), "CSI 127u"),
                (code_event(BaseKey::Esc, 0), "CSI 27u"),
                (code_event(BaseKey::Up, 0), "CSI A"),
                (on_keypad(BaseKey::Char('5')), "CSI 57404u"),
                (number_event(57441, SHIFT), "CSI 57441;2u"),
                (released(letter_event('a', 0)), ""),
            ],
        );
        assert_sequences(
            "\x1b[>27u",
            &[
                (letter_event('a', 0), "CSI 97;;97u"),
                (letter_event('A', 0), "CSI 97;2;65u"),
                (letter_event('a', CAPS), "CSI 97;65;65u"),
                (letter_event('A', CAPS), "CSI 97;66;97u"),
                (letter_event('!', 0), "CSI 33;;33u"),
                (repeated(letter_event('a', 0)), "CSI 97;1:2;97u"),
                (released(letter_event('a', 0)), "CSI 97;1:3u"),
                (released(code_event(BaseKey::Enter, 0)), "CSI 13;1:3u"),
                (letter_event('a', CTRL), "CSI 97;5u"),
                (code_event(BaseKey::Enter, 0), "CSI 13u"),
            ],
        );
        assert_sequences("\x1b[>31u", &[(letter_event('A', 0), "CSI 97:65;2;65u")]);
    }

    #[test]
    fn a_program_that_did_not_ask_hears_the_bytes_of_before() {
        assert_sequences(
            "\x1b[>9u\x1b[<u",
            &[
                (code_event(BaseKey::Enter, SHIFT), "\r"),
                (code_event(BaseKey::Esc, 0), "\x1b"),
                (letter_event('i', CTRL), "\t"),
                (letter_event('a', SHIFT), "A"),
                (repeated(letter_event('a', 0)), "a"),
                (released(letter_event('a', 0)), ""),
                (on_keypad(BaseKey::Char('5')), "5"),
                (code_event(BaseKey::F(3), 0), "\x1bOR"),
                (number_event(57363, 0), ""),
                (letter_event('s', SUPER), ""),
            ],
        );
    }

    #[test]
    fn other_keys_are_told_as_xterm_tells_them() {
        let shared = [
            (code_event(BaseKey::Enter, SHIFT), "CSI 27;2;13~"),
            (code_event(BaseKey::Tab, CTRL), "CSI 27;5;9~"),
            (letter_event('1', CTRL), "CSI 27;5;49~"),
            (letter_event('a', 0), "a"),
            (code_event(BaseKey::Enter, 0), "\r"),
            (code_event(BaseKey::BackTab, 0), "CSI Z"),
            (released(code_event(BaseKey::Enter, SHIFT)), ""),
        ];
        assert_sequences("\x1b[>4;1m", &shared);
        assert_sequences("\x1b[>4;2m", &shared);
        assert_sequences(
            "\x1b[>4;1m",
            &[(letter_event('i', CTRL), "\t"), (letter_event('x', ALT), "\x1bx")],
        );
        let (i, x) =
            ((letter_event('i', CTRL), "CSI 27;5;105~"), (letter_event('x', ALT), "CSI 27;3;120~"));
        assert_sequences("\x1b[>4;2m", &[i, x, (letter_event('A', CTRL), "CSI 27;6;65~")]);
        assert_sequences("\x1b[>4;2m\x1b[>4;0m", &[(letter_event('i', CTRL), "\t")]);
        assert_sequences("\x1b[>4;2m\x1b[>1u", &[(letter_event('i', CTRL), "CSI 105;5u")]);
    }

    #[test]
    fn the_terminal_around_us_is_asked_for_what_is_needed() {
        let wanted = |setup: &str| {
            let mut terminal = TerminalScreen::new(Size { width: 20, height: 4 });
            terminal.feed(setup.as_bytes());
            terminal.outer_flags()
        };
        assert_eq!(wanted(""), KeyboardFlags(0));
        assert_eq!(wanted("\x1b[>7u"), KeyboardFlags(7));
        assert_eq!(
            wanted("\x1b[>25u"),
            KeyboardFlags(13),
            "a text is known by its shifted character"
        );
        assert_eq!(wanted("\x1b[>4;1m"), KeyboardFlags::DISAMBIGUATE);
        assert_eq!(wanted("\x1b[>7u\x1b[<u"), KeyboardFlags(0));
    }
}
