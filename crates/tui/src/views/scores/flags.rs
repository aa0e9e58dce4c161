//! Places that a judge objected to, checkpoint by checkpoint: those of judgements in the run's folder, and those that a
//! benchmark recorded. A count of flags is not a score, and none is made of it.
//!
//! [`states`] says which judged state is looked at, [`table`] has the rows, [`areas`] says where the parts stand; the flags
//! beside the lines of the replay are in [`crate::session::judged_marks`].

pub mod areas;
mod pointing;
pub mod states;
pub mod table;

use crate::{
    session::{Session, opening::Opening},
    widgets::{
        layout::Layout,
        scroll::{Motion, Scroll},
    },
};
use trajview_run::RepoPath;

use areas::Areas;
use table::Sort;

/// What is looked at of the flags.
#[derive(Debug, Default)]
pub struct Flags {
    /// Which of [`of_session`](crate::session::flags::of_session); counts from 0.
    source: usize,
    /// Which state of it; the last one unless another was chosen.
    state: Option<usize>,
    /// Whether every flag is listed where it was found, in the place of those of one state.
    pub is_all: bool,
    pub sort: Sort,
    pub rows: Scroll,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Move(Motion),
    NextState(usize),
    PreviousState(usize),
    /// Those of one state, or each where it was found.
    All,
    /// Another judge, or what was recorded.
    NextSource,
    PreviousSource,
    Sort,
    /// To the lines, as they were judged.
    Open,
}

impl Flags {
    pub(super) fn update_flags(
        &mut self,
        session: &mut Session,
        message: Message,
        layout: &Layout,
    ) {
        match message {
            Message::Move(motion) => {
                let (len, height) =
                    (self.flag_rows(session).len(), Areas::of(layout).table_height());
                let rows = &mut self.rows;
                rows.cursor = motion.from(rows.cursor, len, height);
            }
            Message::NextState(count) => self.go_to_state(session, count as isize),
            Message::PreviousState(count) => self.go_to_state(session, -(count as isize)),
            Message::All => {
                self.is_all = !self.is_all;
                self.rows = Scroll::default();
            }
            Message::NextSource => self.go_to_source(session, 1),
            Message::PreviousSource => self.go_to_source(session, -1),
            Message::Sort => {
                self.sort = self.sort.next();
                self.rows = Scroll::default();
                session.notice = Some(format!("sorted by {}", self.sort.words()));
            }
            Message::Open => self.open_flag(session),
        }
    }

    /// In time; stays at the first and at the last.
    fn go_to_state(&mut self, session: &mut Session, by: isize) {
        let Some(source) = self.flag_source(session) else { return };
        let last = source.states.len().saturating_sub(1);
        let next = self.flag_state_at(last).saturating_add_signed(by).min(last);
        let name = source.states.get(next).map(|state| state.name.clone()).unwrap_or_default();
        self.state = Some(next);
        self.is_all = false;
        self.rows = Scroll::default();
        session.notice = Some(format!("judged state {} of {}: {name}", next + 1, last + 1));
    }

    /// Which state is looked at, of so many after the first.
    pub(super) fn flag_state_at(&self, last: usize) -> usize {
        self.state.unwrap_or(last).min(last)
    }

    fn go_to_source(&mut self, session: &mut Session, by: isize) {
        let sources = crate::session::flags::of_session(session);
        let count = sources.len();
        if count < 2 {
            session.notice = Some("nobody else flagged this run".into());
            return;
        }
        let now = self.source.min(count - 1) as isize;
        let next = (now + by).rem_euclid(count as isize) as usize;
        session.notice =
            Some(format!("flags {} of {count}: {}", next + 1, sources[next].by.words()));
        let Flags { is_all, sort, .. } = *self;
        *self = Flags { source: next, is_all, sort, ..Flags::default() };
    }

    fn open_flag(&mut self, session: &mut Session) {
        let Some(row) = self.flag_row(session) else {
            session.notice = Some("there is no flag here to go to".into());
            return;
        };
        let turn = row.turn.and_then(|done| done.checked_sub(1));
        let turn = turn.filter(|turn| *turn < session.run.turns.len());
        let (Some(turn), Some(path)) = (turn, RepoPath::new(&row.flag.path)) else {
            session.notice = Some("the judged state is no turn of this run".into());
            return;
        };
        let line = row.flag.start.map_or(1, |line| line as usize);
        session.open(Opening::at_line(turn, path, line));
        session.notice = Some("backspace goes back to the flags".into());
    }

    pub(super) fn settle_flags(&mut self, session: &mut Session, layout: &Layout) {
        let len = self.flag_rows(session).len();
        self.rows.follow(len, Areas::of(layout).table_height());
    }
}
