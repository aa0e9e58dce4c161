//! A box over the panels: keys, facts, warnings.

use ratatui::{
    buffer::Buffer,
    text::Line,
    widgets::{Block, Clear, Widget},
};

use super::put_row;
use crate::{
    app::{
        layout::Layout,
        overlay::{Overlay, Row, Subject},
        shell::keys::Keys,
    },
    ui::{
        line::{fit, own, recorded, width_of},
        theme::{Meaning, Theme},
    },
};

pub fn draw(
    overlay: Overlay,
    subject: Subject<'_>,
    keys: &Keys,
    theme: Theme,
    layout: &Layout,
    buffer: &mut Buffer,
) {
    let rows = overlay.rows(subject, keys, layout);
    let area = layout.box_of(rows.len());
    let height = usize::from(area.height.saturating_sub(2));
    let top = overlay.top.min(rows.len().saturating_sub(height));
    let title = format!(" {} ", overlay.title());
    let mut block = Block::bordered()
        .border_style(theme.of(Meaning::FocusedBorder))
        .title(Line::styled(title, theme.of(Meaning::Title)));
    if rows.len() > height {
        let seen = format!(" {}–{} of {} ", top + 1, (top + height).min(rows.len()), rows.len());
        block = block.title_bottom(Line::styled(seen, theme.of(Meaning::Muted)).right_aligned());
    }
    let inner = block.inner(area);
    Clear.render(area, buffer);
    block.render(area, buffer);
    for (y, row) in rows.iter().skip(top).take(height).enumerate() {
        put_row(
            line(row, overlay.left_width(), theme, usize::from(inner.width)),
            None,
            inner,
            y as u16,
            buffer,
        );
    }
}

fn line(row: &Row, left_width: usize, theme: Theme, width: usize) -> Line<'static> {
    if row.is_heading {
        return Line::from(own(format!(" {}", row.left), theme.of(Meaning::Heading)));
    }
    let left = recorded(&theme.spelled(&row.left), theme.of(Meaning::Key));
    let mut spans = vec![own(" ", theme.of(Meaning::Text)), left];
    let blank = (left_width + 1).saturating_sub(width_of(&spans));
    spans.push(own(" ".repeat(blank), theme.of(Meaning::Text)));
    spans.push(recorded(&row.right, theme.of(Meaning::Text)));
    Line::from(fit(spans, width))
}
