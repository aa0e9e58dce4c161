//! The border of a panel, its name and its chosen row.

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::{Line, Span},
};

use crate::{
    views::replay::ReplayView,
    widgets::{
        layout::ReplayPanel,
        panel::draw_titled_panel,
        theme::{Meaning, Theme},
    },
};

/// Draws a panel's border with its title; gives the room inside.
pub fn draw_frame(
    view: &ReplayView,
    panel: ReplayPanel,
    title: Line<'static>,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) -> Rect {
    draw_titled_panel(view.focus == panel, title, theme, area, buffer)
}

/// Returns a panel's name with a blank on each side; bold where it has the keyboard.
pub(crate) fn name_span(
    view: &ReplayView,
    panel: ReplayPanel,
    words: String,
    theme: Theme,
) -> Span<'static> {
    let meaning = if view.focus == panel { Meaning::Title } else { Meaning::Text };
    Span::styled(format!(" {words} "), theme.style_for(meaning))
}

/// Returns the style of a chosen row in a panel.
pub(crate) fn selection_style(view: &ReplayView, panel: ReplayPanel, theme: Theme) -> Style {
    theme.style_for(if view.focus == panel { Meaning::Selected } else { Meaning::Marked })
}
