//! A window over more rows than fit.

/// The chosen row and the first visible row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scroll {
    pub cursor: usize,
    pub top: usize,
}

/// A requested move, in rows or in panels full of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    Up(usize),
    Down(usize),
    PageUp,
    PageDown,
    HalfUp,
    HalfDown,
    Start,
    End,
    /// Counts from 1.
    To(usize),
}

impl Motion {
    /// Returns the row that the motion leads to from `row`, among `len` rows of which `height` are visible.
    pub(crate) fn target_row(self, row: usize, len: usize, height: usize) -> usize {
        let last = len.saturating_sub(1);
        let page = height.saturating_sub(1).max(1);
        let half = (height / 2).max(1);
        let wanted = match self {
            Self::Up(rows) => row.saturating_sub(rows),
            Self::Down(rows) => row.saturating_add(rows),
            Self::PageUp => row.saturating_sub(page),
            Self::PageDown => row.saturating_add(page),
            Self::HalfUp => row.saturating_sub(half),
            Self::HalfDown => row.saturating_add(half),
            Self::Start => 0,
            Self::End => last,
            Self::To(number) => number.saturating_sub(1),
        };
        wanted.min(last)
    }

    /// Returns a motion in the same direction by one row.
    pub(crate) const fn by_one_row(self) -> Self {
        match self {
            Self::Up(_) => Self::Up(1),
            Self::Down(_) => Self::Down(1),
            other => other,
        }
    }
}

impl Scroll {
    /// Moves the window as little as needed for the cursor to be seen, a few rows from the edge.
    pub(crate) fn follow_cursor(&mut self, len: usize, height: usize) {
        self.cursor = self.cursor.min(len.saturating_sub(1));
        let margin = 3.min(height.saturating_sub(1) / 2);
        let highest = (self.cursor + margin + 1).saturating_sub(height);
        let lowest = self.cursor.saturating_sub(margin);
        self.top = self.top.max(highest).min(lowest).min(len.saturating_sub(height));
    }
}

impl Scroll {
    /// Moves the window and takes the cursor along only as far as it must, as a wheel does.
    pub(crate) fn scroll_by(&mut self, motion: Motion, len: usize, height: usize) {
        let last_top = len.saturating_sub(height);
        self.top = motion.target_row(self.top, len, height).min(last_top);
        let margin = 3.min(height.saturating_sub(1) / 2);
        let first = if self.top == 0 { 0 } else { self.top + margin };
        let end = self.top + height.saturating_sub(1);
        let last = if self.top == last_top { end } else { end.saturating_sub(margin) };
        self.cursor = self.cursor.clamp(first, last.max(first)).min(len.saturating_sub(1));
    }
}

/// Returns the first visible row of a list of `len` such that `row` is in the middle, where there is enough above and
/// below.
pub(crate) fn centred_top(row: usize, len: usize, height: usize) -> usize {
    row.saturating_sub(height / 2).min(len.saturating_sub(height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_is_always_seen() {
        for height in 1..8 {
            let mut scroll = Scroll::default();
            for cursor in [0, 5, 19, 3, 12, 0, 40] {
                scroll.cursor = cursor;
                scroll.follow_cursor(20, height);
                let seen = scroll.top..scroll.top + height;
                assert!(seen.contains(&scroll.cursor), "{scroll:?} of height {height}");
            }
        }
    }

    #[test]
    fn a_motion_never_leaves_the_rows() {
        assert_eq!(Motion::Down(100).target_row(2, 5, 3), 4);
        assert_eq!(Motion::To(0).target_row(2, 5, 3), 0);
        assert_eq!(Motion::End.target_row(2, 0, 3), 0);
    }
}
