//! Computes the areas of the parts, as a pure function. `update` uses them to find what was clicked, `draw` to place
//! the parts.

use ratatui::layout::{Constraint, Layout as Split, Rect};

use crate::widgets::layout::ScreenLayout;

use super::{JudgeSide, JudgesPart};

/// The longest names, in cells.
#[derive(Debug, Clone, Copy)]
pub struct LongestNames {
    pub component: usize,
    pub judge: usize,
}

/// The division of the matrix into columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatrixColumns {
    /// Number of judgements for which there is room, at least one.
    pub seen: usize,
    /// Cells of a component's name, and of a judgement.
    pub name: usize,
    pub column: usize,
}

/// The areas of one frame, borders included. They do not overlap and are inside the layout's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct JudgesAreas {
    pub matrix: Option<Rect>,
    pub pair: Option<Rect>,
    /// The name of the compared component, in rows without a border.
    pub compared_component: Option<Rect>,
    /// The words of the first and of the second.
    pub words: [Option<Rect>; 2],
}

/// Screen width from which two parts are side by side.
const SIDE_BY_SIDE_WIDTH: u16 = 110;

/// Cells of the comparison next to the matrix, borders included.
const PAIR_CELLS: u16 = 48;

/// Screen width from which the texts of both are side by side. With 80 cells each would have 38.
const BOTH_WIDTH: u16 = 100;

/// Rows of the matrix above its components: judge, prompt, turn, repeat, and which are a and b.
pub(crate) const MATRIX_HEAD_ROWS: u16 = 5;

/// Rows of the matrix below its components: which column the cursor is in.
pub(crate) const MATRIX_FOOT_ROWS: u16 = 1;

/// Rows of the comparison above its list.
pub(crate) const PAIR_SUM_ROWS: u16 = 9;

/// Cells of a column, at least and at most: as many as the names of the judges take.
const COLUMN_CELLS: (usize, usize) = (6, 20);

/// Cells of an id, and of each of the two columns of shares.
pub(crate) const ID_CELLS: usize = 5;
pub(crate) const SHARE_CELLS: usize = 9;

/// Cells that a name has at least.
const LEAST_NAME_CELLS: usize = 12;

impl JudgesAreas {
    pub(crate) fn for_layout(layout: &ScreenLayout, part: JudgesPart, side: JudgeSide) -> Self {
        if layout.is_too_small {
            return Self::default();
        }
        let body = layout.body;
        if part == JudgesPart::Both {
            let [about, rest] =
                Split::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(body);
            let words = if body.width >= BOTH_WIDTH {
                let halves = [Constraint::Fill(1), Constraint::Fill(1)];
                let [first, second] = Split::horizontal(halves).areas(rest);
                [Some(first), Some(second)]
            } else {
                JudgeSide::ALL.map(|it| (it == side).then_some(rest))
            };
            return Self { compared_component: Some(about), words, ..Self::default() };
        }
        if body.width < SIDE_BY_SIDE_WIDTH {
            return match part {
                JudgesPart::Matrix => Self { matrix: Some(body), ..Self::default() },
                JudgesPart::Pair | JudgesPart::Both => Self { pair: Some(body), ..Self::default() },
            };
        }
        let sides = [Constraint::Fill(1), Constraint::Length(PAIR_CELLS)];
        let [matrix, pair] = Split::horizontal(sides).areas(body);
        Self { matrix: Some(matrix), pair: Some(pair), ..Self::default() }
    }

    /// Divides the matrix among `count` columns, given the longest names of components and of judges.
    pub(crate) fn matrix_columns(&self, count: usize, longest: LongestNames) -> MatrixColumns {
        let inner = self.matrix.map_or(0, |area| usize::from(area.width.saturating_sub(2)));
        let room = inner.saturating_sub(ID_CELLS + 2 * SHARE_CELLS);
        let seen = (room.saturating_sub(LEAST_NAME_CELLS) / COLUMN_CELLS.0).min(count).max(1);
        let name = room
            .saturating_sub(seen * COLUMN_CELLS.0)
            .min((longest.component + 1).max(LEAST_NAME_CELLS));
        let column = (room.saturating_sub(name) / seen).min(longest.judge + 1);
        MatrixColumns { seen, name, column: column.clamp(COLUMN_CELLS.0, COLUMN_CELLS.1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::layout::{assert_apart, layouts_to_test};

    #[test]
    fn whatever_the_size_the_parts_lie_inside_the_body_and_apart() {
        for layout in layouts_to_test() {
            for part in [JudgesPart::Matrix, JudgesPart::Pair, JudgesPart::Both] {
                for side in JudgeSide::ALL {
                    let areas = JudgesAreas::for_layout(&layout, part, side);
                    let [first, second] = areas.words;
                    let all = [areas.matrix, areas.pair, areas.compared_component, first, second];
                    assert_apart(layout.body, all.into_iter().flatten());
                    let shown_part = match part {
                        JudgesPart::Matrix => areas.matrix,
                        JudgesPart::Pair => areas.pair,
                        JudgesPart::Both => areas.words[side as usize],
                    };
                    assert!(layout.is_too_small || shown_part.is_some());
                }
            }
        }
    }
}
