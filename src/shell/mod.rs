//! The state of the whole program, and how a message changes it.
//!
//! [`App::update`] is the only way in: a [`Message`] changes the state and may ask for an [`Effect`]. Nothing here reads a
//! file, a clock or a terminal, so everything here is tested by calling it. [`replay`] is the run that is open with its
//! views, [`screens`] says which screen is on, [`overlay`] what lies over all of them, [`keymap`] which key is which
//! message, [`mod@draw`] puts the frame together, [`state`] has what is there whatever is open: palette, marks, keys, looks.

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
pub mod marks;
pub mod message;
pub mod mouse;
pub mod open_run;
pub mod overlay;
pub mod palette;
pub mod screens;
pub mod state;
mod typing;

use ratatui::layout::Size;
use std::{path::PathBuf, sync::Arc, time::Duration};

use crate::{
    run::{Run, rubric::FULL},
    session::{
        self,
        ask::{Loading, Numbers, Request},
        context::Context,
        effect::Effect,
        opening::Opening,
        place::Place,
        question::{Answer, Part},
        views,
    },
    views::{
        compare::Comparison,
        curves, live,
        replay::{self, now, opening::Room, search},
        table::{self, Collection},
    },
    widgets::{
        key::Key,
        layout::{self, Layout, Panel, Shown, Zoom},
    },
};

pub use message::Message;

use keymap::Count;
use open_run::OpenRun;
use overlay::{Overlay, Subject};
use screens::Screen;
use state::Shell;

/// The whole state of the program.
#[derive(Debug)]
pub struct App {
    /// What has the screen.
    pub screen: Screen,
    pub opened: Loading<Box<OpenRun>>,
    /// Runs side by side, where several were opened.
    pub compared: Option<Box<Comparison>>,
    /// Where a run that is being opened is wanted, and what to say there.
    pub(crate) arrival: Option<(Option<Opening>, String)>,
    /// What the open run was opened from.
    pub(crate) way_back: views::View,
    /// The table of runs beside it, where several were opened.
    pub collection: Option<Box<Collection>>,
    /// A run that is being made.
    pub live: Option<Box<live::Live>>,
    /// How the table is wanted when it is opened.
    pub table_wish: table::Opening,
    /// The opening whose beginning is shown while the whole is read.
    begun: Option<Request>,
    pub overlay: Option<Overlay>,
    /// A form over the view, before something is begun.
    pub dialog: Option<Box<jobs::Dialog>>,
    /// The list of what was begun, over the view.
    pub jobs_list: Option<jobs::list::List>,
    /// Judgings of runs that are not open.
    pub other_judgings: Vec<screens::judge::Other>,
    /// The run that is being opened is to be shown with its judging.
    pub(crate) shows_judging: bool,
    /// How the code is measured.
    pub measure: session::jobs::Measure,
    /// Tests of checkpoints that were begun last.
    pub testing: Option<jobs::testing::Testing>,
    /// What was tested with last.
    pub(crate) last_tests: Option<session::jobs::Tests>,
    pub size: Size,
    pub zoom: Zoom,
    /// Digits typed so far.
    pub count: Option<usize>,
    pub is_quitting: bool,
    parting: Parting,
    pub shell: Shell,
    pub(crate) place: Place,
    pub(crate) numbers: Numbers,
    pub now: Shown,
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

impl Default for App {
    fn default() -> Self {
        Self {
            screen: Screen::default(),
            opened: Loading::Nothing,
            compared: None,
            arrival: None,
            way_back: views::View::Collection,
            collection: None,
            live: None,
            table_wish: table::Opening::default(),
            begun: None,
            overlay: None,
            dialog: None,
            jobs_list: None,
            other_judgings: vec![],
            shows_judging: false,
            measure: session::jobs::Measure::default(),
            testing: None,
            last_tests: None,
            size: Size { width: 80, height: 24 },
            zoom: Zoom::Off,
            count: None,
            is_quitting: false,
            parting: Parting::default(),
            shell: Shell::default(),
            place: Place::default(),
            numbers: Numbers::default(),
            now: Shown::default(),
        }
    }
}

impl App {
    /// Changes the state; what it returns is to be asked of the world.
    pub fn update(&mut self, message: Message) -> Vec<Effect> {
        let before = self.open_run().map(|it| it.replay.spot(&it.session));
        let is_beat = message == Message::Replay(replay::Message::Beat);
        let mut effects = self.take(message);
        let layout = self.layout();
        if let Loading::Ready(open) = &mut self.opened {
            open.settle(&layout);
            effects.extend(open.ask(&mut self.numbers, &layout));
        }
        effects.extend(self.settle_comparison());
        effects.extend(self.settle_live());
        effects.extend(self.settle_dialog());
        self.settle_jobs_list();
        let height = self.table_height();
        if let Some(collection) = &mut self.collection {
            collection.settle(height);
            effects.extend(collection.ask(&mut self.numbers, height));
        }
        self.remember(before.filter(|_| !is_beat));
        effects
    }

