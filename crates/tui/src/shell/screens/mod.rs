//! What is open (a run, a comparison, the table of runs, a run that is being made), which of them has the screen, and the
//! ways between them.
//!
//! [`Screens`] knows nothing of keys, boxes and forms over the screens: those are the shell's.

pub mod compare;
pub mod judge;
pub mod live;
pub mod marks;
pub mod run;
pub mod study;
pub mod table;

use ratatui::layout::Size;
use std::{path::PathBuf, time::Duration};

use crate::{
    session::{
        ask::Loading,
        context::Context,
        effect::Effect,
        live::LiveEvent,
        opening::Opening,
        place::Place,
        request::{Numbers, Request},
        views::{self, View},
    },
    shell::{
        message::Message,
        open_run::{Defaults, OpenRun, RunMessage},
        overlay::Subject,
    },
    views::{
        compare::Comparison,
        live::{self as live_view, Focus, Live},
        replay::{self, now},
        table::{self as table_view, Collection},
    },
    widgets::layout::{self, Layout, Panel, Shown, Zoom},
};

use judge::OtherJudgings;
use marks::Marks;

/// What has the screen. Whatever is open and not on it stays as it was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Screen {
    /// The run that is open, in its own view.
    #[default]
    Run,
    /// Runs side by side.
    Compare,
    /// The table of runs.
    Table,
    /// The run that is being made.
    Live,
}

/// What is open, and which of it has the screen.
#[derive(Debug, Default)]
pub struct Screens {
    pub screen: Screen,
    pub opened: Loading<Box<OpenRun>>,
    /// The recording that is open, as a link names it.
    pub source: PathBuf,
    /// Runs side by side, where several were opened.
    pub compared: Option<Box<Comparison>>,
    /// The table of runs, where several were opened.
    pub collection: Option<Box<Collection>>,
    /// A run that is being made.
    pub live: Option<Box<Live>>,
    pub other_judgings: OtherJudgings,
    /// How the table is wanted when it is opened.
    pub table_opening: table_view::Opening,
    /// How a run that is opened is to be shown.
    pub defaults: Defaults,
    pub frame: Frame,
    pub(crate) way: Way,
    pub(crate) marks: Marks,
    pub(crate) numbers: Numbers,
}

/// The terminal, and how it is shared out.
#[derive(Debug)]
pub struct Frame {
    pub size: Size,
    pub zoom: Zoom,
    /// Whether the turn is shown in numbers.
    pub now: Shown,
}

impl Default for Frame {
    fn default() -> Self {
        Self { size: Size { width: 80, height: 24 }, zoom: Zoom::Off, now: Shown::default() }
    }
}

/// How a run is being opened, and from where.
#[derive(Debug)]
pub struct Way {
    /// What is to be shown of it.
    pub place: Place,
    /// The opening whose beginning is shown while the whole is read.
    pub begun: Option<Request>,
    /// Where it is wanted, and what to say there.
    pub arrival: Option<(Option<Opening>, String)>,
    /// It is to be shown with its judging.
    pub shows_judging: bool,
    /// What the open run was opened from.
    pub back: View,
}

impl Default for Way {
    fn default() -> Self {
        Self {
            place: Place::default(),
            begun: None,
            arrival: None,
            shows_judging: false,
            back: View::Collection,
        }
    }
}

const NO_RUN: &str = "no run is open: enter opens the one at the cursor";

const NO_TABLE: &str = "one run is open and no collection: `trajview FOLDER` opens one";

const NO_COMPARISON: &str =
    "one run is open and nothing to compare it with: `trajview A B` compares two";

impl Screens {
    pub fn open_run(&self) -> Option<&OpenRun> {
        self.opened.ready().map(|open| &**open)
    }

    /// Whether a digit is a level of what is labelled, and no count.
    pub(crate) fn takes_digit(&self, digit: usize) -> bool {
        let open = self.open_run();
        open.zip(u8::try_from(digit).ok())
            .is_some_and(|(open, digit)| open.audit.takes_digit(&open.session, digit))
    }

