//! Questions that a run which has grown has to answer again.

use crate::session::{
    effect::Effect,
    question::Question,
    request::{RequestId, RequestIds},
};

/// Questions that a grown run has to answer again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunGrowth {
    /// True for a whole recording, false for the beginning of one whose rest is still being read.
    pub is_whole: bool,
    pub timeline: RepeatedQuestion,
    pub counts: RepeatedQuestion,
    /// The first turn whose files may be others than those known so far; counts from 0.
    pub first: Option<usize>,
    /// A requested turn that is not in the run so far; counts from 0.
    pub beyond: Option<usize>,
}

/// A question that may be wanted again while it is out: a log that grows faster than it can be worked out must still
/// be seen to grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RepeatedQuestion {
    pub is_wanted: bool,
    asked: Option<RequestId>,
}

impl RepeatedQuestion {
    pub const fn is_due(&self) -> bool {
        self.is_wanted && self.asked.is_none()
    }

    pub const fn is_idle(&self) -> bool {
        !self.is_wanted && self.asked.is_none()
    }

    pub fn ask_again(&mut self, numbers: &mut RequestIds, question: Question) -> Effect {
        let request = numbers.next_request();
        *self = Self { is_wanted: false, asked: Some(request) };
        question.with_request(request)
    }

    /// Returns whether this answers the question in progress, and ends the waiting.
    pub(crate) fn take_answered(&mut self, request: RequestId) -> bool {
        self.asked.take_if(|asked| *asked == request).is_some()
    }
}
