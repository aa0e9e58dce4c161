//! Where the parts stand, as a pure function: `update` asks it what a click means, `draw` where things go.

use ratatui::layout::{Constraint, Layout as Split, Rect};

use crate::widgets::layout::Layout;

use super::{Part, Side};

/// The longest names, in cells.
#[derive(Debug, Clone, Copy)]
pub struct Longest {
    pub component: usize,
    pub judge: usize,
}

/// How the matrix is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Columns {
    /// How many judgements there is room for, at least one.
    pub seen: usize,
    /// Cells of a component's name, and of a judgement.
    pub name: usize,
    pub column: usize,
}

/// The areas of one frame, borders included; they do not overlap and lie inside the layout's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Areas {
    pub matrix: Option<Rect>,
    pub pair: Option<Rect>,
    /// Rows without a border: which component it is that both speak of.
    pub about: Option<Rect>,
    /// The words of the first and of the second.
    pub words: [Option<Rect>; 2],
}

/// From here on two parts stand side by side.
const SIDE_BY_SIDE: u16 = 110;

/// Cells of the comparison beside the matrix, borders included.
const PAIR: u16 = 48;

/// From here on the words of both stand side by side; of 80 cells each has 38.
const BOTH: u16 = 100;

/// Rows of the matrix above its components: judge, prompt, turn, repeat, and which are a and b.
pub const HEADS: u16 = 5;

/// Rows of the matrix below its components: which column the cursor is in.
pub const FEET: u16 = 1;

/// Rows of the comparison above its list.
pub const SUMS: u16 = 8;

/// Cells of a column, at least and at most: as many as the names of the judges take.
const COLUMN: (usize, usize) = (6, 20);

/// Cells of an id, and of each of the two columns of shares.
pub const ID: usize = 5;
pub const SHARE: usize = 9;

/// Cells that a name has at least.
const NAME: usize = 12;

impl Areas {
    pub fn of(layout: &Layout, part: Part, side: Side) -> Self {
        if layout.is_too_small {
            return Self::default();
        }
        let body = layout.body;
        if part == Part::Both {
            let [about, rest] =
                Split::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(body);
            let words = if body.width >= BOTH {
                let halves = [Constraint::Fill(1), Constraint::Fill(1)];
                let [first, second] = Split::horizontal(halves).areas(rest);
                [Some(first), Some(second)]
            } else {
                Side::ALL.map(|it| (it == side).then_some(rest))
            };
            return Self { about: Some(about), words, ..Self::default() };
        }
        if body.width < SIDE_BY_SIDE {
            return match part {
                Part::Matrix => Self { matrix: Some(body), ..Self::default() },
                Part::Pair | Part::Both => Self { pair: Some(body), ..Self::default() },
            };
        }
        let sides = [Constraint::Fill(1), Constraint::Length(PAIR)];
        let [matrix, pair] = Split::horizontal(sides).areas(body);
        Self { matrix: Some(matrix), pair: Some(pair), ..Self::default() }
    }

    /// Rows of components.
    pub fn matrix_height(&self) -> usize {
        let taken = HEADS + FEET + 2;
        self.matrix.map_or(0, |area| usize::from(area.height.saturating_sub(taken)))
    }

    /// Rows of the list of what differs.
    pub fn pair_height(&self) -> usize {
        self.pair.map_or(0, |area| usize::from(area.height.saturating_sub(SUMS + 2)))
    }

    pub fn words_height(&self) -> usize {
        let area = self.words.into_iter().flatten().next();
        area.map_or(0, |area| usize::from(area.height.saturating_sub(2)))
    }

    /// Cells inside the border of either's words.
    pub fn words_width(&self) -> usize {
        let area = self.words.into_iter().flatten().next();
        area.map_or(0, |area| usize::from(area.width.saturating_sub(2)))
    }

    /// How the matrix is divided among so many columns, where the names of components and of judges are at most so long.
    pub fn columns(&self, count: usize, longest: Longest) -> Columns {
        let inner = self.matrix.map_or(0, |area| usize::from(area.width.saturating_sub(2)));
        let room = inner.saturating_sub(ID + 2 * SHARE);
        let seen = (room.saturating_sub(NAME) / COLUMN.0).min(count).max(1);
        let name = room.saturating_sub(seen * COLUMN.0).min((longest.component + 1).max(NAME));
        let column = (room.saturating_sub(name) / seen).min(longest.judge + 1);
        Columns { seen, name, column: column.clamp(COLUMN.0, COLUMN.1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::layout::{Panel, Zoom};
    use ratatui::layout::Size;

    #[test]
    fn whatever_the_size_the_parts_lie_inside_the_body_and_apart() {
        for (width, height) in [(0, 0), (60, 15), (80, 24), (109, 19), (120, 40), (300, 100)] {
            let layout = Layout::of(Size { width, height }, Panel::Turns, Zoom::Off, 0);
            for part in [Part::Matrix, Part::Pair, Part::Both] {
                for side in Side::ALL {
                    let areas = Areas::of(&layout, part, side);
                    let [first, second] = areas.words;
                    let all = [areas.matrix, areas.pair, areas.about, first, second];
                    let all: Vec<Rect> = all.into_iter().flatten().collect();
                    for (at, area) in all.iter().enumerate() {
                        assert_eq!(area.intersection(layout.body), *area);
                        assert!(all[..at].iter().all(|other| !area.intersects(*other)));
                    }
                    let shown = match part {
                        Part::Matrix => areas.matrix,
                        Part::Pair => areas.pair,
                        Part::Both => areas.words[side as usize],
                    };
                    assert!(layout.is_too_small || shown.is_some());
                    let rows = areas.matrix_height() + areas.pair_height() + areas.words_height();
                    assert!(layout.is_too_small || rows >= 3, "{width} x {height}: {part:?}");
                }
            }
        }
    }
}
