//! Computes the areas of the parts of the view, as a pure function. `update` uses them to find what was clicked, `draw`
//! to place the parts.

use ratatui::layout::{Constraint, Layout as Split, Rect};

use crate::widgets::layout::{ScreenLayout, inside_border};

use super::TreePart;

/// The areas of one frame, borders included. They do not overlap and are inside the layout's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TreeAreas {
    /// The names of the parts, if there is only room for one of them.
    pub tabs: Option<Rect>,
    pub list: Option<Rect>,
    pub detail: Option<Rect>,
}

/// Rows of the names of the columns.
pub(super) const HEAD_ROWS: u16 = 1;

/// Screen width from which the texts are next to the list: below it the requirements need the whole width.
const SIDE_BY_SIDE_WIDTH: u16 = 160;

/// Body height from which the texts are below the list.
const STACKED_ROWS: u16 = 28;

impl TreeAreas {
    pub(crate) fn for_layout(layout: &ScreenLayout, part: TreePart) -> Self {
        let body = layout.body;
        if layout.is_too_small {
            return Self::default();
        }
        if body.width >= SIDE_BY_SIDE_WIDTH {
            let sides = [Constraint::Fill(2), Constraint::Fill(1)];
            let [list, detail] = Split::horizontal(sides).areas(body);
            return Self { tabs: None, list: Some(list), detail: Some(detail) };
        }
        if body.height >= STACKED_ROWS {
            let sides = [Constraint::Fill(5), Constraint::Fill(2)];
            let [list, detail] = Split::vertical(sides).areas(body);
            return Self { tabs: None, list: Some(list), detail: Some(detail) };
        }
        let [tabs, rest] =
            Split::vertical([Constraint::Length(1), Constraint::Fill(1)]).areas(body);
        match part {
            TreePart::List => Self { tabs: Some(tabs), list: Some(rest), detail: None },
            TreePart::Detail => Self { tabs: Some(tabs), list: None, detail: Some(rest) },
        }
    }

    /// Returns the number of rows of the list, below its heads.
    pub(crate) fn list_height(&self) -> usize {
        self.list_rows().map_or(0, |area| usize::from(area.height))
    }

    /// Returns the area inside the border, below the heads of the columns.
    pub fn list_rows(&self) -> Option<Rect> {
        let inner = inside_border(self.list?);
        let heads = HEAD_ROWS.min(inner.height);
        Some(Rect { y: inner.y + heads, height: inner.height - heads, ..inner })
    }

    /// Returns the area inside the border.
    pub(crate) fn detail_rows(&self) -> Option<Rect> {
        self.detail.map(inside_border)
    }
}

/// The cells of each column of the list. A column without room has none.
#[derive(Debug, Clone, Copy)]
pub struct TreeColumns {
    pub bar: usize,
    pub weight: usize,
    pub kind: usize,
}

pub(crate) const SHARE_CELLS: usize = 7;
pub(crate) const SCORE_CELLS: usize = 6;

/// Cells of the sign of a node, and of its fold mark.
const SIGN_CELLS: usize = 2;
pub(crate) const FOLD_CELLS: usize = 2;

impl TreeColumns {
    pub(crate) const fn for_width(width: usize) -> Self {
        let bar = match width {
            ..66 => 0,
            66..80 => 5,
            _ => 11,
        };
        let kind = if width < 60 { 0 } else { 7 };
        Self { bar, weight: if bar == 0 { 7 } else { 5 }, kind }
    }

    /// Returns the width in cells before the fold mark of the root.
    pub(crate) const fn width_before_fold(self) -> usize {
        SHARE_CELLS + SCORE_CELLS + self.bar + self.weight + 1 + SIGN_CELLS + self.kind
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::layout::{assert_apart, layouts_to_test};

    #[test]
    fn whatever_the_size_the_parts_lie_inside_the_body_and_apart() {
        for layout in layouts_to_test() {
            for part in [TreePart::List, TreePart::Detail] {
                let areas = TreeAreas::for_layout(&layout, part);
                let all = [areas.tabs, areas.list, areas.detail];
                assert_apart(layout.body, all.into_iter().flatten());
                assert!(
                    layout.is_too_small
                        || areas.list_height() + 1 > usize::from(part == TreePart::List)
                );
            }
        }
    }
}