    pub(crate) fn take(&mut self, message: Message) -> Vec<Effect> {
        let layout = self.layout();
        match message {
            Message::Press(key) => return self.press(key),
            Message::Paste(text) => return self.paste(&text),
            Message::Resized(size) => self.size = size,
            Message::Open(path, place) => return vec![self.open(path, place)],
            Message::Several(request) => {
                if matches!(self.opened, Loading::Waiting(asked) if asked == request) {
                    self.collect(vec![self.shell.source.clone()]);
                }
            }
            Message::Collect(sources, place) => {
                self.place = place;
                self.collect(sources);
            }
            Message::Begun(request, run) => self.begin(request, run, &layout),
            Message::Opened(request, run) if self.begun == Some(request) => self.complete(run),
            Message::Opened(request, run) => {
                self.settle(request, run, &layout);
                self.return_if_failed();
                return self.watch();
            }
            Message::Answered(request, answer) => self.take_answer(request, answer),
            Message::Partly(request, part) => self.take_part(request, part),
            Message::CompareRuns(paths, place) => self.compare(paths, place),
            Message::Compare(message) => return self.update_comparison(message, &layout),
            Message::View(message) => self.go_to_view(&message),
            Message::Collection(message) => return self.update_table(message),
            Message::BeginLive => self.begin_live(),
            Message::Live(message) => return self.update_live(message),
            Message::Jobs(message) => return self.update_jobs(message),
            Message::Replay(message) if self.is_way_out(&message) => self.bring_up(self.way_back),
            Message::Replay(message) => {
                self.on_view(|it| it.replay.update(&mut it.session, message, &layout))
            }
            Message::Curves(message) => {
                let stops = message == curves::Message::StopOrGoOn;
                self.on_view(|it| it.curves.update(&mut it.session, message, &layout));
                let is_stopped = self.open_run().is_some_and(|it| it.session.scores.is_stopped);
                return (stops && is_stopped).then_some(Effect::StopScoring).into_iter().collect();
            }
            Message::Scores(message) => {
                self.on_view(|it| it.scores.update(&mut it.session, message, &layout));
            }
            Message::Audit(message) => {
                self.on_view(|it| it.audit.update(&mut it.session, message, &layout));
            }
            Message::Judging(message) => self.on_view(|it| {
                it.session.rubric.looked_at = it.looked_at();
                it.judging.update(&mut it.session, message, &layout);
            }),
            Message::Overlay(message) => self.update_overlay(&message, &self.whole_layout()),
            Message::Zoom => self.zoom = if self.zoom == Zoom::On { Zoom::Off } else { Zoom::On },
            Message::Escape => {
                self.zoom = Zoom::Off;
                let forget = replay::Message::Search(search::Message::Forget);
                self.on_view(|it| it.replay.update(&mut it.session, forget, &layout));
            }
            Message::Suspend => return vec![Effect::Suspend],
            Message::Quit => self.quit(),
            Message::Now => {
                self.now = if layout.now.is_some() { Shown::No } else { Shown::Yes };
            }
            Message::Grown(run) => self.on_open_run(|it| it.replay.grow(&mut it.session, run)),
            Message::Follow => {
                self.on_view(|it| {
                    it.replay.update(&mut it.session, replay::Message::Follow, &layout)
                });
                return self.watch();
            }
            Message::Shell(message) => return self.update_shell(message, &layout),
        }
        vec![]
    }

