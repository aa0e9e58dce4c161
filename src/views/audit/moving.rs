//! Moving and opening in the part that has the keyboard.

use crate::{
    shell::replay::Replay,
    widgets::{layout::Layout, scroll::Motion},
};

use super::{Part, areas::Areas};

impl Replay {
    pub(super) fn move_in_audit(&mut self, motion: Motion, layout: &Layout) {
        let areas = Areas::of(layout, self.audit.part);
        match self.audit.part {
            Part::Queue => self.move_in_queue(motion, layout),
            Part::Component => {
                let len = self.item_rows(&areas).len();
                let height = areas.height(Part::Component);
                self.audit.item.cursor = motion.from(self.audit.item.cursor, len, height);
            }
            Part::Code => self.move_in_code(motion, &areas),
            Part::Agreement => {
                let len = self.agreement_rows(&areas).len();
                let height = areas.height(Part::Agreement);
                self.audit.figures.cursor = motion.from(self.audit.figures.cursor, len, height);
            }
        }
    }

    pub(super) fn open_in_audit(&mut self, layout: &Layout) {
        match self.audit.part {
            Part::Queue => self.audit.part = Part::Component,
            Part::Code if self.audit.code.tree.is_shown => self.open_file_of_tree(),
            Part::Component | Part::Code => self.open_in_replay(layout),
            Part::Agreement => self.audit.part = Part::Queue,
        }
    }

    pub(super) fn close_in_audit(&mut self) {
        match self.audit.part {
            Part::Code if self.audit.code.tree.is_shown => self.audit.code.tree.is_shown = false,
            _ => self.audit.part = Part::Queue,
        }
    }
}
