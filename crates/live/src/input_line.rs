//! Input that a person has typed into an agent's terminal and not sent yet, as a line editor would have it.
//!
//! Cursor movements are not followed: the agent's log has the prompt, and this is the fallback for agents without a log.
//! Keys come in the form that the agent asked for: bytes, or sequences of the kitty keyboard protocol and of xterm's
//! `modifyOtherKeys`.

#[derive(Debug, Clone, Default)]
pub struct InputLine {
    line: Vec<u8>,
    escape: Vec<u8>,
    is_pasting: bool,
}

impl InputLine {
    /// Takes keys and returns the text that was sent with them; None when none was.
    pub(crate) fn take_keys(&mut self, keys: &[u8]) -> Option<String> {
        let sent: Vec<String> = keys.iter().filter_map(|key| self.take_byte(*key)).collect();
        (!sent.is_empty()).then(|| sent.join("\n"))
    }

    /// Returns the unsent text; None when there is none.
    pub(crate) fn unsent_text(&self) -> Option<String> {
        (!self.line.is_empty()).then(|| String::from_utf8_lossy(&self.line).into_owned())
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    fn take_byte(&mut self, key: u8) -> Option<String> {
        if self.is_answering() && matches!(key, b'\r' | b'\n') {
            // No answer has a line end: the person pressed alt with such a key, and typed on.
            let typed = std::mem::take(&mut self.escape);
            self.line.extend(typed.iter().skip(2).filter(|byte| **byte >= b' '));
        }
        if !self.escape.is_empty() {
            return self.take_escape_byte(key);
        }
        match key {
            0x1b => self.escape.push(key),
            b'\r' | b'\n' if self.is_pasting => self.line.push(b'\n'),
            b'\r' | b'\n' => return self.take_line(),
            0x7f | 0x08 => self.erase_character(),
            0x03 | 0x15 => self.line.clear(),
            b' '.. => self.line.push(key),
            _ => {}
        }
        None
    }

    fn take_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line).trim().to_owned();
        (!line.is_empty()).then_some(line)
    }

    /// Returns whether the bytes are an answer of the terminal, such as to a question about its colours: answers come on
    /// the same channel as keys.
    fn is_answering(&self) -> bool {
        self.escape.get(1).is_some_and(|second| b"]P_^X".contains(second))
    }

    /// Takes one byte of an escape sequence. A sequence ends with a letter or `~`, an answer with BEL or `ESC \`; sequences
    /// of one more byte end at once.
    fn take_escape_byte(&mut self, key: u8) -> Option<String> {
        self.escape.push(key);
        let is_long = self.escape.get(1).is_some_and(|second| b"[O".contains(second));
        let is_over = if self.is_answering() {
            key == 0x07 || self.escape.ends_with(b"\x1b\\")
        } else {
            !is_long || self.escape.len() > 2 && (0x40..0x7f).contains(&key)
        };
        if !is_over {
            return None;
        }
        let sequence = std::mem::take(&mut self.escape);
        match sequence.as_slice() {
            b"\x1b[200~" => self.is_pasting = true,
            b"\x1b[201~" => self.is_pasting = false,
            b"\x1b\r" => self.line.push(b'\n'),
            sequence => return self.take_key_press(&KeyPress::parse(sequence)?),
        }
        None
    }

    /// Takes a key that came as a sequence. With a modifier, return makes a line in most agents and sends nothing.
    fn take_key_press(&mut self, key: &KeyPress) -> Option<String> {
        let KeyPress { number, modifiers, text } = key;
        match (*number, modifiers) {
            (ENTER | ENTER_ON_KEYPAD, 0) => return self.take_line(),
            (ENTER | ENTER_ON_KEYPAD, _) => self.line.push(b'\n'),
            (BACKSPACE, _) => self.erase_character(),
            (KEY_C | KEY_U, &CTRL) => self.line.clear(),
            (KEY_J, &CTRL) => self.line.push(b'\n'),
            (KEY_H, &CTRL) => self.erase_character(),
            _ => self.line.extend(text.iter().collect::<String>().as_bytes()),
        }
        None
    }

    fn erase_character(&mut self) {
        while self.line.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {}
    }
}

const ENTER: u32 = 13;
const ENTER_ON_KEYPAD: u32 = 57414;
const BACKSPACE: u32 = 127;
const KEY_C: u32 = 'c' as u32;
const KEY_H: u32 = 'h' as u32;
const KEY_J: u32 = 'j' as u32;
const KEY_U: u32 = 'u' as u32;

const SHIFT: u32 = 1;
const CTRL: u32 = 4;

/// The event type of a released key.
const KEY_RELEASED: u32 = 3;

/// Locks do not change what a key does.
const LOCK_MODIFIERS: u32 = 64 | 128;

/// The digits and signs of the keypad.
const KEYPAD: std::ops::RangeInclusive<u32> = 57399..=57413;

/// A pressed key that came as a sequence.
struct KeyPress {
    number: u32,
    /// Without the locks.
    modifiers: u32,
    /// The characters that it types.
    text: Vec<char>,
}

