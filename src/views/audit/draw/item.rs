//! What the component is; once a label is in, label and verdict.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    shell::replay::Replay,
    views::{
        audit::{Part, areas::Areas},
        scores::draw::components::verdict::say,
    },
    widgets::{line::safe, theme::Theme},
};

use super::{frame, rows};

pub fn draw(replay: &Replay, theme: Theme, areas: &Areas, area: Rect, buffer: &mut Buffer) {
    let width = areas.width(Part::Component);
    let id = replay.audited_id().unwrap_or("component");
    let name = replay.audited_component().map(|it| it.name.as_str()).unwrap_or_default();
    let title = safe(&format!("{id} {name}"));
    let inner = frame(replay, Part::Component, [&title, ""], theme, area, buffer);
    let lines = replay.item_rows(areas);
    let lines = lines.iter().map(|row| say(row, replay, theme, width)).collect();
    let scroll = replay.audit.item;
    rows(replay, Part::Component, lines, scroll, theme, [area, inner], buffer);
}
