//! Which of the judged states is looked at, and whose.

use crate::{
    session::flags::{self, Source, State},
    shell::replay::Replay,
};

impl Replay {
    /// Empty where nobody flagged anything.
    pub fn flag_sources(&self) -> Vec<Source<'_>> {
        flags::of_session(&self.session)
    }

    /// The one that is looked at.
    pub fn flag_source(&self) -> Option<Source<'_>> {
        let mut sources = self.flag_sources();
        let last = sources.len().checked_sub(1)?;
        Some(sources.swap_remove(self.scores.flags.source.min(last)))
    }

    /// Which source of how many is looked at; both count from 1.
    pub fn flag_source_number(&self) -> Option<(usize, usize)> {
        let count = self.flag_sources().len();
        (count > 0).then(|| (self.scores.flags.source.min(count - 1) + 1, count))
    }

    /// The state that is looked at, and which of how many it is; both count from 1.
    pub fn flag_state(&self) -> Option<(State<'_>, (usize, usize))> {
        let mut source = self.flag_source()?;
        let last = source.states.len().checked_sub(1)?;
        let at = self.flag_state_at(last);
        Some((source.states.swap_remove(at), (at + 1, last + 1)))
    }
}
