//! A box over the panels: keys, facts, warnings.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::Line,
    widgets::{Block, Clear, Widget},
};

use crate::{
    shell::{
        keys::UserKeys,
        overlay::{Overlay, OverlayKind, OverlaySubject},
    },
    widgets::{
        fact_rows::FactRow,
        layout::ScreenLayout,
        line::{fit_spans, fit_text_end, recorded_span, safe_string, spans_width, trusted_span},
        panel::put_row,
        theme::{Meaning, Theme},
    },
};

use super::pictures;

pub fn draw(
    overlay: &Overlay,
    subject: OverlaySubject<'_>,
    keys: &UserKeys,
    theme: Theme,
    layout: &ScreenLayout,
    buffer: &mut Buffer,
) {
    if overlay.kind == OverlayKind::Images {
        return pictures::draw(&overlay.images, overlay.top, keys, theme, layout, buffer);
    }
    let rows = overlay.visible_rows(subject, keys, layout);
    let area = overlay.box_area(subject, keys, layout);
    let columns = overlay.column_count(layout);
    let rows_of_one = usize::from(area.height.saturating_sub(2));
    let height = rows_of_one * columns;
    let top = overlay.top.min(rows.len().saturating_sub(height));
    let mut block = Block::bordered()
        .border_style(theme.style_for(Meaning::FocusedBorder))
        .title(title_line(overlay, theme, area.width));
    if rows.len() > height {
        let seen = format!(" {}–{} of {} ", top + 1, (top + height).min(rows.len()), rows.len());
        block =
            block.title_bottom(Line::styled(seen, theme.style_for(Meaning::Muted)).right_aligned());
    }
    let inner = block.inner(area);
    Clear.render(area, buffer);
    block.render(area, buffer);
    if rows.is_empty() && !overlay.search.text.is_empty() {
        let words = "no match";
        return crate::widgets::panel::draw_sentence(
            words,
            theme.style_for(Meaning::Muted),
            inner,
            buffer,
        );
    }
    for (y, row) in rows.iter().skip(top).take(height).enumerate() {
        let width = inner.width / columns as u16;
        let x = inner.x + (y / rows_of_one) as u16 * width;
        let line = row_line(row, overlay.left_width(), theme, usize::from(width.saturating_sub(1)));
        put_row(line, None, Rect { x, width, ..inner }, (y % rows_of_one) as u16, buffer);
    }
}

/// Draws the title ` keys `, with the searched text behind it: ` keys /loss `.
fn title_line(overlay: &Overlay, theme: Theme, width: u16) -> Line<'static> {
    let mut title =
        vec![trusted_span(format!(" {} ", overlay.box_title()), theme.style_for(Meaning::Title))];
    let search = &overlay.search;
    if search.is_typing || !search.text.is_empty() {
        let room = usize::from(width / 2);
        title.push(trusted_span("/", theme.style_for(Meaning::Key)));
        title.push(trusted_span(
            fit_text_end(&safe_string(&search.text), room),
            theme.style_for(Meaning::Text),
        ));
        let end = if search.is_typing { Meaning::Cursor } else { Meaning::Text };
        title.push(trusted_span(" ", theme.style_for(end)));
    }
    Line::from(title)
}

fn row_line(row: &FactRow, left_width: usize, theme: Theme, width: usize) -> Line<'static> {
    if row.is_heading {
        return Line::from(trusted_span(
            format!(" {}", row.left),
            theme.style_for(Meaning::Heading),
        ));
    }
    let left = recorded_span(&theme.spell_out(&row.left), theme.style_for(Meaning::Key));
    let mut spans = vec![trusted_span(" ", theme.style_for(Meaning::Text)), left];
    let blank = (left_width + 1).saturating_sub(spans_width(&spans));
    spans.push(trusted_span(" ".repeat(blank), theme.style_for(Meaning::Text)));
    spans.push(recorded_span(&row.right, theme.style_for(Meaning::Text)));
    Line::from(fit_spans(spans, width))
}
