//! The colours that a tool printed, as a theme shows them.
//!
//! The sixteen become those of the theme, all others the nearest of the 256. Nothing is hidden by a colour: letters that
//! could not be told from their ground get others. Without colours bold, underlined and the like are left.

use ratatui::style::{Color, Modifier, Style};

use trajview_code::printed::{Colour, Look};

use super::{
    palette::{ANSI, rgb},
    theme::Theme,
};

/// The least contrast (WCAG 2.1) that letters have with their ground.
const LEAST_CONTRAST: f64 = 2.5;

const BLACK: Color = Color::Indexed(16);
const WHITE: Color = Color::Indexed(231);

/// How a piece of what was printed looks.
pub fn style_of(look: Look, theme: Theme) -> Style {
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
    let (letters, ground) = legible(look, theme);
    let style = letters.map_or(style, |colour| style.fg(colour));
    ground.map_or(style, |colour| style.bg(colour))
}

/// Letters and ground; None for those that are there anyway.
fn legible(look: Look, theme: Theme) -> (Option<Color>, Option<Color>) {
    let shades = theme.shades();
    let shade = |colour| shades.map_or(colour, |shades| shades.shade(colour));
    let (letters, ground) = (look.letters.map(colour_of), look.ground.map(colour_of));
    if letters.is_some() && letters == ground {
        return (None, None);
    }
    let letters = match (letters, ground) {
        // On the ground of most terminals it would not be seen.
        (Some(Color::Black), None) => Some(Color::DarkGray),
        (letters, _) => letters,
    };
    let (letters, ground) = (letters.map(shade), ground.map(shade));
    let over = ground.or(shades.map(|shades| shades.ground));
    let written = letters.or(shades.map(|shades| shades.ink));
    match (written.and_then(luminance), over.and_then(luminance)) {
        (Some(one), Some(other)) if contrast(one, other) < LEAST_CONTRAST => match ground {
            Some(_) => (Some(if other < 0.2 { WHITE } else { BLACK }), ground),
            None => (None, None),
        },
        _ => (letters, ground),
    }
}

/// One of the sixteen, or of the 256.
fn colour_of(colour: Colour) -> Color {
    match colour {
        Colour::Indexed(index) => match ANSI.get(usize::from(index)) {
            Some(colour) => *colour,
            None => Color::Indexed(index),
        },
        Colour::Rgb(wanted) => Color::Indexed(nearest(wanted)),
    }
}

/// The nearest of the 256 beyond the first sixteen, whose colours are the terminal's.
fn nearest(wanted: [u8; 3]) -> u8 {
    let distance = |index: &u8| {
        let known = rgb(*index).unwrap_or_default();
        let parts = known.into_iter().zip(wanted);
        parts.map(|(one, other)| u32::from(one.abs_diff(other)).pow(2)).sum::<u32>()
    };
    (16..=u8::MAX).min_by_key(distance).unwrap_or(16)
}

/// Relative luminance, 0 to 1 (WCAG 2.1); None for a colour that is the terminal's own.
fn luminance(colour: Color) -> Option<f64> {
    let Color::Indexed(index) = colour else { return None };
    let linear = rgb(index)?.map(|level| {
        let level = f64::from(level) / 255.0;
        if level <= 0.03928 { level / 12.92 } else { ((level + 0.055) / 1.055).powf(2.4) }
    });
    Some(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
}

/// Of two luminances, 1 to 21.
fn contrast(one: f64, other: f64) -> f64 {
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::looks::{Looks, ThemeName};

    fn look(letters: Option<Colour>, ground: Option<Colour>) -> Look {
        Look { letters, ground, is_bold: true, ..Look::default() }
    }

    #[test]
    fn colours_are_those_of_the_theme() {
        let dark = Theme::with(Looks { theme: ThemeName::Dark, ..Looks::default() });
        let style = |letters, theme| style_of(look(Some(letters), None), theme);
        let bold = Style::new().add_modifier(Modifier::BOLD);

        let red = Colour::Indexed(1);
        assert_eq!(style(red, Theme::ansi()), bold.fg(Color::Red));
        assert_eq!(style(red, dark), bold.fg(dark.shades().unwrap().shade(Color::Red)));
        assert_eq!(style(Colour::Indexed(208), dark), bold.fg(Color::Indexed(208)));
        let orange = Colour::Rgb([255, 136, 2]);
        assert_eq!(style(orange, Theme::ansi()), bold.fg(Color::Indexed(208)));
        assert_eq!(style(orange, Theme::plain()), bold);
    }

    #[test]
    fn no_letters_are_hidden_in_their_ground() {
        let light = Theme::with(Looks { theme: ThemeName::Light, ..Looks::default() });
        let of = |letters, ground, theme| {
            let style = style_of(look(Some(letters), ground), theme);
            (style.fg, style.bg)
        };
        let (white, black) = (Colour::Indexed(231), Colour::Indexed(0));
        assert_eq!(of(white, Some(white), Theme::ansi()), (None, None));
        assert_eq!(of(black, None, Theme::ansi()), (Some(Color::DarkGray), None));
        assert_eq!(of(white, None, light), (None, None));
        let snow = Colour::Indexed(255);
        assert_eq!(of(snow, Some(white), light), (Some(BLACK), Some(WHITE)));
    }
}
