//! What the sixteen colours are in each theme.
//!
//! A theme says what each of the terminal's colours becomes, so a new meaning is in every theme at once. Colours come
//! from the 256 that terminals have had for decades: more of them do not survive every ssh and tmux.

use ratatui::style::Color;

use crate::widgets::looks::ThemeName;
use trajview_run::values::Named;

/// The colours of a theme, or of a chosen row in one; the terminal's own theme has some for chosen rows only.
pub struct Shades {
    pub ink: Color,
    pub ground: Color,
    /// In the order of [`ANSI`].
    sixteen: [u8; 16],
}

/// The terminal's sixteen colours in their order.
pub const ANSI: [Color; 16] = [
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

static DARK: Shades = Shades {
    ink: Color::Indexed(252),
    ground: Color::Indexed(234),
    sixteen: [236, 203, 114, 179, 75, 176, 80, 250, 245, 210, 157, 222, 117, 183, 159, 231],
};

static LIGHT: Shades = Shades {
    ink: Color::Indexed(235),
    ground: Color::Indexed(231),
    sixteen: [255, 124, 22, 94, 25, 90, 23, 239, 242, 160, 28, 130, 26, 127, 24, 16],
};

static HIGH_CONTRAST: Shades = Shades {
    ink: Color::Indexed(231),
    ground: Color::Indexed(16),
    sixteen: [16, 210, 120, 227, 117, 219, 123, 255, 251, 217, 157, 229, 159, 225, 195, 231],
};

/// Added is blue and removed orange, after Okabe and Ito's palette; the other colours keep away from both.
static COLOUR_BLIND: Shades = Shades {
    ink: Color::Indexed(252),
    ground: Color::Indexed(234),
    sixteen: [236, 208, 75, 227, 152, 182, 188, 250, 245, 215, 117, 229, 153, 225, 195, 231],
};

pub const fn of(theme: ThemeName) -> Option<&'static Shades> {
    match theme {
        ThemeName::Terminal => None,
        ThemeName::Dark => Some(&DARK),
        ThemeName::Light => Some(&LIGHT),
        ThemeName::HighContrast => Some(&HIGH_CONTRAST),
        ThemeName::ColourBlind => Some(&COLOUR_BLIND),
    }
}

/// Chosen rows are tinted, and what stands in them keeps its colours, a little lighter or darker. The terminal's own
/// theme knows nothing of the terminal's ground, so that its chosen rows bring all colours of their own.
static CHOSEN_TERMINAL: Shades = Shades {
    ink: Color::Indexed(255),
    ground: Color::Indexed(238),
    sixteen: [236, 217, 157, 222, 153, 225, 123, 254, 250, 217, 194, 229, 159, 225, 195, 231],
};

static CHOSEN_DARK: Shades = Shades { ground: Color::Indexed(237), ..CHOSEN_TERMINAL };

static CHOSEN_LIGHT: Shades = Shades {
    ink: Color::Indexed(16),
    ground: Color::Indexed(189),
    sixteen: [255, 88, 22, 58, 18, 53, 23, 237, 238, 88, 22, 58, 19, 90, 23, 16],
};

static CHOSEN_HIGH_CONTRAST: Shades = Shades {
    ink: Color::Indexed(231),
    ground: Color::Indexed(18),
    sixteen: [16, 224, 157, 229, 153, 225, 159, 255, 254, 224, 194, 230, 195, 225, 195, 231],
};

static CHOSEN_COLOUR_BLIND: Shades = Shades {
    ink: Color::Indexed(255),
    ground: Color::Indexed(239),
    sixteen: [236, 222, 153, 229, 194, 225, 231, 254, 251, 223, 159, 230, 195, 225, 195, 231],
};

/// The colours of a chosen row.
pub const fn chosen(theme: ThemeName) -> &'static Shades {
    match theme {
        ThemeName::Terminal => &CHOSEN_TERMINAL,
        ThemeName::Dark => &CHOSEN_DARK,
        ThemeName::Light => &CHOSEN_LIGHT,
        ThemeName::HighContrast => &CHOSEN_HIGH_CONTRAST,
        ThemeName::ColourBlind => &CHOSEN_COLOUR_BLIND,
    }
}

