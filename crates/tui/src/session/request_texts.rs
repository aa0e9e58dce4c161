//! What was asked in each turn, in full. Several views show it, so it is read once for all of them.

use std::sync::Arc;

use super::{
    Session,
    effect::Effect,
    pending::CachedAnswers,
    question::Question,
    request::{RequestId, RequestIds, Sentence},
};
use trajview_run::{StepText, Turn};

/// Requests that are kept; the least recently used are dropped.
const MAX_REQUESTS: usize = 512;

/// The texts of the requests that were read so far, by turn.
#[derive(Debug)]
pub struct RequestTexts {
    texts: CachedAnswers<usize, Arc<StepText>>,
}

impl Default for RequestTexts {
    fn default() -> Self {
        Self { texts: CachedAnswers::with_limit(MAX_REQUESTS) }
    }
}

impl RequestTexts {
    /// Returns the text of a turn's request; None until it is read. The turn counts from 0.
    pub fn text_of(&self, turn: usize) -> Option<&Result<Arc<StepText>, Sentence>> {
        self.texts.get(&turn)
    }

    pub(crate) fn take_text(&mut self, request: RequestId, text: Result<Arc<StepText>, Sentence>) {
        self.texts.take_answer(request, text);
    }

    /// Forgets the requests of these turns, which have changed.
    pub(crate) fn forget_turns(&mut self, has_changed: impl Fn(usize) -> bool) {
        self.texts.forget_answers(|turn| has_changed(*turn));
    }
}

impl Session {
    /// Returns whether the recording has a request for the turn, which counts from 0.
    pub(crate) fn has_request(&self, turn: usize) -> bool {
        let is_asked = |turn: &Turn| turn.request.is_some() || !turn.title.is_empty();
        self.run.turns.get(turn).is_some_and(is_asked)
    }

    /// Returns the words of a turn's request, its title until they are read; None where the recording has no request.
    /// The error is a sentence.
    pub fn request_words(&self, turn: usize) -> Option<Result<&str, &str>> {
        self.has_request(turn).then(|| match self.requests.text_of(turn) {
            Some(Ok(text)) => Ok(text.text.trim_end()),
            Some(Err(why)) => Err(why.as_str()),
            None => Ok(&*self.run.turns[turn].title),
        })
    }

    /// Asks for the text of a turn's request, unless it is read or another is being read.
    pub(crate) fn ask_request(&mut self, numbers: &mut RequestIds, turn: usize) -> Option<Effect> {
        if !self.has_request(turn) {
            return None;
        }
        let run = self.run.clone();
        self.requests.texts.ask_once(numbers, turn, || Question::RequestText { run, turn })
    }
}
