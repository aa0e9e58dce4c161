//! A keyboard event with all its details, for programs in an emulated terminal.
//!
//! Key bindings use a [`Key`]: a press with three modifiers. A program that requested the kitty keyboard protocol also
//! wants releases and repeats, the keypad, and keys that no binding has; `views::live::terminal` encodes them.

use super::key::{BaseKey, Key};

/// Something done with one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyEvent {
    pub symbol: KeySymbol,
    /// Leaves shift out where the character already implies it (`G`).
    pub modifiers: Modifiers,
    pub action: KeyAction,
}

/// The key that the event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeySymbol {
    Code(BaseKey),
    /// A key of the keypad.
    Keypad(BaseKey),
    /// One of those that make the same control character, in a terminal that does not tell them apart: `ctrl-_` and `ctrl-7`.
    Control(BaseKey),
    /// One that bindings do not know, by its number in the kitty keyboard protocol.
    Number(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyAction {
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

    /// Modifiers that no binding uses.
    const UNBOUND: Self = Self(Self::SUPER.0 | Self::HYPER.0 | Self::META.0);

    const LOCKS: Self = Self(Self::CAPS_LOCK.0 | Self::NUM_LOCK.0);

    /// Returns whether both sets have a modifier in common.
    pub const fn has_any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    #[must_use]
    pub const fn with_modifiers(self, other: Self, is_down: bool) -> Self {
        if is_down { Self(self.0 | other.0) } else { Self(self.0 & !other.0) }
    }

    /// Returns the modifiers that are held down with the key, without the locks.
    #[must_use]
    pub(crate) const fn without_locks(self) -> Self {
        Self(self.0 & !Self::LOCKS.0)
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl KeyEvent {
    pub fn is_down(self) -> bool {
        self.action != KeyAction::Release
    }

    /// Returns the key as bindings store it, whatever the action is; None for a key that no binding can have.
    pub fn binding_key(self) -> Option<Key> {
        let code = match self.symbol {
            KeySymbol::Code(code) | KeySymbol::Keypad(code) | KeySymbol::Control(code) => code,
            KeySymbol::Number(_) => return None,
        };
        if self.modifiers.has_any(Modifiers::UNBOUND) {
            return None;
        }
        let shift = self.modifiers.has_any(Modifiers::SHIFT);
        let is_upper = shift != self.modifiers.has_any(Modifiers::CAPS_LOCK);
        let (code, shift) = match code {
            BaseKey::Char(c) if is_upper => (BaseKey::Char(upper_char(c).unwrap_or(c)), false),
            BaseKey::Char(_) | BaseKey::BackTab => (code, false),
            code => (code, shift),
        };
        let (ctrl, alt) =
            (self.modifiers.has_any(Modifiers::CTRL), self.modifiers.has_any(Modifiers::ALT));
        Some(Key { code, ctrl, alt, shift })
    }

    /// Returns the press that is equivalent to the event; None where a [`Key`] would lose details.
    pub fn plain_press(self) -> Option<Key> {
        self.binding_key().filter(|key| Self::from(*key) == self)
    }
}

impl From<Key> for KeyEvent {
    fn from(key: Key) -> Self {
        let modifiers = Modifiers::default()
            .with_modifiers(Modifiers::SHIFT, key.shift)
            .with_modifiers(Modifiers::ALT, key.alt)
            .with_modifiers(Modifiers::CTRL, key.ctrl);
        Self { symbol: KeySymbol::Code(key.code), modifiers, action: KeyAction::Press }
    }
}

/// Returns the capital of a small letter; None where there is none, or where it is more than one character.
pub(crate) fn upper_char(c: char) -> Option<char> {
    single_char(c.to_uppercase()).filter(|upper| *upper != c)
}

/// Returns the small letter of a capital; None where there is none, or where it is more than one character.
pub fn lower_char(c: char) -> Option<char> {
    single_char(c.to_lowercase()).filter(|lower| *lower != c)
}

fn single_char(mut letters: impl Iterator<Item = char>) -> Option<char> {
    let first = letters.next()?;
    letters.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press_event(code: BaseKey, modifiers: u8) -> KeyEvent {
        KeyEvent {
            symbol: KeySymbol::Code(code),
            modifiers: Modifiers(modifiers),
            action: KeyAction::Press,
        }
    }

    #[test]
    fn a_key_says_all_of_an_event_or_is_none() {
        for key in [
            Key::from_char('G'),
            Key::with_ctrl('c'),
            Key::without_modifiers(BaseKey::BackTab),
            Key::without_modifiers(BaseKey::Up),
        ] {
            assert_eq!(KeyEvent::from(key).plain_press(), Some(key));
        }
        assert_eq!(
            press_event(BaseKey::Up, 1 | 4).plain_press().map(|key| (key.shift, key.ctrl)),
            Some((true, true))
        );
        assert_eq!(
            press_event(BaseKey::Char('a'), 128).plain_press(),
            None,
            "the lock would be lost"
        );
        let repeat = KeyEvent { action: KeyAction::Repeat, ..press_event(BaseKey::Char('j'), 0) };
        assert_eq!((repeat.plain_press(), repeat.binding_key()), (None, Some(Key::from_char('j'))));
    }

    #[test]
    fn bindings_know_capitals_and_no_super() {
        assert_eq!(press_event(BaseKey::Char('g'), 1).binding_key(), Some(Key::from_char('G')));
        assert_eq!(press_event(BaseKey::Char('g'), 64).binding_key(), Some(Key::from_char('G')));
        assert_eq!(
            press_event(BaseKey::Char('g'), 1 | 64).binding_key(),
            Some(Key::from_char('g'))
        );
        assert_eq!(press_event(BaseKey::Char('q'), 8).binding_key(), None);
        let keypad = KeyEvent {
            symbol: KeySymbol::Keypad(BaseKey::Char('5')),
            ..press_event(BaseKey::Enter, 0)
        };
        assert_eq!(keypad.binding_key(), Some(Key::from_char('5')));
        assert_eq!(KeyEvent { symbol: KeySymbol::Number(57441), ..keypad }.binding_key(), None);
    }
}
