//! How much of what the modules of a run offer is reused by others, in the states of the code that were judged.

use std::sync::Arc;

use trajview_run::Run;

use super::{
    ask::Answers,
    effect::Effect,
    integration::Integration,
    question::Question,
    request::{Numbers, Request, Sentence},
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
