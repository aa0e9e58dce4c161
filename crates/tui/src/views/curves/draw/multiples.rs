//! Every curve of the list in small, each on a scale of its own, with its value at the playhead.

use ratatui::{buffer::Buffer, layout::Rect, text::Line, widgets::Widget};
use trajview_run::format_number;

use crate::{
    session::{
        Session,
        curve_points::RunPoint,
        curve_values::{self, PointValue},
    },
    views::curves::{
        CurvesView,
        areas::{MULTIPLE_CELLS, point_column},
    },
    widgets::{
        axis_ticks::round_up,
        braille::LineStroke,
        line::{left_and_right, trusted_span},
        panel::{PanelTitles, draw_titled_panel},
        plot::{Plot, PlotTrace},
        theme::{Meaning, Theme},
    },
};
use trajview_metrics::Number;

use super::line_points;

/// Rows of a curve with its head, at least and at most.
const MULTIPLE_ROWS: (u16, u16) = (4, 14);

/// Numbers with values from which on they are worth the room beside the chart.
const LEAST_CURVES: usize = 3;

/// Returns whether enough numbers have a value somewhere, or may get one: else there is nothing to see but names.
pub(crate) fn are_worth_drawing(view: &CurvesView, session: &Session) -> bool {
    let points = view.axis_points(session);
    let has_value = |number: &Number| {
        let values = curve_values::point_values(*number, session, &points);
        values.iter().any(|value| !matches!(value, PointValue::NotRecorded))
    };
    let listed = curve_values::listed_numbers(session);
    listed.into_iter().filter(has_value).take(LEAST_CURVES).count() == LEAST_CURVES
}

pub(crate) fn draw_multiples(
    view: &CurvesView,
    session: &Session,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let points = view.axis_points(session);
    let listed = curve_values::listed_numbers(session);
    let title = Line::styled(" all curves ", theme.style_for(Meaning::Text));
    let scale = Line::styled(" each from 0 to its highest ", theme.style_for(Meaning::Muted))
        .right_aligned();
    let titles = PanelTitles::from(title).with_right(scale);
    let inner = draw_titled_panel(false, titles, theme, area, buffer);
    let columns = usize::from(area.width / MULTIPLE_CELLS).max(1);
    let rows = listed.len().div_ceil(columns).max(1) as u16;
    let height = (inner.height / rows).clamp(MULTIPLE_ROWS.0, MULTIPLE_ROWS.1);
    for (at, number) in listed.iter().enumerate() {
        let (column, row) = ((at % columns) as u16, (at / columns) as u16);
        let width = inner.width / columns as u16;
        let place = Rect {
            x: inner.x + column * width + 1,
            y: inner.y + row * height,
            width: width.saturating_sub(2),
            height,
        };
        if place.bottom() <= inner.bottom() {
            draw_multiple(view, session, &points, *number, theme, place, buffer);
        }
    }
}

/// Draws `erosion                    0.445` above its line.
fn draw_multiple(
    view: &CurvesView,
    session: &Session,
    points: &[RunPoint],
    number: Number,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let is_chosen = number == view.number;
    let here = view.point_index(session, points);
    let value = here.and_then(|here| curve_values::value_text_at(number, session, &points[here]));
    let values = curve_values::point_values(number, session, points);
    let highest = values.iter().filter_map(|point| point.as_number()).reduce(f64::max);
    let name = theme.style_for(if is_chosen { Meaning::Title } else { Meaning::Text });
    let mark =
        trusted_span(if is_chosen { "▌" } else { " " }, theme.style_for(Meaning::FocusedBorder));
    let value = value.unwrap_or_else(|| format_number::MISSING_SIGN.into());
    let head = left_and_right(
        vec![mark, trusted_span(number.label(), name)],
        vec![trusted_span(value, name)],
        usize::from(area.width),
    );
    head.render(Rect { height: 1, ..area }, buffer);
    let plot = Rect {
        y: area.y + 1,
        height: area.height - 1,
        x: area.x + 1,
        width: area.width.saturating_sub(1),
    };
    let Some(highest) = highest else { return };
    let plot = Plot { area: plot, highest: round_up(highest, number.is_share()) };
    let column = |index| point_column(index, points.len(), usize::from(plot.area.width)) as u16;
    if let Some(here) = here {
        plot.draw_vertical(column(here), "│", theme.style_for(Meaning::Playing), buffer);
    }
    let style = theme.style_for(if is_chosen { Meaning::Hunk } else { Meaning::Text });
    let trace = PlotTrace {
        points: line_points(&values, column),
        stroke: LineStroke::Full,
        sign: '●',
        style,
    };
    plot.draw_traces(&[trace], theme, buffer);
}
