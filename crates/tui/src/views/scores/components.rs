//! The components of a run's checklist, and what a judge said of each: a table, the verdict on the chosen one with its
//! evidence and what the judge looked at, and below them the [`super::lifeline`].
//!
//! What the run is judged by is read beside it once it is open, and again whenever the view is come back to. [`table`]
//! has the rows, [`verdict`] the lines of the panel, [`areas`] says where the parts stand, [`asking`] what is missing.

pub mod areas;
pub mod asking;
mod copying;
mod opening;
mod pointing;
pub mod table;
pub mod verdict;

use crate::{
    session::{Session, turns},
    widgets::{
        layout::Layout,
        scroll::{Motion, Scroll},
    },
};

use areas::Areas;
use table::Sort;

/// What of the components is looked at.
#[derive(Debug, Default)]
pub struct Components {
    /// Whether the view was on screen after the last message.
    pub(super) was_seen: bool,
    pub part: Part,
    pub sort: Sort,
    /// Id of the component that is looked at.
    chosen: Option<String>,
    pub rows: Scroll,
    pub verdict: Scroll,
    /// Whose verdict the scroll is of.
    verdict_of: Option<(String, Option<String>)>,
}

/// Which part of the view has the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Part {
    #[default]
    Table,
    Verdict,
    Lifeline,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// In the part that has the keyboard.
    Move(Motion),
    /// The playhead, from turn to turn; up is back.
    Turn(Motion),
    NextCheckpoint(usize),
    PreviousCheckpoint(usize),
    /// To the next turn that did something to the chosen component.
    NextEvent(usize),
    PreviousEvent(usize),
    /// To the turn where the chosen component was lost.
    Lost,
    /// By the next column.
    Sort,
    /// Another judgement.
    NextJudgement,
    PreviousJudgement,
    /// The next way to pool the judgements of each state.
    Pool,
    NextPart,
    PreviousPart,
    /// What the cursor stands on.
    Open,
    /// Back to the table.
    Close,
}

impl Part {
    const ALL: [Self; 3] = [Self::Table, Self::Verdict, Self::Lifeline];

    const fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()]
    }

    const fn previous(self) -> Self {
        Self::ALL[(self as usize + Self::ALL.len() - 1) % Self::ALL.len()]
    }
}

impl Components {
    /// Whether a part has the keyboard.
    pub fn has_part(&self, part: Part) -> bool {
        self.part == part
    }

    /// Whether a component is listed.
    pub fn has(&self, session: &Session, id: &str) -> bool {
        self.component_rows(session).iter().any(|row| row.id == id)
    }

    /// Opens at a component.
    pub fn choose(&mut self, id: Option<String>) {
        self.chosen = id;
    }
}

impl Components {
    pub(super) fn update_components(
        &mut self,
        session: &mut Session,
        message: Message,
        layout: &Layout,
    ) {
        match message {
            Message::Move(motion) => self.move_in_part(session, motion, layout),
            Message::Turn(motion) => {
                let turn = motion.from(session.turn, session.run.turns.len(), 10);
                session.select_turn(turn);
            }
            Message::NextCheckpoint(count) => {
                let message = turns::Message::NextCheckpoint(count);
                session.select_turn(message.from(&session.run, session.turn));
            }
            Message::PreviousCheckpoint(count) => {
                let message = turns::Message::PreviousCheckpoint(count);
                session.select_turn(message.from(&session.run, session.turn));
            }
            Message::NextEvent(count) => self.go_to_event(session, count as isize),
            Message::PreviousEvent(count) => self.go_to_event(session, -(count as isize)),
            Message::Lost => self.go_to_loss(session),
            Message::Sort => {
                self.sort = self.sort.next();
                session.notice = Some(format!("sorted by {}", self.sort.words()));
            }
            Message::NextJudgement => self.flip(session, 1),
            Message::Pool => {
                let said = session.rubric.next_pool();
                session.notice = Some(said.unwrap_or_else(|why| why));
            }
            Message::PreviousJudgement => self.flip(session, -1),
            Message::NextPart => self.part = self.part.next(),
            Message::PreviousPart => self.part = self.part.previous(),
            Message::Open => self.open_part(session, layout),
            Message::Close => self.part = Part::Table,
        }
    }

    fn flip(&mut self, session: &mut Session, by: isize) {
        let (Ok(words) | Err(words)) = session.rubric.flip(by);
        session.notice = Some(words);
    }

    fn move_in_part(&mut self, session: &mut Session, motion: Motion, layout: &Layout) {
        let areas = Areas::of(layout, self.part);
        match self.part {
            Part::Table | Part::Lifeline => {
                let ids: Vec<String> =
                    self.component_rows(session).into_iter().map(|row| row.id).collect();
                let at = motion.from(self.rows.cursor, ids.len(), areas.table_height());
                self.rows.cursor = at;
                self.chosen = ids.get(at).cloned();
            }
            Part::Verdict => {
                let len = self.verdict_rows(session, &areas).len();
                self.verdict.cursor = motion.from(self.verdict.cursor, len, areas.verdict_height());
            }
        }
    }

    fn open_part(&mut self, session: &mut Session, layout: &Layout) {
        match self.part {
            Part::Table => self.part = Part::Verdict,
            Part::Verdict => self.open_evidence(session, layout),
            Part::Lifeline => self.open_event(session),
        }
    }

    pub(super) fn settle_components(&mut self, session: &mut Session, layout: &Layout) {
        let areas = Areas::of(layout, self.part);
        let rows = self.component_rows(session);
        let judged = session.rubric.judgement().map(|it| it.file.clone());
        let at = rows.iter().position(|row| Some(&row.id) == self.chosen.as_ref());
        if let (None, Some(wanted), false) = (at, &self.chosen, rows.is_empty()) {
            session.notice = Some(format!("no component {wanted}: {}", table::ids(&rows)));
        }
        self.rows.cursor = at.unwrap_or_default();
        self.chosen = rows.get(self.rows.cursor).map(|row| row.id.clone());
        self.rows.follow(rows.len(), areas.table_height());
        let shown = self.chosen.clone().map(|id| (id, judged));
        if self.verdict_of != shown {
            self.verdict_of = shown;
            self.verdict = Scroll::default();
        }
        let len = self.verdict_rows(session, &areas).len();
        self.verdict.follow(len, areas.verdict_height());
    }
}
