//! The number of a question, and what is said where it cannot be answered.

/// What is wrong, in words for the user: what, where, what to do.
pub type Sentence = String;

/// Numbers a question, so that a late answer to an old one can be told apart.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Request(u64);

impl Request {
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// Hands out numbers; never the same twice.
#[derive(Debug, Default)]
pub struct Numbers(u64);

impl Numbers {
    pub fn fresh(&mut self) -> Request {
        self.0 += 1;
        Request(self.0)
    }
}
