//! One file a panel. To add one, write `ui/panel/<name>.rs` with a `draw` and add its name here.

pub mod audit;
pub mod chooser;
pub mod collection;
pub mod compare;
pub mod curves;
pub mod diff;
pub mod files;
pub mod footer;
pub mod form;
pub mod jobs;
pub mod judging;
pub mod live;
pub mod now;
pub mod overlay;
pub mod palette;
pub mod scores;
mod source;
pub mod steps;
pub mod tabs;
pub mod terminal;
pub mod title;
mod tree;
pub mod turns;

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::{Color, Modifier, Style},
    text::{Line, Span},
    widgets::{Block, Widget},
};

use crate::app::{layout::Panel, replay::Replay, scroll::centred};

use super::theme::{Meaning, Theme};

/// Draws a panel's border with its title; gives the room inside.
fn frame(
    replay: &Replay,
    panel: Panel,
    title: Line<'static>,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) -> Rect {
    let titles = [title, Line::default(), Line::default()];
    titled(replay.focus == panel, titles, theme, area, buffer)
}

/// Draws a border with a title at its left, one at its right and one below; gives the room inside.
fn titled(
    is_focused: bool,
    [left, right, below]: [Line<'static>; 3],
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) -> Rect {
    let border = if is_focused { Meaning::FocusedBorder } else { Meaning::Border };
    // A title lies on its border and would take the border's looks for those it does not name.
    let own_looks = Style::new().fg(Color::Reset).remove_modifier(Modifier::BOLD);
    let block = Block::bordered()
        .border_style(theme.of(border))
        .title_style(own_looks)
        .title(left)
        .title(right.right_aligned())
        .title_bottom(below);
    let inner = block.inner(area);
    block.render(area, buffer);
    inner
}

/// A panel's name with a blank on each side; bold where it has the keyboard.
fn name(replay: &Replay, panel: Panel, words: String, theme: Theme) -> Span<'static> {
    let meaning = if replay.focus == panel { Meaning::Title } else { Meaning::Text };
    Span::styled(format!(" {words} "), theme.of(meaning))
}

/// Says at a panel's lower edge which of its rows are seen, where they do not all fit.
fn position(top: usize, len: usize, theme: Theme, area: Rect, buffer: &mut Buffer) {
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
    Line::styled(words, theme.of(Meaning::Muted)).right_aligned().render(edge, buffer);
}

/// Draws one row of a list; the chosen one is marked over its whole width.
fn put_row(line: Line<'static>, chosen: Option<Style>, area: Rect, y: u16, buffer: &mut Buffer) {
    if y >= area.height {
        return;
    }
    let row = Rect { y: area.y + y, height: 1, ..area };
    line.render(row, buffer);
    if let Some(style) = chosen {
        if style.add_modifier.contains(Modifier::REVERSED) {
            // On a reversed row a muted colour could vanish; signs and words say it all.
            buffer.set_style(row, Style::reset());
        }
        buffer.set_style(row, style);
    }
}

/// How a chosen row looks in a panel.
fn chosen(replay: &Replay, panel: Panel, theme: Theme) -> Style {
    theme.of(if replay.focus == panel { Meaning::Selected } else { Meaning::Marked })
}

/// Draws a list around its chosen row, which stands in the middle where it can. Asks for the rows that are seen only.
fn list(
    len: usize,
    row: impl Fn(usize) -> Line<'static>,
    selected: usize,
    style: Style,
    area: Rect,
    buffer: &mut Buffer,
) {
    let height = usize::from(area.height);
    let top = centred(selected, len, height);
    for (y, index) in (top..len).take(height).enumerate() {
        let style = (index == selected).then_some(style);
        put_row(row(index), style, area, y as u16, buffer);
    }
}
