//! Draws the meaning of the levels.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    session::Session,
    views::{
        audit::{AuditPart, AuditView, areas::AuditAreas},
        verdict::verdict_row_line,
    },
    widgets::theme::Theme,
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
    let width = areas.width_inside(AuditPart::Codebook);
    draw_frame(view, AuditPart::Codebook, ["codebook", ""], theme, area, buffer);
    let lines = super::super::codebook_rows::codebook_rows(view, session, areas);
    let lines: Vec<_> =
        lines.iter().map(|row| verdict_row_line(row, session, theme, width)).collect();
    draw_lines(view.part == AuditPart::Codebook, &view.levels, &lines, theme, buffer);
}
