//! The rubric tree on the screen.

use crate::app::{layout::Layout, replay::Replay, scroll::Motion, shell::mouse::Mouse};

/// What is looked at of the tree.
#[derive(Debug, Default)]
pub struct Tree {
    pub rows: crate::app::scroll::Scroll,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// Among the rows.
    Go(Motion),
}

impl Replay {
    pub(super) fn update_tree(&mut self, message: Message, layout: &Layout) {
        let len = self.run.rubric_tree.as_ref().map_or(0, |tree| tree.nodes.len());
        let height = usize::from(layout.body.height.saturating_sub(2));
        match message {
            Message::Go(motion) => {
                let rows = &mut self.scores.tree.rows;
                rows.cursor = motion.from(rows.cursor, len, height);
            }
        }
    }

    pub(super) fn settle_tree(&mut self, layout: &Layout) {
        let len = self.run.rubric_tree.as_ref().map_or(0, |tree| tree.nodes.len());
        let height = usize::from(layout.body.height.saturating_sub(2));
        self.scores.tree.rows.follow(len, height);
    }

    pub(super) fn point_at_tree(&mut self, _mouse: Mouse, _layout: &Layout) {}
}
