//! What is put down of an item before its label is committed: a score that may still change, how sure the rater is, a note.
//! It says nothing of the verdict and nothing is shown for it; it is kept in the rater's file, apart from the labels, so that
//! the next session goes on with it.

use crate::{session::Session, views::audit::Audit, widgets::layout::Layout};
use trajview_run::rubric::{Confidence, Label};
use trajview_study::items::AuditItem;

use super::Answer;

/// What is put down of the item that is looked at.
pub fn proposal<'a>(audit: &Audit, session: &'a Session) -> Option<&'a Label> {
    let item = audit.audited_item(session)?;
    session.labels.proposal_of(item.state(), item.key())
}

/// Scores are proposed first from now on, or no longer.
pub(super) fn switch_acts(audit: &mut Audit, session: &mut Session) {
    audit.proposes = !audit.proposes;
    session.notice = Some(match audit.proposes {
        true => "labels are proposed first: enter commits one and shows the verdict".into(),
        false => "labels are in as soon as they are given".into(),
    });
}

/// Puts an answer down.
pub(super) fn propose(audit: &mut Audit, session: &mut Session, answer: Answer) {
    change_proposal(audit, session, |label| {
        (label.score, label.cannot_tell) = match answer {
            Answer::Score(score) => (Some(score), false),
            Answer::CannotTell => (None, true),
        };
    });
    session.notice = None;
}

pub(super) fn change_proposal(
    audit: &mut Audit,
    session: &mut Session,
    change: impl FnOnce(&mut Label),
) {
    let Some(item) = audit.audited_item(session) else { return };
    let scale = scale_of(session, item);
    let known = session.labels.proposal_of(item.state(), item.key());
    let mut label = known.cloned().unwrap_or_else(|| Label { scale, ..item.label() });
    change(&mut label);
    session.labels.propose(label);
}

/// The proposal becomes the label. Whether there was one.
pub(super) fn commit(audit: &mut Audit, session: &mut Session, layout: &Layout) -> bool {
    if audit.own_label(session).is_some() {
        return false;
    }
    let answer =
        proposal(audit, session).and_then(|label| match (label.score, label.cannot_tell) {
            (Some(score), _) => Some(Answer::Score(score)),
            (None, true) => Some(Answer::CannotTell),
            (None, false) => None,
        });
    if let Some(answer) = answer {
        audit.give(session, answer, layout);
    }
    answer.is_some()
}

/// Takes a proposed answer away. Whether there was one.
pub(super) fn take_proposal_back(audit: &mut Audit, session: &mut Session) -> bool {
    let is_there = audit.own_label(session).is_none()
        && proposal(audit, session).is_some_and(Label::is_answered);
    if is_there {
        change_proposal(audit, session, |label| {
            (label.score, label.cannot_tell) = (None, false);
        });
        session.notice = Some("the proposal is gone; nothing was shown for it".into());
    }
    is_there
}

/// The next of low, medium, high and nothing: of the label, else of what is put down.
pub(super) fn change_confidence(audit: &mut Audit, session: &mut Session) {
    if !audit.is_ready(session, None) {
        return;
    }
    let next = |it: Option<Confidence>| match it {
        None => Some(Confidence::Low),
        Some(Confidence::Low) => Some(Confidence::Medium),
        Some(Confidence::Medium) => Some(Confidence::High),
        Some(Confidence::High) => None,
    };
    let labelled = audit.own_label(session).map(|label| label.given.confidence);
    let now = match labelled {
        Some(now) => now,
        None => proposal(audit, session).and_then(|label| label.confidence),
    };
    match labelled {
        Some(_) => audit.amend(session, |label| label.confidence = next(now)),
        None => change_proposal(audit, session, |label| label.confidence = next(now)),
    }
    session.notice = Some(match next(now) {
        Some(confidence) => format!("confidence: {}; c changes it", confidence.word()),
        None => "confidence: not said".into(),
    });
}

/// The scale that a label of an item names: none where it is the unit's own.
pub(super) fn scale_of(session: &Session, item: &AuditItem) -> Option<String> {
    let scale = session.criterion_of(item)?.scale;
    (scale != item.unit.scale()).then(|| scale.to_string())
}
