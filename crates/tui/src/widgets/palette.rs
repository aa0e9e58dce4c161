//! The sixteen colours in each theme.
//!
//! A theme defines each of the terminal's sixteen colours, so a new meaning works in every theme at once. Colours come
//! from the 256 that terminals have had for decades: more of them do not survive every ssh and tmux.

use ratatui::style::Color;

use crate::widgets::display_options::ThemeName;
use trajview_run::worded_enum::NamedValue;

/// The colours of a theme, or of a chosen row in one; the terminal's own theme has some for chosen rows only.
pub struct ThemeShades {
    pub foreground: Color,
    pub background: Color,
    /// Indices among the 256 colours, in the order of [`ANSI`].
    ansi_indices: [u8; 16],
}

/// The terminal's sixteen colours in their order.
pub(crate) const ANSI: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

static DARK: ThemeShades = ThemeShades {
    foreground: Color::Indexed(252),
    background: Color::Indexed(234),
    ansi_indices: [236, 203, 114, 179, 75, 176, 80, 250, 245, 210, 157, 222, 117, 183, 159, 231],
};

static LIGHT: ThemeShades = ThemeShades {
    foreground: Color::Indexed(235),
    background: Color::Indexed(231),
    ansi_indices: [255, 124, 22, 94, 25, 90, 23, 239, 242, 160, 28, 130, 26, 127, 24, 16],
};

static HIGH_CONTRAST: ThemeShades = ThemeShades {
    foreground: Color::Indexed(231),
    background: Color::Indexed(16),
    ansi_indices: [16, 210, 120, 227, 117, 219, 123, 255, 251, 217, 157, 229, 159, 225, 195, 231],
};

/// Added is blue and removed orange, after Okabe and Ito's palette; the other colours keep away from both.
static COLOUR_BLIND: ThemeShades = ThemeShades {
    foreground: Color::Indexed(252),
    background: Color::Indexed(234),
    ansi_indices: [236, 208, 75, 227, 152, 182, 188, 250, 245, 215, 117, 229, 153, 225, 195, 231],
};

pub(crate) const fn theme_shades(theme: ThemeName) -> Option<&'static ThemeShades> {
    match theme {
        ThemeName::Terminal => None,
        ThemeName::Dark => Some(&DARK),
        ThemeName::Light => Some(&LIGHT),
        ThemeName::HighContrast => Some(&HIGH_CONTRAST),
        ThemeName::ColourBlind => Some(&COLOUR_BLIND),
    }
}

/// Chosen rows are tinted, and their text keeps its colours, a little lighter or darker. In the terminal's own theme
/// the background is unknown, so that its chosen rows set all colours themselves.
static CHOSEN_TERMINAL: ThemeShades = ThemeShades {
    foreground: Color::Indexed(255),
    background: Color::Indexed(238),
    ansi_indices: [236, 217, 157, 222, 153, 225, 123, 254, 250, 217, 194, 229, 159, 225, 195, 231],
};

static CHOSEN_DARK: ThemeShades =
    ThemeShades { background: Color::Indexed(237), ..CHOSEN_TERMINAL };

static CHOSEN_LIGHT: ThemeShades = ThemeShades {
    foreground: Color::Indexed(16),
    background: Color::Indexed(189),
    ansi_indices: [255, 88, 22, 58, 18, 53, 23, 237, 238, 88, 22, 58, 19, 90, 23, 16],
};

static CHOSEN_HIGH_CONTRAST: ThemeShades = ThemeShades {
    foreground: Color::Indexed(231),
    background: Color::Indexed(18),
    ansi_indices: [16, 224, 157, 229, 153, 225, 159, 255, 254, 224, 194, 230, 195, 225, 195, 231],
};

static CHOSEN_COLOUR_BLIND: ThemeShades = ThemeShades {
    foreground: Color::Indexed(255),
    background: Color::Indexed(239),
    ansi_indices: [236, 222, 153, 229, 194, 225, 231, 254, 251, 223, 159, 230, 195, 225, 195, 231],
};

/// Returns the colours of a chosen row.
pub(crate) const fn chosen_row_shades(theme: ThemeName) -> &'static ThemeShades {
    match theme {
        ThemeName::Terminal => &CHOSEN_TERMINAL,
        ThemeName::Dark => &CHOSEN_DARK,
        ThemeName::Light => &CHOSEN_LIGHT,
        ThemeName::HighContrast => &CHOSEN_HIGH_CONTRAST,
        ThemeName::ColourBlind => &CHOSEN_COLOUR_BLIND,
    }
}

/// Returns a function that gives each text colour its variant for a chosen row; None where `ground` is not the
/// background of a chosen row.
pub(crate) fn chosen_row_recolouring(ground: Color) -> Option<impl Fn(Color) -> Color> {
    let theme = ThemeName::ALL
        .iter()
        .copied()
        .find(|theme| chosen_row_shades(*theme).background == ground)?;
    let (usual, chosen) = (theme_shades(theme), chosen_row_shades(theme));
    Some(move |colour| {
        match ANSI.iter().position(|ansi| {
            *ansi == colour || usual.is_some_and(|usual| usual.colour_for(*ansi) == colour)
        }) {
            Some(place) => Color::Indexed(chosen.ansi_indices[place]),
            None => chosen.foreground,
        }
    })
}