    /// Brings an answer to where it was asked for.
    fn take_answer(&mut self, request: Request, answer: Answer) {
        match answer {
            Answer::Judging(outcome) => self.take_outcome(request, outcome),
            Answer::Parties(..)
            | Answer::PartyScores(..)
            | Answer::Trees(..)
            | Answer::FileBetween(..)
            | Answer::FileText(..) => self.on_comparison(|it| it.take(request, answer)),
            Answer::Colours(_) if self.compared.as_ref().is_some_and(|it| it.asks(request)) => {
                self.on_comparison(|it| it.take(request, answer));
            }
            Answer::RunPaths(..)
            | Answer::Cards(..)
            | Answer::RunScores(..)
            | Answer::PairTests(..) => self.on_collection(|it| it.take(request, answer)),
            Answer::JobPlan(plan) => self.on_dialog(|it| it.take_plan(request, plan)),
            Answer::Agents(found) => self.on_dialog(|it| it.take_agents(request, found)),
            Answer::CheckpointTests(outcome) => self.end_testing(request, outcome),
            answer => self.on_open_run(|it| it.take(request, answer)),
        }
    }

    fn take_part(&mut self, request: Request, part: Part) {
        match part {
            Part::Measured(done, total) => {
                self.on_comparison(|it| it.take_progress(request, done, total));
                self.on_open_run(|it| it.session.scores.take_progress(request, done, total));
            }
            Part::Runs(found) => self.on_collection(|it| it.take_part(request, found)),
            Part::Tested(checkpoint, outcome) => self.take_test(request, checkpoint, outcome),
            Part::Agents(found) => self.on_dialog(|it| it.show_agents(request, &found)),
            Part::Judging(seconds, news) => self.take_news(request, seconds, news),
            Part::Hits(hits) => {
                self.on_open_run(|it| it.replay.take_hits(&mut it.session, request, hits))
            }
            Part::Judges(judges) => self.on_open_run(|it| it.judging.take_judges(request, judges)),
        }
    }

    fn on_comparison(&mut self, change: impl FnOnce(&mut Comparison)) {
        if let Some(compared) = &mut self.compared {
            change(compared);
        }
    }

    fn on_collection(&mut self, change: impl FnOnce(&mut Collection)) {
        if let Some(collection) = &mut self.collection {
            change(collection);
        }
    }

    fn on_dialog(&mut self, change: impl FnOnce(&mut jobs::Dialog)) {
        if let Some(dialog) = &mut self.dialog {
            change(dialog);
        }
    }

    pub fn open_run(&self) -> Option<&OpenRun> {
        self.opened.ready().map(|open| &**open)
    }

    /// Where everything stands at the moment.
    pub fn layout(&self) -> Layout {
        self.beside_live(|size| self.layout_in(size)).unwrap_or_else(|| self.layout_in(self.size))
    }

    /// Where boxes over everything stand: in the whole screen.
    pub fn whole_layout(&self) -> Layout {
        self.layout_in(self.size)
    }

