//! What the views of the run that is open have in common.

use ratatui::buffer::Buffer;

use crate::{
    session::{Session, context::Context, effect::Effect, request::Numbers},
    widgets::{layout::Layout, mouse::Mouse, theme::Theme},
};

/// A view of the run that is open. It reads the session and its own state, and changes the session only through the
/// session's methods. What its keys do is its `update`, which takes its own messages.
pub trait RunView {
    /// Brings it in step with the selection, whether it is seen or not.
    fn settle(&mut self, session: &mut Session, layout: &Layout);

    /// What is missing most, one question of each kind.
    fn ask(&mut self, session: &mut Session, numbers: &mut Numbers, layout: &Layout)
    -> Vec<Effect>;

    /// Where the keyboard is while it is seen.
    fn context(&self, session: &Session) -> Context;

    /// What a click selects and the wheel moves. Whether it is meant as enter.
    fn point(&mut self, session: &mut Session, mouse: Mouse, layout: &Layout) -> bool;

    fn draw(&self, session: &Session, theme: Theme, layout: &Layout, buffer: &mut Buffer);
}
