//! Which screen is on: a run, the comparison, the table or the live run; and the ways between them.

pub mod compare;
pub mod judge;
pub mod live;
pub mod table;

use crate::{
    session::views::{self, View},
    shell::{App, open_run::OpenRun},
    views::{
        compare::Comparison,
        live::{Focus, Live},
        table::Collection,
    },
};

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

const NO_RUN: &str = "no run is open: enter opens the one at the cursor";

const NO_TABLE: &str = "one run is open and no collection: `trajview FOLDER` opens one";

const NO_COMPARISON: &str =
    "one run is open and nothing to compare it with: `trajview A B` compares two";

impl App {
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
    pub(crate) fn show(&mut self, screen: Screen) {
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
            View::Replay | View::Curves | View::Scores | View::Audit => self.open_run().is_some(),
        }
    }
}
