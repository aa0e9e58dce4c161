//! Colours by meaning, from the terminal's own sixteen, so that they follow the user's choice.
//!
//! Nothing is said by colour alone: every meaning has a sign, a word or a modifier beside it, and
//! [`Theme::plain`] (`NO_COLOR`) keeps only the modifiers.

use ratatui::style::{Color, Modifier, Style};

use crate::code::highlight::Class;

/// What a piece of the screen means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    Text,
    Title,
    Border,
    FocusedBorder,
    Muted,
    /// A chosen row in the panel that has the keyboard.
    Selected,
    /// A chosen row elsewhere.
    Marked,
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
    has_colours: bool,
}

impl Theme {
    /// The terminal's sixteen colours.
    pub const fn ansi() -> Self {
        Self { has_colours: true }
    }

    /// Modifiers only.
    pub const fn plain() -> Self {
        Self { has_colours: false }
    }

    pub const fn of(self, meaning: Meaning) -> Style {
        let (colour, modifier) = style_of(meaning);
        self.style(colour, modifier)
    }

    /// Plain where a colour would say nothing: most of a text has none.
    pub const fn syntax(self, class: Class) -> Style {
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

    const fn style(self, colour: Option<Color>, modifier: Modifier) -> Style {
        let style = Style::new().add_modifier(modifier);
        match colour {
            Some(colour) if self.has_colours => style.fg(colour),
            _ => style,
        }
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
        Meaning::Selected => (None, Modifier::REVERSED),
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
