//! The common interface of the views of the open run.

use ratatui::buffer::Buffer;

use crate::{
    session::{Session, context::KeyContext, effect::Effect, request::RequestIds},
    widgets::{layout::ScreenLayout, mouse::Mouse, theme::Theme},
};

/// A view of the run that is open. It reads the session and its own state, and changes the session only through the
/// session's methods. What its keys do is its `update_view`, which takes its own messages.
pub trait RunView {
    /// Brings the view in step with the selection, whether it is seen or not.
    fn settle_view(&mut self, session: &mut Session, layout: &ScreenLayout);

    /// Returns the questions for the most important missing data, one of each kind.
    fn ask_missing(
        &mut self,
        session: &mut Session,
        numbers: &mut RequestIds,
        layout: &ScreenLayout,
    ) -> Vec<Effect>;

    /// Returns the keyboard context while the view is on screen.
    fn keyboard_context(&self, session: &Session) -> KeyContext;

    /// Closes the innermost open part. Returns false if none is open, so that going back leads to the view before.
    fn close_part(&mut self, session: &mut Session) -> bool;

    /// Handles clicks and the wheel. Returns true if the click counts as enter.
    fn point_at_view(&mut self, session: &mut Session, mouse: Mouse, layout: &ScreenLayout)
    -> bool;

    fn draw_view(
        &self,
        session: &Session,
        theme: Theme,
        layout: &ScreenLayout,
        buffer: &mut Buffer,
    );
}
