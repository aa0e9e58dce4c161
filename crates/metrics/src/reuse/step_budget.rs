//! The limits for following names: enough for any real project.

/// A name that is re-exported through more modules than this is not followed.
const MAX_DEPTH: usize = 100;

/// The most steps for all names of a language together.
const MAX_STEPS: usize = 2_000_000;

/// Counts the steps of one linker.
#[derive(Debug, Default)]
pub(super) struct StepBudget {
    taken: usize,
    /// The number of lookups that are waiting for the result of another.
    pub depth: usize,
    /// True where a step was refused.
    pub gave_up: bool,
}

impl StepBudget {
    /// Counts a step; returns whether it may be taken.
    pub fn take_step(&mut self) -> bool {
        self.taken += 1;
        let goes_on = self.taken <= MAX_STEPS && self.depth <= MAX_DEPTH;
        self.gave_up |= !goes_on;
        goes_on
    }
}
