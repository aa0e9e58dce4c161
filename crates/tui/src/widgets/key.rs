//! One press of a key, whatever terminal library read it, and the words people write keys with.

use std::fmt;

/// A key with its modifiers. Shift is part of the character (`G`) or of the code ([`BaseKey::BackTab`]). No binding has
/// `alt` or `shift`: they are for programs in a terminal of ours ([`Key::without_shift`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    pub code: BaseKey,
    pub ctrl: bool,
    pub alt: bool,
    /// True where shift is not part of the character.
    pub shift: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BaseKey {
    Char(char),
    Enter,
    Esc,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Insert,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    /// A function key, counts from 1.
    F(u8),
}

/// Names between `<` and `>`, and what the screen shows for them.
const KEY_NAMES: &[(&str, BaseKey, &str)] = &[
    ("space", BaseKey::Char(' '), "space"),
    ("lt", BaseKey::Char('<'), "<"),
    ("enter", BaseKey::Enter, "⏎"),
    ("cr", BaseKey::Enter, "⏎"),
    ("esc", BaseKey::Esc, "esc"),
    ("tab", BaseKey::Tab, "tab"),
    ("s-tab", BaseKey::BackTab, "shift-tab"),
    ("bs", BaseKey::Backspace, "backspace"),
    ("del", BaseKey::Delete, "delete"),
    ("ins", BaseKey::Insert, "insert"),
    ("up", BaseKey::Up, "↑"),
    ("down", BaseKey::Down, "↓"),
    ("left", BaseKey::Left, "←"),
    ("right", BaseKey::Right, "→"),
    ("pgup", BaseKey::PageUp, "PgUp"),
    ("pgdn", BaseKey::PageDown, "PgDn"),
    ("home", BaseKey::Home, "Home"),
    ("end", BaseKey::End, "End"),
    ("f1", BaseKey::F(1), "F1"),
    ("f2", BaseKey::F(2), "F2"),
    ("f3", BaseKey::F(3), "F3"),
    ("f4", BaseKey::F(4), "F4"),
    ("f5", BaseKey::F(5), "F5"),
    ("f6", BaseKey::F(6), "F6"),
    ("f7", BaseKey::F(7), "F7"),
];

impl Key {
    pub const fn without_modifiers(code: BaseKey) -> Self {
        Self { code, ctrl: false, alt: false, shift: false }
    }

    pub const fn from_char(c: char) -> Self {
        Self::without_modifiers(BaseKey::Char(c))
    }

    pub const fn with_ctrl(c: char) -> Self {
        Self { code: BaseKey::Char(c), ctrl: true, alt: false, shift: false }
    }

    /// Returns the key as key bindings store it: without shift. None with alt, which no binding has.
    pub(crate) const fn without_shift(self) -> Option<Self> {
        if self.alt { None } else { Some(Self { shift: false, ..self }) }
    }

    /// Returns the character this key types into a prompt.
    pub(crate) const fn typed_char(self) -> Option<char> {
        match self {
            Self { code: BaseKey::Char(c), ctrl: false, alt: false, .. } => Some(c),
            _ => None,
        }
    }
}

impl fmt::Display for Key {
    /// Writes the key as help and footer show it: `ctrl-d`, `⏎`, `l`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            f.write_str("ctrl-")?;
        }
        match KEY_NAMES.iter().find(|(_, code, _)| *code == self.code) {
            Some((_, _, shown)) => f.write_str(shown),
            None => match self.code {
                BaseKey::Char(c) => write!(f, "{c}"),
                other => write!(f, "{other:?}"),
            },
        }
    }
}

/// A name between `<` and `>` that is no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown key <{name}>; names: {}, <c-x> for ctrl-x", known_key_names())]
pub struct UnknownKey {
    pub name: String,
}

fn known_key_names() -> String {
    KEY_NAMES.iter().map(|(name, ..)| format!("<{name}>")).collect::<Vec<_>>().join(" ")
}

/// Reads keys as `--keys` has them: tokens between blanks; `<enter>`, `<c-d>` are keys by name, everything else
/// types its characters. So `/ l o s s <enter>` and `/loss<enter>` are the same.
pub fn parse_keys(text: &str) -> Result<Vec<Key>, UnknownKey> {
    let mut keys = vec![];
    for token in text.split_whitespace() {
        let mut rest = token;
        while let Some(first) = rest.chars().next() {
            let (key, taken) = match parse_named_key(rest)? {
                Some(found) => found,
                None => (Key::from_char(first), first.len_utf8()),
            };
            keys.push(key);
            rest = &rest[taken..];
        }
    }
    Ok(keys)
}

/// Returns the key that `text` starts with if it starts with a name in angle brackets, and the bytes it takes.
fn parse_named_key(text: &str) -> Result<Option<(Key, usize)>, UnknownKey> {
    let inside = text.strip_prefix('<').and_then(|rest| rest.split_once('>'));
    let Some((name, _)) = inside.filter(|(name, _)| !name.is_empty()) else { return Ok(None) };
    let taken = name.len() + 2;
    let lower = name.to_lowercase();
    if let Some((_, code, _)) = KEY_NAMES.iter().find(|(known, ..)| *known == lower) {
        return Ok(Some((Key::without_modifiers(*code), taken)));
    }
    let mut ctrl = lower.strip_prefix("c-").unwrap_or_default().chars();
    match (ctrl.next(), ctrl.next()) {
        (Some(c), None) => Ok(Some((Key::with_ctrl(c), taken))),
        _ => Err(UnknownKey { name: name.into() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_joined_characters_mean_the_same() {
        assert_eq!(parse_keys("/ l o s s <enter>"), parse_keys("/loss<enter>"));
        assert_eq!(
            parse_keys("12l"),
            Ok(vec![Key::from_char('1'), Key::from_char('2'), Key::from_char('l')])
        );
    }

    #[test]
    fn names_are_keys_and_a_lone_angle_bracket_is_itself() {
        let keys = parse_keys("<c-d> <S-Tab> <pgdn> < > <lt> <space>").unwrap();
        assert_eq!(
            keys,
            [
                Key::with_ctrl('d'),
                Key::without_modifiers(BaseKey::BackTab),
                Key::without_modifiers(BaseKey::PageDown),
                Key::from_char('<'),
                Key::from_char('>'),
                Key::from_char('<'),
                Key::from_char(' '),
            ]
        );
    }

    #[test]
    fn an_unknown_name_is_told_what_would_have_worked() {
        let why = parse_keys("l <warp>").unwrap_err().to_string();
        assert!(why.starts_with("unknown key <warp>; names: <space> <lt> <enter>"), "{why}");
    }
}
