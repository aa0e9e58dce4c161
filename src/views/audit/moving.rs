//! Moving and opening in the part that has the keyboard.

use crate::{
    session::Session,
    views::audit::Audit,
    widgets::{layout::Layout, scroll::Motion},
};

use super::{Part, areas::Areas};

impl Audit {
    pub(super) fn move_in_audit(&mut self, session: &mut Session, motion: Motion, layout: &Layout) {
        let areas = Areas::of(layout, self.part);
        match self.part {
            Part::Queue => self.move_in_queue(session, motion, layout),
            Part::Component => {
                let len = self.item_rows(session, &areas).len();
                let height = areas.height(Part::Component);
                self.item.cursor = motion.from(self.item.cursor, len, height);
            }
            Part::Code => self.move_in_code(session, motion, &areas),
            Part::Agreement => {
                let len = self.agreement_rows(session, &areas).len();
                let height = areas.height(Part::Agreement);
                self.figures.cursor = motion.from(self.figures.cursor, len, height);
            }
        }
    }

    pub(super) fn open_in_audit(&mut self, session: &mut Session, layout: &Layout) {
        match self.part {
            Part::Queue => self.part = Part::Component,
            Part::Code if self.code.tree.is_shown => self.open_file_of_tree(),
            Part::Component | Part::Code => self.open_in_replay(session, layout),
            Part::Agreement => self.part = Part::Queue,
        }
    }

    pub(super) fn close_in_audit(&mut self) {
        match self.part {
            Part::Code if self.code.tree.is_shown => self.code.tree.is_shown = false,
            _ => self.part = Part::Queue,
        }
    }
}
