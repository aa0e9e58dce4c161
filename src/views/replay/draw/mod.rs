//! The panels of the replay, one file each.

pub mod chooser;
pub mod diff;
pub mod files;
pub mod now;
pub mod steps;
pub mod tabs;
pub mod tree;
pub mod turns;

use ratatui::{
    buffer::Buffer,
    layout::Rect,
    style::Style,
    text::{Line, Span},
};

use crate::{
    shell::replay::Replay,
    widgets::{
        layout::Panel,
        panel::titled,
        theme::{Meaning, Theme},
    },
};

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

/// A panel's name with a blank on each side; bold where it has the keyboard.
fn name(replay: &Replay, panel: Panel, words: String, theme: Theme) -> Span<'static> {
    let meaning = if replay.focus == panel { Meaning::Title } else { Meaning::Text };
    Span::styled(format!(" {words} "), theme.of(meaning))
}

/// How a chosen row looks in a panel.
fn chosen(replay: &Replay, panel: Panel, theme: Theme) -> Style {
    theme.of(if replay.focus == panel { Meaning::Selected } else { Meaning::Marked })
}
