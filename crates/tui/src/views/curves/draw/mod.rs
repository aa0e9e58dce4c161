//! The curves: one chart, the values at the playhead, what moved them.

mod chart;
mod moved_list;
mod multiples;
pub(super) mod value_list;

use ratatui::buffer::Buffer;

use crate::{
    session::{Session, curve_values::PointValue},
    views::{
        curves::{CurvesPart, CurvesView, areas::CurvesAreas},
        empty_panels::draw_request_and_steps,
    },
    widgets::{layout::ScreenLayout, theme::Theme},
};

pub(crate) fn draw_curves(
    view: &CurvesView,
    session: &Session,
    theme: Theme,
    layout: &ScreenLayout,
    buffer: &mut Buffer,
) {
    let areas = CurvesAreas::for_layout(layout, view.part);
    chart::draw_chart(view, session, theme, &areas, buffer);
    let has_multiples = areas.multiples.is_some() && multiples::are_worth_drawing(view, session);
    match areas.multiples {
        Some(area) if has_multiples => {
            multiples::draw_multiples(view, session, theme, area, buffer);
        }
        Some(area) => draw_request_and_steps(session, theme, area, buffer),
        None => {}
    }
    if let Some(area) = areas.values {
        value_list::draw_value_list(view, session, theme, area, buffer);
    }
    if areas.moved.is_some() {
        let has_request_above = areas.multiples.is_some() && !has_multiples;
        moved_list::draw_moved_list(view, session, has_request_above, theme, buffer);
    }
}

/// Returns the points of a line. A missing or unknown value leaves a gap.
fn line_points(known: &[PointValue], column: impl Fn(usize) -> u16) -> Vec<(u16, Option<f64>)> {
    known.iter().enumerate().map(|(index, point)| (column(index), point.as_number())).collect()
}

/// Returns whether key presses go to this part of the view.
fn is_focused(view: &CurvesView, part: CurvesPart) -> bool {
    view.part == part
}
