//! The user's choice of colours and signs; `widgets::theme` turns it into styles.

use std::str::FromStr;

use trajview_run::worded_enum::{NamedValue, named};

named! {
    /// The colour theme.
    ThemeName {
        /// The terminal's own sixteen.
        Terminal = "terminal",
        Dark = "dark",
        Light = "light",
        HighContrast = "high-contrast",
        ColourBlind = "colour-blind",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DisplayOptions {
    pub theme: ThemeName,
    /// False where `NO_COLOR` is set, whatever the theme.
    pub has_colours: bool,
    pub alphabet: Alphabet,
    pub depth: ColourDepth,
    /// Columns between tab stops in the diff.
    pub tab_width: usize,
}

/// The characters that the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Alphabet {
    #[default]
    Unicode,
    Ascii,
}

/// The number of colours that the terminal can show; used for content with its own colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColourDepth {
    /// The 256 of xterm.
    #[default]
    Indexed,
    /// 24 bits.
    Direct,
}

impl ColourDepth {
    /// Reads the value of `COLORTERM`.
    pub fn from_colorterm(value: Option<&str>) -> Self {
        match value {
            Some("truecolor" | "24bit") => Self::Direct,
            _ => Self::Indexed,
        }
    }
}

impl Default for DisplayOptions {
    fn default() -> Self {
        Self {
            theme: ThemeName::Terminal,
            has_colours: true,
            alphabet: Alphabet::default(),
            depth: ColourDepth::default(),
            tab_width: 4,
        }
    }
}

impl ThemeName {
    pub fn next(self) -> Self {
        let place = Self::ALL.iter().position(|theme| *theme == self).unwrap_or_default();
        Self::ALL[(place + 1) % Self::ALL.len()]
    }
}

impl FromStr for ThemeName {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let word = word.replace("color", "colour");
        Self::by_word(&word).ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.iter().map(|theme| theme.word()).collect();
            format!("unknown theme {word}; themes: {}", known.join(", "))
        })
    }
}

impl Alphabet {
    /// Chooses the alphabet from the values of `LC_ALL`, `LC_CTYPE` and `LANG`: the first that is set counts. Where
    /// none is set, nothing is known about the terminal.
    pub fn from_locale(values: [Option<String>; 3]) -> Self {
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
            assert_eq!(theme.word().parse(), Ok(*theme));
        }
        assert_eq!("color-blind".parse(), Ok(ThemeName::ColourBlind));
        let why = "solarized".parse::<ThemeName>().unwrap_err();
        assert!(why.ends_with("terminal, dark, light, high-contrast, colour-blind"), "{why}");
    }

    #[test]
    fn a_locale_without_utf_8_asks_for_ascii_and_none_at_all_does_not() {
        let of = |values: [&str; 3]| Alphabet::from_locale(values.map(|value| Some(value.into())));
        assert_eq!(of(["", "", "en_GB.UTF-8"]), Alphabet::Unicode);
        assert_eq!(of(["C", "", "en_GB.UTF-8"]), Alphabet::Ascii);
        assert_eq!(of(["", "de_DE.utf8", "C"]), Alphabet::Unicode);
        assert_eq!(of(["", "", ""]), Alphabet::Unicode);
        assert_eq!(Alphabet::from_locale([None, None, None]), Alphabet::Unicode);
    }
}
