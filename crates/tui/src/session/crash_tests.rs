//! The crash tests of a run's judges, read when their page is shown, and again whenever it is opened.

use std::sync::Arc;

use trajview_run::Run;
use trajview_study::crash_test::CrashReport;

use super::{
    effect::Effect,
    pending::Loading,
    question::Question,
    request::{RequestId, RequestIds, Sentence},
};

#[derive(Debug, Default)]
pub struct CrashTests {
    /// The tests, the newest first.
    read: Loading<Arc<Vec<CrashReport>>>,
}

impl CrashTests {
    /// Returns the tests; None while they are not read. The error is a sentence.
    pub(crate) fn known_tests(&self) -> Option<Result<&[CrashReport], &str>> {
        match &self.read {
            Loading::Ready(tests) => Some(Ok(tests)),
            Loading::Failed(why) => Some(Err(why)),
            Loading::Nothing | Loading::Waiting(_) => None,
        }
    }

    /// Reads the tests again the next time they are shown.
    pub(crate) fn forget(&mut self) {
        self.read = Loading::Nothing;
    }

    pub(crate) fn ask_tests(&mut self, numbers: &mut RequestIds, run: &Arc<Run>) -> Option<Effect> {
        let question = || Question::CrashTests { run: run.clone() };
        self.read.is_nothing().then(|| self.read.ask_question(numbers, question()))
    }

    pub(crate) fn take_answer(
        &mut self,
        request: RequestId,
        answer: Result<Arc<Vec<CrashReport>>, Sentence>,
    ) {
        self.read.settle_with(request, answer);
    }
}
