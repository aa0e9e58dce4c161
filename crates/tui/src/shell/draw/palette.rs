//! Draws every command in one list, with the typed letters marked.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::{Line, Span},
    widgets::{Block, Clear, Widget},
};

use crate::{
    shell::{
        App,
        mouse::palette_area,
        palette::{CommandPalette, PaletteChoice, PaletteItem},
    },
    widgets::{
        layout::ScreenLayout,
        line::{fit_text_end, left_and_right, safe_string, trusted_span},
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
    let found = app.matching_commands(palette);
    let area = palette_area(layout, found.len());
    let count = format!(" {} found ", found.len());
    let block = Block::bordered()
        .border_style(theme.style_for(Meaning::FocusedBorder))
        .title(Line::styled(" commands ", theme.style_for(Meaning::Title)))
        .title_bottom(Line::styled(count, theme.style_for(Meaning::Muted)).right_aligned());
    let inner = block.inner(area);
    Clear.render(area, buffer);
    block.render(area, buffer);
    put_row(typed_line(palette, theme, inner.width), None, inner, 0, buffer);
    let rows = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
    if found.is_empty() {
        let nothing = trusted_span("  no match", theme.style_for(Meaning::Muted));
        return put_row(Line::from(nothing), None, rows, 0, buffer);
    }
    let selected = palette.selected.min(found.len() - 1);
    let top = centred_top(selected, found.len(), usize::from(rows.height));
    for (y, row) in found.iter().enumerate().skip(top).take(usize::from(rows.height)) {
        let is_selected = y == selected;
        let style = is_selected.then(|| theme.style_for(Meaning::Selected));
        let line = item_line(row, is_selected, theme, usize::from(rows.width));
        put_row(line, style, rows, (y - top) as u16, buffer);
    }
}

fn typed_line(palette: &CommandPalette, theme: Theme, width: u16) -> Line<'static> {
    let room = usize::from(width).saturating_sub(4);
    Line::from(vec![
        trusted_span(" :", theme.style_for(Meaning::Key)),
        trusted_span(
            fit_text_end(&safe_string(&palette.text), room),
            theme.style_for(Meaning::Text),
        ),
        trusted_span(" ", theme.style_for(Meaning::Cursor)),
    ])
}

/// Draws one row: `▌next turn; 5l goes on five          l →  everywhere`
fn item_line(found: &PaletteItem, is_selected: bool, theme: Theme, width: usize) -> Line<'static> {
    let mark = if is_selected { "▌" } else { " " };
    let mut left = vec![trusted_span(mark, theme.style_for(Meaning::FocusedBorder))];
    match found.choice {
        // Marked letters move where something had to be made visible: those words are shown whole.
        PaletteChoice::Command(_) => left.extend(marked_letters(found, theme)),
        PaletteChoice::Turn(_) | PaletteChoice::Step(_) | PaletteChoice::File(_)
            if safe_string(&found.words) == found.words =>
        {
            left.extend(marked_letters(found, theme));
        }
        PaletteChoice::Turn(_) | PaletteChoice::Step(_) | PaletteChoice::File(_) => {
            left.push(trusted_span(safe_string(&found.words), Style::default()))
        }
    }
    let right = vec![
        trusted_span(format!(" {}", theme.spell_out(&found.keys)), theme.style_for(Meaning::Key)),
        trusted_span(format!("  {:<PLACE_WIDTH$}", found.place), theme.style_for(Meaning::Muted)),
    ];
    left_and_right(left, right, width)
}

/// The width of the place's name (cells).
const PLACE_WIDTH: usize = 21;

fn marked_letters(found: &PaletteItem, theme: Theme) -> Vec<Span<'static>> {
    let letters = found.words.chars().enumerate();
    let mut spans: Vec<Span> = vec![];
    for (index, letter) in letters {
        let is_typed = found.places.binary_search(&index).is_ok();
        let style =
            if is_typed { theme.style_for(Meaning::Hit) } else { theme.style_for(Meaning::Text) };
        match spans.last_mut() {
            Some(last) if last.style == style => last.content.to_mut().push(letter),
            _ => spans.push(trusted_span(letter, style)),
        }
    }
    spans
}