impl KeyPress {
    /// Parses `CSI number:shifted ; modifiers:event ; text u`, or `CSI 27 ; modifiers ; code ~`. None for other sequences,
    /// and for a released key.
    fn parse(sequence: &[u8]) -> Option<Self> {
        let (end, fields) = sequence.strip_prefix(b"\x1b[")?.split_last()?;
        let fields = std::str::from_utf8(fields).ok()?;
        let mut fields: Vec<Vec<Option<u32>>> = fields
            .split(';')
            .map(|field| field.split(':').map(|number| number.parse().ok()).collect())
            .collect();
        match (end, fields.first()?.first()?) {
            (b'u', Some(_)) => {}
            (b'~', Some(27)) if fields.len() == 3 => {
                fields = vec![fields[2].clone(), fields[1].clone()]
            }
            _ => return None,
        }
        let at = |field: usize, part: usize| *fields.get(field)?.get(part)?;
        if at(1, 1) == Some(KEY_RELEASED) {
            return None;
        }
        let number = at(0, 0)?;
        let modifiers = at(1, 0).unwrap_or(1).saturating_sub(1);
        let text_codes =
            fields.get(2).into_iter().flatten().filter_map(|it| char::from_u32((*it)?));
        let mut text: Vec<char> = text_codes.collect();
        let is_plain = modifiers & !LOCK_MODIFIERS & !SHIFT == 0;
        if text.is_empty() && is_plain {
            text = typed_characters(number, at(0, 1), modifiers & SHIFT != 0);
        }
        Some(Self { number, modifiers: modifiers & !LOCK_MODIFIERS, text })
    }
}

/// Returns the characters of a key when the sequence has no text.
fn typed_characters(number: u32, shifted: Option<u32>, shift: bool) -> Vec<char> {
    if KEYPAD.contains(&number) {
        let at = usize::try_from(number - KEYPAD.start()).unwrap_or_default();
        return "0123456789./*-+".chars().nth(at).into_iter().collect();
    }
    let is_private = (57344..=63743).contains(&number);
    let Some(c) = char::from_u32(number).filter(|c| !c.is_control() && !is_private) else {
        return vec![];
    };
    match shifted.and_then(char::from_u32) {
        Some(shifted) if shift => vec![shifted],
        _ if shift => c.to_uppercase().collect(),
        _ => vec![c],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_known_when_it_is_sent() {
        let mut typing = InputLine::default();
        assert_eq!(typing.take_keys(b"ad\x7f"), None);
        assert_eq!(typing.take_keys("gr\u{fc}\u{fc}".as_bytes()), None);
        assert_eq!(typing.take_keys(b"\x7fn\x1b[A\x1bOB\r"), Some("agr\u{fc}n".into()));
        assert_eq!(typing.take_keys(b" \r"), None);
        assert_eq!(
            typing.take_keys(b"gone\x15\x1b[200~two\rlines\x1b[201~\r"),
            Some("two\nlines".into())
        );
        assert_eq!(
            typing
                .take_keys(b"\x1b]10;rgb:d8/d8/d8\x07\x1b]11;rgb:0/0/0\x1b\\\x1bP>|t 1\x1b\\ask\r"),
            Some("ask".into())
        );
        assert_eq!(typing.take_keys(b"\x1b]a word\r"), Some("a word".into()));
        typing.take_keys(b"half");
        assert_eq!(typing.unsent_text().as_deref(), Some("half"));
        typing.clear();
        assert_eq!(typing.take_keys(b"\r"), None);
    }

    #[test]
    fn keys_that_come_as_sequences_are_typed_too() {
        let sent =
            |keys: &str| InputLine::default().take_keys(keys.replace("CSI ", "\x1b[").as_bytes());
        let some = |text: &str| Some(text.to_owned());

        // Shift and return, alt and return and control and j begin a line.
        assert_eq!(
            sent("oneCSI 13;2utwo\x1b\rthreeCSI 106;5ufour\r"),
            some("one\ntwo\nthree\nfour")
        );
        assert_eq!(sent("oneCSI 27;2;13~two\r"), some("one\ntwo"));
        // Every key as a sequence, with its text or without, pressed and released.
        assert_eq!(sent("CSI 104uCSI 104;1:3uCSI 105uCSI 105;1:3uCSI 13uCSI 13;1:3u"), some("hi"));
        assert_eq!(sent("CSI 97;2;65uCSI 97;;97uCSI 98:66;2uCSI 99;2uCSI 13u"), some("AaBC"));
        assert_eq!(sent("CSI 97;129uCSI 57404uCSI 57414u"), some("a5"), "with num lock");
        assert_eq!(sent("abCSI 127ucCSI 127;1:3uCSI 13u"), some("ac"));
        assert_eq!(sent("goneCSI 117;5unext\r"), some("next"));
        // Keys without text, and answers of the terminal.
        assert_eq!(
            sent("aCSI 27uCSI ACSI 1;5DCSI 57441;2uCSI 105;5uCSI ?1uCSI ?62;cb\r"),
            some("ab")
        );
        assert_eq!(sent("aCSI uCSI ;;uCSI 99999999999;9ub\r"), some("ab"));
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { cases: 256, ..Default::default() })]
        #[test]
        fn whatever_keys_come_nothing_breaks_and_what_is_sent_is_text(
            keys in proptest::collection::vec(
                proptest::prop_oneof![
                    proptest::collection::vec(proptest::prelude::any::<u8>(), 0..12),
                    proptest::strategy::Strategy::prop_map("\\x1b\\[[0-9;:]{0,14}[u~A]", String::into_bytes),
                ],
                0..20,
            ),
        ) {
            let mut typing = InputLine::default();
            for key in keys {
                let sent = typing.take_keys(&key);
                proptest::prop_assert!(sent.is_none_or(|sent| !sent.trim().is_empty()));
            }
            let _ = typing.unsent_text();
        }
    }
}
