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
    ("f8", BaseKey::F(8), "F8"),
    ("f9", BaseKey::F(9), "F9"),
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

    /// Returns the key as sentences name it, in ASCII: `enter`, `ctrl-d`.
    pub(crate) fn ascii_name(self) -> String {
        let named =
            KEY_NAMES.iter().find(|(_, code, shown)| *code == self.code && !shown.is_ascii());
        named.map_or_else(|| self.to_string(), |(name, ..)| (*name).to_owned())
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

/// A name between `<` and `>` that is not a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown key <{name}>; names: {}, and ctrl-x", known_key_names())]
pub struct UnknownKey {
    pub name: String,
}

fn known_key_names() -> String {
    KEY_NAMES.iter().map(|(name, ..)| format!("<{name}>")).collect::<Vec<_>>().join(" ")
}

/// Reads keys as `--keys` has them: tokens between blanks; `<enter>` and `ctrl-d` are keys by name, as are the signs of the
/// screen such as `⏎`; everything else types its characters. So `/ l o s s <enter>` and `/loss<enter>` are the same. `<c-d>`
/// is another spelling of `ctrl-d`. A token such as `:goto` or `/loss` begins a line of text: up to the next key by name, one
/// blank is typed between two tokens.
pub fn parse_keys(text: &str) -> Result<Vec<Key>, UnknownKey> {
    let mut keys = vec![];
    let mut is_line_open = false;
    for token in text.split_whitespace() {
        if let Some(key) = parse_shown_key(token) {
            keys.push(key);
            is_line_open = false;
            continue;
        }
        let mut rest = token;
        if parse_named_key(rest)?.is_some() {
            is_line_open = false;
        } else if is_line_open {
            keys.push(Key::from_char(' '));
        } else {
            is_line_open = token.len() > 1 && token.starts_with([':', '/']);
        }
        while let Some(first) = rest.chars().next() {
            let (key, taken) = match parse_named_key(rest)? {
                Some(found) => {
                    is_line_open = false;
                    found
                }
                None => (Key::from_char(first), first.len_utf8()),
            };
            keys.push(key);
            rest = &rest[taken..];
        }
    }
    Ok(keys)
}

/// Returns the key of a token that is written as the screen shows keys: `ctrl-d`, `⏎`, `PgUp`. A word that could also be typed
/// text, such as `tab`, is no such token.
fn parse_shown_key(token: &str) -> Option<Key> {
    if let Some(rest) = token.strip_prefix("ctrl-") {
        let mut chars = rest.chars();
        return chars.next().filter(|_| chars.next().is_none()).map(Key::with_ctrl);
    }
    let is_shown = |shown: &str| {
        shown == token && !shown.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_punctuation())
    };
    let found = KEY_NAMES.iter().find(|(.., shown)| is_shown(shown));
    found.map(|(_, code, _)| Key::without_modifiers(*code))
}

/// Reads one key as a settings file has it: as [`parse_keys`], and by any name that the screen shows (`tab`, `esc`, `shift-tab`).
/// The error is a sentence. Empty for no key.
pub fn parse_chord(text: &str) -> Result<Vec<Key>, UnknownKey> {
    let is_name = |(name, _, shown): &&(&str, BaseKey, &str)| {
        text.chars().count() > 1
            && (name.eq_ignore_ascii_case(text) || shown.eq_ignore_ascii_case(text))
    };
    match KEY_NAMES.iter().find(is_name) {
        Some((_, code, _)) => Ok(vec![Key::without_modifiers(*code)]),
        None => parse_keys(text),
    }
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
    let ctrl = lower.strip_prefix("c-").or_else(|| lower.strip_prefix("ctrl-"));
    let mut ctrl = ctrl.unwrap_or_default().chars();
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
    fn a_line_that_is_typed_keeps_one_blank_between_its_words() {
        let typed = |text: &str| {
            let keys = parse_keys(text).unwrap();
            keys.iter().map(ToString::to_string).collect::<Vec<_>>().join("|")
        };
        assert_eq!(typed(":goto  46<enter> l"), typed(": g o t o <space> 4 6 <enter> l"));
        assert_eq!(typed("/two words <enter> n n"), typed("/ t w o <space> w o r d s <enter> n n"));
        assert_eq!(typed(":goto ctrl-u 46"), typed(": g o t o ctrl-u 4 6"));
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
    fn keys_are_read_as_the_screen_writes_them() {
        for key in [
            Key::with_ctrl('f'),
            Key::without_modifiers(BaseKey::Enter),
            Key::without_modifiers(BaseKey::PageUp),
            Key::without_modifiers(BaseKey::Left),
            Key::without_modifiers(BaseKey::F(9)),
            Key::from_char('x'),
        ] {
            assert_eq!(parse_keys(&key.to_string()), Ok(vec![key]), "{key}");
        }
        assert_eq!(parse_keys("<ctrl-f> <c-f>"), parse_keys("ctrl-f ctrl-f"));
        assert_eq!(parse_keys("/ tab").map(|keys| keys.len()), Ok(4));
        assert_eq!(parse_chord("shift-tab"), Ok(vec![Key::without_modifiers(BaseKey::BackTab)]));
        assert_eq!(parse_chord("space"), Ok(vec![Key::from_char(' ')]));
    }

    #[test]
    fn sentences_name_keys_in_ascii() {
        let named = |code| Key::without_modifiers(code).ascii_name();

        assert_eq!([named(BaseKey::Enter), named(BaseKey::Up)], ["enter", "up"]);
        assert_eq!([named(BaseKey::Esc), Key::with_ctrl('s').ascii_name()], ["esc", "ctrl-s"]);
    }

    #[test]
    fn an_unknown_name_is_told_what_would_have_worked() {
        let why = parse_keys("l <warp>").unwrap_err().to_string();
        assert!(why.starts_with("unknown key <warp>; names: <space> <lt> <enter>"), "{why}");
    }
}
