//! The information that layers of project state gave the agent, turn by turn: the brief with the request, the origins
//! of each sentence with the text of the records, and the forecast with the files that the turn touched.
//!
//! The playhead is the run's selected turn. [`rows`] builds the lists, [`areas`] computes the parts, `draw` draws them,
//! and `view` implements the interface to the shell.

pub mod areas;
mod draw;
pub mod rows;
mod view;

use crate::{
    session::{Session, views::View},
    widgets::{layout::ScreenLayout, pane::ListPane, scroll::Motion},
};
use trajview_layers::record::{LayerRecord, LayerTurnEntry};

use rows::{LayerListRow, RowOpening};

/// The state of the view, apart from the records.
#[derive(Debug, Default)]
pub struct LayersView {
    pub part: LayersPart,
    /// Index of the layer that is shown, among several.
    pub layer: usize,
    turns: ListPane,
    brief: ListPane,
    origin: ListPane,
}

/// The part that has the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LayersPart {
    /// The turns, with the length of their brief and their forecast scores.
    #[default]
    Turns,
    /// The request, and the layer's brief before it.
    Brief,
    /// The origins of the chosen sentence.
    Origin,
}

#[derive(Debug, Clone, PartialEq)]
pub enum LayersMessage {
    Move(Motion),
    /// Moves to the next part, and from the last to the first.
    SwitchPart,
    /// Switches to the next layer of the run.
    SwitchLayer,
    /// Opens the brief of a turn, the origins of a sentence, or the place of an origin.
    Open,
    /// The turns before and after, whatever has the keyboard.
    Turn(Motion),
}

impl LayersView {
    pub(crate) fn update_view(
        &mut self,
        session: &mut Session,
        message: LayersMessage,
        _: &ScreenLayout,
    ) {
        session.view = View::Layers;
        match message {
            LayersMessage::Move(motion) => self.move_cursor(session, motion),
            LayersMessage::SwitchPart => {
                self.part = match self.part {
                    LayersPart::Turns => LayersPart::Brief,
                    LayersPart::Brief => LayersPart::Origin,
                    LayersPart::Origin => LayersPart::Turns,
                };
            }
            LayersMessage::SwitchLayer => {
                let count = session.scores.process.layer_records().len().max(1);
                self.layer = (self.layer + 1) % count;
                self.restart_brief();
            }
            LayersMessage::Open => self.open_row(session),
            LayersMessage::Turn(motion) => self.select_turn(session, motion),
        }
    }

    fn select_turn(&mut self, session: &mut Session, motion: Motion) {
        let turn = motion.target_row(session.turn, session.run.turns.len(), 10);
        session.select_turn(turn);
        self.restart_brief();
    }

    fn restart_brief(&mut self) {
        self.brief.restart();
        self.origin.restart();
    }

    fn move_cursor(&mut self, session: &mut Session, motion: Motion) {
        match self.part {
            LayersPart::Turns => self.select_turn(session, motion),
            LayersPart::Brief => {
                self.brief.move_cursor(motion);
                self.origin.restart();
            }
            LayersPart::Origin => self.origin.move_cursor(motion),
        }
    }

    fn open_row(&mut self, session: &mut Session) {
        let row = match self.part {
            LayersPart::Turns => {
                self.part = LayersPart::Brief;
                return;
            }
            LayersPart::Brief => self.brief_rows(session).into_iter().nth(self.brief.cursor()),
            LayersPart::Origin => self.origin_rows(session).into_iter().nth(self.origin.cursor()),
        };
        match row.map(|row| row.target) {
            Some(RowOpening::Origins) => self.part = LayersPart::Origin,
            Some(RowOpening::Place(opening)) => session.set_opening(opening),
            Some(RowOpening::Nothing) | None => {
                session.notice = Some("this row has no source to open".into());
            }
        }
    }

    /// Returns the layer that is shown. None if none is recorded, or it is not known yet.
    pub(crate) fn shown_record<'s>(&self, session: &'s Session) -> Option<&'s LayerRecord> {
        let all = session.scores.process.layer_records();
        all.get(self.layer.min(all.len().saturating_sub(1)))
    }

    /// Returns the layer's entry for the selected turn.
    pub(crate) fn turn_entry<'s>(&self, session: &'s Session) -> Option<&'s LayerTurnEntry> {
        self.shown_record(session)?.entry_for_turn(session.turn + 1)
    }

    pub(crate) fn brief_rows(&self, session: &Session) -> Vec<LayerListRow> {
        rows::brief_rows(session, self.turn_entry(session))
    }

    /// Returns the origins of the chosen sentence. Empty if it has none.
    pub(crate) fn origin_rows(&self, session: &Session) -> Vec<LayerListRow> {
        let row = self.brief_rows(session).into_iter().nth(self.brief.cursor());
        let sentence = row.and_then(|row| row.sentence);
        let found = self.shown_record(session).zip(sentence).zip(self.turn_entry(session));
        found
            .map(|((record, at), entry)| rows::origin_rows(session, record, entry, at))
            .unwrap_or_default()
    }
}
