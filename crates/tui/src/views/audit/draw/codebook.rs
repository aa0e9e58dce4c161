//! What the levels mean.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{
    session::Session,
    views::{
        audit::{Audit, Part, areas::Areas},
        verdict::say,
    },
    widgets::theme::Theme,
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
    let width = areas.width(Part::Codebook);
    let inner = frame(view, Part::Codebook, ["codebook", ""], theme, area, buffer);
    let lines = super::super::codebook::codebook_rows(view, session, areas);
    let lines = lines.iter().map(|row| say(row, session, theme, width)).collect();
    rows(view, Part::Codebook, lines, view.levels, theme, [area, inner], buffer);
}
