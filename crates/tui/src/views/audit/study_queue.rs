//! The queue of a study: rows over many runs. The run of the current item is opened when the rater comes to it; until it
//! is open the queue stays, and nothing of another run is shown in its place.

use crate::{
    session::{Session, context::KeyContext, study::StudyMode},
    views::audit::AuditView,
};
use trajview_study::loaded_study::{RaterProgress, StudyItem};

use super::{
    AuditPart, ChosenItem,
    areas::AuditAreas,
    queue::{LabelStatus, QueueEntry, label_status},
};

/// A row of the queue.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyEntry {
    pub run: String,
    pub entry: QueueEntry,
}

/// Returns the entry at a position of the queue; None past its end.
pub fn entry_at(session: &Session, at: usize) -> Option<StudyEntry> {
    let study = session.study_queue()?;
    let item = study.item_at(at)?;
    let is_unsaved = match study.mode {
        StudyMode::Labelling => session.is_unsaved_in_study(item),
        StudyMode::Adjudicating => study.gold.is_unsaved(item),
    };
    Some(StudyEntry {
        run: study.studied.run_of(item).map(|it| it.name.clone()).unwrap_or_default(),
        entry: QueueEntry::new(&item.item, study_item_status(session, item), is_unsaved),
    })
}

fn study_item_status(session: &Session, item: &StudyItem) -> LabelStatus {
    let Some(study) = session.study_queue() else { return LabelStatus::Unlabelled };
    match study.mode {
        StudyMode::Labelling => {
            let proposal = session.study_proposal(item);
            label_status(session.study_label(item), proposal, item.item.verdict.score)
        }
        StudyMode::Adjudicating => match study.gold.outcome_of(item) {
            None => LabelStatus::Unlabelled,
            Some(gold) => LabelStatus::Settled(gold.score),
        },
    }
}

/// Returns the number of labelled, or adjudicated, items.
pub(crate) fn done_count(session: &Session) -> usize {
    RaterProgress::sum_of(session.study_progress().into_values()).done
}

/// Updates the view for the queue: the current item is shown once its run is open.
pub(crate) fn settle_study_queue(audit: &mut AuditView, session: &mut Session, areas: &AuditAreas) {
    let is_here = session.is_study_item_here();
    if let Some(chosen) = audit.chosen.clone().filter(|_| is_here) {
        session.go_to_item_in_study(|item| chosen.matches_item(item)); // where something else led to it
    }
    let Some(study) = session.study_queue() else { return };
    let item = study.chosen_item().cloned();
    let (at, len) = (study.queue_position(), study.len());
    audit.has_started = true;
    audit.rows.choose(at);
    audit.rows.settle(areas.part_room(AuditPart::Queue), len);
    let Some(item) = item else {
        audit.chosen = None;
        return;
    };
    if session.study_queue().is_some_and(|study| study.is_open()) {
        session.audit.audit_judgement(&item.item.judgement);
    }
    audit.chosen = is_here.then(|| ChosenItem::for_item(&item.item));
}

/// Goes to a position in the queue.
pub(crate) fn go_to_index(audit: &mut AuditView, session: &mut Session, at: usize) {
    let Some(study) = session.study_queue() else { return };
    if at >= study.len() {
        return;
    }
    if at != study.queue_position() {
        audit.prompt = None;
    }
    session.go_in_study(at);
    let study = session.study_queue().filter(|study| study.is_open());
    audit.chosen =
        study.and_then(|study| study.chosen_item()).map(|item| ChosenItem::for_item(&item.item));
    audit.rows.choose(at);
}

/// Goes to the next items without a label, or without an outcome; wraps around at the end.
pub(crate) fn go_to_unfinished(audit: &mut AuditView, session: &mut Session, count: usize) {
    let Some(study) = session.study_queue() else { return };
    let (len, from, mode) = (study.len(), study.queue_position(), study.mode);
    let after = (1..=len).map(|step| (from + step) % len.max(1));
    let mut open = after.filter(|at| !session.is_done(*at));
    let wanted = match count {
        0 | 1 => open.next(),
        count => {
            let open: Vec<usize> = open.collect();
            open.get(count - 1).or(open.last()).copied()
        }
    };
    let (what, done) = match mode {
        StudyMode::Labelling => ("without a label", "labelled"),
        StudyMode::Adjudicating => ("not adjudicated", "settled"),
    };
    match wanted {
        Some(at) if at != from => go_to_index(audit, session, at),
        Some(_) => session.notice = Some(format!("this is the only one {what}")),
        None if len == 0 => {}
        None => session.notice = Some(format!("all {len} are {done}")),
    }
}

/// Returns the sentence that replaces the item while it cannot be shown.
pub(crate) fn why_item_not_shown(session: &Session) -> Option<String> {
    let study = session.study_queue()?;
    if session.is_study_item_here() {
        return None;
    }
    let Some(run) = study.chosen_run() else {
        return Some(match study.mode {
            StudyMode::Adjudicating => "no disagreements so far".into(),
            StudyMode::Labelling if session.labels.annotator().is_none() => {
                format!(
                    "no rater name yet: press {}",
                    session.keys.key_text(KeyContext::Audit, "rater")
                )
            }
            StudyMode::Labelling => "this study has no items to label".into(),
        });
    };
    Some(match study.why_not_open() {
        Some(why) => format!(
            "cannot open {}: {why} ({} goes to the next unlabelled)",
            run.name,
            session.keys.key_text(KeyContext::Audit, "next-unlabelled")
        ),
        None => format!("opening {}…", run.name),
    })
}
