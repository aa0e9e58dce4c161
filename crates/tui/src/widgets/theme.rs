//! Colours by meaning, from the terminal's own sixteen, so that they follow the user's choice; [`super::palette`] has
//! the sixteen of the other themes.
//!
//! Colour is never the only difference: every meaning has a sign, a word or a modifier too, and
//! [`Theme::without_colours`] (`NO_COLOR`) keeps only the modifiers.

use ratatui::style::{Color, Modifier, Style};

use crate::widgets::display_options::{Alphabet, ColourDepth, DisplayOptions, ThemeName};
use trajview_code::highlight::SyntaxClass;
use trajview_run::Outcome;

use super::{
    ascii_signs,
    palette::{self, ThemeShades},
    text::SignSet,
};

/// The meaning of a piece of the screen; the theme chooses its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    Text,
    Title,
    Border,
    FocusedBorder,
    Muted,
    /// A chosen row in the panel that has the keyboard: a tint below what keeps its own colours.
    Selected,
    /// A chosen row elsewhere.
    Marked,
    /// The position of typed text, and one cell of a chosen line.
    Cursor,
    Added,
    Removed,
    /// The changed words of a line.
    AddedWord,
    RemovedWord,
    Hunk,
    Warning,
    Error,
    Key,
    Hit,
    CurrentHit,
    Heading,
    Playing,
}

impl Meaning {
    /// Returns the meaning of a trial's outcome, whose word or sign is always there too.
    pub(crate) const fn for_outcome(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Passed => Self::Added,
            Outcome::Failed => Self::Removed,
            Outcome::Partial => Self::Warning,
            Outcome::Error | Outcome::Timeout | Outcome::Limit => Self::Error,
            Outcome::Unscored => Self::Muted,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    name: ThemeName,
    has_colours: bool,
    alphabet: Alphabet,
    depth: ColourDepth,
    tab_width: usize,
}

impl Theme {
    /// Creates the theme with the terminal's sixteen colours.
    pub const fn with_terminal_colours() -> Self {
        Self {
            name: ThemeName::Terminal,
            has_colours: true,
            alphabet: Alphabet::Unicode,
            depth: ColourDepth::Indexed,
            tab_width: 4,
        }
    }

    pub const fn has_colours(self) -> bool {
        self.has_colours
    }

    /// Creates the theme with modifiers only.
    pub const fn without_colours() -> Self {
        Self { has_colours: false, ..Self::with_terminal_colours() }
    }

    pub const fn from_options(looks: DisplayOptions) -> Self {
        Self {
            name: looks.theme,
            has_colours: looks.has_colours,
            alphabet: looks.alphabet,
            depth: looks.depth,
            tab_width: looks.tab_width,
        }
    }

    pub const fn alphabet(self) -> Alphabet {
        self.alphabet
    }

    /// Returns the colour of a pixel; the nearest of xterm's 256 where the terminal has no more.
    pub(crate) fn pixel_colour(self, rgb: [u8; 3]) -> Color {
        match self.depth {
            ColourDepth::Direct => Color::Rgb(rgb[0], rgb[1], rgb[2]),
            ColourDepth::Indexed => Color::Indexed(palette::nearest_index(rgb)),
        }
    }

    /// Returns the colours of text and background; None where they are the terminal's.
    pub(crate) fn theme_shades(self) -> Option<&'static ThemeShades> {
        palette::theme_shades(self.name).filter(|_| self.has_colours)
    }

    /// Returns our own text as the terminal can show it.
    pub(crate) fn spell_out(self, words: &str) -> String {
        match self.alphabet {
            Alphabet::Unicode => words.to_owned(),
            Alphabet::Ascii => ascii_signs::spell_out_signs(words),
        }
    }

    /// Returns the settings for drawing lines of a file.
    pub(crate) fn line_display(self) -> LineDisplay {
        let signs = match self.alphabet {
            Alphabet::Unicode => SignSet::Unicode,
            Alphabet::Ascii => SignSet::Ascii,
        };
        LineDisplay { sign: self.style_for(Meaning::Warning), signs, tab_width: self.tab_width }
    }

    pub(crate) fn style_for(self, meaning: Meaning) -> Style {
        let (colour, modifier) = colour_and_modifier(meaning);
        if meaning == Meaning::Selected && self.has_colours {
            let shades = palette::chosen_row_shades(self.name);
            return Style::new()
                .fg(shades.foreground)
                .bg(shades.background)
                .add_modifier(Modifier::BOLD);
        }
        self.coloured_style(colour, modifier)
    }

    /// Returns the style of the chosen row of a list, which has the keyboard or not.
    pub(crate) fn chosen_row(self, is_focused: bool) -> Style {
        self.style_for(if is_focused { Meaning::Selected } else { Meaning::Marked })
    }

