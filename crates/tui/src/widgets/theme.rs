//! Colours by meaning, from the terminal's own sixteen, so that they follow the user's choice; [`super::palette`] says
//! what the sixteen are in the other themes.
//!
//! Nothing is said by colour alone: every meaning has a sign, a word or a modifier beside it, and
//! [`Theme::plain`] (`NO_COLOR`) keeps only the modifiers.

use ratatui::style::{Color, Modifier, Style};

use crate::widgets::looks::{Alphabet, Depth, Looks, ThemeName};
use trajview_code::highlight::Class;

use super::{
    palette::{self, Shades},
    signs,
    text::Signs,
};

/// What a piece of the screen means.
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
    /// Where typed text goes, and one cell of a line that is chosen.
    Cursor,
    Added,
    Removed,
    /// The words of a line that changed.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Theme {
    name: ThemeName,
    has_colours: bool,
    alphabet: Alphabet,
    depth: Depth,
    tab_width: usize,
}

impl Theme {
    /// The terminal's sixteen colours.
    pub const fn ansi() -> Self {
        Self {
            name: ThemeName::Terminal,
            has_colours: true,
            alphabet: Alphabet::Unicode,
            depth: Depth::Indexed,
            tab_width: 4,
        }
    }

    pub const fn has_colours(self) -> bool {
        self.has_colours
    }

    /// Modifiers only.
    pub const fn plain() -> Self {
        Self { has_colours: false, ..Self::ansi() }
    }

    pub const fn with(looks: Looks) -> Self {
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

    /// A pixel as the terminal can show it; one of xterm's 256 where it has no more.
    pub(crate) fn pixel(self, rgb: [u8; 3]) -> Color {
        match self.depth {
            Depth::Direct => Color::Rgb(rgb[0], rgb[1], rgb[2]),
            Depth::Indexed => Color::Indexed(palette::nearest(rgb)),
        }
    }

    /// The colours of letters and ground where nothing else is said; None where they are the terminal's.
    pub(crate) fn shades(self) -> Option<&'static Shades> {
        palette::of(self.name).filter(|_| self.has_colours)
    }

    /// Our own words as the terminal can show them.
    pub(crate) fn spelled(self, words: &str) -> String {
        match self.alphabet {
            Alphabet::Unicode => words.to_owned(),
            Alphabet::Ascii => signs::spelled(words),
        }
    }

    /// How lines of a file are written out.
    pub(crate) fn writing(self) -> Writing {
        let signs = match self.alphabet {
            Alphabet::Unicode => Signs::Unicode,
            Alphabet::Ascii => Signs::Ascii,
        };
        Writing { sign: self.of(Meaning::Warning), signs, tab_width: self.tab_width }
    }

    pub fn of(self, meaning: Meaning) -> Style {
        let (colour, modifier) = style_of(meaning);
        if meaning == Meaning::Selected && self.has_colours {
            let shades = palette::chosen(self.name);
            return Style::new().fg(shades.ink).bg(shades.ground).add_modifier(Modifier::BOLD);
        }
        self.style(colour, modifier)
    }

    /// Plain where a colour would say nothing: most of a text has none.
    pub fn syntax(self, class: Class) -> Style {
        let (colour, modifier) = match class {
            Class::Keyword => (Some(Color::Magenta), Modifier::empty()),
            Class::String | Class::Raw => (Some(Color::Yellow), Modifier::empty()),
            Class::Escape | Class::Number | Class::Constant => {
                (Some(Color::LightBlue), Modifier::empty())
            }
            Class::Comment => (Some(Color::DarkGray), Modifier::ITALIC),
            Class::Function | Class::Link => (Some(Color::Blue), Modifier::empty()),
            Class::Type | Class::Tag | Class::Attribute => (Some(Color::Cyan), Modifier::empty()),
            Class::Heading | Class::Strong => (None, Modifier::BOLD),
            Class::Emphasis => (None, Modifier::ITALIC),
            Class::Added => (Some(Color::Green), Modifier::empty()),
            Class::Removed => (Some(Color::Red), Modifier::empty()),
            Class::Invalid => (None, Modifier::UNDERLINED),
            Class::Variable | Class::Operator | Class::Punctuation => (None, Modifier::empty()),
        };
        self.style(colour, modifier)
    }

    fn style(self, colour: Option<Color>, modifier: Modifier) -> Style {
        let style = Style::new().add_modifier(modifier);
        match colour {
            Some(colour) if self.has_colours => {
                style.fg(self.shades().map_or(colour, |shades| shades.shade(colour)))
            }
            _ => style,
        }
    }
}

impl Meaning {
    /// A gain is green and a loss red wherever it stands; what is neither has no colour.
    pub const fn of_change(gains: Option<bool>) -> Self {
        match gains {
            Some(true) => Self::Added,
            Some(false) => Self::Removed,
            None => Self::Text,
        }
    }
}

/// How what cannot be seen is written, and where tabs stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Writing {
    pub sign: Style,
    pub signs: Signs,
    pub tab_width: usize,
}

impl From<Style> for Writing {
    /// Signs that look so; the rest as a row of a step has it, which is cut before it is drawn.
    fn from(sign: Style) -> Self {
        Self { sign, signs: Signs::Unicode, tab_width: 4 }
    }
}

const fn style_of(meaning: Meaning) -> (Option<Color>, Modifier) {
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
            let style = Theme::plain().of(meaning);
            assert_eq!((style.fg, style.bg), (None, None));
        }
    }
}
