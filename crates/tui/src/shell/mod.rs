//! The state of the whole program, and how a message changes it.
//!
//! [`App::update`] is the only way in: a [`Message`] changes the state and may ask for an [`Effect`]. Nothing here reads a
//! file, a clock or a terminal, so everything here is tested by calling it. [`screens`] is what is open and which of it has
//! the screen, [`open_run`] a run with its views, [`jobs`] what was begun and the forms for it, [`overlay`] what lies over
//! all of them, [`keymap`] which key is which message, [`mod@draw`] puts the frame together, [`state`] has what is there
//! whatever is open: palette, keys, looks, mouse.

#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod config;
pub mod copy;
pub mod draw;
pub mod editor;
pub mod fuzzy;
pub mod help;
pub mod jobs;
pub mod keymap;
pub mod keys;
pub mod message;
pub mod mouse;
pub mod open_run;
pub mod overlay;
pub mod palette;
pub mod screens;
pub mod state;
mod typing;

use std::sync::Arc;

use crate::{
    session::{
        ask::Loading,
        context::Context,
        effect::Effect,
        question::{Answer, Part},
        request::Request,
    },
    views::{
        live::terminal::keyboard::Flags,
        replay::{self, search, spot::Spot},
    },
    widgets::{
        key::Key,
        key_event::KeyEvent,
        layout::{Layout, Shown, Zoom},
    },
};

use jobs::Jobs;
use keymap::Count;
use open_run::RunMessage;
use overlay::Overlay;
use screens::{Screens, study};
use state::Shell;

pub use message::Message;

/// The whole state of the program.
#[derive(Debug, Default)]
pub struct App {
    pub screens: Screens,
    /// What was begun from the screen, and the forms for it.
    pub jobs: Jobs,
    pub overlay: Option<Overlay>,
    pub shell: Shell,
    /// Digits typed so far.
    pub count: Option<usize>,
    pub is_quitting: bool,
    parting: Parting,
}

/// What quitting would end.
#[derive(Debug, Default)]
struct Parting {
    /// The key before this one wanted to quit and was told what that would end.
    is_warned: bool,
    /// This key was.
    warns: bool,
}

/// The largest count that typing digits leads to.
const MOST: usize = 1_000_000;

impl App {
    /// Changes the state; what it returns is to be asked of the world.
    pub fn update(&mut self, message: Message) -> Vec<Effect> {
        let before = self.screens.open_run().map(|it| Spot::of(&it.replay, &it.session));
        let is_beat = message == Message::Run(RunMessage::Replay(replay::Message::Beat));
        let mut effects = self.take(message);
        effects.extend(self.screens.settle());
        effects.extend(self.jobs.settle(&mut self.screens));
        self.screens.remember(before.filter(|_| !is_beat));
        effects
    }

    pub fn take(&mut self, message: Message) -> Vec<Effect> {
        let layout = self.screens.layout();
        match message {
            Message::Press(key) => return self.press(key.into()),
            Message::Key(event) => return self.press(event),
            Message::Paste(text) => return self.paste(&text),
            Message::Resized(size) => self.screens.frame.size = size,
            Message::Open(path, place) => return vec![self.screens.open(path, place)],
            Message::Several(request) => {
                if matches!(self.screens.opened, Loading::Waiting(asked) if asked == request) {
                    self.screens.collect(vec![self.screens.source.clone()]);
                }
            }
            Message::Collect(sources, place) => {
                self.screens.way.place = place;
                self.screens.collect(sources);
            }
            Message::BeginStudy(studied, place) => study::begin(&mut self.screens, studied, &place),
            Message::Opened(request, run) if study::awaits(&self.screens, request) => {
                study::arrive(&mut self.screens, request, run);
            }
            Message::Begun(request, run) => self.screens.begin(request, run, &layout),
            Message::Opened(request, run) if self.screens.way.begun == Some(request) => {
                self.screens.complete(run)
            }
            Message::Opened(request, run) => {
                self.screens.settle_run(request, run, &layout);
                self.screens.return_if_failed();
                return self.screens.watch();
            }
            Message::Answered(request, answer) => self.take_answer(request, answer),
            Message::Partly(request, part) => self.take_part(request, part),
            Message::CompareRuns(paths, place) => self.screens.compare(paths, place),
            Message::Compare(message) => return self.screens.update_comparison(message, &layout),
            Message::View(message) => self.screens.go_to_view(&message),
            Message::Collection(message) => return self.screens.update_table(message),
            Message::BeginLive => self.screens.begin_live(),
            Message::Live(message) => return self.screens.update_live(message),
            Message::Jobs(message) => return self.jobs.update(message, &mut self.screens),
            Message::Run(message) => return self.screens.update_run(message, &layout),
            Message::Judging(message) => self.screens.on_view(|it| {
                it.session.rubric.looked_at = it.looked_at();
                it.judging.update(&mut it.session, message, &layout);
            }),
            Message::Overlay(message) => {
                return self.update_overlay(&message, &self.screens.whole_layout());
            }
            Message::Zoom => {
                self.screens.frame.zoom =
                    if self.screens.frame.zoom == Zoom::On { Zoom::Off } else { Zoom::On }
            }
            Message::Escape => {
                self.screens.frame.zoom = Zoom::Off;
                let forget = replay::Message::Search(search::Message::Forget);
                self.screens.on_view(|it| it.replay.update(&mut it.session, forget, &layout));
            }
            Message::Suspend => return vec![Effect::Suspend],
            Message::Quit => self.quit(),
            Message::Now => {
                self.screens.frame.now = if layout.now.is_some() { Shown::No } else { Shown::Yes };
            }
            Message::Grown(run) => {
                self.screens.on_open_run(|it| it.replay.grow(&mut it.session, run))
            }
            Message::Written => self.screens.on_open_run(|it| it.session.follow.has_more = true),
            Message::Judged => self.screens.on_open_run(|it| it.session.rubric.renew()),
            Message::Follow => {
                self.screens.on_view(|it| {
                    it.replay.update(&mut it.session, replay::Message::Follow, &layout)
                });
                return self.screens.watch();
            }
            Message::Shell(message) => return self.update_shell(message, &layout),
        }
        vec![]
    }

