//! Questions to the world and their answers.
//!
//! What is missing is worked out from the state after each message, so the newest wish always comes first and a
//! wish that has passed is never carried out. [`Pending`] lets one question of its kind out at a time, and [`CachedAnswers`] keep
//! what came of them; the state itself is the one that waits. Every question has a number, and an answer to any other
//! number is dropped.

use std::hash::Hash;

use super::{
    cache::LruCache,
    effect::Effect,
    question::Question,
    request::{RequestId, RequestIds, Sentence},
};

/// Something that is not here yet, is here, or will not come.
#[derive(Debug, Default, Clone, PartialEq)]
pub enum Loading<T> {
    #[default]
    Nothing,
    Waiting(RequestId),
    Ready(T),
    /// A sentence.
    Failed(String),
}

impl<T> Loading<T> {
    /// Asks, whatever is known.
    pub(crate) fn ask_question(&mut self, numbers: &mut RequestIds, question: Question) -> Effect {
        let request = numbers.next_request();
        *self = Self::Waiting(request);
        question.with_request(request)
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

    /// Takes an answer if it is the one waited for; returns whether it is.
    pub(crate) fn settle_with(&mut self, request: RequestId, answer: Result<T, String>) -> bool {
        if !matches!(self, Self::Waiting(waiting) if *waiting == request) {
            return false;
        }
        *self = match answer {
            Ok(value) => Self::Ready(value),
            Err(why) => Self::Failed(why),
        };
        true
    }
}

/// At most one question of a kind is out.
#[derive(Debug)]
pub struct Pending<K> {
    running: Option<(RequestId, K)>,
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

    /// Asks a question; an answer to an earlier one is ignored.
    pub(crate) fn ask_question(
        &mut self,
        numbers: &mut RequestIds,
        about: K,
        question: Question,
    ) -> Effect {
        question.with_request(self.begin_request(numbers, about))
    }

    /// Sets the question in progress to one that is sent otherwise, and returns the number for it.
    pub(crate) fn begin_request(&mut self, numbers: &mut RequestIds, about: K) -> RequestId {
        let request = numbers.next_request();
        self.running = Some((request, about));
        request
    }

    /// Returns whether this question is in progress.
    pub(crate) fn is_waiting_for(&self, request: RequestId) -> bool {
        self.running.as_ref().is_some_and(|(running, _)| *running == request)
    }

    /// Ends the question in progress, if this answers it, and returns its subject.
    pub(crate) fn take_answered(&mut self, request: RequestId) -> Option<K> {
        self.running.take_if(|(running, _)| *running == request).map(|(_, about)| about)
    }

    /// Ignores the answer to the question in progress.
    pub(crate) fn stop_waiting(&mut self) {
        self.running = None;
    }
}

/// A cache of answers to one kind of question, by their subject; the least recently used are dropped. One question is
/// in progress at a time; the next is asked after its answer.
#[derive(Debug)]
pub struct CachedAnswers<K, T> {
    kept: LruCache<K, Result<T, Sentence>>,
    pending: Pending<K>,
}

impl<K: Clone + Eq + Hash, T> CachedAnswers<K, T> {
    /// Keeps at most so many.
    pub(crate) fn with_limit(limit: usize) -> Self {
        Self { kept: LruCache::with_limit(limit), pending: Pending::default() }
    }

    pub fn get(&self, about: &K) -> Option<&Result<T, Sentence>> {
        self.kept.get(about)
    }

    pub(crate) fn has_answer(&self, about: &K) -> bool {
        self.kept.contains_key(about)
    }

    /// Returns whether no question is in progress.
    pub const fn is_free(&self) -> bool {
        self.pending.is_free()
    }

    /// Asks, where the answer is not known and no other question of the kind is out.
    pub fn ask_once(
        &mut self,
        numbers: &mut RequestIds,
        about: K,
        question: impl FnOnce() -> Question,
    ) -> Option<Effect> {
        let is_wanted = self.is_free() && !self.has_answer(&about);
        is_wanted.then(|| self.pending.ask_question(numbers, about, question()))
    }

    /// Takes the answer to the question that is out; whether it was one.
    pub(crate) fn take_answer(&mut self, request: RequestId, answer: Result<T, Sentence>) -> bool {
        let about = self.pending.take_answered(request);
        about.map(|about| self.kept.insert(about, answer)).is_some()
    }

    /// Returns whether this question is in progress.
    pub(crate) fn is_waiting_for(&self, request: RequestId) -> bool {
        self.pending.is_waiting_for(request)
    }

    /// Ignores the answer to the question in progress.
    pub(crate) fn stop_waiting(&mut self) {
        self.pending.stop_waiting();
    }

    /// Forgets old answers, and the question in progress.
    pub(crate) fn forget_answers(&mut self, is_old: impl Fn(&K) -> bool) {
        self.kept.retain(|about| !is_old(about));
        self.stop_waiting();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_answer_to_the_question_that_is_out_is_taken() {
        let (mut numbers, mut answers) = (RequestIds::default(), CachedAnswers::with_limit(8));
        let mut ask = |answers: &mut CachedAnswers<_, _>, about| {
            let asked = answers.ask_once(&mut numbers, about, || Question::Judges {});
            asked.map(|effect| effect.request_id().unwrap())
        };
        let old = ask(&mut answers, "old").unwrap();
        assert_eq!(ask(&mut answers, "new"), None, "one question is out");
        answers.stop_waiting();
        let new = ask(&mut answers, "new").unwrap();

        assert!(!answers.take_answer(old, Ok(1)));
        assert!(answers.take_answer(new, Err("no".into())));
        assert_eq!(answers.get(&"new"), Some(&Err("no".into())));
        assert_eq!(ask(&mut answers, "new"), None, "what is known is not asked again");
        assert!(answers.is_free());
    }
}
