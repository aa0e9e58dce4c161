//! A box over the panels: keys, facts, warnings.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::Line,
    widgets::{Block, Clear, Widget},
};

use crate::{
    shell::{
        keys::Keys,
        overlay::{Kind, Overlay, Subject},
    },
    widgets::{
        facts::Row,
        layout::Layout,
        line::{fit, fit_end, own, recorded, safe, width_of},
        panel::put_row,
        theme::{Meaning, Theme},
    },
};

use super::pictures;

pub fn draw(
    overlay: &Overlay,
    subject: Subject<'_>,
    keys: &Keys,
    theme: Theme,
    layout: &Layout,
    buffer: &mut Buffer,
) {
    if overlay.kind == Kind::Images {
        return pictures::draw(&overlay.images, overlay.top, theme, layout, buffer);
    }
    let rows = overlay.rows(subject, keys, layout);
    let area = overlay.area(subject, keys, layout);
    let columns = overlay.columns(layout);
    let rows_of_one = usize::from(area.height.saturating_sub(2));
    let height = rows_of_one * columns;
    let top = overlay.top.min(rows.len().saturating_sub(height));
    let mut block = Block::bordered()
        .border_style(theme.of(Meaning::FocusedBorder))
        .title(title(overlay, theme, area.width));
    if rows.len() > height {
        let seen = format!(" {}–{} of {} ", top + 1, (top + height).min(rows.len()), rows.len());
        block = block.title_bottom(Line::styled(seen, theme.of(Meaning::Muted)).right_aligned());
    }
    let inner = block.inner(area);
    Clear.render(area, buffer);
    block.render(area, buffer);
    if rows.is_empty() && !overlay.search.text.is_empty() {
        let words = "no row has these words";
        return crate::widgets::panel::sentence(words, theme.of(Meaning::Muted), inner, buffer);
    }
    for (y, row) in rows.iter().skip(top).take(height).enumerate() {
        let width = inner.width / columns as u16;
        let x = inner.x + (y / rows_of_one) as u16 * width;
        let line = line(row, overlay.left_width(), theme, usize::from(width.saturating_sub(1)));
        put_row(line, None, Rect { x, width, ..inner }, (y % rows_of_one) as u16, buffer);
    }
}

/// ` keys `, with what is looked for behind it: ` keys /loss `.
fn title(overlay: &Overlay, theme: Theme, width: u16) -> Line<'static> {
    let mut title = vec![own(format!(" {} ", overlay.title()), theme.of(Meaning::Title))];
    let search = &overlay.search;
    if search.is_typing || !search.text.is_empty() {
        let room = usize::from(width / 2);
        title.push(own("/", theme.of(Meaning::Key)));
        title.push(own(fit_end(&safe(&search.text), room), theme.of(Meaning::Text)));
        let end = if search.is_typing { Meaning::Cursor } else { Meaning::Text };
        title.push(own(" ", theme.of(end)));
    }
    Line::from(title)
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
