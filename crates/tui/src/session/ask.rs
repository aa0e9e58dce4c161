//! Questions to the world and their answers.
//!
//! What is missing is worked out from the state after each message, so the newest wish always comes first and a
//! wish that has passed is never carried out. [`Pending`] lets one question of its kind out at a time, and [`Answers`] keep
//! what came of them; the state itself is the one that waits. Every question has a number, and an answer to any other
//! number is dropped.

use std::hash::Hash;

use super::{
    cache::Cache,
    effect::Effect,
    question::Question,
    request::{Numbers, Request, Sentence},
};

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
    /// Asks, whatever is known.
    pub fn ask(&mut self, numbers: &mut Numbers, question: Question) -> Effect {
        let request = numbers.fresh();
        *self = Self::Waiting(request);
        question.under(request)
    }

    pub const fn is_nothing(&self) -> bool {
        matches!(self, Self::Nothing)
    }

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
pub struct Pending<K> {
    running: Option<(Request, K)>,
}

impl<K> Default for Pending<K> {
    fn default() -> Self {
        Self { running: None }
    }
}

impl<K> Pending<K> {
    pub const fn is_free(&self) -> bool {
        self.running.is_none()
    }

    /// Asks; the answer to what was asked before is no longer waited for.
    pub fn ask(&mut self, numbers: &mut Numbers, about: K, question: Question) -> Effect {
        question.under(self.begin(numbers, about))
    }

    /// The number of something that is going to be out, and is asked for in a way of its own.
    pub fn begin(&mut self, numbers: &mut Numbers, about: K) -> Request {
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

    /// What is out is no longer waited for.
    pub fn forget(&mut self) {
        self.running = None;
    }
}

/// Answers to one kind of question, kept by what they are about; those not used for longest are given up first. One
/// question is out at a time: what is wanted when its answer is there is asked for next.
#[derive(Debug)]
pub struct Answers<K, T> {
    kept: Cache<K, Result<T, Sentence>>,
    pending: Pending<K>,
}

impl<K: Clone + Eq + Hash, T> Answers<K, T> {
    /// Keeps at most so many.
    pub fn of(limit: usize) -> Self {
        Self { kept: Cache::of(limit), pending: Pending::default() }
    }

    pub fn get(&self, about: &K) -> Option<&Result<T, Sentence>> {
        self.kept.get(about)
    }

    pub fn has(&self, about: &K) -> bool {
        self.kept.has(about)
    }

    /// Whether none is out.
    pub const fn is_free(&self) -> bool {
        self.pending.is_free()
    }

    /// Asks, where the answer is not known and no other question of the kind is out.
    pub fn ask(
        &mut self,
        numbers: &mut Numbers,
        about: K,
        question: impl FnOnce() -> Question,
    ) -> Option<Effect> {
        let is_wanted = self.is_free() && !self.has(&about);
        is_wanted.then(|| self.pending.ask(numbers, about, question()))
    }

    /// Takes the answer to the question that is out; whether it was one.
    pub fn take(&mut self, request: Request, answer: Result<T, Sentence>) -> bool {
        let about = self.pending.answered(request);
        about.map(|about| self.kept.put(about, answer)).is_some()
    }

    /// Whether this is the question that is out.
    pub fn is_about(&self, request: Request) -> bool {
        self.pending.is_about(request)
    }

    /// What is out is no longer waited for.
    pub fn stop(&mut self) {
        self.pending.forget();
    }

    /// What is known of these, and what is out, is worth nothing any more.
    pub fn forget(&mut self, is_old: impl Fn(&K) -> bool) {
        self.kept.retain(|about| !is_old(about));
        self.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_answer_to_the_question_that_is_out_is_taken() {
        let (mut numbers, mut answers) = (Numbers::default(), Answers::of(8));
        let mut ask = |answers: &mut Answers<_, _>, about| {
            let asked = answers.ask(&mut numbers, about, || Question::Judges {});
            asked.map(|effect| effect.request().unwrap())
        };
        let old = ask(&mut answers, "old").unwrap();
        assert_eq!(ask(&mut answers, "new"), None, "one question is out");
        answers.stop();
        let new = ask(&mut answers, "new").unwrap();

        assert!(!answers.take(old, Ok(1)));
        assert!(answers.take(new, Err("no".into())));
        assert_eq!(answers.get(&"new"), Some(&Err("no".into())));
        assert_eq!(ask(&mut answers, "new"), None, "what is known is not asked again");
        assert!(answers.is_free());
    }
}
