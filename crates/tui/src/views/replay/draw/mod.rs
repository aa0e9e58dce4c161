//! The panels of the replay, one file each.

mod agent_lanes;
pub mod chooser;
pub mod diff;
mod file_history;
pub mod files;
mod panel_frame;
pub mod request;
mod step_columns;
pub(crate) mod step_text;
pub mod steps;
pub mod tabs;
pub mod tree;
pub(crate) mod trial_result;
pub mod turn_stats;
pub mod turns;

use ratatui::buffer::Buffer;

use crate::{
    session::Session,
    views::replay::ReplayView,
    widgets::{
        layout::{ReplayPanel, ScreenLayout},
        theme::Theme,
    },
};

use panel_frame::{draw_frame, name_span, selection_style};

/// Draws the panels that fit.
pub fn draw(
    view: &ReplayView,
    session: &Session,
    theme: Theme,
    layout: &ScreenLayout,
    buffer: &mut Buffer,
) {
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
            ReplayPanel::Request => request::draw(view, session, theme, area, buffer),
            ReplayPanel::Files => files::draw(view, session, theme, area, buffer),
            ReplayPanel::Diff => diff::draw(view, session, theme, area, buffer),
            ReplayPanel::Steps => steps::draw(view, session, theme, area, buffer),
        }
    }
}