    /// Returns the style of a syntax class; most text is plain.
    pub(crate) fn syntax_style(self, class: SyntaxClass) -> Style {
        let (colour, modifier) = match class {
            SyntaxClass::Keyword => (Some(Color::Magenta), Modifier::empty()),
            SyntaxClass::String | SyntaxClass::Raw => (Some(Color::Yellow), Modifier::empty()),
            SyntaxClass::Escape | SyntaxClass::Number | SyntaxClass::Constant => {
                (Some(Color::LightBlue), Modifier::empty())
            }
            SyntaxClass::Comment => (Some(Color::DarkGray), Modifier::ITALIC),
            SyntaxClass::Function | SyntaxClass::Link => (Some(Color::Blue), Modifier::empty()),
            SyntaxClass::Type | SyntaxClass::Tag | SyntaxClass::Attribute => {
                (Some(Color::Cyan), Modifier::empty())
            }
            SyntaxClass::Heading | SyntaxClass::Strong => (None, Modifier::BOLD),
            SyntaxClass::Emphasis => (None, Modifier::ITALIC),
            SyntaxClass::Added => (Some(Color::Green), Modifier::empty()),
            SyntaxClass::Removed => (Some(Color::Red), Modifier::empty()),
            SyntaxClass::Invalid => (None, Modifier::UNDERLINED),
            SyntaxClass::Variable | SyntaxClass::Operator | SyntaxClass::Punctuation => {
                (None, Modifier::empty())
            }
        };
        self.coloured_style(colour, modifier)
    }

    fn coloured_style(self, colour: Option<Color>, modifier: Modifier) -> Style {
        let style = Style::new().add_modifier(modifier);
        match colour {
            Some(colour) if self.has_colours => {
                style.fg(self.theme_shades().map_or(colour, |shades| shades.colour_for(colour)))
            }
            _ => style,
        }
    }
}

impl Meaning {
    /// Returns the meaning of a change: a gain is green and a loss red everywhere; other changes have no colour.
    pub(crate) const fn for_change(gains: Option<bool>) -> Self {
        match gains {
            Some(true) => Self::Added,
            Some(false) => Self::Removed,
            None => Self::Text,
        }
    }
}

/// The style and signs for invisible characters, and the distance of tab stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineDisplay {
    pub sign: Style,
    pub signs: SignSet,
    pub tab_width: usize,
}

impl From<Style> for LineDisplay {
    /// Uses this style for signs and the usual settings of a step's row, which is cut before it is drawn.
    fn from(sign: Style) -> Self {
        Self { sign, signs: SignSet::Unicode, tab_width: 4 }
    }
}

const fn colour_and_modifier(meaning: Meaning) -> (Option<Color>, Modifier) {
    const NONE: Modifier = Modifier::empty();
    match meaning {
        Meaning::Text => (None, NONE),
        Meaning::Title | Meaning::Heading => (None, Modifier::BOLD),
        Meaning::Border => (Some(Color::DarkGray), NONE),
        Meaning::FocusedBorder => (Some(Color::Cyan), Modifier::BOLD),
        Meaning::Muted => (Some(Color::DarkGray), NONE),
        // Reversed, a bar would be where there is none.
        Meaning::Selected => (None, BOLD_UNDERLINED),
        Meaning::Cursor => (None, Modifier::REVERSED),
        Meaning::Marked => (None, Modifier::BOLD),
        Meaning::Added => (Some(Color::Green), NONE),
        Meaning::Removed => (Some(Color::Red), NONE),
        Meaning::AddedWord => (Some(Color::LightGreen), BOLD_UNDERLINED),
        Meaning::RemovedWord => (Some(Color::LightRed), BOLD_UNDERLINED),
        Meaning::Hunk => (Some(Color::Cyan), NONE),
        Meaning::Warning => (Some(Color::Yellow), NONE),
        Meaning::Error => (Some(Color::Red), Modifier::BOLD),
        Meaning::Key => (Some(Color::Cyan), NONE),
        Meaning::Hit => (Some(Color::Yellow), Modifier::UNDERLINED),
        Meaning::CurrentHit => (Some(Color::Yellow), Modifier::REVERSED.union(Modifier::BOLD)),
        Meaning::Playing => (Some(Color::Green), Modifier::BOLD),
    }
}

const BOLD_UNDERLINED: Modifier = Modifier::BOLD.union(Modifier::UNDERLINED);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_colours_there_are_only_modifiers() {
        for meaning in [Meaning::Added, Meaning::Selected, Meaning::Error, Meaning::Hit] {
            let style = Theme::without_colours().style_for(meaning);
            assert_eq!((style.fg, style.bg), (None, None));
        }
    }
}
