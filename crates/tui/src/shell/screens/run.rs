//! The open run: how it is opened, how its views get messages, and how it is updated while it is written.

use std::{path::PathBuf, sync::Arc};

use crate::{
    session::{
        effect::{Effect, OpenAnswer, OpenPurpose},
        judging::JudgingUpdate,
        pending::Loading,
        request::{RequestId, Sentence},
        start_place::StartPlace,
        views::View,
    },
    shell::{
        open_run::{OpenRun, RunMessage},
        screens::{Screens, judge::OtherJudging, study},
    },
    views::{curves, judge::watched::WatchedJudging, replay::navigation::PanelSpace},
    widgets::layout::ScreenLayout,
};
use trajview_run::{Run, judging::JudgingOutcome};

impl Screens {
    /// Asks for news of the recording's file, if that is wanted.
    pub(crate) fn watch_effects(&self) -> Vec<Effect> {
        let effect = self.open_run().map(|open| match open.session.follow.is_following {
            true => Effect::Follow(self.source.clone()),
            false => Effect::Watch(self.source.clone()),
        });
        effect.into_iter().collect()
    }

    /// Shows what was opened, if it is still awaited.
    pub(crate) fn take_opened(
        &mut self,
        request: RequestId,
        answer: OpenAnswer,
        layout: &ScreenLayout,
    ) -> Vec<Effect> {
        match answer {
            OpenAnswer::Several => {
                if self.is_waiting_for(request) {
                    self.show_collection(vec![self.source.clone()]);
                }
            }
            OpenAnswer::Beginning(run) => self.show_beginning(request, run, layout),
            OpenAnswer::Whole(run) if study::awaits_run(self, request) => {
                study::show_run(self, request, run);
            }
            OpenAnswer::Whole(run) if self.opening.begun == Some(request) => self.show_whole(run),
            OpenAnswer::Whole(run) => {
                self.show_opened_run(request, run, layout);
                self.return_if_failed();
                return self.watch_effects();
            }
        }
        vec![]
    }

    /// Returns whether the answer to a request to open a run is still wanted.
    pub fn awaits_opened(&self, request: RequestId) -> bool {
        self.is_waiting_for(request)
            || self.opening.begun == Some(request)
            || study::awaits_run(self, request)
    }

    fn is_waiting_for(&self, request: RequestId) -> bool {
        matches!(self.opened, Loading::Waiting(asked) if asked == request)
    }

    fn show_opened_run(
        &mut self,
        request: RequestId,
        run: Result<Arc<Run>, String>,
        layout: &ScreenLayout,
    ) {
        let room = if layout.tabs.is_some() { PanelSpace::OnePanel } else { PanelSpace::AllPanels };
        let open = run.map(|run| Box::new(OpenRun::for_run(run, &self.opening.place, room)));
        self.opened.settle_with(request, open);
        let defaults = &self.defaults;
        if let Loading::Ready(open) = &mut self.opened {
            open.take_defaults(defaults);
        }
        self.show_arrival();
        self.take_judging_back();
        if std::mem::take(&mut self.opening.shows_judging) {
            self.show_judging();
        }
    }

    /// Shows the beginning, if the beginning is the place that was asked for.
    fn show_beginning(&mut self, request: RequestId, run: Arc<Run>, layout: &ScreenLayout) {
        if self.is_waiting_for(request)
            && self.opening.place
                == (StartPlace { view: self.opening.place.view, ..StartPlace::default() })
        {
            self.show_opened_run(request, Ok(run), layout);
            self.on_open_run(|it| it.session.growth.is_whole = false);
            self.opening.begun = Some(request);
        }
    }

    /// Replaces the beginning by the whole run.
    fn show_whole(&mut self, run: Result<Arc<Run>, String>) {
        self.opening.begun = None;
        match run {
            Ok(run) => {
                self.on_open_run(|it| it.replay.replace_with_whole_run(&mut it.session, run))
            }
            Err(why) => {
                self.opened = Loading::Failed(why);
                self.return_if_failed();
            }
        }
    }

    pub fn open_path(&mut self, path: PathBuf, place: StartPlace) -> Effect {
        let request = self.numbers.next_request();
        self.opening.begun = None;
        self.opening.place = place;
        if self.opening.place.view == View::Collection {
            self.opening.place.view = View::Replay; // of what is opened here it is no view
        }
        self.set_judging_aside();
        if self.source != path {
            self.marks.forget_run();
        }
        self.source.clone_from(&path);
        self.opened = Loading::Waiting(request);
        Effect::Open(request, path, OpenPurpose::Show)
    }

    /// Passes a message to a view of the run, which may ask to go back to the view before.
    pub(crate) fn update_run(&mut self, message: RunMessage, layout: &ScreenLayout) -> Vec<Effect> {
        let stops = message == RunMessage::Curves(curves::CurvesMessage::StopOrGoOn);
        let mut goes_back = false;
        self.on_view(|it| {
            it.update(message, layout);
            goes_back = std::mem::take(&mut it.session.wants_previous_view);
        });
        if goes_back {
            self.go_to_previous_view();
        }
        let is_stopped = self.open_run().is_some_and(|it| it.session.scores.is_stopped);
        (stops && is_stopped).then_some(Effect::StopScoring).into_iter().collect()
    }

    /// Shows the judging of the open run, in its pane.
    pub(crate) fn show_judging(&mut self) {
        let Some(view) = self.open_run().map(|it| it.session.view) else { return };
        self.bring_up_view(view);
        self.on_open_run(|open| open.judging.open_at_judging());
    }

    /// Stores the judging of the open run. Must be called before another run replaces it.
    pub(crate) fn set_judging_aside(&mut self) {
        let Loading::Ready(open) = &mut self.opened else { return };
        let Some(watched) = open.judging.watched.take() else { return };
        self.other_judgings.add(OtherJudging { source: self.source.clone(), watched });
    }

    /// Shows the stored judging of the open run. Must be called when a run was opened.
    pub(super) fn take_judging_back(&mut self) {
        let Loading::Ready(open) = &mut self.opened else { return };
        if let Some(watched) = self.other_judgings.remove(&self.source) {
            open.judging.watch_again(watched);
        }
    }

    pub(crate) fn take_judging_update(&mut self, request: RequestId, update: JudgingUpdate) {
        match self.other_judgings.for_request(request) {
            Some(other) => {
                other.watched.update(update);
            }
            None => self.on_open_run(|it| {
                it.judging.take_judging_update(&mut it.session, request, update);
            }),
        }
    }

    pub(crate) fn take_outcome(
        &mut self,
        request: RequestId,
        outcome: Result<JudgingOutcome, Sentence>,
    ) {
        let outcome = outcome.unwrap_or_else(JudgingOutcome::failure);
        match self.other_judgings.for_request(request) {
            Some(other) => {
                let words = other.end_judging(outcome);
                self.show_notice(words);
            }
            None => {
                self.on_open_run(|it| it.judging.end_judging(&mut it.session, request, outcome))
            }
        }
    }

    /// Returns every judging under way.
    pub(crate) fn judgings_under_way(&self) -> impl Iterator<Item = &WatchedJudging> {
        let of_open = self.open_run().and_then(|it| it.judging.judging_under_way());
        of_open.into_iter().chain(self.other_judgings.under_way())
    }
}
