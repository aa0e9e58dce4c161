//! Which verdict the audit has shown, and whether the next label is blind.

use crate::{
    session::{Session, views::View},
    views::audit::Audit,
};

impl Audit {
    /// What the audit itself shows; the scores and the replay note what they show.
    pub(super) fn note_what_is_seen(&mut self, session: &mut Session) {
        if session.view != View::Audit {
            return;
        }
        session.audited.begin();
        if self.revealed(session).is_some()
            && let (Some(judgement), Some(id)) = (session.audited(), self.audited_id())
        {
            let pair = (judgement.file.clone(), id.to_owned());
            session.audited.see([pair]);
        }
    }

    /// Whether the next label of the component that is looked at would not be blind, and why.
    pub fn why_not_blind(&self, session: &Session) -> Option<&'static str> {
        let (judgement, id) = (session.audited()?, self.audited_id()?);
        let taken_back = session.labels.of(judgement, id).is_some_and(|it| it.score.is_none());
        match (taken_back, session.audited.was_seen(judgement, id)) {
            (true, _) => Some("a label was taken back after the verdict was seen"),
            (false, true) => Some("the verdict was on screen before"),
            (false, false) => None,
        }
    }
}
