//! The width of text in the font of figures.

use std::sync::LazyLock;

use ttf_parser::{Face, GlyphId};

/// Arial and Helvetica, which an SVG names as well, have the same widths.
pub(crate) static FACE: LazyLock<Face<'static>> = LazyLock::new(|| {
    Face::parse(trajview_assets::FIGURE_FONT, 0).expect("the font that is compiled in is one")
});

/// Returns the glyph of a letter; the first one, an empty box, for a letter that the font lacks.
pub(crate) fn letter_glyph(letter: char) -> GlyphId {
    FACE.glyph_index(letter).unwrap_or_default()
}

/// Returns the width of a glyph in thousandths of the font's size.
pub(crate) fn glyph_advance(glyph: GlyphId) -> f64 {
    let advance = FACE.glyph_hor_advance(glyph).unwrap_or_default();
    f64::from(advance) * 1000.0 / f64::from(FACE.units_per_em())
}

/// Returns the width of text in points.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().map(|letter| glyph_advance(letter_glyph(letter))).sum::<f64>() * size / 1000.0
}

/// Returns the text, or as much of its beginning as fits, with an ellipsis.
pub(crate) fn fitting_text(text: &str, size: f64, width: f64) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let mut letters: Vec<char> = text.chars().collect();
    while let Some(_last) = letters.pop() {
        let shown: String = letters.iter().collect::<String>().trim_end().to_owned() + "\u{2026}";
        if text_width(&shown, size) <= width {
            return shown;
        }
    }
    String::new()
}