/// What the letters of a row become when the row is chosen; None where `ground` is no chosen row's.
pub fn on_chosen(ground: Color) -> Option<impl Fn(Color) -> Color> {
    let theme = ThemeName::ALL.iter().copied().find(|theme| chosen(*theme).ground == ground)?;
    let (usual, chosen) = (of(theme), chosen(theme));
    Some(move |colour| {
        match ANSI.iter().position(|ansi| {
            *ansi == colour || usual.is_some_and(|usual| usual.shade(*ansi) == colour)
        }) {
            Some(place) => Color::Indexed(chosen.sixteen[place]),
            None => chosen.ink,
        }
    })
}

impl Shades {
    /// What one of the sixteen is here; other colours stay.
    pub fn shade(&self, colour: Color) -> Color {
        let place = ANSI.iter().position(|other| *other == colour);
        place.map_or(colour, |place| Color::Indexed(self.sixteen[place]))
    }
}

/// Red, green and blue of a colour of the 256 beyond the first sixteen, as xterm has them.
pub const fn rgb(index: u8) -> Option<[u8; 3]> {
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

/// The nearest of the 256 beyond the first sixteen.
pub fn nearest(wanted: [u8; 3]) -> u8 {
    let far = |index: &u8| {
        rgb(*index)
            .map(|it| (0..3).map(|at| u32::from(it[at].abs_diff(wanted[at])).pow(2)).sum::<u32>())
    };
    (16..=255).min_by_key(far).unwrap_or(16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_colour_of_the_256_is_the_nearest_of_them() {
        assert!((16..=255).all(|index| rgb(nearest(rgb(index).unwrap())) == rgb(index)));
        assert_eq!(rgb(nearest([250, 100, 3])), Some([255, 95, 0]));
        assert_eq!(rgb(nearest([100, 101, 99])), Some([98, 98, 98]));
    }

    fn rgb_of(colour: Color) -> [f64; 3] {
        let Color::Indexed(index) = colour else { panic!("{colour} is not one of the 256") };
        rgb(index).expect("the first sixteen are the terminal's").map(f64::from)
    }

    /// WCAG 2.1, relative luminance and contrast ratio.
    fn contrast(one: Color, other: Color) -> f64 {
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
            let Some(shades) = of(theme) else { continue };
            let least = if theme == ThemeName::HighContrast { 7.0 } else { 4.5 };
            for colour in ANSI.into_iter().skip(1).map(|colour| shades.shade(colour)) {
                let contrast = contrast(colour, shades.ground);
                assert!(contrast >= least, "{theme:?}: {colour} has {contrast:.1}");
            }
            assert!(contrast(shades.ink, shades.ground) >= 7.0, "{theme:?}");
        }
    }

    #[test]
    fn every_colour_can_be_read_in_a_chosen_row_and_the_row_can_be_seen() {
        for theme in ThemeName::ALL.iter().copied() {
            let shades = chosen(theme);
            let least = if theme == ThemeName::HighContrast { 7.0 } else { 4.5 };
            for colour in ANSI.into_iter().skip(1).map(|colour| shades.shade(colour)) {
                let contrast = contrast(colour, shades.ground);
                assert!(contrast >= least, "{theme:?}: {colour} has {contrast:.1}");
            }
            if let Some(usual) = of(theme) {
                let tint = contrast(shades.ground, usual.ground);
                assert!(tint >= 1.2, "{theme:?}: the tint has {tint:.2}");
            }
        }
    }

    #[test]
    fn a_chosen_row_keeps_the_meaning_of_its_colours() {
        for theme in ThemeName::ALL.iter().copied() {
            let on_chosen = on_chosen(chosen(theme).ground).unwrap();
            let usual = |colour| of(theme).map_or(colour, |usual| usual.shade(colour));
            let [red, green, none] =
                [usual(Color::Red), usual(Color::Green), Color::Reset].map(on_chosen);
            assert!(red != green && red != none && green != none, "{theme:?}");
        }
        assert!(on_chosen(Color::Reset).is_none());
    }

    #[test]
    fn blue_and_orange_differ_in_more_than_red_and_green() {
        let shades = of(ThemeName::ColourBlind).unwrap();
        for [added, removed] in [[Color::Green, Color::Red], [Color::LightGreen, Color::LightRed]] {
            let [added, removed] = [added, removed].map(|colour| rgb_of(shades.shade(colour)));
            assert!(added[2] - removed[2] > 100.0, "{added:?} and {removed:?} are as blue");
        }
    }
}
