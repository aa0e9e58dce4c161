//! The queue of a study: one run after the other is opened as the rater goes through it, and the queue stays.

use std::sync::Arc;

use crate::{
    run::{Run, rubric::Acts},
    session::{effect::Effect, place::Place, request::Request, views::View},
    shell::{
        open_run::OpenRun,
        screens::{Screen, Screens, marks::Marks},
    },
    study::studied::Studied,
    views::replay::opening::Room,
};

use crate::session::ask::Loading;

impl Screens {
    /// Puts the queue on screen; the run of the first thing in it is opened next.
    pub(crate) fn begin_study(&mut self, studied: Arc<Studied>, place: &Place) {
        let mut open = self.in_audit(Arc::default(), place);
        open.session.growth.is_whole = false;
        open.audit.proposes |= studied.design.acts == Acts::TwoActs;
        open.session.begin_study(studied, place.component.as_deref());
        self.opened = Loading::Ready(open);
        self.show(Screen::Run);
    }

    /// A run in the audit, as the settings say.
    fn in_audit(&self, run: Arc<Run>, place: &Place) -> Box<OpenRun> {
        let place = Place { view: View::Audit, seed: place.seed, ..Place::default() };
        let mut open = OpenRun::of(run, &place, Room::AllPanels);
        open.take_defaults(&self.defaults);
        Box::new(open)
    }

    /// Whether a study is worked on.
    pub fn has_study(&self) -> bool {
        self.open_run().is_some_and(|open| open.session.study().is_some())
    }

    /// Opens the run of the thing that is looked at, where it is not.
    pub(crate) fn ask_in_study(&mut self) -> Option<Effect> {
        let Loading::Ready(open) = &mut self.opened else { return None };
        let (run, wanted) = open.session.study()?.to_open()?;
        let path = wanted.path.clone();
        let request = self.numbers.fresh();
        open.session.study_mut()?.opening(request, run);
        Some(Effect::OpenInStudy(request, path))
    }

    pub(crate) fn awaits_in_study(&self, request: Request) -> bool {
        let study = self.open_run().and_then(|open| open.session.study());
        study.is_some_and(|study| study.awaited(request).is_some())
    }

    /// Goes on with the queue in a run that was opened. One that cannot be is said where it would be shown; the queue goes
    /// on without it.
    pub(crate) fn arrive_in_study(&mut self, request: Request, run: Result<Arc<Run>, String>) {
        let Loading::Ready(open) = &mut self.opened else { return };
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
        self.set_judging_aside();
        let Loading::Ready(open) = &mut self.opened else { return };
        let notice = open.session.notice.take();
        let Some(study) = open.session.leave_study() else { return };
        let (part, proposes) = (open.audit.part, open.audit.proposes);
        let mut next = self.in_audit(run, &Place::default());
        if let Some(run) = study.studied.runs.get(number) {
            self.source.clone_from(&run.path);
        }
        next.session.join_study(study, number);
        next.session.notice = notice;
        (next.audit.part, next.audit.proposes) = (part, proposes);
        self.marks = Marks::default();
        self.opened = Loading::Ready(next);
        self.take_judging_back();
    }
}
