//! The curves: one chart, the values at the playhead, what moved them.

mod chart;
pub(super) mod grid;
mod moved;
mod values;

pub(super) use chart::{round_up, trimmed};

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::{Color, Modifier, Style},
    text::Line,
    widgets::{Block, Widget},
};

use crate::{
    app::{
        curves::{Part, areas::Areas},
        layout::Layout,
        replay::Replay,
    },
    ui::theme::{Meaning, Theme},
};

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

/// Draws the border of a part with its titles; gives the room inside.
pub(super) fn frame(
    is_focused: bool,
    [left, right, below]: [Line<'static>; 3],
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) -> Rect {
    let border = if is_focused { Meaning::FocusedBorder } else { Meaning::Border };
    // A title lies on its border and would take the border's looks for those it does not name.
    let own_looks = Style::new().fg(Color::Reset).remove_modifier(Modifier::BOLD);
    let block = Block::bordered()
        .border_style(theme.of(border))
        .title_style(own_looks)
        .title(left)
        .title(right.right_aligned())
        .title_bottom(below);
    let inner = block.inner(area);
    block.render(area, buffer);
    inner
}

fn has_keyboard(replay: &Replay, part: Part) -> bool {
    replay.curves.part == part
}
