//! Lines out of dots: eight dots a cell in braille, one sign a cell where there is only ASCII.

use ratatui::{buffer::Buffer, layout::Rect, style::Style};

use crate::widgets::looks::Alphabet;

/// The dots of one curve, two to the right and four down a cell.
pub struct Grid {
    area: Rect,
    dots: Vec<u8>,
}

/// Bits of a braille character by row, then column.
const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

/// The braille character without dots.
const BRAILLE: u32 = 0x2800;

/// The dots of a braille character; none of any other.
fn dots_of(symbol: &str) -> u8 {
    let code = symbol.chars().next().map_or(0, u32::from);
    code.checked_sub(BRAILLE).and_then(|dots| u8::try_from(dots).ok()).unwrap_or_default()
}

/// How a line goes from point to point: lines are told apart without colours too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stroke {
    Full,
    Dashed,
    Dotted,
}

impl Stroke {
    /// Whether there is a dot so far along.
    const fn has(self, along: usize) -> bool {
        match self {
            Self::Full => true,
            Self::Dashed => along % 6 < 4,
            Self::Dotted => along.is_multiple_of(4),
        }
    }

    /// What a cell of it is where there is no braille.
    pub const fn ascii(self) -> char {
        match self {
            Self::Full => '.',
            Self::Dashed => '\'',
            Self::Dotted => ':',
        }
    }
}

impl Grid {
    pub fn of(area: Rect) -> Self {
        Self { area, dots: vec![0; usize::from(area.width) * usize::from(area.height)] }
    }

    /// Counts from the upper left corner; a dot outside is left out.
    fn dot(&mut self, x: usize, y: usize) {
        let width = usize::from(self.area.width);
        if x / 2 < width
            && let Some(cell) = self.dots.get_mut(y / 4 * width + x / 2)
        {
            *cell |= BITS[y % 4][x % 2];
        }
    }

    /// A straight line between two dots, both ends included.
    pub fn line(&mut self, from: (usize, usize), to: (usize, usize), stroke: Stroke) {
        let steps = from.0.abs_diff(to.0).max(from.1.abs_diff(to.1));
        let between = |from: usize, to: usize, step: usize| match steps {
            0 => from,
            // Rounded, and never below 0 since both ends are not.
            steps => (from * (steps - step) + to * step + steps / 2) / steps,
        };
        for step in 0..=steps {
            let (x, y) = (between(from.0, to.0, step), between(from.1, to.1, step));
            if stroke.has(x + y) {
                self.dot(x, y);
            }
        }
    }

    /// Draws what has dots, beside the dots that are there; `sign` stands for a cell where there is no braille.
    pub fn draw(&self, sign: char, style: Style, alphabet: Alphabet, buffer: &mut Buffer) {
        for (cell, at) in self.dots.iter().zip(self.area.positions()) {
            if *cell == 0 {
                continue;
            }
            if let Some(drawn) = buffer.cell_mut(at) {
                let dots = cell | dots_of(drawn.symbol());
                let sign = match alphabet {
                    Alphabet::Unicode => char::from_u32(BRAILLE + u32::from(dots)).unwrap_or(sign),
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

    fn drawn(alphabet: Alphabet) -> String {
        let area = Rect::new(0, 0, 3, 2);
        let mut grid = Grid::of(area);
        grid.line((0, 7), (5, 0), Stroke::Full);
        grid.line((90, 90), (91, 91), Stroke::Full);
        let mut buffer = Buffer::empty(area);
        grid.draw('*', Style::default(), alphabet, &mut buffer);
        crate::widgets::export::text(&buffer)
    }

    #[test]
    fn a_line_goes_from_end_to_end_and_stays_inside() {
        assert_eq!(drawn(Alphabet::Unicode), " ⢀⠎\n⡰⠁\n");
        assert_eq!(drawn(Alphabet::Ascii), " **\n**\n");
    }
}
