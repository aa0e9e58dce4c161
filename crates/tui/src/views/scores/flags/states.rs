//! Which of the judged states is looked at, and whose.

use crate::{
    session::{
        Session,
        flags::{self, Source, State},
    },
    views::scores::flags::Flags,
};

impl Flags {
    /// The one that is looked at.
    pub fn flag_source<'s>(&self, session: &'s Session) -> Option<Source<'s>> {
        let mut sources = flags::of_session(session);
        let last = sources.len().checked_sub(1)?;
        Some(sources.swap_remove(self.source.min(last)))
    }

    /// Which source of how many is looked at; both count from 1.
    pub fn flag_source_number(&self, session: &Session) -> Option<(usize, usize)> {
        let count = flags::of_session(session).len();
        (count > 0).then(|| (self.source.min(count - 1) + 1, count))
    }

    /// The state that is looked at, and which of how many it is; both count from 1.
    pub fn flag_state<'s>(&self, session: &'s Session) -> Option<(State<'s>, (usize, usize))> {
        let mut source = self.flag_source(session)?;
        let last = source.states.len().checked_sub(1)?;
        let at = self.flag_state_at(last);
        Some((source.states.swap_remove(at), (at + 1, last + 1)))
    }
}
