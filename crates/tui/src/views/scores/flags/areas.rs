//! Computes the areas of the parts of the view, as a pure function. `update` uses them to find what was clicked, `draw`
//! to place the parts.

use ratatui::layout::{Constraint, Layout as Split, Rect};

use crate::widgets::layout::ScreenLayout;

/// The areas of one frame, borders included. They do not overlap and are inside the layout's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FlagsAreas {
    /// Two rows, or one, without a border.
    pub header: Rect,
    pub table: Rect,
    /// The text of the chosen flag, if there are enough rows.
    pub detail: Option<Rect>,
}

/// Rows of the names of the columns.
pub(super) const HEAD_ROWS: u16 = 1;

/// Rows below which the table has all of them.
const LOW_BODY_ROWS: u16 = 14;

impl FlagsAreas {
    pub(crate) fn for_layout(layout: &ScreenLayout) -> Self {
        if layout.is_too_small {
            return Self::default();
        }
        let body = layout.body;
        let is_low = body.height < LOW_BODY_ROWS;
        let below = if is_low { 0 } else { (body.height / 4).clamp(6, 10) };
        let header = if is_low { 1 } else { 2 };
        let rows = [Constraint::Length(header), Constraint::Fill(1), Constraint::Length(below)];
        let [header, table, detail] = Split::vertical(rows).areas(body);
        Self { header, table, detail: (!is_low).then_some(detail) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::layout::{assert_apart, layouts_to_test};

    #[test]
    fn whatever_the_size_the_parts_lie_inside_the_body_and_apart() {
        for layout in layouts_to_test() {
            let areas = FlagsAreas::for_layout(&layout);
            let all = [Some(areas.header), Some(areas.table), areas.detail];
            assert_apart(layout.body, all.into_iter().flatten());
            assert!(layout.is_too_small || areas.table.height >= HEAD_ROWS + 5);
        }
    }
}
