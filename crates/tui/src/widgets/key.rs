//! One press of a key, whatever terminal library read it, and the words people write keys with.

use std::fmt;

/// A key with its modifiers. Shift is part of the character (`G`) or of the code ([`Code::BackTab`]). No binding has
/// `alt` or `shift`: they are for programs in a terminal of ours ([`Key::bound`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    pub code: Code,
    pub ctrl: bool,
    pub alt: bool,
    /// Where it is not part of the character.
    pub shift: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
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
const NAMES: &[(&str, Code, &str)] = &[
    ("space", Code::Char(' '), "space"),
    ("lt", Code::Char('<'), "<"),
    ("enter", Code::Enter, "⏎"),
    ("cr", Code::Enter, "⏎"),
    ("esc", Code::Esc, "esc"),
    ("tab", Code::Tab, "tab"),
    ("s-tab", Code::BackTab, "shift-tab"),
    ("bs", Code::Backspace, "backspace"),
    ("del", Code::Delete, "delete"),
    ("ins", Code::Insert, "insert"),
    ("up", Code::Up, "↑"),
    ("down", Code::Down, "↓"),
    ("left", Code::Left, "←"),
    ("right", Code::Right, "→"),
    ("pgup", Code::PageUp, "PgUp"),
    ("pgdn", Code::PageDown, "PgDn"),
    ("home", Code::Home, "Home"),
    ("end", Code::End, "End"),
    ("f1", Code::F(1), "F1"),
    ("f2", Code::F(2), "F2"),
    ("f3", Code::F(3), "F3"),
    ("f4", Code::F(4), "F4"),
    ("f5", Code::F(5), "F5"),
    ("f6", Code::F(6), "F6"),
    ("f7", Code::F(7), "F7"),
];

impl Key {
    pub const fn plain(code: Code) -> Self {
        Self { code, ctrl: false, alt: false, shift: false }
    }

    pub const fn char(c: char) -> Self {
        Self::plain(Code::Char(c))
    }

    pub const fn ctrl(c: char) -> Self {
        Self { code: Code::Char(c), ctrl: true, alt: false, shift: false }
    }

    /// As bindings know it: without shift; None with alt, which none of them has.
    pub const fn bound(self) -> Option<Self> {
        if self.alt { None } else { Some(Self { shift: false, ..self }) }
    }

    /// The character this key types into a prompt.
    pub const fn typed(self) -> Option<char> {
        match self {
            Self { code: Code::Char(c), ctrl: false, alt: false, .. } => Some(c),
            _ => None,
        }
    }
}

impl fmt::Display for Key {
    /// As help and footer show it: `ctrl-d`, `⏎`, `l`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            f.write_str("ctrl-")?;
        }
        match NAMES.iter().find(|(_, code, _)| *code == self.code) {
            Some((_, _, shown)) => f.write_str(shown),
            None => match self.code {
                Code::Char(c) => write!(f, "{c}"),
                other => write!(f, "{other:?}"),
            },
        }
    }
}

/// A name between `<` and `>` that is no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no key is called <{name}>; known names: {}, <c-x> for ctrl-x", known_names())]
pub struct UnknownKey {
    pub name: String,
}

fn known_names() -> String {
    NAMES.iter().map(|(name, ..)| format!("<{name}>")).collect::<Vec<_>>().join(" ")
}

/// Reads keys as `--keys` has them: tokens between blanks; `<enter>`, `<c-d>` are keys by name, everything else
/// types its characters. So `/ l o s s <enter>` and `/loss<enter>` are the same.
pub fn parse(text: &str) -> Result<Vec<Key>, UnknownKey> {
    let mut keys = vec![];
    for token in text.split_whitespace() {
        let mut rest = token;
        while let Some(first) = rest.chars().next() {
            let (key, taken) = match named(rest)? {
                Some(found) => found,
                None => (Key::char(first), first.len_utf8()),
            };
            keys.push(key);
            rest = &rest[taken..];
        }
    }
    Ok(keys)
}

/// The key that `text` starts with if it starts with a name in angle brackets, and the bytes it takes.
fn named(text: &str) -> Result<Option<(Key, usize)>, UnknownKey> {
    let inside = text.strip_prefix('<').and_then(|rest| rest.split_once('>'));
    let Some((name, _)) = inside.filter(|(name, _)| !name.is_empty()) else { return Ok(None) };
    let taken = name.len() + 2;
    let lower = name.to_lowercase();
    if let Some((_, code, _)) = NAMES.iter().find(|(known, ..)| *known == lower) {
        return Ok(Some((Key::plain(*code), taken)));
    }
    let mut ctrl = lower.strip_prefix("c-").unwrap_or_default().chars();
    match (ctrl.next(), ctrl.next()) {
        (Some(c), None) => Ok(Some((Key::ctrl(c), taken))),
        _ => Err(UnknownKey { name: name.into() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_joined_characters_mean_the_same() {
        assert_eq!(parse("/ l o s s <enter>"), parse("/loss<enter>"));
        assert_eq!(parse("12l"), Ok(vec![Key::char('1'), Key::char('2'), Key::char('l')]));
    }

    #[test]
    fn names_are_keys_and_a_lone_angle_bracket_is_itself() {
        let keys = parse("<c-d> <S-Tab> <pgdn> < > <lt> <space>").unwrap();
        assert_eq!(
            keys,
            [
                Key::ctrl('d'),
                Key::plain(Code::BackTab),
                Key::plain(Code::PageDown),
                Key::char('<'),
                Key::char('>'),
                Key::char('<'),
                Key::char(' '),
            ]
        );
    }

    #[test]
    fn an_unknown_name_is_told_what_would_have_worked() {
        let why = parse("l <warp>").unwrap_err().to_string();
        assert!(
            why.starts_with("no key is called <warp>; known names: <space> <lt> <enter>"),
            "{why}"
        );
    }
}
