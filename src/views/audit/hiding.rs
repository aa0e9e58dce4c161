//! Which verdict the audit has shown, and whether the next label is blind.

use crate::{session::views::View, shell::replay::Replay};

impl Replay {
    /// What the audit itself shows; the scores and the replay note what they show.
    pub(super) fn note_what_is_seen(&mut self) {
        if self.session.view != View::Audit {
            return;
        }
        self.session.audited.begin();
        if self.revealed().is_some()
            && let (Some(judgement), Some(id)) = (self.session.audited(), self.audited_id())
        {
            let pair = (judgement.file.clone(), id.to_owned());
            self.session.audited.see([pair]);
        }
    }

    /// Whether the next label of the component that is looked at would not be blind, and why.
    pub fn why_not_blind(&self) -> Option<&'static str> {
        let (judgement, id) = (self.session.audited()?, self.audited_id()?);
        let taken_back = self.session.labels.of(judgement, id).is_some_and(|it| it.score.is_none());
        match (taken_back, self.session.audited.was_seen(judgement, id)) {
            (true, _) => Some("a label was taken back after the verdict was seen"),
            (false, true) => Some("the verdict was on screen before"),
            (false, false) => None,
        }
    }
}
