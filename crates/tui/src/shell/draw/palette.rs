//! Every command in one list, with the letters that were typed marked in it.

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
        palette::{Choice, Found, Palette},
    },
    widgets::{
        layout::Layout,
        line::{fit_end, own, safe, sides},
        panel::put_row,
        scroll::centred,
        theme::{Meaning, Theme},
    },
};

pub fn draw(app: &App, palette: &Palette, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    let found = app.commands_found(palette);
    let area = palette_area(layout, found.len());
    let count = format!(" {} found ", found.len());
    let block = Block::bordered()
        .border_style(theme.of(Meaning::FocusedBorder))
        .title(Line::styled(" commands ", theme.of(Meaning::Title)))
        .title_bottom(Line::styled(count, theme.of(Meaning::Muted)).right_aligned());
    let inner = block.inner(area);
    Clear.render(area, buffer);
    block.render(area, buffer);
    put_row(typed(palette, theme, inner.width), None, inner, 0, buffer);
    let rows = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
    if found.is_empty() {
        let nothing = own("  no command has these letters", theme.of(Meaning::Muted));
        return put_row(Line::from(nothing), None, rows, 0, buffer);
    }
    let selected = palette.selected.min(found.len() - 1);
    let top = centred(selected, found.len(), usize::from(rows.height));
    for (y, row) in found.iter().enumerate().skip(top).take(usize::from(rows.height)) {
        let is_selected = y == selected;
        let style = is_selected.then(|| theme.of(Meaning::Selected));
        let line = line(row, is_selected, theme, usize::from(rows.width));
        put_row(line, style, rows, (y - top) as u16, buffer);
    }
}

fn typed(palette: &Palette, theme: Theme, width: u16) -> Line<'static> {
    let room = usize::from(width).saturating_sub(4);
    Line::from(vec![
        own(" :", theme.of(Meaning::Key)),
        own(fit_end(&safe(&palette.text), room), theme.of(Meaning::Text)),
        own(" ", theme.of(Meaning::Cursor)),
    ])
}

/// `▌next turn; 5l goes on five          l →  everywhere`
fn line(found: &Found, is_selected: bool, theme: Theme, width: usize) -> Line<'static> {
    let mark = if is_selected { "▌" } else { " " };
    let mut left = vec![own(mark, theme.of(Meaning::FocusedBorder))];
    match found.choice {
        // Marked letters move where something had to be made visible: those words are shown whole.
        Choice::Command(_) => left.extend(emphasised(found, theme)),
        Choice::Turn(_) | Choice::Step(_) | Choice::File(_)
            if safe(&found.words) == found.words =>
        {
            left.extend(emphasised(found, theme));
        }
        Choice::Turn(_) | Choice::Step(_) | Choice::File(_) => {
            left.push(own(safe(&found.words), Style::default()))
        }
    }
    let right = vec![
        own(format!(" {}", theme.spelled(&found.keys)), theme.of(Meaning::Key)),
        own(format!("  {:<PLACE$}", found.place), theme.of(Meaning::Muted)),
    ];
    sides(left, right, width)
}

/// Cells that the name of a place takes.
const PLACE: usize = 21;

fn emphasised(found: &Found, theme: Theme) -> Vec<Span<'static>> {
    let letters = found.words.chars().enumerate();
    let mut spans: Vec<Span> = vec![];
    for (index, letter) in letters {
        let is_typed = found.places.binary_search(&index).is_ok();
        let style = if is_typed { theme.of(Meaning::Hit) } else { theme.of(Meaning::Text) };
        match spans.last_mut() {
            Some(last) if last.style == style => last.content.to_mut().push(letter),
            _ => spans.push(own(letter, style)),
        }
    }
    spans
}