impl ThemeShades {
    /// Returns this theme's variant of one of the sixteen colours; other colours are returned unchanged.
    pub(crate) fn colour_for(&self, colour: Color) -> Color {
        let place = ANSI.iter().position(|other| *other == colour);
        place.map_or(colour, |place| Color::Indexed(self.ansi_indices[place]))
    }
}

/// Returns red, green and blue of a colour of the 256 beyond the first sixteen, as xterm has them.
pub(crate) const fn rgb_of_index(index: u8) -> Option<[u8; 3]> {
    const fn level(step: u8) -> u8 {
        if step == 0 { 0 } else { 55 + 40 * step }
    }
    match index {
        0..16 => None,
        16..232 => {
            let cube = index - 16;
            Some([level(cube / 36), level(cube / 6 % 6), level(cube % 6)])
        }
        232.. => {
            let grey = 8 + 10 * (index - 232);
            Some([grey, grey, grey])
        }
    }
}

/// Returns the nearest of the 256 beyond the first sixteen.
pub(crate) fn nearest_index(colour: [u8; 3]) -> u8 {
    let far = |index: &u8| {
        rgb_of_index(*index)
            .map(|it| (0..3).map(|at| u32::from(it[at].abs_diff(colour[at])).pow(2)).sum::<u32>())
    };
    (16..=255).min_by_key(far).unwrap_or(16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_colour_of_the_256_is_the_nearest_of_them() {
        assert!((16..=255).all(|index| rgb_of_index(nearest_index(rgb_of_index(index).unwrap()))
            == rgb_of_index(index)));
        assert_eq!(rgb_of_index(nearest_index([250, 100, 3])), Some([255, 95, 0]));
        assert_eq!(rgb_of_index(nearest_index([100, 101, 99])), Some([98, 98, 98]));
    }

    fn rgb_of(colour: Color) -> [f64; 3] {
        let Color::Indexed(index) = colour else { panic!("{colour} is not one of the 256") };
        rgb_of_index(index).expect("the first sixteen are the terminal's").map(f64::from)
    }

    /// Returns the contrast ratio of two colours from their relative luminance (WCAG 2.1).
    fn contrast_ratio(one: Color, other: Color) -> f64 {
        let luminance = |colour| {
            let linear = rgb_of(colour).map(|level| {
                let level = level / 255.0;
                if level <= 0.03928 { level / 12.92 } else { ((level + 0.055) / 1.055).powf(2.4) }
            });
            0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        };
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn every_colour_of_every_theme_can_be_read_on_its_ground() {
        for theme in ThemeName::ALL.iter().copied() {
            let Some(shades) = theme_shades(theme) else { continue };
            let least = if theme == ThemeName::HighContrast { 7.0 } else { 4.5 };
            for colour in ANSI.into_iter().skip(1).map(|colour| shades.colour_for(colour)) {
                let contrast = contrast_ratio(colour, shades.background);
                assert!(contrast >= least, "{theme:?}: {colour} has {contrast:.1}");
            }
            assert!(contrast_ratio(shades.foreground, shades.background) >= 7.0, "{theme:?}");
        }
    }

    #[test]
    fn every_colour_can_be_read_in_a_chosen_row_and_the_row_can_be_seen() {
        for theme in ThemeName::ALL.iter().copied() {
            let shades = chosen_row_shades(theme);
            let least = if theme == ThemeName::HighContrast { 7.0 } else { 4.5 };
            for colour in ANSI.into_iter().skip(1).map(|colour| shades.colour_for(colour)) {
                let contrast = contrast_ratio(colour, shades.background);
                assert!(contrast >= least, "{theme:?}: {colour} has {contrast:.1}");
            }
            if let Some(usual) = theme_shades(theme) {
                let tint = contrast_ratio(shades.background, usual.background);
                assert!(tint >= 1.2, "{theme:?}: the tint has {tint:.2}");
            }
        }
    }

    #[test]
    fn a_chosen_row_keeps_the_meaning_of_its_colours() {
        for theme in ThemeName::ALL.iter().copied() {
            let on_chosen = chosen_row_recolouring(chosen_row_shades(theme).background).unwrap();
            let usual =
                |colour| theme_shades(theme).map_or(colour, |usual| usual.colour_for(colour));
            let [red, green, none] =
                [usual(Color::Red), usual(Color::Green), Color::Reset].map(on_chosen);
            assert!(red != green && red != none && green != none, "{theme:?}");
        }
        assert!(chosen_row_recolouring(Color::Reset).is_none());
    }

    #[test]
    fn blue_and_orange_differ_in_more_than_red_and_green() {
        let shades = theme_shades(ThemeName::ColourBlind).unwrap();
        for [added, removed] in [[Color::Green, Color::Red], [Color::LightGreen, Color::LightRed]] {
            let [added, removed] = [added, removed].map(|colour| rgb_of(shades.colour_for(colour)));
            assert!(added[2] - removed[2] > 100.0, "{added:?} and {removed:?} are as blue");
        }
    }
}
