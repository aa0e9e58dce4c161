//! Draws the command line with the list of its completions, the typed letters marked.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::{Block, Clear, Widget},
};

use crate::{
    shell::{
        App,
        mouse::palette_area,
        palette::{CommandPalette, PaletteItem},
    },
    widgets::{
        layout::ScreenLayout,
        line::{fit_spans, fit_text_end, recorded_span, safe_string, spans_width, trusted_span},
        panel::put_row,
        scroll::centred_top,
        theme::{Meaning, Theme},
    },
};

pub fn draw(
    app: &App,
    palette: &CommandPalette,
    theme: Theme,
    layout: &ScreenLayout,
    buffer: &mut Buffer,
) {
    let items = app.palette_items(palette);
    let complaint = palette.complaint_rows(layout);
    let area = palette_area(layout, items.len() + complaint.len());
    let count = format!(" {} ", items.len());
    let block = Block::bordered()
        .border_style(theme.style_for(Meaning::FocusedBorder))
        .title(Line::styled(" command ", theme.style_for(Meaning::Title)))
        .title_bottom(Line::styled(count, theme.style_for(Meaning::Muted)).right_aligned());
    let inner = block.inner(area);
    Clear.render(area, buffer);
    block.render(area, buffer);
    put_row(typed_line(&app.palette_line(palette), theme, inner.width), None, inner, 0, buffer);
    let first = 1 + complaint.len() as u16;
    for (y, row) in complaint.into_iter().enumerate() {
        let line = trusted_span(format!("  {row}"), theme.style_for(Meaning::Error));
        put_row(Line::from(line), None, inner, 1 + y as u16, buffer);
    }
    let rows = Rect { y: inner.y + first, height: inner.height.saturating_sub(first), ..inner };
    if items.is_empty() && palette.complaint.is_none() {
        let nothing = trusted_span("  no match", theme.style_for(Meaning::Muted));
        return put_row(Line::from(nothing), None, rows, 0, buffer);
    }
    let columns = ListColumns::new(&items, usize::from(rows.width), theme);
    let selected = palette.selected.map(|at| at.min(items.len().saturating_sub(1)));
    let top = centred_top(selected.unwrap_or_default(), items.len(), usize::from(rows.height));
    for (y, item) in items.iter().enumerate().skip(top).take(usize::from(rows.height)) {
        let is_selected = Some(y) == selected;
        let style = is_selected.then(|| theme.style_for(Meaning::Selected));
        let line = columns.item_line(item, is_selected, theme, usize::from(rows.width));
        put_row(line, style, rows, (y - top) as u16, buffer);
    }
}

fn typed_line(text: &str, theme: Theme, width: u16) -> Line<'static> {
    let room = usize::from(width).saturating_sub(4);
    Line::from(vec![
        trusted_span(" :", theme.style_for(Meaning::Key)),
        trusted_span(fit_text_end(&safe_string(text), room), theme.style_for(Meaning::Text)),
        trusted_span(" ", theme.style_for(Meaning::Cursor)),
    ])
}

/// The widths of the columns of names and keys (cells), the same in every row.
struct ListColumns {
    name: usize,
    keys: usize,
}

impl ListColumns {
    fn new(items: &[PaletteItem], width: usize, theme: Theme) -> Self {
        let name = |it: &PaletteItem| {
            spans_width(&[recorded_span(&it.name, theme.style_for(Meaning::Text))])
                + it.argument.len()
                + 1
        };
        let keys = |it: &PaletteItem| theme.spell_out(&it.keys).chars().count();
        Self {
            name: items.iter().map(name).max().unwrap_or_default().min(width * 2 / 5),
            keys: items.iter().map(keys).max().unwrap_or_default().min(14),
        }
    }

    /// Draws one row: `▌scores [COMPONENT]  F3  the scores of the components`
    fn item_line(
        &self,
        item: &PaletteItem,
        is_selected: bool,
        theme: Theme,
        width: usize,
    ) -> Line<'static> {
        let mark = if is_selected { "▌" } else { " " };
        let mut name = marked_letters(item, theme);
        name.push(trusted_span(format!(" {}", item.argument), theme.style_for(Meaning::Muted)));
        let mut spans = vec![trusted_span(mark, theme.style_for(Meaning::FocusedBorder))];
        spans.extend(padded(fit_spans(name, self.name), self.name, theme));
        let keys = vec![trusted_span(theme.spell_out(&item.keys), theme.style_for(Meaning::Key))];
        spans.push(trusted_span("  ", theme.style_for(Meaning::Text)));
        spans.extend(padded(fit_spans(keys, self.keys), self.keys, theme));
        if self.keys > 0 {
            spans.push(trusted_span("  ", theme.style_for(Meaning::Text)));
        }
        spans.push(recorded_span(&item.help, theme.style_for(Meaning::Muted)));
        Line::from(fit_spans(spans, width))
    }
}

fn padded(mut spans: Vec<Span<'static>>, width: usize, theme: Theme) -> Vec<Span<'static>> {
    let blank = width.saturating_sub(spans_width(&spans));
    spans.push(trusted_span(" ".repeat(blank), theme.style_for(Meaning::Text)));
    spans
}

/// Returns the name with the typed letters marked. Marked letters move where something had to be made visible: such a name
/// is shown without marks.
fn marked_letters(item: &PaletteItem, theme: Theme) -> Vec<Span<'static>> {
    if safe_string(&item.name) != item.name {
        return vec![recorded_span(&item.name, theme.style_for(Meaning::Text))];
    }
    let mut spans: Vec<Span> = vec![];
    for (index, letter) in item.name.chars().enumerate() {
        let is_typed = item.places.binary_search(&index).is_ok();
        let style =
            if is_typed { theme.style_for(Meaning::Hit) } else { theme.style_for(Meaning::Text) };
        match spans.last_mut() {
            Some(last) if last.style == style => last.content.to_mut().push(letter),
            _ => spans.push(trusted_span(letter, style)),
        }
    }
    spans
}
