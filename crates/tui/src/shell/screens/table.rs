//! The table beside the run that was opened from it: which of the two is looked at, and the ways between them.

use std::path::PathBuf;

use crate::{
    session::{
        ask::Loading,
        effect::Effect,
        opening::{Opening, Target},
        place::{At, Place},
        views::View,
    },
    shell::screens::{Screen, Screens, marks::Marks},
    views::table::{
        Collection, Message,
        finding::{self, Finding},
        order::Line,
        prompt,
        row::Reading,
    },
};

impl Screens {
    /// Whether there is more to look at than that something is read.
    pub fn has_something_to_show(&self) -> bool {
        let is_begun = |table: &Collection| {
            let mut seen = table.lines().iter().take(self.table_height()).filter_map(Line::run);
            let is_some = !table.rows.is_empty() || table.is_listed;
            is_some && seen.all(|row| table.rows[row].reading != Reading::Unread)
        };
        self.open_run().is_some()
            || self.table().is_some_and(is_begun)
            || self.comparison().is_some_and(|it| it.sides().is_some())
            || self.live().is_some()
    }

    /// Shows the runs below some paths.
    pub fn collect(&mut self, sources: Vec<PathBuf>) {
        let opening = self.table_opening.clone();
        self.set_judging_aside();
        self.opened = Loading::Nothing;
        self.collection = Some(Box::new(Collection::of(sources, opening)));
        self.show(Screen::Table);
        if self.way.place.turn.is_some() || self.way.place.file.is_some() {
            self.say("a turn or a file is a place in one run; these are several".into());
        }
    }

    /// Lines of the table that are seen, or of what was found in its place.
    pub(crate) fn table_height(&self) -> usize {
        let body = self.layout().body;
        self.collection.as_ref().map_or(0, |it| match &it.finding {
            Some(_) => usize::from(Finding::list(body).height),
            None => usize::from(it.areas(body).list.height),
        })
    }

    pub(crate) fn update_table(&mut self, message: Message) -> Vec<Effect> {
        match message {
            Message::Show => self.go_out(),
            Message::Compare => self.compare_from_table(),
            Message::Open => return self.open_selected(),
            Message::Find(finding::Message::Open) => return self.open_hit(),
            Message::StopOrGoOn => {
                self.on_table(Message::StopOrGoOn);
                let is_stopped = self.collection.as_ref().is_some_and(|it| it.is_stopped);
                return is_stopped.then_some(Effect::StopCollecting).into_iter().collect();
            }
            Message::Prompt(prompt::Message::Accept) => {
                self.on_table(Message::Prompt(prompt::Message::Accept));
                let opens =
                    |table: &Collection| table.shape.start.is_some() && table.prompt.is_none();
                if self.collection.as_deref().is_some_and(opens) {
                    return self.open_first();
                }
            }
            message => self.on_table(message),
        }
        vec![]
    }

    /// The run at the cursor, or the first of the group there; the sample where there is no run.
    fn open_first(&mut self) -> Vec<Effect> {
        if let Some(table) = &mut self.collection {
            let mut below = table.lines().iter().enumerate().skip(table.scroll.cursor);
            let first = below.find(|(_, line)| line.run().is_some()).map(|(at, _)| at);
            table.scroll.cursor = first.unwrap_or(table.scroll.cursor);
        }
        self.open_selected()
    }

    fn on_table(&mut self, message: Message) {
        let height = self.table_height();
        if let Some(collection) = &mut self.collection {
            collection.update(message, height);
        }
    }

    /// Whether a way back leads out of the run, to what it was opened from.
    pub(crate) fn is_way_out(&self, message: &crate::views::replay::Message) -> bool {
        let is_there = match self.way.back {
            View::Compare => self.compared.is_some(),
            _ => self.collection.is_some(),
        };
        is_there && self.open_run().is_some_and(|it| it.replay.leads_out(message))
    }

    /// Back to what the run was opened from.
    fn go_out(&mut self) {
        let is_comparison = self.way.back == View::Compare || self.collection.is_none();
        match is_comparison && self.compared.is_some() {
            true => self.bring_up(View::Compare),
            false => self.bring_up(View::Collection),
        }
    }

    fn open_selected(&mut self) -> Vec<Effect> {
        let Some(table) = self.table() else { return vec![] };
        if table.group_at_cursor().is_some() {
            self.on_table(Message::Fold);
            return vec![];
        }
        let sample = table.shape.start.as_ref().and_then(|start| start.sample.clone());
        if let Some(sample) = sample.filter(|_| table.is_listed && table.rows.is_empty()) {
            return self.open_from_table(sample);
        }
        let Some(row) = table.selected() else { return vec![] };
        if let Some(why) = row.failure() {
            self.say(why.to_owned());
            return vec![];
        }
        let path = row.path.clone();
        self.open_from_table(path)
    }

    fn open_from_table(&mut self, path: PathBuf) -> Vec<Effect> {
        // The same run again is still as it was left.
        self.way.back = View::Collection;
        if self.open_run().is_some() && self.source == path {
            self.show(Screen::Run);
            return vec![];
        }
        self.marks = Marks::default();
        self.show(Screen::Run);
        let place = Place { view: View::Replay, ..Place::default() };
        vec![self.open(path, place)]
    }

    /// The run at the step of the hit at the cursor; the way back leads to what was found.
    fn open_hit(&mut self) -> Vec<Effect> {
        let Some(finding) = self.table().and_then(|table| table.finding.as_deref()) else {
            return vec![];
        };
        let Some((found, hit)) = finding.selected() else { return vec![] };
        let query = finding.lookup().and_then(|lookup| lookup.in_run());
        let (path, turn) = (found.path.clone(), hit.moment.turn);
        let opening = Opening::at(turn, Target::Found { hit: hit.in_run(), query });
        let words =
            "n is the next hit of this run; backspace goes back to what was found".to_owned();
        self.way.back = View::Collection;
        let is_open = self.open_run().is_some() && self.source == path;
        self.show(Screen::Run);
        if is_open {
            self.on_open_run(|open| {
                open.replay.show_opening(&mut open.session, opening);
                open.session.notice = Some(words);
            });
            return vec![];
        }
        self.marks = Marks::default();
        self.way.arrival = Some((Some(opening), words));
        let at = Some(At::Turn(turn + 1));
        vec![self.open(path, Place { turn: at, view: View::Replay, ..Place::default() })]
    }

    /// A run that was chosen in the table cannot be opened: back to the table, which says why.
    pub(crate) fn return_if_failed(&mut self) {
        let Loading::Failed(why) = &self.opened else { return };
        if self.collection.is_some() || self.compared.is_some() {
            let why = why.clone();
            self.opened = Loading::Nothing;
            self.way.arrival = None;
            self.bring_up(self.way.back);
            self.say(why);
        }
    }
}
