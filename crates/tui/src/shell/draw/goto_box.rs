//! Draws the box of the letters that may follow `g`.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    text::{Line, Span},
    widgets::{Block, Clear, Widget},
};

use crate::{
    session::{context::KeyContext, views::View},
    shell::{App, commands, state::PendingKey},
    widgets::{
        line::trusted_span,
        panel::put_row,
        theme::{Meaning, Theme},
    },
};

/// Cells of the box, borders included.
const BOX_WIDTH: u16 = 30;

pub(crate) fn draw(app: &App, theme: Theme, whole: Rect, buffer: &mut Buffer) {
    let Some(PendingKey::GoTo(count)) = app.shell.pending else { return };
    let rows = box_rows(app, count, theme);
    let height = (rows.len() as u16 + 2).min(whole.height);
    let area = Rect {
        x: whole.right().saturating_sub(BOX_WIDTH),
        y: whole.bottom().saturating_sub(height),
        width: BOX_WIDTH.min(whole.width),
        height,
    };
    let block = Block::bordered()
        .border_style(theme.style_for(Meaning::FocusedBorder))
        .title(Line::styled(" go to ", theme.style_for(Meaning::Title)));
    let inner = block.inner(area);
    Clear.render(area, buffer);
    block.render(area, buffer);
    for (y, row) in rows.into_iter().take(usize::from(inner.height)).enumerate() {
        put_row(row, None, inner, y as u16, buffer);
    }
}

fn box_rows(app: &App, count: Option<usize>, theme: Theme) -> Vec<Line<'static>> {
    let letter = |id: &str| {
        let row = commands::row_of_id(KeyContext::GoTo, id);
        row.map(|row| app.shell.keys.keys_text(row)).unwrap_or_default()
    };
    let views = View::ALL.into_iter().zip(1..).map(|(view, number)| {
        let has_content = app.screens.has_view(view);
        let note = if has_content { format!("F{number}") } else { format!("F{number} (empty)") };
        let letter = letter(&format!("goto-{}", view.word()));
        row_line((&letter, view.tab_name(), &note), has_content, theme)
    });
    let start = count.map_or("start of the list".to_owned(), |count| format!("item {count}"));
    let ends = [
        row_line((&letter("goto-start"), &start, ""), true, theme),
        row_line((&letter("goto-end"), "end of the list", ""), true, theme),
    ];
    views.chain(ends).collect()
}

fn row_line(
    (letter, words, note): (&str, &str, &str),
    has_content: bool,
    theme: Theme,
) -> Line<'static> {
    let meaning = if has_content { Meaning::Text } else { Meaning::Muted };
    let spans: Vec<Span> = vec![
        trusted_span(format!(" {letter}  "), theme.style_for(Meaning::Key)),
        trusted_span(format!("{words:<10}"), theme.style_for(meaning)),
        trusted_span(note.to_owned(), theme.style_for(Meaning::Muted)),
    ];
    Line::from(spans)
}
