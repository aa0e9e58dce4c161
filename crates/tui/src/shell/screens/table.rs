//! The table beside the run that was opened from it: which of the two is on screen, and how one leads to the other.

use std::path::PathBuf;

use crate::{
    session::{
        effect::Effect,
        pending::Loading,
        replay_opening::{OpeningTarget, ReplayOpening},
        start_place::{NamedMoment, StartPlace},
        views::View,
    },
    shell::screens::{ScreenKind, Screens, compare::MarkedRuns},
    views::table::{
        RunTableView, TableMessage, order::TableLine, prompt, row::RunReading, run_finding,
    },
};

impl Screens {
    /// Returns whether there is more to show than a message about reading.
    pub fn has_something_to_show(&self) -> bool {
        let is_begun = |table: &RunTableView| {
            let height = usize::from(table.table_areas(self.layout().body).list.height);
            let mut seen = table.table_lines().iter().take(height).filter_map(TableLine::run_index);
            let is_some = !table.rows.is_empty() || table.is_listed;
            is_some && seen.all(|row| table.rows[row].reading != RunReading::Unread)
        };
        self.open_run().is_some()
            || self.shown_table().is_some_and(is_begun)
            || self.shown_comparison().is_some_and(|it| it.compared_parties().is_some())
            || self.shown_live().is_some()
    }

    /// Shows the table of the runs below some paths, closes the open run and sets its judging aside.
    pub fn show_collection(&mut self, sources: Vec<PathBuf>) {
        let opening = self.table_opening.clone();
        self.set_judging_aside();
        self.opened = Loading::Nothing;
        let table = RunTableView::from_sources(sources, opening);
        self.collection = Some(Box::new(table.with_keys(self.defaults.keys.clone())));
        self.show_screen(ScreenKind::Table);
        let has_place = self.opening.place.turn.is_some() || self.opening.place.file.is_some();
        // `--view runs` lists the run of the place.
        if has_place && self.opening.place.view != View::Collection {
            self.show_notice("turns and files need a single run".into());
        }
    }

    pub(crate) fn update_table(&mut self, message: TableMessage) -> Vec<Effect> {
        match message {
            TableMessage::Escape if !self.shown_table().is_some_and(RunTableView::is_narrowed) => {
                self.go_to_previous_view();
            }
            TableMessage::Compare => self.compare_from_table(MarkedRuns::Compare),
            TableMessage::Mark => self.compare_from_table(MarkedRuns::AddOne),
            TableMessage::Open => return self.open_selected(),
            TableMessage::Find(run_finding::FindingMessage::Open) => return self.open_hit(),
            TableMessage::StopOrGoOn => {
                self.on_table(TableMessage::StopOrGoOn);
                let is_stopped = self.collection.as_ref().is_some_and(|it| it.is_stopped);
                return is_stopped.then_some(Effect::StopCollecting).into_iter().collect();
            }
            TableMessage::Prompt(prompt::FilterPromptMessage::Accept) => {
                self.on_table(TableMessage::Prompt(prompt::FilterPromptMessage::Accept));
                let opens =
                    |table: &RunTableView| table.shape.start.is_some() && table.prompt.is_none();
                if self.collection.as_deref().is_some_and(opens) {
                    return self.open_first();
                }
            }
            message => self.on_table(message),
        }
        vec![]
    }

    /// Opens the run at the cursor, or the first of the group there; the sample when there is no run.
    fn open_first(&mut self) -> Vec<Effect> {
        if let Some(table) = &mut self.collection {
            let mut below = table.table_lines().iter().enumerate().skip(table.list.cursor());
            let first = below.find(|(_, line)| line.run_index().is_some()).map(|(at, _)| at);
            table.list.choose(first.unwrap_or(table.list.cursor()));
        }
        self.open_selected()
    }

    fn on_table(&mut self, message: TableMessage) {
        if let Some(collection) = &mut self.collection {
            collection.update_table(message);
        }
    }

    /// Goes back to the view that the run was opened from.
    pub(super) fn leave_run(&mut self) {
        let is_comparison = self.opening.back == View::Compare || self.collection.is_none();
        match is_comparison && self.compared.is_some() {
            true => self.bring_up_view(View::Compare),
            false => self.bring_up_view(View::Collection),
        }
    }

    fn open_selected(&mut self) -> Vec<Effect> {
        let Some(table) = self.shown_table() else { return vec![] };
        if table.group_at_cursor().is_some() {
            self.on_table(TableMessage::Fold);
            return vec![];
        }
        let sample = table.shape.start.as_ref().and_then(|start| start.sample.clone());
        if let Some(sample) = sample.filter(|_| table.is_listed && table.rows.is_empty()) {
            return self.open_from_table(sample);
        }
        let Some(row) = table.selected_run() else { return vec![] };
        if let Some(why) = row.reading_failure() {
            self.show_notice(why.to_owned());
            return vec![];
        }
        let path = row.path.clone();
        self.open_from_table(path)
    }

    fn open_from_table(&mut self, path: PathBuf) -> Vec<Effect> {
        self.opening.back = View::Collection;
        self.open_from_view(path)
    }

    /// Opens a run; the run that is open already keeps its state.
    pub(crate) fn open_from_view(&mut self, path: PathBuf) -> Vec<Effect> {
        if self.open_run().is_some() && self.source == path {
            self.show_screen(ScreenKind::Run);
            return vec![];
        }
        self.show_screen(ScreenKind::Run);
        let place = StartPlace { view: View::Replay, ..StartPlace::default() };
        vec![self.open_path(path, place)]
    }

    /// Opens the run at the step of the selected hit; going back leads to the hits.
    fn open_hit(&mut self) -> Vec<Effect> {
        let Some(finding) = self.shown_table().and_then(|table| table.finding.as_deref()) else {
            return vec![];
        };
        let Some((found, hit)) = finding.selected_hit() else { return vec![] };
        let query = finding.parsed_lookup().and_then(|lookup| lookup.first_search_query());
        let (path, turn) = (found.path.clone(), hit.moment.turn);
        let opening =
            ReplayOpening::at_turn(turn, OpeningTarget::Found { hit: hit.as_search_hit(), query });
        let words = "n: next match in this run · backspace: results".to_owned();
        self.opening.back = View::Collection;
        let is_open = self.open_run().is_some() && self.source == path;
        self.show_screen(ScreenKind::Run);
        if is_open {
            self.on_open_run(|open| {
                open.replay.show_opening(&mut open.session, opening);
                open.session.notice = Some(words);
            });
            return vec![];
        }
        self.opening.arrival = Some((Some(opening), words));
        let at = Some(NamedMoment::Turn(turn + 1));
        vec![
            self.open_path(
                path,
                StartPlace { turn: at, view: View::Replay, ..StartPlace::default() },
            ),
        ]
    }

    /// Goes back to the table, with the reason, when a run that was chosen there cannot be opened.
    pub(crate) fn return_if_failed(&mut self) {
        let Loading::Failed(why) = &self.opened else { return };
        if self.collection.is_some() || self.compared.is_some() {
            let why = why.clone();
            self.opened = Loading::Nothing;
            self.opening.arrival = None;
            self.bring_up_view(self.opening.back);
            self.show_notice(why);
        }
    }
}
