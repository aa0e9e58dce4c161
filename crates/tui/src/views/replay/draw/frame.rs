//! The border of a panel, its name and its chosen row.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::{Line, Span},
};

use crate::{
    views::replay::Replay,
    widgets::{
        layout::Panel,
        panel::titled,
        theme::{Meaning, Theme},
    },
};

/// Draws a panel's border with its title; gives the room inside.
pub fn frame(
    view: &Replay,
    panel: Panel,
    title: Line<'static>,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) -> Rect {
    let titles = [title, Line::default(), Line::default()];
    titled(view.focus == panel, titles, theme, area, buffer)
}

/// A panel's name with a blank on each side; bold where it has the keyboard.
pub fn name(view: &Replay, panel: Panel, words: String, theme: Theme) -> Span<'static> {
    let meaning = if view.focus == panel { Meaning::Title } else { Meaning::Text };
    Span::styled(format!(" {words} "), theme.of(meaning))
}

/// How a chosen row looks in a panel.
pub fn chosen(view: &Replay, panel: Panel, theme: Theme) -> Style {
    theme.of(if view.focus == panel { Meaning::Selected } else { Meaning::Marked })
}
