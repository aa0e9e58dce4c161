//! Computes the areas of the parts of the view, as a pure function. `update` uses them to find what was clicked, `draw`
//! to place the parts.

use ratatui::layout::{Constraint, Layout as Split, Rect};

use crate::widgets::layout::ScreenLayout;
use trajview_metrics::numbers::CURVES;

use super::CurvesPart;

/// The areas of one frame, borders included. They do not overlap and are inside the layout's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CurvesAreas {
    pub chart: Rect,
    /// The values at the playhead. Not shown if there is room for one list only and the other is wanted.
    pub values: Option<Rect>,
    /// The list of changes that moved the point.
    pub moved: Option<Rect>,
    /// All curves as small multiples, if there is room beside the chart.
    pub multiples: Option<Rect>,
}

/// Screen width from which both lists are side by side below the chart.
const SIDE_BY_SIDE_WIDTH: u16 = 110;

/// Cells of the list of values, borders included.
const VALUES_CELLS: u16 = 63;

/// Rows below the list of values that define the chosen number, at most.
pub(super) const DEFINITION_ROWS: u16 = 2;

/// Screen width from which every curve is drawn as a small multiple beside the chart, with the cells of such a column
/// and of the chart.
const MULTIPLES_WIDTH: u16 = 180;
pub(crate) const MULTIPLE_CELLS: u16 = 36;
const CHART_CELLS: u16 = 90;

/// Cells to the left of the plot: the numbers of the axis and the axis itself.
pub(crate) const CELLS_LEFT_OF_PLOT: u16 = 9;

/// Cells to the right of the plot: the names of the curves.
pub(crate) const CELLS_RIGHT_OF_PLOT: u16 = 20;

/// Rows below the plot: the axis, the checkpoints, the phases; on a small screen the axis alone.
const ROWS_BELOW_PLOT: u16 = 3;

/// A lower chart has no rows to spare for names.
const LOW_CHART_ROWS: u16 = 9;

impl CurvesAreas {
    pub(crate) fn for_layout(layout: &ScreenLayout, part: CurvesPart) -> Self {
        let body = layout.body;
        // Few runs have the curve of the memory. The list can be scrolled if there is no room for it.
        let rows = CURVES.iter().filter(|number| !number.is_of_process()).count() as u16
            + DEFINITION_ROWS
            + 2;
        if layout.is_too_small {
            return Self::default();
        }
        let has_both = body.width >= SIDE_BY_SIDE_WIDTH;
        let below = match has_both {
            true => (body.height * 2 / 5).max(rows.min(body.height / 2)),
            false => rows.min((body.height + 2) / 2),
        };
        let [chart, lists] =
            Split::vertical([Constraint::Fill(1), Constraint::Length(below)]).areas(body);
        let columns = body.width.saturating_sub(CHART_CELLS) / MULTIPLE_CELLS;
        let (chart, multiples) = match body.width {
            MULTIPLES_WIDTH.. => {
                let sides = [Constraint::Fill(1), Constraint::Length(columns * MULTIPLE_CELLS)];
                let [chart, multiples] = Split::horizontal(sides).areas(chart);
                (chart, Some(multiples))
            }
            _ => (chart, None),
        };
        if has_both {
            let sides = [Constraint::Length(VALUES_CELLS), Constraint::Fill(1)];
            let [values, moved] = Split::horizontal(sides).areas(lists);
            return Self { chart, values: Some(values), moved: Some(moved), multiples };
        }
        match part {
            CurvesPart::Chart => Self { chart, values: Some(lists), moved: None, multiples },
            CurvesPart::Moved => Self { chart, values: None, moved: Some(lists), multiples },
        }
    }

    /// Returns the area in which the curves are drawn, without the axes.
    pub(crate) fn plot_area(&self) -> Rect {
        let area = self.chart;
        let width = area.width.saturating_sub(2 + CELLS_LEFT_OF_PLOT + CELLS_RIGHT_OF_PLOT);
        let height = area.height.saturating_sub(2 + self.rows_below());
        Rect { x: area.x + 1 + CELLS_LEFT_OF_PLOT.min(area.width), y: area.y + 1, width, height }
    }

    /// Returns the number of rows below the plot.
    pub(crate) const fn rows_below(&self) -> u16 {
        if self.chart.height < LOW_CHART_ROWS { 1 } else { ROWS_BELOW_PLOT }
    }

    /// Returns the point nearest to a column of the screen among `count`. None outside of the plot or without points.
    pub fn point_at(&self, column: u16, row: u16, count: usize) -> Option<usize> {
        let plot = self.plot_area();
        let is_here = (plot.x..plot.right()).contains(&column)
            && (plot.y..plot.bottom() + self.rows_below()).contains(&row);
        let cell = is_here.then(|| usize::from(column - plot.x))?;
        (0..count)
            .min_by_key(|index| point_column(*index, count, usize::from(plot.width)).abs_diff(cell))
    }
}

/// Returns the column of a point, counted from the first of `width`. A single point is in the middle.
pub(crate) fn point_column(index: usize, count: usize, width: usize) -> usize {
    let last = width.saturating_sub(1);
    match count {
        0 | 1 => last / 2,
        // Points are spread from edge to edge.
        count => (index.min(count - 1) * last + (count - 1) / 2) / (count - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::widgets::layout::{PanelNeeds, ReplayPanel, Zoom, assert_apart, layouts_to_test};
    use ratatui::layout::Size;

    #[test]
    fn whatever_the_size_the_parts_lie_inside_the_body_and_apart() {
        for layout in layouts_to_test() {
            for part in [CurvesPart::Chart, CurvesPart::Moved] {
                let areas = CurvesAreas::for_layout(&layout, part);
                let lists = areas.values.into_iter().chain(areas.moved).chain(areas.multiples);
                assert_apart(layout.body, lists.chain([areas.chart]));
                assert!(layout.is_too_small || areas.plot_area().height >= 1, "{layout:?}");
                assert_eq!(areas.plot_area().intersection(areas.chart), areas.plot_area());
            }
        }
    }

    #[test]
    fn a_click_on_a_point_finds_the_point() {
        let size = Size { width: 120, height: 40 };
        let layout = ScreenLayout::new(size, ReplayPanel::Turns, Zoom::Off, &PanelNeeds::default());
        let areas = CurvesAreas::for_layout(&layout, CurvesPart::Chart);
        let plot = areas.plot_area();
        for count in [1, 2, 9, 56] {
            for index in 0..count {
                let column = plot.x + point_column(index, count, usize::from(plot.width)) as u16;
                assert_eq!(areas.point_at(column, plot.y, count), Some(index));
            }
        }
        assert_eq!(areas.point_at(0, plot.y, 9), None);
        assert_eq!(areas.point_at(plot.x, plot.y, 0), None);
    }
}
