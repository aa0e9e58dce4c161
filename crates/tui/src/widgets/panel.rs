//! Borders, titles and rows of panels, and the sentence in one that has nothing to show.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::{Color, Modifier, Style},
    text::{Line, Span},
    widgets::{Block, Paragraph, Widget, Wrap},
};

use crate::widgets::{line::trusted_span, scroll::centred_top};

use super::{
    palette, text,
    theme::{Meaning, Theme},
};

/// The lines on the border of a panel.
#[derive(Debug, Default)]
pub(crate) struct PanelTitles {
    left: Line<'static>,
    right: Line<'static>,
    below: Line<'static>,
}

impl From<[Line<'static>; 3]> for PanelTitles {
    fn from([left, right, below]: [Line<'static>; 3]) -> Self {
        Self { left, right, below }
    }
}

impl From<Line<'static>> for PanelTitles {
    fn from(left: Line<'static>) -> Self {
        Self { left, ..Self::default() }
    }
}

impl From<Vec<Span<'static>>> for PanelTitles {
    fn from(left: Vec<Span<'static>>) -> Self {
        Line::from(left).into()
    }
}

impl From<Span<'static>> for PanelTitles {
    fn from(left: Span<'static>) -> Self {
        Line::from(left).into()
    }
}

impl PanelTitles {
    pub(crate) fn with_right(self, right: impl Into<Line<'static>>) -> Self {
        Self { right: right.into(), ..self }
    }

    pub(crate) fn with_below(self, below: impl Into<Line<'static>>) -> Self {
        Self { below: below.into(), ..self }
    }
}

/// Draws a border with its titles; gives the room inside.
pub(crate) fn draw_titled_panel(
    is_focused: bool,
    titles: impl Into<PanelTitles>,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) -> Rect {
    let border = if is_focused { Meaning::FocusedBorder } else { Meaning::Border };
    let PanelTitles { left, right, below } = titles.into();
    // A title lies on its border and would take the border's looks for those it does not name.
    let own_looks = Style::new().fg(Color::Reset).remove_modifier(Modifier::BOLD);
    let block = Block::bordered()
        .border_style(theme.style_for(border))
        .title_style(own_looks)
        .title(left)
        .title(right.right_aligned())
        .title_bottom(below);
    let inner = block.inner(area);
    block.render(area, buffer);
    inner
}

/// Draws the numbers of the visible rows at a panel's lower edge, where the rows do not all fit.
pub(crate) fn draw_scroll_position(
    top: usize,
    len: usize,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let height = usize::from(area.height.saturating_sub(2));
    if len <= height || area.height < 2 {
        return;
    }
    let words = format!(" {}–{} of {len} ", top + 1, (top + height).min(len));
    let edge = Rect {
        y: area.bottom() - 1,
        height: 1,
        x: area.x + 1,
        width: area.width.saturating_sub(2),
    };
    Line::styled(words, theme.style_for(Meaning::Muted)).right_aligned().render(edge, buffer);
}

/// Draws one row of a list; the chosen one is marked over its whole width.
pub(crate) fn put_row(
    line: Line<'static>,
    chosen: Option<Style>,
    area: Rect,
    y: u16,
    buffer: &mut Buffer,
) {
    if y >= area.height {
        return;
    }
    let row = Rect { y: area.y + y, height: 1, ..area };
    line.render(row, buffer);
    if let Some(style) = chosen {
        put_style(style, row, buffer);
    }
}

/// Lays a style over cells that are drawn; on the tint of a chosen row every colour has a likeness that can be read.
pub(crate) fn put_style(style: Style, area: Rect, buffer: &mut Buffer) {
    let on_chosen = style.bg.and_then(palette::chosen_row_recolouring);
    let Some(on_chosen) = on_chosen else { return buffer.set_style(area, style) };
    for at in area.intersection(buffer.area).positions() {
        let cell = &mut buffer[at];
        if !cell.modifier.contains(Modifier::REVERSED) {
            let fg = on_chosen(cell.fg);
            cell.set_style(style.fg(fg));
        }
    }
}

/// Draws a list around its chosen row, which is in the middle where possible. Requests the visible rows only.
pub(crate) fn draw_list(
    len: usize,
    row: impl Fn(usize) -> Line<'static>,
    selected: usize,
    style: Style,
    area: Rect,
    buffer: &mut Buffer,
) {
    let height = usize::from(area.height);
    let top = centred_top(selected, len, height);
    for (y, index) in (top..len).take(height).enumerate() {
        let style = (index == selected).then_some(style);
        put_row(row(index), style, area, y as u16, buffer);
    }
}

/// Draws a sentence in the middle of an area.
pub(crate) fn draw_sentence(
    words: &str,
    style: ratatui::style::Style,
    area: Rect,
    buffer: &mut Buffer,
) {
    let width = usize::from(area.width.saturating_sub(2)).max(1);
    let rows = text::width(words).div_ceil(width).max(1);
    let above = usize::from(area.height).saturating_sub(rows) / 2;
    let below = Rect { y: area.y + above as u16, height: area.height - above as u16, ..area };
    let inner =
        Rect { x: below.x + 1.min(below.width), width: below.width.saturating_sub(2), ..below };
    Paragraph::new(Line::styled(words.to_owned(), style))
        .centered()
        .wrap(Wrap { trim: true })
        .render(inner.intersection(buffer.area), buffer);
}

/// Returns a part's name with a blank on each side; bold where it has the keyboard.
pub(crate) fn panel_title_span(is_focused: bool, words: &str, theme: Theme) -> Span<'static> {
    let meaning = if is_focused { Meaning::Title } else { Meaning::Text };
    trusted_span(format!(" {words} "), theme.style_for(meaning))
}
