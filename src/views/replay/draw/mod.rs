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
    session::Session,
    views::replay::Replay,
    widgets::{
        layout::{Layout, Panel},
        panel::titled,
        theme::{Meaning, Theme},
    },
};

/// Draws a panel's border with its title; gives the room inside.
fn frame(
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
fn name(view: &Replay, panel: Panel, words: String, theme: Theme) -> Span<'static> {
    let meaning = if view.focus == panel { Meaning::Title } else { Meaning::Text };
    Span::styled(format!(" {words} "), theme.of(meaning))
}

/// How a chosen row looks in a panel.
fn chosen(view: &Replay, panel: Panel, theme: Theme) -> Style {
    theme.of(if view.focus == panel { Meaning::Selected } else { Meaning::Marked })
}

/// The panels that there is room for.
pub fn draw(view: &Replay, session: &Session, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    if let Some(tabs) = layout.tabs {
        tabs::draw(view, session, theme, tabs, buffer);
    }
    if let Some(area) = layout.now {
        now::draw(session, theme, area, buffer);
    }
    for which in Panel::ALL {
        let Some(area) = layout.panel(which) else { continue };
        match which {
            Panel::Turns => turns::draw(view, session, theme, area, buffer),
            Panel::Files => files::draw(view, session, theme, area, buffer),
            Panel::Diff => diff::draw(view, session, theme, area, buffer),
            Panel::Steps => steps::draw(view, session, theme, area, buffer),
        }
    }
}
