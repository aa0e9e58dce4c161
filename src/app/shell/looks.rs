//! Which colours and which signs are wanted; what they are is known to `ui`.

use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Looks {
    pub theme: ThemeName,
    /// False where `NO_COLOR` is set, whatever the theme.
    pub has_colours: bool,
    pub alphabet: Alphabet,
    /// Columns between tab stops in the diff.
    pub tab_width: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ThemeName {
    /// The terminal's own sixteen colours.
    #[default]
    Terminal,
    Dark,
    Light,
    HighContrast,
    /// Blue and orange for added and removed.
    ColourBlind,
}

/// What the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Alphabet {
    #[default]
    Unicode,
    Ascii,
}

impl Default for Looks {
    fn default() -> Self {
        Self {
            theme: ThemeName::default(),
            has_colours: true,
            alphabet: Alphabet::default(),
            tab_width: 4,
        }
    }
}

impl ThemeName {
    pub const ALL: [Self; 5] =
        [Self::Terminal, Self::Dark, Self::Light, Self::HighContrast, Self::ColourBlind];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::Dark => "dark",
            Self::Light => "light",
            Self::HighContrast => "high-contrast",
            Self::ColourBlind => "colour-blind",
        }
    }

    pub const fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()]
    }
}

impl FromStr for ThemeName {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let word = word.replace("color", "colour");
        let known = || Self::ALL.map(Self::word).join(", ");
        let found = Self::ALL.into_iter().find(|theme| theme.word() == word);
        found.ok_or_else(|| format!("no theme is called {word}; known themes: {}", known()))
    }
}

impl Alphabet {
    /// What a locale asks for, given the values of `LC_ALL`, `LC_CTYPE` and `LANG`: the first that is set counts. A
    /// machine that sets none of them says nothing about its terminal.
    pub fn of_locale(values: [Option<String>; 3]) -> Self {
        let locale = values.into_iter().flatten().find(|value| !value.is_empty());
        let is_unicode = |locale: String| {
            let locale = locale.to_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        };
        if locale.is_none_or(is_unicode) { Self::Unicode } else { Self::Ascii }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_theme_is_found_by_its_name_in_either_spelling() {
        for theme in ThemeName::ALL {
            assert_eq!(theme.word().parse(), Ok(theme));
        }
        assert_eq!("color-blind".parse(), Ok(ThemeName::ColourBlind));
        let why = "solarized".parse::<ThemeName>().unwrap_err();
        assert!(why.ends_with("terminal, dark, light, high-contrast, colour-blind"), "{why}");
    }

    #[test]
    fn a_locale_without_utf_8_asks_for_ascii_and_none_at_all_does_not() {
        let of = |values: [&str; 3]| Alphabet::of_locale(values.map(|value| Some(value.into())));
        assert_eq!(of(["", "", "en_GB.UTF-8"]), Alphabet::Unicode);
        assert_eq!(of(["C", "", "en_GB.UTF-8"]), Alphabet::Ascii);
        assert_eq!(of(["", "de_DE.utf8", "C"]), Alphabet::Unicode);
        assert_eq!(of(["", "", ""]), Alphabet::Unicode);
        assert_eq!(Alphabet::of_locale([None, None, None]), Alphabet::Unicode);
    }
}
