//! Every curve of the list in small, each on a scale of its own, with its value at the playhead.

use ratatui::{buffer::Buffer, layout::Rect, text::Line, widgets::Widget};

use crate::{
    session::{Session, points::Point, series},
    views::curves::{
        Curves,
        areas::{MULTIPLE, cell_of},
    },
    widgets::{
        dots::Stroke,
        line::{own, sides},
        panel::titled,
        plot::{Plot, Trace},
        theme::{Meaning, Theme},
        ticks::round_up,
    },
};
use trajview_metrics::Number;

use super::points_of;

/// Rows of a curve with its head, at least and at most.
const HEIGHT: (u16, u16) = (4, 14);

pub fn draw(view: &Curves, session: &Session, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let points = view.points(session);
    let listed = series::listed(session);
    let title = Line::styled(" all curves ", theme.of(Meaning::Text));
    let scale =
        Line::styled(" each from 0 to its highest ", theme.of(Meaning::Muted)).right_aligned();
    let titles = [title, scale, Line::default()];
    let inner = titled(false, titles, theme, area, buffer);
    let columns = usize::from(area.width / MULTIPLE).max(1);
    let rows = listed.len().div_ceil(columns).max(1) as u16;
    let height = (inner.height / rows).clamp(HEIGHT.0, HEIGHT.1);
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
            one(view, session, &points, *number, theme, place, buffer);
        }
    }
}

/// `erosion                    0.445` above its line.
fn one(
    view: &Curves,
    session: &Session,
    points: &[Point],
    number: Number,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let is_chosen = number == view.number;
    let here = view.point_index(session, points);
    let value = here.and_then(|here| series::said_at(number, session, &points[here]));
    let known = series::known(number, session, points);
    let highest = known.iter().filter_map(|point| point.value()).reduce(f64::max);
    let name = theme.of(if is_chosen { Meaning::Title } else { Meaning::Text });
    let mark = own(if is_chosen { "▌" } else { " " }, theme.of(Meaning::FocusedBorder));
    let value = value.unwrap_or_else(|| "–".into());
    let head = sides(
        vec![mark, own(number.label(), name)],
        vec![own(value, name)],
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
    let plot = Plot { area: plot, most: round_up(highest, number.is_share()) };
    let column = |index| cell_of(index, points.len(), usize::from(plot.area.width)) as u16;
    if let Some(here) = here {
        plot.upright(column(here), "│", theme.of(Meaning::Playing), buffer);
    }
    let style = theme.of(if is_chosen { Meaning::Hunk } else { Meaning::Text });
    let trace =
        Trace { points: points_of(&known, column), stroke: Stroke::Full, sign: '●', style };
    plot.traces(&[trace], theme, buffer);
}
