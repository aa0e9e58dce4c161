//! Computes the areas of the parts of the view, as a pure function. `update` uses them to find what was clicked, `draw`
//! to place the parts.

use ratatui::layout::{Constraint, Layout as Split, Margin, Rect};

use crate::widgets::{layout::ScreenLayout, timeline::column_area};

use super::ComponentsPart;

/// The areas of one frame, borders included. They do not overlap and are inside the layout's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ComponentsAreas {
    /// Two rows, or one, without a border.
    pub header: Rect,
    pub table: Option<Rect>,
    pub verdict: Option<Rect>,
    pub lifeline: Option<Rect>,
}

/// Rows of the names of the columns of the table.
pub(super) const HEAD_ROWS: u16 = 1;

/// Screen width from which the verdict is next to the table.
const SIDE_BY_SIDE_WIDTH: u16 = 110;

/// Screen width from which the table has room for whole lifelines.
const WIDE_TABLE_WIDTH: u16 = 160;

/// Cells of the table next to a verdict, borders included.
const TABLE_CELLS: u16 = 66;

/// Rows below which the lifeline takes turns with the table.
const LOW_BODY_ROWS: u16 = 18;

/// Body height from which a narrow screen has both a verdict and a lifeline.
const HIGH_BODY_ROWS: u16 = 32;

impl ComponentsAreas {
    pub(crate) fn for_layout(layout: &ScreenLayout, part: ComponentsPart) -> Self {
        if layout.is_too_small {
            return Self::default();
        }
        let body = layout.body;
        let lines = if body.height >= LOW_BODY_ROWS { 2 } else { 1 };
        let [header, rest] =
            Split::vertical([Constraint::Length(lines), Constraint::Fill(1)]).areas(body);
        let is_narrow = body.width < SIDE_BY_SIDE_WIDTH;
        // On a narrow screen a verdict, which is read, needs the rows more than the lifeline below it.
        let has_both = rest.height >= LOW_BODY_ROWS
            && !(is_narrow && part == ComponentsPart::Verdict && rest.height < HIGH_BODY_ROWS);
        if !has_both && part == ComponentsPart::Lifeline {
            return Self { header, lifeline: Some(rest), ..Self::default() };
        }
        let below = if !has_both { 0 } else { (rest.height / 3).clamp(8, 13) };
        let [above, lifeline] =
            Split::vertical([Constraint::Fill(1), Constraint::Length(below)]).areas(rest);
        let lifeline = has_both.then_some(lifeline);
        if is_narrow {
            let (table, verdict) = match part {
                ComponentsPart::Verdict => (None, Some(above)),
                ComponentsPart::Table | ComponentsPart::Lifeline => (Some(above), None),
            };
            return Self { header, table, verdict, lifeline };
        }
        let width = if body.width >= WIDE_TABLE_WIDTH { body.width * 7 / 10 } else { TABLE_CELLS };
        let sides = [Constraint::Length(width), Constraint::Fill(1)];
        let [table, verdict] = Split::horizontal(sides).areas(above);
        Self { header, table: Some(table), verdict: Some(verdict), lifeline }
    }

    /// Returns the width in cells inside the border of the verdict; of a hidden one that which it would have.
    pub(crate) fn verdict_width(&self) -> usize {
        let area = self.verdict.or(self.table).or(self.lifeline).unwrap_or_default();
        usize::from(area.width.saturating_sub(2))
    }

    /// Returns the part of the lifeline that shows turns, in the columns of the timeline; empty where there is no lifeline.
    pub(crate) fn strip_area(&self) -> Rect {
        let Some(area) = self.lifeline else { return Rect::default() };
        let inside = area.inner(Margin::new(1, 1));
        column_area(area).intersection(inside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::layout::{assert_apart, layouts_to_test};

    #[test]
    fn whatever_the_size_the_parts_lie_inside_the_body_and_apart() {
        for layout in layouts_to_test() {
            for part in ComponentsPart::ALL {
                let areas = ComponentsAreas::for_layout(&layout, part);
                let parts = [Some(areas.header), areas.table, areas.verdict, areas.lifeline];
                assert_apart(layout.body, parts.into_iter().flatten());
                let shown_part = match part {
                    ComponentsPart::Table => areas.table,
                    ComponentsPart::Verdict => areas.verdict,
                    ComponentsPart::Lifeline => areas.lifeline,
                };
                assert!(layout.is_too_small || shown_part.is_some_and(|area| area.height >= 6));
                let strip = areas.strip_area();
                assert!(areas.lifeline.is_none_or(|area| strip.intersection(area) == strip));
            }
        }
    }
}
