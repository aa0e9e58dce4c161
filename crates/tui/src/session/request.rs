//! The number of a question, and the text of an error.

/// An error message for the user: what, where, what to do.
pub type Sentence = String;

/// The number of a question, which identifies late answers to old questions.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(u64);

impl RequestId {
    pub const fn as_number(self) -> u64 {
        self.0
    }
}

/// Hands out numbers; never the same twice.
#[derive(Debug, Default)]
pub struct RequestIds(u64);

impl RequestIds {
    pub(crate) fn next_request(&mut self) -> RequestId {
        self.0 += 1;
        RequestId(self.0)
    }
}
