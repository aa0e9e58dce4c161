//! The colours that a tool printed, adapted to the theme.
//!
//! The sixteen colours become those of the theme, all others the nearest of the 256. No colour hides text: letters
//! without enough contrast to their background get another colour. Without colours only bold, underlined and other
//! modifiers remain.

use ratatui::style::{Color, Modifier, Style};

use trajview_code::ansi_text::{AnsiColour, TextStyle};

use super::{
    palette::{ANSI, rgb_of_index},
    theme::Theme,
};

/// The minimal contrast (WCAG 2.1) of text and its background.
const MIN_CONTRAST: f64 = 2.5;

const BLACK: Color = Color::Indexed(16);
const WHITE: Color = Color::Indexed(231);

/// Returns the style that draws text with the attributes that a tool printed.
pub(crate) fn printed_style(look: TextStyle, theme: Theme) -> Style {
    let modifiers = [
        (look.is_bold, Modifier::BOLD),
        (look.is_faint, Modifier::DIM),
        (look.is_italic, Modifier::ITALIC),
        (look.is_underlined, Modifier::UNDERLINED),
        (look.is_reversed, Modifier::REVERSED),
        (look.is_crossed_out, Modifier::CROSSED_OUT),
    ];
    let modifiers = modifiers.into_iter().filter(|(is_on, _)| *is_on);
    let style = modifiers.fold(Style::new(), |style, (_, it)| style.add_modifier(it));
    if !theme.has_colours() {
        return style;
    }
    let (letters, ground) = legible_colours(look, theme);
    let style = letters.map_or(style, |colour| style.fg(colour));
    ground.map_or(style, |colour| style.bg(colour))
}

/// Returns the colours of text and background; None for those that are the default.
fn legible_colours(look: TextStyle, theme: Theme) -> (Option<Color>, Option<Color>) {
    let shades = theme.theme_shades();
    let shade = |colour| shades.map_or(colour, |shades| shades.colour_for(colour));
    let (letters, ground) =
        (look.foreground.map(terminal_colour), look.background.map(terminal_colour));
    if letters.is_some() && letters == ground {
        return (None, None);
    }
    let letters = match (letters, ground) {
        // Black text would be invisible on the background of most terminals.
        (Some(Color::Black), None) => Some(Color::DarkGray),
        (letters, _) => letters,
    };
    let (letters, ground) = (letters.map(shade), ground.map(shade));
    let over = ground.or(shades.map(|shades| shades.background));
    let written = letters.or(shades.map(|shades| shades.foreground));
    match (written.and_then(relative_luminance), over.and_then(relative_luminance)) {
        (Some(one), Some(other)) if contrast_ratio(one, other) < MIN_CONTRAST => match ground {
            Some(_) => (Some(if other < 0.2 { WHITE } else { BLACK }), ground),
            None => (None, None),
        },
        _ => (letters, ground),
    }
}

/// Converts a colour of the output to one of the sixteen, or of the 256.
fn terminal_colour(colour: AnsiColour) -> Color {
    match colour {
        AnsiColour::Indexed(index) => match ANSI.get(usize::from(index)) {
            Some(colour) => *colour,
            None => Color::Indexed(index),
        },
        AnsiColour::Rgb(wanted) => Color::Indexed(nearest_index(wanted)),
    }
}

/// Returns the nearest of the 256 beyond the first sixteen, whose colours are the terminal's.
fn nearest_index(colour: [u8; 3]) -> u8 {
    let distance = |index: &u8| {
        let known = rgb_of_index(*index).unwrap_or_default();
        let parts = known.into_iter().zip(colour);
        parts.map(|(one, other)| u32::from(one.abs_diff(other)).pow(2)).sum::<u32>()
    };
    (16..=u8::MAX).min_by_key(distance).unwrap_or(16)
}

/// Returns relative luminance, 0 to 1 (WCAG 2.1); None for a colour that is the terminal's own.
fn relative_luminance(colour: Color) -> Option<f64> {
    let Color::Indexed(index) = colour else { return None };
    let linear = rgb_of_index(index)?.map(|level| {
        let level = f64::from(level) / 255.0;
        if level <= 0.03928 { level / 12.92 } else { ((level + 0.055) / 1.055).powf(2.4) }
    });
    Some(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
}

/// Returns the contrast ratio of two luminances, 1 to 21.
fn contrast_ratio(one: f64, other: f64) -> f64 {
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::display_options::{DisplayOptions, ThemeName};

    fn bold_look(letters: Option<AnsiColour>, ground: Option<AnsiColour>) -> TextStyle {
        TextStyle { foreground: letters, background: ground, is_bold: true, ..TextStyle::default() }
    }

    #[test]
    fn colours_are_those_of_the_theme() {
        let dark = Theme::from_options(DisplayOptions {
            theme: ThemeName::Dark,
            ..DisplayOptions::default()
        });
        let style = |letters, theme| printed_style(bold_look(Some(letters), None), theme);
        let bold = Style::new().add_modifier(Modifier::BOLD);

        let red = AnsiColour::Indexed(1);
        assert_eq!(style(red, Theme::with_terminal_colours()), bold.fg(Color::Red));
        assert_eq!(style(red, dark), bold.fg(dark.theme_shades().unwrap().colour_for(Color::Red)));
        assert_eq!(style(AnsiColour::Indexed(208), dark), bold.fg(Color::Indexed(208)));
        let orange = AnsiColour::Rgb([255, 136, 2]);
        assert_eq!(style(orange, Theme::with_terminal_colours()), bold.fg(Color::Indexed(208)));
        assert_eq!(style(orange, Theme::without_colours()), bold);
    }

    #[test]
    fn no_letters_are_hidden_in_their_ground() {
        let light = Theme::from_options(DisplayOptions {
            theme: ThemeName::Light,
            ..DisplayOptions::default()
        });
        let of = |letters, ground, theme| {
            let style = printed_style(bold_look(Some(letters), ground), theme);
            (style.fg, style.bg)
        };
        let (white, black) = (AnsiColour::Indexed(231), AnsiColour::Indexed(0));
        assert_eq!(of(white, Some(white), Theme::with_terminal_colours()), (None, None));
        assert_eq!(of(black, None, Theme::with_terminal_colours()), (Some(Color::DarkGray), None));
        assert_eq!(of(white, None, light), (None, None));
        let snow = AnsiColour::Indexed(255);
        assert_eq!(of(snow, Some(white), light), (Some(BLACK), Some(WHITE)));
    }
}
