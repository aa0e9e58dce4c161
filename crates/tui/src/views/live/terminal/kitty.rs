//! Keys as a program hears them that asked for the kitty keyboard protocol
//! (<https://sw.kovidgoyal.net/kitty/keyboard-protocol/>): `CSI number:shifted ; modifiers:event ; text u`, and for some keys another
//! end. What has its old bytes there is left to [`super::keys`].

use crate::widgets::{
    key::{Code, Key},
    key_event::{Action, KeyEvent, Modifiers, Symbol, lower, upper},
};

use super::keyboard::Flags;

/// What a key is in the protocol.
enum Name {
    /// A character without its shift, and with it where it is known.
    Text { plain: char, shifted: Option<char> },
    /// A number, and what its sequence ends with.
    Function(u32, char),
}

/// What is written to a program for a key.
#[derive(Debug, PartialEq, Eq)]
pub enum Encoding {
    Bytes(Vec<u8>),
    Nothing,
    /// What is written without the protocol.
    Legacy,
}

/// `flags` are those that hold.
pub fn encode(event: KeyEvent, flags: Flags) -> Encoding {
    let action = match event.action {
        Action::Release if !flags.has(Flags::EVENTS) => return Encoding::Nothing,
        Action::Repeat if !flags.has(Flags::EVENTS) => Action::Press,
        action => action,
    };
    let event = KeyEvent { action, ..event };
    let tells_all = flags.has(Flags::ALL_KEYS);
    let held = event.modifiers.held();
    match event.symbol {
        // Which of several keys it was nobody knows but for the byte that they share.
        Symbol::Control(_) => Encoding::Legacy,
        _ if tells_all => Encoding::Bytes(sequence(event, flags)),
        Symbol::Number(number) if is_modifier(number) => Encoding::Nothing,
        // A shell in which a program left the protocol on can still be typed into.
        Symbol::Code(Code::Enter | Code::Tab | Code::Backspace) if held.is_empty() => {
            if event.is_down() { Encoding::Legacy } else { Encoding::Nothing }
        }
        Symbol::Code(Code::Enter | Code::Tab | Code::BackTab | Code::Backspace)
            if !event.is_down() =>
        {
            Encoding::Nothing
        }
        Symbol::Code(Code::Char(c)) | Symbol::Keypad(Code::Char(c))
            if event.is_down() && is_text(event) =>
        {
            let shown = text_of(c, event.modifiers).unwrap_or(c);
            Encoding::Bytes(shown.to_string().into_bytes())
        }
        Symbol::Code(_) | Symbol::Keypad(_)
            if !flags.has(Flags::DISAMBIGUATE) && action == Action::Press =>
        {
            Encoding::Legacy
        }
        _ => Encoding::Bytes(sequence(event, flags)),
    }
}

/// Shift and the locks leave a character what it is: text.
fn is_text(event: KeyEvent) -> bool {
    event.modifiers.held().with(Modifiers::SHIFT, false).is_empty()
}

/// What a character types; None where only the keyboard's layout knows that.
fn text_of(c: char, modifiers: Modifiers) -> Option<char> {
    let (shift, locked) = (modifiers.has(Modifiers::SHIFT), modifiers.has(Modifiers::CAPS_LOCK));
    match (upper(c), shift, locked) {
        (Some(capital), ..) if shift != locked => Some(capital),
        (None, true, _) if lower(c).is_none() => None,
        _ => Some(c),
    }
}

