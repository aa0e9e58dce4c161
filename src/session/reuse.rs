//! How much of what the modules of a run offer is reused by others, in the states of the code that were judged.

use std::sync::Arc;

use crate::run::Run;

use super::{
    ask::{Answers, Numbers, Request, Sentence},
    effect::Effect,
    question::Question,
};

/// Dependency integration of the states of the code that were judged.
#[derive(Debug)]
pub struct Reused {
    /// By turns done; None where nothing says what the files were.
    known: Answers<usize, Option<Integration>>,
}

/// More states than are ever judged.
const KEPT: usize = 256;

impl Default for Reused {
    fn default() -> Self {
        Self { known: Answers::of(KEPT) }
    }
}

/// Public symbols of the modules, and those of them that other modules reuse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Integration {
    pub exported: usize,
    pub reused: usize,
}

impl Integration {
    /// 0 to 1; None without symbols.
    pub fn dir(&self) -> Option<f64> {
        (self.exported > 0).then(|| self.reused as f64 / self.exported as f64)
    }
}

impl Reused {
    /// None while it is not known.
    pub fn at(&self, done: usize) -> Option<&Result<Option<Integration>, String>> {
        self.known.get(&done)
    }

    /// Asks about the state after so many turns, where it is not known.
    pub fn ask(&mut self, numbers: &mut Numbers, run: &Arc<Run>, done: usize) -> Option<Effect> {
        self.known.ask(numbers, done, || Question::Reuse { run: run.clone(), done })
    }

    pub fn take(&mut self, request: Request, answer: Result<Option<Integration>, Sentence>) {
        self.known.take(request, answer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_public_symbols_there_is_no_share_of_them() {
        assert_eq!(Integration { exported: 0, reused: 0 }.dir(), None);
        assert_eq!(Integration { exported: 4, reused: 1 }.dir(), Some(0.25));
    }
}
