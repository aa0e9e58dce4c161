//! Looking for words in a terminal: on its screen and in the history above it.

use alacritty_terminal::{
    grid::Dimensions,
    index::{Boundary, Column, Direction, Point},
    term::search::{Match, RegexSearch},
};

use super::Terminal;

/// Where the words were found last.
#[derive(Debug, Clone)]
pub struct Found {
    words: String,
    place: Match,
}

/// Which way to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Towards the history.
    Back,
    On,
}

impl Terminal {
    /// Goes to the next place with these words, from the last one or from the end; round at either end. Small letters
    /// are large ones too, unless a large one is among the words. The error is a sentence.
    pub fn find(&mut self, words: &str, way: Way) -> Result<(), String> {
        if words.is_empty() {
            return Err("there is nothing to look for".into());
        }
        let mut regex = RegexSearch::new(&regex::escape(words))
            .map_err(|_| "these words are too many to look for".to_owned())?;
        let origin = self.origin(words, way);
        let direction = match way {
            Way::Back => Direction::Left,
            Way::On => Direction::Right,
        };
        let side = direction;
        match self.term.search_next(&mut regex, origin, direction, side, None) {
            Some(place) => {
                self.term.scroll_to_point(*place.start());
                self.found = Some(Found { words: words.to_owned(), place });
                Ok(())
            }
            None => {
                self.found = None;
                Err(format!("{words} is not in this terminal"))
            }
        }
    }

    /// Beside the last place, or after the end.
    fn origin(&self, words: &str, way: Way) -> Point {
        let grid = self.term.grid();
        let end = Point::new(grid.bottommost_line(), grid.last_column());
        match (self.found.as_ref().filter(|found| found.words == words), way) {
            (Some(found), Way::Back) => found.place.start().sub(grid, Boundary::None, 1),
            (Some(found), Way::On) => found.place.end().add(grid, Boundary::None, 1),
            (None, Way::Back) => end,
            (None, Way::On) => Point::new(grid.topmost_line(), Column(0)),
        }
    }

    /// Forgets what was looked for.
    pub fn forget(&mut self) {
        self.found = None;
    }

    /// Whether the cell at a place of the screen is one of those that were found.
    pub fn is_found(&self, column: u16, row: u16) -> bool {
        let Some(found) = &self.found else { return false };
        let (Some(start), Some(end)) =
            (self.row_of(*found.place.start()), self.row_of(*found.place.end()))
        else {
            return false;
        };
        let at = (i64::from(row), i64::from(column));
        (start..=end).contains(&at)
    }

    /// Row, which may lie outside the screen, and column.
    fn row_of(&self, point: Point) -> Option<(i64, i64)> {
        let row = i64::from(point.line.0) + i64::try_from(self.back()).ok()?;
        Some((row, i64::try_from(point.column.0).ok()?))
    }
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Size;

    use super::*;

    #[test]
    fn words_are_found_in_the_history_one_after_the_other_and_round() {
        let mut terminal = Terminal::new(Size { width: 12, height: 3 });
        terminal.feed(b"Loss 1\r\nb\r\nc\r\nloss 2\r\ne\r\nf\r\ng");
        let found = |terminal: &Terminal| {
            let row = (0..3).find(|row| terminal.is_found(0, *row))?;
            Some(terminal.cell(5, row)?.c)
        };

        terminal.find("loss", Way::Back).unwrap();
        assert_eq!(found(&terminal), Some('2'));
        terminal.find("loss", Way::Back).unwrap();
        assert_eq!(found(&terminal), Some('1'));
        terminal.find("loss", Way::Back).unwrap();
        assert_eq!(found(&terminal), Some('2'));
        terminal.find("loss", Way::On).unwrap();
        assert_eq!(found(&terminal), Some('1'));
        assert_eq!(terminal.find("Lose", Way::On).unwrap_err(), "Lose is not in this terminal");
        terminal.find("Loss", Way::On).unwrap();
        assert_eq!(found(&terminal), Some('1'), "a large letter is meant");
        terminal.forget();
        assert_eq!(found(&terminal), None);
    }

    #[test]
    fn what_is_looked_for_is_no_pattern_and_may_be_broken_over_lines() {
        let mut terminal = Terminal::new(Size { width: 4, height: 4 });
        terminal.feed(b"ab(c.d)*");
        assert!(terminal.find("(c.d)*", Way::Back).is_ok());
        assert!(terminal.is_found(2, 0) && terminal.is_found(3, 1) && !terminal.is_found(1, 0));
        assert!(terminal.find("abXc", Way::Back).is_err());
        assert!(terminal.find("", Way::Back).is_err());
    }
}