fn sequence(event: KeyEvent, flags: Flags) -> Vec<u8> {
    let KeyEvent { symbol, mut modifiers, action } = event;
    if let Symbol::Code(Code::BackTab) = symbol {
        modifiers = modifiers.with(Modifiers::SHIFT, true);
    }
    let name = name_of(symbol, modifiers);
    let (number, end) = match name {
        // A capital is its small letter with shift.
        Name::Text { plain, shifted } => {
            modifiers = modifiers
                .with(Modifiers::SHIFT, shifted.is_some() || modifiers.has(Modifiers::SHIFT));
            (u32::from(plain), 'u')
        }
        Name::Function(number, end) => (number, end),
    };
    let alternate = match name {
        Name::Text { shifted, .. } if flags.has(Flags::ALTERNATES) => shifted,
        _ => None,
    };
    let text = match name {
        Name::Text { plain, shifted }
            if flags.has(Flags::TEXT) && action != Action::Release && is_text(event) =>
        {
            shifted
                .filter(|_| !modifiers.has(Modifiers::CAPS_LOCK))
                .or_else(|| text_of(plain, modifiers))
        }
        _ => None,
    };
    let event = match action {
        Action::Press => None,
        Action::Repeat => Some(2),
        Action::Release => Some(3),
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
    // The number 1 says nothing where nothing follows it.
    let fields = if fields == ["1"] { String::new() } else { fields.join(";") };
    format!("\x1b[{fields}{end}").into_bytes()
}

fn name_of(symbol: Symbol, modifiers: Modifiers) -> Name {
    let code = match symbol {
        Symbol::Number(number) => return Name::Function(number, 'u'),
        Symbol::Keypad(code) => match keypad(code) {
            Some(number) => return Name::Function(number, 'u'),
            None => code,
        },
        Symbol::Code(code) | Symbol::Control(code) => code,
    };
    let (number, end) = match code {
        Code::Char(c) => {
            let shift = modifiers.has(Modifiers::SHIFT);
            return match lower(c) {
                Some(plain) => Name::Text { plain, shifted: Some(c) },
                None => Name::Text { plain: c, shifted: upper(c).filter(|_| shift) },
            };
        }
        Code::Esc => (27, 'u'),
        Code::Enter => (13, 'u'),
        Code::Tab | Code::BackTab => (9, 'u'),
        Code::Backspace => (127, 'u'),
        Code::Insert => (2, '~'),
        Code::Delete => (3, '~'),
        Code::Left => (1, 'D'),
        Code::Right => (1, 'C'),
        Code::Up => (1, 'A'),
        Code::Down => (1, 'B'),
        Code::PageUp => (5, '~'),
        Code::PageDown => (6, '~'),
        Code::Home => (1, 'H'),
        Code::End => (1, 'F'),
        Code::F(1) => (1, 'P'),
        Code::F(2) => (1, 'Q'),
        Code::F(3) => (13, '~'), // `CSI R` is where the cursor is
        Code::F(4) => (1, 'S'),
        Code::F(5) => (15, '~'),
        Code::F(number @ 6..=10) => (u32::from(number) + 11, '~'),
        Code::F(number @ 11..=12) => (u32::from(number) + 12, '~'),
        Code::F(number) => (57376 + u32::from(number.saturating_sub(13)), 'u'),
    };
    Name::Function(number, end)
}

/// The number of a key of the keypad; None where the protocol knows none.
fn keypad(code: Code) -> Option<u32> {
    Some(match code {
        Code::Char(digit @ '0'..='9') => 57399 + u32::from(digit) - u32::from('0'),
        Code::Char('.') => 57409,
        Code::Char('/') => 57410,
        Code::Char('*') => 57411,
        Code::Char('-') => 57412,
        Code::Char('+') => 57413,
        Code::Enter => 57414,
        Code::Char('=') => 57415,
        Code::Char(',') => 57416,
        Code::Left => 57417,
        Code::Right => 57418,
        Code::Up => 57419,
        Code::Down => 57420,
        Code::PageUp => 57421,
        Code::PageDown => 57422,
        Code::Home => 57423,
        Code::End => 57424,
        Code::Insert => 57425,
        Code::Delete => 57426,
        _ => return None,
    })
}

/// Shift, control and their like, and the locks.
const fn is_modifier(number: u32) -> bool {
    matches!(number, 57358..=57360 | 57441..=57454)
}

/// Under xterm's `modifyOtherKeys`: `CSI 27 ; modifiers ; code ~`. None for a key that has the bytes it had before. With `every` those that
/// have bytes of their own are told in this way too.
pub fn other_key(key: Key, every: bool) -> Option<Vec<u8>> {
    let (code, has_bytes) = match key.code {
        Code::Char(c) if key.ctrl => (c, has_control(c)),
        Code::Char(c) if key.alt => (c, true),
        Code::Enter => ('\r', !key.ctrl && !key.shift),
        Code::Tab => ('\t', !key.ctrl),
        Code::Backspace => ('\x7f', !key.shift),
        Code::Esc => ('\x1b', !key.ctrl && !key.shift),
        _ => return None,
    };
    let shift = key.shift || matches!(key.code, Code::Char(c) if lower(c).is_some());
    let value = 1 + u32::from(shift) + 2 * u32::from(key.alt) + 4 * u32::from(key.ctrl);
    let is_told = value > 1 && (every || !has_bytes);
    is_told.then(|| format!("\x1b[27;{value};{}~", u32::from(code)).into_bytes())
}

/// Whether control makes a byte of a character.
const fn has_control(c: char) -> bool {
    matches!(c, 'a'..='z' | 'A'..='Z' | ' ' | '@' | '['..='_' | '2'..='8' | '/' | '-' | '?')
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Size;

    use super::{super::Terminal, *};

    /// Modifiers as the protocol adds them up.
    const SHIFT: u8 = 1;
    const ALT: u8 = 2;
    const CTRL: u8 = 4;
    const SUPER: u8 = 8;
    const CAPS: u8 = 64;
    const NUM: u8 = 128;

    const fn code(code: Code, modifiers: u8) -> KeyEvent {
        let symbol = Symbol::Code(code);
        KeyEvent { symbol, modifiers: Modifiers(modifiers), action: Action::Press }
    }

    const fn letter(c: char, modifiers: u8) -> KeyEvent {
        code(Code::Char(c), modifiers)
    }

    const fn number(number: u32, modifiers: u8) -> KeyEvent {
        KeyEvent { symbol: Symbol::Number(number), ..code(Code::Enter, modifiers) }
    }

    const fn on_keypad(on: Code) -> KeyEvent {
        KeyEvent { symbol: Symbol::Keypad(on), ..code(Code::Enter, 0) }
    }

    const fn repeated(event: KeyEvent) -> KeyEvent {
        KeyEvent { action: Action::Repeat, ..event }
    }

    const fn released(event: KeyEvent) -> KeyEvent {
        KeyEvent { action: Action::Release, ..event }
    }

    /// What a program hears that has written these words; a sequence without its `CSI`.
    fn heard(setup: &str, event: KeyEvent) -> String {
        let mut terminal = Terminal::new(Size { width: 20, height: 4 });
        terminal.feed(setup.as_bytes());
        String::from_utf8(terminal.press(event)).unwrap().replace("\x1b[", "CSI ")
    }

    fn table(setup: &str, rows: &[(KeyEvent, &str)]) {
        for (event, expected) in rows {
            assert_eq!(heard(setup, *event), *expected, "{event:?} after {setup:?}");
        }
    }

    #[test]
    fn keys_that_are_no_text_are_told_apart() {
        table(
            "\x1b[>1u",
            &[
                (letter('a', 0), "a"),
                (letter('A', 0), "A"),
                (letter('é', 0), "é"),
                (letter('a', CAPS), "A"),
                (code(Code::Enter, 0), "\r"),
                (code(Code::Enter, NUM), "\r"),
                (code(Code::Tab, 0), "\t"),
                (code(Code::Backspace, 0), "\x7f"),
                (code(Code::Enter, SHIFT), "CSI 13;2u"),
                (code(Code::Enter, ALT), "CSI 13;3u"),
                (code(Code::Enter, CTRL), "CSI 13;5u"),
                (code(Code::BackTab, 0), "CSI 9;2u"),
                (code(Code::Tab, CTRL), "CSI 9;5u"),
                (code(Code::Backspace, CTRL), "CSI 127;5u"),
                (code(Code::Esc, 0), "CSI 27u"),
                (code(Code::Esc, ALT), "CSI 27;3u"),
                (letter('i', CTRL), "CSI 105;5u"),
                (letter('c', CTRL), "CSI 99;5u"),
                (letter('c', CTRL | NUM), "CSI 99;133u"),
                (letter('A', CTRL), "CSI 97;6u"),
                (letter('a', CTRL | SHIFT), "CSI 97;6u"),
                (letter('1', CTRL | SHIFT), "CSI 49;6u"),
                (letter('[', ALT), "CSI 91;3u"),
                (letter('X', ALT), "CSI 120;4u"),
                (letter(' ', CTRL), "CSI 32;5u"),
                (letter('s', SUPER), "CSI 115;9u"),
                (released(letter('c', CTRL)), ""),
                (repeated(letter('c', CTRL)), "CSI 99;5u"),
                (number(57441, SHIFT), ""),
            ],
        );
    }

    /// `ctrl-_` and `ctrl-7`, say.
    #[test]
    fn keys_that_the_terminal_around_us_does_not_tell_apart_stay_the_byte_that_they_share() {
        let shared = |c, modifiers| KeyEvent {
            symbol: Symbol::Control(Code::Char(c)),
            ..letter(c, modifiers)
        };
        for setup in ["", "\x1b[>1u", "\x1b[>31u", "\x1b[>4;2m"] {
            let rows = [(shared('7', CTRL), "\x1f"), (shared('h', CTRL), "\x08")];
            table(setup, &rows);
            table(setup, &[(shared('4', CTRL | ALT), "\x1b\x1c")]);
        }
    }

    #[test]
    fn functional_keys_have_the_numbers_of_the_protocol() {
        table(
            "\x1b[?1h\x1b[>1u",
            &[
                (code(Code::Up, 0), "CSI A"),
                (code(Code::Left, CTRL), "CSI 1;5D"),
                (code(Code::Home, 0), "CSI H"),
                (code(Code::End, SHIFT | ALT), "CSI 1;4F"),
                (code(Code::Insert, 0), "CSI 2~"),
                (code(Code::Delete, 0), "CSI 3~"),
                (code(Code::PageUp, SHIFT), "CSI 5;2~"),
                (code(Code::PageDown, 0), "CSI 6~"),
                (code(Code::F(1), 0), "CSI P"),
                (code(Code::F(2), CTRL), "CSI 1;5Q"),
                (code(Code::F(3), 0), "CSI 13~"),
                (code(Code::F(4), 0), "CSI S"),
                (code(Code::F(5), 0), "CSI 15~"),
                (code(Code::F(6), 0), "CSI 17~"),
                (code(Code::F(10), 0), "CSI 21~"),
                (code(Code::F(11), 0), "CSI 23~"),
                (code(Code::F(12), 0), "CSI 24~"),
                (code(Code::F(13), 0), "CSI 57376u"),
                (code(Code::F(35), 0), "CSI 57398u"),
                (number(57363, 0), "CSI 57363u"),
                (number(57428, 0), "CSI 57428u"),
                (on_keypad(Code::Char('5')), "5"),
                (on_keypad(Code::Enter), "CSI 57414u"),
                (on_keypad(Code::Left), "CSI 57417u"),
                (on_keypad(Code::Delete), "CSI 57426u"),
            ],
        );
    }

    #[test]
    fn repeats_and_releases_are_told_where_wanted() {
        table(
            "\x1b[>3u",
            &[
                (letter('a', 0), "a"),
                (repeated(letter('a', 0)), "a"),
                (released(letter('a', 0)), "CSI 97;1:3u"),
                (released(letter('A', 0)), "CSI 97;2:3u"),
                (repeated(letter('c', CTRL)), "CSI 99;5:2u"),
                (released(code(Code::Esc, 0)), "CSI 27;1:3u"),
                (released(code(Code::Up, 0)), "CSI 1;1:3A"),
                (repeated(code(Code::Delete, CTRL)), "CSI 3;5:2~"),
                (repeated(code(Code::Enter, 0)), "\r"),
                (released(code(Code::Enter, 0)), ""),
                (released(code(Code::Enter, SHIFT)), ""),
                (released(code(Code::Tab, 0)), ""),
                (released(code(Code::Backspace, 0)), ""),
            ],
        );
        table(
            "\x1b[>2u",
            &[
                (code(Code::Esc, 0), "\x1b"),
                (letter('c', CTRL), "\x03"),
                (released(letter('c', CTRL)), "CSI 99;5:3u"),
            ],
        );
    }

    #[test]
    fn the_shifted_character_is_told_where_wanted() {
        table(
            "\x1b[>5u",
            &[
                (letter('A', CTRL), "CSI 97:65;6u"),
                (letter('a', CTRL | SHIFT), "CSI 97:65;6u"),
                (letter('a', CTRL), "CSI 97;5u"),
                (letter('!', CTRL), "CSI 33;5u"),
                (code(Code::Enter, SHIFT), "CSI 13;2u"),
            ],
        );
    }

    #[test]
    fn every_key_is_a_sequence_where_wanted_with_its_text() {
        table(
            "\x1b[>8u",
            &[
                (letter('a', 0), "CSI 97u"),
                (letter('A', 0), "CSI 97;2u"),
                (letter('1', SHIFT), "CSI 49;2u"),
                (code(Code::Enter, 0), "CSI 13u"),
                (code(Code::Tab, 0), "CSI 9u"),
                (code(Code::Backspace, 0), "CSI 127u"),
                (code(Code::Esc, 0), "CSI 27u"),
                (code(Code::Up, 0), "CSI A"),
                (on_keypad(Code::Char('5')), "CSI 57404u"),
                (number(57441, SHIFT), "CSI 57441;2u"),
                (released(letter('a', 0)), ""),
            ],
        );
        table(
            "\x1b[>27u",
            &[
                (letter('a', 0), "CSI 97;;97u"),
                (letter('A', 0), "CSI 97;2;65u"),
                (letter('a', CAPS), "CSI 97;65;65u"),
                (letter('A', CAPS), "CSI 97;66;97u"),
                (letter('!', 0), "CSI 33;;33u"),
                (repeated(letter('a', 0)), "CSI 97;1:2;97u"),
                (released(letter('a', 0)), "CSI 97;1:3u"),
                (released(code(Code::Enter, 0)), "CSI 13;1:3u"),
                (letter('a', CTRL), "CSI 97;5u"),
                (code(Code::Enter, 0), "CSI 13u"),
            ],
        );
        table("\x1b[>31u", &[(letter('A', 0), "CSI 97:65;2;65u")]);
    }

    #[test]
    fn a_program_that_did_not_ask_hears_the_bytes_of_before() {
        table(
            "\x1b[>9u\x1b[<u",
            &[
                (code(Code::Enter, SHIFT), "\r"),
                (code(Code::Esc, 0), "\x1b"),
                (letter('i', CTRL), "\t"),
                (letter('a', SHIFT), "A"),
                (repeated(letter('a', 0)), "a"),
                (released(letter('a', 0)), ""),
                (on_keypad(Code::Char('5')), "5"),
                (code(Code::F(3), 0), "\x1bOR"),
                (number(57363, 0), ""),
                (letter('s', SUPER), ""),
            ],
        );
    }

    #[test]
    fn other_keys_are_told_as_xterm_tells_them() {
        let shared = [
            (code(Code::Enter, SHIFT), "CSI 27;2;13~"),
            (code(Code::Tab, CTRL), "CSI 27;5;9~"),
            (letter('1', CTRL), "CSI 27;5;49~"),
            (letter('a', 0), "a"),
            (code(Code::Enter, 0), "\r"),
            (code(Code::BackTab, 0), "CSI Z"),
            (released(code(Code::Enter, SHIFT)), ""),
        ];
        table("\x1b[>4;1m", &shared);
        table("\x1b[>4;2m", &shared);
        table("\x1b[>4;1m", &[(letter('i', CTRL), "\t"), (letter('x', ALT), "\x1bx")]);
        let (i, x) = ((letter('i', CTRL), "CSI 27;5;105~"), (letter('x', ALT), "CSI 27;3;120~"));
        table("\x1b[>4;2m", &[i, x, (letter('A', CTRL), "CSI 27;6;65~")]);
        table("\x1b[>4;2m\x1b[>4;0m", &[(letter('i', CTRL), "\t")]);
        table("\x1b[>4;2m\x1b[>1u", &[(letter('i', CTRL), "CSI 105;5u")]);
    }

    #[test]
    fn the_terminal_around_us_is_asked_for_what_is_needed() {
        let wanted = |setup: &str| {
            let mut terminal = Terminal::new(Size { width: 20, height: 4 });
            terminal.feed(setup.as_bytes());
            terminal.outer_flags()
        };
        assert_eq!(wanted(""), Flags(0));
        assert_eq!(wanted("\x1b[>7u"), Flags(7));
        assert_eq!(wanted("\x1b[>25u"), Flags(13), "a text is known by its shifted character");
        assert_eq!(wanted("\x1b[>4;1m"), Flags::DISAMBIGUATE);
        assert_eq!(wanted("\x1b[>7u\x1b[<u"), Flags(0));
    }
}
