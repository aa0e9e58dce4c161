//! The palette: colours that people with colour blindness tell apart, and dashes and shapes that differ as well.

/// Red, green, blue.
pub(crate) type Rgb = [u8; 3];

/// The colours of Okabe and Ito (Color Universal Design, 2008), the one with the most contrast on paper first; yellow is
/// left out, since a thin yellow line cannot be seen on white.
const COLOURS: [(&str, Rgb); 7] = [
    ("blue", [0x00, 0x72, 0xb2]),
    ("vermillion", [0xd5, 0x5e, 0x00]),
    ("green", [0x00, 0x9e, 0x73]),
    ("purple", [0xcc, 0x79, 0xa7]),
    ("black", [0x00, 0x00, 0x00]),
    ("orange", [0xe6, 0x9f, 0x00]),
    ("sky", [0x56, 0xb4, 0xe9]),
];

/// Lengths of dash and gap in points; none for a solid line.
const DASHES: [&[f64]; 5] = [&[], &[4.0, 2.0], &[1.2, 1.6], &[5.0, 1.6, 1.2, 1.6], &[8.0, 2.0]];

const SHAPES: [MarkShape; 5] = [
    MarkShape::Circle,
    MarkShape::Square,
    MarkShape::Triangle,
    MarkShape::Diamond,
    MarkShape::Down,
];

/// The look of a group, by its place among the groups: 35 of them differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Style(pub usize);

/// The shape of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkShape {
    Circle,
    Square,
    Triangle,
    Diamond,
    /// A triangle that points down.
    Down,
    /// Two crossed lines: lost.
    Cross,
    /// A short vertical line: no longer observed.
    Tick,
}

impl Style {
    pub(crate) const fn rgb(self) -> Rgb {
        COLOURS[self.0 % COLOURS.len()].1
    }

    /// Returns the name of the colour in LaTeX.
    pub(crate) fn colour_name(self) -> String {
        format!("trajview{}", COLOURS[self.0 % COLOURS.len()].0)
    }

    pub(crate) const fn dashes(self) -> &'static [f64] {
        DASHES[self.0 % DASHES.len()]
    }

    pub(crate) const fn shape(self) -> MarkShape {
        SHAPES[self.0 % SHAPES.len()]
    }
}

/// Returns the name and value of each colour.
pub(crate) fn named_colours() -> impl Iterator<Item = (String, Rgb)> {
    COLOURS.into_iter().map(|(name, rgb)| (format!("trajview{name}"), rgb))
}

pub(crate) const INK: Rgb = [0x22, 0x22, 0x22];
pub(crate) const GRID: Rgb = [0xdd, 0xdd, 0xdd];
pub(crate) const WHITE: Rgb = [0xff, 0xff, 0xff];
/// The width of a curve.
pub(crate) const CURVE_WIDTH: f64 = 1.0;
pub(crate) const AXIS_WIDTH: f64 = 0.5;
pub(crate) const BAR_WIDTH: f64 = 3.0;
pub(crate) const BAND_OPACITY: f64 = 0.18;
/// Half of the width of a mark.
pub(crate) const MARK_RADIUS: f64 = 1.7;

/// Returns the colour of a shade: white at 0, the palette's blue at 1.
pub(crate) fn shade_rgb(shade: f64) -> Rgb {
    let share = if shade.is_finite() { shade.clamp(0.0, 1.0) } else { 0.0 };
    let mix = |at: usize| {
        let (from, to) = (f64::from(WHITE[at]), f64::from(COLOURS[0].1[at]));
        (from + (to - from) * share).round() as u8
    };
    [mix(0), mix(1), mix(2)]
}

/// Returns the colour of text with the higher contrast on a shade.
pub(crate) const fn text_on_shade(shade: f64) -> Rgb {
    if shade > 0.85 { WHITE } else { INK }
}
