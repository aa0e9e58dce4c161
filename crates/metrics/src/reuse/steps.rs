//! How far names are followed: as far as any project goes, and no further.

/// A name passed on through more modules than this is not followed.
const MOST_DEEP: usize = 100;

/// Steps taken for all names of a language together.
const MOST_STEPS: usize = 2_000_000;

/// Counts the steps of one linker.
#[derive(Debug, Default)]
pub(super) struct Steps {
    taken: usize,
    /// Questions that wait for an answer.
    pub depth: usize,
    /// Whether a step was refused.
    pub gave_up: bool,
}

impl Steps {
    /// Whether another step may be taken.
    pub fn goes_on(&mut self) -> bool {
        self.taken += 1;
        let goes_on = self.taken <= MOST_STEPS && self.depth <= MOST_DEEP;
        self.gave_up |= !goes_on;
        goes_on
    }
}
