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

impl Grid {
    pub fn of(area: Rect) -> Self {
        Self { area, dots: vec![0; usize::from(area.width) * usize::from(area.height)] }
    }

    /// Dots from top to bottom.
    pub fn height(&self) -> usize {
        usize::from(self.area.height) * 4
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
    pub fn line(&mut self, from: (usize, usize), to: (usize, usize)) {
        let steps = from.0.abs_diff(to.0).max(from.1.abs_diff(to.1));
        let between = |from: usize, to: usize, step: usize| match steps {
            0 => from,
            // Rounded, and never below 0 since both ends are not.
            steps => (from * (steps - step) + to * step + steps / 2) / steps,
        };
        for step in 0..=steps {
            self.dot(between(from.0, to.0, step), between(from.1, to.1, step));
        }
    }

    /// Draws what has dots; `sign` stands for a cell where there is no braille.
    pub fn draw(&self, sign: char, style: Style, alphabet: Alphabet, buffer: &mut Buffer) {
        for (cell, at) in self.dots.iter().zip(self.area.positions()) {
            if *cell == 0 {
                continue;
            }
            let sign = match alphabet {
                Alphabet::Unicode => char::from_u32(0x2800 + u32::from(*cell)).unwrap_or(sign),
                Alphabet::Ascii => sign,
            };
            if let Some(cell) = buffer.cell_mut(at) {
                cell.set_char(sign).set_style(style);
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
        grid.line((0, 7), (5, 0));
        grid.line((90, 90), (91, 91));
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