    /// Brings an answer to where it was asked for.
    fn take_answer(&mut self, request: Request, answer: Answer) {
        match answer {
            Answer::Judging(outcome) => self.screens.take_outcome(request, outcome),
            Answer::Parties(..)
            | Answer::PartyScores(..)
            | Answer::Trees(..)
            | Answer::FileBetween(..)
            | Answer::FileText(..) => self.screens.on_comparison(|it| it.take(request, answer)),
            Answer::Colours(_)
                if self.screens.compared.as_ref().is_some_and(|it| it.asks(request)) =>
            {
                self.screens.on_comparison(|it| it.take(request, answer));
            }
            Answer::RunPaths(..)
            | Answer::Cards(..)
            | Answer::RunScores(..)
            | Answer::Find(..)
            | Answer::Filtered(..)
            | Answer::PairTests(..) => self.screens.on_collection(|it| it.take(request, answer)),
            Answer::JobPlan(plan) => self.jobs.on_dialog(|it| it.take_plan(request, plan)),
            Answer::Agents(found) => self.jobs.on_dialog(|it| it.take_agents(request, found)),
            Answer::CheckpointTests(outcome) | Answer::StateChecks(outcome) => {
                self.jobs.end_testing(request, outcome, &mut self.screens);
            }
            answer => self.screens.on_open_run(|it| it.take(request, answer)),
        }
        self.show_images();
    }

    /// Opens a box with the images that arrived.
    fn show_images(&mut self) {
        let mut arrived = None;
        self.screens.on_open_run(|it| arrived = it.replay.steps.images.arrived.take());
        if let Some((images, first)) = arrived {
            self.overlay = Some(Overlay::showing(images, first, self.context()));
        }
    }

    fn take_part(&mut self, request: Request, part: Part) {
        match part {
            Part::Measured(done, total) => {
                self.screens.on_comparison(|it| it.take_progress(request, done, total));
                self.screens
                    .on_open_run(|it| it.session.scores.take_progress(request, done, total));
            }
            Part::Runs(found) => self.screens.on_collection(|it| it.take_part(request, found)),
            Part::RunHits(found) => self.screens.on_collection(|it| {
                if let Some(finding) = &mut it.finding {
                    finding.take(request, found);
                }
            }),
            Part::Tested(checkpoint, outcome) => {
                self.jobs.take_test(request, checkpoint, outcome, &mut self.screens);
            }
            Part::Agents(found) => self.jobs.on_dialog(|it| it.show_agents(request, &found)),
            Part::Judging(seconds, news) => self.screens.take_news(request, seconds, news),
            Part::Hits(hits) => {
                self.screens.on_open_run(|it| it.replay.take_hits(&mut it.session, request, hits))
            }
            Part::Judges(judges) => {
                self.screens.on_open_run(|it| it.judging.take_judges(request, judges))
            }
        }
    }

