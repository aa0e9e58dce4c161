//! The table beside the run that was opened from it: which of the two is looked at, and the ways between them.

use std::path::PathBuf;

use crate::app::{
    App, Effect, Loading, Place, replay,
    shell::marks::Marks,
    views::{self, View},
};

use super::{Collection, Message, order::Line, row::Reading};

const NO_RUN: &str = "no run is open: enter opens the one at the cursor";

impl App {
    /// The table, where it is what is looked at.
    pub fn table(&self) -> Option<&Collection> {
        self.collection.as_deref().filter(|collection| collection.is_shown)
    }

    /// The run, where it is what is looked at.
    pub fn shown_run(&self) -> Option<&replay::Replay> {
        self.replay().filter(|_| {
            self.table().is_none() && self.comparison().is_none() && self.live().is_none()
        })
    }

    /// Whether there is more to look at than that something is read.
    pub fn has_something_to_show(&self) -> bool {
        let is_begun = |table: &Collection| {
            let mut seen = table.lines().iter().take(self.table_height()).filter_map(Line::run);
            let is_some = !table.rows.is_empty() || table.is_listed;
            is_some && seen.all(|row| table.rows[row].reading != Reading::Unread)
        };
        self.replay().is_some()
            || self.table().is_some_and(is_begun)
            || self.comparison().is_some_and(|it| it.sides().is_some())
            || self.live().is_some()
    }

    /// Shows the runs below some paths.
    pub(in crate::app) fn collect(&mut self, sources: Vec<PathBuf>) {
        let opening = self.table_wish.clone();
        self.set_judging_aside();
        self.opened = Loading::Nothing;
        self.collection = Some(Box::new(Collection::of(sources, opening)));
        if self.place.turn.is_some() || self.place.file.is_some() {
            self.say("a turn or a file is a place in one run; these are several".into());
        }
    }

    /// Lines of the table that are seen.
    pub(in crate::app) fn table_height(&self) -> usize {
        let body = self.layout().body;
        self.collection.as_ref().map_or(0, |it| usize::from(it.areas(body).list.height))
    }

    pub(in crate::app) fn update_table(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Show => self.go_out(),
            Message::Compare => self.compare_from_table(),
            Message::Open => return self.open_selected(),
            Message::StopOrGoOn => {
                self.on_table(Message::StopOrGoOn);
                let is_stopped = self.collection.as_ref().is_some_and(|it| it.is_stopped);
                return is_stopped.then_some(Effect::StopCollecting).into_iter().collect();
            }
            message => self.on_table(message),
        }
        vec![]
    }

    fn on_table(&mut self, message: Message) {
        let height = self.table_height();
        if let Some(collection) = &mut self.collection {
            collection.update(message, height);
        }
    }

    /// Whether a way back leads out of the run, to what it was opened from.
    pub(in crate::app) fn is_way_out(&self, message: &replay::Message) -> bool {
        let is_there = match self.way_back {
            View::Compare => self.compared.is_some(),
            _ => self.collection.is_some(),
        };
        is_there && self.replay().is_some_and(|it| it.leads_out(message))
    }

    /// Back to what the run was opened from.
    fn go_out(&mut self) {
        let is_comparison = self.way_back == View::Compare || self.collection.is_none();
        match is_comparison && self.compared.is_some() {
            true => self.show_comparison(),
            false => self.show_table(),
        }
    }

    pub(in crate::app) fn show_table(&mut self) {
        self.on_replay(|replay| replay.playback.is_playing = false);
        match &mut self.collection {
            Some(collection) => {
                collection.is_shown = true;
                self.hide_comparison();
                self.hide_live();
            }
            None => {
                self.say("one run is open and no collection: `trajview FOLDER` opens one".into())
            }
        }
    }

    fn open_selected(&mut self) -> Vec<Effect> {
        let Some(table) = self.table() else { return vec![] };
        if table.group_at_cursor().is_some() {
            self.on_table(Message::Fold);
            return vec![];
        }
        let Some(row) = table.selected() else { return vec![] };
        if let Some(why) = row.failure() {
            self.say(why.to_owned());
            return vec![];
        }
        let path = row.path.clone();
        // The same run again is still as it was left.
        self.way_back = View::Collection;
        if self.replay().is_some() && self.shell.source == path {
            self.hide_table();
            return vec![];
        }
        self.shell.marks = Marks::default();
        self.hide_table();
        let place = Place { view: View::Replay, ..Place::default() };
        vec![self.open(path, place)]
    }

    /// The view that a command is of.
    pub(in crate::app) fn bring_up(&mut self, view: View) {
        match view {
            View::Collection => self.show_table(),
            View::Compare => self.show_comparison(),
            View::Live => self.show_live(),
            view if self.replay().is_some() => {
                self.hide_table();
                self.hide_comparison();
                self.hide_live();
                let layout = self.layout();
                self.on_replay(|replay| {
                    replay.judging.step_aside(&layout);
                    replay.view = view;
                });
            }
            _ => self.say(NO_RUN.into()),
        }
    }

    pub(in crate::app) fn hide_table(&mut self) {
        if let Some(collection) = &mut self.collection {
            collection.is_shown = false;
            collection.notice = None;
        }
    }

    /// A run that was chosen in the table cannot be opened: back to the table, which says why.
    pub(in crate::app) fn return_if_failed(&mut self) {
        let Loading::Failed(why) = &self.opened else { return };
        if self.collection.is_some() || self.compared.is_some() {
            let why = why.clone();
            self.opened = Loading::Nothing;
            self.arrival = None;
            self.bring_up(self.way_back);
            self.say(why);
        }
    }

    /// To another view: the table is one of them where there is a collection, the comparison where there is one.
    pub(in crate::app) fn go_to_view(&mut self, message: &views::Message) {
        let now = match (self.comparison(), self.table(), self.replay()) {
            _ if self.live().is_some() => View::Live,
            (Some(_), ..) => View::Compare,
            (_, Some(_), _) => View::Collection,
            (.., Some(replay)) => replay.view,
            (None, None, None) => return,
        };
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
            View::Replay | View::Curves | View::Scores | View::Audit => self.replay().is_some(),
        }
    }
}
