//! Draws the timeline below the views: of the open run, or one of each compared run.

use ratatui::{buffer::Buffer, layout::Rect};

use crate::{shell::screens::Screens, widgets::theme::Theme};

pub(super) fn draw(screens: &Screens, theme: Theme, area: Rect, buffer: &mut Buffer) {
    for (timeline, area) in screens.timelines(area) {
        timeline.draw(theme, area, buffer);
    }
}
