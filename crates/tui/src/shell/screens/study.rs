//! The queue of a study: one run after the other is opened as the rater goes through it, and the queue stays.

use std::sync::Arc;

use crate::{
    session::{effect::Effect, place::Place, request::Request, views::View},
    shell::{
        open_run::OpenRun,
        screens::{Screen, Screens, marks::Marks},
    },
    views::replay::opening::Room,
};
use trajview_run::{Run, rubric::Acts};
use trajview_study::studied::Studied;

use crate::session::ask::Loading;

/// Puts the queue on screen; the run of the first thing in it is opened next.
pub fn begin(screens: &mut Screens, studied: Arc<Studied>, place: &Place) {
    let mut open = in_audit(screens, Arc::default(), place);
    open.session.growth.is_whole = false;
    open.audit.proposes |= studied.design.acts == Acts::TwoActs;
    open.session.begin_study(studied, place.component.as_deref());
    screens.opened = Loading::Ready(open);
    screens.show(Screen::Run);
}

/// A run in the audit, as the settings say.
fn in_audit(screens: &Screens, run: Arc<Run>, place: &Place) -> Box<OpenRun> {
    let place = Place { view: View::Audit, seed: place.seed, ..Place::default() };
    let mut open = OpenRun::of(run, &place, Room::AllPanels);
    open.take_defaults(&screens.defaults);
    Box::new(open)
}

/// Whether a study is worked on.
pub fn is_open(screens: &Screens) -> bool {
    screens.open_run().is_some_and(|open| open.session.study().is_some())
}

/// Opens the run of the thing that is looked at, where it is not.
pub fn ask(screens: &mut Screens) -> Option<Effect> {
    let Loading::Ready(open) = &mut screens.opened else { return None };
    let (run, wanted) = open.session.study()?.to_open()?;
    let path = wanted.path.clone();
    let request = screens.numbers.fresh();
    open.session.study_mut()?.opening(request, run);
    Some(Effect::OpenInStudy(request, path))
}

pub(crate) fn awaits(screens: &Screens, request: Request) -> bool {
    let study = screens.open_run().and_then(|open| open.session.study());
    study.is_some_and(|study| study.awaited(request).is_some())
}

/// Goes on with the queue in a run that was opened. One that cannot be is said where it would be shown; the queue goes
/// on without it.
pub(crate) fn arrive(screens: &mut Screens, request: Request, run: Result<Arc<Run>, String>) {
    let Loading::Ready(open) = &mut screens.opened else { return };
    let Some(number) = open.session.study().and_then(|study| study.awaited(request)) else {
        return;
    };
    let run = match run {
        Ok(run) => run,
        Err(why) => {
            if let Some(study) = open.session.study_mut() {
                study.failed(number, why);
            }
            return;
        }
    };
    screens.set_judging_aside();
    let Loading::Ready(open) = &mut screens.opened else { return };
    let notice = open.session.notice.take();
    let Some(study) = open.session.leave_study() else { return };
    let (part, proposes) = (open.audit.part, open.audit.proposes);
    let mut next = in_audit(screens, run, &Place::default());
    if let Some(run) = study.studied.runs.get(number) {
        screens.source.clone_from(&run.path);
    }
    next.session.join_study(study, number);
    next.session.notice = notice;
    (next.audit.part, next.audit.proposes) = (part, proposes);
    screens.marks = Marks::default();
    screens.opened = Loading::Ready(next);
    screens.take_judging_back();
}