    fn layout_in(&self, size: Size) -> Layout {
        let focus = self.open_run().map_or(Panel::default(), |open| open.replay.focus);
        let files = self.open_run().map_or(0, |it| it.replay.file_rows(&it.session));
        let standings = self.open_run().map_or(0, |open| open.session.standings().len());
        let has_pane = self.shown_run().is_some_and(|open| open.judging.is_open);
        let whole = size;
        let size = if has_pane { layout::beside_pane(whole) } else { whole };
        let layout = Layout::of(size, focus, self.zoom, files);
        let layout = layout.with_now(self.now, size, focus, now::ROWS.len() + standings);
        let layout = self.open_run().map_or(layout, |open| open.replay.make_room(layout));
        if has_pane { layout.with_pane(whole) } else { layout }
    }

    /// Where something is under way only when it is asked for twice: it costs money or time, and what of it is kept is
    /// worth a word.
    fn quit(&mut self) {
        let is_testing = self.testing.as_ref().is_some_and(|it| it.over.is_none());
        let words = if self.has_agent_at_work() {
            "an agent is at work: quit again to stop it; what is recorded stays, and --resume goes on"
        } else if self.judgings_under_way().next().is_some() {
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
        self.say(words.into());
    }

    /// Which keys hold at the moment.
    pub fn context(&self) -> Context {
        if let Some(context) = self.shell.context() {
            return context;
        }
        if let (None, Some(dialog)) = (&self.overlay, &self.dialog) {
            return if dialog.form.typing.is_some() { Context::FormText } else { Context::Form };
        }
        if self.overlay.is_none() && self.jobs_list.is_some() {
            return Context::Jobs;
        }
        if let (None, Some(live)) = (&self.overlay, self.live()) {
            return live.context();
        }
        if let (None, Some(compared)) = (&self.overlay, self.comparison()) {
            return compared.part.context();
        }
        if let (None, Some(table)) = (&self.overlay, self.table()) {
            return if table.prompt.is_some() { Context::Filter } else { Context::Table };
        }
        match (&self.overlay, self.open_run()) {
            (Some(overlay), _) => overlay.context(),
            (None, Some(open)) if open.replay.search.prompt.is_some() => Context::Prompt,
            (None, Some(open)) => match &open.replay.chooser {
                Some(chooser) => chooser.kind.context(),
                None => {
                    let in_pane = open.judging.context(&self.layout());
                    in_pane.unwrap_or_else(|| open.context())
                }
            },
            (None, None) => Context::Replay,
        }
    }

    /// What a box over the panels tells of.
    pub fn subject(&self) -> Subject<'_> {
        if let Some(live) = self.live() {
            return Subject::Live(live);
        }
        if let Some(compared) = self.comparison() {
            return Subject::Comparison(compared);
        }
        match (self.table(), self.open_run()) {
            (Some(table), _) => Subject::Table(table),
            (None, Some(open)) => Subject::Run(open),
            (None, None) => Subject::Nothing,
        }
    }

    /// How long the loop may sleep before something here moves by itself.
    pub fn next_deadline(&self) -> Option<Duration> {
        let beat = self.open_run().and_then(|open| open.replay.playback.beat());
        let hold = self.live.as_ref().filter(|live| live.terminal.is_held());
        let hold = hold.map(|_| live::LONGEST_FRAME);
        beat.into_iter().chain(hold).min()
    }

    /// What the end of [`Self::next_deadline`] means.
    pub fn after_deadline(&self) -> Message {
        match self.live.as_ref().is_some_and(|live| live.terminal.is_held()) {
            true => Message::Live(live::Message::Told(session::live::Told::Silent)),
            false => Message::Replay(replay::Message::Beat),
        }
    }

    /// Lets a view of the open run take a message, and goes where that leads.
    fn on_view(&mut self, take: impl FnOnce(&mut OpenRun)) {
        self.on_open_run(|open| {
            take(open);
            open.follow_session();
        });
    }

    pub(crate) fn on_open_run(&mut self, change: impl FnOnce(&mut OpenRun)) {
        if let Loading::Ready(open) = &mut self.opened {
            change(open);
        }
    }

    /// Asks to be told of what is written from now on, where that is wanted.
    fn watch(&self) -> Vec<Effect> {
        let is_wanted = self.open_run().is_some_and(|open| open.session.follow.is_on);
        is_wanted.then(|| Effect::Follow(self.shell.source.clone())).into_iter().collect()
    }

