//! The panels of the replay, one file each.

pub mod chooser;
pub mod diff;
pub mod files;
mod frame;
mod history;
mod lanes;
pub mod now;
mod pace;
mod step;
pub mod steps;
pub mod tabs;
pub mod tree;
pub mod turns;

use ratatui::buffer::Buffer;

use crate::{
    session::Session,
    views::replay::Replay,
    widgets::{
        layout::{Layout, Panel},
        theme::Theme,
    },
};

use frame::{chosen, frame, name};

/// The panels that there is room for.
pub fn draw(view: &Replay, session: &Session, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    if let Some(tabs) = layout.tabs {
        tabs::draw(view, session, theme, tabs, buffer);
    }
    if let Some(area) = layout.now {
        now::draw(session, theme, area, buffer);
    }
    if let Some(area) = layout.step {
        step::draw(view, session, theme, area, buffer);
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
