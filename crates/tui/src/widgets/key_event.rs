//! All that a terminal can tell of one key, for programs in a terminal of ours.
//!
//! Bindings know a [`Key`]: a press with three modifiers. A program that asked for the kitty keyboard protocol also wants releases and
//! repeats, the keypad, and keys that no binding has; how it is told of them is said in `views::live::terminal`.

use super::key::{Code, Key};

/// Something done with one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyEvent {
    pub symbol: Symbol,
    /// Where the character has the shift in itself (`G`), it is not said again.
    pub modifiers: Modifiers,
    pub action: Action,
}

/// Which key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symbol {
    Code(Code),
    /// On the keypad.
    Keypad(Code),
    /// One of those that make the same control character, in a terminal that does not tell them apart: `ctrl-_` and `ctrl-7`.
    Control(Code),
    /// One that bindings do not know, by its number in the kitty keyboard protocol.
    Number(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Press,
    /// The key is held down.
    Repeat,
    Release,
}

/// Modifiers that are down, locks included, as bits of the kitty keyboard protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Modifiers(pub u8);

impl Modifiers {
    pub const SHIFT: Self = Self(1);
    pub const ALT: Self = Self(2);
    pub const CTRL: Self = Self(4);
    pub const SUPER: Self = Self(8);
    pub const HYPER: Self = Self(16);
    pub const META: Self = Self(32);
    pub const CAPS_LOCK: Self = Self(64);
    pub const NUM_LOCK: Self = Self(128);

    /// Those that no binding has.
    const UNBOUND: Self = Self(Self::SUPER.0 | Self::HYPER.0 | Self::META.0);

    const LOCKS: Self = Self(Self::CAPS_LOCK.0 | Self::NUM_LOCK.0);

    /// Whether any of the others is among them.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    #[must_use]
    pub const fn with(self, other: Self, is_down: bool) -> Self {
        if is_down { Self(self.0 | other.0) } else { Self(self.0 & !other.0) }
    }

    /// Those that are held down with the key, without the locks.
    #[must_use]
    pub const fn held(self) -> Self {
        Self(self.0 & !Self::LOCKS.0)
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl KeyEvent {
    pub fn is_down(self) -> bool {
        self.action != Action::Release
    }

    /// As bindings know it, whatever is done with it; None for a key that none of them can have.
    pub fn key(self) -> Option<Key> {
        let code = match self.symbol {
            Symbol::Code(code) | Symbol::Keypad(code) | Symbol::Control(code) => code,
            Symbol::Number(_) => return None,
        };
        if self.modifiers.has(Modifiers::UNBOUND) {
            return None;
        }
        let shift = self.modifiers.has(Modifiers::SHIFT);
        let is_upper = shift != self.modifiers.has(Modifiers::CAPS_LOCK);
        let (code, shift) = match code {
            Code::Char(c) if is_upper => (Code::Char(upper(c).unwrap_or(c)), false),
            Code::Char(_) | Code::BackTab => (code, false),
            code => (code, shift),
        };
        let (ctrl, alt) = (self.modifiers.has(Modifiers::CTRL), self.modifiers.has(Modifiers::ALT));
        Some(Key { code, ctrl, alt, shift })
    }

    /// The press that says all of it; None where a [`Key`] would say less.
    pub fn press(self) -> Option<Key> {
        self.key().filter(|key| Self::from(*key) == self)
    }
}

impl From<Key> for KeyEvent {
    fn from(key: Key) -> Self {
        let modifiers = Modifiers::default()
            .with(Modifiers::SHIFT, key.shift)
            .with(Modifiers::ALT, key.alt)
            .with(Modifiers::CTRL, key.ctrl);
        Self { symbol: Symbol::Code(key.code), modifiers, action: Action::Press }
    }
}

/// The capital of a small letter; None where there is none, or where it is more than one character.
pub fn upper(c: char) -> Option<char> {
    one(c.to_uppercase()).filter(|upper| *upper != c)
}

/// The small letter of a capital; None where there is none, or where it is more than one character.
pub fn lower(c: char) -> Option<char> {
    one(c.to_lowercase()).filter(|lower| *lower != c)
}

fn one(mut letters: impl Iterator<Item = char>) -> Option<char> {
    let first = letters.next()?;
    letters.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(code: Code, modifiers: u8) -> KeyEvent {
        KeyEvent {
            symbol: Symbol::Code(code),
            modifiers: Modifiers(modifiers),
            action: Action::Press,
        }
    }

    #[test]
    fn a_key_says_all_of_an_event_or_is_none() {
        for key in [Key::char('G'), Key::ctrl('c'), Key::plain(Code::BackTab), Key::plain(Code::Up)]
        {
            assert_eq!(KeyEvent::from(key).press(), Some(key));
        }
        assert_eq!(
            event(Code::Up, 1 | 4).press().map(|key| (key.shift, key.ctrl)),
            Some((true, true))
        );
        assert_eq!(event(Code::Char('a'), 128).press(), None, "the lock would be lost");
        let held = KeyEvent { action: Action::Repeat, ..event(Code::Char('j'), 0) };
        assert_eq!((held.press(), held.key()), (None, Some(Key::char('j'))));
    }

    #[test]
    fn bindings_know_capitals_and_no_super() {
        assert_eq!(event(Code::Char('g'), 1).key(), Some(Key::char('G')));
        assert_eq!(event(Code::Char('g'), 64).key(), Some(Key::char('G')));
        assert_eq!(event(Code::Char('g'), 1 | 64).key(), Some(Key::char('g')));
        assert_eq!(event(Code::Char('q'), 8).key(), None);
        let keypad = KeyEvent { symbol: Symbol::Keypad(Code::Char('5')), ..event(Code::Enter, 0) };
        assert_eq!(keypad.key(), Some(Key::char('5')));
        assert_eq!(KeyEvent { symbol: Symbol::Number(57441), ..keypad }.key(), None);
    }
}