    fn settle(&mut self, request: Request, run: Result<Arc<Run>, String>, layout: &Layout) {
        let room = if layout.tabs.is_some() { Room::OnePanel } else { Room::AllPanels };
        let open = run.map(|run| Box::new(OpenRun::of(run, &self.place, room)));
        self.opened.settle(request, open);
        self.settle_in();
        self.arrive();
        self.take_judging_back();
        if std::mem::take(&mut self.shows_judging) {
            self.show_judging();
        }
    }

    /// Shows the beginning, where it is the beginning that is wanted.
    fn begin(&mut self, request: Request, run: Arc<Run>, layout: &Layout) {
        let is_awaited = matches!(self.opened, Loading::Waiting(asked) if asked == request);
        if is_awaited && self.place == (Place { view: self.place.view, ..Place::default() }) {
            self.settle(request, Ok(run), layout);
            self.on_open_run(|it| it.session.growth.is_whole = false);
            self.begun = Some(request);
        }
    }

    /// Puts the whole run where its beginning was shown.
    fn complete(&mut self, run: Result<Arc<Run>, String>) {
        self.begun = None;
        match run {
            Ok(run) => self.on_open_run(|it| it.replay.complete(&mut it.session, run)),
            Err(why) => {
                self.opened = Loading::Failed(why);
                self.return_if_failed();
            }
        }
    }

    pub(crate) fn open(&mut self, path: PathBuf, place: Place) -> Effect {
        let request = self.numbers.fresh();
        self.begun = None;
        self.place = place;
        if self.place.view == views::View::Collection {
            self.place.view = views::View::Replay; // of what is opened here it is no view
        }
        self.set_judging_aside();
        self.shell.source.clone_from(&path);
        self.opened = Loading::Waiting(request);
        Effect::Open(request, path)
    }

    fn press(&mut self, key: Key) -> Vec<Effect> {
        if let Some(effects) = self.for_agent(key) {
            return effects;
        }
        let Some(key) = key.bound() else { return vec![] };
        let context = self.context();
        self.shell.is_line_full = false;
        self.parting.is_warned = std::mem::take(&mut self.parting.warns);
        self.on_open_run(|open| {
            open.session.notice = None;
            open.curves.hovered = None;
        });
        if let Some(live) = &mut self.live {
            live.notice = None;
        }
        if let Some(compared) = &mut self.compared {
            compared.notice = None;
        }
        if let Some(collection) = &mut self.collection {
            collection.notice = None;
        }
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
            None => digit == 0 || (context.has_digits() && digit <= usize::from(FULL)),
            Some(_) => false,
        };
        let counts = digit.filter(|digit| !is_key(*digit));
        if let Some(digit) = counts {
            self.count = Some((self.count.unwrap_or_default() * 10 + digit).min(MOST));
        }
        counts.is_some()
    }

    fn paste(&mut self, text: &str) -> Vec<Effect> {
        let is_for_agent = self.live().is_some() && !self.context().types_words();
        if is_for_agent { self.paste_live(text) } else { self.type_words(text) }
    }

    fn update_overlay(&mut self, message: &overlay::Message, layout: &Layout) {
        match message {
            overlay::Message::Open(kind) => self.overlay = Some(Overlay::of(*kind, self.context())),
            overlay::Message::Close => self.overlay = None,
            overlay::Message::Find(find) => {
                self.overlay.iter_mut().for_each(|overlay| overlay.find(find));
            }
            overlay::Message::Move(motion) => {
                let Some(mut overlay) = self.overlay.take() else { return };
                let rows = overlay.rows(self.subject(), &self.shell.keys, layout).len();
                let height = usize::from(layout.overlay().height.saturating_sub(2));
                overlay.go(*motion, rows, height);
                self.overlay = Some(overlay);
            }
        }
    }
}
