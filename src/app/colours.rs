//! Syntax colours of the comparison on screen. They arrive after the text and are never waited for.

use std::sync::Arc;

use crate::{
    code::{
        diff::{DiffLine, LineKind},
        highlight::Span,
    },
    run::files::FileDiff,
};

use super::{
    Effect,
    ask::{Desk, Numbers, Request},
    cache::Cache,
    diff::{Compared, DiffKey},
};

/// Spans of each line of a text; None where the language is not known.
pub type Coloured = Option<Vec<Vec<Span>>>;

/// The colours of both texts of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sides {
    pub old: Coloured,
    pub new: Coloured,
}

/// Texts to colour; None on the side where there is no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texts {
    /// Tells the language.
    pub path: String,
    pub old: Option<Arc<str>>,
    pub new: Option<Arc<str>>,
}

#[derive(Debug)]
pub struct Colours {
    kept: Cache<DiffKey, Sides>,
    desk: Desk<DiffKey>,
}

const KEPT: usize = 64;

/// Bytes of a text beyond which we do not colour; nobody reads such a file for its syntax.
const TOO_LONG: usize = 2 << 20;

impl Default for Colours {
    fn default() -> Self {
        Self { kept: Cache::of(KEPT), desk: Desk::default() }
    }
}

impl Colours {
    pub fn ask(
        &mut self,
        numbers: &mut Numbers,
        key: DiffKey,
        compared: &Compared,
    ) -> Option<Effect> {
        let FileDiff::Text { old, new, .. } = &*compared.diff else { return None };
        let is_long = [old, new].into_iter().flatten().any(|text| text.len() > TOO_LONG);
        if is_long || self.kept.has(&key) || !self.desk.is_free() {
            return None;
        }
        let texts = Texts { path: key.path.as_str().into(), old: old.clone(), new: new.clone() };
        Some(Effect::Highlight(self.desk.ask(numbers, key), texts))
    }

    /// A failure leaves the text as plain as it was.
    pub fn hear(&mut self, request: Request, colours: Result<Sides, String>) {
        if let Some(key) = self.desk.answered(request) {
            self.kept.put(key, colours.unwrap_or_default());
        }
    }

    pub fn of(&self, key: &DiffKey) -> Option<&Sides> {
        self.kept.get(key)
    }
}

impl Sides {
    /// The spans of a line of a comparison: a removed line is coloured as it was, any other as it is.
    pub fn of(&self, line: &DiffLine) -> &[Span] {
        let (side, number) = match line.kind {
            LineKind::Removed => (&self.old, line.old),
            LineKind::Context | LineKind::Added => (&self.new, line.new),
        };
        let found = side.as_ref().zip(number);
        found
            .and_then(|(lines, number)| lines.get(number.checked_sub(1)?))
            .map_or(&[], Vec::as_slice)
    }
}
