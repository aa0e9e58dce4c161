//! Selects one of the judged states and its source.

use crate::{
    session::{
        Session,
        flags::{self, FlagSource, FlaggedState},
    },
    views::scores::flags::FlagsView,
};

impl FlagsView {
    /// Returns the selected source of flags.
    pub(crate) fn flag_source<'s>(&self, session: &'s Session) -> Option<FlagSource<'s>> {
        let mut sources = flags::flag_sources(session);
        let last = sources.len().checked_sub(1)?;
        Some(sources.swap_remove(self.source.min(last)))
    }

    /// Returns the number of the selected source and the number of sources. Both count from 1.
    pub(crate) fn flag_source_number(&self, session: &Session) -> Option<(usize, usize)> {
        let count = flags::flag_sources(session).len();
        (count > 0).then(|| (self.source.min(count - 1) + 1, count))
    }

    /// Returns the selected state, with its number and the number of states. Both count from 1.
    pub(crate) fn flag_state<'s>(
        &self,
        session: &'s Session,
    ) -> Option<(FlaggedState<'s>, (usize, usize))> {
        let mut source = self.flag_source(session)?;
        let last = source.states.len().checked_sub(1)?;
        let at = self.flag_state_at(last);
        Some((source.states.swap_remove(at), (at + 1, last + 1)))
    }
}
