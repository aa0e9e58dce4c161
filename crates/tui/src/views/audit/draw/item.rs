//! Draws the item; once a label is given also label and verdict.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    session::Session,
    views::{
        audit::{AuditPart, AuditView, areas::AuditAreas},
        verdict::verdict_row_line,
    },
    widgets::{line::safe_string, theme::Theme},
};

use super::{draw_frame, draw_lines};

pub fn draw(
    view: &AuditView,
    session: &Session,
    theme: Theme,
    areas: &AuditAreas,
    area: Rect,
    buffer: &mut Buffer,
) {
    let width = areas.width_inside(AuditPart::Item);
    let id = view.audited_id().unwrap_or("item");
    let item = view.audited_item(session);
    // The title of what was raised has its place already.
    let id = if item.is_some_and(|it| it.unit.is_raised()) { "" } else { id };
    let name = item.map(|it| it.title.as_str()).unwrap_or_default();
    let title = safe_string(format!("{id} {name}").trim());
    draw_frame(view, AuditPart::Item, [&title, ""], theme, area, buffer);
    let lines = super::super::item_rows::item_rows(view, session, areas);
    let lines: Vec<_> =
        lines.iter().map(|row| verdict_row_line(row, session, theme, width)).collect();
    draw_lines(view.part == AuditPart::Item, &view.item, &lines, theme, buffer);
}
