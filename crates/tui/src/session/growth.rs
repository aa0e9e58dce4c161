//! Questions that a run which has grown has to answer again.

use crate::session::{
    effect::Effect,
    question::Question,
    request::{Numbers, Request},
};

/// Questions that a grown run has to answer again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Growth {
    /// Not only the beginning of a recording whose rest is still being read.
    pub is_whole: bool,
    pub timeline: Again,
    pub counts: Again,
    /// The first turn whose files may be others than those known so far; counts from 0.
    pub first: Option<usize>,
    /// A turn that was asked for and is not in the run so far; counts from 0.
    pub beyond: Option<usize>,
}

/// A question that may be wanted again while it is out: a log that grows faster than it can be worked out must still
/// be seen to grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Again {
    pub is_wanted: bool,
    asked: Option<Request>,
}

impl Again {
    pub const fn is_due(&self) -> bool {
        self.is_wanted && self.asked.is_none()
    }

    pub const fn is_idle(&self) -> bool {
        !self.is_wanted && self.asked.is_none()
    }

    pub fn ask(&mut self, numbers: &mut Numbers, question: Question) -> Effect {
        let request = numbers.fresh();
        *self = Self { is_wanted: false, asked: Some(request) };
        question.under(request)
    }

    /// Whether this is the answer that was waited for; it is no longer.
    pub fn is_answered(&mut self, request: Request) -> bool {
        self.asked.take_if(|asked| *asked == request).is_some()
    }
}
