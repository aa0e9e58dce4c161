//! Places to which a judge objected, checkpoint by checkpoint, from judgements in the run's folder and from a
//! benchmark's recording. A count of flags is not a score, and none is computed from it.
//!
//! [`judged_states`] selects the judged state, [`table`] builds the rows, and [`areas`] computes the parts. The flags next to
//! the lines of the replay are in [`crate::session::judged_marks`].

pub mod areas;
pub mod judged_states;
mod mouse;
pub mod table;

use crate::{
    session::{Session, replay_opening::ReplayOpening},
    widgets::{
        layout::ScreenLayout,
        pane::{ListPane, PaneRoom},
        scroll::Motion,
    },
};
use trajview_run::RepoPath;

use areas::{FlagsAreas, HEAD_ROWS};
use table::FlagSort;

/// The state of the flags view.
#[derive(Debug, Default)]
pub struct FlagsView {
    /// Index in [`flag_sources`](crate::session::flags::flag_sources), from 0.
    source: usize,
    /// Index of the selected state of the source. None selects the last state.
    state: Option<usize>,
    /// True if every flag is listed where it was found, instead of the flags of one state.
    pub is_all: bool,
    pub sort: FlagSort,
    pub rows: ListPane,
}

#[derive(Debug, Clone, PartialEq)]
pub enum FlagsMessage {
    Move(Motion),
    NextState(usize),
    PreviousState(usize),
    /// Switches between the flags of one state and all flags where they were found.
    All,
    /// Another judge, or what was recorded.
    NextSource,
    PreviousSource,
    Sort,
    /// Opens the lines as they were judged.
    Open,
}

impl FlagsView {
    pub(super) fn update_flags(&mut self, session: &mut Session, message: FlagsMessage) {
        match message {
            FlagsMessage::Move(motion) => self.rows.move_cursor(motion),
            FlagsMessage::NextState(count) => self.go_to_state(session, count as isize),
            FlagsMessage::PreviousState(count) => self.go_to_state(session, -(count as isize)),
            FlagsMessage::All => {
                self.is_all = !self.is_all;
                self.rows.restart();
            }
            FlagsMessage::NextSource => self.go_to_source(session, 1),
            FlagsMessage::PreviousSource => self.go_to_source(session, -1),
            FlagsMessage::Sort => {
                self.sort = self.sort.next();
                self.rows.restart();
                session.notice = Some(format!("sorted by {}", self.sort.sort_words()));
            }
            FlagsMessage::Open => self.open_flag(session),
        }
    }

    /// Moves by so many states in time. Stays at the first and at the last one.
    fn go_to_state(&mut self, session: &mut Session, by: isize) {
        let Some(source) = self.flag_source(session) else { return };
        let last = source.states.len().saturating_sub(1);
        let next = self.flag_state_at(last).saturating_add_signed(by).min(last);
        let name = source.states.get(next).map(|state| state.name.clone()).unwrap_or_default();
        self.state = Some(next);
        self.is_all = false;
        self.rows.restart();
        session.notice = Some(format!("judged state {} of {}: {name}", next + 1, last + 1));
    }

    /// Returns the index of the selected state. `last` is the index of the last state.
    pub(super) fn flag_state_at(&self, last: usize) -> usize {
        self.state.unwrap_or(last).min(last)
    }

    fn go_to_source(&mut self, session: &mut Session, by: isize) {
        let sources = crate::session::flags::flag_sources(session);
        let count = sources.len();
        if count < 2 {
            session.notice = Some("no other judge flagged this run".into());
            return;
        }
        let now = self.source.min(count - 1) as isize;
        let next = (now + by).rem_euclid(count as isize) as usize;
        session.notice =
            Some(format!("flags {} of {count}: {}", next + 1, sources[next].by.display_text()));
        let FlagsView { is_all, sort, .. } = *self;
        *self = FlagsView { source: next, is_all, sort, ..FlagsView::default() };
    }

    fn open_flag(&mut self, session: &mut Session) {
        let Some(row) = self.flag_row(session) else {
            session.notice = Some("no flag here".into());
            return;
        };
        let turn = row.turn.and_then(|done| done.checked_sub(1));
        let turn = turn.filter(|turn| *turn < session.run.turns.len());
        let (Some(turn), Some(path)) = (turn, RepoPath::new(&row.flag.path)) else {
            session.notice = Some("the judged state is not a turn of this run".into());
            return;
        };
        let line = row.flag.start.map_or(1, |line| line as usize);
        session.set_opening(ReplayOpening::at_line(turn, path, line));
        session.notice = Some("backspace returns to the flags".into());
    }

    pub(super) fn settle_flags(&mut self, session: &mut Session, layout: &ScreenLayout) {
        let len = self.flag_rows(session).len();
        let table = PaneRoom::framed(Some(FlagsAreas::for_layout(layout).table));
        self.rows.settle(table.with_fixed_rows(HEAD_ROWS, 0), len);
    }
}
