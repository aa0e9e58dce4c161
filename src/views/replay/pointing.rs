//! What a click selects and the wheel moves.

use crate::{
    session::{
        Session,
        turns::{Row, rows},
    },
    views::replay::{Replay, diff::Follows},
    widgets::{
        layout::{Layout, Panel},
        scroll::{Motion, centred},
    },
};

impl Replay {
    /// Selects what stands in a row of a panel, counted from the panel's first, and gives the panel the keyboard.
    pub fn point_at(&mut self, session: &mut Session, panel: Panel, row: usize, layout: &Layout) {
        self.focus = panel;
        let height = usize::from(layout.room(panel).height);
        match panel {
            Panel::Turns => self.point_at_turn(session, row, height),
            Panel::Files if self.tree.is_shown => {
                let rows = self.tree.rows().len();
                self.tree.cursor =
                    (centred(self.tree.cursor, rows, height) + row).min(rows.saturating_sub(1));
            }
            Panel::Files => {
                let changes = self.changes(session);
                let index = centred(self.files.selected(changes), changes.len(), height) + row;
                if let Some(path) = changes.get(index).map(|change| change.path.clone()) {
                    self.files.want(path);
                    self.keep_view(session);
                }
            }
            Panel::Diff => {
                let rows = self.diff.current().map_or(0, |compared| compared.rows.len());
                let index = self.diff.scroll.top + row;
                if index < rows {
                    self.diff.scroll.cursor = index;
                }
            }
            Panel::Steps => {
                let before = self.steps.selected();
                let index = self.steps.scroll.top + row;
                if index < self.steps.row_count() {
                    self.steps.scroll.cursor = index;
                }
                if self.steps.selected() != before {
                    self.diff.follows = Follows::Step;
                }
            }
        }
    }

    /// A checkpoint's name leads to its first turn.
    fn point_at_turn(&mut self, session: &mut Session, row: usize, height: usize) {
        let rows = rows(&session.run);
        let selected = rows.iter().position(|row| *row == Row::Turn(session.turn));
        let top = centred(selected.unwrap_or_default(), rows.len(), height);
        match rows.get(top + row) {
            Some(Row::Turn(turn)) => self.select_turn(session, *turn),
            Some(Row::Checkpoint(index)) => {
                self.select_turn(session, session.run.first_turn_of(*index))
            }
            None => {}
        }
    }

    /// Turns the wheel over a panel, which keeps the keyboard where it is. Lists move by one, texts by some rows.
    pub fn wheel(&mut self, session: &mut Session, panel: Panel, motion: Motion, layout: &Layout) {
        let height = usize::from(layout.room(panel).height);
        match panel {
            Panel::Turns => {
                let one = motion.of_one();
                self.select_turn(session, one.from(session.turn, session.run.turns.len(), height));
            }
            Panel::Files if self.tree.is_shown => self.tree.go(motion.of_one(), height),
            Panel::Files => {
                let mut files = std::mem::take(&mut self.files);
                files.go(motion.of_one(), self.changes(session), height);
                self.files = files;
                self.keep_view(session);
            }
            Panel::Diff => {
                let rows = self.diff.current().map_or(0, |compared| compared.rows.len());
                self.diff.scroll.turn(motion, rows, height);
            }
            Panel::Steps => {
                let before = self.steps.selected();
                self.steps.scroll.turn(motion, self.steps.row_count(), height);
                if self.steps.selected() != before {
                    self.diff.follows = Follows::Step;
                }
            }
        }
    }
}
