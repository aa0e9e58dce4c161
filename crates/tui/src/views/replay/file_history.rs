//! The state of the list of every change to a file or to the function around a line: its entries, and the visible lines of
//! the selected change. `replay::file_history_actions` opens it and goes to its entries.

use std::sync::Arc;

use crate::{
    session::{files::compared_file::ComparedFile, pending::Loading},
    widgets::{
        pane::{PaneRoom, TextPane},
        scroll::Motion,
    },
};
use trajview_run::{
    RepoPath,
    files::{
        RunMoment,
        history::{ChangeHistory, HistoryEntry, HistoryQuery, HistorySubject},
    },
};

/// The state of the list of every change to one file or function.
#[derive(Debug, Default)]
pub struct FileHistoryList {
    pub query: Option<HistoryQuery>,
    /// The line that it was opened at, for the function around it; None where it was opened for a whole file.
    pub line: Option<usize>,
    pub loaded: Loading<Arc<ChangeHistory>>,
    /// The lines of an entry, by its number.
    shown_entry: Option<(usize, ComparedFile)>,
    pub(super) lines: TextPane,
    /// True where closing the list goes back to the start of the jump to it.
    pub goes_back: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum HistoryMessage {
    /// Switches between the function and its file.
    Switch,
    /// Scrolls the lines of the selected change.
    Scroll(Motion),
}

impl FileHistoryList {
    /// Returns every change, once it is known.
    pub fn entries(&self) -> &[HistoryEntry] {
        self.loaded.ready().map_or(&[], |history| &history.entries)
    }

    /// Returns the lines of the selected change.
    pub(crate) fn shown_lines(&self) -> Option<&ComparedFile> {
        self.shown_entry.as_ref().map(|(_, compared)| compared)
    }

    /// Begins a list. `line` is where it was opened; see [`Self::line`].
    pub(crate) fn begin_query(
        &mut self,
        query: HistoryQuery,
        line: Option<usize>,
        goes_back: bool,
    ) {
        (self.line, self.goes_back) = (line, goes_back);
        self.set_query(query);
    }

    /// Begins a list for another view, for a file after a turn, which counts from 0; closing the list goes back to that
    /// view.
    pub(crate) fn begin_from_other_view(
        &mut self,
        turn: usize,
        path: RepoPath,
        line: Option<usize>,
    ) {
        let thing = line.map_or(HistorySubject::File, HistorySubject::AtLine);
        self.begin_query(
            HistoryQuery { path, subject: thing, at: Some(RunMoment::after_turns(turn + 1)) },
            line,
            true,
        );
    }

    pub(crate) fn set_query(&mut self, query: HistoryQuery) {
        (self.loaded, self.shown_entry) = (Loading::Nothing, None);
        self.lines.restart();
        self.query = Some(query);
    }

    /// Shows the lines of an entry.
    pub(crate) fn show_entry(&mut self, at: usize, room: PaneRoom) {
        if self.shown_entry.as_ref().is_none_or(|(shown, _)| *shown != at) {
            let entry = self.entries().get(at);
            self.shown_entry =
                entry.map(|entry| (at, ComparedFile::changes_only(entry.diff.clone())));
            self.lines.restart();
        }
        let rows = self.shown_lines().map_or(0, |lines| lines.rows.len());
        self.lines.settle(room, rows);
    }
}
