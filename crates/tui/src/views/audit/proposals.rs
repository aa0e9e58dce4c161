//! Proposals: an item's score before its label is committed, which may still change, with the rater's confidence and a
//! note. A proposal reveals nothing of the verdict. It is saved in the rater's file, apart from the labels, so that the
//! next session continues with it.

use crate::session::context::KeyContext;
use crate::{session::Session, views::audit::AuditView, widgets::layout::ScreenLayout};
use trajview_run::rubric::{Confidence, Label};
use trajview_study::audit_items::AuditItem;

use super::AuditAnswer;

/// Returns the proposal of the current item.
pub(crate) fn current_proposal<'a>(audit: &AuditView, session: &'a Session) -> Option<&'a Label> {
    let item = audit.audited_item(session)?;
    session.labels.proposal_of(item.judged_state(), item.item_key())
}

/// Switches between proposing scores first and labelling at once.
pub(super) fn toggle_proposing(audit: &mut AuditView, session: &mut Session) {
    audit.proposes = !audit.proposes;
    session.notice = Some(match audit.proposes {
        true => "confirmation is on: enter confirms a label and shows the verdict".into(),
        false => "confirmation is off: labels are immediate".into(),
    });
}

/// Puts an answer down.
pub(super) fn propose_answer(audit: &mut AuditView, session: &mut Session, answer: AuditAnswer) {
    change_proposal(audit, session, |label| {
        (label.score, label.cannot_tell) = match answer {
            AuditAnswer::Score(score) => (Some(score), false),
            AuditAnswer::CannotTell => (None, true),
        };
    });
    session.notice = None;
}

pub(super) fn change_proposal(
    audit: &mut AuditView,
    session: &mut Session,
    change: impl FnOnce(&mut Label),
) {
    let Some(item) = audit.audited_item(session) else { return };
    let scale = label_scale(session, item);
    let known = session.labels.proposal_of(item.judged_state(), item.item_key());
    let mut label = known.cloned().unwrap_or_else(|| Label { scale, ..item.empty_label() });
    change(&mut label);
    session.labels.put_proposal(label);
}

/// Turns the proposal into the label. Returns whether there was one.
pub(super) fn commit_proposal(
    audit: &mut AuditView,
    session: &mut Session,
    layout: &ScreenLayout,
) -> bool {
    if audit.current_label(session).is_some() {
        return false;
    }
    let answer =
        current_proposal(audit, session).and_then(|label| match (label.score, label.cannot_tell) {
            (Some(score), _) => Some(AuditAnswer::Score(score)),
            (None, true) => Some(AuditAnswer::CannotTell),
            (None, false) => None,
        });
    if let Some(answer) = answer {
        audit.give_label(session, answer, layout);
    }
    answer.is_some()
}

/// Takes a proposed answer away, with a notice, and returns whether there was one.
pub(super) fn undo_proposal(audit: &mut AuditView, session: &mut Session) -> bool {
    let is_there = audit.current_label(session).is_none()
        && current_proposal(audit, session).is_some_and(Label::is_answered);
    if is_there {
        change_proposal(audit, session, |label| {
            (label.score, label.cannot_tell) = (None, false);
        });
        session.notice = Some("proposal removed; no verdict was shown".into());
    }
    is_there
}

/// Switches the confidence of the label, else of the proposal, to the next of low, medium, high and none.
pub(super) fn change_confidence(audit: &mut AuditView, session: &mut Session) {
    if !audit.is_ready(session, None) {
        return;
    }
    let next = |it: Option<Confidence>| match it {
        None => Some(Confidence::Low),
        Some(Confidence::Low) => Some(Confidence::Medium),
        Some(Confidence::Medium) => Some(Confidence::High),
        Some(Confidence::High) => None,
    };
    let labelled = audit.current_label(session).map(|label| label.label.confidence);
    let now = match labelled {
        Some(now) => now,
        None => current_proposal(audit, session).and_then(|label| label.confidence),
    };
    match labelled {
        Some(_) => audit.amend_label(session, |label| label.confidence = next(now)),
        None => change_proposal(audit, session, |label| label.confidence = next(now)),
    }
    session.notice = Some(match next(now) {
        Some(confidence) => format!(
            "confidence: {}; {} changes it",
            confidence.word(),
            session.keys.key_text(KeyContext::Audit, "confidence")
        ),
        None => "confidence: none".into(),
    });
}

/// Returns the scale that a label of an item names: None where it is the unit's own.
pub(super) fn label_scale(session: &Session, item: &AuditItem) -> Option<String> {
    let scale = session.criterion_of(item)?.scale;
    (scale != item.unit.default_scale()).then(|| scale.to_string())
}
