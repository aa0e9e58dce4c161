//! Where the parts of the view stand, as a pure function: `update` asks it what a click means, `draw` where things go.

use ratatui::layout::{Constraint, Layout as Split, Rect};

use crate::widgets::layout::Layout;
use trajview_metrics::numbers::CURVES;

use super::Part;

/// The areas of one frame, borders included; they do not overlap and lie inside the layout's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Areas {
    pub chart: Rect,
    /// The values at the playhead; not shown where there is room for one list only and the other is wanted.
    pub values: Option<Rect>,
    /// What moved the point.
    pub moved: Option<Rect>,
    /// Every curve in small, where there is room beside the chart.
    pub multiples: Option<Rect>,
}

/// From here on both lists stand beside each other below the chart.
const SIDE_BY_SIDE: u16 = 110;

/// Cells of the list of values, borders included.
const VALUES: u16 = 58;

/// From here on every curve stands in small beside the chart, in columns of so many cells; the chart keeps so many.
const MULTIPLES: u16 = 180;
pub const MULTIPLE: u16 = 36;
const CHART: u16 = 90;

/// Cells to the left of the plot: the numbers of the axis and the axis itself.
pub const LEFT: u16 = 9;

/// Cells to the right of the plot: the names of the curves.
pub const RIGHT: u16 = 20;

/// Rows below the plot: the axis, the checkpoints, the phases; on a small screen the axis alone.
const BELOW: u16 = 3;

/// A lower chart has no rows to spare for names.
const LOW: u16 = 9;

impl Areas {
    pub fn of(layout: &Layout, part: Part) -> Self {
        let body = layout.body;
        // That of a memory few runs have; the list goes on below where there is no room.
        let rows = CURVES.iter().filter(|number| !number.is_of_process()).count() as u16 + 2;
        if layout.is_too_small {
            return Self::default();
        }
        let has_both = body.width >= SIDE_BY_SIDE;
        let below = match has_both {
            true => (body.height * 2 / 5).max(rows.min(body.height / 2)),
            false => rows.min((body.height + 2) / 2),
        };
        let [chart, lists] =
            Split::vertical([Constraint::Fill(1), Constraint::Length(below)]).areas(body);
        let columns = body.width.saturating_sub(CHART) / MULTIPLE;
        let (chart, multiples) = match body.width {
            MULTIPLES.. => {
                let sides = [Constraint::Fill(1), Constraint::Length(columns * MULTIPLE)];
                let [chart, multiples] = Split::horizontal(sides).areas(chart);
                (chart, Some(multiples))
            }
            _ => (chart, None),
        };
        if has_both {
            let sides = [Constraint::Length(VALUES), Constraint::Fill(1)];
            let [values, moved] = Split::horizontal(sides).areas(lists);
            return Self { chart, values: Some(values), moved: Some(moved), multiples };
        }
        match part {
            Part::Chart => Self { chart, values: Some(lists), moved: None, multiples },
            Part::Moved => Self { chart, values: None, moved: Some(lists), multiples },
        }
    }

    /// Rows of the list of what moved.
    pub fn list_height(&self) -> usize {
        self.moved.map_or(0, |area| usize::from(area.height.saturating_sub(2)))
    }

    /// The cells that the curves are drawn in.
    pub fn plot(&self) -> Rect {
        let area = self.chart;
        let width = area.width.saturating_sub(2 + LEFT + RIGHT);
        let height = area.height.saturating_sub(2 + self.rows_below());
        Rect { x: area.x + 1 + LEFT.min(area.width), y: area.y + 1, width, height }
    }

    /// Rows below the plot.
    pub const fn rows_below(&self) -> u16 {
        if self.chart.height < LOW { 1 } else { BELOW }
    }

    /// The point nearest to a column of the screen among `count`; None outside of the plot or without points.
    pub fn point_at(&self, column: u16, row: u16, count: usize) -> Option<usize> {
        let plot = self.plot();
        let is_here = (plot.x..plot.right()).contains(&column)
            && (plot.y..plot.bottom() + self.rows_below()).contains(&row);
        let cell = is_here.then(|| usize::from(column - plot.x))?;
        (0..count)
            .min_by_key(|index| cell_of(*index, count, usize::from(plot.width)).abs_diff(cell))
    }
}

/// The column of a point, counted from the first of `width`. One point stands in the middle.
pub fn cell_of(index: usize, count: usize, width: usize) -> usize {
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
    use crate::widgets::layout::{Panel, Zoom};
    use ratatui::layout::Size;

    fn layout(width: u16, height: u16) -> Layout {
        Layout::of(Size { width, height }, Panel::Turns, Zoom::Off, 0)
    }

    #[test]
    fn whatever_the_size_the_parts_lie_inside_the_body_and_apart() {
        for (width, height) in [(0, 0), (60, 15), (80, 24), (100, 15), (120, 40), (300, 100)] {
            for part in [Part::Chart, Part::Moved] {
                let layout = layout(width, height);
                let areas = Areas::of(&layout, part);
                let lists = areas.values.into_iter().chain(areas.moved).chain(areas.multiples);
                let lists: Vec<Rect> = lists.collect();
                for (at, area) in lists.iter().enumerate() {
                    assert_eq!(area.intersection(layout.body), *area);
                    assert!(!area.intersects(areas.chart));
                    assert!(lists[..at].iter().all(|other| !area.intersects(*other)));
                }
                assert!(layout.is_too_small || areas.plot().height >= 1, "{width}x{height}");
                assert_eq!(areas.plot().intersection(areas.chart), areas.plot());
            }
        }
    }

    #[test]
    fn a_click_on_a_point_finds_the_point() {
        let areas = Areas::of(&layout(120, 40), Part::Chart);
        let plot = areas.plot();
        for count in [1, 2, 9, 56] {
            for index in 0..count {
                let column = plot.x + cell_of(index, count, usize::from(plot.width)) as u16;
                assert_eq!(areas.point_at(column, plot.y, count), Some(index));
            }
        }
        assert_eq!(areas.point_at(0, plot.y, 9), None);
        assert_eq!(areas.point_at(plot.x, plot.y, 0), None);
    }
}
