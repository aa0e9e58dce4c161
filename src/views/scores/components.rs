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
    shell::replay::Replay,
    views::replay::turns,
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
    was_seen: bool,
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
    /// Opens at a component.
    pub fn choose(&mut self, id: Option<String>) {
        self.chosen = id;
    }
}

impl Replay {
    pub(super) fn update_components(&mut self, message: Message, layout: &Layout) {
        let parts = &mut self.scores.components;
        match message {
            Message::Move(motion) => self.move_in_part(motion, layout),
            Message::Turn(motion) => {
                let turn = motion.from(self.session.turn, self.session.run.turns.len(), 10);
                self.select_turn(turn);
            }
            Message::NextCheckpoint(count) => {
                let message = turns::Message::NextCheckpoint(count);
                self.select_turn(message.from(&self.session.run, self.session.turn));
            }
            Message::PreviousCheckpoint(count) => {
                let message = turns::Message::PreviousCheckpoint(count);
                self.select_turn(message.from(&self.session.run, self.session.turn));
            }
            Message::NextEvent(count) => self.go_to_event(count as isize),
            Message::PreviousEvent(count) => self.go_to_event(-(count as isize)),
            Message::Lost => self.go_to_loss(),
            Message::Sort => {
                parts.sort = parts.sort.next();
                self.session.notice =
                    Some(format!("sorted by {}", self.scores.components.sort.words()));
            }
            Message::NextJudgement => self.flip(1),
            Message::PreviousJudgement => self.flip(-1),
            Message::NextPart => parts.part = parts.part.next(),
            Message::PreviousPart => parts.part = parts.part.previous(),
            Message::Open => self.open_part(layout),
            Message::Close => parts.part = Part::Table,
        }
    }

    fn flip(&mut self, by: isize) {
        let (Ok(words) | Err(words)) = self.session.rubric.flip(by);
        self.session.notice = Some(words);
    }

    fn move_in_part(&mut self, motion: Motion, layout: &Layout) {
        let areas = Areas::of(layout, self.scores.components.part);
        match self.scores.components.part {
            Part::Table | Part::Lifeline => {
                let ids: Vec<String> =
                    self.component_rows().into_iter().map(|row| row.id).collect();
                let parts = &mut self.scores.components;
                let at = motion.from(parts.rows.cursor, ids.len(), areas.table_height());
                parts.rows.cursor = at;
                parts.chosen = ids.get(at).cloned();
            }
            Part::Verdict => {
                let len = self.verdict_rows(&areas).len();
                let parts = &mut self.scores.components;
                parts.verdict.cursor =
                    motion.from(parts.verdict.cursor, len, areas.verdict_height());
            }
        }
    }

    fn open_part(&mut self, layout: &Layout) {
        match self.scores.components.part {
            Part::Table => self.scores.components.part = Part::Verdict,
            Part::Verdict => self.open_evidence(layout),
            Part::Lifeline => self.open_event(),
        }
    }

    pub(super) fn settle_components(&mut self, layout: &Layout) {
        let areas = Areas::of(layout, self.scores.components.part);
        let rows = self.component_rows();
        let judged = self.session.rubric.judgement().map(|it| it.file.clone());
        let parts = &mut self.scores.components;
        let at = rows.iter().position(|row| Some(&row.id) == parts.chosen.as_ref());
        if let (None, Some(wanted), false) = (at, &parts.chosen, rows.is_empty()) {
            self.session.notice = Some(format!("no component {wanted}: {}", table::ids(&rows)));
        }
        parts.rows.cursor = at.unwrap_or_default();
        parts.chosen = rows.get(parts.rows.cursor).map(|row| row.id.clone());
        parts.rows.follow(rows.len(), areas.table_height());
        let shown = parts.chosen.clone().map(|id| (id, judged));
        if parts.verdict_of != shown {
            parts.verdict_of = shown;
            parts.verdict = Scroll::default();
        }
        let len = self.verdict_rows(&areas).len();
        self.scores.components.verdict.follow(len, areas.verdict_height());
    }
}
