//! The list of every change to one thing, a file or the function that a line is in: what is known of it, and which lines of
//! the selected change are seen. Where it is opened and where it leads is in `replay::history`.

use std::sync::Arc;

use crate::{
    session::{ask::Loading, files::compared::Compared},
    widgets::scroll::Motion,
};
use trajview_run::{
    RepoPath,
    files::{
        Moment,
        history::{Entry, History, Thing, Wanted},
    },
};

/// What the list shows.
#[derive(Debug, Default)]
pub struct Past {
    pub wanted: Option<Wanted>,
    /// The line that it was opened at, for the function around it; None where it was opened for a whole file.
    pub line: Option<usize>,
    pub known: Loading<Arc<History>>,
    /// The lines of an entry, by its number.
    shown: Option<(usize, Compared)>,
    /// First of these lines on screen.
    pub top: usize,
    /// Whether closing the list goes back to where the jump to it began.
    pub goes_back: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// Between the function and its file.
    Switch,
    /// Over the lines of the selected change.
    Scroll(Motion),
}

impl Past {
    /// Every change, once it is known.
    pub fn entries(&self) -> &[Entry] {
        self.known.ready().map_or(&[], |history| &history.entries)
    }

    /// The lines of the selected change.
    pub fn lines(&self) -> Option<&Compared> {
        self.shown.as_ref().map(|(_, compared)| compared)
    }

    /// Begins a list. `line` is where it was opened; see [`Self::line`].
    pub fn begin(&mut self, wanted: Wanted, line: Option<usize>, goes_back: bool) {
        (self.line, self.goes_back) = (line, goes_back);
        self.want(wanted);
    }

    /// For what another view looks at in a file after a turn, which counts from 0; closing the list goes back there.
    pub fn begin_elsewhere(&mut self, turn: usize, path: RepoPath, line: Option<usize>) {
        let thing = line.map_or(Thing::File, Thing::Around);
        self.begin(Wanted { path, thing, at: Some(Moment::after(turn + 1)) }, line, true);
    }

    pub fn want(&mut self, wanted: Wanted) {
        (self.known, self.shown, self.top) = (Loading::Nothing, None, 0);
        self.wanted = Some(wanted);
    }

    /// Shows the lines of an entry.
    pub fn show(&mut self, at: usize, height: usize) {
        if self.shown.as_ref().is_none_or(|(shown, _)| *shown != at) {
            let entry = self.entries().get(at);
            self.shown = entry.map(|entry| (at, Compared::of(entry.diff.clone())));
            self.top = 0;
        }
        let rows = self.lines().map_or(0, |lines| lines.rows.len());
        self.top = self.top.min(rows.saturating_sub(height));
    }
}
