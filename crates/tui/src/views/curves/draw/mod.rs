//! The curves: one chart, the values at the playhead, what moved them.

mod chart;
mod moved;
mod multiples;
pub(super) mod values;

use ratatui::buffer::Buffer;

use crate::{
    session::{Session, series::Known},
    views::curves::{Curves, Part, areas::Areas},
    widgets::{layout::Layout, theme::Theme},
};

pub fn draw(view: &Curves, session: &Session, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    let areas = Areas::of(layout, view.part);
    chart::draw(view, session, theme, &areas, buffer);
    if let Some(area) = areas.multiples {
        multiples::draw(view, session, theme, area, buffer);
    }
    if let Some(area) = areas.values {
        values::draw(view, session, theme, area, buffer);
    }
    if let Some(area) = areas.moved {
        moved::draw(view, session, theme, area, buffer);
    }
}

/// The points of a line: where there is no value, or none yet, it has a gap.
fn points_of(known: &[Known], column: impl Fn(usize) -> u16) -> Vec<(u16, Option<f64>)> {
    known.iter().enumerate().map(|(index, point)| (column(index), point.value())).collect()
}

fn has_keyboard(view: &Curves, part: Part) -> bool {
    view.part == part
}
