//! Questions to the world and their answers.
//!
//! What is missing is worked out from the state after each message, so the newest wish always comes first and a
//! wish that has passed is never carried out. A [`Desk`] lets one question of its kind out at a time; the state
//! itself is the one that waits. Every question has a number, and an answer to any other number is dropped.

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

/// Something that is not here yet, is here, or will not come.
#[derive(Debug, Default, Clone, PartialEq)]
pub enum Loading<T> {
    #[default]
    Nothing,
    Waiting(Request),
    Ready(T),
    /// A sentence.
    Failed(String),
}

impl<T> Loading<T> {
    pub fn ready(&self) -> Option<&T> {
        match self {
            Self::Ready(value) => Some(value),
            _ => None,
        }
    }

    /// Takes an answer if it is the one waited for.
    pub fn settle(&mut self, request: Request, answer: Result<T, String>) {
        if !matches!(self, Self::Waiting(waiting) if *waiting == request) {
            return;
        }
        *self = match answer {
            Ok(value) => Self::Ready(value),
            Err(why) => Self::Failed(why),
        };
    }
}

/// At most one question of a kind is out.
#[derive(Debug)]
pub struct Desk<K> {
    running: Option<(Request, K)>,
}

impl<K> Default for Desk<K> {
    fn default() -> Self {
        Self { running: None }
    }
}

impl<K: Clone> Desk<K> {
    pub fn is_free(&self) -> bool {
        self.running.is_none()
    }

    /// Lets a question out.
    pub fn ask(&mut self, numbers: &mut Numbers, about: K) -> Request {
        let request = numbers.fresh();
        self.running = Some((request, about));
        request
    }

    /// Whether this is the question that is out.
    pub fn is_about(&self, request: Request) -> bool {
        self.running.as_ref().is_some_and(|(running, _)| *running == request)
    }

    /// What the question was about, if this is the answer to the one that is out.
    pub fn answered(&mut self, request: Request) -> Option<K> {
        self.running.take_if(|(running, _)| *running == request).map(|(_, about)| about)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_answer_to_the_question_that_is_out_is_taken() {
        let (mut numbers, mut desk) = (Numbers::default(), Desk::default());
        let old = desk.ask(&mut numbers, "old");
        let new = desk.ask(&mut numbers, "new");

        assert_eq!(desk.answered(old), None);
        assert_eq!(desk.answered(new), Some("new"));
        assert!(desk.is_free());
    }
}