    pub(crate) fn on_comparison(&mut self, change: impl FnOnce(&mut Comparison)) {
        if let Some(compared) = &mut self.compared {
            change(compared);
        }
    }

    pub(crate) fn on_collection(&mut self, change: impl FnOnce(&mut Collection)) {
        if let Some(collection) = &mut self.collection {
            change(collection);
        }
    }

    /// Where everything stands at the moment.
    pub fn layout(&self) -> Layout {
        self.beside_live(|size| self.layout_in(size))
            .unwrap_or_else(|| self.layout_in(self.frame.size))
    }

    /// Where boxes over everything stand: in the whole screen.
    pub fn whole_layout(&self) -> Layout {
        self.layout_in(self.frame.size)
    }

    fn layout_in(&self, size: Size) -> Layout {
        let focus = self.open_run().map_or(Panel::default(), |open| open.replay.focus);
        let files = self.open_run().map_or(0, |it| it.replay.file_rows(&it.session));
        let standings = self.open_run().map_or(0, |open| open.session.standings().len());
        let has_pane = self.shown_run().is_some_and(|open| open.judging.is_open);
        let whole = size;
        let size = if has_pane { layout::beside_pane(whole) } else { whole };
        let layout = Layout::of(size, focus, self.frame.zoom, files);
        let layout = layout.with_now(self.frame.now, size, focus, now::ROWS.len() + standings);
        let layout = layout.with_step(size);
        let layout = self.open_run().map_or(layout, |open| open.replay.make_room(layout));
        if has_pane { layout.with_pane(whole) } else { layout }
    }

