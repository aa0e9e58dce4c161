//! The queue of a study: rows over many runs. The run of the thing that is looked at is opened when the rater comes to it;
//! until it is there the queue stays, and nothing of another run is shown in its place.

use crate::{
    session::{Session, study::Mode},
    views::audit::Audit,
    widgets::scroll::Motion,
};
use trajview_study::studied::{Progress, StudyItem};

use super::{
    Chosen, Part,
    areas::Areas,
    queue::{Entry, Standing, standing_of},
};

/// A row of the queue.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyEntry {
    pub run: String,
    pub entry: Entry,
}

/// What stands at a place of the queue; None past its end.
pub fn entry_at(session: &Session, at: usize) -> Option<StudyEntry> {
    let study = session.study()?;
    let item = study.item(at)?;
    let is_unsaved = match study.mode {
        Mode::Labelling => session.is_unsaved_in_study(item),
        Mode::Adjudicating => study.gold.is_unsaved(item),
    };
    Some(StudyEntry {
        run: study.studied.run_of(item).map(|it| it.name.clone()).unwrap_or_default(),
        entry: Entry::of(&item.item, standing(session, item), is_unsaved),
    })
}

fn standing(session: &Session, item: &StudyItem) -> Standing {
    let Some(study) = session.study() else { return Standing::Unlabelled };
    match study.mode {
        Mode::Labelling => {
            let proposal = session.study_proposal(item);
            standing_of(session.study_label(item), proposal, item.item.said.score)
        }
        Mode::Adjudicating => match study.gold.of_item(item) {
            None => Standing::Unlabelled,
            Some(gold) => Standing::Settled(gold.score),
        },
    }
}

/// How many of the queue are labelled, or settled.
pub fn done_count(session: &Session) -> usize {
    Progress::sum(session.study_progress().into_values()).done
}

/// Brings the view in step with the queue: what is looked at is there once its run is.
pub fn settle(audit: &mut Audit, session: &mut Session, areas: &Areas) {
    let is_here = session.is_study_item_here();
    if let Some(chosen) = audit.chosen.clone().filter(|_| is_here) {
        session.go_to_item_in_study(|item| chosen.is(item)); // where something else led to it
    }
    let Some(study) = session.study() else { return };
    let item = study.chosen().cloned();
    let (at, len) = (study.at(), study.len());
    audit.has_started = true;
    audit.rows.cursor = at;
    audit.rows.follow(len, areas.height(Part::Queue));
    let Some(item) = item else {
        audit.chosen = None;
        return;
    };
    if session.study().is_some_and(|study| study.is_open()) {
        session.audited.look_at(&item.item.judgement);
    }
    audit.chosen = is_here.then(|| Chosen::of(&item.item));
}

pub fn move_by(audit: &mut Audit, session: &mut Session, motion: Motion, height: usize) {
    let len = session.study().map_or(0, |study| study.len());
    let at = motion.from(audit.rows.cursor, len, height);
    go_to(audit, session, at);
}

/// To a place in the queue.
pub fn go_to(audit: &mut Audit, session: &mut Session, at: usize) {
    let Some(study) = session.study() else { return };
    if at >= study.len() {
        return;
    }
    if at != study.at() {
        audit.prompt = None;
    }
    session.go_in_study(at);
    let study = session.study().filter(|study| study.is_open());
    audit.chosen = study.and_then(|study| study.chosen()).map(|item| Chosen::of(&item.item));
    audit.rows.cursor = at;
}

/// To the next ones that are not labelled, or not settled, round the end.
pub fn go_to_open(audit: &mut Audit, session: &mut Session, count: usize) {
    let Some(study) = session.study() else { return };
    let (len, from, mode) = (study.len(), study.at(), study.mode);
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
        Mode::Labelling => ("without a label", "labelled"),
        Mode::Adjudicating => ("that is not settled", "settled"),
    };
    match wanted {
        Some(at) if at != from => go_to(audit, session, at),
        Some(_) => session.notice = Some(format!("this is the only one {what}")),
        None if len == 0 => {}
        None => session.notice = Some(format!("all {len} are {done}")),
    }
}

/// What stands in the place of the thing that is looked at while nothing can be shown of it.
pub fn why_not_here(session: &Session) -> Option<String> {
    let study = session.study()?;
    if session.is_study_item_here() {
        return None;
    }
    let Some(run) = study.chosen_run() else {
        return Some(match study.mode {
            Mode::Adjudicating => "no two raters scored the same thing differently so far".into(),
            Mode::Labelling if session.labels.annotator().is_none() => {
                "no name yet: a says who labels".into()
            }
            Mode::Labelling => "there is nothing to label in this study".into(),
        });
    };
    Some(match study.why_not_open() {
        Some(why) => format!("{} cannot be opened: {why}; N goes on with the next", run.name),
        None => format!("opening {}…", run.name),
    })
}
