//! The queue of a study: its runs are opened one after the other as the rater goes through it, and the queue stays.

use std::sync::Arc;

use crate::{
    session::{
        effect::{Effect, OpenPurpose},
        request::RequestId,
        start_place::StartPlace,
        views::View,
    },
    shell::{
        open_run::OpenRun,
        screens::{ScreenKind, Screens, marks::JumpMarks},
    },
    views::replay::navigation::PanelSpace,
};
use trajview_run::{Run, rubric::LabelMode};
use trajview_study::loaded_study::LoadedStudy;

use crate::session::pending::Loading;

/// Shows the queue; the run of its first item is opened next.
pub fn begin_study(screens: &mut Screens, studied: Arc<LoadedStudy>, place: &StartPlace) {
    let mut open = in_audit(screens, Arc::default(), place);
    open.session.growth.is_whole = false;
    open.audit.proposes |= studied.design.acts == LabelMode::TwoActs;
    open.session.begin_study(studied, place.component.as_deref());
    screens.opened = Loading::Ready(open);
    screens.show_screen(ScreenKind::Run);
}

/// Opens a run in the audit, with the settings.
fn in_audit(screens: &Screens, run: Arc<Run>, place: &StartPlace) -> Box<OpenRun> {
    let place = StartPlace { view: View::Audit, seed: place.seed, ..StartPlace::default() };
    let mut open = OpenRun::for_run(run, &place, PanelSpace::AllPanels);
    open.take_defaults(&screens.defaults);
    Box::new(open)
}

/// Returns whether a study is open.
pub fn is_open(screens: &Screens) -> bool {
    screens.open_run().is_some_and(|open| open.session.study_queue().is_some())
}

/// Opens the run of the selected item, if it is not open.
pub(crate) fn ask_for_run(screens: &mut Screens) -> Option<Effect> {
    let Loading::Ready(open) = &mut screens.opened else { return None };
    let (run, wanted) = open.session.study_queue()?.to_open()?;
    let path = wanted.path.clone();
    let request = screens.numbers.next_request();
    open.session.study_mut()?.begin_opening(request, run);
    Some(Effect::Open(request, path, OpenPurpose::Study))
}

pub(crate) fn awaits_run(screens: &Screens, request: RequestId) -> bool {
    let study = screens.open_run().and_then(|open| open.session.study_queue());
    study.is_some_and(|study| study.awaited_run(request).is_some())
}

/// Shows a run that was opened for the queue. The error of a run that cannot be opened is shown in its place; the queue
/// goes on without it.
pub(crate) fn show_run(screens: &mut Screens, request: RequestId, run: Result<Arc<Run>, String>) {
    let Loading::Ready(open) = &mut screens.opened else { return };
    let Some(number) = open.session.study_queue().and_then(|study| study.awaited_run(request))
    else {
        return;
    };
    let run = match run {
        Ok(run) => run,
        Err(why) => {
            if let Some(study) = open.session.study_mut() {
                study.fail_opening(number, why);
            }
            return;
        }
    };
    screens.set_judging_aside();
    let Loading::Ready(open) = &mut screens.opened else { return };
    let notice = open.session.notice.take();
    let Some(study) = open.session.leave_study() else { return };
    let (part, proposes) = (open.audit.part, open.audit.proposes);
    let mut next = in_audit(screens, run, &StartPlace::default());
    if let Some(run) = study.studied.runs.get(number) {
        screens.source.clone_from(&run.path);
    }
    next.session.join_study(study, number);
    next.session.notice = notice;
    (next.audit.part, next.audit.proposes) = (part, proposes);
    screens.marks = JumpMarks::default();
    screens.opened = Loading::Ready(next);
    screens.take_judging_back();
}
