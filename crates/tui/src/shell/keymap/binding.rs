//! One row of the keymap.

use crate::{session::context::Context, shell::Message, widgets::key::Key};

/// A number typed before a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count(pub Option<usize>);

pub struct Binding {
    pub context: Context,
    /// All mean the same; the first is the one in the footer.
    pub keys: &'static [Key],
    pub help: &'static str,
    /// One word for the footer; empty keeps the row out of it.
    pub hint: &'static str,
    pub message: fn(Count) -> Message,
    pub listing: Listing,
}

/// Whether the list of commands, `:`, offers a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listing {
    Listed,
    /// Only the key itself does it: it labels, stops something, or writes data. Letters that a list is searched with
    /// must never do that.
    Unlisted,
}

impl Count {
    /// How often: once unless a number was typed.
    pub fn times(self) -> usize {
        self.0.unwrap_or(1).max(1)
    }
}

impl Binding {
    /// The same binding, kept out of the list of commands.
    pub(super) const fn unlisted(self) -> Self {
        Self { listing: Listing::Unlisted, ..self }
    }

    /// `h ←`, for help.
    pub fn keys_shown(&self) -> String {
        self.keys.iter().map(Key::to_string).collect::<Vec<_>>().join(" ")
    }
}