    /// Which keys hold while nothing lies over the screen.
    pub fn context(&self) -> Context {
        match (self.live(), self.comparison(), self.table(), self.open_run()) {
            (Some(live), ..) => live.context(),
            (_, Some(compared), ..) => compared.part.context(),
            (.., Some(table), _) => table.context(),
            (.., Some(open)) => open.context_in(&self.layout()),
            (.., None) => Context::Replay,
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
        let hold = hold.map(|_| live_view::LONGEST_FRAME);
        beat.into_iter().chain(hold).min()
    }

    /// What the end of [`Self::next_deadline`] means.
    pub fn after_deadline(&self) -> Message {
        match self.live.as_ref().is_some_and(|live| live.terminal.is_held()) {
            true => Message::Live(live_view::Message::LiveEvent(LiveEvent::Silent)),
            false => Message::Run(RunMessage::Replay(replay::Message::Beat)),
        }
    }

    /// Lets a view of the open run take a message, and goes where that leads.
    pub(crate) fn on_view(&mut self, take: impl FnOnce(&mut OpenRun)) {
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

    pub fn say(&mut self, words: String) {
        if self.live().is_some()
            && let Some(live) = &mut self.live
        {
            live.notice = Some(words);
            return;
        }
        if self.comparison().is_some()
            && let Some(compared) = &mut self.compared
        {
            compared.notice = Some(words);
            return;
        }
        if self.table().is_some() {
            if let Some(collection) = &mut self.collection {
                collection.notice = Some(words);
            }
            return;
        }
        self.on_open_run(|open| open.session.notice = Some(words));
    }

    /// Brings everything that is open in step, and asks for what it lacks.
    pub fn settle(&mut self) -> Vec<Effect> {
        let layout = self.layout();
        let mut effects = vec![];
        if let Loading::Ready(open) = &mut self.opened {
            open.settle(&layout);
            effects.extend(open.ask(&mut self.numbers, &layout));
        }
        effects.extend(study::ask(self));
        effects.extend(self.settle_comparison());
        effects.extend(self.settle_live());
        let height = self.table_height();
        if let Some(collection) = &mut self.collection {
            collection.settle(height);
            effects.extend(collection.ask(&mut self.numbers, height));
        }
        effects
    }

    /// Takes away what was said in the last line.
    pub(crate) fn clear_notices(&mut self) {
        self.on_open_run(|open| {
            open.session.notice = None;
            open.curves.hovered = None;
        });
        if let Some(live) = &mut self.live {
            live.press_key();
        }
        self.on_comparison(|it| it.notice = None);
        self.on_collection(|it| it.notice = None);
    }

    /// The table, where it is what is looked at.
    pub fn table(&self) -> Option<&Collection> {
        self.collection.as_deref().filter(|_| self.screen == Screen::Table)
    }

    /// The comparison, where it is what is looked at.
    pub fn comparison(&self) -> Option<&Comparison> {
        self.compared.as_deref().filter(|_| self.screen == Screen::Compare)
    }

    /// The live run, where it is what is looked at.
    pub fn live(&self) -> Option<&Live> {
        self.live.as_deref().filter(|_| self.screen == Screen::Live)
    }

    /// The run, where it is what is looked at.
    pub fn shown_run(&self) -> Option<&OpenRun> {
        self.open_run().filter(|_| self.screen == Screen::Run)
    }

    /// Puts a screen on. What was said on the one before is gone.
    pub fn show(&mut self, screen: Screen) {
        match (self.screen, &mut self.collection, &mut self.compared, &mut self.live) {
            (before, ..) if before == screen => {}
            (Screen::Table, Some(table), ..) => table.notice = None,
            (Screen::Compare, _, Some(compared), _) => compared.notice = None,
            (Screen::Live, .., Some(live)) => live.focus = Focus::Requests,
            _ => {}
        }
        self.screen = screen;
    }

    /// The view that a command is of, where there is something for it to show.
    pub(crate) fn bring_up(&mut self, view: View) {
        match view {
            View::Collection => match self.collection {
                Some(_) => self.leave_run_for(Screen::Table),
                None => self.say(NO_TABLE.into()),
            },
            View::Compare => match self.compared {
                Some(_) => self.leave_run_for(Screen::Compare),
                None => self.say(NO_COMPARISON.into()),
            },
            View::Live => self.show_live(),
            view if self.open_run().is_some() => {
                self.show(Screen::Run);
                let layout = self.layout();
                self.on_open_run(|open| {
                    open.judging.step_aside(&layout);
                    open.session.view = view;
                });
            }
            _ => self.say(NO_RUN.into()),
        }
    }

    fn leave_run_for(&mut self, screen: Screen) {
        self.on_open_run(|open| open.replay.playback.is_playing = false);
        if let Some(id) = self.open_run().and_then(|open| open.component_of(open.session.view)) {
            self.on_comparison(|it| it.table.choose(&id));
        }
        self.show(screen);
    }

    /// The view that is on; None while nothing is open.
    fn view(&self) -> Option<View> {
        match self.screen {
            Screen::Run => self.open_run().map(|open| open.session.view),
            Screen::Compare => Some(View::Compare),
            Screen::Table => Some(View::Collection),
            Screen::Live => Some(View::Live),
        }
    }

    /// To another view: the table is one of them where there is a collection, the comparison where there is one.
    pub(crate) fn go_to_view(&mut self, message: &views::Message) {
        let Some(now) = self.view() else { return };
        match self.next_view(message, now) {
            Ok(view) => self.bring_up(view),
            Err(why) => self.say(why),
        }
    }

    /// The way from view to view leads past what is not there.
    fn next_view(&self, message: &views::Message, now: View) -> Result<View, String> {
        let mut next = message.from(now)?;
        while *message == views::Message::Next && next != now && !self.is_there(next) {
            next = message.from(next)?;
        }
        Ok(next)
    }

    fn is_there(&self, view: View) -> bool {
        match view {
            View::Compare => self.compared.is_some(),
            View::Collection => self.collection.is_some(),
            View::Live => self.live.as_ref().is_some_and(|live| !live.is_nothing()),
            _of_the_run => self.open_run().is_some(),
        }
    }
}
