//! Lines out of dots: eight dots a cell in braille, one sign a cell where there is only ASCII.

use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use crate::widgets::display_options::Alphabet;

/// The dots of one curve, two to the right and four down a cell.
pub struct DotGrid {
    area: Rect,
    dots: Vec<u8>,
}

/// Bits of a braille character by row, then column.
const BRAILLE_BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

/// The braille character without dots.
const BLANK_BRAILLE: u32 = 0x2800;

/// Returns the dots of a braille character; none of any other.
fn braille_dots(symbol: &str) -> u8 {
    let code = symbol.chars().next().map_or(0, u32::from);
    code.checked_sub(BLANK_BRAILLE).and_then(|dots| u8::try_from(dots).ok()).unwrap_or_default()
}

/// The dash pattern of a line, so that lines differ without colours too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineStroke {
    Full,
    Dashed,
    Dotted,
}

impl LineStroke {
    /// Returns whether the pattern has a dot at this distance from the start of the line.
    const fn has_dot_at(self, along: usize) -> bool {
        match self {
            Self::Full => true,
            Self::Dashed => along % 6 < 4,
            Self::Dotted => along.is_multiple_of(4),
        }
    }

    /// Returns the character for a cell of the line where there is no braille.
    pub(crate) const fn ascii_char(self) -> char {
        match self {
            Self::Full => '.',
            Self::Dashed => '\'',
            Self::Dotted => ':',
        }
    }
}

impl DotGrid {
    pub fn new(area: Rect) -> Self {
        Self { area, dots: vec![0; usize::from(area.width) * usize::from(area.height)] }
    }

    /// Sets a dot, counted from the upper left corner; one outside is left out.
    fn set_dot(&mut self, x: usize, y: usize) {
        let width = usize::from(self.area.width);
        if x / 2 < width
            && let Some(cell) = self.dots.get_mut(y / 4 * width + x / 2)
        {
            *cell |= BRAILLE_BITS[y % 4][x % 2];
        }
    }

    /// Draws a straight line between two dots, both ends included.
    pub(crate) fn draw_line(
        &mut self,
        from: (usize, usize),
        to: (usize, usize),
        stroke: LineStroke,
    ) {
        let steps = from.0.abs_diff(to.0).max(from.1.abs_diff(to.1));
        let between = |from: usize, to: usize, step: usize| match steps {
            0 => from,
            // Rounded, and never below 0 since both ends are not.
            steps => (from * (steps - step) + to * step + steps / 2) / steps,
        };
        for step in 0..=steps {
            let (x, y) = (between(from.0, to.0, step), between(from.1, to.1, step));
            if stroke.has_dot_at(x + y) {
                self.set_dot(x, y);
            }
        }
    }

    /// Draws the dots, beside dots that are already drawn; `sign` replaces a cell where there is no braille.
    pub fn draw(&self, sign: char, style: Style, alphabet: Alphabet, buffer: &mut Buffer) {
        for (cell, at) in self.dots.iter().zip(self.area.positions()) {
            if *cell == 0 {
                continue;
            }
            if let Some(drawn) = buffer.cell_mut(at) {
                let dots = cell | braille_dots(drawn.symbol());
                let sign = match alphabet {
                    Alphabet::Unicode => {
                        char::from_u32(BLANK_BRAILLE + u32::from(dots)).unwrap_or(sign)
                    }
                    Alphabet::Ascii => sign,
                };
                drawn.set_char(sign).set_style(style);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn_text(alphabet: Alphabet) -> String {
        let area = Rect::new(0, 0, 3, 2);
        let mut grid = DotGrid::new(area);
        grid.draw_line((0, 7), (5, 0), LineStroke::Full);
        grid.draw_line((90, 90), (91, 91), LineStroke::Full);
        let mut buffer = Buffer::empty(area);
        grid.draw('*', Style::default(), alphabet, &mut buffer);
        crate::widgets::export::frame_text(&buffer)
    }

    #[test]
    fn a_line_goes_from_end_to_end_and_stays_inside() {
        assert_eq!(drawn_text(Alphabet::Unicode), " ⢀⠎\n⡰⠁\n");
        assert_eq!(drawn_text(Alphabet::Ascii), " **\n**\n");
    }
}
