//! One row of the keymap.

use crate::{session::context::KeyContext, shell::AppMessage, widgets::key::Key};

/// A number typed before a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KeyCount(pub Option<usize>);

pub struct KeyBinding {
    pub context: KeyContext,
    /// The stable name of what the keys do, in `[keys]` and on the command line; rows of several places share one when they do
    /// the same there. In one place no two rows have the same.
    pub id: &'static str,
    /// The keys, with the same meaning; the first is shown in the footer.
    pub keys: &'static [Key],
    pub help: &'static str,
    /// One word for the footer; empty keeps the row out of it.
    pub hint: &'static str,
    pub message: fn(KeyCount) -> AppMessage,
    pub listing: CommandListing,
}

/// States whether the list of commands, `:`, offers a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandListing {
    Listed,
    /// Only the key itself runs it: it labels, stops something, or writes data. Letters that a list is searched with
    /// must never do that.
    Unlisted,
}

impl KeyCount {
    /// Returns the number of repetitions: once unless a number was typed.
    pub fn repetitions(self) -> usize {
        self.0.unwrap_or(1).max(1)
    }
}

impl KeyBinding {
    /// Keeps the binding out of the list of commands.
    pub(super) const fn unlisted(self) -> Self {
        Self { listing: CommandListing::Unlisted, ..self }
    }
}
