//! How much of what the modules of a run offer is reused by others, in the states of the code that were judged.

use std::sync::Arc;

use trajview_run::Run;

use super::{
    effect::Effect,
    integration::DependencyIntegration,
    pending::CachedAnswers,
    question::Question,
    request::{RequestId, RequestIds, Sentence},
};

/// Dependency integration of the states of the code that were judged.
#[derive(Debug)]
pub struct ReuseCache {
    /// The answers by turns done; None where the files are unknown.
    known: CachedAnswers<usize, Option<DependencyIntegration>>,
}

/// More states than are ever judged.
const MAX_KEPT: usize = 256;

impl Default for ReuseCache {
    fn default() -> Self {
        Self { known: CachedAnswers::with_limit(MAX_KEPT) }
    }
}

impl ReuseCache {
    /// Returns the reuse; None while it is not known.
    pub(crate) fn reuse_after(
        &self,
        done: usize,
    ) -> Option<&Result<Option<DependencyIntegration>, String>> {
        self.known.get(&done)
    }

    /// Asks about the state after so many turns, where it is not known.
    pub(crate) fn ask_reuse(
        &mut self,
        numbers: &mut RequestIds,
        run: &Arc<Run>,
        done: usize,
    ) -> Option<Effect> {
        self.known.ask_once(numbers, done, || Question::Reuse { run: run.clone(), done })
    }

    pub(crate) fn take_answer(
        &mut self,
        request: RequestId,
        answer: Result<Option<DependencyIntegration>, Sentence>,
    ) {
        self.known.take_answer(request, answer);
    }
}
