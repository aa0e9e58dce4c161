//! What the component is; once a label is in, label and verdict.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    session::Session,
    views::{
        audit::{Audit, Part, areas::Areas},
        verdict::say,
    },
    widgets::{line::safe, theme::Theme},
};

use super::{frame, rows};

pub fn draw(
    view: &Audit,
    session: &Session,
    theme: Theme,
    areas: &Areas,
    area: Rect,
    buffer: &mut Buffer,
) {
    let width = areas.width(Part::Component);
    let id = view.audited_id().unwrap_or("component");
    let name = view.audited_component(session).map(|it| it.name.as_str()).unwrap_or_default();
    let title = safe(&format!("{id} {name}"));
    let inner = frame(view, Part::Component, [&title, ""], theme, area, buffer);
    let lines = super::super::item::item_rows(view, session, areas);
    let lines = lines.iter().map(|row| say(row, session, theme, width)).collect();
    let scroll = view.item;
    rows(view, Part::Component, lines, scroll, theme, [area, inner], buffer);
}
