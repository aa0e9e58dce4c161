//! The audit of a judge: a queue of components in a seeded order, each labelled before its verdict is shown.

use super::{
    Effect, ask::Numbers, keymap::Context, layout::Layout, replay::Replay, shell::mouse::Mouse,
    views::View,
};

/// The queue, and where in it the rater is.
#[derive(Debug, Default)]
pub struct Audit {
    /// Index into the queue.
    pub at: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Next(usize),
    Previous(usize),
}

impl Audit {
    /// Where the keyboard is while the view is seen.
    pub const fn context(&self) -> Context {
        Context::Audit
    }
}

impl Replay {
    pub(super) fn update_audit(&mut self, message: Message, _layout: &Layout) {
        self.view = View::Audit;
        match message {
            Message::Next(count) => self.audit.at += count,
            Message::Previous(count) => self.audit.at = self.audit.at.saturating_sub(count),
        }
    }

    pub(super) fn settle_audit(&mut self, _layout: &Layout) {
        let count = self.scores.components.judgement().map_or(0, |it| it.verdicts.len());
        self.audit.at = self.audit.at.min(count.saturating_sub(1));
    }

    pub(super) fn ask_audit(&mut self, _numbers: &mut Numbers) -> Vec<Effect> {
        vec![]
    }

    /// What a click selects and the wheel moves.
    pub fn point_at_audit(&mut self, _mouse: Mouse, _layout: &Layout) {}
}
