//! The keys that notices and hints name: those that the user has, not those of the table.

use std::{fmt, sync::Arc};

use crate::session::context::KeyContext;

/// Returns the first key of a command in a place, by the command's id.
type KeyLookup = dyn Fn(KeyContext, &str) -> String + Send + Sync;

/// The keys of commands, for texts. The default is the table of keys.
#[derive(Clone)]
pub struct KeyTexts(Arc<KeyLookup>);

impl KeyTexts {
    pub(crate) fn new(lookup: impl Fn(KeyContext, &str) -> String + Send + Sync + 'static) -> Self {
        Self(Arc::new(lookup))
    }

    /// Returns the first key of a command in a place: `r`; `:judge` where it has none.
    pub(crate) fn key_text(&self, place: KeyContext, id: &str) -> String {
        (self.0)(place, id)
    }

    /// Returns the keys that go to a view: `g s`.
    pub(crate) fn key_after_g(&self, id: &str) -> String {
        let goto = self.key_text(KeyContext::Anywhere, "goto");
        format!("{goto} {}", self.key_text(KeyContext::GoTo, id))
    }
}

impl fmt::Debug for KeyTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyTexts")
    }
}
