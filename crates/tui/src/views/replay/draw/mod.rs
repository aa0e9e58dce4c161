//! The panels of the replay, one file each.

pub mod chooser;
pub mod diff;
pub mod files;
mod panel_frame;
mod file_history;
mod agent_lanes;
pub mod turn_stats;
mod step_columns;
mod step_text;
pub mod steps;
pub mod tabs;
pub mod tree;
pub mod turns;

use ratatui::buffer::Buffer;

use crate::{
    session::Session,
    views::replay::ReplayView,
    widgets::{
        layout::{ScreenLayout, ReplayPanel},
        theme::Theme,
    },
};

use panel_frame::{selection_style, draw_frame, name_span};

/// Draws the panels that fit.
pub fn draw(view: &ReplayView, session: &Session, theme: Theme, layout: &ScreenLayout, buffer: &mut Buffer) {
    if let Some(tabs) = layout.tabs {
        tabs::draw(view, session, theme, tabs, buffer);
    }
    if let Some(area) = layout.now {
        turn_stats::draw(session, theme, area, buffer);
    }
    if let Some(area) = layout.step {
        step_text::draw(view, session, theme, area, buffer);
    }
    for which in ReplayPanel::ALL {
        let Some(area) = layout.panel_area(which) else { continue };
        match which {
            ReplayPanel::Turns => turns::draw(view, session, theme, area, buffer),
            ReplayPanel::Files => files::draw(view, session, theme, area, buffer),
            ReplayPanel::Diff => diff::draw(view, session, theme, area, buffer),
            ReplayPanel::Steps => steps::draw(view, session, theme, area, buffer),
        }
    }
}
