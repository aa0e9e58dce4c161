//! The run that is open: how it is opened, what its views are told, and how it is kept up while it is written.

use std::{path::PathBuf, sync::Arc};

use crate::{
    session::{
        ask::Loading,
        effect::Effect,
        judging::{News, Outcome},
        place::Place,
        request::{Request, Sentence},
        views::View,
    },
    shell::{
        open_run::{OpenRun, RunMessage},
        screens::{Screens, judge::Other},
    },
    views::{curves, judge::watched::Watched, replay::opening::Room},
    widgets::layout::Layout,
};
use trajview_run::Run;

impl Screens {
    /// Asks to be told of what is written from now on, where that is wanted.
    pub fn watch(&self) -> Vec<Effect> {
        let effect = self.open_run().map(|open| match open.session.follow.is_on {
            true => Effect::Follow(self.source.clone()),
            false => Effect::Watch(self.source.clone()),
        });
        effect.into_iter().collect()
    }

    pub(crate) fn settle_run(
        &mut self,
        request: Request,
        run: Result<Arc<Run>, String>,
        layout: &Layout,
    ) {
        let room = if layout.tabs.is_some() { Room::OnePanel } else { Room::AllPanels };
        let open = run.map(|run| Box::new(OpenRun::of(run, &self.way.place, room)));
        self.opened.settle(request, open);
        let defaults = &self.defaults;
        if let Loading::Ready(open) = &mut self.opened {
            open.take_defaults(defaults);
        }
        self.arrive();
        self.take_judging_back();
        if std::mem::take(&mut self.way.shows_judging) {
            self.show_judging();
        }
    }

    /// Shows the beginning, where it is the beginning that is wanted.
    pub fn begin(&mut self, request: Request, run: Arc<Run>, layout: &Layout) {
        let is_awaited = matches!(self.opened, Loading::Waiting(asked) if asked == request);
        if is_awaited && self.way.place == (Place { view: self.way.place.view, ..Place::default() })
        {
            self.settle_run(request, Ok(run), layout);
            self.on_open_run(|it| it.session.growth.is_whole = false);
            self.way.begun = Some(request);
        }
    }

    /// Puts the whole run where its beginning was shown.
    pub(crate) fn complete(&mut self, run: Result<Arc<Run>, String>) {
        self.way.begun = None;
        match run {
            Ok(run) => self.on_open_run(|it| it.replay.complete(&mut it.session, run)),
            Err(why) => {
                self.opened = Loading::Failed(why);
                self.return_if_failed();
            }
        }
    }

    pub fn open(&mut self, path: PathBuf, place: Place) -> Effect {
        let request = self.numbers.fresh();
        self.way.begun = None;
        self.way.place = place;
        if self.way.place.view == View::Collection {
            self.way.place.view = View::Replay; // of what is opened here it is no view
        }
        self.set_judging_aside();
        self.source.clone_from(&path);
        self.opened = Loading::Waiting(request);
        Effect::Open(request, path)
    }

    /// Lets a view of the run take a message; a way back may lead out of the run.
    pub(crate) fn update_run(&mut self, message: RunMessage, layout: &Layout) -> Vec<Effect> {
        let stops = message == RunMessage::Curves(curves::Message::StopOrGoOn);
        if let RunMessage::Replay(message) = &message
            && self.is_way_out(message)
        {
            self.bring_up(self.way.back);
            return vec![];
        }
        self.on_view(|it| it.update(message, layout));
        let is_stopped = self.open_run().is_some_and(|it| it.session.scores.is_stopped);
        (stops && is_stopped).then_some(Effect::StopScoring).into_iter().collect()
    }

    /// The judging of the open run, in its pane.
    pub(crate) fn show_judging(&mut self) {
        let Some(view) = self.open_run().map(|it| it.session.view) else { return };
        self.bring_up(view);
        self.on_open_run(|open| open.judging.watch());
    }

    /// To be called before another run takes the place of the open one.
    pub(crate) fn set_judging_aside(&mut self) {
        let Loading::Ready(open) = &mut self.opened else { return };
        let Some(watched) = open.judging.watched.take() else { return };
        self.other_judgings.add(Other { source: self.source.clone(), watched });
    }

    /// To be called when a run was opened: its judging is watched again.
    pub(super) fn take_judging_back(&mut self) {
        let Loading::Ready(open) = &mut self.opened else { return };
        if let Some(watched) = self.other_judgings.remove(&self.source) {
            open.judging.watch_again(watched);
        }
    }

    pub(crate) fn take_news(&mut self, request: Request, seconds: f64, news: News) {
        match self.other_judgings.of(request) {
            Some(other) => {
                other.watched.hear(seconds, news);
            }
            None => {
                self.on_open_run(|it| it.judging.take_news(&mut it.session, request, seconds, news))
            }
        }
    }

    pub(crate) fn take_outcome(&mut self, request: Request, outcome: Result<Outcome, Sentence>) {
        let outcome = outcome.unwrap_or_else(Outcome::failure);
        match self.other_judgings.of(request) {
            Some(other) => {
                let words = other.end(outcome);
                self.say(words);
            }
            None => {
                self.on_open_run(|it| it.judging.end_judging(&mut it.session, request, outcome))
            }
        }
    }

    /// Every judging that goes on.
    pub fn judgings_under_way(&self) -> impl Iterator<Item = &Watched> {
        let of_open = self.open_run().and_then(|it| it.judging.under_way());
        of_open.into_iter().chain(self.other_judgings.under_way())
    }
}
