//! The curves: one chart, the values at the playhead, what moved them.

mod chart;
pub(crate) mod grid;
mod moved;
mod values;

use ratatui::buffer::Buffer;

use crate::{
    shell::replay::Replay,
    views::curves::{Part, areas::Areas},
    widgets::{layout::Layout, theme::Theme},
};

pub(crate) use chart::{round_up, trimmed};

pub fn draw(replay: &Replay, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    let areas = Areas::of(layout, replay.curves.part);
    chart::draw(replay, theme, &areas, buffer);
    if let Some(area) = areas.values {
        values::draw(replay, theme, area, buffer);
    }
    if let Some(area) = areas.moved {
        moved::draw(replay, theme, area, buffer);
    }
}

fn has_keyboard(replay: &Replay, part: Part) -> bool {
    replay.curves.part == part
}
