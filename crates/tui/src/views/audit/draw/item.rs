//! What the item is; once a label is in, label and verdict.

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
    let width = areas.width(Part::Item);
    let id = view.audited_id().unwrap_or("item");
    let item = view.audited_item(session);
    // The title of what was raised has its place already.
    let id = if item.is_some_and(|it| it.unit.is_raised()) { "" } else { id };
    let name = item.map(|it| it.title.as_str()).unwrap_or_default();
    let title = safe(format!("{id} {name}").trim());
    let inner = frame(view, Part::Item, [&title, ""], theme, area, buffer);
    let lines = super::super::item::item_rows(view, session, areas);
    let lines = lines.iter().map(|row| say(row, session, theme, width)).collect();
    let scroll = view.item;
    rows(view, Part::Item, lines, scroll, theme, [area, inner], buffer);
}
