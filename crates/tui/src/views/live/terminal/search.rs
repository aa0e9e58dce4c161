//! Looking for words in a terminal: on its screen and in the history above it.

use alacritty_terminal::{
    grid::Dimensions,
    index::{Boundary, Column, Direction, Point},
    term::search::{Match, RegexSearch},
};

use super::TerminalScreen;

/// The last match and its words.
#[derive(Debug, Clone)]
pub struct TerminalMatch {
    words: String,
    place: Match,
}

/// The direction of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindDirection {
    /// Towards the history.
    Backward,
    Forward,
}

impl TerminalScreen {
    /// Goes to the next place with these words, from the last one or from the end; round at either end. Small letters
    /// are large ones too, unless a large one is among the words. The error is a sentence.
    pub(crate) fn find_words(
        &mut self,
        words: &str,
        direction: FindDirection,
    ) -> Result<(), String> {
        if words.is_empty() {
            return Err("type a search".into());
        }
        let mut regex = RegexSearch::new(&regex::escape(words))
            .map_err(|_| "the search is too long".to_owned())?;
        let origin = self.search_origin(words, direction);
        let grid_direction = match direction {
            FindDirection::Backward => Direction::Left,
            FindDirection::Forward => Direction::Right,
        };
        let side = grid_direction;
        match self.term.search_next(&mut regex, origin, grid_direction, side, None) {
            Some(place) => {
                self.term.scroll_to_point(*place.start());
                self.last_match = Some(TerminalMatch { words: words.to_owned(), place });
                Ok(())
            }
            None => {
                self.last_match = None;
                Err(format!("no match for {words} in this terminal"))
            }
        }
    }

    /// Returns the start of the search: next to the last match, or at the end.
    fn search_origin(&self, words: &str, direction: FindDirection) -> Point {
        let grid = self.term.grid();
        let end = Point::new(grid.bottommost_line(), grid.last_column());
        match (self.last_match.as_ref().filter(|found| found.words == words), direction) {
            (Some(found), FindDirection::Backward) => {
                found.place.start().sub(grid, Boundary::None, 1)
            }
            (Some(found), FindDirection::Forward) => found.place.end().add(grid, Boundary::None, 1),
            (None, FindDirection::Backward) => end,
            (None, FindDirection::Forward) => Point::new(grid.topmost_line(), Column(0)),
        }
    }

    /// Returns whether the cell at a position of the screen belongs to the match.
    pub fn is_match_cell(&self, column: u16, row: u16) -> bool {
        let Some(found) = &self.last_match else { return false };
        let (Some(start), Some(end)) =
            (self.screen_row(*found.place.start()), self.screen_row(*found.place.end()))
        else {
            return false;
        };
        let at = (i64::from(row), i64::from(column));
        (start..=end).contains(&at)
    }

    /// Returns the row, which may be outside the screen, and the column.
    fn screen_row(&self, point: Point) -> Option<(i64, i64)> {
        let row = i64::from(point.line.0) + i64::try_from(self.lines_back()).ok()?;
        Some((row, i64::try_from(point.column.0).ok()?))
    }
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Size;

    use super::*;

    #[test]
    fn words_are_found_in_the_history_one_after_the_other_and_round() {
        let mut terminal = TerminalScreen::new(Size { width: 12, height: 3 });
        terminal.feed(b"Loss 1\r\nb\r\nc\r\nloss 2\r\ne\r\nf\r\ng");
        let found = |terminal: &TerminalScreen| {
            let row = (0..3).find(|row| terminal.is_match_cell(0, *row))?;
            Some(terminal.cell_at(5, row)?.c)
        };

        terminal.find_words("loss", FindDirection::Backward).unwrap();
        assert_eq!(found(&terminal), Some('2'));
        terminal.find_words("loss", FindDirection::Backward).unwrap();
        assert_eq!(found(&terminal), Some('1'));
        terminal.find_words("loss", FindDirection::Backward).unwrap();
        assert_eq!(found(&terminal), Some('2'));
        terminal.find_words("loss", FindDirection::Forward).unwrap();
        assert_eq!(found(&terminal), Some('1'));
        assert_eq!(
            terminal.find_words("Lose", FindDirection::Forward).unwrap_err(),
            "no match for Lose in this terminal"
        );
        terminal.find_words("Loss", FindDirection::Forward).unwrap();
        assert_eq!(found(&terminal), Some('1'), "a large letter is meant");
    }

    #[test]
    fn what_is_looked_for_is_no_pattern_and_may_be_broken_over_lines() {
        let mut terminal = TerminalScreen::new(Size { width: 4, height: 4 });
        terminal.feed(b"ab(c.d)*");
        assert!(terminal.find_words("(c.d)*", FindDirection::Backward).is_ok());
        assert!(
            terminal.is_match_cell(2, 0)
                && terminal.is_match_cell(3, 1)
                && !terminal.is_match_cell(1, 0)
        );
        assert!(terminal.find_words("abXc", FindDirection::Backward).is_err());
        assert!(terminal.find_words("", FindDirection::Backward).is_err());
    }
}
