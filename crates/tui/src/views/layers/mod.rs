//! What layers of project state told the agent, turn by turn: the brief beside the request, where each sentence is from, what
//! the layer knew and what that said before, and the forecast beside what the turn touched.
//!
//! The playhead is the run's selected turn. [`rows`] says what the lists hold, [`areas`] where the parts stand, `draw` how they
//! look, `view` what the shell does with it.

pub mod areas;
mod draw;
pub mod rows;
mod view;

use crate::{
    session::{Session, views::View},
    widgets::{
        layout::Layout,
        scroll::{Motion, Scroll},
    },
};
use trajview_layers::record::{Entry, Record};

use areas::Areas;
use rows::{Open, Row};

/// What the view shows beside what is known.
#[derive(Debug, Default)]
pub struct Layers {
    pub part: Part,
    /// Which of several layers.
    pub layer: usize,
    /// Of the turns.
    pub turns: Scroll,
    /// Of what was said.
    pub brief: Scroll,
    /// Of where the chosen sentence is from.
    pub origin: Scroll,
}

/// Which part has the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Part {
    /// The turns, with how much was said and how the forecast went.
    #[default]
    Turns,
    /// The request, and what was said before it.
    Brief,
    /// Where the chosen sentence is from.
    Origin,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    Move(Motion),
    /// To the next part, and after the last to the first.
    SwitchPart,
    /// Back to the turns.
    Close,
    /// To the next layer of the run.
    SwitchLayer,
    /// From a turn to what was said, from a sentence to where it is from, from there to the place.
    Open,
    /// The turns before and after, whatever has the keyboard.
    Turn(Motion),
}

impl Layers {
    pub fn update(&mut self, session: &mut Session, message: Message, layout: &Layout) {
        session.view = View::Layers;
        match message {
            Message::Move(motion) => self.go(session, motion, layout),
            Message::SwitchPart => {
                self.part = match self.part {
                    Part::Turns => Part::Brief,
                    Part::Brief => Part::Origin,
                    Part::Origin => Part::Turns,
                };
            }
            Message::Close => self.part = Part::Turns,
            Message::SwitchLayer => {
                let count = session.scores.worked.records().len().max(1);
                self.layer = (self.layer + 1) % count;
                (self.brief, self.origin) = (Scroll::default(), Scroll::default());
            }
            Message::Open => self.open(session),
            Message::Turn(motion) => self.select(session, motion),
        }
    }

    fn select(&mut self, session: &mut Session, motion: Motion) {
        let turn = motion.from(session.turn, session.run.turns.len(), 10);
        session.select_turn(turn);
        (self.brief, self.origin) = (Scroll::default(), Scroll::default());
    }

    fn go(&mut self, session: &mut Session, motion: Motion, layout: &Layout) {
        let areas = Areas::of(layout, self.part);
        match self.part {
            Part::Turns => self.select(session, motion),
            Part::Brief => {
                let len = self.brief_rows(session).len();
                self.brief.cursor = motion.from(self.brief.cursor, len, Areas::height(areas.brief));
                self.origin = Scroll::default();
            }
            Part::Origin => {
                let len = self.origin_rows(session).len();
                let height = Areas::height(areas.origin);
                self.origin.cursor = motion.from(self.origin.cursor, len, height);
            }
        }
    }

    fn open(&mut self, session: &mut Session) {
        let row = match self.part {
            Part::Turns => {
                self.part = Part::Brief;
                return;
            }
            Part::Brief => self.brief_rows(session).get(self.brief.cursor).cloned(),
            Part::Origin => self.origin_rows(session).get(self.origin.cursor).cloned(),
        };
        match row.map(|row| row.open) {
            Some(Open::Origins) => self.part = Part::Origin,
            Some(Open::Place(opening)) => session.open(opening),
            Some(Open::Nothing) | None => {
                session.notice = Some("this row leads to no place".into());
            }
        }
    }

    /// The layer that is shown; None where none is recorded, or it is not known yet.
    pub fn record<'s>(&self, session: &'s Session) -> Option<&'s Record> {
        let all = session.scores.worked.records();
        all.get(self.layer.min(all.len().saturating_sub(1)))
    }

    /// What the layer said before the selected turn.
    pub fn entry<'s>(&self, session: &'s Session) -> Option<&'s Entry> {
        self.record(session)?.entry(session.turn + 1)
    }

    pub fn brief_rows(&self, session: &Session) -> Vec<Row> {
        rows::of_brief(session, self.entry(session))
    }

    /// Where the chosen sentence is from; empty where it is from nowhere.
    pub fn origin_rows(&self, session: &Session) -> Vec<Row> {
        let row = self.brief_rows(session).get(self.brief.cursor).cloned();
        let sentence = row.and_then(|row| row.sentence);
        let found = self.record(session).zip(sentence).zip(self.entry(session));
        found
            .map(|((record, at), entry)| rows::of_origins(session, record, entry, at))
            .unwrap_or_default()
    }
}
