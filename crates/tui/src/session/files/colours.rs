//! Syntax colours of a comparison. They arrive after the text and are never waited for.

use crate::session::{
    effect::Effect,
    pending::CachedAnswers,
    question::Question,
    request::{RequestId, RequestIds, Sentence},
};

use super::{
    DiffKey,
    coloured_texts::{ColouredSides, TextsToColour},
    compared_file::ComparedFile,
};

#[derive(Debug)]
pub struct ColourCache {
    kept: CachedAnswers<DiffKey, ColouredSides>,
}

const MAX_KEPT: usize = 64;

impl Default for ColourCache {
    fn default() -> Self {
        Self { kept: CachedAnswers::with_limit(MAX_KEPT) }
    }
}

impl ColourCache {
    pub(crate) fn ask_colours(
        &mut self,
        numbers: &mut RequestIds,
        key: DiffKey,
        compared: &ComparedFile,
    ) -> Option<Effect> {
        let texts = TextsToColour::from_diff(key.path.as_str(), &compared.diff)?;
        self.kept.ask_once(numbers, key, || Question::Colours { texts })
    }

    pub(crate) fn take_answer(
        &mut self,
        request: RequestId,
        colours: Result<ColouredSides, Sentence>,
    ) {
        self.kept.take_answer(request, colours);
    }

    /// Forgets the colours of the comparisons that are old.
    pub(crate) fn forget_colours(&mut self, is_old: impl Fn(&DiffKey) -> bool) {
        self.kept.forget_answers(is_old);
    }

    /// Returns the colours; None where the text stays plain: the colours are not known yet, or could not be computed.
    pub fn colours_of(&self, key: &DiffKey) -> Option<&ColouredSides> {
        self.kept.get(key)?.as_ref().ok()
    }
}