    /// Where something is under way only when it is asked for twice: it costs money or time, and what of it is kept is
    /// worth a word.
    fn quit(&mut self) {
        let is_testing = self.jobs.testing.as_ref().is_some_and(|it| it.over.is_none());
        let words = if self.screens.has_agent_at_work() {
            "an agent is at work: quit again to stop it; what is recorded stays, and --resume goes on"
        } else if self.screens.judgings_under_way().next().is_some() {
            "a judge is being asked: quit again to stop it; what is judged is kept"
        } else if is_testing {
            "tests are running: quit again to stop them; outcomes so far are kept"
        } else {
            ""
        };
        if words.is_empty() || self.parting.is_warned {
            self.is_quitting = true;
            return;
        }
        self.parting.warns = true;
        self.screens.say(words.into());
    }

    /// Which keys hold at the moment.
    pub fn context(&self) -> Context {
        let over = self.shell.context().or_else(|| self.overlay.as_ref().map(Overlay::context));
        over.or_else(|| self.jobs.context()).unwrap_or_else(|| self.screens.context())
    }

    /// What the terminal around us has to tell of keys; nothing unless an agent has the keyboard and asked for more.
    pub fn outer_flags(&self) -> Flags {
        let live = self.screens.live().filter(|_| self.context() == Context::Agent);
        live.map_or_else(Flags::default, |live| live.terminal.outer_flags())
    }

    fn press(&mut self, event: KeyEvent) -> Vec<Effect> {
        let key = event.key().filter(|_| event.is_down()).and_then(Key::bound);
        let is_ours = |key| self.shell.keys.find(Context::Agent, key).is_some();
        if self.context() == Context::Agent && !key.is_some_and(is_ours) {
            return self.screens.press_agent(event);
        }
        let Some(key) = key else { return vec![] };
        let context = self.context();
        self.shell.is_line_full = false;
        self.parting.is_warned = std::mem::take(&mut self.parting.warns);
        self.screens.clear_notices();
        let waits = self.shell.pending.take().is_some();
        let types = waits || context.takes_text();
        if !types && (self.counts(key, context) || self.shell.is_second_g(key, self.count)) {
            return vec![];
        }
        let count = Count(self.count.take());
        match (self.shell.keys.find(context, key), key.typed()) {
            (Some(binding), _) => self.take((binding.message)(count)),
            (None, Some(c)) if context.types_words() => self.type_words(c.encode_utf8(&mut [0; 4])),
            (None, _) => self.press_unbound(context, key),
        }
    }

    /// Whether the key is one more digit of a count.
    fn counts(&mut self, key: Key, context: Context) -> bool {
        let digit = key.typed().and_then(|c| c.to_digit(10)).map(|digit| digit as usize);
        let is_key = |digit: usize| match self.count {
            None => digit == 0 || (context.has_digits() && self.screens.takes_digit(digit)),
            Some(_) => false,
        };
        let counts = digit.filter(|digit| !is_key(*digit));
        if let Some(digit) = counts {
            self.count = Some((self.count.unwrap_or_default() * 10 + digit).min(MOST));
        }
        counts.is_some()
    }

    fn paste(&mut self, text: &str) -> Vec<Effect> {
        let is_for_agent = self.screens.live().is_some() && !self.context().types_words();
        if is_for_agent { self.screens.paste_live(text) } else { self.type_words(text) }
    }

    fn update_overlay(&mut self, message: &overlay::Message, layout: &Layout) -> Vec<Effect> {
        match message {
            overlay::Message::Open(kind) => self.overlay = Some(Overlay::of(*kind, self.context())),
            overlay::Message::Close => self.overlay = None,
            overlay::Message::Find(find) => {
                self.overlay.iter_mut().for_each(|overlay| overlay.find(find));
            }
            overlay::Message::Move(motion) => {
                let Some(mut overlay) = self.overlay.take() else { return vec![] };
                let rows = overlay.rows(self.screens.subject(), &self.shell.keys, layout).len();
                let height = usize::from(layout.overlay().height.saturating_sub(2));
                match overlay.kind {
                    overlay::Kind::Images => overlay.go(*motion, overlay.images.len(), 1),
                    _ => overlay.go(*motion, rows, height * overlay.columns(layout)),
                }
                self.overlay = Some(overlay);
            }
            overlay::Message::OpenImage => {
                let seen = self.overlay.as_ref().and_then(|it| it.images.get(it.top));
                let seen = seen.map(|it| Effect::OpenImage(Arc::new(it.picture.clone())));
                return seen.into_iter().collect();
            }
        }
        vec![]
    }
}
