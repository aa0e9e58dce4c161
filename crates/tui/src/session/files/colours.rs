//! Syntax colours of a comparison. They arrive after the text and are never waited for.

use crate::session::{
    ask::Answers,
    effect::Effect,
    question::Question,
    request::{Numbers, Request, Sentence},
};

use super::{
    DiffKey,
    compared::Compared,
    texts::{Sides, Texts},
};

#[derive(Debug)]
pub struct Colours {
    kept: Answers<DiffKey, Sides>,
}

const KEPT: usize = 64;

impl Default for Colours {
    fn default() -> Self {
        Self { kept: Answers::of(KEPT) }
    }
}

impl Colours {
    pub fn ask(
        &mut self,
        numbers: &mut Numbers,
        key: DiffKey,
        compared: &Compared,
    ) -> Option<Effect> {
        let texts = Texts::of(key.path.as_str(), &compared.diff)?;
        self.kept.ask(numbers, key, || Question::Colours { texts })
    }

    pub fn take(&mut self, request: Request, colours: Result<Sides, Sentence>) {
        self.kept.take(request, colours);
    }

    /// Gives up what is no longer true.
    pub fn forget(&mut self, is_old: impl Fn(&DiffKey) -> bool) {
        self.kept.forget(is_old);
    }

    /// None where the text stays plain: its colours are not here, or could not be worked out.
    pub fn of(&self, key: &DiffKey) -> Option<&Sides> {
        self.kept.get(key)?.as_ref().ok()
    }
}
