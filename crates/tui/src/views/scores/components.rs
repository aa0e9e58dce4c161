//! The components of a run's checklist with a judge's verdicts: a table, the verdict on the chosen component with its
//! evidence and the judge's lookups, and below them the [`super::lifeline`].
//!
//! The judgements are read when the view is opened, and again whenever it is shown again. [`table`] builds the rows,
//! [`verdict`] the lines of the panel, [`areas`] computes the parts, and [`questions`] asks for missing data.

pub mod areas;
mod clipboard_text;
mod mouse;
mod navigation;
pub mod questions;
pub mod table;
pub mod verdict;

use crate::{
    session::{Session, turns},
    widgets::{
        layout::ScreenLayout,
        pane::{ListPane, PaneRoom},
        scroll::Motion,
    },
};

use areas::{ComponentsAreas, HEAD_ROWS};
pub(crate) use table::ComponentSort;

/// The state of the components view.
#[derive(Debug, Default)]
pub struct ComponentsView {
    /// True if the view was on screen after the last message.
    pub(super) was_seen: bool,
    pub part: ComponentsPart,
    pub sort: ComponentSort,
    /// Id of the selected component.
    chosen: Option<String>,
    pub rows: ListPane,
    pub verdict: ListPane,
    /// The component and the judgement to which the scroll position of the verdict belongs.
    verdict_subject: Option<(String, Option<String>)>,
}

/// The part of the view that has the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ComponentsPart {
    #[default]
    Table,
    Verdict,
    Lifeline,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ComponentsMessage {
    /// Moves within the part that has the keyboard.
    Move(Motion),
    /// The playhead, from turn to turn; up is back.
    Turn(Motion),
    NextCheckpoint(usize),
    PreviousCheckpoint(usize),
    /// Moves to the next turn that affected the chosen component.
    NextEvent(usize),
    PreviousEvent(usize),
    /// Moves to the turn in which the chosen component was lost.
    Lost,
    /// Sorts by the next column.
    Sort,
    SortBy(ComponentSort),
    /// Another judgement.
    NextJudgement,
    PreviousJudgement,
    /// Pins the judge of the shown judgement, or pins none.
    Pin,
    /// Switches to the next method of pooling the judgements of each state.
    Pool,
    NextPart,
    PreviousPart,
    /// Opens the row at the cursor.
    Open,
}

impl ComponentsPart {
    const ALL: [Self; 3] = [Self::Table, Self::Verdict, Self::Lifeline];

    const fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()]
    }

    const fn previous_part(self) -> Self {
        Self::ALL[(self as usize + Self::ALL.len() - 1) % Self::ALL.len()]
    }
}

impl ComponentsView {
    /// Returns true if a part has the keyboard.
    pub fn has_part(&self, part: ComponentsPart) -> bool {
        self.part == part
    }

    /// Returns true if a component is listed.
    pub fn has_component(&self, session: &Session, id: &str) -> bool {
        self.component_rows(session).iter().any(|row| row.id == id)
    }

    /// Goes back to the table; returns false if the table has the keyboard.
    pub(super) fn close_part(&mut self) -> bool {
        std::mem::replace(&mut self.part, ComponentsPart::Table) != ComponentsPart::Table
    }

    /// Opens at a component.
    pub(crate) fn choose_component(&mut self, id: Option<String>) {
        self.chosen = id;
    }
}

impl ComponentsView {
    pub(super) fn update_components(
        &mut self,
        session: &mut Session,
        message: ComponentsMessage,
        layout: &ScreenLayout,
    ) {
        match message {
            ComponentsMessage::Move(motion) => self.move_in_part(session, motion),
            ComponentsMessage::Turn(motion) => {
                let turn = motion.target_row(session.turn, session.run.turns.len(), 10);
                session.select_turn(turn);
            }
            ComponentsMessage::NextCheckpoint(count) => {
                let message = turns::TurnMessage::NextCheckpoint(count);
                session.select_turn(message.target_turn(&session.run, session.turn));
            }
            ComponentsMessage::PreviousCheckpoint(count) => {
                let message = turns::TurnMessage::PreviousCheckpoint(count);
                session.select_turn(message.target_turn(&session.run, session.turn));
            }
            ComponentsMessage::NextEvent(count) => self.go_to_event(session, count as isize),
            ComponentsMessage::PreviousEvent(count) => self.go_to_event(session, -(count as isize)),
            ComponentsMessage::Lost => self.go_to_loss(session),
            ComponentsMessage::Sort => self.sort_by(session, self.sort.next()),
            ComponentsMessage::SortBy(sort) => self.sort_by(session, sort),
            ComponentsMessage::NextJudgement => self.flip_judgement(session, 1),
            ComponentsMessage::Pin => session.notice = Some(session.rubric.toggle_pin()),
            ComponentsMessage::Pool => {
                let notice = session.rubric.next_pool();
                session.notice = Some(notice.unwrap_or_else(|why| why));
            }
            ComponentsMessage::PreviousJudgement => self.flip_judgement(session, -1),
            ComponentsMessage::NextPart => self.part = self.part.next(),
            ComponentsMessage::PreviousPart => self.part = self.part.previous_part(),
            ComponentsMessage::Open => self.open_part(session, layout),
        }
    }

    fn sort_by(&mut self, session: &mut Session, sort: ComponentSort) {
        self.sort = sort;
        session.notice = Some(format!("sorted by {}", sort.sort_words()));
    }

    fn flip_judgement(&mut self, session: &mut Session, by: isize) {
        let (Ok(words) | Err(words)) = session.rubric.flip_judgement(by);
        session.notice = Some(words);
    }

    fn move_in_part(&mut self, session: &Session, motion: Motion) {
        match self.part {
            ComponentsPart::Table | ComponentsPart::Lifeline => {
                self.rows.move_cursor(motion);
                let mut rows = self.component_rows(session).into_iter();
                self.chosen = rows.nth(self.rows.cursor()).map(|row| row.id);
            }
            ComponentsPart::Verdict => self.verdict.move_cursor(motion),
        }
    }

    fn open_part(&mut self, session: &mut Session, layout: &ScreenLayout) {
        match self.part {
            ComponentsPart::Table => self.part = ComponentsPart::Verdict,
            ComponentsPart::Verdict => self.open_evidence(session, layout),
            ComponentsPart::Lifeline => self.open_event(session),
        }
    }

    pub(super) fn settle_components(&mut self, session: &mut Session, layout: &ScreenLayout) {
        let areas = ComponentsAreas::for_layout(layout, self.part);
        let rows = self.component_rows(session);
        let judged = session.rubric.shown_judgement().map(|it| it.file.clone());
        let at = rows.iter().position(|row| Some(&row.id) == self.chosen.as_ref());
        if let (None, Some(wanted), false) = (at, &self.chosen, rows.is_empty()) {
            session.notice = Some(format!("no component {wanted}: {}", table::ids_text(&rows)));
        }
        self.rows.choose(at.unwrap_or_default());
        self.chosen = rows.get(self.rows.cursor()).map(|row| row.id.clone());
        self.rows.settle(PaneRoom::framed(areas.table).with_fixed_rows(HEAD_ROWS, 0), rows.len());
        let shown_verdict = self.chosen.clone().map(|id| (id, judged));
        if self.verdict_subject != shown_verdict {
            self.verdict_subject = shown_verdict;
            self.verdict.restart();
        }
        let len = self.verdict_rows(session, &areas).len();
        self.verdict.settle(PaneRoom::framed(areas.verdict), len);
    }
}
